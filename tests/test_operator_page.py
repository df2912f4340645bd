"""The page of where the frameworks' operators part from our functions: up to date, and what the frameworks answer."""

from __future__ import annotations

import operator
import sys
from pathlib import Path
from typing import Any

import pytest
from cases import COMPILING, EXHAUSTIVE

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import operator_page
import pages

import latticework as lw
from latticework.backend import get

PYTHON = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def test_the_page_is_up_to_date() -> None:
    assert pages.out_of_date(operator_page.made()) == [], "run make pages"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("symbol", PYTHON)
def test_the_frameworks_answer_what_the_tables_say(backend: str, symbol: str) -> None:
    if backend not in operator_page.FRAMEWORKS.values():
        pytest.skip("its operators are NumPy's")
    scalars = {"Python bool": True, "Python int": 1, "Python float": 1.0, "Python complex": 1j}
    operands: dict[str, Any] = {str(d): lw.asarray([1, 1], dtype=d).data for d in lw.all_dtypes} | scalars
    rows = operator_page.rows(backend, symbol)
    for first, second, ours, theirs in rows[:: 1 if backend not in COMPILING or EXHAUSTIVE else 20]:
        try:
            result = PYTHON[symbol](operands[first], operands[second])
            got = str(get(backend).dtypes[result.dtype])
        except Exception:
            got = "refused"
        assert got == theirs != ours, (first, second)
