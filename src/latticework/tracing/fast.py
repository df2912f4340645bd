"""Stretches of elementwise calls on NumPy as loops that numba compiles: what `fast=True` does, and may change bits.

A stretch is one loop over the elements. Transcendental functions are slower in such a loop than NumPy's, which compute
several elements at once, so they stay NumPy's, between loops, block by block. For few elements the call costs more than
the function, and the whole stretch is one loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .kernels import INEXACT, is_compiled, is_native, literal, number_dtype, product, short, text_of
from .nodes import Block, Constant, Location, Node, Value, values_in
from .writing import as_out

__all__ = ["BLOCK", "SMALL", "Fused", "check_numba", "fused", "remarks"]

#: The elements of a block, and the most that are computed by one loop where it has transcendental functions.
BLOCK, SMALL = 32_768, 128
#: The least number of calls that are worth a loop, and the most that are one stretch: compilers take their time.
_FEWEST, _MOST = 2, 200


def check_numba() -> None:
    """Load numba.

    Raises
    ------
    ModuleNotFoundError: it is not installed.
    """
    try:
        import numba  # noqa: F401 - the source names it
    except ModuleNotFoundError as error:
        message = "fast=True on NumPy needs numba: pip install 'latticework[fast]', or leave out fast=True"
        raise ModuleNotFoundError(message, name="numba") from error


# --- which nodes ------------------------------------------------------------------------------------------------------


def fused(block: Block) -> Block:
    """A block with each stretch of elementwise nodes as one node.

    It computes in another order: what reads nothing of a stretch and stands between its nodes comes before it. No
    stretch that is still open reads of another one.
    """
    used = {id(v) for v in values_in(block.outputs)} | {id(v) for node in block.nodes for v in node.uses()}
    order: list[Node] = []
    opened: dict[tuple[int, ...], list[Node]] = {}
    made: dict[int, tuple[int, ...]] = {}  # the id of a result in an open stretch -> the shape
    worth: list[tuple[int, int]] = []

    def close(shape: tuple[int, ...]) -> None:
        stretch = opened.pop(shape)
        if sum(map(is_compiled, stretch)) >= _FEWEST:
            worth.append((len(order), len(order) + len(stretch)))
        order.extend(stretch)
        for node in stretch:
            del made[id(node.result)]

    for node in block.nodes:
        fits = (is_compiled(node) or is_native(node)) and id(node.result) in used  # what is not used may be an error
        own = node.result.shape if fits else None
        apart = node.writes is not None or node.blocks
        for shape in [*opened] if apart else {made[id(v)] for v in node.operands if id(v) in made} - {own}:
            close(shape)
        if own is None:
            order.append(node)
        else:
            opened.setdefault(own, []).append(node)
            made[id(node.result)] = own
            if len(opened[own]) == _MOST:
                close(own)
    for shape in [*opened]:
        close(shape)
    if not worth:
        return block
    nodes: list[Node] = []
    at = 0
    for start, stop in worth:
        nodes += [*order[at:start], _as_one(order[start:stop], order, block.outputs)]
        at = stop
    return Block(block.inputs, _with_memory([*nodes, *order[at:]]), block.outputs)


def _with_memory(nodes: list[Node]) -> list[Node]:
    """The nodes, of which those keep the memory of an operand as theirs that nobody uses after them in this order."""
    after: set[int] = set()
    found = []
    for node in reversed(nodes):
        taken = node.out is not None and id(node.out) in after
        found.append(node.replaced(out=None) if taken else node)
        after.update([id(v) for v in node.uses()])
    return found[::-1]


def _as_one(nodes: list[Node], among: list[Node], returned: list[Any]) -> Node:
    """A node that computes what some do.

    Parameters
    ----------
    among: the nodes of the block, and these.
    returned: the outputs of the block.
    """
    inside = {id(node) for node in nodes}
    results = {id(node.result): node.result for node in nodes}
    used = {id(v) for v in values_in(returned)}
    for node in among:
        if id(node) not in inside:
            used |= {id(v) for v in node.uses()}
    outer = {id(v): v for node in nodes for v in node.operands if id(v) not in results}
    outputs = tuple([v for key, v in results.items() if key in used])
    return Node(Fused(nodes, outputs), "fused", tuple(outer.values()), {}, outputs)


class Fused:
    """The function of a node that stands for a stretch.

    Attributes
    ----------
    nodes: the nodes of the stretch.
    outputs: the results that are used outside of it.
    """

    def __init__(self, nodes: list[Node], outputs: tuple[Value, ...]) -> None:
        self.nodes, self.outputs = nodes, outputs

    def __call__(self, *_: Any) -> Any:
        raise TypeError("a stretch has no function outside of its source")


# --- the order, and memory --------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A loop over some nodes, or one call of NumPy's."""

    nodes: list[Node]
    loop: bool


