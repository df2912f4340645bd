"""What an audit predicts of each operation of a program is what the frameworks themselves give, line by line."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.auditing.places import place_of
from latticework.auditing.recording import record, run_of
from latticework.engine.functions.without_data import stand_in

#: One operation a line. `x` is int32, `u` uint8, `h` float16, `f` float32, `b` bool, `z` of no dimensions and int64.
PROGRAMS = """
    a = x / 2; s = xp.sum(a); c = a - s; d = c * f
    a = x * 1.5; c = a + h; d = c ** 2
    a = x > 0; s = xp.sum(a); c = s / 3
    m = xp.mean(f); v = f - m; w = v * v; s = xp.sum(w); r = xp.sqrt(s)
    n = xp.asarray([1, 2, 3]); a = n * x; c = a / f
    w = xp.asarray([0.5, 1.5, 2.5]); a = w * h; c = a + f
    k = xp.arange(3); a = k / 4; c = a * h
    o = xp.ones(3); a = o * u; c = a + x
    o = xp.zeros(3); a = o + h; c = a - 1
    a = u * 2; c = a + u; s = xp.sum(c)
    a = u + x; c = a // 2; d = c % 7
    a = u / 255; c = 1 - a
    a = xp.exp(x); c = a + 1; s = xp.sum(c)
    a = xp.exp(h); s = xp.sum(a); c = a / s
    a = x * f; c = xp.maximum(a, f); d = c > 0.5
    a = xp.abs(x); c = xp.sqrt(a); d = xp.where(b, c, f)
    c = xp.where(b, x, u); d = xp.where(b, h, f)
    a = xp.cumsum(x); s = xp.cumsum(b); c = a + s
    p = xp.prod(x); q = xp.prod(u); c = p * q
    a = h * z; c = a + z; d = x + z
    a = f * z; c = z / 2; d = c + h
    a = b + x; d = a + 1.5
    c = b * 2
    a = x & 1; c = a | x; d = c << 1
    c = xp.concatenate([x, f]); d = c * 2.5
    c = xp.stack([h, f]); d = xp.mean(c)
    i = xp.argmax(f); c = i + x; d = c / 2
    a = -x; c = abs(a); d = 2 ** c
    a = x + 1j; c = xp.abs(a)
    a = x.astype("float16"); c = a + h; d = c * f
    m = f @ f; c = m * h
    v = xp.std(f); c = h / v
    a = xp.log(u); c = a - h
