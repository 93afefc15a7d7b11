"""The sound laws of written French, applied once to a finished sentence.

Elision: *le* + *accord* → *l' accord*. Contraction: *de* + *le* → *du*; the two words
become one, and so do their links. Euphony: *ce* + *hibou*, but *cet* + *oiseau*.
"""

from collections.abc import Sequence
from functools import cache

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


def speak(tokens: Sequence[Token]) -> list[Token]:
    """Run over the words from the last to the first: each law depends on what follows.

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
