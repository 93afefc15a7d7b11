"""Weights in the browser: every number of half precision, bit for bit."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from .conftest import Node

IMPORTS = {"safetensors": "half, parse, nested"}


def test_all_numbers_of_half_precision_bit_for_bit(node: Node, tmp_path: Path) -> None:
    """Through the file, as a model's are read; NaN has many bits, and is one number."""
    halves = torch.arange(65536).to(torch.uint16).view(torch.float16)
    save_file({"all": halves}, tmp_path / "halves.safetensors")
    script = """
        const { all } = parse(bytes(given)).tensors;
        const bits = new Uint32Array(all.data.buffer);
        return [...bits].map((one, i) => (Number.isNaN(all.data[i]) ? "NaN" : one));
    """
    found = node(script, IMPORTS, str(tmp_path / "halves.safetensors"))
    expected = halves.float().view(torch.int32).tolist()
    nan = halves.isnan().tolist()
    for i, (bits, value) in enumerate(zip(found, expected, strict=True)):
        assert bits == ("NaN" if nan[i] else value % 2**32), i


def test_shapes_types_and_names(node: Node, tmp_path: Path) -> None:
    tensors = {
        "a.b.weight": torch.tensor([[1.5, -2], [3, 4]], dtype=torch.float64),
        "a.layers.0.g": torch.tensor([0.1]),
        "a.layers.1.g": torch.tensor([7, -7], dtype=torch.int16),
        "n": torch.tensor([2**31 - 1], dtype=torch.int32),
    }
    path = tmp_path / "x.safetensors"
    save_file(tensors, path, {"lookback": '{"name": "é"}'})
    script = """
        const { tensors, metadata } = parse(bytes(given));
        const { a, n } = nested(tensors);
        return [metadata.name, a.b.weight.shape, [...a.b.weight.data],
                Object.values(a.layers).map(({ g }) => [...g.data]), [...n.data]];
    """
    assert node(script, IMPORTS, str(path)) == [
        "é",
        [2, 2],
        [1.5, -2, 3, 4],
        [[pytest.approx(0.1, abs=1e-8)], [7, -7]],
        [2**31 - 1],
    ]


@pytest.mark.parametrize("left", [4, 30, -2])
def test_a_truncated_file_is_refused(node: Node, tmp_path: Path, left: int) -> None:
    path = tmp_path / "x.safetensors"
    save_file({"w": torch.ones(3, 4)}, path)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(RuntimeError, match=r"truncated|outside the bounds|RangeError"):
        node("return parse(bytes(given)).tensors.w.shape;", IMPORTS, str(path))


def test_a_type_that_is_not_read_is_named(node: Node, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save_file({"w": torch.ones(3, dtype=torch.bfloat16)}, path)
    with pytest.raises(RuntimeError, match="w is of type BF16: expected one of F64"):
        node("return parse(bytes(given)).tensors.w.shape;", IMPORTS, str(path))
