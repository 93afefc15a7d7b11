"""Byte-pair encoding: by hand, against the references, laws, refusals."""

import json
import pickle
import random
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from lookback import bpe as module
from lookback.bpe import (
    BPE,
    BYTES,
    RESERVED,
    SPECIALS,
    WORD,
    count_and_merge,
    merge_pair,
    words_of,
)
from lookback.fast.bpe import learn_merges
from lookback.text.vocabulary import Vocabulary

# The dictionary of algorithm 1: low 5, lower 2, newest 6, widest 3.
PAPER = ["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3
# The letters of it and the space: nothing else stands behind the specials.
LETTERS = [*" deilnorstw"]
BARE = len(SPECIALS) + len(LETTERS)
WITH_BYTES = BARE + len(BYTES)


def toy(size=BARE + 10, **told):
    return BPE.train(PAPER, size, **({"byte_fallback": False} | told))


def written(merges):
    """Merges as one line, · for the end of a word."""
    return " ".join(f"{a}+{b}".replace(" ", "·") for a, b in merges)


def babble(sentences, seed, letters="abcd", longest=9):
    """Sentences of random words over few letters, so that symbols overlap and tie."""
    dice = random.Random(seed)
    return [
        " ".join(
            "".join(dice.choices(letters, k=dice.randint(0, longest)))
            for _ in range(dice.randint(0, 7))
        )
        for _ in range(sentences)
    ]


WORDS = st.lists(st.text("ab", max_size=9) | st.text("abcdef", max_size=9), max_size=40)


# --- by hand -------------------------------------------------------------------------


def test_the_papers_dictionary_by_hand():
    # e s, s t and t · stand there 9 times each: e is the oldest letter, by code point.
    # Then es t and t ·, 9 each: t is older than es. l o, o w 7 times, l is older; of
    # n e, e w and w est·, 6 times each, e w; w i, i d and d est·, 3 times each, d.
    assert written(toy().merges) == (
        "e+s t+· es+t· l+o lo+w e+w n+ew new+est· low+· d+est·"
    )


def test_ids_by_hand():
    bpe = toy()
    assert bpe.entries[:4] == SPECIALS
    assert list(bpe.entries[4:BARE]) == LETTERS
    assert [s.replace(" ", "·") for s in bpe.entries[BARE:]] == [
        "es", "t·", "est·", "lo", "low", "ew", "new", "newest·", "low·", "dest·"
    ]  # fmt: skip
    assert len(bpe) == BARE + 10
    assert bpe.encode("newest low") == [BARE + 7, BARE + 8]
    assert bpe.encode("lower") == [
        BARE + 4, bpe.entries.index("e"), bpe.entries.index("r"), 4
    ]  # fmt: skip
    assert bpe.segment("lowest") == ["low", "est "]  # a word that was never seen
    assert bpe.segment("dst") == ["d", "s", "t "]


def test_figure_1_by_hand():
    # low, lowest, newer, wider, once each. l o, o w, w e, e r, r · stand there twice.
    bpe = BPE.train(["low lowest newer wider"], BARE + 4, byte_fallback=False)
    # er is younger than all letters, so er · waits for l o.
    assert written(bpe.merges) == "e+r l+o er+· lo+w"
    assert bpe.segment("lower") == ["low", "er "]  # as the paper says


def test_a_word_counts_as_often_as_it_stands_there():
    assert BPE.train(["ab ab cd"], 300).merges[0] == ("a", "b")
    assert BPE.train(["ab cd cd"], 300).merges[0] == ("c", "d")


def test_of_pairs_that_overlap_the_first_is_taken():
    assert merge_pair([1, 1, 1, 2, 1, 1], (1, 1), 7) == [7, 1, 2, 7]
    assert merge_pair([1, 2, 1, 2, 1], (1, 2), 7) == [7, 7, 1]
    assert merge_pair([2, 1, 1], (2, 1), 7) == [7, 1]
    assert merge_pair([], (1, 2), 7) == []
    bpe = BPE.train(["aaa"], BARE, byte_fallback=False).first(1)
    assert bpe.merges == (("a", "a"),)
    assert bpe.segment("aaaaa") == ["aa", "aa", "a", " "]


def test_a_word_ends_in_its_white_space():
    assert WORD.findall("a bc\n\n d\t ") == ["a ", "bc\n", "\n", " ", "d\t", " "]
    bpe = BPE.train(["ab ab\nab"], 400)
    assert bpe.segment("ab\nab") == ["ab\n", "ab "]
    assert bpe.segment("a\tab ") == ["a", "<0x09>", "ab ", " "]
    assert bpe.segment("") == [" "]


def test_a_strange_character_becomes_its_bytes_by_hand():
    bpe = toy(WITH_BYTES + 10, byte_fallback=True)
    # U+00E9 is C3 A9 in UTF-8, U+20AC is E2 82 AC.
    assert bpe.segment("lé") == ["l", "<0xC3>", "<0xA9>", " "]
    assert bpe.encode("€")[:3] == [4 + 0xE2, 4 + 0x82, 4 + 0xAC]
    assert bpe.merges == toy().merges


def test_without_bytes_a_strange_character_is_unknown():
    bpe = toy()
    assert bpe.encode("lé")[1] == bpe.unk == 1
    assert bpe.decode(bpe.encode("lé low")) == "l� low"


# --- against the references ----------------------------------------------------------


@given(WORDS, st.integers(0, 60))
def test_counting_anew_gives_the_merges_of_counts_that_are_updated(texts, more):
    words = Counter(word for text in [*texts, "<s> </s>"] for word in words_of(text))
    symbols = sorted({*"".join(words)})
    size = len(symbols) + more
    plain = count_and_merge(words, symbols, size)
    assert plain == learn_merges(words, symbols, size, RESERVED)


def hugging_face(text, size, bytes_=True):
    """`tokenizers` on the same words: it splits behind white space."""
    twin = Tokenizer(models.BPE(byte_fallback=bytes_, unk_token="<unk>"))
    twin.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s"), "merged_with_previous")
    specials = [*SPECIALS, *(BYTES if bytes_ else ())]
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=specials, show_progress=False
    )
    twin.train_from_iterator([sentence + " " for sentence in text], trainer)
    return twin


