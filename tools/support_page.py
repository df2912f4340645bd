"""Write docs/support.md: which dtypes each function takes on each backend, as the probe measured it.

    python tools/support_page.py            write it
    python tools/support_page.py --check    write nothing; fail if it is out of date
    python tools/support_page.py --probe    measure all installed backends first, which takes some minutes

The generated parts come from src/latticework/backends/support, pyproject.toml and constraints.txt;
`tools/pages.py` says where they stand.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pages

import latticework as lw
from latticework.backend import measured as data
from latticework.backend.facts import all_facts
from latticework.backend.versions import order
from latticework.cli.support import GLYPHS, chapters
from latticework.promotion import rule_names, rules_named

PAGE = pages.DOCS / "support.md"
ROOT = pages.DOCS.parent

_KINDS = "b i u f c".split()
_TITLES = {"fft": "Fourier transforms", "linalg": "The linalg extension"}


@cache
def measured() -> dict[str, tuple[str, data.Table]]:
    """The newest version of each backend that was measured, and its first device."""
    found = {}
    for b in lw.backends():
        versions = data.load(b.name)["versions"]
        if versions:
            newest = max(versions, key=order)
            found[b.name] = newest, data.table(b.name, newest)
    return found


def versions() -> str:
    """The table of the frameworks' versions: what the extras ask for, and what was tested and measured."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(line for of in project["optional-dependencies"].values() for line in of)]
    oldest = {_distribution(line): line.partition(">=")[2] for line in reversed(wanted) if ">=" in line}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    tested = {_distribution(line): line.partition("==")[2] for line in lines if "==" in line}
    columns = ("framework", "oldest for the extra", "the tests run with", "dtypes measured on", "rules checked on")
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, facts in all_facts().items():
        if facts.framework:
            of = next((d for d in map(_distribution, facts.distributions) if d in oldest), "")
            if not of:  # of a package outside
                continue
            on = ", ".join(sorted(data.load(name)["versions"], key=order))
            checked = rules_named(name).version if name in rule_names() else "NumPy's"
            rows.append(f"| {name} | {oldest[of]} | {tested[of]} | {on} | {checked} |")
    return "\n".join(rows)


def _distribution(requirement: str) -> str:
    """The name at the beginning of a requirement, as an index compares names."""
    return re.split(r"[^\w.-]", requirement)[0].replace("_", "-").lower()


def grouped(letters: str) -> str:
    """The glyphs of a function's dtypes, kinds apart."""
    glyphs = {data.LETTERS[word]: glyph for word, (glyph, _, _) in GLYPHS.items()}
    cells = [*zip(lw.all_dtypes, letters, strict=True)]
    return " ".join("".join(glyphs[x] for d, x in cells if d.kind == kind) for kind in _KINDS)


def generated() -> str:
    """The tables, a chapter each, and what is missing where."""
    tables = measured()
    names = [*dict.fromkeys(name for _, rows in tables.values() for name in rows)]
    lines = ["| backend | version | emulated | missing |", "|---" * 4 + "|"]
    for b, (version, rows) in tables.items():
        letters = "".join(map(data.letters, rows.values()))
        emulations, missing_ = (letters.count(data.LETTERS[word]) for word in ("emulated", "missing"))
        lines.append(f"| {b} | {version} | {emulations} | {missing_} |")
    for chapter, of in chapters(names).items():
        lines += ["", f"## {_TITLES.get(chapter, chapter.capitalize())}", ""]
        lines += [f"| | {' | '.join(tables)} |", "|---" * (len(tables) + 1) + "|"]
        lines.append(f"| | {' | '.join(['`b sint uint real cx`'] * len(tables))} |")
        for name in of:
            cells = [f"`{grouped(data.letters(rows[name]))}`" if name in rows else "" for _, rows in tables.values()]
            lines.append(f"| `{name}` | {' | '.join(cells)} |")
    lines += ["", "## What is missing, and why", ""]
    for b, (_, rows) in tables.items():
        lines += [f"### {b}", "", *(missing(rows) or ["Nothing."]), ""]
    return "\n".join(lines)


def missing(rows: data.Table) -> list[str]:
    """A line for each reason and the dtypes that it holds for, with the functions."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, row in rows.items():
        reasons: dict[str, list[str]] = {}
        for d, x in zip(lw.all_dtypes, data.letters(row), strict=True):
            if x in "x!":
                reasons.setdefault(_plain(data.why_in(row, d), name), []).append(str(d))
        for why, dtypes in reasons.items():
            found.setdefault((", ".join(dtypes), why), []).append(f"`{name}`")
    return [f"- {dtypes}: {why}. {', '.join(functions)}." for (dtypes, why), functions in found.items()]


def _plain(why: str, name: str) -> str:
    """A reason without the function that it is of and the advice after it."""
    text = why.removeprefix(f"{name}: ").partition(". ")[0]
    return re.sub(rf"\b({'|'.join(map(str, lw.all_dtypes))})\b", "this dtype", text, count=1).rstrip(".")


def made() -> dict[Path, str]:
    """The page as it should be."""
    return {PAGE: pages.filled(PAGE.read_text(encoding="utf-8"), {"versions": versions(), "functions": generated()})}


def main() -> int:
    """Write the page, or only compare; 1 where it is out of date."""
    options = pages.options(__doc__, probe="measure the installed backends first")
    for b in lw.backends() if options.probe else ():
        if b.installed:
            subprocess.run([sys.executable, "-m", "latticework", "probe", b.name, "--write"], check=True)
    data.table.cache_clear()
    return pages.write(made(), check=options.check)


if __name__ == "__main__":
    sys.exit(main())
