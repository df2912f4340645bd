"""Find which of our functions each name of a dialect stands for, by reading the dialect's own code.

A function of a dialect either is in a table of renames, or runs the kernels of one function of ours, which it then
holds, or has a body that calls ours (``ops.sum(input, axis=dim)``). The body says how arguments are named, too: here
``dim`` is our ``axis``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import latticework as lw
from latticework.contents import NAMESPACES
from latticework.core.registry import declared, load
from latticework.frontends import dialect_named
from latticework.frontends.calls import DialectKernels
from latticework.frontends.naming import filled
from latticework.frontends.renaming import RENAMES
from latticework.words import WORDS, is_line

#: The frameworks, and the short names that people import their modules under.
FRAMEWORKS = {
    "numpy": {"numpy": "np"},
    "torch": {"torch.nn.functional": "F", "torch": "torch"},
    "jax": {"jax.numpy": "jnp", "jax": "jax"},
    "tensorflow": {"tensorflow.experimental.numpy": "tnp", "tensorflow": "tf"},
}
#: The modules of a framework whose names are not ours to repeat: they are those of another framework.
_REPEATED = ("tensorflow.experimental.numpy",)
#: Functions of ours that prepare or finish a call, and are not what it is about.
_AROUND = frozenset(
    """
    asarray astype reshape where expand_dims squeeze broadcast_to broadcast_arrays permute_dims moveaxis result_type
    promote_types zeros_like ones_like full_like isdtype finfo iinfo to_numpy as_dtype stack real copy full zeros
""".split()
)
#: Our functions for names that say it in other words, where the dialect's code does not show it.
_BY_HAND = {
    "np.random.rand": "random.uniform", "np.random.random": "random.uniform", "np.random.randn": "random.normal",
    "np.random.standard_normal": "random.normal", "np.random.randint": "random.randint", "np.array": "asarray",
    "torch.rand": "random.uniform", "torch.randn": "random.normal", "torch.bernoulli": "random.bernoulli",
    "tf.random.normal": "random.normal", "tf.random.uniform": "random.uniform", "tf.fill": "full",
    "tf.one_hot": "nn.one_hot", "tf.math.reduce_std": "std", "tf.math.reduce_variance": "var", "tf.size": "size",
    "tf.nn.silu": "nn.silu", "tf.math.log_sigmoid": "nn.log_sigmoid", "jax.lax.rem": "fmod", "torch.vdot": "vdot",
    "torch.gather": "take_along_axis", "jax.lax.select": "where", "torch.special.logit": "special.logit",
    "tf.range": "arange", "torch.equal": "array_equal", "np.cumsum": "cumsum", "np.cumprod": "cumprod",
    "jnp.cumsum": "cumsum", "jnp.cumprod": "cumprod", "torch.cumsum": "cumsum", "torch.cumprod": "cumprod",
    "tf.cumsum": "cumsum", "tf.math.cumprod": "cumprod", "np.concatenate": "concat",
    "jnp.concatenate": "concat", "jax.lax.concatenate": "concat",
}  # fmt: skip
#: Names that ours share with a framework, and that do something else there.
_OTHERS = frozenset(
    """
    jax.lax.gather jax.lax.slice jax.lax.split jax.random.maxwell jnp.linalg.trace tf.gather tf.linalg.diag tf.linalg.lu
    tf.linalg.normalize tf.math.reciprocal_no_nan tf.nest.flatten tf.scan tf.scatter_nd tf.shape tf.slice tf.split
    tf.transpose torch.adjoint torch.as_strided torch.cuda.manual_seed torch.nuclear_norm torch.renorm torch.scatter
    torch.select torch.split
