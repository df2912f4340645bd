"""The commands that show which dtypes functions take on which backend, and that measure it: support and probe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import latticework as lw
from latticework.backend import measured as data
from latticework.backend import unknown_backend
from latticework.backend.versions import installed, order
from latticework.draw import COLOURS
from latticework.errors import nearest

from . import completing
from .output import console, fail, working

#: word -> its glyph in a table, its style, and its meaning
GLYPHS = {
    "native": ("●", "green", "native: the framework's own"),
    "emulated": ("◐", "cyan", "emulated: exactly, through other dtypes"),
    "composed": ("○", "blue", "composed: of other functions"),
    "lifted": ("↑", "magenta", "lifted: to the default float"),
    "refused": ("·", "dim", "not taken, on any backend"),
    "missing": ("✕", "yellow", "missing on this backend"),
    "wrong": ("!", "bold red", "wrong dtype or value"),
    "absent": (" ", "dim", "a dtype that it does not have"),
    "unknown": ("?", "red", "not measured"),
}

Json = Annotated[bool, typer.Option("--json", help="For programs.")]


def support(
    function: Annotated[
        str,
        typer.Argument(
            help="A function, as add or linalg.inv, or one of yours, as module:name.",
            show_default=False,
            autocompletion=completing.functions,
        ),
    ] = "",
    backend: Annotated[
        str,
        typer.Option(help="A backend; all of them by default.", show_default=False, autocompletion=completing.backend),
    ] = "",
    version: Annotated[str, typer.Option(help="A version of its framework; the installed one by default.")] = "",
    as_json: Json = False,
) -> None:
    """Show which dtypes a function takes, on which backend and device and how; or all functions.

    For example: latticework support add --backend torch; latticework support --backend torch; latticework support.
    """
    try:
        chosen = _backends(backend)
        if version and not backend:
            raise ValueError(f"--version is of one framework; say of which: --backend, one of {', '.join(chosen)}")
        if version:
            order(version)  # refuses a text that is no version
        if ":" in function:
            _show_own(function, chosen, version, as_json)
        elif function:
            _show_function(_known(function), chosen, version, as_json)
        elif backend:
            _show_backend(backend, version, as_json)
        else:
            _show_all(chosen, as_json)
    except (TypeError, ValueError, ImportError, AttributeError) as error:
        raise fail(error) from None


def _backends(name: str) -> list[str]:
    """Return the backends asked for that have measurements."""
    names = [b.name for b in lw.backends()]
    if name and name not in names:
        raise unknown_backend(name)
    kept = [n for n in ([name] if name else names) if data.load(n)["versions"]]
    if not kept:
        raise ValueError(
            f"nothing was measured of {name or 'any backend'}: latticework probe {name or 'BACKEND'} --write"
        )
    return kept


def _known(function: str) -> str:
    """Return the name of a measured function; refuse any other."""
    names = [*dict.fromkeys(f for b in lw.backends() for f in data.table(b.name))]
    if function not in names:
        raise ValueError(f"{function!r} is no function that was measured{nearest(function, names, lines=True)}")
    return function


def _title(backend: str, version: str = "") -> Text:
    """Return a backend with its version, and the version that it behaves as, if that is another."""
    wanted, found = version or installed(backend), data.measured_as(backend, version)
    shown = Text(f"{backend} {wanted or found}", style="bold")
    if wanted != found:
        why = f", which behaves as {found}, the nearest that was measured" if wanted else ", which is not installed"
        shown += Text(why, style="dim")
    return shown


def _cell(backend: str, function: str, dtype: lw.Dtype, version: str | None, device: str | None) -> dict[str, str]:
    how = data.how(backend, function, dtype, version=version, device=device)
    why = data.why(backend, function, dtype, version=version, device=device)
    return {"how": how} | ({"why": why} if why else {})


def _shown(cell: dict[str, str]) -> Text:
    glyph, style, _ = GLYPHS.get(cell["how"], ("?", "red", ""))
    return Text(f"{glyph} {cell['how']}", style=style)


def _dtype(dtype: lw.Dtype) -> Text:
    return Text(dtype.name, style=COLOURS[dtype.kind])


# --- one function ---------------------------------------------------------------------------------------------------


def _devices(backend: str, version: str) -> list[str]:
    return [*data.load(backend)["versions"][data.measured_as(backend, version)]["devices"]]


def _show_function(function: str, backends: list[str], version: str, as_json: bool) -> None:
    columns = [(b, device) for b in backends for device in _devices(b, version)]
    rows = {
        d: {column: _cell(column[0], function, d, version or None, column[1]) for column in columns}
        for d in data.MEASURED
    }
    if as_json:
        found: dict[str, Any] = {"function": function, "backends": {}}
        for b, device in columns:
            entry = found["backends"].setdefault(b, {"version": version or installed(b), "devices": {}})
            entry["devices"][device] = {str(d): cells[b, device] for d, cells in rows.items()}
        print(json.dumps(found, indent=2))
        return
    console.print(Text(function, style="bold") + Text(" takes"))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("")
    for b, device in columns:
        alone = len(backends) == len(columns) > 1
        table.add_column(b if alone else f"{b} on {device}", no_wrap=True)
    for d, cells in rows.items():
        table.add_row(_dtype(d), *(_shown(cells[c]) for c in columns))
    console.print(table)
    for b in backends:
        console.print(Text("measured on ", style="dim") + _title(b, version), soft_wrap=True)
    reasons: dict[str, tuple[list[str], list[str]]] = {}
    for d, cells in rows.items():
        for (b, _), cell in cells.items():
            if "why" in cell:
                of, on = reasons.setdefault(_shortened(cell["why"], d, function), ([], []))
                of.append(str(d))
                on.append(b)
    for why, (of, on) in reasons.items():
        which = f" on {', '.join(dict.fromkeys(on))}" if {*on} != {*backends} else ""
        console.print(Text(f"{', '.join(dict.fromkeys(of))}{which}: ", style="dim") + Text(why), soft_wrap=True)


def _shortened(why: str, dtype: lw.Dtype, function: str = "") -> str:
    """Return the first sentence of a reason, the same for all dtypes, without the function and its arguments."""
    text = re.sub(r" \((?:\w+, )+\w+\)$", "", why.partition("; got ")[0].partition(". ")[0])
    return re.sub(rf"\b{dtype}\b", "this dtype", text.removeprefix(f"{function}: "), count=1)


# --- all functions --------------------------------------------------------------------------------------------------


def chapters(functions: list[str]) -> dict[str, list[str]]:
    """Group functions by the chapter of the reference that they are in."""
    from ..core.registry import declared

    found: dict[str, list[str]] = {}
    for name in functions:
        o = declared(name)
        chapter = o.function.__module__.rpartition(".")[2] if o is not None else "data_types"
        found.setdefault(chapter.replace("_", " "), []).append(name)
    return found


#: The label above each dtype's column: the kind at its first dtype, and the bits.
LABELS = "b i8 16 32 64 u8 16 32 64 bf 16 32 64 c64 128".split()


#: The column of names, beside which the dtypes fit into 80 characters. A longer name has a line of its own.
_WIDEST = 30


def spread(cells: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each dtype's cell with the spaces after it, more of them between kinds."""
    kinds = [d.kind for d in lw.all_dtypes] + [""]
    for i, cell in enumerate(cells):
        last = i == len(cells) - 1
        gap = 0 if last else len(LABELS[i]) + 1 + (kinds[i] != kinds[i + 1]) - len(cell)
        yield cell, " " * gap


