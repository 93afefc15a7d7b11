"""The same model twice: what the scripts compute is what Python computes, to 1e-10.

Not the translations are compared, which errors leave as they are, but logits and
weights, in double precision on either side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from lookback import pretrained
from lookback.decoding import beam_search, greedy, length_penalty
from lookback.fast.beam import extended
from lookback.trainer.attending import Head
from lookback.trainer.checkpoint import path_of
from lookback.trainer.translation import TranslationLearner

from .conftest import EXACT, Node, near, sentences

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
        return written, list(output[0]), torch.empty(len(output[0]), 0)
    logits, weights = output
    if name.endswith("transformer"):
        weights = weights.decoder[-1].cross_attention.mean(dim=1)
    return written, list(logits[0]), weights[0]


ATTENDING = ("bahdanau", "luong", "transformer", *SUBWORDS)
OFF = (["cross 1 2"], ["encoder 0 1"], ["self 1 3"], ["cross 0 0", "cross 0 1"])


def named(head: str) -> Head:
    kind, layer, number = head.split()
    return kind, int(layer), int(number)


@pytest.mark.parametrize(
    ("name", "places", "off"),
    [
        *((name, [], []) for name in (*SYSTEMS, *SUBWORDS)),
        *((name, [0, 4, 5], []) for name in ATTENDING),
        *(("transformer", [], off) for off in OFF),
    ],
    ids=str,
)
def test_a_translation(
    node: Node, name: str, places: list[int], off: list[str]
) -> None:
    """Logits and weights; the words of a beam, too; and how sure the model is.

    places  words that are hidden from attention
    off     heads that are switched off
    """
    script = f"""{START}
        const more = {{ hidden: given.places, off: given.off }};
        return given.sentences.map((words) => {{
          const ways = [[...model.write(words, more)], [...model.beam(words, 3, more)]];
          return {{
            steps: ways[0].map((step) =>
              [step.token, numbers(step.logits), numbers(step.weights) ?? []]),
            cut: model.cut(words), words: model.translate(words, more).words,
            means: ways.map(meanLogP),
            pieces: ways.map((some) => some.map(({{ word }}) => word)),
          }};
        }});
    """
    chosen = texts(name)[4:6] if places or off else texts(name)
    model, end = learner(name), learner(name).sides[1].end
    imports = IMPORTS | {"decoding": "meanLogP"}
    more = {"sentences": chosen, "places": places, "off": off}
    for words, one in zip(
        chosen, node(script, imports, given(name, **more)), strict=True
    ):
        plain = stepwise(name, words)[1]
        with ExitStack() as changed:
            if places:
                changed.enter_context(model.hidden(*places))
            if off:
                changed.enter_context(model.without(heads=map(named, off)))
            assert one["cut"] == [*model.cut(words)]
            assert one["words"] == model.translate(words)
            for mean, pieces, size in zip(
                one["means"], one["pieces"], (1, 3), strict=True
            ):
                ended = pieces[-1] == "</s>"
                pieces = pieces[: len(pieces) - ended]
                assert [pieces] == model.pieces([words], size=size)
                if ended:
                    score = model.scores([words], [pieces])[0]
                    assert mean == pytest.approx(score, abs=EXACT)
            hidden = sorted(model.places(model.cut(words))) if places else []
            written, logits, weights = stepwise(name, words, hidden)
        tokens = [step[0] for step in one["steps"]]
        assert tokens == [*written, end][: len(tokens)]
        assert len(tokens) == min(len(written) + 1, limits(name, words)["longest"])
        for (_, row, weight), right, looked in zip(
            one["steps"], logits, weights, strict=False
        ):
            near(row, right)
            assert len(weight) == len(looked)
            if weight:
                near(weight, looked)
                assert [s for s, w in enumerate(weight) if w == 0] == hidden
        if places or off:
            assert (logits[0] - plain[0]).abs().max() > 1e-3  # it does something


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
        near(found["encoder"][layer], own[0])
        for t, (cross, self) in enumerate(
            zip(found["cross"], found["self"], strict=True)
        ):
            near(cross[layer], both.cross_attention[0, :, t])
            near(self[layer], both.self_attention[0, :, t, : t + 1])


def test_model_1_translates_word_by_word(node: Node) -> None:
    model: Any = pretrained("ibm1")
    script = f"""{START}
        return given.sentences.map((words) => {{
          const steps = [...model.write(words)];
          return {{ words: steps.map((s) => s.word), p: steps.map((s) => s.p),
                    weights: steps.map((s) => [...s.weights]),
                    whole: model.translate(words).words }};
        }});
    """
    found = node(script, IMPORTS, given("ibm1", sentences=sentences()))
    for words, one in zip(sentences(), found, strict=True):
        written = model.translate(words)
        assert one["words"] == [*written, "</s>"] and one["whole"] == written
        expected = model.attention(words, written)
        near([row[:-1] for row in one["weights"][:-1]], torch.from_numpy(expected))
        for word, e, p in zip(written, words, one["p"], strict=False):
            t = dict(model.network.translations(e))
            assert p == pytest.approx(t[word] / sum(t.values()), abs=EXACT)


@pytest.mark.parametrize("name", [*SYSTEMS, *SUBWORDS])
def test_several_hypotheses_of_a_beam(node: Node, name: str) -> None:
    chosen, alpha, many = texts(name)[1:8:2], 1.0, {"size": 4, "count": 3}
    script = f"""{START}
        const many = {{ ...given.many, penalty: lengthPenalty(given.alpha) }};
        return given.sentences.map((words) =>
          beamSearch(model.model, model.ids(words), model.options(words, many))
            .map(({{ ids, logP, score, ended }}) => [ids, logP, score, ended]));
    """
    imports = IMPORTS | {"decoding": "beamSearch, lengthPenalty"}
    more = {"sentences": chosen, "alpha": alpha, "many": many}
    found = node(script, imports, given(name, **more))
    options = many | {"penalty": length_penalty(alpha)}
    for words, hypotheses in zip(chosen, found, strict=True):
        (expected,) = beam_search(
            learner(name).network, *ids(name, words), **limits(name, words), **options
        )
        for (written, log_p, score, ended), other in zip(
            hypotheses, expected, strict=True
        ):
            assert (tuple(written), ended) == (other.ids, other.ended)
            assert log_p == pytest.approx(other.log_p, abs=1e-9)
            assert score == pytest.approx(other.score, abs=1e-9)


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


def test_words_drawn_with_given_random_numbers(node: Node) -> None:
    words, temperatures = sentences()[5], (0.5, 1.7)
    generator = torch.Generator().manual_seed(5)
    random = torch.rand(80, generator=generator, dtype=torch.double).tolist()
    script = f"""{START}
        return given.temperatures.map((temperature) => {{
          const random = given.random.values();
          const choose = sampled(() => random.next().value, {{ temperature }});
          return [...model.write(given.words, {{ choose }})].map((step) =>
            [step.token, numbers(step.logits)]);
        }});
    """
    imports = IMPORTS | {"decoding": "sampled"}
    more = {"words": words, "temperatures": temperatures, "random": random}
    found = node(script, imports, given("transformer", **more))
    for temperature, steps in zip(temperatures, found, strict=True):
        expected = drawn("transformer", words, temperature, random)
        assert [token for token, _ in steps] == [token for token, _ in expected]
        for (_, ours), (_, theirs) in zip(steps, expected, strict=True):
            near(ours, theirs)


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


@pytest.mark.parametrize(
    ("module", "names", "script", "said"),
    [
        (
            "models",
            "build",
            'build("bahdanau", bytes(given))',
            "expected bahdanau",
        ),
        ("luong", "LuongTranslator", '{ score: "concat" }', "concat: expected dot"),
        ("lstm", "RecurrentLM", '{ cell: "rnn" }', "rnn: expected lstm or gru"),
        ("gpt", "GPT", "{ norm_first: false }", "expected pre-norm"),
        ("ngram", "NgramModel", '{ smoothing: "add-1" }', "add-1: expected Kneser"),
    ],
)
def test_another_model_or_configuration_is_refused(
    node: Node, module: str, names: str, script: str, said: str
) -> None:
    if module != "models":
        script = f"new {names}({{ C: {{}}, e: {{}}, p: {{}}, blocks: {{}} }}, {script})"
    with pytest.raises(RuntimeError, match=said):
        node(f"return {script};", {module: names}, str(path_of("luong")))


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
        patch.setattr("lookback.fast.beam.extended", watch)
        ((best,),) = beam_search(learner(name).network, *ids(name, words), **options)
    return steps, best


@pytest.mark.parametrize(("size", "alpha"), [(1, 0.0), (5, 1.0)])
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
            near(ours, theirs)


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
        expected = torch.tensor(model.attention(words, best.words))
        near([row[:-1] for row in one["weights"]], expected)
