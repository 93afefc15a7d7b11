"""The same model twice: what the scripts compute is what Python computes, to 1e-10.

Not the translations are compared, which errors leave as they are, but logits and
weights, in double precision on either side.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from lookback import pretrained
from lookback.decoding import beam_search, greedy, length_penalty
from lookback.recipes.transformer import TransformerLearner
from lookback.text.corpora import grammar
from lookback.workshop import TranslationLearner
from lookback.workshop.checkpoint import path_of

from .conftest import Node

SYSTEMS = ("encdec", "seq2seq", "bahdanau", "luong", "transformer")
EXACT = 1e-10
IMPORTS = {"models": "build"}
START = """
    const model = await build(given.name, bytes(given.path));
    const numbers = (x) => (x instanceof Float64Array ? [...x] : x?.map(numbers));
"""


@cache
def sentences() -> list[list[str]]:
    """Ten of the test set, from the shortest to the longest."""
    test = sorted((pair.source for pair in grammar(pairs=6500).test), key=len)
    places = [round(i * (len(test) - 1) / 9) for i in range(10)]
    return [list(test[place]) for place in places]


@cache
def learner(name: str) -> TranslationLearner:
    found = pretrained(name, kind=TranslationLearner)
    found.network.double().eval()
    return found


def given(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "path": str(path_of(name)), **more}


def ids(name: str, words: list[str]) -> tuple[Tensor, Tensor]:
    source = learner(name).sides[0]
    row = torch.tensor([[*source.ids(words), source.end]])
    return row, torch.ones_like(row, dtype=torch.bool)


def limits(name: str, words: list[str]) -> dict[str, int]:
    target = learner(name).sides[1]
    return {
        "begin": target.start,
        "end": target.end,
        "longest": 2 * len(words) + 12,
    }


@torch.no_grad()
def stepwise(name: str, words: list[str]) -> tuple[list[int], list[Tensor], Tensor]:
    """The greedy translation, ids; the logits of each step; the learner's weights."""
    network: Any = learner(name).network
    source, mask = ids(name, words)
    (written,) = greedy(network, source, mask, **limits(name, words))
    target = torch.tensor([[limits(name, words)["begin"], *written]])
    output = network(source, mask, target)
    if name in ("encdec", "seq2seq"):
        return written, list(output[0]), torch.empty(0)
    logits, weights = output
    if name == "transformer":
        weights = weights.decoder[-1].cross_attention.mean(dim=1)
    return written, list(logits[0]), weights[0]


@pytest.mark.parametrize("name", SYSTEMS)
def test_logits_and_weights_of_ten_sentences(node: Node, name: str) -> None:
    script = f"""{START}
        return given.sentences.map((words) => [...model.write(words)].map((step) =>
          [step.token, numbers(step.logits), numbers(step.weights) ?? []]));
    """
    found = node(script, IMPORTS, given(name, sentences=sentences()))
    for words, steps in zip(sentences(), found, strict=True):
        written, logits, weights = stepwise(name, words)
        tokens = [step[0] for step in steps]
        end = learner(name).sides[1].end
        assert tokens == [*written, end][: len(tokens)]
        assert len(tokens) == min(len(written) + 1, limits(name, words)["longest"])
        for t, (_, row, weight) in enumerate(steps):
            difference = torch.tensor(row, dtype=torch.double) - logits[t]
            assert difference.abs().max() < EXACT, (words, t)
            if weights.numel():
                apart = torch.tensor(weight, dtype=torch.double) - weights[t]
                assert apart.abs().max() < EXACT, (words, t)
            else:
                assert weight == []


def test_every_head_of_the_transformer(node: Node) -> None:
    words = sentences()[4]
    script = f"""{START}
        const steps = [...model.write(given.words)];
        const {{ heads }} = model.model.start(model.ids(given.words));
        return {{ encoder: numbers(heads), cross: steps.map((s) => numbers(s.cross)),
                 self: steps.map((s) => numbers(s.self)) }};
    """
    found = node(script, IMPORTS, given("transformer", words=words))
    network: Any = learner("transformer").network
    written = stepwise("transformer", words)[0]
    begin = limits("transformer", words)["begin"]
    with torch.no_grad():
        _, weights = network(
            *ids("transformer", words), torch.tensor([[begin, *written]])
        )
    for layer, (own, both) in enumerate(
        zip(weights.encoder, weights.decoder, strict=True)
    ):
        assert torch.allclose(
            torch.tensor(found["encoder"][layer], dtype=torch.double),
            own[0],
            atol=EXACT,
            rtol=0,
        )
        for t, (cross, self) in enumerate(
            zip(found["cross"], found["self"], strict=True)
        ):
            for head in range(len(own[0])):
                for row, expected in (
                    (cross, both.cross_attention[0, head, t]),
                    (self, both.self_attention[0, head, t, : t + 1]),
                ):
                    one = torch.tensor(row[layer][head], dtype=torch.double)
                    difference = one - expected
                    assert difference.abs().max() < EXACT


