"""The parts of the contract of a backend on Dask."""

from __future__ import annotations

from ...backend import Backend
from . import blocks, core, creation, elementwise_extended, graphs, indexing, manipulation

__all__ = ["DaskBackend"]


class DaskBackend(Backend):
    """The Dask backend."""

    arrays = core.ARRAY
    dtype_class = core.NATIVE_DTYPE
    dtypes = core.DTYPES
    emulated = core.EMULATED
    refused = core.REFUSED
    loop_graphs = graphs.LoopGraphs

    array_class = staticmethod(core.array_class)
    dtype_of = staticmethod(core.dtype_of)
    shape_of = staticmethod(core.shape_of)
    native = staticmethod(core.native)
    plain = staticmethod(core.plain)
    duplicate = staticmethod(core.duplicate)
    reinterpret = staticmethod(elementwise_extended.reinterpret)
    cast = staticmethod(core.cast)
    narrow = staticmethod(core.narrow)
    scalar = staticmethod(core.scalar)
    takes_scalar = staticmethod(core.takes_scalar)
    item = staticmethod(core.item)
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
    to_numpy = staticmethod(core.to_numpy)
    from_numpy = staticmethod(core.from_numpy)
    take_numpy = staticmethod(core.take_numpy)
    dlpack = staticmethod(core.dlpack)
    dlpack_device = staticmethod(core.dlpack_device)
    from_dlpack = staticmethod(core.from_dlpack)
    promotes = staticmethod(core.promotes)
    compute = staticmethod(core.compute)
    in_this_thread = staticmethod(core.in_this_thread)
    like = staticmethod(creation.like)
    in_blocks_of = staticmethod(manipulation.in_blocks_of)
    dtype_of_blocks = staticmethod(blocks.dtype_of_blocks)
