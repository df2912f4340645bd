"""Resampling, against PyTorch's, JAX's, TensorFlow's and SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import due, examples, sampled
from hypothesis import given, settings
from hypothesis import strategies as st
from support import check, dtypes, imported, values

import latticework as lw
from latticework import nn
from latticework.core.registry import OPS

torch, functional = imported("torch"), imported("torch.nn.functional")

FLOATS = dtypes("real floating")
LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}

#: Spatial axes and options that PyTorch takes: its words are among ours.
OF_TORCH: list[tuple[int, dict[str, Any]]] = [
    (2, {"size": (9, 3), "mode": "bicubic"}),
    (2, {"size": (9, 3), "mode": "nearest"}),
    (1, {"size": 11, "mode": "nearest-exact"}),
    (2, {"size": (9, 3), "mode": "bilinear"}),
    (2, {"size": (9, 3), "mode": "bilinear", "align_corners": True}),
    (3, {"size": (3, 7, 8), "mode": "trilinear"}),
    (1, {"scale_factor": 1.7, "mode": "linear"}),
    (1, {"scale_factor": 1.7, "mode": "linear", "recompute_scale_factor": True}),
    (2, {"size": (5, 4), "mode": "area"}),
    (2, {"size": (9, 3), "mode": "bicubic", "align_corners": True}),
    (2, {"size": (3, 4), "mode": "bilinear", "antialias": True}),
    (2, {"size": (3, 9), "mode": "bicubic", "antialias": True}),
]
OURS = {"scale_factor": "scale", "recompute_scale_factor": "recompute"}


def precise(x: np.ndarray) -> torch.Tensor:
    return torch.asarray(x.astype(np.float64))


def data(n: int, dtype: lw.Dtype = lw.float32) -> np.ndarray:
    return values(dtype, (2, 3, *(7, 6, 5)[:n]))


@pytest.mark.parametrize("case", range(len(OF_TORCH)))
def test_as_torch(backend: str, case: int) -> None:
    n, options = OF_TORCH[case]
    named = {OURS.get(key, key): value for key, value in options.items()}
    for dtype in due(FLOATS, "nn.interpolate") if case in (0, 1, 3) else [lw.float32]:
        x = data(n, dtype)
        want = functional.interpolate(precise(x), **options).numpy()
        check(nn.interpolate(lw.asarray(x), **named), want, dtype, ulps=8, scale=8)
        body = OPS["nn.interpolate"].body
        assert body is not None
        if dtype is lw.float32 and case % 3 == 0:
            check(body(lw.asarray(x), **named), want, dtype, ulps=8, scale=8)
            last = nn.interpolate(lw.asarray(np.moveaxis(x, 1, -1)), **named, layout="channels_last")
            check(last, np.moveaxis(want, 1, -1), dtype, ulps=8, scale=8)


def test_as_jax(backend: str) -> None:
    """With four spatial axes, too."""
    jax = pytest.importorskip("jax")
    keys = {"border": "renormalize", "coefficient": -0.5}
    for shape, size, method, antialias, more in sampled(
        [
            ((1, 2, 7, 6), (4, 9), "linear", True, {}),
            ((1, 2, 7, 6), (4, 9), "cubic", True, {}),
            ((1, 2, 7, 6), (4, 9), "cubic", False, keys),
            ((1, 2, 7, 6), (4, 9), "lanczos3", True, {}),
            ((1, 2, 12), (17,), "lanczos5", False, {}),
            ((1, 2, 3, 4, 5, 3), (4, 3, 7, 2), "linear", True, {}),
        ],
        3,
        "as jax",
    ):
        x = values(lw.float32, shape)
        want = jax.image.resize(x, (*shape[:2], *size), method, antialias=antialias)
        result = nn.interpolate(lw.asarray(x), size, mode=method, antialias=antialias, **more)
        check(result, np.asarray(want), lw.float32, ulps=16, scale=8)
    x = data(2)
    want = jax.image.resize(x, (2, 3, 9, 4), "nearest")
    check(nn.interpolate(lw.asarray(x), (9, 4), mode="nearest-exact"), np.asarray(want), lw.float32)


def test_as_tensorflow(backend: str) -> None:
    tf = pytest.importorskip("tensorflow")
    x = data(2)
    for mode, method, antialias, more in sampled(
        [
            ("gaussian", "gaussian", False, {}),
            ("gaussian", "gaussian", True, {}),
            ("mitchellcubic", "mitchellcubic", True, {}),
            ("mitchellcubic", "mitchellcubic", False, {}),
            ("lanczos3", "lanczos3", True, {}),
            ("lanczos5", "lanczos5", False, {}),
            ("area-exact", "area", False, {}),
            ("cubic", "bicubic", True, {}),
            ("linear", "bilinear", True, {}),
            ("nearest-exact", "nearest", False, {}),
        ],
        4,
        "as tensorflow",
    ):
        want = tf.image.resize(np.moveaxis(x, 1, -1), (5, 9), method, antialias=antialias).numpy()
        result = nn.interpolate(lw.asarray(x), (5, 9), mode=mode, antialias=antialias, **more)
        check(result, np.moveaxis(want, -1, 1), lw.float32, ulps=32, scale=8)
    want = tf.image.resize(np.moveaxis(x, 1, -1), (4, 9), "bicubic").numpy()  # of a table of 1024 numbers
    result = nn.interpolate(lw.asarray(x), (4, 9), mode="cubic", coefficient=-0.5, border="renormalize")
    check(result, np.moveaxis(want, -1, 1), lw.float32, ulps=2**14, scale=8)


def test_as_scipy(backend: str) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    x = data(2)
    want = ndimage.zoom(x.astype(float), (1, 1, 10 / 7, 4 / 6), order=1)
    check(nn.interpolate(lw.asarray(x), (10, 4), mode="linear", align_corners=True), want, lw.float32, ulps=16, scale=8)


@pytest.mark.needs("jax")
def test_jax_has_no_matrix_of_all_weights() -> None:
    """Few operations for each element of the result, however long the axis is."""
    import jax

    with lw.using(backend="jax"):
        for mode in ("linear", "cubic"):
            f = jax.jit(lambda x, mode=mode: nn.interpolate(lw.asarray(x), 4096, mode=mode).data)
            cost = f.lower(jax.ShapeDtypeStruct((1, 1, 2048), np.float32)).cost_analysis()
            assert cost["flops"] < 256 * 4096, cost["flops"]


def test_what_is_not_resized_stays(backend: str) -> None:
    x = lw.asarray([[[1.0, np.inf, np.nan]]])
    for mode in ("nearest", "nearest-exact"):
        check(nn.interpolate(x, 3, mode=mode), [[[1, np.inf, np.nan]]], lw.float32)
    check(nn.interpolate(lw.asarray([[[1, 2]]]), 4), [[[1, 1, 2, 2]]], lw.float32)


def test_options_that_do_not_fit(backend: str) -> None:
    x = lw.ones((1, 1, 4, 4))
    for options, words in [
        ({}, "interpolate: give size or scale, and not both; got size=None, scale=None"),
        ({"size": 3, "scale": 2}, "interpolate: give size or scale, and not both"),
        ({"size": (1, 2, 3)}, "interpolate: size must have one number for each of 2 spatial axes"),
        ({"size": 0}, r"interpolate: the result must have elements; it would have spatial axes \(0, 0\)"),
        ({"size": 3, "mode": "spline"}, "mode"),
        ({"size": 3, "antialias": True}, "antialias is for modes with a kernel"),
        ({"size": 3, "mode": "linear", "coefficient": -0.5}, "coefficient is for mode='cubic'"),
    ]:
        with pytest.raises(ValueError, match=words):
            nn.interpolate(x, **options)


def test_shapes_without_data() -> None:
    x = lw.spec((None, 3, None, 8), "float32")
    assert lw.infer(nn.interpolate, x, scale=1.5).shape == (None, 3, None, 12)
    assert lw.infer(nn.interpolate, x, (5, 7)).shape == (None, 3, 5, 7)


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_against_torch_over_extents(given_data: st.DataObject) -> None:
    n = given_data.draw(st.integers(1, 3))
    mode = given_data.draw(st.sampled_from(["nearest", "nearest-exact", LINEAR[n], "area"]))
    extents = st.tuples(*[st.integers(1, 9)] * n)
    x, size = values(lw.float64, (1, 2, *given_data.draw(extents))), given_data.draw(extents)
    want = functional.interpolate(precise(x), size, mode=mode).numpy()
    for backend in ("numpy", "torch"):
        check(nn.interpolate(lw.asarray(x, backend=backend), size, mode=mode), want, lw.float64, ulps=64, scale=8)


@pytest.mark.needs("jax", "tensorflow")
def test_gradients_agree() -> None:
    """On JAX and TensorFlow as on PyTorch."""
    import jax
    import tensorflow as tf

    x = values(lw.float32, (2, 2, 5, 4))
    for options in [
        {"size": (7, 3), "mode": "bilinear"},
        {"size": (7, 3), "mode": "bicubic"},
        {"size": (3, 3), "mode": "bicubic", "antialias": True},
    ]:

        def loss(x: Any, options: dict[str, Any] = options) -> Any:
            y = nn.interpolate(lw.asarray(x), **options)
            return lw.sum(y * y).data

        t = torch.asarray(x).requires_grad_()
        y = functional.interpolate(t, **options)
        (y * y).sum().backward()
        variable = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(variable)
            total = loss(variable)
        for found in (tape.gradient(total, variable), jax.jit(jax.grad(loss))(jax.numpy.asarray(x))):
            np.testing.assert_allclose(np.asarray(found), t.grad, rtol=1e-4, atol=1e-4)


# --- patches ----------------------------------------------------------------------------------------------------------


def test_patches(backend: str) -> None:
    for dtype in due(FLOATS, "nn.unfold"):
        x = data(2, dtype)
        for kernel, options in [(2, {}), ((3, 2), {"dilation": 2, "padding": (2, 1), "stride": (1, 2)})]:
            columns = functional.unfold(precise(x), kernel, **options)
            check(nn.unfold(lw.asarray(x), kernel, **options), columns.numpy(), dtype)
            small = lw.asarray(columns.numpy().astype(x.dtype))
            image = functional.fold(columns, (7, 6), kernel, **options).numpy()
            check(nn.fold(small, (7, 6), kernel, **options), image, dtype, scale=64)
            if dtype is lw.float32:
                body = OPS["nn.fold"].body
                assert body is not None
                check(body(small, (7, 6), kernel, **options), image, dtype, scale=64)
    whole = lw.asarray(np.arange(24, dtype=np.int32).reshape(1, 2, 3, 2, 2))
    assert nn.unfold(whole, (2, 1, 2)).shape == (1, 8, 4)
    again = nn.fold(nn.unfold(whole, (2, 1, 1)), (3, 2, 2), (2, 1, 1))
    check(again, np.arange(24).reshape(1, 2, 3, 2, 2) * np.array([1, 2, 1])[:, None, None], lw.int32)
    with pytest.raises(ValueError, match="fold: x must have a multiple of 4 rows and 4 columns"):
        nn.fold(lw.ones((1, 4, 3)), (3, 3), 2)


def test_shuffled_pixels(backend: str) -> None:
    x = values(lw.float32, (2, 8, 3, 2))
    check(nn.pixel_shuffle(lw.asarray(x), 2), functional.pixel_shuffle(precise(x), 2).numpy(), lw.float32)
    x = values(lw.float32, (3, 4, 6))
    check(nn.pixel_unshuffle(lw.asarray(x), 2), functional.pixel_unshuffle(precise(x), 2).numpy(), lw.float32)
    with pytest.raises(ValueError, match=r"pixel_shuffle: the channels, 3, must be a multiple of 2 \*\* 2"):
        nn.pixel_shuffle(lw.asarray(x), 2)
    with pytest.raises(ValueError, match=r"pixel_unshuffle: height and width, \(4, 6\), must be multiples of 4"):
        nn.pixel_unshuffle(lw.asarray(x), 4)


# --- elements at any place --------------------------------------------------------------------------------------------


def test_affine_grid(backend: str) -> None:
    for size, corners in [((2, 1, 3, 4), False), ((2, 1, 3, 4), True), ((2, 1, 2, 1, 3), False)]:
        theta = values(lw.float32, (2, len(size) - 2, len(size) - 1))
        want = functional.affine_grid(precise(theta), list(size), align_corners=corners).numpy()
        check(nn.affine_grid(lw.asarray(theta), size, align_corners=corners), want, lw.float32, scale=8)
    with pytest.raises(ValueError, match=r"affine_grid: theta must have shape \(1, 2, 3\); got \(2, 2, 3\)"):
        nn.affine_grid(lw.ones((2, 2, 3)), (1, 1, 4, 4))


def test_grid_sample(backend: str) -> None:
    rng = np.random.default_rng(0)
    cases = [
        (2, mode, padding, corners)
        for mode in ("bilinear", "nearest", "bicubic")
        for padding in ("zeros", "border", "reflection")
        for corners in (False, True)
    ]
    body = OPS["nn.grid_sample"].body
    assert body is not None
    for n, mode, padding, corners in [*sampled(cases, 4, "grids"), (3, "bilinear", "zeros", False)]:
        x = data(n)
        grid = rng.uniform(-1.6, 1.6, (2, *(4, 3, 2)[:n], n)).astype(np.float32)
        options: dict[str, Any] = {"mode": mode, "padding_mode": padding, "align_corners": corners}
        want = functional.grid_sample(precise(x), precise(grid), **options).numpy()
        check(nn.grid_sample(lw.asarray(x), lw.asarray(grid), **options), want, lw.float32, ulps=64, scale=16)
        if backend == "torch":
            check(body(lw.asarray(x), lw.asarray(grid), **options), want, lw.float32, ulps=64, scale=16)
    with pytest.raises(ValueError, match=r"grid_sample: grid must have shape \(batch, \*2 spatial axes, 2\)"):
        nn.grid_sample(lw.ones((1, 1, 3, 3)), lw.ones((1, 2, 2, 3)))


def test_a_plan_takes_options_by_position(backend: str) -> None:
    """A predicate gets them by name, as the function does."""
    x = lw.ones((1, 1, 4, 4))
    assert lw.plan(lw.nn.interpolate, x, (2, 2)).shapes == ((1, 1, 2, 2),)
