"""Where a model comes from: which versions made it, and which machine."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import torch


def versions() -> dict[str, str]:
    """What the numbers depend on; builds such as torch's +cpu are left out."""
    found = {name: version(name) for name in ("torch", "numpy", "safetensors")}
    found["lookback"] = version("lookback-attention")
    plain = {name: told.partition("+")[0] for name, told in found.items()}
    return {"python": platform.python_version(), **plain}


def machine(device: torch.device) -> str:
    """The processor by its trade name and its cores, and the GPU where one was used."""
    cores = f"{_processor()}, {os.cpu_count()} cores"
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)} ({cores})"
    return cores


def _processor() -> str:
    if platform.system() == "Darwin":
        words = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(words, capture_output=True, text=True).stdout.strip()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if "model name" in line)
    return next(named, "") or platform.processor() or platform.machine()
