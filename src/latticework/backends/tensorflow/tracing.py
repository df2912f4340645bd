"""`Array` in TensorFlow's structures and compiled functions: `tf.nest`, `tf.function`, `tf.cond`, `tf.GradientTape`
and their kin take it and give it."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import tensorflow as tf

import latticework as lw

from ...backend import of
from ...contents import NAMESPACES
from ...engine.arrays.array import Array
from ...errors import BackendError
from ...policy import Policy, current


def _wrapped(tensor: Any) -> Any:
    """Wrap a framework's array as an `Array`. TensorFlow puts anything in its place, such as a gradient that is None:
    that stays as it is."""
    if isinstance(tensor, tf.IndexedSlices):
        tensor = tf.convert_to_tensor(tensor)
    owner = of(tensor)
    if owner is None:
        return tensor
    result = Array()
    result._data, result._sig = tensor, owner.sig_of(tensor)
    return result


# --- tf.nest ------------------------------------------------------------------------------------------------------


def _flatten(self: Array) -> tuple[tuple[()], tuple[Any]]:
    return (), (self.data,)


def _unflatten(cls: type[Array], metadata: tuple[()], components: tuple[Any]) -> Any:
    return _wrapped(components[0])


# --- tf.function --------------------------------------------------------------------------------------------------


class ArrayType(tf.types.experimental.TraceType):  # type: ignore[misc]  # TensorFlow tells no types
    """The type of an `Array` to `tf.function`: that of its tensor, and the policy in force.

    A function of `Array`s is traced again under another policy.
    """

    def __init__(self, tensor: Any, policy: Policy) -> None:
        self.tensor, self.policy = tensor, policy

    def is_subtype_of(self, other: Any) -> bool:
        return (
            isinstance(other, ArrayType)
            and self.policy is other.policy
            and bool(self.tensor.is_subtype_of(other.tensor))
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> ArrayType | None:
        if not all(isinstance(o, ArrayType) and o.policy is self.policy for o in others):
            return None
        joined = self.tensor.most_specific_common_supertype([o.tensor for o in others])
        return None if joined is None else ArrayType(joined, self.policy)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return _wrapped(self.tensor.placeholder_value(placeholder_context))

    def to_tensors(self, value: Any) -> list[Any]:
        return list(self.tensor.to_tensors(value.data))

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        return _wrapped(self.tensor.from_tensors(tensors))

    def flatten(self) -> list[Any]:
        return list(self.tensor.flatten())

    def cast(self, value: Any, cast_context: Any) -> Any:
        return _wrapped(self.tensor.cast(getattr(value, "data", value), cast_context))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayType) and self.policy is other.policy and bool(self.tensor == other.tensor)

    def __hash__(self) -> int:
        return hash((ArrayType, self.policy, self.tensor))

    def __repr__(self) -> str:
        return f"ArrayType({self.tensor!r})"


def _tracing_type(self: Array, context: Any) -> ArrayType:
    if self.backend != "tensorflow":
        raise BackendError(
            f"tf.function: an array of the {self.backend} backend. Convert it: lw.asarray(x, backend='tensorflow')"
        )
    return ArrayType(tf.TensorSpec(self._data.shape, self._data.dtype), current())


Array.__tf_flatten__ = _flatten  # type: ignore[attr-defined]
Array.__tf_unflatten__ = classmethod(_unflatten)  # type: ignore[attr-defined]
Array.__tf_tracing_type__ = _tracing_type  # type: ignore[attr-defined]


def _leave_as_it_is(functions: Iterable[Any]) -> None:
    """Tell AutoGraph, which rewrites the functions that a tf.function calls, to leave latticework's as they are."""
    for f in functions:
        if isinstance(f, types.FunctionType) and f.__module__.partition(".")[0] == "latticework":
            f.autograph_info__ = {}  # type: ignore[attr-defined]


for _namespace in (lw, *(getattr(lw, name) for name in NAMESPACES)):
    _leave_as_it_is(getattr(_namespace, name) for name in _namespace.__all__)
for _class in Array.__mro__[:-1]:
    _leave_as_it_is(vars(_class).values())
