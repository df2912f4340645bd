"""The derivative of a recorded graph as a program: what the rules call of the framework, and nothing around them.

A step of training records the same calls each time, on other arrays. At first the rules of such a graph run as they
are. When a graph of the same form comes again, what they compute is traced, and the program runs from then on. The form
is all that rules can look at: the rules, which results go where, the shapes and dtypes of all arrays, and all other
arguments. What looks at values cannot be traced, and is never a program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....api.tracing import trace
from ....core.registry import functions as lw
from ....derivatives.rules import RULES
from ....derivatives.tape import OWN, Node, Tape, Taped, _operands, propagate, under_rules
from ....engine.arrays.array import Array, wrapped
from ....errors import is_signal
from ....policy import current
from ....tracing.recording.recorder import recorder as tracer
from .recording import Leaf, recorder

__all__ = ["gradients_by_leaves"]

#: How often a graph of one form comes before it is traced, and the most forms that are kept.
_BEFORE, _MOST = 3, 256
#: The most calls of a graph that is traced, which takes time for each of them.
_LONGEST = 1000

#: The classes of values, and whether they are native arrays.
_arrays: dict[type, bool] = {}
#: How often a graph of a form has come, or its program; None where it cannot be one.
_forms: dict[Any, Any] = {}


class _OtherError(Exception):
    """A graph that cannot be a program."""


class _Reading:
    """A recorded graph, as its form and its arrays.

    Attributes
    ----------
    nodes: its calls, from the first to the last.
    leaves: the leaves that they lead to.
    values: its native arrays.
    form: a key that graphs have in common which compute the same of other arrays.
    """

    def __init__(self, tape: Tape, roots: list[Any], seeds: list[Array]) -> None:
        self.below = tape.below
        self.values: list[Any] = []
        self.places: dict[int, int] = {}
        found: dict[int, Node] = {}
        waiting = [x.node for x in roots if type(x) is Taped and x.tape is tape]
        while waiting:
            node = waiting.pop()
            if node.number not in found:
                if node.hooks is not None or node.only:
                    raise _OtherError
                found[node.number] = node
                if node.rule is not None:
                    for x in node.args:
                        if type(x) is Taped:
                            waiting.append(x.node)
                        elif type(x) is list or type(x) is tuple:
                            waiting += [y.node for y in _operands((x,))]
                    if node.kw:
                        waiting += [y.node for y in _operands(node.kw.values())]
        if len(found) > _LONGEST:
            raise _OtherError
        self.nodes: list[Node] = []
        self.leaves: list[Node] = []
        self.index: dict[Node, int] = {}
        form: list[Any] = [current(), tape.below]
        for i, number in enumerate(sorted(found)):
            node = found[number]
            self.index[node] = ~i  # an argument that is a number, and not that of an array
            rule = node.rule
            if rule is None:
                self.leaves.append(node)
            else:
                if rule.name in OWN or RULES.get(rule.name, rule) is not rule:
                    raise _OtherError
                self.nodes.append(node)
                form += [rule, len(node.args), *[self._read(x) for x in node.args]]
                if node.kw:
                    form.append(tuple([(n, self._read(x)) for n, x in node.kw.items()]))
            form.append(self._read(node.out))
        form += [self._read(x) for x in roots]
        form += [self._read(g._data) for g in seeds]
        self.form = tuple(form)

    def _read(self, x: Any) -> Any:
        """Return what the form has of an argument or a result, and note its arrays."""
        kind = type(x)
        if kind is Taped:
            value, node = x.value, x.node
            if node.out is value:
                return self.index[node]
            if type(value) is Taped or x.tape.level or node not in self.index:
                raise _OtherError
            return self.index[node], x.place, self._read(value)
        is_array = _arrays.get(kind)
        if is_array is None:
            is_array = _arrays[kind] = isinstance(x, self.below.arrays)
        if is_array:
            place = self.places.get(id(x))
            if place is None:
                place = self.places[id(x)] = len(self.values)
                self.values.append(x)
                return place, kind, x.shape, x.dtype
            return place
        if kind is tuple or kind is list or isinstance(x, tuple):
            return kind, *[self._read(y) for y in x]
        if kind is slice:
            return slice, x.start, x.stop, x.step
        return kind, x if x or kind not in (float, complex) else repr(x)  # 0.0 equals -0.0

    def program(self, roots: list[Any], seeds: list[Array]) -> Callable[..., Any]:
        """Return the function of arrays, in the places of the values, that gives the derivatives by the leaves."""
        nodes, leaves, places, below = [*self.nodes], [*self.leaves], self.places, self.below
        self.traced = nodes, leaves  # to forget afterwards: they hold the arrays of this step

        def run(*values: Array) -> list[Array]:
            tape = Tape(values[0]._sig.backend, recorder(values[0]._sig.backend).inside)
            made: dict[int, Node] = {}

            def given(x: Any) -> Any:
                if type(x) is Taped:
                    return Taped(given(x.value), tape, made[x.node.number], x.place)
                if type(x) is list or isinstance(x, tuple):
                    parts = [given(y) for y in x]
                    return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
                return values[places[id(x)]]._data if isinstance(x, below.arrays) else x

            for node in [*leaves, *nodes]:
                args, kw = given(node.args), {n: given(x) for n, x in node.kw.items()}
                made[node.number] = Node(node.rule, args, kw, given(node.out))
            cotangents = [values[places[id(g._data)]] for g in seeds]
            found = under_rules(tape, propagate, tape, [given(x) for x in roots], cotangents, frozenset())
            return [_whole(tape, made[leaf.number], found) for leaf in leaves]

        return run


def _whole(tape: Tape, leaf: Node, found: Any) -> Array:
    """Return the derivative by a leaf, in its shape."""
    g: Array = found[leaf.number][1][0]
    like = tape.array(leaf.out)
    return g if g.shape == like.shape else lw.broadcast_to(g, like.shape)


def gradients_by_leaves(
    tape: Tape,
    roots: list[Any],
    seeds: list[Array],
    before: Callable[[Node], None],
    after: Callable[[Node], None] | None,
) -> dict[int, tuple[Leaf, Array]] | None:
    """Compute the derivatives by all leaves with the program of the graph; return None where it has none.

    Parameters
    ----------
    roots, seeds: the results, and a cotangent of each.
    before, after: are called with each call of the graph.
    """
    if tape.below.lazy or tape.below.watched or tracer.get() is not None:
        return None
    try:
        read = _Reading(tape, roots, seeds)
        count = _forms.get(read.form, 0)
    except (_OtherError, TypeError):  # or an argument has no hash
        return None
    if count is None:
        return None
    if type(count) is int:
        if count < _BEFORE:
            if len(_forms) >= _MOST:
                for form in [form for form, known in _forms.items() if type(known) is int]:
                    del _forms[form]
            if len(_forms) < _MOST:
                _forms[read.form] = count + 1
            return None
        sig_of = tape.below.sig_of
        try:
            graph = trace(read.program(roots, seeds), *[wrapped(x, sig_of(x)) for x in read.values])
            count = _forms[read.form] = graph.function
        except Exception as error:
            if is_signal(error):
                raise
            _forms[read.form] = None
            return None
        finally:
            for nodes in read.traced:
                nodes.clear()
    for node in read.nodes:
        before(node)
    found = count(*read.values)
    if len(read.leaves) == 1:  # then the program returns no tuple
        found = (found,)
    if after is not None:
        for node in read.nodes:
            after(node)
    array = tape.array
    return {leaf.number: (leaf, array(g)) for leaf, g in zip(read.leaves, found, strict=True)}  # type: ignore[misc]
