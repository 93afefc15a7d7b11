# %% [markdown]
# # Zipf's law and the growth of the vocabulary
#
# How much must we read before we have met the words of a language? The answer decides
# what counting can ever do, and it is discouraging: new words never stop coming. This
# lab measures how they come, on the text that the [n-gram chapter](../ngram.md) counts:
# the reference manual that every Python carries, each sentence of it once.
#
# A *token* is a word where it stands; a *type* is a word in the dictionary. Commas and
# full stops are tokens too, as they are for the chapter's models, and the one token
# `<code>` stands wherever the manual quotes a piece of program.

# %%
from collections import Counter

import numpy as np

from lookback.figures import Table, curves
from lookback.text.corpora import python_reference

corpus = python_reference(min_count=1)
tokens = [token for sentence in corpus.train for token in sentence]
counts = Counter(tokens).most_common()
frequency = np.array([count for _, count in counts])
rank = np.arange(1, len(counts) + 1)
print(corpus.version)
print(f"{len(tokens):,} tokens, {len(counts):,} types")

# %% [markdown]
# ## Few words do most of the work
#
# Sort the types by how often they occur and number them: that number is the *rank*
# $r$, and the count is the *frequency* $f(r)$. Zipf found that the two are tied, in
# texts of several languages ([@zipf1949]):
#
# $$ f(r) \approx \frac{C}{r^s}, \qquad s \approx 1 \tag{1} $$
#
# Predict before you look. If $s$ were exactly 1, the second word would occur half as
# often as the first, and the tenth a tenth as often.

# %%
Table(
    ["rank", "token", "count", "count if s = 1"],
    [
        [r, counts[r - 1][0], f"{frequency[r - 1]:,}", f"{frequency[0] / r:,.0f}"]
        for r in (1, 2, 3, 5, 10, 30, 100, 300, 1000)
    ],
    align="rlrr",
    caption="Counted and predicted from the first word alone",
)

# %% [markdown]
# One count foretells the size of the others, for ranks a thousand apart. The errors
# are not chance, though: in every row the text holds more than (1) says. We come back
# to that. First, the two ends of the list:

# %%
once = frequency == 1
print(f"ten most frequent types: {frequency[:10].sum() / len(tokens):.0%} of tokens")
print(f"types that occur once:   {once.mean():.0%} of types")
assert frequency[:10].sum() > len(tokens) / 5 and once.mean() > 1 / 3

# %% [markdown]
# A handful of types makes up more than a fifth of the text, and more than a third of
# the types give us a single example to learn from. Both follow from (1).
#
# ## Two ways to fit a line, two answers
#
# Take logarithms of (1): $\log f = \log C - s \log r$, a straight line whose slope is
# $-s$. So the usual way to find $s$ is **least squares** on the logarithms. It has a
# weakness, and we can see it: fit the line to other ranks, and the slope changes.


# %%
def least_squares(first, last):
    """Minus the slope of log frequency over log rank, for ranks first to last."""
    chosen = slice(first - 1, last)
    return -np.polyfit(np.log(rank[chosen]), np.log(frequency[chosen]), 1)[0]


ranges = [(1, 100), (10, 500), (10, 1000), (100, len(rank)), (1, len(rank))]
Table(
    ["ranks", "s, least squares"],
    [
        [f"{first}–{last:,}", f"{least_squares(first, last):.2f}"]
        for first, last in ranges
    ],
    align="lr",
    caption="The exponent depends on where we look",
)

# %% [markdown]
# Why? Least squares asks every *rank* with one voice. Most ranks belong to words seen
# once or twice, where the counts are a staircase, and nine ranks in ten lie in the last
# decade of the axis. So the rare words decide the slope.
#
# **Maximum likelihood** asks every *token* instead. Read (1) as a probability over the
# $V$ types, and choose the $s$ under which this text is most likely:
#
# $$ p_s(r) = \frac{r^{-s}}{\sum_{k=1}^{V} k^{-s}}, \qquad
#    \hat{s} = \arg\max_s \sum_{r=1}^{V} f(r) \log p_s(r) \tag{2} $$
#
# Set the derivative to zero, and (2) says something plain: at the best $s$ the mean of
# $\log r$ under the law equals its mean over the tokens. A larger $s$ moves weight to
# the front and lowers the law's mean, so halving an interval finds the answer.


# %%
def law(s, shift=0.0):
    """Probability of each rank, proportional to (rank + shift) to the power -s."""
    weight = (rank + shift) ** -s
    return weight / weight.sum()


