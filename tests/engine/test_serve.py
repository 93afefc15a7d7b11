"""Refuse a taken port of `mkdocs serve` before any page runs."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

Mkdocs = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_taken_port_is_named_before_anything_runs(
    mkdocs: Mkdocs, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# T\n\n```python\n1\n```\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text("site_name: T\nplugins: [lookback]\n")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        served = mkdocs("serve", "-f", config, "-a", f"127.0.0.1:{port}")
    output = served.stdout + served.stderr
    assert served.returncode != 0
    assert f"port {port} of 127.0.0.1 cannot be used" in output
    assert f"make serve PORT={port + 1}" in output
    assert f"mkdocs serve -a 127.0.0.1:{port + 1}" in output
    assert "Traceback" not in output
    assert "Running the blocks" not in output
    assert not (tmp_path / ".cache").exists()
