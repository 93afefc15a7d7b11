"""BERT: by hand, beside Hugging Face's, and its own laws.

Every axis has another size.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from kit import close, generator, randn
from lookback.bert import (
    BASE,
    BERT,
    LARGE,
    BERTConfig,
    Masked,
    SentenceClassifier,
    TokenClassifier,
    mask_words,
    pretraining_loss,
)

SMALL = BERTConfig(N=3, d_model=12, h=4, d_ff=20, max_positions=9, segments=2)
V, B, S = 11, 2, 5


def model(σ: float | None = 0.3, seed: int = 0, **changes: Any) -> BERT:
    """A BERT whose every number was drawn with σ, gains about 1: no part is linear."""
    torch.manual_seed(seed)
    made = BERT(replace(SMALL, **changes), V).eval()
    if σ is not None:
        with torch.no_grad():
            for name, parameter in made.named_parameters():
                parameter.normal_(mean=float(σ > 0 and name.endswith(".g")), std=σ)
    return made


WORDS = torch.tensor([[2, 7, 5, 3, 0], [2, 6, 3, 9, 3]])
MASK = WORDS != 0
SEGMENTS = torch.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]])


# --- by hand -------------------------------------------------------------------------


def test_an_embedding_is_a_sum_of_three_rows_then_a_norm() -> None:
    bert = model(σ=0.0, d_model=4)
    with torch.no_grad():
        bert.e.weight[7] = torch.tensor([2.0, 0, 0, 0])
        bert.p.table[1] = torch.tensor([0.0, 1, 0, 0])
        bert.s.weight[1] = torch.tensor([0.0, 1, 0, 0])
        bert.norm.g.fill_(1)
    # (2, 2, 0, 0): mean 1, variance 1, so the norm gives (1, 1, -1, -1)
    found = bert.embed(torch.tensor([[2, 7]]), torch.tensor([[0, 1]]))
    close(found[0, 1], torch.tensor([1.0, 1, -1, -1]))


def test_15_percent_are_chosen_and_80_10_10_of_them_changed() -> None:
    words = torch.full((2000, 40), 7)
    words[:, 0], words[:, 30:] = 2, 0
    may = words == 7  # 29 words: round(4.35) = 4 of them
    read, chosen = mask_words(
        words, may, mask_id=4, first=5, V=V, generator=generator()
    )
    assert (chosen.sum(dim=1) == 4).all() and not chosen[~may].any()
    assert torch.equal(read[~chosen], words[~chosen])
    seen = read[chosen].bincount(minlength=V) / chosen.sum()
    # 80 % masks; 10 % as they are, and a sixth of 10 % by chance the same word
    assert seen[4].item() == pytest.approx(0.8, abs=0.015)
    assert seen[7].item() == pytest.approx(0.1 + 0.1 / 6, abs=0.01)
    assert seen[:4].sum() == 0  # no random word is a special one
    assert all(0.01 < seen[i] < 0.024 for i in (5, 6, 8, 9, 10))
    places = chosen.float().mean(dim=0)[1:30]
    assert places.min() > 0.09 and places.max() < 0.19  # no position is preferred


def test_the_kinds_can_be_changed_and_a_short_sentence_has_one_masked_word() -> None:
    def masked(words: Tensor, **changed: Any) -> Masked:
        told: Any = {"mask_id": 4, "first": 5, "V": V, "generator": generator()}
        return mask_words(words, words > 4, **told | changed)

    short = torch.tensor([[2, 7, 3], [2, 8, 3]])
    read, chosen = masked(short, kinds=(1.0, 0.0, 0.0))
    assert read.tolist() == [[2, 4, 3], [2, 4, 3]]
    assert chosen.tolist() == [[False, True, False]] * 2
    kept = masked(short, kinds=(0.0, 0.0, 1.0))
    assert torch.equal(kept.read, short) and kept.chosen.sum() == 2
    assert masked(torch.full((1, 10), 7), share_chosen=0.5).chosen.sum() == 5
    assert masked(torch.full((1, 12), 7)).chosen.sum() == 2  # round(1.8)


def test_the_loss_is_of_chosen_words_and_of_pairs() -> None:
    bert = model()
    chosen = torch.zeros(B, S, dtype=torch.bool)
    chosen[0, 2], chosen[1, 1], chosen[1, 3] = True, True, True
    read = WORDS.masked_fill(chosen, 4)
    follows = torch.tensor([1, 0])
    of_words, of_pairs = pretraining_loss(
        bert, WORDS, Masked(read, chosen), MASK, SEGMENTS, follows
    )
    logits, following, _ = bert(read, MASK, SEGMENTS)
    p = logits.log_softmax(-1)
    expected = -(p[0, 2, 5] + p[1, 1, 6] + p[1, 3, 9]) / 3
    close(of_words, expected)
    q = following.log_softmax(-1)
    close(of_pairs, -(q[0, 1] + q[1, 0]) / 2)
    alone, none = pretraining_loss(bert, WORDS, Masked(read, chosen), MASK, SEGMENTS)
    close(alone, of_words)
    assert none == 0


def test_matrices_begin_with_sigma_and_all_else_with_0_or_1() -> None:
    bert = model(None, d_model=96, h=4, d_ff=192, max_positions=64, init=0.1)
    for name, parameter in bert.named_parameters():
        if parameter.dim() == 2 and parameter.numel() > 1000:
            assert parameter.std().item() == pytest.approx(0.1, rel=0.06), name
        elif parameter.dim() == 1:
            assert parameter.unique().tolist() == [float(name.endswith(".g"))], name
    for classifier in (TokenClassifier, SentenceClassifier):
        W = classifier(bert, 50).W_y
        assert W.weight.std().item() == pytest.approx(0.1, rel=0.06)
        assert not W.bias.any()


# --- against the reference -----------------------------------------------------------


RENAMED = {
    "e.weight": "bert.embeddings.word_embeddings.weight",
    "p.table": "bert.embeddings.position_embeddings.weight",
    "s.weight": "bert.embeddings.token_type_embeddings.weight",
    "b": "cls.predictions.bias",
    "norm.": "bert.embeddings.LayerNorm.",
    "W_T.": "cls.predictions.transform.dense.",
    "norm_T.": "cls.predictions.transform.LayerNorm.",
    "W_P.": "bert.pooler.dense.",
    "W_N.": "cls.seq_relationship.",
}
IN_A_LAYER = {
    "self_attention.W_Q": "attention.self.query",
    "self_attention.W_K": "attention.self.key",
    "self_attention.W_V": "attention.self.value",
    "self_attention.W_O": "attention.output.dense",
    "norm_self_attention": "attention.output.LayerNorm",
    "feed_forward.W_1": "intermediate.dense",
    "feed_forward.W_2": "output.dense",
    "norm_feed_forward": "output.LayerNorm",
}


def theirs_of(ours: str) -> str:
    """Hugging Face's name of a parameter."""
    if ours in RENAMED:
        return RENAMED[ours]
    path, _, last = ours.rpartition(".")
    kind = {"g": "weight", "b": "bias"}.get(last, last)
    if path + "." in RENAMED:
        return RENAMED[path + "."] + kind
    _, _, layer, part = path.split(".", 3)
    return f"bert.encoder.layer.{layer}.{IN_A_LAYER[part]}.{kind}"


