"""Transformations of functions of arrays without data: the shapes and dtypes of what they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .data import Blank

Natives = list[Any]


def vjp(run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
    outs, aux = run(primals)
    return outs, lambda cotangents: [*primals], aux


def jvp(
    run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives, tangents: Natives
) -> tuple[Natives, Natives, Natives]:
    outs, aux = run(primals)
    return outs, outs, aux


def vmap(
    run: Callable[[Natives], tuple[Natives, Natives]], natives: Natives, axes: list[int], size: int
) -> tuple[Natives, Natives]:
    examples = [
        Blank(x.shape[:axis] + x.shape[axis + 1 :], x.dtype, x.device) for x, axis in zip(natives, axes, strict=True)
    ]
    stacked, kept = run(examples)
    return [Blank((size, *x.shape), x.dtype, x.device) for x in stacked], kept
