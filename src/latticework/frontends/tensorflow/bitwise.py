"""`tf.bitwise`: the bits of integers."""

from __future__ import annotations

from typing import Any

from .tensor import as_tensor, dialect, ops, pair  # noqa: F401  the table uses `pair`

#: Functions that are latticework's by another name, see `renaming`.
_TABLE = """
(x, y, name=None) -> ours(*pair(x, y))
    bitwise_and bitwise_or bitwise_xor left_shift=bitwise_left_shift right_shift=bitwise_right_shift
"""


# fmt: off
def invert(x: Any, name: Any = None) -> Any: return ops.bitwise_invert(as_tensor(x))
# fmt: on

dialect.finish(globals(), _TABLE, view="tf.bitwise")
