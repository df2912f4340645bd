"""The parts of the contract that a backend leaves to another one, whose calls it records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core.dtypes import Dtype
from ..core.signature import Sig
from .contract import Backend

__all__ = ["Delegating"]


class Delegating(Backend):
    """A backend that records the calls of another one: it has the same dtypes, devices, emulations and errors.

    Attributes
    ----------
    target: the backend that computes.
    """

    target: Backend

    @property
    def dtype_class(self) -> type:
        return self.target.dtype_class

    @property
    def index_dtype(self) -> Dtype:
        return self.target.index_dtype

    def sig(self, dtype: Dtype) -> Sig:
        self.target.sig(dtype)  # refuses dtypes that it does not have, in its words
        return super().sig(dtype)

    def takes_scalar(self, function: str, position: int, dtype: Dtype) -> bool:
        return self.target.takes_scalar(function, position, dtype)

    def records(self, arrays: Sequence[Any]) -> bool:
        return True

    def devices(self) -> Sequence[str]:
        return self.target.devices()

    def device_name(self, device: object) -> str:
        return self.target.device_name(device)

    def native_device(self, name: Any) -> Any:
        return self.target.native_device(str(self.target.device(str(name))))

    def emulates(self, name: str, dtype: Dtype) -> bool:
        return self.target.emulates(name, dtype)

    def guarded(
        self, kernel: Callable[..., Any], again: Callable[[], Any], dtypes: Iterable[Dtype], positions: bool
    ) -> Callable[..., Any]:
        return self.target.guarded(kernel, again, dtypes, positions)

    def raises_itself(self, error: Exception) -> bool:
        return self.target.raises_itself(error)

    def error_class(self, error: Exception) -> type[Exception] | None:
        return self.target.error_class(error)

    def error_text(self, error: Exception) -> str:
        return self.target.error_text(error)
