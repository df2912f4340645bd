"""A program for a process of its own: ``python threads_program.py``. Eight threads call the same functions at the same
moment, each for the first time: what is loaded, planned, written and kept at a first call is made by several at once.

It prints what a thread got that another did not get, or what it raised, and then how many calls were made.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import latticework as lw

THREADS = 8
ROUNDS = 4  # of each call: the first plans, the second looks at what a body does, the third finds what is kept
sys.setswitchinterval(1e-6)


def core() -> dict[str, Callable[[], Any]]:
    """Functions of the core, compiled ones and derivatives."""
    x, y = lw.asarray([[1.0, 2.0], [3.0, 5.0]]), lw.asarray([[1, 2], [3, 4]], dtype="int16")
    names = "add multiply divide maximum hypot atan2 less logaddexp matmul"
    calls = {n: lambda f=n: getattr(lw, f)(x, y) for n in names.split()}
    names = "exp tanh sum mean std argmax sort sqrt isnan any prod var logsumexp flip triu unique_values"
    calls |= {n: lambda f=n: getattr(lw, f)(x) for n in names.split()}
    calls |= {f"linalg.{n}": lambda f=n: getattr(lw.linalg, f)(x) for n in "inv det qr svdvals matrix_norm".split()}
    calls |= {"nn.softmax": lambda: lw.nn.softmax(x, axis=-1), "nn.relu": lambda: lw.nn.relu(x - 2)}
    calls |= {"fft": lambda: lw.fft.fft(x), "special": lambda: lw.special.gamma(x), "key": lambda: x[1:, ::-1]}
    calls |= {
        "where": lambda: lw.where(x > 2, x, 0),
        "reshape": lambda: lw.reshape(x, (-1,)),
        "method": lambda: x.T + 1,
    }
    calls |= {"concat": lambda: lw.concat([x, y]), "normal": lambda: lw.random.normal(lw.random.key(0), (2,))}
    calls |= {"explain": lambda: str(lw.plan(lw.add, x, 1)), "promote": lambda: lw.promote_types("int8", "bfloat16")}
    compiled = lw.compile(lambda a, b: lw.mean(lw.tanh(a @ b)) + a[0, 0])
    slope = lw.grad(lambda a: lw.sum(lw.sin(a) * a))
    return calls | {"compile": lambda: compiled(x, x), "grad": lambda: slope(x), "infer": lambda: lw.infer(lw.mean, x)}


def rules() -> dict[str, Callable[[], Any]]:
    """The same operator under each rule set: memories of calls are by policy."""
    x = lw.asarray([1, 2], dtype="int8")

    def under(name: str) -> str:
        with lw.using(rules=name):
            return str((x / 2 + x * lw.asarray(1.5)).dtype)

    return {name: lambda name=name: under(name) for name in ("unified", "numpy", "torch", "jax", "tensorflow")}


def dialects() -> dict[str, Callable[[], Any]]:
    """Functions of the dialects, which are loaded by the first call."""

    def of(module: str, call: Callable[[Any, Any], Any]) -> Callable[[], Any]:
        def run() -> Any:
            f = importlib.import_module(f"latticework.frontends.{module}")
            make = f.constant if module == "tensorflow" else f.tensor if module == "torch" else f.array
            return call(f, make([[0.5, 2.0], [1.5, 3.0]]))

        return run

    calls = {}
    for module in ("numpy", "jax.numpy"):
        calls |= {f"{module}.{n}": of(module, lambda f, x, n=n: getattr(f, n)(x)) for n in
                  "exp sum mean median cumsum argsort ptp var nanmean diff".split()}  # fmt: skip
        calls |= {f"{module}.where": of(module, lambda f, x: f.where(x > 1, x, 0) + f.clip(x, 0, 1))}
    calls |= {f"torch.{n}": of("torch", lambda f, x, n=n: getattr(f, n)(x)) for n in
              "exp sum mean logical_not relu sigmoid argmax".split()}  # fmt: skip
    calls |= {"torch.softmax": of("torch", lambda f, x: f.nn.functional.softmax(x, dim=1))}
    calls |= {"torch.linear": of("torch", lambda f, x: f.nn.functional.linear(x, x, x[0]))}
    calls |= {f"tensorflow.{n}": of("tensorflow", lambda f, x, n=n: getattr(f.math, n)(x)) for n in
              "exp reduce_sum reduce_mean softplus cumsum".split()}  # fmt: skip
    return calls


def answer(call: Callable[[], Any]) -> tuple[str, str]:
    """What a call gives, as text that is compared, or the error that it ends with; and where it ends so."""
    try:
        x = call()
        return f"{type(x).__name__} {x!r}", ""
    except Exception as error:
        return f"{type(error).__name__}: {error}", "".join(traceback.format_tb(error.__traceback__)[-3:])


def answers(call: Callable[[], Any], ready: Barrier) -> list[tuple[str, str]]:
    """What a thread gets, round by round."""
    ready.wait(60)
    return [answer(call) for _ in range(ROUNDS)]


def main() -> None:
    """Make all calls, and print how many there were."""
    made = 0
    with ThreadPoolExecutor(THREADS) as pool:
        for part in (core, rules, dialects):
            for name, call in part().items():
                ready = Barrier(THREADS)
                given = [f.result() for f in [pool.submit(answers, call, ready) for _ in range(THREADS)]]
                alone, _ = answer(call)  # by one thread, when all is kept
                made += THREADS * ROUNDS
                others = {text: place for each in given for text, place in each if text != alone}
                for text, place in others.items():
                    sys.stdout.write(f"{name}: {text}, and not {alone}\n{place}")
    sys.stdout.write(f"{made} calls\n")


if __name__ == "__main__":
    main()
