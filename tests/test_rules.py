"""Translation by rules: by hand, rule by rule, laws, refusals.

There is no reference machine: what each rule makes of a row is written out here.
"""

from itertools import permutations

import pytest

from kit import refuses
from lookback.rules import (
    RULES,
    RuleTranslator,
    Word,
    agree,
    choose,
    contract,
    elide,
    entry,
    negate,
    order,
    read_dictionary,
)

ENTRIES = """
the DET le/la/les/les
this DET ce/cette/ces/ces
law NOUN,f loi
laws NOUN,fp lois
bird NOUN,m oiseau
book NOUN,m livre
books NOUN,mp livres
small ADJ,before petit/petite/petits/petites
beautiful ADJ,before beau/belle/beaux/belles
french ADJ français/française/français/françaises
political ADJ politique/politique/politiques/politiques
is AUX est
has AUX a
must AUX doit
does AUX -
not PART pas
never ADV jamais
often ADV souvent
sign VERB signent/signer
signs VERB signe
signed VERB +a signé
to ADP à
from ADP de
near ADP près de
mary PROPN marie
of ADP de
, PUNCT ,
"""
DICTIONARY = read_dictionary(ENTRIES.strip().splitlines())
BARE = RuleTranslator(DICTIONARY, [])
WHOLE = RuleTranslator(DICTIONARY)


def row(sentence: str) -> list[Word]:
    return BARE.look_up(sentence.split())


def said(words: list[Word]) -> str:
    return " ".join(word.form for word in words if word.forms)


# --- the dictionary ------------------------------------------------------------------


def test_an_entry_by_hand() -> None:
    assert entry("law", "NOUN,f", "loi") == (Word("law", "NOUN", ("loi",), 1),)
    assert entry("laws", "NOUN,fp", "lois")[0].chosen == 3
    assert entry("books", "NOUN,mp", "livres")[0].chosen == 2
    (small,) = entry("small", "ADJ,before", "petit/petite")
    assert small.mark == "before" and small.forms == ("petit", "petite")
    helper, done = entry("signed", "VERB", "+a", "signé")
    assert (helper.form, helper.mark, done.form, done.mark) == (
        "a",
        "added",
        "signé",
        "",
    )
    assert entry("does", "AUX", "-") == (Word("does", "AUX", ()),)
    assert [w.form for w in entry("near", "ADP", "près", "de")] == ["près", "de"]


def test_a_form_that_is_missing_is_the_last() -> None:
    assert Word("x", "ADJ", ("a", "b"), 3).form == "b"
    assert Word("x", "ADJ", ("a", "b"), 1).form == "b"
    assert Word("x", "ADJ", ("a", "b")).form == "a"
    assert Word("x", "AUX", (), 1).form == ""


def test_without_rules_each_word_is_looked_up() -> None:
    found = BARE.translate(["the", "french", "laws", ",", "mary", "signed", "kiwis"])
    assert found == ["le", "français", "lois", ",", "marie", "a", "signé", "kiwis"]
    assert BARE.look_up(["kiwis"]) == [Word("kiwis", "X", ("kiwis",))]