""".strip().splitlines()

INPUTS = {
    "x": ("int32", (3,)), "u": ("uint8", (3,)), "h": ("float16", (3,)), "f": ("float32", (3,)), "b": ("bool", (3,)),
    "z": ("int64", ()),
}  # fmt: skip


def lines_of(program: str) -> list[str]:
    return [line.strip() for line in program.split(";")]


def compiled(program: str) -> Callable[..., Any]:
    """A program as a function of ours, with a line for each operation and its source for the audit to read."""
    text = "\n".join(["def program(x, u, h, f, b, z):", *(f"    {line}" for line in lines_of(program))]) + "\n"
    file = f"<{program}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"xp": SimpleNamespace(**{n: getattr(lw, n) for n in NAMES})}
    exec(compile(text, file, "exec"), names)
    function: Callable[..., Any] = names["program"]
    return function


NAMES = (
    "sum mean sqrt asarray arange ones zeros exp maximum abs where cumsum prod concatenate stack argmax std log".split()
)


def predicted(program: str, rules: str) -> list[str | None]:
    """The dtype of each line, with None for a refusal and the dtype to go on with after it."""
    from latticework.backend import get

    def made(dtype: str, shape: tuple[int, ...]) -> Callable[[], Any]:
        return lambda: stand_in(lw.spec(shape, dtype), get("abstract"), "cpu")

    log = record(run_of(rules), compiled(program), tuple(made(*spec) for spec in INPUTS.values()), {})
    assert log.stopped is None, log.stopped
    found: dict[int, tuple[str | None, str]] = {}
    for r in log.records.values():
        line = place_of(r.call.code, r.call.instruction).line - 2
        refused = r.error is not None or (line in found and found[line][0] is None)
        found[line] = None if refused else str(r.results[0]), str(r.results[0])
    return [found[i] for i in range(len(lines_of(program)))]  # type: ignore[misc]


def shapes_of(program: str) -> dict[str, tuple[int, ...]]:
    """The shape of each variable, by NumPy."""
    values: dict[str, Any] = {n: np.ones(shape, dtype) for n, (dtype, shape) in INPUTS.items()} | {"xp": np}
    with np.errstate(all="ignore"):
        exec(program.strip(), values)
    return {name: np.shape(value) for name, value in values.items() if name != "__builtins__"}


def native(
    program: str, predictions: list[Any], shapes: Any, xp: Any, make: Callable[..., Any], name: Callable[..., str]
) -> Any:
    """The dtype of each line as the framework computes it. After a refusal it goes on with the dtype that ours has."""
    names = {n: make(*spec) for n, spec in INPUTS.items()} | {"xp": xp}
    found: list[str | None] = []
    for line, (_, going_on) in zip(lines_of(program), predictions, strict=True):
        variable, _, expression = line.partition(" = ")
        try:
            value = eval(expression, names)
            found.append(name(value))
        except Exception:  # each framework has its own
            value = make(going_on, shapes[variable])
            found.append(None)
        names[variable] = value
    return found


def of_numpy(program: str, predictions: list[Any]) -> Any:
    def make(dtype: str, shape: tuple[int, ...]) -> Any:
        return np.ones(shape, dtype) if shape else np.ones(shape, dtype)[()]

    with np.errstate(all="ignore"):
        return native(program, predictions, shapes_of(program), np, make, lambda v: str(np.asarray(v).dtype))


def of_torch(program: str, predictions: list[Any]) -> Any:
    import torch

    def reduced(name: str) -> Callable[..., Any]:
        return lambda a: getattr(torch, name)(a, 0)

    own = {n: getattr(torch, n) for n in NAMES if n != "asarray"}
    xp = SimpleNamespace(**{**own, "asarray": torch.tensor, "cumsum": reduced("cumsum")})
    shapes = shapes_of(program)
    program = program.replace('x.astype("float16")', "x.to(half)").replace("half", "xp.half")
    xp.half = torch.float16
    return native(
        program, predictions, shapes, xp,
        lambda dtype, shape: torch.ones(shape, dtype=getattr(torch, dtype)),
        lambda v: str(v.dtype).removeprefix("torch."),
    )  # fmt: skip


def of_jax(program: str, predictions: list[Any], x64: bool) -> Any:
    import jax
    import jax.numpy as jnp

    found: list[Any] = []

    def run(arguments: dict[str, Any]) -> int:
        def make(dtype: str, shape: tuple[int, ...]) -> Any:
            chosen = next((a for n, a in arguments.items() if INPUTS[n] == (dtype, shape)), None)
            return jnp.ones(shape, dtype) if chosen is None else chosen

        found.append(native(program, predictions, shapes_of(program), jnp, make, lambda v: str(jnp.asarray(v).dtype)))
        return 0

    with jax.enable_x64(x64):
        jax.eval_shape(run, {n: jax.ShapeDtypeStruct(shape, dtype) for n, (dtype, shape) in INPUTS.items()})
    return found[0]


def of_tensorflow(program: str, predictions: list[Any]) -> Any:
    import tensorflow as tf

    xp = SimpleNamespace(
        sum=tf.reduce_sum, mean=tf.reduce_mean, sqrt=tf.sqrt, asarray=tf.constant, arange=tf.range, ones=tf.ones,
        zeros=tf.zeros, exp=tf.exp, maximum=tf.maximum, abs=tf.abs, where=tf.where, cumsum=tf.cumsum,
        prod=tf.reduce_prod, concatenate=lambda xs: tf.concat(xs, 0), stack=tf.stack, argmax=tf.argmax,
        std=tf.math.reduce_std, log=tf.math.log,
    )  # fmt: skip
    shapes = shapes_of(program)
    program = program.replace('x.astype("float16")', 'xp.cast(x, "float16")').replace("f @ f", "xp.matmul(f, f)")
    program = program.replace("c << 1", "xp.shift(c, 1)")
    xp.cast, xp.matmul, xp.shift = tf.cast, lambda a, b: tf.tensordot(a, b, 1), tf.bitwise.left_shift
    return native(
        program, predictions, shapes, xp, lambda dtype, shape: tf.ones(shape, getattr(tf, dtype)) if dtype != "bool"
        else tf.constant(True, shape=shape), lambda v: str(v.dtype.name),
    )  # fmt: skip


FRAMEWORKS: dict[str, Callable[..., Any]] = {
    "numpy": of_numpy,
    "torch": of_torch,
    "jax": lambda p, found: of_jax(p, found, True),
    "jax-x32": lambda p, found: of_jax(p, found, False),
    "tensorflow": of_tensorflow,
}


#: Where our rules refuse and the framework answers: TensorFlow makes a bool of a Python int beside bools.
KNOWN = {"tensorflow": {"c = b * 2"}}


@pytest.mark.parametrize("rules", FRAMEWORKS)
def test_each_line_has_the_dtype_that_the_framework_gives_it(rules: str) -> None:
    pytest.importorskip(rules.partition("-")[0])
    differ = {}
    for program in PROGRAMS:
        predictions = predicted(program, rules)
        expected = FRAMEWORKS[rules](program, predictions)
        if [dtype for dtype, _ in predictions] != expected:  # type: ignore[misc]
            differ[program.strip()] = predictions, expected
    assert differ.keys() == KNOWN.get(rules, set()), "\n".join(
        f"{p}: {ours}, {theirs}" for p, (ours, theirs) in differ.items()
    )
