"""What latticework adds to a call: native and ours in turns in one process, medians, spread and ratio.

    python benchmarks/overhead.py                  every case, as plain text
    python benchmarks/overhead.py --markdown       the README's tables
    python benchmarks/overhead.py --backend torch --rounds 1001 --calls add

One thread. A round times a batch of native calls and a batch of ours, one right after the other and each first
in every other round, so that both meet the same disturbances. The ratio is the median over the rounds of ours
over native; its spread is the interquartile range. Beside it stand the Python functions and the C functions that a
call enters, in all: counts, that no machine changes.

On Dask it is the graph that is built; nothing is computed. JAX is waited for where a call takes longer than the wait.
"""

from __future__ import annotations

from timing import Timing, duration, measure  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import importlib
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

import latticework as lw

SIZES = (4, 1000, 1_000_000)


class Case(NamedTuple):
    """A statement of the framework's and one of ours that do the same, and the names they use."""

    call: str
    shape: str
    native: str
    ours: str
    names: dict[str, Any]


#: What a careful user writes in each framework: NumPy's add(int32, float32) is float64 unless cast.
NATIVE: dict[str, dict[str, str]] = {
    "numpy": {
        "add(x, y)": "np.add(x, y)",
        "add(x, 1.5)": "np.add(x, 1.5)",
        "add(int32, float32)": "np.add(i.astype(np.float32), y)",
        "x + y": "x + y",
        "sum(x)": "np.sum(x)",
        "reshape(x, (2, -1))": "np.reshape(x, (2, -1))",
        "zeros(n)": "np.zeros(n, dtype=np.float32)",
        "matmul(a, b)": "np.matmul(a, b)",
    },
    "torch": {
        "add(x, y)": "torch.add(x, y)",
        "add(x, 1.5)": "torch.add(x, 1.5)",
        "add(int32, float32)": "torch.add(i, y)",
        "x + y": "x + y",
        "sum(x)": "torch.sum(x)",
        "reshape(x, (2, -1))": "torch.reshape(x, (2, -1))",
        "zeros(n)": "torch.zeros(n)",
        "matmul(a, b)": "torch.matmul(a, b)",
    },
    "jax": {
        "add(x, y)": "jnp.add(x, y)",
        "add(x, 1.5)": "jnp.add(x, 1.5)",
        "add(int32, float32)": "jnp.add(i, y)",
        "x + y": "x + y",
        "sum(x)": "jnp.sum(x)",
        "reshape(x, (2, -1))": "jnp.reshape(x, (2, -1))",
        "zeros(n)": "jnp.zeros(n, dtype=jnp.float32)",
        "matmul(a, b)": "jnp.matmul(a, b)",
    },
    "tensorflow": {
        "add(x, y)": "tf.add(x, y)",
        "add(x, 1.5)": "tf.add(x, 1.5)",
        "add(int32, float32)": "tf.add(tf.cast(i, tf.float32), y)",
        "x + y": "x + y",
        "sum(x)": "tf.reduce_sum(x)",
        "reshape(x, (2, -1))": "tf.reshape(x, (2, -1))",
        "zeros(n)": "tf.zeros((n,))",
        "matmul(a, b)": "tf.matmul(a, b)",
    },
    "dask": {
        "add(x, y)": "da.add(x, y)",
        "add(x, 1.5)": "da.add(x, 1.5)",
        "add(int32, float32)": "da.add(i.astype(np.float32), y)",
        "x + y": "x + y",
        "sum(x)": "da.sum(x)",
        "reshape(x, (2, -1))": "da.reshape(x, (2, -1))",
        "zeros(n)": "da.zeros(n, dtype=np.float32)",
        "matmul(a, b)": "da.matmul(a, b)",
    },
}
#: The names that the statements use, and the module behind each.
MODULES = {
    "numpy": ("np", "numpy"), "torch": ("torch", "torch"), "jax": ("jnp", "jax.numpy"),
    "tensorflow": ("tf", "tensorflow"), "dask": ("da", "dask.array"),
}  # fmt: skip
OURS = {
    "add(x, y)": "lw.add(X, Y)",
    "add(x, 1.5)": "lw.add(X, 1.5)",
    "add(int32, float32)": "lw.add(I, Y)",
    "x + y": "X + Y",
    "sum(x)": "lw.sum(X)",
    "reshape(x, (2, -1))": "lw.reshape(X, (2, -1))",
    "zeros(n)": "lw.zeros(n)",
    "matmul(a, b)": "lw.matmul(A, B)",
    "x**2": "X**2",
    "x**0.5": "X**0.5",
    "y**-1": "Y**-1",
}
for _framework in ("numpy", "torch"):
    NATIVE[_framework] |= {"x**2": "x**2", "x**0.5": "x**0.5", "y**-1": "y**-1"}

