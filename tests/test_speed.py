"""What makes functions beyond the standard fast: their kernels and memory, and the same answers with these.

Times are measured by benchmarks/superset.py; here are the counts behind them, which no machine changes.
"""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import frames

import latticework as lw

GENERATOR = np.random.default_rng(0)
#: More elements than sorting networks and other short ways are for.
ROWS = GENERATOR.standard_normal((6, 300)).astype(np.float32)
TIED = GENERATOR.integers(0, 40, (6, 300)).astype(np.float32)


def with_nan(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x[1, 7] = x[2, :4] = np.nan
    return x


@pytest.mark.parametrize("largest", [True, False])
def test_top_k_of_many_elements(backend: str, largest: bool) -> None:
    """Without ties the framework's own kernel decides; with ties and nan the lowest positions are taken as well."""
    tiny = np.zeros((2, 300), np.float32)
    tiny[:, 5::50] = np.float32(1e-42) * (1 if largest else -1)  # which TensorFlow's comparisons take for zeros
    for x in (
        ROWS,
        TIED,
        with_nan(ROWS),
        TIED.astype(np.int32),
        TIED.astype(np.float64),
        *([tiny] * (backend != "jax")),
    ):
        for axis, k in ((1, 5), (0, 2), (1, 300)):
            keys = np.where(np.isnan(x), np.inf, x)
            order = np.argsort(-keys if largest else keys, axis=axis, kind="stable")
            order = np.take(order, range(min(k, x.shape[axis])), axis)
            got = lw.top_k(lw.asarray(x), order.shape[axis], axis, largest=largest)
            np.testing.assert_array_equal(np.asarray(got.indices), order)
            np.testing.assert_array_equal(np.asarray(got.values), np.take_along_axis(x, order, axis))


def test_partitions_of_many_elements(backend: str) -> None:
    """Each kth element is where sorting has it, with lesser ones before it and greater ones after it."""
    for x in (ROWS, TIED, with_nan(ROWS)):
        for kth in ([150], [149, 150], [149, 150, 299], [299], [10, 100, 101, 250], [-1, 0]):
            for axis in (1, 0) if max(kth) < 6 else (1,):
                found = np.asarray(lw.partition(lw.asarray(x), kth, axis))
                np.testing.assert_array_equal(np.sort(found, axis), np.sort(x, axis))
                expected = np.sort(x, axis)
                for k in kth:
                    at = np.take(expected, [k], axis)
                    np.testing.assert_array_equal(np.take(found, [k], axis), at)
                    before = np.take(found, range(k % x.shape[axis]), axis)
                    assert ((before <= at) | np.isnan(at)).all()


def test_sorting_leaves_equal_zeros_in_their_order(backend: str) -> None:
    zeros = np.array([0.0, -0.0, 1.0, -0.0, 0.0, -1.0] * 20, np.float32)
    order = np.argsort(zeros, kind="stable")
    found = np.asarray(lw.sort(lw.asarray(zeros)))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(zeros[order]))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_padding_of_long_axes(backend: str, mode: str) -> None:
    x = np.arange(3 * 80, dtype=np.float32).reshape(3, 80)
    for widths in ((0, 3), (2, 0), (70, 150)):
        padded = np.pad(x, [(0, 0), widths], mode=mode)  # type: ignore[call-overload]
        np.testing.assert_array_equal(np.asarray(lw.pad(lw.asarray(x), [(0, 0), widths], mode)), padded)


