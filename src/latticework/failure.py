"""From a framework's own error to one that says what was given and what to do. Runs only after a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .array import Array
from .errors import AxisError, BackendError

if TYPE_CHECKING:
    from .op import Op

#: Built-in classes, the most specific first: an error keeps the first that it is an instance of.
_CLASSES: tuple[type[Exception], ...] = (
    OverflowError, ZeroDivisionError, MemoryError, NotImplementedError, IndexError, KeyError, ValueError, TypeError,
    AttributeError, RuntimeError,
)  # fmt: skip

#: Words in PyTorch's RuntimeErrors that tell a mistake in the shapes or values from a failure of its own.
_ABOUT_VALUES = ("size", "shape", "dimension", "must match", "invalid for input", "negative", "expected", "singular")


def explain(
    op: Op, error: Exception, operands: tuple[Any, ...], args: tuple[Any, ...] = (), kw: dict[str, Any] | None = None
) -> Exception:
    """The error to raise in place of `error`: of the fitting built-in class, with the function and what it got."""
    kw = kw or {}
    # Already ours: raised by a function inside a composition, or by the check of a scalar.
    if str(error).startswith((f"{op.name}:", f"{op.name.rpartition('.')[2]}:")) or hasattr(error, "explained"):
        return error
    given = ", ".join(_describe(x) for x in operands)
    options = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in kw.items())])
    got = f" Got {', '.join(filter(None, (given, options)))}." if given or options else ""
    result = _axis_error(op, operands, args, kw) or _shape_error(op, error, operands)
    if result is None:
        text = str(error).strip().split("\n")[0].rstrip(".") or type(error).__name__
        result = _class_of(error)(f"{op.name}: {text}.{got}")
    result.explained = True  # type: ignore[attr-defined]
    return result


def _describe(x: Any) -> str:
    if isinstance(x, Array):
        return f"{x.dtype} array of shape {x.shape}"
    return f"{type(x).__name__} {x!r}"[:80]


def _class_of(error: Exception) -> type[Exception]:
    if type(error).__name__ in ("LinAlgError", "_LinAlgError"):
        from .linalg import LinAlgError

        return LinAlgError
    text = str(error).lower()
    if "not implemented for" in text:
        return BackendError
    if isinstance(error, RuntimeError) and any(word in text for word in _ABOUT_VALUES):
        return ValueError
    return next((c for c in _CLASSES if isinstance(error, c)), RuntimeError)


def _axis_error(op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> Exception | None:
    """An `AxisError` where an axis is out of bounds of the first operand."""
    arrays = [x for x in operands if isinstance(x, Array)]
    if not arrays:
        return None
    given = op.signature.bind_partial(*([arrays] if op.sequence else operands), *args, **kw).arguments
    axis = given.get("axis", given.get("axes"))
    ndim = arrays[0].ndim + (1 if op.name in ("expand_dims", "stack") else 0)
    if op.name == "expand_dims" and isinstance(axis, tuple):
        ndim = arrays[0].ndim + len(axis)
    for a in axis if isinstance(axis, (tuple, list)) else (axis,):
        if isinstance(a, int) and not -ndim <= a < ndim:
            shape = f"of shape {arrays[0].shape}"
            bounds = f"axes are {-ndim} to {ndim - 1}" if ndim else "it has no axes"
            return AxisError(f"{op.name}: axis {a} is out of bounds for an array {shape}; {bounds}")
    return None


def _shape_error(op: Op, error: Exception, operands: tuple[Any, ...]) -> Exception | None:
    """A ValueError with both shapes, where two operands do not broadcast."""
    text = str(error).lower()
    shapes = [x.shape for x in operands if isinstance(x, Array)]
    if len(shapes) < 2 or not any(s in text for s in ("broadcast", "must match the size", "not match", "expandable")):
        return None
    listed = " and ".join(map(str, shapes))
    return ValueError(f"{op.name}: shapes {listed} do not fit together. They have to be equal or 1 along each axis")
