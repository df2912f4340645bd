"""`fast=True` on NumPy: loops of numba with NumPy's bits, but for what the source names."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import test_simplification
from cases import EXHAUSTIVE
from hypothesis import Phase, given, settings
from test_simplification import Program, compare, programs

import latticework as lw
from latticework.errors import TraceError
from latticework.tracing.recording.tracer import trace
from latticework.tracing.writing import loops, numba_text

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


def with_one_nan(x: Any) -> Any:
    """The bits of an array whose nan have one sign and payload: which of two nan a sum keeps is not defined."""
    data = np.array(x)
    if data.dtype.kind == "f":
        data[data != data] = np.nan
    return str(x.dtype), x.shape, data.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_loop_has_the_bits_of_numpy_in_each_function(dtype: str) -> None:
    x, y = numbers(dtype, 0), numbers(dtype, 1)
    graph = lw.trace(every, x, y).faster()
    assert "numba.njit" in graph.body.text
    for k, (found, expected) in enumerate(zip(graph(x, y), every(x, y), strict=True)):
        zeros = graph.nodes[k].name in ("maximum", "minimum", "clip", "_clip") and found.dtype.kind == "f"
        assert bits(found + zeros * 0) == bits(expected + zeros * 0), (k, graph.nodes[k], found, expected)


@pytest.mark.shared
def test_fast_changes_no_program_where_it_does_what_numpy_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the C library's functions and products, and with blocks of three elements, whose last is shorter."""
    monkeypatch.setattr(loops, "SMALL", -1)
    monkeypatch.setattr(loops, "BLOCK", 3)
    monkeypatch.setattr(numba_text, "_PRODUCTS", 1)
    for name in ("maximum", "minimum"):
        monkeypatch.delitem(numba_text._BY_KIND, (name, "f"))
    monkeypatch.setattr(numba_text, "_BESIDE_A_NUMBER", {})
    monkeypatch.setattr(test_simplification, "bits", with_one_nan)
    compiled = 0

    fixed = {"derandomize": not EXHAUSTIVE, "phases": (Phase.generate,)}  # each step of a search compiles anew

    @settings(max_examples=400 if EXHAUSTIVE else 12, deadline=None, **fixed)
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


def smooth(x: lw.Array, y: lw.Array) -> tuple[lw.Array, lw.Array]:
    a = lw.exp(0.5 - x * x)
    b = lw.log(a + y * y) * (x - 1)
    return a * b + lw.sin(b - y), lw.where(b > 0, b, a)


def test_large_arrays_have_the_bits_of_numpy_with_transcendental_functions_too() -> None:
    """These stay NumPy's, block by block; contiguous, strided, in rows, and broadcast."""
    dice = np.random.default_rng(0)
    x, y = (lw.asarray(dice.standard_normal((700, 300), dtype=np.float32)) for _ in "xy")
    graph = lw.trace(smooth, x, y).faster()
    rows = lw.trace(smooth, x, y[:, :1]).faster()
    for function, a, b in ((graph, x, y), (graph, x[::2, 1:], y[::2, 1:]), (rows, x, y[:, :1])):
        assert [*map(bits, function(a, b))] == [*map(bits, smooth(a, b))]
    small = graph(x[:3, :7], y[:3, :7])
    assert all(lw.all(lw.abs(a - b) < 1e-5) for a, b in zip(small, smooth(x[:3, :7], y[:3, :7]), strict=True))


def test_shapes_that_broadcast_otherwise_than_when_traced_are_computed_by_numpy() -> None:
    """Extents of views are not among what a graph is checked for."""

    def f(x: lw.Array, y: lw.Array) -> lw.Array:
        return (x[1:] * 2 + y) * y

    graph = lw.trace(f, lw.arange(5.0), lw.arange(4.0)).faster()
    assert "numba.njit" in graph.body.text
    for x, y in ((lw.arange(5.0), lw.arange(4.0)), (lw.arange(9.0), lw.arange(8.0))):
        assert bits(graph(x, y)) == bits(f(x, y))
    run = graph.function
    one = run(np.arange(2, dtype=np.float32), np.arange(4, dtype=np.float32))
    assert one.tolist() == f(lw.arange(2.0), lw.arange(4.0)).tolist()
    with pytest.raises(ValueError, match="do not fit together"):
        run(np.arange(9, dtype=np.float32), np.arange(4, dtype=np.float32))


