"""Write docs/port/*.md: what NumPy, PyTorch, JAX and TensorFlow say, and what latticework says, name by name.

    python tools/port_guide.py               write the pages
    python tools/port_guide.py --check       write nothing; fail if a page is not there or out of date

The pages are made when the site is built and are not kept in the repository. They come from the dialects: from their
code (`tools/port_names.py`), their signatures, their rules of promotion and their lists of what differs and is absent.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pages
from dialect_page import SHOWN, reasons
from port_names import FRAMEWORKS, Name, names_of, operands, our_function
from port_values import answers_otherwise

import latticework as lw
from latticework.cli.support import chapters
from latticework.core.registry import declared
from latticework.engine.op import functions

FOLDER = pages.DOCS / "port"
#: The rules that hold in a framework as people have it.
RULES = {"numpy": "numpy", "torch": "torch", "jax": "jax-x32", "tensorflow": "tensorflow"}
#: Arguments of the frameworks that are about something else than the result: said once, at the head of a page.
ELSEWHERE = frozenset(
    """
    order subok like casting signature name out layout pin_memory requires_grad memory_format precision out_sharding
    preferred_element_type device names generator kwargs args inplace
""".split()
)
#: Dtypes that a function is tried with, by how many arrays it takes.
TRIED = {
    1: ((lw.int8,), (lw.int32,), (lw.float16,)),
    2: ((lw.int32, lw.int32), (lw.int32, lw.float32), (lw.uint8, lw.int8)),
}
#: The head of a framework's page, and that of the first page.
HEAD = """\
{count} functions of {shown}, in the chapters of latticework's reference. The third column has the arguments that are
named otherwise here, have another default, or are missing ("no"). The fourth has the dtypes that {shown}'s rules give,
where latticework's own rules give others: `lw.using(rules="{rules}")` puts {shown}'s in force. "Other results" means
that both were called with the same arrays, by position, and gave different results. To keep {shown}'s own names,
`import latticework.frontends.{framework}` instead ([dialects](../dialects.md)).

Not repeated in each row: results can be written into `out=` where ours has it, `device=` is ours too, and options about
memory, names and gradients (`order`, `layout`, `name`, `requires_grad`, …) have no counterpart. Functions that draw
random numbers take a [key](../random.md) first.
"""
#: What is said once at the head of one framework's page. JAX's universal functions refuse `where` themselves.
ONCE = {
    "numpy": """
