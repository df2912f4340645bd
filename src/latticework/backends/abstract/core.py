"""What `Array` and dispatch need of arrays without data: conversion, casts, indexing, devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype, as_dtype, bool_
from ...core.signature import Sig
from ...engine.array import wrapped
from ...engine.conversion import key_plan
from ...engine.indexing import IndexArray, check_value, read_key
from ...engine.observing import observer
from . import constants, control_flow, transformations
from .data import Blank, no_data, value_of

if TYPE_CHECKING:
    from .. import Backend

ARRAY = Blank
NATIVE_DTYPE = Dtype


class Core:
    """The names that every backend's module has, for arrays without data.

    Parameters
    ----------
    target: the backend whose dtypes, devices and support they stand for; None for all dtypes and no holes.

    Attributes
    ----------
    sig: gives the signature of arrays of a dtype. The backend that this is of sets it.
    """

    sig: Callable[[Dtype], Sig]

    ARRAY, NATIVE_DTYPE = ARRAY, NATIVE_DTYPE
    control_flow, transformations = control_flow, transformations

    def __init__(self, dtypes: dict[Dtype, Dtype], target: Backend | None) -> None:
        self.DTYPES, self.target = dtypes, target
        #: What their text begins with: ``Array(<no data, as torch>, shape=(2, None), dtype=float32)``.
        self.label = "no data" if target is None else f"no data, as {target.name}"
        self.EMULATED: dict[Any, Any] = {} if target is None else target.emulated

    # --- dtypes and values ------------------------------------------------------------------------------------------

    def native(self, data: Blank) -> Blank:
        return data

    def plain(self, data: Blank, copy: bool | None) -> Blank:
        return data

    def duplicate(self, data: Blank) -> Blank:
        return Blank(data.shape, data.dtype, data.device, data.constant)

    def to_pickle(self, data: Blank) -> Blank:
        return data

    def from_pickle(self, pickled: Blank, dtype: Any) -> Blank:
        return pickled

    def dtype_of(self, data: Blank) -> Dtype:
        return data.dtype

    def shape_of(self, data: Blank) -> tuple[int | None, ...]:
        return data.shape

    def cast(self, dtype: Dtype) -> Callable[[Blank], Blank]:
        return lambda data: Blank(data.shape, dtype, data.device, constants.cast(data, dtype))

    narrow = cast

    def reinterpret(self, data: Blank, dtype: Dtype) -> Blank:
        before, after, shape = data.dtype.itemsize, dtype.itemsize, data.shape
        shape = shape if before == after else (*shape, before // after) if before > after else shape[:-1]
        return Blank(shape, dtype, data.device)

    def scalar(self, dtype: Dtype) -> Callable[[Any], Blank]:
        return lambda value: Blank((), dtype, self.device(None), constants.of_number(value))

    def takes_scalar(self, function: str, position: int, dtype: Dtype) -> bool:
        return True

    def item(self, data: Blank) -> Any:
        return value_of(data)

    def shown(self, data: Blank) -> str:
        return f"shape={data.shape}"

    # --- devices ----------------------------------------------------------------------------------------------------

    def devices(self) -> list[str]:
        return ["cpu"] if self.target is None else self.target.module.devices()

    def device(self, name: object) -> str:
        if self.target is not None:
            return str(self.target.module.device(name))
        return "cpu" if name is None else str(name)

    def native_device(self, name: str) -> str:
        return str(name)

    def device_of(self, data: Blank) -> str:
        return data.device

    def to_device(self, data: Blank, device: str, stream: Any) -> Blank:
        return Blank(data.shape, data.dtype, device)

    # --- conversion -------------------------------------------------------------------------------------------------

    def adopt(self, x: Any, device: str) -> Blank:
        """An array of another backend without its data."""
        return Blank(x.shape, x.dtype, device)

    def from_numpy(self, data: Any, device: str | None, copy: bool | None) -> Blank:
        return Blank(tuple(data.shape), as_dtype(data.dtype), device or self.device(None), data)

    def to_numpy(self, data: Blank, dtype: Any, copy: bool | None) -> Any:
        if data.constant is not None:
            return data.constant.astype(dtype or data.constant.dtype, copy=True)
        raise no_data(data, "asks for its elements, as np.asarray(x) and x.tolist() do", "Write it in functions of lw")

    def dlpack(self, data: Blank, **options: Any) -> Any:
        raise no_data(data, "hands it to another framework", "Write it in functions of lw")

    def from_dlpack(self, x: Any, device: str | None, copy: bool | None) -> Blank:
        import numpy as np

        return self.from_numpy(np.from_dlpack(x), device, copy)

    # --- indexing ---------------------------------------------------------------------------------------------------

    def index_array(self, data: Blank) -> Blank:
        return data

    def index(self, data: Blank, key: Any) -> Blank:
        return self._observed("getitem", self._index, data, key)

    def assign(self, data: Blank, key: Any, value: Any) -> Blank:
        return self._observed("setitem", self._assign, data, key, value)

    def _observed(self, name: str, run: Callable[..., Blank], data: Blank, *args: Any) -> Blank:
        """What a key reads or writes, run by the observer of this context."""
        watch = observer.get()
        if watch is None:
            return run(data, *args)
        found: Blank = watch(key_plan(name, wrapped(data, self.sig(data.dtype))), run, (data, *args), {})
        return found

    def _index(self, data: Blank, key: Any) -> Blank:
        plan = read_key(data.shape, key, self.describe_index, values=True, count=True)
        return Blank(plan.shape, data.dtype, data.device, constants.indexed(data, key))

    def _assign(self, data: Blank, key: Any, value: Any) -> Blank:
        plan = read_key(data.shape, key, self.describe_index, values=True, count=True)
        check_value(plan.shape, getattr(value, "shape", ()))
        constants.written(data)
        return Blank(data.shape, data.dtype, data.device)

    def describe_index(self, x: Any) -> IndexArray | None:
        """What the reader of keys asks of an index array: its values too, where the program wrote them as a list."""
        if not isinstance(x, Blank):
            return None
        values = x.constant
        if x.dtype is bool_:
            return IndexArray(x.shape, "b", x, selects=None if values is None else lambda: int(values.sum()))
        has_values = values is not None and values.size
        return IndexArray(
            x.shape, "i", x, bounds=(lambda: (int(values.min()), int(values.max()))) if has_values else None
        )
