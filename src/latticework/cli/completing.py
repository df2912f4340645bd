"""What the shell offers in the place of a name. No framework is imported, and no chapter is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import latticework as lw
from latticework.backend import measured
from latticework.frontends import dialect_names

__all__ = [
    "backend", "backends", "dialects", "dtypes", "functions", "operands", "rule_set", "rule_sets",
]  # fmt: skip

Completer = Callable[[str], list[str]]


def _one(names: Callable[[], Iterable[str]]) -> Completer:
    """Complete one name."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def _several(names: Callable[[], Iterable[str]]) -> Completer:
    """Complete the last of several names with commas between them; one that stands there already is not offered."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(last) and name not in given]

    return complete


def _backend_names() -> list[str]:
    return [b.name for b in lw.backends()]


def _function_names() -> list[str]:
    return [*measured.table("numpy")]


def _dtype_names() -> list[str]:
    return [*dict.fromkeys(d.name for d in (*lw.all_dtypes, *lw.extended_dtypes))]


def _operands(incomplete: str) -> list[str]:
    """Complete a dtype, also after ``0d:`` or ``weak:``, or a type of Python."""
    before, colon, last = incomplete.rpartition(":")
    names = [*_dtype_names(), "int", "float", "complex"]
    return [f"{before}{colon}{name}" for name in names if name.startswith(last)]


rule_set = _one(lw.rule_names)
rule_sets = _several(lambda: [*lw.rule_names(), "all"])
backend = _one(_backend_names)
backends = _several(_backend_names)
dialects = _several(dialect_names)
dtypes = _one(_dtype_names)
functions = _one(_function_names)
operands: Completer = _operands
