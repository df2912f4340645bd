"""The page of where the frameworks' operators part from our functions: up to date, and what the frameworks answer."""

from __future__ import annotations

import importlib.util
import operator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cases import COMPILING, EXHAUSTIVE

import latticework as lw
from latticework.backends import get

ROOT = Path(__file__).parents[1]

PYTHON = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def operator_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("operator_page", ROOT / "tools" / "operator_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date() -> None:
    text = (ROOT / "docs" / "operators.md").read_text()
    assert operator_page().page(text) == text, "run python tools/operator_page.py"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("symbol", PYTHON)
def test_the_frameworks_answer_what_the_tables_say(backend: str, symbol: str) -> None:
    tables = operator_page()
    if backend not in tables.FRAMEWORKS.values():
        pytest.skip("its operators are NumPy's")
    scalars = {"Python bool": True, "Python int": 1, "Python float": 1.0, "Python complex": 1j}
    operands: dict[str, Any] = {str(d): lw.asarray([1, 1], dtype=d).data for d in lw.all_dtypes} | scalars
    rows = tables.rows(backend, symbol)
    for first, second, ours, theirs in rows[:: 1 if backend not in COMPILING or EXHAUSTIVE else 20]:
        try:
            result = PYTHON[symbol](operands[first], operands[second])
            got = str(get(backend).dtypes[result.dtype])
        except Exception:
            got = "refused"
        assert got == theirs != ours, (first, second)
