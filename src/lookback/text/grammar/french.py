"""French: the forms of nouns, adjectives and verbs, and the sound laws of a sentence.

The sound laws are applied once, to the finished sentence. Elision: *le* + *accord* →
*l' accord*. Contraction: *de* + *le* → *du*; the two words become one, and so do their
links. Euphony: *ce* + *hibou*, but *cet* + *oiseau*.
"""

from collections.abc import Sequence
from functools import cache

PERSONS = ("je", "il", "nous", "vous", "ils")  # the slots of every conjugation
IMPERFECT = ("ais", "ait", "ions", "iez", "aient")
FUTURE = ("ai", "a", "ons", "ez", "ont")


def plural(word: str) -> str:
    """loi → lois, journal → journaux, bureau → bureaux, pays → pays."""
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith("al"):
        return word[:-1] + "ux"
    return word + ("x" if word.endswith("eau") else "s")


def feminine(adjective: str) -> str:
    """européen → européenne, heureux → heureuse, financier → financière."""
    if adjective.endswith("e"):
        return adjective
    for ending, other in (
        ("er", "ère"), ("f", "ve"), ("x", "se"), ("en", "enne"), ("on", "onne"),
        ("el", "elle"),
    ):  # fmt: skip
        if adjective.endswith(ending):
            return adjective.removesuffix(ending) + other
    return adjective + "e"


def four_forms(adjective: str) -> tuple[str, str, str, str]:
    """Masculine, feminine, and the plurals of both; `a/b` gives an odd feminine."""
    masculine, _, odd = adjective.partition("/")
    woman = odd or feminine(masculine)
    return masculine, woman, plural(masculine), plural(woman)


def participle(masculine: str) -> tuple[str, str, str, str]:
    """signé → signé, signée, signés, signées; pris → pris, prise, pris, prises."""
    bare = masculine.replace("dû", "du")
    return masculine, bare + "e", plural(bare), bare + "es"


def present(infinitive: str, strong: str = "") -> tuple[str, ...]:
    """The present of regular verbs; `strong` is the stem where the stress is on it."""
    stem = infinitive[:-2]
    if infinitive.endswith("er"):
        soft = stem[:-1] + "ç" if stem.endswith("c") else stem
        soft += "e" if stem.endswith("g") else ""
        high = strong or stem
        return high + "e", high + "e", soft + "ons", stem + "ez", high + "ent"
    if infinitive.endswith("ir"):
        ends = ("is", "it", "issons", "issez", "issent")
        return tuple(stem + end for end in ends)
    return stem + "s", stem, stem + "ons", stem + "ez", stem + "ent"


def imperfect(nous: str) -> tuple[str, ...]:
    """From the nous of the present: mangeons → mangeais, mangions."""
    stem = nous.removesuffix("ons")
    before_i = stem.removesuffix("e") if stem.endswith("ge") else stem
    before_i = before_i[:-1] + "c" if before_i.endswith("ç") else before_i
    return tuple((before_i if e[0] == "i" else stem) + e for e in IMPERFECT)


def future(stem: str) -> tuple[str, ...]:
    """signer → signerai, signera, …"""
    return tuple(stem + end for end in FUTURE)


# A French word: form, part of speech, and the English positions that it comes from,
# surely and possibly. A form with `|` changes before a vowel: `beau|bel`.
Token = tuple[str, str, tuple[int, ...], tuple[int, ...]]

VOWELS = frozenset("aeiouyhàâäéèêëîïôöûùœ")
ASPIRATED = ("hibou", "héros", "huit", "onze", "hugo", "haut", "yaourt")
ELIDED = {
    "le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'", "je": "j'",
    "me": "m'",
}  # fmt: skip
CONTRACTED = {
    ("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux",
    ("de", "des"): "de",
}  # fmt: skip

YIELDING = frozenset(ELIDED) | {first for first, _ in CONTRACTED}


@cache
def begins_with_vowel(form: str) -> bool:
    """Whether le elides before this word: accord and homme, but not hibou."""
    return form[0] in VOWELS and not form.startswith(ASPIRATED)


def apply_sound_laws(tokens: Sequence[Token]) -> list[Token]:
    """Apply elision, contraction and euphony, from the last word to the first.

    A contraction waits for elision: *de* + *l'* stays, *de* + *le* becomes *du*.
    """
    spoken: list[Token] = []
    for token in reversed(tokens):
        form = token[0]
        if (form in YIELDING or "|" in form) and spoken:
            token = before_vowel(token, spoken[-1][0])
            merged = CONTRACTED.get((token[0], spoken[-1][0]))
            if merged and mergeable(token, spoken[-1]):
                token = merge(merged, token, spoken.pop())
                token = before_vowel(token, spoken[-1][0]) if spoken else token
        spoken.append(token)
    spoken.reverse()
    return spoken


def mergeable(first: Token, second: Token) -> bool:
    """A preposition melts with an article, never with a pronoun."""
    return first[1] == "ADP" and second[1] == "DET"


def before_vowel(token: Token, following: str) -> Token:
    """The form that a word takes in front of the word `following`."""
    form, tag, sure, possible = token
    plain, _, euphonic = form.partition("|")
    if not euphonic:
        euphonic = ELIDED.get(plain, "")
    if euphonic and begins_with_vowel(following):
        return euphonic, tag, sure, possible
    return (plain, tag, sure, possible) if "|" in form else token


def merge(form: str, first: Token, second: Token) -> Token:
    """One word out of two, with the links of both."""
    sure = tuple(dict.fromkeys(first[2] + second[2]))
    possible = tuple(dict.fromkeys(first[3] + second[3]))
    return form, first[1], sure, possible