def steps_of(fused: Fused) -> list[Step]:
    """Loops, and the calls of NumPy's between them: as few loops as there can be."""
    made = {id(node.result): node for node in fused.nodes}
    in_loop = {id(node): is_compiled(node) for node in fused.nodes}
    level: dict[int, int] = {}
    for node in fused.nodes:
        before = [made[id(v)] for v in node.operands if id(v) in made]
        level[id(node)] = max([level[id(n)] + (not in_loop[id(n)]) for n in before], default=0)
    last = max(level.values())
    latest: dict[int, int] = {}
    for node in reversed(fused.nodes):  # a loop computes what it needs itself, as late as it can
        own = latest.get(id(node), last) if in_loop[id(node)] else level[id(node)]
        latest[id(node)] = own
        for v in node.operands:
            if id(v) in made:
                n = made[id(v)]
                latest[id(n)] = min(latest.get(id(n), last), own)
    loops: list[list[Node]] = [[] for _ in range(last + 1)]
    calls: list[list[Node]] = [[] for _ in range(last + 1)]
    for node in fused.nodes:
        (loops if in_loop[id(node)] else calls)[latest[id(node)]].append(node)
    steps: list[Step] = []
    for loop, after in zip(loops, calls, strict=True):
        if loop:
            steps.append(Step(loop, len(loop) > 1 or not is_native(loop[0]) or product(loop[0]) > 0))
        steps += [Step([n], False) for n in after]
    return steps


class _Memory:
    """The variables that hold what one step hands to a later one: outputs, or buffers that are used again.

    Attributes
    ----------
    of: the id of a result -> its variable.
    buffers: variable -> dtype, of those that are no output.
    """

    def __init__(self, w: Any, steps: list[Step], outputs: dict[int, str]) -> None:
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        values: dict[int, Value] = {}
        for i, step in enumerate(steps):
            for node in step.nodes:
                values[id(node.result)] = node.result
                first[id(node.result)] = last[id(node.result)] = i
                for v in node.operands:
                    last[id(v)] = max(i, last.get(id(v), i))
        self.of: dict[int, str] = {}
        self.buffers: dict[str, Any] = {}
        taken: dict[str, list[tuple[int, int]]] = {}
        dtypes: dict[str, Any] = {}
        for key, output in outputs.items():
            self.of[key], dtypes[output] = output, values[key].dtype
            taken[output] = [(first[key], len(steps))]
        for key, v in values.items():
            if key in outputs or first[key] == last[key]:
                continue
            span = first[key], last[key]
            free = (n for n, spans in taken.items() if dtypes[n] is v.dtype and _is_free(span, spans))
            name: str = next(free, "")
            if not name:
                name = w.spelling.fresh("buffer")
                self.buffers[name] = dtypes[name] = v.dtype
                taken[name] = []
            taken[name].append(span)
            self.of[key] = name