#: What programs do with small arrays and single elements: in NumPy, in PyTorch, and ours. None where it is the same.
SMALL: dict[str, tuple[str | None, str | None, str]] = {
    "asarray([1.0, 2.0])": ("np.asarray([1.0, 2.0])", "torch.asarray([1.0, 2.0])", "lw.asarray([1.0, 2.0])"),
    "asarray(1.0)": ("np.asarray(1.0)", "torch.asarray(1.0)", "lw.asarray(1.0)"),
    "arange(5)": ("np.arange(5)", "torch.arange(5)", "lw.arange(5)"),
    "linspace(0, 1, 5)": ("np.linspace(0, 1, 5)", "torch.linspace(0, 1, 5)", "lw.linspace(0, 1, 5)"),
    "concat([x, y])": ("np.concatenate([x, y])", "torch.cat([x, y])", "lw.concat([X, Y])"),
    "take_along_axis(x, p)": (
        "np.take_along_axis(x, p, axis=0)", "torch.take_along_dim(x, p, dim=0)", "lw.take_along_axis(X, P, axis=0)",
    ),
    "pad(x, 1)": ("np.pad(x, 1)", "torch.nn.functional.pad(x, (1, 1))", "lw.pad(X, 1)"),
    "x.reshape(2, -1)": (None, None, "X.reshape(2, -1)"),
    "x.sum()": (None, None, "X.sum()"),
    "x[0]": (None, None, "X[0]"),
    "x[0] * 2": (None, None, "X[0] * 2"),
    "bool(x[0] > 1)": (None, None, "bool(X[0] > 1)"),
    "float(x[0])": (None, None, "float(X[0])"),
    "program(x)": (None, None, "program(X)"),
}  # fmt: skip


def program(x: Any) -> float:
    """Read and write element by element, as loops written for NumPy do."""
    total = 0.0
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            x[i] = (x[i] + x[i - 1]) / 2
        total += float(x[i])
    return total


def operands(n: int) -> dict[str, Any]:
    """Our arrays of n elements on the current backend and the framework's own in them; matrices for matmul."""
    side = round(math.sqrt(n))
    numbers = np.arange(n) % 100 / 8
    ours = {
        "X": lw.asarray(numbers, dtype=lw.float32),
        "Y": lw.asarray(numbers + 1, dtype=lw.float32),
        "I": lw.asarray(numbers, dtype=lw.int32),
        "A": lw.asarray(np.resize(numbers, (side, side)), dtype=lw.float32),
        "B": lw.asarray(np.resize(numbers, (side, side)) + 1, dtype=lw.float32),
    }
    ours["P"] = lw.asarray(np.arange(n)[::-1], dtype=lw.int64)
    return ours | {name.lower(): x.data for name, x in ours.items()} | {"n": n, "lw": lw}


