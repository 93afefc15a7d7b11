"""word2vec: word vectors from any text, learnt by telling neighbours from noise.

A word has two vectors, v as the word in the middle and u as a word around it; u · v
scores how well two words go together. Skip-gram predicts the words around a word, CBOW
a word from those around it. A softmax over all V words would be the likelihood;
negative sampling scores k + 1 of them instead. Mikolov, Chen, Corrado and Dean
2013 (2013a here); Mikolov, Sutskever, Chen, Corrado and Dean 2013 (2013b).
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, embedding, logsigmoid

from lookback.checks import above, at_least, between, ids, may_attend, shapes, whole
from lookback.nplm import row_of, unit_vectors

__all__ = [
    "CBOW",
    "SkipGram",
    "WordVectors",
    "analogy",
    "keep_probability",
    "negative_sampling_loss",
    "noise_distribution",
    "running_text",
    "sentence_pairs",
    "softmax_loss",
    "windows",
]


class WordVectors(nn.Module):
    """Two vectors of m numbers for each of V words.

    v  (V, m)  the word as input, uniform between ± 1 / 2m at first; the result
    u  (V, m)  the word as output, 0 at first: so the first loss is known beforehand
    """

    def __init__(self, V: int, m: int) -> None:
        super().__init__()
        whole(V=V, m=m)
        self.v = nn.Parameter((torch.rand(V, m) - 0.5) / m)
        self.u = nn.Parameter(torch.zeros(V, m))

    def scores(self, hidden: Tensor, words: Tensor | None) -> Tensor:
        """u · h for the words of each row; for all V words if words is None.

        hidden  (B, m)
        words   (B, K)  ids
        →  (B, K), or (B, V)
        """
        if words is None:
            return hidden @ self.u.T
        ids(len(self.u), words=words)
        u = embedding(words, self.u)  # (B, K, m)
        return (u * hidden.unsqueeze(1)).sum(dim=2)  # bmm's gradient is slow


class SkipGram(WordVectors):
    """P(o | c) = exp(u_o · v_c) / Σ_w exp(u_w · v_c).   Mikolov et al. 2013b, eq. 2.

    >>> model = SkipGram(V=5, m=3)
    >>> scores = model(torch.tensor([2]), torch.tensor([[1, 0, 4]]))
    >>> round(negative_sampling_loss(scores).item(), 3)  # 3 log 2, for u is still 0
    2.079
    """

    def forward(self, centre: Tensor, words: Tensor | None = None) -> Tensor:
        """u_o · v_c, how well each word o goes with the centre c.

        centre  (B,)    ids of the words in the middle
        words   (B, K)  ids of the words to score; None scores all
        →  (B, K), or (B, V)
        """
        shapes(centre=(centre, "B"), words=(words, "B K"))
        ids(len(self.v), centre=centre)
        return self.scores(embedding(centre, self.v), words)


class CBOW(WordVectors):
    """P(c | o_1 … o_C) ∝ exp(u_c · h), h = mean of v_o.   Mikolov et al. 2013a, 3.1.

    >>> model = CBOW(V=5, m=3)
    >>> around, mask = torch.tensor([[1, 3, 0]]), torch.tensor([[True, True, False]])
    >>> model(around, mask).shape  # a score for each word in the middle of 1 and 3
    torch.Size([1, 5])
    """

    def forward(
        self, around: Tensor, mask: Tensor, words: Tensor | None = None
    ) -> Tensor:
        """u_c · h, how well each word c goes into the middle.

        around  (B, C)  ids of the words around, in any order
        mask    (B, C)  bool, True on words and False on padding
        words   (B, K)  ids of the words to score; None scores all
        →  (B, K), or (B, V)
        """
        shapes(around=(around, "B C"), mask=(mask, "B C"), words=(words, "B K"))
        ids(len(self.v), around=around)
        may_attend(mask, around)
        v = embedding(around, self.v) * mask.unsqueeze(2)  # (B, C, m), 0 on padding
        h = v.sum(dim=1) / mask.sum(dim=1, keepdim=True)  # the mean of the words
        return self.scores(h, words)


def softmax_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """-log P(target), the softmax being over all V words.

    It is log V as long as all scores are equal.

    scores   (B, V)
    targets  (B,)    ids of the words that occur there
    →  (B,)
    """
    shapes(scores=(scores, "B V"), targets=(targets, "B"))
    ids(scores.size(1), targets=targets)
    return cross_entropy(scores, targets, reduction="none")


def negative_sampling_loss(scores: Tensor) -> Tensor:
    """-log σ(s_0) - Σ_{i=1..k} log σ(-s_i).   Mikolov et al. 2013b, equation 4.

    scores  (B, 1 + k)  first that of the word that occurs there, then of k words drawn
                        from the noise distribution
    →  (B,), which is (k + 1) log 2 as long as all scores are 0
    """
    shapes(scores=(scores, "B n"), noise=(scores[:, 1:], "B k"))
    true, noise = scores[:, 0], scores[:, 1:]
    return -logsigmoid(true) - logsigmoid(-noise).sum(dim=1)  # (4)


def noise_distribution(counts: Tensor, power: float = 0.75) -> Tensor:
    """P_n(w) ∝ count(w)^0.75, which draws negative samples.   Mikolov et al. 2013b.

    counts  (V,)  how often the text holds each word
    →  (V,), sums to 1
    """
    _check_counts(counts)
    raised = (1.0 * counts) ** power * (counts > 0)  # 0 ** 0 would be 1
    return raised / raised.sum()


def keep_probability(counts: Tensor, t: float = 1e-5) -> Tensor:
    """min(1, √(t / f)), f the word's share of the text: 1 less equation 5 of 2013b.

    Equation 5 of Mikolov et al. 2013b is the probability to leave the word out.

    counts  (V,)  how often the text holds each word
    t       words with a share above t are thinned out
    →  (V,)
    """
    above(0, t=t)
    _check_counts(counts)
    f = counts / counts.sum()
    return (t / f).sqrt().clamp(max=1.0)  # a word that never occurs: √inf → 1


def _check_counts(counts: Tensor) -> None:
    shapes(counts=(counts, "V"))
    at_least(0, counts=counts)
    above(0, sum_of_counts=counts.sum())


def sentence_pairs(
    ids: Sequence[int], window: int, *, generator: torch.Generator
) -> list[tuple[int, int]]:
    """Each word of a sentence with each word of its window: (centre, word near it).

    A window reaches R words to either side, R being drawn anew for each word from
    1 … window: near words come up more often than far ones.   Mikolov et al. 2013a,
    section 3.2. The plain form of `windows`, for one sentence.
    """
    whole(window=window)
    pairs = []
    for t, centre in enumerate(ids):
        R = int(torch.randint(1, window + 1, (), generator=generator))
        near = [*ids[max(0, t - R) : t], *ids[t + 1 : t + 1 + R]]
        pairs += [(centre, o) for o in near]
    return pairs


def running_text(sentences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """The sentences one after the other: ids (N,), and each word's sentence (N,)."""
    lengths = torch.tensor([len(sentence) for sentence in sentences], dtype=torch.long)
    ids = torch.tensor([i for s in sentences for i in s], dtype=torch.long)
    return ids, torch.arange(len(lengths)).repeat_interleave(lengths)


