"""Arguments of the wrong kind or value: one error on all backends, with the function, what was got and a way out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import LAZY

import latticework as lw
from latticework.errors import AxisError

Given = dict[str, Any]


def set_attribute(name: str) -> Callable[..., None]:
    return lambda x, **_: setattr(x, name, (4,))


def delete(x: Any, **_: Any) -> None:
    del x[0]


#: Call, error, and what its message is (the start of it).
CALLS: list[tuple[Callable[..., Any], type[Exception], str]] = [
    # An argument in another's place, as other libraries order them.
    (lambda x, **_: lw.sum(x, x), TypeError, "sum: axis must be an int, a tuple of ints or None; got an array"),
    (lambda x, **_: lw.roll(x, x), TypeError, "roll: shift must be an int or a tuple of ints; got an array"),
    (lambda x, **_: lw.histogram(x, 3, None, x), TypeError, "histogram: density must be a bool; got "),
    (lambda x, **_: lw.full(7.0, (2, 2)), TypeError, "full: shape must be an int or a tuple of ints; got 7.0"),
    (
        lambda x, **_: lw.nn.layer_norm(x, x, x), TypeError,
        "nn.layer_norm: normalized_shape takes no array; got an array of shape",
    ),
    (
        lambda x, **_: lw.random.categorical(lw.random.key(0), x, (3,)), TypeError,
        "random.categorical: axis must be an int; got (3,). The call is random.categorical(key, logits",
    ),
    (
        lambda x, **_: lw.signal.kaiser_window(5, True), TypeError,
        "signal.kaiser: beta must be a number; got True. Write signal.kaiser(n, periodic=True)",
    ),
    (lambda x, **_: lw.sum(x, axis=1.0), TypeError, "sum: an axis is an int; got 1.0"),
    (lambda x, **_: lw.sum(x, axis="rows"), TypeError, "sum: an axis is an int; got 'rows'"),
    (lambda x, **_: lw.sum(x, axis=True), TypeError, "sum: an axis is an int; got True"),
    (lambda x, **_: lw.mean(x, axis=(True,)), TypeError, "mean: an axis is an int; got True"),
    (lambda x, **_: lw.argmax(x, axis=False), TypeError, "argmax: an axis is an int; got False"),
    (lambda x, **_: lw.concat([x, x], axis=True), TypeError, "concat: an axis is an int; got True"),
    (
        lambda x, **_: lw.linalg.matrix_band_part(x, 0, True), TypeError,
        "linalg.matrix_band_part: upper is an int; got True",
    ),
    (
        lambda x, **_: lw.linalg.cond(x[:1], "fro"), ValueError,
        "linalg.cond: takes square matrices for p='fro'; got shape (1, 2)",
    ),
    (
        lambda none, **_: lw.linalg.solve_triangular(none[None], none), ValueError,
        "linalg.solve_triangular: takes square matrices, along the last two axes; got shape (1, 0)",
    ),
    (lambda x, **_: lw.fft.fftn(x[0, 0], norm="sideways"), ValueError, "fft.fftn: norm is one of 'backward', "),
    (lambda none, **_: lw.signal.frame(none, 1, 1, axis=1), AxisError, "signal.frame: axis 1 is out of bounds for"),
    (
        lambda none, **_: lw.nn.softmax(none, where=none[None] > 0), ValueError,
        "nn.softmax: where must broadcast to the shape of x, (0,); got shape (1, 0)",
    ),
    (
        lambda none, **_: lw.nn.log_softmax(none, where=none[None] > 0), ValueError,
        "nn.log_softmax: where must broadcast to the shape of x, (0,); got shape (1, 0)",
    ),
    (
        lambda x, **_: lw.nn.scaled_dot_product_attention(x[None], x, x, x[0, 0] > lw.zeros((2, 2, 2))), ValueError,
        "nn.scaled_dot_product_attention: attn_mask must broadcast to (1, 2, 2), the scores of queries and keys; got",
    ),
    (lambda **_: lw.zeros(None), TypeError, "zeros: a shape is an int or a tuple of ints; got None"),
    (lambda **_: lw.ones((2, None)), TypeError, "ones: a shape is of ints; got (2, None)"),
    (lambda **_: lw.full(None, 1), TypeError, "full: a shape is an int or a tuple of ints; got None"),
    (lambda **_: lw.eye(2, k="a"), TypeError, "eye: k is an int; got 'a'"),
    (lambda x, **_: lw.sort(x, axis=1.0), TypeError, "sort: an axis is an int; got 1.0"),
    (lambda x, **_: lw.expand_dims(x, 1.0), TypeError, "expand_dims: an axis is an int; got 1.0"),
    (lambda x, **_: lw.linalg.vector_norm(x, ord=None), TypeError, "linalg.vector_norm: ord is a number, inf or -inf"),
    (lambda x, **_: lw.permute_dims(x, (0, 5)), AxisError, "permute_dims: axis 5 is out of bounds for array of"),
    (lambda x, **_: lw.triu(x, k=1.5), TypeError, "triu: k is an int; got 1.5"),
    (lambda x, **_: lw.swapaxes(x, "0", 1), TypeError, "swapaxes: an axis is an int; got '0'"),
    (lambda x, **_: lw.swapaxes(x, 0, 5), AxisError, "swapaxes: axis 5 is out of bounds for array of shape (2, 2)"),
    (lambda **_: lw.linspace(0, 1, 2.5), TypeError, "linspace: num is an int; got 2.5"),
    (lambda x, **_: lw.std(x, correction="a"), TypeError, "std: correction is a real number; got 'a'"),
    (
        lambda x, **_: lw.linalg.vector_norm(x, ord="fro"), TypeError,
        "linalg.vector_norm: ord is a number, inf or -inf; got 'fro'. Of matrices: lw.linalg.matrix_norm(x, ord='fro')",
    ),
    (lambda x, **_: lw.permute_dims(x, 0), TypeError, "permute_dims: axes are a tuple of ints, one for each axis; got"),
    (
        lambda x, **_: lw.permute_dims(x, (0, 0)), ValueError,
        "permute_dims: takes each axis of an array of shape (2, 2) once; got (0, 0)",
    ),
    (lambda x, **_: lw.squeeze(x, None), TypeError, "squeeze: an axis is an int; got None"),
    (lambda x, **_: lw.squeeze(x, 0), ValueError, "squeeze: only an axis of extent 1 can be left out; axis 0 of"),
    (lambda x, **_: lw.repeat(x, -1), ValueError, "repeat: repeats must not be negative; got -1"),
    (lambda none, **_: lw.repeat(none, -1), ValueError, "repeat: repeats must not be negative; got -1"),
    (lambda none, **_: lw.tile(none, -1), ValueError, "tile: repetitions must not be negative; got -1"),
    (lambda x, **_: lw.tile(x, (2, 1.5)), TypeError, "tile: repetitions are ints; got 1.5"),
    (lambda x, **_: lw.moveaxis(x, 0, 5), AxisError, "moveaxis: axis 5 is out of bounds for array of shape (2, 2)"),
    (lambda x, **_: lw.stack([x, x[0]]), ValueError, "stack: shapes (2, 2) and (2,) do not fit together"),
    (lambda x, **_: lw.concat([x, x[0]]), ValueError, "concat: shapes (2, 2) and (2,) do not fit together"),
    (lambda x, **_: lw.roll(x, 1.5), TypeError, "roll: a shift is an int; got 1.5"),
    (lambda x, **_: lw.roll(x, (1,), axis=(0, 1)), ValueError, "roll: takes as many shifts as axes; got 1 shifts"),
    (lambda x, **_: lw.reshape(x, None), TypeError, "reshape: a shape is an int or a tuple of ints; got None"),
    (lambda x, **_: lw.reshape(x, (4.0,)), TypeError, "reshape: a shape is of ints; got 4.0"),
    (lambda x, **_: lw.pad(x, 1.5), TypeError, "pad: widths are ints; got 1.5"),
    (lambda x, **_: lw.around(x, 1.5), TypeError, "around: decimals is an int; got 1.5"),
    (lambda **_: lw.broadcast_shapes(2), TypeError, "broadcast_shapes: a shape is a tuple of ints; got 2"),
    (lambda x, **_: lw.fliplr(x[0]), AxisError, "fliplr: in flip: axis 1 is out of bounds for array of shape (2,)"),
    (lambda x, **_: lw.amax(x, 3), AxisError, "amax: in max: axis 3 is out of bounds"),
    (lambda x, **_: lw.hstack([x, x[0]]), ValueError, "hstack: in concat: shapes (2, 2) and (2,) do not fit together"),
    (
        lambda **_: lw.full((2,), 1.5, dtype=lw.int32), TypeError,
        "full: 1.5 would lose its fraction in int32. Give an int, or a floating dtype: lw.full(shape, 1",
    ),
    (lambda i, **_: lw.full_like(i, 1.5), TypeError, "full_like: in full: 1.5 would lose its fraction in int32. Give"),
    (lambda **_: lw.full(2, "a"), TypeError, "full: cannot make an array of str"),
    (
        lambda x, **_: lw.split(x, x), TypeError,
        "split: takes a number of parts, or ints where parts begin; got an array of float32, shape (2, 2)",
    ),
    (lambda x, **_: lw.split(x, 1.5), TypeError, "split: takes a number of parts, or ints where parts begin; got 1.5"),
    (lambda x, **_: lw.add(x, None), TypeError, "add: takes arrays; got NoneType"),
    (lambda x, **_: x + None, TypeError, "unsupported operand type(s) for +: 'Array' and 'NoneType'"),
    (lambda x, **_: lw.concat([x, None]), TypeError, "concat: takes arrays; got NoneType"),
    (lambda x, **_: lw.argmax(x, axis=[0]), TypeError, "argmax: an axis is an int; got [0]"),
    # What frameworks do not look at where there is nothing to compute, and what JAX broadcasts.
    (lambda x, **_: lw.fft.fftn(x, axes=(), norm="a"), ValueError, "fft.fftn: norm is one of 'backward', 'ortho'"),
    (lambda x, **_: lw.diff(x, n=0, axis=2), AxisError, "diff: axis 2 is out of bounds for array of shape (2, 2)"),
    (lambda x, **_: lw.max(x[:0, :0], axis=0), ValueError, "max: of no elements there is none; got shape (0, 0)"),
    (lambda x, **_: lw.min(x[:0, :0] > 0, axis=0), ValueError, "min: of no elements there is none; got shape (0, 0)"),
    (lambda x, **_: lw.linalg.matrix_norm(x[None][:0, :, :0], ord=-1), ValueError, "linalg.matrix_norm: there is no"),
    (lambda x, **_: lw.einsum("ii", x[:1]), ValueError, "einsum: 'i' in 'ii->' is 1 and 2, for shapes (1, 2)"),
    # As PyTorch's and NumPy's users write it.
    (lambda **_: lw.ones(2, 3), TypeError, "ones: too many positional arguments. The call is ones(shape, *, dtype="),
    (lambda **_: lw.full(3, 7, lw.int8), TypeError, "full: too many positional arguments. The call is full("),
    (lambda **_: lw.asarray([1], float), TypeError, "asarray: too many positional arguments. The call is"),
    (lambda **_: lw.array([1], float), TypeError, "array: too many positional arguments. The call is arr"),
    (lambda x, **_: lw.zeros_like(x, int), TypeError, "zeros_like: too many positional arguments. The call"),
    (lambda x, **_: lw.round(x, 1.5), TypeError, "around: decimals is an int; got 1.5"),
    # An operand by its name, or left out, beside one that may be given by name.
    (lambda x, i, **_: lw.searchsorted(x[0], sorter=i), TypeError, "searchsorted: missing a required argument: 'x2'"),
    # The name that was called, where a function has several.
    (lambda x, **_: lw.concatenate(x), TypeError, "concatenate: in concat: takes a list or tuple of arrays; got Array"),
    (
        lambda **_: lw.asarray([1]).__setitem__(0, 2.5), TypeError,
        ("setitem: a Python float does not go into an array of int32, whose dtype never changes. Cast one of them: "
         "x = lw.astype(x, lw.float32) first, or the value: int(2.5)"),
    ),
    (
        lambda **_: lw.asarray([1.0]).__setitem__(0, 2j), TypeError,
        ("setitem: a Python complex does not go into an array of float32, whose dtype never changes. Cast one of them: "
         "x = lw.astype(x, lw.complex64) first, or the value: (2j).real"),
    ),
    (lambda **_: lw.arccos([1]), TypeError, "arccos: takes arrays; got list. Write lw.arccos(lw.asarray([1]))"),
    (lambda x, **_: lw.power(x, "a"), TypeError, "power: takes arrays; got str"),
    (lambda x, **_: lw.arctan2(x, x[:, :0]), ValueError, "arctan2: shapes (2, 2) and (2, 0) do not fit together"),
    (lambda x, **_: lw.invert(x), TypeError, "invert: takes integral or bool dtypes"),
    (lambda x, none, **_: lw.absolute(x, out=none), ValueError, "absolute: out must have the shape of the result"),
    (delete, TypeError, "delitem: an array of shape (2, 2) keeps its shape. Take what remains: "),
    (set_attribute("shape"), AttributeError, "shape: an array keeps its shape. Bind the reshaped one: x = lw.reshape"),
    (set_attribute("dtype"), AttributeError, "dtype: an array keeps its dtype. Bind the cast one: x = lw.astype(x"),
    # Arrays without axes have no axis 0, and no matrix.
    (lambda scalar, **_: lw.repeat(scalar, 2, axis=0), AxisError, "repeat: axis 0 is out of bounds for array of"),
    (lambda scalar, i, **_: lw.take(scalar, i, axis=0), AxisError, "take: axis 0 is out of bounds for array of"),
    (lambda scalar, **_: lw.squeeze(scalar, 0), AxisError, "squeeze: axis 0 is out of bounds for array of shape ()"),
    (lambda scalar, **_: lw.diff(scalar, axis=0), AxisError, "diff: axis 0 is out of bounds for array of shape ()"),
    (lambda scalar, **_: scalar.mT, ValueError, "matrix_transpose: needs 2 axes or more; got shape ()"),
    (lambda none, **_: lw.cummax(none, axis=1), AxisError, "cummax: axis 1 is out of bounds for array of shape (0,)"),
    (lambda none, **_: lw.roll(none, 1, axis=1), AxisError, "roll: axis 1 is out of bounds for array of shape (0,)"),
    (lambda x, **_: lw.linalg.eigh(x[:1]), ValueError, "linalg.eigh: takes square matrices, along the last two axes"),
    (lambda x, **_: lw.linalg.eigvalsh(x[:1]), ValueError, "linalg.eigvalsh: takes square matrices, along the last"),
]  # fmt: skip

#: The same, where values decide: an array that is computed later says it then.
BY_VALUE: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda x, i, **_: lw.take(x, i + 5, axis=0), IndexError, "take: index 5 is out of bounds for axis 0 of extent 2"),
    (
        lambda x, i, **_: lw.take_along_axis(x, i[:, None] - 5, axis=0), IndexError,
        "take_along_axis: index -5 is out of bounds for axis 0 of extent 2",
    ),
    (lambda x, i, **_: lw.repeat(x, i - 1, axis=0), ValueError, "repeat: repeats must not be negative; got -1"),
    (lambda x, **_: lw.linalg.inv(x * 0), ValueError, "linalg.inv: a matrix is singular"),
    (lambda x, **_: lw.linalg.cholesky(-x), ValueError, "linalg.cholesky: a matrix is not positive definite"),
]  # fmt: skip


def given() -> Given:
    return {
        "x": lw.asarray([[1.0, 2.0], [3.0, 4.0]]),
        "none": lw.zeros(0),
        "scalar": lw.asarray(2.5),
        "i": lw.asarray([0, 1]),
    }


@pytest.mark.parametrize(("call", "error", "says"), CALLS, ids=lambda x: x if isinstance(x, str) else "")
def test_an_argument_that_does_not_fit(backend: str, call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=rf"^{re.escape(says)}"):
        call(**given())


@pytest.mark.parametrize(("call", "error", "says"), BY_VALUE, ids=lambda x: x if isinstance(x, str) else "")
def test_values_that_do_not_fit(backend: str, call: Any, error: type[Exception], says: str) -> None:
    if backend in LAZY:
        pytest.skip("an array that is computed later says it then")
    with np.errstate(all="ignore"), pytest.raises(error, match=rf"^{re.escape(says)}"):
        call(**given())


def test_axes_are_ints_and_sequences_of_them_on_every_backend(backend: str) -> None:
    """Frameworks part ways on lists and on NumPy's integers."""
    x = lw.asarray([[1.0, 2.0], [3.0, 4.0]])
    for axis, want in [([0], [4, 6]), ((np.int64(1),), [3, 7]), ([0, 1], 10), (np.int64(1), [3, 7]), (i0(), [4, 6])]:
        assert lw.sum(x, axis=axis).tolist() == want
        assert lw.sum(x, axis).tolist() == want
        assert x.mean(axis).tolist() == (np.asarray(want) / (4 if want == 10 else 2)).tolist()
        assert lw.plan(lw.max, x, axis=axis).shapes == (np.shape(want),)
    assert lw.squeeze(x[None], [0]).shape == lw.roll(x, [1], axis=[0]).shape == (2, 2)
    assert lw.any(x > 3, axis=[-1]).tolist() == [False, True]
    assert lw.argmax(x, axis=np.int8(1)).tolist() == [1, 1]
    assert lw.fft.fftn(x, axes=1).tolist() == lw.fft.fft(x, axis=1).tolist()


