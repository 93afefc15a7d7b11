"""Choosing the next word in the browser: temperature, top-k, top-p, and the draw."""

from __future__ import annotations

import pytest
import torch

from lookback.decoding import truncated

from .conftest import Node

IMPORTS = {"decoding": "distribution, draw, write"}


def test_the_distribution_is_pythons(node: Node) -> None:
    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(40, generator=generator, dtype=torch.double)
    options = [
        {"temperature": temperature, "topP": top_p} | ({"topK": top_k} if top_k else {})
        for temperature in (0.3, 2.5)
        for top_k, top_p in ((None, 1.0), (5, 1.0), (None, 0.8), (7, 0.5))
    ]
    script = """
        const logits = Float64Array.from(given.logits);
        return given.options.map((one) => [...distribution(logits, one)]);
    """
    found = node(script, IMPORTS, {"logits": logits.tolist(), "options": options})
    for row, one in zip(found, options, strict=True):
        cut = truncated(logits / one["temperature"], one.get("topK"), one["topP"])
        assert row == pytest.approx(cut.softmax(dim=-1).tolist(), abs=1e-12)


def test_large_logits_and_temperature_0(node: Node) -> None:
    script = "return given.map(([l, o]) => [...distribution(Float64Array.from(l), o)]);"
    found = node(
        script, IMPORTS, [[[-800, 800, 799], {}], [[1, 5, 3], {"temperature": 0}]]
    )
    assert found[0] == pytest.approx([0, 0.7310585786, 0.2689414214])
    assert found[1] == [0, 1, 0]


def test_the_logarithms_of_large_logits(node: Node) -> None:
    script = "return [...logSoftmax(Float64Array.from(given))];"
    found = node(script, {"tensor": "logSoftmax"}, [-800, 800, 799])
    expected = torch.tensor([-800, 800, 799]).double().log_softmax(dim=0)
    assert found == pytest.approx(expected.tolist(), abs=1e-10)


def test_a_given_random_sequence_draws_given_words(node: Node) -> None:
    p, random = [0.2, 0.0, 0.5, 0.3], [0.0, 0.19, 0.2, 0.69, 0.71, 0.999]
    script = "return given.random.map((u) => draw(Float64Array.from(given.p), u));"
    found = node(script, IMPORTS, {"p": p, "random": random})
    cumulative = torch.tensor(p, dtype=torch.double).cumsum(0)
    right = torch.searchsorted(cumulative, torch.tensor(random).double(), right=True)
    assert found == right.tolist()


def test_writing_ends_with_the_end_or_when_it_is_too_long(node: Node) -> None:
    script = """
        const model = {
          start: () => 0,
          step: (token) => ({ logits: given.after[token], state: 0 }),
        };
        const options = { begin: 0, end: 0, longest: 5 };
        const words = (options) => [...write(model, [0], options)].map((s) => s.token);
        return [words(options), words({ ...options, longest: 2 })];
    """
    after = [[0, 2, 1], [0, 1, 2], [3, 1, 2]]  # 0 → 1 → 2 → 0
    assert node(script, IMPORTS, {"after": after}) == [[1, 2, 0], [1, 2]]


def test_words_are_drawn_until_the_end_or_until_there_are_enough(node: Node) -> None:
    script = """
        const next = (ids) => given.after[ids.at(-1)];
        const best = (logits) => logits.indexOf(Math.max(...logits));
        return [[[1], 9], [[1], 2], [[0], 9]].map(([ids, longest]) =>
          sample(next, ids, best, 0, longest));
    """
    after = [[0, 2, 1], [0, 1, 2], [3, 1, 2]]  # 1 → 2 → 0, the end; 0 → 1
    found = node(script, {"decoding": "sample"}, {"after": after})
    assert found == [[2, 0], [2, 0], [1, 2, 0]]