def test_quantiles_of_one_slice_past_nan(backend: str) -> None:
    """As many elements count as are no nan, whether or not their number is found before they are picked."""
    for x in (with_nan(ROWS).ravel(), np.full(5, np.nan, np.float32), np.array([np.nan, 2, 8], np.float32)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            middle, several = np.nanmedian(x), np.nanquantile(x, [0.0, 0.3], method="lower")
        np.testing.assert_allclose(np.asarray(lw.nanmedian(lw.asarray(x))), middle, rtol=1e-6)
        got = lw.nanquantile(lw.asarray(x), [0.0, 0.3], method="lower")
        np.testing.assert_allclose(np.asarray(got), several, rtol=1e-6)


def test_the_trapezoidal_rule_takes_infinities(backend: str) -> None:
    for y in ([np.inf, 1.0], [1.0, np.inf, 2.0], [np.inf, 1.0, -np.inf], [3.0]):
        with np.errstate(all="ignore"):
            expected = np.trapezoid(np.array(y), dx=0.5)
        np.testing.assert_equal(float(lw.trapezoid(lw.asarray(y, dtype=lw.float64), dx=0.5)), expected)


@pytest.mark.parametrize("reduction", ["sum", "multiply", "min", "max"])
def test_scattering_of_wide_rows(backend: str, reduction: str) -> None:
    """Positions that come several times, or too often for whole rows to be brought together at once."""
    functions: Any = {"sum": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}
    for positions in (np.array([1, 0, 1, 2, 1]), np.zeros(70, np.int64)):
        rows = GENERATOR.integers(1, 3, (len(positions), 40)).astype(np.float64)
        expected = np.ones((3, 40))
        functions[reduction].at(expected, positions, rows)
        found = lw.scatter(lw.ones((3, 40), dtype=lw.float64), lw.asarray(positions[:, None]), lw.asarray(rows),
                           reduction=reduction)  # fmt: skip
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_bins_of_elements_beside_their_edges(backend: str) -> None:
    """Where an element lies close to an edge, rounding decides nothing: the edges do."""
    edges = np.asarray(lw.histogram_bin_edges(lw.asarray([0.1, 0.7], dtype=lw.float32), 60))
    near = np.concatenate([edges, np.nextafter(edges, np.float32(0)), np.nextafter(edges, np.float32(1))])
    near = np.clip(near, np.float32(0.1), np.float32(0.7))
    counts, found = lw.histogram(lw.asarray(near), 60)
    np.testing.assert_array_equal(np.asarray(counts), np.histogram(near, np.asarray(found))[0])


def test_medians_on_torch_have_derivatives_and_are_mapped() -> None:
    """NumPy computes neither: there PyTorch's own function runs."""
    torch = pytest.importorskip("torch")
    x = torch.tensor([[4.0, 1.0, 3.0, 2.0], [0.0, 8.0, 5.0, 7.0]], requires_grad=True)
    lw.sum(lw.median(lw.asarray(x), axis=1)).data.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5]])
    mapped = torch.func.vmap(lambda row: lw.median(lw.asarray(row)).data)(x.detach())
    np.testing.assert_array_equal(mapped.numpy(), [2.5, 6.0])
    mapped = torch.func.vmap(lambda row: lw.top_k(lw.asarray(row), 2).indices.data)(x.detach())
    np.testing.assert_array_equal(mapped.numpy(), [[0, 2], [1, 3]])


def test_partitions_on_tensorflow_have_derivatives() -> None:
    tf = pytest.importorskip("tensorflow")
    x = tf.constant([4.0, 1.0, 3.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = lw.median(lw.asarray(x)).data
    found = tf.convert_to_tensor(tape.gradient(y, x)).numpy()
    np.testing.assert_array_equal(found, [0, 0, 0.5, 0.5])


COMPOSED: dict[str, Callable[[lw.Array], Any]] = {
    "nanvar": lambda x: lw.nanvar(x, axis=1),
    "nan_to_num": lw.nan_to_num,
    "trapezoid": lambda x: lw.trapezoid(x, axis=0),
    "average": lambda x: lw.average(x, axis=1, weights=x),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_compositions_on_jax_are_one_program(name: str) -> None:
    """What a composition is made of is gone through when it is compiled, and not again."""
    pytest.importorskip("jax")
    x = lw.asarray(ROWS[:2, :3], backend="jax")
    with lw.using(backend="jax"):
        assert len(frames(lambda: COMPOSED[name](x))) <= 16


@pytest.mark.parametrize("options", [{"dx": 0.5}, {"dx": 2.0, "axis": 0}])
def test_a_program_is_one_for_each_combination_of_options(options: dict[str, Any]) -> None:
    pytest.importorskip("jax")
    x = lw.asarray(ROWS[:3, :2], backend="jax")
    for _ in range(2):
        np.testing.assert_allclose(
            np.asarray(lw.trapezoid(x, **options)), np.trapezoid(ROWS[:3, :2], **options), rtol=1e-5
        )


#: name -> a call, and how many times the bytes of a float32 operand of the same size it takes at most.
MEMORY: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
    "nanvar": (lambda x, i: lw.nanvar(x), 1.7),
    "put_along_axis": (lambda x, i: lw.put_along_axis(x, i, x, axis=1, inplace=False), 1.2),
    "histogram of weights": (lambda x, i: lw.histogram(x, 10, weights=x), 0.6),
    "median": (lambda x, i: lw.median(x), 1.2),
    "sort": (lambda x, i: lw.sort(x), 1.3),
    "pad": (lambda x, i: lw.pad(x, [(0, 0), (1, 1)], "reflect"), 1.2),
}


@pytest.mark.parametrize("name", MEMORY)
def test_no_copies_but_what_is_needed(name: str) -> None:
    with lw.using(backend="numpy"):
        x = lw.asarray(GENERATOR.standard_normal((1000, 500)).astype(np.float32))
        i = lw.asarray(np.broadcast_to(np.arange(500), (1000, 500)).copy())
    call, most = MEMORY[name]
    call(x, i)
    tracemalloc.start()
    try:
        call(x, i)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken <= most * x.nbytes + 100_000, taken / x.nbytes
