"""From a framework's own error to one that says what was given and what to do. Runs only after a failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import AxisError, BackendError, LinAlgError
from .array import Array

if TYPE_CHECKING:
    from .op import Op

#: function -> what finds out, once a call of it failed, what is wrong with its arguments. Calls that do not fail
#: never run it, so a chapter can say here in its own words what every framework says differently.
CHECKS: dict[str, Callable[..., Exception | None]] = {}

#: Built-in classes, the most specific first: an error keeps the first that it is an instance of.
_CLASSES: tuple[type[Exception], ...] = (
    OverflowError, ZeroDivisionError, MemoryError, NotImplementedError, IndexError, KeyError, ValueError, TypeError,
    AttributeError, RuntimeError,
)  # fmt: skip

#: Words in PyTorch's RuntimeErrors that tell a mistake in the shapes or values from a failure of its own.
_ABOUT_VALUES = ("size", "shape", "dimension", "must match", "invalid for input", "negative", "expected", "singular")


def translate(
    op: Op, error: Exception, operands: tuple[Any, ...], args: tuple[Any, ...] = (), kw: dict[str, Any] | None = None
) -> Exception:
    """The error to raise from `error`: of the fitting built-in class, with the function and what it got.

    Where `error` says that already it is raised from here, for raised from itself it would be its own cause.
    """
    kw = kw or {}
    if any(x._sig.backend.raises_itself(error) for x in operands if isinstance(x, Array)):
        raise error
    if isinstance(error, BackendError):  # of arguments that do not fit, it is not for the backend
        tried = error.__cause__
        found = isinstance(tried, Exception) and (
            _checked(op, operands, args, kw) or _axis_error(op, operands, args, kw) or _shape_error(op, tried, operands)
        )
        if not found:
            raise error
        return found
    if (found := _checked(op, operands, args, kw)) is not None:
        found.explained = True  # type: ignore[attr-defined]
        return found
    # Already ours: raised by a function inside a composition, or by the check of a scalar.
    # (torch begins its own RuntimeErrors like this too.)
    named = str(error).startswith((f"{op.name.lstrip('_')}:", f"{op.name.rpartition('.')[2]}:"))
    if hasattr(error, "explained") or (named and not isinstance(error, RuntimeError)):
        raise error
    shown = [_describe(x) for x in operands if x is not None]
    shown += [*map(_shown, args), *(f"{name}={_shown(value)}" for name, value in kw.items())]
    got = f" Got {', '.join(shown)}." if shown else ""
    result = _axis_error(op, operands, args, kw) or _shape_error(op, error, operands)
    if result is None:
        text = _text(error).removeprefix(f"{op.name}: ") or type(error).__name__
        result = _class_of(error, operands)(f"{op.name.lstrip('_')}: {text}.{got}")
    result.explained = True  # type: ignore[attr-defined]
    return result


def _checked(op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> Exception | None:
    """What the function's own check finds wrong with the arguments."""
    if any(None in x.shape for x in operands if isinstance(x, Array)):
        return None  # there is nothing to find out of extents that are not known before they are computed
    check = CHECKS.get(op.name)
    return None if check is None else check(*operands, *args, **kw)


#: TensorFlow's own error classes, which are none of Python's, and what they are here.
_TENSORFLOWS = {
    "InvalidArgumentError": ValueError, "OutOfRangeError": IndexError, "ResourceExhaustedError": MemoryError,
    "NotFoundError": BackendError, "UnimplementedError": BackendError,
}  # fmt: skip


def _text(error: Exception) -> str:
    """The first line of what a framework says, without the names of nodes that TensorFlow puts around it."""
    text = str(error).strip().split("\n")[0].rstrip(".")
    if type(error).__name__ in _TENSORFLOWS:
        text = text.rpartition("}} ")[2].partition(" [Op:")[0].rstrip(".")
    return text


def _describe(x: Any) -> str:
    if isinstance(x, Array):
        return f"{x.dtype} array of shape {x.shape}"
    return f"{type(x).__name__} {x!r}"[:80]


def _shown(option: Any) -> str:
    return _describe(option) if isinstance(option, Array) else repr(option)


def _class_of(error: Exception, operands: tuple[Any, ...]) -> type[Exception]:
    if type(error).__name__ in ("LinAlgError", "_LinAlgError"):
        return LinAlgError
    if type(error).__module__.startswith("tensorflow."):
        return _TENSORFLOWS.get(type(error).__name__, RuntimeError if not isinstance(error, TypeError) else TypeError)
    text = str(error).lower()
    if "not implemented for" in text:
        return BackendError
    if "without overflow" in text:
        return OverflowError  # PyTorch's own, of a Python number that its narrow floats do not hold
    about_values = any(word in text for word in _ABOUT_VALUES)
    if about_values and isinstance(error, RuntimeError):
        return ValueError
    if about_values and isinstance(error, TypeError) and any(getattr(x, "backend", "") == "jax" for x in operands):
        return ValueError  # JAX has TypeErrors for shapes that do not fit
    return next((c for c in _CLASSES if isinstance(error, c)), RuntimeError)


def _axis_error(op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> Exception | None:
    """An `AxisError` where an axis is out of bounds of the first operand."""
    arrays = [x for x in operands if isinstance(x, Array)]
    if not arrays or op.name == "tensordot":  # whose axes are a number of them, or two lists
        return None
    bound = op.signature.bind_partial(*([arrays] if op.sequence else operands), *args, **kw)
    bound.apply_defaults()  # of `sort`, -1: an axis that a 0-d array does not have
    given = bound.arguments
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


#: Words in the errors of all frameworks that tell of shapes.
_ABOUT_SHAPES = ("broadcast", "must match the size", "not match", "expandable", "incompatible shapes", "must be equal")


def _shape_error(op: Op, error: Exception, operands: tuple[Any, ...]) -> Exception | None:
    """A ValueError with both shapes, where two operands do not broadcast."""
    text = str(error).lower()
    shapes = [x.shape for x in operands if isinstance(x, Array)]
    if len(shapes) < 2 or not any(s in text for s in _ABOUT_SHAPES):
        return None
    listed = " and ".join(map(str, shapes))
    return ValueError(f"{op.name}: shapes {listed} do not fit together. They have to be equal or 1 along each axis")
