"""`torch.profiler`, as far as programs name their parts for it. The profiler itself is PyTorch's: see `__getattr__`."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

__all__ = ["record_function"]


class record_function(ContextDecorator):
    """A block or a function with a name in PyTorch's profiles. It does nothing: there is no profile here."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def __getattr__(name: str) -> Any:
    from .coverage import absence

    raise AttributeError(absence(f"profiler.{name}"), name=name)
