# %% [markdown]
# # Zipf's law and the growth of the vocabulary
#
# How much must we read before we have met the words of a language? New words keep
# coming. This lab measures how fast, on the text that the [n-gram chapter](../ngram.md)
# counts: the reference manual that is installed with Python, each sentence of it once.
#
# A **token** is one occurrence of a word; a **type** is one different word. Commas and
# full stops are tokens, too, and the token `<code>` replaces each piece of program that
# the manual quotes.

# %%
from collections import Counter
from itertools import pairwise

import numpy as np

from lookback.figures import Table, bars, curves
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
# Sort the types by how often they occur, the most frequent first. The number of a type
# is its **rank** $r$, and its count is its **frequency** $f(r)$. **Zipf's law** says
# that the frequency falls as a power of the rank, in texts of many languages
# ([@zipf1949]):
#
# $$ f(r) \approx \frac{C}{r^s}, \qquad s \approx 1 \tag{1} $$
#
# If $s$ were exactly 1, the second word would occur half as often as the first, the
# tenth a tenth as often, and on logarithmic axes the counts would lie on a straight
# line.

# %%
#| alt: Frequency against rank on logarithmic axes. The counts fall almost along a
#|   straight line from 2,500 at rank 1 to 1 at rank 2,700, and end in a staircase. The
#|   line of slope -1 through the first word lies below them at most ranks.
#| caption: Every type of the manual, and what [(1)](#eq-1) predicts with $s = 1$ from
#|   the count of the first word alone.
curves(
    rank,
    {"counted": frequency, "first count / rank": frequency[0] / rank},
    xlabel="rank r",
    ylabel="frequency f(r)",
    log="xy",
)

# %%
Table(
    ["rank", "token", "count", "count if s = 1"],
    [
        [r, counts[r - 1][0], f"{frequency[r - 1]:,}", f"{frequency[0] / r:,.0f}"]
        for r in (1, 2, 3, 5, 10, 30, 100, 300, 1000)
    ],
    align="rlrr",
    caption="Counted, and predicted from the first word alone",
)

# %% [markdown]
# The count of the first word alone predicts the others within a factor of three, even
# at rank 1,000. But the errors have a direction: in every row after the first the text
# holds more than [(1)](#eq-1) says. Now the two ends of the list:

# %%
shown = np.array([2, 3, 5, 10, 30, 100, 300, 1000])
ratio = frequency[shown - 1] / (frequency[0] / shown)
assert (ratio > 1).all() and ratio.max() < 3
once = frequency == 1
print(f"ten most frequent types: {frequency[:10].sum() / len(tokens):.0%} of tokens")
print(f"types that occur once:   {once.mean():.0%} of types")
assert frequency[:10].sum() > len(tokens) / 5 and once.mean() > 1 / 3

# %% [markdown]
# A few types make up much of the text, and many occur a single time.
#
# ## Two ways to fit a line, two answers
#
# Take logarithms of [(1)](#eq-1): $\log f = \log C - s \log r$, a straight line whose
# slope is $-s$. So a common way to find $s$ is **least squares** on the logarithms. But
# fit the line to other ranks, and the slope changes.


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
# In least squares every *rank* has the same weight, and more than a third of all ranks
# belong to words that occur once. So the rare words largely decide the slope.
#
# In **maximum likelihood** every *token* has the same weight. Read [(1)](#eq-1) as a
# probability over the $V$ types, and choose the $s$ under which this text is most
# likely:
#
# $$ p_s(r) = \frac{r^{-s}}{\sum_{k=1}^{V} k^{-s}}, \qquad
#    \hat{s} = \arg\max_s \sum_{r=1}^{V} f(r) \log p_s(r) \tag{2} $$
#
# The derivative of [(2)](#eq-2) is zero where the mean of $\log r$ under the law equals
# its mean over the tokens. A larger $s$ lowers the mean under the law, so we can find
# the best $s$ by bisection: halve an interval again and again.


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
# Neither answer is wrong. They weigh the ranks differently, and would agree if
# [(1)](#eq-1) were exact.
#
# ## A better law
#
# In 1953 Benoît Mandelbrot gave the law a second number, a shift $q$ that flattens the
# first ranks (as cited in [@piantadosi2014]). This is the **Zipf–Mandelbrot law**:
#
# $$ p(r) \propto \frac{1}{(r + q)^s} \tag{3} $$
#
# For each shift we fit $s$ by [(2)](#eq-2), and keep the best pair. The laws are
# compared by the bits that they need for each token. No probabilities of single words
# can need fewer bits than the relative frequencies themselves, whose cost is the
# **entropy** of the text.

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
# ## The same counts twice
#
# We ranked the types by the very counts that we then fitted, so the curve falls even
# where nothing but chance orders the types. Steven Piantadosi's review of the law
# therefore recommends to split the tokens at random: ranks from one half, frequencies
# from the other ([@piantadosi2014]).


