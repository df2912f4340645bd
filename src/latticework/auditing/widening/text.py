"""An audit for widening as a compiler would print it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..text import Line, plain, source_lines, stop_lines

if TYPE_CHECKING:
    from .report import Widening, Widenings

__all__ = ["lines_of", "lines_of_one", "plain", "summary_of"]


def lines_of(audit: Widenings) -> Iterator[Line]:
    """Yield the text of an audit, line by line."""
    for f in audit.first:
        yield from lines_of_one(f)
        yield ()
    for f in audit.casts:
        yield from lines_of_one(f, asked=True)
        yield ()
    if audit.stop is not None:
        yield from stop_lines(audit.stop.place, "", audit.stop.error)
        yield ()
    yield from summary_of(audit)


def lines_of_one(f: Widening, *, asked: bool = False) -> Iterator[Line]:
    """Yield the text of one widening."""
    often = f", {f.times} times" if f.times > 1 else ""
    kind = ("note: ", "note") if asked else ("error: ", "error")
    what = "is cast to" if asked else "became"
    yield (f"{f.place}: ", "bold"), kind, (f"{f.operation}: {f.narrow} {what} {f.wide}{often}", "bold")
    yield from source_lines(f.place)
    margin = " " * len(str(f.place.line))
    note = (f" {margin} = ", "note")
    operands = ", ".join(f"{text}: {what}" if text and text != what else what for text, what in f.operands)
    yield note, (f"{operands} -> {f.result}", "")
    yield note, (f"{f.framework}: {f.rule}", "note")
    if f.made is not None:
        if f.made.moved != f.made.place:
            by_name = ", by name" if f.made.asked else ""
            yield note, (f"made here: {f.made.place}: {f.made.place.expression} is {f.made.dtype}{by_name}", "")
        if f.made.moved is not None:
            yield note, (f"moved here, without a dtype: {f.made.moved}: {f.made.moved.expression}", "")
    if f.cast:
        ends = f" is {f.narrow}" if f.tried else f" keeps {f.narrow} from there on"
        yield note, ("help: ", "help"), (f.cast, "bold"), (ends, "")


def summary_of(audit: Widenings) -> Iterator[Line]:
    """Yield one line that counts the findings."""
    watched = ", ".join(audit.dtypes)
    said = f"{audit.program}: {audit.calls} calls. "
    if audit.findings:
        first, following = len(audit.first), len(audit.findings) - len(audit.first)
        said += f"{first} made one of {watched} wider, {following} follow"
    else:
        said += f"None made one of {watched} wider"
    if audit.stop is not None:
        said += ". The run stopped before its end"
    yield ((said, "bold"),)
