"""The text of stretches as loops that numba compiles, and as blocks where NumPy computes a part of a stretch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ..nodes import Block, Constant, Location, Node, Value
from .calls import BY_NAME, as_out
from .extents import extents_of, fitting
from .fast import fused
from .fusion import LOOPS, Call, Fused, Loop, Memory, Step, steps_of
from .numba_text import INEXACT, PERIODIC, is_compiled, literal, number_dtype, product, selects, short, text_of, wide
from .reducing import Reduced
from .rows import Rows
from .slices import Slice

__all__ = [
    "BLOCK", "FAR", "SMALL", "assignments", "contraction", "fresh", "functions_of", "is_number", "operands_of",
    "remarks", "scalar", "wider", "write_fused",
]  # fmt: skip

#: The elements of a block, and the most elements of one loop with transcendental functions.
BLOCK, SMALL = 32_768, 128
#: The options of loops. They allocate nothing, so numba need not count who holds an array: that takes half of the time
#: of a call.
OPTIONS = 'error_model="numpy", _nrt=False'
#: The calls of a loop that takes longer than its memory.
_MANY = 50
#: The greatest absolute value of which the functions of `numba_parts` for sin and cos are right.
FAR = 1e6


def remarks(block: Block, *, functions: bool = False) -> list[str]:
    """Say, as comments, how the results of a program may differ from NumPy's."""
    made = [fused(b, functions=functions) for b in (block, *_inner(block))]
    stretches: list[Fused] = [n.function for b in made for n in b.nodes if n.name in LOOPS]  # type: ignore[misc]
    inside = [n for stretch in stretches for n in stretch.nodes]
    called = {id(n): wide(n) for stretch in stretches for n in stretch.nodes if wide(n) in stretch.functions}
    if not stretches:
        return []
    lines = ["# fast: numba compiles the loops below. They compute what NumPy does, bit for bit, except that"]
    if called:
        lines.append(f"# - loops have functions for {', '.join(sorted({*called.values()}))}: last bits may differ")
    inexact = sorted(
        {n.function.__name__ for n in inside if id(n) not in called and not is_compiled(n) and _in_loop(n)}
    )
    if inexact:
        lines.append(
            f"# - of at most {SMALL} elements, the C library computes {', '.join(inexact)}: last bits may differ"
        )
    powers = sorted({product(n) for n in inside} - {0})
    if powers:
        lines.append(f"# - {', '.join(f'x**{n}' for n in powers)} are products: last bits may differ")
    if functions and any(isinstance(stretch, Rows) or contracts(stretch.nodes) for stretch in stretches):
        lines.append("# - a product and a sum may be rounded once: last bits may differ")
    if any(isinstance(stretch, (Reduced, Rows)) and stretch.reorders for stretch in stretches):
        lines.append("# - sums and means along the last axis add in another order: last bits may differ")
    if any(isinstance(stretch, Rows) and stretch.multiplies for stretch in stretches):
        lines.append("# - small products of matrices are loops, which add in another order: last bits may differ")
    lines.append("# - a nan may have another sign or payload, a zero of maximum and minimum another sign")
    lines.append("# - no floating-point warnings are given")
    return lines


def _inner(block: Block) -> Iterator[Block]:
    for node in block.nodes:
        for b in node.blocks:
            yield b
            yield from _inner(b)


