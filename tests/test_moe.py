"""Mixture of experts: by hand, against Hugging Face's Mixtral, laws, refusals."""

import pytest
import torch

from kit import close, refuses
from lookback.modern import Llama, LlamaConfig
from lookback.moe import Mixtral, MixtralConfig, MixtureOfExperts, Router, balance_loss

B, T, D, D_FF, N, K, V = 2, 5, 6, 7, 4, 2, 11
SIZES = {"N": 2, "d_model": 12, "h": 3, "g": 1, "d_ff": 7, "init": 0.4}

pytestmark = pytest.mark.usefixtures("double")


def made(experts=N, k=K):
    return MixtureOfExperts(D, D_FF, experts, k)


# --- by hand -------------------------------------------------------------------------


def router(k):
    """Of x = (1, 0) its logits are ln 1, ln 2, ln 5: p is 1/8, 2/8, 5/8."""
    chosen = Router(2, 3, k)
    with torch.no_grad():
        logits = torch.tensor([1.0, 2, 5]).log()
        chosen.W_r.weight.copy_(torch.stack([logits, torch.zeros(3)], dim=1))
    return chosen


@pytest.mark.parametrize(
    ("k", "chosen", "weights"),
    [
        (1, [2], [5 / 8]),
        (2, [2, 1], [5 / 7, 2 / 7]),
        (3, [2, 1, 0], [5 / 8, 2 / 8, 1 / 8]),
    ],
)
def test_a_router_by_hand(k, chosen, weights):
    """Two weights are shares of the two; a single one is its p."""
    routing = router(k)(torch.tensor([1.0, 0]))
    close(routing.p, torch.tensor([1 / 8, 2 / 8, 5 / 8]))
    assert routing.chosen.tolist() == chosen
    close(routing.weights, torch.tensor(weights))


def test_a_mixture_by_hand():
    """Experts that multiply by 7, 14 and 21; the last two count 5/7 and 2/7."""
    mixture = MixtureOfExperts(2, 1, 3, 2)
    mixture.router = router(2)
    for i, expert in enumerate(mixture.experts, 1):
        expert.forward = lambda x, i=i: 7 * i * x
    y, _ = mixture(torch.tensor([1.0, 0]))
    close(y, torch.tensor([5.0 * 3 + 2 * 2, 0]))


def test_the_loss_by_hand():
    """Two experts, four tokens: f is 3/4 and 1/4, P is 5/8 and 3/8."""
    p = torch.tensor([0.9, 0.8, 0.6, 0.2]).view(2, 2)
    p = torch.stack([p, 1 - p], dim=-1)
    chosen = torch.tensor([0, 0, 0, 1]).view(2, 2, 1)
    close(balance_loss(p, chosen), torch.tensor(2 * (3 / 4 * 5 / 8 + 1 / 4 * 3 / 8)))


# --- against the reference -----------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("k", [2, 3])
def test_it_is_the_mixture_of_hugging_face(k):
    """Outputs and gradients of Mixtral's block, with its weights, and its loss."""
    pytest.importorskip("transformers")
    from transformers import MixtralConfig as TheirConfig
    from transformers.models.mixtral import modeling_mixtral as theirs

    sizes = {"hidden_size": D, "intermediate_size": D_FF, "num_local_experts": N}
    config = TheirConfig(**sizes, num_experts_per_tok=k)
    config._experts_implementation = "eager"
    block, ours = theirs.MixtralSparseMoeBlock(config).double(), made(k=k)
    copied = {"gate_up_proj": [], "down_proj": []}
    with torch.no_grad():
        for p in block.parameters():
            p.normal_()
        ours.router.W_r.weight.copy_(block.gate.weight)
        for i, expert in enumerate(ours.experts):
            gate, up = block.experts.gate_up_proj[i].chunk(2)
            expert.W.weight.copy_(gate)
            expert.V.weight.copy_(up)
            expert.W_2.weight.copy_(block.experts.down_proj[i])
    x = torch.randn(B, T, D)
    one, two = x.clone().requires_grad_(), x.clone().requires_grad_()
    y, routing = ours(one)
    expected = block(two)
    close(y, expected, 1e-5)  # its router computes in single precision
    assert y.std() > 1
    pull = torch.randn_like(y)
    (y * pull).sum().backward()
    (expected * pull).sum().backward()
    for expert in ours.experts:
        both = [expert.W.weight.grad, expert.V.weight.grad]
        copied["gate_up_proj"].append(torch.cat(both))
        copied["down_proj"].append(expert.W_2.weight.grad)
    for name, grads in copied.items():
        close(torch.stack(grads), getattr(block.experts, name).grad, 1e-4)
    close(ours.router.W_r.weight.grad, block.gate.weight.grad, 1e-4)
    close(one.grad, two.grad, 1e-4)
    logits = ours.router.W_r(x).flatten(0, 1)
    loss = theirs.load_balancing_loss_func((logits,), N, k)  # theirs counts k a token
    close(k * balance_loss(routing.p, routing.chosen), loss.double(), 1e-5)


