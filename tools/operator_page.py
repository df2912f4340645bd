"""Write the generated part of docs/operators.md: where the frameworks' operators part from latticework's functions.

    python tools/operator_page.py            write it
    python tools/operator_page.py --check    write nothing; fail if it is out of date

The generated part comes from the rule sets; `tools/pages.py` says where it stands.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pages

import latticework as lw
from latticework.promotion import RULES

PAGE = pages.DOCS / "operators.md"

#: The frameworks, and the rules that their operators follow as they are by default.
FRAMEWORKS = {"NumPy": "numpy", "PyTorch": "torch", "JAX": "jax", "TensorFlow": "tensorflow"}

#: operator -> the function of ours.
OPERATORS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide", "%": "remainder", "**": "pow",
    "@": "matmul", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor", "<<": "bitwise_left_shift",
    ">>": "bitwise_right_shift", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
    "==": "equal", "!=": "not_equal",
}  # fmt: skip

#: Operators that are logical functions in TensorFlow: `*` where one tensor is bool, the others where both are.
LOGICAL = ("*", "&", "|", "^")

#: Two operands, the result of our function, and that of the operator.
Row = tuple[str, str, str, str]


def shown(x: Any) -> str:
    """An operand or a result: a dtype, a Python scalar, a refusal."""
    return "refused" if x is None else f"Python {x.__name__}" if isinstance(x, type) else str(x)


def rows(rules: str, operator: str) -> tuple[Row, ...]:
    """Where an operator of a framework gives another dtype than our function, or refuses what that takes.

    A dtype that is no array's here, as complex32, is one that PyTorch has no kernels for: it refuses.
    """
    operands = [*lw.all_dtypes, *([] if operator == "@" else [bool, int, float, complex])]
    found = lw.diff_rules("unified", rules, operands, operation=OPERATORS[operator]).rows
    if rules == "tensorflow" and operator in LOGICAL:
        found = tuple(
            (a, b, ours, lw.bool if a is lw.bool and (operator == "*" or b in (lw.bool, bool)) else theirs)
            for a, b, ours, theirs in found
        )
    taken = [
        row
        for row in found
        if row[2] not in (None, row[3]) and not (isinstance(row[0], type) and isinstance(row[1], type))
    ]
    return tuple(
        (shown(a), shown(b), shown(ours), shown(theirs if theirs in lw.all_dtypes else None))
        for a, b, ours, theirs in taken
    )


def merged(found: tuple[Row, ...]) -> list[str]:
    """A line for all pairs that have the same results."""
    partners: dict[tuple[str, str, str], list[str]] = {}
    for a, b, ours, theirs in found:
        partners.setdefault((a, ours, theirs), []).append(b)
    groups: dict[tuple[tuple[str, ...], str, str], list[str]] = {}
    for (a, ours, theirs), others in partners.items():
        groups.setdefault((tuple(others), ours, theirs), []).append(a)
    return [
        f"| {', '.join(first)} with {', '.join(others)} | {ours} | {theirs} |"
        for (others, ours, theirs), first in groups.items()
    ]


def of_framework(name: str, rules: str) -> list[str]:
    """The tables of a framework: one for all operators with the same differences."""
    by_rows: dict[tuple[Row, ...], list[str]] = {}
    for operator in OPERATORS:
        by_rows.setdefault(rows(rules, operator), []).append(in_table(operator))
    lines = [f"## {name}", "", f"{RULES[rules].version}.", ""]
    same = by_rows.pop((), None)
    if same:
        lines += [f"No difference: {' '.join(same)}.", ""]
    for found, operators in by_rows.items():
        lines += [f"{' '.join(operators)}: {len(found)} pairs.", "", "| operands | latticework | operator |"]
        lines += ["|---|---|---|", *merged(found), ""]
    return lines


def counts() -> list[str]:
    """How many pairs of operands differ, by operator and framework, and how many of them are refused there."""
    lines = [f"| | {' | '.join(FRAMEWORKS)} |", "|---" * (len(FRAMEWORKS) + 1) + "|"]
    for operator in OPERATORS:
        found = [rows(rules, operator) for rules in FRAMEWORKS.values()]
        cells = [f"{len(f)} ({sum(theirs == 'refused' for *_, theirs in f)})" if f else "0" for f in found]
        lines.append(f"| {in_table(operator)} | {' | '.join(cells)} |")
    return [*lines, ""]


def in_table(operator: str) -> str:
    """An operator as a cell of a table."""
    return f"`{operator.replace('|', chr(92) + '|')}`"


def generated() -> str:
    """The counts, and the tables of all frameworks."""
    tables = [line for name, rules in FRAMEWORKS.items() for line in of_framework(name, rules)]
    return "\n".join([*counts(), *tables])


def made() -> dict[Path, str]:
    """The page as it should be."""
    return {PAGE: pages.filled(PAGE.read_text(encoding="utf-8"), {"": generated()})}


def main() -> int:
    """Write the page, or only compare; 1 where it is out of date."""
    options = pages.options(__doc__)
    return pages.write(made(), check=options.check)


if __name__ == "__main__":
    sys.exit(main())
