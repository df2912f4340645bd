"""Sequences of arrays, which are lists, and values that may be missing, which are None."""

from __future__ import annotations

from typing import Any

import numpy as np

import latticework as lw

from .programs import Place, Program, as_array
from .table import Call, reads

__all__: list[str] = []


def _number(x: Any) -> int:
    return int(np.asarray(x).reshape(()))


@reads("SequenceConstruct", raw=True)
def _construct(c: Call, *arrays: Any, **_: Any) -> Any:
    return [*arrays]


@reads("SequenceEmpty", raw=True)
def _empty(c: Call, **_: Any) -> Any:
    return []


@reads("SequenceLength", raw=True)
def _length(c: Call, sequence: Any, **_: Any) -> Any:
    return np.asarray(len(sequence), dtype=np.int64)


@reads("SequenceAt", raw=True)
def _at(c: Call, sequence: Any, i: Any, **_: Any) -> Any:
    return sequence[_number(i)]


@reads("SequenceInsert", raw=True)
def _insert(c: Call, sequence: Any, x: Any, i: Any = None, **_: Any) -> Any:
    found = [*sequence]
    at = len(found) if i is None else _number(i)
    found.insert(at + len(found) if at < 0 else at, x)
    return found


@reads("SequenceErase", raw=True)
def _erase(c: Call, sequence: Any, i: Any = None, **_: Any) -> Any:
    found = [*sequence]
    del found[-1 if i is None else _number(i)]
    return found


@reads("ConcatFromSequence", raw=True)
def _joined(c: Call, sequence: Any, *, place: Place, **_: Any) -> Any:
    arrays = [as_array(x, place) for x in sequence]
    return (lw.stack if c.get("new_axis", 0) else lw.concat)(arrays, axis=c.get("axis"))


@reads("SplitToSequence", raw=True)
def _split(c: Call, x: Any, sizes: Any = None, *, place: Place, **_: Any) -> Any:
    """Split by sizes, in parts of one size, or in single slices, whose axis `keepdims` keeps."""
    x, axis = as_array(x, place), c.get("axis", 0)
    n = x.shape[axis]
    single = sizes is None
    if single or np.ndim(np.asarray(sizes)) == 0:
        part = 1 if single else _number(sizes)
        counts = [min(part, n - start) for start in range(0, n, part)]
    else:
        counts = [int(k) for k in np.asarray(sizes)]
    found, start = [], 0
    for count in counts:
        key = [slice(None)] * x.ndim
        key[axis] = slice(start, start + count)
        part_of_x = x[tuple(key)]
        found.append(part_of_x if c.get("keepdims", 1) or not single else lw.squeeze(part_of_x, axis=axis))
        start += count
    return found


@reads("SequenceMap", raw=True)
def _mapped(c: Call, sequence: Any, *more: Any, place: Place, around: Any) -> Any:
    body: Program = c.get("body")
    rows = [
        body.run(place, around, [x, *(m[i] if isinstance(m, list) else m for m in more)])
        for i, x in enumerate(sequence)
    ]
    return tuple([[*column] for column in zip(*rows, strict=True)]) if rows else tuple([[] for _ in body.outputs])


@reads("Optional", raw=True)
def _optional(c: Call, x: Any = None, **_: Any) -> Any:
    return x


@reads("OptionalGetElement", raw=True)
def _element(c: Call, x: Any, **_: Any) -> Any:
    if x is None:
        raise c.refuse("there is no element")
    return x


@reads("OptionalHasElement", raw=True)
def _has_element(c: Call, x: Any = None, **_: Any) -> Any:
    return np.asarray(x is not None)
