"""Write a graph as Python of its framework alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..nodes import Block, Constant, Location, Node, Value, values_in
from ..passes.contracting import contracted, remark
from ..passes.liveness import Facts, writes
from . import reduced_loops, row_loops, torch_blocks  # noqa: F401 - these have places in `calls.BY_NAME`
from .blocked import Stretch, least, stretches, write_blocks
from .calls import writer_of
from .fast import check_numba, fused
from .fusion import Call, Loop
from .loops import remarks, scalar
from .spelling import Spelling
from .whole import whole_of

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["Body", "Writer", "is_call", "write"]

#: The most characters of an expression without a line of its own.
_LONGEST = 72


class Body(NamedTuple):
    """The source of a graph's function.

    Attributes
    ----------
    text: the function, without what stands before it.
    name: its name.
    spelling: the names that it needs, with the objects.
    inputs: the values of its parameters.
    loop: the loop that it comes to, None where it is anything else.
    """

    text: str
    name: str
    spelling: Spelling
    inputs: Sequence[Value] = ()
    loop: Loop | None = None


class _State:
    """The state of the writing of a block.

    Attributes
    ----------
    uses: the id of a value -> the number of its uses.
    outputs: the ids of the block's outputs.
    last: position -> the values that are used there for the last time.
    at: the line of the program whose comment was written last.
    ended: values that are not used any more, and whose memory is not yet freed.
    closed: the ids of the values that blocks inside use, as functions that may run later.
    inside: the ids of the results of the stretch that is being written; None outside of a stretch.
    freed: the names of values from outside the stretch whose memory it has freed; None where it frees none.
    """

    def __init__(self, block: Block, uses: Counter[int], outputs: set[int], last: dict[int, list[Value]]) -> None:
        self.block, self.uses, self.outputs, self.last = block, uses, outputs, last
        self.at: Location | None = None
        self.ended: list[Value] = []
        self.closed = {id(v) for node in block.nodes for inner in node.blocks for v in inner.values()}
        self.inside: set[int] | None = None
        self.freed: list[str] | None = None


class Writer:
    """Writes the lines of one function."""

    def __init__(
        self,
        backend: Backend,
        taken: Iterable[str],
        *,
        comments: bool = True,
        blocks: bool | int = True,
        fast: bool = False,
        functions: bool = False,
        spelling: Spelling | None = None,
    ) -> None:
        self.backend, self.comments, self.blocks = backend, comments, blocks
        self.spelling = Spelling(backend.name, {*taken}) if spelling is None else spelling
        self.main = next(iter(taken), "function")
        self.fast, self.functions = fast, functions
        #: The definitions that stand above the function.
        self.definitions: list[str] = []
        self.names: dict[int, str] = {}
        self.lines: list[str] = []
        self.depth = 1
        self.kept: list[Value] = []
        #: The ids of the values whose expressions stand where they are used.
        self.inlined: set[int] = set()
        #: The id of a value whose expression stands where it is used -> the array that the expression begins with.
        self.firsts: dict[int, Value | None] = {}
        #: The ids of the values whose name other values have taken, with their memory or without.
        self.moved: set[int] = set()
        #: Whether a variable may get another array. The function of all loops of numba has a variable for each.
        self.rebinds = not (fast and backend.name == "numpy")
        #: The ids of the values that something may write into, on NumPy: None before the first use.
        self._written: set[int] | None = None
        self.whole: Block | None = None
        #: The text of a loop over rows, without its names -> the name of the first one.
        self.loops: dict[str, str] = {}
        #: The calls of loops that were written, and the block of the function, with loops as nodes: None before.
        self.calls: list[Call] = []
        self.fused: Block | None = None

    def is_written(self, value: Value) -> bool:
        """Return whether, on NumPy, something writes into a value, or into a value that may share memory with it."""
        if self._written is None:
            found = self.whole is not None and self.backend.name == "numpy" and writes(self.whole)
            self._written = Facts(self.whole, True).shared if found and self.whole is not None else set()
        return id(value) in self._written

    # --- lines --------------------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def comment(self, location: Location | None) -> None:
        if self.comments and location is not None and location.text:
            self.line(f"# {location.text}")

    # --- values -------------------------------------------------------------------------------------------------------

    def name(self, value: Value, wanted: str = "t") -> str:
        """Return the variable of a value."""
        found = self.names.get(id(value))
        if found is None:
            if isinstance(value, Constant):
                again = value.name.startswith("c_") and value.name in self.spelling.taken
                name = f"{value.name}_{value.dtype}" if again else value.name  # not c_1_2, which is 1.2
                found = self.spelling.name_of(value.native, name)
            else:
                found = self.spelling.fresh(wanted)
            self.names[id(value)] = found
            self.kept.append(value)
        return found

    def expression(self, tree: Any) -> str:
        """Write a tree of values and constants as an expression."""
        if isinstance(tree, Value):
            return self.name(tree)
        if type(tree) is tuple:
            return f"({', '.join(map(self.expression, tree))}{',' * (len(tree) == 1)})"
        if type(tree) is list:
            return f"[{', '.join(map(self.expression, tree))}]"
        if type(tree) is dict:
            return "{" + ", ".join(f"{k!r}: {self.expression(v)}" for k, v in tree.items()) + "}"
        if type(tree) is slice:
            return f"slice({', '.join(self.expression(x) for x in (tree.start, tree.stop, tree.step))})"
        return self.spelling.expression(tree)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """Write the lines of a block's nodes."""
        if self.fast:
            block = fused(block, functions=self.functions) if self.backend.name == "numpy" else contracted(block)
        if self.fused is None:
            self.fused = block
        uses = Counter(id(v) for node in block.nodes for v in node.uses())
        outputs = {id(v) for v in values_in(block.outputs)}
        last = _last_uses(block)
        state = _State(block, uses, outputs, last)
        find = {"numpy": stretches, "torch": torch_blocks.stretches}.get(self.backend.name) if self.blocks else None
        found = find(block) if find is not None else {}
        i = 0
        while i < len(block.nodes):
            stretch = found.get(i)
            if stretch is None:
                self.node(state, i, until=i + 1 if i + 1 in found else None)
                i += 1
            else:
                self.stretch(state, stretch)
                i = stretch.stop

    def node(self, state: _State, i: int, *, until: int | None = None) -> None:
        """Write the lines of one node.

        Parameters
        ----------
        until: the position where the expression of its result has to be in a variable.
        """
        nodes = state.block.nodes
        node = nodes[i]
        location = node.operation.location if node.operation else None
        if location != state.at and location is not None:
            self.comment(location)
            state.at = location
        following = nodes[i + 1] if i + 1 < (len(nodes) if until is None else until) else None
        text = writer_of(self.backend, node)(self, node)
        if text is not None and node.out is not None:
            self.line(text)
            self.names[id(node.result)] = self.name(node.out)
            self.kept.append(node.result)
            self.moved.add(id(node.out))
        elif text is not None:
            self.result(node, text, state.uses, state.outputs, following, self.continued(state, i))
        state.ended += [v for v in state.last.get(i, ()) if id(v) in self.names and id(v) not in state.outputs]
        if not any(id(v) in self.inlined for v in node.results):  # else its operands are needed until it is written
            self.release(state, final=i == len(nodes) - 1)

    def stretch(self, state: _State, stretch: Stretch) -> None:
        """Write a stretch of elementwise nodes twice: as it is, and in blocks for large arrays."""
        nodes = state.block.nodes[stretch.start : stretch.stop]
        names = [self.name(v) for v in stretch.outer]
        large = least(nodes) if self.blocks is True else 2 * self.blocks
        contiguous = " and ".join(f"{n}.flags.c_contiguous" for n in names)
        condition = f"{names[0]}.size < {large} or not ({contiguous})"
        on_torch = self.backend.name == "torch"
        self.line(f"if {torch_blocks.condition(self, nodes, stretch) if on_torch else condition}:")
        self.depth += 1
        state.inside = {id(node.result) for node in nodes}
        state.freed = [] if on_torch else None
        at = state.at
        for i in range(stretch.start, stretch.stop):
            self.node(state, i, until=stretch.stop)
        freed, state.inside, state.freed = state.freed, None, None
        self.depth -= 1
        self.line("else:")
        self.depth += 1
        write = torch_blocks.write_blocks if self.backend.name == "torch" else write_blocks
        ended, final = write(self, nodes, stretch), stretch.stop == len(state.block.nodes)
        if not final:
            self.line(f"del {', '.join([*(freed or ()), *ended])}")
        self.depth -= 1
        state.at = at if at is None else state.at
        self.release(state, final=final)

    def continued(self, state: _State, i: int) -> Value | None:
        """Return the array whose variable the result of a node takes; None for a result with a variable of its own.

        ``t = f(t, x)`` frees the array when ``t_2 = f(t, x)`` and ``del t`` do. It is the first array of the expression
        that has the result's dtype, the function made it, and nothing uses it later.
        """
        node = state.block.nodes[i]
        v = self.first(node) if self.rebinds and node.writes is None else None
        if v is None or all(v is not x for x in (*state.ended, *state.last.get(i, ()))):
            return None
        if id(v) in state.outputs or id(v) in state.closed:
            return None
        if state.inside is not None and (state.freed is None or id(v) not in state.inside):
            return None  # blocks read what is from outside too, and on NumPy their results may have its memory
        return v

    def first(self, node: Node) -> Value | None:
        """Return the first array of the result's dtype in the expression of a node, None for no such array."""
        result = node.result
        if type(result) is Value:
            for x in node.args:
                if type(x) is Value and x.shape and x.dtype is result.dtype:
                    return self.firsts.get(id(x), x)
        return None

    def result(
        self,
        node: Node,
        text: str,
        uses: Counter[int],
        outputs: set[int],
        following: Node | None,
        before: Value | None = None,
    ) -> None:
        """Name the results of a node, or keep its expression for the node that follows.

        Parameters
        ----------
        before: the array whose variable its result takes, None for a variable of its own.
        """
        result = node.result
        if isinstance(result, Constant):  # written into: its name stays that of the array
            self.line(text)
        elif isinstance(result, Value):
            if self.may_inline(result, node, text, uses, outputs, following):
                self.names[id(result)] = text if is_call(text) else f"({text})"
                self.kept.append(result)
                self.inlined.add(id(result))
                self.firsts[id(result)] = self.first(node)
            else:
                if before is not None:
                    self.names[id(result)] = self.name(before)
                    self.kept.append(result)
                    self.moved.add(id(before))
                self.line(f"{self.name(result)} = {text}")
        elif result is None or not node.results:
            self.line(text)
        elif isinstance(result, (tuple, list)) and all(isinstance(x, Value) for x in result):
            self.line(f"{', '.join(self.name(x) for x in result)}{',' * (len(result) == 1)} = {text}")
        else:
            whole = self.spelling.fresh("results")
            self.line(f"{whole} = {text}")
            self.pick(result, whole)

    def pick(self, tree: Any, text: str) -> None:
        """Name the values in nested results."""
        if isinstance(tree, Value):
            self.line(f"{self.name(tree)} = {text}")
        elif isinstance(tree, (tuple, list)):
            for i, x in enumerate(tree):
                self.pick(x, f"{text}[{i}]")

    def may_inline(
        self, value: Value, node: Node, text: str, uses: Counter[int], outputs: set[int], following: Node | None
    ) -> bool:
        """Return whether a value is written where it is used: once, by the next node, in the same program line."""
        return (
            following is not None
            and uses[id(value)] == 1
            and id(value) not in outputs
            and node.writes is None
            and not following.blocks
            and _line(node) == _line(following)
            and any(v is value for v in following.operands)
            and following.writes is None
            and following.name not in ("fused", "reduced", "rows")
            and following.out is not value
            and len(text) <= _LONGEST
        )

    def release(self, state: _State, *, final: bool) -> None:
        """Free the memory of values that are not used any more; inside a stretch on NumPy, of its own values alone."""
        inside = state.inside if state.freed is None else None
        ended = state.ended if inside is None else [v for v in state.ended if id(v) in inside]
        state.ended = [] if inside is None else [v for v in state.ended if id(v) not in inside]
        names = [
            self.names[id(v)] for v in ended
            if v.shape and id(v) not in self.inlined and id(v) not in self.moved and not isinstance(v, Constant)
        ]  # fmt: skip
        if names and not final:
            self.line(f"del {', '.join(names)}")
            if state.inside is not None and state.freed is not None:
                outside = [self.names[id(v)] for v in ended if id(v) not in state.inside]
                state.freed += [name for name in outside if name in names]

    def outputs(self, outputs: list[Any]) -> str:
        return ", ".join(self.expression(x) for x in outputs) + "," * (len(outputs) == 1)