def merges_of(twin):
    return [tuple(pair) for pair in json.loads(twin.to_str())["model"]["merges"]]


REAL = [
    "Le café était fermé, l'été d'après aussi — naïvement.",
    "attention is all you need; all you need is attention",
    "when in doubt look intelligent\tattention is cool\n\nje suis étudiant",
    "aaaa aaaaa aaaaaa abababab bababa aabbaabb " * 3,
    "Übergrößenträger, Donaudampfschifffahrt und  zwei  Leerzeichen ",
    "я студент。我是学生 🙂🙂 e\u0301",
    "",
] * 2  # fmt: skip


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (PAPER, WITH_BYTES + 10),
        (REAL, 500),
        (REAL, 9000),
        *((babble(60, seed, "abc"[: 2 + seed % 2]), 700) for seed in range(6)),
        *((babble(200, seed, "étaoin·shrdlu", 14), 900) for seed in range(3)),
    ],
)
def test_merges_and_ids_equal_hugging_face(text, size):
    bpe, twin = BPE.train(text, size), hugging_face(text, size)
    assert list(bpe.merges) == merges_of(twin)
    assert len(bpe) == twin.get_vocab_size() <= size
    assert {s: i for i, s in enumerate(bpe.entries)} == twin.get_vocab()
    strange = [
        "loweſt ŵ",
        "zzz étudiant",
        "日本 語",
        "a\tb\n c",
        *babble(20, 99, "abcxé"),
    ]
    for sentence in [*text, *REAL, *strange]:
        assert bpe.encode(sentence) == twin.encode(sentence + " ").ids


