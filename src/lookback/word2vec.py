"""word2vec: word vectors from any text, learnt by telling neighbours from noise.

A word has two vectors, v where it is looked from and u where it is looked at; u · v
scores how well two words go together. Skip-gram predicts the words around a word, CBOW
a word from those around it. A softmax over all V words would be the likelihood;
negative sampling asks about k + 1 of them instead. Mikolov, Chen, Corrado and Dean
2013 (2013a here); Mikolov, Sutskever, Chen, Corrado and Dean 2013 (2013b).
"""

import difflib
import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, embedding, logsigmoid


class WordVectors(nn.Module):
    """Two vectors of m numbers for each of V words.

    v  (V, m)  the word as input, uniform between ± 1 / 2m at first; what is kept
    u  (V, m)  the word as output, 0 at first: so the first loss can be told beforehand
    """

    def __init__(self, V: int, m: int) -> None:
        super().__init__()
        for name, value in (("V", V), ("m", m)):
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be a whole number ≥ 1, got {value!r}")
        self.v = nn.Parameter((torch.rand(V, m) - 0.5) / m)
        self.u = nn.Parameter(torch.zeros(V, m))

    def scores(self, hidden: Tensor, words: Tensor | None) -> Tensor:
        """u · h for the words asked about; for all of them if words is None.

        hidden  (B, m)
        words   (B, K)  ids, each row's own
        →  (B, K), or (B, V)
        """
        if words is None:
            return hidden @ self.u.T
        if words.ndim != 2 or len(words) != len(hidden):
            raise ValueError(
                f"expected words ({len(hidden)}, K), a row for each of the batch, got "
                f"{tuple(words.shape)}"
            )
        u = self.checked(words, self.u)  # (B, K, m)
        return (u * hidden.unsqueeze(1)).sum(dim=2)  # bmm's gradient is slow

    def checked(self, ids: Tensor, vectors: Tensor) -> Tensor:
        """The vectors of ids; `ValueError` where there is no such word."""
        if ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < len(vectors):
            raise ValueError(
                f"ids must be from 0 to {len(vectors) - 1}, got {int(ids.min())} to "
                f"{int(ids.max())}"
            )
        return embedding(ids, vectors)


class SkipGram(WordVectors):
    """P(o | c) = exp(u_o · v_c) / Σ_w exp(u_w · v_c).   Mikolov et al. 2013b, eq. 2."""

    def forward(self, centre: Tensor, words: Tensor | None = None) -> Tensor:
        """How well words go with the word in the middle: their scores.

        centre  (B,)    ids of the words in the middle
        words   (B, K)  ids of the words asked about; None asks about all
        →  (B, K), or (B, V)
        """
        if centre.ndim != 1:
            raise ValueError(f"expected centre (B,), got {tuple(centre.shape)}")
        return self.scores(self.checked(centre, self.v), words)


class CBOW(WordVectors):
    """Like skip-gram the other way round: the mean of v around scores the middle."""

    def forward(
        self, around: Tensor, mask: Tensor, words: Tensor | None = None
    ) -> Tensor:
        """How well words go into the middle: their scores.

        around  (B, C)  ids of the words around, in any order
        mask    (B, C)  bool, True where a word stands
        words   (B, K)  ids of the words asked about; None asks about all
        →  (B, K), or (B, V)
        """
        if around.ndim != 2 or around.shape != mask.shape:
            raise ValueError(
                f"expected around and mask (B, C), got {tuple(around.shape)} and "
                f"{tuple(mask.shape)}"
            )
        n = mask.sum(dim=1, keepdim=True)
        if not bool((n > 0).all()):
            raise ValueError(f"row {int((n == 0).int().argmax())} has no word around")
        v = self.checked(around, self.v) * mask.unsqueeze(2)  # (B, C, m)
        return self.scores(v.sum(dim=1) / n, words)


def softmax_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """-log P(target), the softmax being over all V words.

    It is log V as long as all scores are equal.

    scores   (B, V)
    targets  (B,)    ids of the words that stood there
    →  (B,)
    """
    if scores.ndim != 2 or targets.shape != scores.shape[:1]:
        raise ValueError(
            f"expected scores (B, V) and targets (B,), got {tuple(scores.shape)} and "
            f"{tuple(targets.shape)}"
        )
    return cross_entropy(scores, targets, reduction="none")


def negative_sampling_loss(scores: Tensor) -> Tensor:
    """-log σ(s_0) - Σ_{i=1..k} log σ(-s_i).   Mikolov et al. 2013b, equation 4.

    scores  (B, 1 + k)  first that of the word that stood there, then of k words drawn
                        from the noise distribution
    →  (B,), which is (k + 1) log 2 as long as all scores are 0
    """
    if scores.ndim != 2 or scores.size(1) < 2:
        raise ValueError(
            f"expected scores (B, 1 + k), k ≥ 1, got {tuple(scores.shape)}"
        )
    return -logsigmoid(scores[:, 0]) - logsigmoid(-scores[:, 1:]).sum(dim=1)


def noise_distribution(counts: Tensor, power: float = 0.75) -> Tensor:
    """P_n(w) ∝ count(w)^0.75, from which negative words come.   Mikolov et al. 2013b.

    counts  (V,)  how often the text holds each word
    →  (V,), sums to 1
    """
    raised = checked_counts(counts) ** power * (counts > 0)  # 0 ** 0 would be 1
    return raised / raised.sum()


