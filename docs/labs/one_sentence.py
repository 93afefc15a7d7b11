# %% [markdown]
# # One sentence, step by step
#
# What does a [Transformer](../transformer.md) do with a sentence, from the string that
# goes in to the words that come out? This page draws the result of each step in a
# trained network, and the build checks that our steps and the network's own agree. The
# sentence is *the important director is old*. In French the order of the words changes,
# and two adjectives must agree with *directrice*: *la directrice importante est
# vieille*.

# %%
import torch

from lookback import pretrained
from lookback.figures import Table, alignment, bars, frames, heatmap, pieces

trained = pretrained("transformer")
network, (english, french) = trained.network, trained.sides
c = network.config
assert (c.N, c.d_model, c.h, c.d_ff) == (2, 96, 4, 384)
torch.set_grad_enabled(False)
SHOWN = 12  # features of each vector that are drawn


def first_features(rows, words, label="value", count=SHOWN):
    """A grid: a row for each word, a column for each of its first features."""
    some = rows[:, :count].clamp(-3, 3)
    columns = [str(i + 1) for i in range(count)]
    names = {"ylabel": "word", "xlabel": "feature", "label": label}
    return heatmap(some, rows=words, columns=columns, scale=(-3, 3), **names)


Table(
    ["name", "what it is", "here", "in the paper"],
    [
        ["N", "layers of the encoder, and of the decoder", 2, 6],
        ["d_model", "features of a word's vector", 96, 512],
        ["h", "heads", 4, 8],
        ["d_k", "features of a query, a key, a value", 24, 64],
        ["d_ff", "features inside the feed-forward network", 384, 2048],
    ],
    result="here",
)

# %% [markdown]
# ## 1. From a string to numbers
#
# The string is cut into **tokens**, here words and the full stop. Each has a number in
# the **vocabulary**, its **id**. A special token, `</s>`, marks the end.

# %%
text = "the important director is old ."
tokens = [*text.split(), "</s>"]
ids = [*english.ids(text.split()), english.end]
print(*ids)

# %%
#| alt: The sentence as a row of seven boxes, one for each token, over a row with the
#|   id of each.
#| caption: Seven tokens and their ids. The ids say nothing about meaning: they are row
#|   numbers in a list.
pieces({"tokens": tokens, "ids": [str(i) for i in ids]})

# %% [markdown]
# ## 2. From ids to vectors
#
# Each id selects a row of a learned table, the **embedding** of the word: 96 numbers.
# It is multiplied by $\sqrt{96}$, and a **positional encoding** is added: sines and
# cosines that are different at each [position](../positions.md).

# %%
table = network.e_source.table  # (words of the vocabulary, 96)
words = table[ids] * 96**0.5
places = network.positions(len(ids))
x = words + places  # (7, 96)

# %%
#| alt: Three grids of seven words by twelve features: the words, which look random;
#|   the positions, which change smoothly down the columns; and their sum.
#| caption: The first twelve of 96 features: embeddings, positional encodings, and
#|   their sum, which goes into the first layer.
drawn = {"words": words, "positions": places, "sum": x}
frames(
    lambda name: first_features(drawn[name], tokens),
    [*drawn],
    chosen=("words", "positions", "sum"),
)

# %% [markdown]
# From here to the end of the encoder there are seven vectors, one for each token.
#
# ## 3. Queries, keys and values
#
# The first layer of the encoder begins with [self-attention](../attention.md). Three
# learned matrices, the same for all words, turn each vector into a **query** (what the
# word is looking for), a **key** (what it offers) and a **value** (what it passes on).
# Each has 96 features, 24 for each of the four [heads](../multihead.md). Here are those
# of head 3.

# %%
layer, head = network.encoder.layers[0], 2  # counted from 0
attention = layer.self_attention
mine = slice(24 * head, 24 * head + 24)  # the features of this head
Q = (x @ attention.W_Q.weight.T)[:, mine]  # (7, 24)
K = (x @ attention.W_K.weight.T)[:, mine]
V = (x @ attention.W_V.weight.T)[:, mine]

# %%
#| alt: Three grids of seven words by twelve features: queries, keys and values.
#| caption: The first twelve of 24 features of each query, key and value of head 3.
drawn = {"queries": Q, "keys": K, "values": V}
frames(
    lambda name: first_features(drawn[name], tokens),
    [*drawn],
    chosen=("queries", "keys", "values"),
)

# %% [markdown]
# ## 4. Scores and weights
#
# The dot product of a query and a key, divided by $\sqrt{24}$, is their **score**. The
# **softmax** turns a row of scores into positive **weights** that sum to 1.

