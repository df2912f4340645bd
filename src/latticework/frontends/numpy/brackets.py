"""NumPy's objects that are indexed: ``np.r_[1:4, x]``, ``np.mgrid[0:3, 0:5]``, ``np.s_[::2]``."""

from __future__ import annotations

from typing import Any

import numpy

from .base import as_array, cast, of_numpy, ops, to_numpy
from .creation import linspace

__all__ = ["c_", "index_exp", "mgrid", "ogrid", "r_", "s_"]


class _Grid:
    """``np.mgrid[0:3, 0:5]``: positions along axes, as full arrays or, as ``np.ogrid``, to be broadcast."""

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        return of_numpy((numpy.ogrid if self.sparse else numpy.mgrid)[key])


class _Joined:
    """``np.r_[1:4, 0, x]``: slices as ranges, scalars and arrays, joined along an axis, which a text first may say."""

    def __init__(self, axis, ndmin, trans1d):
        self.axis, self.ndmin, self.trans1d = axis, ndmin, trans1d

    def __getitem__(self, key):
        parts = list(key) if type(key) is tuple else [key]
        axis, ndmin, trans1d = self.axis, self.ndmin, self.trans1d
        if parts and isinstance(parts[0], str):
            words = [int(w) for w in parts.pop(0).split(",")]
            axis, ndmin, trans1d = words + [axis, ndmin, trans1d][len(words) :]
        arrays = [_part(p, ndmin, trans1d) for p in parts]
        plain = [p for p in parts if type(p) in (int, float, complex, bool)]
        strong = [a.dtype for a, p in zip(arrays, parts, strict=True) if type(p) not in (int, float, complex, bool)]
        to = numpy.result_type(*strong, *plain)
        return ops.concat([cast(a, to, copy=False) for a in arrays], axis=axis)


def _part(x: Any, ndmin: int, trans1d: int) -> Any:
    if isinstance(x, slice):
        start = 0 if x.start is None else to_numpy(x.start)
        step = 1 if x.step is None else to_numpy(x.step)
        stop = to_numpy(x.stop)
        if isinstance(step, complex):
            array = linspace(start, stop, int(abs(step)))
        else:
            array = of_numpy(numpy.arange(start, stop, step))
    else:
        array = as_array(x)
        if not array.ndim:
            return ops.reshape(array, (1,) * max(ndmin, 1))
    missing = ndmin - array.ndim
    if missing <= 0:
        return array
    order = list(range(missing + array.ndim))
    place = trans1d if trans1d >= 0 else missing + 1 + trans1d
    at = order[:place] + order[place + array.ndim :]
    return ops.expand_dims(array, axis=tuple(at))


class _Index:
    """``np.s_[2::2, None]``: the key itself; ``np.index_exp`` always gives a tuple."""

    def __init__(self, maketuple):
        self.maketuple = maketuple

    def __getitem__(self, item):
        return (item,) if self.maketuple and type(item) is not tuple else item


mgrid, ogrid = _Grid(sparse=False), _Grid(sparse=True)
r_, c_ = _Joined(0, 1, -1), _Joined(-1, 2, 0)
s_, index_exp = _Index(maketuple=False), _Index(maketuple=True)
