"""The parts of the contract of a backend on JAX. Its dtypes follow JAX's 64-bit switch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import jax

from ...backend import Backend
from ...core.dtypes import Dtype, int32, int64
from ...core.signature import Sig
from ...errors import BackendError
from . import control_flow, core, elementwise_extended, fusion, indexing, shared, transformations
from .core import switched_on, wide

__all__ = ["JaxBackend"]


class _Available(Mapping[Dtype, Any]):
    """A mapping from dtypes that has the keys that JAX has while the 64-bit switch is as it is."""

    def __init__(self, values: Mapping[Dtype, Any]) -> None:
        self.values_of = values

    def __getitem__(self, dtype: Dtype) -> Any:
        if wide(dtype) and not switched_on():
            raise KeyError(dtype)
        return self.values_of[dtype]

    def __iter__(self) -> Iterator[Dtype]:
        return (d for d in self.values_of if not wide(d) or switched_on())

    def __len__(self) -> int:
        return sum(1 for _ in self)


class JaxBackend(Backend):
    """The JAX backend: its dtypes, and the dtype of positions and counts, follow the 64-bit switch."""

    arrays = core.ARRAY
    dtype_class = core.NATIVE_DTYPE
    dtypes = core.DTYPES
    plain_functions = ("numpy.sum", "numpy.prod", "numpy.max", "numpy.min", "numpy.mean", "numpy.power")
    may_differentiate = staticmethod(shared.traced)
    emulated = core.EMULATED
    composed = core.COMPOSED
    refused = core.REFUSED
    fused = fusion.FUSED
    shape_text = core.SHAPE_TEXT
    dtype_text = core.DTYPE_TEXT
    native_text = core.NATIVE_TEXT
    lifts = core.LIFTS
    control_flow = control_flow
    transformations = transformations
    int_as_float = float

    array_class = staticmethod(core.array_class)
    dtype_of = staticmethod(core.dtype_of)
    native = staticmethod(core.native)
    plain = staticmethod(core.plain)
    duplicate = staticmethod(core.duplicate)
    reinterpret = staticmethod(elementwise_extended.reinterpret)
    cast = staticmethod(core.cast)
    narrow = staticmethod(core.narrow)
    is_weak = staticmethod(core.is_weak)
    opaque = staticmethod(core.opaque)
    key_data = staticmethod(core.key_data)
    has_data_dependent_shapes = staticmethod(core.has_data_dependent_shapes)
    weakened = staticmethod(core.weakened)
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
    beside = staticmethod(core.beside)
    index = staticmethod(indexing.index)
    assign = staticmethod(indexing.assign)
    describe_index = staticmethod(indexing.describe_index)
    index_array = staticmethod(indexing.index_array)
    to_numpy = staticmethod(core.to_numpy)
    from_numpy = staticmethod(core.from_numpy)
    take_numpy = staticmethod(core.take_numpy)
    dlpack = staticmethod(core.dlpack)
    from_dlpack = staticmethod(core.from_dlpack)
    to_pickle = staticmethod(core.to_pickle)
    from_pickle = staticmethod(core.from_pickle)
    lift = staticmethod(core.lift)
    on_bits = staticmethod(core.on_bits)
    fuse = staticmethod(fusion.fuse)
    together = staticmethod(core.together)
    raises_itself = staticmethod(core.raises_itself)
    error_class = staticmethod(core.error_class)

    def __init__(self, name: str, module: ModuleType) -> None:
        super().__init__(name, module)
        self.native_dtypes, self.sigs = _Available(self.native_dtypes), _Available(self.sigs)
        self.conditional_dtypes += tuple(d for d in self.dtypes.values() if wide(d))

    @property
    def index_dtype(self) -> Dtype:
        return int64 if switched_on() else int32

    def selected(self, x64: bool) -> None:
        if x64 and not switched_on():
            jax.config.update("jax_enable_x64", True)

    def with_all_dtypes(self) -> Any:
        return jax.enable_x64(True)

    def sig(self, dtype: Dtype) -> Sig:
        if wide(dtype) and not switched_on():
            raise BackendError(
                f"JAX has no {dtype} while its 64-bit switch is off. Turn it on: lw.set_backend('jax'), "
                f"or jax.config.update('jax_enable_x64', True)"
            )
        return super().sig(dtype)

    def sig_of(self, data: Any) -> Sig:
        dtype = self.dtypes.get(data.dtype)
        if dtype is None:
            raise TypeError(f"an array of {data.dtype} cannot be used: latticework has no such dtype")
        return self.sig(dtype)

    def guarded(
        self, kernel: Callable[..., Any], again: Callable[[], Any], dtypes: Iterable[Dtype], positions: bool
    ) -> Callable[..., Any]:
        if not positions and not any(map(wide, dtypes)):
            return kernel
        kernels = {switched_on(): kernel}
        config = jax.config

        def run(*operands: Any, **options: Any) -> Any:
            on = config.jax_enable_x64
            if on not in kernels:
                kernels[on] = again()
            return kernels[on](*operands, **options)

        return run
