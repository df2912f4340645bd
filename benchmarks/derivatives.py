"""What a gradient on NumPy costs: beside HIPS autograd, JAX, and backpropagation written by hand.

    python benchmarks/derivatives.py                       every program, as plain text
    python benchmarks/derivatives.py --markdown
    python benchmarks/derivatives.py --programs mlp scan --rounds 51
    python benchmarks/derivatives.py --backend torch       ours beside the framework's own gradient; jax, tensorflow
    python benchmarks/derivatives.py --backend torch --rules          by latticework's rules
    python benchmarks/derivatives.py --backend jax --compiled         what is compiled alone

One thread and its processor time, all in turns in one process. A figure is the time of `lw.value_and_grad(f)` over the
other's: the median over the rounds, with its quartiles. "compiled" is `lw.compile(lw.value_and_grad(f))`, on JAX and
TensorFlow `lw.jit`. autograd and JAX are left out where they are not installed: ``pip install autograd``. A program is
one function of a namespace, which all of them run.
"""

from __future__ import annotations

from timing import duration, in_turns  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import importlib
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

import latticework as lw

LIMIT = 6.0  # seconds for one program


class Program(NamedTuple):
    """A loss, and its arguments.

    Attributes
    ----------
    loss: a function of a namespace, the parameters, and the data.
    params, data: NumPy arrays.
    by_hand: a function of NumPy arrays that returns the loss and its gradient; None where nobody would write one.
    """

    loss: Callable[..., Any]
    params: dict[str, np.ndarray]
    data: tuple[np.ndarray, ...]
    by_hand: Callable[..., Any] | None = None


DICE = np.random.default_rng(0)


def numbers(*shape: int, scale: float = 0.3) -> np.ndarray:
    return (scale * DICE.normal(size=shape)).astype("float32")


def mlp(xp: Any, p: Any, x: Any, y: Any) -> Any:
    hidden = xp.tanh(xp.matmul(x, p["w1"]) + p["b1"])
    return xp.mean((xp.matmul(hidden, p["w2"]) - y) ** 2)


def mlp_by_hand(p: Any, x: Any, y: Any) -> Any:
    hidden = np.tanh(x @ p["w1"] + p["b1"])
    error = hidden @ p["w2"] - y
    back = error * np.float32(2 / error.size)
    inner = (back @ p["w2"].T) * (1 - hidden * hidden)
    return np.mean(error * error), {"w1": x.T @ inner, "b1": inner.sum(0), "w2": hidden.T @ back}


def mlp_of(batch: int, inputs: int, hidden: int) -> Program:
    params = {"w1": numbers(inputs, hidden), "b1": numbers(hidden), "w2": numbers(hidden, 4)}
    return Program(mlp, params, (numbers(batch, inputs), numbers(batch, 4)), mlp_by_hand)


def convolved(xp: Any, x: Any, kernel: Any) -> Any:
    """Convolve images with square kernels, as shifted products: what every namespace can."""
    n = kernel.shape[-1]
    height, width = x.shape[2] - n + 1, x.shape[3] - n + 1
    total = 0.0
    for i in range(n):
        for j in range(n):
            part = x[:, :, i : i + height, j : j + width]
            total = total + xp.einsum("bchw,oc->bohw", part, kernel[:, :, i, j])
    return total


def convolutional(xp: Any, p: Any, x: Any, y: Any) -> Any:
    x = xp.maximum(convolved(xp, x, p["k1"]), 0.0)
    x = xp.maximum(convolved(xp, x, p["k2"]), 0.0)
    return xp.mean((xp.matmul(xp.mean(x, axis=(2, 3)), p["w"]) - y) ** 2)


def normalised(xp: Any, x: Any) -> Any:
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    return centred / xp.sqrt(xp.mean(centred**2, axis=-1, keepdims=True) + 1e-5)


