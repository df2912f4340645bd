"""Versions of frameworks: which is installed, how ranges of them are written, and which range holds for a version.

A range is written ``"1.12.1"``, ``"2.0.1 and below"``, ``"1.12.1 and above"`` or ``"1.11 to 1.13"``, the ends included.
A release stands for what was built from it: ``2.13.0+cpu`` is 2.13.0, and ``2.1.0rc1`` counts as 2.1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .facts import all_facts
from .registry import first_version, version_of

__all__ = ["Range", "frameworks", "holding_for", "installed", "order", "parse", "release"]

#: The distributions of frameworks that are no backends: there are promotion rules for them.
_OTHERS = {"keras": ("keras",), "mlx": ("mlx",), "max": ("modular", "max"), "paddle": ("paddlepaddle",)}
_VERSION = r"\d+(?:\.\d+)*"
_FORMS = re.compile(
    rf"(?P<only>{_VERSION})|(?P<below>{_VERSION}) and below|(?P<above>{_VERSION}) and above"
    rf"|(?P<low>{_VERSION}) to (?P<high>{_VERSION})"
)

Version = tuple[int, ...]


class Range(NamedTuple):
    """A range of versions, both ends included; None where it has no end."""

    text: str
    low: Version | None
    high: Version | None

    def __contains__(self, version: object) -> bool:
        return (self.low is None or self.low <= version) and (self.high is None or version <= self.high)  # type: ignore[operator]


def frameworks() -> list[str]:
    """List the frameworks whose installed version can be looked up."""
    return [*dict.fromkeys([*(name for name, facts in all_facts().items() if facts.framework), *_OTHERS])]


def installed(framework: str) -> str | None:
    """Return the installed release of a framework, without importing it; None where it is not installed."""
    version = first_version(_OTHERS[framework]) if framework in _OTHERS else version_of(framework)
    return release(version) if version else None


def order(version: str) -> Version:
    """Return what versions compare by: the leading numbers, without zeros at the end, so that 2.0 is 2.0.0.

    Raises
    ------
    ValueError: for a text that does not begin with a number.
    """
    found = re.match(_VERSION, version)
    if found is None:
        raise ValueError(f"{version!r} is no version; one is written as 2.0.1")
    numbers = [int(n) for n in found.group().split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def release(version: str) -> str:
    """Return the release that a build is of: ``2.13.0`` for ``2.13.0+cpu``."""
    found = re.match(_VERSION, version)
    return found.group() if found else version


def parse(text: object) -> Range:
    """Read a version, or a range of versions, in one of the four forms.

    Raises
    ------
    ValueError: for any other text, with the forms that there are.

    Examples
    --------
    >>> parse("2.0.1 and below")
    Range(text='2.0.1 and below', low=None, high=(2, 0, 1))
    >>> (1, 12) in parse("1.11 to 1.13")
    True
    """
    found = _FORMS.fullmatch(" ".join(text.split())) if isinstance(text, str) else None
    if found is None:
        forms = "'2.0.1', '2.0.1 and below', '2.0.1 and above' or '1.11 to 1.13'"
        raise ValueError(f"{text!r} is no version or range of versions; write {forms}")
    ends = {name: order(version) for name, version in found.groupdict().items() if version}
    low = ends.get("only", ends.get("above", ends.get("low")))
    high = ends.get("only", ends.get("below", ends.get("high")))
    if low is not None and high is not None and low > high:
        raise ValueError(f"{text!r} holds no version: the first is later than the second")
    return Range(str(text), low, high)


def holding_for(version: str | None, ranges: Iterable[Range]) -> Range:
    """Choose the range that holds for a version, of at least one.

    A range that contains it: a single version goes before a range, and a range with two ends before the others. Where
    none does, the last range before it, else the first. For None, a framework that is not installed, the last of all.

    Examples
    --------
    >>> ranges = [parse("2.0"), parse("2.1 to 2.4"), parse("3.0 and above")]
    >>> [holding_for(version, ranges).text for version in ("2.2", "2.5", "1.0", None)]
    ['2.1 to 2.4', '2.1 to 2.4', '2.0', '3.0 and above']
    """
    ranges = [*ranges]
    if version is None:
        return max(ranges, key=lambda r: (r.high is None, r.high or r.low or ()))
    at = order(version)
    containing = [r for r in ranges if at in r]
    if containing:
        return min(containing, key=lambda r: (r.low != r.high, (r.low is None) + (r.high is None)))
    before = [r for r in ranges if r.high is not None and r.high < at]
    return max(before, key=lambda r: r.high or ()) if before else min(ranges, key=lambda r: r.low or ())
