"""Counting, searches and sets in functions of the standard, for namespaces that lack them."""

from __future__ import annotations

from typing import Any

from .functions import Functions, made

__all__: list[str] = []


@made("sum")
def count_nonzero(f: Functions, x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    backend = f._backend
    dtype = backend.native_dtypes[backend.index_dtype]
    return f.sum(backend.astype(x != backend.number(0, x), dtype), axis=axis, dtype=dtype, keepdims=keepdims)


@made("argsort", "count_nonzero")
def nonzero(f: Functions, x: Any) -> tuple[Any, ...]:
    """The places of the elements that are not zero, in order: those come first in a stable sort."""
    backend = f._backend
    uint8 = next(n for n, d in backend.dtypes.items() if str(d) == "uint8")
    zero = backend.astype(f.reshape(x == backend.number(0, x), (-1,)), uint8)
    places = f.argsort(zero, axis=-1, descending=False, stable=True)[: backend.item(f.count_nonzero(x))]
    found = []
    for n in reversed(x.shape):
        found.append(places % n)
        places = places // n
    return tuple(reversed(found))


@made("take_along_axis", "where")
def searchsorted(f: Functions, x1: Any, x2: Any, *, side: Any = "left") -> Any:
    """Halve the places that are left for each value, as often as the length has bits. Leading axes are rows."""
    from ...backend.arguments import check_search, rows_to_search

    check_search(1, side)
    backend = f._backend
    n, shape = x1.shape[-1] if x1.ndim else 0, tuple(x2.shape)
    lead = rows_to_search(tuple(x1.shape), shape, side) if x1.ndim != 1 else ()
    values = x2 if lead else f.reshape(x2, (-1,))
    dtype = backend.native_dtypes[backend.index_dtype]
    low = f.zeros(tuple(values.shape), dtype=dtype, device=None)
    high = low + n
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        met = f.take_along_axis(x1, f.minimum(middle, backend.number(n - 1, middle)), axis=-1)
        after = met < values if side == "left" else met <= values
        after = after | ((values != values) & ((met == met) | (side == "right")))  # nan comes last
        going = low < high
        low, high = f.where(going & after, middle + 1, low), f.where(going & ~after, middle, high)
    return low if lead else f.reshape(low, shape)


@made("searchsorted", "sort")
def isin(f: Functions, x1: Any, x2: Any, *, invert: bool = False) -> Any:
    backend = f._backend
    flat = f.reshape(x2, (-1,))
    if not flat.shape[0]:
        found = x1 != x1
        found = found & ~found
    elif backend.dtypes[backend.dtype_of(x1)].kind in "bc":
        found = f.any(f.expand_dims(x1, -1) == flat, axis=-1)
    else:
        ordered = f.sort(flat, axis=-1, descending=False, stable=True)
        at = f.searchsorted(ordered, f.reshape(x1, (-1,)), side="left")
        n = backend.number(flat.shape[0] - 1, at)
        found = f.reshape(f.take(ordered, f.minimum(at, n), axis=0), tuple(x1.shape)) == x1
    return ~found if invert else found


@made("argsort", "nonzero", "cumulative_sum")
def unique_all(f: Functions, x: Any) -> tuple[Any, ...]:
    backend = f._backend
    dtype = backend.native_dtypes[backend.index_dtype]
    flat = f.reshape(x, (-1,))
    n = flat.shape[0]
    order = f.argsort(flat, axis=-1, descending=False, stable=True)
    values = f.take(flat, order, axis=0)
    first = f.concat([f.ones((min(n, 1),), dtype=backend.native_dtypes[backend.index_dtype], device=None),
                      backend.astype(values[1:] != values[:-1], dtype)], axis=0)  # fmt: skip
    (starts,) = f.nonzero(first)
    ordinals = f.cumulative_sum(first, axis=0, dtype=dtype) - 1
    inverse = f.take(ordinals, f.argsort(order, axis=-1, descending=False, stable=True), axis=0)
    ends = f.concat([starts[1:], f._full((min(n, 1),), n, dtype=dtype)], axis=0)
    return f.take(values, starts, axis=0), f.take(order, starts, axis=0), f.reshape(inverse, x.shape), ends - starts


@made("unique_all")
def unique_counts(f: Functions, x: Any) -> tuple[Any, ...]:
    return tuple(f.unique_all(x)[::3])


@made("unique_all")
def unique_inverse(f: Functions, x: Any) -> tuple[Any, ...]:
    return tuple(f.unique_all(x)[::2])


@made("unique_all")
def unique_values(f: Functions, x: Any) -> Any:
    return f.unique_all(x)[0]