# %%
def best_fit(frequency, shift=0.0):
    """Exponent and bits a token by (2), for counts in the order of their ranks."""
    log_rank = np.log(np.arange(1, len(frequency) + 1) + shift)
    grid = np.arange(0.5, 1.5, 0.001)
    cost = grid * (frequency @ log_rank) / frequency.sum()
    cost += np.log([np.exp(-g * log_rank).sum() for g in grid])
    return grid[np.argmin(cost)], np.min(cost) / np.log(2)


def halves(seed):
    """Counts of the types of one half, the most frequent first; and of the other."""
    generator = np.random.default_rng(seed)
    here = generator.binomial(frequency, 0.5)
    mixed = generator.permutation(len(here))  # so that chance orders equal counts
    order = mixed[np.argsort(-here[mixed], kind="stable")][: (here > 0).sum()]
    return here[order], (frequency - here)[order]


def smooth(values, edges):
    """The mean of the values in each run of ranks."""
    return [values[low:high].mean() for low, high in pairwise(edges)]


splits = [halves(seed) for seed in range(5)]
own, other = ([split[side] for split in splits] for side in (0, 1))
for name, side in (("the same half", own), ("the other half", other)):
    s_of = [best_fit(f)[0] for f in side]
    print(f"frequencies of {name}: s = {min(s_of):.3f} to {max(s_of):.3f}")
again = np.mean([there[here == 1].mean() for here, there in splits])
print(f"types that occur once in one half occur {again:.2f} times in the other")
assert (
    max(best_fit(f)[0] for f in own) < min(best_fit(f)[0] for f in other) and again < 1
)
assert all(best_fit(f, q)[1] < best_fit(f)[1] - 0.01 for f in other)  # it still bends

# %%
#| alt: Mean frequency over rank, both logarithmic, for one half of the tokens. Up to
#|   rank 60 the two curves nearly coincide; from there on the frequencies of the other
#|   half are lower, by about a tenth at rank 100 and by a third at the last ranks.
#| caption: Frequencies by rank in one half of the tokens, and frequencies of the same
#|   types in the other half; means over runs of ranks, in the first of five splits.
edges = np.unique(np.geomspace(1, len(own[0]) + 1, 24).astype(int)) - 1
curves(
    (edges[:-1] + edges[1:] + 1) / 2,
    {"same half": smooth(own[0], edges), "other half": smooth(other[0], edges)},
    xlabel="rank in one half",
    ylabel="mean frequency",
    log="xy",
)

# %% [markdown]
# For frequent types the other half makes hardly any difference. Rare types occur less
# often there, for a type that was seen once was lucky to be seen at all. So the
# frequencies of the other half fall a little more steeply, in each of five random
# splits. Mandelbrot's shift still saves bits.
#
# ## The vocabulary does not close
#
# Read the text from its first page and note how many types you have met after $n$
# tokens. **Heaps' law** says that this number grows as a power of $n$ ([@heaps1978]):
#
# $$ V(n) = K n^{\beta}, \qquad 0 < \beta < 1 \tag{4} $$
#
# We fit (4) by least squares to the first half of the text, and compare the number of
# types that it predicts for the whole.


# %%
def types_seen(tokens):
    """How many types the first n tokens hold, for n = 1, 2, …"""
    first = np.unique(tokens, return_index=True)[1]
    return np.cumsum(np.bincount(first, minlength=len(tokens)))


types = types_seen(tokens)
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
# How likely is the next word to be one we have never seen? Take one token out: its type
# is missing from the rest exactly if it occurred once. So the share of tokens whose
# type occurs once, $n_1 / N$, estimates the probability of a new word. This is the
# **Good–Turing estimate** ([@good1953]); the same reasoning says that a type with $r$
# occurrences should count as $(r + 1)\, n_{r+1} / n_r$, where $n_r$ is the number of
# types that occur $r$ times.
#
# The estimate holds for more text from the same source. What if the topic changes? We
# divide the sentences in four ways into a text that is read and a text that comes next.


# %%
def new_words(read, next_text):
    """n_1 / N of what is read, and the share of new words in what comes next."""
    seen = Counter(token for sentence in read for token in sentence)
    come = [token for sentence in next_text for token in sentence]
    singles = sum(count == 1 for count in seen.values())
    return singles / seen.total(), np.mean([token not in seen for token in come])


middle = len(corpus.train) // 2
cuts = {
    "every other sentence": (corpus.train[::2], corpus.train[1::2]),
    "first half, second half": (corpus.train[:middle], corpus.train[middle:]),
    "train, validation": (corpus.train, corpus.validation),
    "train, test": (corpus.train, corpus.test),
}
estimates = {name: new_words(*parts) for name, parts in cuts.items()}
print(
    *(f"{name}: {a:.1%}, observed {b:.1%}" for name, (a, b) in estimates.items()),
    sep="\n",
)

