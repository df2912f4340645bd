"""What a warm call of a compiled function costs besides what it computes, by how its arguments are built.

    python benchmarks/compiled_calls.py                          every case on each backend, as plain text
    python benchmarks/compiled_calls.py --markdown               as a table
    python benchmarks/compiled_calls.py --backend numpy torch --cases tree --rounds 301
    python benchmarks/compiled_calls.py --torch-compile          `torch.compile` too, which takes seconds for each case

One thread and its processor time, in turns in one process: ours and the framework's own compiled function of the same
tree. Each function adds 1 to one array of 4 elements, whatever else it is given, so that the call takes the time and
not what it computes; "a tree of results" gives five arrays. A ratio is ours over theirs: the median over the rounds,
with its quartiles.

The framework's own is `jax.jit` on JAX, `tf.function` on TensorFlow and `torch.compile` on PyTorch. NumPy has none;
there, and on PyTorch without ``--torch-compile``, ours stands beside `jax.jit` of the same tree of JAX's arrays.
"""

from __future__ import annotations

from timing import LIMIT, Turns, duration, in_turns  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import latticework as lw


class Case(NamedTuple):
    """A function, and its arguments by position and by name, which `a` makes the arrays of.

    Attributes
    ----------
    add: the function, of "add" of the framework or of ours.
    native: whether ours is given the framework's own arrays.
    block: whether the call is made inside a block of `lw.using`, whose time is measured too.
    """

    add: Callable[..., Any]
    args: Callable[[Any], tuple[Any, ...]]
    kw: Callable[[Any], dict[str, Any]] = lambda a: {}
    native: bool = False
    before: Callable[[Any], tuple[Any, ...]] | None = None
    method: bool = False


class Model:
    """An object with a method that is compiled."""

    def forward(self, x: Any) -> Any:
        return x + 1


def tree(a: Any) -> dict[str, Any]:
    """Five arrays, as the parameters of a small program."""
    return {"w": a(0), "b": a(1), "rest": [a(2), (a(3), a(4))]}


def tree_of_results(t: dict[str, Any]) -> dict[str, Any]:
    return {"w": t["w"] + 1, "b": t["b"], "rest": [t["rest"][0], (t["rest"][1][0] + 1, t["w"] + 2)]}


def add_first(*arrays: Any) -> Any:
    return arrays[0] + 1


def of_parameters(n: int) -> Callable[..., Any]:
    """A function of n parameters, as people write one: not of any number of arguments."""
    names: dict[str, Any] = {}
    exec(f"def f({', '.join(f'x{i}' for i in range(n))}): return x0 + 1", names)
    return names["f"]  # type: ignore[no-any-return]


def arrays(n: int) -> Callable[[Any], tuple[Any, ...]]:
    return lambda a: tuple(map(a, range(n)))


CASES: dict[str, Case] = {
    "1 array": Case(of_parameters(1), arrays(1)),
    "5 arrays": Case(of_parameters(5), arrays(5)),
    "8 arrays": Case(of_parameters(8), arrays(8)),
    "10 arrays": Case(of_parameters(10), arrays(10)),
    "20 arrays": Case(of_parameters(20), arrays(20)),
    "*args of 1": Case(add_first, arrays(1)),
    "*args of 20": Case(add_first, arrays(20)),
    "a list of 2": Case(lambda xs: xs[0] + 1, lambda a: ([a(0), a(1)],)),
    "a dict of 1": Case(lambda d: d["x"] + 1, lambda a: ({"x": a(0)},)),
    "a tree of 5": Case(lambda t: t["w"] + 1, lambda a: (tree(a),)),
    "a tree of 5, an array": Case(lambda t, x: t["w"] + x, lambda a: (tree(a), a(5))),
    "a tree of results": Case(tree_of_results, lambda a: (tree(a),)),
    "a list of 20": Case(lambda xs: xs[0] + 1, lambda a: ([*map(a, range(20))],)),
    "by name": Case(lambda x, y: x + 1, lambda a: (a(0),), lambda a: {"y": a(1)}),
    "a default left out": Case(lambda x, b=None: x + 1, arrays(1)),
    "None given": Case(lambda x, b=None: x + 1, lambda a: (a(0), None)),
    "a native array": Case(of_parameters(1), arrays(1), native=True),
    "5 native arrays": Case(of_parameters(5), arrays(5), native=True),
    "an object as self": Case(Model.forward, lambda a: (Model(), a(0)), method=True),
    "a string": Case(lambda x, how: x + 1, lambda a: (a(0), "up")),
    "a number": Case(lambda x, n: x + n, lambda a: (a(0), 2.0)),
    "a number as an input": Case(lambda x, n: x + n, lambda a: (a(0), 2.0), before=lambda a: (a(0), 3.0)),
}
#: Cases that the frameworks' compilers take with other arguments: what they are to take as a constant.
_STATIC = {"an object as self": (0,), "a string": (1,)}


