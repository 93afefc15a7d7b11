# %% [markdown]
# # What a layer costs: n, d, and the clock
#
# **Why give up recurrence?** The paper's first answer is a table ([@vaswani2017, table
# 1]). For layers that turn $n$ vectors of $d$ features into $n$ others it gives the
# **computational complexity**, the **sequential operations**, which have to wait for
# each other, and the **path length**: through how many operations a signal passes
# between two positions.
#
# | Layer | Multiplications | Sequential operations | Longest path |
# |---|---|---|---|
# | Self-attention | $O(n^2 d)$ | $O(1)$ | $O(1)$ |
# | Recurrent | $O(n d^2)$ | $O(n)$ | $O(n)$ |
# | Convolutional | $O(k n d^2)$ | $O(1)$ | $O(\log_k n)$ |
# | Self-attention, restricted | $O(r n d)$ | $O(1)$ | $O(n / r)$ |
#
# $k$ is the width of the convolution, $r$ the number of positions around a word that it
# may attend to. Are the powers right, what are the factors that $O$ leaves out, and
# does a clock agree? Seconds, and the counts and bytes of the larger layers, were
# measured once, on one thread, and stored.

# %%
from functools import partial

import numpy as np
import torch
from torch import nn

from lookback import results
from lookback.figures import Table, alignment, curves
from lookback.measure import path_length, receptive_field, sequential_operations
from lookback.studies import cost
from lookback.studies.cost import (
    Attention,
    Convolution,
    Products,
    Step,
    counted,
    crossing,
    exponent,
)

B, K, R = cost.B, cost.K, cost.R  # sequences; widths of two of the layers
POSITIONS, NUMBERS, FIXED = cost.POSITIONS, cost.NUMBERS, cost.FIXED  # n, d
costs = results("cost")["layers"]
told = results("cost").provenance
print(f"{told['cases']} layers, {B} sequences each; {told['measured in']}")
print("CPU seconds; of several turns the fastest")

# %% [markdown]
# ## The layers, and their multiplications by hand
#
# All are layers of this book or of PyTorch, without residual connections or norms:
# Elman's [RNN](../recurrent.md), the GRU and the LSTM, a convolution of width 3, and
# [one head](../multihead.md) of self-attention with its four matrices. Table 1 of the
# paper leaves these out and counts only $Q K^\top$ and weights times $V$, here
# *products alone*. Restricted attention works in blocks that attend to $2r$ positions,
# of which a mask leaves $r$ and the position itself.
#
# We write down the multiplications of each layer for one sequence, and PyTorch counts
# them to check. The last column is for the width of the paper's model and 25 words.
# (Restricted attention has no number there, since its $n$ must be a multiple of $r$.)

# %%
NAMES = {
    "products": "products alone",
    "attention": "self-attention",
    "restricted": f"restricted, r = {R}",
    "rnn": "RNN",
    "gru": "GRU",
    "lstm": "LSTM",
    "convolution": f"convolution, k = {K}",
}
ON_PAPER = {
    "products": ("2 n² d", lambda n, d: 2 * n * n * d),
    "attention": ("4 n d² + 2 n² d", lambda n, d: 4 * n * d * d + 2 * n * n * d),
    "restricted": ("4 r n d", lambda n, d: 4 * R * n * d),
    "rnn": ("2 n d²", lambda n, d: 2 * n * d * d),
    "gru": ("6 n d²", lambda n, d: 6 * n * d * d),
    "lstm": ("8 n d²", lambda n, d: 8 * n * d * d),
    "convolution": ("k n d²", lambda n, d: K * n * d * d),
}


def multiplied(kind, n, d):
    """Multiplications for one sequence, counted while the layer works."""
    module, x = cost.LAYERS[kind](d), cost.given(n, d).detach()
    with torch.no_grad():
        return counted(partial(module, x)) // B


