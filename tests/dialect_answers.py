"""Dialects beside the frameworks themselves: the same expression in both, on the same operands.

A dialect's samples are modules ``samples_<name>*.py``, each with a text `SAMPLES`:

    all:
        torch.abs(x)
        x + y                                   # pairs
        t = x.clone(); t.add_(y); t
    floats:
        torch.logsumexp(x, dim=1)               # tolerance=1e-5

A heading names the dtypes that x meets (`GROUPS`, or names of dtypes). An expression may have statements before it. Its
tags: ``pairs``, y meets each dtype beside each of x's; ``tolerance``; ``shape``, only dtype and shape are compared, of
what depends on no more; ``x64``, JAX's 64-bit switch is on, which is off in all others. `DIFFERS` has what is known to
differ: an expression -> (reason, dtypes, backends), each of the last two a text of names, empty for all; what is listed
and does not differ fails.

Operands, all of the sample's dtype but where it is said: x, y, z of shape (2, 3); p positive, q between 0 and 1; u,
v, w of (3,); n of (3, 2); m, a matrix of (3, 3) with an inverse; h, a positive definite one; s, t without dimensions;
e empty, (0, 3); r of (2, 3, 4); img (1, 2, 4, 4); ker (3, 2, 3, 3); sig (2, 8). i and j, int64 of (2, 3) with 0 and 1;
k, int64 of (3,); b and c, bool of (2, 3) and (3,).
"""

from __future__ import annotations

import ast
import importlib
import math
import os
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import latticework as lw
from latticework.errors import BackendError
from latticework.frontends import dialect_named
from latticework.frontends.array import DialectArray

EXHAUSTIVE = bool(os.environ.get("LATTICEWORK_TEST_EXHAUSTIVE"))

_INTS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
_FLOATS = "bfloat16 float16 float32 float64"
_COMPLEX = "complex64 complex128"
GROUPS = {
    "all": f"bool {_INTS} {_FLOATS} {_COMPLEX}", "numeric": f"{_INTS} {_FLOATS} {_COMPLEX}",
    "reals": f"{_INTS} {_FLOATS}", "bools and reals": f"bool {_INTS} {_FLOATS}", "ints": _INTS,
    "bools and ints": f"bool {_INTS}", "floats": _FLOATS, "floating": f"{_FLOATS} {_COMPLEX}", "complex": _COMPLEX,
    "wide": "float32 float64", "wide floating": "float32 float64 complex64 complex128",
}  # fmt: skip
#: What an ordinary run compares of each group; the sweep has them all.
_USUAL = ("float32", "int64", "bool", "uint8", "complex64")
_USUAL_PAIRS = (
    ("float32", "float32"), ("int64", "float32"), ("bool", "int64"), ("uint8", "int64"), ("float32", "float64"),
)  # fmt: skip
#: What stands for a dtype that a framework lacks, in an ordinary run.
_NARROW = {"int64": "int32", "float64": "float16"}


class Sample(NamedTuple):
    """One line of a dialect's samples."""

    text: str
    dtypes: tuple[str, ...]
    pairs: bool
    tolerance: float | None
    shape_only: bool
    x64: bool = False


def parsed(text: str) -> list[Sample]:
    """The samples of a dialect."""
    found: list[Sample] = []
    dtypes: tuple[str, ...] = ()
    for line in text.splitlines():
        if not line.strip():
            continue
        if not line.startswith(" "):
            heading = line.strip().removesuffix(":")
            dtypes = tuple(GROUPS.get(heading, heading).split())
            continue
        code, _, comment = line.strip().partition("  #")
        tags = comment.split()
        tolerance = next((float(t.partition("=")[2]) for t in tags if t.startswith("tolerance=")), None)
        found.append(Sample(code.strip(), dtypes, "pairs" in tags, tolerance, "shape" in tags, "x64" in tags))
    return found


# --- operands -------------------------------------------------------------------------------------------------------


def _cast(values: Any, dtype: str) -> np.ndarray:
    native = np.dtype(getattr(ml_dtypes, dtype, dtype))
    values = np.asarray(values)
    if native.kind == "b":
        return values % 2 >= 1
    if native.kind == "u":
        values = np.abs(values)
    if native.kind in "iu":
        return np.trunc(values).astype(native)
    if native.kind == "c":
        return (values + 0.5j * values[..., ::-1] if values.ndim else values + 0.5j).astype(native)
    return values.astype(native)