def keep_probability(counts: Tensor, t: float = 1e-5) -> Tensor:
    """min(1, √(t / f)), f being the word's share of the text.   Mikolov et al. 2013b.

    The paper's equation 5 is 1 less this, the probability to discard the word.

    counts  (V,)  how often the text holds each word
    t       words with a share above t are thinned out
    →  (V,)
    """
    if not 0 < t < math.inf:
        raise ValueError(f"t must be a number above 0, got {t!r}")
    share = checked_counts(counts) / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)  # a word that is never there: √inf → 1


def checked_counts(counts: Tensor) -> Tensor:
    """The counts as floats; `ValueError` where they are none."""
    if counts.ndim != 1 or not bool((counts >= 0).all()) or not counts.sum() > 0:
        raise ValueError(
            f"counts must be (V,) numbers ≥ 0, not all 0, got {tuple(counts.shape)}: "
            f"{counts.flatten()[:5].tolist()} …"
        )
    return counts.float()


def running_text(sentences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """The sentences one behind the other: ids (N,), and (N,) whose sentence it is."""
    lengths = torch.tensor([len(sentence) for sentence in sentences], dtype=torch.long)
    ids = torch.tensor([i for s in sentences for i in s], dtype=torch.long)
    return ids, torch.arange(len(lengths)).repeat_interleave(lengths)


def windows(
    ids: Tensor, sentence: Tensor, window: int, *, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """The words around each word, up to R before and R behind, in its own sentence.

    R is drawn anew for each word, 1 … window: near words come up more often than far
    ones.   Mikolov et al. 2013a, section 3.2.

    ids       (N,)  a text, word after word
    sentence  (N,)  the number of the sentence that each word stands in
    →  around (N, 2 window) ids; mask (N, 2 window), bool, True where a word stands
    """
    if type(window) is not int or window < 1:
        raise ValueError(f"window must be a whole number ≥ 1, got {window!r}")
    if ids.ndim != 1 or ids.shape != sentence.shape or not len(ids):
        raise ValueError(
            "ids and sentence must be (N,), N ≥ 1, got "
            f"{tuple(ids.shape)} and {tuple(sentence.shape)}"
        )
    N = len(ids)
    steps = torch.cat([torch.arange(-window, 0), torch.arange(1, window + 1)])
    R = torch.randint(1, window + 1, (N, 1), generator=generator)
    place = torch.arange(N).unsqueeze(1) + steps  # (N, 2 window)
    inside = (place >= 0) & (place < N) & (steps.abs() <= R)
    place = place.clamp(0, N - 1)
    return ids[place], inside & (sentence[place] == sentence.unsqueeze(1))


def window_pairs(
    ids: Tensor, sentence: Tensor, window: int, *, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Each word with each word of its window: centres (P,), the words around (P,)."""
    around, mask = windows(ids, sentence, window, generator=generator)
    return ids.unsqueeze(1).expand_as(around)[mask], around[mask]


def analogy(
    a: str, b: str, c: str, words: Sequence[str], vectors: Tensor, k: int = 5
) -> list[tuple[str, float]]:
    """a is to b as c is to what? The k words nearest to b - a + c, and their cosines.

    All vectors are taken at length 1; a, b and c cannot be the answer.
    Mikolov, Yih and Zweig 2013; a word that has no vector is named in a `ValueError`.

    words    V different words; row i of `vectors` belongs to words[i]
    vectors  (V, m), none of them 0
    """
    place = {word: row for row, word in enumerate(words)}
    if vectors.ndim != 2 or not len(place) == len(words) == len(vectors):
        raise ValueError(
            "each word, once, needs a row of vectors: got "
            f"{len(words)} words, {len(place)} different, and {tuple(vectors.shape)}"
        )
    for word in (a, b, c):
        if word not in place:
            near = difflib.get_close_matches(word, words, n=1, cutoff=0)
            raise ValueError(
                f"{word!r} has no vector; the nearest spelling is {near[0]!r}"
            )
    asked = [place[word] for word in (a, b, c)]
    if type(k) is not int or not 1 <= k <= len(words) - len({*asked}):
        raise ValueError(f"k must be from 1 to the number of other words, got {k!r}")
    length = vectors.detach().norm(dim=1, keepdim=True)
    if not bool((length > 0).all()):
        raise ValueError(f"a vector of 0 points nowhere: {words[int(length.argmin())]}")
    unit = vectors.detach() / length
    goal = unit[asked[1]] - unit[asked[0]] + unit[asked[2]]
    cosine = unit @ (goal / goal.norm())
    cosine[asked] = -math.inf
    best = cosine.topk(k)
    return [(words[int(row)], float(x)) for x, row in zip(*best, strict=True)]


def principal_components(vectors: Tensor, k: int = 2) -> tuple[Tensor, Tensor]:
    """The k directions in which rows (V, m) differ most.   Pearson 1901.

    →  where each row lies along them (V, k); (k,) what share of all variance that is.
    A direction and its opposite are the same: the largest number of each is positive.
    """
    if vectors.ndim != 2 or not 1 <= k <= min(vectors.shape):
        raise ValueError(
            f"expected vectors (V, m) and k up to V and m, got {tuple(vectors.shape)} "
            f"and k = {k!r}"
        )
    centred = vectors.detach() - vectors.detach().mean(dim=0)
    U, S, _ = torch.linalg.svd(centred, full_matrices=False)  # (V, r), (r,)
    points = U[:, :k] * S[:k]
    sign = points.gather(0, points.abs().argmax(dim=0, keepdim=True)).sign()  # (1, k)
    return points * sign, (S**2 / (S**2).sum())[:k]
