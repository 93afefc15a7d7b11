"""Lookback: the history of attention as a program.

Each idea is a module and a chapter, in the order of history:

{chapters}
>>> from lookback import pretrained
>>> pretrained("bahdanau").translate(["the", "minister", "sleeps", "."])
['le', 'ministre', 'dort', '.']

Trained models come by `pretrained(name)`, what was measured by `results(name)`. Names
are imported when they are used: `import lookback` loads neither torch nor numpy.
"""

from importlib import import_module
from importlib.metadata import version
from typing import Any

# chapters: start
CHAPTERS = {
    "ngram": ["NgramModel"],
    "rules": ["RuleTranslator", "read_dictionary"],
    "features": ["NaiveBayes", "LinearSVM", "FeatureTagger"],
    "hmm": ["HiddenMarkovModel", "SuffixModel"],
    "pcfg": ["PCFG"],
    "ibm1": ["IBMModel1"],
    "hmm_alignment": ["HMMAlignment"],
    "phrases": ["PhraseTable", "symmetrise", "extract_phrases"],
    "stack_decoder": ["StackDecoder"],
    "nplm": ["NPLM"],
    "word2vec": ["SkipGram", "CBOW"],
    "glove": ["GloVe"],
    "window": ["WindowTagger", "SentenceLevelLikelihood", "Lookup"],
    "recursive": ["RecursiveNetwork", "TreeLSTM", "GreedyParser"],
    "recurrent": ["RecurrentLM"],
    "lstm": ["LSTMCell", "GRUCell"],
    "encdec": ["RNNEncoderDecoder"],
    "seq2seq": ["Seq2Seq"],
    "decoding": ["beam_search", "greedy"],
    "bahdanau": ["AdditiveAttention", "RNNSearch"],
    "luong": ["LuongAttention", "LuongTranslator"],
    "attention": ["scaled_dot_product_attention", "causal_mask"],
    "multihead": ["MultiHeadAttention"],
    "bpe": ["BPE"],
    "positions": ["SinusoidalPositions", "LearnedPositions"],
    "layernorm": ["LayerNorm"],
    "encoder": ["Encoder", "EncoderLayer"],
    "decoder": ["Decoder", "DecoderLayer"],
    "transformer": ["Transformer"],
    "training": ["label_smoothed_loss", "noam_rate"],
    "gpt": ["GPT", "GPTConfig", "sample"],
    "bert": ["BERT", "BERTConfig"],
    "rotary": ["RotaryEmbedding", "alibi_slopes"],
    "grouped": ["GroupedQueryAttention", "online_softmax_attention"],
    "modern": ["RMSNorm", "SwiGLU", "Llama"],
    "moe": ["MixtureOfExperts", "balance_loss", "Mixtral"],
}
TITLES = {
    "ngram": "N-grams: predict the next word",
    "rules": "Rules: a translator written by hand",
    "features": "Hand-made features: Naive Bayes and the linear SVM",
    "hmm": "Hidden Markov models: tags that nobody sees",
    "pcfg": "Grammars with probabilities: trees that nobody sees",
    "ibm1": "Alignment: which word comes from which",
    "hmm_alignment": "Alignment by jumps: the next word is near the last",
    "phrases": "Phrases: what is translated as one piece",
    "stack_decoder": "The stack decoder: statistical translation, whole",
    "nplm": "NPLM: a word is a place, not a key",
    "word2vec": "word2vec: vectors from any text",
    "glove": "GloVe: vectors from counts",
    "window": "A window of vectors: tagging almost from scratch",
    "recursive": "Recursive networks: a sentence along its tree",
    "recurrent": "Recurrence: a memory that is carried along",
    "lstm": "LSTM and GRU: gates",
    "encdec": "Encoder–decoder: a sentence as one vector",
    "seq2seq": "Deep LSTMs: one vector, read backwards",
    "decoding": "Decoding: search for a likely sentence",
    "bahdanau": "Attention: looking back while translating",
    "luong": "Attention, made plainer: a product, a window, a reminder",
    "attention": "Attention alone: words look at each other",
    "multihead": "Multi-head attention: several looks at once",
    "bpe": "Byte-pair encoding: which pieces of text get a vector",
    "positions": "Positions: where a word stands",
    "layernorm": "Layer norm and residuals: what lets a stack grow deep",
    "encoder": "The encoder: look, then think",
    "decoder": "The decoder: write without looking ahead",
    "transformer": "The Transformer: nothing but attention",
    "training": "Training the Transformer: how sure, how fast, how much at once",
    "gpt": "GPT: a decoder-only Transformer",
    "bert": "BERT: an encoder-only Transformer",
    "rotary": "Relative positions: how far, and not where",
    "grouped": "Keys and values: kept, shared, and read in blocks",
    "modern": "Llama: the Transformer of today, part by part",
    "moe": "Mixture of experts: more parameters, the same work",
}
# chapters: end
"""The ideas in the order of history: what `lookback` offers of each, and its title."""

assert __doc__
__doc__ = __doc__.replace(
    "{chapters}", "\n".join(f"{name:14} {title}" for name, title in TITLES.items())
)

MODULE_OF = {name: chapter for chapter, names in CHAPTERS.items() for name in names}
"""Where the names are that `lookback` offers: the machine of each chapter, and more."""
MODULE_OF |= {"pretrained": "trainer.checkpoint", "results": "trainer.study"}

__all__ = ["CHAPTERS", *MODULE_OF]


def __getattr__(name: str) -> Any:
    if name in CHAPTERS:
        return import_module(f"lookback.{name}")
    if name in MODULE_OF:
        return getattr(import_module(f"lookback.{MODULE_OF[name]}"), name)
    if name == "__version__":
        return version("lookback-attention")
    raise AttributeError(f"module 'lookback' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *CHAPTERS, *__all__})