def block(xp: Any, p: Any, x: Any) -> Any:
    """A block of a transformer, with one head."""
    h = normalised(xp, x)
    q, k, v = (xp.matmul(h, p[name]) for name in "qkv")
    scores = xp.matmul(q, xp.swapaxes(k, -1, -2)) * (q.shape[-1] ** -0.5)
    scores = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    x = x + xp.matmul(xp.matmul(scores / xp.sum(scores, axis=-1, keepdims=True), v), p["o"])
    h = xp.tanh(xp.matmul(normalised(xp, x), p["f1"]))
    return xp.mean((x + xp.matmul(h, p["f2"])) ** 2)


def kalman(xp: Any, p: Any, ys: Any) -> Any:
    """The likelihood of a path under a linear Gaussian model."""
    mean, cov, total = ys[0] * 0.0, xp.matmul(p["q"], xp.swapaxes(p["q"], 0, 1)) * 0.0 + p["f"] * 0.0, 0.0
    noise = xp.matmul(p["q"], xp.swapaxes(p["q"], 0, 1))
    for i in range(ys.shape[0]):
        mean, cov = xp.matmul(p["f"], mean), xp.matmul(xp.matmul(p["f"], cov), xp.swapaxes(p["f"], 0, 1)) + noise
        seen = cov + p["r"]
        error = ys[i] - mean
        gain = xp.swapaxes(xp.linalg.solve(seen, cov), 0, 1)
        total = total + xp.sum(error * xp.linalg.solve(seen, error[:, None])[:, 0]) + xp.linalg.slogdet(seen)[1]
        mean, cov = mean + xp.matmul(gain, error), cov - xp.matmul(gain, cov)
    return total


def scan(xp: Any, p: Any, xs: Any) -> Any:
    """A thousand steps of a recurrence."""
    state, total = xs[0] * 0.0, 0.0
    for i in range(xs.shape[0]):
        state = xp.tanh(xp.matmul(p["w"], state) + xs[i])
        total = total + xp.sum(state)
    return total


PROGRAMS: dict[str, Callable[[], Program]] = {
    "mlp 32 x 8 x 16": lambda: mlp_of(32, 8, 16),
    "mlp 128 x 64 x 256": lambda: mlp_of(128, 64, 256),
    "convolutional": lambda: Program(
        convolutional, {"k1": numbers(8, 1, 3, 3), "k2": numbers(16, 8, 3, 3), "w": numbers(16, 10)},
        (numbers(8, 1, 20, 20), numbers(8, 10)),
    ),
    "transformer block": lambda: Program(
        block, {n: numbers(64, 64) for n in "qkvo"} | {"f1": numbers(64, 256), "f2": numbers(256, 64)},
        (numbers(4, 32, 64),),
    ),
    "kalman, 30 steps": lambda: Program(
        kalman, {"f": 0.9 * np.eye(4, dtype="float32"), "q": numbers(4, 4), "r": np.eye(4, dtype="float32")},
        (numbers(30, 4),),
    ),
    "scan, 1,000 steps": lambda: Program(scan, {"w": numbers(8, 8)}, (numbers(1000, 8),)),
}  # fmt: skip


def ours(program: Program, *, compiled: bool) -> Callable[[], Any]:
    params, data = lw.tree.map(lw.asarray, program.params), [lw.asarray(x) for x in program.data]
    gradient: Any = lw.value_and_grad(lambda p, *data: program.loss(lw, p, *data))
    if compiled:
        gradient = (lw.jit if lw.current_backend() in ("jax", "tensorflow") else lw.compile)(gradient)
    if lw.current_backend() != "jax":
        return lambda: gradient(params, *data)
    wait = importlib.import_module("jax").block_until_ready
    return lambda: wait(gradient(params, *data))


