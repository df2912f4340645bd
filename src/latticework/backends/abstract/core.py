"""The core of the backend of arrays without data: conversion, casts, indexing, devices."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from ...backend import Backend
from ...core.dtypes import Dtype, all_dtypes, as_dtype, bool_, extended_dtypes
from ...engine.arrays.array import wrapped
from ...engine.calls.observing import observer
from ...engine.keys.reading import IndexArray, check_value, read_key
from ...engine.plans.conversion import key_plan
from . import constants, control_flow, transformations
from .data import Blank, no_data, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Core(Backend):
    """The parts of the contract, for arrays without data.

    Parameters
    ----------
    target: the backend whose dtypes, devices and support they stand for; None for all dtypes and no holes.
    """

    arrays = Blank
    dtype_class = Dtype
    dtypes: Mapping[Dtype, Dtype] = MappingProxyType({})
    control_flow, transformations = control_flow, transformations

    def __init__(self, name: str, target: Backend | None) -> None:
        self.target = target
        self.dtypes = {d: d for d in ((*all_dtypes, *extended_dtypes) if target is None else target.dtypes.values())}
        if target is not None:
            self.emulated, self.refused = target.emulated, target.refused
        super().__init__(name, ModuleType(name))
        self.label = "no data" if target is None else f"no data, as {target.name}"
        if target is not None:
            self.conditional_dtypes = target.conditional_dtypes

    def array_class(self) -> type:
        return Blank

    # --- dtypes and values ------------------------------------------------------------------------------------------

    def native(self, data: Blank) -> Blank:
        return data

    def plain(self, data: Blank, copy: bool | None) -> Blank:
        return data

    def duplicate(self, data: Blank) -> Blank:
        return Blank(data.shape, data.dtype, data.device, data.constant)

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
        return lambda value: Blank((), dtype, self.device_name(None), constants.of_number(value))

    def takes_scalar(self, function: str, position: int, dtype: Dtype) -> bool:
        return True

    def item(self, data: Blank) -> Any:
        return value_of(data)

    def describe(self, data: Blank) -> str:
        return f"shape={data.shape}"

    # --- devices ----------------------------------------------------------------------------------------------------

    def devices(self) -> Sequence[str]:
        return ["cpu"] if self.target is None else self.target.devices()

    def device_name(self, device: object) -> str:
        if self.target is not None:
            return str(self.target.device_name(device))
        return "cpu" if device is None else str(device)

    def native_device(self, name: str) -> str:
        return str(name)

    def device_of(self, data: Blank) -> str:
        return data.device

    def to_device(self, data: Blank, device: str, stream: Any) -> Blank:
        return Blank(data.shape, data.dtype, device)

    # --- conversion -------------------------------------------------------------------------------------------------

    def adopt(self, x: Any, device: str) -> Blank:
        """Return an array of another backend without its data."""
        return Blank(x.shape, x.dtype, device)

    def from_numpy(self, data: Any, device: str | None, copy: bool | None) -> Blank:
        return Blank(tuple(data.shape), as_dtype(data.dtype), device or self.device_name(None), data)

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
        """Read or write by a key, through the observer of this context if there is one."""
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
        """Describe an index array to the reader of keys, with its values where the program wrote them as a list."""
        if not isinstance(x, Blank):
            return None
        values = x.constant
        if x.dtype is bool_:
            return IndexArray(x.shape, "b", x, selects=None if values is None else lambda: int(values.sum()))
        has_values = values is not None and values.size
        return IndexArray(
            x.shape, "i", x, bounds=(lambda: (int(values.min()), int(values.max()))) if has_values else None
        )
