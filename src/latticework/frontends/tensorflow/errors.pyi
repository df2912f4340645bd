"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import BaseException as _BaseException, Exception as _Exception, int as _int, str as _str
from typing import Any as _Any

_OpError = OpError
__all__ = ["AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError", "FailedPreconditionError", "InternalError", "InvalidArgumentError", "NotFoundError", "OpError", "OutOfRangeError", "PermissionDeniedError", "ResourceExhaustedError", "UnauthenticatedError", "UnavailableError", "UnimplementedError", "UnknownError"]

class AbortedError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class AlreadyExistsError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class CancelledError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class DataLossError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class DeadlineExceededError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class FailedPreconditionError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class InternalError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class InvalidArgumentError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class NotFoundError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class OpError(_Exception):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class OutOfRangeError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class PermissionDeniedError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class ResourceExhaustedError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class UnauthenticatedError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class UnavailableError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class UnimplementedError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class UnknownError(_OpError):
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any

















ConversionError: _Any
invalid: _Any
translated: _Any
translated_of_numpy: _Any