def write(
    block: Block,
    backend: Backend,
    name: str,
    parameters: list[str],
    *,
    comments: bool = True,
    blocks: bool | int = True,
    fast: bool = False,
    functions: bool = False,
) -> Body:
    """Write a graph's function.

    Parameters
    ----------
    parameters: the names of its inputs.
    comments: whether the lines of the program stand above what they became.
    blocks: whether large arrays are computed block by block; an int for the elements of a block.
    fast: whether to take less time where that may change last bits: by loops of numba, or by other calls of PyTorch.
    functions: whether these loops have transcendental functions of float64 of their own, for arrays of any size.
    """
    if fast and backend.name == "numpy":
        check_numba()
    w = Writer(backend, (name,), comments=comments, blocks=blocks, fast=fast, functions=functions)
    w.whole = block
    names = [w.spelling.fresh(p) for p in parameters]
    for value, n in zip(block.inputs, names, strict=True):
        w.names[id(value)] = n
    if fast and backend.name == "torch" and (said := remark(block)):
        w.line(said)
    w.block(block)
    outputs = w.outputs(block.outputs) if len(block.outputs) != 1 else w.expression(block.outputs[0])
    w.line(f"return {outputs}" if block.outputs else "return ()")
    call = _whole(w)
    lines = [f"def {name}({', '.join(names)}):", *_calling(w, block, call), *w.lines, ""]
    if w.definitions:
        w.definitions[0] = "\n".join([*remarks(block, functions=functions), w.definitions[0]])
    text = "\n\n\n".join([*w.definitions, "\n".join(lines)])
    return Body(text, name, w.spelling, block.inputs, None if call is None else call.loop)