def write_fused(w: Any, node: Node) -> None:
    """Write a stretch: its loops above the function, and the calls of the loops in it."""
    fused: Fused = node.function  # type: ignore[assignment]
    s = w.spelling
    s.module("numba")
    np = s.module("numpy")
    steps = steps_of(fused)
    slices = fused.slices
    names = {id(v): w.name(v) for v in node.args}
    names |= {key: names[id(found.of)] for key, found in slices.items()}
    outer = {id(v): v for v in fused.read or node.args if not is_number(v)}
    ours = {name: name if name.isidentifier() else s.fresh("operand") for name in names.values()}
    local = {key: ours[names[key]] for key in outer}
    outputs = {id(v): w.name(v) for v in fused.outputs}
    shape = fused.nodes[0].result.shape
    arrays = [v for v in outer.values() if v.shape]
    same = [v for v in arrays if v.shape == shape and id(v) not in slices]
    extents = f"{names[id(same[0])]}.shape" if same else extents_of(shape, arrays, names, slices)
    over, memory = fused.over or (None, None)
    for v in fused.outputs:
        made = f"{np}.empty({extents}, {s.expression(w.backend.native_dtypes[v.dtype])})"
        w.line(f"{outputs[id(v)]} = {names[id(memory)] if v is over else made}")
    size = f"{outputs[id(fused.outputs[0])]}.size"
    read = dict.fromkeys([scalar(v, names[key]) for key, v in outer.items()])
    new = [name for key, name in outputs.items() if key != id(over)]
    arguments = ", ".join([*read, *new])
    given = {**local, **outputs} | ({id(over): local[id(memory)]} if over is not None else {})
    base = w.main
    calls = [s_ for s_ in steps if not s_.loop]
    functions = functions_of(w, fused)
    whole = parts = few = many = ""
    if not calls or all(_in_loop(n) for n in fused.nodes):
        name = s.fresh(f"{base}_loop" if not calls else f"{base}_few")
        cut = _cut(w, [v for v in outer.values() if id(v) not in slices], len(shape))
        write_loop(
            w, name, fused.nodes, [*outer.values()], given, [*fused.outputs], shape, functions, checked=True,
            inline=bool(cut), slices=slices,
        )  # fmt: skip
        if cut:
            parameters = [*local.values(), *new]
            name = _write_rows(w, name, {given[id(v)]: v for v in cut}, parameters, contraction(w, fused.nodes))
        whole, few = f"{name}({arguments})", name
    if calls:
        many = s.fresh(f"{base}_blocks")
        write_parts(w, many, steps, outer, given, [*fused.outputs], shape, functions)
        parts = f"{many}({', '.join([names[key] for key in outer] + [*outputs.values()])})"
    operands = {names[key]: slices[key].of if key in slices else v for key, v in outer.items()}
    loop = Loop(few, many or few, [*operands.values()], [*fused.outputs], [*operands], [extents] * len(outputs))
    w.calls.append(Call(loop, [*outputs.values()], compiled=not calls and over is None))
    fits = parts or whole
    if whole and parts:
        fits = s.fresh("fits")
        w.line(f"if {size} <= {SMALL}:")
        w.line(f"    {fits} = {whole}")
        w.line("else:")
        w.line(f"    {fits} = {parts}")
    far = f", or numbers beyond {FAR:g}" if PERIODIC & fused.functions else ""
    w.line(f"if not {fits}:  # shapes that broadcast otherwise{far}")
    w.depth += 1
    inside = [id(view.result) for view in fused.cuts if id(view.result) not in w.names]
    before, w.blocks, w.fast = (w.blocks, w.fast), False, False
    w.block(Block([], [*fused.cuts, *(n.replaced(out=None) for n in fused.nodes)], [*fused.outputs]))
    w.blocks, w.fast = before
    for view in inside:  # other loops have names of their own for it
        w.names.pop(view, None)
    w.depth -= 1


def functions_of(w: Any, fused: Fused) -> dict[str, str]:
    """Return the names, in the source, of the functions that the loops of a stretch call."""
    names, chosen = sorted(fused.functions), any(map(selects, fused.nodes))
    if not names and not chosen:
        return {}
    from .numba_parts import PARTS, loop_select

    found = {name: w.spelling.function(PARTS[name]) for name in names}
    return found | {"where": w.spelling.function(loop_select)} if chosen else found


def wider(w: Any, nodes: list[Node]) -> list[str]:
    """Return the line by which a loop with functions of `numba_parts`, or with many calls, computes more at once.

    Others wait for memory.
    """
    if not w.functions or not (any(map(wide, nodes)) or len(nodes) >= _MANY):
        return []
    from .numba_parts import loop_512

    return [f"    {w.spelling.function(loop_512)}()"]


def contraction(w: Any, nodes: list[Node]) -> str:
    """Return the option by which a loop rounds a product and a sum once, "" where it has none or may not."""
    return ', fastmath={"contract"}' if w.functions and contracts(nodes) else ""


def contracts(nodes: list[Node]) -> bool:
    """Return whether products of floats are added among some nodes."""
    made = {id(n.result) for n in nodes if n.name in ("multiply", "square", "pow") and n.result.dtype.kind == "f"}
    return any(n.name in ("add", "subtract") and any(id(v) in made for v in n.operands) for n in nodes)


