"""Promotion tables written out as text, and a differ that prints only the wrong cells.

Names are short: the kind and the bytes (``i4`` is int32, ``c16`` complex128), ``b1`` bool, ``bf`` bfloat16, the
formats of less than 16 bits by their format (``e4m3fn``), everything else in full. And so are operands:

======  =========================================================
i4      an array of int32
i4'     a 0-d array; ``i4'=300`` one of that value
i4~     a weak array; of a result, that it is weak
f*      a Python float of any value
=1.5    this Python value
======  =========================================================

Of results, ``--`` is refused and ``..`` is not asked, for want of a kernel of the framework.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import latticework as lw
from latticework.policy import current
from latticework.promotion import RULES, Rules
from latticework.promotion.families import decide

SHORT: dict[str, Any] = {"b1": lw.bool, "bf": lw.bfloat16}
SHORT |= {f"{k}{n}": lw.Dtype(f"{name}{8 * n}") for k, name in (("i", "int"), ("u", "uint")) for n in (1, 2, 4, 8)}
SHORT |= {f"f{n}": lw.Dtype(f"float{8 * n}") for n in (2, 4, 8)}
SHORT |= {f"c{n}": lw.Dtype(f"complex{8 * n}") for n in (4, 8, 16)}
SHORT |= {
    str(d).partition("_")[2]: d for d in lw.Dtype._all.values() if str(d).startswith(("float4_", "float6_", "float8_"))
}
SHORT |= {str(d): d for d in lw.Dtype._all.values() if d not in SHORT.values()}
SHORT |= {"b*": bool, "i*": int, "f*": float, "c*": complex}
LONG = {v: k for k, v in SHORT.items()}
REFUSED, NOT_ASKED = "--", ".."

EXPECTED = Path(__file__).parent / "expected"


def short(name: str) -> str:
    """The short name of a dtype."""
    return LONG[lw.Dtype(name)]


def read(text: str) -> dict[tuple[str, str], str]:
    """The cells of a table: the first line names the columns, each other line starts with its row's name."""
    header, *lines = [line.split() for line in text.strip().splitlines()]
    cells = {}
    for row, *results in lines:
        assert len(results) == len(header), f"row {row} has {len(results)} cells for {len(header)} columns"
        cells |= {(row, column): cell for column, cell in zip(header, results, strict=True)}
    return cells


def compute(promote: Callable[[Any, Any], Any], pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The same cells from a function of two operands, which refuses by a TypeError."""
    cells = {}
    for a, b in pairs:
        try:
            cells[a, b] = LONG[promote(SHORT[a], SHORT[b])]
        except TypeError:
            cells[a, b] = REFUSED
    return cells


def differ(found: dict[Any, Any], expected: dict[Any, Any], limit: int = 40) -> str:
    """A line for each cell that is not as expected; nothing where all are."""
    wrong = [k for k in {**expected, **found} if found.get(k) != expected.get(k)]
    lines = [f"  {' '.join(map(str, k)):24} is {found.get(k)}, expected {expected.get(k)}" for k in wrong[:limit]]
    return "\n".join([f"{len(wrong)} of {len(expected)} cells are wrong:", *lines]) if wrong else ""


# --- what frameworks answered ----------------------------------------------------------------------------------------

_VALUES = {"inf": float("inf"), "nan": float("nan"), "infj": complex(0, float("inf"))}


def operand(token: str) -> Any:
    """An operand from its short name."""
    name, _, value = token.partition("=")
    at = eval(value, dict(_VALUES)) if value else None
    if not name:
        return at
    if name.endswith("'"):
        return lw.Operand(SHORT[name[:-1]], zero_dim=True, value=at)
    return lw.Operand(SHORT[name[:-1]], weak=True) if name.endswith("~") else SHORT[name]


class Section(NamedTuple):
    """One table of a file in ``expected``: ``[jax operation]``, ``[torch result_type default_float=float64]``."""

    rules: str
    question: str
    default_float: str
    cells: dict[tuple[str, str], str]

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.rules, self.question, self.default_float)))

    def found(self) -> dict[tuple[str, str], str]:
        """The same cells as the rules answer them."""
        rules = RULES[self.rules]
        with lw.using(default_float=self.default_float or lw.default_float_dtype()):
            return {pair: self._cell(rules, *pair) for pair in self.cells}

    def _cell(self, rules: Rules, a: str, b: str) -> str:
        if self.cells[a, b] == NOT_ASKED:
            return NOT_ASKED
        operands = [operand(b)] if a == "-" else [operand(a), operand(b)]
        try:
            if self.question == "promote_types":
                return LONG[rules.promote_types(operands[0], operands[1])]
            if self.question == "operation":
                result = rules.result(operands)
                return LONG[result.dtype] + "~" * result.weak
            if self.question == "takes":
                return "yes" if rules.takes(operands[1], operands[0]) else "no"
            return LONG[rules.result_type(operands)]
        except TypeError:
            return REFUSED


def sections() -> Iterator[Section]:
    """Every table of every file in ``expected``."""
    for path in sorted(EXPECTED.glob("*.txt")):
        for part in path.read_text().split("\n[")[1:]:
            title, _, text = part.partition("]\n")
            rules, question, *more = title.split()
            default = next((m.partition("=")[2] for m in more if m.startswith("default_float=")), "")
            yield Section(rules, " ".join([question, *(m for m in more if "=" not in m)]), default, read(text))


# --- and of operations -----------------------------------------------------------------------------------------------

#: An operation and its operands.
Cell = tuple[str, ...]


class FamilySection(NamedTuple):
    """One table of a file in ``expected/families``: of the operations in its title, which all answer the same, or of
    operations of one operand, a row each: ``[torch one operand]``."""

    rules: str
    cells: dict[Cell, str]

    @property
    def title(self) -> str:
        first = next(iter(self.cells))
        return f"{self.rules} {first[0] if len(first) > 2 else 'one operand'}"

    def found(self) -> dict[Cell, str]:
        """The same cells as the families answer them."""
        return {cell: family_cell(self.rules, cell[0], *cell[1:]) for cell in self.cells}

    def by_operation(self) -> dict[str, dict[Cell, str]]:
        """The cells of each operation."""
        made: dict[str, dict[Cell, str]] = {}
        for cell, result in self.cells.items():
            made.setdefault(cell[0], {})[cell] = result
        return made


def family_cell(rules: str, operation: str, *tokens: str) -> str:
    """What an operation gives under some rules."""
    try:
        found = decide(RULES[rules], operation, [operand(t) for t in tokens], current().default)
    except TypeError:
        return REFUSED
    return LONG[found.result] + "~" * found.weak


def family_sections() -> Iterator[FamilySection]:
    """Every table of every file in ``expected/families``, without the cells that were not asked."""
    for path in sorted((EXPECTED / "families").glob("*.txt")):
        for part in path.read_text().split("\n[")[1:]:
            title, _, text = part.partition("]\n")
            rules, *operations = title.split()
            cells = {pair: cell for pair, cell in read(text).items() if cell != NOT_ASKED}
            if operations == ["one", "operand"]:
                yield FamilySection(rules, cells)
            else:
                yield FamilySection(rules, {(o, *pair): cell for o in operations for pair, cell in cells.items()})
