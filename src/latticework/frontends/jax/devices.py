"""Devices, processes and blocks of JAX: one process, and the devices of the backend in force."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from ...policy import current, in_force
from .core import as_array, dialect, ops
from .sharding import Sharding
from .tracers import get_aval
from .trees import is_array, mapped


def device_get(x: Any) -> Any:
    """`jax.device_get`: a tree with NumPy's arrays."""
    return mapped(lambda leaf: np.asarray(leaf) if is_array(leaf) else leaf, x)


def device_put(
    x: Any, device: Any = None, *, src: Any = None, donate: bool = False, may_alias: bool | None = None
) -> Any:
    """`jax.device_put`: a tree with arrays, on a device."""
    place = next(iter(device.device_set)) if isinstance(device, Sharding) else device
    return mapped(lambda leaf: as_array(leaf) if place is None else as_array(leaf).to_device(place), x)


def block_until_ready(x: Any) -> Any:
    """`jax.block_until_ready`: a tree whose arrays are computed."""
    return mapped(lambda leaf: leaf.block_until_ready() if is_array(leaf) else leaf, x)


def devices(backend: str | None = None) -> list[Any]:
    """`jax.devices`: the device that arrays are made on."""
    found = ops.zeros((1,)).device
    if backend is not None and backend not in (found.platform, {"gpu": "cuda"}.get(found.platform)):
        raise RuntimeError(f"Unknown backend {backend}. Available backends are ['{found.platform}']")
    return [found]


def local_devices(
    process_index: int | None = None, backend: str | None = None, host_id: int | None = None
) -> list[Any]:
    """`jax.local_devices`: the device that arrays are made on."""
    return devices(backend)


# fmt: off
def device_count(backend: str | None = None) -> int: return 1
def local_device_count(backend: str | None = None) -> int: return 1
def process_count(backend: str | None = None) -> int: return 1
def process_index(backend: str | None = None) -> int: return 0
def default_backend() -> str: return str(devices()[0].platform)
def clear_caches() -> None: dialect.changed()
def live_arrays(platform: str | None = None) -> list[Any]: return []
# fmt: on


def named_call(fun: Any, *, name: str | None = None) -> Any:
    """`jax.named_call`: the function itself."""
    return fun


def typeof(x: Any) -> Any:
    """`jax.typeof`: the shape and dtype of an array."""
    from .refs import Ref

    if isinstance(x, Ref):
        return x.aval
    return get_aval(x)


@contextmanager
def named_scope(name: str) -> Iterator[None]:
    """A block with a name, which changes nothing."""
    if not isinstance(name, str):
        raise TypeError(f"named_scope name argument must be a string; got {name!r}")
    yield


@contextmanager
def disable_jit(disable: bool = True) -> Iterator[None]:
    """A block, which changes nothing: `jit` gives the same with and without."""
    yield


@contextmanager
def ensure_compile_time_eval() -> Iterator[None]:
    """A block in which arrays that have values stay such, in a function of `jit` too."""
    policy = current()
    _, _, inside = policy.backend.partition(":")
    with in_force(policy._with(backend=inside)) if inside else nullcontext():
        yield


dialect.finish(globals(), view="jax")