def test_ids_equal_hugging_face_without_bytes():
    bpe, twin = toy(), hugging_face(PAPER, BARE + 10, bytes_=False)
    assert {s: i for i, s in enumerate(bpe.entries)} == twin.get_vocab()
    for sentence in ("lowest newer", "été", "low €€"):
        assert bpe.encode(sentence) == twin.encode(sentence + " ").ids


# --- laws ----------------------------------------------------------------------------

STRANGE = [
    "",
    " ",
    "   ",
    "a",
    "a ",
    " a",
    "\n",
    "\r\n\t\v\f",
    "\x00\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000",
    "low\u00a0lower\u200bnewest\ufeff",
    "👩‍👩‍👧‍👦 🇫🇷 ✊🏽",
    "e\u0301 é ﬁ İ ß ẞ Σ",
    "\ud800 \udfff \ud83d\ude00",
    "<pad> <unk> <s> </s> <0x41> <0xC3><0xA9> · </w> � ▁ Ġ @@",
    "\U0010ffff\u0000",
]


# Characters from everywhere, surrogates too, and pieces that look like symbols.
ANY_TEXT = st.lists(
    st.characters(exclude_categories=())
    | st.sampled_from([*"deilnorstw \n\u3000", "low", "est ", "<s>", "<0x41>", "🙂"])
).map("".join)


TRAINED = [
    toy(WITH_BYTES + 10, byte_fallback=True),
    BPE.train(REAL, 420),
    BPE.train(REAL, 3000),
    BPE.train([f"<s>{c} </s>{c} <pad>{c} <0x41>{c} �" for c in "abcdefg"] + REAL, 3000),
    BPE(alphabet=(), merges=()),
    BPE(alphabet=("é", "\ud800"), merges=(("é", "\ud800"),)),
]


@pytest.mark.parametrize("bpe", TRAINED, ids=lambda bpe: f"{len(bpe)}")
@pytest.mark.parametrize("text", [*STRANGE, *REAL], ids=repr)
def test_a_strange_text_comes_back(bpe, text):
    comes_back(bpe, text)


@given(st.sampled_from(TRAINED), ANY_TEXT)
def test_every_text_comes_back(bpe, text):
    comes_back(bpe, text)


def comes_back(bpe, text):
    ids = bpe.encode(text)
    assert bpe.decode(ids) == text
    assert bpe.decode(torch.tensor(ids)) == bpe.decode(np.array(ids)) == text
    assert all(type(i) is int and 4 <= i < len(bpe) for i in ids)
    assert bpe.segment(text) == [bpe.entries[i] for i in ids]


@given(st.lists(st.integers(0, 419), max_size=12))
def test_every_list_of_ids_has_a_text(ids):
    bpe = TRAINED[1]
    assert len(bpe) == 420 and isinstance(bpe.decode(ids), str)


def test_bytes_by_hand():
    bpe = TRAINED[1]
    assert bpe.decode([]) == ""
    a, accent = 4 + 0xC3, 4 + 0xA9
    assert bpe.decode([a, accent]) == "é"
    assert bpe.decode([a]) == "�"
    assert bpe.decode([accent, a, *bpe.encode("low")]) == "��low"


def test_specials_say_nothing():
    bpe = TRAINED[1]
    ids = bpe.encode("je suis")
    assert bpe.decode([bpe.start, *ids, bpe.end, bpe.pad, bpe.pad]) == "je suis"
    assert bpe.decode([bpe.unk]) == "�"
    assert (bpe.pad, bpe.unk, bpe.start, bpe.end) == (0, 1, 2, 3)


def test_the_specials_are_those_of_the_vocabulary():
    bpe = TRAINED[1]
    words, text = Vocabulary(bpe.entries), "je suis étudiant 🙂"
    assert (words.pad, words.unk, words.start, words.end) == (0, 1, 2, 3)
    assert words.ids(bpe.segment(text)) == bpe.encode(text)


