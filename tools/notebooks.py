"""Write each guide as a notebook, execute it, and compare what its cells print with what the page says.

    python tools/notebooks.py                           all of them, into docs/_build/extra/notebooks
    python tools/notebooks.py --out DIR random tracing  two of them, into a folder
    python tools/notebooks.py --changed                 those that are older than their page or the package
    python tools/notebooks.py --no-execute              written without results, which takes a second

Prose becomes cells of Markdown. The examples of a page become cells of code, each with the statements up to the one
that shows something; an example that ends with an error is tagged ``raises-exception``, and one that is skipped
``skip-execution``. It needs nbclient, nbformat and ipykernel.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbclient import NotebookClient

from latticework.cli.output import working

DOCS = Path(__file__).parents[1] / "docs"
#: Sphinx copies what is in docs/_build/extra into the site, and a page there leads to its notebook.
OUT = DOCS / "_build" / "extra" / "notebooks"
#: The guides that become notebooks, with those in docs/guides.
PAGES = ("start", "tutorial", "dtypes", "random", "tracing", "audit", "authors", "dialects", "graphs", "porting")
SKIPPED, RAISES = "skip-execution", "raises-exception"

_FENCE = re.compile(r"^(?P<indent> *)```python[^\n]*\n(?P<code>.*?)^(?P=indent)```[ ]*$", re.DOTALL | re.MULTILINE)
#: Pictures and links to other pages, which lead nowhere from where a notebook is kept.
_PICTURE = re.compile(r"!\[(?P<says>[^\]]*)\]\((?!https?:)[^)]*\)")
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?!https?:)[^)]*\)")
_DIRECTIVE = re.compile(r"\s*#\s*doctest:.*$", re.MULTILINE)
_CHECKER = doctest.OutputChecker()
#: What a kernel is started with: results are shown as the interpreter shows them, and not laid out anew.
_KERNEL = ["--PlainTextFormatter.pprint=False"]
#: How a kernel calls the file of a cell, in a table of a program's lines: by a number, with the line.
_OF_CELL = re.compile(r"[ ]+\d+\.py:\d+: .*$", re.MULTILINE)
_ENVIRONMENT = {"JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


class Cell(NamedTuple):
    """A cell of a notebook.

    Attributes
    ----------
    source: its text.
    want: for code, what it prints, as the page has it; for an error, its last lines.
    options: doctest's options for the comparison.
    tag: ``"raises-exception"``, ``"skip-execution"`` or none; None where the cell is Markdown.
    """

    source: str
    want: str = ""
    options: int = 0
    tag: str | None = None


def guides() -> dict[str, Path]:
    """Find the pages that become notebooks, by name."""
    found = {name: DOCS / f"{name}.md" for name in PAGES}
    found |= {path.stem: path for path in sorted((DOCS / "guides").glob("*.md")) if path.stem != "index"}
    return {name: path for name, path in found.items() if path.exists()}


# --- from a page to cells --------------------------------------------------------------------------------------------


def cells(page: str) -> list[Cell]:
    """Divide a page into cells of Markdown and of code."""
    found, at = list[Cell](), 0
    for fence in _FENCE.finditer(page):
        if ">>> " in fence["code"]:
            found += [Cell(page[at : fence.start()].strip()), *_of_code(fence["code"])]
            at = fence.end()
    found.append(Cell(page[at:].strip()))
    return [cell for cell in found if cell.source]


def portable(text: str) -> str:
    """Write prose that stands alone: pictures and links within the site become their words."""
    return _LINK.sub(r"\g<text>", _PICTURE.sub(r"*(Picture on the site: \g<says>.)*", text))


def _of_code(code: str) -> Iterator[Cell]:
    """The cells of a block of examples. A cell ends where something is shown, and begins where something is defined."""
    before: list[str] = []
    for example in doctest.DocTestParser().get_examples(code):
        source = _DIRECTIVE.sub("", example.source).rstrip()
        options = sum(flag for flag, on in example.options.items() if on)
        if before and (options & doctest.SKIP or source.startswith(("def ", "class ", "@"))):
            yield Cell("\n".join(before), tag="")
            before = []
        if options & doctest.SKIP:
            yield Cell(source, tag=SKIPPED)
        elif example.exc_msg is not None:
            yield Cell("\n".join([*before, source]), example.exc_msg, options, RAISES)
            before = []
        elif example.want:
            yield Cell("\n".join([*before, displayed(source)]), example.want, options, "")
            before = []
        else:
            before.append(source)
    if before:
        yield Cell("\n".join(before), tag="")


def displayed(source: str) -> str:
    """Display what an interpreter shows at the end of a block, as of ``with``, and a notebook does not."""
    last: Any = ast.parse(source).body[-1]
    if not isinstance(last, (ast.With, ast.For, ast.If, ast.While, ast.Try)):
        return source
    while isinstance(last, (ast.With, ast.For, ast.If, ast.While, ast.Try)):
        last = last.body[-1]
    if not isinstance(last, ast.Expr) or ast.unparse(last).startswith("print("):
        return source
    opening, closing = ("display((", "))") if isinstance(last.value, ast.Tuple) else ("display(", ")")
    lines = source.split("\n")
    first, end = last.lineno - 1, (last.end_lineno or last.lineno) - 1
    lines[end] = closing.join(_cut(lines[end], last.end_col_offset))
    lines[first] = opening.join(_cut(lines[first], last.col_offset))
    return "\n".join(lines)


def _cut(line: str, column: int) -> tuple[str, str]:
    """A line before and from a column of `ast`, which counts bytes."""
    return line.encode()[:column].decode(), line.encode()[column:].decode()


def notebook(page: str) -> Any:
    """Make a notebook of a page, without results."""
    made = nbformat.v4.new_notebook()
    made.metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    for i, cell in enumerate(cells(page)):
        if cell.tag is None:
            made.cells.append(nbformat.v4.new_markdown_cell(portable(cell.source), id=f"text-{i}"))
        else:
            tags = {"tags": [cell.tag]} if cell.tag else {}
            made.cells.append(nbformat.v4.new_code_cell(cell.source, id=f"code-{i}", metadata=tags))
    nbformat.validate(made)
    return made


# --- running it ------------------------------------------------------------------------------------------------------


def execute(made: Any) -> None:
    """Run a notebook in a kernel of its own, in the repository's folder, as the tests run the page's examples."""
    client = NotebookClient(
        made, timeout=300, kernel_name="python3", record_timing=False, skip_cells_with_tag=SKIPPED,
        extra_arguments=_KERNEL, resources={"metadata": {"path": str(DOCS.parent)}},
        allow_errors=True,  # `differences` tells those that are expected from the others
    )  # fmt: skip
    client.execute(env={**_ENVIRONMENT, **os.environ}, stderr=subprocess.DEVNULL)
    for cell in made.cells:
        if "outputs" in cell:  # without what frameworks log
            cell.outputs = [out for out in cell.outputs if out.get("name") != "stderr"]


def differences(made: Any, page: str) -> list[str]:
    """Compare what the cells of an executed notebook show with what the page says they show."""
    found = []
    for cell, shown in zip(cells(page), made.cells, strict=True):
        if cell.tag is None or cell.tag == SKIPPED:
            continue
        errors = [out for out in shown.outputs if out.output_type == "error"]
        if (cell.tag == RAISES) != bool(errors):
            happened = f"{errors[0].ename}: {errors[0].evalue}" if errors else "no error"
            found.append(f"{cell.source}\n  expected {cell.want!r}\n  got {happened}")
            continue
        want, got = cell.want, _printed(shown.outputs)
        if errors:
            want, got = _of_class(want), f"{errors[0].ename}: {errors[0].evalue}".rstrip(": ") + "\n"
        if not _CHECKER.check_output(want, got, cell.options | doctest.ELLIPSIS):  # pytest's own default
            found.append(f"{cell.source}\n  expected {want!r}\n  got      {got!r}")
    return found


def _printed(outputs: list[Any]) -> str:
    """What an interpreter would have printed."""
    text = ""
    for out in outputs:
        if out.output_type == "stream" and out.name == "stdout":
            text += out.text
        elif out.output_type in ("execute_result", "display_data"):
            text += f"{out.data['text/plain']}\n"
    return _OF_CELL.sub("", text)


def _of_class(message: str) -> str:
    """The last lines of a traceback, without the module of the error's class."""
    kind, colon, text = message.partition(":")
    return f"{kind.rpartition('.')[2]}{colon}{text}"


