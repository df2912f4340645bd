"""The core of the Dask backend: dtypes, casts, conversion. Nothing here computes but `item`, `to_numpy`, `compute` and
`dlpack`.

An array never changes: writing into an `Array` binds it to another one. Its chunks stay as they came.
"""

from __future__ import annotations

import math
import operator
import uuid
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import dask
import dask.array as da
import numpy as np

from ...core.dtypes import Dtype
from ..numpy import core as numpy
from .blocks import at_hand, by_block

ARRAY = da.Array
NATIVE_DTYPE = np.dtype
#: Blocks are NumPy's arrays.
DTYPES: dict[Any, Dtype] = numpy.DTYPES

#: (function, dtype) -> another callable. It is empty: the kernels find those of NumPy.
EMULATED: dict[tuple[str, Dtype], Callable[..., Any]] = {}
#: (function, dtype) -> why it is refused, and the way out.
REFUSED: dict[tuple[str, Dtype], str] = {}

dtype_of = operator.attrgetter("dtype")


def array_class() -> type:
    """Return the class of arrays: no subclass, and nothing traces them."""
    return da.Array


def native(data: da.Array) -> da.Array:
    return data


def _astype(block: Any, dtype: Any) -> Any:
    return numpy.cast(dtype)(block)


def cast(dtype: Any) -> Callable[[Any], Any]:
    function = partial(_astype, dtype=dtype)

    def call(data: da.Array) -> da.Array:
        few = at_hand(data)
        return by_block(function, dtype, data) if few is None else of_blocks(np.asarray(function(few)), data.chunks)

    return call


def _narrowed(block: Any, dtype: Any) -> Any:
    return numpy.narrow(dtype)(block)


@cache
def narrow(dtype: Any) -> Callable[[Any], Any]:
    function = partial(_narrowed, dtype=dtype)

    def call(data: da.Array) -> da.Array:
        few = at_hand(data)
        return by_block(function, dtype, data) if few is None else of_blocks(np.asarray(function(few)), data.chunks)

    return call


def scalar(dtype: Any) -> Callable[[Any], Any]:
    make = numpy.scalar(dtype)
    return lambda value: of_blocks(np.asarray(make(value), dtype), ())


#: Functions that take a Python scalar as it is: the elementwise ones, which cast it to the dtype, and `repeat`, whose
#: result then has a known shape.
TAKE_SCALARS: set[str] = {"repeat"}


def takes_scalar(function: str, position: int, dtype: Dtype) -> bool:
    return function in TAKE_SCALARS


#: Elementwise functions take a Python scalar on either side.
promotes = numpy.promotes


def in_this_thread() -> Any:
    """Return a context in which Dask computes without its pool of threads."""
    return dask.config.set(scheduler="synchronous")


# --- devices -----------------------------------------------------------------------------------------------------


def devices() -> list[str]:
    return ["cpu"]


def device_name(name: object) -> str:
    if name is None or str(name) == "cpu":
        return "cpu"
    raise ValueError(f"the dask backend has no device {str(name)!r}; it has cpu")


def native_device(name: str) -> str:
    return name


def device_of(data: da.Array) -> str:
    return "cpu"


def to_device(data: da.Array, device: str, stream: Any) -> da.Array:
    if stream is not None:
        raise ValueError("to_device: the dask backend has no streams")
    return data


# --- writing -----------------------------------------------------------------------------------------------------


# --- what is known without computing -----------------------------------------------------------------------------


def shape_of(data: da.Array) -> tuple[int | None, ...]:
    """Return the shape, with None for an extent that is not known until the array is computed."""
    return tuple([None if math.isnan(n) else int(n) for n in data.shape])


def describe(data: da.Array) -> str:
    """Describe an array for `repr` without computing it."""
    chunks = tuple([tuple([None if math.isnan(n) else n for n in c]) for c in data.chunks])
    return f"shape={shape_of(data)}, chunks={_short(chunks)}"