rows = []
for kind, (formula, by_hand) in ON_PAPER.items():
    assert multiplied(kind, 32, 10) == by_hand(32, 10)
    assert multiplied(kind, 64, 6) == by_hand(64, 6)
    millions = "–" if kind == "restricted" else f"{by_hand(25, 512) / 1e6:.1f}"
    rows.append([NAMES[kind], formula, millions])
Table(["layer", "multiplications", "millions, n = 25, d = 512"], rows)

# %% [markdown]
# The factors matter. Attention's four matrices add $4 n d^2$, and on a sentence of 25
# words they need nearly all of its multiplications.
#
# ## Longer sentences
#
# Let $d$ be 128, while $n$ doubles again and again from 32 to 2,048. On logarithmic
# axes a power of $n$ is a straight line, and a higher power is a steeper line.


# %%
#| id: over-n
#| alt: Milliseconds over n on logarithmic axes. RNN, LSTM, convolution and restricted
#|   attention are straight lines side by side, the LSTM on top. Self-attention and its
#|   products begin below the RNN, are steeper, and end above all others.
#| caption: Forward and backward, milliseconds for 4 sequences, d = 128.
def measured(kind, sizes, what="both", d=None, n=None):
    """A column of the study, over n at a fixed d, or over d at a fixed n."""
    places = [(n or size, d or size) for size in sizes]
    return np.array([costs.row(kind=kind, n=n, d=d)[what] for n, d in places], float)


KINDS = ("lstm", "rnn", "attention", "products", "restricted", "convolution")
from_r = np.array([n for n in POSITIONS if n >= R])
over_n = {NAMES[kind]: 1e3 * measured(kind, from_r, d=FIXED) for kind in KINDS}
curves(from_r, over_n, xlabel="n", ylabel="ms", log="xy")

# %% [markdown]
# ## Longer vectors
#
# Now $n$ is 128, and $d$ doubles again and again from 16 to 1,024.

# %%
#| id: over-d
#| alt: Milliseconds over d on logarithmic axes. The two recurrent layers are nearly
#|   flat up to d 64 or 128 and rise steeply after that. Convolution and self-attention
#|   bend upwards slowly. Products alone and restricted attention end lowest.
#| caption: Forward and backward, milliseconds for 4 sequences, n = 128.
over_d = {NAMES[kind]: 1e3 * measured(kind, NUMBERS, n=FIXED) for kind in KINDS}
curves(NUMBERS, over_d, xlabel="d", ylabel="ms", log="xy")

# %% [markdown]
# ## The exponents
#
# We fit the slopes by least squares to the upper ends, $n$ and $d$ from 256 on, where
# the term that grows fastest is the largest: for the counted multiplications, for the
# clock, and for the bytes which have to be stored for the backward pass.

# %%
#| id: exponents
#| predict: The paper says that self-attention grows with the square of n. From 256 to
#|   2 048 positions, with d = 128 and its four matrices, will the counted exponent be
#|   2, more, or less?
#| caption: Exponents over n and over d: the paper's, and three that were fitted.
PAPER = {"products": (2, 1), "attention": (2, 1), "restricted": (1, 1)}
upper_n, upper_d = [n for n in POSITIONS if n >= 256], [d for d in NUMBERS if d >= 256]
fitted, rows = {}, []
for kind in KINDS:
    cells = [NAMES[kind]]
    for at, sizes, fixed in (
        ("n", upper_n, {"d": FIXED}),
        ("d", upper_d, {"n": FIXED}),
    ):
        cells.append(PAPER.get(kind, (1, 2))["nd".index(at)])
        for what in ("products", "both", "bytes"):
            slope = exponent(sizes, measured(kind, sizes, what, **fixed))
            fitted[kind, at, what] = slope
            cells.append(f"{slope:.2f}")
    rows.append(cells)
header = ["", "n: paper", "counted", "clock", "bytes"]
Table([*header, "d: paper", "counted ", "clock ", "bytes "], rows)