def changed(page: Path, notebook: Path) -> bool:
    """Whether a notebook is older than its page, this tool or a module of the package, or is not there."""
    if not notebook.exists():
        return True
    sources = (page, Path(__file__), *(DOCS.parent / "src").rglob("*.py"))
    return notebook.stat().st_mtime < max(path.stat().st_mtime for path in sources)


def written(page: Path, to: Path, *, run: bool) -> int:
    """Write a page as a notebook, and print what differs from the page; return how many cells differ."""
    text = page.read_text(encoding="utf-8")
    made = notebook(text)
    found = []
    if run:
        execute(made)
        found = differences(made, text)
    for line in found:
        print(f"{page}: {line}\n")
    nbformat.write(made, to)
    if found:
        os.utime(to, (0, 0))  # so that it is written again the next time
    return len(found)


def main() -> int:
    """Write the notebooks; 1 where one shows something else than its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help=f"names of guides, all by default: {', '.join(guides())}")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder to write to")
    parser.add_argument("--no-execute", action="store_true", help="write them without results")
    parser.add_argument("--changed", action="store_true", help="only those older than their page or the package")
    options = parser.parse_args()
    if unknown := {*options.pages} - guides().keys():
        parser.error(f"no guide {', '.join(sorted(unknown))}; there are {', '.join(guides())}")
    names = options.pages or [*guides()]
    if options.changed:
        names = [name for name in names if changed(guides()[name], options.out / f"{name}.ipynb")]
    options.out.mkdir(parents=True, exist_ok=True)
    with working("Writing notebooks", len(names)) as step, ThreadPoolExecutor(2) as pool:

        def write(name: str) -> int:
            step(name)
            return written(guides()[name], options.out / f"{name}.ipynb", run=not options.no_execute)

        wrong = sum(pool.map(write, names))
    print(f"{len(names)} notebooks in {options.out}" + f"; {wrong} cells differ from their pages" * bool(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
