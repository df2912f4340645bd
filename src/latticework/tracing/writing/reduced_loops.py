"""The text of a reduction and of the elements before it, as one loop that numba compiles.

Along a last axis of more than a few elements, 1,024 are computed at a time and added up in eight sums, so that the
whole rounds about as NumPy's sum does. Along other axes elements are added in NumPy's order.
"""

from __future__ import annotations

from typing import Any

from ..nodes import Block, Node, Value
from .calls import BY_NAME
from .extents import extent
from .fusion import Call, Loop
from .loops import assignments, contraction, fresh, functions_of, is_number, scalar, wider
from .numba_text import literal
from .reducing import Reduced, Reduction, reduction_of

__all__ = ["write_reduced"]

#: The sums that are in work at once, and the elements that are added up before others are computed.
_LANES, _CHUNK = 8, 1_024
#: The most elements along the last axis that are added one after the other.
_SHORT = 32


def write_reduced(w: Any, node: Node) -> None:
    """Write the loop above the function, and its call."""
    reduced: Reduced = node.function  # type: ignore[assignment]
    s, last = w.spelling, reduced.last
    s.module("numba")
    np = s.module("numpy")
    found = reduction_of(last)
    assert found is not None
    names = {id(v): w.name(v) for v in node.args}
    outer = {id(v): v for v in node.args if not is_number(v)}
    local = {key: names[key] if names[key].isidentifier() else s.fresh("operand") for key in outer}
    shape = reduced.shape
    arrays = [v for v in outer.values() if v.shape]
    result = w.name(last.result)
    kept = [extent(k, shape, arrays, names) for k in range(len(shape)) if k not in found.axes]
    if found.keeps:
        kept = ["1" if k in found.axes else extent(k, shape, arrays, names) for k in range(len(shape))]
    extents = f"({', '.join(kept)}{',' * (len(kept) == 1)})"
    w.line(f"{result} = {np}.empty({extents}, {s.expression(w.backend.native_dtypes[last.result.dtype])})")
    name = s.fresh(f"{w.main}_{found.kind}")
    w.definitions += _Loop(w, name, reduced, found, outer, local).definitions()
    arguments = ", ".join([*[scalar(v, names[key]) for key, v in outer.items()], result])
    loop = Loop(name, name, [*outer.values()], [last.result], [names[key] for key in outer], [extents])
    w.calls.append(Call(loop, [result], compiled=True))
    w.line(f"if not {name}({arguments}):  # shapes that broadcast otherwise, or no elements")
    w.depth += 1
    _write_otherwise(w, reduced)
    w.depth -= 1
    if not last.result.shape:
        w.line(f"{result} = {result}[()]")


def _write_otherwise(w: Any, reduced: Reduced) -> None:
    """Write the calls that the loop stands for. Other loops may compute the elements too, and have names for them."""
    before, w.blocks, w.fast = (w.blocks, w.fast), False, False
    inside = [id(n.result) for n in reduced.nodes]
    named, inlined = {key: w.names.pop(key) for key in inside if key in w.names}, {*w.inlined}
    w.block(Block([], [*reduced.nodes, reduced.last.replaced(out=None)], [reduced.last.result]))
    for key in inside:
        w.names.pop(key, None)
    w.names |= named
    w.inlined = inlined
    w.blocks, w.fast = before