def others(program: Program, backend: str) -> dict[str, Callable[[], Any]]:
    """What ours stands beside, as functions without arguments."""
    found: dict[str, Callable[[], Any]] = {}
    if backend == "torch":
        import torch

        torch.set_num_threads(1)
        xp = lw.array_namespace("torch")
        leaves = {n: torch.tensor(x, requires_grad=True) for n, x in program.params.items()}
        given = [torch.tensor(x) for x in program.data]

        def call() -> Any:
            value = program.loss(xp, leaves, *given)
            return value, torch.autograd.grad(value, [*leaves.values()])

        return {"the framework's": call}
    if backend == "jax":
        jax = importlib.import_module("jax")
        xp, given = lw.array_namespace("jax"), [jax.numpy.asarray(x) for x in program.data]
        p, gradient = jax.tree.map(jax.numpy.asarray, program.params), jax.value_and_grad(partial(program.loss, xp))
        compiled = jax.jit(gradient)
        return {
            "the framework's": lambda: jax.block_until_ready(gradient(p, *given)),
            "jitted": lambda: jax.block_until_ready(compiled(p, *given)),
        }
    if backend == "tensorflow":
        tf = importlib.import_module("tensorflow")
        xp, given = lw.array_namespace("tensorflow"), [tf.constant(x) for x in program.data]
        leaves = {n: tf.constant(x) for n, x in program.params.items()}

        def taped(leaves: Any, *given: Any) -> Any:
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(leaves)
                value = program.loss(xp, leaves, *given)
            return value, tape.gradient(value, leaves)

        graph = tf.function(taped)
        return {"the framework's": lambda: taped(leaves, *given), "tf.function": lambda: graph(leaves, *given)}
    if program.by_hand is not None:
        by_hand = program.by_hand
        found["by hand"] = lambda: by_hand(program.params, *program.data)
    if find_spec("autograd"):
        autograd, anp = importlib.import_module("autograd"), importlib.import_module("autograd.numpy")
        gradient = autograd.value_and_grad(lambda p: program.loss(anp, p, *program.data))
        found["autograd"] = lambda: gradient(program.params)
    if find_spec("jax"):
        jax = importlib.import_module("jax")
        p, data = jax.tree.map(jax.numpy.asarray, program.params), [jax.numpy.asarray(x) for x in program.data]
        run = jax.jit(jax.value_and_grad(lambda p, *data: program.loss(jax.numpy, p, *data)))
        found["jax.jit"] = lambda: jax.block_until_ready(run(p, *data))
    return found


def check(calls: dict[str, Callable[[], Any]]) -> None:
    """Refuse to time programs that do not agree."""
    values = {name: float(call()[0]) for name, call in calls.items()}
    first = next(iter(values.values()))
    if not np.allclose([*values.values()], first, rtol=1e-3, atol=1e-4):
        raise AssertionError(f"the losses differ: {values}")


def time_program(name: str, program: Program, options: argparse.Namespace) -> None:
    calls = {"ours": ours(program, compiled=False), "compiled": ours(program, compiled=True)}
    beside = others(program, options.backend)
    if options.compiled:
        del calls["ours"]
        beside = {key: call for key, call in beside.items() if key != "the framework's" or len(beside) == 1}
    calls |= beside
    check(calls)
    keys = {key: f"f{i}" for i, key in enumerate(calls)}
    turns = in_turns(
        {key: f"{keys[key]}()" for key in calls}, {keys[key]: call for key, call in calls.items()},
        options.rounds, LIMIT, time.process_time,
    )  # fmt: skip
    for key in [key for key in calls if key not in ("ours", "compiled")]:
        for mine in [key for key in ("ours", "compiled") if key in calls]:
            low, middle, high = turns.speed(key, mine)
            cells = (name, mine, duration(turns.median(mine)), key, duration(turns.median(key)), f"{middle:.2f}")
            print(row((*cells, f"{low:.2f} to {high:.2f}"), options.markdown), flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", nargs="+", default=[""], help="those whose name begins so")
    parser.add_argument("--backend", default="numpy", choices=("numpy", "torch", "jax", "tensorflow"))
    parser.add_argument("--rules", action="store_true", help="latticework's rules in place of the framework's")
    parser.add_argument("--compiled", action="store_true", help="leave out what is not compiled")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    with lw.using(backend=options.backend, gradients="rules" if options.rules else "unified"):
        for name, make in PROGRAMS.items():
            if any(name.startswith(begin) for begin in options.programs):
                time_program(name, make(), options)
    return 0


def row(cells: tuple[str, ...], markdown: bool) -> str:
    if markdown:
        return "| " + " | ".join(cells) + " |"
    widths = (20, 9, 9, 16, 9, 7, 0)
    return " ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