OFF = [["cross 1 2"], ["encoder 0 1"], ["self 1 3"], ["cross 0 0", "cross 0 1"]]


def silenced(network: Any, names: list[str]) -> list[Any]:
    """Hooks that set the outputs of heads to 0 before W_O."""
    hooks = []
    for name in names:
        kind, layer, head = name.split()
        side = network.encoder if kind == "encoder" else network.decoder
        block = side.layers[int(layer)]
        attention = block.cross_attention if kind == "cross" else block.self_attention
        rows = slice(int(head) * attention.d_v, (int(head) + 1) * attention.d_v)

        def silence(_: Any, inputs: tuple[Tensor], rows: slice = rows) -> Tensor:
            (heads,) = inputs
            heads = heads.clone()
            heads[..., rows] = 0
            return heads

        hooks.append(attention.W_O.register_forward_pre_hook(silence))
    return hooks


@pytest.mark.parametrize("off", OFF, ids=" + ".join)
def test_heads_switched_off(node: Node, off: list[str]) -> None:
    assert isinstance(learner("transformer"), TransformerLearner)
    words, script = (
        sentences()[5],
        f"""{START}
        return [...model.write(given.words, {{ off: given.off }})].map((step) =>
          [step.token, numbers(step.logits)]);
    """,
    )
    found = node(script, IMPORTS, given("transformer", words=words, off=off))
    with_all = stepwise("transformer", words)[1]
    hooks = silenced(learner("transformer").network, off)
    try:
        _, logits, _ = stepwise("transformer", words)
    finally:
        for hook in hooks:
            hook.remove()
    assert (logits[0] - with_all[0]).abs().max() > 1e-3  # the heads do something
    for t, (_, row) in enumerate(found):
        difference = torch.tensor(row, dtype=torch.double) - logits[t]
        assert difference.abs().max() < EXACT


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize(("size", "alpha", "count"), [(3, 0.0, 1), (4, 1.0, 3)])
def test_beam(node: Node, name: str, size: int, alpha: float, count: int) -> None:
    chosen = sentences()[1:8:2]
    script = f"""{START}
        return given.sentences.map((words) =>
          beamSearch(model.model, model.ids(words), model.options(words, {{
            size: given.size, count: given.count, penalty: lengthPenalty(given.alpha),
          }})).map(({{ ids, logP, score, ended }}) => ({{ ids, logP, score, ended }})));
    """
    imports = IMPORTS | {"decoding": "beamSearch, lengthPenalty"}
    more = {"sentences": chosen, "size": size, "alpha": alpha, "count": count}
    found = node(script, imports, given(name, **more))
    network: Any = learner(name).network
    for words, hypotheses in zip(chosen, found, strict=True):
        (expected,) = beam_search(
            network,
            *ids(name, words),
            **limits(name, words),
            size=size,
            penalty=length_penalty(alpha),
            count=count,
        )
        assert [tuple(h["ids"]) for h in hypotheses] == [h.ids for h in expected]
        for one, other in zip(hypotheses, expected, strict=True):
            assert one["logP"] == pytest.approx(other.log_p, abs=1e-9)
            assert one["score"] == pytest.approx(other.score, abs=1e-9)
            assert one["ended"] == other.ended


def test_a_file_of_another_model_is_refused(node: Node) -> None:
    wrong = given("bahdanau") | {"path": str(path_of("luong"))}
    with pytest.raises(RuntimeError, match="the file is of luong: expected bahdanau"):
        node(f"{START} return 0;", IMPORTS, wrong)


def test_other_configurations_are_refused(node: Node) -> None:
    script = """
        const seen = [];
        for (const [Model, config] of [
          [LuongTranslator, { ...given, score: "concat" }],
          [Transformer, { norm_first: true }],
        ]) try { new Model({}, config); } catch ({ message }) { seen.push(message); }
        return seen;
    """
    imports = {"luong": "LuongTranslator", "transformer": "Transformer"}
    assert node(script, imports, {}) == [
        "score is concat: expected dot",
        "expected post-norm, two vocabularies and sinusoidal positions",
    ]