# --- laws ----------------------------------------------------------------------------


def test_an_expert_that_is_not_chosen_has_no_gradient_and_no_work():
    mixture, x = made(), torch.rand(B, T, D) + 0.1
    with torch.no_grad():
        mixture.router.W_r.weight[0] = -9.0  # of positive x its logit is the smallest
    worked = []
    for i, expert in enumerate(mixture.experts):
        expert.register_forward_hook(lambda _, x, y, i=i: worked.append((i, len(x[0]))))
    y, routing = mixture(x)
    y.square().sum().backward()
    for i, expert in enumerate(mixture.experts):
        tokens = (routing.chosen == i).sum().item()
        for p in expert.parameters():
            assert p.grad.any() == (tokens > 0)
        assert (i, tokens) in worked
    assert (0, 0) in worked and sum(n for _, n in worked) == B * T * K


def test_the_router_learns_from_the_output_of_a_single_expert():
    """Its weight is p, and not 1."""
    mixture = made(k=1)
    mixture(torch.randn(B, T, D))[0].square().sum().backward()
    assert mixture.router.W_r.weight.grad.abs().max() > 1e-3


def test_its_gradient_makes_the_expert_with_most_tokens_less_likely():
    logits = torch.zeros(8, N, requires_grad=True)
    chosen = torch.tensor([0, 0, 0, 0, 1, 1, 2, 3]).view(8, 1)
    balance_loss(logits.softmax(dim=-1), chosen).backward()
    mean = logits.grad.mean(dim=0)
    assert mean[0] > 0 and mean[0] > mean[1] > mean[2] == mean[3] and mean[3] < 0


def test_with_one_expert_it_is_a_llama():
    torch.manual_seed(1)
    ours = Mixtral(MixtralConfig(**SIZES, experts=1, k=1), V)
    llama = Llama(LlamaConfig(**SIZES), V)
    llama.load_state_dict(
        {
            name.replace("experts.0.", ""): p
            for name, p in ours.state_dict().items()
            if "router" not in name
        }
    )
    words = torch.randint(V, (B, T))
    (logits, weights, _, routing), (expected, others, _) = ours(words), llama(words)
    close(logits, expected)
    close(weights[1], others[1])
    assert len(routing) == 2 and routing[0].p.shape == (B, T, 1)


def test_one_table_may_embed_the_words_and_score_them():
    model = Mixtral(MixtralConfig(**SIZES, experts=N, k=K, tied=True), V)
    assert model.scores.weight is model.e.weight


# --- refusals ------------------------------------------------------------------------


def test_bad_input_is_refused():
    with refuses(f"k must be .* from 1 to {N}, got 0"):
        made(k=0)
    p = torch.full((3, N), 1 / N)
    with refuses("chosen holds ids from 0 to 4: expected 0 to"):
        balance_loss(p, torch.tensor([[0], [1], [N]]))
    with refuses(r"chosen has shape \(2, 1\)"):
        balance_loss(p, torch.tensor([[0], [1]]))
