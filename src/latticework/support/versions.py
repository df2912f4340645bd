"""Versions of frameworks, and the forms in which a version or a range of them is written.

``"1.12.1"``, ``"2.0.1 and below"``, ``"1.12.1 and above"`` and ``"1.11 to 1.13"``, the ends included. A release
stands for what was built from it: ``2.13.0+cpu`` is 2.13.0, and ``2.1.0rc1`` is counted as 2.1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Range", "known", "order", "parse", "release"]

_VERSION = r"\d+(?:\.\d+)*"
_FORMS = re.compile(
    rf"(?P<only>{_VERSION})|(?P<below>{_VERSION}) and below|(?P<above>{_VERSION}) and above"
    rf"|(?P<low>{_VERSION}) to (?P<high>{_VERSION})"
)

Version = tuple[int, ...]


class Range(NamedTuple):
    """From one version to another, both included; None where there is no end."""

    text: str
    low: Version | None
    high: Version | None

    def __contains__(self, version: object) -> bool:
        return (self.low is None or self.low <= version) and (self.high is None or version <= self.high)  # type: ignore[operator]


def order(version: str) -> Version:
    """What versions compare by: the numbers that they begin with, without zeros at the end: 2.0 is 2.0.0.

    Raises
    ------
    ValueError: for what does not begin with a number.
    """
    found = re.match(_VERSION, version)
    if found is None:
        raise ValueError(f"{version!r} is no version; one is written as 2.0.1")
    numbers = [int(n) for n in found.group().split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def release(version: str) -> str:
    """The release that a build is of: ``2.13.0`` for ``2.13.0+cpu``."""
    found = re.match(_VERSION, version)
    return found.group() if found else version


def parse(text: object) -> Range:
    """One of the four forms.

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


def known(version: str, listed: Iterable[str]) -> str | None:
    """The listed version that an installed one behaves as: itself, else the last one before it, else the first.

    Examples
    --------
    >>> known("2.5", ["2.0", "2.4", "3.0"]), known("1.0", ["2.0", "2.4"])
    ('2.4', '2.0')
    """
    ordered = sorted(listed, key=order)
    before = [v for v in ordered if order(v) <= order(version)]
    return before[-1] if before else ordered[0] if ordered else None
