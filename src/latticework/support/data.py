"""What the probe found, kept by backend and version: ``backends/support/<backend>.json``.

For each function there is one letter for each dtype, in the order of the file's own ``"dtypes"``:

    n  native      the framework's own function, or a few lines over it
    d  emulated    an exact way round a dtype that the framework's own function lacks
    c  composed    from other functions of latticework
    l  lifted      integers, computed in the default float
    -  refused     the function does not take the dtype, on any backend
    x  missing     this backend cannot, though others may
    !  wrong       another dtype or other values than it should give
    .              a dtype that the backend does not have
    ?  unknown     not measured, as every dtype that is newer than the file

and the first line of the error for each dtype that is refused or missing, with ``{dtype}`` for its name.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from ..backends import backends
from ..core.dtypes import Dtype, all_dtypes, extended_dtypes
from .versions import known, release

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
    "version_of",
    "why",
    "why_in",
]

LETTERS = {
    "native": "n", "emulated": "d", "composed": "c", "lifted": "l", "refused": "-", "missing": "x", "wrong": "!",
    "absent": ".", "unknown": "?",
}  # fmt: skip
WORDS = {letter: word for word, letter in LETTERS.items()}
#: The letters of what works.
WORKS = "ndcl"

_FOLDER = Path(__file__).parents[1] / "backends" / "support"

#: The dtypes that functions are measured on.
MEASURED: tuple[Dtype, ...] = (*all_dtypes, *extended_dtypes)

#: function -> its letter for each dtype by name, as "how", and its errors, as "why"
Table = dict[str, dict[str, Any]]


def encode(measured: dict[str, dict[str, Any]]) -> Table:
    """What the probe found on one device, as it is kept."""
    result: Table = {}
    for name, cells in measured.items():
        row: dict[str, Any] = {
            "how": {str(d): LETTERS[cells[d].how] if d in cells else LETTERS["absent"] for d in MEASURED}
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
    """The reason without the list of the dtypes that would do, and for any dtype that it is the same for."""
    text = re.sub(r" \((?:\w+, )+\w+\)(?=; got)", "", why)
    return re.sub(rf"\b{dtype}\b", "{dtype}", text)


def load(backend: str) -> dict[str, Any]:
    """All that is kept of a backend; no versions where nothing is."""
    path = _FOLDER / f"{backend}.json"
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
    """The letters of some dtypes, by default those that are computed with, in their order."""
    return "".join(row["how"].get(d, LETTERS["unknown"]) for d in dtypes)


def save(backend: str, version: str, device: str, rows: Table) -> Path:
    """Keep what was found on one device of a version, beside what is kept of others."""
    kept = load(backend)
    kept["versions"].setdefault(version, {"devices": {}})["devices"][device] = rows
    path = _FOLDER / f"{backend}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(_written(kept), encoding="utf-8")
    table.cache_clear()
    return path


def _written(kept: dict[str, Any]) -> str:
    """JSON with one line for each function, so that what changes can be read in a comparison."""
    lines = ["{", f'"backend": {json.dumps(kept["backend"])},', f'"dtypes": {json.dumps([*MEASURED])},']
    lines.append('"versions": {')
    versions = []
    for version, entry in kept["versions"].items():
        devices = []
        for device, rows in entry["devices"].items():
            written = {name: {**row, "how": letters(row, MEASURED)} for name, row in rows.items()}
            functions = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in written.items())
            devices.append(f"{json.dumps(device)}: {{\n{functions}\n}}")
        versions.append(f"{json.dumps(version)}: {{\n{json.dumps('devices')}: {{\n" + ",\n".join(devices) + "\n}}")
    return "\n".join([*lines, ",\n".join(versions), "}", "}"]) + "\n"


def version_of(backend: str) -> str | None:
    """The installed release of a backend's framework, found without importing it; None where there is none."""
    version = next((b.version for b in backends() if b.name == backend), None)
    return release(version) if version else None


def measured_as(backend: str, version: str | None = None) -> str | None:
    """The version that was measured and that a version, by default the installed one, behaves as: itself, else the last
    one before it, else the first; the last of all where none is installed. None where nothing was measured."""
    versions = load(backend)["versions"]
    wanted = version or version_of(backend)
    return known(wanted, versions) if wanted else next(reversed(versions), None)


@cache
def table(backend: str, version: str | None = None, device: str | None = None) -> Table:
    """What is kept of a version and device: of those themselves, else of the ones that they behave as.

    Of versions, see `measured_as`. A device that is not listed behaves as the first that is.
    """
    found = measured_as(backend, version)
    if found is None:
        return {}
    devices: dict[str, Table] = load(backend)["versions"][found]["devices"]
    kind = (device or "").partition(":")[0]
    return devices.get(device or "") or devices.get(kind) or next(iter(devices.values()))


def how(backend: str, function: str, dtype: Dtype, *, version: str | None = None, device: str | None = None) -> str:
    """How a function computes a dtype, in a word; "unknown" of a function or dtype that was never measured."""
    row = table(backend, version, device).get(function)
    return WORDS[letters(row, (dtype,))] if row else "unknown"


def why(backend: str, function: str, dtype: Dtype, *, version: str | None = None, device: str | None = None) -> str:
    """Why a function does not take a dtype; nothing where it does."""
    return why_in(table(backend, version, device).get(function, {}), dtype)


def why_in(row: dict[str, Any], dtype: str) -> str:
    """The reason that a function's row has for a dtype."""
    return next((t.replace("{dtype}", dtype) for t, ds in row.get("why", {}).items() if dtype in ds.split()), "")


def differences(kept: Table, measured: Table) -> list[str]:
    """Every cell in which two tables differ, in words. A reason that reads differently is none."""
    found = []
    for name in sorted({*kept, *measured}):
        before, now = kept.get(name), measured.get(name)
        if before is None or now is None:
            found.append(f"{name}: {'not measured before' if before is None else 'there is no such function now'}")
            continue
        found += [
            f"{name}({dtype}): {WORDS[a]} before, {WORDS[b]} now{_because(now, dtype)}"
            for dtype, a, b in zip(MEASURED, letters(before, MEASURED), letters(now, MEASURED), strict=True)
            if a != b
        ]
    return found


def _because(row: dict[str, Any], dtype: str) -> str:
    reason = why_in(row, dtype)
    return f" ({reason})" if reason else ""
