"""The sentences of prose in a page that Sphinx wrote as plain text.

Such a page mixes prose with programs, grammar rules, tables, signatures and headings.
A program is indented three columns more than a paragraph that ends with a colon. All
else is decided sentence by sentence: see `is_prose`. Inside a sentence, quoted code
that is a plain name ("getattr()") stays as a word; longer code becomes the one word
<code>.
"""

import re
from collections.abc import Iterator

MARKER = re.compile(r"(?:\* +|\d+\. +|\[\d+\] +)")  # of a list item or a footnote
LABEL = re.compile(
    r"^\**(?:Note|See also|Tip|Warning|Caution|Important|Hint"
    r"|CPython implementation detail"
    r"|(?:Changed|New|Added|Deprecated)(?: in| since) version \d[\d.]*\d"
    r"(?:, (?:will be )?removed in version \d[\d.]*\d)?)(?::\**\s*|\.?$)"
)
CODE = re.compile(r'"([^"\n]+)"')
NAMES = re.compile(r"\w[\w.]*(?:\(\))?(?: \w[\w.]*(?:\(\))?)*")
EMPHASIS = re.compile(r"(\*{1,2})(\w(?:[^*]*[^\s*])?)\1(?!\w)")
FOOTNOTE = re.compile(r"\s*\[\d+\]")
END_OF_SENTENCE = re.compile(
    r"(?:(?<=[.?!])|(?<=[.?!][)”]))(?<!e\.g\.)(?<!i\.e\.)(?<!cf\.)(?<!vs\.)"
    r"\s+(?=[A-Z\"“‘(*])"
)
PROSE = re.compile(r"[A-Z\"“‘(*].*[.?!:][”’)]?")
NOT_PROSE = re.compile(r'["`{}\[\]|\\^~@#$&+*=]|<(?!code>)|::|--|\.\.\.|https?:')
LEAST_WORDS = 4


def sentences(page: str) -> Iterator[str]:
    """Every sentence of prose in `page`, in order, its mark-up taken away."""
    for paragraph in paragraphs(page):
        for sentence in END_OF_SENTENCE.split(LABEL.sub("", paragraph)):
            plain = without_markup(sentence)
            if PROSE.fullmatch(sentence) and is_prose(plain):
                yield plain


def paragraphs(page: str) -> Iterator[str]:
    """The paragraphs of `page`, each on one line, programs left out."""
    introduced = program = None  # the columns where a program may start, and did
    for block in re.split(r"\n\s*\n", page.strip("\n")):
        column = indentation(block)
        if program is not None and column >= program:
            continue
        program = None
        if column == introduced and not MARKER.match(block.lstrip()):
            program = column
            continue
        for column, paragraph in pieces(block):
            introduced = column + 3 if paragraph.endswith(":") else None
            yield paragraph


def pieces(block: str) -> Iterator[tuple[int, str]]:
    """Cut `block` at each list item and each change of column: (column, text)."""
    column, text = -1, ""
    for line in block.split("\n"):
        start, words = indentation(line), line.strip()
        marker = MARKER.match(words)
        if text and start == column and not marker:
            text += " " + words
            continue
        if text:
            yield column, text
        width = marker.end() if marker else 0
        column, text = start + width, words[width:]
    yield column, text


def indentation(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def without_markup(sentence: str) -> str:
    """Take away quotes around code, emphasis and the numbers of footnotes."""
    sentence = CODE.sub(lambda code: word_for(code[1]), sentence)
    return FOOTNOTE.sub("", EMPHASIS.sub(r"\2", sentence)).strip()


def word_for(code: str) -> str:
    """Names stay, without their (); what is longer than names becomes <code>."""
    return code.replace("()", "") if NAMES.fullmatch(code) else "<code>"


def is_prose(plain: str) -> bool:
    """At least four words in Latin letters, and no sign that only code has."""
    words = re.findall(r"[A-Za-z]{2,}", plain.replace("<code>", ""))
    return len(words) >= LEAST_WORDS and not NOT_PROSE.search(plain)
