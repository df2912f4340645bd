"""Sample data and comparisons that the tests share. The reference is NumPy, in a dtype wide enough to be exact."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cases import LINE, SHAPES, crossed

import latticework as lw
from latticework.backend.facts import all_facts, outside
from latticework.core.dtypes import category

NUMPY = {d: np.dtype(ml_dtypes.bfloat16) if d is lw.bfloat16 else np.dtype(str(d)) for d in lw.all_dtypes}
NUMPY |= {d: np.dtype(getattr(ml_dtypes, str(d))) for d in lw.extended_dtypes}
#: A dtype of NumPy's that holds every value of a kind: what expected numbers are computed in.
WIDE = {"b": np.dtype(bool), "i": np.dtype("int64"), "u": np.dtype("uint64"), "f": np.dtype("float64"),
        "c": np.dtype("complex128")}  # fmt: skip

#: latticework's own backends whose frameworks are installed.
INSTALLED = [b.name for b in lw.backends() if b.installed and b.name not in outside()]
#: Those that tests of drawn arrays go through, at so many examples.
TWO = [name for name in ("numpy", "torch") if name in INSTALLED]
#: Backends whose arrays never change: writing binds the `Array` to a new one, and there are no views.
IMMUTABLE = [name for name, facts in all_facts().items() if facts.immutable]
#: Backends whose arrays are computed later.
LAZY = [name for name, facts in all_facts().items() if facts.lazy]
#: How many functions more a call enters there that describes what to compute, where others compute: so many for each
#: step of it, of which a transform along several axes has several.
DESCRIBES = 32
#: How many functions more a call enters of one that a backend computes in several steps.
STEPS = 20
#: backend -> those functions
IN_STEPS = {name: frozenset(facts.stepwise) for name, facts in all_facts().items()}


def checked_by_mypy(*programs: Path) -> str:
    """What mypy says of programs, under the rules of the package. Its cache is that of ``make test``, which checks the
    package first: a program takes a second then."""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *map(str, programs)],
        capture_output=True, text=True, cwd=root, check=False, env=os.environ | {"MYPYPATH": "src"},
    )  # fmt: skip
    return done.stdout + done.stderr


class Absent:
    """A package that is not installed, and what tests take from it: a test that calls it is skipped.

    Attributes
    ----------
    name: what ``import`` does not find.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, word: str) -> Absent:
        if word.startswith("__"):
            raise AttributeError(word)
        return self

    def __call__(self, *args: object, **options: object) -> Any:
        pytest.skip(f"{self.name} is not installed")

    def __instancecheck__(self, x: object) -> bool:
        return False


def imported(name: str) -> Any:
    """A module of a framework that values are compared with; where it is not installed, what skips each such test."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        return Absent(str(error.name))


def another(backend: str, preferred: str) -> str:
    """Another backend: NumPy's, or for NumPy the preferred one; where that is not installed, the test is skipped."""
    if backend != "numpy":
        return "numpy"
    pytest.importorskip({"dask": "dask.array"}.get(preferred, preferred), exc_type=ModuleNotFoundError)
    return preferred


def skip_lazy(backend: str, reason: str) -> None:
    """Skip the rest of a test, of what an array that is not computed yet cannot do."""
    if backend in LAZY:
        pytest.skip(reason)


def dtypes(kind: str) -> list[lw.Dtype]:
    """The dtypes of a category (see `latticework.core.dtypes.CATEGORIES`)."""
    return [*category(kind)]


def values(dtype: lw.Dtype, shape: tuple[int, ...], *, seed: int = 0, low: float = -4, high: float = 4) -> np.ndarray:
    """Values of a dtype: integers between low and high (not below 0 for unsigned), floats in steps of 1/8."""
    rng = np.random.default_rng([seed, len(str(dtype)), dtype.bits, *shape])
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        start = max(int(low), 0) if dtype.kind == "u" else int(low)
        return rng.integers(start, int(high) + 1, shape).astype(NUMPY[dtype])
    steps = rng.integers(int(low * 8), int(high * 8) + 1, shape) / 8
    if dtype.kind == "c":
        steps = steps + 1j * rng.integers(int(low * 8), int(high * 8) + 1, shape) / 8
    return np.asarray(steps).astype(NUMPY[dtype])