def _in_loop(node: Node) -> bool:
    """Return whether numba computes a node at all."""
    if is_compiled(node):
        return True
    name = getattr(node.function, "__name__", "")
    floats = all(str(v.dtype) in ("float32", "float64") for v in (*node.operands, node.result))
    return name in INEXACT and floats and all(v.dtype is node.result.dtype for v in node.operands)


def is_number(v: Value) -> bool:
    """Return whether a value is a constant that is written where it is used."""
    return isinstance(v, Constant) and not v.shape and not v.held


def scalar(v: Value, name: str) -> str:
    """Write an operand of a loop: a 0-d array becomes a number."""
    return name if v.shape else f"{name}[()]"


def write_loop(
    w: Any, name: str, nodes: list[Node], outer: list[Value], given: dict[int, str], stored: list[Value],
    shape: tuple[int, ...], functions: dict[str, str], *, checked: bool, inline: bool = False,
    slices: Mapping[int, Slice] = MappingProxyType({}),
) -> None:  # fmt: skip
    """Write a loop over elements above the function.

    Parameters
    ----------
    outer: the arrays and numbers that it reads.
    given: the id of what it reads or writes -> the variable.
    stored: the results that it writes.
    functions: the names of functions of `numba_parts` in the source, by those of the ufuncs.
    checked: whether it returns False for other shapes, and for numbers that these functions are not made for.
    inline: whether numba writes it into the functions that call it.
    slices: the slices that it reads in place, by their ids.
    """
    parameters = [*dict.fromkeys(given[id(v)] for v in (*outer, *stored))]
    taken = {*parameters, "np", "numba"}
    result = given[id(stored[0])]
    lines = wider(w, nodes)
    arrays = [v for v in outer if v.shape]
    if checked:
        lines += [f"    if not ({fitting(arrays, given, shape, result, slices)}):", "        return False"]
    far = fresh("far", taken) if PERIODIC & {wide(n) for n in nodes if wide(n) in functions} else ""
    if far:
        lines.append(f"    {far} = False")
    index = [fresh("ijklmn"[k] if k < 6 else f"i{k}", taken) for k in range(len(shape))]
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
        where = slices[id(v)].place(where) if id(v) in slices else where
        variables[id(v)] = fresh(f"{given[id(v)]}_", taken)
        lines.append(f"{indent}{variables[id(v)]} = {given[id(v)]}[{', '.join(where)}]")
    lines += assignments(w, nodes, variables, taken, functions, indent, far)
    for v in stored:
        lines.append(f"{indent}{given[id(v)]}[{', '.join(index)}] = {variables[id(v)]}")
    if checked:
        lines.append(f"    return not {far}" if far else "    return True")
    options = f"{OPTIONS}{contraction(w, nodes)}" + ', inline="always"' * inline
    head = f"@{w.spelling.module('numba')}.njit({options})\ndef {name}({', '.join(parameters)}):"
    w.definitions.append("\n".join([head, *lines]))


def assignments(
    w: Any, nodes: list[Node], variables: dict[int, str], taken: set[str], functions: dict[str, str], indent: str,
    far: str = "",
) -> list[str]:  # fmt: skip
    """Write each node as an assignment, with the lines of the program as comments, and add the variables.

    Parameters
    ----------
    variables: the id of each operand from outside -> its variable.
    taken: the names that are no longer free.
    far: the variable that becomes True for a number that a periodic function is not made for; "" for none.
    """
    lines = []
    at: Location | None = None
    asked: set[str] = set()
    for n, node in enumerate(nodes, 1):
        location = node.operation.location if node.operation else None
        if w.comments and location is not None and location != at and location.text:
            lines.append(f"{indent}# {location.text}")
            at = location
        variable = variables[id(node.result)] = fresh(f"v{n}", taken)
        operands = operands_of(node, variables)
        if far and wide(node) in PERIODIC and operands[0] not in asked:
            lines.append(f"{indent}{far} |= abs({operands[0]}) > {FAR!r}")
            asked.add(operands[0])
        lines.append(f"{indent}{variable} = {text_of(node, operands, functions)}{_warning(node)}")
    return lines


def _cut(w: Any, outer: list[Value], rank: int) -> list[Value]:
    """Return the operands of a loop if some are cut out of other arrays: those whose rows may lie apart in memory."""
    found = {id(n.result) for n in w.whole.all_nodes() if n.name == "index"} if w.whole is not None else set()
    rows = [v for v in outer if rank > 1 and len(v.shape) == rank and v.shape[-1] != 1]
    return rows if any(id(v) in found for v in rows) else []


