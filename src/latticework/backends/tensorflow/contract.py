"""The parts of the contract of a backend on TensorFlow."""

from __future__ import annotations

from ...backend import Backend
from . import control_flow, core, creation, elementwise_extended, fusion, indexing, transformations

__all__ = ["TensorflowBackend"]


class TensorflowBackend(Backend):
    """The TensorFlow backend."""

    arrays = core.ARRAY
    dtype_class = core.NATIVE_DTYPE
    dtypes = core.DTYPES
    plain_functions = ("matmul", "reduce_sum", "reduce_max", "reduce_min", "reduce_mean")
    may_differentiate = staticmethod(lambda *natives: core.recorded())
    emulated = core.EMULATED
    composed = core.COMPOSED
    refused = core.REFUSED
    reflected = core.REFLECTED
    fused = fusion.FUSED
    control_flow = control_flow
    transformations = transformations
    int_as_float = float

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
    takes_scalar = staticmethod(core.takes_scalar)
    item = staticmethod(core.item)
    may_record = staticmethod(core.may_record)
    records = staticmethod(core.records)
    describe = staticmethod(core.describe)
    devices = staticmethod(core.devices)
    device_name = staticmethod(core.device_name)
    native_device = staticmethod(core.native_device)
    own_device = staticmethod(core.own_device)
    device_of = staticmethod(core.device_of)
    to_device = staticmethod(core.to_device)
    index = staticmethod(indexing.index)
    assign = staticmethod(indexing.assign)
    describe_index = staticmethod(indexing.describe_index)
    index_array = staticmethod(indexing.index_array)
    to_numpy = staticmethod(core.to_numpy)
    values = staticmethod(core.values)
    from_numpy = staticmethod(core.from_numpy)
    dlpack = staticmethod(core.dlpack)
    from_dlpack = staticmethod(core.from_dlpack)
    to_pickle = staticmethod(core.to_pickle)
    from_pickle = staticmethod(core.from_pickle)
    on_bits = staticmethod(core.on_bits)
    fuse = staticmethod(fusion.fuse)
    like = staticmethod(creation.like)
    joint_shape = staticmethod(creation.joint_shape)
    error_class = staticmethod(core.error_class)
    error_text = staticmethod(core.error_text)
