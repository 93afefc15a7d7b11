"""Translation by rules: by hand, rule by rule, laws, refusals.

There is no reference machine: what each rule makes of a row is written out here.
"""

from itertools import permutations

import pytest

from lookback.rules import (
    RULES,
    Rule,
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
    ("english", "french"),
    [
        ("the french law", "le loi français"),
        ("the small french law", "le petit loi français"),
        ("french political law", "loi politique français"),  # the last comes first
        ("law french", "loi français"),
        ("french small law", "français petit loi"),  # no noun follows at once
        ("is french", "est français"),
        ("french kiwis", "français kiwis"),
    ],
)
def test_order(english: str, french: str) -> None:
    assert said(order(row(english))) == french


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("the law", "la loi"),
        ("the small laws", "les petites lois"),
        ("the laws french", "les lois françaises"),
        ("the law of the books", "la loi de les livres"),
        ("the law is french", "la loi est français"),  # it sees neighbours only
        ("the kiwis", "le kiwis"),
    ],
)
def test_agree(english: str, french: str) -> None:
    assert said(agree(row(english))) == french


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("laws sign", "lois signent"),
        ("must sign", "doit signer"),
        ("to sign", "à signer"),
        ("must often sign", "doit souvent signer"),
        ("must not sign", "doit pas signer"),
        ("signed", "a signé"),
        ("has signed", "a signé"),
        ("is often signed", "est souvent signé"),
        ("does sign", "signent"),  # *does* says nothing in French
        ("must mary sign", "doit marie signent"),
        ("must sign to sign signs", "doit signer à signer signe"),
        ("has signed signed", "a signé a signé"),  # an auxiliary governs one verb
    ],
)
def test_choose(english: str, french: str) -> None:
    assert said(choose(row(english))) == french


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("mary does not sign", "marie ne signent pas"),
        ("mary must not sign", "marie ne doit pas signent"),
        ("mary never signs", "marie ne signe jamais"),
        ("signs must not sign", "signe ne doit pas signent"),
        ("mary does not often sign", "marie souvent ne signent pas"),
        ("mary never signs , mary is not french",
         "marie ne signe jamais , marie ne est pas français"),
        ("not", "ne pas"),
        ("mary signs", "marie signe"),
    ],
)  # fmt: skip
def test_negate(english: str, french: str) -> None:
    assert said(negate(row(english))) == french


def test_contract() -> None:
    assert said(contract(row("near the book"))) == "près du livre"
    books = agree(row("to the books from the laws of the law"))
    assert said(contract(books)) == "aux livres des lois de la loi"
    him = [*row("of"), Word("him", "PRON", ("le",))]
    assert said(contract(him)) == "de le"  # a pronoun stays


def test_elide() -> None:
    birds = "the bird", "this bird", "beautiful bird", "of bird", "the kiwis"
    french = "l' oiseau", "cet oiseau", "bel oiseau", "d' oiseau", "le kiwis"
    assert tuple(said(elide(row(e))) for e in birds) == french
    assert said(elide(row("of does bird"))) == "d' oiseau"  # nothing is between them
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


def test_rules_are_applied_in_the_order_given() -> None:
    sentence = ["the", "law", "of", "the", "books"]
    early = RuleTranslator(DICTIONARY, [RULES[5], RULES[1]])  # contract, then agree
    assert early.translate(sentence) == ["la", "loi", "du", "livres"]
    late = RuleTranslator(DICTIONARY, [RULES[1], RULES[5]])
    assert late.translate(sentence) == ["la", "loi", "des", "livres"]


def test_no_rule_changes_the_row_that_it_reads_or_loses_a_word() -> None:
    words = row("mary has not signed the small french political laws to the bird")
    for rules in permutations(RULES, 2):
        before, now = list(words), words
        for rule in rules:
            now = rule.rewrite(now)
        assert words == before
        kept = {w.source for w in now} - {"", "the"}
        assert kept == {w.source for w in words} - {"the"}


def test_a_rule_of_ones_own() -> None:
    shout = Rule("shout", "in capitals", lambda words: [
        w._replace(forms=(w.form.upper(),)) for w in words
    ])  # fmt: skip
    assert RuleTranslator(DICTIONARY, [shout]).translate(["law"]) == ["LOI"]


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["law", "law NOUN", ""])
def test_an_entry_of_less_than_three_parts_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"is no entry: expected word, tag, transl"):
        read_dictionary([line])


def test_a_word_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'law' has two entries, the second is"):
        read_dictionary(["law NOUN,f loi", "law NOUN,m droit"])


def test_machines_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="the dictionary is empty"):
        RuleTranslator({})
    with pytest.raises(ValueError, match="expected each name once"):
        RuleTranslator(DICTIONARY, [RULES[0], RULES[0]])


@pytest.mark.parametrize("sentence", [[], "the law", [1]])
def test_what_is_no_sentence_is_refused(sentence: object) -> None:
    with pytest.raises(ValueError, match=r"no words|list of words"):
        WHOLE.translate(sentence)  # type: ignore[arg-type]


def test_a_rule_that_is_not_there_cannot_be_switched_off() -> None:
    with pytest.raises(ValueError, match=r"rule must be one of 'order', .*'nogate'"):
        WHOLE.translate(["law"], without=["nogate"])
