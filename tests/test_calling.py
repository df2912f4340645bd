"""The dispatchers are written from the texts of `tools/calling.py`."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import pages
import write_calling


def test_the_dispatchers_are_written_from_their_texts() -> None:
    assert pages.out_of_date(write_calling.made()) == [], "run make pages"


def test_there_is_no_call_of_a_macro_left() -> None:
    """A macro is no function: its call would fail when the text runs."""
    texts = ast.parse(write_calling.TEXTS.read_text(encoding="utf-8"))
    kinds = [node for node in texts.body if isinstance(node, ast.ClassDef)]
    macros = {f.name for kind in kinds for f in kind.body if isinstance(f, ast.FunctionDef)}
    written = ast.parse(write_calling.MODULE.read_text(encoding="utf-8"))
    called = {
        node.func.id for node in ast.walk(written) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert macros
    assert not macros & called