# %% [markdown]
# Self-attention's count is the sum $4 n d^2 + 2 n^2 d$, so its exponents lie between 1
# and 2. For short sequences the first term is the larger one, for long ones the second;
# table 1 gives only the second. All other counted exponents equal the paper's.

# %%
for kind in KINDS:
    for at, power in zip("nd", PAPER.get(kind, (1, 2)), strict=True):
        assert kind == "attention" or abs(fitted[kind, at, "products"] - power) < 1e-6

# %% [markdown]
# The clock's exponents differ more. How many multiplications did each layer do in a
# second, in the forward pass?

# %%
rows, rate = [], {}
sizes = ((128, 32), (128, 128), (128, 1024), (2048, 128))
for kind in KINDS:
    for n, d in sizes:
        row = costs.row(kind=kind, n=n, d=d)
        rate[kind, n, d] = row["products"] / row["forward"] / 1e9
    rows.append([NAMES[kind], *(f"{rate[kind, n, d]:.1f}" for n, d in sizes)])
assert rate["rnn", 128, 32] < rate["rnn", 128, 1024] / 8
assert 3 * rate["rnn", 128, 128] < rate["attention", 128, 128]
assert rate["products", 2048, 128] < 0.7 * rate["products", 128, 128]
Table(["billion products a second", *(f"n {n}, d {d}" for n, d in sizes)], rows)

# %% [markdown]
# Three causes are likely, though this table does not separate them. **Overhead:** every
# operation has to be started, and an RNN starts several for each word. **The size of a
# product:** large matrices are multiplied faster than small ones, and an RNN multiplies
# 4 vectors at a time, one for each sequence, where attention and convolution multiply
# all words at once. **Memory:** the attention weights of 4 sequences of 2,048 words
# take 67 MB, which are written and read twice.
#
# ## Where n = d
#
# Self-attention layers "are faster than recurrent layers when the sequence length $n$
# is smaller than the representation dimensionality $d$" ([@vaswani2017, section 4]). We
# first set the counts equal:

# %%
d = 32
for one, other, n in (
    ("products", "rnn", d),
    ("attention", "gru", d),
    ("attention", "lstm", 2 * d),
):
    assert multiplied(one, n, d) == multiplied(other, n, d)
    assert multiplied(one, n - 1, d) < multiplied(other, n - 1, d)
    assert multiplied(one, n + 1, d) > multiplied(other, n + 1, d)
    print(f"{NAMES[one]:14} = {NAMES[other]:4} at n = {'' if n == d else n // d}d")
assert all(multiplied("attention", n, d) > multiplied("rnn", n, d) for n in (1, 9, d))

# %% [markdown]
# The products alone and an RNN cross at $n = d$, as the paper says. With its matrices
# attention *never* needs fewer multiplications than an RNN. But most recurrent
# translators had gates: with a GRU the crossing is at $n = d$ again, with an LSTM at $n
# = 2d$. Now the crossings by the clock, forward and backward:


# %%
def crosses(one, other, d):
    """Where the clock of one overtakes that of the other, in units of d."""
    sizes = POSITIONS if d == FIXED else cost.CROSSED
    found = crossing(sizes, measured(one, sizes, d=d), measured(other, sizes, d=d))
    return found and found / d


header = ["", *(f"d = {d}" for d in sorted([*cost.OTHERS, FIXED]))]
found = {
    pair: {d: crosses(*pair, d) for d in sorted([*cost.OTHERS, FIXED])}
    for pair in (("products", "rnn"), ("attention", "lstm"))
}
rows = []
for (one, other), at in found.items():
    said = [
        f"{n:.1f} d" if n else f"past {cost.CROSSED[-1] / d:.0f} d"
        for d, n in at.items()
    ]
    rows.append([f"{NAMES[one]} and {NAMES[other]}", *said])
Table(header, rows)

# %%
by_d = [*found["products", "rnn"].values()]
assert None not in by_d and by_d == sorted(by_d, reverse=True) and by_d[-1] > 1