@cache
def operands(dtype: str, other: str) -> dict[str, np.ndarray]:
    """The operands of a sample, by name."""
    rng = np.random.default_rng(0)
    small = np.array([[-2.5, -1.0, 0.0], [1.0, 2.5, 7.25]])
    of_dtype = {
        "x": small, "z": small[::-1] * 0.5, "p": np.abs(small) + 1, "q": (np.arange(6).reshape(2, 3) + 1) / 8,
        "u": np.array([1.0, 2.0, 3.0]), "v": np.array([-1.0, 4.0, 2.0]), "w": np.array([3.0, 1.0, 2.0]),
        "n": np.arange(6.0).reshape(3, 2) - 2, "m": np.array([[4.0, 1, 2], [0, 3, 1], [1, 0, 5]]),
        "h": np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]), "s": np.array(2.0), "t": np.array(3.0),
        "e": np.zeros((0, 3)), "r": np.arange(24.0).reshape(2, 3, 4) % 7 - 3,
        "img": rng.integers(-3, 4, (1, 2, 4, 4)), "ker": rng.integers(-2, 3, (3, 2, 3, 3)),
        "sig": rng.integers(-4, 5, (2, 8)),
    }  # fmt: skip
    made = {name: np.asarray(_cast(values, dtype)) for name, values in of_dtype.items()}
    if made["h"].dtype.kind == "c":
        made["h"] = of_dtype["h"].astype(made["h"].dtype)
    made["y"] = _cast(np.array([[3.0, 1.0, 2.0], [-1.0, 2.0, 4.0]]), other)
    made["i"] = np.array([[0, 1, 0], [1, 1, 0]])
    made["j"] = np.array([[1, 0, 1], [0, 0, 1]])
    made["k"] = np.array([2, 0, 1])
    made["b"] = np.array([[True, False, True], [False, True, True]])
    made["c"] = np.array([True, False, True])
    return made


# --- frameworks -----------------------------------------------------------------------------------------------------


class Framework(NamedTuple):
    """A framework itself, which is imported when it is asked for an answer.

    Attributes
    ----------
    modules: name in expressions -> module, ``"torch.nn.functional"`` for `F`.
    dtypes: the dtypes that it does not have.
    array: its array of a NumPy array.
    read: NumPy's array of one of its own, and whether it is weak; None of anything else.
    partial: dtypes that it has few kernels for. Where it has none, a dialect may compute.
    makes: the function that makes an operand in the dialect, of a NumPy array; by default one of ours is wrapped.
    switch: the module that has a 64-bit switch.
    compiles: whether it compiles a kernel for each dtype and shape.
    no_kernel: the classes of its errors that say that it has no kernel for a dtype on this machine, as our
        `BackendError` does.
    prepare: is called before it answers.
    """

    modules: dict[str, str]
    lacks: tuple[str, ...]
    array: Callable[[np.ndarray], Any]
    read: Callable[[Any], tuple[np.ndarray, bool] | None]
    makes: str = ""
    switch: str = ""
    partial: tuple[str, ...] = ()
    compiles: bool = False
    no_kernel: tuple[str, ...] = ()
    prepare: Callable[[], None] = lambda: None


def _torch() -> Framework:
    def array(x: np.ndarray) -> Any:
        import torch

        if x.dtype == ml_dtypes.bfloat16:
            return torch.from_numpy(x.astype(np.float32)).to(torch.bfloat16)
        return torch.from_numpy(x.copy())

    def read(x: Any) -> tuple[np.ndarray, bool] | None:
        import torch

        if not isinstance(x, torch.Tensor):
            return None
        x = x.detach().resolve_conj().resolve_neg()
        if x.dtype is torch.bfloat16:
            return x.float().numpy().astype(ml_dtypes.bfloat16), False
        return x.numpy(), False

    def prepare() -> None:
        importlib.import_module("torch.nn.utils.prune")  # which PyTorch does not import itself

    names = {"torch": "torch", "F": "torch.nn.functional"}
    return Framework(names, (), array, read, partial=("uint16", "uint32", "uint64"), prepare=prepare)


