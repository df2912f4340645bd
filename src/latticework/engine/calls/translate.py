"""Translate a framework's own error to one that says what was given and what to do. This runs only after a failure."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...backend import get
from ...errors import BackendError, PromotionError, is_signal
from ...policy import current, in_force
from ..arrays.array import Array, wrapped
from ..plans.advice import by_whom, misplaced, no_array
from ..shapes.extents import UnknownExtentError
from ..shapes.families import result_shapes

if TYPE_CHECKING:
    from ...backend import Backend
    from ..op import Op

#: function -> the check that finds out, once a call of it failed, what is wrong with the values of its operands. The
#: function's shape family tells what is wrong with shapes and axes. Calls that do not fail never run either.
CHECKS: dict[str, Callable[..., Exception | None]] = {}

#: Built-in classes, the most specific first: an error keeps the first that it is an instance of.
_CLASSES: tuple[type[Exception], ...] = (
    OverflowError, ZeroDivisionError, MemoryError, NotImplementedError, IndexError, KeyError, ValueError, TypeError,
    AttributeError, FloatingPointError, RuntimeError,
)  # fmt: skip

#: The fault of a matrix that a function cannot work with: each framework says it in its own words.
_OF_MATRICES = {
    **dict.fromkeys(("linalg.inv", "linalg.solve"), "a matrix is singular"),
    "linalg.cholesky": "a matrix is not positive definite",
}


def translate(
    op: Op, error: Exception, operands: tuple[Any, ...], args: tuple[Any, ...] = (), kw: dict[str, Any] | None = None
) -> Exception:
    """Make the error to raise from `error`: of the fitting built-in class, with the function and what it got.

    If `error` says that already, it is raised here: raised from itself it would be its own cause.
    """
    kw = kw or {}
    backend = next((x._sig.backend for x in operands if isinstance(x, Array)), None) or get(current().backend)
    if backend.raises_itself(error) or is_signal(error):
        raise error
    if isinstance(error, BackendError) and not isinstance(error.__cause__, Exception):
        raise error
    found = misplaced(op, operands, args, kw) or _of_shapes(op, operands, args, kw)
    if found is None and "device" in str(error):
        found = _of_devices(op, operands)
    if found is None and not isinstance(error, (PromotionError, UnknownExtentError)):
        found = _of_values(op, operands, args, kw)
    if found is not None:
        found = by_whom(op.name.lstrip("_"), found)
        found.explained = True  # type: ignore[attr-defined]
        return found
    # Already latticework's own error: raised by a function inside a composition, or by the check of a scalar.
    # (torch begins its own RuntimeErrors like this too.)
    if isinstance(error, (TypeError, ValueError)) and not hasattr(error, "explained"):
        for option, value in _floats(op, args, kw):
            if isinstance(value, Array) and value.dtype.kind in "fc":
                found = no_array(op.name.lstrip("_"), option, value)
                found.explained = True  # type: ignore[attr-defined]
                return found
    named = str(error).startswith((f"{op.name.lstrip('_')}:", f"{op.name.rpartition('.')[2]}:"))
    ours = hasattr(error, "explained") or isinstance(error, BackendError)
    if ours or (named and not isinstance(error, RuntimeError)):
        raise error
    shown = [_describe(x) for x in operands if x is not None]
    shown += [*map(_shown, args), *(f"{name}={_shown(value)}" for name, value in kw.items())]
    got = f" Got {', '.join(shown)}." if shown else ""
    text = backend.error_text(error).removeprefix(f"{op.name}: ") or type(error).__name__
    name, kind = op.name.lstrip("_"), _class_of(error, backend)
    if kind.__name__ == "LinAlgError":  # a class that is not imported before it is needed
        text = _OF_MATRICES.get(name, text)
    result = by_whom(name, kind(f"{name}: {text}.{got}"))
    result.explained = True  # type: ignore[attr-defined]
    return result


def translate_in_place(op: Op, error: Exception, x1: Array, x2: Any) -> Exception:
    """Like `translate`, for ``x1 += x2``: the operands may broadcast together to another shape than that of x1."""
    with suppress(Exception):  # operands that do not broadcast: `translate` says so
        (shape,) = result_shapes(op, (x1, x2), (), {})
        if None not in (*shape, *x1.shape) and shape != x1.shape:
            return ValueError(
                f"{op.name}: in place, the result has the shape {shape}, and the array keeps its shape {x1.shape}. "
                f"Make a new array (x = x + y)"
            )
    return translate(op, error, (x1, x2))


def _floats(op: Op, args: tuple[Any, ...], kw: dict[str, Any]) -> list[tuple[str, Any]]:
    """List the options that are declared as Python floats or complex numbers, with their values."""
    kinds = {n: str(kind) for n, kind in op.function.__annotations__.items()}
    given = [*zip(op.by_position, args, strict=False), *kw.items()]
    return [(n, x) for n, x in given if ("float" in (k := kinds.get(n, "")) or "complex" in k) and "Array" not in k]


def _of_shapes(op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> Exception | None:
    """Return the error that the shape family finds in shapes and axes."""
    if not op.shape:
        return None
    try:
        result_shapes(op, operands, args, kw)
    except (TypeError, ValueError, IndexError) as found:
        return found
    return None


def _of_devices(op: Op, operands: tuple[Any, ...]) -> Exception | None:
    """Return the error for arrays on several devices. A framework that takes them together does not fail."""
    places = [*dict.fromkeys(str(x.device) for x in operands if isinstance(x, Array) and x.ndim)]
    if len(places) < 2:
        return None
    first, second = places[:2]
    return ValueError(
        f"{op.name}: arrays on two devices, {first} and {second}, in one call. Move one: x.to_device({first!r})"
    )


def _of_values(op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> Exception | None:
    """Return the error that the function's own check finds in the values of its operands."""
    if any(None in x.shape for x in operands if isinstance(x, Array)):
        return None  # nothing can be found out of an array that is not computed yet
    check = CHECKS.get(op.name)
    if check is None:
        return None
    args, named = op.by_names(args)
    kw = {name: value for name, value in kw.items() if name != "out"}
    recorded = next((b for x in operands if isinstance(x, Array) and (b := _recorded_for(x))), None)
    if recorded is None:
        return check(*operands, *args, **named, **kw)
    with in_force(current()._with(backend=recorded.name)):  # a trace has values, which its program must not ask for
        return check(*[_with_values(x, recorded) for x in operands], *args, **named, **kw)


def _recorded_for(x: Array) -> Backend | None:
    """Return the backend that the trace of an array is recorded for; None for an array of no trace."""
    backend = x._sig.backend
    return backend.target if backend.recorded else None


def _with_values(x: Any, recorded: Backend) -> Any:
    """Return an array of a trace as an array of the backend that the trace is recorded for."""
    traced = isinstance(x, Array) and _recorded_for(x) is recorded
    return wrapped(x._data.native, recorded.sig(x.dtype)) if traced else x


def _describe(x: Any) -> str:
    if isinstance(x, Array):
        return f"{x.dtype} array of shape {x.shape}"
    return f"{type(x).__name__} {x!r}"[:80]


def _shown(option: Any) -> str:
    return _describe(option) if isinstance(option, Array) else repr(option)


def _class_of(error: Exception, backend: Backend) -> type[Exception]:
    """Return the class of an error as its backend tells it, else the built-in class that it derives from."""
    if type(error).__name__ in ("LinAlgError", "_LinAlgError"):
        from ...core.linalg_error import linalg_error_of

        theirs: Any = backend.linalg_error
        return linalg_error_of(theirs)
    return backend.error_class(error) or next((c for c in _CLASSES if isinstance(error, c)), RuntimeError)