# %% [markdown]
# On this machine, even on one thread, attention is faster up to longer sequences than
# the count says, and the more so, the shorter the vectors. As $d$ grows, both crossings
# move towards those of the count.
#
# ## Memory
#
# The products of attention store the weights, $n^2$ for each sequence and head, and the
# values, $n d$. An RNN stores its inputs and states, $2 n d$. So the memory, too,
# should be equal at $n = d$:

# %%
rows = []
for kind in KINDS:
    kept = measured(kind, (64, 128, 256, 2048), "bytes", d=FIXED) / B / 1e6
    rows.append([NAMES[kind], *(f"{megabytes:.2f}" for megabytes in kept)])
bytes_of = {kind: measured(kind, from_r, "bytes", d=FIXED) for kind in KINDS}
assert 0.95 < crossing(from_r, bytes_of["products"], bytes_of["rnn"]) / FIXED < 1.05
Table(
    ["MB for one sequence, d = 128", *(f"n = {n}" for n in (64, 128, 256, 2048))], rows
)

# %%
#| id: stored
#| alt: Megabytes over n on logarithmic axes. The RNN, the LSTM and the convolution are
#|   parallel lines. The products of attention begin below the RNN, are steeper, cross
#|   it at 128, and end far above.
#| caption: What one sequence stores for the backward pass, in megabytes, d = 128.
shown = ("lstm", "rnn", "products", "convolution")
megabytes = {NAMES[kind]: bytes_of[kind] / B / 1e6 for kind in shown}
curves(from_r, megabytes, xlabel="n", ylabel="MB", log="xy")

# %% [markdown]
# It is. The paper's table has no column for memory, though memory can limit the length
# of a text. (The weights can also be [computed again](../grouped.md) in the backward
# pass.)
#
# ## Parallelism: what waits for what
#
# PyTorch records which operation led to which. So the longest chain in which each needs
# the result of the one before can be counted:

# %%
lengths, rows = (16, 32, 128), []
for kind in KINDS:
    layer = Products(8) if kind == "restricted" else cost.LAYERS[kind](4)
    chains = [sequential_operations(layer(cost.given(n, 4))) for n in lengths]
    rows.append([NAMES[kind].partition(",")[0], *chains])
assert [row[0] for row in rows if row[1] != row[3]] == ["LSTM", "RNN"]
Table(["longest chain", *(f"n = {n}" for n in lengths)], rows)

# %% [markdown]
# Only the chains of the recurrent layers grow. How much time many processors save, one
# thread cannot show.
#
# ## Path length: how far a layer reaches
#
# An output depends on those inputs for which its gradient is not 0:

# %%
#| id: reach
#| alt: Four grids of twelve by twelve. One step of an RNN fills the diagonal and the
#|   one below; the convolution three diagonals; restricted attention five; attention
#|   all.
#| caption: Filled where an output, a row, depends on an input, a column. The
#|   restricted attention has r = 4.
n = 12
seen = {
    "a step of an RNN": receptive_field(Step("rnn", 4), n, 4),
    "convolution": receptive_field(Convolution(4, 3), n, 4),
    "restricted": receptive_field(Products(4), n, 4),
    "attention": receptive_field(Attention(4), n, 4),
}
alignment(
    {name: grid.astype(float) for name, grid in seen.items()},
    source=[""] * n,
    target=[""] * n,
    label="depends",
    xlabel="input",
    ylabel="output",
    abreast=4,
)

# %% [markdown]
# Now stack layers (for the RNN: steps) until the last position depends on the first. In
# a **dilated** convolution each layer reads positions three times as far apart as the
# layer before.


# %%
def path(layer, n):
    """How many of the same layer lead from the first position to the last."""
    grid = receptive_field(layer, n, 4)
    return path_length(lambda _: grid)


def dilated(n):
    """The same for convolutions whose positions are 1, 3, 9 … apart."""

    def grid(layer):
        left = n - 1 - (K**layer - 1) // 2
        return receptive_field(Convolution(4, K, min(K**layer, left)), n, 4)

    return path_length(grid)


