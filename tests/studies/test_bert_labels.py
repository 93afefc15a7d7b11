"""Fine-tuning BERT: it is asked what GPT is asked, and its own states answer."""

from dataclasses import replace

import pytest
import torch

from lookback.bert import SentenceClassifier
from lookback.studies.bert_labels import STUDY, batch, begun, scores
from lookback.studies.gpt_labels import SIZES, Example, examples
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import pretrained, results

WORDS = Vocabulary.build([("a", "b", "c", "d")])


def test_the_verb_is_the_last_word_before_the_end() -> None:
    chosen = [Example(("a", "b", "c"), 1, 1), Example(("d",), 0, 1)]
    ids, mask, verb, labels = batch(chosen, WORDS)
    assert ids.gather(1, verb[:, None]).flatten().tolist() == WORDS.ids(("c", "d"))
    assert (ids[:, 0] == WORDS.start).all() and (ids == WORDS.end).sum() == 2
    assert torch.equal(mask, ids != WORDS.pad) and labels.tolist() == [1, 0]


@pytest.mark.parametrize("reads", ["verb", "[CLS]"])
def test_a_class_is_read_from_the_state_of_the_case(reads: str) -> None:
    case = replace(
        STUDY.cases["pre-trained, 100 labels, seed 0"].arguments["case"], reads=reads
    )
    classifier, words = begun(case)
    given = batch(examples()[:3], words)
    found = scores(classifier.eval(), given)
    x, _ = classifier.bert.states(*given[:2])
    state = x[range(3), given[2]] if reads == "verb" else classifier.bert.pooled(x)
    torch.testing.assert_close(found, classifier.W_y(state))
    assert isinstance(classifier, SentenceClassifier) == (reads == "[CLS]")


def test_one_begins_as_the_trained_model_and_one_does_not() -> None:
    trained = pretrained("bert").network.state_dict()
    case = STUDY.cases["pre-trained, 100 labels, seed 1"].arguments["case"]
    ours = begun(case)[0].bert.state_dict()
    assert all(torch.equal(ours[name], value) for name, value in trained.items())
    new = [
        begun(replace(case, pretrained=False, seed=seed))[0].bert.e.weight
        for seed in (1, 1, 2)
    ]
    assert torch.equal(new[0], new[1]) and not torch.equal(new[0], new[2])


def test_the_floors_of_the_chapter() -> None:
    found = results("bert_labels")
    mean = {
        (kind, n): sum(row["right"] for row in found.seeds(f"{kind}, {n} labels")) / 3
        for kind, sizes in SIZES.items()
        for n in sizes
    }
    assert mean["pre-trained", 1000] >= 880
    assert mean["pre-trained", 100] > mean["from scratch", 1000]
