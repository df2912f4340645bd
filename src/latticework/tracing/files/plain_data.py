"""Checks of the plain data in a description of a graph: each raises the error for a damaged file."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any, NoReturn

from ...core.dtypes import Dtype, all_dtypes, extended_dtypes
from ...errors import GraphFileError
from .encoding import LONGEST

__all__ = [
    "DEEPEST", "LARGEST", "dtype_named", "extents", "fields", "integer", "listed", "name", "one_of", "shown", "text",
    "truth", "wanted", "wrong",
]  # fmt: skip

_DTYPES = {str(dtype): dtype for dtype in (*all_dtypes, *extended_dtypes)}
DEEPEST = 60  # containers in each other, and blocks
LARGEST = 1 << 62  # an extent


def wrong(why: str) -> NoReturn:
    raise GraphFileError(f"the file is damaged, or no graph: {why}")


def fields(x: Any, what: str, needed: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    """Check that x is a dict with these keys and no others."""
    if type(x) is not dict:
        wrong(f"{what} is {shown(x)}")
    missing = [name for name in needed if name not in x]
    beyond = [name for name in x if name not in needed and name not in optional]
    if missing or beyond:
        wrong(f"{what} has no {', '.join(missing)}" if missing else f"{what} has {shown(beyond[0])}")
    found: dict[str, Any] = x
    return found


def listed(x: Any, what: str, size: int | None = None) -> list[Any]:
    if type(x) is not list or (size is not None and len(x) != size):
        wrong(f"{what} is {shown(x)}" + (f", which has no {size} parts" if size is not None else ""))
    found: list[Any] = x
    return found


def integer(x: Any, what: str, low: int, high: int) -> int:
    if type(x) is not int or not low <= x < high:
        wrong(f"{what} is {shown(x)}; it is at least {low} and below {high}")
    return x


def truth(x: Any, what: str) -> bool:
    if type(x) is not bool:
        wrong(f"{what}: {shown(x)}, neither true nor false")
    return x


def text(x: Any, what: str) -> str:
    """Check that x is a short text of characters that can be printed, on one line."""
    if type(x) is not str or len(x) > LONGEST or not x.isprintable():
        wrong(f"{what} is {shown(x)}")
    return x


def name(x: Any, what: str) -> str:
    """Check that x is a name that may stand in source."""
    if not text(x, what).isidentifier() or keyword.iskeyword(x) or x in ("__builtins__", "__debug__"):
        wrong(f"{what} is {shown(x)}, which is no name")
    found: str = x
    return found


def wanted(x: Any) -> str:
    """Check the wanted name of a constant. The source replaces characters in it that cannot stand in a name."""
    found = text(x, "the name of a constant")
    if not "".join(c if c.isalnum() else "_" for c in f"_{found}").isidentifier():
        wrong(f"the name of a constant is {shown(x)}")
    return found


def one_of(x: Any, what: str, allowed: Sequence[str] | frozenset[str] | dict[str, Any]) -> str:
    if type(x) is not str or x not in allowed:
        wrong(f"{what} is {shown(x)}")
    return x


def dtype_named(x: Any, what: str) -> Dtype:
    return _DTYPES[one_of(x, what, _DTYPES)]


def extents(x: Any, what: str) -> tuple[Any, ...]:
    sizes = listed(x, what)
    if len(sizes) > 64:
        wrong(f"{what} has {len(sizes)} axes")
    return tuple([None if n is None else integer(n, what, 0, LARGEST) for n in sizes])


def shown(x: Any) -> str:
    return f"{x!r:.80}" if isinstance(x, (str, int, float, type(None))) else f"a {type(x).__name__}"
