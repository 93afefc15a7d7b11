"""Fine-tuning BERT: it is asked what GPT is asked, and its own states answer."""

import torch

from lookback.studies.bert_labels import batch, begun, scores
from lookback.studies.gpt_labels import Example, examples
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import pretrained, recipe

WORDS = Vocabulary.build([("a", "b", "c", "d")])


def test_the_verb_is_the_last_word_before_the_end() -> None:
    chosen = [Example(("a", "b", "c"), 1, 1), Example(("d",), 0, 1)]
    ids, mask, verb, labels = batch(chosen, WORDS)
    assert ids.gather(1, verb[:, None]).flatten().tolist() == WORDS.ids(("c", "d"))
    assert (ids[:, 0] == WORDS.start).all() and (ids == WORDS.end).sum() == 2
    assert torch.equal(mask, ids != WORDS.pad) and labels.tolist() == [1, 0]


def test_a_class_is_read_from_the_state_of_the_verb() -> None:
    classifier, words = begun(recipe("bert"), True, 0)
    given = batch(examples()[:3], words)
    found = scores(classifier.eval(), given)
    x, _ = classifier.bert.states(*given[:2])
    torch.testing.assert_close(found, classifier.W_y(x[range(3), given[2]]))


def test_one_begins_as_the_trained_model_and_one_does_not() -> None:
    trained = pretrained("bert").network.state_dict()
    ours = begun(recipe("bert"), True, 1)[0].bert.state_dict()
    assert all(torch.equal(ours[name], value) for name, value in trained.items())
    new = [begun(recipe("bert"), False, seed)[0].bert.e.weight for seed in (1, 1, 2)]
    assert torch.equal(new[0], new[1]) and not torch.equal(new[0], new[2])
