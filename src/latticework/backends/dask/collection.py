"""Make an `Array` on Dask a Dask collection: `dask.compute`, `dask.persist` and a client's methods take it.

`Array` gets the attributes of the protocol when this backend is loaded. They are properties and not `__getattr__`, with
which every attribute of every array takes longer to read. Arrays of other backends still have none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend import get
from ...core.dtypes import Dtype
from ...engine.arrays.array import Array, wrapped


def collection(x: Array, name: str) -> Any:
    """Return a Dask attribute of the native array, changed so that results are `Array`s again."""
    if name == "__dask_postcompute__":
        return lambda: (_computed, (x._data.__dask_postcompute__(), str(x.dtype)))
    if name == "__dask_postpersist__":
        rebuild, args = x._data.__dask_postpersist__()
        return lambda: (_Persisted(rebuild, args, x.dtype), ())
    if name == "rechunk":
        return lambda *args, **options: wrapped(x._data.rechunk(*args, **options), x._sig)
    return getattr(x._data, name)


def _computed(results: Any, native: tuple[Callable[..., Any], tuple[Any, ...]], dtype: str) -> Array:
    """Return the computed array, on NumPy."""
    finish, args = native
    return wrapped(np.asarray(finish(results, *args)), get("numpy").sig(Dtype(dtype)))


class _Persisted:
    """Makes the array again from a graph that holds its blocks."""

    def __init__(self, rebuild: Callable[..., Any], args: tuple[Any, ...], dtype: Any) -> None:
        self.rebuild, self.args, self.dtype = rebuild, args, dtype

    def __call__(self, graph: Any, *args: Any, **options: Any) -> Array:
        return wrapped(self.rebuild(graph, *self.args, **options), get("dask").sig(self.dtype))


def _attribute(name: str) -> property:
    def get_attribute(x: Array) -> Any:
        if x.backend != "dask":
            raise AttributeError(f"'Array' object has no attribute {name!r}", name=name, obj=x)
        return collection(x, name)

    return property(get_attribute)


#: The protocol of Dask's collections, and the chunks, which xarray also reads.
_PROTOCOL = "graph keys layers optimize postcompute postpersist scheduler tokenize"
for _name in ("chunks", "rechunk", *(f"__dask_{part}__" for part in _PROTOCOL.split())):
    setattr(Array, _name, _attribute(_name))
