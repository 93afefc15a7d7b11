"""GPT and the gated networks in the browser: logits, weights and gates are Python's."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import linear

from lookback import pretrained
from lookback.decoding import truncated
from lookback.trainer.checkpoint import path_of
from lookback.trainer.language import LanguageLearner

from .conftest import Node, near, sentences

IMPORTS = {"models": "build"}
START = """
    const { words, model } = await build(given.name, bytes(given.path));
    const numbers = (x) => (x instanceof Float64Array ? [...x] : x?.map(numbers));
    const ids = given.sentences.map((one) => one.map((word) => words.id(word)));
"""


@cache
def learner(name: str) -> LanguageLearner:
    found = pretrained(name, kind=LanguageLearner)
    found.network.double().eval()
    return found


def given(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "path": str(path_of(name)), "sentences": sentences(), **more}


def ids(name: str, words: list[str]) -> Tensor:
    vocabulary = learner(name).vocabularies["words"]
    return torch.tensor([[vocabulary.start, *vocabulary.ids(words)]])


@torch.no_grad()
def test_logits_and_every_head_of_gpt(node: Node) -> None:
    script = f"""{START}
        return ids.map((one) => {{
          model.next(one);
          return model.trail.map((at) => [at.logits, at.weights].map(numbers));
        }});
    """
    found = node(script, IMPORTS, given("gpt"))
    network: Any = learner("gpt").network
    for words, steps in zip(sentences(), found, strict=True):
        logits, weights, _ = network(ids("gpt", words))
        assert len(steps) == len(words) + 1
        for t, (row, heads) in enumerate(steps):
            near(row, logits[0, t])
            for layer, expected in zip(heads, weights, strict=True):
                near(layer, expected[0, :, t, : t + 1])


@torch.no_grad()
def test_words_hidden_from_gpt_and_a_head_of_it_switched_off(node: Node) -> None:
    """The same text again: what is kept of a prefix is of the same switches."""
    words = sentences()[4]
    script = f"""{START}
        const run = (more) => [...model.next(ids[0], 0, more)];
        const hidden = given.places;
        const off = ["self 1 3", "self 0 0"];
        return [{{}}, {{ hidden }}, {{ off }}, {{ hidden, off }}, {{}}].map(run);
    """
    found = node(script, IMPORTS, given("gpt", places=[1, 3]) | {"sentences": [words]})
    gpt: Any = learner("gpt")

    def run() -> Tensor:
        logits: Tensor = gpt.logits(gpt.network, ids("gpt", words))[0, -1]
        return logits.log_softmax(dim=-1)

    plain = run()
    with gpt.hidden(1, 3):
        hidden = run()
    with gpt.without(heads=[("self", 1, 3), ("self", 0, 0)]):
        off = run()
        with gpt.hidden(1, 3):
            both = run()
    expected = [plain, hidden, off, both, plain]
    for row, right in zip(found, expected, strict=True):
        near(row, right)
    for one, other in itertools.combinations(expected[:4], 2):
        assert (one - other).abs().max() > 1e-3


@torch.no_grad()
def test_what_is_hidden_goes_with_the_words_that_a_long_text_loses(node: Node) -> None:
    """GPT has 80 positions: of 81 words and <s> the first two do not fit."""
    words = (sentences()[9] * 3)[:81]
    script = f"""{START}
        return [[], [1], [2]].map((hidden) => [...model.next(ids[0], 0, {{ hidden }})]);
    """
    found = node(script, IMPORTS, given("gpt") | {"sentences": [words]})
    gpt: Any = learner("gpt")
    text = ids("gpt", words[2:])
    assert text.size(1) == gpt.network.config.max_positions
    plain = gpt.logits(gpt.network, text)[0, -1].log_softmax(dim=-1)
    with gpt.hidden(0):
        first = gpt.logits(gpt.network, text)[0, -1].log_softmax(dim=-1)
    for row, right in zip(found, (plain, plain, first), strict=True):
        near(row, right)


@torch.no_grad()
def test_the_maps_of_gpt_are_those_of_its_heads(node: Node) -> None:
    """Row t: what word t attends to, in one head or in the mean of the last layer's."""
    words = sentences()[4]
    script = f"""{START}
        model.next(ids[0].slice(0, 3)); // another text before it
        model.next(ids[0]);
        const of = (...which) => numbers(model.attention(...which));
        const heads = model.blocks.map((_, l) =>
          Array.from({{ length: model.h }}, (_, head) => of(String(l), String(head))));
        return [...heads.flat(), of(), of("")];
    """
    found = node(script, IMPORTS, given("gpt") | {"sentences": [words]})
    _, weights, _ = learner("gpt").network(ids("gpt", words))
    mean = weights[-1][0].mean(dim=0)
    expected = [*torch.cat(weights, dim=1)[0], mean, mean]
    for rows, own in zip(found, expected, strict=True):
        for t, (row, right) in enumerate(zip(rows, own, strict=True)):
            near(row, right[: t + 1])


