"""Draw one step of training, of a model whose parameters are its logits."""

import torch
from torch import Tensor, nn

from lookback.diagrams.truth import fixed_normal, held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.training import adam_step, noam_rate, smoothed_target

SIZES = {"V": 4}


class Step(nn.Module):
    """Compute a smoothed target, the gradient of its loss, and Adam's step."""

    def forward(self, theta: Tensor, y: Tensor, m: Tensor, v: Tensor) -> Tensor:
        """Take one step: theta, m, v (V,); y the right word → theta after it."""
        p = theta.softmax(dim=-1)
        q = smoothed_target(y, len(theta), 0.1)
        g = p - q
        after, _, _ = adam_step(theta, g, m, v, step=3, rate=noam_rate(3, 4, 5))
        return after


def panel() -> Panel:
    """Draw prediction and target, gradient, two means, the step, bottom to top."""
    return Panel(
        boxes="""
         th0 | strip 4 c0 right | $θ$ | .(theta) | V
         y | word | signe | .(y)
         p | strip 4 c2 left | $p$ | .:p | V
         q | strip 4 c1 right | $q$ | smoothed_target | V
         g | strip 4 c3 right | $g$ | .:g | V
         m | strip 4 right | $m$ | adam_step[1] | V
         v | strip 4 right | $v$ | adam_step[2] | V
         th1 | strip 4 c0 right | new $θ$ | . | V
         l0 | left | parameters; the right word
         l1 | left | prediction; smoothed target
         l2 | left c3 | gradient $g = p − q$
         l3 | left | means of $g$ and of $g^2$
         l4 | left c0 | step down by $m/√v$
        """,
        grid="""
         | 14 300 410 520
         l4 th1 . .
         +20
         l3 . m v
         +14
         l2 . g .
         +14
         l1 . p q
         +14
         l0 th0 . y
        """,
        arrows="""
         th0 => th1
         th0 -> p
         y -> q
         p ~> g
         q ~> g
         g ~> m
         g ~> v
         m ~> th1
         v ~> th1
        """,
        says={
            "th": "parameters",
            "y": "the right word",
            "p": "prediction",
            "q": "smoothed target",
            "g": "gradient",
            "m": "mean of the gradients",
            "v": "mean of their squares",
        },
        links={"th1": "training#eq-3"},
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against the third step."""
    theta, m, v = fixed_normal(3, 4)
    y = torch.tensor(1)
    return held(panel, Step(), lambda step: step(theta, y, m, v.square()), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(
        hold(panel()),
        about=("lookback.training:smoothed_target", "lookback.training:adam_step"),
        left="the means before the step, and their correction",
    )
