"""Rules of what is no function by name: casts, copies, reading and writing by a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import Rule, fitted
from .tape import Call

if TYPE_CHECKING:
    from ..backend import Backend

__all__ = ["ASSIGN", "CAST", "COPY", "INDEX"]


class _Cast(Rule):
    def reverse(self, call: Call, g: Any) -> Iterator[tuple[Any, Array]]:
        yield 0, fitted(g, call.args[0])

    def forward(self, call: Call, tangents: Mapping[Any, Array]) -> Any:
        return lw.astype(tangents[0], call.out.dtype)


class _Index(Rule):
    """``x[key]``: the transpose adds the cotangent to zeros, at the key."""

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[Any, Array]]:
        x, key, inside = call.args[0], call.below(1), call.tape.inside
        if not _has_positions(key, inside):
            yield 0, call.tape.array(inside.assign(lw.zeros_like(x)._data, key, g._data))
            return
        positions = lw.reshape(_places(call, x, key), (-1,))
        flat = lw.zeros((x.size,), dtype=g.dtype, device=x.device)
        yield 0, lw.reshape(lw.index_add(flat, positions, lw.reshape(g, (-1,))), x.shape)

    def forward(self, call: Call, tangents: Mapping[Any, Array]) -> Any:
        return call.tape.array(call.tape.inside.index(tangents[0]._data, call.below(1)))


class _Assign(Rule):
    """``x[key] = value``: x is cut off at the key, and the value was broadcast to it."""

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[Any, Array]]:
        x, value = call.args[0], call.args[2]
        key, inside = call.below(1), call.tape.inside
        if 2 in call.differentiated:
            read = call.tape.array(inside.index(g._data, key))
            if _has_positions(key, inside):  # of a position that comes twice, the last value is written
                read = lw.where(_last(call, x, key), read, 0)
            yield 2, fitted(read, value)
        if 0 in call.differentiated:
            backend = call.tape.below
            yield 0, call.tape.array(inside.assign(g._data, key, backend.scalar(backend.native_dtypes[g.dtype])(0)))

    def forward(self, call: Call, tangents: Mapping[Any, Array]) -> Any:
        backend = call.tape.below
        t = tangents[0] if 0 in tangents else lw.zeros_like(call.args[0])
        v = tangents[2]._data if 2 in tangents else backend.scalar(backend.native_dtypes[t.dtype])(0)
        return call.tape.array(call.tape.inside.assign(t._data, call.below(1), v))


def _has_positions(key: Any, backend: Backend) -> bool:
    """Return whether a key has an array of positions in it, which may name an element twice."""
    for k in key if type(key) is tuple else (key,):
        found = None if k is None or isinstance(k, (int, slice, type(...))) else backend.describe_index(k)
        if found is not None and found.kind == "i" and found.shape != ():
            return True
    return False


def _numbers(call: Call, x: Array) -> Array:
    return lw.reshape(lw.arange(x.size, device=x.device), x.shape)


def _places(call: Call, x: Array, key: Any) -> Array:
    """Return the number of each element of ``x[key]`` in x, counted row by row."""
    return call.tape.array(call.tape.inside.index(_numbers(call, x)._data, key))


def _last(call: Call, x: Array, key: Any) -> Array:
    """Tell for each element of ``x[key]`` whether a write to the key leaves it there."""
    inside, places = call.tape.inside, _places(call, x, key)
    order = lw.reshape(lw.arange(places.size, device=x.device), places.shape)
    written = inside.assign(_numbers(call, x)._data, key, order._data)
    return call.tape.array(inside.index(written, key)) == order


CAST = _Cast("astype")
COPY = _Cast("copy")
INDEX = _Index("getitem")
ASSIGN = _Assign("setitem")
