"""The kernel cache of a latticework function in a dialect: the kernels that calls under the dialect's policy left."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.arrays.array import Array
from ...engine.calls.cache import KernelCache
from ...engine.calls.dispatch import present
from ...policy import NOWHERE, current
from .within import Within

if TYPE_CHECKING:
    from ...engine.op import Op
    from ..dialect import Dialect


class Note(NamedTuple):
    """A call of a function of lw that a body made.

    Attributes
    ----------
    calls: the kernels; None of a function without kernels.
    function, policy: that function, and the policy of the call; None for the policy in force.
    operands: the number of arguments that are operands.
    args, kw, last: the arguments as they were given, and the form of the options.
    result: the result.
    within: what the function does, where it has no kernels of its own.
    """

    calls: DialectKernels | None
    function: Any
    policy: Any
    operands: int
    args: tuple[Any, ...]
    kw: dict[str, Any]
    last: Any
    result: Any
    within: Within | None = None


class Notes(list[Note]):
    """The calls that a body makes, and what it is told of arrays that it takes for conditions.

    Attributes
    ----------
    told: the number of calls before it, the array, and whether it is true, for each condition.
    answers: what a body is told in a run without data; None where the arrays have data.
    asking: whether an array is being asked.
    within: what the function that is being called does; None between calls.
    of_state: whether the body takes something of a state, as a key of a generator: another one in each call.
    """

    def __init__(self, answers: list[bool] | None = None) -> None:
        super().__init__()
        self.told: list[tuple[int, Any, bool]] = []
        self.answers, self.asking = answers, False
        self.within: Within | None = None
        self.of_state = False

    def call(self, f: Callable[..., Any], *args: Any, **kw: Any) -> tuple[Any, Within]:
        """Call a function, and return its result and what it does."""
        before, within = self.within, Within()
        self.within = within
        try:
            with within.seen():
                return f(*args, **kw), within
        finally:
            self.within = before

    def ask(self, x: Any, is_true: Callable[[Any], bool]) -> bool:
        """Return whether an array of a dialect is true."""
        if self.answers is not None:
            value = self.answers[len(self.told)]
        else:
            self.asking = True
            try:
                value = is_true(x)
            finally:
                self.asking = False
        self.told.append((len(self), x, value))
        return value


def told() -> bool:
    """Return whether a body is told now what is true of arrays without data."""
    noted = notes.get()
    return noted is not None and len(noted.told) < len(noted.answers or ())


def take_of_state() -> None:
    """Tell a study that the body takes something of a state, so that it is not run again."""
    noted = notes.get()
    if noted is not None:
        noted.of_state = True


def asked(is_true: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Make a method that says whether an array is true tell a study of it."""

    def __bool__(self: Any) -> bool:
        noted = notes.get()
        return is_true(self) if noted is None else noted.ask(self, is_true)

    return __bool__


#: The calls that a body makes while it is looked at, see `remembered`; None elsewhere.
notes: ContextVar[Notes | None] = ContextVar("latticework calls of a body", default=None)

__all__ = ["HELD", "DialectKernels", "alias", "asked", "new", "present", "shared", "take_of_state", "told", "wrapped"]

_MOST_TRIED = 4096
#: The most elements of an operand for which a call is prepared. The overhead on a larger operand is small.
_SMALL = 4096

#: The function that creates an object without its class's constructor, which takes the framework's arguments.
new = object.__new__

#: The mark of a call whose result is its first array.
SELF: Any = type("self", (), {})()

#: The mark in place of a signature: the native array is that of the held `Array`, see `DialectArray`.
HELD: Any = type("held", (), {})()


def wrapped(array: type, x: Any) -> Any:
    """Wrap an `lw.Array` as an array of a dialect, of this class; return anything else as it is."""
    if type(x) is not Array:
        return x
    t: Any = new(array)
    sig = x._sig
    data = x._data
    t._held = x
    if sig.in_place and type(data) is not sig.scalar:
        t._data = data
        t._sig = sig
    else:
        t._data, t._sig = None, HELD
    return t


def shared(x: Any) -> Array:
    """Return the `lw.Array` of an array of a dialect, for others to keep.

    A write by them may exchange the native array, so the array of the dialect keeps none itself from then on.
    """
    held: Array = x._array
    x._sig = HELD
    return held


def alias(x: Any) -> Any:
    """Return another array of a dialect with the `lw.Array` of `x`: a write to one changes the other."""
    t = new(type(x))
    t._held, t._data, t._sig = shared(x), None, HELD
    return t


class DialectKernels(KernelCache):
    """The kernels of a function of lw for the arrays of a dialect, kept by the policy in force.

    Attributes
    ----------
    tried: the policies, signatures and forms of calls that `prepare` was asked about.
    """

    def __init__(self, o: Op, f: Callable[..., Any], dialect: Dialect, suffix: str = "", by: str = "") -> None:
        """Make the kernel table of a latticework function in a dialect, or find the existing one.

        Parameters
        ----------
        suffix: ``"="`` of kernels that write in place.
        by: a name for the cache key, where it differs from latticework's key for the operands.
        """
        super().__init__(o, f, f"{o.name}{suffix} of {dialect.name}'s dialect{by}")
        self.dialect, self.suffix = dialect, suffix
        self.names = dialect.names.setdefault(self.name, self.names)  # one for `x + y` and `np.add`
        self.tried: set[Any] = set()
        dialect.kept.append(self)

    def call(self, count: int, args: tuple[Any, ...], kw: dict[str, Any], last: Any = None) -> Any:
        """Call the latticework function on `lw.Array`s, and keep the kernel that this leaves.

        Parameters
        ----------
        count: the number of arguments that are operands; the operands of a sequence are in the first argument.
        last: the last part of the key, after the operands; None for a function of operands alone.
        """
        dialect = self.dialect
        made: dict[int, Any] = {}
        policy, inside = current(), dialect.policy()
        operands, named = dialect.operands(self.op, args, kw)
        taken = tuple([dialect.unwrap(x, made) for x in operands])
        options = {name: dialect.unwrap(x, made) for name, x in named.items()}
        try:
            dialect.check(inside, self.op.name, taken)
            result = dialect.run(inside, self.function, taken, options)
        except Exception as error:
            raise dialect.error(error, self.op.name) from None
        keys, signatures = self.keys(args[:count]), self.keys(taken[:count])
        noted = notes.get()
        if noted is not None:
            found = dialect.wrap(result, made)
            noted.append(Note(self, None, None, count, args, kw, last, found))
            return found
        if count and keys == signatures:  # otherwise something was converted: its type does not tell its dtype
            self.keep(policy, inside, keys, signatures, last, self.suffix)
        return dialect.wrap(result, made)

    def keys(self, operands: tuple[Any, ...]) -> list[Any]:
        """Return the cache key of each operand: the signature of an array, the type of anything else."""
        if self.op.sequence and not self.op.spread:
            operands = tuple(operands[0]) if operands and isinstance(operands[0], (list, tuple)) else ()
        return [self._key(x) for x in operands]

    def _key(self, x: Any) -> Any:
        if type(x) is self.dialect.array:
            return x._array._sig
        return x._sig if type(x) is Array else type(x)

    def dispatchers(self) -> list[dict[str, Any]]:
        return self.dialect.names_of(self.name)

    def forget(self) -> None:
        """Drop what is kept: the dialect's own defaults have changed."""
        self.kernels.clear()
        self.tried.clear()
        for names in self.names:
            names.update(policy=NOWHERE, run=None)