def test_a_program_of_one_loop_is_called_without_a_function_in_between() -> None:
    """Arrays of other layouts, shapes, dtypes and policies are told from those that its call is written for."""
    from test_tracing_cost import LOOP, calls_of

    def f(x: lw.Array, y: lw.Array) -> Any:
        return {"a": x * 2 + y, "b": (x, [x * x - y, "kept"])}

    def check(x: lw.Array, y: lw.Array) -> None:
        try:
            expected: Any = f(x, y)
        except ValueError:
            with pytest.raises(ValueError, match="fit together"):
                compiled(x, y)
            return
        found = compiled(x, y)
        assert [*found] == ["a", "b"]
        assert found["b"][0] is x
        assert found["b"][1][1] == "kept"
        for a, b in ((found["a"], expected["a"]), (found["b"][1][0], expected["b"][1][0])):
            assert type(a) is type(b)
            assert bits(a) == bits(b)
            assert a.data.base is None
            assert not np.shares_memory(a.data, x.data)

    base = np.arange(24.0)
    frozen, swapped = base.copy(), base.astype(">f8")
    frozen.flags.writeable = False
    others = [base[::-1], frozen, swapped, base.astype("float32"), base[:12], np.array(3.0), base.reshape(1, 24)]
    matrix = base.reshape(4, 6)
    for x, y, rest in ((base, base, others), (matrix, base[:6], [matrix[::2]]), (base[:0], np.array(2.0), [base])):
        compiled = lw.compile(f, fast=True)
        given = lw.asarray(x.copy()), lw.asarray(y.copy())
        for _ in range(10):
            check(*given)
        # The lambda and the function.
        assert calls_of(lambda given=given, compiled=compiled: compiled(*given)) == 2 + LOOP
        for a in rest:
            check(lw.asarray(a), given[1])
        for _ in range(10):
            check(*given)
        with lw.using(rules="torch"):
            for _ in range(10):
                check(*given)
        check(given[0], given[0])


def test_a_loop_without_a_function_in_between_reads_what_the_function_holds() -> None:
    from test_tracing_cost import LOOP, calls_of

    state, rates = SimpleNamespace(w=lw.asarray(np.arange(6.0)), scale=2.0, b=lw.asarray(np.float64(1.0))), [1.0, 2.0]

    def f(x: lw.Array) -> lw.Array:
        return (x * state.w + state.b) * state.scale - x * rates[1]

    def bind(name: str, value: Any) -> None:
        setattr(state, name, value)

    def write(key: Any, value: float) -> None:
        state.w[key] = value

    compiled, x = lw.compile(f, fast=True), lw.asarray(np.arange(6.0))
    changes: list[Callable[[], Any]] = [
        lambda: None, lambda: write(0, 5.0), lambda: write(..., 3.0), lambda: bind("w", lw.asarray(np.arange(6.0) + 7)),
        lambda: bind("w", lw.asarray(np.arange(12.0)[::2])), lambda: bind("scale", 3.0), lambda: rates.append(1.0),
        lambda: rates.__setitem__(1, 4.0), lambda: bind("b", lw.asarray(np.arange(6.0))),
        lambda: bind("w", lw.asarray(np.arange(6, dtype="float32"))), lambda: bind("w", lw.asarray(np.ones((2, 1)))),
    ]  # fmt: skip
    for k, change in enumerate(changes):
        change()
        for _ in range(10):
            assert bits(compiled(x)) == bits(f(x))
        if k < 4:  # the lambda, the function, and what looks at what it holds
            assert calls_of(lambda: compiled(x)) == 3 + LOOP


