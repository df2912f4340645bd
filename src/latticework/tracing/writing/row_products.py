"""The text of products of matrices in a loop over rows, several rows at a time: sums are read and stored less often."""

from __future__ import annotations

from typing import Any

from ..nodes import Node, Value
from .loops import fresh
from .numba_text import literal
from .rows import Rows

__all__ = ["RowProducts"]

#: The rows and columns that are multiplied at once, and the rows whose products are added up at once.
_FOUR, _EIGHT = 4, 8
#: The least bytes of a row of a matrix that is multiplied by tiles.
_TILE = 64


class RowProducts:
    """Writes products, for the loop over rows that inherits from it."""

    #: What the loop has; see `row_loops`.
    extents: dict[int, str]
    index: list[str]
    count: str
    taken: set[str]
    matrices: dict[str, str]
    _add: Any
    _at: Any
    _all: Any
    _in_place: Any
    _part_of: Any
    _helper: Any
    local: dict[int, str]
    rows: Rows
    turned: bool

    def _product(self, node: Node) -> None:
        """Multiply each row with a matrix or a vector."""
        a, b = node.args
        if len(b.shape) > 1:
            thin = len(a.shape) == 2 and b.shape[1] * b.dtype.itemsize < _TILE
            (self._dots if thin else self._tiles)(node)
            return
        i, k, result = self.index[0], self.index[2], node.result
        right = f"{self.local[id(b)]}[{'0' if b.shape[0] == 1 else k}]"
        plus, zero = self._helper("loop_plus"), literal(0, result.dtype)
        one = [(f"for {i} in range({self.count}):", [i])]
        for head, rows in one if self.turned else self._in_steps(i, self.count, _FOUR):
            totals = [fresh("total", self.taken) for _ in rows]
            self._add(2, [head])
            self._add(3, [f"{' = '.join(totals)} = {zero}", f"for {k} in range({self.extents.get(a.shape[1], '1')}):"])
            for row, total in zip(rows, totals, strict=True):
                left = self._at(a, [row, k], rows=True)
                self._add(4, [f"{total} = {plus}({total}, {left} * {right})"])
            self._add(3, [f"{self._at(result, [row], rows=True)} = {x}" for row, x in zip(rows, totals, strict=True)])

    def _tiles(self, node: Node) -> None:
        """Multiply matrices tile by tile: the rows at hand as one matrix, or the matrices of a stack one by one."""
        a, b = node.args
        where, depth = [f":{self.count}"], 2
        if len(a.shape) > 2:
            where = self.index[: len(a.shape) - 2]
            for k, i in enumerate(where):
                if k == 0 or a.shape[k] != 1:
                    extent = self.extents[a.shape[k]] if k else self.count
                    self._add(depth, [f"for {i} in range({extent}):"])
                    depth += 1
        left, result = self._matrix(a, where), self._matrix(node.result, where)
        if len(b.shape) == 2:
            name = self.local[id(b)]
            right = self.matrices.setdefault(name, fresh(f"{name}_rows", self.taken))
        else:
            right = f"np.ascontiguousarray({self._matrix(b, where)})"
        self._add(depth, [f"{self._helper('loop_matmul')}({left}, {right}, {result})"])

    def _matrix(self, v: Value, where: list[str]) -> str:
        """Write one matrix of a stack, or some rows of a matrix."""
        if id(v) in self.rows.views:
            return f"{self._matrix(self.rows.views[id(v)][0], where)}.T"
        whole: str = self._at(v, [*where, *[":"] * (len(v.shape) - len(where))], rows=True)
        return whole

    def _dots(self, node: Node) -> None:
        """Multiply long rows with a matrix: four rows and four columns at a time, so that each is read less often."""
        a, b = node.args
        i, j, k = self.index[:3]
        turned = self.matrices.setdefault(f"{self.local[id(b)]}.T", fresh(f"{self.local[id(b)]}_columns", self.taken))
        plus, zero = self._helper("loop_plus"), literal(0, node.result.dtype)
        for rows_head, rows in self._in_steps(i, self.count, _FOUR):
            self._add(2, [rows_head])
            for columns_head, columns in self._in_steps(j, f"{turned}.shape[0]", _FOUR):
                totals = {(r, c): fresh("total", self.taken) for r in rows for c in columns}
                self._add(3, [columns_head])
                self._add(4, [f"{' = '.join(totals.values())} = {zero}", f"for {k} in range({turned}.shape[1]):"])
                for (r, c), total in totals.items():
                    left = self._at(a, [r, k], rows=True)
                    self._add(5, [f"{total} = {plus}({total}, {left} * {turned}[{c}, {k}])"])
                self._add(4, [f"{self._at(node.result, [r, c], rows=True)} = {x}" for (r, c), x in totals.items()])

    def _outer(self, node: Node) -> None:
        """Add up the products of the columns of two arrays: for some rows first, so that the sum rounds less."""
        if self.turned:
            self._outer_of_columns(node)
            return
        turned, b = node.args
        i, j, k = self.index[:3]
        result, rows = node.result, self.extents.get(node.args[0].shape[0], "1")
        part = self._part_of(result)
        row = "0" if result.shape[0] == 1 else k
        self._add(2, [f"{part}[...] = {literal(0, result.dtype)}"])
        for head, terms in self._in_eights(i, self.count):
            self._add(2, [head])
            factors = [fresh("factor", self.taken) for _ in terms]
            if len(b.shape) == 1:
                self._add(3, [f"{x} = {self._at(b, [at], rows=True)}" for x, at in zip(factors, terms, strict=True)])
                added = [f"{self._at(turned, [k, at], rows=True)} * {x}" for x, at in zip(factors, terms, strict=True)]
                self._add(3, [f"for {k} in range({rows}):", f"    {part}[{row}] += {_sum(added)}"])
                continue
            self._add(3, [f"for {k} in range({rows}):"])
            self._add(
                4, [f"{x} = {self._at(turned, [k, at], rows=True)}" for x, at in zip(factors, terms, strict=True)]
            )
            added = [f"{x} * {self._at(b, [at, j], rows=True)}" for x, at in zip(factors, terms, strict=True)]
            place = f"{row}, {'0' if result.shape[1] == 1 else j}"
            self._add(4, [f"for {j} in range({part}.shape[1]):"])
            self._add(5, [f"{part}[{place}] += {_sum(added)}"])
        self._add(2, [f"{self._in_place(result)} += {part}"])

    def _outer_of_columns(self, node: Node) -> None:
        """Add up the same where rows lie side by side: four columns of each at a time, so that each is read less."""
        left, right = node.args
        i, j, k = self.index[:3]
        result = node.result
        plus, zero = self._helper("loop_plus"), literal(0, result.dtype)
        for lines, rows in _in_fours(k, result.shape[0]):
            self._add(2, lines)
            for inner, columns in _in_fours(j, result.shape[1]) if len(result.shape) > 1 else [([], [""])]:
                depth = 2 + len(lines) + len(inner)
                self._add(2 + len(lines), inner)
                totals = {(r, c): fresh("total", self.taken) for r in rows for c in columns}
                self._add(depth, [f"{' = '.join(totals.values())} = {zero}", f"for {i} in range({self.count}):"])
                for (r, c), total in totals.items():
                    a, b = self._at(left, [r, i], rows=True), self._at(right, [i, c] if c else [i], rows=True)
                    self._add(depth + 1, [f"{total} = {plus}({total}, {a} * {b})"])
                for (r, c), total in totals.items():
                    self._add(depth, [f"{self._in_place(result)}[{f'{r}, {c}' if c else r}] += {total}"])

    def _in_eights(self, index: str, count: str) -> list[tuple[str, list[str]]]:
        """Return the head of a loop over eight at a time, with the eight places, and that of a loop over the rest."""
        return [(f"for {index} in range(1):", [index])] if count == "1" else self._in_steps(index, count, _EIGHT)

    @staticmethod
    def _in_steps(index: str, count: str, step: int) -> list[tuple[str, list[str]]]:
        most = f"{count} // {step} * {step}"
        places = [index, *(f"{index} + {k}" for k in range(1, step))]
        return [
            (f"for {index} in range(0, {most}, {step}):", places),
            (f"for {index} in range({most}, {count}):", [index]),
        ]


def _in_fours(index: str, extent: int) -> list[tuple[list[str], list[str]]]:
    """Return the heads of loops over a known extent, four at a time, with the places; no head for four and fewer."""
    if extent <= _FOUR:
        return [([], [str(k) for k in range(extent)])]
    most = extent // _FOUR * _FOUR
    four = [index, *(f"{index} + {k}" for k in range(1, _FOUR))]
    found = [([f"for {index} in range(0, {most}, {_FOUR}):"], four)]
    return [*found, ([], [str(k) for k in range(most, extent)])] if extent % _FOUR else found


def _sum(terms: list[str]) -> str:
    """Write a sum in pairs."""
    if len(terms) < 3:
        return " + ".join(terms)
    half = len(terms) // 2
    return f"({_sum(terms[:half])}) + ({_sum(terms[half:])})"
