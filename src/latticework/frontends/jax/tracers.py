"""`jax.core`: shapes and dtypes without values, and the test for arrays that have no values yet."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...tracing.watched import _is_recorded
from .core import ALSO_ARRAYS, as_array, dialect

__all__ = [
    "AbstractValue", "Atom", "ParamDict", "ShapedArray", "Trace", "Tracer", "Value", "concrete_or_error", "get_aval",
    "is_tracer", "mapped_aval", "unmapped_aval", "valid_jaxtype",
]  # fmt: skip

Atom = Any
Value = Any
ParamDict = dict[str, Any]
Trace = Any


def is_tracer(x: Any) -> bool:
    """Return whether x is an array of a transformation: one that is traced, mapped, differentiated or without data."""
    if type(x) is not dialect.array:
        return False
    backend = x._array._sig.backend
    return backend.name.startswith("taped") or bool(_is_recorded(x._array)) or backend.may_record(x._array._data)


class _TracerMeta(type):
    def __instancecheck__(cls, x: Any) -> bool:
        return is_tracer(x)


class Tracer(metaclass=_TracerMeta):
    """``isinstance(x, jax.core.Tracer)`` is True for an array of a transformation.

    These are arrays that a framework traces or maps, that have no data, and that a derivative is taken by.
    """


class AbstractValue:
    """The base class of what is known of a value before it is computed."""


class ShapedArray(AbstractValue):
    """A shape and a dtype without values.

    Parameters
    ----------
    shape: the extent of each axis.
    dtype: a dtype of NumPy's.
    weak_type: whether the dtype gives way to that of another array.
    """

    __slots__ = ("dtype", "shape", "weak_type")

    def __init__(self, shape: Any, dtype: Any, weak_type: bool = False, **options: Any) -> None:
        self.shape, self.weak_type = tuple(shape), weak_type
        self.dtype = dtype if getattr(dtype, "name", "") == "key<fry>" else np.dtype(dtype)

    @property
    def sharding(self) -> Any:
        """Where it is: over no mesh."""
        from .sharding import NamedSharding, PartitionSpec, get_abstract_mesh

        return NamedSharding(get_abstract_mesh(), PartitionSpec(*[None] * len(self.shape)))

    @property
    def vma(self) -> frozenset[Any]:
        """The named axes of a mesh that it differs along: none."""
        return frozenset()

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def update(self, **fields: Any) -> ShapedArray:
        """Return one with other fields."""
        own = {"shape": self.shape, "dtype": self.dtype, "weak_type": self.weak_type}
        return ShapedArray(**{**own, **{n: v for n, v in fields.items() if n in own}})

    def strip_weak_type(self) -> ShapedArray:
        """Return one whose dtype does not give way."""
        return self.update(weak_type=False)

    def str_short(self, short_dtypes: bool = False) -> str:
        """Return its text: ``float32[2,3]``."""
        return short(self.shape, self.dtype) if short_dtypes else f"{self.dtype.name}[{_extents(self.shape)}]"

    def to_tangent_aval(self) -> ShapedArray:
        """Return the shape and dtype of its derivatives."""
        from .dtypes import float0

        return self if self.dtype.kind in "fcV" else self.update(dtype=float0, weak_type=False)

    def __repr__(self) -> str:
        return f"ShapedArray({self.str_short()}{', weak_type=True' if self.weak_type else ''})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapedArray):
            return NotImplemented
        return (self.shape, self.dtype, self.weak_type) == (other.shape, other.dtype, other.weak_type)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.weak_type))


def _extents(shape: Any) -> str:
    return ",".join(str(n) for n in shape)


def short(shape: Any, dtype: Any) -> str:
    """Return the text of a shape and dtype as programs of JAX are printed: ``f32[2,3]``."""
    dtype = np.dtype(dtype)
    letter = {"f": "f", "V": "bf", "c": "c", "i": "i", "u": "u"}.get(dtype.kind, "bool")
    name = "bool" if dtype.kind == "b" else "bf16" if dtype.name == "bfloat16" else f"{letter}{dtype.itemsize * 8}"
    return f"{name}[{_extents(shape)}]"


def get_aval(x: Any) -> ShapedArray:
    """Return the shape and dtype of a value."""
    if type(x) not in ALSO_ARRAYS:
        x = as_array(x, "get_aval")
    return ShapedArray(x.shape, x.dtype, weak_type=x.weak_type)


def valid_jaxtype(x: Any) -> bool:
    """Return whether a value is read as an array."""
    try:
        as_array(x)
    except TypeError:
        return False
    return True


def concrete_or_error(force: Callable[[Any], Any] | None, val: Any, context: str = "") -> Any:
    """Return a value, converted by `force`.

    Raises
    ------
    ConcretizationTypeError: it is an array without values.
    """
    from .errors import ConcretizationTypeError

    if is_tracer(val):
        raise ConcretizationTypeError(f"a value is asked for, and the array has none yet. {context}".strip())
    return val if force is None else force(val)


def mapped_aval(size: int, axis: int | None, aval: ShapedArray) -> ShapedArray:
    """Return a shape and dtype without an axis that is mapped along."""
    if axis is None:
        return aval
    return aval.update(shape=(*aval.shape[:axis], *aval.shape[axis + 1 :]))


def unmapped_aval(size: int, axis: int | None, aval: ShapedArray, *more: Any) -> ShapedArray:
    """Return a shape and dtype with an axis more, of an extent."""
    if axis is None:
        return aval
    return aval.update(shape=(*aval.shape[:axis], size, *aval.shape[axis:]))
