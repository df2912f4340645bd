"""`torch.testing`: whether tensors, numbers, and containers of them are equal up to tolerances."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import torch
from .tensor import Tensor

__all__ = ["assert_allclose", "assert_close"]

#: What the elements of a dtype may differ by: relatively, absolutely. All others are compared exactly.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
_OLD_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
_NUMBERS = (bool, int, float, complex, np.number)


class _Options(NamedTuple):
    """How two values are compared."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    allow_subclasses: bool
    device: bool
    dtype: bool
    layout: bool
    stride: bool
    msg: str | Callable[[str], str] | None

    def tolerances(self, *dtypes: str) -> tuple[float, float]:
        found = [_TOLERANCES.get(name, (0.0, 0.0)) for name in dtypes]
        rtol = max(r for r, _ in found) if self.rtol is None else self.rtol
        return rtol, max(a for _, a in found) if self.atol is None else self.atol


def assert_close(
    actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
    check_dtype=True, check_layout=True, check_stride=False, msg=None,
):  # fmt: skip
    """Refuse values that differ: ``abs(actual - expected) > atol + rtol * abs(expected)`` for an element.

    Parameters
    ----------
    actual, expected: tensors, arrays of NumPy, Python numbers, bools or None; or sequences or mappings of them.
    allow_subclasses: whether one may be of a class derived from the other's.
    rtol, atol: tolerances, both or none; those of the dtypes by default, 0 for integers and bools.
    equal_nan: whether two nans are equal.
    check_device, check_dtype, check_layout, check_stride: whether these have to be equal.
    msg: the error's message, or a function of the message that it would have.

    Raises
    ------
    AssertionError: the values, their shapes, or what is checked besides differ.
    ValueError: one tolerance is given without the other.
    TypeError: two values cannot be compared with one another.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.testing.assert_close({"x": torch.ones(2), "n": 3}, {"x": torch.ones(2) + 1e-7, "n": 3})
    >>> torch.testing.assert_close(torch.tensor([1, 2, 3]), torch.tensor([1, 2, 5]))
    Traceback (most recent call last):
    AssertionError: Tensor-likes are not equal!
    <BLANKLINE>
    Mismatched elements: 1 / 3 (33.3%)
    Greatest absolute difference: 2 at index (2,)
    Greatest relative difference: 0.4000000059604645 at index (2,)
    """
    if (rtol is None) != (atol is None):
        raise ValueError("Both 'rtol' and 'atol' must be either specified or omitted")
    options = _Options(
        rtol, atol, equal_nan, allow_subclasses, check_device, check_dtype, check_layout, check_stride, msg
    )
    _compare(actual, expected, options, "")


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """Refuse tensors that differ, as `assert_close` does, with other tolerances: a deprecated function.

    Parameters
    ----------
    actual, expected: tensors, or what `torch.tensor` makes tensors of. Their dtypes may differ.
    rtol, atol: tolerances, both or none; those of the dtypes by default.
    equal_nan: whether two nans are equal.
    msg: the error's message.

    Raises
    ------
    AssertionError: the values or their shapes differ.
    ValueError: one tolerance is given without the other.
    """
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12. Use `torch.testing.assert_close()` instead",
        FutureWarning,
        stacklevel=2,
    )
    tensor: Any = torch.tensor
    actual = actual if isinstance(actual, Tensor) else tensor(actual)
    expected = expected if isinstance(expected, Tensor) else tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        found = [_OLD_TOLERANCES.get(_dtype(x), (0.0, 0.0)) for x in (actual, expected)]
        rtol, atol = max(r for r, _ in found), max(a for _, a in found)
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None
    )  # fmt: skip


def _dtype(x: Any) -> str:
    return str(x.dtype).removeprefix("torch.")


def _refuse(message: str, where: str, options: _Options) -> None:
    message += f"\n\nThe failure occurred for item {where}" if where else ""
    if options.msg is not None:
        message = options.msg(message) if callable(options.msg) else options.msg
    raise AssertionError(message)


