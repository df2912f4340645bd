"""PyTorch's own samples of its functions, from its wheel, for `tools/upstream.py`: a part is a group of functions.

`torch.testing` lists some seven hundred functions, with arguments that its tests call them with, and arguments that
they refuse (`op_db`, of `OpInfo`). `upstream_torch_runner.py` makes these calls in PyTorch and in the dialect.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from upstream import Suite

#: The parts: the functions of a namespace, those of `torch` and `torch.nn.functional` by their first letters.
PARTS = (
    "fft", "linalg", "nn.a-l", "nn.m-z", "special", "torch.a-c", "torch.d-h", "torch.i-m", "torch.n-r", "torch.s",
    "torch.t-z",
)  # fmt: skip


def part_of(name: str) -> str:
    """The part of a function, by PyTorch's name for it; empty for what no public namespace of arrays has."""
    space, _, short = name.rpartition(".")
    space = {"nn.functional": "nn", "": "torch"}.get(space, space)
    if space in PARTS:
        return space
    letter = short.strip("_")[:1].lower() if not space.startswith("torch.") else ""
    for part in PARTS:
        of, _, letters = part.partition(".")
        if of == space and letter and letters[0] <= letter <= letters[-1]:
            return part
    return ""


def command(part: str, backend: str, report: Path) -> list[str]:
    """What Python runs for a part."""
    return ["-m", "upstream_torch_runner", part, backend, str(report)]


SUITE = Suite(
    name="torch",
    version=lambda: version("torch"),
    parts=lambda: [*PARTS],
    command=command,
    files=("upstream_torch.py", "upstream_torch_runner.py"),
)
