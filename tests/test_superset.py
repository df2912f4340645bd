"""The standard's functions with what one framework or another adds to them: arrays of ends, stacks, truth."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np
import pytest
from cases import examples, few, sampled
from hypothesis import given, settings
from hypothesis import strategies as st
from support import check, imported, values

import latticework as lw
from latticework import nn
from latticework.core.registry import OPS, load

torch = imported("torch")


def test_lines_between_arrays(backend: str) -> None:
    a, b = values(lw.float32, (2, 1)), values(lw.float32, (3,), seed=1)
    options = [(5, True, 0), (4, False, -1), (1, True, 1), (0, True, 0)]
    for num, endpoint, axis in sampled(options, 1, "linspace"):
        expected = np.linspace(a, b, num, endpoint=endpoint, axis=axis)
        check(lw.linspace(lw.asarray(a), lw.asarray(b), num, endpoint=endpoint, axis=axis), expected, lw.float32)
    ends = lw.asarray([0, 10], dtype=lw.int64)
    check(lw.linspace(ends, 20, 3), np.linspace([0, 10], 20, 3), lw.float32)
    check(lw.linspace(0, ends, 4, dtype="int32"), np.linspace(0, [0, 10], 4, dtype=np.int32), lw.int32)
    check(lw.linspace(lw.asarray([0.0, 1j]), 1, 3), np.linspace(np.array([0, 1j]), 1, 3), lw.complex64)
    assert lw.linspace(lw.asarray([0.1], dtype=lw.float64), 0.7, 7)[-1].tolist() == [0.7]
    with pytest.raises(lw.errors.AxisError):
        lw.linspace(ends, 20, 3, axis=2)
    with pytest.raises(ValueError, match="num must not be negative"):
        lw.linspace(ends, 20, -1)


def test_powers_between_arrays(backend: str) -> None:
    a, b = np.float64([[0], [1]]), np.float64([2, 3, 4])
    for axis in (0, -1):
        expected = np.logspace(a, b, 4, axis=axis)
        check(lw.logspace(lw.asarray(a), lw.asarray(b), 4, axis=axis), expected, lw.float64, ulps=64)
    base = np.float64([2, 3, 4])
    for axis in (0,) if few() else (0, 1):
        expected = np.logspace(a, 2.0, 3, base=base, axis=axis)
        check(lw.logspace(lw.asarray(a), 2.0, 3, base=lw.asarray(base), axis=axis), expected, lw.float64, ulps=64)
    check(lw.logspace(0, 2, 3, base=lw.asarray(base)), np.logspace(0, 2, 3, base=base), lw.float64, ulps=64)


def test_multiples_between_arrays(backend: str) -> None:
    a, b = np.float64([[1], [-2]]), np.float64([4, 9, 27])
    for axis, endpoint in sampled([(0, True), (-1, True), (1, False)], 1, "geomspace"):
        expected = np.geomspace(np.abs(a), b, 4, endpoint=endpoint, axis=axis)
        result = lw.geomspace(lw.asarray(np.abs(a)), lw.asarray(b), 4, endpoint=endpoint, axis=axis)
        check(result, expected, lw.float64, ulps=16)
    with np.errstate(invalid="ignore"):
        result = lw.geomspace(lw.asarray(a[:, 0], dtype=lw.float32), 9, 3)
    check(result, [[1, np.nan], [3, np.nan], [9, np.nan]], lw.float32, ulps=16)
    check(lw.geomspace(-1, lw.asarray([-4, -16]), 2, dtype="int32"), [[-1, -1], [-4, -16]], lw.int32)
    z = np.complex64([1j, -2])
    check(lw.geomspace(1, lw.asarray(z), 3), np.geomspace(1, z, 3), lw.complex64, scale=1)


def test_stacks_of_identity_matrices(backend: str) -> None:
    check(lw.eye(2, 3, k=1, batch_shape=(2, 1)), np.broadcast_to(np.eye(2, 3, 1), (2, 1, 2, 3)), lw.float32)
    x = lw.eye(2, batch_shape=(3,), dtype=lw.int8)
    x[0, 0, 0] = 5
    check(x[1], np.eye(2), lw.int8)
    assert lw.eye(2, batch_shape=(0,)).shape == (0, 2, 2)
    assert lw.infer(lambda: lw.eye(2, batch_shape=(3,)), backend=backend).shape == (3, 2, 2)


def test_logic_of_numbers(backend: str) -> None:
    x, y = np.array([0, 2, 0, -1], np.int32), np.array([0.0, 0.0, 0.5, float("nan")], np.float32)
    for name in ("logical_and", "logical_or", "logical_xor"):
        f, expected = getattr(lw, name), getattr(np, name)(x, y)
        check(f(lw.asarray(x), lw.asarray(y)), expected, lw.bool)
        out = lw.zeros(4, dtype=lw.bool)
        assert f(lw.asarray(x), lw.asarray(y), out=out) is out
        check(out, expected, lw.bool)
        check(f(lw.asarray(x) != 0, lw.asarray(y) != 0), expected, lw.bool)
        if backend in ("numpy", "torch"):  # whose own take numbers: nothing is cast before
            assert " as bool" not in str(lw.plan(f, lw.asarray(x), lw.asarray(y)))
    out = lw.zeros(4, dtype=lw.bool)
    assert lw.logical_not(lw.asarray(y), out=out) is out
    check(out, np.logical_not(y), lw.bool)
    # NumPy's `where` is left out: it is this composition.
    mask = lw.asarray([True, False, True, True])
    result = lw.where(mask, lw.logical_and(lw.asarray(x), lw.asarray(y)), lw.zeros_like(mask))
    check(result, np.logical_and(x, y, where=np.asarray(mask), out=np.zeros(4, bool)), lw.bool)


def test_arrays_joined_clipped_and_reshaped(backend: str) -> None:
    x, y = values(lw.float32, (2, 3)), values(lw.float32, (2,), seed=1)
    check(lw.concat([lw.asarray(x), lw.asarray(y)], axis=None), np.concatenate([x, y], axis=None), lw.float32)
    for low, high in ((-1, None), (None, 1), (-1, 1), (None, None)):
        expected = x if low is high is None else np.clip(x, low, high)
        check(lw.clip(lw.asarray(x), low, high), expected, lw.float32)
    for order in ("C", "F"):
        given: Any = lw.asarray(x)
        check(lw.reshape(given, (3, 2), order=order), x.reshape((3, 2), order=order), lw.float32)
        check(lw.ravel(given, order=order), x.ravel(order), lw.float32)
        check(lw.flatten(given, order=order), x.flatten(order), lw.float32)


@pytest.mark.needs("torch")
@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_linear_is_torchs(data: st.DataObject) -> None:
    """With any number of axes in front, a weight that is a vector, and with a bias or none."""
    from torch.nn import functional

    front = data.draw(st.lists(st.integers(0, 3), max_size=3))
    n, m = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([None, 1, 3]))
    with_bias = m is not None and data.draw(st.booleans())
    x, weight = values(lw.float64, (*front, n)), values(lw.float64, (n,) if m is None else (m, n), seed=1)
    bias = [values(lw.float64, (m,), seed=2)] if with_bias and m else []
    expected = functional.linear(*map(torch.asarray, (x, weight, *bias)))
    for backend in ("numpy", "torch"):
        found = nn.linear(*(lw.asarray(a, backend=backend) for a in (x, weight, *bias)))
        check(found, expected.numpy(), lw.float64, ulps=16, scale=32)


@pytest.mark.needs("tensorflow")
@settings(max_examples=examples(30), deadline=None)
@given(st.data())
def test_scattering_over_several_dimensions_is_tensorflows(data: st.DataObject) -> None:
    import tensorflow as tf

    shape = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    k = data.draw(st.integers(1, len(shape)))
    places = np.array(
        data.draw(st.lists(st.tuples(*[st.integers(0, n - 1) for n in shape[:k]]), min_size=1, max_size=5)), np.int64
    )
    updates = values(lw.float32, (len(places), *shape[k:]))
    expected = tf.scatter_nd(places, updates, shape).numpy()
    for backend in ("numpy", "torch"):
        given = [lw.asarray(a, backend=backend) for a in (places, updates)]
        found = lw.scatter_nd(*given, tuple(shape))
        check(found, expected, lw.float32, scale=32)
        check(lw.gather_nd(found, given[0]), tf.gather_nd(expected, places).numpy(), lw.float32, scale=32)


#: neither, beta, threshold, both -> how many functions are called at most
SOFTPLUS: list[tuple[dict[str, float], int]] = [
    ({}, 1), ({"beta": 2.0}, 3), ({"threshold": 1.0}, 4), ({"beta": 2.0, "threshold": 1.0}, 6),
]  # fmt: skip


@pytest.mark.parametrize(("options", "most"), SOFTPLUS)
def test_softplus_calls_what_its_arguments_need(backend: str, options: dict[str, float], most: int) -> None:
    """Of ours, each of which is one of the framework's: on NumPy and Dask too, where nothing else counts calls."""
    x = lw.asarray(np.float32([-3, 0.25, 2]))
    nn.softplus(x, **options)
    called = -1  # the call itself, which is the first of these where it is no composition

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal called
        called += event == "call" and frame.f_code.co_filename.endswith("/engine/calls/dispatch.py")

    sys.setprofile(count)
    try:
        nn.softplus(x, **options)
    finally:
        sys.setprofile(None)
    assert max(called, 1) <= most