""".split()
)

#: How deep helpers of the dialect are followed.
_DEPTH = 3


class Argument(NamedTuple):
    """An argument of the framework's, and ours: empty where the dialect's code does not hand it on as one."""

    theirs: str
    ours: str


class Name(NamedTuple):
    """One name of a framework.

    Attributes
    ----------
    full: with the module, as ``torch.linalg.inv``.
    shown: as people write it.
    also: its other names in the framework.
    function: the dialect's function.
    ours: the name of the one function of ours that it is, or "".
    parts: the functions of ours that it is made of.
    arguments: how its arguments are named in ours.
    """

    full: str
    shown: str
    also: tuple[str, ...]
    function: Callable[..., Any]
    ours: str
    parts: tuple[str, ...]
    arguments: tuple[Argument, ...]


@cache
def names_of(framework: str) -> tuple[Name, ...]:
    """Return the functions of a dialect, each once, by the shortest of its names."""
    load()
    dialect_named(framework)
    package = importlib.import_module(f"latticework.frontends.{framework}")
    modules = [m for m in (framework, *(f"{framework}.{inner}" for inner in package.SUBMODULES)) if m not in _REPEATED]
    places: dict[int, list[tuple[str, str, FunctionType]]] = {}
    for module in sorted(modules, key=len):
        loaded = importlib.import_module(f"latticework.frontends.{module}")
        for word in loaded.__all__:
            f = getattr(loaded, word)
            own = word.startswith("promote_types_")  # the rules as functions, which the framework does not have
            if isinstance(f, FunctionType) and not own and not word.endswith("_"):  # x.abs_() is abs, in place
                places.setdefault(id(f), []).append((module, word, f))
    return tuple(sorted([_name(framework, found) for found in places.values()], key=lambda n: n.full.lower()))


def _name(framework: str, places: list[tuple[str, str, FunctionType]]) -> Name:
    module, word, f = places[0]
    shown = _shown(framework, module, word)
    others = {w: _shown(framework, m, w) for m, w, _ in reversed(places) if w != word}
    calls = _calls(inspect.unwrap(f))
    shared = _BY_HAND.get(shown, "") or RENAMES.get(inspect.unwrap(f), "") or _kernels(framework).get(id(f), "")
    ours = shared or _same(module, word) or calls.about
    ours = "" if shown in _OTHERS else ours
    return Name(
        f"{module}.{word}",
        shown,
        tuple(others.values()),
        f,
        ours,
        tuple(dict.fromkeys(n for n in calls.used if n not in _AROUND)),
        calls.arguments(ours),
    )


def _shown(framework: str, module: str, word: str) -> str:
    short = next((s, m) for m, s in FRAMEWORKS[framework].items() if module == m or module.startswith(f"{m}."))
    return f"{short[0]}{module[len(short[1]) :]}.{word}"


def _same(module: str, word: str) -> str:
    """Return our function of the same name, or of the one that errors offer for it, in the same namespace if any."""
    inner = [part for part in ("functional" in module and "nn", *reversed(module.split("."))) if part in NAMESPACES]
    offered = [c for c in WORDS.get(word, ()) if not is_line(c)]
    for namespace in (*inner, *(() if inner[:1] in (["random"], ["tree"]) else ("", "special", "nn", "linalg"))):
        for name in (word, *offered):
            full = f"{namespace}.{name}".lstrip(".")
            if our_function(full) is not None:
                return full
    return ""


# --- functions that hold the kernels of ours ------------------------------------------------------------------------


@cache
def _kernels(framework: str) -> dict[int, str]:
    """Return our names, by the identity of the dialect's functions that run their kernels."""
    dialect = dialect_named(framework)
    tables = {id(calls.kernels): calls.op.name for calls in dialect.kept if isinstance(calls, DialectKernels)}
    package = importlib.import_module(f"latticework.frontends.{framework}")
    found: dict[int, str] = {}
    for module in (framework, *(f"{framework}.{inner}" for inner in package.SUBMODULES)):
        for f in vars(importlib.import_module(f"latticework.frontends.{module}")).values():
            if isinstance(f, FunctionType):
                held = [f.__globals__.get("kernels"), *(c.cell_contents for c in f.__closure__ or () if filled(c))]
                found |= {id(f): tables[id(x)] for x in held if id(x) in tables}
    return found


# --- functions with a body that calls ours --------------------------------------------------------------------------