def hugging_face() -> Any:
    """Their BERT for both tasks, every number of it drawn with σ .3."""
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=SMALL.d_model,
        num_hidden_layers=SMALL.N,
        num_attention_heads=SMALL.h,
        intermediate_size=SMALL.d_ff,
        max_position_embeddings=SMALL.max_positions,
        type_vocab_size=SMALL.segments,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=10,  # a row that gets no gradient, and that no word has
        attn_implementation="eager",
    )
    torch.manual_seed(3)
    reference = transformers.BertForPreTraining(config)
    with torch.no_grad():
        for name, parameter in reference.named_parameters():
            parameter.normal_(mean=float("LayerNorm.weight" in name), std=0.3)
    assert config.layer_norm_eps == SMALL.eps
    return reference.eval()


@pytest.mark.filterwarnings("ignore")
def test_it_is_hugging_faces() -> None:
    """Both scores, attention weights and gradients; in double precision ε, too."""
    reference, ours = hugging_face().double(), model().double()
    theirs = dict(reference.named_parameters())
    names = {name: theirs_of(name) for name, _ in ours.named_parameters()}
    assert {*names.values()} == {*theirs}
    with torch.no_grad():
        for name, parameter in ours.named_parameters():
            parameter.copy_(theirs[names[name]])
    logits, following, weights = ours(WORDS, MASK, SEGMENTS)
    expected = reference(
        WORDS,
        attention_mask=MASK.long(),
        token_type_ids=SEGMENTS,
        output_attentions=True,
    )
    close(logits, expected.prediction_logits, 1e-11)
    # Their second class is "it did not follow", ours that it did.
    close(following, expected.seq_relationship_logits, 1e-11)
    for found, attention in zip(weights, expected.attentions, strict=True):
        close(found, attention, 1e-11)
    slope, slopes = randn(*logits.shape, seed=4), randn(*following.shape, seed=5)
    ((logits * slope).sum() + (following * slopes).sum()).backward()
    (
        (expected.prediction_logits * slope).sum()
        + (expected.seq_relationship_logits * slopes).sum()
    ).backward()
    for name, parameter in ours.named_parameters():
        assert parameter.grad is not None
        close(parameter.grad, theirs[names[name]].grad, 1e-9)