def weights_of(mode: str, n: int, out: int) -> np.ndarray:
    """What a framework's own function for one axis makes of each element: a matrix of shape (out, n)."""
    one = np.eye(n, dtype=np.float32)
    if mode in OF_TENSORFLOW:
        tf = pytest.importorskip("tensorflow")
        resized = tf.image.resize(one[:, :, None, None], (out, 1), OF_TENSORFLOW[mode])
        return resized.numpy()[:, :, 0, 0].T
    functional = pytest.importorskip("torch.nn.functional")
    flat = mode in ("nearest", "nearest-exact", "linear", "area")
    size, x = (out, one[:, None]) if flat else ((out, 1), one[:, None, :, None])
    return functional.interpolate(torch.asarray(x), size, mode=mode).numpy().reshape(n, out).T


#: mode -> TensorFlow's word for it; PyTorch has the others
OF_TENSORFLOW = {
    "gaussian": "gaussian", "mitchellcubic": "mitchellcubic", "lanczos3": "lanczos3", "lanczos5": "lanczos5",
    "area-exact": "area",
}  # fmt: skip
RESIZED = [
    (mode, n)
    for mode in (*OF_TENSORFLOW, "nearest", "nearest-exact", "linear", "bicubic", "area")
    for n in (1, 2, 3, 4)
]