def _numpy() -> Framework:
    def read(x: Any) -> tuple[np.ndarray, bool] | None:
        return (np.asarray(x), False) if isinstance(x, (np.ndarray, np.generic)) else None

    return Framework({"np": "numpy"}, (), lambda x: x.copy(), read)


#: Modules of JAX that `import jax` does not import.
_OF_JAX = (
    "custom_batching custom_derivatives errors experimental.ode flatten_util image scipy.fft scipy.optimize "
    "scipy.stats sharding"
)


def _jax() -> Framework:
    def array(x: np.ndarray) -> Any:
        import jax

        return jax.numpy.asarray(x)

    def read(x: Any) -> tuple[np.ndarray, bool] | None:
        import jax

        return (np.asarray(x), bool(x.weak_type)) if isinstance(x, jax.Array) else None

    def prepare() -> None:
        for name in _OF_JAX.split():
            importlib.import_module(f"jax.{name}")

    names = {"jax": "jax", "jnp": "jax.numpy", "lax": "jax.lax"}
    names |= {"jnp.linalg": "jax.numpy.linalg", "jnp.fft": "jax.numpy.fft"}  # how their functions are written
    wide = ("int64", "uint64", "float64", "complex128")
    return Framework(names, wide, array, read, "jax.numpy.asarray", "jax", compiles=True, prepare=prepare)


def _tensorflow() -> Framework:
    @cache
    def prepare() -> None:
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
        tf.autograph.set_verbosity(0)

    def array(x: np.ndarray) -> Any:
        import tensorflow as tf

        return tf.constant(x)

    def read(x: Any) -> tuple[np.ndarray, bool] | None:
        import tensorflow as tf

        if isinstance(x, (tf.Tensor, tf.Variable)):
            return np.asarray(x.numpy()), False
        return (np.asarray(x), False) if isinstance(x, (np.ndarray, np.generic)) else None

    without = ("NotFoundError", "UnimplementedError")
    return Framework({"tf": "tensorflow"}, (), array, read, no_kernel=without, prepare=prepare)


FRAMEWORKS = {"numpy": _numpy, "torch": _torch, "jax": _jax, "tensorflow": _tensorflow}


@cache
def framework(name: str) -> Framework:
    """A framework by name."""
    return FRAMEWORKS[name]()


# --- answers --------------------------------------------------------------------------------------------------------


class Value(NamedTuple):
    """What an array holds."""

    dtype: str
    weak: bool
    values: np.ndarray


class Refusal(NamedTuple):
    """An error, by its classes that can be caught by name: the framework's public ones and Python's own."""

    classes: tuple[str, ...]
    text: str
    by_backend: bool = False


def _refusal(error: Exception) -> Refusal:
    names = [c.__name__ for c in type(error).__mro__ if not c.__name__.startswith("_")]
    names = [n for n in names if n not in ("object", "BaseException")]
    return Refusal(tuple(names), str(error)[:200], isinstance(error, BackendError))


def _run(code: str, names: dict[str, Any]) -> Any:
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), code
    exec(compile(tree, "<sample>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<sample>", "eval"), names)


def _answer(code: str, names: dict[str, Any], read: Callable[[Any], Any]) -> Any:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _read(_run(code, names), read)
    except Exception as error:
        return _refusal(error)


def _read(x: Any, read: Callable[[Any], Any]) -> Any:
    """A result as values: arrays, and containers of them by kind."""
    found = read(x)
    if found is not None:
        values, weak = found
        return Value(str(values.dtype), weak, values)
    if isinstance(x, (list, tuple)):
        return [_read(v, read) for v in x]
    if isinstance(x, dict):
        return {k: _read(v, read) for k, v in x.items()}
    if isinstance(x, (bool, int, float, complex, str, bytes, type(None))):
        return x
    return str(x).replace("<class 'numpy.", "").replace("'>", "")


