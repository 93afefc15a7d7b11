"""Words are hidden and heads switched off inside a block, and nowhere after it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from lookback import pretrained
from lookback.recipes.bert import BERTLearner
from lookback.recipes.gpt import GPTLearner
from lookback.recipes.transformer import TransformerLearner
from lookback.text.corpora import Pair
from lookback.trainer.attending import Head
from lookback.trainer.translation import AttentionLearner

SOURCE = ["the", "cat", "does", "not", "see", "the", "black", "dog", "."]
TARGET = ["le", "chat", "ne", "voit", "pas", "le", "chien", "noir", "."]
ATTENDING = pytest.mark.parametrize("name", ["bahdanau", "luong", "transformer"])


def translator(name: str) -> AttentionLearner:
    return pretrained(name, kind=AttentionLearner)


@ATTENDING
def test_a_word_is_hidden_by_name_wherever_it_is_and_by_position(name: str) -> None:
    model = translator(name)
    assert (model.attention(SOURCE, TARGET) > 0).all()
    with model.hidden("the"):
        named = model.attention(SOURCE, TARGET)
    with model.hidden(5), model.hidden(0):
        placed = model.attention(SOURCE, TARGET)
    assert (named == placed).all()
    assert [s for s in range(len(SOURCE)) if (named[:, s] == 0).all()] == [0, 5]
    if name != "luong":  # its weights are rounded to 0 elsewhere
        assert (named > 0).sum() == named.size - 2 * len(TARGET)


@ATTENDING
def test_sources_of_a_batch_are_hidden_each_in_its_places(name: str) -> None:
    model = translator(name)
    sources = [SOURCE, ["the", "dog", "is", "not", "black", "."], ["not"]]
    for size in (1, 3):
        plain = model.decode(sources, size=size)
        with model.hidden("not"):
            found = model.decode(sources, size=size)
            assert found == [model.decode([one], size=size)[0] for one in sources]
        assert found != plain == model.decode(sources, size=size)


def test_the_transformers_encoder_does_not_see_it_either() -> None:
    model = pretrained("transformer", kind=TransformerLearner)
    with model.hidden("not"):
        (maps,) = model.maps([Pair(tuple(SOURCE), tuple(TARGET))])
    others = np.arange(len(SOURCE) + 1) != 3
    for weights in (maps.encoder, maps.cross):
        assert (weights[..., 3] == 0).all() and (weights[..., others] > 0).any()
    assert (maps.decoder.sum(axis=-1) > 0.99).all()


def test_what_a_sentence_has_not_is_refused() -> None:
    model = translator("bahdanau")
    for one in ("zebra", 9, -1):
        with model.hidden(one), pytest.raises(ValueError) as refused:
            model.translate(SOURCE)
        assert str(refused.value) == (
            f"there is no word {one!r} to hide in {' '.join(SOURCE)!r}: expected one "
            "of its words, or a position from 0 to 8"
        )
    assert model.translate(SOURCE)


def test_a_language_model_hides_a_word_whenever_its_text_has_it() -> None:
    gpt, text = pretrained("gpt", kind=GPTLearner), ["the", "laws", "of", "the", "bank"]
    words = gpt.vocabularies["words"]
    ids = torch.tensor([[words.start, *words.ids(text), words.end]])
    (plain,) = gpt.log_probabilities([text])
    for given, places in ((["laws"], [2]), ([2, "the"], [1, 3, 4])):
        mask = torch.ones_like(ids[:, :-1], dtype=torch.bool)
        mask[:, places] = False
        with torch.no_grad():
            p = gpt.network(ids[:, :-1], mask=mask)[0].log_softmax(dim=-1)
        expected = p[0].gather(1, ids[0, 1:, None])[:, 0]
        with gpt.hidden(*given):
            (found,) = gpt.log_probabilities([text])
        assert found == pytest.approx(expected.double().numpy(), abs=1e-5)
        assert abs(found - plain).max() > 0.1
    with gpt.hidden("laws", 7):
        written = gpt.generate(30, start=text, generator=torch.Generator())
    assert written[0][:5] == text
    for one in ("zebra", -1):
        with gpt.hidden(one), pytest.raises(ValueError, match=f"no word {one!r} to"):
            gpt.log_probabilities([text])


def test_bert_does_not_see_the_hidden_word_beside_a_gap() -> None:
    bert = pretrained("bert", kind=BERTLearner)
    gap = ["the", "dogs", "[MASK]", "seen", "by", "the", "queen", "."]
    with bert.hidden(1):
        blind = dict(bert.fill(gap))
        other = bert.fill([gap[0], "dog", *gap[2:]])
    assert blind == pytest.approx(dict(other))
    assert bert.fill(gap)[0][1] > 2 * blind.get("were", 0)


HEADS: list[tuple[str, Head]] = [
    ("transformer", ("cross", 1, 2)),
    ("transformer", ("encoder", 0, 3)),
    ("transformer", ("self", 1, 0)),
    ("gpt", ("self", 0, 1)),
    ("bert", ("encoder", 1, 3)),
]


def outputs(model: Any) -> Callable[[], torch.Tensor]:
    """What the network says of some ids."""
    ids = torch.tensor([[5, 8, 6, 9]])
    more = (ids > 0, ids) if isinstance(model, TransformerLearner) else ()

    @torch.no_grad()
    def run() -> torch.Tensor:
        logits: torch.Tensor = model.network(ids, *more)[0]
        return logits

    return run


@pytest.mark.parametrize(("name", "head"), HEADS)
def test_without_a_head_its_columns_of_w_o_do_nothing(name: str, head: Head) -> None:
    model: Any = pretrained(name)
    run, (kind, layer, _) = outputs(model), head
    other = (kind, 1 - layer, 3)
    plain = run()
    with model.without(heads=[head]):
        one = run()
        with model.without(heads=iter([other])):
            both = run()
        assert torch.equal(run(), one)
    assert torch.equal(run(), plain)
    kept = {key: value.clone() for key, value in model.network.state_dict().items()}
    for where, expected in ((head, one), (other, both)):
        attention: Any = model.attentions()[kind][where[1]]
        columns = attention.W_O.weight.data.unflatten(1, (attention.h, -1))
        columns[:, where[2]] = 0
        assert (run() - plain).abs().max() > 1e-3
        torch.testing.assert_close(run(), expected)
    model.network.load_state_dict(kept)


def test_after_an_error_all_is_as_before() -> None:
    model = pretrained("transformer", kind=TransformerLearner)
    plain = model.attention(SOURCE, TARGET)
    with (
        pytest.raises(KeyError),
        model.hidden("not"),
        model.without(heads=[("cross", 1, 0), ("cross", 1, 1)]),
    ):
        raise KeyError
    assert (model.attention(SOURCE, TARGET) == plain).all()


@pytest.mark.parametrize(
    "head", [("both", 0, 0), ("self", 2, 0), ("self", -1, 0), ("cross", 0, 4)]
)
def test_a_head_that_is_not_there_is_refused(head: Head) -> None:
    model = pretrained("transformer", kind=TransformerLearner)
    with (
        pytest.raises(ValueError) as refused,
        model.without(heads=[("self", 0, 0), head]),
    ):
        pass
    assert str(refused.value) == (
        f"there is no head {head!r}: expected 'encoder' or 'self' or 'cross', a layer "
        "from 0 to 1 and a head from 0 to 3"
    )
    assert not model.network.decoder.layers[0].self_attention.W_O._forward_pre_hooks
