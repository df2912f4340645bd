"""The Bessel functions of `tf.math`."""

from __future__ import annotations

from typing import Any

from .arguments import only
from .tensor import dialect, ops


# fmt: off
def bessel_i0(x: Any, name: Any = None) -> Any: return ops.special.i0(only(x, "f"))
def bessel_i0e(x: Any, name: Any = None) -> Any: return ops.special.i0e(only(x, "f"))
def bessel_i1(x: Any, name: Any = None) -> Any: return ops.special.i1(only(x, "f"))
def bessel_i1e(x: Any, name: Any = None) -> Any: return ops.special.i1e(only(x, "f"))
# fmt: on

dialect.finish(globals(), view="tf.math")
