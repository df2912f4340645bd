"""What the source of a model costs beside the same program by hand, on PyTorch and on JAX.

    python benchmarks/models.py                     a block of a GPT and an MLP: forward passes and steps, all ways
    python benchmarks/models.py --programs mlp --rounds 51

One thread and its processor time, all in turns in one process. A figure is the time of the source that `lw.transpile`
writes over that of the program by hand: the median over the rounds, with its quartiles. By hand means PyTorch's own
modules (and its optimizer, for a step), or a function of `jax.numpy` with `jax.value_and_grad`. "compiled" is
`torch.compile` or `jax.jit` of both; "eager" is neither. The last figure is the number of lines of the source.
"""

from __future__ import annotations

from timing import in_turns  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import latticework as lw

LIMIT = 5.0  # seconds for one pair
RATE = 1e-2


# --- the programs -----------------------------------------------------------------------------------------------------


def models() -> dict[str, tuple[Any, np.ndarray]]:
    """PyTorch's modules, with an input."""
    import torch
    from torch import nn

    F = torch.nn.functional

    class Attention(nn.Module):
        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.c_attn, self.c_proj, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

        def forward(self, x: Any) -> Any:
            batch, count, width = x.shape
            q, k, v = self.c_attn(x).split(width, dim=2)
            q = q.view(batch, count, self.heads, width // self.heads).transpose(1, 2)
            k = k.view(batch, count, self.heads, width // self.heads).transpose(1, 2)
            v = v.view(batch, count, self.heads, width // self.heads).transpose(1, 2)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.c_proj(y.transpose(1, 2).contiguous().view(batch, count, width))

    class Block(nn.Module):
        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.ln_1, self.attn = nn.LayerNorm(width), Attention(width, heads)
            self.ln_2 = nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x: Any) -> Any:
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    mlp = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 8))
    return {
        "mlp": (mlp, rng.normal(size=(16, 32)).astype("float32")),
        "gpt": (Block(64, 4), rng.normal(size=(4, 16, 64)).astype("float32")),
    }


def mlp_by_hand(jax: Any, p: Any, x: Any) -> Any:
    for i in (0, 2):
        x = jax.numpy.tanh(x @ p[f"{i}.weight"].T + p[f"{i}.bias"])
    return x @ p["4.weight"].T + p["4.bias"]


def gpt_by_hand(jax: Any, p: Any, x: Any) -> Any:
    jnp = jax.numpy

    def norm(name: str, x: Any) -> Any:
        x = x - x.mean(-1, keepdims=True)
        return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p[f"{name}.weight"] + p[f"{name}.bias"]

    def linear(name: str, x: Any) -> Any:
        return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

    batch, count, width = x.shape
    q, k, v = [t.reshape(batch, count, 4, width // 4) for t in jnp.split(linear("attn.c_attn", norm("ln_1", x)), 3, 2)]
    y = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    x = x + linear("attn.c_proj", y.reshape(batch, count, width))
    return x + linear("mlp.2", jax.nn.gelu(linear("mlp.0", norm("ln_2", x)), approximate=False))


BY_HAND: dict[str, Callable[..., Any]] = {"mlp": mlp_by_hand, "gpt": gpt_by_hand}


# --- pairs ------------------------------------------------------------------------------------------------------------


def sources(model: Any, x: np.ndarray, to: str) -> tuple[Any, Any]:
    """The graphs of the forward pass and of a step with Adam."""
    import torch

    given = torch.from_numpy(x)
    target = model(given).detach() * 0.5
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    step = lw.transpile(
        model, given, to=to, train=True, loss=torch.nn.functional.mse_loss, optimizer=optimizer, targets=(target,)
    )
    return lw.transpile(model, given, to=to), step


def defined(graph: Any) -> Any:
    namespace: dict[str, Any] = {}
    exec(compile(graph.source, f"<{graph.name}>", "exec"), namespace)
    return namespace[graph.name]


def on_torch(name: str, model: Any, x: np.ndarray) -> dict[str, tuple[Any, Any, Any]]:
    import torch

    forward, step = sources(model, x, "torch")
    given = torch.from_numpy(x)
    target = model(given).detach() * 0.5
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)

    def by_hand() -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(given), target)
        loss.backward()
        optimizer.step()
        return loss

    ours, train = defined(forward), defined(step)

    def plain(run: Callable[[], Any]) -> Callable[[], Any]:
        def call() -> Any:
            with torch.no_grad():
                return run()

        return call

    found: dict[str, tuple[Any, Any, Any]] = {}
    for way, change in (("eager", lambda f: f), ("compiled", torch.compile)):
        a, b, c, d = map(change, (model, ours, by_hand, train))
        found[f"forward, {way}"] = (
            plain(lambda a=a: a(given)),  # type: ignore[misc]
            plain(lambda b=b: b(forward.params, given)),  # type: ignore[misc]
            forward,
        )
        found[f"step, {way}"] = c, (lambda d=d: d(step.params, step.state, given, target)), step
    return found


