"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"


__all__ = ["NumpyVersion", "array_utils", "stride_tricks"]

from numpy.lib import NumpyVersion as NumpyVersion
from latticework.frontends.numpy.lib import array_utils as array_utils
from latticework.frontends.numpy.lib import stride_tricks as stride_tricks