# %%
#| alt: Four pairs of bars. With every other sentence the estimate and the observed
#|   share are equal, about 5 %. With other topics the observed share is nearly twice
#|   the estimate.
#| caption: The Good–Turing estimate of the share of new words, from what was read, and
#|   the share of new words in what came next.
bars(
    list(cuts),
    {
        "Good–Turing": [100 * estimate for estimate, _ in estimates.values()],
        "observed": [100 * share for _, share in estimates.values()],
    },
    ylabel="% new words",
    fmt="{:.1f}",
)

# %%
predicted, observed = estimates["every other sentence"]
assert abs(observed / predicted - 1) < 0.1
assert all(b > 1.5 * a for name, (a, b) in estimates.items() if "every" not in name)

# %% [markdown]
# With every other sentence, where both parts have the same topics, the estimate is
# close. Where the topics are new, it is much too low: another topic brings words of its
# own. Any model that counts words meets this problem.
#
# A model of word order has a larger problem, because it counts *sequences*:


# %%
def runs_of(sentences, order):
    """Every run of `order` tokens inside a sentence."""
    return [s[i : i + order] for s in sentences for i in range(len(s) - order + 1)]


seen_once, unseen = [], []
for order in (1, 2, 3, 4):
    known = Counter(runs_of(corpus.train, order))
    seen_once.append(np.mean([count == 1 for count in known.values()]))
    unseen.append(np.mean([g not in known for g in runs_of(corpus.validation, order)]))
assert unseen == sorted(unseen)

# %%
#| alt: Pairs of bars for runs of one to four words. The share of types seen once grows
#|   from 41 % to 93 %, the share of unseen runs from 5 % to 94 %.
#| caption: Runs of words: how many types the training text holds only once, and how
#|   many runs of the validation text it does not hold.
bars(
    ["words", "pairs", "triples", "four words"],
    {
        "types seen once": [100 * share for share in seen_once],
        "unseen in validation": [100 * share for share in unseen],
    },
    ylabel="%",
    fmt="{:.0f}",
)

# %% [markdown]
# These bars are the problem of the [n-gram chapter](../ngram.md). Nearly every long run
# of words is new, and a model that gives probability zero to what it has not seen calls
# almost every new sentence impossible. Smoothing repairs that. Kneser–Ney smoothing
# takes its discounts from counts of counts, $n_1$, $n_2$ and so on, as the Good–Turing
# estimate does.
#
# ## Exercises

# %% [markdown] tags=["exercise"]
# **Exercise 1 (medium): Good–Turing by hand.** In one half of the tokens, what count
# does Good–Turing give to types that occur once, twice, three times? Compare with their
# mean count in the other half. *Hint:* `halves(0)` gives both counts of each type.

# %% [markdown] tags=["solution"]
# The estimate is close where many types have the count, and scatters where few do.


# %% tags=["solution"]
here, there = halves(0)
n_r = Counter(here.tolist())


def worth(r):
    return (r + 1) * n_r[r + 1] / n_r[r]


Table(
    ["count r", "types", "Good–Turing", "mean count in the other half"],
    [
        [r, n_r[r], f"{worth(r):.2f}", f"{there[here == r].mean():.2f}"]
        for r in (1, 2, 3, 4)
    ],
)

# %% [markdown] tags=["exercise"]
# **Exercise 2 (easy): shuffled pages.** Shuffle the tokens and draw $V(n)$ again.
# Predict first: is the vocabulary at half of the text larger or smaller than in the
# real order? *Hint:* when does a topic's vocabulary come, in order and shuffled?

# %% [markdown] tags=["solution"]
# Larger. In the real order a topic repeats its own words, and the next topic's words
# have not come yet. Shuffled, words of all topics come from the start.

# %% tags=["solution"]
shuffled = types_seen(np.random.default_rng(0).permutation(tokens))
middle = len(tokens) // 2
print(f"types at half: {types[middle]:,} in order, {shuffled[middle]:,} shuffled")
assert shuffled[middle] > types[middle] and shuffled[-1] == types[-1]

# %% [markdown] tags=["exercise"]
# **Exercise 3 (medium): a typing monkey.** Hit one of five letters or the space bar at
# random, 200,000 times, and cut at the spaces. Is Zipf's law a sign of meaning? *Hint:*
# count the words with `Counter`, and fit with `best_fit`.

# %% [markdown] tags=["solution"]
# Not by itself. The monkey's words follow a law of the same kind: each further letter
# makes a word rarer by a fixed factor, and there are more such words by a fixed factor.
# George Miller showed in 1957 that random typing gives Mandelbrot's form of the law
# ([@miller1957]). That is no explanation of the law in language, since people do not
# write letters at random. It shows that the law alone is weak evidence for any theory
# of it ([@piantadosi2014]).

# %% tags=["solution"]
keys = np.random.default_rng(0).choice(list("abcde "), 200_000)
typed = Counter("".join(keys).split()).most_common()
print(typed[:8])
print(f"s = {best_fit(np.array([count for _, count in typed]))[0]:.2f}")
