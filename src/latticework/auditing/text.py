"""An audit as a compiler would print it: the line, a caret under the expression, the dtypes, the rule, the way out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .places import Place
    from .report import Audit, Finding, InsertedCast, Outcome

__all__ = ["Line", "lines_of", "plain", "source_lines", "stop_lines", "summary_of"]

#: A line of text as parts, each with its style: ``"bold"``, ``"error"``, ``"warning"``, ``"note"``, ``"help"`` or none.
Line = Sequence[tuple[str, str]]


def plain(lines: Iterator[Line]) -> str:
    """Return the text without styles."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def lines_of(audit: Audit) -> Iterator[Line]:
    """Yield the text of an audit, line by line."""
    for f in audit.findings:
        if not f.follows:
            yield from _finding(f)
            yield ()
    for stop in (*audit.stops, *audit.not_followed):
        yield from stop_lines(stop.place, _listed(stop.runs), stop.error)
        yield ()
    losing: dict[tuple[Place, str], list[InsertedCast]] = {}
    for c in audit.casts:
        if c.loses:
            losing.setdefault((c.place, c.operation), []).append(c)
    for (place, operation), casts in losing.items():
        yield from _lossy(place, operation, casts)
        yield ()
    for s in audit.sums:
        yield from _warning(s.place, f"{s.operation} under {_listed(s.runs)}: {s.loses}")
        yield ()
    yield from summary_of(audit)


def _listed(runs: Sequence[str]) -> str:
    return ", ".join(runs)


def _finding(f: Finding) -> Iterator[Line]:
    kinds: dict[str, list[str]] = {}
    for o in f.outcomes:
        kinds.setdefault("refused" if o.error else ", ".join(o.results), []).append(o.run)
    parts = "; ".join(f"{result} under {_listed(runs)}" for result, runs in kinds.items())
    what = "result dtypes part ways" if f.diverges else "refused"
    often = f", {f.times} times" if f.times > 1 else ""
    yield (f"{f.place}: ", "bold"), ("error: ", "error"), (f"{f.operation}: {what}{often}: {parts}", "bold")
    yield from source_lines(f.place)
    margin = " " * len(str(f.place.line))
    rows: dict[tuple[str, str, bool], list[str]] = {}
    for o in f.outcomes:
        rows.setdefault((_signature(o), _reason(o), bool(o.error)), []).append(o.run)
    named = [", ".join(runs) for runs in rows.values()]
    widths = max(map(len, named)), max(len(signature) for signature, _, _ in rows)
    for runs, (signature, why, refused) in zip(named, rows, strict=True):
        cells = f"{runs:{widths[0]}}  {signature:{widths[1]}}"
        yield (f" {margin} = ", "note"), (cells, "error" if refused else ""), (f"  {why}", "note")
    note = (f" {margin} = ", "note"), ("help: ", "help")
    if f.fix is not None:
        yield *note, (f.fix.text, "bold"), (f" is {f.fix.dtype} {_in_which(f.fix.without)}", "")
    else:
        yield *note, ("no cast was found with which they agree", "")


def _in_which(without: Sequence[str]) -> str:
    return f"in all of them but {_listed(without)}, which refuse it with any cast" if without else "in all of them"


def _reason(o: Outcome) -> str:
    """Return the reason for an outcome; of a refusal the first sentence, because the way out follows for all runs."""
    sentence = o.error.partition("). ")
    text = sentence[0] + ")" * bool(sentence[1]) if sentence[1] else o.error.partition(". ")[0]
    return text.replace(f" under the {o.run} rules", "") if o.error else o.why


def _signature(o: Outcome) -> str:
    operands = ", ".join(o.operands)
    result = "refused" if o.error else f"{'weak ' * o.weak}{', '.join(o.results)}"
    return f"{operands} -> {result}" if operands else result


def source_lines(place: Place) -> Iterator[Line]:
    """Yield the source line, with a caret under each character of the expression."""
    number, source = str(place.line), place.source
    if not source:
        return
    yield (f" {number} | ", "note"), (source, "")
    if place.end_column:
        end = place.end_column if place.end_line == place.line else len(source)
        before = "".join("\t" if c == "\t" else " " for c in source[: place.column])
        yield (f" {' ' * len(number)} | ", "note"), (before, ""), ("^" * max(end - place.column, 1), "error")


def stop_lines(place: Place | None, runs: str, error: str) -> Iterator[Line]:
    """Yield the text of a run that stopped, with its source line; `runs` may be empty."""
    where = ((f"{place}: ", "bold"),) if place else ()
    yield *where, ("error: ", "error"), (f"stopped{' under ' * bool(runs)}{runs}: {error}", "bold")
    if place:
        yield from source_lines(place)


def _warning(place: Place, text: str) -> Iterator[Line]:
    yield (f"{place}: ", "bold"), ("warning: ", "warning"), (text, "bold")
    yield from source_lines(place)


def _lossy(place: Place, operation: str, casts: Sequence[InsertedCast]) -> Iterator[Line]:
    """Yield a warning of the casts before one operation that may lose values."""
    what = "a cast that may lose values" if len(casts) == 1 else "casts that may lose values"
    yield from _warning(place, f"{operation}: {what}")
    margin, named = " " * len(str(place.line)), [_listed(c.runs) for c in casts]
    width = max(map(len, named))
    for c, runs in zip(casts, named, strict=True):
        cast = f"{f'{c.operand}: ' if c.operand else ''}{c.source} -> {c.target}"
        yield (f" {margin} = ", "note"), (f"{runs:{width}}  {cast}", ""), (f"  {c.loses}", "note")


def summary_of(audit: Audit) -> Iterator[Line]:
    """Yield one line that counts the findings."""
    apart, refused = len(audit.divergences), len(audit.refusals)
    following = sum(f.follows for f in audit.findings)
    fixed = sum(f.fix is not None for f in audit.findings)
    said = [f"{audit.program}: {audit.operations} operations under {_listed(audit.runs)}"]
    if audit.agrees:
        said.append("all agree")
    else:
        said.append(f"{apart} part ways, {refused} refused, {following} that follow; {fixed} settled by a cast")
        stopped = sum(len(stop.runs) for stop in (*audit.stops, *audit.not_followed))
        said += [f"{stopped} runs stopped before their end"] if stopped else []
    inserted = len({(c.place, c.operation, c.operand) for c in audit.casts})
    said.append(f"{inserted} casts inserted, {audit.own_casts} of its own")
    yield ((". ".join(said), "bold"),)
