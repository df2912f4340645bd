"""The contract of a backend, for arrays that a tape records.

Arrays are `Taped` values and the target's own arrays, which are constants. They never change: a write makes a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any

from ...backend import Backend
from ...backend.arguments import no_values_for_numpy, of_numbers
from ...backend.contract import Classes
from ...backend.delegating import Delegating
from ...core.dtypes import SCALARS, Dtype
from ...core.registry import declared
from ...core.registry import functions as lw
from ...derivatives import core as rules
from ...derivatives.branching import ControlFlow
from ...derivatives.rules import refused, rule_of
from ...derivatives.tape import Taped, recording, value_of
from ...derivatives.transforming import Transformations
from ...engine.arrays.array import wrapped
from ...engine.keys.reading import IndexArray
from ...errors import BackendError
from ...policy import call_under, current, unified

__all__ = ["TapedBackend"]


class TapedBackend(Delegating):
    """The backend that records the calls of another one for derivatives.

    Parameters
    ----------
    target: the backend that computes.
    """

    arrays: Classes = ()
    dtypes: Mapping[Any, Dtype] = MappingProxyType({})
    takes_target = True

    def __init__(self, target: Backend) -> None:
        self.target, self.recorded = target, target.name
        self.arrays = (Taped, *(target.arrays if isinstance(target.arrays, tuple) else (target.arrays,)))
        self.dtypes, self.linalg_error = target.dtypes, target.linalg_error
        self.emulated, self.refused, self.composed = target.emulated, target.refused, target.composed
        self.int_as_float = target.int_as_float
        self._kept: dict[Any, Callable[..., Any]] = {}
        self._composed: dict[str, Callable[..., Any]] = {}
        name = f"taped:{target.name}"
        super().__init__(name, ModuleType(name))
        self.title, self.label = target.title, "taped"
        self.facts = target.facts._replace(framework="", immutable=True, gradients=True)
        self.lazy, self.conditional_dtypes = target.lazy, target.conditional_dtypes
        for sig in self.sigs.values():
            sig.immutable = sig.weakly.immutable = True
        self.transformations, self.control_flow = Transformations(target, self), ControlFlow(self)
        self.quicker = {
            key: recording(f, found)
            for key, f in target.quicker.items()
            if key[2] != "elements" and (found := rule_of(key[0])) is not None
        }
        self._index = recording(target.index, rules.INDEX)
        self._assign = recording(self._written, rules.ASSIGN)

    @property
    def watched(self) -> bool:
        """True over arrays without data, whose calls an audit sees. A trace sees those of its own backend."""
        return self.target.name.startswith("abstract")

    def observed(self, kernel: Callable[..., Any], plan: Any) -> Callable[..., Any]:
        """See `Backend.observed`."""
        return self.target.observed(kernel, plan) if self.watched else kernel

    def _recorded(self, key: Any, make: Callable[[], Callable[..., Any]], rule: Any) -> Callable[..., Any]:
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = recording(make(), rule)
        return found

    # --- arrays and dtypes ------------------------------------------------------------------------------------------

    def array_class(self) -> type:
        return self.target.array_class()

    def dtype_of(self, data: Any) -> Any:
        return self.target.dtype_of(value_of(data))

    def shape_of(self, data: Any) -> tuple[int | None, ...]:
        return self.target.shape_of(value_of(data))

    def native(self, data: Any) -> Any:
        return data if type(data) is Taped else self.target.native(data)

    def duplicate(self, data: Any) -> Any:
        return self._recorded("copy", lambda: self.target.duplicate, rules.COPY)(data)

    def reinterpret(self, data: Any, dtype: Any) -> Any:
        return self._recorded("view", lambda: self.target.reinterpret, refused("bitcast", "bits have no derivative"))(
            data, dtype
        )

    def cast(self, dtype: Any) -> Callable[[Any], Any]:
        return self._recorded(("cast", dtype), lambda: self.target.cast(dtype), rules.CAST)

    def narrow(self, dtype: Any) -> Callable[[Any], Any]:
        return self._recorded(("narrow", dtype), lambda: self.target.narrow(dtype), rules.CAST)

    # --- Python scalars ---------------------------------------------------------------------------------------------

    def scalar(self, dtype: Any) -> Callable[[Any], Any]:
        return self.target.scalar(dtype)

    def zero_dim(self, dtype: Any) -> Callable[[Any], Any]:
        return self.target.zero_dim(dtype)

    def item(self, data: Any) -> Any:
        return self.target.item(self.target.native(value_of(data)))

    def has_values(self, data: Any) -> bool:
        return self.target.has_values(value_of(data))

    def may_record(self, data: Any) -> bool:
        return type(data) is Taped

    def describe(self, data: Any) -> str | None:
        return self.target.describe(value_of(data))

    # --- devices ----------------------------------------------------------------------------------------------------

    def device_of(self, data: Any) -> str:
        return self.target.device_of(self.target.native(value_of(data)))

    def to_device(self, data: Any, device: Any, stream: Any) -> Any:
        return self._recorded("to_device", lambda: self.target.to_device, rules.COPY)(data, device, stream)

    # --- reading and writing ----------------------------------------------------------------------------------------

    def index(self, data: Any, key: Any) -> Any:
        return self._index(data, key)

    def assign(self, data: Any, key: Any, value: Any) -> Any:
        return (
            data.tape.assign(self._assign, data, key, value) if type(data) is Taped else self._assign(data, key, value)
        )

    def _written(self, data: Any, key: Any, value: Any) -> Any:
        target = self.target
        return target.assign_own(data if target.facts.immutable else target.duplicate(data), key, value)

    def describe_index(self, k: Any) -> IndexArray | None:
        return self.target.describe_index(value_of(k))

    def index_array(self, data: Any) -> Any:
        return self.target.index_array(value_of(data))

    # --- conversion -------------------------------------------------------------------------------------------------

    def adopt(self, x: Any, device: str) -> Any:
        """Take an array that the function holds as a constant."""
        owner = x._sig.backend
        if owner is not self.target and self.target.adopt is not None:
            return self.target.adopt(x, device)
        if owner is not self.target and not owner.takes_target and (":" in owner.name or owner.name == "abstract"):
            raise BackendError(
                "a program that is traced holds an array that is recorded for derivatives. Take it without: "
                "x.detach(), or module.requires_grad_(False) while it is traced. Of a module with parameters, "
                "lw.transpile(module, x, to=...) makes source, and torch.compile of the dialect compiles it"
            )
        if owner is not self.target:
            raise BackendError(
                f"an array of the {owner.title} backend beside arrays of {self.title}. "
                f"Convert it: lw.asarray(x, backend={self.target.name!r})"
            )
        return x._data

    def converted(self, x: Any, target: Backend) -> Any:
        name = self.target.name
        moved = call_under(current().on(name), lw.asarray, (x,), {"backend": name})
        sig = self.sig(moved.dtype)
        return wrapped(moved._data, sig.weakly if x.weak else sig)

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> Any:
        if type(data) is Taped:
            raise no_values_for_numpy()
        return self.target.to_numpy(self.target.native(data), dtype, copy)

    def values(self, data: Any) -> Any:
        return self.target.values(self.target.native(value_of(data)))

    def from_numpy(self, data: Any, device: Any, copy: bool | None) -> Any:
        return self.target.from_numpy(data, device, copy)

    def take_numpy(self, data: Any, device: Any) -> Any:
        return self.target.take_numpy(data, device)

    def dlpack(self, data: Any, **options: Any) -> Any:
        return self.target.dlpack(self.target.native(value_of(data)), **options)

    def from_dlpack(self, x: Any, device: str | None, copy: bool | None) -> Any:
        return self.target.from_dlpack(x, device, copy)

    def to_pickle(self, data: Any) -> Any:
        return self.target.to_pickle(value_of(data))

    def from_pickle(self, pickled: Any, dtype: Any) -> Any:
        return self.target.from_pickle(pickled, dtype)

    # --- functions --------------------------------------------------------------------------------------------------

    def function(self, name: str, dtype: Dtype | None = None) -> Callable[..., Any] | None:
        """Return the framework's function, recorded with its rule; None for a function that runs as a composition."""
        o, found = declared(name), self.target.function(name, dtype)
        if found is None or getattr(found, "composed", False):
            if o is None or o.body is None or not _stands_for_its_composition(name, o.namespace):
                return None
            found = self._composition(name, o.body)  # its steps have other derivatives where the function has an edge
        if o is not None and o.kind == "creation":
            return found
        rule = rule_of(name)
        if rule is None:
            if o is not None and o.body is not None:
                return None
            rule = refused(name)
        key = name, found
        kept = self._kept.get(key)
        if kept is None:
            kept = recording(found, rule)
            kept.__name__ = name
            conditions = [f for f in (getattr(found, "when", None), rule.when) if f is not None]
            if o is not None and o.sized is None:  # what fills up to a size goes to no backend
                conditions += [of_numbers(option) for option in o.array_options]
            if conditions:
                kept.when = lambda *args, **kw: _hold(conditions, args, kw)  # type: ignore[attr-defined]
            kept.__wrapped__ = found  # type: ignore[attr-defined]  # its parameters are those of `kept`
            if hasattr(found, "takes_scalars"):
                kept.takes_scalars = found.takes_scalars  # type: ignore[attr-defined]
            self._kept[key] = kept
        return kept

    def _composition(self, name: str, body: Callable[..., Any]) -> Callable[..., Any]:
        """Return a composition as a function of native arrays and of Python scalars."""

        def call(*operands: Any, **options: Any) -> Any:
            target = self.target
            arrays = tuple([x if type(x) in SCALARS else wrapped(x, target.sig_of(x)) for x in operands])
            found = call_under(unified(current()).on(target.name), body, arrays, options)
            return type(found)(*[x._data for x in found]) if isinstance(found, tuple) else found._data

        return self._composed.setdefault(name, call)


#: Compositions whose steps have other derivatives than the function where that has an edge, besides all of `special`
#: and all functions of each element alone.
_WHOLE = frozenset(("linalg.pinv", "linalg.polar", "cummax", "cummin", "nn._first_greatest"))


def _stands_for_its_composition(name: str, namespace: str) -> bool:
    """Return whether the rule of a function stands for its composition too."""
    found = rule_of(name)
    return found is not None and (namespace == "special" or found.broadcasts or name in _WHOLE)


def _hold(conditions: list[Callable[..., bool]], args: tuple[Any, ...], kw: dict[str, Any]) -> bool:
    """Tell whether all conditions hold for the arguments of a call."""
    plain, options = [_plain(x) for x in args], {n: _plain(x) for n, x in kw.items()}
    return all(condition(*plain, **options) for condition in conditions)


def _plain(x: Any) -> Any:
    return type(x)([_plain(y) for y in x]) if type(x) in (list, tuple) else value_of(x)
