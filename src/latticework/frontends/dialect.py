"""A framework's dialect of latticework's functions: its array class, dtypes, promotion rules, defaults and errors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial, update_wrapper
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import latticework

from ..core.dtypes import SCALARS, Dtype
from ..core.registry import declaration_of, declared
from ..core.trees import register_node
from ..engine.arrays.array import HOLDERS, Array, Holder
from ..engine.exchange.native import mapped
from ..errors import is_signal
from ..policy import Policy, as_dtype, call_under
from . import calls
from .deciding import MOST_POLICIES, Deciding
from .naming import written_in
from .renaming import declaration, rename

if TYPE_CHECKING:
    from ..engine.op import Op
    from .array import DialectArray

__all__ = ["DIALECTS", "Dialect", "Functions", "listed"]

#: The dialects that are loaded, by name.
DIALECTS: dict[str, Dialect] = {}

_PLAIN = frozenset((*SCALARS, str, bytes, slice, type(None), type(Ellipsis), range, Dtype))
_FUNCTIONS = (FunctionType, MethodType)
#: The properties of arrays that are arrays.
_OF_ARRAYS = frozenset("T mT H mH real imag".split())


class Functions:
    """Latticework's functions over a dialect's arrays, under its rules, made on first access: ``ops.linalg.inv(x)``."""

    def __init__(self, dialect: Dialect, module: Any, prefix: str = "") -> None:
        self._dialect, self._module, self._prefix = dialect, module, prefix

    def __getattr__(self, name: str) -> Any:
        f = getattr(self._module, name)
        found: Any
        if isinstance(f, ModuleType):
            found = Functions(self._dialect, f, f"{name}.")
        elif callable(f) and not isinstance(f, type):
            found = calls.twin(declared(self._prefix + name) or declaration_of(f), f, self._dialect)
        else:
            found = f
        setattr(self, name, found)
        return found


class Dialect(Deciding):
    """The dialect of a framework.

    Attributes
    ----------
    name: the framework's name.
    array: the class of its arrays.
    wrapped: wraps an `lw.Array` as an array of the dialect, and returns anything else as it is.
    ops: latticework's functions over its arrays, under its rules.
    dtypes: its dtype objects, by latticework's dtype.
    """

    array: type[DialectArray]
    wrapped: Callable[[Any], Any]
    #: Tells which dtypes Python's ints and floats have in lists.
    numbers: Callable[[], dict[type, Dtype]] = staticmethod(dict)
    #: A block in which the switches of the dialect are as those of the framework itself are in the process.
    as_in_process: Callable[[], AbstractContextManager[Any]] = nullcontext
    #: True if arrays are made on another device than the policy's default: a switch of the framework.
    elsewhere = False

    def __init__(
        self,
        name: str,
        rules: Callable[[], str] | str,
        *,
        defaults: Callable[[], dict[str, Any]] | None = None,
        errors: Callable[[Exception, str], Exception] | None = None,
        operand: Callable[[Any, Any], Any] | None = None,
        refuses: Callable[[str, tuple[Any, ...]], None] | None = None,
    ) -> None:
        """Make a dialect, whose array class and dtypes are set afterwards.

        Parameters
        ----------
        rules: the name of the rule set, or a function that returns it where a switch of the framework decides.
        defaults: a function that returns the fields of `Policy` for which the framework has values of its own.
        errors: a function that converts an error of latticework to the framework's error, for a function's name.
        operand: a function for the second operand of an operator that has no kernel for it: it returns the operand to
            compute with, or `NotImplemented`.
        refuses: a function that raises where the framework has no kernel for the operands of a latticework function,
            by its name. It is called once for each kernel, under the dialect's policy.
        """
        super().__init__(rules, defaults or dict, refuses)
        self.name = name
        self._errors, self._operand = errors, operand
        self.ops: Any = Functions(self, latticework)
        self.dtypes: dict[Dtype, Any] = {}
        self._ours: dict[Any, Dtype] = {}
        self._numbers: dict[type, Dtype] | None = None
        self.kept: list[calls.DialectKernels | calls.Remembered] = []
        self.names: dict[str, list[dict[str, Any]]] = {}
        self._converted: dict[type, Callable[[Any], Any]] = {}
        DIALECTS[name] = self

    # --- what it is made of -----------------------------------------------------------------------------------------

    def with_array(self, array: type[DialectArray]) -> None:
        """Set the class of its arrays, and give it the operators."""
        self.array = array
        array.dialect = self
        self.wrapped = partial(calls.wrapped, array)
        HOLDERS[array] = Holder(calls.shared, self.wrapped, lambda f: written_in(f, self.name))
        register_node(array, lambda x: (calls.shared(x),), lambda children: self.wrapped(*children))

    def with_dtypes(self, dtypes: dict[Dtype, Any]) -> None:
        """Set its dtype objects, by latticework's dtype."""
        self.dtypes.update(dtypes)
        self._ours.update({theirs: dtype for dtype, theirs in dtypes.items()})

    def converts(self, kind: type, to_ours: Callable[[Any], Any]) -> None:
        """Set the conversion of the framework's other objects, a device or a slice, where they are arguments."""
        self._converted[kind] = to_ours

    # --- what is kept -----------------------------------------------------------------------------------------------

    def names_of(self, name: str) -> list[dict[str, Any]]:
        """Return the globals of all dispatchers of a latticework function: its own, an operator's, the dialect's."""
        return [
            own
            for kept in self.kept
            if isinstance(kept, calls.DialectKernels) and kept.name == name
            for own in kept.names
        ]

    def changed(self) -> None:
        """Clear the caches: a default of the framework, or a switch, has changed."""
        self.policies.clear()
        self._resolved.clear()
        self._numbers = None
        for kept in self.kept:
            kept.forget()

    # --- in and out -------------------------------------------------------------------------------------------------

    def dtype_of(self, dtype: Any) -> Any:
        """Return latticework's dtype of one of its dtype objects, or of an argument that is read as a dtype."""
        try:
            return self._ours[dtype]
        except (KeyError, TypeError):  # or it has no hash
            pass
        if type(dtype) is Dtype:
            return dtype
        policy = self.policy()
        try:
            return self._resolved[policy, dtype]
        except (KeyError, TypeError):
            pass
        found = call_under(policy, as_dtype, (dtype,), {})
        if isinstance(dtype, (type, str)) and len(self._resolved) < MOST_POLICIES:  # float means what the policy says
            self._resolved[policy, dtype] = found
        return found

    def unwrap(self, x: Any, made: dict[int, Any]) -> Any:
        """Unwrap a tree: its arrays and dtypes become latticework's. `made` gets its arrays by the `lw.Array`'s id."""
        kind = type(x)
        if kind is self.array:
            made[id(x._array)] = x
            return x._array
        if kind in _PLAIN:
            return x
        if kind in self._converted:
            return self._converted[kind](x)
        if kind in (list, tuple, dict) or (isinstance(x, tuple) and hasattr(kind, "_fields")):
            return mapped(lambda child: self.unwrap(child, made), x)
        if isinstance(x, _FUNCTIONS):
            return self.callback(x)
        for other in DIALECTS.values():
            if kind is getattr(other, "array", None):
                return x._array
        try:
            return self._ours.get(x, x)
        except TypeError:  # it has no hash
            return x

    def wrap(self, x: Any, made: dict[int, Any] | None = None) -> Any:
        """Wrap a tree: latticework's arrays and dtypes become the dialect's."""
        kind = type(x)
        if kind is Array:
            if made and id(x) in made:
                return made[id(x)]
            return self.wrapped(x)
        if kind is Dtype:
            return self.dtypes.get(x, x)
        if kind is tuple or kind is list:
            return kind([self.wrap(child, made) for child in x])
        if kind is dict or (isinstance(x, tuple) and hasattr(kind, "_fields")):
            return mapped(lambda child: self.wrap(child, made), x)
        if isinstance(x, _FUNCTIONS):
            return self.function(x)
        return x

    def operand(self, x: Any, beside: Any) -> Any:
        """Return the second operand of an operator in the form to compute with, or `NotImplemented`."""
        kind = type(x)
        if kind is self.array or kind is Array or isinstance(x, SCALARS):
            return x
        return NotImplemented if self._operand is None else self._operand(x, beside)

    def operated(self, kernels: calls.DialectKernels, x1: Any, x2: Any, reflected: bool = False) -> Any:
        """Return ``x1 + x2`` of an array x1 of the dialect and an x2 that no kernel is kept for, or ``x2 + x1``."""
        x2 = self.operand(x2, x1)
        if x2 is NotImplemented:
            return x2
        return kernels.call(2, (x2, x1) if reflected else (x1, x2), {})

    def body(self, f: Callable[..., Any], module: str) -> Callable[..., Any]:
        """Return what runs where no kernels are kept of a function of one of its modules: the function as it stands.

        A dialect that answers some calls in another way overrides this.
        """
        return f

    def operands(self, o: Op, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a latticework function, as the framework takes them: by default as they are.

        A dialect whose functions take lists overrides this, and makes arrays of the lists that stand for operands.
        """
        return args, kw

    def error(self, error: Exception, name: str = "") -> Exception:
        """Return the framework's error for an error of latticework."""
        if self._errors is None or getattr(error, "of_dialect", False) or is_signal(error):
            return error
        found = self._errors(error, name)
        found.of_dialect = True  # type: ignore[attr-defined]
        return found

    # --- arrays that no rules have a say in --------------------------------------------------------------------------

    def counted(self, start: Any, stop: Any, step: Any, dtype: Dtype) -> Any:
        """Return ``arange`` of Python ints in a given dtype; None where only the slow path can decide."""
        if type(start) is int and type(step) is int and step and (stop is None or type(stop) is int):
            try:
                return self.made(latticework.arange, start, stop, step, dtype=dtype)
            except Exception:
                return None
        return None

    def of_numbers(self, values: list[Any]) -> Any:
        """Return an array of a list of ints, or of floats, in their dtype here; None for any other list."""
        if self.is_audited:
            return None
        kinds = {*map(type, values)}
        if self._numbers is None:
            self._numbers = self.numbers()
        dtype = self._numbers.get(kinds.pop()) if len(kinds) == 1 else None
        if dtype is None:
            return None
        try:
            return self.made(latticework.asarray, values, dtype=dtype)
        except Exception:
            return None

    def of_number(self, value: float, dtype: Dtype) -> Any:
        """Return a 0-d array of a Python number, in a dtype that holds it."""
        return self.made(latticework.asarray, value, dtype=dtype)

    def made(self, f: Callable[..., Any], *args: Any, **kw: Any) -> Any:
        """Return what a latticework function makes of arguments that are the same to it and to the dialect.

        The call has a dtype, so that no rules have a say in it: it is made under the policy in force.
        """
        noted = calls.notes.get()
        if noted is None:
            return self.wrapped(f(*args, **kw))
        result, within = noted.call(f, *args, **kw)
        found = self.wrapped(result)
        noted.append(calls.Note(None, f, None, len(args), args, kw, None, found, within))
        return found

    # --- calls ------------------------------------------------------------------------------------------------------

    def call(self, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Call a latticework function with arrays of the dialect, under its policy."""
        made: dict[int, Any] = {}
        given, options = args, kw
        unwrap, policy = self.unwrap, self.policy()
        args = tuple([x if type(x) in _PLAIN else unwrap(x, made) for x in args])
        if kw:
            kw = {name: x if type(x) in _PLAIN else unwrap(x, made) for name, x in kw.items()}
        try:
            self.check(policy, getattr(f, "__name__", ""), args)
            noted = calls.notes.get()
            if noted is None:
                return self.wrap(self.run(policy, f, args, kw), made)
            result, within = noted.call(self.run, policy, f, args, kw)
        except Exception as error:
            raise self.error(error, getattr(f, "__name__", "")) from None
        found = self.wrap(result, made)
        noted.append(calls.Note(None, f, policy, len(given), given, options, None, found, within))
        return found

    def run(self, policy: Policy, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Call a latticework function with `lw.Array`s. A dialect that records its calls does so here."""
        return call_under(policy, f, args, kw)

    def function(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function written for `lw.Array`s as one of the dialect. As a decorator it makes a composition."""

        def call(*args: Any, **kw: Any) -> Any:
            return self.call(f, args, kw)

        return update_wrapper(call, f)

    def function_of_operands(self, o: Op, f: Callable[..., Any]) -> Callable[..., Any]:
        """Like `function`, for a declared function. `operands` may first convert its operands to arrays."""

        def call(*args: Any, **kw: Any) -> Any:
            args, kw = self.operands(o, args, kw)
            return self.call(f, args, kw)

        return update_wrapper(call, f)

    def callback(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function written for the dialect's arrays as one for `lw.Array`s."""

        def call(*args: Any, **kw: Any) -> Any:
            made: dict[int, Any] = {}
            return self.unwrap(f(*[self.wrap(x) for x in args], **{n: self.wrap(x) for n, x in kw.items()}), made)

        return update_wrapper(call, f)

    def finish(
        self,
        names: dict[str, Any],
        renamed: str = "",
        *,
        view: str = "",
        helpers: str = "",
        around: Callable[[Any], Any] | None = None,
    ) -> None:
        """Complete a module of the dialect: its functions get docstrings, and remember what they run.

        Parameters
        ----------
        names: the module's globals. The functions that it defines are added to ``__all__``.
        renamed: a table of further functions, see `frontends.renaming`.
        view: the module's name in the framework, where it is not the name of this file.
        helpers: names of functions that are not the framework's.
        around: a function that wraps each function of the module. Where its result has an attribute ``checks``, it
            refuses what latticework's function takes, and the kernels of that are not run without it.
        """
        module = view or names["__name__"].partition(".frontends.")[2]
        dispatchers = rename(self, names, renamed)
        functions = listed(names, helpers)
        for name, f in functions.items():
            if not f.__doc__:
                f.__doc__ = f"`{module}.{name}`, with its arguments, dtypes and errors, on the backend of the arrays."
            whole = self.body(f if around is None else around(f), module)
            fast = None if hasattr(whole, "_checks") else dispatchers.get(name)
            names[name] = calls.remembered(self, whole) if fast is None else update_wrapper(fast(whole), whole)

        def missing(attribute: str) -> Any:
            raise AttributeError(
                f"{module}.{attribute}: latticework's dialect of {self.name} has no such name", name=attribute
            )

        names.setdefault("__getattr__", missing)

    def finish_methods(self) -> None:
        """Make the methods of the arrays, and the properties that are arrays, remember the kernels that they run.

        A method with an attribute `in_memory` looks at how an array lies in memory, which no key has: it is left alone.
        """
        array: Any = self.array
        for name, f in [*vars(array).items()]:
            if name in _OF_ARRAYS and isinstance(f, property) and f.fget is not None:
                setattr(array, name, property(calls.remembered(self, f.fget), f.fset))
            elif isinstance(f, FunctionType) and "_" not in (name[0], name[-1]) and not hasattr(f, "in_memory"):
                setattr(array, name, calls.remembered(self, f))

    def operator(self, our: str, fallback: Callable[[Any, Any], Any]) -> Any:
        """Return an operator that runs the kernels of a latticework function, see `calls.operator`."""
        return calls.operator(self.calls(our), fallback)

    def reflected(self, our: str, fallback: Callable[[Any, Any], Any]) -> Any:
        """Return an operator with the array on the right, see `calls.reflected`."""
        return calls.reflected(self.calls(our), fallback)

    def calls(self, our: str) -> calls.DialectKernels:
        """Return the kernels of a latticework function for this dialect."""
        return calls.DialectKernels(*declaration(our), self)


def listed(names: dict[str, Any], helpers: str = "") -> dict[str, Any]:
    """Add the functions that a module defines to its ``__all__``, and return them by name.

    Parameters
    ----------
    names: the module's globals.
    helpers: names of functions that are not the framework's.
    """
    functions = {
        name: f
        for name, f in names.items()
        if isinstance(f, FunctionType) and f.__module__ == names["__name__"] and name[0] != "_"
    }
    for name in helpers.split():
        del functions[name]
    names["__all__"] = sorted({*names.get("__all__", ()), *functions})
    return functions
