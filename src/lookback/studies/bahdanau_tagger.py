"""The bidirectional encoder of RNNsearch as a tagger: does the whole sentence help?

The annotation of a word knows all words on either side of it, a window only its
neighbours. The columns of the words, the batches and the training are those of the
window tagger, so that nothing but the network between vectors and tags differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lookback.lstm import GRUCell
from lookback.recurrent import hidden, unroll
from lookback.studies import window
from lookback.studies.features import ewt, grammar_text
from lookback.window import PADDING, WindowConfig, WindowTagger
from lookback.workshop import Row, Study, case, each

SEEDS = (0, 1, 2)


class AnnotationTagger(WindowTagger):
    """f_j = M_2 tanh(M_1 [→h_j ; ←h_j] + b_1) + b_2, of annotations of two GRUs.

    n  of a state of either direction; the sizes of the vectors are the window's
    """

    def __init__(
        self, config: WindowConfig, sizes: Sequence[int], C: int, *, n: int
    ) -> None:
        super().__init__(config, sizes, C)
        width = config.d + sum(config.more)
        self.forwards, self.backwards = GRUCell(width, n), GRUCell(width, n)
        self.M_1 = nn.Linear(2 * n, config.h)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, K) → f (B, T, C), the score of each tag of each word."""
        mask = x[..., 0] != PADDING
        vectors = self.look_up(x)
        ahead = hidden(unroll(self.forwards, vectors))
        back = hidden(unroll(self.backwards, vectors.flip(1), mask.flip(1))).flip(1)
        annotations = torch.cat([ahead, back], dim=-1)  # (B, T, 2 n)
        scores: Tensor = self.M_2(torch.tanh(self.M_1(annotations)))
        return scores


@dataclass(frozen=True)
class BiGRU(window.Window):
    """How it is trained: as the window is, with its level and its columns.

    n  of a state of either direction
    """

    level: str = "word"
    n: int = 64

    def network(
        self, config: WindowConfig, sizes: Sequence[int], C: int
    ) -> AnnotationTagger:
        """The network, its weights drawn from the global generator."""
        return AnnotationTagger(config, sizes, C, n=self.n)


def measured(tagger: BiGRU) -> Row:
    """Accuracy on validation and test of English EWT, as for a window."""
    return window.scores(tagger, ewt())


TAGGERS = {"BiGRU": BiGRU()}
"""What the running table of taggers lists of this chapter, by its seed 0."""
SETTINGS = {
    "n 32": {"n": 32},
    "n 64": {},
    "n 64, sentence level": {"level": "sentence"},
}


def on_grammar(tagger: BiGRU, pairs: int) -> Row:
    """The same of the tags of our own grammar."""
    return window.scores(tagger, grammar_text(pairs))


STUDY = Study(
    about="the bidirectional encoder as a tagger of English EWT: its width, its level",
    cases=each(
        measured,
        tagger={
            f"{name}, seed {seed}": BiGRU(**settings, seed=seed)  # type: ignore[arg-type]
            for name, settings in SETTINGS.items()
            for seed in SEEDS
        },
    ),
    check=case(on_grammar, tagger=BiGRU(n=8, epochs=1, seed=0), pairs=200),
)
