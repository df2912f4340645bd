"""Arrays whose native calls are recorded: ``traced:numpy`` computes as NumPy's backend does, and keeps what it called.

Nothing is listed function by function. What computes a function is the framework's backend's, and every call of it goes
through the recorder of the context (`tracing.recorder`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...core.dtypes import Dtype, all_dtypes, extended_dtypes
from ...core.registry import declared
from ...core.signature import Sig
from ...engine.number import NUMBERS
from ...engine.observing import observed
from ...errors import TraceError
from ...tracing.registry import LOCAL, Entry, Registry, plainly
from .. import Backend, get
from . import control_flow
from .core import Core
from .transformations import Transformations

__all__ = ["TracedBackend", "of_target"]

#: The transformations that a graph may have.
TRANSFORMATIONS = ("vjp", "jvp", "vmap", "custom_gradient", "checkpoint", "stop_gradient")


def of_target(name: str) -> TracedBackend:
    """The backend that records the native calls of a framework's backend."""
    return TracedBackend(get(name))


class _Quicker(dict[Any, Any]):
    """A backend's quicker functions, recorded."""

    def __init__(self, functions: dict[Any, Callable[..., Any]], registry: Registry, kind: str) -> None:
        super().__init__()
        for key, f in functions.items():
            parts = (key,) if isinstance(key, str) else key
            name = f"reflected {key}" if kind == "reflected" else str(parts[0])
            self[key] = registry.recording(name, f, (kind, *map(str, parts)))


class TracedBackend(Backend):
    """The backend that records what a framework's backend calls."""

    def __init__(self, target: Backend) -> None:
        self.target, self.recorded = target, target.name
        super().__init__(f"traced:{target.name}", Core(target))
        self.facts = target.facts._replace(framework="", gradients=False)
        self.lazy = target.lazy
        for sig in self.sigs.values():
            sig.immutable = sig.weakly.immutable = target.facts.immutable
        self.index = target.index
        if hasattr(target.module, "transformations"):
            self.module.transformations = Transformations(target)
            for name in TRANSFORMATIONS:
                if (hook := getattr(target.module.transformations, name, None)) is not None:
                    self.module.registry.keep(name, hook, (name,))
        self.emulated, self.refused, self.composed = target.emulated, target.refused, target.composed
        self.conditional_dtypes = target.conditional_dtypes
        self.promotes, self.int_as_float = target.promotes, target.int_as_float and _recorded(target.int_as_float)
        self.raises_itself = lambda error: isinstance(error, TraceError) or target.raises_itself(error)
        self.error_class = target.error_class
        self.error_text, self.linalg_error = target.error_text, target.linalg_error
        registry = self.registry = self.module.registry
        registry.keep_plain(target.name, sys.modules.get(target.facts.framework))
        self.quicker = _Quicker(target.quicker, registry, "quicker")
        self.reflected = _Quicker(target.reflected, registry, "reflected")
        self.around = target.around and registry.recording("round", target.around, ("round",))
        self.padded = target.padded and registry.recording("pad", target.padded, ("pad",))
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
            named = ("function", name) if dtype is None else ("function", name, str(dtype))
            kept = self._functions[key] = self.registry.recording(name, found, named)
        return kept

    def named(self, key: Sequence[str]) -> Entry:
        """The function that a key names (see `registry.Entry`): one of this backend's, never anything else.

        Raises
        ------
        LookupError: the backend has no such function.
        """
        if key[:1] == ("plain",) and len(key) == 2 and (plain := self.registry.plain(key[1])) is not None:
            return plain
        found = self._wrapper(*key)
        native = getattr(found, "native", found)
        entry = self.registry.entry(plainly(native)) if native is not None else None
        if entry is None:
            raise LookupError(f"the {self.target.name} backend has no function {' '.join(key)!r}")
        return entry

    def _wrapper(self, kind: str, *parts: str) -> Any:
        """What records the function of a key, None where there is none."""
        match kind, parts:
            case "function", (name, *rest) if declared(name) is not None and len(rest) < 2:
                return self.function(name, _dtype(rest[0]) if rest else None)
            case "cast" | "narrow" | "scalar" | "zero_dim", (name,):
                native = self.target.native.get(_dtype(name))
                return None if native is None else getattr(self.module, kind)(native)
            case "cast", (name, source) if hasattr(self.target.module, "cast_from"):
                to, of = (self.target.native.get(_dtype(n)) for n in (name, source))
                return None if to is None or of is None else self.module.cast_from(of, to)
            case "quicker", (name, dtype, operands):
                return self.quicker.get((name, _dtype(dtype), operands))
            case "reflected", (name,):
                return self.reflected.get(name)
            case "in_place", (_, *_):
                return self.module.in_place(self.named(parts).function)
            case _, ():
                return self._besides().get(kind)
        return None

    def _besides(self) -> dict[str, Any]:
        """What it records besides functions by name."""
        m = self.module
        flow = {f.__name__: f for f in (control_flow.switch, control_flow.while_loop, control_flow.scan)}
        hooks = getattr(self.target.module, "transformations", None)
        return flow | {name: getattr(hooks, name, None) for name in TRANSFORMATIONS} | LOCAL | {
            "index_array": m.index_array, "copy": m.duplicate, "view": m.reinterpret, "to_device": m.to_device,
            "index": m._index, "assign": m._assign, "overwrite": m._overwrite, "round": self.around,
            "pad": self.padded, "reshape_method": getattr(m, "_reshape", None),
        }  # fmt: skip


def _recorded(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A conversion of Python numbers, recorded for those that are inputs."""
    return lambda x: x.recorder.compute(convert, (x,)) if type(x) in NUMBERS else convert(x)


def _dtype(name: str) -> Dtype:
    """The dtype of a name, and of nothing else.

    Raises
    ------
    LookupError: there is none.
    """
    for dtype in (*all_dtypes, *extended_dtypes):
        if str(dtype) == name:
            return dtype
    raise LookupError(f"there is no dtype {name!r}")
