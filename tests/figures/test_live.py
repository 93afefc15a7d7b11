"""Test live figures: models and options for the script, refusals."""

from typing import Any

import pytest

from lookback.figures import Live, alignment


def live(**changed: Any) -> Live:
    options: dict[str, Any] = {
        "systems": {"encdec": "one vector", "bahdanau": "RNNsearch"},
        "sentence": ("it", "sleeps"),
        "still": alignment([[0.9, 0.1]], source=["it", "sleeps"], target=["il"]),
    }
    return Live(changed.pop("kind", "translator"), **(options | changed))


def test_what_the_page_needs() -> None:
    settings = live().settings()
    assert settings["models"] == ["encdec", "bahdanau"]
    assert settings["options"] == {
        "kind": "translator",
        "systems": {"encdec": "one vector", "bahdanau": "RNNsearch"},
        "sentence": ["it", "sleeps"],
        "first": "encdec",
        "start": "click",
    }


def test_what_is_chosen_is_said_and_what_is_empty_is_not() -> None:
    example = {"source": ["it"], "target": ["il"], "about": "short"}
    options = live(first="bahdanau", start="sight", examples=[example]).settings()[
        "options"
    ]
    assert options["first"] == "bahdanau" and options["start"] == "sight"
    assert options["examples"] == [example]
    assert "lengths" not in options and "heads" not in options
    assert live(heads=True).settings()["options"]["heads"] is True
    assert live(kind="step", at=2).settings()["options"]["at"] == 2
    assert "unsure" not in options and "verb" not in options
    told = live(unsure={"encdec": -0.5}, verb="Try it").settings()["options"]
    assert told["unsure"] == {"encdec": -0.5} and told["verb"] == "Try it"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": "painter"}, r"kind is 'painter': expected one of \('translator'"),
        ({"start": "never"}, "start is 'never': expected one of"),
        ({"first": "luong"}, r"first is 'luong': expected one of \['encdec', 'bahd"),
        ({"systems": {}}, "at least one system"),
        ({"sentence": ()}, "a sentence with words"),
    ],
)
def test_what_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        live(**changed)


def test_its_name_in_a_notebook_and_elsewhere() -> None:
    assert repr(live()) == "<live translator: encdec, bahdanau>"
