"""The core of the backends of traced arrays: the framework's operations, recorded."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from ...backend import Backend
from ...backend.delegating import Delegating
from ...core.registry import functions as lw
from ...engine.arrays.array import wrapped
from ...engine.keys.reading import IndexArray
from ...errors import BackendError, TraceError
from ...policy import current, in_force
from ...tracing.recording.recorder import Traced, moving, untraceable
from ...tracing.recording.registry import Registry, current_recorder
from . import control_flow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...core.dtypes import Dtype
    from ...core.signature import Sig


class Core(Delegating):
    """The parts of the contract, for traced arrays.

    Parameters
    ----------
    target: the backend that computes.
    """

    arrays = Traced
    dtypes: Mapping[Any, Dtype] = MappingProxyType({})
    control_flow = control_flow

    def __init__(self, target: Backend) -> None:
        self.target, self.recorded = target, target.name
        self.emulated, self.refused, self.composed = target.emulated, target.refused, target.composed
        self.dtypes, self.linalg_error = target.dtypes, target.linalg_error
        self.registry = Registry()
        record = self.registry.recording
        self._index_array = record("index_array", target.index_array, ("index_array",))
        self._copy = record("copy", target.duplicate, ("copy",))
        self._view = record("view", target.reinterpret, ("view",))
        self._to_device = record("to_device", target.to_device, ("to_device",))
        placed: Any = target.placed
        self.placed = placed and partial(placed, move=lambda x, device: self._to_device(x, device, None))
        self._index = record("index", target.index, ("index",))
        self._assign = record("assign", target.assign, ("assign",), writes=0)
        self._overwrite = record("overwrite", target.overwrite, ("overwrite",), writes=0)
        self._casts: dict[Any, Callable[..., Any]] = {}
        self._narrow: dict[Any, Callable[..., Any]] = {}
        self._zero_dims: dict[Any, Callable[..., Any]] = {}
        self._scalars: dict[Any, Callable[..., Any]] = {}
        self._recorded_sigs: dict[Sig, Sig] = {}
        self._framework_sigs: dict[Sig, Sig] = {}
        self._in_place: dict[Any, Callable[..., Any] | None] = {}
        self._reshape: Callable[..., Any] | None = None
        if target.reshape_method is not None:
            self._reshape = record("reshape", target.reshape_method, ("reshape_method",))
            self.reshape_method = self._reshaped
        for function in (control_flow.switch, control_flow.while_loop, control_flow.scan):
            self.registry.keep(function.__name__, function, (function.__name__,))
        name = f"traced:{target.name}"
        super().__init__(name, ModuleType(name))
        self.label = "traced"

    # --- dtypes and values ------------------------------------------------------------------------------------------

    def recorded_sig(self, sig: Sig) -> Sig:
        """Return the signature of a traced array that stands for an array of a signature."""
        found = self._recorded_sigs.get(sig)
        if found is None:
            own = self.sig(sig.dtype)
            found = self._recorded_sigs[sig] = own.weakly if sig.weak else own
        return found

    def framework_sig(self, sig: Sig) -> Sig:
        """Return the signature of an array of the framework that a traced array of a signature stands for."""
        found = self._framework_sigs.get(sig)
        if found is None:
            own = self.target.sig(sig.dtype)
            found = self._framework_sigs[sig] = own.weakly if sig.weak else own
        return found

    def native(self, data: Traced) -> Traced:
        return data

    def _reshaped(self, data: Traced, shape: tuple[int, ...]) -> Any:
        """Call the method `reshape`; the function for data that may be a NumPy scalar, whose method differs."""
        recorded = self._reshape
        assert recorded is not None
        if data.value.shape or self.target.name != "numpy":
            return recorded(data, shape)
        function: Any = self.target.function("reshape", data.value.dtype)
        return self.registry.recording("reshape", function, ("function", "reshape", str(data.value.dtype)))(data, shape)

    def plain(self, data: Traced, copy: bool | None) -> Traced:
        return data

    def array_class(self) -> type:
        raise untraceable("gives x.data to a function of the framework's own arrays", "Give it x itself")

    def duplicate(self, data: Traced) -> Any:
        return self._copy(data)

    def reinterpret(self, data: Traced, dtype: Any) -> Any:
        return self._view(data, dtype)

    def promotes(self, function: str, operands: tuple[Dtype, ...], computed: Dtype) -> bool:
        return self.target.promotes(function, operands, computed)

    def dtype_of(self, data: Traced) -> Any:
        return data.dtype

    def shape_of(self, data: Traced) -> tuple[int, ...]:
        return data.shape

    def cast(self, dtype: Any) -> Callable[..., Any]:
        found = self._casts.get(dtype)
        if found is None:
            key = "cast", str(self.target.dtypes[dtype])
            found = self._casts[dtype] = self.registry.recording("cast", self.target.cast(dtype), key)
            if self.target.cast_from is not None and self.target.dtypes[dtype].kind in "iu":
                for source in self.target.dtypes:
                    self._cast_from(source, dtype)
        return found

    def _cast_from(self, source: Any, dtype: Any) -> Callable[..., Any]:
        """Return the framework backend's cast to an integer dtype, kept under its name."""
        assert self.target.cast_from is not None
        found = self.target.cast_from(source, dtype)
        self.registry.keep("cast", found, ("cast", *(str(self.target.dtypes[d]) for d in (dtype, source))))
        return found

    def narrow(self, dtype: Any) -> Callable[..., Any]:
        found = self._narrow.get(dtype)
        if found is None:
            key = "narrow", str(self.target.dtypes[dtype])
            found = self._narrow[dtype] = self.registry.recording("narrow", self.target.narrow(dtype), key)
        return found

    def scalar(self, dtype: Any) -> Callable[..., Any]:
        found = self._scalars.get(dtype)
        if found is None:
            key = "scalar", str(self.target.dtypes[dtype])
            found = self._scalars[dtype] = self.registry.recording("scalar", self.target.scalar(dtype), key)
        return found

    def zero_dim(self, dtype: Any) -> Callable[..., Any]:
        found = self._zero_dims.get(dtype)
        if found is None:
            key = "zero_dim", str(self.target.dtypes[dtype])
            found = self._zero_dims[dtype] = self.registry.recording("scalar", self.target.zero_dim(dtype), key)
        return found

    def item(self, data: Traced) -> Any:
        if data.recorder.is_known(data.value):
            return self.target.item(data.native)
        raise untraceable("asks for its value, as if, while, float(x) and x.item() do")

    def describe(self, data: Traced) -> str:
        return f"shape={data.value.shape}"

    # --- devices ----------------------------------------------------------------------------------------------------

    def to_device(self, data: Traced, device: Any, stream: Any) -> Any:
        return self._to_device(data, device, stream)

    def device_of(self, data: Traced) -> Any:
        return self.target.device_of(data.native)

    # --- conversion -------------------------------------------------------------------------------------------------

    def adopt(self, x: Any, device: str) -> Traced:
        """Return an array that the program holds, as a constant."""
        owner = x._sig.backend
        if owner is not self.target and moving.get():
            with in_force(current()._with(backend=self.target.name)):
                moved = lw.asarray(x, backend=self.target.name)
            return self._fresh(self.target.native(moved._data))
        if owner is not self.target:
            raise BackendError(
                f"an array of the {owner.title} backend beside arrays of {self.target.name}. "
                f"Convert it: lw.asarray(x, backend={self.target.name!r})"
            )
        return current_recorder().take_constant(x._data if self._is_element(x) else owner.native(x._data), x)

    def keep(self, x: Any) -> None:
        """Keep the stand-in of an array that the program holds, for as long as the trace lasts."""
        current_recorder().stand_ins.append(x)

    @staticmethod
    def _is_element(x: Any) -> bool:
        """Return whether an array holds a NumPy scalar: no write into a view of it is seen."""
        return x._sig.backend.name == "numpy" and not hasattr(x._data, "__setitem__")

    def converted(self, x: Any, target: Backend) -> Any:
        """Convert an array of any backend to one of this, as a constant."""
        sig = target.sig(x.dtype)
        if x._sig.backend is self.target:
            return wrapped(self.adopt(x, ""), sig.weakly if x.weak else sig)
        with in_force(current()._with(backend=self.target.name)):
            moved = lw.asarray(x, backend=self.target.name)
        return wrapped(self._fresh(self.target.native(moved._data)), target.sig(moved.dtype))

    def take_numpy(self, data: Any, device: Any) -> Any:
        return self._fresh(self.target.take_numpy(data, device))

    def from_numpy(self, data: Any, device: Any, copy: bool | None) -> Any:
        return self._fresh(self.target.from_numpy(data, device, copy))

    def _fresh(self, native: Any) -> Any:
        """Make a new array with the elements of a constant: the program may write into it."""
        constant = current_recorder().take_constant(native)
        return constant if self.target.facts.immutable else self.duplicate(constant)

    def to_numpy(self, data: Traced, dtype: Any, copy: bool | None) -> Any:
        if data.recorder.is_known(data.value):
            return self.target.to_numpy(data.native, dtype, True)
        raise untraceable("asks for its elements, as np.asarray(x) and x.tolist() do", "Write it in functions of lw")

    def to_pickle(self, data: Traced) -> Any:
        raise untraceable("pickles it", "Pickle what it returns")

    def dlpack(self, data: Traced, **options: Any) -> Any:
        raise untraceable("hands it to another framework", "Write it in functions of lw")

    def from_dlpack(self, x: Any, device: str | None, copy: bool | None) -> Any:
        return self._fresh(self.target.from_dlpack(x, device, copy))

    # --- errors -----------------------------------------------------------------------------------------------------

    def raises_itself(self, error: Exception) -> bool:
        return isinstance(error, TraceError) or super().raises_itself(error)

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
        if self.target.facts.immutable and value.value.shape == data.value.shape:
            return value
        return self._overwrite(data, value)  # of another shape: broadcast, or refused

    def in_place(self, call: Callable[..., Any]) -> Callable[..., Any] | None:
        native = getattr(call, "native", call)
        if native not in self._in_place:
            found = self.target.in_place(native)
            key = "in_place", *self.registry.key_of(native)
            self._in_place[native] = found and self.registry.recording(call.__name__, found, key, writes=0)
        return self._in_place[native]

    def index_array(self, data: Traced) -> Any:
        return self._index_array(data)

    def describe_index(self, k: Any) -> IndexArray | None:
        if not isinstance(k, Traced):
            return None
        return IndexArray(k.shape, "b" if self._is_mask(k) else "i", k)
