"""Translation by rules: a dictionary, and rules that rewrite what it gives.

Every word of a sentence is looked up, in its order; then each rule in turn reads the
row of words and returns another. A rule may move words, choose among the forms of one,
leave one out or put one in. The machine that Georgetown University and IBM showed in
1954 had 250 words and six rules; this one has six as well, from English to French.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from lookback.checks import one_of
from lookback.ngram import as_words

__all__ = ["RULES", "Rule", "RuleTranslator", "Word", "read_dictionary"]

UNKNOWN = "X"  # the tag of a word that the dictionary lacks
VERBS = ("AUX", "VERB")
BEFORE = "before"  # the mark of an adjective that precedes its noun
ADDED = "added"  # the mark of a word that only a tense needs: the *a* of *a signé*
VOWELS = frozenset("aeiouyhàâäéèêëîïôöûùœ")
ELIDED = {
    "le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'", "je": "j'",
    "ce": "cet", "ma": "mon", "sa": "son", "beau": "bel", "nouveau": "nouvel",
    "vieux": "vieil",
}  # fmt: skip
CONTRACTED = {
    ("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux",
}  # fmt: skip


class Word(NamedTuple):
    """A word of the translation, with all forms that it may have.

    source  the source word that it translates; "" for a word that a rule has put in
    tag     its part of speech, from the dictionary
    forms   one form, or several of which one is written; () if nothing is written
    chosen  the index of the form that is written. Of a noun, its gender and number: 0
            masculine singular, 1 feminine singular, 2 masculine plural, 3 feminine
            plural; the rule `agree` copies it to articles and adjectives
    mark    "before" (an adjective that precedes its noun), "added", or ""
    """

    source: str
    tag: str
    forms: tuple[str, ...]
    chosen: int = 0
    mark: str = ""

    @property
    def form(self) -> str:
        """The form that is written; "" if nothing is."""
        return self.forms[min(self.chosen, len(self.forms) - 1)] if self.forms else ""


Words = list[Word]


class Rule(NamedTuple):
    """A name, what the rule does in one line, and the function that does it."""

    name: str
    about: str
    rewrite: Callable[[Words], Words]


def order(words: Words) -> Words:
    """Adjectives follow their noun, the last first, unless marked `before`."""
    row: Words = []
    waiting: Words = []
    for word in words:
        if word.tag == "ADJ" and word.mark != BEFORE:
            waiting.append(word)
        else:
            noun = word.tag == "NOUN"
            row += [word, *reversed(waiting)] if noun else [*waiting, word]  # (2)
            waiting = []
    return row + waiting


def agree(words: Words) -> Words:
    """Articles and adjectives around a noun take its gender and number."""
    row = list(words)
    for n, noun in enumerate(words):
        if noun.tag == "NOUN":
            for step, tags in ((-1, ("DET", "ADJ", "NUM")), (1, ("ADJ",))):
                i = n + step
                while 0 <= i < len(row) and row[i].tag in tags:
                    row[i] = row[i]._replace(chosen=noun.chosen)
                    i += step
    return row


def choose(words: Words) -> Words:
    """After an auxiliary or *to* a verb has its second form and adds no word."""
    row: Words = []
    after = False  # an auxiliary or *to*
    for word in words:
        if after and word.mark == ADDED:
            continue
        if word.tag == "VERB" and word.mark != ADDED:
            row.append(word._replace(chosen=int(after)))
            after = False
        else:
            row.append(word)
            governs = (word.tag == "AUX" and word.forms) or word.source == "to"
            after = bool(governs) or (after and word.tag in ("ADV", "PART"))
    return row


def negate(words: Words) -> Words:
    """*Not*, *never*: *ne* before the finite verb, *pas* or *jamais* after it."""
    row = list(words)
    for index in [n for n, w in enumerate(words) if w.source in ("not", "never")]:
        n = index + len(row) - len(words)  # a *ne* has been put in for each before
        word = row.pop(n)
        if n and row[n - 1].tag == "AUX" and row[n - 1].forms:
            n -= 1
        while n < len(row) and row[n].tag not in VERBS:
            n += 1
        row[n : n + 1] = [Word("", "ADV", ("ne",)), *row[n : n + 1], word]  # (3)
    return row


def elide(words: Words) -> Words:
    """Before a vowel *le* becomes *l'*, *ce* becomes *cet*."""
    row = [word for word in words if word.forms]
    for n, follower in enumerate(row[1:]):
        if row[n].form in ELIDED and follower.form[0] in VOWELS:
            row[n] = row[n]._replace(forms=(ELIDED[row[n].form],))
    return row


