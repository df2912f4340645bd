"""`numpy.testing`: assertions about arrays, which NumPy makes, on values that are brought to this machine."""

from __future__ import annotations

from numpy import testing as _testing
from numpy.testing import assert_no_warnings, assert_raises, assert_raises_regex, assert_string_equal, assert_warns

from .base import on_values

_NAMES = """
    assert_ assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal
    assert_array_almost_equal_nulp assert_array_compare assert_array_equal assert_array_less assert_array_max_ulp
    assert_equal
""".split()

__all__ = [  # noqa: PLE0604
    *_NAMES,
    "assert_no_warnings",
    "assert_raises",
    "assert_raises_regex",
    "assert_string_equal",
    "assert_warns",
]


for _name in _NAMES:
    globals()[_name] = _found = on_values(getattr(_testing, _name))
    _found.__doc__ = f"`numpy.testing.{_name}`, of values that are brought to this machine."