def test_threads_call_a_loop_while_its_code_changes() -> None:
    def f(x: lw.Array, y: lw.Array) -> lw.Array:
        return (x + 1) * y - x

    compiled = lw.compile(f, fast=True)
    arrays = [lw.asarray(np.arange(float(n))) for n in (3, 4, 5)] + [lw.asarray(np.arange(10.0)[::2])]
    expected = [f(x, x) for x in arrays]
    wrong: list[int] = []

    def work(seed: int) -> None:
        for i in range(300):
            k = (i // 20 + seed) % len(arrays)
            found = compiled(arrays[k], arrays[k])
            if found.shape != expected[k].shape or not np.array_equal(found.data, expected[k].data):
                wrong.append(k)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_the_source_of_a_fast_graph_runs_alone_and_names_what_may_differ(tmp_path: Path) -> None:
    def cubes(x: lw.Array, w: lw.Array) -> lw.Array:
        return (x**3 - 2 * x) / w + lw.tanh(x) * 3

    compiled = lw.compile(cubes, fast=True)
    x, w = lw.asarray(np.linspace(0.5, 2, 200, dtype=np.float32)), lw.asarray(2.0)
    found = compiled(x, w)
    (retrace,) = lw.explain_retraces(compiled)
    source = retrace.graph.source
    comments = [line for line in source.splitlines() if line.startswith("# ")]
    assert len(comments) == 5
    assert "tanh: last bits may differ" in comments[1]
    assert "x**3 are products: last bits may differ" in comments[2]
    run = f"""{source}
import sys
sys.modules["latticework"] = None
result = cubes(np.linspace(0.5, 2, 200, dtype=np.float32), np.array(2.0, np.float32))
assert result.dtype == np.float32
print(result.tobytes().hex())
"""
    path = tmp_path / "cubes.py"
    path.write_text(run)
    shown = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
    assert bytes.fromhex(shown) == bits(found)[2]
    assert lw.all(lw.abs(found - cubes(x, w)) < 1e-5)
    assert "fast" not in lw.trace(cubes, x, w).source


def test_without_numba_fast_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    for options in ({"fast": True}, {"fast": True, "tune": True}):
        with pytest.raises(ModuleNotFoundError, match=r"latticework\[fast\]"):
            lw.compile(lambda x: x * 2 + 1, **options)(lw.ones(3))  # type: ignore[call-overload]
    tuned = lw.compile(lambda x: x * 2 + 1, tune=True)
    assert tuned(lw.ones(3)).tolist() == [3, 3, 3]
    assert not tuned.tuning()


def test_stretches_of_several_shapes_are_found_side_by_side() -> None:
    def f(x: lw.Array, row: lw.Array) -> list[lw.Array]:
        a, b = x * 2, row - 1
        a, b = a * x - 3, b * b + row
        c = lw.sum(a, axis=0) * b
        return [a / x + b, c - b]

    x, row = lw.asarray([[0.5, 1.5], [2.5, 7.0], [3.0, 4.0]]), lw.asarray([0.25, 3.0])
    graph = lw.trace(f, x, row).faster()
    # those of `row` come in two parts, because they are small and `order` puts some first; the sum of short rows; and
    # what calls all of them
    assert graph.body.text.count("@numba.njit") == 6
    for rows in (x, lw.concat([x, -x])):
        assert [*map(bits, graph(rows, row))] == [*map(bits, f(rows, row))]


def test_a_slice_that_a_loop_reads_in_place_may_be_returned() -> None:
    def f(x: lw.Array, y: lw.Array) -> list[lw.Array]:
        part = x[1:]
        return [y * y + 1, part * 2, part]

    x, y = lw.asarray([0.5, 2.0, -1.0, 4.0]), lw.asarray([[1.0, 2.0]])
    graph = lw.trace(f, x, y).faster()
    assert [*map(bits, graph(x, y))] == [*map(bits, f(x, y))]
    assert graph(x, y)[2].data.base is not None


def test_a_long_stretch_is_several_loops() -> None:
    def f(x: lw.Array) -> lw.Array:
        for i in range(150):
            x = x * 0.5 + i
        return x

    graph = lw.trace(f, lw.ones(3)).faster()
    assert graph.body.text.count("@numba.njit") == 3  # and the function that calls them
    assert bits(graph(lw.ones(3))) == bits(f(lw.ones(3)))


def transcendental(x: lw.Array, y: lw.Array) -> list[lw.Array]:
    names = "exp expm1 log log1p tanh sin cos atan asin acos acosh".split()
    return [getattr(lw, name)(x) * 1 for name in names] + [lw.atan2(x, y) * 1]


def test_functions_in_loops_are_close_to_numpy_for_every_number() -> None:
    """Both ends of the range, subnormals, zeros of both signs, infinities and nan; NumPy is within 2 units itself."""
    tiny, most = 5e-324, 1.7e308
    x = np.array([0, 1, tiny, 2.3e-308, 1e-17, 1e-9, 0.41, 0.5, 2.4, 7.7, 36, 709.78, 709.79, 720, 745.1, 745.2, 9e5])
    dice = np.random.default_rng(0)
    spread = np.concatenate([dice.standard_normal(300), dice.uniform(-700, 700, 300), 10 ** dice.uniform(-300, 5, 300)])
    x = np.concatenate([x, -x, [np.nan, 1 - 2**-53, 1 + 2**-52, 2**-53 - 1], spread])
    y = dice.permutation(np.concatenate([x[:-4], [np.inf, -np.inf, most, -most]]))
    far = np.concatenate([x, [np.inf, -np.inf, most, -most, 1e300]])
    for k, (f, name) in enumerate(((transcendental, "not far"), (lambda x, y: transcendental(x, y)[:5], "True"))):
        a, b = (x, y) if k == 0 else (far, np.ones(far.size))
        arrays = lw.asarray(a), lw.asarray(b)
        graph = lw.trace(f, *arrays).faster(functions=True)
        assert f"return {name}" in graph.body.text
        for found, expected in zip(graph.function(a, b), f(*arrays), strict=True):
            wanted = np.asarray(expected)
            same = (found == wanted) & (np.signbit(found) == np.signbit(wanted)) | (
                (found != found) & (wanted != wanted)
            )
            with np.errstate(all="ignore"):
                assert np.all(same | (np.abs(found - wanted) <= 6 * np.spacing(np.abs(wanted))))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="needs floats of more than 64 bits")
