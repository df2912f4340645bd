"""Helpers of the modules of ``torch.nn.functional``: checks of dtypes, reductions, and writing in place."""

from __future__ import annotations

import contextlib
from typing import Any

from ....calls import told
from ...core import dialect, ops

__all__: list[str] = []


def put(input: Any, result: Any, inplace: Any) -> Any:
    """Write the result into the input where that is requested, and return it."""
    return input._write(result) if inplace else result


def in_place(f: Any, input: Any, *options: Any) -> Any:
    """Write the result of a function into its input, and return it. A derivative keeps what was there before."""
    return input._write(f(input._to_read(), *options))


def floats(name: str, *tensors: Any) -> None:
    """Check that tensors are of real floating point numbers; None is skipped.

    Raises
    ------
    TypeError: an argument is no tensor.
    NotImplementedError: for another dtype.
    """
    for x in tensors:
        if x is None:
            continue
        if type(x) is not dialect.array:
            raise TypeError(f"{name}(): argument must be Tensor, not {type(x).__name__}")
        if x._array.dtype.kind != "f":
            raise NotImplementedError(f"{name}: not implemented for {x._array.dtype}. Cast it first: x.float()")


def alike(name: str, input: Any, *others: Any) -> None:
    """Check that tensors have the dtype of the first; None is skipped."""
    if type(input) is not dialect.array:
        raise TypeError(f"{name}(): argument must be Tensor, not {type(input).__name__}")
    for x in others:
        if x is None:
            continue
        if type(x) is not dialect.array:
            raise TypeError(f"{name}(): argument must be Tensor, not {type(x).__name__}")
        if x._array.dtype is not input._array.dtype:
            raise RuntimeError(f"{name}: expected one dtype, but got {input._array.dtype} and {x._array.dtype}")


def reduction_of(
    reduction: Any, size_average: Any = None, reduce: Any = None, words: Any = ("mean", "sum", "none")
) -> Any:
    """The word of a reduction, of the arguments that it had before as well.

    Raises
    ------
    ValueError: there is no such reduction.
    """
    if size_average is not None or reduce is not None:
        if reduce is False:
            return "none"
        return "sum" if size_average is False else "mean"
    if reduction not in words:
        raise ValueError(f"{reduction} is not a valid value for reduction. Use {', '.join(words)}")
    return reduction


def reduced(loss: Any, reduction: str) -> Any:
    """The mean, the sum or all of the losses."""
    return ops.mean(loss) if reduction == "mean" else ops.sum(loss) if reduction == "sum" else loss


def outside(x: Any, low: Any, high: Any = None) -> Any:
    """Return ``"low"`` if an element is below the low limit, ``"high"`` if one reaches the high limit, else ``""``.

    Values that are not known, or would have to be waited for, are not checked.
    """
    backend = x._array._sig.backend
    waits = backend.lazy or backend.name.startswith("traced") or str(x._array.device) != "cpu"
    if not x._array.size or (waits and not told()):
        return ""
    with contextlib.suppress(Exception):  # frameworks that trace refuse in classes of their own
        if bool(ops.min(x) < low):
            return "low"
        if high is not None and bool(ops.max(x) >= high):
            return "high"
    return ""


def numbers(name: str, *tensors: Any) -> None:
    """Check that tensors are of numbers, not of bools.

    Raises
    ------
    NotImplementedError: for bools.
    """
    for x in tensors:
        if type(x) is not dialect.array:
            raise TypeError(f"{name}(): argument must be Tensor, not {type(x).__name__}")
        if x._array.dtype.kind == "b":
            raise NotImplementedError(f"{name}: not implemented for {x._array.dtype}. Cast it first: x.float()")


def ints(x: Any, count: int) -> tuple[int, ...]:
    """Return one int for each axis, from an int or from a sequence of one or `count` ints."""
    values = tuple(x) if isinstance(x, (tuple, list)) else (x,)
    return tuple(int(n) for n in (values * count if len(values) == 1 else values))
