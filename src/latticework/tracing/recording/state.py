"""The state that a function holds besides its arguments: found before the trace, compared after it, read by each call.

A function reads and writes the variables around it, globals, attributes, and the elements of lists, dicts and other
containers that these lead to. Each such place is a `Slot`. A graph that uses an array looks at the slot of the array; a
graph that depends on a number checks that the slot still has the number; a graph that binds a slot to an array that it
computes does so in each call.
"""

from __future__ import annotations

import builtins
import functools
import opcode
import re
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from ...core.dtypes import SCALARS, Dtype
from ...engine.arrays.array import HOLDERS, Array

__all__ = ["ABSENT", "Change", "Held", "Kept", "Slot", "State", "Store", "is_users", "same"]


class _Absent:
    """The content of an empty slot."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT: Any = _Absent()


class Slot(NamedTuple):
    """A place that holds an object, and may be bound to another one.

    Attributes
    ----------
    kind: ``"cell"`` of a closure, ``"item"`` of a list or dict, ``"attribute"``, ``"variable"`` of a context,
        ``"array"`` of a dialect's; or the ``"size"`` of a container.
    container: the object that it is a place in.
    key: the key, the index or the name.
    name: its name in a program.
    """

    kind: str
    container: Any
    key: Any
    name: str

    def get(self) -> Any:
        """Return what it holds now, `ABSENT` for nothing."""
        try:
            match self.kind:
                case "cell":
                    return self.container.cell_contents
                case "item":
                    if hasattr(type(self.container), "__missing__"):  # which adds a missing key to a defaultdict
                        return dict.get(self.container, self.key, ABSENT)
                    return self.container[self.key]
                case "variable":
                    return self.container.get(ABSENT)
                case "size":
                    return len(self.container)
                case "array":
                    return HOLDERS[type(self.container)].array(self.container)
                case _:
                    return getattr(self.container, self.key)
        except (LookupError, ValueError, AttributeError):
            return ABSENT

    def set(self, x: Any) -> None:
        """Bind it to another object."""
        match self.kind:
            case "cell":
                self.container.cell_contents = x
            case "item":
                self.container[self.key] = x
            case "variable":
                self.container.set(x)
            case _:
                setattr(self.container, self.key, x)

    @property
    def place(self) -> tuple[int, str]:
        """The container and the key, by identity."""
        return id(self.container), repr(self.key)


class Change(NamedTuple):
    """A change of a run to what the function holds.

    Attributes
    ----------
    name: its name in a program.
    slot: the place; None where a list, dict or set has more or fewer elements than before, or other elements.
    before, after: the old object and the new one.
    """

    name: str
    slot: Slot | None
    before: Any
    after: Any


class _Kept(NamedTuple):
    """A container, and its content before the run.

    Attributes
    ----------
    kind: ``"dict"``, ``"list"``, ``"set"``, ``"cell"``, ``"variable"`` of a context, ``"names"`` of a module or class,
        or ``"cache"`` of a function.
    """

    kind: str
    container: Any
    before: Any
    name: str


#: Top-level packages whose objects have no state of a program.
_FRAMEWORKS = frozenset(
    """
    latticework numpy torch jax jaxlib tensorflow keras dask distributed scipy numba llvmlite ml_dtypes pandas
    matplotlib pytest _pytest pluggy sklearn
    """.split()
) | frozenset(sys.stdlib_module_names)
_CONTAINERS = (dict, list, deque, tuple, set, frozenset)
#: Types of objects that hold nothing that a run changes, besides the objects that are looked for.
_NOTHING = (bytes, Dtype, range, slice, memoryview, bytearray)
_PLAIN = (*SCALARS, str, type(None))
#: Types of what a program calls: in the same place another one is another program.
_CODE = (FunctionType, BuiltinFunctionType, MethodType, type, functools.partial)
#: Limits of the search for state: the depth, the elements of each container, and the number of objects.
_DEPTH, _ELEMENTS, _OBJECTS = 24, 1_000, 100_000
#: The most elements of a container of numbers that each call looks at, whether a program names them or not.
_FEW = 16


#: The names of functions and attributes that read attributes whose names are made as the program runs.
_BY_TEXT = frozenset("getattr setattr vars attrgetter __dict__ __getattribute__ __setattr__ eval exec".split())


class State:
    """The state that a function holds.

    Parameters
    ----------
    roots: the function, and objects among its arguments, each with its name in a program.

    Attributes
    ----------
    arrays: the arrays, by their id, each with the slots that hold it.
    scalars: the slots of numbers, strings and None, and of functions and classes, with what they held.
    closed: whether it is known that the program reaches no array but its arguments and those that it makes.
    """

    def __init__(self, roots: list[tuple[Any, str]]) -> None:
        self.arrays: dict[int, tuple[Array, list[Slot]]] = {}
        self.scalars: list[tuple[Slot, Any]] = []
        self._kept: dict[int, _Kept] = {}
        self._seen: dict[int, Any] = {}
        #: The id of an object -> the slot where it was found, and the slots where it was found again.
        self._above: dict[int, Slot] = {}
        self._again: dict[int, list[Slot]] = {}
        self._sizes: list[tuple[Slot, Slot, int]] = []
        self._names: set[str] = set()
        #: The ids of the dicts in which objects and modules have their attributes.
        self._attributes: set[int] = set()
        self._codes: set[int] = set()
        #: Of these, those of latticework's objects: their methods are not looked at, and may read all names.
        self._of_any_name: set[int] = set()
        self.closed = True
        for x, name in roots:
            if type(x) is FunctionType and not (x.__closure__ or x.__defaults__ or x.__kwdefaults__ or x.__dict__):
                self._seen[id(x)] = x  # the most common function, which holds nothing but globals
                if is_users(_module_of(x)):
                    self._globals(x.__code__, x.__globals__, 0)
            else:
                self.closed = False
                self._visit(x, name, 0)

    @property
    def holds(self) -> bool:
        """True if there is anything that a graph may look at."""
        return bool(self.arrays or self.scalars or self._sizes)

    # --- what there is ------------------------------------------------------------------------------------------------

    def _visit(self, x: Any, name: str, depth: int, slot: Slot | None = None) -> None:
        if isinstance(x, _PLAIN):
            if slot is not None:
                self.scalars.append((slot, x))
            return
        if type(x) is Array:
            found = self.arrays.setdefault(id(x), (x, []))
            if slot is not None:
                found[1].append(slot)
            return
        if slot is not None and isinstance(x, _CODE) and slot.get() is x:  # not what another object leads to
            self.scalars.append((slot, x))
        if id(x) in self._seen or isinstance(x, _NOTHING) or depth > _DEPTH or len(self._seen) > _OBJECTS:
            if slot is not None and id(x) in self._seen:
                self._again.setdefault(id(x), []).append(slot)
            return
        self._seen[id(x)] = x
        if slot is not None:
            self._above[id(x)] = slot
            if isinstance(x, (list, dict, deque, set)):
                self._sizes.append((slot, Slot("size", x, "len", f"the number of elements of {name}"), len(x)))
        if type(x) in HOLDERS:
            inner = Slot("array", x, "array", name)
            self._visit(inner.get(), name, depth, inner)
            return
        for part, key, kind in self._parts(x, name, depth):
            where = Slot(kind, x, key, _path(name, key, kind)) if kind else slot
            if not kind and (isinstance(part, _PLAIN) or type(part) is Array):
                where = None  # no place of its own
            self._visit(part, where.name if where is not None and kind else key or name, depth + 1, where)

    def _parts(self, x: Any, name: str, depth: int) -> Iterator[tuple[Any, Any, str]]:
        """Yield what an object holds, with the key and the kind of each slot; kind "" where there is no own slot."""
        kind = type(x)
        if kind is FunctionType:
            yield from self._of_function(x, depth)
        elif kind is CellType:
            content = _content(x)
            self._keep("cell", x, content, name)
            if content is not ABSENT:
                yield content, name, "cell"
        elif kind is MethodType:
            yield x.__self__, "self", ""
            yield x.__func__, "", ""
        elif isinstance(x, functools.partial):
            yield x.func, "", ""
            for a in (*x.args, *x.keywords.values()):
                yield a, "", ""
        elif isinstance(x, functools._lru_cache_wrapper):
            self._keep("cache", x, x.cache_info().currsize, name)
            yield x.__wrapped__, "", ""
        elif isinstance(x, _CONTAINERS):
            yield from self._of_container(x, name)
            if is_users(kind.__module__):  # a class of the program's own, whose objects have attributes too
                yield from self._of_instance(x, name, depth)
        elif isinstance(x, weakref.ref):
            yield x(), "", ""
        elif isinstance(x, ContextVar):
            content = x.get(ABSENT)
            self._keep("variable", x, content, x.name)
            if content is not ABSENT:
                yield content, x.name, "variable"
        elif isinstance(x, type):
            if is_users(x.__module__):
                yield from self._of_class(x)
        elif isinstance(x, ModuleType):
            pass
        else:
            if getattr(kind, "_holds_state", False):
                self._of_any_name.add(id(getattr(x, "__dict__", None)))
            elif kind.__module__.partition(".")[0] == "latticework":
                if callable(f := getattr(x, "f", None)):
                    yield f, "", ""
                return
            yield from self._of_instance(x, name, depth)

    def _of_container(self, x: Any, name: str) -> Iterator[tuple[Any, Any, str]]:
        if isinstance(x, dict):
            self._keep("dict", x, dict(x), name)
            for key, y in [*x.items()][:_ELEMENTS]:
                yield y, key, "item"
        elif isinstance(x, (set, frozenset)):
            if isinstance(x, set):
                self._keep("set", x, {*x}, name)
            for y in [*x][:_ELEMENTS]:
                yield y, "", ""
        else:
            if not isinstance(x, tuple):
                self._keep("list", x, [*x], name)
            for i, y in enumerate([*x][:_ELEMENTS]):
                yield y, i, "item"

    def _of_instance(self, x: Any, name: str, depth: int) -> Iterator[tuple[Any, Any, str]]:
        for base in type(x).__mro__:
            if is_users(base.__module__):
                yield base, "", ""
        yield from self._of_object(x, name, depth)

    def _of_object(self, x: Any, name: str, depth: int) -> Iterator[tuple[Any, Any, str]]:
        for base in type(x).__mro__:
            slots = base.__dict__.get("__slots__", ())
            names = [n for n in ((slots,) if isinstance(slots, str) else slots) if n not in ("__dict__", "__weakref__")]
            names = [f"_{base.__name__.lstrip('_')}{n}" if n.startswith("__") and n[-2:] != "__" else n for n in names]
            if names and is_users(base.__module__):
                found = {n: getattr(x, n, ABSENT) for n in names}
                self._keep("names", x, found, name, key=(id(x), base))
                for n, y in found.items():
                    if y is not ABSENT:
                        yield y, n, "attribute"
        attributes = getattr(x, "__dict__", None)
        if type(attributes) is dict and id(attributes) not in self._seen:
            self._seen[id(attributes)] = attributes
            self._attributes.add(id(attributes))
            self._keep("dict", attributes, dict(attributes), name, attributes=True)
            if id(x) in self._above:
                self._above[id(attributes)] = self._above[id(x)]
            if id(attributes) in self._of_any_name and id(x) in self._above:  # an attribute may take a method's place
                size = Slot("size", attributes, "len", f"the number of attributes of {name}")
                self._sizes.append((self._above[id(x)], size, len(attributes)))
            for n, y in [*attributes.items()][:_ELEMENTS]:
                self._visit(y, f"{name}.{n}", depth + 1, Slot("item", attributes, n, f"{name}.{n}"))

    def _of_function(self, f: FunctionType, depth: int) -> Iterator[tuple[Any, Any, str]]:
        module = _module_of(f)
        if module.partition(".")[0] == "latticework":  # a wrapper of a user's function
            for cell in f.__closure__ or ():
                content = _content(cell)
                if isinstance(content, (FunctionType, MethodType, functools.partial)):
                    yield content, "", ""
            if (wrapped := f.__dict__.get("__wrapped__")) is not None:
                yield wrapped, "", ""
            return
        if not is_users(module):
            return
        for variable, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            self._visit(cell, variable, depth + 1)
        defaults = f.__defaults__ or ()
        positional = f.__code__.co_varnames[: f.__code__.co_argcount]
        for x, name in zip(defaults, positional[len(positional) - len(defaults) :], strict=False):
            yield x, name, ""
        for name, x in (f.__kwdefaults__ or {}).items():
            yield x, name, ""
        if f.__dict__:
            self._attributes.add(id(f.__dict__))
            self._keep("dict", f.__dict__, dict(f.__dict__), f.__name__, attributes=True)
            for n, y in f.__dict__.items():
                self._visit(y, f"{f.__name__}.{n}", depth + 1, Slot("item", f.__dict__, n, f"{f.__name__}.{n}"))
        self._globals(f.__code__, f.__globals__, depth)

    def _globals(self, code: CodeType, names: dict[str, Any], depth: int) -> None:
        """Visit the globals that code names, and the attributes of modules that it names."""
        if id(code) in self._codes:
            return
        self._codes.add(id(code))
        _, of_code, read, inner, opens = _code_parts.get(id(code)) or _parts_of(code)
        self._names |= of_code
        if opens:
            self.closed = False
        for name in read:
            x = names.get(name, ABSENT)
            if isinstance(x, ModuleType):
                if x.__name__ not in _WITHOUT_ARRAYS:
                    self.closed = False
                self._module(x, read, depth)
            elif x is not ABSENT or not hasattr(builtins, name):
                if x is not ABSENT:
                    self.closed = False
                self._global(names, name, x, name, depth)
            elif name not in _HARMLESS_BUILTINS:
                self.closed = False
        for part in inner:
            self._globals(part, names, depth)

    def _module(self, module: ModuleType, read: tuple[str, ...], depth: int) -> None:
        names, own = vars(module), is_users(module.__name__)
        for name in read:
            x = names.get(name, ABSENT)
            if x is ABSENT or isinstance(x, ModuleType):
                continue
            if own or _is_put_there(name, x):
                self.closed = False
                self._global(names, name, x, f"{module.__name__}.{name}", depth)

    def _global(self, names: dict[str, Any], name: str, x: Any, shown: str, depth: int) -> None:
        kept = self._kept.get(id(names))
        if kept is None:
            self._attributes.add(id(names))
            kept = self._kept[id(names)] = _Kept("names", names, {}, "")
        if name not in kept.before:
            kept.before[name] = x
            if x is not ABSENT:
                self._visit(x, shown, depth + 1, Slot("item", names, name, shown))

    def _of_class(self, cls: type) -> Iterator[tuple[Any, Any, str]]:
        found = {}
        for name, x in [*vars(cls).items()]:
            f = getattr(x, "__func__", None) or getattr(x, "fget", None) or getattr(x, "func", None) or x
            if isinstance(f, (FunctionType, functools._lru_cache_wrapper)):
                yield f, "", ""
                if isinstance(x, property) and x.fset is not None:
                    yield x.fset, "", ""
            elif hasattr(type(x), "__get__") and is_users(type(x).__module__):  # a descriptor of the program's own
                yield x, "", ""
            elif not name.startswith("__") and not hasattr(type(x), "__get__"):
                found[name] = x
                yield x, name, "attribute"
        if found:
            self._keep("names", cls, found, cls.__name__)

    def _keep(self, kind: str, x: Any, before: Any, name: str, *, attributes: bool = False, key: Any = None) -> None:
        self._kept[key or id(x)] = _Kept(kind, x, before, f"{name}." if attributes else name)

    # --- what a run changed -------------------------------------------------------------------------------------------

    def changes(self) -> list[Change]:
        """List what is not as it was before the run."""
        found: list[Change] = []
        for kept in self._kept.values():
            found += _compared(kept)
        return found

    def restore(self) -> None:
        """Restore everything as it was before the run."""
        for kind, x, before, _ in self._kept.values():
            match kind:
                case "cell":
                    if before is not ABSENT:
                        x.cell_contents = before
                    elif x != CellType():
                        del x.cell_contents
                case "variable":
                    if before is not ABSENT and x.get(ABSENT) is not before:
                        x.set(before)
                case "names":
                    for name, y in before.items():
                        now = x.get(name, ABSENT) if type(x) is dict else getattr(x, name, ABSENT)
                        if now is y:
                            continue
                        if type(x) is dict:
                            x.pop(name, None) if y is ABSENT else x.__setitem__(name, y)
                        elif y is ABSENT:
                            delattr(x, name)
                        else:
                            setattr(x, name, y)
                case "list":
                    if len(x) != len(before) or any(a is not b for a, b in zip(x, before, strict=True)):
                        x.clear()
                        x.extend(before)
                case "cache":
                    if x.cache_info().currsize != before:
                        x.cache_clear()
                case "dict":
                    if _items_differ(x, before):
                        x.clear()
                        x.update(before)
                case _:
                    if x != before:
                        x.clear()
                        x.update(before)

    # --- what a graph looks at ----------------------------------------------------------------------------------------

    @property
    def names(self) -> frozenset[str]:
        """The names and the strings in the program's code."""
        return frozenset(self._names)

    def objects(self) -> list[tuple[Any, list[Slot]]]:
        """List the objects that the program may read, each with the slots where it may: none for one without."""
        found = []
        for i, x in self._seen.items():
            slots = [*([self._above[i]] if i in self._above else ()), *self._again.get(i, ())]
            reached = [s for s in slots if all(map(self._may_be_reached, [s, *[o for o, _ in self.above(s)]]))]
            if reached or not slots:
                found.append((x, reached))
        return found

    def read(self, backend: Any) -> list[Array]:
        """List the arrays of a backend that the program may read: of an object, only in attributes that it names."""
        return [
            x for x, slots in self.arrays.values()
            if x._sig.backend is backend and (not slots or any(map(self._may_be_reached, slots)))
        ]  # fmt: skip

    def slots_of(self, x: Array) -> list[Slot]:
        """Return the slots that held an array before the run."""
        return self.arrays.get(id(x), (x, []))[1]

    def above(self, slot: Slot) -> list[tuple[Slot, Any]]:
        """Return the slots that lead to a slot, with what they hold: it is the same place as long as they hold that."""
        found: list[tuple[Slot, Any]] = []
        outer = self._above.get(id(slot.container))
        while outer is not None and len(found) <= _DEPTH:
            found.append((outer, outer.get()))
            outer = self._above.get(id(outer.container))
        return found

    def looked_at(self) -> list[tuple[Slot, Any]]:
        """Return the slots of numbers, strings, None, functions and classes that the program may read: it names them,
        or they are few."""
        sizes = [(size, n) for slot, size, n in self._sizes if self._may_be_read(slot)]
        return [(slot, x) for slot, x in self.scalars if self._may_be_read(slot)] + sizes

    def _may_be_reached(self, slot: Slot) -> bool:
        """Return whether the program may read a slot: any slot but an attribute that it names nowhere."""
        if slot.kind != "attribute" and id(slot.container) not in self._attributes:
            return True
        if id(slot.container) in self._of_any_name:
            return True
        return slot.key in self._names or not _BY_TEXT.isdisjoint(self._names)

    def _may_be_read(self, slot: Slot) -> bool:
        """Return whether the program may read a number's slot: it names the slot, or few slots are beside it."""
        if slot.kind == "item" and id(slot.container) not in self._attributes and len(slot.container) > _FEW:
            return slot.key in self._names
        return self._may_be_reached(slot)


