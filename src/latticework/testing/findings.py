"""What the kit finds: findings, those that a package says it knows of, and the table of all of them."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ..backend.facts import plugin_of

__all__ = ["Finding", "Kind", "Report", "Share", "known"]

#: alike: as on NumPy, an error too. refused: by the backend's own error, which says why. differs: anything else.
Kind = Literal["alike", "refused", "differs"]


class Finding(NamedTuple):
    """The outcome of one call.

    Attributes
    ----------
    area: a key of `AREAS`.
    function: the function, or the program or key.
    case: the kind of arrays.
    dtype: its name; "" where there is none.
    kind: see `Kind`.
    text: why it is refused, or what differs.
    """

    area: str
    function: str
    case: str
    dtype: str
    kind: Kind
    text: str = ""


class Share:
    """Which calls are run: one in so many, by their names, so that they are the same ones each time and of all kinds.

    Raises
    ------
    ValueError: `every` is not positive.
    """

    def __init__(self, every: int) -> None:
        if every < 1:
            raise ValueError(f"one call in {every} cannot be run; every is an int from 1 on")
        self.every = every

    def has(self, *names: object) -> bool:
        """Tell whether a call is one of the share."""
        return self.every == 1 or zlib.crc32(" ".join(map(str, names)).encode()) % self.every == 0


class Known(NamedTuple):
    """A difference that a package lists in its ``deviations.json``: an object with these fields, all but the reason
    "" for any."""

    function: str = ""
    case: str = ""
    dtype: str = ""
    reason: str = ""

    def covers(self, found: Finding) -> bool:
        """Tell whether a finding is one of these."""
        pairs = ((self.function, "function"), (self.case, "case"), (self.dtype, "dtype"))
        return all(not own or getattr(found, name) in (own, *own.split()) for own, name in pairs)


def known(backend: str) -> list[Known]:
    """Read the differences that the package of a backend lists.

    Raises
    ------
    ValueError: an entry has another field, or no reason.
    """
    plugin = plugin_of(backend)
    path = None if plugin is None else plugin.folder / "deviations.json"
    if path is None or not path.exists():
        return []
    found = json.loads(path.read_text(encoding="utf-8"))
    for entry in found:
        if not entry.get("reason") or not {*entry} <= {*Known._fields}:
            raise ValueError(f"{path}: an entry has function, case, dtype and a reason; got {entry}")
    return [Known(**entry) for entry in found]


class Report:
    """All findings about one backend.

    Attributes
    ----------
    findings: those of all calls.
    differences: those that differ and are not listed by the package.
    gone: what the package lists and is alike in all calls that it is listed for; none where not all was run.
    every: one call in so many was run.
    stopped: what was run when it was stopped; "" where it came to its end.
    """

    def __init__(self, backend: str, findings: Iterable[Finding], every: int = 1, stopped: str = "") -> None:
        self.backend, self.findings, self.every, self.stopped = backend, [*findings], every, stopped
        listed = known(backend)
        differing = [f for f in self.findings if f.kind == "differs"]
        self.differences = [f for f in differing if not any(k.covers(f) for k in listed)]
        ran = [k for k in listed if every == 1 and not stopped and any(k.covers(f) for f in self.findings)]
        self.gone = [k for k in ran if not any(k.covers(f) for f in differing)]
        self.known = len(differing) - len(self.differences)

    def __repr__(self) -> str:
        return f"<{self.backend}: {len(self.findings)} calls, {len(self.differences)} differ>"

    def lines(self, longest: int = 150) -> Iterator[str]:
        """Write the report as lines of text."""
        counts = Counter((f.area, f.kind) for f in self.findings)
        yield f"{self.backend:14}{'alike':>8}{'refused':>9}{'differs':>9}"
        for area in dict.fromkeys(f.area for f in self.findings):
            yield f"{area:14}{counts[area, 'alike']:>8}{counts[area, 'refused']:>9}{counts[area, 'differs']:>9}"
        if self.every > 1:
            yield f"a share: one call in {self.every} was run"
        if self.stopped:
            yield f"stopped at {self.stopped}: what comes after it was not run"
        if self.known:
            yield f"{self.known} of the differences are listed in the package"
        for title, found in (
            ("differs", self.differences),
            ("refused", [f for f in self.findings if f.kind == "refused"]),
        ):
            if found:
                yield ""
                yield f"{title}:"
                yield from _grouped(found, longest)
        for k in self.gone:
            yield f"listed in the package, and alike now: {k.function or 'any function'} {k.case} {k.dtype}".rstrip()


def _grouped(found: list[Finding], longest: int) -> Iterator[str]:
    """Write findings with one text as one line: the functions, the cases, the dtypes and the text."""
    groups: dict[str, list[Finding]] = {}
    for f in found:
        text = f.text.replace(f.function, "…")
        text = text.replace(f.dtype, "{dtype}") if f.dtype else text
        groups.setdefault(text, []).append(f)
    for text, of in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        functions = [*dict.fromkeys(f.function for f in of)]
        shown = ", ".join(functions[:4]) + (f" and {len(functions) - 4} more" if len(functions) > 4 else "")
        where = " ".join(dict.fromkeys(f.case for f in of))
        dtypes = " ".join(dict.fromkeys(f.dtype for f in of if f.dtype))
        yield f"  {shown} [{where}] {dtypes}: {text[:longest]}"
