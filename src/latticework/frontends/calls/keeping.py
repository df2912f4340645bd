"""What is kept of a function of ours for a dialect: the kernels that calls under the dialect's policy have left."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...core.signature import Sig
from ...engine.array import Array
from ...engine.dispatch import MISSING
from ...policy import NOWHERE, TABLES, Policy, call_under, current, keep_first, kernels_of, table

if TYPE_CHECKING:
    from ...engine.op import Op
    from ..dialect import Dialect

__all__ = ["HELD", "Calls", "alias", "new", "present", "shared", "wrapped"]

_MOST_TRIED = 4096
#: How many elements an operand may have for a call to be prepared. What is added to the call of a larger one is little.
_SMALL = 4096

#: What makes an object without its class's constructor, which has the framework's arguments.
new = object.__new__

#: In the place of a signature: the native array is that of the array of ours that is held, see `DialectArray`.
HELD: Any = type("held", (), {})()


def wrapped(array: type, x: Any) -> Any:
    """An array of a dialect, of this class, around one of ours; anything else as it is."""
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
    """The array of ours that an array of a dialect has, for others to keep.

    A write by them may exchange the native array, so the array of the dialect keeps none itself from then on.
    """
    held: Array = x._array
    x._sig = HELD
    return held


def alias(x: Any) -> Any:
    """Another array of a dialect with the array of ours that `x` has: what is written to one is in the other."""
    t = new(type(x))
    t._held, t._data, t._sig = shared(x), None, HELD
    return t


def present(*args: Any) -> tuple[Any, ...]:
    """The arguments that are there."""
    return tuple([x for x in args if x is not MISSING])


class Calls:
    """What a dispatcher of a dialect has besides its text.

    Attributes
    ----------
    op: the declaration of our function.
    function: our function.
    kernels: what is kept of it for the dialect, by the policy in force.
    names: the globals of each dispatcher of this name that has some of its own, see `with_names`.
    tried: the policies, signatures and forms of calls that `prepare` was asked about.
    """

    def __init__(self, o: Op, f: Callable[..., Any], dialect: Dialect, suffix: str = "", by: str = "") -> None:
        """Make the table of a function of ours in a dialect, or find the one that there is.

        Parameters
        ----------
        suffix: ``"="`` of kernels that write in place.
        by: what kernels are kept by, where it is not what stands for the operands in ours.
        """
        self.op, self.function, self.dialect, self.suffix = o, f, dialect, suffix
        self.name = f"{o.name}{suffix} of {dialect.name}'s dialect{by}"
        self.kernels = table(self.name)
        self.names: list[dict[str, Any]] = dialect.names.setdefault(self.name, [])  # one for `x + y` and `np.add`
        self.tried: set[Any] = set()
        dialect.kept.append(self)

    def call(self, count: int, args: tuple[Any, ...], kw: dict[str, Any], last: Any = None) -> Any:
        """Call our function on arrays of ours, and keep the kernel that this leaves.

        Parameters
        ----------
        count: how many of the arguments are operands; those of a sequence are in the first.
        last: what the kernel is kept under after these; None for a function of operands alone.
        """
        dialect = self.dialect
        made: dict[int, Any] = {}
        policy, inside = current(), dialect.policy()
        operands, named = dialect.operands(self.op, args, kw)
        taken = tuple([dialect.taken(x, made) for x in operands])
        options = {name: dialect.taken(x, made) for name, x in named.items()}
        try:
            if dialect.refuses is not None:
                call_under(inside, dialect.refuses, (self.op.name, taken), {})
            result = dialect.run(inside, self.function, taken, options)
        except Exception as error:
            raise dialect.error(error, self.op.name) from None
        if count:
            self.keep(policy, inside, self._keys(args[:count]), self._keys(taken[:count]), last)
        return dialect.given(result, made)

    def _keys(self, operands: tuple[Any, ...]) -> list[Any]:
        """What stands for each operand where dispatchers look."""
        if self.op.sequence and not self.op.spread:
            operands = tuple(operands[0]) if operands and isinstance(operands[0], (list, tuple)) else ()
        return [self._key(x) for x in operands]

    def _key(self, x: Any) -> Any:
        if type(x) is self.dialect.array:
            return x._array._sig
        return x._sig if type(x) is Array else type(x)

    def keep(self, policy: Policy, inside: Policy, keys: list[Any], signatures: list[Any], last: Any) -> None:
        """Keep the kernel of arrays of these signatures, if there is one."""
        if keys != signatures:
            return  # something was converted: its type does not tell its dtype
        path = self._path(signatures, last)
        found: Any = TABLES.get(f"{self.op.name}{self.suffix}", {}).get(inside, {})
        for step in path:
            found = found.get(step)
            if found is None:
                return
        kept = self._place(policy, path)
        kept[path[-1]] = found
        if type(found) is tuple and not any(isinstance(key, type) for key in keys):
            values = {"first": keys[0], "second": keys[-1], "run": found[0], "result": found[1]}
            for names in self.dialect.names_of(self.name):
                keep_first(names, policy, values)

    def _path(self, keys: list[Any], last: Any) -> list[Any]:
        """The steps to a kernel in the tables."""
        path = [tuple(keys)] if self.op.sequence or len(self.op.operands) > 3 else keys
        return path if last is None else [*path, last]

    def _place(self, policy: Policy, path: list[Any]) -> dict[Any, Any]:
        """What the last step of a path is looked up in."""
        kept = kernels_of(self.name, policy)
        for step in path[:-1]:
            kept = kept.setdefault(step, {})
        return kept

    def first_of(self, x: Any, key: tuple[Any, ...]) -> bool:
        """Whether this is the first call of its kind: of these signatures and this form, under the policy in force.

        Parameters
        ----------
        x: an operand. Calls of large ones do not count: they are not prepared, which would take the time of a call.
        """
        size = x._array.size
        if size is None or size > _SMALL:
            return False
        key = (current(), *key)
        if key in self.tried:
            return False
        if len(self.tried) >= _MOST_TRIED:
            self.tried.clear()
        self.tried.add(key)
        return True

    def prepare(
        self, operands: tuple[Any, ...], options: dict[str, Any], last: Any, made: Any, more: tuple[Any, ...] = ()
    ) -> None:
        """Keep the kernel of a call of ours in the place of a call that the dialect's own function has made.

        Our call is made once for each of `tried`. Its kernel is kept where its result has the dtype, the shape and the
        values of what the other one has made. `options` are given by name, `more` by position.
        """
        backend = next((s.backend for s in self._keys(operands) if isinstance(s, Sig)), None)
        if backend is None or backend.watched:
            return  # who watches the calls of a backend would see another one
        with suppress(Exception):
            result = self.call(len(operands), (*operands, *more), options, last)
            if not self._alike(result, made):
                path = self._path(self._keys(operands), last)
                self._place(current(), path)[path[-1]] = None  # dispatchers go the long way
                for names in self.names:
                    names.update(policy=NOWHERE, run=None)

    def _alike(self, a: Any, b: Any) -> bool:
        """Whether two results are arrays of one signature and shape with the same values, or equally many of them.

        Values are not compared where they are computed later, or traced: the tests compare them for every function.
        """
        if type(a) is not type(b):
            return False
        if isinstance(a, (tuple, list)):
            return len(a) == len(b) and all(map(self._alike, a, b))
        if type(a) is not self.dialect.array:
            return False
        a, b = a._array, b._array
        same = (a._sig.dtype, a._sig.weak, a._sig.backend) == (b._sig.dtype, b._sig.weak, b._sig.backend)
        return same and a.shape == b.shape and (a._sig.backend.lazy or _same_values(a, b))

    def forget(self) -> None:
        """Drop what is kept: the dialect's own defaults have changed."""
        self.kernels.clear()
        self.tried.clear()
        for names in self.names:
            names.update(policy=NOWHERE, run=None)


def _same_values(a: Array, b: Array) -> bool:
    """Whether two arrays of one shape have the same values, where these are known; nan is the same as nan."""
    try:
        x, y = a.to_numpy(), b.to_numpy()
    except Exception:  # they are traced
        return True
    return bool(((x == y) | ((x != x) & (y != y))).all())
