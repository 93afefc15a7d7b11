# %% [markdown]
# # Watching attention learn, and turning its sharpness
#
# The [chapter on attention](../bahdanau.md) shows where a trained network looks. Two
# things are left to play with. How did it come to look there? Nobody told it. And what
# if it had to look harder, or less hard, than it has learnt to?
#
# All weights here are measured: the first from one training whose steps were watched,
# the others from the network that the chapter uses.

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
# ## How it learns to look
#
# Predict before you look. The first weights of a network are small random numbers, so
# at first all scores are nearly equal. What comes first, the diagonal or the adjectives
# that come out in reverse?

# %%
#| alt: A grid of one sentence at growing numbers of training steps. At first all cells
#|   are pale; then a blurred diagonal appears; then the reversed adjectives.
#| caption: The same sentence during one training, after so many steps.
moving = results("bahdanau")["nothing exchanged"]


def after(step):
    words = {"source": moving["source"], "target": moving["target"]}
    return alignment(moving["weights"][step], **words, gold=shown.sure)


steps = {f"after {step} steps": step for step in moving["weights"]}
seen = [f"after {step} steps" for step in (100, 300, 500, 1500)]
frames(after, steps, chosen=seen)

# %% [markdown]
# First comes the word that begins the sentence, then a band around the diagonal, and
# last the adjectives. Where an order has to be turned round, the network looks at
# several places for a while before it decides. Now 200 sentences of the validation set.
# The loss is what training lowers. The alignment error it has never heard of:

# %%
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
    size=(6.4, 2.8),
)

# %% [markdown]
# ## Sharper and softer
#
# The shares are a softmax of scores. Divide the scores by a *temperature* $\tau$, and
# nothing has to be trained anew:
#
# $$\alpha_{ij} = \frac{\exp(e_{ij} / \tau)}{\sum_k \exp(e_{ik} / \tau)} \tag{1}$$
#
# Below 1 the network looks harder at its first choice, above 1 it looks around. Since
# $e_{ij} = v^\top \tanh(\dots)$, it is enough to divide $v$.


# %%
#| alt: Four grids of the same sentence. At temperature one quarter each row has one
#|   black cell; at 1 some rows are shared; at 2 and 4 all rows are smeared over many
#|   cells.
#| caption: Sharp, as trained, soft and softer.
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
# What does that do to the translations, and to the links? A link goes from each word to
# the place it looks at most; from none if that is `</s>`. The *entropy* says how many
# places a row looks at: 0 for one alone, the logarithm of their number for all alike.

# %%
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
# Either way it translates worse, and the softer by far the worse. What reads the
# contexts has learnt from mixtures of the sharpness it was trained with. Where it looks
# harder, the links change little: a temperature moves no row's highest share, only the
# state that asks next.

# %%
entropies = [h for _, _, h in scores.values()]
assert entropies == sorted(entropies)
assert scores[1][0] == max(b for b, _, _ in scores.values())

# %% [markdown] tags=["exercise"]
# **Exercise 1: hard attention.** The paper calls its alignment *soft*. Make it hard
# when translating: let the network see only the place with the highest score. Which
# temperature is that, and how much BLEU does it cost?

# %% [markdown] tags=["solution"]
# It is the limit $\tau \to 0$. A very small $\tau$ will do.

# %% tags=["solution"]
hard = tempered(1e-4)
assert hard.attention_weights(both)[0].max(axis=1).min() > 0.999
print(f"hard {measured(hard)[0]:.1f}, soft {scores[1][0]:.1f}")

# %% [markdown] tags=["exercise"]
# **Exercise 2: the softest of all.** For $\tau \to \infty$ every place gets the same
# share. What does the decoder then know of the source? Which older model has as much?

# %% [markdown] tags=["solution"]
# The mean of the annotations: one vector, the same for each word. That is all that the
# fixed-vector models have, and this decoder has never learnt to live on it.

# %% tags=["solution"]
(everywhere,) = tempered(1e6).attention_weights(both)
assert np.allclose(everywhere, 1 / everywhere.shape[1], atol=1e-6)
print(f"BLEU {measured(tempered(1e6))[0]:.1f}")

# %% [markdown] tags=["exercise"]
# **Exercise 3: which words doubt?** Which French words look at most places at once, as
# measured by the entropy of their rows?

# %% [markdown] tags=["solution"]
# Pronouns, the joints between clauses, and the end. For pronouns that is a surprise:
# the grammar links most of them to a single English word, and the weights are spread
# all the same.

# %% tags=["solution"]
doubt = {}
few = corpus.test[:200]
weights_of = trained.attention_weights([(pair.source, pair.target) for pair in few])
for pair, weights in zip(few, weights_of, strict=True):
    entropy = entropies_of(weights).tolist()
    for word, share in zip([*pair.target, "</s>"], entropy, strict=True):
        doubt.setdefault(word, []).append(share)
often = {w: np.mean(s) for w, s in doubt.items() if len(s) >= 10}
first = sorted(often, key=often.get, reverse=True)[:8]
Table(["word", "mean entropy"], [[w, f"{often[w]:.2f}"] for w in first])
