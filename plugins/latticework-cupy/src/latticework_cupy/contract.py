"""The contract of a backend on CuPy: what `of_namespace` cannot know.

CuPy's functions are called by array-api-compat's namespace of it, which has the names and options of the standard.
CuPy computes on the current device and in the current stream: neither is changed here.
"""

from __future__ import annotations

from typing import Any

import array_api_compat.cupy as xp
import cupy
import numpy as np

from latticework.backend import of_namespace
from latticework.errors import BackendError

__all__ = ["CupyBackend", "numpy_like"]

#: DLPack's number of the memory of a CPU.
_CPU = 1


def numpy_like(xp: Any, *, arrays: type, devices: dict[str, Any] | None) -> Any:
    """Make the class of a backend of a namespace whose arrays have NumPy's methods: CuPy's, and NumPy's to test it."""
    # Its outer takes arrays without axes as well.
    spelled = {"linalg.outer": None}
    namespace: Any = of_namespace(xp, arrays=arrays, devices=devices, views_bits=True, spelled=spelled)

    class NumpyLike(namespace):
        def duplicate(self, data: Any) -> Any:
            return data.copy()

        def reinterpret(self, data: Any, dtype: Any) -> Any:
            if data.dtype.itemsize < dtype.itemsize:
                return data.copy().view(dtype)[..., 0]
            return data[..., None].copy().view(dtype) if data.dtype.itemsize > dtype.itemsize else data.view(dtype)

    return NumpyLike


def _devices() -> tuple[dict[str, Any], str]:
    """Return CuPy's devices by name, the current one first, and why there are none."""
    try:
        current, count = cupy.cuda.Device().id, cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return {}, str(error)
    order = sorted(range(count), key=lambda i: i != current)
    return {f"cuda:{i}": cupy.cuda.Device(i) for i in order}, "" if count else "CUDA finds no device"


_DEVICES, _WHY = _devices()
_Namespace: Any = numpy_like(xp, arrays=cupy.ndarray, devices=_DEVICES)


class CupyBackend(_Namespace):
    """The backend of CuPy.

    Raises
    ------
    BackendError: there is no GPU.
    """

    def __init__(self, name: str, module: Any) -> None:
        if not _DEVICES:
            raise BackendError(f"the {name} backend needs a GPU, and CuPy has none: {_WHY}")
        super().__init__(name, module)

    def device_name(self, device: Any) -> str:
        return super().device_name(f"cuda:{device.id}" if isinstance(device, cupy.cuda.Device) else device)

    def to_device(self, data: Any, device: Any, stream: Any) -> Any:
        if stream is not None:
            raise ValueError("to_device: latticework leaves streams to CuPy: with cupy.cuda.Stream(): ...")
        if data.device == device:
            return data
        with device:
            return data.copy()

    def to_numpy(self, data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on a GPU cannot become a numpy.ndarray without a copy")
        found = cupy.asnumpy(data)
        return found if dtype is None else found.astype(dtype, copy=False)

    def from_dlpack(self, x: Any, device: str | None, copy: bool | None) -> Any:
        place = _DEVICES[self.device_name(device)] if device is not None else None
        if x.__dlpack_device__()[0] == _CPU:
            return self.from_numpy(np.from_dlpack(x), place, copy)
        made = cupy.from_dlpack(x)
        moved = made if place is None else self.to_device(made, place, None)
        if copy is False and moved is not made:
            raise ValueError(f"from_dlpack: an array on another device cannot come to {device} without a copy")
        return moved.copy() if copy and moved is made else moved
