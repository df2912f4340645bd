"""Options of JAX as blocks: in ``with jax.numpy_dtype_promotion("strict"):`` the rules "jax-strict" are in force.

The other options change nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .config import config

__all__ = [
    "check_tracer_leaks", "checking_leaks", "debug_infs", "debug_key_reuse", "debug_nans", "default_device",
    "default_matmul_precision", "default_prng_impl", "enable_checks", "enable_custom_prng", "log_compiles",
    "numpy_dtype_promotion", "numpy_rank_promotion", "softmax_custom_jvp", "threefry_partitionable", "transfer_guard",
    "transfer_guard_device_to_device", "transfer_guard_device_to_host", "transfer_guard_host_to_device",
]  # fmt: skip

_NONE = object()


class _Option:
    """An option: ``with option(value):`` sets it for a block.

    Parameters
    ----------
    name: the name in `jax.config`.
    without: the value of a call without one.
    allowed: the values that there are; empty for any.
    """

    def __init__(self, name: str, without: Any = _NONE, allowed: tuple[Any, ...] = ()) -> None:
        self.name, self.without, self.allowed = name, without, allowed

    @property
    def value(self) -> Any:
        """The value in force."""
        return config.read(self.name)

    def __call__(self, new_val: Any = _NONE) -> AbstractContextManager[None]:
        value = self.without if new_val is _NONE else new_val
        if value is _NONE:
            raise TypeError(f"{self.name}: takes the new value")
        if self.allowed and value not in self.allowed:
            raise ValueError(f"{self.name}: the value is one of {self.allowed}; got {value!r}")
        return self._block(value)

    @contextmanager
    def _block(self, value: Any) -> Iterator[None]:
        before = config.read(self.name)
        config.update(self.name, value)
        try:
            yield
        finally:
            config.update(self.name, before)


check_tracer_leaks = _Option("jax_check_tracer_leaks", True)
debug_nans = _Option("jax_debug_nans", True)
debug_infs = _Option("jax_debug_infs", True)
debug_key_reuse = _Option("jax_debug_key_reuse", True)
default_device = _Option("jax_default_device")
default_matmul_precision = _Option("jax_default_matmul_precision")
default_prng_impl = _Option("jax_default_prng_impl")
enable_checks = _Option("jax_enable_checks", True)
enable_custom_prng = _Option("jax_enable_custom_prng", True)
log_compiles = _Option("jax_log_compiles", True)
numpy_dtype_promotion = _Option("jax_numpy_dtype_promotion", allowed=("standard", "strict"))
numpy_rank_promotion = _Option("jax_numpy_rank_promotion", allowed=("allow", "warn", "raise"))
softmax_custom_jvp = _Option("jax_softmax_custom_jvp", True)
threefry_partitionable = _Option("jax_threefry_partitionable", True)
transfer_guard = _Option("jax_transfer_guard")
transfer_guard_device_to_device = _Option("jax_transfer_guard_device_to_device")
transfer_guard_device_to_host = _Option("jax_transfer_guard_device_to_host")
transfer_guard_host_to_device = _Option("jax_transfer_guard_host_to_device")


def checking_leaks() -> AbstractContextManager[None]:
    """A block in which `jax.config.jax_check_tracer_leaks` is True, which changes nothing here."""
    return check_tracer_leaks(True)