def windows(
    ids: Tensor, sentence: Tensor, window: int, *, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """The words around each word of a text, up to R to either side, in its sentence.

    R is drawn anew for each word, as in `sentence_pairs`; here for all words at once.

    ids       (N,)  a text, word after word
    sentence  (N,)  the number of the sentence that each word belongs to
    →  around (N, 2 window) ids; mask (N, 2 window), bool, True on words of the window
    """
    whole(window=window)
    shapes(ids=(ids, "N"), sentence=(sentence, "N"))
    N = len(ids)
    steps = torch.cat([torch.arange(-window, 0), torch.arange(1, window + 1)])
    R = torch.randint(1, window + 1, (N, 1), generator=generator)
    position = torch.arange(N).unsqueeze(1) + steps  # (N, 2 window)
    inside = (position >= 0) & (position < N) & (steps.abs() <= R)
    position = position.clamp(0, N - 1)
    return ids[position], inside & (sentence[position] == sentence.unsqueeze(1))


def analogy(
    a: str, b: str, c: str, words: Sequence[str], vectors: Tensor, k: int = 5
) -> list[tuple[str, float]]:
    """a is to b as c is to what? The k words nearest to b - a + c, with cosines.

    All vectors are taken at length 1; a, b and c cannot be the answer.
    Mikolov, Yih and Zweig 2013.

    words    V different words; row i of `vectors` belongs to words[i]
    vectors  (V, m), none of them 0
    """
    rows, unit = unit_vectors(words, vectors)
    i, j, n = (row_of(word, rows) for word in (a, b, c))
    between(1, len(words) - len({i, j, n}), k=k)
    goal = unit[j] - unit[i] + unit[n]
    cosine = unit @ (goal / goal.norm())
    cosine[[i, j, n]] = -math.inf
    best = cosine.topk(k)
    return [(words[int(row)], float(x)) for x, row in zip(*best, strict=True)]
