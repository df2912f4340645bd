"""The source of a traced program as a file of its own: imports, constants, and the text of the functions it calls.

Most native calls are the framework's functions, which are imported. A function that a backend of latticework computes
in several steps is written out, with everything that it needs in turn.
"""

from __future__ import annotations

import ast
import base64
import builtins
import contextvars
import functools
import inspect
import operator
import re
import sys
import textwrap
import types
from typing import Any, NamedTuple

import numpy as np

from ...backend import get, of, standing_alone
from ...core.dtypes import Dtype
from ...errors import TraceError
from ..nodes import Block, Value, mapped
from .source import Body
from .spelling import Spelling, number_text, public_name
from .syntax import Folded, Plain, Renamer, always_calls, bound_names, definition, is_wrapper

__all__ = ["TooLargeError", "beside", "standalone"]

_PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None), slice, type(Ellipsis)))
#: The most bytes of an array that is written as text.
LARGEST = 1 << 16


class TooLargeError(TraceError):
    """An array that a program holds is too large to be written as text."""


class Parts(NamedTuple):
    """A text in parts.

    Attributes
    ----------
    imports: the modules that it imports, with their names in it.
    definitions: the names that the function needs, each with the text that defines it.
    text: the function.
    """

    imports: dict[str, str]
    definitions: list[str]
    text: str


def standalone(body: Body, block: Block) -> str:
    """Write the whole text, which runs in a process without latticework.

    Parameters
    ----------
    body: the function.
    block: the calls that it makes, for errors.

    Raises
    ------
    TraceError: an object that the source needs cannot be written as text.
    """
    parts = in_parts(body, block)
    return joined(parts.imports, [*parts.definitions, parts.text])


def beside(body: Body, block: Block, helpers: str) -> tuple[str, str]:
    """Write the text without the functions that it needs, and a module of these: "" where it needs none.

    Parameters
    ----------
    helpers: the name of that module.
    """
    parts = in_parts(body, block)
    arrays = [
        p
        for p in parts.definitions
        if "\n" not in p and not any(_names(p) in _words(q) for q in parts.definitions if q is not p)
    ]
    moved = [p for p in parts.definitions if p not in arrays]
    needed = sorted({n for p in moved if (n := _names(p)) in _words("\n".join([*arrays, parts.text]))})
    text = joined(parts.imports, [*arrays, parts.text])
    if not moved:
        return text, ""
    listed = f"from {helpers} import {', '.join(needed)}"
    if len(listed) > _LONGEST:
        listed = f"from {helpers} import (\n" + "".join([f"    {n},\n" for n in needed]) + ")"
    imports, _, rest = text.partition("\n\n\n")
    whole = (
        f"{imports}\n\n{listed}\n\n\n{rest}" if imports.startswith(("import ", "from ")) else f"{listed}\n\n\n{text}"
    )
    return whole, joined(parts.imports, moved)


#: The most characters of a line of imports.
_LONGEST = 110


def _names(part: str) -> str:
    """Return the name that a part of a text defines."""
    found = re.match(r"(?:@.*\n)*(?:def |class )?(\w+)", part)
    return found[1] if found else ""


def _words(text: str) -> set[str]:
    return {*re.findall(r"\w+", text)}


def in_parts(body: Body, block: Block) -> Parts:
    """Write the text in parts; see `standalone`."""
    w = _Definitions(body.spelling)
    needed = body.spelling.needed = body.spelling.needed or [*body.spelling.namespace]
    for name in needed:
        value = body.spelling.namespace[name]
        try:
            w.define(name, value)
        except TooLargeError:
            raise
        except TraceError as error:
            if str(getattr(value, "__module__", "")).partition(".")[0] != "latticework":
                raise
            raise _without_source(value, body.spelling.framework, block) from error
        if name in w.absent or (w.absent and not _stands_alone(value, block)):
            raise _without_source(value, body.spelling.framework, block)
    return Parts(body.spelling.imports, w.parts, body.text.rstrip())


def joined(imports: dict[str, str], parts: list[str]) -> str:
    """Write a module of parts, with those of the imports that it needs."""
    words = _words("\n".join(parts))
    text = "\n".join(
        sorted({_import(module, alias) for module, alias in imports.items() if alias.partition(".")[0] in words})
    )
    before = ""
    for part in parts:
        short = "\n" not in part and "\n" not in before and before != ""
        text += ("\n" if short else "\n\n\n") + part
        before = part
    return text.strip() + "\n"