NumPy's universal functions take `where=` and `dtype=`, and ours do not: choose from the result with `lw.where`, and
cast the arguments with `lw.astype`.
"""
}
#: The words under the last headings of a framework's page: all three are about the dialect.
SEVERAL = """\
latticework has no single function for these. The [dialect](../dialects.md) has them. It computes them with code of its
own, which calls the functions beside them: those alone do not replace them.
"""
OF_DIALECT = """\
This is about `latticework.frontends.{framework}`, which has {shown}'s own names, and not about `lw` itself. What
differs in `lw` is on the page on [porting](../porting.md#what-still-differs).
"""
FRONT = """\
{count} functions of latticework, and what the frameworks call them. Each framework has a page with the arguments and
dtypes that differ: {links}. What to put at the top of a program for one of them is on the page on
[porting](../porting.md).
"""
#: How many answers that differ a row shows, and how many functions that one is made of.
MOST, FEW = 2, 6


@cache
def names(framework: str) -> tuple[Name, ...]:
    """Return the names of a framework that have a function of ours."""
    return tuple(n for n in names_of(framework) if n.ours)


# --- one row --------------------------------------------------------------------------------------------------------


def arguments(name: Name) -> Iterator[str]:
    """Say which arguments are named otherwise in ours, which are not there, and which have another default."""
    theirs, ours = _defaults(name.function), _defaults(our_function(name.ours))
    of_arrays = {*operands(name.ours), "x", "x1", "x2", "key", "arrays"}
    elsewhere = {*ELSEWHERE, "where", "dtype"} if _universal(name.function) else ELSEWHERE
    for argument in name.arguments:
        if argument.theirs in elsewhere or argument.ours in of_arrays:
            continue
        if not argument.ours:
            if theirs.get(argument.theirs, _NONE) is not _NONE:
                yield f"no `{argument.theirs}`"
            continue
        if argument.ours != argument.theirs:
            yield f"`{argument.theirs}` → `{argument.ours}`"
        here, there = ours.get(argument.ours, _NONE), theirs.get(argument.theirs, _NONE)
        plain = all(isinstance(x, (bool, int, float, str)) for x in (here, there))
        if plain and here != there and argument.ours != "axis":
            yield f"`{argument.theirs}={there!r}`, here `{argument.ours}={here!r}`"


_NONE = object()


def _universal(f: Callable[..., Any]) -> bool:
    """Tell whether a dialect's function is a universal function, by an attribute that only those have."""
    return hasattr(f, "nin")


def _defaults(f: Callable[..., Any]) -> dict[str, Any]:
    try:
        found = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {p.name: p.default for p in found if p.default is not p.empty}


def dtypes(framework: str, ours: str) -> Iterator[str]:
    """Say which dtype a framework's rules give where ours give another one."""
    o = declared(ours)
    plain = o is not None and not o.role_of and not ours.startswith(("random.", "tree."))
    tried = TRIED.get(len(operands(ours)), ()) if plain else ()
    for given in tried:
        theirs, mine = (_result(ours, given, rules) for rules in (RULES[framework], "unified"))
        if theirs != mine != "refused":
            yield f"{', '.join(map(str, given))}: {theirs}, here {mine}"


@cache
def _result(ours: str, given: tuple[Any, ...], rules: str) -> str:
    try:
        return str(lw.operation_result(ours, *given, rules=rules))
    except (lw.errors.PromotionError, TypeError):
        return "refused"
    except (AttributeError, ValueError):
        return "?"


def remark(framework: str, name: Name) -> str:
    """Return what the dialect's own list says of a name."""
    said = [text for key, text in reasons(framework, "DIFFERENCES").items() if name.shown in _words(framework, key)]
    return " ".join(said)


@cache
def _words(framework: str, key: str) -> tuple[str, ...]:
    """Return the names in a key of a dialect's list, as people write them: ``torch.vmap, torch.func.jacrev``."""
    found, module = [], ""
    for word in re.split(r"[,\s]+", key):
        if "." in word:
            module = word.rpartition(".")[0]
        found.append(word if "." in word else f"{module}.{word}")
    full = sorted(FRAMEWORKS[framework].items(), key=lambda pair: -len(pair[0]))
    return tuple(
        next((f"{short}{w[len(m) :]}" for m, short in full if w == m or w.startswith(f"{m}.")), w) for w in found
    )


def row(framework: str, name: Name) -> str:
    """Write the row of a name."""
    return _line([_all(name), *_said(framework, name)])


def rows(framework: str, ours: str) -> list[str]:
    """Write the rows of one of our functions; names of which the same is said share one."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name in names(framework):
        if name.ours == ours:
            found.setdefault(_said(framework, name), []).append(_all(name))
    return [_line([" ".join(shown), *said]) for said, shown in found.items()]


def _said(framework: str, name: Name) -> tuple[str, str, str]:
    """Return the cells after the names: our function, the arguments, and what differs."""
    differs = [d for d in dtypes(framework, name.ours) if "?" not in d]
    more = [f"and {len(differs) - MOST} more"] if len(differs) > MOST else []
    other = "other results for the same arguments" if answers_otherwise(framework, name) else ""
    said = [*differs[:MOST], *more, other, remark(framework, name)]
    return f"`lw.{name.ours}`", "; ".join(arguments(name)), "; ".join(s for s in said if s)


def _all(name: Name) -> str:
    """Write all names of a function, the first one first."""
    return " ".join(f"`{shown}`" for shown in (name.shown, *name.also))


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


# --- pages ----------------------------------------------------------------------------------------------------------


def page(framework: str) -> str:
    """Write what one framework says, chapter by chapter."""
    shown, known = SHOWN[framework], names(framework)
    head = HEAD.format(count=len(known), shown=shown, rules=RULES[framework], framework=framework)
    lines = [f"# {shown} says, latticework says", "", head + ONCE.get(framework, "")]
    for chapter, ours in _by_chapter(n.ours for n in known).items():
        lines += [
            f"## {_title(chapter)}",
            "",
            _line([shown, "latticework", "arguments", "dtypes, and what differs"]),
        ]
        lines += ["|---|---|---|---|"]
        lines += [line for our in ours for line in rows(framework, our)]
        lines += [""]
    several = [n for n in names_of(framework) if not n.ours and n.parts]
    lines += ["## Made of several", "", SEVERAL, _line([shown, "calls, among others"]), "|---|---|"]
    lines += [_line([f"`{n.shown}`", _few(n.parts)]) for n in several]
    for what, heading in (("DIFFERENCES", "What differs in the dialect"), ("ABSENT", "What the dialect lacks")):
        lines += ["", f"## {heading}", "", OF_DIALECT.format(shown=shown, framework=framework)]
        lines += [f"* {key}: {text}" for key, text in reasons(framework, what).items()]
    return "\n".join([*lines, ""])


def _few(parts: tuple[str, ...]) -> str:
    """Write the functions that one is made of, or the first of them."""
    shown = " ".join(f"`lw.{part}`" for part in parts[:FEW])
    return shown if len(parts) <= FEW else f"{shown} and {len(parts) - FEW} more"


def _by_chapter(ours: Iterable[str]) -> dict[str, list[str]]:
    """Return our functions by the chapter of the reference, in its order."""
    order = {o.name: place for place, o in enumerate(functions())}
    return chapters(sorted(dict.fromkeys(ours), key=lambda name: (order.get(name, len(order)), name)))


def _title(chapter: str) -> str:
    return {"numpy names": "NumPy's names", "ctc": "CTC"}.get(chapter, chapter.capitalize())


def index() -> str:
    """Write the table of all of them: one row for each function of ours."""
    said: dict[str, dict[str, list[str]]] = {}
    for framework in FRAMEWORKS:
        for name in names(framework):
            said.setdefault(name.ours, {}).setdefault(framework, []).append(_all(name))
    links = ", ".join(f"[{SHOWN[f]}]({f}.md)" for f in FRAMEWORKS)
    lines = ["# NumPy says, PyTorch says, JAX says, TensorFlow says", "", FRONT.format(count=len(said), links=links)]
    for chapter, ours in _by_chapter(said).items():
        lines += [f"## {_title(chapter)}", "", _line(["latticework", *(SHOWN[f] for f in FRAMEWORKS)])]
        lines += ["|---" * (len(FRAMEWORKS) + 1) + "|"]
        lines += [_line([f"`lw.{our}`", *(" ".join(said[our].get(f, ())) for f in FRAMEWORKS)]) for our in ours]
        lines += [""]
    return "\n".join(lines)


def made() -> dict[Path, str]:
    """Return the pages as they should be."""
    return {FOLDER / "index.md": index(), **{FOLDER / f"{f}.md": page(f) for f in FRAMEWORKS}}


def main() -> int:
    """Write the pages, or only compare; 1 where one is out of date."""
    FOLDER.mkdir(exist_ok=True)
    return pages.write(made(), check=pages.options(__doc__).check)


if __name__ == "__main__":
    sys.exit(main())
