"""GPT: by hand, beside Hugging Face's GPT-2 and GPT, and its own laws.

Every axis has another size.
"""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from kit import close, generator, randint, size
from lookback.gpt import (
    GPT,
    GPT2,
    GPT_2018,
    Classifier,
    GPTConfig,
    gelu,
    sample,
)

SMALL = GPTConfig(N=3, d_model=12, h=4, d_ff=20, max_positions=9)
V, B, T = 7, 2, 5
BOTH = pytest.mark.parametrize("norm_first", [True, False])


def model(σ: float | None = 0.3, seed: int = 0, **changes: Any) -> GPT:
    """A GPT whose every number was drawn with σ, so that no part is nearly linear."""
    torch.manual_seed(seed)
    made = GPT(replace(SMALL, **changes), V).eval()
    if σ is not None:
        with torch.no_grad():
            for parameter in made.parameters():
                parameter.normal_(std=σ)
    return made


def words(T: int = T, seed: int = 1) -> Tensor:
    return randint(V, B, T, seed=seed)


# --- by hand -------------------------------------------------------------------------


def test_gelu_at_points_worked_out_on_paper() -> None:
    # x = 1: √(2/π) · 1.044715 = .833566; tanh = .682384; half of 1.682384
    assert gelu(torch.tensor(1.0)).item() == pytest.approx(0.841192, abs=1e-6)
    assert gelu(torch.tensor(-1.0)).item() == pytest.approx(0.841192 - 1, abs=1e-6)
    x = torch.linspace(-4, 4, 33, dtype=torch.float64)
    close(gelu(x), nn.functional.gelu(x, approximate="tanh"), 1e-12)
    phi = (1 + torch.erf(x / math.sqrt(2))) / 2
    assert 1e-4 < (gelu(x) - x * phi).abs().max() < 5e-4  # near, and not the same


def test_one_word_by_hand() -> None:
    """With sublayers of nothing, the score is the product of two rows of the table."""
    gpt = model(σ=0.0, d_model=4)
    with torch.no_grad():
        gpt.e.weight[:3] = torch.tensor([[2.0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]])
        gpt.p.table[1] = torch.tensor([0.0, 2, 0, 0])
        gpt.norm.g.fill_(1)
    logits, weights, _ = gpt(torch.tensor([[1, 0]]))
    # (2, 2, 0, 0): mean 1, variance 1, so the norm gives (1, 1, -1, -1)
    close(logits[0, 1, :3], torch.tensor([2.0, 0, 1]), 1e-4)
    assert weights[0][0, 0].tolist() == [[1, 0], [0.5, 0.5]]


def test_a_temperature_and_a_truncation_by_hand() -> None:
    """P of .5, .3, .2: with τ ½ it is .25, .09, .04 of .38."""

    def model(words: Tensor, cache: Any = None) -> Any:
        logits = torch.tensor([0.5, 0.3, 0.2]).log().expand(*words.shape, 3)
        return logits, (), cache

    def shares(**told: Any) -> list[float]:
        prefix = torch.zeros(20_000, 1, dtype=torch.long)
        found = sample(model, prefix, 1, generator=generator(), **told)
        return (found.flatten().bincount(minlength=3) / len(found)).tolist()

    near = {"abs": 0.012}
    assert shares() == pytest.approx([0.5, 0.3, 0.2], **near)
    assert shares(temperature=0.5) == pytest.approx(
        [0.25 / 0.38, 0.09 / 0.38, 0.04 / 0.38], **near
    )
    assert shares(top_k=2) == pytest.approx([5 / 8, 3 / 8, 0], **near)
    assert shares(top_p=0.6) == pytest.approx([5 / 8, 3 / 8, 0], **near)
    assert shares(top_p=0.5) == shares(top_k=1) == [1, 0, 0]


