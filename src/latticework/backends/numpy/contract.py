"""The parts of the contract of a backend on NumPy."""

from __future__ import annotations

from ...backend import Backend
from ...backend.contract import Classes
from . import core, elementwise, elementwise_extended

__all__ = ["NumpyBackend"]


class NumpyBackend(Backend):
    """The NumPy backend."""

    arrays: Classes = core.ARRAY  # which a class of NumPy's arrays replaces
    scalars = core.SCALAR
    elements = core.ELEMENTS
    dtype_class = core.NATIVE_DTYPE
    dtypes = core.DTYPES
    plain_functions = (
        "add.reduce", "multiply.reduce", "maximum.reduce", "minimum.reduce", "ndarray.clip", "ndarray.transpose",
        "ndarray.squeeze", "power", "square", "sqrt", "reciprocal", "positive", "cbrt",
    )  # fmt: skip
    emulated = core.EMULATED
    composed = core.COMPOSED
    refused = core.REFUSED
    quicker = core.QUICKER
    element = None

    array_class = staticmethod(core.array_class)
    dtype_of = staticmethod(core.dtype_of)
    shape_of = staticmethod(core.shape_of)
    native = staticmethod(core.native)
    plain = staticmethod(core.plain)
    duplicate = staticmethod(core.duplicate)
    reinterpret = staticmethod(elementwise_extended.reinterpret)
    cast = staticmethod(core.cast)
    narrow = staticmethod(core.narrow)
    cast_from = staticmethod(core.cast_from)
    scalar = staticmethod(core.scalar)
    zero_dim = staticmethod(core.zero_dim)
    takes_scalar = staticmethod(core.takes_scalar)
    item = staticmethod(core.item)
    devices = staticmethod(core.devices)
    device_name = staticmethod(core.device_name)
    native_device = staticmethod(core.native_device)
    device_of = staticmethod(core.device_of)
    to_device = staticmethod(core.to_device)
    index = staticmethod(core.index)
    assign = staticmethod(core.assign)
    assign_own = staticmethod(core.assign_own)
    watching = core.WATCHING
    describe_index = staticmethod(core.describe_index)
    index_array = staticmethod(core.index_array)
    reshape_method = staticmethod(core.reshape_method)
    in_place = staticmethod(core.in_place)
    overwrite = staticmethod(core.overwrite)
    to_numpy = staticmethod(core.to_numpy)
    from_numpy = staticmethod(core.from_numpy)
    take_numpy = staticmethod(core.take_numpy)
    dlpack = staticmethod(core.dlpack)
    from_dlpack = staticmethod(core.from_dlpack)
    around = staticmethod(elementwise._around)
    promotes = staticmethod(core.promotes)
    error_text = staticmethod(core.error_text)
