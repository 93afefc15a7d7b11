"""Files are whole, or refused with their name."""

from pathlib import Path

import pytest
import torch

from lookback.trainer import files

TENSORS = {
    "a": torch.arange(6, dtype=torch.float32).reshape(2, 3),
    "b": torch.tensor([1, -2], dtype=torch.int16),
    "c": torch.tensor(0.5, dtype=torch.bfloat16),
    "none": torch.zeros(0, 4),
}
METADATA = {"name": "é", "numbers": [1, 0.1, None], "inside": {"x": True}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "deep" / "m.safetensors"
    files.write(path, TENSORS, METADATA)
    return path


def test_what_was_written_is_read(path: Path) -> None:
    metadata, tensors = files.read(path)
    assert metadata == METADATA
    assert tensors.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        assert tensors[name].dtype == tensor.dtype
        assert torch.equal(tensors[name], tensor)


def test_the_same_in_gives_the_same_bytes_and_nothing_else(path: Path) -> None:
    before = path.read_bytes()
    files.write(path, dict(reversed(TENSORS.items())), METADATA)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_views_and_tied_weights_are_written_whole(tmp_path: Path) -> None:
    whole = torch.arange(6.0).reshape(2, 3)
    files.write(tmp_path / "t", {"a": whole, "b": whole, "t": whole.T}, {})
    tensors = files.read(tmp_path / "t")[1]
    assert torch.equal(tensors["b"], whole)
    assert torch.equal(tensors["t"], whole.T)


def test_every_truncation_is_refused_with_the_name(path: Path) -> None:
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match=r"m\.safetensors: truncated"):
            files.read(path)


def test_a_safetensors_file_of_others_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(2)}, tmp_path / "other")
    with pytest.raises(ValueError, match="other: truncated, or no file that Lookback"):
        files.read(tmp_path / "other")


def test_a_path_that_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    inside = tmp_path / "file" / "m"
    with pytest.raises(ValueError, match="none: cannot be read: No such file"):
        files.read(tmp_path / "none")
    for write in (files.check_writable, lambda p: files.write(p, TENSORS, METADATA)):
        with pytest.raises(ValueError, match="m: cannot be written"):
            write(inside)
        with pytest.raises(ValueError, match="cannot be written"):
            write(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_what_fails_halfway_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ValueError, match="cannot be written: No space left"):
        files.write(path, TENSORS, {"other": 1})
    with pytest.raises(OSError, match="No space left") as full_disk:
        files.replace(path, b"half")
    assert full_disk.value.filename == str(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]