def test_axes_are_looked_at_where_there_are_no_elements(backend: str) -> None:
    """PyTorch does not do so itself."""
    empty = lw.zeros((0, 0, 0))
    assert lw.roll(empty, 2, axis=(0, -3)).shape == (0, 0, 0)
    with pytest.raises(lw.errors.AxisError, match=r"^roll: axis 3 is out of bounds"):
        lw.roll(empty, 1, axis=3)
    with pytest.raises(ValueError, match=r"^roll: takes as many shifts as axes; got 1 shifts for 0 axes"):
        lw.roll(lw.ones(2), [0], axis=())
    with pytest.raises(lw.errors.AxisError, match=r"^concat: axis 1 is out of bounds for array of shape \(0,\)"):
        lw.concat([lw.zeros(0)], axis=1)


def i0() -> lw.Array:
    return lw.asarray(0)


def test_a_shape_is_one_tuple() -> None:
    x = lw.ones(4)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: lw.zeros(2, 3), "Write lw.zeros((2, 3))"),
        (lambda: lw.reshape(x, 2, 2), "Write lw.reshape(x, (2, 2))"),
        (lambda: lw.tile(x, 2, 2), "Write lw.tile(x, (2, 2))"),
    ]
    for call, line in calls:
        with pytest.raises(TypeError, match=re.escape(line) + "$"):
            call()