def contract(words: Words) -> Words:
    """*De* and *le* become *du*, *à* and *les* become *aux*."""
    row: Words = []
    for word in words:
        pair = (row[-1].form, word.form) if row else ("", "")
        if pair in CONTRACTED and word.tag == "DET":
            row[-1] = row[-1]._replace(forms=(CONTRACTED[pair],))
        else:
            row.append(word)
    return row


RULES = (
    Rule("order", "adjectives after the noun", order),
    Rule("agree", "articles and adjectives agree with the noun", agree),
    Rule("choose", "infinitive or participle after an auxiliary", choose),
    Rule("negate", "ne … pas around the verb", negate),
    Rule("elide", "le + accord = l' accord", elide),
    Rule("contract", "de + le = du", contract),
)
"""The six rules, in the order in which they are applied."""


def read_dictionary(lines: Iterable[str]) -> dict[str, tuple[Word, ...]]:
    """A dictionary from lines: a word, its tag, and the words that translate it.

    After the tag and a comma: m, f, mp or fp, the gender and number of a noun; or
    `before`, for an adjective that precedes its noun. In the translation / separates
    the forms of a word, + marks a word that only a tense needs, and - is no word.
    Raises ValueError for a line of fewer than three parts, and for a word twice.
    """
    found: dict[str, tuple[Word, ...]] = {}
    for line in lines:
        source, *rest = line.split() or [""]
        if len(rest) < 2:
            raise ValueError(f"{line!r} is no entry: expected word, tag, translation")
        if source in found:
            raise ValueError(f"{source!r} has two entries, the second is {line!r}")
        found[source] = entry(source, *rest)
    return found


def entry(source: str, code: str, *translation: str) -> tuple[Word, ...]:
    """The words that translate `source`: one line of `read_dictionary`.

    code         the tag, and what follows it after a comma
    translation  the words, with / and + and - as there
    """
    tag, _, mark = code.partition(",")
    chosen = ("f" in mark) + 2 * ("p" in mark) if tag == "NOUN" else 0
    words: Words = []
    for text in translation:
        forms = () if text == "-" else tuple(text.lstrip("+").split("/"))
        sign = ADDED if text[0] == "+" else mark if mark == BEFORE else ""
        words.append(Word(source, tag, forms, chosen, sign))
    return tuple(words)


class RuleTranslator:
    """A dictionary and an ordered list of rules.   After Hutchins 2004.

    >>> french = "french ADJ français/française/français/françaises"
    >>> entries = ["the DET le/la/les/les", "law NOUN,f loi", french]
    >>> RuleTranslator(read_dictionary(entries)).translate(["the", "french", "law"])
    ['la', 'loi', 'française']
    """

    def __init__(
        self,
        dictionary: Mapping[str, Sequence[Word]],
        rules: Iterable[Rule] = RULES,
    ) -> None:
        """dictionary  word → the words that translate it;  rules  in their order

        Raises ValueError for an empty dictionary, and for two rules of one name.
        """
        self.dictionary, self.rules = dictionary, tuple(rules)
        if not dictionary:
            raise ValueError("the dictionary is empty: expected at least one word")
        if len({rule.name for rule in self.rules}) < len(self.rules):
            raise ValueError(
                f"rules are {[r.name for r in self.rules]}: expected each name once"
            )

    def look_up(self, sentence: Sequence[str]) -> Words:
        """The words of the dictionary; one that it lacks is copied, its tag X."""
        words = as_words(sentence)
        if not words:
            raise ValueError("the sentence has no words: expected at least one")
        row: Words = []
        for word in words:
            row += self.dictionary.get(word, [Word(word, UNKNOWN, (word,))])
        return row

    def steps(
        self, sentence: Sequence[str], without: Collection[str] = ()
    ) -> dict[str, Words]:
        """The row of words after the dictionary and after each rule, by its name.

        without  names of rules that are switched off
        """
        for name in without:
            one_of([rule.name for rule in self.rules], rule=name)
        row = self.look_up(sentence)
        found = {"dictionary": row}
        for rule in self.rules:  # (1)
            if rule.name not in without:
                row = found[rule.name] = rule.rewrite(row)
        return found

    def translate(
        self, sentence: Sequence[str], without: Collection[str] = ()
    ) -> list[str]:
        """The translation, word by word; see `steps`."""
        *_, row = self.steps(sentence, without).values()
        return [word.form for word in row if word.forms]
