"""`tf.bitwise`: the bits of integers."""

from __future__ import annotations

from typing import Any

from .tensor import as_tensor, dialect, ops, pair

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]


# fmt: off
def bitwise_and(x: Any, y: Any, name: Any = None) -> Any: return ops.bitwise_and(*pair(x, y))
def bitwise_or(x: Any, y: Any, name: Any = None) -> Any: return ops.bitwise_or(*pair(x, y))
def bitwise_xor(x: Any, y: Any, name: Any = None) -> Any: return ops.bitwise_xor(*pair(x, y))
def invert(x: Any, name: Any = None) -> Any: return ops.bitwise_invert(as_tensor(x))
def left_shift(x: Any, y: Any, name: Any = None) -> Any: return ops.bitwise_left_shift(*pair(x, y))
def right_shift(x: Any, y: Any, name: Any = None) -> Any: return ops.bitwise_right_shift(*pair(x, y))
# fmt: on

dialect.finish(
    globals(),
    quick="bitwise_and bitwise_or bitwise_xor invert=bitwise_invert left_shift=bitwise_left_shift "
    "right_shift=bitwise_right_shift",
    view="tf.bitwise",
)
