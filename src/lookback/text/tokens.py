"""From a sentence to its tokens: lower-cased words, numbers and punctuation."""

import re

TOKEN = re.compile(
    r"<[a-z]+>"  # <code>, <unk>: stand-ins, one token each
    r"|(?:[a-z]\.){2,}"  # i.e., e.g.
    r"|\w+(?:[.'-]\w+)*"  # words and numbers: doesn't, left-hand, sys.path, 3.14
    r"|[^\w\s]"  # every other mark stands alone
)


def tokenize(sentence: str) -> tuple[str, ...]:
    """Lower-case `sentence` and cut it into words, numbers and single marks.

    >>> tokenize("It doesn't matter (see PEP 8).")
    ('it', "doesn't", 'matter', '(', 'see', 'pep', '8', ')', '.')
    """
    if not isinstance(sentence, str):
        raise ValueError(f"a sentence must be a string, got {sentence!r}")
    return tuple(TOKEN.findall(sentence.lower().replace("’", "'")))
