"""The extents of what a loop makes, and the condition that its operands broadcast as when the program was traced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..nodes import Value
from .slices import Slice

__all__ = ["Slices", "extent", "extents_of", "fitting"]

#: The slices that a loop reads in place, by their ids.
Slices = Mapping[int, Slice]


def extents_of(
    shape: tuple[int, ...],
    arrays: list[Value],
    names: dict[int, str],
    slices: Slices = MappingProxyType({}),
) -> str:
    """Write the shape of a result that no operand has, as an expression."""
    whole = [v for v in arrays if id(v) not in slices]
    parts = []
    for k in range(len(shape)):
        part = extent(k, shape, whole, names)
        back = k - len(shape)
        cut = (v for v in arrays if id(v) in slices and len(v.shape) >= -back and v.shape[back] == shape[k])
        found = next(cut, None)
        if part == "1" != str(shape[k]) and found is not None:
            part = slices[id(found)].extent(len(found.shape) + back, names[id(found)])
            part = f"max({part}, 0)" if "-" in part else part
        parts.append(part)
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def extent(axis: int, shape: tuple[int, ...], arrays: list[Value], names: dict[int, str]) -> str:
    """Write the extent of an axis of what has a shape: of an operand that has it."""
    n, back = shape[axis], axis - len(shape)
    v = next((v for v in arrays if len(v.shape) >= -back and v.shape[back] == n), None)
    return "1" if v is None or n == 1 else f"{names[id(v)]}.shape[{len(v.shape) + back}]"


def fitting(
    arrays: Sequence[Value],
    names: dict[int, str],
    shape: tuple[int, ...],
    result: str,
    slices: Slices = MappingProxyType({}),
) -> str:
    """Write the condition that operands broadcast to the result as they did when the program was traced."""
    found = [x for v in arrays for x in _fitting(v, names[id(v)], shape, result, slices.get(id(v)))]
    return " and ".join(dict.fromkeys(found))


def _fitting(v: Value, name: str, shape: tuple[int, ...], result: str, cut: Slice | None) -> list[str]:
    if cut is not None:
        own = [k + len(shape) - len(v.shape) for k in range(len(v.shape))]
        wanted = ["1" if n == 1 != shape[k] else f"{result}.shape[{k}]" for n, k in zip(v.shape, own, strict=True)]
        return [cut.fits(k, name, n) for k, n in enumerate(wanted)]
    if v.shape == shape:
        return [f"{name}.shape == {result}.shape"]
    parts = []
    for k, n in enumerate(v.shape):
        axis = len(shape) - len(v.shape) + k
        parts.append(f"{name}.shape[{k}] == " + ("1" if n == 1 != shape[axis] else f"{result}.shape[{axis}]"))
    return parts
