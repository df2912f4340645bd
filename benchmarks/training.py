"""What a step of training costs in PyTorch's dialect: forward, `backward`, and the step of an optimizer.

    python benchmarks/training.py                          every program on NumPy, as plain text
    python benchmarks/training.py --markdown
    python benchmarks/training.py --backend torch          beside PyTorch itself; jax: beside JAX by hand
    python benchmarks/training.py --programs mlp --optimizers AdamW --rounds 51
    python benchmarks/training.py --backend jax --compiled      the step by torch.compile, beside jax.jit of one by hand

One thread and its processor time, all in turns in one process. A figure is the time of a step in the dialect over that
of the same step by others: the median over the rounds, with its quartiles. On PyTorch the other is the same program
with PyTorch's own modules; on JAX the same step by hand, without `jax.jit` and with it; on NumPy a loss by hand with
HIPS autograd (``pip install autograd``) and the update by hand. With ``--compiled`` the dialect's step is one program
of `torch.compile`, and beside it stands also that step without `torch.compile`. The last figure is the memory that a
step takes beside what it began with, over that of the other: of NumPy's arrays, or of PyTorch's tensors.
"""

from __future__ import annotations

from timing import duration, in_turns  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import importlib
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import latticework as lw
import latticework.frontends.torch as dialect

LIMIT = 6.0  # seconds for one program
RATE = 1e-3
DICE = np.random.default_rng(0)

Step = Callable[[], Any]
Params = dict[str, np.ndarray]


def numbers(*shape: int, scale: float = 0.3) -> np.ndarray:
    return (scale * DICE.normal(size=shape)).astype("float32")


# --- the programs: a module of PyTorch's, and its loss by hand over a namespace ---------------------------------------


class Program:
    """A module with its data, and the same loss as a function of its parameters.

    Attributes
    ----------
    module: a function of ``torch`` that makes the module.
    loss: a function of a namespace, the parameters by their paths, and the data; None where there is none by hand.
    data: NumPy arrays: inputs and targets.
    """

    def __init__(self, module: Callable[[Any], Any], loss: Callable[..., Any] | None, *data: np.ndarray) -> None:
        self.module, self.loss, self.data = module, loss, data


def mlp_module(torch: Any) -> Any:
    nn = torch.nn
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))


def mlp_loss(xp: Any, p: Any, x: Any, y: Any) -> Any:
    hidden = xp.tanh(xp.matmul(x, p["0.weight"].T) + p["0.bias"])
    return xp.mean((xp.matmul(hidden, p["2.weight"].T) + p["2.bias"] - y) ** 2)


def resnet_module(torch: Any) -> Any:
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.norm1 = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
            self.conv2, self.norm2 = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)

        def forward(self, x: Any) -> Any:
            y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
            return F.relu(x + y)

    return Block()


def gpt_module(torch: Any) -> Any:
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self, size: int = 32, heads: int = 4) -> None:
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
            self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
            self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

        def forward(self, x: Any) -> Any:
            batch, length, size = x.shape
            parts = self.qkv(self.norm1(x)).chunk(3, dim=-1)
            q, k, v = [t.reshape(batch, length, self.heads, size // self.heads).transpose(1, 2) for t in parts]
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, size))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    return Block()


