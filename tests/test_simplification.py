"""Random programs, traced without simplifications, with each of them, and with all: the same bits as eager.

A program is a list of steps over a pool of arrays. A step that eager refuses is left out, after the trace has refused
it by the same class of error. What the program returns, what it leaves in its arguments, and which of the results
share memory with each other and with the arguments are compared with eager.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import EXHAUSTIVE
from hypothesis import given, settings
from hypothesis import strategies as st

import latticework as lw
from latticework.tracing.passes.general import PASSES
from latticework.tracing.recording.tracer import trace
from latticework.tracing.writing import blocked, torch_blocks

DTYPES = [
    getattr(lw, name)
    for name in """
        float32 float32 float32 float64 int32 int32 int64 bool int8 uint8 int16 uint16 uint32 uint64 float16 bfloat16
        complex64 complex128
    """.split()
]
SHAPES = [(4,), (4,), (3, 4), (3, 4), (3, 1), (), (1,), (0,), (1, 4), (2, 3, 4), (5,)]
#: Where each shape is compiled for, or costs a graph.
FEW_DTYPES, FEW_SHAPES = [lw.float32, lw.int32, lw.bool, lw.float16], [(4,), (3, 4), ()]
VALUES = [0, 1, 2, 3, 5, 7, 100, 0.5, 1.5, 2.75, -1, -0.0, -3.5, -7, 1e30, float("inf"), -float("inf"), float("nan")]
SCALARS = [1, 0, 2, 3, 1.0, 0.0, -0.0, 0.5, -1, 2.5, True, float("nan"), 10**4]

UNARY = """
    abs negative positive exp log sqrt sin tanh floor round sign square isnan isfinite logical_not bitwise_invert real
    imag conj reciprocal expm1 cbrt signbit cumulative_sum sort flip zeros_like ones_like copy trunc
""".split()
BINARY = """
    add subtract multiply divide floor_divide remainder pow maximum minimum less equal logical_and bitwise_and
    bitwise_xor bitwise_left_shift atan2 hypot copysign logaddexp add multiply subtract