#: Modules and builtins by which no program reaches an array of its own.
_WITHOUT_ARRAYS = frozenset(("latticework", "math", "numpy"))
_HARMLESS_BUILTINS = frozenset("abs bool divmod enumerate float int len max min range round sum tuple zip".split())
#: The names of functions and attributes by which a program reads a global whose name is in a string.
_OF_GLOBALS = _BY_TEXT | {"__globals__", "globals", "locals"}
#: Numbers of modules of frameworks and of Python that nobody changes.
_NUMBERS = frozenset("e euler_gamma inf nan newaxis pi tau".split())
#: The id of a code object -> the code object, the names and strings in it, the names of globals and attributes that it
#: may read, the code objects in it, and whether it imports something or reads globals by strings.
_code_parts: dict[int, tuple[CodeType, frozenset[str], tuple[str, ...], tuple[CodeType, ...], bool]] = {}
_IMPORTS = opcode.opmap["IMPORT_NAME"]
_WORD = re.compile(r"[^\W\d]\w*")
#: The most code objects that are kept.
_MOST_CODES = 1_000


def _parts_of(code: CodeType) -> tuple[CodeType, frozenset[str], tuple[str, ...], tuple[CodeType, ...], bool]:
    """Return what `_code_parts` keeps for a code object, and keep it."""
    strings = [c for c in code.co_consts if type(c) is str]
    names = frozenset((*code.co_names, *code.co_freevars, *code.co_cellvars, *strings))
    if len(_code_parts) >= _MOST_CODES:
        _code_parts.clear()
    inner = tuple([c for c in code.co_consts if isinstance(c, CodeType)])
    read, by_text = code.co_names, not _OF_GLOBALS.isdisjoint(code.co_names)
    if by_text:
        read = tuple(dict.fromkeys([*read, *[word for text in strings for word in _WORD.findall(text)]]))
    found = _code_parts[id(code)] = code, names, read, inner, by_text or _IMPORTS in code.co_code[::2]
    return found


