"""The backend of tinygrad, compared with NumPy's by the kit, and what the kit does not ask.

tinygrad compiles a kernel for each function, dtype and shape: a share of the kit's calls is run. ``DEV=PYTHON`` takes
its interpreter, which needs no compiler and is quicker for small arrays.
"""

from __future__ import annotations

import numpy as np
import pytest

import latticework as lw
from latticework.errors import BackendError
from latticework.testing.suite import BackendTests


class TestTinygrad(BackendTests):
    backend = "tinygrad"
    every = {"dtypes": 200, "shapes": 200, "views": 200, "values": 20, "keys": 20, "random": 4}
    refused = {"derivatives": ["solve"]}


@pytest.mark.parametrize("name", ["asin", "acos", "atan", "asinh", "log1p", "expm1", "tan"])
def test_functions_have_the_digits_of_float64(name: str) -> None:
    x = np.linspace(-0.95, 0.95, 21)
    got = np.asarray(getattr(lw, name)(lw.asarray(x, backend="tinygrad")))
    expected = np.asarray(getattr(lw, name)(lw.asarray(x, backend="numpy")))
    assert np.allclose(got, expected, rtol=1e-13, atol=1e-14), np.max(np.abs(got - expected))


def test_comparisons_with_nan_are_false() -> None:
    x = lw.asarray([1.0, float("nan")], backend="tinygrad")
    assert np.asarray(x >= x).tolist() == [True, False]
    assert np.asarray(x <= x).tolist() == [True, False]


def test_arrays_go_from_and_to_numpy_in_every_dtype() -> None:
    for dtype in lw.all_dtypes:
        if dtype.kind != "c":
            x = lw.asarray([0, 1, 1], dtype=dtype, backend="numpy")
            assert np.array_equal(lw.to_numpy(lw.asarray(x, backend="tinygrad")), lw.to_numpy(x)), dtype


def test_what_tinygrad_lacks_is_refused() -> None:
    with lw.using(backend="tinygrad"):
        x = lw.asarray([1.0, 2.0])
        with pytest.raises(BackendError, match="the tinygrad backend has no complex64"):
            lw.astype(x, "complex64")
        with pytest.raises(BackendError, match=r"linalg.inv: the tinygrad backend does not have this function"):
            lw.linalg.inv(lw.eye(2))
        x[1] = 7
        assert np.asarray(x[x > 2]).tolist() == [7]


def test_its_interpreter_casts_infinities_and_rounds_float16() -> None:
    """With DEV=PYTHON, where the cast of an infinity was an error and a sum of more than 65504 infinite."""
    with lw.using(backend="tinygrad"):
        assert lw.astype(lw.asarray([np.inf, -np.inf, np.nan, 1.5], dtype="float32"), "int16")[3] == 1
        x = lw.asarray([65504.0, np.inf, 0.0], dtype="float16")
        assert lw.logaddexp(x, x).tolist()[:2] == [65504.0, np.inf]


def test_bools_that_were_computed_are_read_by_positions() -> None:
    """tinygrad ended in "infinite loop in graph_rewrite" where they were cast before."""
    with lw.using(backend="tinygrad"):
        x = lw.reshape(lw.astype(lw.arange(12), "bool"), (3, 4))
        assert x[:, lw.asarray([3, 0, 0])].tolist() == [[True, False, False], [True] * 3, [True] * 3]


def test_places_of_extremes_are_found_in_float16() -> None:
    """tinygrad's interpreter ended in "UOp verification failed"."""
    with lw.using(backend="tinygrad"):
        x = lw.asarray([[1.0, 5.0, 3.0], [4.0, 2.0, 9.0]], dtype="float16")
        assert lw.argmax(x, axis=0).tolist() == [1, 0, 1]
        assert lw.argmin(x, axis=1).tolist() == [0, 1]
        assert int(lw.argmax(x)) == 5
