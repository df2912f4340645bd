"""The patch: casts inserted into the source at the expressions that they are for."""

from __future__ import annotations

import difflib
import linecache
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .places import Place

__all__ = ["Edit", "edited", "patch_of", "patched"]


@dataclass(frozen=True)
class Edit:
    """Text to put around an expression.

    Attributes
    ----------
    place: the expression.
    before, after: the text to insert before and after it.
    inside: whether `after` goes before the last character of the expression, its closing parenthesis.
    """

    place: Place
    before: str
    after: str
    inside: bool = False


def patched(file: str, edits: Iterable[Edit]) -> list[str]:
    """Return the lines of a file with edits made. Equal edits of one expression are made once, and of several edits of
    one expression the last is around the others: that of a result comes before that of an operand."""
    lines = [*linecache.getlines(file)]
    # If two insertions meet, the wider expression opens first and closes last.
    inserted: list[tuple[int, int, tuple[int, ...], str]] = []
    once = {(e.place.line, e.place.column, e.place.end_line, e.place.end_column, e.before, e.after): e for e in edits}
    for n, e in enumerate(once.values()):
        p = e.place
        width = (p.end_line - p.line, p.end_column - p.column)
        end = p.end_column - e.inside
        inserted.append((p.line, p.column, (1, -width[0], -width[1], -n), e.before))
        inserted.append((p.end_line, end, (0, *width, n), e.after))
    for line, column, _, text in sorted(inserted, reverse=True):
        row = lines[line - 1]
        lines[line - 1] = row[:column] + text + row[column:]
    return lines


def edited(expression: Place, edits: Iterable[Edit]) -> str:
    """Return the text of one expression with edits made, on one line."""
    lines = [*linecache.getlines(expression.file)]
    grown = patched(expression.file, edits)
    first = grown[expression.line - 1 : expression.end_line]
    tail = len(lines[expression.end_line - 1]) - expression.end_column
    first[-1] = first[-1][: len(first[-1]) - tail]
    first[0] = first[0][expression.column :]
    return " ".join(line.strip() for line in first)


def _shown(file: str) -> str:
    """Return the name of a file in a patch: relative to the current folder, where the file is inside it."""
    path = Path(file).absolute()
    return (path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path).as_posix().lstrip("/")


def patch_of(edits: Iterable[Edit]) -> str:
    """Return a unified diff of all files that are edited."""
    by_file: dict[str, list[Edit]] = {}
    for e in edits:
        by_file.setdefault(e.place.file, []).append(e)
    found: list[str] = []
    for file, of_file in by_file.items():
        before = linecache.getlines(file)
        name = _shown(file)
        found += difflib.unified_diff(before, patched(file, of_file), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in found)
