"""RMSNorm, gates and Llama: by hand, against torch and Hugging Face, its own laws."""

import pytest
import torch
from torch import nn

from kit import close, randint
from lookback.modern import (
    GATES,
    GatedNetwork,
    Llama,
    LlamaConfig,
    RMSNorm,
    SwiGLU,
)
from lookback.rotary import pairs_from_halves

B, T, V = 2, 7, 11
CONFIG = LlamaConfig(N=2, d_model=24, h=6, g=2, d_ff=10, eps=1e-5, init=0.4)


pytestmark = pytest.mark.usefixtures("double")


def made(**changes):
    torch.manual_seed(1)
    return Llama(LlamaConfig(**{**vars(CONFIG), **changes}), V)


def words(n=T, seed=2):
    return randint(V, B, n, seed=seed)


# --- by hand -------------------------------------------------------------------------


def test_the_norm_by_hand():
    """The mean of the squares of 1 and 7 is 25; with ε 11 the root is 6."""
    norm = RMSNorm(2, eps=11)
    close(norm(torch.tensor([1.0, 7])), torch.tensor([1 / 6, 7 / 6]))
    with torch.no_grad():
        norm.g.copy_(torch.tensor([6.0, 12]))
    close(norm(torch.tensor([1.0, 7])), torch.tensor([1.0, 14]))


def test_the_gate_by_hand():
    """One unit: the gate opens to silu(2) = 2 / (1 + e^-2), the value is 3."""
    network = SwiGLU(1, 1)
    with torch.no_grad():
        for weight, number in zip(network.parameters(), (2.0, 3, 5), strict=True):
            weight.fill_(number)
    gate = 2 / (1 + torch.tensor(-2.0).exp())
    close(network(torch.tensor([1.0])), (gate * 3 * 5).view(1))


# --- against the references ----------------------------------------------------------


def test_the_norm_is_that_of_torch():
    mine, theirs = RMSNorm(6, eps=1e-3), nn.RMSNorm(6, eps=1e-3)
    with torch.no_grad():
        mine.g.normal_()
        theirs.weight.copy_(mine.g)
    x = 0.05 * torch.randn(B, T, 6)
    one, two = x.clone().requires_grad_(), x.clone().requires_grad_()
    close(mine(one), theirs(two))
    mine(one).square().sum().backward()
    theirs(two).square().sum().backward()
    close(one.grad, two.grad)
    close(mine.g.grad, theirs.weight.grad)


@pytest.mark.parametrize(
    ("gate", "function"),
    [
        ("bilinear", lambda a: a),
        ("glu", lambda a: 1 / (1 + (-a).exp())),
        ("reglu", lambda a: a.clamp(min=0)),
        ("geglu", lambda a: a * torch.distributions.Normal(0, 1).cdf(a)),
        ("swiglu", lambda a: a / (1 + (-a).exp())),
    ],
)
def test_gates_are_those_of_the_table(gate, function):
    network, x = GatedNetwork(6, 9, gate), torch.randn(B, T, 6)
    W, V, W_2 = (p.T for p in network.parameters())
    close(network(x), (function(x @ W) * (x @ V)) @ W_2)
    assert gate in GATES


def reference(c, tied):
    """Hugging Face's Llama: its rows rotate halves, ours pairs."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=V,
        hidden_size=c.d_model,
        num_hidden_layers=c.N,
        num_attention_heads=c.h,
        num_key_value_heads=c.g,
        intermediate_size=c.d_ff,
        rms_norm_eps=c.eps,
        max_position_embeddings=64,
        tie_word_embeddings=tied,
        attn_implementation="eager",
    )
    return transformers.LlamaForCausalLM(config).double().eval()


def weights_of(ours, theirs):
    """Each of ours, theirs, and of how many heads to reorder its rows."""
    yield ours.e.weight, theirs.model.embed_tokens.weight, None
    yield ours.scores.weight, theirs.lm_head.weight, None
    yield ours.norm.g, theirs.model.norm.weight, None
    for mine, their in zip(ours.layers, theirs.model.layers, strict=True):
        a, b, network = mine.attention, their.self_attn, mine.feed_forward
        yield a.W_Q.weight, b.q_proj.weight, a.h
        yield a.W_K.weight, b.k_proj.weight, a.g
        yield a.W_V.weight, b.v_proj.weight, None
        yield a.W_O.weight, b.o_proj.weight, None
        yield network.W.weight, their.mlp.gate_proj.weight, None
        yield network.V.weight, their.mlp.up_proj.weight, None
        yield network.W_2.weight, their.mlp.down_proj.weight, None
        yield mine.norm_attention.g, their.input_layernorm.weight, None
        yield mine.norm_feed_forward.g, their.post_attention_layernorm.weight, None


def ordered(rows, heads):
    return pairs_from_halves(rows, heads) if heads else rows


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("g", "tied"), [(2, False), (1, True), (6, False)])
def test_it_is_the_llama_of_hugging_face(g, tied):
    """Outputs, attention weights and gradients, with enlarged weights."""
    ours = made(g=g, tied=tied)
    theirs = reference(ours.config, tied)
    assert (ours.scores.weight is ours.e.weight) == tied
    with torch.no_grad():
        for p in theirs.parameters():
            p.normal_(std=0.3) if p.dim() == 2 else p.uniform_(0.5, 1.5)
        for mine, their, heads in weights_of(ours, theirs):
            mine.copy_(ordered(their, heads))
    logits, weights, _ = ours(words())
    expected = theirs(words(), output_attentions=True)
    close(logits, expected.logits, 1e-6)  # its angles are computed in single precision
    for one, two in zip(weights, expected.attentions, strict=True):
        close(one, two, 1e-6)
    assert logits.std() > 1
    pull = torch.randn_like(logits)
    (logits * pull).sum().backward()
    (expected.logits * pull).sum().backward()
    for mine, their, heads in weights_of(ours, theirs):
        close(mine.grad, ordered(their.grad, heads), 1e-4)