class Found(NamedTuple):
    """What was measured of a case: the turns of ours and theirs, and what theirs is."""

    turns: Turns
    theirs: str

    def ratio(self, way: str) -> tuple[float, float, float]:
        """The quartiles of a way's time over the framework's own."""
        return self.turns.speed(self.theirs, way)


def own(framework: str, case: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """What a framework compiles of a function."""
    if framework == "jax":
        return importlib.import_module("jax").jit(f, static_argnums=_STATIC.get(case, ()))  # type: ignore[no-any-return]
    if framework == "torch":
        return importlib.import_module("torch").compile(f)  # type: ignore[no-any-return]
    return importlib.import_module("tensorflow").function(f, autograph=False)  # type: ignore[no-any-return]


def ways(backend: str) -> dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]:
    """What makes ours of a function."""
    found: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {"compile": lw.compile}
    if backend in ("jax", "tensorflow"):
        found["native"] = lambda f: lw.compile(f, native=True)
        found["lw.jit"] = lw.jit
    return found


def measured(name: str, backend: str, rounds: int, limit: float, *, torch_compile: bool) -> Found:
    """Time a case on a backend."""
    case = CASES[name]
    framework = backend if backend in ("jax", "tensorflow") or (backend == "torch" and torch_compile) else "jax"

    def array(i: int) -> lw.Array:
        return lw.asarray([float(i), 1.0, 2.0, 3.0], dtype=lw.float32)

    def native_array(i: int) -> Any:
        return array(i).data

    statements: dict[str, str] = {}
    names: dict[str, Any] = {}

    def add(way: str, f: Callable[..., Any], a: Callable[[int], Any]) -> None:
        args, kw = case.args(a), case.kw(a)
        if case.before is not None:
            f(*case.before(a))
        for _ in range(3):
            f(*args, **kw)
        k = len(statements)
        names.update({f"f{k}": f} | {f"x{k}_{i}": x for i, x in enumerate(args)})
        names.update({f"y{k}_{key}": x for key, x in kw.items()})
        given = [f"x{k}_{i}" for i in range(len(args))] + [f"{key}=y{k}_{key}" for key in kw]
        statements[way] = f"f{k}({', '.join(given)})"

    with lw.using(backend=framework):
        add(framework, own(framework, name, case.add), native_array)
    with lw.using(backend=backend):
        for way, make in ways(backend).items():
            if way == "lw.jit" and name in ("a number as an input", "an object as self"):
                continue
            add(way, make(case.add), native_array if case.native else array)
        return Found(in_turns(statements, names, rounds, limit, time.thread_time), framework)


def cells(found: Found) -> Iterator[str]:
    """The times, and the ratios with their quartiles."""
    yield f"{found.theirs} {duration(found.turns.median(found.theirs))}"
    for way in found.turns.times:
        if way != found.theirs:
            low, middle, high = found.ratio(way)
            yield f"{way} {duration(found.turns.median(way))}, {middle:.2f} [{low:.2f}, {high:.2f}]"


def block(rounds: int) -> Iterator[str]:
    """A call inside a block of `lw.using`, beside the block alone."""
    f, x = lw.compile(of_parameters(1)), lw.asarray([1.0], backend="numpy")

    def call() -> None:
        with lw.using(rules="jax"):
            f(x)

    def alone() -> None:
        with lw.using(rules="jax"):
            pass

    turns = in_turns({"call": "call()", "alone": "alone()"}, {"call": call, "alone": alone}, rounds, LIMIT,
                     time.thread_time)  # fmt: skip
    yield f"inside a block: {duration(turns.median('call'))}, the block alone {duration(turns.median('alone'))}"


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", nargs="+", default=["numpy", "torch", "jax", "tensorflow"])
    parser.add_argument("--cases", nargs="+", default=[""], help="only those whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--seconds", type=float, default=LIMIT, help="for one case at most")
    parser.add_argument("--torch-compile", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    installed = {b.name for b in lw.backends() if b.installed}
    backends = [b for b in options.backend if b in installed]
    if "torch" in backends:
        importlib.import_module("torch").set_num_threads(1)
    if options.markdown:
        print(f"| µs | {' | '.join(backends)} |")
        print(f"|---|{'--:|' * len(backends)}")
    for name in [n for n in CASES if any(wanted in n for wanted in options.cases)]:
        found = {
            b: measured(name, b, options.rounds, options.seconds, torch_compile=options.torch_compile) for b in backends
        }
        if options.markdown:
            print(f"| {name} | {' | '.join(row(f) for f in found.values())} |", flush=True)
            continue
        for b, f in found.items():
            print(f"{name:<22} {b:<10} {'   '.join(cells(f))}", flush=True)
    for text in block(options.rounds):
        print(text)


def row(found: Found) -> str:
    """A cell of the table: the framework's own time in microseconds, and each of ours."""
    own = f"{1e6 * found.turns.median(found.theirs):.1f}"
    ours = [f"{1e6 * found.turns.median(way):.1f}" for way in found.turns.times if way != found.theirs]
    return f"{' / '.join(ours)} of {own}"


if __name__ == "__main__":
    main(sys.argv[1:])