def test_functions_in_loops_are_within_4_units_of_the_exact_result() -> None:
    """Beside NumPy's functions of long doubles: where each changes most, near its zeros, and over its range."""
    dice = np.random.default_rng(1)
    near = np.concatenate([dice.normal(size=20_000), dice.normal(size=5_000) * 1e-4])
    wide = 10.0 ** dice.uniform(-300, 300, 5_000)
    inputs = {
        "exp": np.concatenate([near, dice.uniform(-745, 709, 20_000)]), "expm1": np.concatenate([near, 50 * near]),
        "log": np.concatenate([np.abs(near), 1 + near[:-5_000] * 1e-3, wide, 5e-324 * np.arange(1, 5_000)]),
        "log1p": np.concatenate([np.abs(near), -dice.random(20_000), wide]), "tanh": np.concatenate([near, 20 * near]),
        "sin": 10 * near, "cos": 10 * near, "atan": np.concatenate([near, wide]), "asin": dice.uniform(-1, 1, 20_000),
        "acos": dice.uniform(-1, 1, 20_000), "acosh": 1 + np.concatenate([np.abs(near), wide]),
    }  # fmt: skip
    for name, x in inputs.items():
        graph = lw.trace(lambda x, name=name: getattr(lw, name)(x) * 1, lw.asarray(x)).faster(functions=True)
        exact = getattr(np, {"atan": "arctan"}.get(name, name.replace("a", "arc", 1) if name[0] == "a" else name))
        with np.errstate(all="ignore"):
            wanted = exact(x.astype(np.longdouble))
            unit = np.spacing(np.abs(wanted.astype(np.float64)))
            assert float(np.max(np.abs(graph.function(x) - wanted) / unit)) <= 4, name


def test_a_choice_among_numbers_has_no_branch() -> None:
    """Two limits are two instructions, where branches would be made into one comparison of both and three more."""

    def f(x: lw.Array) -> lw.Array:
        return lw.clip(x * x - 2, -1, 1) + lw.where(x < 0, x, 0.0) * lw.maximum(x, 3)

    x = lw.asarray([0.5, -0.0, -lw.inf, lw.inf, lw.nan, 7.0, -1.5])
    graph = lw.trace(f, x).faster()
    loop = graph.source.partition("def f_loop")[2].partition("return True")[0]
    assert loop.count("loop_select(") >= 4
    assert " if " not in loop.replace("if not (", "")
    assert bits(graph(x)) == bits(f(x))


