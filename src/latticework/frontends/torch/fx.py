"""`torch.fx`, as far as programs mark their functions for it. Graphs of programs are latticework's: `lw.trace`."""

from __future__ import annotations

from typing import Any

__all__ = ["Proxy", "wrap"]


class Proxy:
    """The class of what stands for a tensor while PyTorch traces. It has no instances here."""


def wrap(fn_or_name):
    """Return a function, or the name of one, as it is: in PyTorch its calls are kept as they are in graphs."""
    return fn_or_name


def __getattr__(name: str) -> Any:
    from .coverage import absence

    raise AttributeError(absence(f"fx.{name}"), name=name)
