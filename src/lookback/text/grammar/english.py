"""The forms of English nouns and verbs."""

VOWELS = "aeiou"


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