def theirs(name: str, sample: Sample, dtype: str, other: str) -> Any:
    """What the framework itself answers."""
    real = framework(name)
    real.prepare()
    names: dict[str, Any] = {
        n: importlib.import_module(module) for n, module in real.modules.items() if f"{n}." in sample.text
    }
    with _switched(real.switch, sample):
        names |= {n: real.array(x) for n, x in operands(dtype, other).items() if n in sample.text}
        return _answer(sample.text, names, real.read)


def _switched(module: str, sample: Sample) -> AbstractContextManager[Any]:
    """The 64-bit switch of a module as the sample wants it, where there is one."""
    return importlib.import_module(module).enable_x64(sample.x64) if module else nullcontext()  # type: ignore[no-any-return]


def _read_ours(x: Any) -> tuple[np.ndarray, bool] | None:
    if hasattr(x, "_read"):  # a variable, which holds an array
        x = x._read()
    if not isinstance(x, DialectArray):
        return (np.asarray(x), False) if isinstance(x, (np.ndarray, np.generic)) else None
    return x._array.compute().to_numpy(), x._array.weak


def names_of(name: str, sample: Sample, dtype: str, other: str) -> dict[str, Any]:
    """Return the modules of a dialect and the operands that a sample uses, by name."""
    dialect = dialect_named(name)
    real = framework(name)
    names: dict[str, Any] = {
        n: importlib.import_module(f"latticework.frontends.{module}")
        for n, module in real.modules.items()
        if f"{n}." in sample.text
    }
    make: Callable[[np.ndarray], Any] = lambda x: dialect.wrapped(lw.asarray(x.copy()))  # noqa: E731
    if real.makes:
        module, _, function = real.makes.rpartition(".")
        make = getattr(importlib.import_module(f"latticework.frontends.{module}"), function)
    return names | {n: make(x) for n, x in operands(dtype, other).items() if n in sample.text}


def ours(name: str, sample: Sample, dtype: str, other: str) -> Any:
    """What the dialect answers on the backend in force."""
    switch = framework(name).switch
    with _switched(switch and f"latticework.frontends.{switch}", sample):
        return _answer(sample.text, names_of(name, sample, dtype, other), _read_ours)


_TOLERANCE = {"float64": 1e-10, "complex128": 1e-10, "float16": 4e-3, "bfloat16": 3e-2}


def difference(found: Any, expected: Any, sample: Sample) -> str:
    """What differs between two answers, empty where nothing does."""
    if isinstance(expected, Refusal) or isinstance(found, Refusal):
        if not isinstance(expected, Refusal):
            return f"refused with {found.classes[0]}: {found.text}"
        if not isinstance(found, Refusal):
            return f"answered, where the framework raises {expected.classes[0]}: {expected.text}"
        same = expected.classes[0] in found.classes
        return "" if same else f"raised {found.classes[0]} ({found.text}) for {expected.classes[0]} ({expected.text})"
    if isinstance(expected, Value) and isinstance(found, Value):
        return _values_differ(found, expected, sample)
    if isinstance(expected, Value) or isinstance(found, Value):
        return f"gave {found!r} for {expected!r}"
    if isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            return f"gave {len(found)} for {len(expected)}"
        return next((d for f, e in zip(found, expected, strict=True) if (d := difference(f, e, sample))), "")
    if isinstance(expected, dict) and isinstance(found, dict):
        if found.keys() != expected.keys():
            return f"gave the keys {[*found]} for {[*expected]}"
        return next((d for k in expected if (d := difference(found[k], expected[k], sample))), "")
    if isinstance(expected, float) and isinstance(found, float):
        same = math.isclose(found, expected, rel_tol=1e-5) or (math.isnan(found) and math.isnan(expected))
        return "" if same else f"gave {found} for {expected}"
    return "" if type(found) is type(expected) and found == expected else f"gave {found!r} for {expected!r}"


