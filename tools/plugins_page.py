"""Write docs/plugins.md and the figures in the READMEs of the packages in plugins/ from tools/plugins.json, or check.

python tools/plugins_page.py            write the pages
python tools/plugins_page.py --check    fail if one is out of date
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pages

import plugins
from latticework.backends.namespaces.functions import STANDARD

PAGE = pages.DOCS / "plugins.md"
#: Functions of the standard that `STANDARD` does not name: no backend takes them from a namespace by their name.
_ALSO_STANDARD = frozenset(
    """
    arange asarray astype broadcast_arrays clip empty_like full full_like linspace meshgrid ones_like zeros_like
    fft.fftfreq fft.fftshift fft.ifftshift fft.rfftfreq linalg.matmul linalg.matrix_rank linalg.matrix_transpose
    linalg.tensordot linalg.vecdot
    """.split()
)
_CHAPTERS = {
    "": "Beyond the standard", "linalg": "Linear algebra beyond the standard", "fft": "Transforms beyond the standard",
    "nn": "Networks: nn", "special": "Special functions: special", "signal": "Signals: signal",
}  # fmt: skip
#: Words for how rows run, and what they mean.
HOW = {
    "native": "a function of the library, called once",
    "composed": "latticework's composition of functions of the library, in NumPy's numbers and dtypes",
    "runs": "of programs: the results are NumPy's",
    "refused": "an error that says why, before or instead of a wrong result; the number is that of the reason below",
    "differs": "a result that is not NumPy's, or an error without a reason",
    "unknown": "not measured",
}


def sections(record: dict[str, Any]) -> dict[str, dict[str, dict[str, str]]]:
    """Return the rows by the title of their section, in the order of the page."""
    found: dict[str, dict[str, dict[str, str]]] = {"The standard": {}, **{t: {} for t in _CHAPTERS.values()}}
    for group, rows in record["groups"].items():
        for name, cells in rows.items():
            title = group
            if group == "Functions":
                standard = name in STANDARD or name in _ALSO_STANDARD
                title = "The standard" if standard else _CHAPTERS[name.rpartition(".")[0].partition(".")[0]]
            found.setdefault(title, {})[name] = cells
    return {title: dict(sorted(rows.items())) for title, rows in found.items() if rows}


def measured(record: dict[str, Any]) -> list[str]:
    """List the packages that were measured."""
    return [name for name, package in record["packages"].items() if not package.get("absent") and "reasons" in package]


def tally(cells: Counter[str], rows: int) -> str:
    """Say how many rows run, of how many; nothing where none was measured."""
    ran = sum(cells[how] for how in ("native", "composed", "runs"))
    if not rows:
        return ""
    return f"{ran}" if ran == rows else f"{ran} of {rows}"


def counts(record: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of counts."""
    names = measured(record)
    yield f"| | {' | '.join(names)} |"
    yield f"|---|{'--:|' * len(names)}"
    total: dict[str, Counter[str]] = {name: Counter() for name in names}
    for title, rows in sections(record).items():
        shown = []
        for name in names:
            found = Counter(cells[name].split()[0] for cells in rows.values() if name in cells)
            total[name] += found
            shown.append(tally(found, sum(found.values())))
        yield f"| {title} | {' | '.join(shown)} |"
    for how in ("native", "composed", "runs", "refused", "differs", "unknown"):
        if any(total[name][how] for name in names):
            yield f"| *{how}* | {' | '.join(str(total[name][how]) for name in names)} |"
    yield ""
    versions = ", ".join(f"{record['packages'][name]['version']}" for name in names)
    yield f"Measured with {versions}, on a CPU."
    for name, package in record["packages"].items():
        if package.get("absent"):
            yield f"{name} ({package['version']}) was not measured: {package['absent'].rstrip('.')}."


