"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from typing import Any as _Any

_ForwardAccumulator = ForwardAccumulator
__all__ = ["ForwardAccumulator", "GradientTape"]

class ForwardAccumulator:
    def __enter__(self) -> _ForwardAccumulator: ...
    def __exit__(self, *args: _Any) -> None: ...
    def __init__(self, primals: _Any, tangents: _Any) -> None: ...
    def jvp(self, primals: _Any, unconnected_gradients: _Any = ...) -> _Any: ...

from latticework.frontends.tensorflow import GradientTape as GradientTape
