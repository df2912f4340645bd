"""Write the type stubs of the dialects, ``.pyi`` files beside their public modules, or check them.

    python tools/stubs.py              write what is out of date; run the samples for names that are new
    python tools/stubs.py --measure    run all samples again for the types of results
    python tools/stubs.py --check      write nothing, run nothing; fail if a stub is out of date

A dialect makes its functions from tables and its methods at run time, so that type checkers and editors see nothing of
them. A stub has all names and signatures. Types of parameters are those of `stub_types`; types of results are those
that the samples of the tests have given (`stub_results`), kept in ``stub_results.json``.
"""

from __future__ import annotations

import builtins
import enum
import inspect
import json
import re
import sys
import textwrap
from collections import abc
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pages
from stub_dialects import PACKAGE, WORD, Dialect, asked_for, function_names, measured, read
from stub_types import SPECIAL, TYPES, table

from latticework.frontends import parameter_types
from latticework.frontends.array import DialectArray

KEPT = Path(__file__).with_name("stub_results.json")

_TYPING = frozenset("Any ClassVar Literal NamedTuple ParamSpec Protocol Self TypeVar overload".split())
_NUMPY = {"DTypeLike": "numpy.typing"}
_OF_OBJECT = frozenset(dir(object)) - {
    "__init__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__hash__",
}
_LEFT_OUT = frozenset(
    """
    __getattr__ __setattr__ __delattr__ __getattribute__ __dict__ __weakref__ __slots__ __annotations__ __doc__
    __module__ __abstractmethods__ __orig_bases__ __parameters__ __firstlineno__
    __static_attributes__ __class_getitem__ __slotnames__ __annotate__ __annotate_func__ __annotations_cache__ dialect
    __replace__ __buffer__ __protocol_attrs__ __non_callable_proto_members__ __callable_proto_members_only__
""".split()
)
#: Members that other modules of the package use.
_INTERNAL = ("_array", "_ours")
_HEADER = '''"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"
'''