def _is_free(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    """Whether memory is free from one step to another. A step reads all operands before it writes a result."""
    return all(span[1] <= a or span[0] >= b for a, b in taken)


# --- text -------------------------------------------------------------------------------------------------------------


def remarks(block: Block) -> list[str]:
    """Say, as comments, in what the results of a program may differ from NumPy's."""
    nodes = [n for b in (fused(block), *(fused(b) for b in _inner(block))) for n in b.nodes if n.name == "fused"]
    inside = [n for node in nodes for n in node.function.nodes]  # type: ignore[attr-defined]
    if not inside:
        return []
    lines = ["# fast: numba compiles the loops below. They compute what NumPy does, bit for bit, except that"]
    inexact = sorted({n.function.__name__ for n in inside if not is_compiled(n) and _in_loop(n)})
    if inexact:
        lines.append(
            f"# - of at most {SMALL} elements, the C library computes {', '.join(inexact)}: last bits may differ"
        )
    powers = sorted({product(n) for n in inside} - {0})
    if powers:
        lines.append(f"# - {', '.join(f'x**{n}' for n in powers)} are products: last bits may differ")
    lines.append("# - a nan may have another sign or payload, a zero of maximum and minimum another sign")
    lines.append("# - no floating-point warnings are given")
    return lines


def _inner(block: Block) -> Iterator[Block]:
    for node in block.nodes:
        for b in node.blocks:
            yield b
            yield from _inner(b)


def write_fused(w: Any, node: Node) -> None:
    """Write a stretch: its loops above the function, and what calls them in it."""
    fused: Fused = node.function  # type: ignore[assignment]
    s = w.spelling
    s.module("numba")
    np = s.module("numpy")
    steps = steps_of(fused)
    names = {id(v): w.name(v) for v in node.args}
    outer = {id(v): v for v in node.args if not _is_number(v)}
    local = {key: names[key] if names[key].isidentifier() else s.fresh("operand") for key in outer}
    outputs = {id(v): w.name(v) for v in fused.outputs}
    shape = fused.nodes[0].result.shape
    arrays = [v for v in outer.values() if v.shape]
    same = [v for v in arrays if v.shape == shape]
    extents = f"{names[id(same[0])]}.shape" if same else _extents(shape, arrays, names)
    for v in fused.outputs:
        w.line(f"{outputs[id(v)]} = {np}.empty({extents}, {s.expression(w.backend.native[v.dtype])})")
    size = f"{outputs[id(fused.outputs[0])]}.size"
    arguments = ", ".join([_scalar(v, names[key]) for key, v in outer.items()] + [*outputs.values()])
    given = {**local, **outputs}
    base = w.main
    calls = [s_ for s_ in steps if not s_.loop]
    whole = parts = ""
    if not calls or all(_in_loop(n) for n in fused.nodes):
        name = s.fresh(f"{base}_loop" if not calls else f"{base}_few")
        write_loop(w, name, fused.nodes, [*outer.values()], given, [*fused.outputs], shape, checked=True)
        whole = f"{name}({arguments})"
    if calls:
        name = s.fresh(f"{base}_blocks")
        write_parts(w, name, steps, outer, given, [*fused.outputs], shape)
        parts = f"{name}({', '.join([names[key] for key in outer] + [*outputs.values()])})"
    fits = parts or whole
    if whole and parts:
        fits = s.fresh("fits")
        w.line(f"if {size} <= {SMALL}:")
        w.line(f"    {fits} = {whole}")
        w.line("else:")
        w.line(f"    {fits} = {parts}")
    w.line(f"if not {fits}:  # shapes that broadcast otherwise")
    w.depth += 1
    before, w.blocks, w.fast = (w.blocks, w.fast), False, False
    w.block(Block([], [n.replaced(out=None) for n in fused.nodes], [*fused.outputs]))
    w.blocks, w.fast = before
    w.depth -= 1


def _in_loop(node: Node) -> bool:
    """Whether numba computes a node at all."""
    if is_compiled(node):
        return True
    name = getattr(node.function, "__name__", "")
    floats = all(str(v.dtype) in ("float32", "float64") for v in (*node.operands, node.result))
    return name in INEXACT and floats and all(v.dtype is node.result.dtype for v in node.operands)


def _is_number(v: Value) -> bool:
    """Whether a value is a constant that is written where it is used."""
    return isinstance(v, Constant) and not v.shape and not v.held


def _scalar(v: Value, name: str) -> str:
    """An operand as a loop takes it: an array without dimensions as a number."""
    return name if v.shape else f"{name}[()]"


def _extents(shape: tuple[int, ...], arrays: list[Value], names: dict[int, str]) -> str:
    """The shape of a result that no operand has, as an expression."""
    parts = []
    for k, n in enumerate(shape):
        axis = k - len(shape)
        v = next((v for v in arrays if len(v.shape) >= -axis and v.shape[axis] == n), None)
        parts.append("1" if v is None or n == 1 else f"{names[id(v)]}.shape[{axis}]")
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def fitting(v: Value, name: str, shape: tuple[int, ...], result: str) -> str:
    """The condition that an operand broadcasts to the result as it did when the program was traced."""
    if v.shape == shape:
        return f"{name}.shape == {result}.shape"
    parts = []
    for k, n in enumerate(v.shape):
        axis = len(shape) - len(v.shape) + k
        parts.append(f"{name}.shape[{k}] == " + ("1" if n == 1 != shape[axis] else f"{result}.shape[{axis}]"))
    return " and ".join(parts)


def _fits(arrays: Sequence[Value], names: dict[int, str], shape: tuple[int, ...], result: str) -> str:
    return " and ".join([fitting(v, names[id(v)], shape, result) for v in arrays])


def write_loop(
    w: Any, name: str, nodes: list[Node], outer: list[Value], given: dict[int, str], stored: list[Value],
    shape: tuple[int, ...], *, checked: bool,
) -> None:  # fmt: skip
    """Write a loop over elements above the function.

    Parameters
    ----------
    outer: the arrays and numbers that it reads.
    given: the id of what it reads or writes -> the variable.
    stored: the results that it writes.
    checked: whether it returns False for shapes that it is not for.
    """
    parameters = [*dict.fromkeys(given[id(v)] for v in (*outer, *stored))]
    taken = {*parameters, "np", "numba"}
    result = given[id(stored[0])]
    lines = []
    arrays = [v for v in outer if v.shape]
    if checked:
        lines += [f"    if not ({_fits(arrays, given, shape, result)}):", "        return False"]
    index = [_fresh("ijklmn"[k] if k < 6 else f"i{k}", taken) for k in range(len(shape))]
    for k, i in enumerate(index):
        lines.append("    " * (k + 1) + f"for {i} in range({result}.shape[{k}]):")
    indent = "    " * (len(shape) + 1)
    variables = {id(v): given[id(v)] for v in outer}
    for v in arrays:
        places = index[len(shape) - len(v.shape) :]
        where = [
            "0" if n == 1 != shape[k - len(v.shape)] else i
            for k, (n, i) in enumerate(zip(v.shape, places, strict=True))
        ]
        variables[id(v)] = _fresh(f"{given[id(v)]}_", taken)
        lines.append(f"{indent}{variables[id(v)]} = {given[id(v)]}[{', '.join(where)}]")
    at: Location | None = None
    for n, node in enumerate(nodes, 1):
        location = node.operation.location if node.operation else None
        if w.comments and location is not None and location != at and location.text:
            lines.append(f"{indent}# {location.text}")
            at = location
        variable = variables[id(node.result)] = _fresh(f"v{n}", taken)
        lines.append(f"{indent}{variable} = {text_of(node, _operands(node, variables))}{_warning(node)}")
    for v in stored:
        lines.append(f"{indent}{given[id(v)]}[{', '.join(index)}] = {variables[id(v)]}")
    if checked:
        lines.append("    return True")
    head = f'@{w.spelling.module("numba")}.njit(error_model="numpy")\ndef {name}({", ".join(parameters)}):'
    w.definitions.append("\n".join([head, *lines]))


def _operands(node: Node, variables: dict[int, str]) -> list[str]:
    """The operands of a node as variables and numbers."""
    found = []
    dtype = number_dtype(node)
    for x in node.args:
        if not isinstance(x, Value):
            found.append(literal(x, dtype))
        elif _is_number(x):
            found.append(literal(short(x.native), x.dtype))  # type: ignore[attr-defined]
        else:
            found.append(variables[id(x)])
    return found


def _warning(node: Node) -> str:
    """What is said of a call whose last bits may differ."""
    if n := product(node):
        return f"  # fast: last bits may differ from x**{n}"
    return "" if is_compiled(node) else "  # fast: last bits may differ from NumPy's"


def _fresh(wanted: str, taken: set[str]) -> str:
    """A name that is not taken: ``wanted``, or with a number."""
    name, n = wanted, 1
    while name in taken:
        n += 1
        name = f"{wanted}{n}"
    taken.add(name)
    return name


def write_parts(
    w: Any, name: str, steps: list[Step], outer: dict[int, Value], given: dict[int, str], outputs: list[Value],
    shape: tuple[int, ...],
) -> None:  # fmt: skip
    """Write two functions above the function: the steps for a part of the elements, and the one that calls it for each.

    Parameters
    ----------
    outer: the operands from outside, by their ids.
    given: the id of an operand or output -> its variable.
    """
    np = w.spelling.module("numpy")
    memory = _Memory(w, steps, {id(v): given[id(v)] for v in outputs})
    held = {**given, **memory.of}
    lines = [*_step_lines(w, name.removesuffix("_blocks"), steps, held, shape)]
    part = w.spelling.fresh(name.replace("_blocks", "_part"))
    operands = [given[key] for key in outer]
    results = [given[id(v)] for v in outputs]
    w.definitions.append("\n".join([f"def {part}({', '.join([*operands, *results, *memory.buffers])}):", *lines]))
    first = results[0]
    dtypes = {n: w.spelling.expression(w.backend.native[d]) for n, d in memory.buffers.items()}
    text = [f"def {name}({', '.join([*operands, *results])}):"]
    fits = _fits([v for v in outer.values() if v.shape], given, shape, first)
    text += [f"    if not ({fits}):", "        return False", f"    if {first}.size <= {BLOCK}:"]
    made = [f"{np}.empty({first}.shape, {d})" for d in dtypes.values()]
    text += [f"        {part}({', '.join([*operands, *results, *made])})", "        return True"]
    rows = "(rows,)" if len(shape) == 1 else f"(rows, *{first}.shape[1:])"
    text.append(f"    rows = max(1, {BLOCK} * len({first}) // {first}.size)")
    text += [f"    {n} = {np}.empty({rows}, {d})" for n, d in dtypes.items()]
    text.append(f"    for start in range(0, len({first}), rows):")
    text.append("        stop = start + rows")
    whole = {given[key] for key, v in outer.items() if len(v.shape) < len(shape) or v.shape[0] == 1 != shape[0]}
    parts = [n if n in whole else f"{n}[start:stop]" for n in (*operands, *results)]
    if dtypes:
        text.append(f"        n = min(rows, len({first}) - start)")
    parts += [f"{n}[:n]" for n in dtypes]
    text += [f"        {part}({', '.join(parts)})", "    return True"]
    w.definitions.append("\n".join(text))


def _step_lines(w: Any, base: str, steps: list[Step], held: dict[int, str], shape: tuple[int, ...]) -> Iterator[str]:
    """The lines that make the steps of a part."""
    for step in steps:
        if step.loop:
            made = {id(n.result) for n in step.nodes}
            read = {id(v): v for n in step.nodes for v in n.operands if id(v) not in made and not _is_number(v)}
            stored = [n.result for n in step.nodes if id(n.result) in held]
            loop = w.spelling.fresh(f"{base}_loop")
            write_loop(w, loop, step.nodes, [*read.values()], held, stored, shape, checked=False)
            arguments = dict.fromkeys(
                [_scalar(v, held[key]) for key, v in read.items()] + [held[id(v)] for v in stored]
            )
            yield f"    {loop}({', '.join(arguments)})"
            continue
        (node,) = step.nodes
        parts = [held.get(id(x)) or w.expression(x) for x in node.args]
        out = as_out(node.function, held[id(node.result)])
        yield f"    {w.spelling.function(node.function)}({', '.join([*parts, out])})"
