"""`tf.errors`: the classes of errors that TensorFlow's kernels raise, and the conversion of latticework's errors."""

from __future__ import annotations

from typing import Any

from ...errors import BackendError, NoDataError, PromotionError

__all__ = [
    "AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError",
    "FailedPreconditionError", "InternalError", "InvalidArgumentError", "NotFoundError", "OpError", "OutOfRangeError",
    "PermissionDeniedError", "ResourceExhaustedError", "UnauthenticatedError", "UnavailableError",
    "UnimplementedError", "UnknownError",
]  # fmt: skip


class OpError(Exception):
    """An error of a kernel, with a message and the code of its kind.

    Attributes
    ----------
    message: what went wrong.
    error_code: the number of the kind of error.
    node_def, op: None. There is no graph that the kernel is in.
    """

    code = 2

    def __init__(self, node_def: Any = None, op: Any = None, message: str = "", *args: Any) -> None:
        super().__init__(message)
        self.node_def, self.op, self.message, self.error_code = node_def, op, message, self.code

    def __str__(self) -> str:
        return self.message


class CancelledError(OpError):
    """A call that was given up."""

    code = 1


class UnknownError(OpError):
    """An error of no other class."""

    code = 2


class InvalidArgumentError(OpError):
    """An argument of a dtype, shape or value that the function does not take."""

    code = 3


class DeadlineExceededError(OpError):
    """A call that took too long."""

    code = 4


class NotFoundError(OpError):
    """A thing, such as a kernel for a dtype, that there is not."""

    code = 5


class AlreadyExistsError(OpError):
    """A thing that there is already."""

    code = 6


class PermissionDeniedError(OpError):
    """A thing that the caller may not do."""

    code = 7


class ResourceExhaustedError(OpError):
    """Memory that ran out."""

    code = 8


class FailedPreconditionError(OpError):
    """A state in which the call cannot be made."""

    code = 9


class AbortedError(OpError):
    """A call that was stopped."""

    code = 10


class OutOfRangeError(OpError):
    """A position behind the end."""

    code = 11


class UnimplementedError(OpError):
    """A case that the kernel does not do."""

    code = 12


class InternalError(OpError):
    """A state that should not be."""

    code = 13


class UnavailableError(OpError):
    """A service that does not answer."""

    code = 14


class DataLossError(OpError):
    """Data that was lost."""

    code = 15


class UnauthenticatedError(OpError):
    """A caller who is not known."""

    code = 16


#: The functions that raise Python's own classes of errors.
_PLAIN = frozenset("int float complex bool len __index__".split())


class ConversionError(ValueError):
    """A value that becomes no tensor, which is a `ValueError` in TensorFlow too."""


def _is_conversion(text: str, name: str) -> bool:
    """Return whether TensorFlow fails before its kernel, where it converts a Python number to a tensor's dtype."""
    if "the int does not" in text:
        return True
    if name == "divide":
        return True
    if "no common dtype" not in text:
        return False
    if "tensorflow-safe rules" in text or "tensorflow-all rules" in text:
        return True
    if name == "add":  # its second operand becomes what it can be, and the kernel refuses that
        return text.partition(": ")[2].startswith("a Python")
    return "a Python" in text


def translated(error: Exception, name: str) -> Exception:
    """Return TensorFlow's error for an error of latticework: where a kernel refuses, an `InvalidArgumentError`."""
    if isinstance(error, (OpError, BackendError, NoDataError)):
        return error
    if isinstance(error, PromotionError):
        return TypeError(str(error)) if _is_conversion(str(error), name) else invalid(error)
    if name in _PLAIN or type(error) is ConversionError:
        return ValueError(str(error)) if isinstance(error, ValueError) else error
    if isinstance(error, (ValueError, IndexError, ZeroDivisionError)):
        return invalid(error)
    return error


def translated_of_numpy(error: Exception, name: str) -> Exception:
    """Like `translated`, for `tf.experimental.numpy`, where NumPy itself says which dtypes promote."""
    if isinstance(error, PromotionError) and "casts to the other safely" in str(error):
        from numpy.exceptions import DTypePromotionError

        return DTypePromotionError(str(error))
    return translated(error, name)


def invalid(reason: object) -> InvalidArgumentError:
    """An `InvalidArgumentError` with this text."""
    return InvalidArgumentError(None, None, str(reason))
