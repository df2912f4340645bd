"""The tape: what a function computes is recorded, and the rules bring derivatives back or forward.

A function is run on `Taped` values: a native array, and the node that computed it. Every call of a backend's function
on such values adds a node, with the call's arguments and its result. `pull` goes through the nodes from the last to the
first, and asks the rule of each for the cotangents of its operands. On a forward tape no node is kept: each call
computes the tangent of its result at once.

Tapes nest: the value of a `Taped` may be a `Taped` of an outer tape. A call is recorded by the innermost tape among its
arguments, and then made on the values, which outer tapes record in the same way. Rules are written in latticework's
functions, so that derivatives of derivatives need nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count
from threading import get_ident
from typing import TYPE_CHECKING, Any

from numpy import may_share_memory

from ..core.registry import functions as lw
from ..engine.arrays.array import Array, wrapped
from ..engine.plans.casting import asked_at
from ..errors import BackendError
from ..policy import call_under, current, unified

if TYPE_CHECKING:
    from ..backend import Backend
    from .rules import Rule

__all__ = [
    "OWN",
    "Call",
    "Node",
    "Tape",
    "Taped",
    "Writes",
    "conditions",
    "own_constants",
    "propagate",
    "pull",
    "push",
    "value_of",
]

#: The types of arguments that hold others.
_TREES = (list, tuple)
#: The types of arguments of calls that `recording` does not make at once.
_NOT_PLAIN = frozenset((*_TREES, Array))

#: The rules that users have stated, by the names of functions: they come before latticework's.
OWN: dict[str, Rule] = {}

_levels = count(1)
_numbers = count(1)

#: The conditions under which what is recorded now counts: of the branches of a traced program that all run.
conditions: ContextVar[tuple[Any, ...]] = ContextVar("conditions", default=())


def next_number() -> int:
    """Return the number of a call that would be recorded now: greater than those of all before."""
    return next(_numbers)


class Tape:
    """A run of a function whose calls are recorded.

    Attributes
    ----------
    level: the number of the tape: an inner tape has a greater one.
    forward: whether tangents are computed with the values.
    below: the backend of the values.
    inside: the backend of `Taped` values.
    """

    __slots__ = ("below", "forward", "inside", "level", "open")

    def __init__(self, below: Backend, inside: Backend, *, forward: bool = False) -> None:
        self.level, self.forward, self.below, self.inside, self.open = next(_levels), forward, below, inside, True

    def array(self, value: Any) -> Array:
        """Wrap a value in an `Array`: of the backend of `Taped` values where an outer tape records it."""
        backend = self.inside if type(value) is Taped else self.below
        return wrapped(value, backend.sig_of(value))

    def assign(self, record: Callable[..., Any], data: Taped, key: Any, value: Any) -> Any:
        """Write to a value of the tape: record the call that makes a new value, and return that."""
        return record(data, key, value)


class Taped:
    """A native array that a tape records.

    Attributes
    ----------
    value: the native array; or a `Taped` of an outer tape.
    node: what computed it; on a forward tape the tangent, a native array or a `Taped` of an outer tape.
    place: which of the node's results it is.
    """

    __slots__ = ("__weakref__", "node", "place", "tape", "value")

    def __init__(self, value: Any, tape: Tape, node: Any, place: int = 0) -> None:
        self.value, self.tape, self.node, self.place = value, tape, node, place

    @property
    def shape(self) -> tuple[Any, ...]:
        shape: tuple[Any, ...] = self.tape.below.shape_of(value_of(self))
        return shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        return self.tape.below.dtype_of(value_of(self))

    def __repr__(self) -> str:
        return f"Taped({value_of(self)!r})"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the function is being differentiated: x.data is no array of {self.tape.below.title} and has no {name}. "
            f"Call functions of latticework on x itself"
        )

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "the function is being differentiated, and hands x.data to NumPy, whose functions have no derivatives "
            "here. Call functions of latticework on x itself; lw.stop_gradient(x) gives a constant"
        )

    def _refuse(self, *_: Any) -> Any:
        raise TypeError(
            "the function is being differentiated, and computes with x.data, which has no derivatives here. Compute "
            "with x itself; lw.stop_gradient(x) gives a constant"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __neg__ = __getitem__ = __setitem__ = __len__ = __iter__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = __index__ = __bool__ = _refuse


def value_of(x: Any) -> Any:
    """Return the native array of a value, without tapes."""
    while type(x) is Taped:
        x = x.value
    return x


class Node:
    """A call that a tape has recorded.

    Attributes
    ----------
    number: its place in the order of calls.
    rule: the rule of the function; None for an argument of the function that is differentiated.
    args, kw: the arguments of the call, with `Taped` values of this tape.
    out: the value of the result, or a tuple of values.
    only: the conditions under which it counts, native arrays.
    hooks: functions of the cotangent of a result, by which of the results; they may return another. None for none.
    written: which of its results were written to later. None for none.
    """

    __slots__ = ("args", "hooks", "kw", "number", "only", "out", "rule", "written")

    def __init__(self, rule: Any, args: tuple[Any, ...], kw: dict[str, Any], out: Any) -> None:
        self.number, self.rule, self.args, self.kw, self.out = next(_numbers), rule, args, kw, out
        self.only = conditions.get()
        self.hooks: dict[int, list[Callable[[Array], Array]]] | None = None
        self.written: set[int] | None = None


class Call:
    """A recorded call, as a rule reads it.

    Attributes
    ----------
    tape: the tape.
    args, kw: its arguments, with an `Array` for each array. Of a list, each element.
    out: its result: an `Array`, or a tuple of them.
    differentiated: the places of the arguments that the tape differentiates by: ``0``, ``"min"``, ``(0, 2)`` of a list.
    again: whether the tape records what the rule computes: the arrays are `Taped` values of the tape then.
    """

    __slots__ = ("_given", "again", "args", "differentiated", "kw", "native", "out", "tape")

    def __init__(
        self, tape: Tape, native: Any, args: tuple[Any, ...], kw: dict[str, Any], out: Any, *, again: bool = False
    ) -> None:
        self.tape, self.native, self._given, self.again = tape, native, args, again
        self.differentiated: dict[Any, Taped] = {}
        self.args = [self._read(i, x) for i, x in enumerate(args)]
        self.kw = {n: self._read(n, x) for n, x in kw.items()} if kw else kw
        if type(out) in _TREES or isinstance(out, tuple):
            self.out: Any = tuple([tape.array(x) for x in out])
        else:
            self.out = tape.array(out)

    def below(self, place: int) -> Any:
        """Return an argument by position with native arrays, and `Taped` values of outer tapes."""
        return without(self.tape, self._given[place])

    def _read(self, place: Any, x: Any) -> Any:
        if type(x) is Taped:
            if x.tape is self.tape:
                self.differentiated[place] = x
                if not self.again:
                    x = x.value
            return self.tape.array(x)
        if type(x) in _TREES:
            return type(x)([self._read((place, i), y) for i, y in enumerate(x)])
        return self.tape.array(x) if isinstance(x, self.tape.below.arrays) else x


def operands(node: Node) -> Iterator[Taped]:
    """Yield the arguments of a recorded call that are recorded themselves."""
    yield from _operands(node.args)
    if node.kw:
        yield from _operands(node.kw.values())


def _operands(tree: Any) -> Iterator[Taped]:
    for x in tree:
        if type(x) is Taped:
            yield x
        elif type(x) in _TREES:
            yield from _operands(x)


def innermost(args: tuple[Any, ...], kw: dict[str, Any]) -> Tape | None:
    """Return the innermost tape among some arguments, None where no tape records them."""
    found = None
    for x in args:
        if type(x) is Taped:
            if found is None or x.tape.level > found.level:
                found = x.tape
        elif type(x) in _TREES:
            for y in _operands(x):
                if found is None or y.tape.level > found.level:
                    found = y.tape
    if kw:
        for x in _operands(kw.values()):
            if found is None or x.tape.level > found.level:
                found = x.tape
    return found


def without(tape: Tape, x: Any) -> Any:
    """Replace the values of a tape in a tree of arguments by what they hold."""
    kind = type(x)
    if kind is Taped:
        return x.value if x.tape is tape else x
    if kind in _TREES:
        return kind([without(tape, y) for y in x])
    return x


def _call_below(
    native: Callable[..., Any], call: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any], Tape | None, Any]:
    """Make a call on what the innermost tape among its arguments holds, which outer tapes record.

    Returns
    -------
    The arguments as they are recorded, the tape, and the result.
    """
    given, given_kw = args, kw
    with_options = Array in map(type, args) or (kw and Array in map(type, kw.values()))
    if with_options:
        args, kw = tuple(map(_data, args)), {n: _data(x) for n, x in kw.items()}
    tape = innermost(args, kw)
    if tape is None:
        if with_options:
            return args, kw, None, native(*map(_number, given), **{n: _number(x) for n, x in given_kw.items()})
        return args, kw, None, native(*args, **kw)
    below = [
        (x.value if x.tape is tape else x) if type(x) is Taped
        else without(tape, x) if type(x) in _TREES
        else x
        for x in args
    ]  # fmt: skip
    kw_below = {n: without(tape, x) for n, x in kw.items()} if kw else kw
    if with_options:  # which stay arrays down to the framework's function
        below = [tape.array(x) if type(y) is Array else x for x, y in zip(below, given, strict=True)]
        kw_below = {n: tape.array(x) if type(given_kw[n]) is Array else x for n, x in kw_below.items()}
    return args, kw, tape, call(*below, **kw_below)


def recording(native: Callable[..., Any], rule: Rule) -> Callable[..., Any]:
    """Make a backend's function record its calls on `Taped` values."""

    def call(*args: Any, **kw: Any) -> Any:
        tape, plain = None, not kw
        for x in args:
            kind = type(x)
            if kind is Taped:
                if type(x.value) is Taped or x.tape is not (tape or x.tape):
                    plain = False
                tape = x.tape
            elif kind in _NOT_PLAIN:
                plain = False
        if not plain:
            args, kw, tape, out = _call_below(native, call, args, kw)
        elif tape is not None:
            out = native(*[x.value if type(x) is Taped else x for x in args])
        else:
            out = native(*args)
        if tape is None:
            return out
        if not tape.open:
            return out
        if tape.forward:
            return push(tape, rule, call, args, kw, out)
        node = Node(rule, args, kw, out)
        if type(out) in _TREES or isinstance(out, tuple):
            boxed = [Taped(x, tape, node, i) if _is_smooth(tape, x) else x for i, x in enumerate(out)]
            return type(out)(*boxed) if hasattr(out, "_fields") else type(out)(boxed)
        return Taped(out, tape, node) if _is_smooth(tape, out) else out

    return call


