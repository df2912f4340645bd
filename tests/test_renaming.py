"""Tables of functions that are latticework's by another name."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

import latticework as lw
import latticework.frontends.torch as torch
from latticework import frontends
from latticework.frontends.renaming import Row, rows

FRONTENDS = Path(frontends.__file__).parent
#: The chapters of dialects that have a table.
TABLES = sorted(path for path in FRONTENDS.rglob("*.py") if "\n_TABLE = " in path.read_text(encoding="utf-8"))
TABLE = """
(x, *, out=None)
    abs arccos=acos
(x, y, name=None)
        -> ours(*pair(x, y))
    floordiv=floor_divide
(x, y, *, alpha=1) -> ours(x, y) | scaled(ours, x, y, alpha)
    add
"""


def test_a_table_is_read() -> None:
    found = {row.name: row for row in rows(TABLE)}
    assert found["abs"] == Row("abs", "abs", "x, *, out=None", "ours(x)", None)
    assert found["arccos"].ours == "acos"
    assert found["floordiv"] == Row("floordiv", "floor_divide", "x, y, name=None", "ours(*pair(x, y))", None)
    assert found["add"].otherwise == "scaled(ours, x, y, alpha)"
    assert [row.name for row in found.values() if row.plain] == ["abs", "arccos", "add"]


def test_names_above_the_first_signature_are_an_error() -> None:
    with pytest.raises(ValueError, match="above the first signature: 'abs'"):
        list(rows("abs\n(x)\n    sin"))


def test_a_call_whose_name_the_module_lacks_is_an_error() -> None:
    row = next(rows("(x, y) -> ours(*pair(x, y))\n    add"))
    row.check({"__name__": "module", "pair": None})
    with pytest.raises(NameError, match="module: the table uses 'pair'"):
        row.check({"__name__": "module"})


def named(path: Path) -> str:
    return ".".join(path.relative_to(FRONTENDS).with_suffix("").parts)


@pytest.mark.parametrize("path", TABLES, ids=named)
def test_tables_use_names_that_their_modules_have(path: Path) -> None:
    module = importlib.import_module(f"latticework.frontends.{named(path)}")
    found = [*rows(module._TABLE)]
    assert found
    for row in found:
        row.check(vars(module))


@pytest.mark.parametrize(("options", "expected"), [({}, "plain"), ({"alpha": 1}, "plain"), ({"alpha": 2}, "scaled")])
def test_the_second_call_is_made_where_an_option_is_given(options: dict[str, int], expected: str) -> None:
    row = [*rows(TABLE)][-1]
    names = {"scaled": lambda ours, x, y, alpha: "scaled"}
    exec(row.source("make"), names)
    add = names["make"](lambda x, y: "plain", "add")  # type: ignore[operator]
    assert add(1, 2, **options) == expected
    assert str(inspect.signature(add)) == "(x, y, *, alpha=1)"


def test_a_renamed_function_has_the_signature_and_name_of_its_framework() -> None:
    assert str(inspect.signature(torch.hypot)) == "(input, other, *, out=None)"
    assert (torch.arccos.__name__, torch.arccos.__module__) == ("arccos", "latticework.frontends.torch.elementwise")
    assert "arccos" in torch.__all__
    assert (
        torch.arccos.__doc__ == "`torch.arccos`, with its arguments, dtypes and errors, on the backend of the arrays."
    )


def test_a_name_refuses_what_another_name_of_the_function_takes() -> None:
    """Both run the kernels of `lw.special.i1`, which takes float16; PyTorch has it for one of the names."""
    with lw.using(backend="numpy"):
        x = torch.ones(2, dtype=torch.float16)
        for _ in range(3):
            assert torch.special.i1(x).dtype is torch.float16
            with pytest.raises(NotImplementedError, match="modified_bessel_i1"):
                torch.special.modified_bessel_i1(x)
