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
    "ngram": (
        "N-grams: predict the next word",
        ["NgramModel"],
    ),
    "rules": (
        "Rules: a translator written by hand",
        ["RuleTranslator", "read_dictionary"],
    ),
    "features": (
        "Hand-made features: Naive Bayes and the linear SVM",
        ["NaiveBayes", "LinearSVM", "FeatureTagger"],
    ),
    "hmm": (
        "Hidden Markov models: tags that nobody sees",
        ["HiddenMarkovModel", "SuffixModel"],
    ),
    "pcfg": (
        "Grammars with probabilities: trees that nobody sees",
        ["PCFG"],
    ),
    "ibm1": (
        "Alignment: which word comes from which",
        ["IBMModel1"],
    ),
    "hmm_alignment": (
        "Alignment by jumps: the next word is near the last",
        ["HMMAlignment"],
    ),
    "phrases": (
        "Phrases: what is translated as one piece",
        ["PhraseTable", "symmetrise", "extract_phrases"],
    ),
    "stack_decoder": (
        "The stack decoder: statistical translation, whole",
        ["StackDecoder"],
    ),
    "nplm": (
        "NPLM: a word is a place, not a key",
        ["NPLM"],
    ),
    "word2vec": (
        "word2vec: vectors from any text",
        ["SkipGram", "CBOW"],
    ),
    "glove": (
        "GloVe: vectors from counts",
        ["GloVe"],
    ),
    "window": (
        "A window of vectors: tagging almost from scratch",
        ["WindowTagger", "SentenceLevelLikelihood", "Lookup"],
    ),
    "recursive": (
        "Recursive networks: a sentence along its tree",
        ["RecursiveNetwork", "TreeLSTM", "GreedyParser"],
    ),
    "recurrent": (
        "Recurrence: a memory that is carried along",
        ["RecurrentLM"],
    ),
    "lstm": (
        "LSTM and GRU: gates",
        ["LSTMCell", "GRUCell"],
    ),
    "encdec": (
        "Encoder–decoder: a sentence as one vector",
        ["RNNEncoderDecoder"],
    ),
    "seq2seq": (
        "Deep LSTMs: one vector, read backwards",
        ["Seq2Seq"],
    ),
    "decoding": (
        "Decoding: search for a likely sentence",
        ["beam_search", "greedy"],
    ),
    "bahdanau": (
        "Attention: looking back while translating",
        ["AdditiveAttention", "RNNSearch"],
    ),
    "luong": (
        "Attention, made plainer: a product, a window, a reminder",
        ["LuongAttention", "LuongTranslator"],
    ),
    "attention": (
        "Attention alone: words look at each other",
        ["scaled_dot_product_attention", "causal_mask"],
    ),
    "multihead": (
        "Multi-head attention: several looks at once",
        ["MultiHeadAttention"],
    ),
    "bpe": (
        "Byte-pair encoding: which pieces of text get a vector",
        ["BPE"],
    ),
    "positions": (
        "Positions: where a word stands",
        ["SinusoidalPositions", "LearnedPositions"],
    ),
    "layernorm": (
        "Layer norm and residuals: what lets a stack grow deep",
        ["LayerNorm"],
    ),
    "encoder": (
        "The encoder: look, then think",
        ["Encoder", "EncoderLayer"],
    ),
    "decoder": (
        "The decoder: write without looking ahead",
        ["Decoder", "DecoderLayer"],
    ),
    "transformer": (
        "The Transformer: nothing but attention",
        ["Transformer"],
    ),
    "training": (
        "Training the Transformer: how sure, how fast, how much at once",
        ["label_smoothed_loss", "noam_rate"],
    ),
    "gpt": (
        "GPT: a decoder-only Transformer",
        ["GPT", "GPTConfig", "sample"],
    ),
    "bert": (
        "BERT: an encoder-only Transformer",
        ["BERT", "BERTConfig"],
    ),
    "rotary": (
        "Relative positions: how far, and not where",
        ["RotaryEmbedding", "alibi_slopes"],
    ),
    "grouped": (
        "Keys and values: kept, shared, and read in blocks",
        ["GroupedQueryAttention", "online_softmax_attention"],
    ),
    "modern": (
        "Llama: the Transformer of today, part by part",
        ["RMSNorm", "SwiGLU", "Llama"],
    ),
    "moe": (
        "Mixture of experts: more parameters, the same work",
        ["MixtureOfExperts", "balance_loss", "Mixtral"],
    ),
}
# chapters: end
"""The ideas in the order of history: title, and what `lookback` offers of each."""

assert __doc__
__doc__ = __doc__.replace(
    "{chapters}", "\n".join(f"{n:14} {title}" for n, (title, _) in CHAPTERS.items())
)

MODULE_OF = {name: n for n, (_, names) in CHAPTERS.items() for name in names}
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