def extremes(dtype: lw.Dtype) -> np.ndarray:
    """The values that break things: the ends of the range, zeros of both signs, infinities and nan."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = lw.iinfo(dtype)
        middle = [-1, 0, 1] if dtype.kind == "i" else [0, 1, info.max // 2, info.max // 2 + 1]
        return np.array([info.min, info.min + 1, *middle, info.max - 1, info.max], dtype=NUMPY[dtype])
    info = lw.finfo(dtype)
    reals = np.array([-np.inf, info.min, -1.5, -1.0, -0.5, -0.0, 0.0, info.smallest_normal, 0.5, 1.0, 1.5, info.max,
                      np.inf, np.nan])  # fmt: skip
    if dtype.kind == "f":
        return reals.astype(NUMPY[dtype])
    return (reals[:, None] + 1j * reals[None, :]).ravel().astype(NUMPY[dtype])


def pairs_of(dtype: lw.Dtype) -> tuple[np.ndarray, np.ndarray]:
    """Every extreme value with every other."""
    x = extremes(dtype)
    return np.repeat(x, x.size), np.tile(x, x.size)


def filled(x: np.ndarray, special: np.ndarray) -> np.ndarray:
    """An operand of the canonical shape with special values in the first places, so that they and the others are one
    kernel; the special values themselves where they are more. An operand of another shape stays as it is."""
    if x.shape != LINE:
        return x
    return special if special.size > x.size else np.concatenate([special, x[special.size :]]).astype(x.dtype)


def layouts(x: np.ndarray) -> Iterator[tuple[str, lw.Array]]:
    """The same array as latticework arrays of several memory layouts: contiguous, transposed, strided, broadcast."""
    if lw.current_backend() == "dask" and (x.dtype.num + x.size) % 2:  # what it has are chunks: one or several, in
        import dask.array as da  # turns, for each computation takes milliseconds

        yield "chunked", lw.asarray(da.from_array(x, chunks=2))
        return
    yield "contiguous", lw.asarray(x)
    if lw.current_backend() in ("jax", "dask"):
        return  # JAX has no other layouts, and compiles for every shape that leads to one
    if x.ndim >= 2:
        yield "transposed", lw.permute_dims(lw.asarray(np.ascontiguousarray(x.T)), tuple(reversed(range(x.ndim))))
    if x.ndim >= 1:
        padded = np.repeat(x, 2, axis=-1)
        yield "strided", lw.asarray(padded)[..., ::2]


def wide(x: Any) -> np.ndarray:
    """An array, ours or NumPy's, as NumPy's widest dtype of its kind."""
    x = np.asarray(x)
    kind = "f" if x.dtype == NUMPY[lw.bfloat16] else x.dtype.kind
    return x.astype(WIDE[kind])


def check(result: lw.Array, expected: Any, dtype: lw.Dtype, *, ulps: float = 4, scale: float | None = None) -> None:
    """Assert that a result is an honest array of `dtype` and equals `expected`: exactly, or within `ulps` for floats.

    `expected` is in any dtype of the same kind; floats are compared after rounding it to `dtype`. `scale` is the
    size that the error is relative to where it is not the value's own, as in a sum that cancels.
    """
    assert isinstance(result, lw.Array)
    assert result.dtype is dtype, f"dtype {result.dtype}, expected {dtype}"
    native = result._sig.backend.native_dtypes[dtype]
    assert result.data.dtype == native, f"the array says {dtype} and its data is {result.data.dtype}"
    said, expected = result.shape, np.array(expected)

    def compare(values: np.ndarray) -> None:
        assert values.dtype == NUMPY[dtype], f"the array says {dtype}; computed it is {values.dtype}"
        shape = values.shape if None in said else said  # of what is computed later
        assert values.shape == shape == expected.shape, f"shape {shape}, expected {expected.shape}"
        _compare_values(values, expected, dtype, ulps, scale)

    computed(result, compare)


def check_equal(result: lw.Array, other: lw.Array, *, ulps: float = 0) -> None:
    """Assert that a result is an honest array of the dtype, shape and values of another one."""
    assert isinstance(result, lw.Array)
    assert result.dtype is other.dtype, f"dtype {result.dtype}, expected {other.dtype}"
    assert result.data.dtype == result._sig.backend.native_dtypes[result.dtype]

    def compare(values: np.ndarray, expected: np.ndarray) -> None:
        assert values.dtype == NUMPY[result.dtype]
        assert values.shape == expected.shape, f"shape {values.shape}, expected {expected.shape}"
        assert None in result.shape or result.shape == values.shape
        _compare_values(values, expected, result.dtype, ulps, None)

    computed((result, other), compare)


def _compare_values(values: np.ndarray, expected: np.ndarray, dtype: lw.Dtype, ulps: float, scale: Any) -> None:
    got = wide(values)
    if dtype.kind in "biu":
        np.testing.assert_array_equal(got, wide(expected))
        return
    with np.errstate(all="ignore"):
        want = wide(expected.astype(NUMPY[dtype]))
    eps = lw.finfo(dtype).eps
    tiny = lw.finfo(dtype).smallest_normal
    np.testing.assert_allclose(got, want, rtol=ulps * eps, atol=max(tiny, ulps * eps * (scale or 0)))


class Same:
    """Compare a function of ours with NumPy's, on every shape, dtype and memory layout.

    A test goes through it many times, each for some shapes. By the rule in `cases` the first time for a function has
    the test's first case. The result is an array or several, in the dtype of the operand.
    """

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __call__(
        self, name: str, ours: Callable[..., Any], theirs: Callable[..., Any], *shapes: tuple[int, ...]
    ) -> None:
        for shape, dtype in crossed(shapes or SHAPES, lw.all_dtypes, name, first=name not in self.seen):
            for _, x in layouts(values(dtype, shape)):
                got, want = ours(x), theirs(wide(values(dtype, shape)))
                many = isinstance(want, (tuple, list))
                assert isinstance(got, (tuple, list)) == many
                for g, w in zip(got, want, strict=True) if many else [(got, want)]:
                    check(g, w, dtype)
        self.seen.add(name)


# --- what is computed later --------------------------------------------------------------------------------------

#: Arrays of Dask to be compared at the end of the test, what compares them, and where the test asked for it.
Pending = list[tuple[tuple[Any, ...], Callable[..., None], str]]
_pending: Pending | None = None
#: XLA rounds after each function, as it does where each is a program.
ROUNDING = {"xla_allow_excess_precision": False}
#: So many at once: their graphs become one, which is held in memory.
AT_ONCE = 1000


def computed(results: lw.Array | tuple[lw.Array, ...], compare: Callable[..., None]) -> None:
    """Hand the values of a result, or of several, to a comparison: at once, or where `together` is on and they are lazy
    at the end of the test, computed with all the others. So are results that JAX traces for `in_one_program`."""
    results = results if isinstance(results, tuple) else (results,)
    lazy = any(r.backend in LAZY for r in results)
    if _pending is None or not (lazy or any(map(_is_traced, results))):
        compare(*map(np.asarray, results))
        return
    _pending.append((tuple([r.data for r in results]), compare, _asked_at()))
    if len(_pending) >= AT_ONCE and lazy:
        _compute(_pending)


@contextmanager
def together() -> Iterator[None]:
    """Compute the lazy results of a test at its end, in one graph: Dask takes longer to schedule than to compute."""
    global _pending
    _pending = []
    try:
        yield
        _compute(_pending)
    finally:
        _pending = None


def in_one_program(test: Callable[..., object]) -> Callable[..., None]:
    """Make one program of a test of JAX's results: all its calls are traced, compiled together and computed, and then
    the results are compared. A kernel by itself takes JAX four times as long. The values that the test starts from are
    the program's arguments. A test that asks for values before its end, or fails, runs again as it is written."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        with suppress(Exception, pytest.fail.Exception):  # the other run decides, outside the handling of this failure
            _trace(lambda: test(**fixtures))
            return
        for fixture in fixtures.values():
            if isinstance(fixture, Same):
                fixture.seen.clear()
        test(**fixtures)

    return run