def on_jax(name: str, model: Any, x: np.ndarray) -> dict[str, tuple[Any, Any, Any]]:
    import jax
    import torch

    forward, step = sources(model, x, "jax")
    given = jax.numpy.asarray(x)
    target = jax.numpy.asarray((model(torch.from_numpy(x)) * 0.5).detach().numpy())
    tree = jax.tree_util.tree_map

    def by_hand(p: Any, x: Any) -> Any:
        return BY_HAND[name](jax, p, x)

    def train_by_hand(p: Any, m: Any, v: Any, n: Any, x: Any, y: Any) -> Any:
        loss, g = jax.value_and_grad(lambda p: ((by_hand(p, x) - y) ** 2).mean())(p)
        n = n + 1
        m = tree(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = tree(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        scale = jax.numpy.sqrt(1 - 0.999**n)
        rate = RATE * scale / (1 - 0.9**n)
        p = tree(lambda p, m, v: p - rate * m / (jax.numpy.sqrt(v) + 1e-8 * scale), p, m, v)
        return loss, p, m, v, n

    ours, train = defined(forward), defined(step)
    p, zeros = forward.params, {key: jax.numpy.zeros_like(q) for key, q in forward.params.items()}
    count = jax.numpy.zeros(())
    found: dict[str, tuple[Any, Any, Any]] = {}
    ready = jax.block_until_ready
    for way, change in (("eager", lambda f: f), ("compiled", jax.jit)):
        a, b, c, d = map(change, (by_hand, ours, train_by_hand, train))
        found[f"forward, {way}"] = (lambda a=a: ready(a(p, given))), (lambda b=b: ready(b(p, given))), forward
        found[f"step, {way}"] = (
            (lambda c=c: ready(c(p, zeros, zeros, count, given, target))),
            (lambda d=d: ready(d(step.params, step.state, given, target))),
            step,
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", nargs="*", default=["mlp", "gpt"])
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    every = models()
    print(f"{'program':8} {'framework':10} {'what':18} {'source / by hand':>24} {'by hand':>12} {'lines':>6}")
    for name in options.programs:
        for framework, pairs in (("torch", on_torch), ("jax", on_jax)):
            for what, (native, ours, graph) in pairs(name, *every[name]).items():
                native(), ours()
                names = {"native": native, "ours": ours}
                turns = in_turns(
                    {"native": "native()", "ours": "ours()"}, names, options.rounds, LIMIT, time.process_time
                )
                low, middle, high = turns.speed("native", "ours")
                figure = f"{middle:.2f} ({low:.2f} to {high:.2f})"
                took = f"{turns.median('native') * 1e6:.0f} us"
                print(f"{name:8} {framework:10} {what:18} {figure:>24} {took:>12} {graph.source.count(chr(10)):>6}")


if __name__ == "__main__":
    main()