def _is_put_there(name: str, x: Any) -> bool:
    """Return whether an attribute of a framework's module is an array or anything else that a program put there."""
    if type(x) in (int, float, complex):
        return name not in _NUMBERS
    if type(x) in (Array, SimpleNamespace) or type(x) in HOLDERS:
        return True
    if type(x) in (list, tuple, dict):
        return any(_is_put_there(name, y) for y in (x.values() if type(x) is dict else x))
    return is_users(getattr(x, "__module__", None) or type(x).__module__)


def _module_of(f: FunctionType) -> str:
    """Return the name of the module whose globals a function has."""
    return str(f.__globals__.get("__name__") or f.__globals__.get("__package__"))


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def is_users(module: Any) -> bool:
    """Return whether a module is the user's: not a framework's, and not Python's own."""
    return str(module).partition(".")[0] not in _FRAMEWORKS


def _path(name: str, key: Any, kind: str) -> str:
    if kind == "item":
        return f"{name}[{key!r}]"
    return f"{name}.{key}" if kind == "attribute" else name


def same(x: Any, y: Any) -> bool:
    """Return whether a slot holds the same as before: the same object, or an equal number or string."""
    if x is y:
        return True
    return type(x) is type(y) and isinstance(x, _PLAIN) and (x == y or x != x) and repr(x) == repr(y)


