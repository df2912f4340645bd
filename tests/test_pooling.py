"""Pooling, against PyTorch's in double precision and against TensorFlow's padding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import drawn, due, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import check, dtypes, imported, values

import latticework as lw
from latticework import nn
from latticework.core.registry import OPS
from latticework.engine.shapes.windows import windows

torch, functional = imported("torch"), imported("torch.nn.functional")

LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
#: Spatial axes, the kernel and options that PyTorch takes as they are.
OPTIONS: list[tuple[int, Any, dict[str, Any]]] = [
    (2, 3, {"stride": 2, "padding": 1, "ceil_mode": True}),
    (2, (3, 2), {}),
    (1, 3, {"stride": 2}),
    (2, 2, {"stride": (1, 2), "padding": (1, 0)}),
    (3, 2, {"stride": 1, "padding": 1}),
    (1, 2, {"stride": 3, "padding": 1, "ceil_mode": True}),
]


def precise(x: np.ndarray) -> torch.Tensor:
    return torch.asarray(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64))


def data(n: int, dtype: lw.Dtype) -> np.ndarray:
    return values(dtype, (2, 3, *(7, 6, 5)[:n]), low=-9, high=9)


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_pooling(backend: str, kind: str) -> None:
    for case, (n, kernel, options) in enumerate(OPTIONS):
        name = f"{kind}_pool{n}d"
        f, reference = getattr(nn, name), getattr(functional, name)
        family = "real numeric" if kind == "max" else "real floating"
        for dtype in due(dtypes(family), f"nn.{name}") if case in (0, 2, 4) else [lw.float32]:
            x = data(n, dtype)
            check(
                f(lw.asarray(x), kernel, **options), reference(precise(x), kernel, **options).numpy(), dtype, scale=16
            )
        x = data(n, lw.float32)
        want = reference(precise(x), kernel, **options).numpy()
        last = f(lw.asarray(np.moveaxis(x, 1, -1)), kernel, layout=LAST[n], **options)
        check(last, np.moveaxis(want, 1, -1), lw.float32, scale=16)
        if case == 1:
            check(f(lw.asarray(x[0]), kernel, **options), want[0], lw.float32, scale=16)


def test_means_without_the_padding(backend: str) -> None:
    for n, kernel, options in drawn([o for o in OPTIONS if "padding" in o[2]], "without padding"):
        x = data(n, lw.float32)
        f, reference = getattr(nn, f"avg_pool{n}d"), getattr(functional, f"avg_pool{n}d")
        want = reference(precise(x), kernel, count_include_pad=False, **options).numpy()
        check(f(lw.asarray(x), kernel, count_include_pad=False, **options), want, lw.float32, scale=16)


def test_padding_as_tensorflow_has_it(backend: str) -> None:
    tf = pytest.importorskip("tensorflow")
    x = data(2, lw.float32)
    last = np.moveaxis(x, 1, -1)
    for name, theirs in (("max_pool2d", tf.nn.max_pool), ("avg_pool2d", tf.nn.avg_pool)):
        more = {} if name == "max_pool2d" else {"count_include_pad": False}
        result = getattr(nn, name)(lw.asarray(last), (2, 3), stride=2, padding="same", layout="NHWC", **more)
        check(result, theirs(last, (2, 3), 2, "SAME").numpy(), lw.float32, scale=16)


def test_pairs_of_padding_and_dilation(backend: str) -> None:
    x = data(2, lw.float32)
    around = functional.pad(precise(x), (0, 1, 1, 0), value=-np.inf)
    want = functional.max_pool2d(around, 2, stride=1, dilation=2).numpy()
    pads = [(1, 0), (0, 1)]
    check(nn.max_pool2d(lw.asarray(x), 2, stride=1, padding=pads, dilation=2), want, lw.float32, scale=16)
    zeros = functional.pad(precise(x), (0, 1, 1, 0))
    want = sum(zeros[..., i : i + 6, j : j + 5] for i in (0, 2) for j in (0, 2)).numpy() / 4
    check(nn.avg_pool2d(lw.asarray(x), 2, stride=1, padding=pads, dilation=2), want, lw.float32, scale=16)


def test_compositions_are_the_functions(backend: str) -> None:
    """What a backend without a kernel computes."""
    for n, kernel, options in drawn(OPTIONS, "compositions"):
        x = data(n, lw.float32)
        for name in (f"max_pool{n}d", f"avg_pool{n}d"):
            body = OPS[f"nn.{name}"].body
            assert body is not None
            want = getattr(functional, name)(precise(x), kernel, **options).numpy()
            check(body(lw.asarray(x), kernel, **options), want, lw.float32, scale=16)


def test_nan_and_infinities(backend: str) -> None:
    x = lw.asarray([[1.0, np.nan, 2.0, -np.inf, -np.inf, np.inf]])
    low = lw.finfo(lw.float32).min
    known = backend == "tensorflow"  # see deviations
    check(nn.max_pool1d(x, 2), [[np.nan, 2, np.inf]], lw.float32, scale=16)
    check(nn.avg_pool1d(x, 2), [[np.nan, -np.inf, np.nan]], lw.float32, scale=16)
    check(nn.max_pool1d(lw.asarray([[-np.inf, -np.inf]]), 2), [[low if known else -np.inf]], lw.float32, scale=16)


@pytest.mark.parametrize("kind", ["avg", "max"])
def test_adaptive_pooling(backend: str, kind: str) -> None:
    name = f"adaptive_{kind}_pool2d"
    f, reference = getattr(nn, name), getattr(functional, name)
    for size in [(3, 2), 4, (None, 4), (1, 1), (9, 8)]:
        x = data(2, lw.float32)
        check(f(lw.asarray(x), size), reference(precise(x), size).numpy(), lw.float32, scale=16)
    for dtype in due(dtypes("real numeric" if kind == "max" else "real floating"), f"nn.{name}"):
        x = data(2, dtype)
        check(f(lw.asarray(x), (3, 2)), reference(precise(x), (3, 2)).numpy(), dtype, scale=16)
    want = np.moveaxis(reference(precise(x), 3).numpy(), 1, -1)
    check(f(lw.asarray(np.moveaxis(x, 1, -1)), 3, layout="NHWC"), want, dtype, scale=16)


def test_blocks_of_an_image_are_pooled_by_themselves() -> None:
    """On Dask: each block with what its windows read of the next ones."""
    da = pytest.importorskip("dask.array")
    image = values(lw.float32, (2, 3, 9, 7))
    x = lw.asarray(da.from_array(image, chunks=((1, 1), (3,), (4, 4, 1), (2, 5))))
    for options in ({}, {"stride": 1, "padding": 1}, {"stride": (3, 1), "padding": "same"}):
        for f, kernel in ((nn.max_pool2d, (2, 3)), (nn.avg_pool2d, (3, 2))):
            y = f(x, kernel, **options)
            check(y, np.asarray(f(lw.asarray(image), kernel, **options)), lw.float32)
            assert len(y.data.chunks[2]) > 1
    y = nn.avg_pool2d(x, 2, padding=1, count_include_pad=False)
    check(y, np.asarray(nn.avg_pool2d(lw.asarray(image), 2, padding=1, count_include_pad=False)), lw.float32)
    y = nn.max_pool2d(x, 2, ceil_mode=True)
    check(y, np.asarray(nn.max_pool2d(lw.asarray(image), 2, ceil_mode=True)), lw.float32)


def test_norms_of_windows(backend: str) -> None:
    x = data(2, lw.float32)
    for norm, kernel, options in [(2, 2, {}), (3.0, (3, 2), {"stride": 2, "ceil_mode": True})]:
        with np.errstate(invalid="ignore"):
            want = functional.lp_pool2d(precise(np.abs(x)), norm, kernel, **options).numpy()
            check(nn.lp_pool2d(lw.asarray(np.abs(x)), norm, kernel, **options), want, lw.float32, ulps=32)
    greatest = functional.max_pool2d(precise(x), 2).numpy()
    check(nn.lp_pool2d(lw.asarray(x), float("inf"), 2), greatest, lw.float32, scale=16)


def test_indices_and_the_way_back(backend: str) -> None:
    for kernel, options in [(2, {}), (3, {"stride": 2, "padding": 1})]:
        x = values(lw.float32, (2, 3, 8, 6), low=-99, high=99)
        want, places = functional.max_pool2d_with_indices(precise(x), kernel, **options)
        result, indices = nn.max_pool2d_with_indices(lw.asarray(x), kernel, **options)
        check(result, want.numpy(), lw.float32, scale=16)
        np.testing.assert_array_equal(np.asarray(lw.asarray(indices, backend="numpy")), places.numpy())
    back = functional.max_unpool2d(want, places, kernel, **options, output_size=(8, 6)).numpy()
    for dtype in due([lw.float32, lw.int32], "nn.max_unpool2d"):
        again = lw.asarray(want.numpy().astype("float32" if dtype is lw.float32 else "int32"))
        result = nn.max_unpool2d(again, lw.asarray(places.numpy()), kernel, **options, output_size=(8, 6))
        check(result, back if dtype is lw.float32 else back.astype("int32"), dtype, scale=16)


def test_options_that_do_not_fit(backend: str) -> None:
    x = lw.ones((1, 1, 4, 4))
    for f, args, options, words in [
        (nn.max_pool2d, (5,), {}, r"max_pool2d: a window must not be larger than the padded array: it spans \(5, 5\)"),
        (nn.avg_pool2d, (2,), {"padding": 2}, "avg_pool2d: padding must be less than the window"),
        (nn.max_pool2d, (2,), {"padding": (0, 2)}, "max_pool2d: padding must be less than the window"),
        (nn.lp_pool1d, (2, 2), {"padding": 2}, "lp_pool1d: x must have 3 axes"),
        (nn.lp_pool2d, (2, 2), {"padding": 2}, "lp_pool2d: padding must be less than the window"),
        (nn.max_pool2d, ((2, 2, 2),), {}, "max_pool2d: kernel_size must have one int for each of 2 spatial axes"),
        (nn.max_pool1d, (2,), {}, r"max_pool1d: x must have 3 axes, or 2 without a batch, for 1 spatial ones; got \(1"),
        (nn.adaptive_avg_pool2d, (0,), {}, "adaptive_avg_pool2d: output_size must be at least 1; got 0"),
        (nn.adaptive_max_pool2d, ((1, 2, 3),), {}, "adaptive_max_pool2d: output_size must have one int for each of 2"),
    ]:
        with pytest.raises(ValueError, match=words):
            f(x, *args, **options)
    with pytest.raises(ValueError, match="max_unpool2d: indices must have the shape of x"):
        nn.max_unpool2d(x, lw.zeros((1, 1, 4, 3), dtype=lw.int64), 2)


def test_shapes_without_data() -> None:
    x = lw.spec((None, 3, None, 8), "float32")
    assert lw.infer(nn.max_pool2d, x, 3).shape == (None, 3, None, 2)
    assert lw.infer(nn.adaptive_avg_pool2d, x, (5, None)).shape == (None, 3, 5, 8)


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_against_torch_over_options(given_data: st.DataObject) -> None:
    n, kernel = given_data.draw(st.integers(1, 3)), given_data.draw(st.integers(1, 4))
    options: dict[str, Any] = {
        "stride": given_data.draw(st.none() | st.integers(1, 4)),
        "padding": given_data.draw(st.integers(0, kernel // 2)),
        "ceil_mode": given_data.draw(st.booleans()),
    }
    x = values(lw.float64, (1, 2, *given_data.draw(st.tuples(*[st.integers(4, 8)] * n))))
    for name, more in (("max", {}), ("avg", {"count_include_pad": given_data.draw(st.booleans())})):
        want = getattr(functional, f"{name}_pool{n}d")(precise(x), kernel, **options, **more).numpy()
        f = getattr(nn, f"{name}_pool{n}d")
        check(f(lw.asarray(x, backend="numpy"), kernel, **options, **more), want, lw.float64, scale=16)
        body = OPS[f"nn.{name}_pool{n}d"].body
        assert body is not None
        check(body(lw.asarray(x, backend="numpy"), kernel, **options, **more), want, lw.float64, scale=16)


@pytest.mark.needs("jax", "tensorflow")
def test_gradients_agree() -> None:
    """On JAX and TensorFlow as on PyTorch."""
    import jax
    import tensorflow as tf

    x = np.random.default_rng(0).permutation(2 * 2 * 7 * 6).reshape(2, 2, 7, 6).astype(np.float32)
    for name, args, options in [
        ("max_pool2d", (3,), {"stride": 2, "padding": 1}),
        ("avg_pool2d", (3,), {"stride": 2, "padding": 1, "ceil_mode": True}),
        ("adaptive_avg_pool2d", ((3, 4),), {}),
    ]:
        f = getattr(nn, name)

        def loss(x: Any, f: Any = f, args: Any = args, options: Any = options) -> Any:
            y = f(lw.asarray(x), *args, **options)
            return lw.sum(y * y).data

        t = torch.asarray(x).requires_grad_()
        y = getattr(functional, name)(t, *args, **options)
        (y * y).sum().backward()
        variable = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(variable)
            total = loss(variable)
        for found in (tape.gradient(total, variable), jax.jit(jax.grad(loss))(jax.numpy.asarray(x))):
            np.testing.assert_allclose(np.asarray(found), t.grad, rtol=1e-5)


# --- what PyTorch's own pooling does not take ------------------------------------------------------------------------

#: Spatial axes, the kernel and options with padding beyond half of the window, or with gaps.
WIDE: list[tuple[int, Any, dict[str, Any]]] = [
    (1, 3, {"padding": 2}), (1, 4, {"padding": [(3, 1)], "stride": 2}), (2, 2, {"padding": 1, "dilation": 2}),
    (2, (3, 4), {"padding": (2, 3), "stride": (1, 2)}), (2, 3, {"padding": 2, "ceil_mode": True, "stride": 2}),
    (3, 2, {"padding": [(1, 0), (0, 1), (1, 1)], "stride": 1}), (2, 2, {"padding": 2, "dilation": 2}),
]  # fmt: skip


def in_each_window(x: np.ndarray, kernel: Any, fill: float, options: dict[str, Any], take: Any) -> np.ndarray:
    """What a function makes of the elements of each window and of which of them are no padding: by loops, in NumPy."""
    w = windows(
        x.shape[2:], kernel, options.get("stride", kernel), options.get("padding", 0), options.get("dilation", 1),
        options.get("ceil_mode", False),
    )  # fmt: skip
    wide = np.pad(x, ((0, 0), (0, 0), *w.around), constant_values=fill)
    own = np.pad(np.ones(x.shape, bool), ((0, 0), (0, 0), *w.around))
    counted = np.pad(np.ones(x.shape, bool), ((0, 0), (0, 0), *w.padding), constant_values=True)
    counted = np.pad(counted, ((0, 0), (0, 0), *[(0, more) for more in w.extra]))
    result = np.empty((*x.shape[:2], *w.out))
    for at in np.ndindex(*w.out):
        key = tuple(
            slice(i * s, i * s + (k - 1) * d + 1, d)
            for i, s, k, d in zip(at, w.stride, w.kernel, w.dilation, strict=True)
        )
        parts = [a[(slice(None), slice(None), *key)].reshape(*x.shape[:2], -1) for a in (wide, own, counted)]
        result[(slice(None), slice(None), *at)] = take(*parts)
    return result


@pytest.mark.parametrize("case", range(len(WIDE)))
def test_padding_beyond_half_of_the_window(backend: str, case: int) -> None:
    n, kernel, options = WIDE[case]
    x = data(n, lw.float64)
    greatest = in_each_window(x, kernel, -np.inf, options, lambda e, own, _: np.where(own, e, -np.inf).max(-1))
    check(getattr(nn, f"max_pool{n}d")(lw.asarray(x), kernel, **options), greatest, lw.float64)
    for include in (True, False):
        want = in_each_window(
            x, kernel, 0.0, options, lambda e, own, all_, i=include: e.sum(-1) / (all_ if i else own).sum(-1)
        )
        got = getattr(nn, f"avg_pool{n}d")(lw.asarray(x), kernel, count_include_pad=include, **options)
        check(got, want, lw.float64, scale=16)
    last = getattr(nn, f"max_pool{n}d")(lw.asarray(np.moveaxis(x, 1, -1)), kernel, layout=LAST[n], **options)
    check(last, np.moveaxis(greatest, 1, -1), lw.float64)


def test_padding_beyond_half_as_tensorflow_has_it() -> None:
    tf = pytest.importorskip("tensorflow")
    x = data(2, lw.float32)
    last = np.moveaxis(x, 1, -1)
    pads = [(2, 2), (1, 2)]
    want = tf.nn.max_pool(last, 3, 1, [[0, 0], *map(list, pads), [0, 0]]).numpy()
    check(nn.max_pool2d(lw.asarray(last), 3, stride=1, padding=pads, layout="NHWC"), want, lw.float32)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_norms_of_windows_over_any_number_of_axes(backend: str, n: int) -> None:
    f, reference = getattr(nn, f"lp_pool{n}d"), getattr(functional, f"lp_pool{n}d")
    x = np.abs(data(n, lw.float64)) + 0.5
    for norm, kernel, options in [(2, 2, {}), (3.0, 3, {"stride": 2, "ceil_mode": True}), (1, 2, {"stride": 1})]:
        want = reference(precise(x), norm, kernel, **options).numpy()
        check(f(lw.asarray(x), norm, kernel, **options), want, lw.float64, ulps=64)
    last = f(lw.asarray(np.moveaxis(x, 1, -1)), 2, 2, layout=LAST[n])
    check(last, np.moveaxis(reference(precise(x), 2, 2).numpy(), 1, -1), lw.float64, ulps=64)
    for _, kernel, options in [case for case in WIDE if case[0] == n and "ceil_mode" not in case[2]]:
        want = in_each_window(x, kernel, 0.0, options, lambda e, *_: (e**3.0).sum(-1) ** (1 / 3))
        check(f(lw.asarray(x), 3, kernel, **options), want, lw.float64, ulps=64)
    greatest = getattr(nn, f"max_pool{n}d")(lw.asarray(x), 2, padding=1, dilation=2)
    check(f(lw.asarray(x), float("inf"), 2, padding=1, dilation=2), np.asarray(greatest), lw.float64)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_places_over_any_number_of_axes(backend: str, n: int) -> None:
    f, reference = getattr(nn, f"max_pool{n}d_with_indices"), getattr(functional, f"max_pool{n}d_with_indices")
    for dtype in (lw.float32, lw.int32, lw.uint16):
        x = values(dtype, (2, 3, *(9, 6, 5)[:n]), low=0, high=9)  # many are equal: the first counts
        for kernel, options in [(2, {}), (3, {"stride": 2, "padding": 1}), (2, {"stride": 1, "dilation": 2})]:
            want, places = reference(precise(x), kernel, **options)
            result, indices = f(lw.asarray(x), kernel, **options)
            check(result, want.numpy(), dtype)
            check(indices, places.numpy(), lw.int64)
        alone, at = f(lw.asarray(x[0]), 2)
        check(alone, reference(precise(x), 2)[0].numpy()[0], dtype)
        check(at, reference(precise(x), 2)[1].numpy()[0], lw.int64)
    x = values(lw.float32, (1, 2, *(9, 6, 5)[:n]), low=-99, high=99)
    result, indices = f(lw.asarray(x), 3, stride=1, padding=2)
    flat = np.asarray(lw.asarray(indices, backend="numpy")).reshape(2, -1)
    check(result, np.take_along_axis(x.reshape(2, -1), flat, 1).reshape(result.shape), lw.float32)
    assert lw.infer(f, lw.spec((None, 3, 8, 8, 8)[: n + 2], "float16"), 2)[1].dtype is lw.int64


@pytest.mark.parametrize(
    "backend_with_gradients",
    [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("torch", "jax", "tensorflow")],
)
def test_gradients_of_what_is_new_agree(backend_with_gradients: str) -> None:
    x = np.random.default_rng(0).permutation(2 * 2 * 8).reshape(2, 2, 8).astype(np.float64) + 1

    def derivative(f: Any, x: np.ndarray) -> np.ndarray:
        step, result = 1e-4, np.empty(x.shape)
        for at in np.ndindex(*x.shape):
            moved = [x.copy(), x.copy()]
            moved[0][at] += step
            moved[1][at] -= step
            with lw.using(backend="numpy"):
                up, down = (float(f(lw.asarray(m))) for m in moved)
            result[at] = (up - down) / (2 * step)
        return result

    slopes = np.asarray([[0.5], [0.25]])
    for f in (
        lambda x: lw.sum(nn.lp_pool1d(x, 3, 3, padding=1, stride=2)),
        lambda x: lw.sum(nn.lp_pool1d(x, 2, 2, dilation=2) ** 2),
        lambda x: lw.sum(nn.avg_pool1d(x, 3, padding=2, count_include_pad=False) ** 2),
        lambda x: lw.sum(nn.max_pool1d(x, 3, padding=2) ** 2),
        lambda x: lw.sum(nn.max_pool1d_with_indices(x, 3, padding=1)[0] ** 2),
        lambda x: lw.sum(nn.prelu(x - 16.5, lw.asarray(slopes, dtype=x.dtype)) ** 2),
    ):
        want = derivative(f, x)
        with lw.using(backend=backend_with_gradients):
            got = lw.grad(f)(lw.asarray(x, dtype=lw.float64))
        np.testing.assert_allclose(lw.to_numpy(got), want, rtol=1e-6, atol=1e-6)


def test_slopes_of_any_shape_that_broadcasts(backend: str) -> None:
    x = data(2, lw.float32)
    rng = np.random.default_rng(0)
    for shape in [(3, 1, 1), (7, 6), (1, 6), (2, 3, 7, 6), (1, 3, 1, 1), (2, 1, 1, 1), (1, 1), (7, 1)]:
        w = rng.uniform(0.1, 0.9, shape).astype(np.float32)
        check(nn.prelu(lw.asarray(x), lw.asarray(w)), np.where(x < 0, x * w, x), lw.float32)
    for shape in [(2, 6), (1, 2, 3, 7, 6), (3, 7)]:
        with pytest.raises(ValueError, match="prelu: weight must broadcast to the shape of x"):
            nn.prelu(lw.asarray(x), lw.ones(shape))
    assert lw.infer(nn.prelu, lw.spec((None, 3, 4), "float32"), lw.spec((3, 1), "float32")).shape == (None, 3, 4)
