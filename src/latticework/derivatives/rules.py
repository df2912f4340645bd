"""Rules: the derivative of each function that a backend computes, by the name of the function.

A rule brings the cotangent of a result back to the operands (`reverse`), and the tangents of the operands forward to
the result (`forward`). Most functions are of three kinds, which need less than that:

* of each element alone (`elementwise`): the slope by each operand says both;
* linear in an operand (`linear`, `bilinear`): forward is the function itself, and reverse its transpose;
* of neither kind (`rule`): reverse is given; forward too, or it is the transpose of reverse, which is linear.

Cotangents and tangents are arrays of the shape and dtype of what they belong to. The cotangent by a complex number
x + iy is df/dx + i df/dy, so that one of ``y = f(z)`` is ``g * conj(f'(z))``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..errors import BackendError
from .tape import OWN, Call, Node, Tape, Taped, _pull, broadcast_like, push, without

__all__ = [
    "RULES",
    "Rule",
    "Scaled",
    "bilinear",
    "constant",
    "custom",
    "elementwise",
    "fitted",
    "has_rule",
    "is_constant",
    "linear",
    "refuse",
    "rule",
    "rule_of",
    "state",
]

#: The modules of rules, by the chapters of `api/`.
_CHAPTERS = (
    "elementwise", "reductions", "running", "manipulation", "indexing", "sorting", "linear_algebra", "linalg", "fft",
    "special", "random", "nn", "convolution",
)  # fmt: skip

_Place = Any
_Slope = Callable[..., Any]


class Rule:
    """The derivative of a function.

    Attributes
    ----------
    name: the name of the function.
    broadcasts: whether `reverse` takes a cotangent that is yet to be broadcast to the shape of the result.
    when: a function of the call's arguments, which tells whether the rule is for them; None where it is for all. Other
        calls run as the composition.
    """

    broadcasts = False
    when: Callable[..., bool] | None = None

    def __init__(self, name: str) -> None:
        self.name = name

    def unknown(self, place: _Place) -> TypeError:
        """Make the error for an argument by which the derivative is not known: an option."""
        by = place if type(place) is str else f"argument {place[0] if type(place) is tuple else place}"
        return TypeError(
            f"{self.name.rpartition('.')[2].lstrip('_')}: {by} is an option, a Python number, by which there is no "
            f"derivative. lw.stop_gradient(x) takes its value"
        )

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[_Place, Array]]:
        """Yield the cotangent of each differentiated operand that the result depends on.

        Parameters
        ----------
        call: the call, with `Array`s for its arguments and its result.
        g: the cotangent of the result; a tuple of them for several results.
        """
        raise NotImplementedError

    def forward(self, call: Call, tangents: Mapping[_Place, Array]) -> Any:
        """Return the tangent of the result, None where it is zero; a tuple of these for several results."""
        raise NotImplementedError


#: The rules by the names of functions: of `lw.add` "add", of `lw.linalg.inv` "linalg.inv".
RULES: dict[str, Rule] = {}


@cache
def _load() -> None:
    for chapter in _CHAPTERS:
        import_module(f"{__package__}.{chapter}")


def rule_of(name: str) -> Rule | None:
    """Return the rule of a function that backends compute, None where there is none."""
    _load()
    return RULES.get(name)


def _operand(call: Call, place: _Place) -> Any:
    if type(place) is tuple:
        return call.args[place[0]][place[1]] if type(place[0]) is int else call.kw[place[0]][place[1]]
    return call.args[place] if type(place) is int else call.kw[place]


def fitted(g: Array, x: Array) -> Array:
    """Bring a cotangent to the shape and the dtype of its operand: the operand was broadcast, or is real.

    A cotangent that is yet to be broadcast stays so.
    """
    if g.dtype is not x.dtype:
        if g.dtype.kind == "c" and x.dtype.kind == "f":
            g = lw.real(g)
        if g.dtype is not x.dtype:
            g = lw.astype(g, x.dtype)
    if g.shape == x.shape or g.ndim == 0:
        return g
    more = g.ndim - x.ndim
    own = [(more + i, n) for i, n in enumerate(x.shape) if more + i >= 0]  # the axes that both have
    axes = tuple([i for i, n in own if n == 1 and g.shape[i] != 1])
    if more > 0 and not axes:
        return lw.sum(g, axis=tuple(range(more)))
    if axes:
        g = lw.sum(g, axis=(*range(more), *axes), keepdims=True)
    return lw.reshape(g, g.shape[more:]) if more > 0 else g


def conj(x: Any) -> Any:
    """Return the conjugate of a complex array or number; a real one as it is."""
    if isinstance(x, Array):
        return lw.conj(x) if x.dtype.kind == "c" else x
    return x.conjugate() if isinstance(x, complex) else x


class Scaled(NamedTuple):
    """A slope that is a number times an array. The number goes to the cotangent first, which may be a number too."""

    factor: float
    slope: Any


def _times(g: Array, slope: Any, *, conjugate: bool = False) -> Array:
    if type(slope) is Scaled:
        g, slope = g * (conj(slope.factor) if conjugate else slope.factor), slope.slope
    if type(slope) is int and slope in (1, -1):
        return g if slope == 1 else -g
    found: Array = g * (conj(slope) if conjugate else slope)
    return found


class _Elementwise(Rule):
    broadcasts = True

    def __init__(self, name: str, slopes: tuple[_Slope | int | None, ...]) -> None:
        super().__init__(name)
        self.slopes = slopes

    def _slope(self, call: Call, place: _Place) -> Any:
        if type(place) is not int or place >= len(self.slopes):
            raise self.unknown(place)
        slope = self.slopes[place]
        return slope(call.out, *call.args, **call.kw) if callable(slope) else slope

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[_Place, Array]]:
        for place in call.differentiated:
            slope = self._slope(call, place)
            if slope is not None:
                x, found = call.args[place], _times(g, slope, conjugate=True)
                if x.shape != call.out.shape and found.shape != call.out.shape:
                    found = broadcast_like(found, call.out)
                yield place, found if found.dtype is x.dtype and x.shape == call.out.shape else fitted(found, x)

    def forward(self, call: Call, tangents: Mapping[_Place, Array]) -> Any:
        total = None
        for place, t in tangents.items():
            slope = self._slope(call, place)
            if slope is not None:
                part = _times(t, slope)
                total = part if total is None else total + part
        return None if total is None else _like(total, call.out)


def _like(t: Array, out: Array) -> Array:
    """Bring a tangent to the shape and the dtype of its result."""
    t = t if t.dtype is out.dtype else lw.astype(t, out.dtype)
    return t if t.shape == out.shape else broadcast_like(t, out)


def elementwise(name: str, *slopes: _Slope | int | None) -> None:
    """State the slopes of a function of each element alone: of ``f(x, y)``, that by x and that by y.

    Parameters
    ----------
    slopes: for each operand a function of the result and all arguments, which returns an array, a number or `Scaled`;
        or 1, -1; or None for a slope of zero.
    """
    RULES[name] = _Elementwise(name, slopes)


class _Linear(Rule):
    def __init__(self, name: str, transposes: tuple[Callable[..., Any] | None, ...], *, jointly: bool) -> None:
        super().__init__(name)
        self.transposes, self.jointly = transposes, jointly

    def _transpose(self, place: _Place) -> Callable[..., Any]:
        found = self.transposes[place] if type(place) is int and place < len(self.transposes) else None
        if found is None:
            raise self.unknown(place)
        return found

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[_Place, Array]]:
        lists = set()
        for place in call.differentiated:
            if type(place) is tuple:  # the operands of a sequence are asked for once
                if place[0] in lists:
                    continue
                lists.add(place[0])
                transposed = self._transpose(place[0])
                found = transposed(g, *call.args, **call.kw)
                for i, x in enumerate(call.args[place[0]]):
                    if (place[0], i) in call.differentiated:
                        yield (place[0], i), fitted(found[i], x)
            else:
                transposed = self._transpose(place)
                yield place, fitted(transposed(g, *call.args, **call.kw), call.args[place])

    def forward(self, call: Call, tangents: Mapping[_Place, Array]) -> Any:
        for place in tangents:
            self._transpose(place[0] if type(place) is tuple else place)
        if self.jointly:
            zero = {p: self._zero(call, p) for p, f in enumerate(self.transposes) if f is not None}
            return self._run(call, dict(tangents), zero)
        total = None
        for place, t in tangents.items():
            part = self._run(call, {place: t}, {})
            total = part if total is None else total + part
        return total

    @staticmethod
    def _zero(call: Call, place: int) -> Any:
        x = call.args[place] if place < len(call.args) else None
        if isinstance(x, (list, tuple)):
            return type(x)([lw.zeros_like(y) for y in x])
        return lw.zeros_like(x) if isinstance(x, Array) else x

    @staticmethod
    def _run(call: Call, tangents: Mapping[_Place, Array], zero: Mapping[int, Any]) -> Any:
        def taken(i: int, x: Any) -> Any:
            if isinstance(x, (list, tuple)) and any((i, k) in tangents for k in range(len(x))):
                x = zero.get(i, x)
                return type(x)([tangents.get((i, k), y) for k, y in enumerate(x)])
            return tangents[i] if i in tangents else zero.get(i, x)

        args = [_native(taken(i, x)) for i, x in enumerate(call.args)]
        found = call.native(*args, **{n: _native(x) for n, x in call.kw.items()})
        if isinstance(found, (tuple, list)):
            return tuple([call.tape.array(x) for x in found])
        return call.tape.array(found)


def _native(x: Any) -> Any:
    if isinstance(x, Array):
        return x._data
    return type(x)([_native(y) for y in x]) if type(x) in (list, tuple) else x


def linear(name: str, *transposes: Callable[..., Any] | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """State the transposes of a function that is linear in some operands together: ``f(x) + f(y) = f(x + y)``.

    It is a decorator of the transpose by the first argument, where there is no other.

    Parameters
    ----------
    transposes: for each operand a function of the cotangent and all arguments, which gives the cotangent of the
        operand; of a list of operands, a list. None for an operand that it is not linear in, as positions.
    """

    def stated(transpose: Callable[..., Any]) -> Callable[..., Any]:
        RULES[name] = _Linear(name, (transpose,), jointly=True)
        return transpose

    if transposes:
        RULES[name] = _Linear(name, transposes, jointly=True)
    return stated


def bilinear(name: str, *transposes: Callable[..., Any] | None) -> None:
    """State the transposes of a function that is linear in each of some operands, as a product is."""
    RULES[name] = _Linear(name, transposes, jointly=False)


class _General(Rule):
    def __init__(self, name: str, reverse: Callable[..., Any], forward: Callable[..., Any] | None) -> None:
        super().__init__(name)
        self._reverse, self._forward = reverse, forward

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[_Place, Array]]:
        found = self._reverse(call, g)
        for place in call.differentiated:
            if place not in found:
                raise self.unknown(place)
            if found[place] is not None:
                yield place, fitted(found[place], _operand(call, place))

    def forward(self, call: Call, tangents: Mapping[_Place, Array]) -> Any:
        if self._forward is not None:
            return self._forward(call, tangents)
        return _transposed(self, call, tangents)


def rule(
    name: str, forward: Callable[..., Any] | None = None, *, when: Callable[..., bool] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """State that a function gives the cotangents of a function's operands: of the call and the cotangent of its result.

    It returns a dict from the place of an operand to its cotangent: ``0`` of the first, ``"min"`` of one given by name,
    ``(0, 2)`` of a list. None stands for a cotangent of zero. A place that is left out has no derivative: where one is
    asked for, that is an error.

    Parameters
    ----------
    forward: a function of the call and the tangents by place, which returns the tangent of the result.
    when: see `Rule.when`.
    """

    def stated(reverse: Callable[..., Any]) -> Callable[..., Any]:
        RULES[name] = _General(name, reverse, forward)
        RULES[name].when = when
        return reverse

    return stated


def _transposed(rule: Rule, call: Call, tangents: Mapping[_Place, Array]) -> Any:
    """Return the tangent of a result by the reverse rule alone: that is linear, and its transpose is the tangent."""
    several = isinstance(call.out, tuple)
    outs = call.out if several else (call.out,)
    tape = Tape(call.tape.below, call.tape.inside)
    leaves = [Taped(lw.zeros_like(x)._data, tape, Node(None, (), {}, None)) for x in outs]
    gs = tuple([tape.array(x) for x in leaves])
    found = dict(rule.reverse(call, gs if several else gs[0]))
    pairs = [(found[p]._data, t._data) for p, t in tangents.items() if p in found]
    moved = _pull(tape, [x for x, _ in pairs], [t for _, t in pairs], leaves)
    tape.open = False
    arrays = tuple([call.tape.array(without(call.tape, x)) for x in moved])
    return arrays if several else arrays[0]


class _Constant(Rule):
    def reverse(self, call: Call, g: Any) -> Iterator[tuple[_Place, Array]]:
        return iter(())

    def forward(self, call: Call, tangents: Mapping[_Place, Array]) -> Any:
        return (None,) * len(call.out) if isinstance(call.out, tuple) else None


def constant(*names: str) -> None:
    """State that functions are constant but for jumps: their slope is zero."""
    for name in names:
        RULES[name] = _Constant(name)


class _Refused(Rule):
    def __init__(self, name: str, why: str) -> None:
        super().__init__(name)
        self.why = why

    def _error(self) -> BackendError:
        return BackendError(
            f"{self.name.lstrip('_')}: {self.why}. lw.stop_gradient(x) takes the argument as a constant"
        )

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[_Place, Array]]:
        raise self._error()

    def forward(self, call: Call, tangents: Mapping[_Place, Array]) -> Any:
        raise self._error()


def refuse(name: str, why: str) -> None:
    """State that a function has no derivative, and why: an error where one is asked for."""
    RULES[name] = refused(name, why)


def refused(name: str, why: str = "its derivative is not known") -> Rule:
    """Make the rule of a function that has none."""
    return _Refused(name, why)


_Natives = Callable[[list[Any], list[Any]], list[Any]]


class _Custom(Rule):
    """A function whose cotangents and tangents the user's functions give."""

    def __init__(self, back: _Natives, push: _Natives) -> None:
        super().__init__("custom_gradient")
        self.back, self.push = back, push

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[_Place, Array]]:
        found = self.back([x._data for x in call.args[0]], [x._data for x in g])
        for i, x in enumerate(found):
            if (0, i) in call.differentiated:
                yield (0, i), call.tape.array(without(call.tape, x))

    def forward(self, call: Call, tangents: Mapping[_Place, Array]) -> Any:
        given = [tangents[0, i] if (0, i) in tangents else lw.zeros_like(x) for i, x in enumerate(call.args[0])]
        found = self.push([x._data for x in call.args[0]], [t._data for t in given])
        return tuple([call.tape.array(without(call.tape, x)) for x in found])


