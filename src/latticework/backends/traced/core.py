"""What `Array` and dispatch need of traced arrays: the framework's own, recorded."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ...core.registry import functions as lw
from ...engine.array import wrapped
from ...engine.indexing import IndexArray
from ...errors import BackendError
from ...tracing.nodes import mapped
from ...tracing.recorder import Recorder, Traced, recorder, untraceable
from . import control_flow

if TYPE_CHECKING:
    from .. import Backend


def current_recorder() -> Recorder:
    """The recorder of this context."""
    found = recorder.get()
    if found is None:
        raise untraceable("goes on after the trace has ended", "Return the array from the traced function")
    return found


def recording(name: str, function: Callable[..., Any], writes: int | None = None) -> Callable[..., Any]:
    """A function of native arrays as one of traced arrays, whose calls are recorded.

    Parameters
    ----------
    name: what it is called in the graph.
    writes: the position of the argument that it writes into.
    """
    plain = getattr(function, "as_it_is", function)  # of one that the backend compiles where that pays

    def call(*args: Any, **kw: Any) -> Any:
        return current_recorder().call(name, plain, args, kw, writes)

    try:
        update_wrapper(call, function)
    except (AttributeError, TypeError):  # a callable that keeps no attributes
        call.__name__ = name
    call.native = function  # type: ignore[attr-defined]
    when = getattr(function, "when", None)
    if when is not None:
        call.when = lambda *args, **kw: when(*_natives(args), **_natives(kw))  # type: ignore[attr-defined]
    return call


def _natives(tree: Any) -> Any:
    """A tree with native arrays in the places of traced ones, whose extents have then been looked at."""

    def native(x: Traced) -> Any:
        x.recorder.looked |= x.value.inputs
        return x.native

    return mapped(tree, Traced, native)


class Core:
    """The names that every backend's module has, for traced arrays.

    Parameters
    ----------
    target: the backend that computes.
    """

    ARRAY = Traced
    control_flow = control_flow

    def __init__(self, target: Backend) -> None:
        module = target.module
        self.target = target
        self.DTYPES, self.NATIVE_DTYPE, self.EMULATED = target.dtypes, module.NATIVE_DTYPE, target.emulated
        self.takes_scalar, self.devices = module.takes_scalar, module.devices
        self.device = module.device
        self.index_array = recording("index_array", module.index_array)
        self.duplicate = recording("copy", module.duplicate)
        self.reinterpret = recording("view", module.reinterpret)
        self.to_device = recording("to_device", module.to_device)
        self._index = recording("index", module.index)
        self._assign = recording("assign", module.assign, writes=0)
        self._overwrite = recording("overwrite", target.overwrite, writes=0)
        self._casts: dict[Any, Callable[..., Any]] = {}
        self._scalars: dict[Any, Callable[..., Any]] = {}
        self._in_place: dict[Any, Callable[..., Any] | None] = {}
        if hasattr(module, "reshape_method"):
            self.reshape_method = recording("reshape", module.reshape_method)

    # --- dtypes and values ------------------------------------------------------------------------------------------

    def native(self, data: Traced) -> Traced:
        return data

    def plain(self, data: Traced, copy: bool | None) -> Traced:
        return data

    def dtype_of(self, data: Traced) -> Any:
        return data.dtype

    def shape_of(self, data: Traced) -> tuple[int, ...]:
        return data.shape

    def cast(self, dtype: Any) -> Callable[..., Any]:
        found = self._casts.get(dtype)
        if found is None:
            found = self._casts[dtype] = recording("cast", self.target.module.cast(dtype))
        return found

    def scalar(self, dtype: Any) -> Callable[..., Any]:
        found = self._scalars.get(dtype)
        if found is None:
            found = self._scalars[dtype] = recording("scalar", self.target.module.scalar(dtype))
        return found

    def zero_dim(self, dtype: Any) -> Callable[..., Any]:
        return recording("scalar", self.target.zero_dim(dtype))

    def item(self, data: Traced) -> Any:
        raise untraceable("asks for its value, as if, while, float(x) and x.item() do")

    def shown(self, data: Traced) -> str:
        return f"shape={data.value.shape}"

    label = "traced"

    # --- devices ----------------------------------------------------------------------------------------------------

    def native_device(self, name: Any) -> Any:
        return self.target.module.native_device(str(self.target.device(str(name))))

    def device_of(self, data: Traced) -> Any:
        return self.target.module.device_of(data.native)

    # --- conversion -------------------------------------------------------------------------------------------------

    def adopt(self, x: Any, device: str) -> Traced:
        """An array that the program holds, as a constant."""
        owner = x._sig.backend
        if owner is not self.target:
            raise BackendError(
                f"an array of the {owner.shown} backend beside arrays of {self.target.name}. "
                f"Convert it: lw.asarray(x, backend={self.target.name!r})"
            )
        return current_recorder().take_constant(owner.module.native(x._data))

    def converted(self, x: Any, target: Backend) -> Any:
        """An array of any backend, converted to one of this, as a constant."""
        moved = lw.asarray(x, backend=self.target.name)
        return wrapped(self._fresh(self.target.module.native(moved._data)), target.sig(moved.dtype))

    def take_numpy(self, data: Any, device: Any) -> Any:
        return self._fresh(self.target.take_numpy(data, device))

    def from_numpy(self, data: Any, device: Any, copy: bool | None) -> Any:
        return self._fresh(self.target.module.from_numpy(data, device, copy))

    def _fresh(self, native: Any) -> Any:
        """A new array with the elements of a constant: the program may write into it."""
        constant = current_recorder().take_constant(native, held=False)
        return constant if self.target.facts.immutable else self.duplicate(constant)

    def to_numpy(self, data: Traced, dtype: Any, copy: bool | None) -> Any:
        raise untraceable("asks for its elements, as np.asarray(x) and x.tolist() do", "Write it in functions of lw")

    def dlpack(self, data: Traced, **options: Any) -> Any:
        raise untraceable("hands it to another framework", "Write it in functions of lw")

    def from_dlpack(self, x: Any, device: str | None, copy: bool | None) -> Any:
        return self._fresh(self.target.module.from_dlpack(x, device, copy))

    # --- indexing and writing ---------------------------------------------------------------------------------------

    def index(self, data: Traced, key: Any) -> Any:
        for k in key if type(key) is tuple else (key,):
            if isinstance(k, Traced) and k.value.inputs and k.ndim and self._is_mask(k):
                raise untraceable(
                    "selects elements by a mask, whose number depends on its values", "Write lw.where(mask, x, y)"
                )
        return self._index(data, key)

    def _is_mask(self, k: Traced) -> bool:
        return k.value.dtype.kind == "b"

    def assign(self, data: Traced, key: Any, value: Any) -> Any:
        return self._assign(data, key, value)

    def overwrite(self, data: Traced, value: Any) -> Any:
        return value if self.target.facts.immutable else self._overwrite(data, value)

    def in_place(self, call: Callable[..., Any]) -> Callable[..., Any] | None:
        native = getattr(call, "native", call)
        if native not in self._in_place:
            found = self.target.in_place(native)
            self._in_place[native] = found and recording(call.__name__, found, writes=0)
        return self._in_place[native]

    def describe_index(self, k: Any) -> IndexArray | None:
        if not isinstance(k, Traced):
            return None
        return IndexArray(k.shape, "b" if self._is_mask(k) else "i", k)