class Stub:
    """The stub of a module."""

    def __init__(self, dialect: Dialect, module: str) -> None:
        self.dialect, self.module = dialect, module
        self.imports: dict[str, set[str]] = {}
        self.before: dict[str, str] = {}

    def text(self) -> str:
        """Return the text of the stub."""
        body = [self.of_class(kind) for kind, word in self.dialect.classes.items() if self.home_of(word)]
        public = self.dialect.public(self.module)
        body += [self.of_value(name, x) for name, x in public.items()]
        body += [f"{name}: {self.word('Any')}" for name in sorted(asked_for(self.module) - {*public})]
        names = ", ".join([f'"{n}"' for n in getattr(self.dialect.modules[self.module], "__all__", public)])
        imports = [f"from {source} import {', '.join(sorted(names))}" for source, names in sorted(self.imports.items())]
        parts = [_HEADER, *imports, "", *self.before.values(), f"__all__ = [{names}]", "", *body]
        return "\n".join(parts).rstrip() + "\n"

    def home_of(self, word: str) -> bool:
        """True if a class is written in this stub."""
        return self.dialect.homes[word][0] == self.module

    # --- types ------------------------------------------------------------------------------------------------------

    def typed(self, text: str) -> str:
        """Return a type as the stub has it, where its words are underscored, and import them."""
        named = re.fullmatch(r"(\w+)\((.*)\)", text)
        if named is not None:
            return self.named_tuple(named[1], named[2])
        return WORD.sub(lambda found: self.word(found[0]), text)

    def word(self, word: str) -> str:
        """Return the stub's name for a word of a type."""
        if word in ("None", "True", "False") or word[0] in "'\"":
            return word
        if word in self.dialect.homes:
            module, name = self.dialect.homes[word]
            if module == self.module:
                if not name.startswith("_"):
                    self.before[word] = f"_{word} = {name}"
                return f"_{word}"
            self.imported(f"{PACKAGE}.{module}", name, word)
        elif word in ("P", "R"):
            kind = "ParamSpec" if word == "P" else "TypeVar"
            self.before[word] = f'_{word} = {self.word(kind)}("_{word}")'
        else:
            source = next(
                (s for s, names in (("typing", _TYPING), (f"{PACKAGE}.parameter_types", parameter_types.__all__),
                 ("collections.abc", abc.__all__), ("builtins", dir(builtins))) if word in names),
                _NUMPY.get(word),
            )  # fmt: skip
            if source is None:
                raise NameError(f"{self.module}: a type has the word {word!r}, which is unknown")
            self.imported(source, word, word)
        return f"_{word}"

    def imported(self, source: str, name: str, word: str) -> str:
        """Import a name as an underscored word, and return that."""
        self.imports.setdefault(source, set()).add(f"{name} as _{word}")
        return f"_{word}"

    def named_tuple(self, name: str, fields: str) -> str:
        """Write a class of named tuples, and return its name."""
        lines = [f"    {n}: {self.typed(t)}" for n, _, t in (field.partition(": ") for field in fields.split(", "))]
        self.before[f"{name}()"] = "\n".join([f"class _{name}_result({self.word('NamedTuple')}):", *lines])
        return f"_{name}_result"

    # --- values -----------------------------------------------------------------------------------------------------

    def of_value(self, name: str, x: Any) -> str:
        """Return the lines of a public name."""
        if isinstance(x, ModuleType):
            parent, _, leaf = x.__name__.rpartition(".")
            return f"from {parent} import {leaf} as {name}"
        if inspect.isfunction(x):
            return self.of_function(name, x)
        if inspect.isbuiltin(x):
            return f"{name}: {self.typed('Callable[..., Any]')}"
        if isinstance(x, type) and type(x) not in self.dialect.classes:
            word = self.dialect.classes.get(x)
            if word is None and x.__module__ == "builtins":
                return f"{name} = {self.word(x.__name__)}"
            module, home = (x.__module__, x.__name__) if word is None else self.dialect.homes[word]
            if word is not None and module == self.module:
                return "" if home == name else f"{name} = {home}"
            path = module if word is None else f"{PACKAGE}.{module}"
            if home == name:
                return f"from {path} import {home} as {name}"
            return f"from {path} import {home} as _class_{home}\n{name} = _class_{home}"
        return f"{name}: {self.of_constant(x)}"

    def of_constant(self, x: Any) -> str:
        """Return the type of a constant."""
        if x is None:
            return "None"
        if type(x) in self.dialect.classes:
            return self.word(self.dialect.classes[type(x)])
        kinds = {bool: "bool", int: "int", float: "float", str: "str", tuple: "tuple[Any, ...]", dict: "dict[Any, Any]"}
        return self.typed(kinds.get(type(x), "Any"))

    def of_function(self, name: str, f: Any) -> str:
        """Return the lines of a function; those of a class with `__call__` where the function has attributes."""
        if f"{self.module}.{name}" in self.dialect.overloads:
            return self.overloaded(name, f"{self.module}.{name}")
        attributes = sorted(n for n in vars(f) if not n.startswith("_"))
        full = f"{self.module}.{name}"
        if not attributes:
            text = self.signed(name, f, full)
            taken = re.search(r"\((\w+): _Callable\[_P, _R\](?: \| None)? = \.\.\.", text)
            if taken is None:
                return text
            given = text.replace(taken[0], f"({taken[1]}: _Callable[_P, _R]")
            made = text.replace(taken[0], f"({taken[1]}: None = ...")
            made = re.sub(r"-> (.*): \.\.\.$", r"-> _Callable[[_Callable[_P, _R]], \1]: ...", made)
            overload = self.word("overload")
            return f"@{overload}\n{given}\n@{overload}\n{made}"
        base = f"_with_{attributes[0]}"
        lines = [f"    {n}: {self.word('Any')}" for n in attributes] + [f"    __name__: {self.word('str')}"]
        self.before[f"{base}()"] = "\n".join([f"class {base}:", *lines])
        call = self.signed("__call__", f, full, method=True)
        return f"class _{name}_function({base}):\n    {call}\n{name}: _{name}_function"

    def signed(self, name: str, f: Any, full: str, *, method: bool = False, own: bool = False, result: str = "") -> str:
        """Return a function with its signature.

        Parameters
        ----------
        method: True to put `self` before its parameters.
        own: True if its first parameter is the object.
        """
        signature = inspect.signature(f)
        short = full.rpartition(".")[2]
        parameters = [*signature.parameters.values()]
        if short.endswith("_") and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD:
            base = getattr(self.dialect.array, short[:-1], None) or getattr(
                self.dialect.modules[self.dialect.name], short[:-1], None
            )
            if callable(base):  # in place, with the arguments of the function; a module may have the name too
                parameters = [
                    parameters[0],
                    *[p for p in [*inspect.signature(base).parameters.values()][1:] if p.name != "out"],
                ]
        if (
            own
            and parameters
            and parameters[0].kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        ):
            parameters[0] = parameters[0].replace(name="self", default=inspect.Parameter.empty)
        texts = ["self"] if method else []
        bare = False
        for i, p in enumerate(parameters):
            if p.kind is p.KEYWORD_ONLY and not bare:
                if not any(q.kind is q.VAR_POSITIONAL for q in parameters):
                    texts.append("*")
                bare = True
            stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
            default = "" if p.default is p.empty else " = ..."
            texts.append(
                "self"
                if own and i == 0 and p.name == "self"
                else f"{stars}{p.name}: {self.typed(self.dialect.parameter(short, p))}{default}"
            )
            following = parameters[i + 1].kind if i + 1 < len(parameters) else None
            if p.kind is p.POSITIONAL_ONLY and following is not p.POSITIONAL_ONLY:
                texts.append("/")
        result = result or self.dialect.result(full, f, signature)
        return f"def {name}({', '.join(texts)}) -> {self.typed(result)}: ..."

    # --- classes ----------------------------------------------------------------------------------------------------

    def of_class(self, kind: type) -> str:
        """Return the lines of a class."""
        word = self.dialect.classes[kind]
        bases = dict.fromkeys(self.bases(kind))
        named = [b for b in kind.__mro__[1:] if self.base(b)]
        of_bases = {n for b in named for n in dir(b)}
        own = [b for b in kind.__mro__ if b is kind or not any(issubclass(n, b) for n in named)]
        lines = []
        for name in self.members(kind):
            if name in of_bases and not any(name in vars(b) for b in own):
                continue
            lines.append(textwrap.indent(self.of_member(kind, word, name), "    "))
        maker = inspect.getattr_static(kind, "__new__")
        if isinstance(maker, staticmethod) and "__init__" not in self.members(kind):
            made = self.signed("__new__", maker.__func__, f"{self.module}.__init__", own=True, result="Self")
            lines.insert(0, f"    {made.replace('(self', '(cls', 1)}")
        shown = ", ".join(bases)
        head = f"class {self.dialect.homes[word][1]}{f'({shown})' if shown else ''}:"
        return "\n".join([head, *(lines or ["    ..."])])

    def bases(self, kind: type) -> Iterator[str]:
        """Yield the stub's names of the nearest base classes that it names, and of the class that instances have."""
        made = getattr(type(kind), "made", None)
        if isinstance(made, type):
            yield self.base(made)
        for base in kind.__bases__:
            name = self.base(base)
            if name:
                yield name
            elif base is not object:
                yield from self.bases(base)

    def base(self, kind: type) -> str:
        """Return the stub's name of a base class that the stub names; empty where its members are written out."""
        if kind in self.dialect.classes:
            return self.word(self.dialect.classes[kind])
        if kind is tuple:
            return self.typed("tuple[Any, ...]")
        if kind.__module__ in sys.stdlib_module_names and kind.__name__[0] != "_" and kind is not object:
            return self.imported(kind.__module__, kind.__name__, kind.__name__)
        return ""

    @staticmethod
    def members(kind: type) -> list[str]:
        """Return the names of the members of a class that a stub has."""
        own = {n for n in {*dir(kind), *vars(kind)} if n not in _LEFT_OUT and n not in _OF_OBJECT}
        own = {n for n in own if n[0] != "_" or n in _INTERNAL or (n.startswith("__") and n.endswith("__"))}
        inherited = {
            n for n in own if any(n in vars(b) for b in kind.__mro__ if b is not object and b.__module__ != "builtins")
        }
        asked = any("__getattr__" in vars(b) for b in kind.__mro__)
        dynamic = {"__getattr__"} if asked and not issubclass(kind, DialectArray) else set()
        return sorted(inherited | _assigned(kind) | dynamic)

    def of_member(self, kind: type, word: str, name: str) -> str:
        """Return the lines of a member of a class."""
        x = inspect.getattr_static(kind, name, None)
        full = f"{self.dialect.name}.{word}.{name}"
        special = name[2:-2] if name.startswith("__") else ""
        if special == "hash" and x is None:
            return f"{name}: {self.word('ClassVar')}[None]"
        if kind is self.dialect.array and special in _SPECIAL:
            signature = (
                _SPECIAL[special]
                .replace("OPERAND", self.dialect.types.operand)
                .replace("ARRAY", self.dialect.types.array)
            )
            return f"def {name}{self.in_signature(signature)}: ..."
        if f"{word}.{name}" in self.dialect.overloads:
            return self.overloaded(name, f"{word}.{name}")
        if isinstance(x, property):
            signature = inspect.signature(x.fget) if inspect.isfunction(x.fget) else None
            result = self.dialect.result(full, x.fget, signature)
            setter = (
                [f"@{name}.setter", f"def {name}(self, value: {self.word('Any')}, /) -> None: ..."] if x.fset else []
            )
            return "\n".join([f"@{self.word('property')}", f"def {name}(self) -> {self.typed(result)}: ...", *setter])
        if isinstance(x, (staticmethod, classmethod)):
            f = x.__func__
            of_class = isinstance(x, classmethod)
            text = self.signed(name, f, full, own=of_class).replace("(self", "(cls", 1 if of_class else 0)
            return f"@{self.word(type(x).__name__)}\n{text}"
        annotation = next((t for b in kind.__mro__ if (t := inspect.get_annotations(b).get(name)) is not None), None)
        if inspect.isfunction(x) and not (name in vars(kind) and self.dialect.known(annotation)):
            results = {"__init__": "None", "__exit__": "None", "__enter__": word, "__call__": "", "__hash__": "int"}
            if name in ("__eq__", "__ne__"):
                return f"def {name}(self, other: {self.word('object')}, /) -> {self.word('bool')}: ..."
            if name == "__enter__" and self.dialect.known(inspect.signature(x).return_annotation):
                results = {}
            return self.signed(name, x, full, own=True, result=results.get(name, ""))
        if isinstance(kind, enum.EnumMeta) and isinstance(x, kind):
            return f"{name} = ..."
        told = self.dialect.told.get(f"{word}.{name}", "")
        if told or self.dialect.known(annotation):
            return f"{name}: {self.typed(told or str(annotation))}"
        return f"{name}: {self.of_constant(x) if x is not None else self.word('Any')}"

    def overloaded(self, name: str, full: str) -> str:
        """Return the lines of a function that the table of overloads has."""
        head = f"@{self.word('overload')}"
        return "\n".join([f"{head}\ndef {name}{self.in_signature(s)}: ..." for s in self.dialect.overloads[full]])

    def in_signature(self, text: str) -> str:
        """Return a signature of the table of special methods as the stub has it."""
        arguments, _, result = text.rpartition(" -> ")
        typed = re.sub(r": ([^,=)]+)", lambda found: f": {self.typed(found[1])}", arguments)
        return f"{typed} -> {self.typed(result)}"


