"""A backend of a namespace of few functions, whose arrays never change and have no shapes that depend on values."""

from types import SimpleNamespace

import array_api_strict
import few_arrays  # noqa: F401 - the framework

from latticework.backend import of_namespace

_LACKING = """
argmax argmin atan2 bitwise_count conj copysign count_nonzero cumulative_prod empty eye hypot isin logaddexp
matrix_transpose mean moveaxis nonzero positive reciprocal searchsorted signbit square stack std
take_along_axis tile trunc unique_all unique_counts unique_inverse unique_values unstack var vecdot
""".split()
_CHAPTERS = {"linalg": "diagonal eigvals eigvalsh svdvals", "fft": "hfft ihfft"}


def _without(namespace, names):
    kept = {n: x for n, x in vars(namespace).items() if n not in names and not n.startswith("_")}
    return SimpleNamespace(**kept, __name__="few_arrays")


_few = _without(array_api_strict, [*_LACKING, *_CHAPTERS])
for _name, _names in _CHAPTERS.items():
    setattr(_few, _name, _without(getattr(array_api_strict, _name), _names.split()))


def _take(x, indices, /, *, axis):
    """Take positions of int64 alone, as some namespaces do."""
    if indices.dtype != array_api_strict.int64:
        raise TypeError(f"positions of {indices.dtype}")
    return array_api_strict.take(x, indices, axis=axis)


_few.take = _take
BACKEND = of_namespace(_few, lacks=["float64", "complex128"])
