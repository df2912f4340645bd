"""What is known of a dialect for its stubs: its public modules and classes, and the types of its functions."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from enum import Enum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from stub_results import Results, one
from stub_types import TYPES, overloads, table

from latticework.frontends import dialect_named, parameter_types

PACKAGE = "latticework.frontends"
FOLDER = Path(parameter_types.__file__).parent

#: A word of a type: a quoted text, or a name that stands after no dot.
WORD = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.])[A-Za-z]\w*")
_WORDS = frozenset("None int bool float complex str bytes tuple list dict set Any Callable Sequence".split())


class Dialect:
    """What the stubs of a dialect are written from.

    Attributes
    ----------
    modules: its public modules, by name.
    classes: the classes that the stubs have: the word for one in a type, by class.
    overloads: the signatures of what has several, by name.
    homes: by that word, the module and the name that a class has.
    results: the types of results that samples have told, by full name.
    """

    def __init__(self, name: str, results: dict[str, str]) -> None:
        self.name, self.results = name, results
        self.array: type = dialect_named(name).array
        self.types = TYPES[name]
        self.parameters, self.told = table(self.types.parameters), table(self.types.results)
        self.overloads = overloads(self.types.overloads)
        package = importlib.import_module(f"{PACKAGE}.{name}")
        names = [name, *(f"{name}.{n}" for n in package.SUBMODULES)]
        parents = {n.rpartition(".")[0] for n in names} - {"", *names}
        self.modules = {n: importlib.import_module(f"{PACKAGE}.{n}") for n in [*names, *sorted(parents)]}
        self.classes: dict[type, str] = {}
        self.homes: dict[str, tuple[str, str]] = {}
        everything = [(m, n, x) for m in self.modules for n, x in self.public(m).items()]
        for path in self.types.helpers.split():
            module, _, word = path.rpartition(".")
            self.classes[getattr(importlib.import_module(f"{PACKAGE}.{name}.{module}"), word)] = word
            self.homes[word] = name, f"_{word}"
        for named in (True, False):  # the classes that have a name of their own come first
            for module, public, x in everything:
                kind = x if isinstance(x, type) else type(x)
                if kind is x and kind is not self.array and "__call__" in vars(type(x)) and is_ours(type(x)):
                    kind = type(x)  # a dtype object that is a class
                if (kind is x) is not named:
                    continue
                if (
                    x is None
                    or isinstance(x, ModuleType)
                    or not is_ours(kind)
                    or kind in self.classes
                    or inspect.isroutine(x)
                ):
                    continue
                word = kind.__name__.lstrip("_") if kind.__name__.isidentifier() else public
                if word in self.homes:  # of another class: torch.distributions and its constraints have Multinomial
                    word = f"{public}_"
                home = public if kind is x else f"_{word}"
                self.classes[kind] = word
                self.homes[word] = module, home

    def public(self, module: str) -> dict[str, Any]:
        """Return the public names of a module, those of its submodules included."""
        loaded = self.modules[module]
        found = {n: getattr(loaded, n) for n in getattr(loaded, "__all__", ())}
        for other, submodule in self.modules.items():
            if other.rpartition(".")[0] == module:
                found[other.rpartition(".")[2]] = submodule
        return dict(sorted(found.items()))

    def result(self, full: str, f: Any, signature: inspect.Signature | None = None) -> str:
        """Return the type of the results of a function or a member of a class."""
        owner, _, name = full.rpartition(".")
        array = owner.endswith(f".{self.types.array}")
        for key in (f"{owner.rpartition('.')[2]}.{name}", name):
            if key in self.told and (key != name or not array or f"{self.name}.{name}" in self.results):
                return self.told[key]
        found = self.results.get(full, "")
        if not found and array:
            found = next((t for m in (self.name, f"{self.name}.numpy") if (t := self.results.get(f"{m}.{name}"))), "")
        if found:
            return found
        annotation = getattr(signature, "return_annotation", None)
        if self.known(annotation):
            return str(annotation)
        return self.types.array if array and name.endswith("_") and name[0] != "_" else "Any"

    def known(self, annotation: Any) -> bool:
        """True if an annotation is text that a stub can have, and says something."""
        if not isinstance(annotation, str) or annotation.startswith("Any"):
            return False
        words = set(WORD.findall(annotation))
        return words <= {*_WORDS, *self.homes}

    def parameter(self, function: str, p: inspect.Parameter) -> str:
        """Return the type of a parameter."""
        default = p.default
        if p.kind is p.VAR_KEYWORD:
            return "Any"
        owned = (f"{p.name}.{function}", f"{p.name}.{function.removesuffix('_')}", p.name)
        found = next((self.parameters[n] for n in owned if n in self.parameters), None)
        if found is None and self.known(p.annotation):
            return str(p.annotation)
        if found is None and default is not p.empty and type(default) in (bool, str, float):
            found = type(default).__name__
        if found is None:
            return "Any"
        outermost = re.sub(r"\[.*?\]", "", found).split(" | ")
        if not _fits(default, outermost, self.types.array):  # another parameter has the name
            found, outermost = type(default).__name__, [type(default).__name__]
        if isinstance(default, Enum) and {*outermost} <= _PLAIN | {self.types.array}:
            return "Any"
        if type(default) is tuple and {*outermost} <= _PLAIN | {self.types.array}:
            found = f"{found} | tuple[Any, ...]"
        if p.kind is p.VAR_POSITIONAL or default is not None or not {"None", "Any"}.isdisjoint(outermost):
            return found
        return f"{found} | None"


#: The types that take a default of a type, and those that take no other than they say.
_TAKEN = {bool: {"bool", "int", "float", "complex", "Number"}, str: {"str"}, float: {"float", "complex", "Number"}}
_PLAIN = frozenset({"None", "bool", "int", "float", "complex", "str", "Number"})


def _fits(default: Any, outermost: list[str], array: str) -> bool:
    """Return whether a default may be one of a parameter's type."""
    taken = _TAKEN.get(type(default))
    return taken is None or not {*outermost} <= _PLAIN | {array} or not taken.isdisjoint(outermost)