def _stands_alone(function: Any, block: Block) -> bool:
    """Return whether the framework alone computes each call of a function, which may leave some to latticework."""
    when = getattr(function, "when", None)
    if when is None:
        return True

    def array(value: Value) -> Any:
        return np.broadcast_to(np.zeros((), str(value.dtype)), value.shape)

    def holds() -> bool:
        standing_alone.set(True)
        calls = [n for n in block.all_nodes() if n.function is function]
        return all(when(*mapped(n.args, Value, array), **mapped(n.kwargs, Value, array)) for n in calls)

    return contextvars.copy_context().run(holds)


def _without_source(function: Any, framework: str, block: Block) -> TraceError:
    """Make the error for a function that latticework computes, alone or by NumPy in the framework's place."""
    operation = next((n.operation for n in block.all_nodes() if n.function is function), None)
    what = getattr(function, "__name__", "a function")
    if operation is not None:
        operation, at = operation.outermost, operation.outermost.location
        what = f"{operation.plan.op}{f' ({at}: {at.text})' if at is not None else ''}"
    out = (
        "Leave it out of the function, and compute it after"
        if standing_alone.get()
        else f"The graph itself runs it. lw.transpile(f, ..., to={framework!r}) writes source that {framework} computes"
    )
    return TraceError(f"source: {what} is computed by latticework, and {framework} alone has no function for it. {out}")


def _import(module: str, alias: str) -> str:
    package, _, last = module.rpartition(".")
    if alias == module:
        return f"import {module}"
    return f"from {package} import {last}" if package and alias == last else f"import {module} as {alias}"