""".split()
REDUCTIONS = "sum mean max min prod any all std argmax count_nonzero".split()


class Step(NamedTuple):
    """A step of a program: what it does, and the numbers that choose its operands and options."""

    kind: str
    a: int
    b: int
    n: int


def _unary(x: Any, y: Any, n: int) -> Any:
    function = getattr(lw, UNARY[n % len(UNARY)], None)
    return x.copy() if function is None else function(x)


def _binary(x: Any, y: Any, n: int) -> Any:
    return getattr(lw, BINARY[n % len(BINARY)])(x, y)


def _twice(x: Any, y: Any, n: int) -> Any:
    name = BINARY[n % len(BINARY)]
    first = getattr(lw, name)(x, y)
    second = getattr(lw, name)(x, y)
    return [first, second, first == second]


def _scalar(x: Any, y: Any, n: int) -> Any:
    s = SCALARS[n % len(SCALARS)]
    which = n // len(SCALARS) % 9
    if which == 0:
        return x * s
    if which == 1:
        return s * x
    if which == 2:
        return x - s
    if which == 3:
        return x / s
    if which == 4:
        return x + s
    if which == 5:
        return s - x
    if which == 6:
        return x > s
    if which == 7:
        return lw.maximum(x, s)
    return x**s


def _elementwise(x: Any, y: Any, n: int) -> Any:
    """A stretch that is computed in blocks."""
    z = lw.maximum(x * 2, y)
    w = z + x * y
    if n % 3 == 0:
        return w
    v = lw.abs(w) * w + 1
    return [z, lw.where(v > 2, v, w - 1)] if n % 3 == 1 else lw.sum(v)


def _cast(x: Any, y: Any, n: int) -> Any:
    return lw.astype(x, DTYPES[n % len(DTYPES)])


def _cast_back(x: Any, y: Any, n: int) -> Any:
    return lw.astype(lw.astype(x, DTYPES[n % len(DTYPES)]), x.dtype)


def _reduce(x: Any, y: Any, n: int) -> Any:
    function = getattr(lw, REDUCTIONS[n % len(REDUCTIONS)])
    axis = [None, 0, -1][n // len(REDUCTIONS) % 3]
    return function(x, axis=axis, keepdims=bool(n % 2))


def _reduce_twice(x: Any, y: Any, n: int) -> Any:
    function = getattr(lw, ["sum", "max", "min", "prod", "any", "all"][n % 6])
    return function(function(x, axis=[0, -1, (), None][n // 6 % 4], keepdims=n % 5 == 0), axis=[None, 0][n // 24 % 2])


VIEWS: list[Callable[[Any], Any]] = [
    lambda x: lw.reshape(x, (-1,)),
    lambda x: x[::2],
    lambda x: x[None],
    lambda x: x[..., 0],
    lambda x: x[0],
    lambda x: x[1:],
    lambda x: x.T,
    lambda x: x[...],
    lambda x: lw.squeeze(x, axis=0),
    lambda x: lw.expand_dims(x, axis=-1),
    lambda x: lw.broadcast_to(x, (3, 4)),
    lambda x: x[:-1],
    lw.real,
]


def _view(x: Any, y: Any, n: int) -> Any:
    return VIEWS[n % len(VIEWS)](x)


WRITES: list[Callable[[Any, Any, Any], Any]] = [
    lambda x, y, s: x.__iadd__(s),
    lambda x, y, s: x.__imul__(y),
    lambda x, y, s: x.__setitem__(0, s),
    lambda x, y, s: x.__setitem__(..., y),
    lambda x, y, s: x.__setitem__(slice(None, None, 2), s),
    lambda x, y, s: x.__setitem__(x > 1, s),
    lambda x, y, s: lw.add(x, y, out=x),
    lambda x, y, s: x[1:].__isub__(s),
]


def _write(x: Any, y: Any, n: int) -> Any:
    WRITES[n % len(WRITES)](x, y, SCALARS[n // len(WRITES) % len(SCALARS)])
    return []


def _choose(x: Any, y: Any, n: int) -> Any:
    if n % 3 == 0:
        return lw.where(x > 1, x, y)
    if n % 3 == 1:
        return lw.clip(x, 0, 3)
    return lw.where(x == x, y, SCALARS[n % len(SCALARS)])


def _create(x: Any, y: Any, n: int) -> Any:
    which = n % 6
    if which == 0:
        return lw.zeros(4) + x
    if which == 1:
        return x * lw.arange(4)
    if which == 2:
        return lw.asarray([1.5, 2.5, 3.5, 4.5]) - x
    if which == 3:
        return lw.ones((3, 4), dtype=x.dtype)
    if which == 4:
        return lw.full_like(x, 2)
    return lw.exp(lw.full((4,), 0.5)) * x


def _join(x: Any, y: Any, n: int) -> Any:
    if n % 4 == 0:
        return lw.concat([x, y])
    if n % 4 == 1:
        return lw.stack([x, x])
    if n % 4 == 2:
        return x @ lw.matrix_transpose(y)
    return lw.take(x, lw.asarray([1, 0, 1]), axis=0)


def _control(x: Any, y: Any, n: int) -> Any:
    which = n % 5
    if which == 0:
        return lw.cond(lw.any(x != 0), lambda a: a * 1 + 1, lambda a: a * 2, y)
    if which == 1:
        return lw.fori_loop(0, 3, lambda i, c: c + x * 1, y)
    if which == 2:
        return [*lw.scan(lambda c, row: (c + row * 1, c - row), y[0], x)]
    if which == 3:
        return lw.cond(lw.any(x != 0), lambda a: a, lambda a: a.copy(), x)
    more = lw.while_loop(lambda i, c: (i < 3) & lw.all(c == c), lambda i, c: (i + 1, c * 2 + 1), (lw.asarray(0), y))
    return more[1]


KINDS: dict[str, Callable[[Any, Any, int], Any]] = {
    "unary": _unary, "binary": _binary, "twice": _twice, "scalar": _scalar, "elementwise": _elementwise,
    "cast": _cast, "cast back": _cast_back, "reduce": _reduce, "reduce twice": _reduce_twice, "view": _view,
    "write": _write, "choose": _choose,
    "create": _create, "join": _join, "control": _control,
}  # fmt: skip
USUAL = [*KINDS, "scalar", "scalar", "twice", "elementwise", "cast back", "view", "view", "write", "write"]


class Input(NamedTuple):
    """An array that a program gets or holds: its dtype, its shape, its layout, and the seed of its values."""

    dtype: lw.Dtype
    shape: tuple[int, ...]
    layout: int
    seed: int

    def array(self, seed: int = 0) -> lw.Array:
        """The array; with another seed, one of other values."""
        dice = np.random.default_rng((self.seed, seed))
        big = tuple([2 * n for n in self.shape]) if self.layout == 1 else self.shape
        with np.errstate(all="ignore"):
            values = dice.choice(VALUES, size=big)
            if self.dtype.kind in "iu":
                values = np.nan_to_num(values, nan=0, posinf=9, neginf=-9) % 100
            elif self.dtype.kind == "c":
                values = values + 1j * dice.choice(VALUES[:8], size=big)
        x = lw.astype(lw.asarray(values, dtype=lw.complex128 if self.dtype.kind == "c" else lw.float64), self.dtype)
        if not self.shape or lw.current_backend() not in ("numpy", "torch"):
            return x
        if self.layout == 1:
            return x[tuple([slice(None, None, 2)] * len(self.shape))]
        return lw.asarray(x.T, copy=True).T if self.layout == 2 and len(self.shape) == 2 else x


class Program:
    """Steps, the inputs, the arrays that the program holds, and what of the pool is returned."""

    def __init__(self, inputs: list[Input], held: list[lw.Array], steps: list[Step], returned: list[int]) -> None:
        self.inputs, self.held, self.steps, self.returned = inputs, held, steps, returned
        self.values = [h.copy() for h in held]

    def reset(self) -> None:
        """Bring back the values of the arrays that the program holds, which it may have written into."""
        for h, values in zip(self.held, self.values, strict=True):
            h[...] = values

    def __call__(self, *arrays: lw.Array) -> Any:
        pool = [*arrays, *self.held]
        for step in self.steps:
            self.do(step, pool)
        return [pool[i % len(pool)] for i in self.returned]

    def do(self, step: Step, pool: list[Any]) -> None:
        x, y = pool[step.a % len(pool)], pool[step.b % len(pool)]
        if step.kind in ("unary", "view", "cast", "cast back", "control"):
            # What reads a held array alone, as h[0] and astype, is computed once, when the function is traced.
            x, y = [pool[0] if any(z is h for h in self.held) else z for z in (x, y)]
        results = KINDS[step.kind](x, y, step.n)
        pool += results if isinstance(results, list) else [results]

    def arguments(self, seed: int = 0) -> list[lw.Array]:
        return [i.array(seed) for i in self.inputs]

    def __repr__(self) -> str:
        return f"Program({self.inputs}, {self.held}, {self.steps}, {self.returned})"


@st.composite
def programs(draw: Any, dtypes: list[lw.Dtype], shapes: list[Any], longest: int) -> Program:
    inputs = draw(st.lists(
        st.builds(Input, st.sampled_from(dtypes), st.sampled_from(shapes), st.integers(0, 2), st.integers(0, 9)),
        min_size=1, max_size=3,
    ))  # fmt: skip
    held = [Input(draw(st.sampled_from(dtypes)), draw(st.sampled_from(shapes)), 0, 5).array()]
    small = st.integers(0, 30)
    steps = draw(st.lists(
        st.builds(Step, st.sampled_from(USUAL), small, small, st.integers(0, 200)), min_size=3, max_size=longest
    ))  # fmt: skip
    return Program(inputs, held, steps, draw(st.lists(small, min_size=1, max_size=4)))


def outcome(f: Callable[..., Any], arrays: list[lw.Array]) -> Any:
    """The results of a call, or the class of its error."""
    try:
        return f(*arrays)
    except Exception as error:
        return type(error)


def bits(x: lw.Array) -> tuple[str, tuple[int, ...], bytes]:
    return str(x.dtype), x.shape, np.ascontiguousarray(np.asarray(x)).tobytes()


def close(x: lw.Array, y: lw.Array) -> bool:
    """Whether two arrays agree but for the last bits."""
    if x.dtype is not y.dtype or x.shape != y.shape:
        return False
    wide = [np.asarray(z).astype("c16") for z in (x, y)]
    with np.errstate(all="ignore"):
        return bool(np.allclose(*wide, rtol=1e-2 if x.dtype.bits == 16 else 1e-4, atol=1e-4, equal_nan=True))


def sharing(arrays: list[lw.Array]) -> list[bool]:
    """Which pairs of arrays share memory."""
    if lw.current_backend() != "numpy":
        return []
    return [
        x.ndim > 0
        and isinstance(x.data, np.ndarray)
        and isinstance(y.data, np.ndarray)
        and np.shares_memory(x.data, y.data)
        for i, x in enumerate(arrays)
        for y in arrays[:i]
    ]


def compare(program: Program, graph: Any, seed: int, exactly: bool) -> None:
    """Compare a graph with eager on inputs with other values."""
    eager_inputs, inputs = program.arguments(seed), program.arguments(seed)
    program.reset()
    expected = outcome(program, eager_inputs)
    left = [bits(h) for h in program.held]
    program.reset()
    found = outcome(graph, inputs)
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected, (found, expected)
        return
    assert [bits(h) for h in program.held] == left or not exactly
    for x, y in zip([*found, *inputs], [*expected, *eager_inputs], strict=True):
        assert bits(x) == bits(y) or (not exactly and close(x, y)), (x, y)
    for x, y in zip(found, expected, strict=True):
        for one, eager in zip(inputs, eager_inputs, strict=True):
            assert (x is one) == (y is eager) or any(s.kind == "control" for s in program.steps)
    shared = sharing([*expected, *eager_inputs, *program.held])
    assert sharing([*found, *inputs, *program.held]) == shared


def check(program: Program, passes: list[tuple[str, ...] | None], exactly: bool) -> None:
    """Leave out the steps that eager refuses, and compare the traces of the rest with eager."""
    kept: list[Step] = []
    program.reset()
    pool = [*program.arguments(), *program.held]
    refused: Step | None = None
    for step in program.steps:
        before = [*pool]
        try:
            program.do(step, pool)
            kept.append(step)
        except Exception as error:
            pool = before
            if refused is None:
                refused = step
                program.steps, steps = [*kept, step], program.steps
                program.reset()
                with pytest.raises(type(error)):
                    trace(program, tuple(program.arguments()), {}, ())
                program.steps = steps
    program.steps = kept
    program.reset()
    for names in passes:
        try:
            graph = trace(program, tuple(program.arguments()), {}, names)
            for seed in (0, 1):
                compare(program, graph, seed, exactly)
        except BaseException as error:
            text = ""
            with suppress(Exception):
                text = graph.body.text
            error.add_note(f"with the simplifications {names}:\n{text}")
            raise


ONE_BY_ONE: list[tuple[str, ...] | None] = [(), *[(name,) for name in PASSES], None]
EXAMPLES = {"numpy": 600, "torch": 120, "tensorflow": 48, "jax": 24, "dask": 16}


def run(backend: str, examples: int) -> None:
    costly = backend in ("jax", "dask", "tensorflow")
    drawn = programs(FEW_DTYPES if costly else DTYPES, FEW_SHAPES if costly else SHAPES, 8 if costly else 25)

    @settings(max_examples=examples, deadline=None)
    @given(drawn)
    def simplify(program: Program) -> None:
        check(program, [(), None] if costly else ONE_BY_ONE, exactly=backend != "jax")

    simplify()


def test_no_simplification_changes_a_program(backend: str) -> None:
    run(backend, EXAMPLES[backend] // (1 if EXHAUSTIVE else 8))


@pytest.mark.sweep
def test_no_simplification_changes_many_programs(backend: str) -> None:
    run(backend, {"numpy": 3000, "torch": 800}.get(backend, 100))


def test_blocks_change_no_program(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With blocks of three elements, whose last is shorter."""
    if backend not in ("numpy", "torch"):
        pytest.skip("only sources of NumPy and PyTorch compute in blocks")
    monkeypatch.setattr(blocked, "LARGE", 2)
    monkeypatch.setattr(blocked, "BLOCK", 3)
    monkeypatch.setattr(torch_blocks, "LARGE", 2)
    monkeypatch.setattr(torch_blocks, "BLOCK", 64)  # some functions have other bits in blocks of other lengths
    shapes = [(4,), (3, 4), (5,)] if backend == "numpy" else [(4,), (3, 4), (150,), (3, 50)]

    @settings(max_examples=1500 if EXHAUSTIVE else 60, deadline=None)
    @given(programs([lw.float32, lw.float32, lw.int32, lw.bool, lw.float16, lw.complex64], shapes, 12))
    def simplify(program: Program) -> None:
        check(program, [(), ("memory",), None], exactly=True)

    simplify()


def test_equal_numbers_are_one_constant_of_the_source() -> None:
    """Signs of zeros, nan and dtypes are told apart, and a name says which number it is."""

    def f(x: lw.Array) -> lw.Array:
        for _ in range(3):
            x = lw.where(x > 4, lw.asarray(-0.0), lw.clip(x * 4, lw.asarray(0.0), lw.asarray(4.2)))
            x = x + lw.asarray(float("nan")) + lw.asarray(1)
        return x

    graph = lw.trace(f, lw.asarray([1.0, 2.0]))
    texts = [line for line in graph.source.splitlines() if line.startswith(("c_", "constant"))]
    assert len(texts) == len({line.partition(" = ")[2] for line in texts}) == 6
    assert {line.partition(" = ")[0] for line in texts} >= {"c_4", "c_minus_0", "c_0", "c_nan"}
    x = lw.asarray([1.0, -2.0])
    assert graph(x).data.tobytes() == f(x).data.tobytes()