def _write_rows(w: Any, loop: str, cut: dict[str, Value], parameters: list[str], options: str) -> str:
    """Write a function that calls a loop, and return its name. Where elements lie side by side in each row, it says so
    to the compiler, which then computes several at once: it has to be a literal."""
    name: str = w.spelling.fresh(loop.replace("_loop", "_rows").replace("_few", "_few_rows"))
    call = f"return {loop}({', '.join(dict.fromkeys(parameters))})"
    asked = " and ".join([f"{x}.strides[{len(v.shape) - 1}] == {v.dtype.itemsize}" for x, v in cut.items()])
    lines = [
        f"@{w.spelling.module('numba')}.njit({OPTIONS}{options})",
        f"def {name}({', '.join(dict.fromkeys(parameters))}):",
        f"    if {asked}:  # several elements at once",
        f"        {call}",
        f"    {call}",
    ]
    w.definitions.append("\n".join(lines))
    return name


def operands_of(node: Node, variables: dict[int, str]) -> list[str]:
    """List the operands of a node as variables and numbers."""
    found = []
    dtype = number_dtype(node)
    for x in node.args:
        if not isinstance(x, Value):
            found.append(literal(x, dtype))
        elif is_number(x):
            found.append(literal(short(x.native), x.dtype))  # type: ignore[attr-defined]
        else:
            found.append(variables[id(x)])
    return found


def _warning(node: Node) -> str:
    """Return the comment on a call whose last bits may differ, "" for any other call."""
    if n := product(node):
        return f"  # fast: last bits may differ from x**{n}"
    return "" if is_compiled(node) else "  # fast: last bits may differ from NumPy's"


def fresh(wanted: str, taken: set[str]) -> str:
    """Take a name that is free: ``wanted``, or with a number."""
    name, n = wanted, 1
    while name in taken:
        n += 1
        name = f"{wanted}{n}"
    taken.add(name)
    return name


def write_parts(
    w: Any, name: str, steps: list[Step], outer: dict[int, Value], given: dict[int, str], outputs: list[Value],
    shape: tuple[int, ...], functions: dict[str, str],
) -> None:  # fmt: skip
    """Write two functions above the function: the steps for a part of the elements, and the loop over the parts.

    Parameters
    ----------
    outer: the operands from outside, by their ids.
    given: the id of an operand or output -> its variable.
    functions: the names of functions of `numba_parts` in the source, by those of the ufuncs.
    """
    np = w.spelling.module("numpy")
    memory = Memory(w, steps, {id(v): given[id(v)] for v in outputs})
    held = {**given, **memory.of}
    lines = [*_step_lines(w, name.removesuffix("_blocks"), steps, held, shape, functions)]
    part = w.spelling.fresh(name.replace("_blocks", "_part"))
    operands = [given[key] for key in outer]
    results = [given[id(v)] for v in outputs]
    w.definitions.append("\n".join([f"def {part}({', '.join([*operands, *results, *memory.buffers])}):", *lines]))
    first = results[0]
    dtypes = {n: w.spelling.expression(w.backend.native_dtypes[d]) for n, d in memory.buffers.items()}
    text = [f"def {name}({', '.join([*operands, *results])}):"]
    fits = fitting([v for v in outer.values() if v.shape], given, shape, first)
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


def _step_lines(
    w: Any, base: str, steps: list[Step], held: dict[int, str], shape: tuple[int, ...], functions: dict[str, str]
) -> Iterator[str]:
    """Yield the lines that make the steps of a part."""
    for step in steps:
        if step.loop:
            made = {id(n.result) for n in step.nodes}
            read = {id(v): v for n in step.nodes for v in n.operands if id(v) not in made and not is_number(v)}
            stored = [n.result for n in step.nodes if id(n.result) in held]
            loop = w.spelling.fresh(f"{base}_loop")
            write_loop(w, loop, step.nodes, [*read.values()], held, stored, shape, functions, checked=False)
            arguments = dict.fromkeys([scalar(v, held[key]) for key, v in read.items()] + [held[id(v)] for v in stored])
            yield f"    {loop}({', '.join(arguments)})"
            continue
        (node,) = step.nodes
        parts = [held.get(id(x)) or w.expression(x) for x in node.args]
        out = as_out(node.function, held[id(node.result)])
        yield f"    {w.spelling.function(node.function)}({', '.join([*parts, out])})"


BY_NAME["fused"] = write_fused
