# %% [markdown]
# # Watching attention learn, and changing its temperature
#
# Nobody gave [Bahdanau's network](../bahdanau.md) its attention weights: it was trained
# to predict French words, and no link between words was ever shown to it. Which words
# does it learn to attend to first, and which later? And what happens if the trained
# weights are made sharper or softer? The first part shows one training run, the second
# the network of the chapter. Each is a single network, so another seed may differ.

# %%
import copy

import numpy as np
import torch

from lookback import pretrained, results
from lookback.figures import Table, alignment, curves, frames
from lookback.measure import alignment_error_rate, bleu, strongest_links
from lookback.text.corpora import grammar

corpus = grammar(pairs=6500)  # its test is part of the test of what the network learnt
trained = pretrained("bahdanau")
sentence = "the important european financial government is controlled ."
shown = next(p for p in corpus.test if " ".join(p.source) == sentence)
print(" ".join(shown.source))
print(" ".join(shown.target))

# %% [markdown]
# ## How the weights come to be { #learning }
#
# The parameters begin as small random numbers, so all attention weights are nearly
# equal. In the sentence above, the French adjectives follow their noun in reverse
# order. What does the network learn first, to attend along the diagonal, or to reverse
# the adjectives? Decide before you move the slider.

# %%
#| id: training
#| key: true
#| alt: A grid of one sentence at growing numbers of training steps. At first all cells
#|   but one are pale; then a blurred diagonal appears; then the reversed adjectives.
#| caption: Attention weights for the same sentence during one training run, after so
#|   many steps. A marked corner is a link of the grammar, which the network never saw.
moving = results("bahdanau")["watched"].row()


def after(step):
    words = {"source": moving["source"], "target": moving["target"]}
    return alignment(moving["weights"][step], **words, gold=shown.sure)


steps = {f"after {step} steps": step for step in moving["weights"]}
seen = [f"after {step} steps" for step in (100, 300, 500, 1500)]
frames(after, steps, chosen=seen)

# %% [markdown]
# In this run it first finds the word at the beginning of the sentence, then a band
# around the diagonal, and last the adjectives. While it learns their order, their rows
# have weight at several source words.
#
# Training lowers the loss. The **alignment error rate** compares the largest weight of
# each row with the links of the grammar; it plays no part in training. Here are both,
# on 200 sentences of the validation set:

# %%
#| id: losses
#| alt: Two curves over training steps. Both fall together, fast for some five hundred
#|   steps and slowly after that; the alignment error ends near one tenth.
#| caption: The loss on validation, as a share of what it was at first, and the
#|   alignment error rate of the same network.
loss = np.array(moving["loss"])
curves(
    moving["step"],
    {"alignment error": moving["watched AER"], "loss": loss / loss[0]},
    xlabel="step",
    ylabel="share",
)

# %% [markdown]
# ## Sharper and softer { #temperature data-keywords="temperature, hard attention" }
#
# The attention weights are a softmax of scores. We divide the scores by a
# **temperature** $\tau$; nothing has to be trained again:
#
# $$\alpha_{ij} = \frac{\exp(e_{ij} / \tau)}{\sum_k \exp(e_{ik} / \tau)} \tag{1}$$
#
# With $\tau$ below 1 the largest weight of a row grows; with $\tau$ above 1 the weights
# become more alike. Since $e_{ij} = v^\top \tanh(\dots)$, it is enough to divide $v$ by
# $\tau$.


# %%
#| id: sharp
#| alt: Four grids of the same sentence. At temperature one quarter each row has one
#|   black cell; at 1 some rows have two or three grey ones; at 2, and more so at 4, all
#|   rows are smeared over many cells.
#| caption: The trained network (τ = 1) with sharper and with softer weights.
def tempered(tau):
    other = copy.deepcopy(trained)
    with torch.no_grad():
        other.network.decoder.attention.v /= tau
    return other


temperatures = {tau: tempered(tau) for tau in (0.25, 1, 2, 4)}
both = [(shown.source, shown.target)]
alignment(
    {f"τ = {tau}": t.attention_weights(both)[0] for tau, t in temperatures.items()},
    source=[*shown.source, "</s>"],
    target=[*shown.target, "</s>"],
    gold=shown.sure,
)

# %% [markdown]
# A target word is linked to the source word with the largest weight, and to no word if
# this is `</s>`. The **entropy** of a row says how evenly its weights are distributed:
# it is 0 if one word has all the weight, and largest if all weights are equal.

# %%
#| id: measured
#| predict: At which temperature does the network translate best? And which costs more,
#|   a sharper or a softer one?
some = corpus.test[:60]
right = [[*p.target] for p in some]
gold = [p.sure for p in some], [p.possible for p in some]