def test_functions_in_loops_leave_large_angles_and_other_dtypes_to_numpy() -> None:
    def f(x: lw.Array) -> tuple[lw.Array, lw.Array]:
        return lw.sin(x) * lw.exp(-x), lw.cos(x) + 1

    x = lw.asarray([0.5, 2e6, lw.inf, lw.nan], dtype=lw.float64)
    assert [*map(bits, lw.trace(f, x).faster(functions=True)(x))] == [*map(bits, f(x))]
    single, few = lw.asarray([0.5, -3, lw.inf, lw.nan, -0.0, 200]), lw.asarray([0.5, -3, 9e5, lw.nan, -0.0, 200])
    for y in (single, few):
        for found, expected in zip(lw.trace(f, y).faster(functions=True)(y), f(y), strict=True):
            np.testing.assert_allclose(found.data, expected.data, rtol=3e-7)
    half = lw.trace(f, lw.astype(single, lw.float16))
    assert half.faster(functions=True).body.text == half.faster().body.text
    source = lw.trace(f, x).faster(functions=True).source
    assert "latticework" not in source
    assert "# - loops have functions for cos, exp, sin: last bits may differ" in source
    assert lw.trace(f, x).faster().faster(functions=True).source == source


def test_loops_with_functions_or_many_calls_take_512_bits_where_the_processor_can() -> None:
    def many(x: lw.Array) -> lw.Array:
        for _ in range(30):
            x = x * 0.5 + 1
        return x

    x = lw.ones(100)
    for f, wide in ((lambda x: lw.exp(x) * 2, True), (many, True), (lambda x: x * 2 + 1, False)):
        graph = lw.trace(f, x).faster(functions=True)
        names: dict[str, Any] = {}
        exec(graph.source, names)
        names[graph.body.name](x.data)
        loop = next(loop for name, loop in names.items() if name.endswith("_loop"))
        can = "+avx512f" in loop.targetctx.codegen().magic_tuple()[2]
        assert "zmm" in "".join(loop.inspect_asm().values()) or not (wide and can)
        assert ("loop_512()" in graph.source.partition("# fast")[2]) == wide
        assert "loop_512()" not in lw.trace(f, x).faster().source


@pytest.mark.parametrize("dtype", [lw.float32, lw.float64])
def test_a_bound_that_is_a_number_keeps_nan_and_zeros(dtype: lw.Dtype) -> None:
    def f(x: lw.Array) -> list[lw.Array]:
        clipped = [lw.clip(x, low, high) * 1 for low, high in ((0, 1), (-0.0, 2), (-1, 0), (lw.nan, 1), (1, -1))]
        return [*clipped, lw.maximum(x, 2), lw.minimum(-1, x), lw.maximum(3, x), lw.maximum(x, lw.nan) * 1]

    x = lw.asarray([0.0, -0.0, lw.nan, 0.5, -3, 7, lw.inf, -lw.inf], dtype=dtype)
    found = lw.trace(f, x).faster()(x)
    assert [*map(with_one_nan, found)] == [*map(with_one_nan, f(x))]


def test_operands_of_two_dtypes_are_cast_in_the_loop() -> None:
    pairs = [("float32", "float64"), ("int8", "int32"), ("bool", "float64")]
    arrays = [(numbers(a, 0), numbers(b, 1)) for a, b in pairs]

    def f(*arrays: tuple[lw.Array, lw.Array]) -> list[lw.Array]:
        found = []
        for x, y in arrays:
            found += [x + y, y - x, x < y, lw.maximum(y, x)]
        return found

    graph = lw.trace(f, *arrays).faster()
    assert "np.float64(" in graph.body.text
    assert [with_one_nan(a + 0 if a.dtype != lw.bool else a) for a in graph(*arrays)] == [
        with_one_nan(a + 0 if a.dtype != lw.bool else a) for a in f(*arrays)
    ]
    mixed = lw.trace(lambda x, y: (x + y) * y - 1, *arrays[0]).faster()
    assert mixed.body.text.count("@numba.njit") == 1


