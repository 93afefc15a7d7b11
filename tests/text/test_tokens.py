"""Tokens: what a handful of sentences become."""

import sys
import unicodedata

import pytest

from lookback.text.tokens import (
    characters,
    normalize,
    tokenize,
    tokenize_french,
    write_french,
)


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("The object is mutable.", "the object is mutable ."),
        ("It doesn’t matter (see PEP 8).", "it doesn't matter ( see pep 8 ) ."),
        ("A left-hand side, i.e. a name", "a left-hand side , i.e. a name"),
        ("Use sys.path or __init__ in 3.14!", "use sys.path or __init__ in 3.14 !"),
        ("A <code> is <unk>: 1 < 2", "a <code> is <unk> : 1 < 2"),
        ("“So-called” ‘quotes’", "“ so-called ” ‘ quotes '"),
        (" \n ", ""),
    ],
)
def test_tokenize(sentence, tokens):
    assert tokenize(sentence) == tuple(tokens.split())


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("L’arbre qu'il voit", "l' arbre qu' il voit"),
        ("J'n'ai pas d'amis.", "j' n' ai pas d' amis ."),
        ("Jusqu'ici, lorsqu'on", "jusqu' ici , lorsqu' on"),
        ("puisqu'elle, quoiqu'il", "puisqu' elle , quoiqu' il"),
        ("C'est l'« été »", "c' est l' « été »"),
        ("Aujourd'hui quelqu'un", "aujourd'hui quelqu'un"),
        ("Est-il là ? A-t-elle fini ?", "est -il là ? a -t-elle fini ?"),
        ("Dis-le-moi, va-t-en !", "dis -le -moi , va -t-en !"),
        ("Qu'est-ce que c'est ?", "qu' est -ce que c' est ?"),
        ("un arc-en-ciel peut-être", "un arc-en-ciel peut-être"),
        ("la grand-mère elle-même", "la grand-mère elle-même"),
        ("ce chat-là, les sous-titres", "ce chat-là , les sous-titres"),
        ("notre rendez-vous", "notre rendez-vous"),
        ("-il - le", "- il - le"),
        ("<unk> à 3.14, i.e. rien", "<unk> à 3.14 , i.e. rien"),
        ("Va\u202f!\u200b Oui\xa0: non", "va ! oui : non"),
        ("e\u0301te\u0301", "été"),
    ],
)
def test_tokenize_french(sentence, tokens):
    assert tokenize_french(sentence) == tuple(tokens.split())


@pytest.mark.parametrize("sentence", ["Ça va ?", "l'été", "a\tb\nc", ""])
def test_characters_join_to_the_sentence(sentence):
    assert "".join(characters(sentence)) == sentence
    assert all(len(character) == 1 for character in characters(sentence))


WRITTEN_IN_MANY_WAYS = [
    ("e\u0301t", "ét"),
    ("in the sink\u00ad.", "in the sink."),
    ("\ufeffhel\u200blo \u2764\ufe0f \u202eab\x07", "hello \u2764 ab"),
    ("e\u2060\u0301", "é"),
    ("I\u2018m", "I'm"),
    ("\u2018so\u2019 `so`", "\u2018so' `so'"),  # before a word they open a quotation
    *((f"l{sign}arbre", "l'arbre") for sign in "'\u2019\u2018\u201bʼ′`´＇"),
    ("est\u2011il grand\u2010mère", "est-il grand-mère"),
    ("caf\udce9", "caf\ufffd"),  # what the shell hands over where it is no UTF-8
    ("\u2014\u2013 \u201cso\u201d 1\xa0000", "\u2014\u2013 \u201cso\u201d 1\xa0000"),
]


@pytest.mark.parametrize(("written", "plain"), WRITTEN_IN_MANY_WAYS)
def test_all_languages_and_characters_are_normalised_alike(written, plain):
    assert normalize(written) == normalize(plain) == plain
    assert "".join(characters(written)) == plain
    assert tokenize(written) == tokenize(plain)
    assert tokenize_french(written) == tokenize_french(plain)


def test_small_letters_of_capitals_and_their_accents():
    assert tokenize("İI\u0307 STRAẞE J\u030c ΟΔΟΣ οδος") == (
        "ii",
        "straße",
        "\u01f0",
        "οδοσ",
        "οδοσ",
    )


def test_what_unicode_calls_invisible_is():
    """Format characters, and control characters but white space."""
    points = map(chr, range(sys.maxunicode + 1))
    unseen = [c for c in points if unicodedata.category(c) in ("Cf", "Cc")]
    assert normalize("".join(unseen)) == "".join(filter(str.isspace, unseen))


WRITTEN = [
    "L'arbre qu'il voit est-il grand ? Non.",
    "C'est l'« été » !",
    "« Va-t-en ! » dit-elle.",
    'Elle a dit "non", puis "oui".',
    "À quelle heure (à peu près) ?",
    "Jusqu'ici : 30% des [zèbres]…",
    "Où est la gare ?",
    "Il a 3.14 € ; moi, rien.",
    "Un - deux, peut-être aujourd'hui.",
    "Été. Été ! (Été.",
    "",
]


@pytest.mark.parametrize("sentence", WRITTEN)
def test_french_words_are_written_as_people_write_them(sentence):
    assert write_french(tokenize_french(sentence)) == sentence
    assert write_french(["[zèbre]", "là"]) == "[Zèbre] là"
    assert write_french(["3", "chats"]) == "3 chats"
    assert write_french(["<unk>", "chats"]) == "<unk> chats"