class _Definitions:
    """The definitions of the names that a source uses."""

    def __init__(self, spelling: Spelling) -> None:
        self.spelling = spelling
        #: The names of functions whose every call needs latticework.
        self.absent: set[str] = set()
        #: The definitions, each after the definitions that it needs.
        self.parts: list[str] = []
        self.defined: set[str] = set()
        self.dtype_class = ""

    def define(self, name: str, value: Any) -> None:
        """Define a global name."""
        if name in self.defined or isinstance(value, types.ModuleType):
            return
        self.defined.add(name)
        if isinstance(value, types.FunctionType) or is_wrapper(value):
            self.functions_of(name, value)
        elif isinstance(value, type):
            self.class_of(name, value)
        else:
            self.parts.append(f"{name} = {self.literal(value)}")

    def path(self, x: Any) -> str | None:
        """Return the import path of an object, None for an object of latticework."""
        return path_of(x, self.spelling.framework)

    def name(self, value: Any, wanted: str) -> str:
        """Return the name of an object, and define the name."""
        found = self.spelling.name_of(value, wanted)
        self.define(found, value)
        return found

    def alias(self, name: str) -> str:
        """Define another name for a global, where a function has a variable of the same name."""
        found = self.spelling.fresh(f"the_{name}")
        self.parts.append(f"{found} = {name}")
        return found

    def literal(self, x: Any) -> str:
        """Write an object as an expression that makes it."""
        s = self.spelling
        if isinstance(x, Dtype):
            if not self.dtype_class:
                self.dtype_class = s.fresh("Dtype")
                self.parts.insert(0, _DTYPE.replace("NAME", self.dtype_class))
            return f"{self.dtype_class}({', '.join(repr(getattr(x, name)) for name in _ATTRIBUTES)})"
        kind = type(x)
        if isinstance(getattr(kind, "SOURCE", None), str):
            return str(kind.SOURCE)
        if kind in _PLAIN:
            return s.expression(x)
        if kind is contextvars.ContextVar:
            default = contextvars.Context().run(x.get, None)
            return f"{s.module('contextvars')}.ContextVar({x.name!r}, default={self.reference(default)})"
        if kind.__name__ in ("iinfo", "finfo") and kind.__module__ in ("torch", "numpy", "jax._src.dtypes"):
            module = "torch" if kind.__module__ == "torch" else "jax.numpy" if kind.__module__[:3] == "jax" else "numpy"
            return f"{s.module(module)}.{kind.__name__}({self.reference(_dtype_of_info(x, module))})"
        if kind.__name__ == "device" and kind.__module__ == "torch":
            return f'{s.module("torch")}.device("{x}")'
        if kind in (frozenset, set):
            inner = ", ".join(sorted(map(self.reference, x)))
            return f"frozenset([{inner}])" if kind is frozenset else (f"{{{inner}}}" if inner else "set()")
        if kind is tuple:
            return f"({', '.join(map(self.reference, x))}{',' * (len(x) == 1)})"
        if kind is list:
            return f"[{', '.join(map(self.reference, x))}]"
        if kind is dict:
            return "{" + ", ".join(f"{self.reference(k)}: {self.reference(v)}" for k, v in x.items()) + "}"
        if kind.__name__ == "errstate" and kind.__module__ == "numpy":
            kept = {n: getattr(x, f"_{n}", None) for n in ("all", "divide", "over", "under", "invalid")}
            written = ", ".join(f"{n}={v!r}" for n, v in kept.items() if isinstance(v, str))
            return f"{s.module('numpy')}.errstate({written})"
        if kind is range:
            return repr(x)
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return f"{self.name(kind, kind.__name__)}({', '.join(map(self.reference, x))})"
        if kind is operator.methodcaller or kind is operator.attrgetter or kind is operator.itemgetter:
            _, args = x.__reduce__()[:2]
            return f"{s.module('operator')}.{kind.__name__}({', '.join(map(self.reference, args))})"
        if kind is functools.partial:
            parts = [self.reference(x.func), *map(self.reference, x.args)]
            parts += [f"{k}={self.reference(v)}" for k, v in x.keywords.items()]
            return f"{s.module('functools')}.partial({', '.join(parts)})"
        if isinstance(x, types.MethodType):
            return f"{self.reference(x.__self__)}.{x.__name__}"
        text = self.array(x) or s.short(x)
        if text is not None:
            return text
        wrapped: Any = getattr(x, "__wrapped__", None)
        if wrapped is not None and not isinstance(x, type) and self.path(x) is None and self.path(wrapped) is not None:
            return self.reference(wrapped)  # a framework's function, compiled with options, computes the same
        if isinstance(x, types.BuiltinFunctionType) or callable(x):
            owner = getattr(x, "__self__", None)
            if owner is not None and not isinstance(owner, types.ModuleType):
                return f"{self.reference(owner)}.{x.__name__}"
            path = self.path(x)
            if path is not None:
                module, _, last = path.rpartition(".")
                return f"{s.module(module)}.{last}"
        raise TraceError(
            f"source: {_described(x)} cannot be written as Python of {s.framework} alone. The graph itself runs it; "
            f"to have its source, leave the function that needs it out of the trace"
        )

    def reference(self, x: Any) -> str:
        """Write an object inside of another: a literal where it is short, else a name of its own."""
        if isinstance(x, types.ModuleType):
            return self.spelling.module(x.__name__)
        if x in (type(None), type(Ellipsis)):
            return f"type({'None' if x is type(None) else '...'})"
        if isinstance(x, types.FunctionType) or is_wrapper(x) or isinstance(x, (type, Dtype)):
            path = self.path(x) if not isinstance(x, Dtype) else None
            if path is not None:
                module, _, last = path.rpartition(".")
                return last if module == "builtins" else f"{self.spelling.module(module)}.{last}"
            return self.name(x, str(x) if isinstance(x, Dtype) else x.__name__)
        if type(x) in _PLAIN:
            return self.spelling.expression(x)
        return self.literal(x)

    def array(self, x: Any) -> str | None:
        """Write a framework's array as text; None for any other object."""
        owner = of(x)
        if owner is None:
            return None
        place = owner.device_of(owner.native(x))
        data = owner.to_numpy(owner.native(x), None, None)
        if data.nbytes > LARGEST:
            raise TooLargeError(
                f"source: an array of {data.nbytes:,} bytes that the program holds is not written as text (the most is "
                f"{LARGEST:,}). Make it an argument of the function"
            )
        dtype = data.dtype
        own = dtype.isbuiltin == 1
        if not data.ndim and own and self.spelling.framework == "torch":
            torch = self.spelling.module("torch")
            return f'{torch}.tensor({_shortest(data)}, dtype={torch}.{dtype.name}, device="{place}")'
        np = self.spelling.module("numpy")
        if not own:
            self.spelling.module("ml_dtypes")
        written = f'"{dtype.name}"' if own else f"ml_dtypes.{dtype.name}"
        if not data.size:
            made = f"{np}.zeros({data.shape}, dtype={written})"
        elif data.size > 16 and own and data.tobytes() == data.reshape(-1)[:1].tobytes() * data.size:
            made = f"{np}.full({data.shape}, {_listed(data.reshape(-1)[0].item())}, dtype={written})"
        elif data.size <= 16 and own:
            made = f"{np}.array({_listed(data.tolist())}, dtype={written})"
        else:
            encoded = base64.b64encode(data.tobytes()).decode()
            raw = f'{self.spelling.module("base64")}.b64decode("{encoded}")'
            made = f"{np}.frombuffer({raw}, dtype={written}).reshape({data.shape}).copy()"
        framework = self.spelling.framework
        moved = f'.to("{place}")' if framework == "torch" and place != "cpu" else ""
        if framework == "torch" and not own:
            torch = self.spelling.module("torch")
            return f"{torch}.from_numpy({made}.view({np}.uint16)).view({torch}.bfloat16){moved}"
        make = {
            "torch": "torch.from_numpy",
            "jax": "jax.numpy.asarray",
            "tensorflow": "tensorflow.constant",
            "dask": "dask.array.asarray",
        }
        if framework in make:
            module, _, last = make[framework].rpartition(".")
            return f"{self.spelling.module(module)}.{last}({made}){moved}"
        return made

    # --- functions ----------------------------------------------------------------------------------------------------

    def functions_of(self, name: str, f: Any) -> None:
        """Write a latticework function, with everything that it needs."""
        path = self.path(f)
        if path is not None:
            module, _, last = path.rpartition(".")
            self.parts.append(f"{name} = {self.spelling.module(module)}.{last}")
            return
        inner = getattr(f, "as_it_is", f)  # of a function that a backend compiles where that pays
        while is_wrapper(inner):
            inner = inner.__wrapped__
            path = self.path(inner)
            if path is not None and path.startswith(f"{self.spelling.framework}."):  # compiled, it computes the same
                module, _, last = path.rpartition(".")
                self.parts.append(f"{name} = {self.spelling.module(module)}.{last}")
                return
        if f is get or hasattr(f, "of_latticework"):  # in branches that few calls take
            self.absent.add(name)
            self.parts.append(_ABSENT.replace("NAME", name).replace("FRAMEWORK", self.spelling.framework))
            return
        node = definition(inner)
        cells = {}
        if inner.__closure__:
            for cell_name, cell in zip(inner.__code__.co_freevars, inner.__closure__, strict=True):
                try:
                    cells[cell_name] = cell.cell_contents
                except ValueError:
                    continue
        names = {n: v for n, v in inner.__globals__.items() if n not in cells} | cells
        text = self.rewritten(node, names, name, inner)
        self.parts.append(text)
        for define, rules in (("defjvp", ("jvp",)), ("defvjp", ("fwd", "bwd"))):  # derivatives that JAX was told
            known = [getattr(f, rule, None) for rule in rules]
            if hasattr(f, define) and all(isinstance(rule, types.FunctionType) for rule in known):
                self.parts.append(f"{name}.{define}({', '.join(map(self.reference, known))})")

    def class_of(self, name: str, kind: type) -> None:
        path = self.path(kind)
        if path is not None:
            module, _, last = path.rpartition(".")
            self.parts.append(f"{name} = {last if module == 'builtins' else self.spelling.module(module) + '.' + last}")
            return
        if issubclass(kind, Exception):
            base = next(c for c in kind.__mro__ if c.__module__ == "builtins")
            self.parts.append(f"class {name}({base.__name__}):\n    pass")
            return
        try:
            node = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
        except (OSError, TypeError, SyntaxError):
            raise TraceError(f"source: the class {kind.__name__} has no text") from None
        self.parts.append(self.rewritten(node, vars(sys.modules[kind.__module__]), name, kind))

    def rewritten(self, node: ast.AST, names: dict[str, Any], name: str, owner: Any) -> str:
        """Return the text of a definition, with global names replaced by the names of this source."""
        for part in ast.walk(node):
            if isinstance(part, ast.ImportFrom) and part.level:
                raise TraceError(
                    f"source: {name} imports other parts of latticework when it runs, and cannot be written as Python "
                    f"of {self.spelling.framework} alone. The graph itself runs it"
                )
            if isinstance(part, (ast.FunctionDef, ast.Lambda)):
                for argument in [*part.args.posonlyargs, *part.args.args, *part.args.kwonlyargs]:
                    argument.annotation = None
                for one in (part.args.vararg, part.args.kwarg):
                    if one is not None:
                        one.annotation = None
            if isinstance(part, ast.FunctionDef):
                part.returns = None
        node = Folded(names, bound_names(node)).visit(Plain().visit(node))
        ast.fix_missing_locations(node)
        found = Renamer(self, names, bound_names(node), name, getattr(node, "name", None)).visit(node)
        if isinstance(found, (ast.FunctionDef, ast.ClassDef)):
            found.name = name
            if isinstance(found, ast.FunctionDef) and always_calls(found, self.absent):
                self.absent.add(name)
            if isinstance(found, ast.FunctionDef) and isinstance(owner, types.FunctionType):
                self.set_defaults(found, owner)
            return ast.unparse(ast.fix_missing_locations(found))
        return f"{name} = {ast.unparse(ast.fix_missing_locations(found))}"

    def set_defaults(self, node: ast.FunctionDef, f: types.FunctionType) -> None:
        """Write the values of defaults, which were computed where the function was defined."""
        if f.__defaults__:
            node.args.defaults = [ast.parse(self.reference(x), mode="eval").body for x in f.__defaults__]
        for i, argument in enumerate(node.args.kwonlyargs):
            if f.__kwdefaults__ and argument.arg in f.__kwdefaults__:
                value = f.__kwdefaults__[argument.arg]
                node.args.kw_defaults[i] = ast.parse(self.reference(value), mode="eval").body


