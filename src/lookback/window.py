"""A window of word vectors: tagging without hand-made templates.

Each word is looked up in a table of vectors, and so are its last letters and its
capitals. The vectors of a word and of its neighbours are concatenated and go through a
small network that scores every tag. A second table, A, has a score for each transition
from one tag to the next. A whole sequence of tags scores the sum of both. Collobert and
Weston 2008, Collobert et al. 2011. Equations are numbered as in the chapter.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, hardtanh

from lookback.checks import ids as check_ids
from lookback.checks import may_attend, one_of, padded, shapes, share, whole

__all__ = [
    "COLUMNS",
    "PADDING",
    "UNKNOWN",
    "Lookup",
    "SentenceLevelLikelihood",
    "WindowConfig",
    "WindowTagger",
    "capitals",
    "word_level_loss",
]

PADDING, UNKNOWN = 0, 1
"""Ids in every table: padding, and a value that does not occur in training."""


def capitals(word: str) -> str:
    """Which letters are capitals: "none", "first", "all" or "some"."""
    if not any(c.isupper() for c in word):
        return "none"
    if word.isupper() and len(word) > 1:
        return "all"
    return "first" if word[0].isupper() and word[1:] == word[1:].lower() else "some"


COLUMNS: dict[str, Callable[[str], str]] = {
    "word": str.lower,
    "suffix 2": lambda word: word.lower()[-2:],
    "suffix 3": lambda word: word.lower()[-3:],
    "capitals": capitals,
}
"""Name → what is looked up of a word."""


class Lookup:
    """Words → ids, in one column for each table.

    sentences  the training text: every value that occurs there gets an id
    columns    names of COLUMNS, "word" first
    tables     for each column, value → id; 0 is padding, 1 every other value
    rare       (V,) bool: the words that occur once in the training text
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        columns: Sequence[str] = tuple(COLUMNS),
    ) -> None:
        for name in columns:
            one_of(COLUMNS, column=name)
        if not columns or columns[0] != "word":
            raise ValueError(f"the first column must be 'word', got {list(columns)}")
        self.columns = tuple(columns)
        counts = [
            Counter(COLUMNS[name](w) for words in sentences for w in words)
            for name in columns
        ]
        self.tables = [{value: n for n, value in enumerate(c, 2)} for c in counts]
        once = [count == 1 for count in counts[0].values()]
        self.rare = torch.tensor([False, False, *once])

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many ids each column has."""
        return tuple(len(table) + 2 for table in self.tables)

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """(B, T, K): the ids of B sentences; shorter ones are padded at their end."""
        if not sentences or not all(sentences):
            raise ValueError("a sentence is empty: expected one word or more in each")
        T = max(map(len, sentences))
        x = torch.zeros(len(sentences), T, len(self.columns), dtype=torch.long)
        columns = [*zip(self.columns, self.tables, strict=True)]
        for row, words in zip(x, sentences, strict=True):
            for k, (name, table) in enumerate(columns):
                ids = [table.get(COLUMNS[name](word), UNKNOWN) for word in words]
                row[: len(words), k] = torch.tensor(ids)
        return x

    def word_dropout(self, x: Tensor, p: float, generator: torch.Generator) -> Tensor:
        """x in which each rare word becomes unknown with probability p.

        So the vector of the unknown word is trained, too.
        """
        share(p=p)
        gone = torch.rand(x.shape[:2], generator=generator) < p
        word = torch.where(gone & self.rare[x[..., 0]], UNKNOWN, x[..., 0])
        return torch.cat([word.unsqueeze(-1), x[..., 1:]], dim=-1)


@dataclass(frozen=True)
class WindowConfig:
    """The sizes of a tagger.

    window  d_win, how many words it reads; the tagged word is in the middle
    d       numbers in the vector of a word
    more    numbers in a vector of each other column, in the order of the columns
    h       hidden units
    """

    window: int = 5
    d: int = 64
    more: tuple[int, ...] = (10, 20, 5)
    h: int = 150

    def __post_init__(self) -> None:
        whole(window=self.window, d=self.d, h=self.h)
        for n in self.more:
            whole(more=n)
        if self.window % 2 == 0:
            raise ValueError(f"window must be odd, got {self.window}")


class WindowTagger(nn.Module):
    """f = M_2 hardtanh(M_1 [vectors of the window] + b_1) + b_2.

    sizes  how many ids each column has;  C  how many tags there are

    >>> model = WindowTagger(WindowConfig(3, 4, (2,), 5), sizes=(10, 6), C=3)
    >>> model(torch.ones(2, 7, 2, dtype=torch.long)).shape  # sentences of 7 words
    torch.Size([2, 7, 3])
    """

    def __init__(self, config: WindowConfig, sizes: Sequence[int], C: int) -> None:
        super().__init__()
        whole(2, C=C)
        widths = (config.d, *config.more)
        if len(sizes) != len(widths):
            raise ValueError(f"{len(sizes)} columns for vectors of {widths}: one each")
        self.config, self.sizes = config, tuple(sizes)
        self.tables = nn.ModuleList(
            nn.Embedding(V, d) for V, d in zip(sizes, widths, strict=True)
        )
        for table in self.tables:
            nn.init.normal_(table.weight, std=0.1)  # type: ignore[arg-type]
        self.M_1 = nn.Linear(config.window * sum(widths), config.h)
        self.M_2 = nn.Linear(config.h, C)

    def look_up(self, x: Tensor) -> Tensor:
        """(…, K) → (…, Σ d): the vectors of a word, concatenated."""
        vectors = [table(x[..., k]) for k, table in enumerate(self.tables)]
        return torch.cat(vectors, dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, K) → f (B, T, C), the score of each tag of each word."""
        shapes(x=(x, f"B T {len(self.sizes)}"))
        for k, V in enumerate(self.sizes):
            check_ids(V, x=x[..., k])
        half = self.config.window // 2
        B, T, K = x.shape
        edge = x.new_full((B, half, K), PADDING)
        vectors = self.look_up(torch.cat([edge, x, edge], dim=1))  # (B, T+2·half, Σ d)
        window = [vectors[:, k : k + T] for k in range(self.config.window)]
        hidden = hardtanh(self.M_1(torch.cat(window, dim=-1)))  # (1), (B, T, h)
        return self.M_2(hidden)  # type: ignore[no-any-return]  # (2)


