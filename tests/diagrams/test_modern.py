"""What a layer of Llama draws is what ran; a norm after the sum is a lie."""

from dataclasses import replace

import pytest

from lookback.diagrams import modern


def test_the_layer_and_its_gate() -> None:
    assert modern.draw()._repr_figure_().count("<svg") == 2
    layer, gate = modern.layer(), modern.gate()
    lie = replace(layer, arrows=layer.arrows.replace("x -> n1", "sum1 -> n1"))
    with pytest.raises(ValueError, match="sum1 -> n1 is drawn, but n1 does not depend"):
        modern.hold(lie, gate)
    lie = replace(gate, arrows=gate.arrows.replace("v -> t", "v -> s"))
    with pytest.raises(ValueError, match="v -> s is drawn, but s does not depend"):
        modern.hold(layer, lie)