def _items_differ(x: dict[Any, Any], before: dict[Any, Any]) -> bool:
    return [*x] != [*before] or any(x[key] is not y for key, y in before.items())


def _is_moved(before: list[Any], after: list[Any]) -> bool:
    """Return whether the elements of a deque moved by one, as they do when an element is added to a full deque."""
    if all(a is b for a, b in zip(before, after, strict=True)):
        return False
    return (
        any(
            all(a is b for a, b in zip(x, y, strict=True))
            for x, y in ((before[1:], after[:-1]), (before[:-1], after[1:]))
        )
        and len(before) > 1
    )


def _compared(kept: _Kept) -> list[Change]:
    kind, x, before, name = kept
    if kind == "cell":
        now = _content(x)
        return [] if same(now, before) else [Change(name, Slot("cell", x, name, name), before, now)]
    if kind == "variable":
        now = x.get(ABSENT)
        return [] if same(now, before) else [Change(name, Slot("variable", x, name, name), before, now)]
    if kind == "cache":
        return []
    if kind == "set":
        return [] if x == before else [Change(name, None, before, x)]
    if kind == "list":
        if len(x) != len(before) or (type(x) is deque and _is_moved(before, [*x])):
            return [Change(name, None, before, [*x])]
        return [
            Change(f"{name}[{i}]", Slot("item", x, i, f"{name}[{i}]"), old, new)
            for i, (old, new) in enumerate(zip(before, x, strict=True)) if not same(new, old)
        ]  # fmt: skip
    found = []
    if kind == "dict":
        for key in {**before, **x}:
            old, new = before.get(key, ABSENT), x.get(key, ABSENT)
            if not same(new, old):
                shown = f"{name}{key}" if name.endswith(".") else f"{name}[{key!r}]"
                found.append(Change(shown, Slot("item", x, key, shown), old, new))
        if not name.endswith(".") and [k for k in before if k in x] != [k for k in x if k in before]:
            found.append(Change(f"{name}, the order of its keys", None, before, x))
        return found
    for key, old in before.items():
        new = x.get(key, ABSENT) if type(x) is dict else getattr(x, key, ABSENT)
        if not same(new, old):
            shown = f"{name}.{key}" if name else key
            found.append(Change(shown, Slot("item" if type(x) is dict else "attribute", x, key, shown), old, new))
    return found