def test_reductions_are_part_of_the_loop() -> None:
    rng = np.random.default_rng(0)

    def f(x: lw.Array, y: lw.Array) -> tuple[lw.Array, ...]:
        centred = x - lw.mean(x * 1 + y, axis=0)
        squares = lw.sum((x[:, None] - y) ** 2, axis=2, keepdims=True)
        nearest = lw.argmin(lw.abs(x[:, :5] * 2 - y[:5]), axis=1)
        return (
            lw.max(x * 2 - y, axis=-1),
            lw.mean(x * y + 1),
            lw.sum(centred * centred, axis=1),
            squares,
            centred,
            nearest,
        )

    x, y = (lw.asarray(rng.normal(size=shape)) for shape in ((9, 150), (150,)))
    source = (fast := lw.trace(f, x, y).faster()).source
    assert [source.count(f"def f_{kind}_") for kind in ("mean", "max", "sum", "argmin")] == [3, 1, 3, 1]
    assert "sums and means along the last axis add in another order" in source
    x = lw.where(x > 2.5, lw.nan, x)
    for a, b in ((x, y), (x[:4, :80], y[:80])):
        for got, expected in zip(fast(a, b), f(a, b), strict=True):
            assert (got.dtype, got.shape, type(got.data)) == (expected.dtype, expected.shape, type(expected.data))
            np.testing.assert_allclose(got.data, expected.data, rtol=1e-13)
    empty = lw.compile(lambda x: lw.max(x * 2 - 1, axis=1), fast=True)
    assert empty(lw.ones((2, 3))).tolist() == [1, 1]
    with pytest.raises(ValueError, match="of no elements there is none"):
        empty(lw.ones((2, 0)))


def test_rows_that_are_cut_out_of_an_array_are_a_loop_of_their_own() -> None:
    def f(u: lw.Array) -> lw.Array:
        inner = u[1::2, 1:-1]
        return inner + 0.1 * (u[::2, 1:-1] - 4 * inner)

    x = lw.asarray(np.random.default_rng(0).standard_normal((8, 70)))
    graph = lw.trace(f, x).faster()
    assert "f_rows" in graph.source
    for y in (x, x.mT[:10], x[:, ::2], lw.flip(x)):
        assert bits(graph.function(y.data)) == bits(f(y))


def test_slices_are_read_in_place() -> None:
    """Also slices of what a loop made, of one row or column, and for arrays that are too short for them."""

    def f(u: lw.Array, v: lw.Array) -> tuple[lw.Array, ...]:
        inner = u[1:-1, 1:-1]
        laplacian = inner + 0.1 * (u[2:, 1:-1] + u[1:-1, :-2] - 4 * inner)
        across = v[1:] * v[:-1] + laplacian[2:, :1] - laplacian[:1, 1:] * u[:1, 3:]
        return laplacian, across, lw.sum(v[3:] - v[:-3]), inner * 2 - 1, laplacian[1:3] * 2 + 1

    x, v = (lw.asarray(np.random.default_rng(0).standard_normal(n)) for n in ((9, 70), (68,)))
    graph = lw.trace(f, x, v).faster()
    assert "u[i + 1, j + 1]" in graph.source
    assert "f_rows" not in graph.source
    for y, z in ((x, v), (x[:7, :40], v[:38]), (lw.flip(x), v), (x[:5, ::2], v[::2][:33])):
        found, expected = graph.function(y.data, z.data), f(y, z)
        for k, (a, b) in enumerate(zip(found, expected, strict=True)):
            assert k == 2 or bits(a) == bits(b)
        np.testing.assert_allclose(found[2], expected[2].data, rtol=1e-12)

    seven = lw.asarray(np.arange(7.0))
    graph = lw.trace(lambda u: u[2:5] * 2 - u[:3] * u[1:-3], seven).faster()
    for n in (7, 4, 2):
        y = np.arange(float(n))
        try:
            expected = y[2:5] * 2 - y[:3] * y[1:-3]
        except ValueError:
            with pytest.raises(ValueError, match="do not fit together"):
                graph.function(y)
            continue
        assert bits(graph.function(y)) == bits(expected)