def maximum_likelihood(shift=0.0):
    """The exponent under which the counted text is most likely."""
    log_rank = np.log(rank + shift)
    in_the_text = frequency @ log_rank / len(tokens)
    low, high = 0.1, 5.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        too_flat = law(middle, shift) @ log_rank > in_the_text
        low, high = (middle, high) if too_flat else (low, middle)
    return middle


def bits(p):
    """Bits that a token costs on average, if p is believed."""
    return -(frequency @ np.log2(p)) / len(tokens)


s = maximum_likelihood()
print(f"s = {s:.3f}")
assert bits(law(s)) < min(bits(law(s - 0.01)), bits(law(s + 0.01)))

# %% [markdown]
# Neither answer is wrong. They answer different questions, and they would agree if (1)
# were exact. That they do not is the finding: on logarithmic axes the counts bend.
#
# ## A better law
#
# Mandelbrot gave the law a second number, a shift $q$ that flattens the head:
#
# $$ p(r) \propto \frac{1}{(r + q)^s} \tag{3} $$
#
# We try shifts in steps of a tenth, fit $s$ by (2) for each, and keep the best pair. As
# a judge we use bits for each token. No description of single words can need fewer than
# the entropy of the counts themselves.

# %%
shifts = np.arange(0, 20, 0.1)
q = min(shifts, key=lambda shift: bits(law(maximum_likelihood(shift), shift)))
s_q = maximum_likelihood(q)
s_ls = least_squares(1, len(rank))
laws = {
    "Zipf, least squares": (law(s_ls), f"{s_ls:.2f}", "–"),
    "Zipf, maximum likelihood": (law(s), f"{s:.2f}", "–"),
    "Zipf–Mandelbrot": (law(s_q, q), f"{s_q:.2f}", f"{q:.1f}"),
    "the counts themselves": (frequency / len(tokens), "–", "–"),
}
Table(
    ["law", "s", "q", "bits a token"],
    [[name, s_of, q_of, f"{bits(p):.3f}"] for name, (p, s_of, q_of) in laws.items()],
    align="lrrr",
)

# %%
#| alt: Frequency against rank on logarithmic axes. The counts fall almost in a straight
#|   line over three decades, flatter at the first few ranks and ending in a staircase.
#|   The Zipf line lies above the counts at the first ranks and at the last ones; the
#|   Zipf–Mandelbrot curve follows them closely.
#| caption: The counts, and the two laws fitted by maximum likelihood.
fitted = ["Zipf, maximum likelihood", "Zipf–Mandelbrot"]
curves(
    rank,
    {"counted": frequency} | {name: laws[name][0] * len(tokens) for name in fitted},
    xlabel="rank r",
    ylabel="frequency f(r)",
    log="xy",
)

# %%
cost = [bits(p) for p, _, _ in laws.values()]
assert cost == sorted(cost, reverse=True)  # each law in the table beats the one above

# %% [markdown]
# ## The vocabulary does not close
#
# Read the text from its first page and note how many types you have met after $n$
# tokens. Heaps found that this number grows as a power of the length ([@heaps1978]):
#
# $$ V(n) = K n^{\beta}, \qquad 0 < \beta < 1 \tag{4} $$
#
# A law should predict. So we fit (4) by least squares to the first half of the text
# and ask it for the vocabulary of the whole.


# %%
def growth(tokens):
    """How many types the first n tokens hold, for n = 1, 2, …"""
    first = np.unique(tokens, return_index=True)[1]
    return np.cumsum(np.bincount(first, minlength=len(tokens)))