def _short(chunks: tuple[tuple[int | None, ...], ...]) -> str:
    """Write the chunks of an axis as one number where they are equal, but for a smaller last one."""
    said = []
    for sizes in chunks:
        first = sizes[0] if sizes else 0
        resolved = [n for n in sizes if n is not None]
        even = len(resolved) == len(sizes) and {*sizes[:-1]} <= {first} and max(resolved, default=0) == first
        said.append(str(first) if even else str(sizes))
    return f"({', '.join(said)}{',' if len(said) == 1 else ''})"


# --- conversion --------------------------------------------------------------------------------------------------


def of_blocks(data: np.ndarray, chunks: tuple[tuple[int, ...], ...]) -> da.Array:
    """Make a Dask array in these chunks of a NumPy array, which becomes read-only. Its name is no hash of its contents,
    which would have to be read for that."""
    data.flags.writeable = False
    name = f"array-{uuid.uuid4().hex}"
    places = da.core.slices_from_chunks(chunks) if chunks else [()]
    keys = [(name, *i) for i in np.ndindex(*map(len, chunks))]
    return da.Array(
        dict(zip(keys, [data[place] if place else data for place in places], strict=True)),
        name, chunks, meta=np.empty((0,) * data.ndim, data.dtype),
    )  # fmt: skip


def from_numpy(data: np.ndarray, device: str | None, copy: bool | None) -> da.Array:
    """Convert a NumPy array, as a copy unless `copy` is False: it is read when the result is computed. Dask chooses the
    chunks."""
    data = data.view() if copy is False else np.array(data, dtype=data.dtype.newbyteorder("="), copy=True)
    return of_blocks(data, da.core.normalize_chunks("auto", data.shape, dtype=data.dtype))


def take_numpy(data: np.ndarray, device: str | None) -> da.Array:
    """Convert a NumPy array that nobody else holds, without a copy."""
    return from_numpy(data, device, False)


def to_numpy(data: da.Array, dtype: Any, copy: bool | None) -> np.ndarray:
    """Return the computed array. It must not be written to where it is a block of the graph."""
    if copy is False:
        raise ValueError("copy=False, but a lazy array is computed into new memory")
    return np.array(np.asarray(data.compute()), dtype=dtype, copy=copy)


def compute(*arrays: da.Array) -> tuple[np.ndarray, ...]:
    """Compute several arrays at once: their common tasks run once."""
    return tuple(map(np.asarray, dask.compute(*arrays)))


def item(data: da.Array) -> Any:
    return numpy.item(np.asarray(data.compute()))


def duplicate(data: da.Array) -> da.Array:
    """Return another object of the same graph: a lazy array has no memory to copy."""
    return da.Array(data.dask, data.name, data.chunks, meta=data._meta)


def dlpack(data: da.Array, **options: Any) -> Any:
    """Export the computed array."""
    return numpy.dlpack(np.array(data.compute()), **options)


def dlpack_device(data: da.Array) -> tuple[int, int]:
    """Return the CPU's type and number."""
    return 1, 0


def from_dlpack(x: Any, device: str | None, copy: bool | None) -> da.Array:
    return from_numpy(numpy.from_dlpack(x, device, copy), "cpu", copy)


def plain(x: da.Array, copy: bool | None) -> da.Array:
    """Return a Dask array of NumPy arrays, in its chunks as they are."""
    if type(x._meta) is not np.ndarray and not isinstance(x._meta, np.generic):
        raise TypeError(
            f"a Dask array whose blocks are {type(x._meta).__module__}.{type(x._meta).__name__} cannot be used: "
            f"x.map_blocks(np.asarray) makes NumPy arrays of them"
        )
    if not x.dtype.isnative:
        return cast(x.dtype.newbyteorder("="))(x)
    return x


__all__ = [
    "ARRAY",
    "DTYPES",
    "EMULATED",
    "NATIVE_DTYPE",
    "REFUSED",
    "TAKE_SCALARS",
    "array_class",
    "cast",
    "compute",
    "describe",
    "device_name",
    "device_of",
    "devices",
    "dlpack",
    "dlpack_device",
    "dtype_of",
    "duplicate",
    "from_dlpack",
    "from_numpy",
    "item",
    "narrow",
    "native",
    "native_device",
    "of_blocks",
    "plain",
    "promotes",
    "scalar",
    "shape_of",
    "takes_scalar",
    "to_device",
    "to_numpy",
]  # fmt: skip