def _whole(w: Writer) -> Call | None:
    """Return the call that a function comes to: of its only loop, or of one function that calls its loops."""
    if not (w.fast and w.fused is not None and w.backend.name == "numpy"):
        return None
    return w.calls[0] if len(w.fused.nodes) == len(w.calls) == 1 else whole_of(w, w.fused, w.calls)


def _calling(w: Writer, block: Block, call: Call | None) -> list[str]:
    """Write the call of the function of all loops, and the return of what it makes."""
    if call is None or call in w.calls:
        return []
    np, loop, before = w.spelling.module("numpy"), call.loop, w.lines
    w.lines = []
    for v, name, extents in zip(loop.results, call.variables, loop.extents, strict=True):
        w.line(f"{name} = {np}.empty({extents}, {w.spelling.expression(w.backend.native_dtypes[v.dtype])})")
    operands = [scalar(v, name) for v, name in zip(loop.operands, loop.names, strict=True)]
    w.line(f"if {loop.many}({', '.join([*operands, *call.variables])}):")
    made = {id(v): scalar(v, name) for v, name in zip(loop.results, call.variables, strict=True)}
    returned = [made.get(id(v)) or w.expression(v) for v in block.outputs]
    w.line(f"    return {', '.join(returned)}")
    w.lines, lines = before, w.lines
    return lines


def _line(node: Node) -> Location | None:
    return node.operation.location if node.operation else None


def is_call(text: str) -> bool:
    """Return whether an expression binds as tightly as a call."""
    if text.startswith("-"):
        return False
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == " " and depth == 0:
            return False
    return True


def _last_uses(block: Block) -> dict[int, list[Value]]:
    """Return, by the position of a node, the values of this block last used there, or made there and never used."""
    made: dict[int, Value] = {}
    at: dict[int, int] = {}
    for i, node in enumerate(block.nodes):
        for v in node.uses():
            if id(v) in made:
                at[id(v)] = i
        for v in node.results:
            if id(v) in made or all(v is not x for x in node.operands):  # else it is from outside, and written into
                made[id(v)] = v
                at[id(v)] = i
    found: dict[int, list[Value]] = {}
    for key, i in at.items():
        found.setdefault(i, []).append(made[key])
    return found
