"""Convolutions and pooling from the kernels of a framework. The arguments are read here, the same for all frameworks.

A kernel gets the native arrays, where the array has its axes, and the windows (`engine.shapes.windows`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .windows import INTS, Axes, Windows, convolved, pooled, transposed

__all__ = ["convolution", "pooling", "transposed_convolution"]

#: From the array, the weight, the bias or None, the axes, the windows and the number of groups to the result.
Convolution = Callable[[Any, Any, Any, Axes, Windows, int], Any]
#: From the array, the axes and the windows to the result; for means, from `count_include_pad` too.
Pooling = Callable[..., Any]
#: Tells whether a kernel takes a call.
Predicate = Callable[..., bool]


def convolution(n: int | None, kernel: Convolution, when: Predicate | None = None) -> Callable[..., Any]:
    """Make the convolution with n spatial axes, with None for as many as the weight has."""

    def conv(
        x: Any,
        weight: Any,
        *,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        layout: str | None = None,
    ) -> Any:
        shapes = _shapes(x, weight, bias)
        parts: list[Any] = []
        for option in (stride, padding, dilation):
            if type(option) is list:
                parts.append(option)  # which is no key
            for part in option if type(option) is tuple else ():
                parts += part if type(part) is tuple else (part,)
        read = _read if INTS.issuperset(map(type, parts)) else _read.__wrapped__
        axes, w = read(*shapes, n, stride, padding, dilation, groups, layout)
        return kernel(x, weight, bias, axes, w, groups)

    return _where(conv, when)


@lru_cache(1024, typed=True)
def _read(
    x: Any, weight: Any, bias: Any, n: int | None, stride: Any, padding: Any, dilation: Any, groups: Any, layout: Any
) -> tuple[Axes, Windows]:
    """Read a call of a convolution, of which a program makes the same ones again."""
    options = {"stride": stride, "padding": padding, "dilation": dilation}
    return convolved(x, weight, bias, n, groups=groups, layout=layout, **options)


def transposed_convolution(n: int, kernel: Convolution, when: Predicate | None = None) -> Callable[..., Any]:
    """Make the transposed convolution with n spatial axes."""

    def conv_transpose(
        x: Any,
        weight: Any,
        *,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
        layout: str | None = None,
    ) -> Any:
        axes, w = transposed(
            *_shapes(x, weight, bias), n, stride=stride, padding=padding, output_padding=output_padding,
            groups=groups, dilation=dilation, layout=layout,
        )  # fmt: skip
        return kernel(x, weight, bias, axes, w, groups)

    return _where(conv_transpose, when)


def pooling(n: int, kernel: Pooling, when: Predicate | None = None) -> Callable[..., Any]:
    """Make the pooling over n spatial axes."""

    def pool(
        x: Any,
        kernel_size: Any,
        *,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        layout: str | None = None,
        **counted: bool,
    ) -> Any:
        axes, w = pooled(tuple(x.shape), n, kernel_size, stride, padding, dilation, ceil_mode, layout)
        return kernel(x, axes, w, **counted)

    return _where(pool, when)


def _shapes(x: Any, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    return tuple(x.shape), tuple(weight.shape), None if bias is None else tuple(bias.shape)


def _where(function: Callable[..., Any], when: Predicate | None) -> Callable[..., Any]:
    if when is not None:
        function.when = when  # type: ignore[attr-defined]
    return function
