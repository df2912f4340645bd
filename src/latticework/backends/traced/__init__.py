"""Arrays whose native calls are recorded: ``traced:numpy`` computes like the NumPy backend, and records its calls.

No function is listed by itself. The kernels are those of the framework's backend, and every call of them goes through
the recorder of the context (`tracing.recording.recorder`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...backend import Backend, get
from ...core.dtypes import Dtype, all_dtypes, extended_dtypes
from ...core.registry import declared
from ...engine.arrays.number import NUMBERS
from ...engine.calls.observing import observed
from ...tracing.recording.registry import LOCAL, Entry, Registry, plainly
from . import control_flow
from .core import Core
from .transformations import Transformations

__all__ = ["TracedBackend", "of_target"]

#: The transformations that a graph may have.
TRANSFORMATIONS = (
    "vjp", "gradient", "jvp", "vmap", "custom_gradient", "custom_rules", "checkpoint", "stop_gradient",
)  # fmt: skip


def of_target(name: str) -> TracedBackend:
    """Return the backend that records the native calls of a framework's backend."""
    return TracedBackend(get(name))


class _Quicker(dict[Any, Any]):
    """A backend's quicker functions, recorded."""

    def __init__(self, functions: Mapping[Any, Callable[..., Any]], registry: Registry, kind: str) -> None:
        super().__init__()
        for key, f in functions.items():
            parts = (key,) if isinstance(key, str) else key
            name = f"reflected {key}" if kind == "reflected" else str(parts[0])
            self[key] = registry.recording(name, f, (kind, *map(str, parts)))


class TracedBackend(Core):
    """The backend that records the native calls of a framework's backend."""

    def __init__(self, target: Backend) -> None:
        super().__init__(target)
        self.facts = target.facts._replace(framework="", gradients=False)
        self.lazy = target.lazy
        for sig in self.sigs.values():
            sig.immutable = sig.weakly.immutable = target.facts.immutable
        registry = self.registry
        if target.transformations is not None:
            self.transformations = Transformations(target)
            for name in TRANSFORMATIONS:
                if (hook := getattr(target.transformations, name, None)) is not None:
                    registry.keep(name, hook, (name,))
        self.conditional_dtypes = target.conditional_dtypes
        self.int_as_float = target.int_as_float and _recorded(target.int_as_float)
        registry.keep_plain(target.plain_functions, sys.modules.get(target.facts.framework))
        self.quicker = _Quicker(target.quicker, registry, "quicker")
        self.reflected = _Quicker(target.reflected, registry, "reflected")
        self.around = target.around and registry.recording("round", target.around, ("round",))
        self.padded = target.padded and registry.recording("pad", target.padded, ("pad",))
        self._functions: dict[tuple[str, Callable[..., Any]], Callable[..., Any]] = {}

    def observed(self, kernel: Callable[..., Any], plan: Any) -> Callable[..., Any]:
        return observed(kernel, plan)

    def function(self, name: str, dtype: Dtype | None = None) -> Callable[..., Any] | None:
        """Return the recording wrapper of the framework's function, None where its backend has none."""
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
        """Return the function that a key names (see `registry.Entry`): one of this backend's, never anything else.

        Raises
        ------
        LookupError: the backend has no such function.
        """
        if key[:1] == ("plain",) and len(key) == 2 and (plain := self.registry.plain(key[1])) is not None:
            return plain
        prefix = key[0] if key[:1] in (("own slopes",), ("instead",)) else ""
        found = self._wrapper(*(key[1:] if prefix else key))
        native = getattr(found, "native", found)
        if prefix == "instead":
            native = getattr(native, prefix, None)
        elif not prefix:
            native = getattr(native, "native_slopes", None) or native
        entry = self.registry.entry(plainly(native)) if native is not None else None
        if entry is None:
            raise LookupError(f"the {self.target.name} backend has no function {' '.join(key)!r}")
        return entry

    def _wrapper(self, kind: str, *parts: str) -> Any:
        """Return the recording wrapper of a key, None where there is none."""
        match kind, parts:
            case "function", (name, *rest) if declared(name) is not None and len(rest) < 2:
                return self.function(name, _dtype(rest[0]) if rest else None)
            case "cast" | "narrow" | "scalar" | "zero_dim", (name,):
                native = self.target.native_dtypes.get(_dtype(name))
                return None if native is None else getattr(self, kind)(native)
            case "cast", (name, source) if self.target.cast_from is not None:
                to, of = (self.target.native_dtypes.get(_dtype(n)) for n in (name, source))
                return None if to is None or of is None else self._cast_from(of, to)
            case "quicker", (name, dtype, operands):
                return self.quicker.get((name, _dtype(dtype), operands))
            case "reflected", (name,):
                return self.reflected.get(name)
            case "in_place", (_, *_):
                return self.in_place(self.named(parts).function)
            case _, ():
                return self._besides().get(kind)
        return None

    def _besides(self) -> dict[str, Any]:
        """Return the recorded operations besides functions by name."""
        flow = {f.__name__: f for f in (control_flow.switch, control_flow.while_loop, control_flow.scan)}
        hooks = self.target.transformations
        return flow | {name: getattr(hooks, name, None) for name in TRANSFORMATIONS} | LOCAL | {
            "index_array": self._index_array, "copy": self._copy, "view": self._view, "to_device": self._to_device,
            "index": self._index, "assign": self._assign, "overwrite": self._overwrite, "round": self.around,
            "pad": self.padded, "reshape_method": self._reshape,
        }  # fmt: skip


def _recorded(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Record a conversion of Python numbers for numbers that are inputs."""
    return lambda x: x.recorder.compute(convert, (x,)) if type(x) in NUMBERS else convert(x)


def _dtype(name: str) -> Dtype:
    """Return the dtype of a name, and of nothing else.

    Raises
    ------
    LookupError: there is none.
    """
    for dtype in (*all_dtypes, *extended_dtypes):
        if str(dtype) == name:
            return dtype
    raise LookupError(f"there is no dtype {name!r}")