def gpt_loss(xp: Any, p: Any, x: Any, y: Any) -> Any:
    def normed(x: Any, name: str) -> Any:
        centred = x - xp.mean(x, axis=-1, keepdims=True)
        variance = xp.mean(centred * centred, axis=-1, keepdims=True)
        return centred / xp.sqrt(variance + 1e-5) * p[f"{name}.weight"] + p[f"{name}.bias"]

    def linear(x: Any, name: str) -> Any:
        return xp.matmul(x, p[f"{name}.weight"].T) + p[f"{name}.bias"]

    batch, length, size = x.shape
    h = linear(normed(x, "norm1"), "qkv")
    q, k, v = [
        xp.swapaxes(xp.reshape(h[:, :, i * size : (i + 1) * size], (batch, length, 4, size // 4)), 1, 2)
        for i in range(3)
    ]
    later = np.triu(np.full((length, length), -1e9, "float32"), 1)
    scores = xp.matmul(q, xp.swapaxes(k, -1, -2)) * (size // 4) ** -0.5 + later
    scores = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    mixed = xp.matmul(scores / xp.sum(scores, axis=-1, keepdims=True), v)
    x = x + linear(xp.reshape(xp.swapaxes(mixed, 1, 2), (batch, length, size)), "out")
    h = linear(normed(x, "norm2"), "up")
    h = 0.5 * h * (1 + xp.tanh(0.7978845608 * (h + 0.044715 * h * h * h)))  # autograd's erf lies elsewhere
    return xp.mean((x + linear(h, "down") - y) ** 2)


PROGRAMS: dict[str, Program] = {
    "mlp 32 x 8 x 16": Program(mlp_module, mlp_loss, numbers(32, 8), numbers(32, 4)),
    "resnet block": Program(resnet_module, None, numbers(4, 8, 8, 8), numbers(4, 8, 8, 8)),
    "gpt block": Program(gpt_module, gpt_loss, numbers(2, 16, 32), numbers(2, 16, 32)),
}


# --- steps ------------------------------------------------------------------------------------------------------------


def step_of(torch: Any, program: Program, optimizer: str, *, compiled: bool = False) -> tuple[Step, Any]:
    """A step of a program for PyTorch, and the module that it trains."""
    torch.manual_seed(0)
    module = program.module(torch)
    for i, (_, p) in enumerate(sorted(module.named_parameters())):
        with torch.no_grad():
            p.copy_(torch.tensor(np.random.default_rng(i).normal(size=tuple(p.shape)).astype("f4") * 0.1))
    x, y = [torch.tensor(a) for a in program.data]
    updates = getattr(torch.optim, optimizer)(module.parameters(), lr=RATE)

    def step(x: Any, y: Any) -> Any:
        updates.zero_grad()
        loss = ((module(x) - y) ** 2).mean()
        loss.backward()
        updates.step()
        return loss.detach()

    run = torch.compile(step, fullgraph=True) if compiled else step
    return lambda: run(x, y), module


def updated(xp: Any, p: Any, g: Any, state: Any, n: int, optimizer: str) -> Any:
    """One update by hand, of arrays that never change: the parameters and the state."""
    if optimizer == "SGD":
        return {k: p[k] - RATE * g[k] for k in p}, state
    new, found = {}, {}
    for k in p:
        m, v = state[k]
        m, v = 0.9 * m + 0.1 * g[k], 0.999 * v + 0.001 * g[k] * g[k]
        change = (m / (1 - 0.9**n)) / (xp.sqrt(v / (1 - 0.999**n)) + 1e-8)
        new[k], found[k] = p[k] * (1 - RATE * 0.01) - RATE * change, (m, v)
    return new, found


def by_hand(
    xp: Any, gradient: Callable[..., Any], params: Params, optimizer: str, wait: Callable[[Any], Any],
    jit: Callable[[Any], Any],
) -> Step:  # fmt: skip
    """A step of arrays that never change."""
    zeros = {k: (xp.zeros_like(x), xp.zeros_like(x)) for k, x in params.items()}
    kept: list[Any] = [params, zeros, 0]

    def whole(p: Any, state: Any, n: Any) -> Any:
        loss, g = gradient(p)
        return loss, *updated(xp, p, g, state, n, optimizer)

    run = jit(whole)

    def step() -> Any:
        kept[2] += 1
        loss, kept[0], kept[1] = wait(run(kept[0], kept[1], float(kept[2])))
        return loss

    return step


def others(program: Program, backend: str, optimizer: str, params: Params) -> dict[str, Step]:
    """What the dialect stands beside, as functions without arguments."""
    if backend == "torch":
        import torch

        torch.set_num_threads(1)
        return {"PyTorch": step_of(torch, program, optimizer)[0]}
    loss = program.loss
    if loss is None:
        return {}
    if backend == "jax":
        jax = importlib.import_module("jax")
        data = [jax.numpy.asarray(a) for a in program.data]
        p = jax.tree.map(jax.numpy.asarray, params)
        gradient = jax.value_and_grad(lambda p: loss(jax.numpy, p, *data))
        return {
            "JAX": by_hand(jax.numpy, gradient, p, optimizer, jax.block_until_ready, lambda f: f),
            "jax.jit": by_hand(jax.numpy, gradient, p, optimizer, jax.block_until_ready, jax.jit),
        }
    if not find_spec("autograd"):
        return {}
    autograd, anp = importlib.import_module("autograd"), importlib.import_module("autograd.numpy")
    gradient = autograd.value_and_grad(lambda p: loss(anp, p, *program.data))
    return {"autograd": by_hand(np, gradient, params, optimizer, lambda x: x, lambda f: f)}


def memory_of(step: Step, backend: str) -> int | None:
    """The most bytes that a step takes at once, beside what was there before; None where it cannot be measured."""
    if backend == "torch":
        import torch

        with torch.profiler.profile(profile_memory=True) as seen:
            step()  # what was allocated before is not seen when it is freed
            with torch.profiler.record_function("second step"):
                step()
        events = seen.profiler.kineto_results.events()
        begin = next(event.start_ns() for event in events if event.name() == "second step")
        changes = sorted([(event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]"])
        now = most = 0
        for when, change in changes:
            now += change if when >= begin else 0
            most = max(most, now)
        return most
    if backend == "numpy":
        tracemalloc.start()
        step()
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        step()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most - before
    return None


def time_program(name: str, program: Program, optimizer: str, options: argparse.Namespace) -> None:
    ours, module = step_of(dialect, program, optimizer, compiled=options.compiled)
    params = {n: np.array(p.detach().numpy()) for n, p in module.named_parameters()}
    calls = {"ours": ours}
    if options.compiled:
        calls["by itself"] = step_of(dialect, program, optimizer)[0]
    if options.backend == "jax":
        wait = importlib.import_module("jax").block_until_ready
        calls = {key: lambda call=call: wait(call()._array._data) for key, call in calls.items()}
    calls |= others(program, options.backend, optimizer, params)
    check(name, {key: [float(call()) for _ in range(60)] for key, call in calls.items()})
    keys = {key: f"f{i}" for i, key in enumerate(calls)}
    turns = in_turns(
        {key: f"{keys[key]}()" for key in calls}, {keys[key]: call for key, call in calls.items()},
        options.rounds, LIMIT, time.process_time,
    )  # fmt: skip
    memory = {key: memory_of(call, options.backend) for key, call in calls.items()}
    cells = [name, optimizer, duration(turns.median("ours"))]
    for key in [*calls][1:]:
        low, middle, high = turns.speed(key, "ours")
        times = [key, duration(turns.median(key)), f"{middle:.2f}", f"{low:.2f} to {high:.2f}"]
        own, other = memory["ours"], memory[key]
        print(row((*cells, *times, f"{own / other:.2f}" if own and other else ""), options.markdown), flush=True)
    if len(calls) == 1:
        print(row((*cells, "", "", "", "", ""), options.markdown), flush=True)


def check(name: str, losses: dict[str, list[float]]) -> None:
    """Refuse to time steps that do not agree."""
    first = losses["ours"]
    for key, found in losses.items():
        if not np.allclose(found, first, rtol=2e-3, atol=1e-4):
            raise AssertionError(f"{name}: the losses differ: {key} {found[::20]}, ours {first[::20]}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", nargs="+", default=[""], help="those whose name begins so")
    parser.add_argument("--optimizers", nargs="+", default=["SGD", "AdamW"])
    parser.add_argument("--backend", default="numpy", choices=("numpy", "torch", "jax"))
    parser.add_argument("--compiled", action="store_true", help="the dialect's step as one program of torch.compile")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    with lw.using(backend=options.backend):
        for name, program in PROGRAMS.items():
            for optimizer in options.optimizers:
                if any(name.startswith(begin) for begin in options.programs):
                    time_program(name, program, optimizer, options)
    return 0


def row(cells: tuple[str, ...], markdown: bool) -> str:
    if markdown:
        return "| " + " | ".join(cells) + " |"
    widths = (16, 6, 9, 9, 9, 6, 14, 0)
    return " ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
