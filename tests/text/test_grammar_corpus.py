"""The grammar corpus: what every pair, every split and every size must obey."""

import hashlib
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from lookback.text.corpora import SPLITS, Lengths, Pair, PairCorpus, grammar
from lookback.text.grammar.corpus import draw, split_of
from lookback.text.grammar.lexicon import SIZES, lexicon

CONTENT = {"NOUN", "PROPN", "ADJ", "VERB", "NUM"}
POINTING = {
    "he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "who",
    "whom",
}  # fmt: skip
SPREAD_OUT = Lengths(uniform=1, low=3, high=70)


@cache
def corpus(size: str, lengths: Lengths = Lengths()) -> PairCorpus:  # noqa: B008
    return grammar(3000, seed=7, size=size, lengths=lengths)


def pairs(size: str = "small", lengths: Lengths = Lengths()) -> list[Pair]:  # noqa: B008
    made = corpus(size, lengths)
    return [pair for split in SPLITS for pair in made.split(split)]


def everything() -> list[Pair]:
    return pairs("small") + pairs("full") + pairs("small", SPREAD_OUT)


def leaves(tree: Any) -> Iterator[tuple[str, str]]:
    if len(tree) == 2 and isinstance(tree[1], str):
        yield tree
    else:
        assert isinstance(tree[0], str)
        assert len(tree) > 1
        for child in tree[1:]:
            yield from leaves(child)


def test_links_lie_inside_the_sentence() -> None:
    for pair in everything():
        assert pair.sure <= pair.possible
        for source, target in pair.possible:
            assert 0 <= source < len(pair.source)
            assert 0 <= target < len(pair.target)


def test_every_content_word_has_a_sure_link() -> None:
    for pair in everything():
        linked = {s for s, _ in pair.sure}, {t for _, t in pair.sure}
        for side, tags in enumerate(pair.tags):
            bare = {i for i, tag in enumerate(tags) if tag in CONTENT} - linked[side]
            assert not bare, (pair, side, bare)


def test_every_french_word_comes_from_some_english_word() -> None:
    for pair in everything():
        assert {t for _, t in pair.possible} == set(range(len(pair.target)))


def test_full_stops_meet() -> None:
    for pair in everything():
        stops = len(pair.source) - 1, len(pair.target) - 1
        assert pair.source[-1] == pair.target[-1] == "."
        assert [link for link in pair.possible if link[0] == stops[0]] == [stops]


def test_tags_and_trees_cover_the_words() -> None:
    for pair in everything():
        assert list(map(len, pair.tags)) == [len(pair.source), len(pair.target)]
        found = tuple(leaves(pair.tree))
        assert found == tuple(zip(pair.tags.source, pair.source, strict=True))


def test_pronouns_have_antecedents_before_them() -> None:
    """All but i, we and you; one noun in the singular, or several, or a plural."""
    met = Counter[str]()
    for pair in everything():
        meant: dict[int, list[int]] = {}
        for pronoun, noun in pair.antecedents:
            assert noun < pronoun
            assert pair.tags.source[noun] in ("NOUN", "PROPN")
            meant.setdefault(pronoun, []).append(noun)
        tagged = zip(pair.source, pair.tags.source, strict=True)
        asking = {
            place for place, (word, tag) in enumerate(tagged)
            if word in POINTING or (word == "that" and tag == "PRON")
        }  # fmt: skip
        assert asking == set(meant)
        met.update(pair.source[place] for place in asking)
        for place, nouns in meant.items():
            if pair.source[place] in ("he", "she", "it", "him", "its", "his"):
                assert len(nouns) == 1
    assert set(met) == POINTING | {"that"}


def test_he_is_a_man_and_it_is_a_thing() -> None:
    persons = {"minister": "he", "queen": "she", "woman": "she", "king": "he"}
    things = dict.fromkeys(["law", "treaty", "car", "garden", "commission"], "it")
    gender = {"him": "he", "her": "she"}
    seen = Counter[str]()
    for pair in everything():
        for pronoun, noun in pair.antecedents:
            word = gender.get(pair.source[pronoun], pair.source[pronoun])
            wanted = (persons | things).get(pair.source[noun])
            if wanted and word in ("he", "she", "it"):
                assert word == wanted, pair
                seen[word] += 1
    assert min(seen[word] for word in ("he", "she", "it")) > 20


@pytest.mark.parametrize("size", SIZES)
def test_no_english_sentence_in_two_splits(size: str) -> None:
    made = [{p.source for p in corpus(size).split(split)} for split in SPLITS]
    assert len(set.union(*made)) == sum(map(len, made))


def test_the_split_of_a_sentence_is_the_same_everywhere() -> None:
    other = grammar(3000, seed=8)
    for name in SPLITS:
        for made in (other, corpus("small"), corpus("full")):
            assert {split_of(pair.source) for pair in made.split(name)} == {name}
    assert split_of(("the", "dog", "sleeps", ".")) == "train"