def test_a_device_that_there_is_not(backend: str) -> None:
    with pytest.raises(ValueError, match=rf"^the {backend} backend has no device 'tpu9'; it has \w+"):
        lw.zeros(2, device="tpu9")


def test_a_number_that_the_dtype_holds_fills(backend: str) -> None:
    assert lw.full((2,), 2.0, dtype=lw.int32).tolist() == [2, 2]


def test_of_no_axes_and_no_elements(backend: str) -> None:
    """What backends took for an error, or lost axes of."""
    x, none = lw.asarray([[1.0, 2.0], [3.0, 4.0]]), lw.zeros((0,), dtype=lw.int64)
    assert lw.roll(x, (), axis=()).tolist() == x.tolist()
    assert lw.take(lw.zeros((0, 3)), none, axis=0).shape == (0, 3)
    assert lw.take(lw.zeros((0, 3)), lw.reshape(none, (0, 2)), axis=0).shape == (0, 2, 3)
    assert lw.squeeze(lw.asarray(2.5), ()).tolist() == 2.5
    assert lw.logical_and(lw.asarray([0, 1], dtype=lw.uint8), 2**40).tolist() == [False, True]
    assert np.isnan(float(lw.std(x, correction=5)))
    assert (none**-1).shape == (none ** lw.asarray(-1)).shape == (0,)
    assert lw.pow(lw.zeros((0, 1), dtype=lw.int8), lw.asarray([-1, 2], dtype=lw.int8)).shape == (0, 2)
    for widths in (1, (1, 2), ()):
        assert lw.pad(lw.asarray(2.5), widths).tolist() == 2.5
