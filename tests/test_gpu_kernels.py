"""What the backends compute otherwise on GPUs, on the CPU: the same values. On a GPU, `LATTICEWORK_TEST_DEVICE=cuda`
runs the tests of values there."""

from __future__ import annotations

import json
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import latticework as lw

#: A build of PyTorch with GPUs, of which every tensor is taken to lie on one.
PREPARED = """
import numpy as np, torch
torch.version.cuda = "13.0"
import latticework as lw
from latticework.backends.torch import gpu
assert gpu.BUILT
gpu._device = lambda operands: torch.device("cpu")

def values(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    if dtype.kind in "iu":
        info = lw.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=str(dtype), endpoint=True)
    return rng.normal(size=shape).astype(str(dtype) if str(dtype) != "bfloat16" else "float32")

def same(call, *operands, exact=True):
    results = []
    for backend in ("numpy", "torch"):
        with lw.using(backend=backend), np.errstate(all="ignore"):
            arrays = [lw.asarray(x, dtype=d) for x, d in operands]
            found = call(*arrays)
            results.append([found] if isinstance(found, lw.Array) else [*found])
    for x, y in zip(*results, strict=True):
        assert x.dtype is y.dtype, (x.dtype, y.dtype)
        x, y = (np.asarray(r).astype("complex128" if r.dtype.kind == "c" else "float64" if r.dtype.kind == "f" else
                                     r.dtype.name) for r in (x, y))
        if exact:
            np.testing.assert_array_equal(y, x)
        else:
            np.testing.assert_allclose(y, x, rtol=1e-5, atol=1e-5)

UNSIGNED = (lw.uint16, lw.uint32, lw.uint64)
INTEGERS = (lw.int8, lw.int16, lw.int32, lw.int64, lw.uint8, *UNSIGNED)
"""

PROGRAMS = {
    "bits": """
for d in UNSIGNED:
    x, y = (values(d, (4, 5), seed) for seed in (0, 1))
    for f in (lw.bitwise_and, lw.bitwise_or, lw.bitwise_xor):
        same(f, (x, d), (y, d))
        same(lambda a: f(a, 3), (x, d))
    same(lambda a, b: lw.where(a > b, a, b), (x, d), (y, d))
    same(lambda a: lw.where(a > 7, a, 2), (x, d))
    same(lambda a: lw.roll(a, 2, axis=1), (x, d))
    same(lambda a: lw.take(a, lw.asarray([2, 0, -1]), axis=1), (x, d))
    same(lambda a: a[lw.asarray([2, 0, -1])], (x, d))
    same(lambda a: a[lw.asarray([2, 0]), 1:], (x, d))
    same(lambda a: a[a > 9], (x, d))
    same(lambda a: a[1:, ::-1], (x, d))
    same(lambda a: lw.signbit(a), (x, d))
    same(lambda a: lw.any(a, axis=0), (x, d))
    same(lambda a: lw.all(a - a[0], axis=0), (x, d))
    same(lw.unique_all, (x % 3, d))
    same(lw.unique_counts, (x % 3, d))
""",
    "integers": """
for d in INTEGERS:
    for s, t in (((3, 5), (5, 4)), ((5,), (5,)), ((2, 3, 5), (5,)), ((5,), (2, 5, 3)), ((3, 0), (0, 2)), ((0,), (0,))):
        same(lw.matmul, (values(d, s), d), (values(d, t, 1), d))
    x, y = values(d, (50,)), values(d, (50,), 1)
    y[::3] = 0
    same(lw.floor_divide, (x, d), (y, d))
    same(lw.remainder, (x, d), (y, d))
    same(lambda a: a // 0, (x, d))
    same(lambda a: a % 3, (x, d))
many = np.full((1, 300_000), 65_535, "uint16"), np.full((300_000, 1), 65_535, "uint16")
gpu._MOST = 1 << 16
same(lw.matmul, (many[0].astype("int64"), lw.int64), (many[1].astype("int64"), lw.int64))
""",
    "floats": """
nan = np.array([1.0, np.nan, -np.inf, np.inf, -np.nan, 0.5, np.nan])
for d in (lw.bfloat16, lw.float16, lw.float32, lw.float64):
    same(lw.sort, (nan, d))
    same(lw.argsort, (nan, d))
    same(lambda a: lw.sort(a, descending=True), (nan, d))
for d in (lw.bfloat16, lw.float16):
    ones = np.ones(3000)
    same(lw.cumulative_sum, (ones, d))
    same(lambda a: lw.cumulative_prod(a + 0.5), (ones[:9], d))
same(lw.nn.hard_silu, (values(lw.float64, (100,)) * 4, lw.float64), exact=False)
""",
    "matrices": """
for d in (lw.float32, lw.float64, lw.complex64, lw.complex128):
    x = values(lw.float64, (2, 3, 3)) + (1j if d.kind == "c" else 0)
    for f in (lw.linalg.inv, lw.linalg.det, lw.linalg.slogdet, lw.linalg.svdvals):
        same(f, (x, d), exact=False)
    with lw.using(backend="torch"):
        for a in (lw.asarray(x, dtype=d), lw.asarray(np.swapaxes(x, 1, 2).copy(), dtype=d).mT):
            w, v = lw.linalg.eig(a)
            left = lw.astype(a, v.dtype) @ v
            np.testing.assert_allclose(np.asarray(left), np.asarray(v * w[:, None, :]), atol=1e-4)
        x[1, 0, 0] = np.nan
        y = lw.asarray(x, dtype=d)
        found = [lw.linalg.inv(y), lw.linalg.det(y), *lw.linalg.slogdet(y)]
        for r in found:
            assert bool(lw.all(lw.isnan(r[1]))) and not bool(lw.any(lw.isnan(r[0]))), r
""",
    "traces": """
with lw.using(backend="torch"):
    x, k = lw.asarray([3, 0, 65535], dtype="uint16"), lw.asarray([1, 2], dtype="int32")

    def program(x, k):
        y = lw.where(x > 1, x & 7, 2)
        between = lw.lerp(lw.astype(k, "float32"), 2.0, 0.5)
        return y[::2], lw.roll(x, 1), k @ k, between, lw.sort(lw.sqrt(k - 1.5)), k // 0

    expected = [r.tolist() for r in program(x, k)]
    graph = lw.trace(program, x, k)
    assert repr([r.tolist() for r in graph(x, k)]) == repr(expected)
    names = {}
    exec(graph.source, names)
    assert repr([r.tolist() for r in names["program"](x.data, k.data)]) == repr(expected)
""",
}  # fmt: skip