def _show_backend(backend: str, version: str, as_json: bool) -> None:
    rows = data.table(backend, version or None)
    if as_json:
        found = {
            name: {str(d): data.WORDS[letter] for d, letter in zip(data.MEASURED, _all(row), strict=True)}
            for name, row in rows.items()
        }
        print(json.dumps({"backend": backend, "version": version or installed(backend), "functions": found}, indent=2))
        return
    console.print(_title(backend, version))
    _legend({letter for row in rows.values() for letter in data.letters(row)})
    for chapter, names in chapters([*rows]).items():
        width = min(max(map(len, [*rows])) + 2, _WIDEST)
        console.print()
        labels = "".join(label + gap for label, gap in spread(LABELS))
        console.print(Text(f"{chapter:<{width}}", style="bold") + Text(labels, style="dim"), soft_wrap=True)
        for name in names:
            line = Text(f"{name:<{width}}" if len(name) < width else f"{name}\n{'':<{width}}")
            for letter, gap in spread(data.letters(rows[name])):
                glyph, style, _ = GLYPHS[data.WORDS[letter]]
                line.append(glyph, style=style).append(gap)
            console.print(line, soft_wrap=True)


def _all(row: dict[str, Any]) -> str:
    """Return the letters of every dtype that is measured, the storage dtypes too."""
    return data.letters(row, data.MEASURED)


