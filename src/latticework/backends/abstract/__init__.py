"""Arrays without data: every function gives the dtypes, shapes and errors that it gives on arrays with data.

No function is listed by itself. Its operands and results follow from its declaration: the dtypes of the results from
`promotion.operations`, their shapes from `shapes`. ``abstract`` takes all dtypes; ``abstract:torch`` takes the dtypes
that PyTorch takes: its backend does not refuse them, and its measured support has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...backend import Backend, get, measured
from ...core.dtypes import CATEGORIES, Dtype, int64
from ...core.registry import OPS
from ...core.signature import Sig
from ...engine.arrays.array import Array
from ...engine.calls.observing import observed
from ...engine.shapes.families import result_shapes
from ...errors import BackendError
from ...policy import current
from ...promotion import operations
from . import constants
from .core import Core
from .data import Blank
from .trial import dtypes_of_trial

__all__ = ["AbstractBackend", "of_target"]


def of_target(name: str) -> AbstractBackend:
    """Return the backend of arrays without data that stand for arrays of a framework, or of none in particular ("").

    Its support is that of the installed version and the default device, unless others follow: ``torch@2.7/cuda:0``.
    """
    target, _, measured_on = name.partition("@")
    return AbstractBackend(get(target) if target else None, measured_on)


#: The number of combinations of shapes whose result shapes are cached, for each function and dtype.
_MOST_SHAPES = 256


class AbstractBackend(Core):
    """The backend of arrays without data.

    Parameters
    ----------
    target: the backend that they stand for, None for one that has every dtype and every function.
    measured_on: the version and the device whose support counts, as ``2.7/cuda:0``; either may be empty.
    """

    def __init__(self, target: Backend | None, measured_on: str = "") -> None:
        name = f"abstract:{target.name}" if target else "abstract"
        super().__init__(f"{name}@{measured_on}" if measured_on else name, target)
        version, _, device = measured_on.partition("/")
        self.measured_on = {"version": version or None, "device": device or None}
        self.holes = {} if target is None else measured.table(target.name, **self.measured_on)
        self._functions: dict[tuple[str, Dtype | None], Callable[..., Any]] = {}

    @property
    def index_dtype(self) -> Dtype:
        return int64 if self.target is None else self.target.index_dtype

    def sig(self, dtype: Dtype) -> Sig:
        if self.target is not None:
            self.target.sig(dtype)  # refuses dtypes that it does not have, in its words
        return super().sig(dtype)

    def emulates(self, name: str, dtype: Dtype) -> bool:
        return self.target is not None and self.target.emulates(name, dtype)

    def guarded(
        self, kernel: Callable[..., Any], again: Callable[[], Any], dtypes: Iterable[Dtype], positions: bool
    ) -> Callable[..., Any]:
        """Guard the kernel like the framework's backend guards its own: behind its switches."""
        return kernel if self.target is None else self.target.guarded(kernel, again, dtypes, positions)

    def observed(self, kernel: Callable[..., Any], plan: Any) -> Callable[..., Any]:
        return observed(kernel, plan)

    def function(self, name: str, dtype: Dtype | None = None) -> Callable[..., Any] | None:
        """Return what makes results of a function without computing them, None where the function is a composition."""
        o = OPS.get(name)
        if o is None:
            return self.duplicate if name == "duplicate" else None
        if self.target is not None:
            if self.target.function(name, dtype) is None and o.kind != "creation":
                return None
            if dtype is not None and name in self.holes:
                self._check_measured(name, dtype)
        elif o.kind == "composition" or not o.shape:
            return None
        found = self._functions.get((name, dtype))
        if found is None:
            found = self._creation(name) if o.kind == "creation" else self._results(name, dtype)
            self._functions[name, dtype] = found
        return found

    def _check_measured(self, name: str, dtype: Dtype) -> None:
        assert self.target is not None
        if measured.how(self.target.name, name, dtype, **self.measured_on) in ("missing", "wrong"):
            why = measured.why(self.target.name, name, dtype, **self.measured_on)
            raise BackendError(why or f"{name}: the {self.target.name} backend does not take {dtype}")

    def _creation(self, name: str) -> Callable[..., Blank]:
        o = OPS[name]

        def create(*args: Any, dtype: Dtype, device: str | None, **kw: Any) -> Blank:
            (shape,) = result_shapes(o, (), args, kw)
            return Blank(shape, dtype, device or self.device_name(None))

        create.__qualname__ = name
        return create

    def _results(self, name: str, computed: Dtype | None) -> Callable[..., Any]:
        o, leading = OPS[name], 1 if OPS[name].sequence else len(OPS[name].operands)
        beyond = None if computed is None or computed.kind in CATEGORIES[o.accepts] else computed

        found_shapes: dict[Any, tuple[Any, ...]] = {}

        def _shapes(operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Any, ...]:
            """Return the shapes of the results: cached for calls with arrays alone, without options."""
            if args or kw or any(type(x) is not Blank or x.constant is not None for x in operands):
                return result_shapes(o, operands, args, kw)
            key = tuple([x.shape for x in operands])
            shapes = found_shapes.get(key)
            if shapes is None:
                if len(found_shapes) >= _MOST_SHAPES:
                    found_shapes.clear()
                shapes = found_shapes[key] = result_shapes(o, operands, args, kw)
            return shapes

        def infer(*args: Any, **kw: Any) -> Any:
            operands = args[0] if o.sequence else args[:leading]
            device = next((x.device for x in operands if isinstance(x, Blank)), "cpu")
            shapes = _shapes(tuple(operands), args[leading:], kw)
            dtypes = [kw["dtype"]] if kw.get("dtype") else [self._result(out, computed) for out in o.out]
            if self.target is not None and beyond is not None:
                dtypes = dtypes_of_trial(self.target, name, beyond, args, kw) or dtypes
            if o.wrap is tuple:  # of any number of results, of one dtype
                dtypes = dtypes[:1] * len(shapes)
            found = [Blank(shape, d, device) for shape, d in zip(shapes, dtypes, strict=True)]
            if name in constants.FUNCTIONS:
                found[0].constant = constants.computed(name, dtypes[0], operands, args[leading:], kw)
            return found[0] if o.wrap is Array else found

        infer.__qualname__ = name
        if self.target is not None:  # its parameters say which optional operands it takes
            infer.__wrapped__ = self.target.function(name, computed)  # type: ignore[attr-defined]
        return infer

    def _result(self, out: str, computed: Dtype | None) -> Dtype:
        assert computed is not None
        return self.index_dtype if out == "index" else operations.result(out, computed, current().default)
