"""Write the generated part of docs/dialects.md: which names of a framework its dialect has, lacks, and has otherwise.

    python tools/dialect_page.py            write it
    python tools/dialect_page.py --check    write nothing; fail if it is out of date

The frameworks themselves say which names there are, so they have to be installed; MAX is not asked. The reasons come
from the dialects' ``coverage.py``; `tools/pages.py` says where the generated part stands.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pages
import torch_classes

from latticework.frontends import dialect_named, dialect_names

PAGE = pages.DOCS / "dialects.md"

#: The dialects' frameworks as people write them.
SHOWN = {"numpy": "NumPy", "jax": "JAX", "torch": "PyTorch", "tensorflow": "TensorFlow", "max": "MAX"}
#: The array class of each, whose methods count too.
ARRAYS = {"numpy": "ndarray", "jax": "Array", "torch": "Tensor", "tensorflow": "Tensor"}


#: What stands above the table of what programs train with.
COUNTED = (
    "How much of what programs train with answers as PyTorch's own does, on samples of PyTorch's tests: layers with "
    "their gradients and state, ten steps of optimizers, gradients of functions in float64, what distributions know, "
    "and slopes at kinks. `tools/torch_classes.py` counts, and `--show` lists what differs."
)


def modules(name: str) -> list[str]:
    """The public modules of a dialect, by the framework's names."""
    package = importlib.import_module(f"latticework.frontends.{name}")
    return [name, *(f"{name}.{inner}" for inner in package.SUBMODULES)]


def public(module: Any) -> set[str]:
    """The names of a framework's module that are functions, classes or constants of arrays."""
    names = {n for n in dir(module) if not n.startswith("_")}
    return {n for n in names if type(getattr(module, n, None)).__name__ != "module"}


def methods(cls: Any) -> set[str]:
    """The public methods and properties of a class of arrays."""
    return {n for n in dir(cls) if not n.startswith("_")}


def rows(name: str) -> list[tuple[str, set[str], set[str]]]:
    """For each module and the array class: the names that the dialect has, and those that only the framework has."""
    found = []
    for module in modules(name):
        ours = importlib.import_module(f"latticework.frontends.{module}")
        have = set(ours.__all__)
        try:
            theirs = public(importlib.import_module(module))
        except ModuleNotFoundError:
            theirs = have
        found.append((module, have & theirs if theirs else have, theirs - have))
    if name in ARRAYS:
        ours, real = dialect_named(name).array, _class(name)
        found.append((f"methods of {ARRAYS[name]}", methods(ours) & methods(real), methods(real) - methods(ours)))
    return found


def _class(name: str) -> Any:
    if name == "tensorflow":
        return type(importlib.import_module("tensorflow").zeros(1))
    return getattr(importlib.import_module(name), ARRAYS[name])


def reasons(name: str, what: str) -> dict[str, str]:
    """`ABSENT` or `DIFFERENCES` of all of a dialect's files called coverage.py."""
    folder = Path(importlib.import_module(f"latticework.frontends.{name}").__file__ or "").parent
    found: dict[str, str] = {}
    for file in sorted(folder.rglob("coverage.py")):
        inner = ".".join(file.relative_to(folder).with_suffix("").parts)
        found |= getattr(importlib.import_module(f"latticework.frontends.{name}.{inner}"), what, {})
    return found


def section(name: str) -> str:
    """What the page says of one dialect."""
    lines = [f"### {SHOWN[name]}", "", "| | names there | not there |", "|---|--:|--:|"]
    found = rows(name)
    lines += [f"| `{module}` | {len(there)} | {len(lacks)} |" for module, there, lacks in found]
    if name == "torch":
        lines += ["", COUNTED, "", *torch_classes.table().split("\n")]
    for what, heading in (("DIFFERENCES", "What differs"), ("ABSENT", "What is not there, and why")):
        table = reasons(name, what)
        if table:
            lines += ["", f"{heading}:", "", *[f"* {_code(key)}: {text}" for key, text in table.items()]]
    lines += ["", "<details><summary>The names, one by one</summary>", ""]
    for module, there, lacks in found:
        lines += [f"`{module}`, there: {' '.join(f'`{n}`' for n in sorted(there)) or 'none'}", ""]
        if lacks:
            lines += [f"`{module}`, not there: {' '.join(f'`{n}`' for n in sorted(lacks))}", ""]
    return "\n".join([*lines, "</details>", ""])


def _code(key: str) -> str:
    return f"`{key}`" if key.replace(".", "").replace("_", "").isalnum() else key


def made() -> dict[Path, str]:
    """The page as it should be."""
    text = "\n".join(section(name) for name in dialect_names())
    return {PAGE: pages.filled(PAGE.read_text(encoding="utf-8"), {"": text})}


if __name__ == "__main__":
    options = pages.options(__doc__)
    sys.exit(pages.write(made(), check=options.check))