def _legend(letters: set[str]) -> None:
    for word, (glyph, style, meaning) in GLYPHS.items():
        if data.LETTERS[word] in letters and word != "absent":
            console.print(Text(f"  {glyph} ", style=style) + Text(meaning, style="dim"))


def _show_all(backends: list[str], as_json: bool) -> None:
    tables = {b: data.table(b) for b in backends}
    names = [*dict.fromkeys(name for rows in tables.values() for name in rows)]
    if as_json:
        found = {n: {b: _counted(data.letters(rows[n])) for b, rows in tables.items() if n in rows} for n in names}
        print(json.dumps({"versions": {b: installed(b) for b in backends}, "functions": found}, indent=2))
        return
    count = len(lw.all_dtypes)
    shown = f"Of {count} dtypes, how many a function takes: ◐ emulated, ✕ not on this backend"
    console.print(Text(shown, style="dim"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    for b in backends:
        table.add_column(f"{b}\n{installed(b) or data.measured_as(b)}", no_wrap=True)
    for chapter, of in chapters(names).items():
        table.add_row(Text(f"\n{chapter}", style="bold"))
        for name in of:
            table.add_row(name, *(_summary(tables[b].get(name)) for b in backends))
    console.print(table)


def _counted(letters: str) -> dict[str, int]:
    words = [data.WORDS[x] for x in letters]
    return {word: words.count(word) for word in GLYPHS if word in words}


def _summary(row: dict[str, Any] | None) -> Text:
    if row is None:
        return Text("?", style="red")
    taken = sum(letter in data.WORKS for letter in data.letters(row))
    result = Text(f"{taken:>2}", style="green" if taken == len(lw.all_dtypes) else "")
    for word in ("emulated", "missing", "wrong"):
        if count := data.letters(row).count(data.LETTERS[word]):
            glyph, style, _ = GLYPHS[word]
            result += Text(f" {glyph}{count}", style=style)
    return result


# --- a user's own function --------------------------------------------------------------------------------------------


def _show_own(name: str, backends: list[str], version: str, as_json: bool) -> None:
    import importlib
    import sys
    from functools import reduce

    from ..support.query import why_unsupported

    module, _, path = name.partition(":")
    sys.path.insert(0, "")
    function: Any = reduce(getattr, path.split("."), importlib.import_module(module))
    present = [b.name for b in lw.backends() if b.installed and b.name in backends]
    refused = {b: why_unsupported(function, backend=b, version=version or None) for b in present}
    if as_json:
        shown = {b: {str(d): why for d, why in found.items()} for b, found in refused.items()}
        print(json.dumps({"function": name, "unsupported": shown}, indent=2))
        return
    console.print(Text(name, style="bold") + Text(" takes, run without data"))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for column in ("", *present):
        table.add_column(column)
    for d in lw.all_dtypes:
        cells = [Text("✕", style="yellow") if d in refused[b] else Text("●", style="green") for b in present]
        table.add_row(_dtype(d), *cells)
    console.print(table)
    for b in present if version else ():
        console.print(Text("by what was measured on ", style="dim") + _title(b, version), soft_wrap=True)
    reasons: dict[str, list[str]] = {}
    for found in refused.values():
        for d, why in found.items():
            reasons.setdefault(_shortened(why, d), []).append(d.name)
    for why, of in reasons.items():
        console.print(Text(f"{', '.join(dict.fromkeys(of))}: ", style="dim") + Text(why), soft_wrap=True)


# --- measuring ------------------------------------------------------------------------------------------------------


def probe(
    backend: Annotated[str, typer.Argument(help="A backend.", show_default=False, autocompletion=completing.backend)],
    write: Annotated[bool, typer.Option("--write", help="Keep what was found for the installed version.")] = False,
    function: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this function; can be given several times.",
            show_default=False,
            autocompletion=completing.functions,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run every function on every dtype and device of a backend, and compare with what was found before.

    Without --write the exit code is 1 where anything differs.
    """
    from ..support import samples
    from ..support.probe import probe as run

    names = [b.name for b in lw.backends()]
    try:
        if backend not in names:
            raise unknown_backend(backend)
        for name in function or ():
            if name not in samples.names():
                raise ValueError(f"{name!r} is no function to probe{nearest(name, samples.names())}")
        with lw.using(backend=backend):
            devices = [*map(str, lw.__array_namespace_info__().devices())]
    except (TypeError, ValueError, ImportError) as error:
        raise fail(error) from None
    version = installed(backend)
    assert version is not None  # it was imported just now
    kept = data.load(backend)["versions"]
    found: dict[str, data.Table] = {}
    for device in dict.fromkeys(d.partition(":")[0] for d in devices):
        chosen = [*function] if function else [*samples.names()]
        with working(f"Measuring {backend} {version} on {device}", len(chosen)) as begin:
            found[device] = data.encode(run(backend, device, chosen, begin))
    changed: list[str] = []
    for device, rows in found.items():
        before = kept.get(version, {"devices": {}})["devices"].get(device, {})
        before = {name: row for name, row in before.items() if name in rows} if function else before
        changed += [f"{device}: {line}" for line in data.differences(before, rows)] if before else []
        if write:
            path = data.save(backend, version, device, _within(kept, version, device, rows) if function else rows)
    wrong = [f"{name}({d}): {data.why_in(row, d)}" for rows in found.values() for name, row in rows.items()
             for d, letter in zip(data.MEASURED, _all(row), strict=True) if letter == "!"]  # fmt: skip
    if as_json:
        print(json.dumps({"backend": backend, "version": version, "devices": found, "changed": changed}, indent=2))
    else:
        count = {word: sum(_all(row).count(data.LETTERS[word]) for rows in found.values() for row in rows.values())
                 for word in GLYPHS}  # fmt: skip
        console.print(Text(f"{backend} {version}", style="bold") + Text(f" on {', '.join(found)}"))
        for word, (glyph, style, meaning) in GLYPHS.items():
            if count[word]:
                console.print(Text(f"  {glyph} {count[word]:>5} ", style=style) + Text(meaning, style="dim"))
        for line in wrong:
            console.print(Text(line, style="red"), soft_wrap=True)
        if version not in kept:
            console.print(f"Nothing was kept of this version before{'' if write else ': --write keeps it'}.")
        elif not changed:
            console.print("As it was found before.")
        for line in changed:
            console.print(Text(line, style="yellow"), soft_wrap=True)
        if write:
            console.print(f"{path}", soft_wrap=True, highlight=False)
    if changed and not write:
        raise typer.Exit(1)


def _within(kept: dict[str, Any], version: str, device: str, rows: data.Table) -> data.Table:
    """Replace some functions in the kept measurements; return them in the order in which all are measured."""
    from ..support import samples

    before: data.Table = kept.get(version, {"devices": {}})["devices"].get(device, {})
    both = {**before, **rows}
    return {name: both[name] for name in samples.names() if name in both}