def test_every_mode_in_any_number_of_dimensions(backend: str) -> None:
    before, after = (5, 4, 3, 2), (3, 7, 2, 4)
    for mode, n in sampled(RESIZED, 4, "modes"):
        x = values(lw.float32, (1, 2, *before[:n]))
        expected = x.astype(np.float64)
        for i in range(n):
            along = weights_of(mode, before[i], after[i]).astype(np.float64)
            expected = np.moveaxis(np.tensordot(along, expected, (1, 2 + i)), 0, 2 + i)
        check(nn.interpolate(lw.asarray(x), after[:n], mode=mode), expected, lw.float32, ulps=64, scale=8)


#: backend -> spatial axes, options, and whether the framework's own function computes it exactly
CHOSEN: dict[str, list[tuple[int, dict[str, Any], bool]]] = {
    "torch": [
        (1, {"mode": "nearest"}, True), (3, {"mode": "linear"}, True), (2, {"mode": "cubic"}, True),
        (2, {"mode": "area"}, True), (2, {"mode": "linear", "antialias": True}, True),
        (4, {"mode": "linear"}, False), (3, {"mode": "cubic"}, False), (2, {"mode": "gaussian"}, False),
        (2, {"mode": "mitchellcubic"}, False), (2, {"mode": "cubic", "coefficient": -0.5}, False),
    ],
    "jax": [  # every mode is one compiled program there
        (4, {"mode": "linear"}, True), (2, {"mode": "lanczos5"}, True), (2, {"mode": "cubic"}, True),
        (2, {"mode": "linear", "align_corners": True}, True), (2, {"mode": "gaussian"}, True),
    ],
    "tensorflow": [
        (2, {"mode": "gaussian"}, True), (2, {"mode": "mitchellcubic"}, True), (2, {"mode": "lanczos3"}, True),
        (2, {"mode": "cubic", "antialias": True}, True), (3, {"mode": "gaussian"}, False),
        (2, {"mode": "nearest"}, False), (2, {"mode": "cubic"}, False), (1, {"mode": "linear"}, False),
    ],
}  # fmt: skip


def test_interpolation_is_native_where_that_is_exact(backend: str) -> None:
    for n, options, native in CHOSEN.get(backend, []):
        x = lw.ones((1, 1, *(6, 5, 4, 3)[:n]))
        plan = lw.plan(nn.interpolate, x, (3, 4, 5, 6)[:n], **options)
        assert plan.how == ("native" if native else "composed"), (n, options)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_both_directions_of_derivatives_are_one_mathematics(backend: str) -> None:
    if backend not in ("torch", "jax", "tensorflow"):
        pytest.skip("it has no derivatives")
    x = lw.asarray([0.5, 2.0])
    check(lw.jacfwd(lw.sin)(x), np.asarray(lw.jacrev(lw.sin)(x)), lw.float32)


def test_arguments_that_are_no_mathematics_are_left_out() -> None:
    x = lw.zeros((2, 2))
    for call in (
        lambda: lw.concat([x], dim=0), lambda: lw.concat([x], name="a"), lambda: lw.astype(x, lw.int32, subok=True),
        lambda: lw.logical_and(x, x, where=x),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call()


#: Arguments that frameworks have besides mathematics, and other words for those that are.
NO_MATHEMATICS = {
    "name", "subok", "precision", "dim", "dims", "keepdim", "casting", "like", "requires_grad", "memory_format",
    "preferred_element_type", "input", "a", "ddof",
}  # fmt: skip
#: In what order elements are read is mathematics in these alone.
WITH_ORDER = {"reshape", "ravel", "flatten", "unravel_index", "ravel_multi_index"}


def test_no_function_has_an_argument_that_is_no_mathematics() -> None:
    load()
    public = {n: {*inspect.signature(o.function).parameters} for n, o in OPS.items() if "._" not in f".{n}"}
    assert len(public) > 500
    assert {n for n, parameters in public.items() if "order" in parameters} == WITH_ORDER
    taken = {n: parameters & NO_MATHEMATICS for n, parameters in public.items() if parameters & NO_MATHEMATICS}
    assert {n for n, words in taken.items() if words != {"a"}} == set()
    assert all(public[n] >= {"a", "b"} or n.rpartition(".")[2] in PARAMETER_A for n in taken)


#: Distributions and functions that call a parameter a in every book.
PARAMETER_A = {"gamma", "loggamma", "gammainc", "gammaincc"}
