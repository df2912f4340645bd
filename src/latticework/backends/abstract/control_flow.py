"""Control flow of arrays without data: each branch and each body runs once, and only its dtypes and shapes matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .data import Blank

Natives = list[Any]


def staged() -> bool:
    return True


def switch(index: Any, branches: Sequence[Callable[[], Natives]]) -> Natives:
    found = [branch() for branch in branches]
    return found[0]


def while_loop(condition: Callable[[Natives], Any], body: Callable[[Natives], Natives], init: Natives) -> Natives:
    condition(init)
    return body(init)


def scan(
    body: Callable[[Natives, Natives], tuple[Natives, Natives]], init: Natives, xs: Natives, length: int, reverse: bool
) -> tuple[Natives, Natives]:
    carry, ys = body(init, [Blank(x.shape[1:], x.dtype, x.device) for x in xs])
    return carry, [Blank((length, *y.shape), y.dtype, y.device) for y in ys]