def _data(x: Any) -> Any:
    """Return the value of an option that is given as an array; anything else as it is."""
    return x._data if type(x) is Array else x


def _number(x: Any) -> Any:
    """Return an option that is given as an array as the number that a framework's function takes."""
    return x.item() if type(x) is Array and x.ndim == 0 else x


def _is_smooth(tape: Tape, x: Any) -> bool:
    """Return whether a native array is of a floating dtype."""
    below = tape.below
    return below.dtypes[below.dtype_of(value_of(x) if type(x) is Taped else x)].kind in "fc"


def under_rules(tape: Tape, f: Callable[..., Any], *args: Any) -> Any:
    """Run a rule: under the unified rules, on the backend of the tape's values."""
    return call_under(unified(current()).on(tape.below.name), f, args, {})


# --- reverse ----------------------------------------------------------------------------------------------------------


def pull(tape: Tape, outs: Sequence[Any], cotangents: Sequence[Any], inputs: Sequence[Taped]) -> list[Any]:
    """Bring cotangents of results back to the inputs of a function.

    Parameters
    ----------
    outs: the results, `Taped` of this tape where they depend on an input.
    cotangents: a native array for each result.
    inputs: the arguments of the function.

    Returns
    -------
    A native array for each input: zeros where no result depends on it.
    """
    return under_rules(tape, _pull, tape, outs, cotangents, inputs)  # type: ignore[no-any-return]