def _values_differ(found: Value, expected: Value, sample: Sample) -> str:
    if (found.dtype, found.weak) != (expected.dtype, expected.weak):
        weak = ("", "weak ")
        return f"gave {weak[found.weak]}{found.dtype} for {weak[expected.weak]}{expected.dtype}"
    if found.values.shape != expected.values.shape:
        return f"gave shape {found.values.shape} for {expected.values.shape}"
    if sample.shape_only:
        return ""
    a, b = found.values, expected.values
    if b.dtype.kind in "biu" or b.dtype.kind not in "fcV":
        same = np.array_equal(a, b)
    else:
        tolerance = sample.tolerance or _TOLERANCE.get(found.dtype, 2e-5)
        wide = np.complex128 if b.dtype.kind == "c" else np.float64
        same = np.allclose(a.astype(wide), b.astype(wide), rtol=tolerance, atol=tolerance, equal_nan=True)
    return "" if same else f"gave {a.tolist()} for {b.tolist()}"


# --- all of a dialect -----------------------------------------------------------------------------------------------


def cases(name: str, sample: Sample, whole: bool = False) -> Iterator[tuple[str, str]]:
    """The dtypes of x and y that a sample meets in this run: a few of the usual ones, or all of those."""
    lacks = () if sample.x64 else framework(name).lacks
    dtypes = [d for d in sample.dtypes if d not in lacks]
    narrow = {d: _NARROW.get(d, d) if d in lacks else d for d in GROUPS["all"].split()}
    if sample.pairs:
        pairs = [(a, b) for a in dtypes for b in dtypes]
        chosen = [(narrow[a], narrow[b]) for a, b in _USUAL_PAIRS]
        usual = [p for p in pairs if p in chosen] or pairs[:2]
        yield from pairs if EXHAUSTIVE else usual if whole else _in_turn(name, sample, usual)
        return
    usual_of_one = [d for d in dtypes if d in [narrow[u] for u in _USUAL]] or dtypes[:2]
    chosen = dtypes if EXHAUSTIVE else usual_of_one if whole else _in_turn(name, sample, usual_of_one)
    yield from ((d, d) for d in chosen)


def _in_turn(name: str, sample: Sample, usual: list[Any]) -> list[Any]:
    """Two of what a sample usually meets, one where each one more is a kernel that has to be compiled. They depend on
    the sample's text: each dtype is met by its share of the samples."""
    first = zlib.crc32(sample.text.encode()) % len(usual) if usual else 0
    return [*usual[first:], *usual[:first]][: 1 if framework(name).compiles else 2]


class Report(NamedTuple):
    """What comparing came to: how many cases, how many of them the backend lacks a dtype or kernel for, and what is
    wrong."""

    compared: int
    lacking: int
    wrong: list[str]


def _has_no_kernel(expected: Any) -> bool:
    return isinstance(expected, Refusal) and expected.classes[0] == "NotImplementedError"


def compare(name: str, samples: list[Sample], differs: dict[str, tuple[str, str, str]], backend: str) -> Report:
    """Compare a dialect with its framework, on the backend in force."""
    compared, lacking, wrong = 0, 0, list[str]()
    partial = {*framework(name).partial}
    for sample in samples:
        reason, only, on = differs.get(sample.text, ("", "", ""))
        seen = False
        for dtype, other in cases(name, sample, whole=bool(reason)):
            expected, found = theirs(name, sample, dtype, other), ours(name, sample, dtype, other)
            compared += 1
            if isinstance(found, Refusal) and found.by_backend and backend != "numpy":
                lacking += 1
                continue
            if _has_no_kernel(expected) and {dtype, other} & partial:
                continue
            if isinstance(expected, Refusal) and expected.classes[0] in framework(name).no_kernel:
                lacking += 1
                continue
            told = difference(found, expected, sample)
            if not told and (EXHAUSTIVE or backend in ("numpy", "torch")):  # the kernels that the first call has left
                ours(name, sample, dtype, other)  # the second call of a kind is looked at, the third runs what is kept
                told = difference(ours(name, sample, dtype, other), expected, sample)
                told = told and f"called again, {told}"
            listed = bool(reason) and (not only or dtype in only.split()) and (not on or backend in on.split())
            seen = seen or (listed and bool(told))
            if told and not listed:
                wrong.append(f"{sample.text}  with {dtype}, {other} on {backend}: {told}")
        always = reason and not reason.startswith("On some processors")
        if always and not seen and (not on or backend in on.split()) and (EXHAUSTIVE or not only):
            wrong.append(f"{sample.text} on {backend} is listed as different ({reason}) and is not")
    return Report(compared, lacking, wrong)
