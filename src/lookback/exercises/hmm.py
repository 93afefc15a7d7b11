"""Viterbi's algorithm for a hidden Markov model."""

from collections.abc import Callable, Mapping, Sequence

from .judge import Case, Exercise

Words = Sequence[str]
Table = Mapping[tuple[str, str], float]
START, END = "<s>", "</s>"


def likeliest_tags(words: Words, transitions: Table, emissions: Table) -> list[str]:
    """The likeliest sequence of tags for the words.

    transitions[before, tag] = P(tag | before); a sentence begins after the tag "<s>",
    and ends with the tag "</s>";  emissions[tag, word] = P(word | tag)
    The tags are those of the emissions. What is missing in a table has the probability
    0; no two sequences are as likely.
    →  list of tags, one for each word
    """
    delta, back = columns(words, transitions, emissions)
    last = max(delta[-1], key=lambda t: delta[-1][t] * transitions.get((t, END), 0))
    return followed(last, back)


Column = dict[str, float]


def columns(
    words: Words,
    transitions: Table,
    emissions: Table,
    join: Callable[[list[float]], float] = max,
) -> tuple[list[Column], list[dict[str, str]]]:
    """δ after each word, and for each tag the best tag before it."""
    tags = sorted({tag for tag, _ in emissions})
    delta, back = [{START: 1.0}], []
    for word in words:
        step, best = {}, {}
        for tag in tags:
            p = {b: delta[-1][b] * transitions.get((b, tag), 0) for b in delta[-1]}
            best[tag] = max(p, key=p.__getitem__)
            step[tag] = join([*p.values()]) * emissions.get((tag, word), 0)
        delta.append(step)
        back.append(best)
    return delta[1:], back[1:]


def followed(last: str, back: list[dict[str, str]]) -> list[str]:
    tags = [last]
    for best in reversed(back):
        tags.insert(0, best[tags[0]])
    return tags


def best_of_each(words: Words, transitions: Table, emissions: Table) -> list[str]:
    """each word takes the tag of the largest δ: go back from the last word's"""
    delta, _ = columns(words, transitions, emissions)
    return [max(column, key=column.__getitem__) for column in delta]


def greedy(words: Words, transitions: Table, emissions: Table) -> list[str]:
    """each tag is chosen for good, after the one before: keep all, choose at the end"""
    tags, every = [START], sorted({tag for tag, _ in emissions})
    for w in words:
        t, e, b = transitions, emissions, tags[-1]
        tags.append(max(every, key=lambda x: t.get((b, x), 0) * e.get((x, w), 0)))
    return tags[1:]


def summed(words: Words, transitions: Table, emissions: Table) -> list[str]:
    """probabilities are summed over the tag before, as in forward: take the maximum"""
    delta, back = columns(words, transitions, emissions, sum)
    last = max(delta[-1], key=lambda t: delta[-1][t] * transitions.get((t, END), 0))
    return followed(last, back)


def no_end(words: Words, transitions: Table, emissions: Table) -> list[str]:
    """the end is forgotten: the last δ is multiplied by P(</s> | tag)"""
    delta, back = columns(words, transitions, emissions)
    return followed(max(delta[-1], key=delta[-1].__getitem__), back)


def no_transitions(words: Words, transitions: Table, emissions: Table) -> list[str]:
    """only the emissions are used: each word by itself"""
    tags = sorted({tag for tag, _ in emissions})
    return [max(tags, key=lambda t: emissions.get((t, word), 0)) for word in words]


def backwards(words: Words, transitions: Table, emissions: Table) -> list[str]:
    """the tags come out from the last to the first: turn them round"""
    return likeliest_tags(words, transitions, emissions)[::-1]


def cases() -> list[Case]:
    P = {START: (0.47, 0.41, 0.12, 0), "A": (0.11, 0.59, 0.19, 0.11),
         "B": (0.31, 0.13, 0.29, 0.27), "C": (0.53, 0.17, 0.23, 0.07)}  # fmt: skip
    to = ("A", "B", "C", END)
    moves = {(b, t): p for b, row in P.items() for t, p in zip(to, row, strict=True)}
    Q = {"A": (0.51, 0.3, 0.19), "B": (0.2, 0.43, 0.37), "C": (0.28, 0.11, 0.61)}
    write = {(t, w): p for t, row in Q.items() for w, p in zip("xyz", row, strict=True)}
    texts = ("x", "y z", "z z x", "x z y y", "z y x z z", "y x x z y x", "z z z z")
    few = {(START, "D"): 0.7, (START, "N"): 0.3, ("D", "N"): 1.0, ("N", "V"): 0.6,
           ("N", END): 0.4, ("V", END): 0.5, ("V", "D"): 0.5}  # fmt: skip
    words = {
        ("D", "the"): 1.0,
        ("N", "dog"): 0.6,
        ("N", "barks"): 0.4,
        ("V", "barks"): 1,
    }
    some = [Case(f"the words {text}", (text.split(), moves, write)) for text in texts]
    return [*some, Case("tables with gaps", (["the", "dog", "barks"], few, words))]


EXERCISE = Exercise(
    likeliest_tags,
    ("the list of tags",),
    cases,
    [best_of_each, greedy, summed, no_end, no_transitions, backwards],
)
