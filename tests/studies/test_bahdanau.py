"""Variants of RNNsearch, equation by equation; what is noted while one is trained."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from lookback.workshop.attending import RNNSearchMaker
from lookback.workshop.looking import (
    SENTENCE,
    SHOWN,
    VARIANTS,
    Embedded,
    LateQuery,
    OutputBefore,
    Variant,
    VariantMaker,
    Watcher,
    shortened,
    varied,
)
from lookback.workshop.makers import Bench, maker_of
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import RECIPES, Budget, Data, Optimiser, Recipe
from lookback.workshop.studies import STUDIES
from lookback.workshop.translating import most
from lookback.workshop.translators import PAIRS, SHORT
from torch import Tensor, nn

from lookback.bahdanau import Decoder, RNNSearch, RNNSearchConfig
from lookback.encdec import maxout
from lookback.measure import alignment_error_rate
from lookback.text.corpora import Pair, PairCorpus
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import looking

B, S, T, WORDS = 2, 5, 4, (9, 11)
SIZES = RNNSearchConfig(m=3, n=4, k=6, l=2)
Batch = tuple[Tensor, Tensor, Tensor]


def large(module: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    return module.double()


def model(change: str = "") -> RNNSearch:
    torch.manual_seed(0)
    made = RNNSearch(SIZES, *WORDS)
    large(made)
    if change:
        other = VARIANTS[change](SIZES, WORDS[1])
        other.double().load_state_dict(made.decoder.state_dict())
        made.decoder = other
    return made


@pytest.fixture
def batch() -> Batch:
    chance = torch.Generator().manual_seed(1)
    source = torch.randint(0, WORDS[0], (B, S), generator=chance)
    mask = torch.arange(S) < torch.tensor([5, 3]).unsqueeze(1)
    return source, mask, torch.randint(0, WORDS[1], (B, T), generator=chance)


def close(one: Tensor, two: Tensor) -> None:
    torch.testing.assert_close(one, two, rtol=1e-9, atol=1e-9)


def output(decoder: Decoder, s: Tensor, y: Tensor, c: Tensor) -> Tensor:
    return decoder.W_o(maxout(decoder.U_o(s) + decoder.V_o(y) + decoder.C_o(c)))


def test_the_late_query_asks_with_the_state_that_has_read_the_word(batch: Batch):
    source, mask, target = batch
    found = model("late query")
    logits, weights = found(source, mask, target)
    decoder, h = found.decoder, found.encoder(source, mask)
    s, c = torch.tanh(decoder.W_s(h[:, 0, SIZES.n :])), h.new_zeros(B, 2 * SIZES.n)
    for t in range(T):  # s_i = GRU([e(y_{i-1}) ; c_{i-1}], s_{i-1}), then c_i with s_i
        y = decoder.e(target[:, t])
        s = decoder.cell(torch.cat([y, c], dim=-1), s)
        scores = decoder.attention.scores(s, decoder.attention.keys(h))
        alpha = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        c = (alpha.unsqueeze(1) @ h).squeeze(1)
        close(weights[:, t], alpha)
        close(logits[:, t], output(decoder, s, y, c))


def test_the_output_before_reads_the_old_state_and_looks_as_ours(batch: Batch):
    source, mask, target = batch
    ours, other = model(), model("output before")
    logits, weights = other(source, mask, target)
    close(weights, ours(source, mask, target)[1])
    state, decoder = ours.start(source, mask), ours.decoder
    for t in range(T):
        before = state.s
        _, state = ours.step(target[:, t], state)
        c = (state.weights.unsqueeze(1) @ state.annotations).squeeze(1)
        y = decoder.e(target[:, t])
        close(logits[:, t], output(decoder, before, y, c))


@pytest.mark.parametrize("change", ["late query", "output before"])
def test_variants_step_as_they_are_taught(batch: Batch, change: str):
    source, mask, target = batch
    found = model(change)
    logits, weights = found(source, mask, target)
    state = found.start(source, mask)
    for t in range(T):
        one, state = found.step(target[:, t], state)
        close(one, logits[:, t])
        close(state.weights, weights[:, t])
        assert weights[:, t][~mask].eq(0).all()


def test_an_embedded_annotation_knows_its_word_alone(batch: Batch):
    source, mask, _ = batch
    encoder = large(Embedded(SIZES, WORDS[0]))
    found = encoder(source, mask)
    assert found.shape == (B, S, 2 * SIZES.n)
    close(found, encoder.L(encoder.e(source)))
    turn = torch.tensor([4, 2, 0, 3, 1])
    close(encoder(source[:, turn], mask[:, turn]), found[:, turn])
    with pytest.raises(ValueError, match="mask is False everywhere"):
        encoder(source, mask & False)


def test_a_variant_is_one_of_those_that_there_are():
    with pytest.raises(
        ValueError, match="no variant 'late': did you mean 'late query'"
    ):
        Variant(3, 4, 6, 2, change="late")
    with pytest.raises(ValueError, match="n must be a whole number"):
        Variant(3, 0, 6, 2, change="late query")


def words(*entries: str) -> Vocabulary:
    return Vocabulary.build([entries])


@pytest.mark.parametrize(
    ("change", "decoder"),
    [("", Decoder), ("late query", LateQuery), ("output before", OutputBefore),
     ("embedded", Decoder)],
)  # fmt: skip
def test_the_maker_exchanges_one_part(change: str, decoder: type):
    roles = {"source": words("a", "b"), "target": words("x", "y", "z")}
    made = VariantMaker().module(Variant(3, 4, 6, 2, change=change), roles)
    assert type(made.decoder) is decoder
    assert isinstance(made.encoder, Embedded) == (change == "embedded")
    torch.manual_seed(5)
    made = VariantMaker().module(Variant(3, 4, 6, 2, change=change), roles)
    torch.manual_seed(5)
    ours = VariantMaker().module(
        Variant(3, 4, 6, 2), roles
    )  # begins with these weights
    pairs = zip(made.decoder.parameters(), ours.decoder.parameters(), strict=True)
    assert all(torch.equal(one, two) for one, two in pairs)
    assert made.encoder.e.num_embeddings == len(roles["source"])
    assert made.decoder.e.num_embeddings == len(roles["target"])


def pair(source: str, target: str) -> Pair:
    links = frozenset((n, n) for n in range(len(source.split())))
    return Pair(tuple(source.split()), tuple(target.split()), links, links)


TEXT = tuple(
    pair(s, t)
    for s, t in [("a b", "x y"), ("b a c", "y x z"), ("c", "z"), ("a c b", "x z y")]
)


def test_a_watcher_notes_what_the_model_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(looking, "SHOWN", (4, 8))
    text = PairCorpus("t", "1", TEXT, TEXT[:2], TEXT[2:])
    asked = Recipe(
        Data("t"), 0, Variant(3, 4, 6, 2), Optimiser("adam", 0.01),
        Budget(8, 20, evaluate_every=2),
    )  # fmt: skip
    watcher = Watcher(TEXT[:3], TEXT[3])
    bench = Bench(torch.device("cpu"), tmp_path / "state", Ranks(), progress=False)
    made = watcher.train(asked, text, bench)
    assert watcher.at == [2, 4, 6, 8]
    assert [e.step for e in made.log.evaluations] == watcher.at
    assert watcher.losses == [round(e.score, 4) for e in made.log.evaluations]
    assert list(watcher.kept) == ["4", "8"]
    for rows in watcher.kept.values():
        assert [len(row) for row in rows] == [3, 3, 3]  # </s> is on neither side
    if made.log.evaluations[-1].best:  # then the model is that of the last note
        both = [(p.source, p.target) for p in TEXT]
        *looked, last = watcher.looks(made.model, made.vocabularies, both)
        gold = [p.sure for p in TEXT[:3]]
        error = alignment_error_rate([most(w) for w in looked], gold, gold)
        assert watcher.errors[-1] == round(error, 4)
        expected = torch.tensor(last[:-1, :-1])
        assert (torch.tensor(watcher.kept["8"]).double() - expected).abs().max() < 1e-3
    else:
        pytest.fail("the last step should be the best: choose another rate")


def test_variants_differ_in_nothing_else():
    base, looks = RECIPES["bahdanau"], STUDIES["looking"].cases
    assert [recipe.model.change for recipe in looks.values()] == ["", "output before",
        "late query", "embedded"]  # fmt: skip
    for recipe in looks.values():
        assert recipe == replace(varied(""), model=recipe.model)
        assert replace(recipe, model=base.model, budget=base.budget) == base
        sizes = RNNSearchConfig(*(getattr(recipe.model, x) for x in "mnkl"))
        assert sizes == base.model
        assert recipe.budget.steps == SHOWN[-1] < base.budget.steps
        assert isinstance(maker_of(recipe), RNNSearchMaker)


def test_short_recipes_differ_in_data_and_steps():
    for label, recipe in STUDIES["short_sentences"].cases.items():
        name = "encdec" if label.startswith(looking.FIXED) else "bahdanau"
        whole = RECIPES[name]
        assert recipe.data == SHORT
        assert recipe == shortened(name, recipe.budget.steps, recipe.seed)
        budget = replace(recipe.budget, steps=whole.budget.steps)
        same = replace(recipe, data=PAIRS, seed=whole.seed, budget=budget)
        assert same == whole
    assert {r.seed for r in STUDIES["short_sentences"].cases.values()} == {0, 1, 2}


def test_the_sentence_shown_turns_three_adjectives_around():
    pair = looking.shown()
    assert " ".join(pair.source) == SENTENCE
    goes = dict(pair.sure)
    assert [goes[place] for place in (1, 2, 3, 4)] == [4, 3, 2, 1]