class Read(NamedTuple):
    """What the stubs need of a file of Python: its relative imports, and the attributes that the methods of each class
    set, by the class's qualified name."""

    imports: list[ast.ImportFrom]
    assigned: dict[str, frozenset[str]]


@cache
def read(path: Path) -> Read:
    """Read a file once, for all its classes."""
    found = Read([], {})
    _read(ast.parse(path.read_text(encoding="utf-8")), "", found)
    return found


def _read(node: ast.AST, prefix: str, found: Read) -> set[str]:
    """Note the imports and classes below a node, and return the attributes of ``self`` that are set there."""
    stored: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            inside = _read(child, f"{prefix}{child.name}.", found)
            found.assigned.setdefault(f"{prefix}{child.name}", frozenset(inside))
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = _read(child, f"{prefix}{child.name}.<locals>.", found)
        else:
            inside = _read(child, prefix, found)
        stored |= inside
    if isinstance(node, ast.ImportFrom) and node.level:
        found.imports.append(node)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        stored |= {node.attr} if isinstance(node.value, ast.Name) and node.value.id == "self" else set()
    return stored


@cache
def _uses() -> dict[str, set[str]]:
    """Return the names that the modules of the dialects import from a module, or ask it for, by that module."""
    found: dict[str, set[str]] = {}
    for path in sorted(FOLDER.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        here = [PACKAGE, *path.relative_to(FOLDER).with_suffix("").parts]
        for node in read(path).imports:
            source = ".".join([*here[: -node.level], *(node.module or "").split(".")]).rstrip(".")
            for alias in node.names:
                found.setdefault(source, set()).add(alias.name)
                if (path.parent.joinpath(f"{alias.name}.py")).exists():
                    used = re.findall(rf"(?<![\w.]){alias.asname or alias.name}\.([A-Za-z_]\w*)", text)
                    found.setdefault(f"{source}.{alias.name}", set()).update(used)
    return found


def asked_for(module: str) -> set[str]:
    """Return the names of a module that other modules of the dialects use, without its submodules."""
    loaded = sys.modules[f"{PACKAGE}.{module}"]
    names = _uses().get(f"{PACKAGE}.{module}", ())
    return {n for n in names if hasattr(loaded, n) and not isinstance(getattr(loaded, n), ModuleType)}


def is_ours(kind: type) -> bool:
    """True if a class is one of a dialect, and not one of Python or of NumPy itself."""
    if kind.__module__.startswith("latticework."):
        return True
    return getattr(sys.modules.get(kind.__module__), kind.__name__, None) is not kind


def measured(dialect: Dialect) -> dict[str, str]:
    """Return the types of results of a dialect's functions and members, by full name, as the samples tell them."""
    results = Results(dialect.name, dialect.classes)
    results.measure()
    found = {}
    for module in dialect.modules:
        for name, x in dialect.public(module).items():
            if inspect.isfunction(x):
                found[f"{module}.{name}"] = one(results.of_functions.get(id(x), ()))
    found |= {f"{dialect.name}.{name}": one(types) for name, types in results.of_methods.items()}
    return found


def function_names(dialect: Dialect) -> set[str]:
    """Return the full names of a dialect's functions."""
    return {f"{m}.{n}" for m in dialect.modules for n, x in dialect.public(m).items() if inspect.isfunction(x)}