#: Runs them one after the other, and tells the errors in them.
RUNNER = """
import json, sys, traceback

told, most = {}, gpu._MOST
for name, program in json.loads(sys.argv[1]).items():
    try:
        exec(program, {**globals()})
    except Exception:
        told[name] = traceback.format_exc()
    gpu._MOST = most
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def errors() -> dict[str, str]:
    """The errors in the programs, which run in one process that imports PyTorch as one with GPUs."""
    pytest.importorskip("torch")
    command = [sys.executable, "-c", PREPARED + RUNNER, json.dumps(PROGRAMS)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return dict(json.loads(ran.stdout.splitlines()[-1]))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_functions_for_gpus_give_what_others_give(errors: dict[str, str], name: str) -> None:
    assert name not in errors, errors[name]


def test_a_device_that_is_not_there_is_named() -> None:
    pytest.importorskip("torch")
    with (
        lw.using(backend="torch"),
        pytest.raises(ValueError, match="the torch backend has no device 'cuda:777'; it has cpu"),
    ):
        lw.zeros(2, device="cuda:777")


def test_jax_finds_the_first_nan_and_the_least_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    ends = np.array([[np.nan, -0.0, 3.0, -np.inf, -np.nan, 0.0, np.inf, -2.0, 1.5, np.nan, 7.0]])
    with lw.using(backend="jax"):
        from latticework.backends.jax import searching, sorting

        for module in (searching, sorting):
            monkeypatch.setattr(module, "_on_a_gpu", lambda: True)
        for dtype in (np.float64, np.float32, np.float16, ml_dtypes.bfloat16):
            x = lw.asarray(ends.astype(dtype))
            assert int(lw.argmax(x)) == int(lw.argmin(x, axis=1)[0]) == 0
            assert int(lw.argmax(x[:, 5:9])) == 1
            values, places = lw.top_k(x, 9, largest=False)
            assert places.tolist() == [[3, 7, 1, 5, 8, 2, 10, 6, 0]]
            np.testing.assert_array_equal(np.asarray(values, np.float64), ends[:, np.asarray(places)[0]])
