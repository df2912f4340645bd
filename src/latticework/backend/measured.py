"""Read and write what the probe measured, by backend and version: ``backends/support/<backend>.json``, and of a backend
outside ``support/<backend>.json`` in its own package.

For each function there is a letter for each dtype, in the order of the file's own ``"dtypes"``:

    n  native      the framework's own function, or a few lines over it
    d  emulated    exactly, through another dtype, where the framework's own function lacks the dtype
    c  composed    from other functions of latticework
    l  lifted      integers, computed in the default float
    -  refused     the function does not take the dtype, on any backend
    x  missing     this backend cannot, though others may
    !  wrong       another dtype or other values than it should give
    .              a dtype that the backend does not have
    ?  unknown     not measured: a dtype that is newer than the file

and, for each dtype that is refused or missing, the first line of the error, with ``{dtype}`` for its name.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from ..core.dtypes import Dtype, all_dtypes, extended_dtypes
from .facts import plugin_of
from .versions import holding_for, installed, parse

__all__ = [
    "LETTERS",
    "MEASURED",
    "WORKS",
    "Table",
    "differences",
    "encode",
    "how",
    "letters",
    "load",
    "measured_as",
    "save",
    "table",
    "why",
    "why_in",
]

LETTERS = {
    "native": "n", "emulated": "d", "composed": "c", "lifted": "l", "refused": "-", "missing": "x", "wrong": "!",
    "absent": ".", "unknown": "?",
}  # fmt: skip
WORDS = {letter: word for word, letter in LETTERS.items()}
#: The letters of dtypes that a function takes.
WORKS = "ndcl"

_FOLDER = Path(__file__).parents[1] / "backends" / "support"


def _path(backend: str) -> Path:
    """Return the file of a backend."""
    plugin = plugin_of(backend)
    folder = plugin.folder / "support" if plugin is not None and plugin.distribution else _FOLDER
    return folder / f"{backend}.json"


#: The dtypes that functions are measured on.
MEASURED: tuple[Dtype, ...] = (*all_dtypes, *extended_dtypes)

#: function -> "how": dtype -> letter, and "why": the text of an error -> the dtypes that it refuses
Table = dict[str, dict[str, Any]]


def encode(measured: dict[str, dict[str, Any]]) -> Table:
    """Return what the probe measured on one device in the form of a table."""
    result: Table = {}
    for name, cells in measured.items():
        row: dict[str, Any] = {
            "how": {d: LETTERS[cells[d].how] if d in cells else LETTERS["absent"] for d in map(str, MEASURED)}
        }
        reasons: dict[str, list[str]] = {}
        for dtype, cell in cells.items():
            if cell.why:
                reasons.setdefault(_template(cell.why, dtype), []).append(dtype)
        if reasons:
            row["why"] = {text: " ".join(dtypes) for text, dtypes in reasons.items()}
        result[name] = row
    return result


def _template(why: str, dtype: str) -> str:
    """Return the reason without the list of accepted dtypes, and with a place for the dtype's name."""
    text = re.sub(r" \((?:\w+, )+\w+\)(?=; got)", "", why)
    return re.sub(rf"\b{dtype}\b", "{dtype}", text)


def load(backend: str) -> dict[str, Any]:
    """Read the file of a backend; without versions where there is none."""
    path = _path(backend)
    if not path.exists():
        return {"backend": backend, "versions": {}}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    dtypes = found.pop("dtypes")
    for entry in found["versions"].values():
        for rows in entry["devices"].values():
            for row in rows.values():
                row["how"] = dict(zip(dtypes, row["how"], strict=True))
    return found


def letters(row: dict[str, Any], dtypes: tuple[Dtype, ...] = all_dtypes) -> str:
    """Return a function's letters for some dtypes, by default those that functions compute in."""
    return "".join(row["how"].get(d.name, LETTERS["unknown"]) for d in dtypes)


def save(backend: str, version: str, device: str, rows: Table) -> Path:
    """Write what was measured on one device of a version into the file of the backend."""
    versions = load(backend)["versions"]
    versions.setdefault(version, {"devices": {}})["devices"][device] = rows
    path = _path(backend)
    path.parent.mkdir(exist_ok=True)
    text = _text({"backend": backend, "dtypes": [*map(str, MEASURED)], "versions": versions})
    path.write_text(f"{text}\n", encoding="utf-8")
    table.cache_clear()
    return path


def _text(tree: Any, depth: int = 5) -> str:
    """Write JSON with one line for each function, so that a comparison of two files can be read."""
    if not isinstance(tree, dict):
        return json.dumps(tree)
    if not depth:  # the row of a function
        return json.dumps({**tree, "how": letters(tree, MEASURED)})
    indent = "  " if depth == 1 else ""
    return "{\n" + ",\n".join(f"{indent}{json.dumps(key)}: {_text(x, depth - 1)}" for key, x in tree.items()) + "\n}"


def measured_as(backend: str, version: str | None = None) -> str | None:
    """Return the measured version that a version behaves as: itself, else the last one before it, else the first.

    By default the version is the installed one; the last measured one where none is installed. None where nothing was
    measured.
    """
    versions = [parse(v) for v in load(backend)["versions"]]
    return holding_for(version or installed(backend), versions).text if versions else None


@cache
def table(backend: str, version: str | None = None, device: str | None = None) -> Table:
    """Return what was measured of a version and device, or of those that they behave as.

    For versions see `measured_as`. A device that was not measured behaves as the first that was.
    """
    found = measured_as(backend, version)
    if found is None:
        return {}
    devices: dict[str, Table] = load(backend)["versions"][found]["devices"]
    kind = (device or "").partition(":")[0]
    return devices.get(device or "") or devices.get(kind) or next(iter(devices.values()))


def how(backend: str, function: str, dtype: Dtype, *, version: str | None = None, device: str | None = None) -> str:
    """Return how a function computes a dtype, in a word; "unknown" for a function or dtype that was never measured."""
    row = table(backend, version, device).get(function)
    return WORDS[letters(row, (dtype,))] if row else "unknown"


def why(backend: str, function: str, dtype: Dtype, *, version: str | None = None, device: str | None = None) -> str:
    """Return why a function does not take a dtype; "" where it does."""
    return why_in(table(backend, version, device).get(function, {}), dtype)


def why_in(row: dict[str, Any], dtype: Dtype) -> str:
    """Return the reason in a function's row for a dtype."""
    found = (text for text, dtypes in row.get("why", {}).items() if dtype.name in dtypes.split())
    return next(found, "").replace("{dtype}", dtype.name)


def differences(kept: Table, measured: Table) -> list[str]:
    """List in words each cell in which two tables differ. Reasons are not compared."""
    found = []
    for name in sorted({*kept, *measured}):
        before, now = kept.get(name), measured.get(name)
        if before is None or now is None:
            found.append(f"{name}: {'not measured before' if before is None else 'there is no such function now'}")
            continue
        found += [
            f"{name}({dtype}): {WORDS[a]} before, {WORDS[b]} now" + (f" ({why})" if (why := why_in(now, dtype)) else "")
            for dtype, a, b in zip(MEASURED, letters(before, MEASURED), letters(now, MEASURED), strict=True)
            if a != b
        ]
    return found
