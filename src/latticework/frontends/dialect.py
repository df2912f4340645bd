"""A framework's way to speak: its array class, dtypes, promotion rules, defaults and errors, over functions of ours."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial, update_wrapper
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import latticework

from ..core.dtypes import SCALARS, Dtype
from ..core.registry import declared
from ..core.trees import register_node
from ..engine.array import HOLDERS, Array, Holder
from ..engine.native import mapped
from ..policy import Policy, active, as_dtype, call_under, current, table
from ..promotion import rules_named
from . import calls
from .calls import new
from .naming import written_in

if TYPE_CHECKING:
    from ..engine.op import Op
    from .array import DialectArray

__all__ = ["DIALECTS", "Dialect", "Functions"]

#: The dialects that are loaded, by name.
DIALECTS: dict[str, Dialect] = {}

#: What converts objects, as `lw.asarray` keeps it: by policy, type and dtype.
_CONVERSIONS, _policy = table("asarray"), active.get
_PLAIN = frozenset((*SCALARS, str, bytes, slice, type(None), type(Ellipsis), range, Dtype))
_FUNCTIONS = (FunctionType, MethodType)
_MOST_POLICIES = 256


class Functions:
    """Our functions over a dialect's arrays, under its rules, made when they are asked for: ``ops.linalg.inv(x)``."""

    def __init__(self, dialect: Dialect, module: Any, prefix: str = "") -> None:
        self._dialect, self._module, self._prefix = dialect, module, prefix

    def __getattr__(self, name: str) -> Any:
        f = getattr(self._module, name)
        found: Any
        if isinstance(f, ModuleType):
            found = Functions(self._dialect, f, f"{name}.")
        elif callable(f) and not isinstance(f, type):
            found = calls.twin(declared(self._prefix + name), f, self._dialect)
        else:
            found = f
        setattr(self, name, found)
        return found