# %%
scores = Q @ K.T / 24**0.5  # (7, 7)
weights = scores.softmax(dim=1)

# %%
#| id: scores
#| alt: A grid of seven by seven scores with their numbers, positive and negative.
#| caption: The scores of head 3. A row belongs to a word's query, a column to a word's
#|   key.
most = float(scores.abs().max())
heatmap(
    scores,
    rows=tokens,
    columns=tokens,
    scale=(-most, most),
    fmt="{:.1f}",
    label="score",
)

# %%
#| id: weights
#| alt: A grid of seven by seven weights. Each row is darkest where its score was
#|   highest.
#| caption: The weights that the softmax makes of the scores. Each row sums to 1.
alignment(
    weights, source=tokens, target=tokens, ylabel="attends", xlabel="is attended to"
)

# %% [markdown]
# Here is the row of the word *old* by hand: the exponential of each score, divided by
# the sum of all seven. Training gives a head no task of its own: most rows of this one
# have their largest weight on the full stop.

# %%
row = scores[tokens.index("old")]
exponentials = row.exp()
Table(
    ["old attends to", "score", "exponential", "weight"],
    [
        [word, f"{s:.2f}", f"{e:.2f}", f"{e / exponentials.sum():.3f}"]
        for word, s, e in zip(tokens, row.tolist(), exponentials.tolist(), strict=True)
    ],
    result="weight",
)

# %%
assert torch.allclose(exponentials / exponentials.sum(), weights[tokens.index("old")])
assert (weights.argmax(dim=1) == tokens.index(".")).sum() > len(tokens) / 2

# %% [markdown]
# ## 5. The output of attention
#
# The output for a word is the mean of all values, weighted by the word's row of
# weights: 24 features from one head. Each head has matrices of its own, and so weights
# of its own:

# %%
#| alt: Four grids of seven by seven weights, one for each head, with different
#|   patterns.
#| caption: The weights of all four heads of the first layer.
ids_, mask = torch.tensor([ids]), torch.ones(1, len(ids)).bool()
memory_of, told = network.encode(ids_, mask)
every = told[0][0]  # (4, 7, 7)
assert torch.allclose(every[head], weights, atol=1e-5)
alignment(
    {f"head {k + 1}": every[k] for k in range(4)},
    source=tokens,
    target=tokens,
    ylabel="attends",
    xlabel="is attended to",
)

# %% [markdown]
# The outputs of the heads are concatenated to 96 features again, and one more matrix,
# $W^O$, mixes them.


# %%
def self_attention(layer, x):
    """x (7, 96) → (7, 96)"""
    attention, outputs = layer.self_attention, []
    for k in range(4):
        mine = slice(24 * k, 24 * k + 24)
        Q = (x @ attention.W_Q.weight.T)[:, mine]
        K = (x @ attention.W_K.weight.T)[:, mine]
        V = (x @ attention.W_V.weight.T)[:, mine]
        outputs.append((Q @ K.T / 24**0.5).softmax(dim=1) @ V)
    return torch.cat(outputs, dim=1) @ attention.W_O.weight.T


z = self_attention(layer, x)

# %% [markdown]
# ## 6. Residual connection and norm
#
# A **residual connection** adds the output of attention to its input. Then a **[layer
# norm](../layernorm.md)** brings each vector to mean 0 and standard deviation 1, and
# applies a learned gain and bias.


# %%
def norm(sums, how):
    centred = sums - sums.mean(dim=1, keepdim=True)
    deviation = centred.square().mean(dim=1, keepdim=True).sqrt()
    return how.g * centred / (deviation**2 + how.eps).sqrt() + how.b


after_attention = norm(x + z, layer.norm_self_attention)

# %%
#| alt: Four grids of seven words by twelve features: what came in, the output of
#|   attention, their sum, and the sum after the norm, which is smaller.
#| caption: The input of the sublayer, the output of attention, their sum, and the sum
#|   after the norm.
drawn = {"x": x, "attention": z, "sum": x + z, "after the norm": after_attention}
frames(
    lambda name: first_features(drawn[name], tokens),
    [*drawn],
    chosen=("x", "attention", "after the norm"),
)

# %% [markdown]
# ## 7. The feed-forward network
#
# The next sublayer works on each word alone. A [feed-forward network](../encoder.md)
# turns 96 features into 384, sets the negative ones to 0, and turns the 384 into 96
# again. A residual connection and a norm follow, as before.


