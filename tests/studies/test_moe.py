"""What the study of mixtures counts: choices by tag, work for a token, the loss."""

import pytest
import torch

from lookback.moe import Routing
from lookback.studies import moe
from lookback.studies.modern import llama
from lookback.studies.moe import BALANCE, EXPERTS, KINDS, MixtureLearner, recipe
from lookback.text.batches import sentence_batches
from lookback.text.pairs import Pair, PairCorpus, Tags
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import results

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}


def learner(kind):
    one = MixtureLearner(recipe(kind, 0))
    one.vocabularies, one.network = WORDS, one.untrained(WORDS)
    return one


def test_a_mixture_computes_what_the_dense_network_does_and_a_router():
    work = {kind: moe.multiplications(learner(kind).network) for kind in KINDS}
    sizes = {kind: learner(kind).parameters for kind in KINDS}
    c = llama(recipe("dense", 0).model)
    routers = c.N * EXPERTS * c.d_model
    assert work["mixture"] == work["no balance"] == work["dense"] + routers
    assert sizes["mixture"] == sizes["wide"] + routers
    assert work["wide"] - work["dense"] == c.N * 3 * 3 * c.d_model * c.d_ff
    norms = (2 * c.N + 1) * c.d_model
    assert work["wide"] == sizes["wide"] - norms


def test_the_balance_is_learned_in_training_alone_and_without_padding():
    batch = next(iter(sentence_batches([["a", "b"], ["c"]], WORDS["words"], tokens=20)))
    real = batch.target_mask[:, 1:]
    for kind in ("mixture", "no balance"):
        one = learner(kind)
        trained, n = one.loss(one.network.train(), batch)
        plain, m = one.loss(one.network.eval(), batch)
        assert n == m == batch.tokens == real.sum() == 5 and real.numel() == 6
        routings = one.network(batch.target[:, :-1])[3]
        losses = [moe.balance_loss(r.p[real], r.chosen[real]) for r in routings]
        expected = BALANCE * 5 * sum(losses) * (kind == "mixture")
        torch.testing.assert_close(trained - plain, expected, rtol=1e-3, atol=1e-6)


def test_choices_are_counted_by_tag_layer_and_place(monkeypatch):
    none = frozenset()
    pair = Pair(("a", "b"), ("c",), none, none, Tags(("X", "Y"), ("X",)))
    text = PairCorpus("one", "1", train=(), validation=(pair, pair), test=(), seed=0)
    monkeypatch.setattr(moe, "corpus", lambda data: text)

    def network(ids):
        assert ids.shape == (1, 3) and ids[0, 0] == WORDS["words"].start
        first = torch.tensor([[[0, 1], [2, 3], [4, 5]]])  # of <s>, a, b
        p = torch.zeros(1, 3, EXPERTS)
        return None, None, None, [Routing(p, c, p) for c in (first, 7 - first)]

    one = learner("mixture")
    one.network = network
    found = moe.usage(one)
    assert [*found] == ["X", "Y"]
    counts = torch.tensor([found["X"], found["Y"]])  # tag, layer, place, expert
    assert counts.sum() == 2 * 2 * 2 * 2
    for tag, layer, place, expert in ((0, 0, 0, 2), (0, 0, 1, 3), (1, 1, 0, 3)):
        assert counts[tag, layer, place, expert] == 2


def test_all_follow_one_recipe():
    one = recipe("dense", 1)
    for kind in KINDS:
        other = recipe(kind, 1)
        assert (other.data, other.seed) == (one.data, one.seed)
        assert (other.optimiser, other.budget) == (one.optimiser, one.budget)
    with pytest.raises(ValueError, match="no kind 'sparse'"):
        recipe("sparse", 0)


def test_every_row_is_there():
    assert all(len(results("moe").seeds(kind)) == 5 for kind in (*KINDS, "untrained"))
