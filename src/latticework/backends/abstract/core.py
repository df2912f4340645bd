"""What `Array` and dispatch need of arrays without data: conversion, casts, indexing, devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype, as_dtype, bool_
from ...engine.indexing import IndexArray, check_value, read_key
from ...errors import NoDataError
from .data import Blank, value_of

if TYPE_CHECKING:
    from .. import Backend

ARRAY = Blank
NATIVE_DTYPE = Dtype


class Core:
    """The names that every backend's module has, for arrays without data.

    Parameters
    ----------
    target: the backend whose dtypes, devices and support they stand for; None for all dtypes and no holes.
    """

    ARRAY, NATIVE_DTYPE = ARRAY, NATIVE_DTYPE

    def __init__(self, dtypes: dict[Dtype, Dtype], target: Backend | None) -> None:
        self.DTYPES, self.target = dtypes, target
        self.DETOURS: dict[Any, Any] = {} if target is None else target.detours

    # --- dtypes and values ------------------------------------------------------------------------------------------

    def native(self, data: Blank) -> Blank:
        return data

    def plain(self, data: Blank, copy: bool | None) -> Blank:
        return data

    def duplicate(self, data: Blank) -> Blank:
        return Blank(data.shape, data.dtype, data.device)

    def to_pickle(self, data: Blank) -> Blank:
        return data

    def from_pickle(self, pickled: Blank, dtype: Any) -> Blank:
        return pickled

    def dtype_of(self, data: Blank) -> Dtype:
        return data.dtype

    def shape_of(self, data: Blank) -> tuple[int | None, ...]:
        return data.shape

    def cast(self, dtype: Dtype) -> Callable[[Blank], Blank]:
        return lambda data: Blank(data.shape, dtype, data.device)

    def scalar(self, dtype: Dtype) -> Callable[[Any], Blank]:
        return lambda value: Blank((), dtype, self.device(None))

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

    def from_numpy(self, data: Any, device: str, copy: bool | None) -> Blank:
        return Blank(tuple(data.shape), as_dtype(data.dtype), device)

    def to_numpy(self, data: Blank, dtype: Any, copy: bool | None) -> Any:
        raise NoDataError(f"an array of shape {data.shape} and dtype {data.dtype} has no data to convert")

    def dlpack(self, data: Blank, **options: Any) -> Any:
        raise NoDataError(f"an array of shape {data.shape} and dtype {data.dtype} has no data to exchange")

    def from_dlpack(self, x: Any, device: str | None, copy: bool | None) -> Blank:
        import numpy as np

        return self.from_numpy(np.from_dlpack(x), device or "cpu", copy)

    # --- indexing ---------------------------------------------------------------------------------------------------

    def index_array(self, data: Blank) -> Blank:
        return data

    def index(self, data: Blank, key: Any) -> Blank:
        return Blank(read_key(data.shape, key, _described).shape, data.dtype, data.device)

    def assign(self, data: Blank, key: Any, value: Any) -> Blank:
        check_value(read_key(data.shape, key, _described).shape, getattr(value, "shape", ()))
        return data


def _described(x: Any) -> IndexArray | None:
    """What the reader of keys asks of an index array."""
    if not isinstance(x, Blank):
        return None
    return IndexArray(x.shape, "b" if x.dtype is bool_ else "i", x)