class Held:
    """The array that a function holds now: its slot may be bound to another array.

    Attributes
    ----------
    array: the array.
    """

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array


class Store(NamedTuple):
    """A slot that each call binds.

    Attributes
    ----------
    slot: the slot.
    sig: the signature of the array that it is bound to, where the graph computes the array; else None.
    argument: the number of the argument, where it is bound to an argument itself; else None.
    static: the object that it is bound to in all other cases.
    again: the number of the result that is the same array, or the number of results and that of such a store before;
        else None.
    """

    slot: Slot
    sig: Any = None
    argument: int | None = None
    static: Any = None
    again: int | None = None


class _Look(NamedTuple):
    """A slot that a graph checks.

    Attributes
    ----------
    held: the array that the graph reads there; the slot may be bound to another one like it. None where the slot has to
        hold the same as when the function was traced.
    """

    slot: Slot
    held: Held | None


class Kept:
    """The slots that a graph looks at before each call, and the slots that it binds after the call.

    Attributes
    ----------
    stores: the slots that it binds, in the order of their arrays among the results.
    """

    def __init__(
        self, state: State, held: list[Held], stores: list[Store], fixed: list[tuple[Slot, Any]], writes: bool
    ) -> None:
        self.stores, self._writes = stores, writes
        self._looks: list[_Look] = []
        self._expected: list[Any] = []
        self._places: dict[tuple[int, str], int] = {}
        of = {id(h.array): h for h in held}
        slots: list[tuple[Slot, Held | None]] = [(slot, h) for h in held for slot in state.slots_of(h.array)]
        for store in stores:
            before = store.slot.get()
            one = of.get(id(before)) or (Held(before) if type(before) is Array else None)
            slots.append((store.slot, one))
        for slot, one in slots:
            for outer, x in state.above(slot):
                self._look(outer, x, None)
            if isinstance(slot.container, tuple):
                continue
            self._look(slot, slot.get(), one)
        for slot, x in (*state.looked_at(), *fixed):
            for outer, y in state.above(slot):
                self._look(outer, y, None)
            if not isinstance(slot.container, tuple):
                self._look(slot, x, None)
        places = [id(look.held) for look in self._looks]
        self._several = {i for i in places if places.count(i) > 1}  # which are checked against each other
        self.check = self._compiled()

    def _look(self, slot: Slot, x: Any, held: Held | None) -> None:
        if slot.place not in self._places and not isinstance(slot.container, tuple):
            self._places[slot.place] = len(self._looks)
            self._looks.append(_Look(slot, held))
            self._expected.append(x)

    def held_slots(self) -> list[tuple[Slot, Held]]:
        """Return the slots of the arrays that the graph uses, with the arrays."""
        return [(look.slot, look.held) for look in self._looks if look.held is not None]

    def __bool__(self) -> bool:
        return bool(self._looks or self.stores)

    def _compiled(self) -> Callable[[], bool]:
        """Make a function that tells whether each slot has the object that it had before."""
        if not self._looks:
            return _always
        names: dict[str, Any] = {"e": self._expected, "ABSENT": ABSENT}
        tests = []
        for i, (slot, _) in enumerate(self._looks):
            names[f"x{i}"] = slot.container
            if slot.kind == "size":
                n = self._expected[i]
                tests.append(f"len(x{i}) == {n}" if n else f"not x{i}")
                continue
            key = repr(slot.key) if type(slot.key) in (str, int) else f"k{i}"
            names[f"k{i}"] = slot.key
            read = f"x{i}.cell_contents" if slot.kind == "cell" else f"x{i}[{key}]"
            direct = slot.kind == "item" and not hasattr(type(slot.container), "__missing__")
            if slot.kind == "attribute":
                read = f"getattr(x{i}, {key}, ABSENT)"
            elif slot.kind != "cell" and (not direct or self._expected[i] is ABSENT):
                names[f"x{i}"], read = slot.get, f"x{i}()"
            tests.append(f"{read} is e[{i}]")
        test = "\n            and ".join(tests) or "True"
        text = f"""
def check():
    try:
        return (
            {test}
        )
    except (LookupError, ValueError, AttributeError):
        return False
"""
        exec(_code(text), names)
        found: Callable[[], bool] = names["check"]
        return found

    def differs(self) -> str:
        """Say what differs from when the function was traced; "" for nothing. Arrays that took the places of arrays
        like them are read from now on."""
        found = [slot.get() for slot, _ in self._looks]
        one: dict[int, Any] = {}  # a variable for each array that was found
        for (slot, held), now, before in zip(self._looks, found, self._expected, strict=True):
            alike = now is before or (self._is_like(now, before) if held is not None else same(now, before))
            if not alike:
                was, is_now = _shown(before), _shown(now)
                is_now = is_now.replace("an array", "another", 1) if was == is_now else is_now
                return f"{slot.name}, which the function holds, was {was}, and is {is_now}"
            if held is not None and one.setdefault(id(held), now) is not now:
                return f"{slot.name} and another variable were one array, which the function holds, and are two"
        arrays = {id(held): held for _, held in self._looks if held is not None}
        if len({id(one[i]) for i in arrays}) < len(arrays):
            return "two variables were two arrays, which the function holds, and are one"
        self._expected[:] = found
        for i, held in arrays.items():
            held.array = one[i]
        return ""

    def _is_like(self, x: Any, before: Any) -> bool:
        """Return whether an array may take the place of another."""
        if type(x) is not Array or x._sig is not before._sig or tuple(x.shape) != tuple(before.shape):
            return False
        # A view of one of NumPy's scalars is a copy, which matters where something is written.
        return not self._writes or bool(x.shape) or type(x._data) is type(before._data)

    def expect(self, slot: Slot, x: Any) -> None:
        """Take an object for what a slot held when the function was traced."""
        i = self._places.get(slot.place)
        if i is not None:
            self._expected[i] = x

    def store(self, arrays: list[Array | None], arguments: Any) -> None:
        """Bind the slots that each call binds.

        Parameters
        ----------
        arrays: for each store, the array that was computed for it; None where no array was.
        arguments: the arrays among the arguments.
        """
        for (slot, _, argument, static, _), x in zip(self.stores, arrays, strict=True):
            y = x if x is not None else arguments[argument] if argument is not None else static
            slot.set(y)
            i = self._places.get(slot.place)
            held = self._looks[i].held if i is not None else None
            if (
                i is not None
                and held is not None
                and id(held) not in self._several
                and self._is_like(y, self._expected[i])
            ):
                self._expected[i] = held.array = y


@functools.lru_cache(1024)
def _code(text: str) -> CodeType:
    return compile(text, "<latticework look>", "exec")


def _always() -> bool:
    return True


def _shown(x: Any) -> str:
    if type(x) is Array:
        return f"an array of {x.dtype} of shape {x.shape}"
    if isinstance(x, _PLAIN):
        return repr(x)
    return "missing" if x is ABSENT else f"another {type(x).__name__}"
