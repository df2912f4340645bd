"""Write docs/functions.md: how each function is computed on each backend.

    python tools/function_page.py            write it
    python tools/function_page.py --check    write nothing; fail if it is out of date

The generated part comes from the declarations and the backends, as plans are made from them; it needs all frameworks.
`tools/pages.py` says where it stands.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pages

import latticework as lw
from latticework.backend import Backend, get
from latticework.cli.support import chapters
from latticework.core.registry import OPS
from latticework.engine.op import Op, functions

PAGE = pages.DOCS / "functions.md"


def how(o: Op, backend: Backend) -> str:
    """Say how a backend computes a function: natively, natively where a predicate holds, or by the composition."""
    o = OPS.get(f"_{o.name}", o)  # a composition may only prepare the call of a function that backends have
    found = None if o.kind == "composition" else backend.function(o.name)
    if found is None:
        return "none" if o.body is None else "composed"
    predicate = getattr(found, "when", None)
    return "native" if predicate is None else f"mixed: {in_words(predicate)}"


def in_words(predicate: Callable[..., bool]) -> str:
    """Return what a predicate tells, by its docstring: "the operands are floats"."""
    first = (predicate.__doc__ or "").strip().partition("\n\n")[0]
    said = re.sub(r"\s+", " ", first).partition("Tell whether ")[2].rstrip(".")
    if not said:
        raise ValueError(f"{predicate.__module__}.{predicate.__name__}: its docstring starts with 'Tell whether'")
    return said


def generated() -> str:
    """A table for each chapter, and what the backends have of each kind."""
    names = [b.name for b in lw.backends()]
    backends = [get(name) for name in names]
    counts = {name: Counter[str]() for name in names}
    tables: list[str] = []
    for chapter, of in chapters([o.name for o in functions()]).items():
        tables += ["", f"## {chapter.capitalize()}", ""]
        tables += [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
        for name in of:
            cells = [how(OPS[name], backend) for backend in backends]
            for b, cell in zip(names, cells, strict=True):
                counts[b][cell.partition(":")[0]] += 1
            tables.append(f"| `{name}` | {' | '.join(cells)} |")
    kinds = ("native", "mixed", "composed", "none")
    lines = [f"| | {' | '.join(kinds)} |", "|---" * (len(kinds) + 1) + "|"]
    lines += [f"| {b} | {' | '.join(str(counts[b][kind]) for kind in kinds)} |" for b in names]
    return "\n".join([*lines, *tables])


def made() -> dict[Path, str]:
    """The page as it should be."""
    return {PAGE: pages.filled(PAGE.read_text(encoding="utf-8"), {"": generated()})}


def main() -> int:
    """Write the page, or only compare; 1 where it is out of date."""
    options = pages.options(__doc__)
    return pages.write(made(), check=options.check)


if __name__ == "__main__":
    sys.exit(main())
