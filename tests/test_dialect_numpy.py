"""NumPy's dialect where samples do not reach: views, scalars, operands of other kinds, and what is not there."""

from __future__ import annotations

import numpy
import pytest

import latticework as lw
import latticework.frontends.numpy as np


def has_views(backend: str) -> bool:
    return backend in ("numpy", "torch")


def test_a_write_to_a_view_is_seen_by_the_array_or_refused(backend: str) -> None:
    x = np.arange(6)
    row = x.reshape(2, 3)[1]
    if not has_views(backend):
        with pytest.raises(ValueError, match="made of another one"):
            row += 10
        return
    row += 10
    row[0] = 0
    x.T[1] = -1
    assert x.tolist() == [0, -1, 2, 0, 14, 15]


def test_slices_and_masks_are_written_to_on_every_backend(backend: str) -> None:
    x = np.zeros((3, 4))
    x[1:, ::2] += 1
    x[0] -= 2
    x[x < 0] = 5.5
    x.flat[3] = 7
    assert x.tolist() == [[5.5, 5.5, 5.5, 7], [1, 0, 1, 0], [1, 0, 1, 0]]


def test_elements_are_values(backend: str) -> None:
    x = np.array([1.0, 2.0, 3.0])
    x[0], x[2] = x[2], x[0]
    first = last = x[0]
    last += 1
    total = other = x.sum()
    total *= 2
    assert (x.tolist(), float(first), float(last), float(total), float(other)) == ([3, 2, 1], 3, 4, 12, 6)
    assert {x.sum(): 1}[6.0] == 1 and [10, 20, 30][np.argmin(x)] == 30 and f"{x.mean():.2f}" == "2.00"


def test_results_are_on_the_backend_in_force_and_follow_their_operands(backend: str) -> None:
    made = [
        np.zeros(3), np.array([[1, 2]]), np.arange(3), np.random.default_rng(0).random(2), np.linspace(0, 1, 3),
        np.r_[1:3, 0.5], np.add([1], [2]), np.concatenate([[1], [2]]), np.ones(2) + numpy.ones(2), np.eye(2)[0, 0],
        (1, 2) * np.ones(2), numpy.float64(2) * np.ones(1), numpy.ones(2) - np.ones(2), np.sum([1, 2]),
    ]  # fmt: skip
    assert {type(x) for x in made} == {np.ndarray}
    assert {x._array.backend for x in made} == {backend}


def test_numpy_s_scalars_alone_are_computed_where_arrays_are_made(backend: str) -> None:
    """So that what comes of them meets the program's arrays."""
    one = numpy.float32(1)
    for _ in range(2):  # the second call may find what the first has kept
        for found in (
            np.sqrt(numpy.float64(4)), np.add(one, numpy.float32(2)), np.maximum(numpy.int8(1), 2),
            np.sum(numpy.float64(3)), np.nextafter(one, 2), np.spacing(one), np.sqrt(one) * np.ones(2),
        ):  # fmt: skip
            assert found._array.backend == backend
    assert np.add(one, numpy.float32(2)).dtype == numpy.float32
    assert np.maximum(numpy.int8(1), 2).dtype == numpy.int8


def test_an_error_of_floating_point_arithmetic_keeps_its_class(backend: str) -> None:
    if backend != "numpy":
        return  # NumPy alone counts them
    with np.errstate(all="raise"):
        for call in (lambda: np.exp(np.array([1e4])), lambda: np.ones(1) / np.zeros(1), lambda: np.log(np.array(-1.0))):
            with pytest.raises(FloatingPointError, match="encountered in"):
                call()


def test_promotion_functions_are_numpy_s() -> None:
    for a in ("int8", "uint64", "float16", "complex64", "bool"):
        for b in ("int8", "int64", "float32"):
            assert np.promote_types_numpy(a, b) == numpy.promote_types(a, b)
    for x in (numpy.ones(2, "int8"), numpy.float32(1), numpy.ones((), "uint8")):
        for y in (1, 2.5, True, 1j, numpy.ones(2, "int16")):
            found = np.promote_types_of_numpy_inputs(x, y)
            assert {v.dtype for v in found} == {numpy.result_type(x, y)}
            assert [v.shape for v in found] == [numpy.shape(x), numpy.shape(y)]
    with pytest.raises(OverflowError):
        np.promote_types_of_numpy_inputs(numpy.ones(2, "int8"), 300)


def test_numpy_s_rules_hold_whatever_rules_are_in_force() -> None:
    x = np.array([1, 2], dtype=np.int8)
    for rules in ("unified", "jax", "torch"):
        with lw.using(rules=rules):
            assert ((x / 2).dtype, (x + 1).dtype, x.sum().dtype, np.zeros(2).dtype, np.arange(2).dtype) == (
                np.float64, np.int8, np.int64, np.float64, np.int64
            )  # fmt: skip


def test_a_name_that_is_not_there_says_why() -> None:
    with pytest.raises(AttributeError, match=r"numpy\.matrix: .* advises against"):
        np.matrix  # noqa: B018
    with pytest.raises(AttributeError, match="no such name"):
        np.nonsense  # noqa: B018
    with pytest.raises(TypeError, match="not arrays of a framework"):
        np.zeros(2, dtype=object)


def test_what_is_listed_as_absent_is_absent() -> None:
    from latticework.frontends.numpy.coverage import ABSENT

    names = {n for group in ABSENT for n in group.replace(",", " ").split() if hasattr(numpy, n)}
    here = {n for n in names if hasattr(np, n)} - {"lib", "str_", "bytes_", "longdouble", "clongdouble"}
    assert here <= {"datetime64", "timedelta64"}, here  # the types are NumPy's; arrays of them are not there
    unlisted = {n for n in dir(numpy) if not n.startswith("_") and not hasattr(np, n)} - names
    assert not unlisted, unlisted


def test_universal_functions_are_told_by_their_type() -> None:
    assert isinstance(np.add, np.ufunc) and isinstance(np.sin, np.ufunc) and not isinstance(np.sum, np.ufunc)
    assert (np.add.nin, np.add.nout, np.add.identity, np.divmod.nout) == (2, 1, 0, 2)
