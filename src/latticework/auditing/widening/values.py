"""What operands and results are: the dtype, the width and the framework of any array."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from ...core.dtypes import Dtype

__all__ = ["SCALARS", "Value", "asks_for_dtype", "name_of", "values", "width_of", "without_arrays"]

#: Python's own numbers, which have no dtype.
SCALARS = (bool, int, float, complex)

_FLOAT = re.compile(r"b?float(\d+)|complex(\d+)|bfloat(\d+)")


def width_of(dtype: str) -> int:
    """Return the bits of a float dtype, and of a part of a complex one; 0 for every other dtype."""
    found = _FLOAT.match(dtype)
    if found is None:
        return 0
    bits, both, brain = found.groups()
    return int(both) // 2 if both else int(bits or brain)


class Value(NamedTuple):
    """An operand or a result.

    Attributes
    ----------
    dtype: its dtype by name; for a Python number the name of its type.
    width: the bits of a float, and of a part of a complex number; 0 for all else.
    shape: its extents.
    weak: whether it gives way to other dtypes of its kind: a weak array of JAX or latticework, or a Python number.
    framework: ``"numpy"``, ``"torch"``, ``"jax"``, ``"latticework"`` and so on, ``"lw.torch"`` for an array of our
        dialect of PyTorch; empty for a Python number.
    listed: whether it is a list of Python numbers, of which a framework makes an array.
    data: the array itself.
    """

    dtype: str
    width: int
    shape: tuple[Any, ...]
    weak: bool
    framework: str
    listed: bool
    data: Any

    def __str__(self) -> str:
        if not self.framework:
            return f"Python {self.dtype}"
        extents = ",".join(map(str, self.shape))
        weak = "weak " * self.weak
        return (
            f"list as {self.dtype}"
            if self.listed
            else f"{weak}{self.dtype}[{extents}]"
            if extents
            else weak + self.dtype
        )


@lru_cache(maxsize=256)
def _name_of(dtype: Any) -> str:
    name = getattr(dtype, "name", None) or str(dtype)
    return str(name).rpartition(".")[2]


def name_of(dtype: Any) -> str:
    """Return the name of a framework's dtype, as ``float32``."""
    try:
        return _name_of(dtype)
    except TypeError:  # it has no hash
        return _name_of.__wrapped__(dtype)


_NUMBERS = frozenset((*SCALARS, str, type(None)))

#: Classes that are no arrays, as far as they were seen.
without_arrays: set[type] = set()


def values(x: Any, depth: int = 2) -> Iterator[Value]:
    """Yield the arrays of an operand, in lists, tuples and dicts too, or the Python number that it is."""
    kind = type(x)
    if kind in SCALARS:
        yield Value(kind.__name__, 0, (), True, "", False, x)
    elif kind is str or x is None or isinstance(x, type):
        return
    elif isinstance(x, (list, tuple)):
        if x and _is_numbers(x):
            yield Value("float64", 64, (len(x),), False, "numpy", True, x)
        elif depth:
            for y in x[:64]:
                if type(y) not in _NUMBERS:
                    yield from values(y, depth - 1)
    elif isinstance(x, dict):
        if depth:
            for y in islice(x.values(), 64):
                if type(y) not in _NUMBERS:
                    yield from values(y, depth - 1)
    elif kind not in without_arrays:
        try:
            dtype, extents = x.dtype, tuple(x.shape)
        except Exception:  # of a class of the program, anything
            if not hasattr(kind, "dtype") and "dtype" not in getattr(x, "__dict__", ()):
                without_arrays.add(kind)
            return
        name = name_of(dtype)
        weak = bool(getattr(x, "weak_type", False) or getattr(x, "weak", False))
        yield Value(name, width_of(name), extents, weak, _framework(kind), False, x)


def _is_numbers(x: Any) -> bool:
    """Return whether a list has Python floats in it, and no arrays."""
    first = x[0]
    if isinstance(first, (list, tuple)):
        return bool(first) and _is_numbers(first)
    return isinstance(x, list) and all(type(y) in SCALARS for y in x) and any(type(y) is float for y in x)


_frameworks: dict[type, str] = {}


def _framework(kind: type) -> str:
    """Return the name of the framework that a class of arrays belongs to."""
    found = _frameworks.get(kind)
    if found is None:
        for base in kind.__mro__:
            root, _, below = str(base.__module__).partition(".")
            if root == "latticework":
                dialect = below.split(".")
                found = f"lw.{dialect[1]}" if dialect[0] == "frontends" and len(dialect) > 1 else "latticework"
            elif root in ("numpy", "torch", "jax", "jaxlib", "tensorflow", "dask"):
                found = {"jaxlib": "jax"}.get(root, root)
            if found:
                break
        found = _frameworks[kind] = found or kind.__module__.partition(".")[0]
    return found


_NAMES = re.compile(r"(b?float\d*|complex\d*|bfloat16|half|single|double|longdouble|[<>=]?[fc]\d+|[efdgFDG])\Z")


def asks_for_dtype(x: Any) -> bool:
    """Return whether an argument names a dtype of floats or complex numbers: ``np.float64``, ``float``, ``"f8"``."""
    if isinstance(x, str):
        return _NAMES.match(x) is not None
    if isinstance(x, Dtype):
        return x.kind in "fc"
    kind = type(x)
    if isinstance(x, type):
        numpy = sys.modules.get("numpy")
        if x is float or x is complex or (numpy is not None and issubclass(x, numpy.inexact)):
            return True
        own = getattr(x, "dtype", None) if kind is not type else None  # jax.numpy.float32
        return own is not None and width_of(name_of(own)) > 0
    if kind.__name__ in ("dtype", "_ScalarMeta", "DType") or kind.__module__.startswith("numpy.dtypes"):
        return width_of(name_of(getattr(x, "dtype", x))) > 0
    return kind.__module__ == "numpy" and kind.__name__.endswith("DType") and width_of(name_of(x)) > 0