def cases(backend: str, wanted: str = "") -> Iterator[Case]:
    """Every case of a backend, which has to be the current one."""
    name, module = MODULES[backend]
    framework = {"np": np, name: importlib.import_module(module)}
    for call, native in NATIVE[backend].items():
        if wanted not in call:
            continue
        for n in SIZES:
            side = round(math.sqrt(n))
            shape = f"({side}, {side})" if call.startswith("matmul") else f"({n},)"
            waits = backend == "jax" and n == SIZES[-1]
            statements = (f"({native}).block_until_ready()", f"({OURS[call]})._data.block_until_ready()")
            yield Case(call, shape, *(statements if waits else (native, OURS[call])), operands(n) | framework)
    yield from namespace_cases(backend, framework, wanted)
    if backend in ("numpy", "torch"):
        yield from small_cases(backend, framework, wanted)


#: Calls of ours that functions over the framework's own arrays are timed for.
OVER_NATIVE = ("add(x, y)", "add(x, 1.5)", "sum(x)", "reshape(x, (2, -1))", "zeros(n)", "matmul(a, b)")


def namespace_cases(backend: str, framework: dict[str, Any], wanted: str) -> Iterator[Case]:
    """The functions of the native namespace, beside the framework's own, and beside array-api-compat's look-up; those
    with a policy of their own beside those without."""
    names = operands(4) | framework | {"xp": lw.array_namespace(backend), "find": lw.array_namespace}
    bound = {"bound": lw.array_namespace(backend, default_float="float64")}
    for call in OVER_NATIVE:
        if wanted in f"xp.{call}":
            yield Case(f"xp.{call}", "(4,)", NATIVE[backend][call], f"xp.{call}", names)
    for call in (*OVER_NATIVE, "mean(x)"):
        if wanted in f"bound.{call}":
            yield Case(f"bound.{call}", "(4,)", f"xp.{call}", f"bound.{call}", names | bound)
    if wanted not in "array_namespace(x, y).add":
        return
    yield Case("array_namespace(x, y).add", "(4,)", NATIVE[backend]["add(x, y)"], "find(x, y).add(x, y)", names)
    with suppress(ImportError, TypeError):  # it is no dependency of ours, and has no TensorFlow
        compat = importlib.import_module("array_api_compat").array_namespace
        compat(names["x"])
        yield Case("array_namespace(x, y)", "(4,)", "compat(x, y)", "find(x, y)", names | {"compat": compat})
        native = NATIVE[backend]["add(x, y)"]
        yield Case("of array-api-compat", "(4,)", native, "compat(x, y).add(x, y)", names | {"compat": compat})


def small_cases(backend: str, framework: dict[str, Any], wanted: str) -> Iterator[Case]:
    """The cases of small arrays and elements."""
    for call, (numpy, torch, ours) in SMALL.items():
        if wanted in call:
            native = (numpy if backend == "numpy" else torch) or call
            yield Case(call, "(4,)", native, ours, operands(4) | framework | {"program": program})


def promotions(backend: str) -> Case:
    """`promote_types` beside the framework's own."""
    module = importlib.import_module(MODULES[backend][1])
    a, b = (module.int32, module.float16) if backend == "torch" else (np.dtype("int32"), np.dtype("float16"))
    names = {"f": module.promote_types, "a": a, "b": b, "g": lw.promote_types, "A": lw.int32, "B": lw.float16}
    return Case("promote_types", "", "f(a, b)", "g(A, B)", names)


def functions(statement: str, names: dict[str, Any]) -> tuple[int, int]:
    """How many Python functions and how many C functions a statement enters that has been run before."""
    code = compile(statement, "<statement>", "eval")
    counts = Counter[str]()

    def note(frame: Any, event: str, _: Any) -> None:
        counts[event] += 1

    sys.setprofile(note)
    try:
        eval(code, names)
    finally:
        sys.setprofile(None)
    return counts["call"] - 1, counts["c_call"] - 2  # but for the statement itself, eval and setprofile


