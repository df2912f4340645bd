"""docs/porting.md: what its table says of each framework's rules is what they answer."""

from __future__ import annotations

import re
from pathlib import Path

import latticework as lw

PAGE = (Path(__file__).parents[1] / "docs" / "porting.md").read_text(encoding="utf-8")


def steps() -> list[str]:
    """The dtypes of the table's columns, under the rules in force."""
    small = lw.ones(2, dtype="int8")
    found = [lw.zeros(2), lw.asarray([1]), lw.arange(2) / 2]
    try:
        mixed = lw.ones(2, dtype="float32") + lw.arange(2)
    except lw.errors.PromotionError:
        return [str(x.dtype) for x in found] + ["refused", str(lw.sum(small).dtype)]
    return [str(x.dtype) for x in (*found, mixed, lw.sum(small))]


def test_the_table_of_frameworks() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:2] == "| "]
    assert [row[0] for row in rows[1:4]] == ["latticework", "NumPy", "PyTorch"]
    assert len(rows) == 7
    for _, line, *dtypes in rows[1:]:
        named = re.search(r'rules="([\w-]+)"', line)
        with lw.using(rules=named[1] if named else "unified"):
            assert steps() == dtypes, line
