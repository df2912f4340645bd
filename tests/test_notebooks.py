"""The guides as notebooks: every example is in a cell, and a kernel shows what the page says."""

from __future__ import annotations

import ast
import doctest
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

TOOLS = Path(__file__).parents[1] / "tools"
sys.path.insert(0, str(TOOLS))

import notebooks

PAGE = """# A guide

Prose with `code`.

```python
>>> import latticework as lw
>>> x = lw.asarray([1, 2])  # a comment stays
>>> x
Array([1, 2], dtype=int32)
>>> def add(y):
...     return x + y
>>> print("printed"); add(0.5)
printed
Array([1.5, 2.5], dtype=float32)
>>> with lw.using(default_float="float64"):
...     z = lw.asarray([1.5])
...     z.dtype, "µ", lw.sum(z)
(lw.float64, 'µ', Array(1.5, dtype=float64))
>>> lw.nothing  # doctest: +ELLIPSIS
Traceback (most recent call last):
AttributeError: module 'latticework' has no attribute 'nothing'...
>>> lw.asarray([1], dtype="uint16") + lw.PromotionError()  # doctest: +SKIP
>>> lw.errors.nearest("ad", ["add"])
"; did you mean 'add'?"
>>> {"a": "b" * 50, "c": "d" * 50}
{'a': 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'c': 'dddddddddddddddddddddddddddddddddddddddddddddddddd'}
>>> raise lw.errors.NoDataError("of a class in a module")
Traceback (most recent call last):
latticework.errors.NoDataError: of a class ...
>>> why = lw.explain("int32", "float16", rules="torch")
>>> why.dtype
lw.float16
>>> for line in str(why).splitlines()[:1]:
...     print(line)
int32, float16 -> float16 under torch: the least node of the diagram above all of them (lattice)

```

```console
$ latticework doctor
```
"""


def test_a_page_becomes_cells() -> None:
    found = notebooks.cells(PAGE)
    assert [cell.tag for cell in found] == [None, "", "", "", "raises-exception", "skip-execution", *[""] * 2,
                                            "raises-exception", "", "", None]  # fmt: skip
    code = [cell.source for cell in found if cell.tag is not None]
    assert code[0] == "import latticework as lw\nx = lw.asarray([1, 2])  # a comment stays\nx"
    assert code[1] == 'def add(y):\n    return x + y\nprint("printed"); add(0.5)'
    assert code[2].splitlines()[-1] == '    display((z.dtype, "µ", lw.sum(z)))'
    assert code[3] == "lw.nothing"
    assert found[0].source == "# A guide\n\nProse with `code`."
    assert found[-1].source == "```console\n$ latticework doctor\n```"


def test_a_kernel_shows_what_the_page_says(tmp_path: Path) -> None:
    page, to = tmp_path / "page.md", tmp_path / "page.ipynb"
    page.write_text(PAGE + "```python\n>>> why\n>>> lw.plan(lw.add, x, 1.5)\n```\n", encoding="utf-8")
    assert notebooks.written(page, to, run=True) == 1, "the last cell shows what the page leaves out"
    assert notebooks.changed(page, to)
    made = notebooks.nbformat.read(to, as_version=4)
    (shown,) = made.cells[-1].outputs
    assert "<ufunc 'add'>" in shown.data["text/plain"] and "native: add on numpy" in shown.data["text/html"]
    assert notebooks.differences(made, page.read_text(encoding="utf-8"))[0].startswith("why\nlw.plan")
    made.cells.pop()
    assert notebooks.differences(made, PAGE) == []
    for said, other in (("Array([1, 2]", "Array([1, 3]"), ("no attribute", "an attribute"), ("float64, 'µ'", "'µ'")):
        assert len(notebooks.differences(made, PAGE.replace(said, other))) == 1
    silent = PAGE.replace("Traceback (most recent call last):\nlatticework", "Traceback:\nlatticework")
    assert "got NoDataError: of a class" in notebooks.differences(made, silent)[0]


@pytest.mark.parametrize("name", notebooks.guides())
def test_every_example_of_a_guide_is_in_a_cell(name: str) -> None:
    page = notebooks.guides()[name].read_text(encoding="utf-8")
    code = [cell for cell in notebooks.cells(page) if cell.tag is not None]
    everything = re.sub(r"display(?=\()|[()]", "", "\n".join(cell.source for cell in code))
    for example in doctest.DocTestParser().get_examples(page):
        source = re.sub(r"\s*# doctest:.*|[()]", "", example.source).strip()
        assert source in everything
    for cell in code:
        ast.parse(cell.source)
    wanted = [e.want for e in doctest.DocTestParser().get_examples(page) if e.want and e.exc_msg is None]
    assert [cell.want for cell in code if cell.want and cell.tag == ""] == wanted
    made: Any = notebooks.notebook(page)
    prose = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    assert ">>> " not in prose
    assert not re.findall(r"\]\((?!https?:)", prose), "a link or a picture that leads nowhere from a notebook"


def test_a_notebook_is_written_again_when_its_page_changed(tmp_path: Path) -> None:
    page, notebook = tmp_path / "page.md", tmp_path / "page.ipynb"
    page.write_text("# A page")
    assert notebooks.changed(page, notebook)
    notebooks.written(page, notebook, run=False)
    assert not notebooks.changed(page, notebook)
    os.utime(page, (time.time() + 9, time.time() + 9))
    assert notebooks.changed(page, notebook)


def test_a_guide_that_does_not_exist() -> None:
    command = [sys.executable, str(TOOLS / "notebooks.py"), "randum"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2 and "no guide randum; there are" in ran.stderr