def test_w_o_and_w_2_begin_smaller_by_the_root_of_2n() -> None:
    gpt = model(None, d_model=96, h=4, d_ff=192, N=8, max_positions=64, init=0.1)
    for name, parameter in gpt.named_parameters():
        if parameter.dim() == 2:
            added = name.endswith(("W_O.weight", "W_2.weight"))
            assert parameter.std().item() == pytest.approx(
                0.1 / 4 if added else 0.1, rel=0.06
            ), name
        else:
            assert parameter.unique().tolist() == [float(name.endswith(".g"))], name


# --- against the reference -----------------------------------------------------------


def named(tables: tuple[str, str], last: bool) -> dict[str, Any]:
    """name of ours → (name of theirs, what to do to it); `last` with a last norm.

    Their Conv1D holds (in, out), a Linear (out, in).
    """
    d = SMALL.d_model
    found: dict[str, Any] = {
        ours: (f"transformer.{theirs}.weight", torch.clone)
        for ours, theirs in zip(("e.weight", "p.table"), tables, strict=True)
    }
    for i in range(SMALL.N):
        ours, theirs = f"blocks.{i}.", f"transformer.h.{i}."
        for n, name in enumerate(("W_Q", "W_K", "W_V")):
            part = slice(n * d, (n + 1) * d)
            found[f"{ours}attention.{name}.weight"] = (
                f"{theirs}attn.c_attn.weight", lambda x, part=part: x[:, part].t(),
            )  # fmt: skip
            found[f"{ours}attention.{name}.bias"] = (
                f"{theirs}attn.c_attn.bias", lambda x, part=part: x[part],
            )  # fmt: skip
        for name, their in (
            ("attention.W_O", "attn.c_proj"),
            ("feed_forward.W_1", "mlp.c_fc"),
            ("feed_forward.W_2", "mlp.c_proj"),
        ):
            found[f"{ours}{name}.weight"] = f"{theirs}{their}.weight", torch.t
            found[f"{ours}{name}.bias"] = f"{theirs}{their}.bias", torch.clone
        for name, their in (("attention", "ln_1"), ("feed_forward", "ln_2")):
            found[f"{ours}norm_{name}.g"] = f"{theirs}{their}.weight", torch.clone
            found[f"{ours}norm_{name}.b"] = f"{theirs}{their}.bias", torch.clone
    if last:
        found["norm.g"] = "transformer.ln_f.weight", torch.clone
        found["norm.b"] = "transformer.ln_f.bias", torch.clone
    return found


def hugging_face(norm_first: bool) -> tuple[Any, dict[str, Any]]:
    """Their GPT-2, or their GPT of 2018, with every number drawn with σ .3."""
    transformers = pytest.importorskip("transformers")
    sizes = {
        "vocab_size": V, "n_positions": SMALL.max_positions, "n_embd": SMALL.d_model,
        "n_layer": SMALL.N, "n_head": SMALL.h, "attn_pdrop": 0.0, "resid_pdrop": 0.0,
        "embd_pdrop": 0.0, "bos_token_id": 0, "eos_token_id": 0,
    }  # fmt: skip
    torch.manual_seed(3)
    if norm_first:
        config = transformers.GPT2Config(
            **sizes, n_inner=SMALL.d_ff, attn_implementation="eager"
        )
        reference, tables = transformers.GPT2LMHeadModel(config), ("wte", "wpe")
    else:
        config = transformers.OpenAIGPTConfig(**sizes)
        reference = transformers.OpenAIGPTLMHeadModel(config)
        tables = ("tokens_embed", "positions_embed")
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.normal_(std=0.3)
    return reference.eval(), named(tables, norm_first)