def _pull(tape: Tape, outs: Sequence[Any], cotangents: Sequence[Any], inputs: Sequence[Taped]) -> list[Any]:
    found = propagate(tape, outs, [tape.array(c) for c in cotangents], {x.node.number for x in inputs})
    result = []
    for x in inputs:
        own = found[x.node.number][1].get(0) if x.node.number in found else None
        given = tape.array(x.value)
        result.append(lw.zeros_like(given)._data if own is None else _whole(own, given)._data)
    return result


#: Nodes with the cotangents of their results, which are by number: by the number of the node.
Reached = dict[int, tuple[Node, dict[int, Array]]]


def propagate(
    tape: Tape, outs: Sequence[Any], cotangents: Sequence[Array], ends: AbstractSet[int], *,
    through: AbstractSet[int] | None = None, again: bool = False,
    before: Callable[[Node], None] | None = None, after: Callable[[Node], None] | None = None,
) -> Reached:  # fmt: skip
    """Bring cotangents of results back through the recorded calls, under the policy in force.

    Parameters
    ----------
    outs: the results, `Taped` of this tape where they depend on an input.
    cotangents: an array for each result.
    ends: the numbers of the nodes whose cotangents are returned. Those of arguments, which no call computed, are too.
    through: the numbers of all nodes to go through; None to go through all that are no ends.
    again: whether the tape records what the rules compute.
    before, after: are called with each node that is gone through, before and after its rule.
    """
    found: Reached = {}
    queue: list[int] = []

    def give(x: Taped, g: Array) -> None:
        node = x.node
        number = node.number
        reached = found.get(number)
        if reached is None:
            if through is not None and number not in through and number not in ends:
                return
            found[number] = node, {x.place: g}
            heappush(queue, -number)
        else:
            sum_before = reached[1].get(x.place)
            reached[1][x.place] = g if sum_before is None else sum_before + g

    for x, c in zip(outs, cotangents, strict=True):
        if type(x) is Taped and x.tape is tape:
            give(x, c)
    while queue:
        number = -heappop(queue)
        node, gs = found[number]
        if node.hooks is not None:
            _run_hooks(tape, node, node.hooks, gs)
        if node.rule is None or (number in ends if through is None else number not in through):
            continue
        if number not in ends:
            del found[number]
        if before is not None:
            before(node)
        rule = OWN.get(node.rule.name, node.rule)
        out = node.out if not again else _recorded_results(tape, node)
        call = Call(tape, None, node.args, node.kw, out, again=again)
        g: Any = gs[0] if not isinstance(call.out, tuple) else tuple([
            gs[i] if i in gs else lw.zeros_like(x) for i, x in enumerate(call.out)
        ])  # fmt: skip
        if not rule.broadcasts:
            g = tuple(map(_whole, g, call.out)) if isinstance(call.out, tuple) else _whole(g, call.out)
        token = conditions.set(node.only)
        try:
            pulled = [*rule.reverse(call, g)]
        except (TypeError, ValueError) as error:
            if _has_unknown_extents(call):
                raise _unknown_extents(rule) from error
            raise
        finally:
            conditions.reset(token)
        for place, cotangent in pulled:
            x = call.differentiated[place]
            give(x, cotangent if x.node.only is node.only else _out_of(node, x.node, tape, cotangent))
        if after is not None:
            after(node)
    return found