# %%
def feed_forward(layer, x):
    """x (7, 96) → (7, 96), and what is inside, (7, 384)"""
    f = layer.feed_forward
    inside = (x @ f.W_1.weight.T + f.W_1.bias).relu()
    return inside @ f.W_2.weight.T + f.W_2.bias, inside


y, inside = feed_forward(layer, after_attention)
first = norm(after_attention + y, layer.norm_feed_forward)

# %%
#| alt: Bars of seven words. For each word a fraction of the 384 inner features is
#|   greater than 0.
#| caption: How many of the 384 inner features are greater than 0, for each word.
bars(
    tokens,
    (inside > 0).sum(dim=1).tolist(),
    ylabel="features that are on",
)

# %% [markdown]
# ## 8. The second layer, and the memory
#
# The second layer has the same sublayers, with weights of its own. Its output is the
# **memory**: seven vectors, each of which depends on the whole sentence.

# %%
layer = network.encoder.layers[1]
middle = norm(first + self_attention(layer, first), layer.norm_self_attention)
memory = norm(middle + feed_forward(layer, middle)[0], layer.norm_feed_forward)

# %%
inputs = network.e_source(ids_, places)
assert torch.allclose(memory, network.encoder(inputs, mask)[0][0], atol=1e-4)

# %% [markdown]
# How much does each depend on each word? Replace one word by another of the same kind,
# such as *director* by *minister*, and measure how far each of the seven vectors moves.

# %%
#| alt: A grid of seven rows and five columns. The diagonal is darkest; other words
#|   move a vector less.
#| caption: How far the vector of each word (row) moves if one word (column) is
#|   replaced, as a share of the largest move in its row.
swaps = {
    "the": "a",
    "important": "famous",
    "director": "minister",
    "is": "was",
    "old": "rich",
}
moved = torch.zeros(7, len(swaps))
for j, word in enumerate(swaps.values()):
    other = torch.tensor([ids])
    other[0, j] = english.ids([word])[0]
    found = network.encoder(network.e_source(other, places), mask)[0][0]
    moved[:, j] = (found - memory).norm(dim=1)
assert moved[2].argmax() == 2 and moved[4, 2] > moved[4, 0]
alignment(
    moved / moved.amax(dim=1, keepdim=True),
    source=[*swaps],
    target=tokens,
    ylabel="vector of",
    xlabel="replaced",
    label="moves",
)

# %% [markdown]
# ## 9. The decoder
#
# The decoder writes one word at a time. Suppose it has written *la directrice
# importante est*. It reads `<s>` and these four words, embedded as before. Each of its
# layers has three sublayers, with residual connections and norms:
#
# 1. **Masked self-attention**: each word attends to itself and to the words before it.
# 2. **Cross-attention**: each word makes a query; the keys and values are made from the
#    memory. Only here does the decoder read the source.
# 3. A **feed-forward network** works on each word alone.

# %%
prefix = ["<s>", "la", "directrice", "importante", "est"]
target = torch.tensor([[french.start, *french.ids(prefix[1:])]])
logits, looked = network(ids_, mask, target)
print("logits:", *logits.shape)

# %%
#| alt: A triangle of five by five weights: each word attends to itself and to words
#|   before it.
#| caption: Masked self-attention in the last layer, mean of the four heads. The upper
#|   triangle is hidden by the mask.
alignment(
    looked.decoder[1].self_attention[0].mean(dim=0),
    source=prefix,
    target=prefix,
    ylabel="attends",
    xlabel="is attended to",
)

# %%
#| id: cross
#| alt: A grid of five rows by seven columns. The row of est has its weight on old.
#| caption: Cross-attention in the last layer, mean of the four heads. The next word is
#|   predicted from the vector of row *est*.
cross = looked.decoder[1].cross_attention[0].mean(dim=0)
assert cross[-1].argmax() == tokens.index("old")
alignment(cross, source=tokens, target=prefix, ylabel="has just read", xlabel="source")

# %% [markdown]
# ## 10. From a vector to a word
#
# The dot products of the vector of the last position, *est*, with the embedding of
# every French word are the **logits**, and their softmax gives each word a probability.
# The likeliest word is chosen.

# %%
#| predict: The source says *old*, and the subject is *directrice*. Which words do you
#|   expect among the first five?
#| alt: Bars of five words. Vieille has nearly all of the probability.
#| caption: The five likeliest words after *la directrice importante est*, in per
#|   cent.
p = logits[0, -1].softmax(dim=0)
best = p.topk(5)
names = french.words(best.indices.tolist())
assert names[0] == "vieille"
bars(
    names,
    (100 * best.values).tolist(),
    ylabel="probability, %",
    fmt="{:.1f}",
)