def entropies_of(weights):
    """Of each row, in nats."""
    weights = torch.from_numpy(weights)
    return -torch.special.xlogy(weights, weights).sum(dim=-1)


def measured(translator):
    weights = translator.attention_weights([(p.source, p.target) for p in some])
    written = translator.decode([p.source for p in some], longest=99)
    return (
        bleu(hypotheses=written, references=right).score,
        alignment_error_rate([strongest_links(a) for a in weights], *gold),
        float(np.mean([entropies_of(a).mean() for a in weights])),
    )


scores = {tau: measured(translator) for tau, translator in temperatures.items()}
Table(
    ["τ", f"BLEU of {len(some)} pairs", "AER", "entropy"],
    [[tau, f"{b:.1f}", f"{a:.3f}", f"{h:.2f}"] for tau, (b, a, h) in scores.items()],
)

# %% [markdown]
# Of these four temperatures, the network translates these sentences best at $\tau = 1$,
# with which it was trained: the layers after attention have learned from mixtures of
# this sharpness. Softer weights cost far more than sharper ones. The links change a
# little, although the temperature leaves the largest weight of a row the largest: it
# changes the context, and so the next state, which is the next query.

# %%
entropies = [h for _, _, h in scores.values()]
assert entropies == sorted(entropies)
best = max(b for b, _, _ in scores.values())
assert scores[1][0] == best and scores[4][0] < scores[0.25][0]
assert abs(scores[0.25][1] - scores[1][1]) < 0.05

# %% [markdown] tags=["exercise"]
# **Exercise 1 (easy): hard attention.** The paper calls its alignment *soft*. Make it
# **hard** when translating: let the network read only the source word with the highest
# score. Which temperature is that, and how much BLEU does it cost? *Hint:* try smaller
# and smaller $\tau$ in `tempered`.

# %% [markdown] tags=["solution"]
# It is the limit $\tau \to 0$. A very small $\tau$ will do.

# %% tags=["solution"]
hard = tempered(1e-4)
assert hard.attention_weights(both)[0].max(axis=1).min() > 0.999
print(f"hard {measured(hard)[0]:.1f}, soft {scores[1][0]:.1f}")

# %% [markdown] tags=["exercise"]
# **Exercise 2 (easy): the softest of all.** For $\tau \to \infty$ all source words get
# the same weight. What does the decoder then know of the source? Which older model
# knows as much? *Hint:* does the context change from step to step?

# %% [markdown] tags=["solution"]
# It knows the mean of the annotations: one vector, the same at every step. The
# [fixed-vector models](../encdec.md) have one vector, too. But they were trained with
# it, and this decoder was not.

# %% tags=["solution"]
(everywhere,) = tempered(1e6).attention_weights(both)
assert np.allclose(everywhere, 1 / everywhere.shape[1], atol=1e-6)
print(f"BLEU {measured(tempered(1e6))[0]:.1f}")

# %% [markdown] tags=["exercise"]
# **Exercise 3 (medium): which words have the most distributed weights?** For which
# French words is the entropy of the row highest? And how many English words does the
# grammar link them to? *Hint:* collect `entropies_of` by word, and `pair.sure` has the
# links.

# %% [markdown] tags=["solution"]
# Mostly pronouns, words that join clauses, and the end of the sentence. It does not
# follow that several English words decide such a word: the grammar links *vous*, *nous*
# and *ils* to one English word each. These counts do not say why their weights are
# distributed.

# %% tags=["solution"]
doubt, links = {}, {}
few = corpus.test[:200]
weights_of = trained.attention_weights([(pair.source, pair.target) for pair in few])
for pair, weights in zip(few, weights_of, strict=True):
    entropy = entropies_of(weights).tolist()
    for t, (word, h) in enumerate(zip([*pair.target, "</s>"], entropy, strict=True)):
        doubt.setdefault(word, []).append(h)
        linked = sorted(pair.source[s] for s, k in pair.sure if k == t)
        links.setdefault(word, []).append(" ".join(linked) or "none")
assert all(len({*links[word]}) == 1 for word in ("vous", "nous", "ils"))
often = {w: np.mean(s) for w, s in doubt.items() if len(s) >= 10}
first = sorted(often, key=often.get, reverse=True)[:8]
rows = []
for word in first:
    usual = max(set(links[word]), key=links[word].count)
    times = f"{links[word].count(usual)} of {len(links[word])}"
    rows.append([word, f"{often[word]:.2f}", usual, times])
Table(["word", "mean entropy", "linked most often to", "times"], rows)