@BOTH
@pytest.mark.filterwarnings("ignore")
def test_it_is_hugging_faces(norm_first: bool) -> None:
    """GPT-2, and with post-norm the GPT of 2018: logits, weights and gradients."""
    reference, names = hugging_face(norm_first)
    theirs = dict(reference.named_parameters())
    # Their GPT of 2018 has a network of 4 d_model.
    ours = model(norm_first=norm_first, **({} if norm_first else {"d_ff": 48}))
    assert {name for name, _ in ours.named_parameters()} == {*names}
    with torch.no_grad():
        for name, parameter in ours.named_parameters():
            their, change = names[name]
            parameter.copy_(change(theirs[their]))
    ids = words()
    logits, weights, _ = ours(ids)
    expected = reference(ids, output_attentions=True)
    close(logits, expected.logits)
    for found, attention in zip(weights, expected.attentions, strict=True):
        close(found, attention)
    slope = torch.randn(logits.shape, generator=generator(4))
    (logits * slope).sum().backward()
    (expected.logits * slope).sum().backward()
    for name, parameter in ours.named_parameters():
        their, change = names[name]
        assert parameter.grad is not None
        close(parameter.grad, change(theirs[their].grad), 2e-4)


def test_the_sizes_are_those_of_the_papers() -> None:
    """124 M, 355 M, 774 M and 1 558 M, and 117 M for the GPT of 2018."""
    with torch.device("meta"):
        counted = {name: size(GPT(config, 50_257)) for name, config in GPT2.items()}
        first = size(GPT(GPT_2018, 40_478))
    assert counted == {
        "small": 124_439_808,
        "medium": 354_823_168,
        "large": 774_030_080,
        "xl": 1_557_611_200,
    }
    assert first == 116_534_784
    for config in (GPT_2018, *GPT2.values()):
        assert (config.dropout, config.init) == (0.1, 0.02)


# --- laws ----------------------------------------------------------------------------


def test_dropout_drops_the_sum_of_words_and_positions_and_each_sublayer() -> None:
    torch.manual_seed(0)
    gpt = model(dropout=0.5).train()
    calls: list[Any] = []
    for module in gpt.modules():
        if isinstance(module, nn.Dropout):
            module.register_forward_hook(lambda *call: calls.append(call))
    gpt(words())
    assert len(calls) == 1 + 2 * SMALL.N


def test_greedy_decoding_is_a_top_k_of_1_and_the_generator_decides_the_rest() -> None:
    gpt, prefix = model(), words(3)
    by_hand, ids = [], prefix
    for _ in range(4):
        best = gpt(ids)[0][:, -1].argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, best], dim=1)
        by_hand.append(best)
    expected = torch.cat(by_hand, dim=1)
    for only in ({"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-4}):
        assert torch.equal(
            sample(gpt, prefix, 4, generator=generator(), **only), expected
        )
    one, two, other = (
        sample(gpt, prefix, 6, generator=generator(s)) for s in (1, 1, 2)
    )
    assert torch.equal(one, two) and not torch.equal(one, other)
    assert one.shape == (B, 6) and not one.requires_grad


@BOTH
def test_what_is_hidden_is_known_to_no_other_word(norm_first: bool) -> None:
    gpt, text = model(norm_first=norm_first), words()
    mask = torch.ones(B, T, dtype=torch.bool)
    mask[0, 2] = False
    logits, weights, _ = gpt(text, mask=mask)
    other = text.clone()
    other[0, 2] = (text[0, 2] + 1) % V
    changed = (gpt(other, mask=mask)[0] - logits).abs().amax(dim=2) > 1e-6
    assert changed.tolist() == [[t == 2 for t in range(T)], [False] * T]
    _, _, cache = gpt(text[:, :3], mask=mask[:, :3])
    after, _, _ = gpt(text[:, 3:], cache, mask)
    close(after, logits[:, 3:])
    assert all(w[0, ..., 2].eq(0).all() for w in weights)


@BOTH
def test_a_class_is_read_from_the_last_word_and_padding_does_not_matter(
    norm_first: bool,
) -> None:
    gpt, ids = model(norm_first=norm_first), words()
    classifier, last = Classifier(gpt, 3), torch.tensor([4, 2])
    scores, logits = classifier(ids, last)
    close(logits, gpt(ids)[0])
    x, _, _ = gpt.states(ids[1:, :3])
    close(scores[1], x[0, 2] @ classifier.W_y.weight.t())
    other = ids.clone()
    other[1, 3:] = 0
    close(classifier(other, last)[0], scores)
    scores.sum().backward()
    assert all(p.grad is not None for p in classifier.parameters())