def _run_hooks(
    tape: Tape, node: Node, hooks_of: dict[int, list[Callable[[Array], Array]]], gs: dict[int, Array]
) -> None:
    """Call the hooks of a node's results with their cotangents, and take what they return."""
    for place, hooks in hooks_of.items():
        if place in gs:
            result = node.out[place] if isinstance(node.out, (*_TREES,)) else node.out
            if result is not None:
                gs[place] = _whole(gs[place], tape.array(result))
            for hook in [*hooks]:
                gs[place] = hook(gs[place])


def _recorded_results(tape: Tape, node: Node) -> Any:
    """Return the results of a node as values of the tape, as the call returned them."""
    if isinstance(node.out, _TREES):
        return tuple([Taped(x, tape, node, i) if _is_smooth(tape, x) else x for i, x in enumerate(node.out)])
    return Taped(node.out, tape, node) if _is_smooth(tape, node.out) else node.out


def _unknown_extents(rule: Rule) -> BackendError:
    return BackendError(
        f"{rule.name.rpartition('.')[2].lstrip('_')}: its derivative needs extents that are not known before the "
        f"arrays are computed. Keep the extents: lw.where(mask, x, 0) for x[mask]. Or compute the arrays first: "
        f"lw.asarray(x, backend='numpy')"
    )


def _out_of(node: Node, to: Node, tape: Tape, g: Array) -> Array:
    """Return a cotangent as it leaves a branch: 0 where the branch is not taken."""
    for condition in node.only:
        if not any(condition is c for c in to.only):
            g = lw.where(tape.array(condition), g, 0)
    return g


def _has_unknown_extents(call: Call) -> bool:
    arrays = [*call.args, *call.kw.values(), *(call.out if isinstance(call.out, tuple) else (call.out,))]
    return any(None in x.shape for x in arrays if isinstance(x, Array))


def _whole(g: Array, x: Array) -> Array:
    """Broadcast a cotangent to the shape of what it belongs to, where that was left to do."""
    return g if g.shape == x.shape else broadcast_like(g, x)


def broadcast_like(g: Array, x: Array) -> Array:
    """Broadcast an array to the shape of another, of which extents may be unknown until it is computed."""
    return g + lw.zeros_like(x) if None in x.shape else lw.broadcast_to(g, x.shape)


