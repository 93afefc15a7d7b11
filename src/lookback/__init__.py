"""Lookback: the history of attention as a program.

Each idea is a module and a chapter, in the order of history:

ngram        N-grams: predict the next word
rules        Translation by a dictionary and rules
features     Hand-made features: Naive Bayes and the linear SVM
hmm          Hidden Markov models: tags for a whole sentence
pcfg         Grammars with probabilities: trees of a sentence
ibm1         Alignment: which word comes from which
hmm_alignment  Alignment by jumps: where the next word comes from
phrases      Phrases: what is translated as one piece
stack_decoder  Statistical translation: the best way through phrases
nplm         A neural language model: a vector for each word
word2vec     Word vectors from any text
glove        Word vectors from counts
window       A window of vectors: tagging almost from scratch
recursive    Recursive networks: a sentence along its tree
recurrent    Recurrent networks: a state that is carried along
lstm         LSTM and GRU: gates
encdec       Encoder–decoder: a sentence as one vector
seq2seq      Deep LSTMs that read the source in reverse
decoding     Greedy decoding and beam search
bahdanau     Additive attention: RNNsearch
luong        Multiplicative attention, global and local
attention    Scaled dot-product attention and self-attention
multihead    Multi-head attention
bpe          Byte-pair encoding
positions    Positional encodings
layernorm    Layer normalisation and residual connections
encoder      The encoder of the Transformer
decoder      The decoder of the Transformer, with its KV cache
transformer  The Transformer
training     Label smoothing, warm-up and Adam
gpt          GPT: the decoder alone, as a language model
bert         BERT: the encoder alone, and words from both sides
rotary       Relative positions: RoPE, ALiBi and learned distances
grouped      Keys and values: cached, shared, read in blocks
modern       Llama: RMSNorm, SwiGLU and the rest of today's model
moe          Mixture of experts: a router chooses networks for each token

>>> from lookback import pretrained
>>> pretrained("bahdanau").translate(["the", "minister", "sleeps", "."])
['le', 'ministre', 'dort', '.']

Trained models come by `pretrained(name)`, what was measured by `results(name)`. Names
are imported when they are used: `import lookback` loads neither torch nor numpy.
"""

from importlib import import_module
from typing import Any

CHAPTERS = (
    "ngram", "rules", "features", "hmm", "pcfg", "ibm1", "hmm_alignment", "phrases",
    "stack_decoder", "nplm", "word2vec", "glove", "window", "recursive", "recurrent",
    "lstm", "encdec", "seq2seq", "decoding", "bahdanau", "luong", "attention",
    "multihead", "bpe", "positions", "layernorm", "encoder", "decoder", "transformer",
    "training", "gpt", "bert", "rotary", "grouped", "modern", "moe",
)  # fmt: skip
"""The ideas in the order of history, as the table of contents has them."""

WHERE = {
    "NgramModel": "ngram",
    "RuleTranslator": "rules",
    "read_dictionary": "rules",
    "NaiveBayes": "features",
    "LinearSVM": "features",
    "FeatureTagger": "features",
    "HiddenMarkovModel": "hmm",
    "SuffixModel": "hmm",
    "PCFG": "pcfg",
    "IBMModel1": "ibm1",
    "HMMAlignment": "hmm_alignment",
    "symmetrise": "phrases",
    "extract_phrases": "phrases",
    "PhraseTable": "phrases",
    "StackDecoder": "stack_decoder",
    "NPLM": "nplm",
    "SkipGram": "word2vec",
    "CBOW": "word2vec",
    "GloVe": "glove",
    "Lookup": "window",
    "SentenceLevelLikelihood": "window",
    "WindowTagger": "window",
    "RecursiveNetwork": "recursive",
    "TreeLSTM": "recursive",
    "GreedyParser": "recursive",
    "RecurrentLM": "recurrent",
    "LSTMCell": "lstm",
    "GRUCell": "lstm",
    "RNNEncoderDecoder": "encdec",
    "Seq2Seq": "seq2seq",
    "beam_search": "decoding",
    "greedy": "decoding",
    "AdditiveAttention": "bahdanau",
    "RNNSearch": "bahdanau",
    "LuongAttention": "luong",
    "LuongTranslator": "luong",
    "scaled_dot_product_attention": "attention",
    "causal_mask": "attention",
    "MultiHeadAttention": "multihead",
    "BPE": "bpe",
    "SinusoidalPositions": "positions",
    "LearnedPositions": "positions",
    "LayerNorm": "layernorm",
    "Encoder": "encoder",
    "EncoderLayer": "encoder",
    "Decoder": "decoder",
    "DecoderLayer": "decoder",
    "Transformer": "transformer",
    "label_smoothed_loss": "training",
    "noam_rate": "training",
    "GPT": "gpt",
    "GPTConfig": "gpt",
    "sample": "gpt",
    "BERT": "bert",
    "BERTConfig": "bert",
    "RotaryEmbedding": "rotary",
    "alibi_slopes": "rotary",
    "GroupedQueryAttention": "grouped",
    "online_softmax_attention": "grouped",
    "RMSNorm": "modern",
    "SwiGLU": "modern",
    "Llama": "modern",
    "MixtureOfExperts": "moe",
    "balance_loss": "moe",
    "Mixtral": "moe",
    "pretrained": "workshop",
    "results": "workshop",
}
"""Where the names are that `lookback` offers: the machine of each chapter, and more."""

__all__ = ["CHAPTERS", *WHERE]


def __getattr__(name: str) -> Any:
    if name in CHAPTERS:
        return import_module(f"lookback.{name}")
    if name in WHERE:
        return getattr(import_module(f"lookback.{WHERE[name]}"), name)
    raise AttributeError(f"module 'lookback' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *CHAPTERS, *__all__})
