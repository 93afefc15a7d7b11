"""Fine-tuning: what is asked is balanced, what is learned from is not tested."""

from collections import Counter
from collections.abc import Sequence

import pytest
import torch
from torch.nn.functional import cross_entropy

from lookback.studies.gpt_labels import (
    DEVELOPED,
    SIZES,
    TESTED,
    Example,
    batch,
    begun,
    examples,
    loss,
    scored,
    train,
)
from lookback.text.grammar.agreement import noun_numbers
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import pretrained, recipe

WORDS = Vocabulary.build([("a", "b", "c", "d")])


def test_the_examples_are_balanced_and_differ() -> None:
    found = examples()
    assert len(found) >= DEVELOPED + TESTED + max(SIZES["pre-trained"])
    assert len({one.words for one in found}) == len(found)
    tested = found[DEVELOPED : DEVELOPED + TESTED]
    assert 450 < sum(one.agrees for one in tested) < 550
    numbers = noun_numbers()
    plural = [numbers[one.words[-1 - one.distance]] for one in tested
              if one.distance < 5]  # fmt: skip
    assert 0.45 < sum(plural) / len(plural) < 0.55


def test_the_verb_is_the_last_word() -> None:
    chosen = [Example(("a", "b", "c"), 1, 1), Example(("d",), 0, 1)]
    ids, last, labels = batch(chosen, WORDS)
    assert ids.gather(1, last[:, None]).flatten().tolist() == WORDS.ids(("c", "d"))
    assert (ids[:, 0] == WORDS.start).all() and ids[1, 2:].unique() == WORDS.pad
    assert labels.tolist() == [1, 0]


def test_the_loss_is_that_of_the_labels_and_lambda_times_that_of_the_words() -> None:
    classifier, words = begun(recipe("gpt"), True, 0)
    given = batch(examples()[:3], words)
    classifier.eval()
    scores, logits = classifier(*given[:2])
    plain = loss(classifier, given, 0.0, words.pad)
    torch.testing.assert_close(plain, cross_entropy(scores, given[2]))
    targets = given[0][:, 1:]
    log_p = logits[:, :-1].log_softmax(-1).gather(2, targets[..., None]).squeeze(2)
    real = targets != words.pad
    both = loss(classifier, given, 0.5, words.pad)
    torch.testing.assert_close(both, plain - 0.5 * log_p[real].mean())


def test_one_begins_as_the_trained_model_and_one_does_not() -> None:
    trained = pretrained("gpt").network.state_dict()
    ours = begun(recipe("gpt"), True, 1)[0].gpt.state_dict()
    assert all(torch.equal(ours[name], value) for name, value in trained.items())
    new = [begun(recipe("gpt"), False, seed)[0].gpt.e.weight for seed in (1, 1, 2)]
    assert torch.equal(new[0], new[1]) and not torch.equal(new[0], new[2])
    assert new[0].std().item() == pytest.approx(0.05, rel=0.05)


def test_right_answers_are_counted_of_all_and_by_distance() -> None:
    tested = [Example(("a",), agrees, far) for agrees, far in ((1, 1), (0, 1), (1, 3))]

    def always_one(some: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        labels = torch.tensor([one.agrees for one in some])
        return torch.tensor([[0.0, 1.0]]).expand(len(some), 2), labels

    assert scored(always_one, tested) == {
        "tested": 3,
        "right": 2,
        "distance": [1, 2, 3, 4, 5],
        "tested by distance": [2, 0, 1, 0, 0],
        "right by distance": [1, 0, 1, 0, 0],
    }


def test_training_reads_each_example_once_an_epoch_and_ends_in_evaluation() -> None:
    model, read, modes = torch.nn.Linear(1, 1), Counter[Example](), set[bool]()
    before = model.weight.clone()

    def of_batch(some: Sequence[Example]) -> torch.Tensor:
        read.update(some)
        modes.add(model.training)
        return model(torch.ones(len(some), 1)).mean()

    train(model, of_batch, labels=20, seed=0, epochs=3)
    assert set(read.values()) == {3} and len(read) == 20
    assert modes == {True} and not model.training
    assert not torch.equal(model.weight, before)
