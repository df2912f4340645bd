"""Convolutions, against PyTorch's in double precision and against JAX's with four spatial axes."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from cases import drawn, due, examples, few, sampled
from hypothesis import given, settings
from hypothesis import strategies as st
from support import check, dtypes, imported, values

import latticework as lw
from latticework import nn
from latticework.core.registry import OPS

torch, functional = imported("torch"), imported("torch.nn.functional")

LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
FLOATS = dtypes("real floating")

#: Spatial axes and options of convolutions, which PyTorch takes as they are.
OPTIONS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (1, {"stride": 2, "padding": 1, "dilation": 2}),
    (2, {"groups": 2, "padding": (1, 2)}),
    (2, {"stride": (2, 1), "padding": 1}),
    (2, {"padding": "same", "dilation": 2}),
    (2, {"groups": 4, "stride": 2}),
    (3, {"stride": 2, "padding": "valid"}),
]
#: Of transposed ones.
TRANSPOSED: list[tuple[int, dict[str, Any]]] = [
    (2, {"stride": (2, 3), "padding": 1, "output_padding": 1}),
    (1, {"stride": 2}),
    (2, {"groups": 2, "dilation": 2, "padding": 1}),
    (2, {"padding": (2, 1)}),
    (3, {"stride": 2, "padding": 2}),
]


def operands(n: int, groups: int, dtype: lw.Dtype, *, transposed: bool = False) -> list[np.ndarray]:
    """An array, a weight and a bias, for n spatial axes."""
    kernel = (3, 2, 3)[:n]
    shape = (4, 6 // groups, *kernel) if transposed else (8, 4 // groups, *kernel)
    channels = 6 if transposed else 8
    arrays = values(dtype, (2, 4, *(7, 6, 5)[:n])), values(dtype, shape, seed=1), values(dtype, (channels,), seed=2)
    return [*arrays]


def precise(x: Any) -> torch.Tensor:
    x = np.asarray(x)
    return torch.asarray(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64))


def expected(name: str, arrays: list[np.ndarray], options: dict[str, Any]) -> Any:
    return getattr(functional, name)(*map(precise, arrays), **options).numpy()


@pytest.mark.parametrize("case", range(len(OPTIONS)))
def test_convolutions(backend: str, case: int) -> None:
    n, options = OPTIONS[case]
    name = f"conv{n}d"
    f = getattr(nn, name)
    for dtype in due(dtypes("floating"), f"nn.{name}") if case == 0 else [lw.float32]:
        arrays = operands(n, options.get("groups", 1), dtype)
        want = expected(name, arrays, options)
        check(f(*map(lw.asarray, arrays), **options), want, dtype, ulps=16, scale=64)
        if dtype is lw.float32:
            x, weight, bias = map(lw.asarray, arrays)
            last = f(lw.moveaxis(x, 1, -1), weight, bias=bias, layout=LAST[n], **options)
            check(last, np.moveaxis(want, 1, -1), dtype, ulps=16, scale=64)
            one = expected(name, [arrays[0][0], arrays[1]], options)
            check(f(x[0], weight, **options), one, dtype, ulps=16, scale=64)


@pytest.mark.parametrize("case", range(len(TRANSPOSED)))
def test_transposed_convolutions(backend: str, case: int) -> None:
    n, options = TRANSPOSED[case]
    name = f"conv_transpose{n}d"
    f = getattr(nn, name)
    for dtype in due(FLOATS, f"nn.{name}") if case == 0 else [lw.float32]:
        arrays = operands(n, options.get("groups", 1), dtype, transposed=True)
        arrays[2] = arrays[2][: arrays[1].shape[1] * options.get("groups", 1)]
        want = expected(name, arrays, options)
        check(f(*map(lw.asarray, arrays), **options), want, dtype, ulps=16, scale=64)
    x, weight, bias = map(lw.asarray, arrays)
    last = f(lw.moveaxis(x, 1, -1), weight, bias, layout=LAST[n], **options)
    check(last, np.moveaxis(want, 1, -1), dtype, ulps=16, scale=64)


def test_padding_of_all_forms(backend: str) -> None:
    """Pairs, and "same" with a stride, which PyTorch does not take: with zeros that are put around beforehand."""
    x, weight, _ = operands(2, 1, lw.float32)
    x = x[..., :5]
    for padding, pairs in sampled(
        [(((1, 0), (0, 2)), (0, 2, 1, 0)), ("same", (0, 1, 1, 1)), ("same_lower", (1, 0, 1, 1)), ([2], (2, 2, 2, 2))],
        2, "padding",
    ):  # fmt: skip
        want = functional.conv2d(functional.pad(precise(x), pairs), precise(weight), stride=2).numpy()
        if padding == "same":
            assert want.shape[2:] == (4, 3)
        result = nn.conv2d(lw.asarray(x), lw.asarray(weight), stride=2, padding=padding)
        check(result, want, lw.float32, ulps=16, scale=64)
    x, weight, _ = operands(1, 1, lw.float32, transposed=True)
    for padding, extent in (("valid", 15), ("same", 14)):
        whole = functional.conv_transpose1d(precise(x), precise(weight), stride=2).numpy()
        result = nn.conv_transpose1d(lw.asarray(x), lw.asarray(weight), stride=2, padding=padding)
        check(result, whole[..., :extent], lw.float32, ulps=16, scale=64)


def test_any_number_of_axes(backend: str) -> None:
    x, weight = values(lw.float32, (2, 3, 3, 4, 3, 2)), values(lw.float32, (4, 3, 2, 3, 1, 2), seed=1)
    views = np.lib.stride_tricks.sliding_window_view(x.astype(float), weight.shape[2:], (2, 3, 4, 5))
    want = np.einsum("bcijklmnpq,ocmnpq->boijkl", views, weight.astype(float))
    check(nn.conv(lw.asarray(x), lw.asarray(weight)), want, lw.float32, ulps=16, scale=64)
    last = nn.conv(lw.asarray(np.moveaxis(x, 1, -1)), lw.asarray(weight), layout="channels_last")
    check(last, np.moveaxis(want, 1, -1), lw.float32, ulps=16, scale=64)


def test_blocks_of_an_image_are_convolved_by_themselves() -> None:
    """On Dask: each block with what its windows read of the next ones, in either layout."""
    da = pytest.importorskip("dask.array")
    arrays = operands(2, 1, lw.float32)
    weight, bias = (lw.asarray(a, backend="dask") for a in arrays[1:])
    blocks = ((1, 1), (2, 2), (3, 1, 3), (4, 2))
    for options in ({}, {"stride": 2, "padding": "same"}, {"padding": [(4, 0), (1, 2)], "dilation": (1, 3)}):
        expected = np.asarray(nn.conv2d(*map(lw.asarray, arrays), **options))
        y = nn.conv2d(lw.asarray(da.from_array(arrays[0], chunks=blocks)), weight, bias, **options)
        check(y, expected, lw.float32, ulps=64, scale=64)
        assert len(y.data.chunks[2]) == 3
        assert len(y.data.chunks[3]) == 2
        x = lw.asarray(da.moveaxis(da.from_array(arrays[0], chunks=blocks), 1, -1))
        y = nn.conv2d(x, weight, bias, layout="NHWC", **options)
        check(y, np.moveaxis(expected, 1, -1), lw.float32, ulps=64, scale=64)
    y = nn.conv2d(
        lw.asarray(da.from_array(arrays[0], chunks=blocks)), weight, bias, padding=9
    )  # windows of zeros alone
    check(y, np.asarray(nn.conv2d(*map(lw.asarray, arrays), padding=9)), lw.float32, ulps=64, scale=64)


def test_depthwise_convolution(backend: str) -> None:
    x, weight = values(lw.float32, (2, 3, 5, 4)), values(lw.float32, (6, 1, 3, 2), seed=1)
    want = functional.conv2d(precise(x), precise(weight), padding=1, groups=3).numpy()
    check(nn.depthwise_conv2d(lw.asarray(x), lw.asarray(weight), padding=1), want, lw.float32, ulps=16, scale=64)
    last = nn.depthwise_conv2d(lw.asarray(np.moveaxis(x, 1, -1)), lw.asarray(weight), padding=1, layout="NHWC")
    check(last, np.moveaxis(want, 1, -1), lw.float32, ulps=16, scale=64)
    with pytest.raises(ValueError, match=r"weight must have shape \(channels \* m, 1, height, width\) for 3 channels"):
        nn.depthwise_conv2d(lw.asarray(x), lw.ones((2, 3, 1, 1)))


def test_composition_is_the_convolution(backend: str) -> None:
    """What a backend without a kernel computes."""
    for n, options in drawn(OPTIONS, "composition"):
        x, weight, bias = operands(n, options.get("groups", 1), lw.float32)
        o = OPS[f"nn.conv{n}d"]
        assert o.body is not None
        result = o.body(lw.asarray(x), lw.asarray(weight), lw.asarray(bias), **options)
        check(result, expected(f"conv{n}d", [x, weight, bias], options), lw.float32, ulps=16, scale=64)


def test_empty_batches_and_integers(backend: str) -> None:
    assert nn.conv1d(lw.zeros((0, 2, 5)), lw.ones((3, 2, 2))).shape == (0, 3, 4)
    check(nn.conv1d(lw.asarray([[[1, 2, 3]]]), lw.asarray([[[1, 1]]])), [[[3, 5]]], lw.float32)


def test_shapes_that_do_not_fit(backend: str) -> None:
    x = lw.ones((1, 3, 5, 2))
    for weight, options, words in [
        ((2, 2, 1, 1), {}, r"conv2d: weight is for 2 channels; x has 3 channels, of shape \(1, 3, 5, 2\)"),
        ((2, 1, 1, 1), {"groups": 3}, "the channels of the result, 2, must be a multiple of the groups, 3"),
        (
            (2, 3, 1, 3),
            {},
            r"conv2d: a window must not be larger than the padded array: it spans \(1, 3\) elements, of",
        ),
        ((2, 3, 2), {}, r"conv2d: weight must have 4 axes: channels out and in, and the kernel; got \(2, 3, 2\)"),
        ((2, 3, 1, 1), {"bias": lw.ones(3)}, r"bias must have shape \(2,\), one for each channel of the result"),
        ((2, 3, 1, 1), {"stride": 0}, "conv2d: stride must be at least 1; got 0"),
        ((2, 3, 1, 1), {"padding": -1}, "conv2d: padding must be at least 0; got -1"),
        ((2, 3, 1, 1), {"padding": "full"}, "padding"),
        ((2, 3, 1, 1), {"layout": "NWC"}, "layout"),
    ]:
        with pytest.raises(ValueError, match=words):
            nn.conv2d(x, lw.ones(weight), **options)
    with pytest.raises(ValueError, match="weight must have 4 axes"):
        nn.conv2d(lw.ones((1, 3, 5, 5, 5)), lw.ones((1, 3, 1, 1, 1)))
    with pytest.raises(ValueError, match=r"conv_transpose2d: weight is for 2 channels; x has 3 channels"):
        nn.conv_transpose2d(x, lw.ones((2, 2, 1, 1)))
    with pytest.raises(ValueError, match="output_padding must be less than stride or dilation; got 1"):
        nn.conv_transpose2d(x, lw.ones((3, 2, 1, 1)), output_padding=1)


@pytest.mark.parametrize("option", ["padding", "stride", "dilation"])
def test_floats_and_bools_are_no_ints_after_a_call_with_equal_ints(option: str) -> None:
    x, weight = lw.ones((1, 1, 5, 5)), lw.ones((1, 1, 3, 3))
    for value in ((1, 1), (1.0, 1.0), 1, 1.0, True, (True, 1)):
        as_ints = not {float, bool} & {*map(type, value if isinstance(value, tuple) else (value,))}
        for f in (lambda **kw: nn.conv2d(x, weight, **kw), lambda **kw: nn.max_pool2d(x, 3, **kw)):
            if as_ints:
                f(**{option: value})
                continue
            with pytest.raises(TypeError, match=option):
                f(**{option: value})


def test_shapes_without_data() -> None:
    x = lw.spec((None, 3, None, 8), "float32")
    assert lw.infer(nn.conv2d, x, lw.spec((4, 3, 3, 3), "float32"), stride=2).shape == (None, 4, None, 3)
    assert lw.infer(nn.conv_transpose2d, x, lw.spec((3, 4, 3, 3), "float32"), stride=2).shape == (None, 4, None, 17)


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_against_torch_over_options(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 3))
    few_ints = st.integers(1, 3)
    groups = data.draw(st.integers(1, 2))
    kernel = tuple(data.draw(st.lists(few_ints, min_size=n, max_size=n)))
    options = {k: data.draw(few_ints) for k in ("stride", "dilation")} | {"padding": data.draw(st.integers(0, 2))}
    x = values(lw.float64, (data.draw(st.integers(1, 2)), 2 * groups, *(7,) * n))
    weight = values(lw.float64, (2 * groups, 2, *kernel), seed=1)
    want = expected(f"conv{n}d", [x, weight], options | {"groups": groups})
    for backend in ("numpy", "torch"):
        arrays = [lw.asarray(a, backend=backend) for a in (x, weight)]
        check(getattr(nn, f"conv{n}d")(*arrays, groups=groups, **options), want, lw.float64, ulps=64, scale=64)


def test_numpy_brings_few_windows_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """No copy of windows exceeds the bound, for many samples and for many rows of one; the numbers are the same."""
    from latticework.backends.numpy.nn import convolution

    bound = 1 << 18
    monkeypatch.setattr(convolution, "WINDOW_BYTES", bound)
    for shape in ((64, 2, 24, 24), (1, 2, 192, 192)):
        x, weight = values(lw.float32, shape), values(lw.float32, (2, 2, 5, 5), seed=1)
        a, b = lw.asarray(x), lw.asarray(weight)
        nn.conv2d(a, b)
        tracemalloc.start()
        result = nn.conv2d(a, b)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        of_windows = 50 * 4 * result.size // 2
        assert of_windows > 8 * bound
        assert peak < result.nbytes + 3 * bound, (peak, result.nbytes)
        check(result, expected("conv2d", [x, weight], {}), lw.float32, ulps=16, scale=64)


@pytest.mark.needs("torch", "jax", "tensorflow")
def test_gradients_agree() -> None:
    """Derivatives of a convolution by its array, its weight and its bias, on JAX and TensorFlow as on PyTorch."""
    import jax
    import tensorflow as tf

    for n, options in [OPTIONS[i] for i in (0, 1, 5)] + [TRANSPOSED[0]]:
        transposed = "output_padding" in options
        name = f"conv_transpose{n}d" if transposed else f"conv{n}d"
        arrays = operands(n, options.get("groups", 1), lw.float32, transposed=transposed)
        f = getattr(nn, name)

        def loss(*operands: Any, f: Any = f, options: dict[str, Any] = options) -> Any:
            y = f(*map(lw.asarray, operands), **options)
            return lw.sum(y * y).data

        tensors = [torch.asarray(a).requires_grad_() for a in arrays]
        y = getattr(functional, name)(*tensors, **options)
        (y * y).sum().backward()
        ours = [torch.asarray(a).requires_grad_() for a in arrays]
        loss(*ours).backward()
        variables = [tf.constant(a) for a in arrays]
        with tf.GradientTape() as tape:
            tape.watch(variables)
            total = loss(*variables)
        of_tensorflow = tape.gradient(total, variables)
        of_jax = jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(*map(jax.numpy.asarray, arrays))
        for t, o, g, j in zip(tensors, ours, of_tensorflow, of_jax, strict=True):
            for found in (o.grad, g, j):
                np.testing.assert_allclose(np.asarray(found), t.grad, rtol=1e-4, atol=1e-2)


def test_calls_of_the_composition() -> None:
    """At its simplest arguments: padding, windows and one product."""
    if few():
        return
    x, weight = lw.ones((2, 3, 5, 5)), lw.ones((4, 3, 2, 2))
    body = OPS["nn.conv2d"].body
    assert body is not None
    called: list[str] = []
    import latticework.core.registry as registry

    class Counting:
        def __getattr__(self, name: str) -> Any:
            called.append(name)
            return getattr(lw, name)

    convolution = __import__("latticework.api.nn.convolution", fromlist=["lw"])
    before, convolution.lw = convolution.lw, Counting()
    try:
        body(x, weight)
    finally:
        convolution.lw = before
    assert registry.functions is before
    assert sorted(called) == sorted(["asarray", "take", "reshape"] * 2 + ["permute_dims"] + ["reshape"] * 3)