class _Calls:
    """What the body of a function of a dialect calls of ours.

    Attributes
    ----------
    used: our names, in the order of the body; those of a helper too, whose result is returned.
    about: the one of them that the function is about, or "".
    """

    def __init__(self, f: FunctionType, depth: int = _DEPTH) -> None:
        self.function, self.used = f, list[str]()
        self.made: list[tuple[str, ast.Call]] = []
        tree = _tree(f)
        nodes = [] if tree is None else [n for n in ast.walk(tree) if isinstance(n, (ast.Call, ast.Return))]
        for node in nodes:
            if isinstance(node, ast.Call) and (name := _our_name(node.func)):
                self.used.append(name)
                self.made.append((name, node))
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.Call) and depth:
                self.used += self._helper(node.value, depth)
        about = {_returned(node) for node in nodes if isinstance(node, ast.Return)}
        self.about = about.pop() if len(about) == 1 else ""

    def _helper(self, node: ast.Call, depth: int) -> list[str]:
        helper = self.function.__globals__.get(node.func.id) if isinstance(node.func, ast.Name) else None
        helper = inspect.unwrap(helper) if isinstance(helper, FunctionType) else None
        inside = helper is not None and str(helper.__module__).startswith("latticework.frontends.")
        return _calls(helper, depth - 1).used if inside and helper is not self.function else []

    def arguments(self, ours: str) -> tuple[Argument, ...]:
        """Say which argument of a function of ours each of this function's is handed on as."""
        mine = list(_parameters(self.function))
        theirs = list(_parameters(our_function(ours))) if ours else []
        found = {word: word if word in theirs else "" for word in mine}
        for name, call in self.made:
            if name != ours:
                continue
            named = [*zip(theirs, call.args, strict=False), *((k.arg or "", k.value) for k in call.keywords)]
            for parameter, value in named:
                for word in (n.id for n in ast.walk(value) if isinstance(n, ast.Name)):
                    if word in found and not found[word] and parameter not in found.values():
                        found[word] = parameter
        for word in mine:
            offered = [c for c in (word, *WORDS.get(word, ())) if c in theirs]
            found[word] = found[word] or (offered[0] if offered else "")
        return tuple(Argument(*pair) for pair in found.items())


@cache
def _calls(f: FunctionType, depth: int = _DEPTH) -> _Calls:
    return _Calls(f, depth)


def _returned(node: ast.Return) -> str:
    """Return our function whose result is returned as it is, of arguments of which nothing else is computed; or ""."""
    if not isinstance(node.value, ast.Call):
        return ""
    name, inside = _our_name(node.value.func), [*ast.walk(node.value)][1:]
    computed = any(isinstance(n, (ast.BinOp, ast.Compare, ast.ListComp, ast.GeneratorExp)) for n in inside)
    calls = {_our_name(n.func) for n in inside if isinstance(n, ast.Call)} - {""}
    return "" if name in _AROUND or computed or calls - _AROUND else name


def _tree(f: Any) -> ast.AST | None:
    """Return the syntax tree of a function, of its file's, which is read once."""
    code = getattr(f, "__code__", None)
    return None if code is None else _trees(code.co_filename).get(code.co_firstlineno)


@cache
def _trees(file: str) -> dict[int, ast.AST]:
    """Return the functions of a file by their first line, that of a decorator if there is one."""
    path = Path(file)
    functions = ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path.is_file() else ()
    return {
        min([f.lineno, *(d.lineno for d in f.decorator_list)]): f for f in functions if isinstance(f, ast.FunctionDef)
    }


def _our_name(node: ast.expr) -> str:
    """Return the name of our function that an expression is: ``ops.linalg.inv`` or ``lw.linalg.inv``."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.insert(0, node.attr)
        node = node.value
    if not words or not isinstance(node, ast.Name) or node.id not in ("ops", "lw"):
        return ""
    name = ".".join(words)
    return name if our_function(name) is not None else ""


@cache
def our_function(name: str) -> Any:
    """Return our public function of a name, with its namespace; None where there is none."""
    found: Any = lw
    for word in name.split("."):
        if word not in _public(found):  # asking for it would search for the name that was meant
            return None
        found = getattr(found, word)
    return found if callable(found) and not isinstance(found, type) else None


@cache
def _public(module: Any) -> frozenset[str]:
    return frozenset(dir(module))


def _parameters(f: Any) -> Iterator[str]:
    try:
        yield from inspect.signature(f).parameters
    except (TypeError, ValueError):
        return


def operands(ours: str) -> tuple[str, ...]:
    """Return the names of the operands of one of our functions."""
    o = declared(ours)
    return () if o is None else o.operands