# %% [markdown]
# The word is appended to the prefix, and the decoder runs again, until it writes
# `</s>`. Here are all steps from the beginning:

# %%
#| alt: Bars of the likeliest words at each of seven steps; at each of them one word
#|   has most of the probability.
#| caption: The four likeliest words at each step, in per cent.
written, steps = [french.start], {}
while written[-1] != french.end:
    p = network(ids_, mask, torch.tensor([written]))[0][0, -1].softmax(dim=0)
    best = p.topk(4)
    steps[f"word {len(written)}"] = french.words(best.indices.tolist()), best.values
    written.append(int(best.indices[0]))
assert french.words(written[1:-1]) == [*prefix[1:], "vieille", "."]


def likeliest(step):
    names, p = step
    return bars(names, (100 * p).tolist(), ylabel="probability, %", fmt="{:.0f}")


frames(likeliest, steps, chosen=("word 1", "word 2", "word 5"))

# %% [markdown]
# ## All shapes
#
# For one token; for this sentence, with the five words that the decoder reads; and for
# 32 sentences, padded to 20 source and 25 target words:

# %%
rows = [
    ["ids of the source", "1", "7", "32 × 20"],
    ["embeddings and positions", "96", "7 × 96", "32 × 20 × 96"],
    ["queries, keys, values of all heads", "4 × 24", "4 × 7 × 24", "32 × 4 × 20 × 24"],
    ["scores and weights, encoder", "4 × 7", "4 × 7 × 7", "32 × 4 × 20 × 20"],
    ["outputs of the heads", "4 × 24", "4 × 7 × 24", "32 × 4 × 20 × 24"],
    ["concatenated, times W_O", "96", "7 × 96", "32 × 20 × 96"],
    ["inside the feed-forward network", "384", "7 × 384", "32 × 20 × 384"],
    ["memory", "96", "7 × 96", "32 × 20 × 96"],
    ["weights of cross-attention", "4 × 7", "4 × 5 × 7", "32 × 4 × 25 × 20"],
    ["logits", f"{len(french)}", f"5 × {len(french)}", f"32 × 25 × {len(french)}"],
]
many = torch.zeros(32, 20, dtype=torch.long), torch.ones(32, 20).bool()
logits_of_many, told_of_many = network(*many, torch.zeros(32, 25, dtype=torch.long))
shapes = [
    told_of_many.encoder[0],
    told_of_many.decoder[0].cross_attention,
    logits_of_many,
]
for row, made in zip((rows[3], rows[8], rows[9]), shapes, strict=True):
    assert row[3] == " × ".join(map(str, made.shape))
Table(["what", "one token", "this sentence", "a batch"], rows, result="a batch")

# %% [markdown] tags=["exercise"]
# **Exercise 1 (easy): another noun.** Replace *director* by *minister*, which is
# masculine in French. Which words of the translation change? How can encoder and
# decoder know the gender? *Hint:* see section 8 for what depends on the noun.

# %% [markdown] tags=["solution"]
# The noun changes, and with it all words that agree with it. In the memory, the
# vector of *old* depends on *director*, and the decoder can also read the noun in its
# own prefix.

# %% tags=["solution"]
print(*trained.translate(text.replace("director", "minister").split()))

# %% [markdown] tags=["exercise"]
# **Exercise 2 (medium): without positions.** Leave the positional encodings out of step
# 2, and reverse the order of the words. What happens to the memory? *Hint:* give
# `e_source` zeros for positions.

# %% [markdown] tags=["solution"]
# The memory has the same vectors in reverse order: without positions, each word gets
# the vector that it had before. Attention alone does not know the
# [order](../attention.md#permutation).

# %% tags=["solution"]
nowhere = torch.zeros_like(places)
one = network.encoder(network.e_source(ids_, nowhere), mask)[0][0]
other = network.encoder(network.e_source(ids_.flip(1), nowhere), mask)[0][0]
print(torch.allclose(one, other.flip(0), atol=1e-4))

# %% [markdown] tags=["exercise"]
# **Exercise 3 (easy): where are the weights sharp?** Take the largest weight of each
# row, and the mean over the rows. For which head of the first layer is this mean
# greatest, and to what does that head attend? *Hint:* `every[k]` has the weights of
# head $k$.

# %% [markdown] tags=["solution"]
# The program prints the mean for each head, and the token to which each row attends
# most.

# %% tags=["solution"]
for k in range(4):
    largest = every[k].max(dim=1)
    asked = [tokens[i] for i in largest.indices.tolist()]
    print(f"head {k + 1}: {largest.values.mean():.2f} ", *asked)
