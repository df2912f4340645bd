"""What `Array` and dispatch need of Dask: dtypes, casts, conversion. Nothing here computes but `item`, `to_numpy`,
`compute` and `dlpack`.

An array never changes: what writes into an `Array` binds it to another. Its chunks stay as they came.
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

#: (function, dtype) -> another callable. The kernels find NumPy's own, so there are none.
EMULATED: dict[tuple[str, Dtype], Callable[..., Any]] = {}
#: (function, dtype) -> why it is refused, and the way out.
REFUSED: dict[tuple[str, Dtype], str] = {}

dtype_of = operator.attrgetter("dtype")


def array_class() -> type:
    """The class of arrays that are no subclass's and that nothing traces."""
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


#: Functions to which a Python scalar can go as it is: the elementwise ones, which make it one of the dtype, and
#: `repeat`, whose result has a shape that is known then.
TAKE_SCALARS: set[str] = {"repeat"}


def takes_scalar(function: str, position: int, dtype: Dtype) -> bool:
    return function in TAKE_SCALARS


#: Elementwise functions take a Python scalar on either side.
promotes = numpy.promotes


def in_this_thread() -> Any:
    """A context in which Dask computes without its pool of threads."""
    return dask.config.set(scheduler="synchronous")


# --- devices -----------------------------------------------------------------------------------------------------


def devices() -> list[str]:
    return ["cpu"]


def device(name: object) -> str:
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
    """The shape, with None for an extent that is not known until the array is computed."""
    return tuple([None if math.isnan(n) else int(n) for n in data.shape])


def shown(data: da.Array) -> str:
    """What `repr` says of an array without computing it."""
    chunks = tuple([tuple([None if math.isnan(n) else n for n in c]) for c in data.chunks])
    return f"shape={shape_of(data)}, chunks={_short(chunks)}"


def _short(chunks: tuple[tuple[int | None, ...], ...]) -> str:
    """Chunks of an axis as one number where they are equal, but for a smaller last one."""
    said = []
    for sizes in chunks:
        first = sizes[0] if sizes else 0
        resolved = [n for n in sizes if n is not None]
        even = len(resolved) == len(sizes) and {*sizes[:-1]} <= {first} and max(resolved, default=0) == first
        said.append(str(first) if even else str(sizes))
    return f"({', '.join(said)}{',' if len(said) == 1 else ''})"


# --- conversion --------------------------------------------------------------------------------------------------


def of_blocks(data: np.ndarray, chunks: tuple[tuple[int, ...], ...]) -> da.Array:
    """A NumPy array, not to be written to any more, in these chunks. Its name is not made from its contents, which
    would have to be read for that."""
    data.flags.writeable = False
    name = f"array-{uuid.uuid4().hex}"
    places = da.core.slices_from_chunks(chunks) if chunks else [()]
    keys = [(name, *i) for i in np.ndindex(*map(len, chunks))]
    return da.Array(
        dict(zip(keys, [data[place] if place else data for place in places], strict=True)),
        name, chunks, meta=np.empty((0,) * data.ndim, data.dtype),
    )  # fmt: skip


def from_numpy(data: np.ndarray, device: str | None, copy: bool | None) -> da.Array:
    """Copied unless that is forbidden: it is read when the array is computed. Dask chooses the chunks."""
    data = data.view() if copy is False else np.array(data, dtype=data.dtype.newbyteorder("="), copy=True)
    return of_blocks(data, da.core.normalize_chunks("auto", data.shape, dtype=data.dtype))


def take_numpy(data: np.ndarray, device: str | None) -> da.Array:
    """A NumPy array that nobody else holds."""
    return from_numpy(data, device, False)


def to_numpy(data: da.Array, dtype: Any, copy: bool | None) -> np.ndarray:
    """The computed array, which is not to be written to where it is what the graph holds itself."""
    if copy is False:
        raise ValueError("copy=False, but a lazy array is computed into new memory")
    return np.array(np.asarray(data.compute()), dtype=dtype, copy=copy)


def compute(*arrays: da.Array) -> tuple[np.ndarray, ...]:
    """Several at once: what they have in common is computed once."""
    return tuple(map(np.asarray, dask.compute(*arrays)))


def item(data: da.Array) -> Any:
    return numpy.item(np.asarray(data.compute()))


def to_pickle(data: da.Array) -> da.Array:
    return data


def from_pickle(pickled: da.Array, dtype: Any) -> da.Array:
    return pickled


def duplicate(data: da.Array) -> da.Array:
    """Another object. There is no memory to have of its own."""
    return da.Array(data.dask, data.name, data.chunks, meta=data._meta)


def dlpack(data: da.Array, **options: Any) -> Any:
    """Of the computed array."""
    return numpy.dlpack(np.array(data.compute()), **options)


def dlpack_device(data: da.Array) -> tuple[int, int]:
    """The CPU."""
    return 1, 0


def from_dlpack(x: Any, device: str | None, copy: bool | None) -> da.Array:
    return from_numpy(numpy.from_dlpack(x, device, copy), "cpu", copy)


def plain(x: da.Array, copy: bool | None) -> da.Array:
    """A Dask array of NumPy arrays in its chunks as they are."""
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
    "device",
    "device_of",
    "devices",
    "dlpack",
    "dlpack_device",
    "dtype_of",
    "duplicate",
    "from_dlpack",
    "from_numpy",
    "from_pickle",
    "item",
    "narrow", "native",
    "native_device",
    "of_blocks",
    "plain",
    "promotes",
    "scalar",
    "shape_of",
    "shown",
    "takes_scalar",
    "to_device",
    "to_numpy",
    "to_pickle",
]  # fmt: skip
