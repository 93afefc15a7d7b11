"""RMSNorm, gates and Llama: by hand, against torch and Hugging Face, its own laws."""

import pytest
import torch
from torch import nn

from kit import close, randint, size
from lookback.modern import (
    GATES,
    GatedNetwork,
    Llama,
    LlamaConfig,
    LlamaLayer,
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


def reference(ours, tied):
    """Hugging Face's Llama with our weights: its rows rotate halves, ours pairs."""
    from transformers import LlamaConfig as TheirConfig
    from transformers import LlamaForCausalLM

    c = ours.config
    theirs = LlamaForCausalLM(
        TheirConfig(
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
    ).double()
    return theirs.eval()


def copied(theirs, ours):
    """Their weights, in our names and in our order of rows."""
    c = ours.config
    with torch.no_grad():
        for p in theirs.parameters():
            p.normal_(std=0.3) if p.dim() == 2 else p.uniform_(0.5, 1.5)
        ours.e.weight.copy_(theirs.model.embed_tokens.weight)
        ours.scores.weight.copy_(theirs.lm_head.weight)
        ours.norm.g.copy_(theirs.model.norm.weight)
        for mine, their in zip(ours.layers, theirs.model.layers, strict=True):
            a, b = mine.attention, their.self_attn
            a.W_Q.weight.copy_(pairs_from_halves(b.q_proj.weight, c.h))
            a.W_K.weight.copy_(pairs_from_halves(b.k_proj.weight, c.g))
            a.W_V.weight.copy_(b.v_proj.weight)
            a.W_O.weight.copy_(b.o_proj.weight)
            mine.feed_forward.W.weight.copy_(their.mlp.gate_proj.weight)
            mine.feed_forward.V.weight.copy_(their.mlp.up_proj.weight)
            mine.feed_forward.W_2.weight.copy_(their.mlp.down_proj.weight)
            mine.norm_attention.g.copy_(their.input_layernorm.weight)
            mine.norm_feed_forward.g.copy_(their.post_attention_layernorm.weight)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("g", "tied"), [(2, False), (1, True), (6, False)])
def test_it_is_the_llama_of_hugging_face(g, tied):
    """Outputs, attention weights and gradients, with enlarged weights."""
    pytest.importorskip("transformers")
    ours = made(g=g, tied=tied)
    theirs = reference(ours, tied)
    copied(theirs, ours)
    logits, weights, _ = ours(words())
    expected = theirs(words(), output_attentions=True)
    close(logits, expected.logits, 1e-6)  # its angles are computed in single precision
    for one, two in zip(weights, expected.attentions, strict=True):
        close(one, two, 1e-6)
    assert logits.std() > 1
    pull = torch.randn_like(logits)
    (logits * pull).sum().backward()
    (expected.logits * pull).sum().backward()
    pairs = [(ours.e.weight, theirs.model.embed_tokens.weight)]
    for mine, their in zip(ours.layers, theirs.model.layers, strict=True):
        pairs += [
            (mine.attention.W_O.weight, their.self_attn.o_proj.weight),
            (mine.feed_forward.W.weight, their.mlp.gate_proj.weight),
            (mine.feed_forward.V.weight, their.mlp.up_proj.weight),
            (mine.norm_attention.g, their.input_layernorm.weight),
        ]
        theirs_K = pairs_from_halves(their.self_attn.k_proj.weight.grad, g)
        close(mine.attention.W_K.weight.grad, theirs_K, 1e-4)
    for one, two in pairs:
        close(one.grad, two.grad, 1e-4)


# --- laws ----------------------------------------------------------------------------


def test_no_position_is_the_last():
    """Nothing is learned for a position: any length, far beyond 128, too."""
    assert made()(words(150))[0].isfinite().all()


def test_the_norm_forgets_the_length_and_keeps_the_mean():
    norm, x = RMSNorm(8, eps=1e-12), torch.randn(B, 8)
    close(norm(5 * x), norm(x), 1e-9)
    close(norm(x).square().mean(-1), torch.ones(B), 1e-9)
    assert not torch.allclose(norm(x + 1), norm(x))


def test_it_is_as_large_as_the_formula_says():
    d, g, h, d_ff, N = 24, 2, 6, 10, 2
    layer = 2 * d * d + 2 * d * g * d // h + 3 * d * d_ff + 2 * d
    assert size(LlamaLayer(CONFIG)) == layer
    assert size(made()) == N * layer + 2 * V * d + d
    tied = made(tied=True)
    assert size(tied) == N * layer + V * d + d
    assert tied.scores.weight is tied.e.weight
