"""From a sentence to its tokens: lower-cased words and marks, or characters."""

import re
import unicodedata
from collections.abc import Sequence

TOKEN = re.compile(
    r"<[a-z]+>"  # <code>, <unk>: placeholders, one token each
    r"|(?:[a-z]\.){2,}"  # i.e., e.g.
    r"|\w+(?:[.'-]\w+)*"  # words and numbers: doesn't, left-hand, sys.path, 3.14
    r"|[^\w\s]"  # every other mark is one token
)

PRONOUN = "(?:je|tu|ils?|elles?|on|nous|vous|moi|toi|le|la|les|lui|leur|y|en|ce)"
# A pronoun after its verb: est-il, a-t-elle, dis-le-moi. Not arc-en-ciel.
AFTER_VERB = rf"-(?:t-)?{PRONOUN}(?=(?:-{PRONOUN})*(?![\w'-]))"
FRENCH_TOKEN = re.compile(
    r"<[a-z]+>"
    r"|(?:[a-z]\.){2,}"
    r"|(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'"  # a word that lost its vowel: l', qu'
    r"|rendez-vous(?!\w)"  # nearly always the noun
    rf"|(?<=\w){AFTER_VERB}"
    rf"|\w+(?:(?!{AFTER_VERB})[.'-]\w+)*"  # aujourd'hui, quelqu'un, grand-mère
    r"|[^\w\s]"
)
CLOSING = frozenset(".,)]}…%°")  # French sets : ; ? ! and » off with a space
OPENING = frozenset("([{")
BEGINNING = re.compile(r"(?:^|(?<=[.?!…] ))[^\w\s<]*(?:« )?[^\W\d_]")
INVISIBLE = dict.fromkeys(map(ord, "\N{ZERO WIDTH SPACE}\N{SOFT HYPHEN}"))


def tokenize(sentence: str) -> tuple[str, ...]:
    """Lower-case `sentence` and cut it into words, numbers and single marks.

    >>> tokenize("It doesn't matter (see PEP 8).")
    ('it', "doesn't", 'matter', '(', 'see', 'pep', '8', ')', '.')
    """
    return tuple(TOKEN.findall(checked(sentence).lower().replace("’", "'")))


def tokenize_french(sentence: str) -> tuple[str, ...]:
    """Like `tokenize`, and split what French writes as one word but says as two.

    An article, pronoun or conjunction that lost its vowel keeps its apostrophe; a
    pronoun after its verb keeps its hyphens.

    >>> tokenize_french("L'arbre qu'il voit est-il grand ?")
    ("l'", 'arbre', "qu'", 'il', 'voit', 'est', '-il', 'grand', '?')
    """
    plain = unicodedata.normalize("NFC", checked(sentence)).translate(INVISIBLE)
    return tuple(FRENCH_TOKEN.findall(plain.lower().replace("’", "'")))


def write_french(words: Sequence[str]) -> str:
    """The sentence that `tokenize_french` would split into these words.

    It and what follows its full stops begin with a capital; names stay lower-cased,
    since their capitals were lost. Quotation marks open and close in turn.

    >>> write_french(["l'", "arbre", "est", "-il", "grand", "?", "non", "."])
    "L'arbre est-il grand ? Non."
    """
    text, glued, inside = "", True, False
    for word in words:
        opens = word in OPENING or (word == '"' and not inside)
        inside ^= word == '"'
        alone = word not in CLOSING and (word != '"' or opens)
        enclitic = len(word) > 1 and word.startswith("-")
        text += " " * (alone and not enclitic and not glued) + word
        glued = opens or (len(word) > 1 and word.endswith("'"))
    return BEGINNING.sub(lambda match: match[0].upper(), text)


def characters(sentence: str) -> tuple[str, ...]:
    """The characters of `sentence`, spaces included; joining them undoes it.

    An accent that is a character of its own is composed with its letter (NFC).

    >>> characters("Is it?")
    ('I', 's', ' ', 'i', 't', '?')
    """
    return tuple(unicodedata.normalize("NFC", checked(sentence)))


def checked(sentence: str) -> str:
    if not isinstance(sentence, str):
        raise ValueError(f"a sentence must be a string, got {sentence!r}")
    return sentence