def test_the_splits_are_eight_one_and_one_tenths() -> None:
    made = corpus("full")
    shares = [len(made.split(name)) / 3000 for name in SPLITS]
    assert sum(shares) == 1
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.025)


def digest(made: PairCorpus) -> str:
    text = repr([
        (p.source, p.target, sorted(p.sure), sorted(p.possible), p.tags, p.tree,
         p.antecedents)
        for split in SPLITS for p in made.split(split)
    ])  # fmt: skip
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_seed_decides_all_in_every_process() -> None:
    here = [digest(grammar(200, seed=seed, size="full")) for seed in (1, 1, 2)]
    assert here[0] == here[1] != here[2]
    script = (
        "import hashlib\n"
        "from lookback.text.corpora import SPLITS, grammar\n"
        "made = grammar(200, seed=1, size='full')\n"
        "print(hashlib.sha256(repr([(p.source, p.target, sorted(p.sure), "
        "sorted(p.possible), p.tags, p.tree, p.antecedents) for split in SPLITS "
        "for p in made.split(split)]).encode()).hexdigest())"
    )
    for hashes in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": hashes},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == here[0]


def test_more_pairs_begin_with_the_same_pairs() -> None:
    few, many = grammar(50, seed=3), grammar(100, seed=3)
    for name in SPLITS:
        assert many.split(name)[: len(few.split(name))] == few.split(name)


@pytest.mark.parametrize("size", SIZES)
def test_a_sentence_has_the_length_that_was_asked(size: str) -> None:
    random, words = Random(5), lexicon(size)
    for n in range(3, 71):
        for _ in range(5):
            assert len(draw(random, words, n).source) == n


def test_lengths_follow_the_log_normal() -> None:
    made = pairs("small", Lengths(mean=2.5, spread=0.3, uniform=0))
    logs = [math.log(len(pair.source)) for pair in made]
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((log - mean) ** 2 for log in logs) / len(logs))
    assert mean == pytest.approx(2.5, abs=0.02)
    assert spread == pytest.approx(0.3, abs=0.02)


def test_lengths_follow_the_uniform_share() -> None:
    count = Counter(len(pair.source) for pair in pairs("small", SPREAD_OUT))
    assert set(count) == set(range(3, 71))
    tens = [sum(count[n] for n in range(low, low + 17)) for low in (3, 20, 37, 54)]
    assert [t / 3000 for t in tens] == pytest.approx([0.25] * 4, abs=0.03)


def test_lengths_stay_between_shortest_and_longest() -> None:
    narrow = Lengths(shortest=8, longest=20, low=9, high=19)
    made = [len(p.source) for p in pairs("small", narrow)]
    assert (min(made), max(made)) == (8, 20)


@pytest.mark.parametrize(("size", "low", "high"), [("small", 430, 480),
                                                   ("full", 800, 900)])  # fmt: skip
def test_how_many_words_a_size_has(size: str, low: int, high: int) -> None:
    made = grammar(8000, seed=1, size=size)
    english = {w for split in SPLITS for p in made.split(split) for w in p.source}
    french = {w for split in SPLITS for p in made.split(split) for w in p.target}
    assert low <= len(english) <= high
    assert len(french) > 2 * low


def test_frequent_words_are_frequent() -> None:
    count = Counter(word for pair in pairs("full") for word in pair.source)
    assert count["minister"] > 2 * count["teacher"] > 0
    assert count["new"] > 2 * count["rich"] > 0


def test_an_empty_corpus_is_one() -> None:
    made = grammar(0)
    assert [made.split(name) for name in SPLITS] == [(), (), ()]
    assert (made.name, made.seed) == ("grammar", 0)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"pairs": -1}, "pairs must be 0 or more, got -1"),
        ({"pairs": 1.5}, "pairs must be a whole number, got 1.5"),
        ({"pairs": True}, "pairs must be a whole number, got True"),
        ({"seed": "a"}, "seed must be a whole number, got 'a'"),
        ({"size": "huge"}, "a size is one of .*'small', 'full'.*got 'huge'"),
        ({"lengths": (3, 9)}, "lengths must be Lengths"),
    ],
)
def test_refusals(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        grammar(**{"pairs": 1, **options})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"shortest": 2}, "lengths lie between 3 and 70 words, got 2 to 70"),
        ({"longest": 71}, "lengths lie between 3 and 70 words, got 3 to 71"),
        ({"shortest": 30, "longest": 20}, "got 30 to 20"),
        ({"low": 40, "high": 30}, "uniform lengths 40 to 30 must lie between"),
        ({"longest": 60}, "uniform lengths 12 to 66 must lie between 3 and 60"),
        ({"uniform": 1.1}, "uniform must lie between 0 and 1"),
        ({"uniform": math.nan}, "uniform must lie between 0 and 1"),
        ({"spread": -0.1}, "spread between 0 and 2"),
        ({"mean": 1.0}, "mean is of the logarithm of a length, got 1.0"),
        ({"mean": 80.0}, "mean is of the logarithm of a length, got 80.0"),
    ],
)
def test_impossible_lengths(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Lengths(**options)
