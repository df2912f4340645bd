"""The text of a loop over rows: a function that numba compiles, which computes some rows at a time, stage by stage.

What one stage leaves for a later one lies in buffers of so many rows that they stay in the cache. Where rows are short,
the loop over rows is the inner one, and buffers have the elements of all rows at one place side by side: the compiler
computes several rows at once.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from ..nodes import Block, Node, Value
from .calls import BY_NAME
from .fusion import Call, Loop
from .loops import assignments, fresh, functions_of, is_number, scalar, wider
from .numba_text import literal
from .reducing import Reduction
from .row_products import RowProducts
from .row_stages import Stage, Stages
from .rows import Rows

__all__ = ["write_rows"]

#: The elements of a buffer, and the most rows.
_ELEMENTS, _MOST = 4_096, 1_024
#: The most elements along an axis of a row for which the loop is also written for this extent alone; and where several
#: rows are computed at once, and how many rows are copied for that. LLVM unrolls loops of known length and then reads
#: what lies apart, which takes longer than to go along a row of more elements.
_FEW, _SHORT, _ROWS_OF_SHORT = 8, 32, 256


def write_rows(w: Any, node: Node) -> None:
    """Write the loop above the function, and its call."""
    rows: Rows = node.function  # type: ignore[assignment]
    s = w.spelling
    s.module("numba")
    np = s.module("numpy")
    names = {id(v): w.name(v) for v in node.args}
    outer = {id(v): v for v in node.args if not is_number(v)}
    local = {key: names[key] if names[key].isidentifier() else s.fresh("operand") for key in outer}
    where = {n: f"{names[key]}.shape[{k}]" for key, v in reversed(outer.items()) for k, n in enumerate(v.shape)}
    results, shapes = {}, []
    for v in rows.outputs:
        results[id(v)] = w.name(v)
        extents = [*(where.get(n, str(n)) if n != 1 else "1" for n in v.shape)]
        dtype = s.expression(w.backend.native_dtypes[v.dtype])
        shapes.append(f"({', '.join(extents)}{',' * (len(extents) == 1)})")
        w.line(f"{results[id(v)]} = {np}.empty({shapes[-1]}, {dtype})")
    arguments = ", ".join([*[scalar(v, names[key]) for key, v in outer.items()], *results.values()])
    kernels = []
    few = _fixed(rows)
    for fixed in (few, set[int]()) if few else (few,):
        name = s.fresh(f"{w.main}_rows" + "_of_" * bool(fixed) + "_".join(map(str, sorted(fixed))))
        text = _Kernel(w, name, rows, outer, local, results, fixed).text()
        same = _without_names(w, rows, outer, results, fixed)
        if w.loops.setdefault(same, name) == name:  # else the same loop was written before, and is compiled once
            w.definitions.append(text)
        kernels.append(w.loops[same])
    loop = Loop(kernels[0], kernels[0], [*outer.values()], [*rows.outputs], [names[key] for key in outer], shapes)
    w.calls.append(Call(loop, [*results.values()], compiled=True))
    fits = " or ".join([f"{kernel}({arguments})" for kernel in kernels])
    fits = f"({fits})" if len(kernels) > 1 else fits
    w.line(f"if not {fits}:  # shapes that broadcast otherwise, or no elements")
    w.depth += 1
    _write_otherwise(w, rows)
    w.depth -= 1
    for v in rows.outputs:
        if not v.shape:
            w.line(f"{results[id(v)]} = {results[id(v)]}[()]")


def _fixed(rows: Rows) -> set[int]:
    """Return the extents of a row for which a loop of its own takes less time."""
    extents = {n for v in rows.values() for n in v.shape if n != 1} - {rows.extent}
    short = {n for n in extents if n <= _SHORT}
    if Stages(rows, twice=False).have_short_rows(short):
        return short
    return set() if {*rows.kinds.values()} & {"product", "outer"} else {n for n in short if n <= _FEW}


def _without_names(w: Any, rows: Rows, outer: dict[int, Value], results: dict[int, str], fixed: set[int]) -> str:
    """Write a loop with names that say nothing, and without comments: the same for all loops that do the same."""
    own = {key: f"read{k}" for k, key in enumerate(outer)}, {key: f"made{k}" for k, key in enumerate(results)}
    text = _Kernel(w, "loop", rows, outer, *own, fixed).text()
    return "\n".join([line for line in text.split("\n") if not line.lstrip().startswith("#")])


def _write_otherwise(w: Any, rows: Rows) -> None:
    """Write the calls that the loop stands for."""
    before, w.blocks, w.fast = (w.blocks, w.fast), False, False
    given = {id(v) for v in rows.outputs}
    inside = [id(n.result) for n in rows.whole if id(n.result) not in given]
    named, inlined = {key: w.names.pop(key) for key in inside if key in w.names}, {*w.inlined}
    w.block(Block([], [n.replaced(out=None) for n in rows.whole], [*rows.outputs]))
    for key in inside:
        w.names.pop(key, None)
    w.names |= named
    w.inlined = inlined
    w.blocks, w.fast = before


class _Kernel(RowProducts):
    """The function that computes the rows.

    Parameters
    ----------
    outer: the arrays and numbers that it reads, by their ids.
    local, results: the variables of these, and of the arrays that it writes.
    fixed: the extents that it is made for, so that loops have a known length.
    """

    def __init__(
        self, w: Any, name: str, rows: Rows, outer: dict[int, Value], local: dict[int, str], results: dict[int, str],
        fixed: set[int],
    ) -> None:  # fmt: skip
        self.fixed = fixed
        self.w, self.name, self.rows, self.outer, self.local, self.results = w, name, rows, outer, local, results
        self.parameters = [*dict.fromkeys([*(local[key] for key in outer), *results.values()])]
        self.taken = {*self.parameters, "np", "numba"}
        self.functions = functions_of(w, rows)
        short = Stages(rows, twice=False)
        self.turned = short.have_short_rows(fixed)  # whether the loop over rows is the inner one
        self.stages = short if self.turned else Stages(rows)
        self.columns: dict[str, tuple[str, Value]] = {}  # an array -> the variable of its rows side by side, and it
        self.made = {id(n.result): n for n in rows.members}
        extents = [*dict.fromkeys([rows.extent, *(n for v in rows.values() for n in v.shape if n != 1)])]
        #: The variable of each extent, that of a row first.
        self.extents = {n: fresh(f"n{k}", self.taken) for k, n in enumerate(extents)}
        self.start, self.count, self.length = (fresh(x, self.taken) for x in ("start", "rows", "length"))
        self.index = [fresh(x, self.taken) for x in "ijklmn"]
        self.parts: dict[str, str] = {}  # an array -> the variable of its rows
        self.buffers: dict[int, str] = {}  # the id of a value -> the variable of its memory for some rows
        self.partial: dict[int, str] = {}
        self.matrices: dict[str, str] = {}  # a matrix -> the variable of it with its rows side by side
        self.lines: list[str] = []

    def text(self) -> str:
        """Return the text of the function."""
        for stage in self.stages.all:
            self._write(stage)
        body, self.lines = self.lines, []
        head = [
            f'@{self.w.spelling.module("numba")}.njit(error_model="numpy", fastmath={{"contract"}})',
            f"def {self.name}({', '.join(self.parameters)}):",
            *wider(self.w, self.rows.nodes),
            *self._conditions(),
        ]
        elements = max((self._row(v.shape[1:]) for v in self._kept_near()), key=lambda found: found[0])[1]
        length = f"max(1, min({_MOST}, {_ELEMENTS} // ({elements})))" if elements else str(_MOST)
        head.append(f"    {self.length} = {_ROWS_OF_SHORT if self.turned else length}")
        memory = [(name, self.stages.kept[key]) for key, name in self.buffers.items()]
        for name, v in [*self.columns.values(), *memory]:
            shape = self._turn(self.length, [self.extents[n] for n in v.shape[1:] if n != 1])
            head.append(f"    {name} = np.empty(({', '.join(shape)}{',' * (len(shape) == 1)}), np.{v.dtype})")
        head += [f"    {rows} = np.ascontiguousarray({x})" for x, rows in self.matrices.items()]
        head += self._before()
        n = self.extents[self.rows.extent]
        head.append(f"    for {self.start} in range(0, {n}, {self.length}):")
        head.append(f"        {self.count} = min({self.length}, {n} - {self.start})")
        head += [f"        {part} = {x}[{self.start} : {self.start} + {self.count}]" for x, part in self.parts.items()]
        head += self._turning()
        return "\n".join([*head, *body, *self._after(), "    return True"])

    def _turn(self, row: str, others: list[str]) -> list[str]:
        """Put an index of a row, or the number of rows, where buffers have it."""
        return [*others, row] if self.turned else [row, *others]

    def _turning(self) -> list[str]:
        """Copy some rows of the arrays from outside, so that the rows lie side by side."""
        lines = []
        for x, (columns, v) in self.columns.items():
            i, axes = self.index[0], [k for k, n in enumerate(v.shape) if n != 1 and k > 0]
            loops = [(i, self.count), *((self.index[k], self.extents[v.shape[k]]) for k in axes)]
            lines += [f"{'    ' * (depth + 2)}for {k} in range({n}):" for depth, (k, n) in enumerate(loops)]
            there = ", ".join([*(self.index[k] for k in axes), i])
            here = ", ".join(["0" if n == 1 else self.index[k] for k, n in enumerate(v.shape)])
            lines.append(f"{'    ' * (len(loops) + 2)}{columns}[{there}] = {self._rows_of(x)}[{here}]")
        return lines

    def _of_rows(self) -> list[Value]:
        """List the arrays that have a row for each row."""
        return [v for v in self.rows.values() if v.shape and v.shape[0] == self.rows.extent]

    def _kept_near(self) -> list[Value]:
        """List those of them that the cache should keep: all but arrays that only one product reads."""
        uses = Counter([id(self.rows.base(v)) for n in self.rows.members for v in n.operands])
        products = [n for n in self.rows.members if self.rows.kinds[id(n.result)] == "product"]
        once = {id(n.args[0]) for n in products if uses[id(n.args[0])] == 1 and id(n.args[0]) in self.outer}
        return [v for v in self._of_rows() if id(v) not in once]

    def _row(self, space: tuple[int, ...]) -> tuple[int, str]:
        axes = [n for n in space if n != 1]
        return math.prod(axes), " * ".join(self.extents[n] for n in axes)

    def _conditions(self) -> list[str]:
        """The extents, and the return for arrays that broadcast otherwise than when the program was traced."""
        lines, fits, known = [], [], set[int]()
        for key, v in [*self.outer.items(), *((id(x), x) for x in self.rows.outputs)]:
            name = self.local.get(key) or self.results[key]
            for k, n in enumerate(v.shape):
                if n != 1 and n not in known:
                    known.add(n)
                    if n in self.fixed:
                        lines.append(f"    {self.extents[n]} = {n}")
                        fits.append(f"{name}.shape[{k}] == {n}")
                        continue
                    lines.append(f"    {self.extents[n]} = {name}.shape[{k}]")
                    fits.append(f"{self.extents[n]} > 0")
                elif key in self.outer:
                    fits.append(f"{name}.shape[{k}] == {1 if n == 1 else self.extents[n]}")
        return [*lines, f"    if not ({' and '.join(fits)}):", "        return False"]

    # --- what is before and after the loop ----------------------------------------------------------------------------

    def _totals(self) -> list[tuple[Node, Reduction]]:
        return [found for stage in self.stages.all for found in stage.reductions if 0 in found[1].axes]

    def _before(self) -> list[str]:
        """Begin the totals, and the sums of products."""
        lines = []
        for node, found in self._totals():
            lines.append(f"    {self._all(node.result)} = {self._first(found, node.result.dtype)}")
        for stage in self.stages.all:
            if stage.product is not None and self.rows.kinds[id(stage.product.result)] == "outer":
                v = stage.product.result
                if not self.turned:
                    extents = ", ".join([f"{self.results[id(v)]}.shape[{k}]" for k in range(len(v.shape))])
                    lines.append(f"    {self._part_of(v)} = np.empty(({extents},), np.{v.dtype})")
                lines.append(f"    {self._all(v)} = {literal(0, v.dtype)}")
        return lines

    def _after(self) -> list[str]:
        lines = []
        for node, found in self._totals():
            if found.kind == "mean":
                lines.append(f"    {self._in_place(node.result)} /= {self._count(node, found)}")
        return lines

    def _all(self, v: Value) -> str:
        return f"{self.results[id(v)]}[{'...' if v.shape else '()'}]"

    def _in_place(self, v: Value) -> str:
        return self.results[id(v)] if v.shape else self._all(v)

    def _part_of(self, v: Value) -> str:
        """The variable for the sum of products of some rows."""
        if id(v) not in self.partial:
            self.partial[id(v)] = fresh("part", self.taken)
        return self.partial[id(v)]

    def _count(self, node: Node, found: Reduction) -> str:
        shape = node.args[0].shape
        extents = [self.extents[shape[k]] for k in found.axes if shape[k] != 1]
        return f"np.{node.result.dtype}({' * '.join(extents) or 1})"

    @staticmethod
    def _first(found: Reduction, dtype: Any) -> str:
        return literal({"max": -math.inf, "min": math.inf}.get(found.kind, 0), dtype)

    # --- access -------------------------------------------------------------------------------------------------------

    def _is_of_rows(self, v: Value, rank: int) -> bool:
        """Return whether an operand has a row for each row, in a call whose elements have `rank` axes."""
        return id(self.rows.base(v)) in self.made or (len(v.shape) == rank and v.shape[0] == self.rows.extent)

    def _at(self, v: Value, index: list[str], *, rows: bool) -> str:
        """Write an element of a value, at an index that has as many axes as it has."""
        while id(v) in self.rows.views:
            v, axes = self.rows.views[id(v)]
            at = {a: i for a, i in zip(axes, index, strict=True) if a is not None}
            index = [at[k] for k in range(len(v.shape))]
        index = ["0" if n == 1 else i for n, i in zip(v.shape, index, strict=True)]
        if id(v) in self.outer and rows and self.turned and any(n != 1 for n in v.shape[1:]):
            x = self.local[id(v)]
            self._rows_of(x)
            name = self.columns.setdefault(x, (fresh(f"{x}_columns", self.taken), v))[0]
            index = self._turn(index[0], [i for n, i in zip(v.shape[1:], index[1:], strict=True) if n != 1])
        elif id(v) in self.outer:
            name = self._rows_of(self.local[id(v)]) if rows else self.local[id(v)]
        elif id(v) in self.results:
            name = self._rows_of(self.results[id(v)])
        else:
            if id(v) not in self.buffers:
                self.buffers[id(v)] = fresh("kept", self.taken)
            name = self.buffers[id(v)]
            index = self._turn(index[0], [i for n, i in zip(v.shape[1:], index[1:], strict=True) if n != 1])
        return f"{name}[{', '.join(index)}]" if index else name

    def _rows_of(self, name: str) -> str:
        if name not in self.parts:
            self.parts[name] = fresh(f"{name}_part", self.taken)
        return self.parts[name]

    def _load(self, v: Value, index: list[str]) -> str:
        """Write an element of an operand at an index of the loops: axes are counted from the last one."""
        own = index[len(index) - len(v.shape) :]
        return self._at(v, own, rows=self._is_of_rows(v, len(index)))

    # --- stages -------------------------------------------------------------------------------------------------------

    def _write(self, stage: Stage) -> None:
        if stage.product is not None:
            write = self._product if self.rows.kinds[id(stage.product.result)] == "product" else self._outer
            write(stage.product)
            return
        index = [self.index[0], *self.index[1 : len(stage.space) + 1]]
        index = [i if k == 0 or stage.space[k - 1] != 1 else "0" for k, i in enumerate(index)]
        along = stage.along or ()
        kept = [k for k, n in enumerate(stage.space) if n != 1 and k not in along]
        inner = [k for k, n in enumerate(stage.space) if n != 1 and k in along]
        scalars, before, after = self._scalars(stage, index)
        around = self._loops(2, stage, kept if self.turned else [])
        self._add(around, before["start"])
        self._add(around, [f"for {self.index[0]} in range({self.count}):"])
        depth = self._loops(around + 1, stage, [] if self.turned else kept)
        self._add(depth, before["inner"])
        deep = self._loops(depth, stage, inner)
        self._body(stage, index, scalars, deep)
        self._add(depth, after["inner"])
        self._add(around, after["end"])

    def _add(self, depth: int, lines: list[str]) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def _loops(self, depth: int, stage: Stage, axes: list[int]) -> int:
        for k in axes:
            self._add(depth, [f"for {self.index[k + 1]} in range({self.extents[stage.space[k]]}):"])
            depth += 1
        return depth

    def _scalars(
        self, stage: Stage, index: list[str]
    ) -> tuple[dict[int, tuple[str, str]], dict[str, list[str]], dict[str, list[str]]]:
        """Return the variables of reductions, and the lines around the loops."""
        variables: dict[int, tuple[str, str]] = {}
        before: dict[str, list[str]] = {"start": [], "inner": []}
        after: dict[str, list[str]] = {"end": [], "inner": []}
        for node, found in stage.reductions:
            v, key = node.result, id(node.result)
            axes = tuple([k - 1 for k in found.axes if k > 0])
            total = 0 in found.axes
            whole = total and (self.turned or all(n == 1 or k in axes for k, n in enumerate(stage.space)))
            if not whole and (total or axes != stage.along):
                variables[key] = "", ""
                if not total:
                    name = self._at(v, ["0"] * len(v.shape), rows=True).partition("[")[0]
                    before["start"].append(f"{name}[:{self.count}] = {self._first(found, v.dtype)}")
                    if found.kind == "mean":
                        after["end"].append(f"{name}[:{self.count}] /= {self._count(node, found)}")
                continue
            name, place = fresh("total", self.taken), ""
            at = "start" if whole else "inner"
            if found.kind.startswith("arg"):
                place = fresh("place", self.taken)
                if self.stages.is_long(node):
                    most = found.kind.removeprefix("arg")
                    before[at].append(f"{name} = np.int64({'-' * (most == 'max')}{2**63 - 1})")
                    x, n, zero = node.args[0], self.extents[node.args[0].shape[-1]], literal(0, node.args[0].dtype)
                    key_of = f"{self._helper(f'loop_order_{most}')}({self._load(x, index)} + {zero})"
                    after[at] += [f"{place} = {n}", f"for {index[-1]} in range({n}):  # the first one"]
                    after[at].append(f"    {place} = min({place}, {index[-1]} if {key_of} == {name} else {n})")
                    after[at].append(f"{self._at(v, self._result_index(v, found, index), rows=True)} = {place}")
                    variables[key] = name, place
                    continue
                lowest = f"np.{node.args[0].dtype}({'-' * (found.kind == 'argmax')}np.inf)"
                before[at] += [f"{name} = {lowest}", f"{place} = 0"]
                value = place
            elif found.kind in ("max", "min"):
                before[at].append(f"{name} = np.int64({'-' * (found.kind == 'max')}{2**63 - 1})")
                value = f"np.{v.dtype}({self._helper('loop_ordered')}({name}))"
            else:
                before[at].append(f"{name} = {literal(0, v.dtype)}")
                value = name
            variables[key] = name, place
            if whole:
                at_last = self._result_index(v, found, index)
                out = f"{self.results[key]}[{', '.join(at_last)}]" if v.shape else self._all(v)
                after["end"].append(f"{out} = {self._joined(found, out, value)}")
            else:
                mean = f" / {self._count(node, found)}" if found.kind == "mean" else ""
                after["inner"].append(f"{self._at(v, self._result_index(v, found, index), rows=True)} = {value}{mean}")
        return variables, before, after

    @staticmethod
    def _result_index(v: Value, found: Reduction, index: list[str]) -> list[str]:
        if found.keeps:
            return ["0" if k in found.axes else i for k, i in enumerate(index)]
        return [i for k, i in enumerate(index) if k not in found.axes]

    def _joined(self, found: Reduction, a: str, b: str) -> str:
        sign = {"max": ">=", "min": "<="}.get(found.kind)
        return f"{a} + {b}" if sign is None else f"{a} if ({a} {sign} {b}) | ({a} != {a}) else {b}"

    def _helper(self, name: str) -> str:
        from . import numba_parts

        return str(self.w.spelling.function(getattr(numba_parts, name)))

    def _body(self, stage: Stage, index: list[str], scalars: dict[int, tuple[str, str]], depth: int) -> None:
        """Load the operands, compute, store what others read, and add up."""
        own = {id(n.result) for n in stage.nodes}
        nodes = [*self._again(stage, own), *stage.nodes]
        own |= {id(n.result) for n in nodes}
        read = {id(v): v for n in nodes for v in n.operands if id(v) not in own and not is_number(v)}
        read |= {id(n.args[0]): n.args[0] for n, _ in stage.reductions if id(n.args[0]) not in own}
        variables: dict[int, str] = {}
        for key, v in read.items():
            if not v.shape:
                variables[key] = self.local[key]
                continue
            variables[key] = fresh(f"{self.local.get(key, 'x')}_", self.taken)
            self._add(depth, [f"{variables[key]} = {self._load(v, index)}"])
        self.lines += assignments(self.w, nodes, variables, self.taken, self.functions, "    " * depth)
        for node in stage.nodes:
            if id(node.result) in self.stages.kept:
                self._add(depth, [f"{self._at(node.result, index, rows=True)} = {variables[id(node.result)]}"])
        for node, found in stage.reductions:
            self._join(node, found, variables[id(node.args[0])], scalars[id(node.result)], index, depth)

    def _again(self, stage: Stage, own: set[int]) -> list[Node]:
        """List the calls that are computed again here."""
        wanted = {id(v) for n in stage.nodes for v in n.operands} | {id(n.args[0]) for n, _ in stage.reductions}
        return [n for key, n in self.stages.again.items() if key in wanted and key not in own]

    def _join(
        self, node: Node, found: Reduction, x: str, variable: tuple[str, str], index: list[str], depth: int
    ) -> None:
        """Add an element to what it is part of."""
        name, place = variable
        v = node.result
        if not name:
            at = self._result_index(v, found, index)
            out = f"{self.results[id(v)]}[{', '.join(at)}]" if 0 in found.axes else self._at(v, at, rows=True)
            lines = [f"{out} = {self._joined(found, out, x)}"]
        elif place and self.stages.is_long(node):
            most = found.kind.removeprefix("arg")
            key = f"{self._helper(f'loop_order_{most}')}({x} + {literal(0, node.args[0].dtype)})"
            lines = [f"{name} = {most}({name}, {key})"]
        elif place:
            sign = "<" if found.kind == "argmin" else ">"
            better = fresh("better", self.taken)
            lines = [
                f"{better} = ({x} {sign} {name}) | (({x} != {x}) & ({name} == {name}))",
                f"{name} = {x} if {better} else {name}",
                f"{place} = {index[-1]} if {better} else {place}",
            ]
        elif found.kind in ("max", "min"):
            lines = [f"{name} = {found.kind}({name}, {self._helper(f'loop_order_{found.kind}')}({x}))"]
        else:
            lines = [f"{name} = {self._helper('loop_plus')}({name}, {x})"]
        self._add(depth, lines)


BY_NAME["rows"] = write_rows
