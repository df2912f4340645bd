"""`fast=True` on NumPy: loops of numba with NumPy's bits, but for what the source names."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import EXHAUSTIVE
from hypothesis import Phase, given, settings
from test_simplification import Program, compare, programs

import latticework as lw
from latticework.errors import TraceError
from latticework.tracing import fast, kernels
from latticework.tracing.tracer import trace

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
BINARY = """
    add subtract multiply divide maximum minimum equal not_equal less less_equal greater greater_equal logical_and
    logical_or logical_xor bitwise_and bitwise_or bitwise_xor
""".split()
UNARY = """
    negative abs square sqrt reciprocal floor ceil trunc round sign isnan isinf isfinite logical_not bitwise_invert
""".split()
SPECIAL = [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, 0.5, 1.5, 2.5, -2.5, 1e-20, 7, 1e10, -3]


def numbers(dtype: str, seed: int) -> lw.Array:
    """Ends of the range, zeros of both signs, subnormals, infinities and nan, in 100 elements."""
    if dtype == "bool":
        values = np.array([False, True])
    elif "int" in dtype:
        i = np.iinfo(dtype)
        values = np.array([i.min, i.max, 0, 1, 2, 3, 7, i.max - 1, i.min + 1, 100, i.max // 2], dtype)
    else:
        values = np.array(SPECIAL, dtype)
    return lw.asarray(np.random.default_rng(seed).choice(values, 100))


def every(x: lw.Array, y: lw.Array) -> list[lw.Array]:
    """All that a loop computes of arrays of a dtype: what the dtype refuses is left out."""
    found = []
    calls: list[Callable[[], Any]] = [lambda n=n: getattr(lw, n)(x, y) for n in BINARY]  # type: ignore[misc]
    calls += [lambda n=n: getattr(lw, n)(x) for n in UNARY]  # type: ignore[misc]
    calls += [lambda d=d: lw.astype(x, getattr(lw, d)) for d in DTYPES]  # type: ignore[misc]
    calls += [lambda: lw.where(x == y, x, y), lambda: lw.clip(x, 0, 3), lambda: lw.clip(x, 1, y), lambda: 3 - x * 5]
    for call in calls:
        try:
            found.append(call())
        except (TypeError, OverflowError, ValueError):
            continue
    return found


def bits(x: Any) -> Any:
    return str(x.dtype), x.shape, np.asarray(x).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_loop_has_the_bits_of_numpy_in_each_function(dtype: str) -> None:
    x, y = numbers(dtype, 0), numbers(dtype, 1)
    graph = lw.trace(every, x, y).faster()
    assert "numba.njit" in graph.body.text
    for k, (found, expected) in enumerate(zip(graph(x, y), every(x, y), strict=True)):
        zeros = graph.nodes[k].name in ("maximum", "minimum", "clip", "_clip") and found.dtype.kind == "f"
        assert bits(found + zeros * 0) == bits(expected + zeros * 0), (k, graph.nodes[k], found, expected)


def test_fast_changes_no_program_where_it_does_what_numpy_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the C library's functions and products, and with blocks of three elements, whose last is shorter."""
    monkeypatch.setattr(fast, "SMALL", -1)
    monkeypatch.setattr(fast, "BLOCK", 3)
    monkeypatch.setattr(kernels, "_PRODUCTS", 1)
    for name in ("maximum", "minimum"):
        monkeypatch.delitem(kernels._BY_KIND, (name, "f"))
    compiled = 0

    fixed = {"derandomize": not EXHAUSTIVE, "phases": (Phase.generate,)}  # each step of a search compiles anew

    @settings(max_examples=400 if EXHAUSTIVE else 60, deadline=None, **fixed)
    @given(programs([lw.float32, lw.float32, lw.int32, lw.bool, lw.float16, lw.complex64], [(4,), (3, 4), (3, 1)], 12))
    def run(program: Program) -> None:
        nonlocal compiled
        kept = []
        for step in [*program.steps]:
            program.steps = [*kept, step]
            program.reset()
            try:
                program(*program.arguments())
                kept.append(step)
            except Exception:
                continue
        program.steps = kept
        program.reset()
        try:
            graph = trace(program, tuple(program.arguments()), {}).faster()
        except TraceError:
            return
        compiled += "numba.njit" in graph.body.text
        for seed in (0, 1):
            compare(program, graph, seed, exactly=True)

    run()
    assert compiled
