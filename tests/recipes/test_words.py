"""The front door: a trained model takes a sentence as a list of its words."""

import pytest

import lookback
from lookback import pretrained

SENTENCE = "the minister sleeps ."
TRANSLATORS = ["encdec", "bahdanau", "transformer", "bpe-transformer", "ibm1"]
DOORS = {
    **{(name, "translate"): (SENTENCE,) for name in TRANSLATORS},
    ("encdec", "decode"): ([SENTENCE],),
    ("bahdanau", "explain"): (SENTENCE,),
    ("bahdanau", "attention"): (SENTENCE, ["le"]),
    ("transformer", "attention"): (["the"], SENTENCE),
    ("bpe-bahdanau", "link"): (SENTENCE, ["le"]),
    ("stack_decoder", "translate"): (SENTENCE,),
    ("ngram", "perplexity"): (SENTENCE,),
    ("gpt", "perplexity"): ([SENTENCE],),
}


@pytest.mark.parametrize(("door", "given"), DOORS.items(), ids=map("-".join, DOORS))
def test_a_string_is_refused(door, given):
    name, method = door
    with pytest.raises(ValueError, match=f"list of words.* got .*{SENTENCE}"):
        getattr(pretrained(name), method)(*given)


def test_unknown_words_are_named():
    with pytest.warns(UserWarning, match="reads <unk> for zebra, .*bpe-transformer"):
        pretrained("bahdanau").translate(["the", "zebra", "sleeps", "."])
    with pytest.raises(ValueError, match="ibm1 does not know zebra"):
        pretrained("ibm1").translate(["the", "zebra", "sleeps", "."])


def test_the_version_is_that_of_the_package():
    assert lookback.__version__.startswith("0.")