def custom(tape: Tape, natives: list[Any], outs: list[Any], back: _Natives, along: _Natives) -> list[Any]:
    """Record a call whose derivatives two functions give.

    Parameters
    ----------
    back: a function of the arguments and the cotangents of the results.
    along: a function of the arguments and their tangents.
    """
    rule = _Custom(back, along)
    if not tape.open:
        return outs
    if tape.forward:
        return [*push(tape, rule, None, (natives,), {}, tuple(outs))]  # type: ignore[arg-type]
    node = Node(rule, (natives,), {}, tuple(outs))
    return [Taped(x, tape, node, i) for i, x in enumerate(outs)]


class _Stated(Rule):
    """The rule of a function that a user has stated: functions of the cotangent, the result and the arguments."""

    def __init__(self, name: str, rule: Callable[..., Any], along: Callable[..., Any] | None) -> None:
        super().__init__(name)
        self.rule, self.along = rule, along

    def _given(self, call: Call) -> dict[_Place, Array]:
        """Return the arrays of floating dtypes among the arguments, by their places."""
        found: dict[_Place, Array] = {}
        for place, x in [*enumerate(call.args), *call.kw.items()]:
            for k, y in enumerate(x) if type(x) in (list, tuple) else ((None, x),):
                if isinstance(y, Array) and y.dtype.kind in "fc":
                    found[place if k is None else (place, k)] = y
        return found

    def _checked(self, found: Any, like: list[Array], what: str) -> list[Array | None]:
        if not isinstance(found, tuple):
            found = (found,)
        name = self.name.lstrip("_")
        if len(found) != len(like):
            raise TypeError(
                f"derivative_of: the rule of {name} returned {len(found)} {what}s, and there are {len(like)}"
            )
        for x, y in zip(found, like, strict=True):
            if x is not None and not (isinstance(x, Array) and x.shape == y.shape and x.dtype is y.dtype):
                got = f"{x.dtype} of shape {x.shape}" if isinstance(x, Array) else type(x).__name__
                raise TypeError(
                    f"derivative_of: a {what} of {name} must be {y.dtype} of shape {y.shape}, as what it belongs to; "
                    f"the rule returned {got}"
                )
        return [*found]

    def reverse(self, call: Call, g: Any) -> Iterator[tuple[_Place, Array]]:
        given = self._given(call)
        returned = self.rule(g, call.out, *call.args, **call.kw)
        if isinstance(returned, tuple) and len(returned) == len(call.args) > len(given):  # None for what is a number
            returned = tuple([x for place, x in enumerate(returned) if place in given])
        found = self._checked(returned, [*given.values()], "cotangent")
        for place, x in zip(given, found, strict=True):
            if place in call.differentiated and x is not None:
                yield place, x

    def forward(self, call: Call, tangents: Mapping[_Place, Array]) -> Any:
        if self.along is None:
            return _transposed(self, call, tangents)
        given = [tangents[p] if p in tangents else lw.zeros_like(x) for p, x in self._given(call).items()]
        moved = self.along(given[0] if len(given) == 1 else tuple(given), call.out, *call.args, **call.kw)
        several = isinstance(call.out, tuple)
        found = self._checked(moved, [*call.out] if several else [call.out], "tangent")
        return tuple(found) if several else found[0]


def state(name: str, rule: Callable[..., Any] | None, forward: Callable[..., Any] | None) -> None:
    """State the rule of a function as a user gives it: of the cotangent, the result and all arguments. None forgets
    it."""
    if rule is None:
        OWN.pop(name, None)
    else:
        OWN[name] = _Stated(name, rule, forward)


def has_rule(name: str) -> bool:
    """Return whether a function has a rule that is no refusal."""
    found = OWN.get(name) or rule_of(name)
    return found is not None and not isinstance(found, _Refused)


def is_constant(rule: Rule) -> bool:
    """Return whether a rule says that the function is constant but for jumps."""
    return isinstance(rule, _Constant)