def rows(record: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the tables of rows."""
    names = measured(record)
    for title, found in sections(record).items():
        yield from (f"### {title}", "", f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}")
        for name, cells in found.items():
            yield f"| `{name}` | {' | '.join(cells.get(package, '') for package in names)} |"
        yield ""


def reasons(record: dict[str, Any]) -> Iterator[str]:
    """Yield the reasons by package, numbered as in the tables."""
    for name in measured(record):
        yield from (f"### Reasons of {name}", "")
        yield from (f"{i}. {pages_safe(why)}" for i, why in enumerate(record["packages"][name]["reasons"], 1))
        yield ""


def pages_safe(text: str) -> str:
    """Return a reason as Markdown that shows it as it is."""
    for character in "\\`*_<>[]|":
        text = text.replace(character, f"\\{character}")
    return text


def conformance(record: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of the public suite."""
    yield "| package | examples | namespace | passed | failed | skipped | stopped |"
    yield "|---|--:|---|--:|--:|--:|--:|"
    for name, package in record["packages"].items():
        if found := package.get("conformance"):
            for who, shown in runs_of(found).items():
                cells = [str(found[who][kind]) for kind in ("passed", "failed", "skipped")]
                cells.append(f"{found[who].get('stopped', 0)}" if found.get("limit") else "")
                first = f"{name} | {found['examples']}" if who == "latticework" else " | "
                yield f"| {first} | {shown} | {' | '.join(cells)} |"


def runs_of(found: dict[str, Any]) -> dict[str, str]:
    """Name the namespaces that the suite was run on, by their keys in the record."""
    return {"latticework": "latticework", **({"itself": itself(found)} if "itself" in found else {})}


def itself(found: dict[str, Any]) -> str:
    """Name the namespace that latticework is compared with."""
    own = found["namespace"].startswith("array_api_compat")
    return f"array-api-compat {found['array-api-compat']}" if own else f"`{found['namespace']}` as it is"


def readme(name: str, record: dict[str, Any]) -> str:
    """Return the figures in the README of a package."""
    package = record["packages"].get(name, {})
    lines = []
    if package.get("absent"):
        lines.append(f"Nothing was measured with {package['version']}: {package['absent'].rstrip('.')}.")
    elif "reasons" in package:
        found = Counter(c[name].split()[0] for rows in record["groups"].values() for c in rows.values() if name in c)
        said = ", ".join(f"{found[how]} {how}" for how in HOW if found[how])
        lines.append(f"Of {sum(found.values())} functions and programs, with {package['version']} on a CPU: {said}.")
        lines.append(
            f'`make plugins ARGS="--measure {name}"` measures them; docs/plugins.md of latticework lists each.'
        )
    if found := package.get("conformance"):
        limit = f" --seconds {found['limit']}" if found.get("limit") else ""
        options = f"--conformance path/to/array-api-tests --examples {found['examples']}{limit} {name}"
        examples = "one example" if found["examples"] == 1 else f"{found['examples']} examples"
        without = ", without complex dtypes" if found.get("without") else ""
        lines += ["", "The array API's public suite, data-apis/array-api-tests, version 2025.12, seed 0,"]
        lines += [f"{examples} for each test{without}:"]
        lines += ["", "| namespace | |", "|---|---|"]
        for who, shown in runs_of(found).items():
            counts = [f"{found[who][kind]} {kind}" for kind in ("passed", "failed", "skipped")]
            if limit:
                counts.append(f"{found[who].get('stopped', 0)} stopped after {found['limit']} seconds of the processor")
            shown = f"latticework on {name}" if who == "latticework" else shown
            lines.append(f"| {shown} | {', '.join(counts)} |")
        lines += ["", f'`make plugins ARGS="{options}"` runs it.']
    return "\n".join(lines) or "Nothing was measured yet."


def made() -> dict[Path, str]:
    """The pages as they should be."""
    record = plugins.record()
    parts = {"counts": counts, "rows": rows, "reasons": reasons, "conformance": conformance}
    text = {name: "\n".join(make(record)) for name, make in parts.items()}
    found = {PAGE: pages.filled(PAGE.read_text(encoding="utf-8"), text)}
    for name in plugins.packages():
        path = plugins.ROOT / "plugins" / f"{plugins.PREFIX}{name}" / "README.md"
        found[path] = pages.filled(path.read_text(encoding="utf-8"), {"": readme(name, record)})
    return found


def write() -> int:
    """Write the pages."""
    return pages.write(made(), check=False)


def main() -> int:
    return pages.write(made(), check=pages.options(__doc__).check)


if __name__ == "__main__":
    sys.exit(main())