def word_level_loss(f: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
    """Mean of -ln P(tag): each word by itself, P being the softmax of its scores.

    f (B, T, C), tags (B, T), mask (B, T), True on words
    """
    shapes(f=(f, "B T C"), tags=(tags, "B T"), mask=(mask, "B T"))
    check_ids(f.size(-1), tags=tags[mask])
    return cross_entropy(f[mask], tags[mask])


class SentenceLevelLikelihood(nn.Module):
    """s(tags) = Σ_t (A_{tag before, tag} + f_t,tag).   Collobert et al. 2011.

    ln P(tags) is the score s of the tags, less the logarithm of the sum over all paths.

    A      (C, C)  the score of each transition: row, the tag before; column, the next
    start  (C,)    the score of each tag as the first of a sentence

    >>> whole = SentenceLevelLikelihood(C=2)
    >>> f, mask = torch.tensor([[[2.0, 0.0], [0.0, 1.0]]]), torch.ones(1, 2) > 0
    >>> whole.viterbi(f, mask)
    [[0, 1]]
    """

    def __init__(self, C: int) -> None:
        super().__init__()
        whole(2, C=C)
        self.A = nn.Parameter(torch.zeros(C, C))
        self.start = nn.Parameter(torch.zeros(C))

    def score(self, f: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """(B,): s of the given tags, (4)."""
        _check_path(len(self.start), f, mask, tags)
        tags = tags.masked_fill(~mask, 0)
        words = f.gather(2, tags.unsqueeze(-1)).squeeze(-1)  # (B, T)
        steps = self.A[tags[:, :-1], tags[:, 1:]]  # (B, T-1)
        # Not a product with the mask: a transition that A forbids may be -∞.
        words, steps = words.where(mask, 0), steps.where(mask[:, 1:], 0)
        return words.sum(dim=1) + steps.sum(dim=1) + self.start[tags[:, 0]]

    def log_partition(self, f: Tensor, mask: Tensor) -> Tensor:
        """(B,): ln Σ e^s over all C^T paths, word by word: the forward recursion."""
        _check_path(len(self.start), f, mask)
        delta = self.start + f[:, 0]  # (B, C), over the paths that end in a tag
        for t in range(1, f.size(1)):
            longer = f[:, t] + (delta.unsqueeze(2) + self.A).logsumexp(dim=1)  # (6)
            delta = torch.where(mask[:, t, None], longer, delta)
        return delta.logsumexp(dim=1)

    def loss(self, f: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """-ln P(tags) a word."""
        ln_P = self.score(f, tags, mask) - self.log_partition(f, mask)  # (5)
        return -ln_P.sum() / mask.sum()

    def viterbi(self, f: Tensor, mask: Tensor) -> list[list[int]]:
        """The path with the largest s, for each sentence: (6) with a maximum."""
        _check_path(len(self.start), f, mask)
        delta, back = self.start + f[:, 0], []
        for t in range(1, f.size(1)):
            best, before = (delta.unsqueeze(2) + self.A).max(dim=1)  # (B, C)
            delta = torch.where(mask[:, t, None], best + f[:, t], delta)
            back.append(before)
        path = [delta.argmax(dim=1, keepdim=True)]  # (B, 1), the last tag
        for t in range(f.size(1) - 1, 0, -1):
            before = back[t - 1].gather(1, path[-1])
            path.append(torch.where(mask[:, t, None], before, path[-1]))
        paths = torch.cat(path[::-1], dim=1)  # (B, T)
        return [tags[real].tolist() for tags, real in zip(paths, mask, strict=True)]


def _check_path(C: int, f: Tensor, mask: Tensor, tags: Tensor | None = None) -> None:
    shapes(f=(f, f"B T {C}"), mask=(mask, "B T"), tags=(tags, "B T"))
    may_attend(mask, f[..., 0])
    padded(mask)
    if tags is not None:
        check_ids(C, tags=tags[mask])