def import_time(rounds: int) -> tuple[float, float, float]:
    """Processor seconds that `import latticework` takes over the bare interpreter; their interquartile range; and how
    much that is of what `import numpy` takes."""
    times: dict[str, list[float]] = {"pass": [], "import latticework": [], "import numpy": []}
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        environment["PYTHONPYCACHEPREFIX"] = folder  # compiled once, in the first run, as after an installation
        for i in range(rounds + 1):
            for statement, taken in times.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                if i:
                    taken.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    added = [b - a for a, b, _ in zip(*times.values(), strict=True)]
    low, middle, high = statistics.quantiles(added, n=4)
    numpy = statistics.median(c - a for a, _, c in zip(*times.values(), strict=True))
    return middle, high - low, middle / numpy


def bytes_added() -> int:
    """Bytes of an `Array` beside the framework's own: what it shares with others of its dtype is not counted."""
    return sys.getsizeof(lw.asarray([1.0]))


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", nargs="+", default=[], help="those that are installed, if left out")
    parser.add_argument("--rounds", type=int, default=301)
    parser.add_argument("--calls", default="", help="only the calls whose name contains this")
    parser.add_argument("--markdown", action="store_true", help="tables of ratios instead of lines")
    options = parser.parse_args(arguments)
    installed = {b.name: b.version for b in lw.backends() if b.installed}
    names = [b for b in options.backend or installed if b in NATIVE]
    timings: dict[str, dict[tuple[str, str], Timing]] = {}
    for name in names:
        if name == "torch":
            __import__(name).set_num_threads(1)
        timings[name] = {}
        with lw.using(backend=name):
            todo = [*cases(name, options.calls), *([promotions(name)] if name in ("numpy", "torch", "jax") else [])]
            for case in todo:
                t = measure(case.native, case.ours, case.names, options.rounds)
                timings[name][case.call, case.shape] = t
                if not options.markdown:
                    print(line(name, case, t), flush=True)
    seconds, spread, share = import_time(max(5, options.rounds // 15))
    facts = [
        f"`import latticework`: {1e3 * seconds:.0f} ms (IQR {1e3 * spread:.0f}) of CPU, {share:.2f} of NumPy's",
        f"An `Array` adds {bytes_added()} bytes to the framework's own array",
    ]
    if options.markdown:
        for name in names:
            print(f"**{name} {installed[name]}**, ratio to the native call [interquartile range]\n")
            print(markdown(timings[name]), end="\n\n")
    print(*(f"- {f}" for f in facts), sep="\n")


def line(backend: str, case: Case, t: Timing) -> str:
    """One case as text."""
    times = f"native {1e6 * t.native:10.3f} µs   ours {1e6 * t.ours:10.3f} µs"
    (p, c), (own_p, own_c) = (functions(s, case.names) for s in (case.native, case.ours))
    entered = f"Python {own_p} ours, {p} native; C {own_c}, {c}"
    ratio = f"ratio {t.ratio:5.2f} [{t.low:.2f}, {t.high:.2f}]"
    return f"{backend:<10} {case.call:<20} {case.shape:<13} {times}   {ratio:<26} {entered}"


def markdown(timings: dict[tuple[str, str], Timing]) -> str:
    """A row for each call, a column for each size."""
    rows = [f"| call | {' | '.join(f'{n:,} elements' for n in SIZES)} |", f"|---|{'---|' * len(SIZES)}"]
    calls: dict[str, list[Timing]] = {}
    for (call, _), t in timings.items():
        calls.setdefault(call, []).append(t)
    for call, found in calls.items():
        if call == "promote_types":
            t = found[0]
            cells = [f"{1e9 * t.ours:.0f} ns; the framework's own {1e9 * t.native:.0f} ns"] + [""] * (len(SIZES) - 1)
        else:
            cells = [f"{t.ratio:.2f} [{t.low:.2f}, {t.high:.2f}] of {duration(t.native)}" for t in found]
        rows.append(f"| `{call}` | {' | '.join(cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