types = growth(tokens)
n = np.unique(np.geomspace(100, len(tokens), 80).astype(int))
half = n[(n >= 1000) & (n <= len(tokens) // 2)]
beta, log_K = np.polyfit(np.log(half), np.log(types[half - 1]), 1)
heaps = np.exp(log_K) * n**beta
print(f"beta = {beta:.2f}, K = {np.exp(log_K):.1f}")
print(f"types predicted: {heaps[-1]:,.0f}; counted: {types[-1]:,}")
assert abs(heaps[-1] / types[-1] - 1) < 0.15

# %%
#| alt: Types met against tokens read, on logarithmic axes. The counted curve rises
#|   along a nearly straight line and shows no sign of levelling off. Below the first
#|   thousand tokens the fitted line lies above it; from there on it runs on top of it,
#|   also over the second half of the text, which it did not see.
#| caption: The line was fitted to the first half of the text, from token 1,000 on.
curves(
    n,
    {"counted": types[n - 1], "Heaps' law": heaps},
    xlabel="tokens read n",
    ylabel="types met V(n)",
    log="xy",
)

# %% [markdown]
# ## What this does to counting
#
# How likely is the next word to be one we have never seen? Take one token out of the
# text and ask whether its type is still there. It is gone exactly if it occurred once.
# So the share of *tokens* that occur once is our prediction. Now the test: whole topics
# of the manual were held back, and their tokens are waiting.

# %%
seen = {token for token, _ in counts}
held_back = {
    name: np.mean([t not in seen for sentence in corpus.split(name) for t in sentence])
    for name in ("validation", "test")
}
print(f"predicted:  {once.sum() / len(tokens):.1%} of tokens are new")
for name, share in held_back.items():
    print(f"{name + ':':11} {share:.1%}")
assert min(held_back.values()) > once.sum() / len(tokens)

# %% [markdown]
# The prediction is too low, and that teaches something. It would hold for more text
# from the *same* pages. Another topic brings words of its own, in bursts. Any model
# that counts words meets this the day it leaves its training text.
#
# A model of word order is worse off, because it counts *sequences*:


# %%
def ngrams(sentences, order):
    """Every run of `order` tokens inside a sentence."""
    return [s[i : i + order] for s in sentences for i in range(len(s) - order + 1)]


rows, unseen = [], []
for order in (1, 2, 3, 4):
    known = Counter(ngrams(corpus.train, order))
    single = np.mean([count == 1 for count in known.values()])
    unseen.append(np.mean([g not in known for g in ngrams(corpus.validation, order)]))
    rows.append([order, f"{len(known):,}", f"{single:.0%}", f"{unseen[-1]:.0%}"])
assert unseen == sorted(unseen)
Table(
    ["order", "types", "types seen once", "unseen in validation"],
    rows,
    caption="Runs of words of each order, in the training text",
)

# %% [markdown]
# That last column is the question of the [n-gram chapter](../ngram.md). Longer contexts
# would predict better, but nearly every long context is new. A model that gives zero
# probability to what it never saw denies almost every sentence that it has yet to
# read. What should it say instead?
#
# ## Exercises

# %% [markdown] tags=["exercise"]
# **Exercise 1: the same counts twice.** We ranked the types by the very counts that we
# then fitted, and a rare type is in the list only because chance put it into the text.
# Take the ranks from every second token and the counts from the others. Does the
# exponent change?

# %% [markdown] tags=["solution"]
# It rises. A type that occurs once in one half was lucky to occur at all. In the other
# half such types occur less than once on average, so the tail lies lower and the law
# falls more steeply. Counts that rank themselves flatter their own tail.


# %% tags=["solution"]
def exponent(frequency):
    """Maximum likelihood (2) for counts in the order of their ranks."""
    log_rank = np.log(np.arange(1, len(frequency) + 1))
    grid = np.arange(0.5, 1.5, 0.001)
    cost = [g * (frequency @ log_rank) for g in grid]
    cost += frequency.sum() * np.log([np.exp(-g * log_rank).sum() for g in grid])
    return grid[np.argmin(cost)]


here, there = Counter(tokens[::2]), Counter(tokens[1::2])
by_here = [token for token, _ in here.most_common()]
own = exponent(np.array([here[token] for token in by_here]))
other = exponent(np.array([there[token] for token in by_here]))
again = np.mean([there[token] for token in by_here if here[token] == 1])
print(f"ranks and counts from one half: {own:.3f}; counts from the other: {other:.3f}")
print(f"types seen once in one half occur {again:.2f} times in the other")
assert own < other and again < 1

# %% [markdown] tags=["exercise"]
# **Exercise 2: shuffled pages.** Shuffle the tokens and draw $V(n)$ again. Predict
# first: is the vocabulary at half of the text larger or smaller than in the real order?

# %% [markdown] tags=["solution"]
# Larger. In the real order a topic repeats its own words, and the next topic's words
# have not come yet. Shuffled, words of all topics come from the start.

# %% tags=["solution"]
shuffled = growth(np.random.default_rng(0).permutation(tokens))
middle = len(tokens) // 2
print(f"types at half: {types[middle]:,} in order, {shuffled[middle]:,} shuffled")
assert shuffled[middle] > types[middle] and shuffled[-1] == types[-1]

# %% [markdown] tags=["exercise"]
# **Exercise 3: a typing monkey.** Hit one of five letters or the space bar at random, a
# fifth of a million times, and cut at the spaces. Is Zipf's law a sign of meaning?

# %% [markdown] tags=["solution"]
# No. The monkey's words follow a law of the same kind. With each letter more, a word is
# rarer by a fixed factor, and such words are more numerous by a fixed factor. What a
# text owes to language lies elsewhere: in which word follows which.

# %% tags=["solution"]
keys = np.random.default_rng(0).choice(list("abcde "), 200_000)
typed = Counter("".join(keys).split()).most_common()
print(typed[:8])
print(f"s = {exponent(np.array([count for _, count in typed])):.2f}")