def test_a_text_that_spells_a_special_is_not_one():
    bpe = TRAINED[3]
    assert len({*bpe.entries}) == len(bpe)
    for special in (*SPECIALS, "<0x41>"):
        ids = bpe.encode(special)
        assert min(ids) >= 4 + 256
        assert bpe.decode(ids) == special
    assert any(symbol.startswith("<0x") for symbol in bpe.entries[4 + 256 :])


@pytest.mark.parametrize("text", [PAPER, REAL, babble(60, 3, "ab")], ids="abc")
def test_the_order_of_sentences_does_not_matter(text):
    shuffled = random.Random(5).sample(text, len(text))
    assert BPE.train(text, 600) == BPE.train(iter(shuffled), 600)


@pytest.mark.parametrize("text", [PAPER, REAL, babble(60, 4, "ab")], ids="abc")
def test_a_shorter_list_of_merges_begins_a_longer_one(text):
    whole = BPE.train(text, 5000)
    assert len(whole) < 5000  # nothing is left to merge
    for size in range(len(whole) - len(whole.merges), len(whole) + 1, 7):
        shorter = BPE.train(text, size)
        assert shorter == whole.first(len(shorter.merges))
        assert shorter.entries == whole.entries[:size]


def test_what_is_remembered_changes_nothing(monkeypatch):
    bpe = BPE.train(REAL, 500)
    fresh = [BPE.train(REAL, 500).encode(sentence) for sentence in REAL]
    bpe.encode("je").clear()  # what is handed out is the caller's
    assert [bpe.encode(s) for s in REAL] == [bpe.encode(s) for s in REAL] == fresh
    monkeypatch.setattr(module, "CACHE_SIZE", 3)
    small = BPE.train(REAL, 500)
    assert [small.encode(s) for s in REAL] == fresh
    assert len(small._known) <= 3


def test_it_is_a_value():
    bpe = BPE.train(REAL, 500)
    bpe.encode("je suis étudiant")
    assert bpe == pickle.loads(pickle.dumps(bpe)) != bpe.first(3)
    assert hash(bpe) == hash(BPE.train(REAL, 500))
    assert repr(bpe) == "BPE(byte_fallback=True)"
    with pytest.raises(AttributeError):
        bpe.merges = ()


def test_long_words_are_cut_too():
    bpe = TRAINED[2]
    long = "abababab" * 2000
    assert bpe.decode(bpe.encode(long)) == long


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: toy(BARE - 1), rf"size is {BARE - 1}: expected {BARE} or more"),
        (lambda: toy(WITH_BYTES - 1, byte_fallback=True), f"expected {WITH_BYTES} or"),
        (lambda: BPE.train([], 500), "expected sentences, got 0 empty words"),
        (lambda: BPE.train(["", " "], 500), "expected sentences, got 3 empty words"),
        (lambda: BPE.train(["low", b"low"], 500), "a text must be a string, got"),
        (lambda: TRAINED[0].encode(["low"]), "a text must be a string, got"),
        (lambda: toy().decode([-1]), rf"ids must be from 0 to {BARE + 9}, got \[-1"),
        (lambda: toy().decode([5, BARE + 10]), "ids must be from 0 to"),
        (lambda: toy().decode([1.0]), "expected a list of ids, got"),
        (lambda: toy().decode(torch.ones(2, 3).int()), "expected a list of ids, got"),
        (lambda: toy().first(11), "expected 0 to 10 merges, got 11"),
        (lambda: BPE(("a", "b"), (("a", "x"),)), "is no merge: expected two symbols"),
        (lambda: BPE(("a", "b"), (("ab", "a"), ("a", "b"))), "is no merge"),
        (lambda: BPE(("a", "b"), (("a", "b"), ("a", "b"))), "is no merge"),
        (lambda: BPE(("<", ">", "s"), (("<", "s"), ("<s", ">"))), "'>'\\) is no merge"),
        (lambda: BPE(("a", "a"), ()), "an alphabet holds single characters"),
    ],
)  # fmt: skip
def test_input_validation(call, says):
    with pytest.raises(ValueError, match=says):
        call()