def test_a_prefix_is_computed_once(node: Node) -> None:
    """What follows from it is what a model that kept nothing finds."""
    script = f"""{START}
        const one = ids[6];
        const texts = [one, one.slice(0, 5), [...one.slice(0, 3), 9], one, [], one];
        const anew = await build(given.name, bytes(given.path));
        return texts.map((text) => {{
          anew.model.trail = [];
          return [numbers(model.next(text)), numbers(anew.model.next(text))];
        }});
    """
    for kept, alone in node(script, IMPORTS, given("gpt")):
        assert kept == alone


@torch.no_grad()
@pytest.mark.parametrize(
    "options", [{"temperature": 0.5, "topK": 3}, {"topP": 0.8, "temperature": 1.5}]
)
def test_a_given_random_sequence_draws_the_same_sentence(
    node: Node, options: dict[str, float]
) -> None:
    random = torch.rand(12, generator=torch.Generator().manual_seed(1)).tolist()
    script = f"""{START}
        const next = (ids) => model.next(ids, words.entries.length);
        const drawn = given.random.values();
        const choose = sampled(() => drawn.next().value, given.options);
        return sample(next, ids[0], choose, 3, given.random.length);
    """
    imports = IMPORTS | {"decoding": "sample, sampled"}
    more = {"random": random, "options": options, "sentences": [["the"]]}
    found = node(script, imports, given("gpt") | more)
    network: Any = learner("gpt").network
    row = ids("gpt", ["the"])
    for id_, u in zip(found, random, strict=False):
        logits = network(row)[0][0, -1] / options["temperature"]
        p = truncated(logits, options.get("topK"), options.get("topP", 1.0)).softmax(-1)
        assert int((p.cumsum(0) <= u).sum()) == id_
        row = torch.cat([row, torch.tensor([[id_]])], dim=1)
    words = learner("gpt").vocabularies["words"]
    assert len(found) == len(random) or found[-1] == words.end


def gates_of(cell: Any, x: Tensor, state: Any) -> dict[str, Tensor]:
    """The gates of one step, by the equations in the docstring of the cell."""
    h = state[0] if isinstance(state, tuple) else state
    read, n = linear(x, cell.W, cell.b), cell.n
    if cell.blocks == ("i", "f", "g", "o"):
        i, f, _, o = (read + linear(h, cell.U)).chunk(4, dim=-1)
        return {"i": i.sigmoid()[0], "f": f.sigmoid()[0], "o": o.sigmoid()[0]}
    both = (read[:, : 2 * n] + linear(h, cell.U[: 2 * n])).sigmoid()[0]
    return {"r": both[:n], "z": both[n:]}


@torch.no_grad()
@pytest.mark.parametrize("name", ["lstm", "lstm-gru"])
def test_gates_states_and_logits_word_by_word(node: Node, name: str) -> None:
    script = f"""{START}
        return ids.map((one) => [...model.read(one)].map(({{ gates, h, logits }}) => [
          Object.entries(gates).map(([name, gate]) => [name, numbers(gate)]),
          numbers(h), numbers(logits),
        ]));
    """
    found = node(script, IMPORTS, given(name))
    network: Any = learner(name).network
    for words, steps in zip(sentences(), found, strict=True):
        row = ids(name, words)
        logits, _ = network(row)
        state = network.cell.begin(1)
        for t, (gates, h, scores) in enumerate(steps):
            x = network.C(row[:, t])
            expected = gates_of(network.cell, x, state)
            assert [key for key, _ in gates] == [*expected]
            for key, gate in gates:
                near(gate, expected[key])
            state = network.cell(x, state)
            near(h, (state[0] if isinstance(state, tuple) else state)[0])
            near(scores, logits[0, t])
