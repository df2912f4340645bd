"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import BaseException as _BaseException, Exception as _Exception, int as _int, str as _str
from typing import Any as _Any

_OpError = OpError
_AbortedError = AbortedError
_AlreadyExistsError = AlreadyExistsError
_CancelledError = CancelledError
_DataLossError = DataLossError
_DeadlineExceededError = DeadlineExceededError
_FailedPreconditionError = FailedPreconditionError
_InternalError = InternalError
_InvalidArgumentError = InvalidArgumentError
_NotFoundError = NotFoundError
_OutOfRangeError = OutOfRangeError
_PermissionDeniedError = PermissionDeniedError
_ResourceExhaustedError = ResourceExhaustedError
_UnauthenticatedError = UnauthenticatedError
_UnavailableError = UnavailableError
_UnimplementedError = UnimplementedError
_UnknownError = UnknownError
__all__ = ["AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError", "FailedPreconditionError", "InternalError", "InvalidArgumentError", "NotFoundError", "OpError", "OutOfRangeError", "PermissionDeniedError", "ResourceExhaustedError", "UnauthenticatedError", "UnavailableError", "UnimplementedError", "UnknownError"]

class AbortedError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class AlreadyExistsError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class CancelledError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class DataLossError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class DeadlineExceededError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class FailedPreconditionError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class InternalError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class InvalidArgumentError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class NotFoundError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
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
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class PermissionDeniedError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class ResourceExhaustedError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class UnauthenticatedError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class UnavailableError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class UnimplementedError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any
class UnknownError(_OpError):
    def __init__(self, node_def: _Any = ..., op: _Any = ..., message: _str = ..., *args: _Any) -> None: ...
    code: _int
    error_code: _Any
    message: _Any
    node_def: _Any
    op: _Any

















ConversionError: _Any
invalid: _Any
translated: _Any
translated_of_numpy: _Any