lengths, rows = (8, 32, 128), []
for name, order, way in (
    ("self-attention", "1", partial(path, Attention(4))),
    ("RNN", "n", partial(path, Step("rnn", 4))),
    ("convolution, k = 3", "n / k", partial(path, Convolution(4, 3))),
    ("the same, dilated", "logₖ n", dilated),
    ("restricted, r = 8", "n / r", partial(path, Products(8))),
):
    rows.append([name, order, *map(way, lengths)])
steps = {name: row for name, _, *row in rows}
assert steps["RNN"] == [n - 1 for n in lengths]
assert steps["restricted, r = 8"] == [-(-(n - 1) // 4) for n in lengths]
assert steps["the same, dilated"] == [3, 4, 6]  # ⌈log₃ (2 n − 1)⌉
Table(["", "grows as", *(f"n = {n}" for n in lengths)], rows)

# %% [markdown]
# A convolution of width 3 reaches one position further with each layer, as an RNN does
# with each step, but in both directions; the paper's $O(\log_k n)$ needs dilated ones.
# Attention needs one layer for any distance. What a long path does to a gradient is
# measured in the chapter on [recurrence](../recurrent.md).

# %% [markdown] tags=["exercise"]
# **Exercise 1 (medium): separable.** A *separable* convolution first mixes $k$
# positions, separately for each feature, and then the $d$ features, separately for each
# position. How many multiplications does it need? Count them. *Hint:* `nn.Conv1d` with
# `groups=d` mixes each feature alone.

# %% [markdown] tags=["solution"]
# It needs $k n d + n d^2$, as the paper says (section 4). A larger width now costs
# little.

# %% tags=["solution"]
n, d, k = 64, 48, 9
separable = nn.Sequential(
    nn.Conv1d(d, d, k, padding=k // 2, groups=d, bias=False),
    nn.Conv1d(d, d, 1, bias=False),
)
found = counted(partial(separable, torch.randn(1, d, n)))
assert found == k * n * d + n * d * d
print(f"{found:,} instead of {k * n * d * d:,}")

# %% [markdown] tags=["exercise"]
# **Exercise 2 (easy): a word, a page, a book.** With $d = 512$: at which length do the
# products of attention need as many multiplications as its four matrices? What is the
# share of the products in a sentence of 25 words, a page of 500 and a book of 100,000?
# *Hint:* both formulas are in `ON_PAPER`.

# %% [markdown] tags=["solution"]
# $2 n^2 d = 4 n d^2$ at $n = 2d$, here 1,024. For shorter texts the term with $n^2$ is
# the smaller one.

# %% tags=["solution"]
d = 512
for n in (25, 500, 2 * d, 100_000):
    share = ON_PAPER["products"][1](n, d) / ON_PAPER["attention"][1](n, d)
    print(f"n = {n:7,}: {share:.0%} of the multiplications")
assert ON_PAPER["products"][1](2 * d, d) == ON_PAPER["attention"][1](2 * d, d) / 2

# %% [markdown] tags=["exercise"]
# **Exercise 3 (hard): both directions.** In an RNN that reads from the left, the last
# state depends on the first word, but never the first state on the last word. How many
# layers of convolutions or attention are needed until *every* position depends on every
# other? And of RNNs that read from the left? *Hint:* look for a symmetry in the figure
# of what depends on what.

# %% [markdown] tags=["solution"]
# As many layers as before, since they reach equally far to both sides. No number of
# RNNs that read from the left is enough: their first state never depends on a later
# word. [Bahdanau's encoder](../bahdanau.md) reads from both ends.

# %% tags=["solution"]
for layer in (Convolution(4, 3), Products(8), Attention(4)):
    grid = receptive_field(layer, 32, 4)
    assert (grid == grid.T).all()
past = receptive_field(Step("rnn", 4), 32, 4)
assert not np.triu(np.linalg.matrix_power(past.astype(int), 40), k=1).any()