class Dialect:
    """One framework's dialect.

    Attributes
    ----------
    name: the framework's.
    array: the class of its arrays.
    wrapped: makes one of an array of ours, and gives anything else as it is.
    ops: our functions over its arrays, under its rules.
    dtypes: its dtype objects, by ours.
    """

    array: type[DialectArray]
    wrapped: Callable[[Any], Any]
    #: Tells which dtypes Python's ints and floats have in lists.
    numbers: Callable[[], dict[type, Dtype]] = staticmethod(dict)
    #: A block in which the switches of the dialect are as those of the framework itself are in the process.
    as_in_process: Callable[[], AbstractContextManager[Any]] = nullcontext
    #: Whether arrays are made on another device than the default one of the policy: a switch of the framework's.
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
        rules: the name of the rule set, or what gives it where a switch of the framework decides.
        defaults: what gives the fields of `Policy` that the framework has values of its own for.
        errors: what makes the framework's error of one of ours, for a function's name.
        operand: what an operator does with a second operand that it has no kernel for: it gives what to compute with,
            or `NotImplemented`.
        refuses: what raises where the framework has no kernel for the operands of one of our functions, by its name.
            It is called once for each kernel, under the dialect's policy.
        """
        self.name = name
        self.rules = rules if callable(rules) else lambda: rules
        self.defaults = defaults or dict
        self._errors, self._operand, self.refuses = errors, operand, refuses
        self.ops: Any = Functions(self, latticework)
        self.dtypes: dict[Dtype, Any] = {}
        self._ours: dict[Any, Dtype] = {}
        self._policies: dict[Policy, Policy] = {}
        self._resolved: dict[tuple[Policy, Any], Dtype] = {}
        self._numbers: dict[type, Dtype] | None = None
        self.kept: list[calls.Calls] = []
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
        """Set its dtype objects, by ours."""
        self.dtypes.update(dtypes)
        self._ours.update({theirs: dtype for dtype, theirs in dtypes.items()})

    def converts(self, kind: type, to_ours: Callable[[Any], Any]) -> None:
        """Say what to make of the framework's other objects, a device or a slice, where they are arguments."""
        self._converted[kind] = to_ours

    # --- policy -----------------------------------------------------------------------------------------------------

    def policy(self) -> Policy:
        """The policy of its calls: that in force, with its own rules and defaults."""
        here = current()
        found = self._policies.get(here)
        if found is None:
            if len(self._policies) >= _MOST_POLICIES:
                self._policies.clear()
            fields = {"set_uint": None, "set_complex": None, "set_dtype": None, "casting": (), **self.defaults()}
            found = self._policies[here] = here._with(rules=rules_named(self.rules()), **fields)
        return found

    def names_of(self, name: str) -> list[dict[str, Any]]:
        """The globals of all dispatchers of one of our functions: its own, an operator's, and that of the dialect's."""
        return [names for kept in self.kept if kept.name == name for names in kept.names]

    def changed(self) -> None:
        """Forget what was decided: a default of the framework, or a switch, has changed."""
        self._policies.clear()
        self._resolved.clear()
        self._numbers = None
        for kept in self.kept:
            kept.forget()

    # --- in and out -------------------------------------------------------------------------------------------------

    def dtype_of(self, dtype: Any) -> Any:
        """Our dtype of one of its dtype objects, or of what stands for one."""
        try:
            return self._ours[dtype]
        except (KeyError, TypeError):  # or what has no hash
            pass
        if type(dtype) is Dtype:
            return dtype
        policy = self.policy()
        try:
            return self._resolved[policy, dtype]
        except (KeyError, TypeError):
            pass
        found = call_under(policy, as_dtype, (dtype,), {})
        if isinstance(dtype, (type, str)) and len(self._resolved) < _MOST_POLICIES:  # float means what the policy says
            self._resolved[policy, dtype] = found
        return found

    def taken(self, x: Any, made: dict[int, Any]) -> Any:
        """A tree with its arrays and dtypes exchanged for ours. `made` gets its arrays by the identity of ours."""
        kind = type(x)
        if kind is self.array:
            made[id(x._array)] = x
            return x._array
        if kind in _PLAIN:
            return x
        if kind in self._converted:
            return self._converted[kind](x)
        if kind in (list, tuple, dict) or (isinstance(x, tuple) and hasattr(kind, "_fields")):
            return mapped(lambda child: self.taken(child, made), x)
        if isinstance(x, _FUNCTIONS):
            return self.callback(x)
        for other in DIALECTS.values():
            if kind is getattr(other, "array", None):
                return x._array
        try:
            return self._ours.get(x, x)
        except TypeError:  # it has no hash
            return x

    def given(self, x: Any, made: dict[int, Any] | None = None) -> Any:
        """A tree with our arrays and dtypes exchanged for its own."""
        kind = type(x)
        if kind is Array:
            if made and id(x) in made:
                return made[id(x)]
            return self.wrapped(x)
        if kind is Dtype:
            return self.dtypes.get(x, x)
        if kind is tuple or kind is list:
            return kind([self.given(child, made) for child in x])
        if kind is dict or (isinstance(x, tuple) and hasattr(kind, "_fields")):
            return mapped(lambda child: self.given(child, made), x)
        if isinstance(x, _FUNCTIONS):
            return self.function(x)
        return x

    def operand(self, x: Any, beside: Any) -> Any:
        """The second operand of an operator as it takes part, or `NotImplemented`."""
        kind = type(x)
        if kind is self.array or kind is Array or isinstance(x, SCALARS):
            return x
        return NotImplemented if self._operand is None else self._operand(x, beside)

    def operands(self, o: Op, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a function of ours, as the framework takes them: by default as they are.

        A dialect whose functions take lists overrides this, and makes arrays of those that stand for operands.
        """
        return args, kw

    def error(self, error: Exception, name: str = "") -> Exception:
        """The framework's error for one of ours."""
        if self._errors is None or getattr(error, "of_dialect", False):
            return error
        found = self._errors(error, name)
        found.of_dialect = True  # type: ignore[attr-defined]
        return found

    # --- arrays that no rules have a say in --------------------------------------------------------------------------

    def counted(self, start: Any, stop: Any, step: Any, dtype: Dtype) -> Any:
        """``arange`` of Python ints in a dtype that is given; None where the long way has to say what is meant."""
        if type(start) is int and type(step) is int and step and (stop is None or type(stop) is int):
            try:
                return self.wrapped(latticework.arange(start, stop, step, dtype=dtype))
            except Exception:
                return None
        return None

    def of_numbers(self, values: list[Any]) -> Any:
        """An array of a list of ints, or of floats, in the dtype that those have here; None of any other list."""
        kinds = {*map(type, values)}
        if self._numbers is None:
            self._numbers = self.numbers()
        dtype = self._numbers.get(kinds.pop()) if len(kinds) == 1 else None
        if dtype is None:
            return None
        try:
            run, _ = _CONVERSIONS[_policy()][list][dtype]
        except KeyError:
            run = None
        try:
            return self.wrapped(latticework.asarray(values, dtype=dtype) if run is None else run(values))
        except Exception:
            return None

    def of_number(self, value: float, dtype: Dtype) -> Any:
        """An array without dimensions, of a Python number in a dtype that has it."""
        try:
            run, sig = _CONVERSIONS[_policy()][type(value)][dtype]
            t: Any = new(self.array)
            t._data = run(value)
            t._sig = sig
            t._held = None
            return t
        except KeyError:
            return self.wrapped(latticework.asarray(value, dtype=dtype))

    # --- calls ------------------------------------------------------------------------------------------------------

    def call(self, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Call a function of ours with arrays of the dialect, under its policy."""
        made: dict[int, Any] = {}
        taken, policy = self.taken, self.policy()
        args = tuple([x if type(x) in _PLAIN else taken(x, made) for x in args])
        if kw:
            kw = {name: x if type(x) in _PLAIN else taken(x, made) for name, x in kw.items()}
        try:
            if self.refuses is not None:
                call_under(policy, self.refuses, (getattr(f, "__name__", ""), args), {})
            result = self.run(policy, f, args, kw)
        except Exception as error:
            raise self.error(error, getattr(f, "__name__", "")) from None
        return self.given(result, made)

    def run(self, policy: Policy, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Call a function of ours with arrays of ours. A dialect that records its calls does so here."""
        return call_under(policy, f, args, kw)

    def function(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """A function written for arrays of ours as one of the dialect's. As a decorator it makes a composition."""

        def call(*args: Any, **kw: Any) -> Any:
            return self.call(f, args, kw)

        return update_wrapper(call, f)

    def function_of_operands(self, o: Op, f: Callable[..., Any]) -> Callable[..., Any]:
        """As `function`, of a declared function, whose operands may be what `operands` makes arrays of."""

        def call(*args: Any, **kw: Any) -> Any:
            args, kw = self.operands(o, args, kw)
            return self.call(f, args, kw)

        return update_wrapper(call, f)

    def callback(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """A function written for the dialect's arrays as one of ours."""

        def call(*args: Any, **kw: Any) -> Any:
            made: dict[int, Any] = {}
            return self.taken(f(*[self.given(x) for x in args], **{n: self.given(x) for n, x in kw.items()}), made)

        return update_wrapper(call, f)

    def finish(
        self, names: dict[str, Any], quick: str = "", view: str = "", along: str = "",
        short: dict[str, Callable[..., Any]] | None = None, casts: str = "", alone: str = "",
        formed: dict[str, tuple[Any, ...]] | None = None,
    ) -> None:  # fmt: skip
        """Complete a module of the dialect: its functions get docstrings, and the short way to our kernels.

        Parameters
        ----------
        names: the module's globals; ``__all__`` says which functions are meant.
        quick: names of functions of arrays, or ``name=ours`` where our function has another name. With arrays alone, or
            a sequence of them, each does what ours does, and then runs its kernel without a look at anything else.
        view: the module's name in the framework, where it is not that of our file.
        along: as `quick`, of calls with options for axes, under the framework's names for these.
        short: by the names of functions of an array, a short way for the arguments that most calls have, see `short`.
        casts: names of functions of an array and a dtype that cast it, see `casting`.
        alone: as `quick`, of functions of one array that are not ours for every dtype.
        formed: by the names of functions of one array or two, the function of ours, what gives our arguments of
            theirs, and the names of options that ours takes by name, see `calls.formed`.
        """
        module = view or names["__name__"].partition(".frontends.")[2]
        for name in names["__all__"]:
            f = names.get(name)
            if isinstance(f, FunctionType) and not f.__doc__:
                f.__doc__ = f"`{module}.{name}`, with its arguments, dtypes and errors, on the backend of the arrays."

        def missing(attribute: str) -> Any:
            raise AttributeError(
                f"{module}.{attribute}: latticework's dialect of {self.name} has no such name", name=attribute
            )

        names.setdefault("__getattr__", missing)
        bare, by_axes = quick.split(), along.split()
        for word in {**dict.fromkeys(bare), **dict.fromkeys(by_axes)}:
            name, _, our = word.partition("=")
            names[name] = self.quick(our or name, names[name], along=word in by_axes, bare=word in bare)

        for name, fast in (short or {}).items():
            names[name] = self.short(fast, names[name])
        for word in alone.split():
            name, _, our = word.partition("=")
            names[name] = calls.alone(self.calls_of(our or name, names[name]), names[name])
        for name in casts.split():
            names[name] = self.casting(names[name])
        for name, (our, form, *by_name) in (formed or {}).items():
            names[name] = self.formed(our, form, names[name], tuple(by_name))

    def short(self, fast: Callable[..., Any], slow: Callable[..., Any]) -> Any:
        """A function or method of the framework's that asks `fast` first, see `calls.short`."""
        return calls.short(self, fast, slow)

    def quick(self, our: str, slow: Callable[..., Any], *, along: bool = False, bare: bool = True) -> Any:
        """A function or method of the framework's that runs the kernels of one of ours, see `finish`."""
        return calls.quick(*_declared(our), self, slow, along=along, bare=bare)

    def operator(self, our: str, slow: Callable[[Any, Any], Any]) -> Any:
        """An operator that runs the kernels of one of our functions, see `calls.operator`."""
        return calls.operator(calls.Calls(*_declared(our), self), slow)

    def reflected(self, our: str, slow: Callable[[Any, Any], Any]) -> Any:
        """An operator with the array on the right, see `calls.reflected`."""
        return calls.reflected(calls.Calls(*_declared(our), self), slow)

    def casting(self, slow: Callable[..., Any], dtype: Any = None) -> Any:
        """A function or method of the framework's that casts an array, see `calls.casting`."""
        return calls.casting(self.calls_of("astype", slow), slow, dtype)

    def formed(
        self, our: str, form: Callable[..., Any], slow: Callable[..., Any], names: tuple[str, ...] = (), **fixed: Any
    ) -> Any:
        """A function or method of the framework's that runs the kernels of one of ours, see `calls.formed`."""
        return calls.formed(self.calls_of(our, slow), form, slow, fixed, names)

    def of_rank(self, our: str, slow: Callable[..., Any], rank: int) -> Any:
        """A method of the framework's that is a view of ours for arrays with so many axes, see `calls.of_rank`."""
        return calls.of_rank(self.calls_of(our, slow), slow, rank)

    def of_ranks(self, our: str, slow: Callable[..., Any], least: int, most: int, *, batches: bool = False) -> Any:
        """A function of the framework's that is one of ours for arrays with so many axes, see `calls.of_ranks`."""
        return calls.of_ranks(self.calls_of(our, slow), slow, least, most, batches)

    def calls_of(self, our: str, slow: Callable[..., Any]) -> calls.Calls:
        """What is kept of a function of ours for a function or method of the framework's."""
        return calls.of_dialect(*_declared(our), self, slow)


def _declared(name: str) -> tuple[Op, Callable[..., Any]]:
    """The declaration of a function of ours, and the function."""
    o = declared(name)
    assert o is not None, name
    function: Any = latticework
    for part in o.name.split("."):
        function = getattr(function, part)
    return o, function