def _dtype_of_info(x: Any, module: str) -> Any:
    if module == "torch":
        import torch

        return getattr(torch, x.dtype)
    return x.dtype


def path_of(x: Any, framework: str) -> str | None:
    """Return the import path of an object of a framework, NumPy or Python; None for an object of latticework."""
    owner = getattr(x, "__objclass__", None)
    if owner is not None:  # a method: of the framework's array class, where that has it
        kind = {"torch": "torch.Tensor", "numpy": "numpy.ndarray"}.get(owner.__module__.partition(".")[0])
        return f"{kind}.{x.__name__}" if kind else None
    if callable(x) and getattr(builtins, own := str(getattr(x, "__name__", "")), None) is x:
        return f"builtins.{own}"
    for known in ("numpy", framework) if callable(x) else ():
        if known in sys.modules and (found := public_name(known, x)):
            return found
    module, name = getattr(x, "__module__", None), getattr(x, "__qualname__", getattr(x, "__name__", None))
    if not isinstance(module, str) or not isinstance(name, str) or module.partition(".")[0] == "latticework":
        return None
    return f"{module}.{name}" if getattr(sys.modules.get(module), name, None) is x else None


def _listed(x: Any) -> str:
    if isinstance(x, list):
        return f"[{', '.join(map(_listed, x))}]"
    return number_text(x) if isinstance(x, (float, complex)) else repr(x)


def _shortest(x: Any) -> str:
    """Write a NumPy array of one number, with no more digits than its dtype needs."""
    text = str(x[()])
    return text if text.strip("-").replace(".", "").isdigit() and x.dtype.type(float(text)) == x else _listed(x.item())


def _described(x: Any) -> str:
    return f"{getattr(x, '__qualname__', None) or repr(x)[:60]} ({type(x).__module__}.{type(x).__name__})"


_ABSENT = '''def NAME(*_, **__):
    """What FRAMEWORK has no function for, and latticework computes in another way, which this file has not."""
    raise NotImplementedError("this call is computed by latticework, without a function of FRAMEWORK")'''

#: The attributes of a dtype.
_ATTRIBUTES = ("name", "kind", "use", "bits", "itemsize", "exponent", "fraction", "bias", "encoding", "storage")

_DTYPE = f'''class NAME(str):
    """The name of a dtype, with what the functions below ask of it."""

    def __new__(cls, *attributes):
        self = super().__new__(cls, attributes[0])
        self.__dict__.update(zip({_ATTRIBUTES}, attributes))
        return self'''
