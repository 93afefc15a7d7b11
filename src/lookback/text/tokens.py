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
INVISIBLE = re.compile(
    # Cf, Default_Ignorable_Code_Point, and Cc but white space, as ranges: versions of
    # Unicode differ. Soft hyphen, zero width space, marks of direction, BOM, …
    "[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f"
    "\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
APOSTROPHE = re.compile(
    # typographic, modifier letters, primes, accents that stand alone, full width
    "[\xb4\u02b9\u02bb-\u02bd\u02ca\u02cb\u055a\u1fbd\u1fbf\u2019\u2032\u2035\ua78b"
    "\ua78c\uff07]"
    r"|(?<=\w)[`‘‛]"  # before a word these open a quotation
)
HYPHEN = re.compile("[\u2010\u2011\ufe63\uff0d]")  # also one that breaks no line
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character: bytes that were no UTF-8


def normalize(text: str) -> str:
    r"""Write in one way what people type, paste and store in several.

    Invisible characters are left out; a letter and its accent are one character (NFC),
    a dot that the letter i has already is none; apostrophes become ' and hyphens -.
    What `docs/live/tokens.js` reads is written the same.

    >>> normalize("\ufeffI‘m at the cafe\u0301 on the co\u00adast, l’arbre est\u2011il")
    "I'm at the café on the coast, l'arbre est-il"
    """
    visible = INVISIBLE.sub("", text).replace("i\u0307", "i")
    plain = APOSTROPHE.sub("'", unicodedata.normalize("NFC", visible))
    return SURROGATE.sub("\ufffd", HYPHEN.sub("-", plain))


def lower(text: str) -> str:
    """The normalised text in small letters; of the two small sigmas, σ."""
    return normalize(text.lower().replace("ς", "σ"))


def tokenize(sentence: str) -> tuple[str, ...]:
    """Normalise and lower-case `sentence`, and cut it into words and single marks.

    >>> tokenize("It doesn't matter (see PEP 8).")
    ('it', "doesn't", 'matter', '(', 'see', 'pep', '8', ')', '.')
    """
    return tuple(TOKEN.findall(lower(sentence)))


def tokenize_french(sentence: str) -> tuple[str, ...]:
    """Like `tokenize`, and split what French writes as one word but says as two.

    An article, pronoun or conjunction that lost its vowel keeps its apostrophe; a
    pronoun after its verb keeps its hyphens.

    >>> tokenize_french("L'arbre qu'il voit est-il grand ?")
    ("l'", 'arbre', "qu'", 'il', 'voit', 'est', '-il', 'grand', '?')
    """
    return tuple(FRENCH_TOKEN.findall(lower(sentence)))


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
    """The characters of `sentence`, normalised; spaces are characters, too.

    >>> characters("Is it?")
    ('I', 's', ' ', 'i', 't', '?')
    """
    return tuple(normalize(sentence))