def test_the_sizes_are_those_of_the_paper() -> None:
    """109.5 M and 335.1 M, told as 110 M and 340 M: without the two tasks' layers."""
    own = ("W_T", "norm_T", "b", "W_N")
    counted = []
    with torch.device("meta"):
        for config in (BASE, LARGE):
            parameters = BERT(config, 30_522).named_parameters()
            counted.append(
                sum(p.numel() for n, p in parameters if n.split(".")[0] not in own)
            )
    assert counted == [109_482_240, 335_141_888]
    assert BASE.dropout == LARGE.dropout == 0.1


# --- laws ----------------------------------------------------------------------------


def test_both_sides_matter_and_padding_does_not() -> None:
    bert = model()
    logits, following, weights = bert(WORDS, MASK, SEGMENTS)
    for changed in (1, 3):  # before and after position 2
        other = WORDS.clone()
        other[1, changed] = 10
        moved = (bert(other, MASK, SEGMENTS)[0] - logits)[1].abs().amax(dim=-1)
        assert (moved > 1e-3).all()
    padded = WORDS.clone()
    padded[0, 4] = 8
    again, also, _ = bert(padded, MASK, SEGMENTS)
    close(again[MASK], logits[MASK])
    close(also, following)
    for w in weights:
        close(w.sum(dim=-1), torch.ones(B, SMALL.h, S))
        assert not w[0, :, :, 4].any()
    alone = bert(WORDS[:1, :4])
    close(alone[0][0], logits[0, :4])
    close(alone[1][0], following[0])


def test_dropout_drops_the_embeddings_and_each_sublayer() -> None:
    bert = model(dropout=0.5).train()
    calls: list[Any] = []
    for module in bert.modules():
        if isinstance(module, nn.Dropout):
            module.register_forward_hook(lambda *call: calls.append(call))
    bert(WORDS)
    assert len(calls) == 1 + 2 * SMALL.N


def test_a_tag_is_read_from_each_word_and_a_class_from_the_first() -> None:
    bert = model()
    tagger, classifier = TokenClassifier(bert, 3), SentenceClassifier(bert, 4)
    x, _ = bert.states(WORDS, MASK)
    close(tagger(WORDS, MASK), x @ tagger.W_y.weight.t() + tagger.W_y.bias)
    x, _ = bert.states(WORDS, MASK, SEGMENTS)
    C = torch.tanh(x[:, 0] @ bert.W_P.weight.t() + bert.W_P.bias)
    scores = classifier(WORDS, MASK, SEGMENTS)
    close(scores, C @ classifier.W_y.weight.t() + classifier.W_y.bias)
    cross_entropy(scores, torch.tensor([3, 0])).backward()
    unused = {n for n, p in classifier.named_parameters() if p.grad is None}
    own = (
        "W_T.weight",
        "W_T.bias",
        "norm_T.g",
        "norm_T.b",
        "b",
        "W_N.weight",
        "W_N.bias",
    )
    assert unused == {f"bert.{name}" for name in own}
