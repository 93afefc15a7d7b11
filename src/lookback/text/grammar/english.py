"""The forms of English nouns and verbs, and of the indefinite article."""

VOWELS = "aeiou"
EXCEPTIONS = {"a": ("euro", "uni", "use", "one"), "an": ("honest",)}


def plural(noun: str) -> str:
    """treaty → treaties, box → boxes, dog → dogs."""
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def third_person(verb: str) -> str:
    """sign → signs, go → goes, carry → carries."""
    return verb + "es" if verb.endswith("o") else plural(verb)


def past(verb: str) -> str:
    """sign → signed, love → loved, carry → carried."""
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return verb[:-1] + "ied"
    return verb + ("d" if verb.endswith("e") else "ed")


def indefinite_article(following: str) -> str:
    """an agreement, an honest king; a treaty, a university."""
    if following.startswith(EXCEPTIONS["a"]):
        return "a"
    vowel = following[0] in VOWELS or following.startswith(EXCEPTIONS["an"])
    return "an" if vowel else "a"
