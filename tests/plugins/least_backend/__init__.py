"""A backend of a namespace of the functions alone that docs/backends.md calls needed."""

from types import SimpleNamespace

import array_api_strict
import least_arrays  # noqa: F401 - the framework

from latticework.backend import of_namespace

_NAMES = """
asarray full arange zeros astype reshape where broadcast_to equal not_equal less less_equal greater greater_equal add
subtract multiply divide floor_divide remainder pow negative logical_not logical_and logical_or logical_xor bitwise_and
bitwise_or bitwise_xor bitwise_invert bitwise_left_shift bitwise_right_shift
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128
""".split()

BACKEND = of_namespace(SimpleNamespace(**{n: getattr(array_api_strict, n) for n in _NAMES}, __name__="least_arrays"))
