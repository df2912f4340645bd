"""The parts of the contract of a backend on PyTorch."""

from __future__ import annotations

from ...backend import Backend
from . import core, elementwise_extended, gpu, indexing, manipulation, shared, transformations

__all__ = ["TorchBackend"]


class TorchBackend(Backend):
    """The PyTorch backend."""

    arrays = core.ARRAY
    dtype_class = core.NATIVE_DTYPE
    dtypes = core.DTYPES
    plain_functions = (
        "sum", "prod", "amax", "amin", "max", "min", "mean", "var", "std", "clamp", "permute", "softmax", "log_softmax",
        "square",
    )  # fmt: skip
    may_differentiate = staticmethod(shared.recorded)
    emulated = core.EMULATED
    composed = core.COMPOSED
    refused = core.REFUSED
    quicker = core.QUICKER
    reflected = core.REFLECTED
    transformations = transformations
    int_as_float = float  # torch takes no Python int of 2**64 or more, though a float tensor holds it
    linalg_error = core.LINALG_ERROR

    array_class = staticmethod(core.array_class)
    dtype_of = staticmethod(core.dtype_of)
    native = staticmethod(core.native)
    native_text = ""
    plain = staticmethod(core.plain)
    duplicate = staticmethod(core.duplicate)
    reinterpret = staticmethod(elementwise_extended.reinterpret)
    cast = staticmethod(core.cast)
    narrow = staticmethod(core.narrow)
    opaque = staticmethod(core.opaque)
    has_data_dependent_shapes = staticmethod(transformations.has_data_dependent_shapes)
    cast_from = staticmethod(core.cast_from)
    scalar = staticmethod(core.scalar)
    takes_scalar = staticmethod(core.takes_scalar)
    item = staticmethod(core.item)
    has_values = staticmethod(core.has_values)
    may_record = staticmethod(core.may_record)
    records = staticmethod(core.records)
    version_of = staticmethod(core.version_of)
    describe = staticmethod(core.describe)
    devices = staticmethod(core.devices)
    device_name = staticmethod(core.device_name)
    native_device = staticmethod(core.native_device)
    device_of = staticmethod(core.device_of)
    to_device = staticmethod(core.to_device)
    index = staticmethod(indexing.index)
    assign = staticmethod(indexing.assign)
    describe_index = staticmethod(indexing.describe_index)
    index_array = staticmethod(indexing.index_array)
    reshape_method = staticmethod(manipulation.reshape_method)
    in_place = staticmethod(core.in_place)
    overwrite = staticmethod(core.overwrite)
    to_numpy = staticmethod(core.to_numpy)
    values = staticmethod(core.values)
    from_numpy = staticmethod(core.from_numpy)
    dlpack = staticmethod(core.dlpack)
    from_dlpack = staticmethod(core.from_dlpack)
    to_pickle = staticmethod(core.to_pickle)
    from_pickle = staticmethod(core.from_pickle)
    on_bits = staticmethod(core.on_bits)
    padded = staticmethod(manipulation.padded)
    promotes = staticmethod(core.promotes)
    error_class = staticmethod(core.error_class)
    raises_itself = staticmethod(core.raises_itself)
    placed = staticmethod(gpu.placed) if gpu.placed else None