class _Loop:
    """The function of an element, and the loop that puts elements together.

    Parameters
    ----------
    found: the reduction.
    outer: the arrays and numbers that the loop reads, by their ids.
    local: their variables.
    """

    def __init__(
        self, w: Any, name: str, reduced: Reduced, found: Reduction, outer: dict[int, Value], local: dict[int, str]
    ) -> None:
        self.w, self.name, self.reduced, self.found, self.outer, self.local = w, name, reduced, found, outer, local
        self.shape = reduced.shape
        self.arrays = {key: v for key, v in outer.items() if v.shape}
        self.element = w.spelling.fresh(f"{name}_element") if reduced.nodes else ""
        self.given = [local[key] for key in outer]
        self.taken = {*self.given, "np", "numba", self.element}
        self.out = fresh("result", self.taken)
        self.extents = [fresh(f"n{k}", self.taken) for k in range(len(self.shape))]
        self.index = [fresh("ijklmn"[k], self.taken) for k in range(len(self.shape))]
        self.total, self.start, self.part = (fresh(x, self.taken) for x in ("total", "start", "part"))
        elements = reduced.last.args[0].dtype
        extremes = {"max": float("-inf"), "min": float("inf")}
        self.first = literal(extremes.get(found.kind, 0), elements)
        self.sign = {"max": ">=", "min": "<="}.get(found.kind)
        #: What a mean divides by.
        self.count = f"np.{reduced.last.result.dtype}({' * '.join(self.extents[k] for k in found.axes)})"
        places = [i for k, i in enumerate(self.index) if k not in found.axes]
        if found.keeps:
            places = ["0" if k in found.axes else i for k, i in enumerate(self.index)]
        #: Where the result of some elements is, as a key.
        self.place = ", ".join(places) or "()"

    def definitions(self) -> list[str]:
        """Return the text of the functions."""
        head = f'@{self.w.spelling.module("numba")}.njit(error_model="numpy")\n'
        options = f"{contraction(self.w, self.reduced.nodes)}, forceinline=True)"
        inlined = head.replace(")", options)  # inline: else several elements are not computed at once
        lines = [f"def {self.name}({', '.join([*self.given, self.out])}):", *wider(self.w, self.reduced.nodes)]
        lines += self._conditions()
        inner = len(self.shape) - 1
        if inner not in self.found.axes:
            lines += self._in_results()
        elif self.found.kind in ("argmax", "argmin"):
            lines += self._places()
        else:
            lines += self._totals()
        loop = head + "\n".join([*lines, "    return True"])
        return [inlined + "\n".join(self._element()), loop] if self.element else [loop]

    def _element(self) -> list[str]:
        """The function that computes an element."""
        taken = {*self.given, "np", "numba", self.element}
        functions, variables = functions_of(self.w, self.reduced), {**self.local}
        lines = assignments(self.w, self.reduced.nodes, variables, taken, functions, "    ")
        result = variables[id(self.reduced.last.args[0])]
        return [f"def {self.element}({', '.join(self.given)}):", *lines, f"    return {result}"]

    def _conditions(self) -> list[str]:
        """The extents, and the return for arrays that broadcast otherwise than when the program was traced."""
        shape, arrays = self.shape, [*self.arrays.values()]
        own = [extent(k, shape, arrays, self.local) for k in range(len(shape))]
        lines = [f"    {n} = {extent}" for n, extent in zip(self.extents, own, strict=True)]
        fits = []
        for key, v in self.arrays.items():
            for k, n in enumerate(v.shape):
                axis = len(shape) - len(v.shape) + k
                wanted = "1" if n == 1 != shape[axis] else self.extents[axis]
                if own[axis] != f"{self.local[key]}.shape[{k}]" or wanted == "1":
                    fits.append(f"{self.local[key]}.shape[{k}] == {wanted}")
        fits += [f"{self.extents[k]} > 0" for k in self.found.axes]
        return [*lines, f"    if not ({' and '.join(fits)}):", "        return False"]

    def _call(self) -> str:
        """The element at the index."""
        parts = []
        for key, v in self.outer.items():
            places = []
            for k, n in enumerate(v.shape):
                axis = len(self.shape) - len(v.shape) + k
                places.append("0" if n == 1 != self.shape[axis] else self.index[axis])
            parts.append(f"{self.local[key]}[{', '.join(places)}]" if places else self.local[key])
        return f"{self.element}({', '.join(parts)})" if self.element else parts[0]

    def _joined(self, a: str, b: str) -> str:
        """Two elements put together."""
        return f"{a} + {b}" if self.sign is None else f"{a} if ({a} {self.sign} {b}) | ({a} != {a}) else {b}"

    def _loops(self, axes: Any, depth: int = 1) -> list[str]:
        """The heads of loops over axes, each within the one before."""
        return ["    " * (depth + i) + f"for {self.index[k]} in range({self.extents[k]}):" for i, k in enumerate(axes)]

    def _in_results(self) -> list[str]:
        """Add up in the array of the results: not along the last axis."""
        rank = len(self.shape)
        indent = "    " * (rank + 1)
        lines = [f"    {self.out}[...] = {self.first}", *self._loops(range(rank))]
        lines += [f"{indent}{self.part} = {self._call()}", f"{indent}{self.total} = {self.out}[{self.place}]"]
        lines.append(f"{indent}{self.out}[{self.place}] = {self._joined(self.total, self.part)}")
        return [*lines, f"    {self.out} /= {self.count}"] if self.found.kind == "mean" else lines

    def _places(self) -> list[str]:
        """Find where along the last axis the greatest or least element is, or the first nan."""
        inner, total, part = len(self.shape) - 1, self.total, self.part
        indent, sign = "    " * (inner + 1), "<" if self.found.kind == "argmin" else ">"
        lowest = f"np.{self.reduced.last.args[0].dtype}({'-' * (sign == '>')}np.inf)"
        lines = [*self._loops(range(inner)), f"{indent}{total} = {lowest}", f"{indent}{self.start} = 0"]
        lines += [*self._loops([inner], inner + 1), f"{indent}    {part} = {self._call()}"]
        lines.append(f"{indent}    if ({part} {sign} {total}) | (({part} != {part}) & ({total} == {total})):")
        lines += [f"{indent}        {total} = {part}", f"{indent}        {self.start} = {self.index[inner]}"]
        return [*lines, f"{indent}{self.out}[{self.place}] = {self.start}"]

    def _totals(self) -> list[str]:
        """Add up along the last axis, and others: one result after the other."""
        kept = [k for k in range(len(self.shape)) if k not in self.found.axes]
        outside, depth = "    " * (len(kept) + 1), len(kept) + len(self.found.axes)
        lines = [*self._loops(kept), f"{outside}{self.total} = {self.first}"]
        lines += self._loops(self.found.axes[:-1], len(kept) + 1)
        if self.shape[-1] <= _SHORT:
            indent = "    " * (depth + 1)
            lines += [*self._loops([len(self.shape) - 1], depth), f"{indent}{self.part} = {self._call()}"]
            lines.append(f"{indent}{self.total} = {self._joined(self.total, self.part)}")
        else:
            lines = self._in_lanes(lines, "    " * depth)
        mean = f" / {self.count}" if self.found.kind == "mean" else ""
        return [*lines, f"{outside}{self.out}[{self.place}] = {self.total}{mean}"]

    def _in_lanes(self, lines: list[str], indent: str) -> list[str]:
        """Compute some elements, for which the compiler takes several at once, and add them up in several sums."""
        i, n, part, start, joined = self.index[-1], self.extents[-1], self.part, self.start, self._joined
        stop, whole, lane, buffer = (fresh(x, self.taken) for x in ("stop", "whole", "k", "buffer"))
        lanes = [f"s{k}" for k in range(_LANES)]
        lanes = [fresh(x, self.taken) for x in lanes]
        more, most = indent + "    ", indent + "        "
        found = [f"    {buffer} = np.empty({_CHUNK}, np.{self.reduced.last.result.dtype})", *lines]
        found += [f"{indent}for {start} in range(0, {n}, {_CHUNK}):", f"{more}{stop} = min({start} + {_CHUNK}, {n})"]
        found += [f"{more}for {i} in range({start}, {stop}):", f"{most}{buffer}[{i} - {start}] = {self._call()}"]
        found += [f"{more}{stop} -= {start}", f"{more}{whole} = {stop} // {_LANES} * {_LANES}"]
        found += [f"{more}{' = '.join(lanes)} = {self.first}", f"{more}for {lane} in range(0, {whole}, {_LANES}):"]
        for k, one in enumerate(lanes):
            found.append(f"{most}{part} = {buffer}[{lane}{f' + {k}' * bool(k)}]")
            found.append(f"{most}{one} = {joined(one, part)}")
        found.append(f"{more}for {lane} in range({whole}, {stop}):")
        found += [f"{most}{part} = {buffer}[{lane}]", f"{most}{lanes[0]} = {joined(lanes[0], part)}"]
        while len(lanes) > 1:
            half = len(lanes) // 2
            found += [f"{more}{a} = {joined(a, b)}" for a, b in zip(lanes[:half], lanes[half:], strict=True)]
            lanes = lanes[:half]
        return [*found, f"{more}{self.total} = {joined(self.total, lanes[0])}"]


BY_NAME["reduced"] = write_reduced