# --- each rule by hand ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "english", "french"),
    [
        (order, "the french law", "le loi français"),
        (order, "the small french law", "le petit loi français"),
        (order, "french political law", "loi politique français"),  # last comes first
        (order, "law french", "loi français"),
        (order, "french small law", "français petit loi"),  # no noun follows at once
        (order, "is french", "est français"),
        (agree, "the law", "la loi"),
        (agree, "the small laws", "les petites lois"),
        (agree, "the laws french", "les lois françaises"),
        (agree, "the law of the books", "la loi de les livres"),
        (agree, "the law is french", "la loi est français"),  # it sees neighbours only
        (agree, "the kiwis", "le kiwis"),
        (choose, "laws sign", "lois signent"),
        (choose, "to sign", "à signer"),
        (choose, "must often sign", "doit souvent signer"),
        (choose, "must not sign", "doit pas signer"),
        (choose, "signed", "a signé"),
        (choose, "has signed", "a signé"),
        (choose, "is often signed", "est souvent signé"),
        (choose, "does sign", "signent"),  # *does* says nothing in French
        (choose, "must mary sign", "doit marie signent"),
        (choose, "must sign to sign signs", "doit signer à signer signe"),
        (choose, "has signed signed", "a signé a signé"),  # it governs one verb
        (negate, "mary does not sign", "marie ne signent pas"),
        (negate, "mary must not sign", "marie ne doit pas signent"),
        (negate, "mary never signs", "marie ne signe jamais"),
        (negate, "signs must not sign", "signe ne doit pas signent"),
        (negate, "mary does not often sign", "marie souvent ne signent pas"),
        (negate, "mary never signs , mary is not french",
         "marie ne signe jamais , marie ne est pas français"),
        (negate, "not", "ne pas"),
        (negate, "mary signs", "marie signe"),
        (contract, "near the book", "près du livre"),
        (elide, "the bird", "l' oiseau"),
        (elide, "this bird", "cet oiseau"),
        (elide, "beautiful bird", "bel oiseau"),
        (elide, "the kiwis", "le kiwis"),
        (elide, "of does bird", "d' oiseau"),  # nothing is between them
    ],
)  # fmt: skip
def test_a_rule_by_hand(rule, english: str, french: str) -> None:
    assert said(rule(row(english))) == french


def test_what_is_contracted() -> None:
    books = agree(row("to the books from the laws of the law"))
    assert said(contract(books)) == "aux livres des lois de la loi"
    him = [*row("of"), Word("him", "PRON", ("le",))]
    assert said(contract(him)) == "de le"  # a pronoun stays
    assert elide([]) == []


# --- the whole machine ---------------------------------------------------------------


def test_the_machine_by_hand() -> None:
    sentence = "mary has not signed the small french political law of the bird"
    steps = WHOLE.steps(sentence.split())
    assert [*steps] == ["dictionary", *(rule.name for rule in RULES)]
    assert said(steps["dictionary"]).startswith("marie a pas a signé le petit français")
    assert " ".join(WHOLE.translate(sentence.split())) == (
        "marie n' a pas signé la petite loi politique française de l' oiseau"
    )
    book = WHOLE.translate(["mary", "signs", "the", "law", "of", "the", "book"])
    assert " ".join(book) == "marie signe la loi du livre"


def test_a_rule_that_is_switched_off_does_nothing() -> None:
    sentence = ["the", "french", "laws"]
    off = WHOLE.translate(sentence, without=["agree"])
    assert off == ["le", "lois", "français"]
    assert "agree" not in WHOLE.steps(sentence, without=["agree"])
    assert WHOLE.translate(sentence, [r.name for r in RULES]) == BARE.translate(
        sentence
    )


def test_no_rule_changes_the_row_that_it_reads_or_loses_a_word() -> None:
    words = row("mary has not signed the small french political laws to the bird")
    for rules in permutations(RULES, 2):
        before, now = list(words), words
        for rule in rules:
            now = rule.rewrite(now)
        assert words == before
        kept = {w.source for w in now} - {"", "the"}
        assert kept == {w.source for w in words} - {"the"}


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: read_dictionary(["law"]), "is no entry: expected word, tag, transl"),
        (lambda: read_dictionary(["law NOUN"]), "is no entry"),
        (lambda: read_dictionary([""]), "is no entry"),
        (lambda: read_dictionary(["law NOUN loi"] * 2), "'law' has two entries, the s"),
        (lambda: RuleTranslator({}), "the dictionary is empty"),
        (lambda: RuleTranslator(DICTIONARY, [RULES[0]] * 2), "expected each name once"),
        (lambda: WHOLE.translate([]), "no words: expected at least one"),
        (lambda: WHOLE.translate("the law"), "expected a list of words"),
        (lambda: WHOLE.translate([1]), "expected a list of words"),
        (lambda: WHOLE.translate(["law"], ["nogate"]), "rule must be one of 'order'"),
    ],
)
def test_refusals(call, says: str) -> None:
    with refuses(says):
        call()
