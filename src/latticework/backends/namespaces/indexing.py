"""Reading and writing by keys, in functions of the standard.

The standard has keys of ints, slices, None and an ellipsis. A key with index arrays becomes positions in the flattened
array: the sum of the positions along each axis, times the elements of a step there.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ...core.dtypes import bool_
from ...engine.keys.reading import IndexArray, IndexPlan, check_value, read_key
from ...errors import BackendError

if TYPE_CHECKING:
    from .contract import NamespaceBackend

__all__ = ["bounds", "count", "read", "write"]


def bounds(backend: NamespaceBackend, k: Any) -> tuple[int, int] | None:
    """Return the least and the greatest of some positions."""
    return (backend.item(backend.f.min(k)), backend.item(backend.f.max(k))) if prod(k.shape) else None


def count(backend: NamespaceBackend, mask: Any) -> int:
    """Return how many elements of a mask are True."""
    return int(backend.item(backend.f.count_nonzero(mask)))


def read(backend: NamespaceBackend, data: Any, key: Any) -> Any:
    """Return ``data[key]``."""
    plan = read_key(tuple(data.shape), key, backend.describe_index, values=True)
    if plan.index_shape is None:
        return _basic(backend, data, plan)
    if any(kind == "mask" for kind, *_ in plan.entries) and not backend.facts.data_dependent_shapes:
        raise BackendError(
            f"getitem: the extent of x[mask] depends on values, and the {backend.name} backend has no such arrays. "
            f"Keep the shape, as with lw.where(mask, x, 0), or convert it first: lw.asarray(x, backend='numpy')"
        )
    f = backend.f
    if (only := _only_array(plan)) is not None:
        axis, k = only
        found = f.take(data, f._positions(f.reshape(k, (-1,)), n=data.shape[axis]), axis=axis)
        return f.reshape(found, (*data.shape[:axis], *k.shape, *data.shape[axis + 1 :]))
    places = _flat(backend, data, plan)
    return f.reshape(f.take(f.reshape(data, (-1,)), f.reshape(places, (-1,)), axis=0), tuple(places.shape))


def write(backend: NamespaceBackend, data: Any, key: Any, value: Any) -> Any:
    """Write ``data[key] = value`` and return the array: another one where arrays never change."""
    f = backend.f
    if not isinstance(value, backend.arrays):
        value = backend.number(value, data)
    if backend.dtype_of(value) != backend.dtype_of(data):
        value = backend.cast(backend.dtype_of(data))(value)
    plan = read_key(tuple(data.shape), key, backend.describe_index, values=True)
    mask = _only_mask(plan)
    if mask is not None and not value.ndim:
        mask = f.reshape(mask, (*mask.shape, *(1 for _ in range(data.ndim - mask.ndim))))
        return _into(backend, data, f.where(mask, value, data))
    if mask is not None and mask.ndim == data.ndim and not backend.facts.data_dependent_shapes:
        return _into(backend, data, _by_counting(backend, data, mask, value))
    if plan.index_shape is None and not backend.facts.immutable and None not in plan.key:
        _check(plan, value)
        data[_canonical(plan)] = _fitting(backend, plan, value)
        return data
    if not f.has("_scatter"):
        raise BackendError(
            f"setitem: the {backend.name} backend has no {', '.join(f.lacking('_scatter'))}, by which values come to "
            f"their places. Write with lw.where(mask, new, x)"
        )
    _check(plan, value)
    if plan.index_shape is None and getattr(f._scatter, "composes", False):
        return _into(backend, data, _by_axes(backend, data, plan, value))
    places = _flat(backend, data, plan)
    value = f.broadcast_to(_without_leading(backend, value, len(places.shape)), tuple(places.shape))
    flat = f.reshape(places, (-1,))
    found = f._scatter(f.reshape(data, (-1,)), flat, f.reshape(value, (-1,)), reduction="replace")
    return _into(backend, data, f.reshape(found, tuple(data.shape)))


def _into(backend: NamespaceBackend, data: Any, result: Any) -> Any:
    if backend.facts.immutable:
        return result
    data[...] = result
    return data


def _by_axes(backend: NamespaceBackend, data: Any, plan: IndexPlan, value: Any) -> Any:
    """Write by a key of ints and slices: along each axis, every place looks up the element that comes to it."""
    if 0 in plan.shape:
        return data
    f, dtype = backend.f, backend.native_dtypes[backend.index_dtype]
    value = f.broadcast_to(_without_leading(backend, value, len(plan.shape)), tuple(plan.shape))
    spans: list[range] = [
        span or range(k % data.shape[axis], k % data.shape[axis] + 1)
        for kind, k, axis, _, _, span in plan.entries
        if kind in ("int", "slice")
    ]
    value = f.reshape(value, tuple([len(span) for span in spans]))
    met: Any = None
    for axis, (n, span) in enumerate(zip(data.shape, spans, strict=True)):
        if span == range(n):
            continue
        every = f._count(n, 0, 1, dtype=dtype, device=None)
        step = abs(span.step)
        offset = every - span.start if span.step > 0 else span.start - every
        inside = (offset >= 0) & (offset < len(span) * step) & (offset % step == 0)
        at = f.where(inside, offset // step, backend.number(0, offset))
        value = f.take(value, at, axis=axis)
        inside = f.reshape(inside, (n, *(1 for _ in data.shape[axis + 1 :])))
        met = inside if met is None else met & inside
    return backend.duplicate(value) if met is None else f.where(met, value, data)


def _by_counting(backend: NamespaceBackend, data: Any, mask: Any, value: Any) -> Any:
    """Write values to the places of a mask in order: the n-th True takes the n-th value."""
    f = backend.f
    if value.ndim != 1:
        check_value((None,), tuple(value.shape))
        value = f.reshape(value, (-1,))
    dtype = backend.native_dtypes[backend.index_dtype]
    ordinal = f.cumulative_sum(backend.astype(f.reshape(mask, (-1,)), dtype), axis=0, dtype=dtype)
    n = value.shape[0]
    if backend.asks(mask) and n != 1:
        check_value((count(backend, mask),), (n,))
    if not n:
        return data
    at = f.minimum(f.maximum(ordinal - 1, backend.number(0, ordinal)), backend.number(n - 1, ordinal))
    return f.where(mask, f.reshape(f.take(value, at, axis=0), tuple(data.shape)), data)


def _check(plan: IndexPlan, value: Any) -> None:
    check_value(plan.shape, tuple(value.shape))


def _without_leading(backend: NamespaceBackend, value: Any, ndim: int) -> Any:
    spare = max(value.ndim - ndim, 0)
    return backend.f.reshape(value, tuple(value.shape[spare:])) if spare else value


def _fitting(backend: NamespaceBackend, plan: IndexPlan, value: Any) -> Any:
    """Broadcast a value to the shape that a key selects, in new memory if it may be that of the array."""
    value = _without_leading(backend, value, len(plan.shape))
    return backend.duplicate(backend.f.broadcast_to(value, tuple([n for n in plan.shape if n is not None])))


def _canonical(plan: IndexPlan, backwards: bool = True) -> tuple[Any, ...]:
    """Return a key without index arrays as the standard defines it: for every axis, with bounds inside of the array.
    Without `backwards`, slices with negative steps are those of the same places in order."""
    key: list[Any] = []
    for kind, k, _, _, _, span in plan.entries:
        if kind == "slice":
            key.append(_slice(span if backwards or not span or span.step > 0 else span[::-1]))
        elif kind in ("int", "newaxis"):
            key.append(k)
    return tuple(key)


def _slice(span: range | None) -> slice:
    if not span:
        return slice(0, 0, 1)
    stop = span[-1] + (1 if span.step > 0 else -1)
    return slice(span.start, None if stop < 0 else stop, span.step)


def _basic(backend: NamespaceBackend, data: Any, plan: IndexPlan) -> Any:
    key = _canonical(plan, backend.backwards)
    found = backend.part(data, key) if key else data
    if not isinstance(found, backend.arrays):  # an element, which some namespaces give as a scalar
        found = backend.scalar(backend.dtype_of(data))(found)
    turned = tuple([e.out for e in plan.entries if e.span and e.span.step < 0 and not backend.backwards])
    return backend.f.flip(found, axis=turned) if turned else found


def _only_array(plan: IndexPlan) -> tuple[int, Any] | None:
    """Return the axis and the positions of a key that is one index array beside whole axes."""
    found = None
    for kind, k, axis, _, _, span in plan.entries:
        if kind == "array" and found is None:
            found = axis, k.data
        elif kind != "slice" or span is None or span.start or span.step != 1 or not _whole(plan, axis, span):
            return None
    return found


def _whole(plan: IndexPlan, axis: int, span: range) -> bool:
    return any(e.axis == axis and e.value == slice(None) for e in plan.entries)


def _only_mask(plan: IndexPlan) -> Any:
    """Return the mask of a key that is a mask of the first axes, and nothing else."""
    first, *rest = plan.entries or (None,)
    if first is not None and first.kind == "mask" and 0 not in first.value.shape:
        whole = all(e.kind == "slice" and e.value == slice(None) for e in rest)
        return first.value.data if whole else None
    return None


def _flat(backend: NamespaceBackend, data: Any, plan: IndexPlan) -> Any:
    """Return the positions, in the flattened array, of what a key selects."""
    f = backend.f
    dtype = backend.native_dtypes[backend.index_dtype]
    shape = tuple(data.shape)
    steps = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    parts: list[tuple[int, Any]] = []  # the axis of the result at which the last axis of the positions lies
    width = 0
    arrays: list[tuple[Any, int]] = []
    for kind, k, axis, _, out, span in plan.entries:
        if kind == "slice":
            assert span is not None
            places = f._count(len(span), span.start, span.step, dtype=dtype, device=None)
            parts.append((out, places * steps[axis]))
        elif kind == "int" and plan.index_shape is None:
            parts.append((-1, k % shape[axis] * steps[axis]))
        elif kind == "int":
            arrays.append((backend.scalar(dtype)(k % shape[axis]), axis))
        elif kind == "array":
            arrays.append((_cast(backend, f._positions(_cast(backend, k.data), n=shape[axis], axis=axis)), axis))
        elif kind == "bool" and (k is False or (type(k) is IndexArray and not bool(k.data))):
            arrays.append((f.zeros((0,), dtype=dtype, device=None), -1))
        elif kind == "bool":
            arrays.append((f.zeros((1,), dtype=dtype, device=None), -1))
        elif kind == "mask":
            arrays += [(places, axis + i) for i, places in enumerate(_places(backend, k.data))]
    total: Any = None
    for places, axis in arrays:
        term = places * (steps[axis] if axis >= 0 else 0)
        total = term if total is None else total + term
    index_shape = () if total is None else tuple(total.shape)
    extents = [*plan.shape]
    at = plan.index_axis
    if plan.index_shape is not None:
        extents[at : at + len(plan.index_shape)] = index_shape
    result = f.zeros(tuple(extents), dtype=dtype, device=None)
    width = len(extents)
    if total is not None:
        result = result + f.reshape(total, (*index_shape, *(1 for _ in range(width - at - len(index_shape)))))
    for out, term in parts:
        result = result + (term if out < 0 else f.reshape(term, (-1, *(1 for _ in range(width - out - 1)))))
    return result


def _cast(backend: NamespaceBackend, k: Any) -> Any:
    dtype = backend.native_dtypes[backend.index_dtype]
    return k if backend.dtype_of(k) == dtype else backend.astype(k, dtype)


def _places(backend: NamespaceBackend, mask: Any) -> tuple[Any, ...]:
    if not backend.facts.data_dependent_shapes:
        raise BackendError(
            f"the places of a mask among other indices depend on values, and the {backend.name} backend has no arrays "
            f"whose extents do. Write with lw.where(mask, new, x)"
        )
    nonzero = backend.function("nonzero", bool_) or backend.f.nonzero  # which says what is missing
    found: tuple[Any, ...] = nonzero(mask)
    return found
