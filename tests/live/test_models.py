"""The same model twice: what the scripts compute is what Python computes, to 1e-10.

Not the translations are compared, which errors leave as they are, but logits and
weights, in double precision on either side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from lookback import pretrained
from lookback.decoding import beam_search, greedy, length_penalty
from lookback.fast.beam import extended
from lookback.trainer.checkpoint import path_of
from lookback.trainer.learner import Head
from lookback.trainer.translation import TranslationLearner

from .conftest import EXACT, Node, sentences

SYSTEMS = ("encdec", "seq2seq", "bahdanau", "luong", "transformer")
SUBWORDS = ("bpe-transformer", "bpe-bahdanau")
EVERYDAY = (
    "no .",
    "where is the station ?",
    "i don't know what to do .",
    "tom bought a new camera yesterday , didn't he ?",
    "xylophones and quokkas are nineteenth-century curiosities .",
    "do you think that the children will be able to find their way home alone ?",
)
IMPORTS = {"models": "build"}
START = """
    const model = await build(given.name, bytes(given.path));
    const numbers = (x) => (x instanceof Float64Array ? [...x] : x?.map(numbers));
"""


@cache
def learner(name: str) -> Any:
    found = pretrained(name, kind=TranslationLearner)
    found.network.double().eval()
    return found


def given(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "path": str(path_of(name)), **more}


def texts(name: str) -> list[list[str]]:
    """Sentences for a model: of the grammar, or of everyday English."""
    return [s.split() for s in EVERYDAY] if name in SUBWORDS else sentences()


def ids(name: str, words: list[str]) -> tuple[Tensor, Tensor]:
    source = learner(name).sides[0]
    row = torch.tensor([[*source.ids(learner(name).cut(words)), source.end]])
    return row, torch.ones_like(row, dtype=torch.bool)


def limits(name: str, words: list[str]) -> dict[str, int]:
    target = learner(name).sides[1]
    return {
        "begin": target.start,
        "end": target.end,
        "longest": 2 * len(learner(name).cut(words)) + 12,
    }


@torch.no_grad()
def stepwise(
    name: str, words: list[str], hidden: Sequence[int] = ()
) -> tuple[list[int], list[Tensor], Tensor]:
    """The greedy translation, ids; the logits of each step; the learner's weights.

    hidden  places that the mask hides from attention
    """
    network: Any = learner(name).network
    source, mask = ids(name, words)
    mask[0, [*hidden]] = False
    (written,) = greedy(network, source, mask, **limits(name, words))
    target = torch.tensor([[limits(name, words)["begin"], *written]])
    output = network(source, mask, target)
    if name in ("encdec", "seq2seq"):
        return written, list(output[0]), torch.empty(0)
    logits, weights = output
    if name.endswith("transformer"):
        weights = weights.decoder[-1].cross_attention.mean(dim=1)
    return written, list(logits[0]), weights[0]


@pytest.mark.parametrize("name", [*SYSTEMS, *SUBWORDS])
def test_logits_and_weights_of_ten_sentences(node: Node, name: str) -> None:
    script = f"""{START}
        return given.sentences.map((words) => [...model.write(words)].map((step) =>
          [step.token, numbers(step.logits), numbers(step.weights) ?? []]));
    """
    found = node(script, IMPORTS, given(name, sentences=texts(name)))
    for words, steps in zip(texts(name), found, strict=True):
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


@pytest.mark.parametrize("name", ["transformer", *SUBWORDS])
def test_words_and_how_sure_the_model_is(node: Node, name: str) -> None:
    """The mean of ln P of the greedy translation, and of that of a beam."""
    script = f"""{START}
        return given.sentences.map((words) => {{
          const steps = [[...model.write(words)], [...model.beam(words, 3)]];
          return [model.cut(words), model.translate(words).words, steps.map(meanLogP),
                  steps.map((some) => some.map(({{ word }}) => word))];
        }});
    """
    chosen = texts(name)[:4]
    imports = IMPORTS | {"decoding": "meanLogP"}
    found = node(script, imports, given(name, sentences=chosen))
    for words, (cut, written, means, pieces) in zip(chosen, found, strict=True):
        assert cut == [*learner(name).cut(words)]
        assert written == learner(name).translate(words)
        for mean, some, size in zip(means, pieces, (1, 3), strict=True):
            assert some.pop() == "</s>"
            assert [some] == learner(name).pieces([words], size=size)
            assert mean == pytest.approx(
                learner(name).scores([words], [some])[0], abs=EXACT
            )


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


def test_model_1_translates_word_by_word(node: Node) -> None:
    model: Any = pretrained("ibm1")
    script = f"""{START}
        return given.sentences.map((words) => {{
          const steps = [...model.write(words)];
          return {{ words: steps.map((s) => s.word), p: steps.map((s) => s.p),
                    weights: steps.map((s) => [...s.weights]) }};
        }});
    """
    found = node(script, IMPORTS, given("ibm1", sentences=sentences()))
    for words, one in zip(sentences(), found, strict=True):
        written = model.translate(words)
        assert one["words"] == [*written, "</s>"]
        expected = model.attention(words, written)
        weights = torch.tensor(one["weights"], dtype=torch.double)
        apart = weights[:-1, :-1] - torch.from_numpy(expected)
        assert apart.abs().max() < EXACT
        for word, e, p in zip(written, words, one["p"], strict=False):
            t = dict(model.network.translations(e))
            assert p == pytest.approx(t[word] / sum(t.values()), abs=EXACT)


OFF = [["cross 1 2"], ["encoder 0 1"], ["self 1 3"], ["cross 0 0", "cross 0 1"]]


def named(head: str) -> Head:
    kind, layer, number = head.split()
    return kind, int(layer), int(number)


@pytest.mark.parametrize("off", OFF, ids=" + ".join)
def test_heads_switched_off(node: Node, off: list[str]) -> None:
    words, script = (
        sentences()[5],
        f"""{START}
        return [...model.write(given.words, {{ off: given.off }})].map((step) =>
          [step.token, numbers(step.logits)]);
    """,
    )
    found = node(script, IMPORTS, given("transformer", words=words, off=off))
    with_all = stepwise("transformer", words)[1]
    with learner("transformer").without(heads=map(named, off)):
        _, logits, _ = stepwise("transformer", words)
    assert (logits[0] - with_all[0]).abs().max() > 1e-3  # the heads do something
    for t, (_, row) in enumerate(found):
        difference = torch.tensor(row, dtype=torch.double) - logits[t]
        assert difference.abs().max() < EXACT


@pytest.mark.parametrize("name", ["bahdanau", "luong", "transformer", *SUBWORDS])
@pytest.mark.parametrize("places", [[2], [0, 4, 5]], ids=["one", "three"])
def test_words_hidden_from_attention(node: Node, name: str, places: list[int]) -> None:
    words, script = (
        texts(name)[4],
        f"""{START}
        const more = {{ hidden: given.places }};
        return {{
          steps: [...model.write(given.words, more)].map((step) =>
            [step.token, [...step.logits], [...step.weights]]),
          beam: [...model.beam(given.words, 3, more)].map((step) => step.word)
            .filter((word) => word !== "</s>"),
        }};
    """,
    )
    found = node(script, IMPORTS, given(name, words=words, places=places))
    model, end = learner(name), learner(name).sides[1].end
    with model.hidden(*places):
        (greedily,), (beam,) = (model.pieces([words], size=size) for size in (1, 3))
        hidden = sorted(model.places(model.cut(words)))
    written, logits, weights = stepwise(name, words, hidden)
    assert written == model.sides[1].ids(greedily) and found["beam"] == [*beam]
    assert [token for token, _, _ in found["steps"]] == [*written, end]
    for t, (_, row, weight) in enumerate(found["steps"]):
        assert [s for s in range(len(weight)) if weight[s] == 0] == hidden
        difference = torch.tensor(row, dtype=torch.double) - logits[t]
        assert difference.abs().max() < EXACT
        apart = torch.tensor(weight, dtype=torch.double) - weights[t]
        assert apart.abs().max() < EXACT


@pytest.mark.parametrize("name", [*SYSTEMS, *SUBWORDS])
@pytest.mark.parametrize(("size", "alpha", "count"), [(3, 0.0, 1), (4, 1.0, 3)])
def test_beam(node: Node, name: str, size: int, alpha: float, count: int) -> None:
    chosen = texts(name)[1:8:2]
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


@torch.no_grad()
def drawn(
    name: str, words: list[str], temperature: float, random: list[float]
) -> list[tuple[int, Tensor]]:
    """Words drawn from softmax(logits / τ) by these numbers, and the logits."""
    network: Any = learner(name).network
    state, limit = network.start(*ids(name, words)), limits(name, words)
    token, found = limit["begin"], list[tuple[int, Tensor]]()
    for u in random[: limit["longest"]]:
        logits, state = network.step(torch.tensor([token]), state)
        sums = (logits[0] / temperature).softmax(dim=0).cumsum(dim=0)
        number = torch.tensor(u, dtype=torch.double)
        token = int(torch.searchsorted(sums, number, right=True))
        found.append((token, logits[0]))
        if token == limit["end"]:
            break
    return found


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.7])
def test_words_drawn_with_given_random_numbers(node: Node, temperature: float) -> None:
    words = sentences()[5]
    generator = torch.Generator().manual_seed(5)
    random = torch.rand(80, generator=generator, dtype=torch.double).tolist()
    script = f"""{START}
        let n = 0;
        const {{ temperature }} = given;
        const choose = sampled(() => given.random[n++], {{ temperature }});
        return [...model.write(given.words, {{ choose }})].map((step) =>
          [step.token, numbers(step.logits)]);
    """
    imports = IMPORTS | {"decoding": "sampled"}
    more = {"words": words, "temperature": temperature, "random": random}
    found = node(script, imports, given("transformer", **more))
    expected = drawn("transformer", words, temperature, random)
    assert [token for token, _ in found] == [token for token, _ in expected]
    for (_, ours), (_, theirs) in zip(found, expected, strict=True):
        difference = torch.tensor(ours, dtype=torch.double) - theirs
        assert difference.abs().max() < EXACT


def mulberry(seed: int) -> float:
    """The first number of mulberry32, in whole numbers without a sign."""
    full = 2**32
    a = (seed + 0x6D2B79F5) % full
    t = (a ^ (a >> 15)) * (1 | a) % full
    t = (t + (t ^ (t >> 7)) * (61 | t)) % full ^ t
    return ((t ^ (t >> 14)) % full) / full


def test_a_seed_gives_the_same_numbers_again(node: Node) -> None:
    """Of each seed the first; the next ones are those of the seed and so many steps."""
    script = """
        return given.map((value) => {
          const next = Seed.prototype.numbers.call({ input: { value } });
          return [next(), next(), next()];
        });
    """
    seeds = ["0", "1", "7", "123456789", "4294967295"]
    found = node(script, {"player": "Seed"}, seeds)
    for seed, numbers in zip(map(int, seeds), found, strict=True):
        steps = [seed + n * 0x6D2B79F5 for n in range(3)]
        assert numbers == [mulberry(step % 2**32) for step in steps]


def test_a_file_of_another_model_is_refused(node: Node) -> None:
    wrong = given("bahdanau") | {"path": str(path_of("luong"))}
    with pytest.raises(RuntimeError, match="the file is of luong: expected bahdanau"):
        node(f"{START} return 0;", IMPORTS, wrong)


def test_other_configurations_are_refused(node: Node) -> None:
    script = """
        const seen = [];
        for (const [Model, config] of [
          [LuongTranslator, { ...given, score: "concat" }],
        ]) try { new Model({}, config); } catch ({ message }) { seen.push(message); }
        return seen;
    """
    assert node(script, {"luong": "LuongTranslator"}, {}) == [
        "score is concat: expected dot"
    ]


def kept(
    name: str, words: list[str], size: int, alpha: float
) -> tuple[list[list[tuple[list[int], float]]], Any]:
    """What each step of Python's beam keeps: ids and ln P; and the best sentence."""
    steps, prefixes = [], [((), 0.0)]

    def watch(log_p: Tensor, logits: Tensor) -> Any:
        nonlocal prefixes
        found = extended(log_p, logits)
        rows = zip(*(part[0].tolist() for part in found), strict=True)
        prefixes = [((*prefixes[parent][0], new), p) for p, parent, new in rows]
        steps.append([(list(ids), p) for ids, p in prefixes if p > -math.inf])
        return found

    options = {"size": size, "penalty": length_penalty(alpha), **limits(name, words)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookback.decoding.extended", watch)
        ((best,),) = beam_search(learner(name).network, *ids(name, words), **options)
    return steps, best


@pytest.mark.parametrize(("size", "alpha"), [(1, 0.0), (3, 0.0), (5, 1.0)])
def test_the_tree_of_a_beam_is_pythons_step_by_step(
    node: Node, size: int, alpha: float
) -> None:
    chosen = sentences()[:6]
    script = f"""{START}
        const penalty = lengthPenalty(given.alpha);
        return given.sentences.map((words) => {{
          const found = model.search(words, {{ size: given.size, penalty }});
          const columns = grow(found.steps, penalty);
          return {{ best: found.best, columns: columns.map((column) =>
            column.map(({{ parent, ...node }}) =>
              ({{ ...node, before: parent?.words ?? [] }}))) }};
        }});
    """
    imports = IMPORTS | {"decoding": "grow, lengthPenalty"}
    more = {"sentences": chosen, "size": size, "alpha": alpha}
    found = node(script, imports, given("encdec", **more))
    french, penalty = learner("encdec").sides[1], length_penalty(alpha)
    for words, tree in zip(chosen, found, strict=True):
        steps, best = kept("encdec", words, size, alpha)
        assert len(tree["columns"]) == len(steps)
        for n, (column, step) in enumerate(zip(tree["columns"], steps, strict=True)):
            assert [one["words"] for one in column] == [
                [french.entries[i] for i in path] for path, _ in step
            ]
            for rank, (one, (path, log_p)) in enumerate(zip(column, step, strict=True)):
                assert one["logP"] == pytest.approx(log_p, abs=EXACT)
                score = log_p / penalty(n + 1)
                assert one["score"] == pytest.approx(score, abs=EXACT)
                assert one["ended"] == (path[-1] == french.end)
                assert (one["rank"], one["n"]) == (rank, n)
                assert one["before"] == one["words"][:-1]
        assert tree["best"]["words"] == french.words(best.ids)
        assert tree["best"]["score"] == pytest.approx(best.score, abs=EXACT)


@pytest.mark.parametrize("name", ["bahdanau", "luong"])
def test_each_step_of_a_decoder_that_attends(node: Node, name: str) -> None:
    """Scores and contexts, too, as Python's modules compute them on the way."""
    words = sentences()[5]
    script = f"""{START}
        return [...model.write(given.words)].map((step) =>
          [step.scores, step.weights, step.context, step.logits].map((x) => [...x]));
    """
    found = node(script, IMPORTS, given(name, words=words))
    scores: list[Tensor] = []
    network: Any = learner(name).network
    attention: Any = (
        network.decoder.attention if name == "bahdanau" else network.attention
    )

    def scored(plain: Any) -> Any:
        def watched(query: Tensor, keys: Tensor) -> Tensor:
            result: Tensor = plain(query, keys)
            scores.extend(result.reshape(-1, result.size(-1)))
            return result

        return watched

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention, "scores", scored(attention.scores))
        _, logits, weights = stepwise(name, words)
    source, mask = ids(name, words)
    with torch.no_grad():
        if name == "bahdanau":
            states = network.encoder(source, mask)[0]
        else:
            states = network.start(source, mask).memory.states[0]
    steps = len(logits)
    for t, row in enumerate(found):
        right = scores[-steps:][t], weights[t], weights[t] @ states, logits[t]
        for ours, theirs in zip(row, right, strict=True):
            apart = torch.tensor(ours, dtype=torch.double) - theirs
            assert apart.abs().max() < EXACT, t


def test_phrases_are_put_together_alike(node: Node) -> None:
    model: Any = pretrained("stack_decoder")
    script = f"""{START}
        return given.sentences.map((words) => {{
          const {{ words: written, weights }} = model.translate(words);
          return {{ written, weights, score: model.model.score }};
        }});
    """
    strange = ["the", "zebra", "sleeps", "."]  # a word without a phrase is copied
    read = [*sentences(), strange]
    found = node(script, IMPORTS, given("stack_decoder", sentences=read))
    for words, one in zip(read, found, strict=True):
        (best,) = model.network.n_best(words, 1)
        assert one["written"] == [*best.words]
        if words is not strange:
            assert abs(one["score"] - best.score) < EXACT
        weights = torch.tensor(one["weights"], dtype=torch.double)
        expected = torch.tensor(model.attention(words, best.words))
        assert (weights[:, :-1] - expected).abs().max() < EXACT