_SPECIAL = table(SPECIAL)


def _assigned(kind: type) -> set[str]:
    """Return the public names of the attributes that the methods of a class set."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("latticework.")]
    return {n for base in bases for n in _assigned_in(base) if not n.startswith("_")}


def _assigned_in(kind: type) -> frozenset[str]:
    """Return the names of the attributes that the methods in the body of a class set."""
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return read(Path(path)).assigned.get(kind.__qualname__, frozenset()) if path else frozenset()


def stubs(*, measure: bool = False, check: bool = True) -> dict[Path, str]:
    """Return the texts of all stubs by path, and of the file of results."""
    kept: dict[str, str] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    results, texts = {}, {}
    for name in TYPES:
        dialect = Dialect(name, {n: t for n, t in kept.items() if n.startswith(f"{name}.")})
        if not check and (measure or not function_names(dialect) <= dialect.results.keys()):
            dialect.results = measured(dialect)
        results.update(dialect.results)
        for module, loaded in dialect.modules.items():
            texts[Path(str(loaded.__file__)).with_suffix(".pyi")] = Stub(dialect, module).text()
    return {KEPT: json.dumps(dict(sorted(results.items())), indent=0) + "\n", **texts}


def main() -> int:
    """Write the stubs, or check them."""
    options = pages.options(__doc__, measure="run all samples again")
    return pages.write(stubs(measure=options.measure, check=options.check), check=options.check)


if __name__ == "__main__":
    sys.exit(main())