def own_constants(tape: Tape, outs: Sequence[Any], copied: Callable[[Any], Any]) -> None:
    """Put copies in the place of the constants of recorded calls: arrays that are written to from outside of the tape.

    Parameters
    ----------
    outs: the results of the function.
    copied: the function that copies a native array.
    """
    copies: dict[int, tuple[Any, Any]] = {}  # with the original, which keeps its id

    def copy_of(node: Node, x: Any) -> Any:
        if id(x) not in copies:
            copies[id(x)] = x, copied(x)
        return copies[id(x)][1]

    _replace_constants(tape, outs, copy_of)


def _replace_constants(tape: Tape, outs: Sequence[Any], other: Callable[[Node, Any], Any]) -> None:
    """Put others in the place of the constants of the recorded calls that results depend on."""
    waiting: list[Node] = []
    seen: set[int] = set()

    def replaced(node: Node | None, x: Any) -> Any:
        if type(x) is Taped:
            if x.tape is tape:
                waiting.append(x.node)
            return x
        if type(x) in _TREES:
            return type(x)([replaced(node, y) for y in x])
        return other(node, x) if node is not None and isinstance(x, tape.below.arrays) else x

    replaced(None, [*outs])
    while waiting:
        node = waiting.pop()
        if node.number not in seen:
            seen.add(node.number)
            node.args, node.kw = replaced(node, node.args), {n: replaced(node, x) for n, x in node.kw.items()}


class Writes:
    """The writes to arrays from outside while a function is differentiated: its calls were made with what was there.

    It is a context: within it, what is written is watched.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape, self.thread = tape, get_ident()
        #: The array, what it held, the number of the call that comes next, and the line that wrote.
        self.made: list[tuple[Any, Any, int, tuple[str, int] | None]] = []
        self._last: tuple[Any, int] = None, 0

    def __enter__(self) -> Writes:
        if self.tape.below.watching is not None:
            self.tape.below.watching.append(self._told)
        return self

    def __exit__(self, *_: object) -> None:
        if self.tape.below.watching is not None:
            self.tape.below.watching.remove(self._told)

    def _told(self, data: Any) -> None:
        if get_ident() == self.thread:
            number = next(_numbers)
            if self._last != (id(data), number - 1):  # else no call was made since it was copied
                self.made.append((data, data.copy(), number, asked_at()))
            self._last = id(data), number

    def undo(self, outs: Sequence[Any], inputs: Sequence[Any]) -> None:
        """Give recorded calls the values that their constants had.

        Raises
        ------
        ValueError: what was written to is not that array itself, but has memory of it, or is an argument.
        """
        for data, _, _, place in self.made:
            if any(may_share_memory(data, x) for x in inputs if type(x) is not Taped):
                raise self._error(place)
        if self.made:
            _replace_constants(self.tape, outs, self._before)

    def _before(self, node: Node, x: Any) -> Any:
        for data, before, number, place in self.made:
            if number > node.number:
                if x is data:
                    return before
                if may_share_memory(x, data):
                    raise self._error(place)
        return x

    @staticmethod
    def _error(place: tuple[str, int] | None) -> ValueError:
        line = f", in line {place[1]} of {place[0]}" if place else ""
        return ValueError(
            f"the function is being differentiated, and writes to an array from outside{line}, after it computed with "
            f"its memory. The derivative needs what was there. Take a copy first (c = c.copy()) and write to that"
        )


# --- forward ----------------------------------------------------------------------------------------------------------


def push(tape: Tape, rule: Rule, native: Callable[..., Any], args: Any, kw: Any, out: Any) -> Any:
    """Return the results of a call with their tangents."""
    call, rule = Call(tape, native, args, kw, out), OWN.get(rule.name, rule)
    given = {p: tape.array(x.node) for p, x in call.differentiated.items()}
    try:
        tangents = under_rules(tape, rule.forward, call, given)
    except (TypeError, ValueError) as error:
        if _has_unknown_extents(call):
            raise _unknown_extents(rule) from error
        raise
    if isinstance(call.out, tuple):
        boxed = [
            x if t is None or not _is_smooth(tape, x) else Taped(x, tape, t._data)
            for x, t in zip(out, tangents, strict=True)
        ]
        return type(out)(*boxed) if hasattr(out, "_fields") else type(out)(boxed)
    return out if tangents is None or not _is_smooth(tape, out) else Taped(out, tape, tangents._data)