def _trace(test: Callable[[], object]) -> None:
    global _pending
    import jax

    pending: Pending = []

    def traced() -> list[Any]:
        test()
        return [data for data, _, _ in pending]

    _pending = pending
    try:
        with _values_asked_for() as asked:
            program, described = jax.make_jaxpr(traced, return_shape=True)()
    finally:
        _pending = None
    if asked:  # and the test took it for an error of ours
        raise TypeError("the test asks for values")
    if pending:
        compiled = jax.jit(lambda values: jax.core.eval_jaxpr(program.jaxpr, values), compiler_options=ROUNDING)
        _compare_all(jax.tree.unflatten(jax.tree.structure(described), compiled(program.consts)), pending)


@contextmanager
def _values_asked_for() -> Iterator[list[object]]:
    """Note the errors that JAX raises where something asks for the values of a traced array."""
    import jax

    asked: list[object] = []
    kinds: list[Any] = [
        jax.errors.ConcretizationTypeError, jax.errors.NonConcreteBooleanIndexError,
        jax.errors.TracerArrayConversionError, jax.errors.TracerIntegerConversionError,
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for kind in kinds:

            def noted(self: Any, *args: Any, created: Any = kind.__init__) -> None:
                asked.append(self)
                created(self, *args)

            patch.setattr(kind, "__init__", noted)
        yield asked


def _is_traced(result: lw.Array) -> bool:
    """Whether JAX has described this result and not computed it."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(result.data, jax.core.Tracer)


def _compute(pending: Pending) -> None:
    import dask

    _compare_all(dask.compute(*(data for data, _, _ in pending), optimize_graph=False), pending)


def _compare_all(arrays: Sequence[Any], pending: Pending) -> None:
    for values, (_, compare, where) in zip(arrays, pending, strict=True):
        try:
            compare(*map(np.asarray, values))
        except AssertionError as error:
            raise AssertionError(f"compared at {where}: {error}") from error
    pending.clear()


def _asked_at() -> str:
    """The line of the test that asks for a comparison, and the numbers and names that it has there."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    plain = (str, int, float, tuple, type(None))
    local = ", ".join(f"{k}={v!r}" for k, v in frame.f_locals.items() if isinstance(v, plain))
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} with {local}"


_PACKAGE = str(Path(lw.__file__).parent)


def frames(call: Callable[[], Any]) -> list[str]:
    """Our Python functions that a call enters which has been made before. The framework's own are its own affair."""
    call()
    entered: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_PACKAGE):
            entered.append(f"{frame.f_code.co_filename}:{frame.f_code.co_name}")

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered
