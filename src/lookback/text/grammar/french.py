"""The forms of French nouns, adjectives and verbs, built from principal parts."""

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
