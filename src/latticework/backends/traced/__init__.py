"""Arrays whose native calls are recorded: ``traced:numpy`` computes as NumPy's backend does, and keeps what it called.

Nothing is listed function by function. What computes a function is the framework's backend's, and every call of it goes
through the recorder of the context (`tracing.recorder`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...core.dtypes import Dtype
from ...core.signature import Sig
from ...engine.observing import observed
from ...errors import TraceError
from .. import Backend, get
from .core import Core, recording
from .transformations import Transformations

__all__ = ["TracedBackend", "of_target"]


def of_target(name: str) -> TracedBackend:
    """The backend that records the native calls of a framework's backend."""
    return TracedBackend(get(name))


class _Quicker(dict[Any, Any]):
    """A backend's quicker functions, recorded."""

    def __init__(self, functions: dict[Any, Callable[..., Any]], name: Callable[[Any], str]) -> None:
        super().__init__({key: recording(name(key), f) for key, f in functions.items()})


class TracedBackend(Backend):
    """The backend that records what a framework's backend calls."""

    def __init__(self, target: Backend) -> None:
        self.target = target
        super().__init__(f"traced:{target.name}", Core(target))
        self.facts = target.facts._replace(framework="", gradients=False)
        self.lazy = target.lazy
        for sig in self.sigs.values():
            sig.immutable = sig.weakly.immutable = target.facts.immutable
        self.index = target.index
        if hasattr(target.module, "transformations"):
            self.module.transformations = Transformations(target)
        self.emulated, self.refused, self.composed = target.emulated, target.refused, target.composed
        self.conditional_dtypes = target.conditional_dtypes
        self.promotes, self.int_as_float = target.promotes, target.int_as_float
        self.raises_itself = lambda error: isinstance(error, TraceError) or target.raises_itself(error)
        self.error_class = target.error_class
        self.error_text, self.linalg_error = target.error_text, target.linalg_error
        self.quicker = _Quicker(target.quicker, lambda key: key[0])
        self.reflected = _Quicker(target.reflected, "reflected {}".format)
        self.around = target.around and recording("round", target.around)
        self.padded = target.padded and recording("pad", target.padded)
        self._functions: dict[tuple[str, Callable[..., Any]], Callable[..., Any]] = {}

    def sig(self, dtype: Dtype) -> Sig:
        self.target.sig(dtype)  # refuses what it does not have, in its words
        return super().sig(dtype)

    def emulates(self, name: str, dtype: Dtype) -> bool:
        return self.target.emulates(name, dtype)

    def guarded(
        self, kernel: Callable[..., Any], again: Callable[[], Any], dtypes: Iterable[Dtype], positions: bool
    ) -> Callable[..., Any]:
        return self.target.guarded(kernel, again, dtypes, positions)

    def observed(self, kernel: Callable[..., Any], plan: Any) -> Callable[..., Any]:
        return observed(kernel, plan)

    def function(self, name: str, dtype: Dtype | None = None) -> Callable[..., Any] | None:
        """What records the function of the framework's backend, None where that has none."""
        found = self.target.function(name, dtype)
        if found is None or getattr(found, "composed", False):  # a composition that the backend compiles
            return None
        key = name, found
        kept = self._functions.get(key)
        if kept is None:
            kept = self._functions[key] = recording(name, found)
        return kept