def _compare(actual: Any, expected: Any, options: _Options, where: str) -> None:
    """Compare two values, and what they contain."""
    both = (actual, expected)
    if all(isinstance(x, Sequence) and not isinstance(x, str) for x in both):
        if len(actual) != len(expected):
            lengths = f"{len(actual)} != {len(expected)}"
            _refuse(f"The length of the sequences do not match: {lengths}", where, options)
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            _compare(a, b, options, f"{where}[{i}]")
    elif all(isinstance(x, Mapping) for x in both):
        if actual.keys() != expected.keys():
            lists = f"{[*(actual.keys() - expected.keys())]} and {[*(expected.keys() - actual.keys())]}"
            _refuse(f"The keys of the mappings do not match: they alone have {lists}", where, options)
        for key in actual:
            _compare(actual[key], expected[key], options, f"{where}[{key!r}]")
    elif actual is None or expected is None:
        if actual is not expected:
            _refuse(f"None mismatch: {actual} is not {expected}", where, options)
    elif all(isinstance(x, (bool, np.bool_)) for x in both):
        if actual != expected:
            _refuse(f"Booleans mismatch: {actual} is not {expected}", where, options)
    elif all(isinstance(x, _NUMBERS) for x in both):
        _compare_numbers(actual, expected, options, where)
    else:
        related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
        if (
            not related
            or not isinstance(actual, (Tensor, np.ndarray))
            or not (options.allow_subclasses or type(actual) is type(expected))
        ):
            at = f"\n\nThe failure occurred for item {where}" if where else ""
            raise TypeError(
                f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.{at}"
            )
        _compare_tensors(torch.as_tensor(actual), torch.as_tensor(expected), options, where)


def _compare_numbers(actual: Any, expected: Any, options: _Options, where: str) -> None:
    kinds = [type(x.item() if isinstance(x, np.generic) else x) for x in (actual, expected)]
    if options.dtype and kinds[0] is not kinds[1]:
        _refuse(f"The (d)types do not match: {kinds[0]} != {kinds[1]}.", where, options)
    rtol, atol = options.tolerances(*[{float: "float64", complex: "complex128"}.get(k, "int64") for k in kinds])
    if actual == expected or (options.equal_nan and actual != actual and expected != expected):
        return
    difference = abs(actual - expected)
    if difference <= atol + rtol * abs(expected) and abs(actual) != float("inf") != abs(expected):
        return
    word = "close" if rtol or atol else "equal"
    _refuse(
        f"Scalars are not {word}!\n\nExpected {expected} but got {actual}.\nAbsolute difference: {difference}"
        + (f" (up to {atol} allowed)" if rtol or atol else "")
        + f"\nRelative difference: {difference / abs(expected) if expected else float('inf')}"
        + (f" (up to {rtol} allowed)" if rtol or atol else ""),
        where,
        options,
    )


def _compare_tensors(actual: Any, expected: Any, options: _Options, where: str) -> None:
    checked = {
        "shape": True, "device": options.device, "dtype": options.dtype, "layout": options.layout,
    }  # fmt: skip
    for name, asked in checked.items():
        values = getattr(actual, name), getattr(expected, name)
        if asked and values[0] != values[1]:
            _refuse(f"The values for attribute {name!r} do not match: {values[0]} != {values[1]}.", where, options)
    if options.stride and actual.stride() != expected.stride():
        found = f"{actual.stride()} != {expected.stride()}"
        _refuse(f"The values for attribute 'stride()' do not match: {found}.", where, options)
    rtol, atol = options.tolerances(_dtype(actual), _dtype(expected))
    with torch.no_grad():
        dtype = torch.promote_types(actual.dtype, expected.dtype)
        a, b = actual.detach().to(dtype), expected.detach().to(dtype)
        equal = torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
        if not bool(equal.all()):
            _refuse(_difference(a, b, equal, rtol, atol), where, options)


def _difference(actual: Any, expected: Any, equal: Any, rtol: float, atol: float) -> str:
    """The message for tensors that differ: in how many elements, and by how much at most."""
    exact = not (rtol or atol)
    whole = actual.dtype in _WHOLE
    a, b = (x.to(torch.int64) for x in (actual, expected)) if whole else (actual, expected)
    distance = torch.abs(a - b)
    distance = torch.where(equal, torch.zeros_like(distance), distance)
    relative = distance / torch.abs(b)
    relative = torch.where(equal, torch.zeros_like(relative), relative)
    lines = []
    for word, values, limit in (("absolute", distance, atol), ("relative", relative, rtol)):
        worst = int(torch.argmax(values.flatten()))
        at = tuple(int(i) for i in np.unravel_index(worst, tuple(values.shape)))
        allowed = "" if exact else f" (up to {limit} allowed)"
        lines.append((word, values.flatten()[worst].item(), at, allowed))
    if not actual.dim():
        head = (
            f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {expected.item()} but got {actual.item()}."
        )
        return head + "".join(f"\n{word.title()} difference: {value}{allowed}" for word, value, _, allowed in lines)
    wrong, count = int((~equal).sum()), equal.numel()
    return (
        f"Tensor-likes are not {'equal' if exact else 'close'}!\n\n"
        f"Mismatched elements: {wrong} / {count} ({100 * wrong / count:.1f}%)"
        + "".join(f"\nGreatest {word} difference: {value} at index {at}{allowed}" for word, value, at, allowed in lines)
    )


_WHOLE = frozenset((torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64))
