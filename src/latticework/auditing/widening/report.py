"""What an audit for widening found: plain data, with its text, its JSON and its patch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields

from ...core.showing import shown
from ..patching import Edit, patch_of
from ..places import Place
from ..report import Stop, data_of
from ..text import Line, plain
from .text import lines_of, summary_of

__all__ = ["Made", "Widening", "Widenings"]


@dataclass(frozen=True)
class Made:
    """Where the wide operand of a widening came from.

    Attributes
    ----------
    place: the expression that made it.
    dtype: its dtype.
    asked: whether the program asked for that dtype by name.
    moved: where it was moved to a device, which kept its dtype; None where it was not.
    """

    place: Place
    dtype: str
    asked: bool
    moved: Place | None = None


@dataclass(frozen=True)
class Widening:
    """A call that made a narrow float wider.

    Attributes
    ----------
    place: the expression.
    operation: the function or operator.
    framework: whose rules decided.
    operands: the operands in order: the text of each, empty where the source does not show it, and what it is.
    narrow, wide: the dtype that became wider, and the dtype that it became.
    result: the result.
    rule: the rule that decided, in words.
    made: where the wide operand came from; None where it was there before the run, or where there is none.
    follows: whether the wide operand is the result of an earlier widening.
    cast: the expression with the cast that keeps it narrow; empty where none is known.
    tried: whether the call was made again with that cast, and stayed narrow.
    edits: the text to insert.
    times: how many times the program went through it.
    """

    place: Place
    operation: str
    framework: str
    operands: tuple[tuple[str, str], ...]
    narrow: str
    wide: str
    result: str
    rule: str
    made: Made | None
    follows: bool
    cast: str
    tried: bool
    edits: tuple[Edit, ...]
    times: int = 1


@dataclass(frozen=True, repr=False)
class Widenings:
    """The result of an audit for widening.

    ``str`` of it is for people, `to_json` for programs, `patch` for ``git apply``.

    Attributes
    ----------
    program: the name of the function or file.
    dtypes: the dtypes that were watched.
    calls: the number of calls that were judged.
    findings: the calls that made a watched dtype wider, in the order of the run.
    casts: those that the program asked for by name, as ``x.double()`` does; empty unless they were asked for.
    stop: the error that ended the run; None where it ran to its end.
    """

    program: str
    dtypes: tuple[str, ...]
    calls: int
    findings: tuple[Widening, ...]
    casts: tuple[Widening, ...]
    stop: Stop | None

    @property
    def first(self) -> tuple[Widening, ...]:
        """The findings that do not follow from an earlier one."""
        return tuple(f for f in self.findings if not f.follows)

    @property
    def agrees(self) -> bool:
        """True if no watched dtype became wider, and the program ran to its end."""
        return not self.findings and self.stop is None

    @property
    def patch(self) -> str:
        """A unified diff that inserts the casts; empty where there are none to insert."""
        return patch_of(edit for f in self.first for edit in f.edits)

    def lines(self) -> Iterator[Line]:
        """Yield the lines of the text as parts, each with the name of its style."""
        return lines_of(self)

    def __str__(self) -> str:
        return plain(self.lines())

    def __repr__(self) -> str:
        return f"<Widenings {plain(summary_of(self))}>"

    def to_json(self) -> str:
        """Return the audit as JSON, for programs."""
        plain_data = {f.name: data_of(getattr(self, f.name)) for f in fields(self)}
        return json.dumps(plain_data | {"agrees": self.agrees, "patch": self.patch}, indent=2)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the text that ``print`` shows, with colours."""
        html: str = shown("audit_html", self)
        return html
