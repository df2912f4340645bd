"""`jax.experimental.mesh_utils`: devices as an array."""

from __future__ import annotations

from typing import Any

from ..sharding import make_mesh

__all__ = ["create_device_mesh"]


def create_device_mesh(mesh_shape: Any, devices: Any = None, **options: Any) -> Any:
    """Return the devices as an array of a shape."""
    return make_mesh(mesh_shape, tuple(f"axis {i}" for i in range(len(mesh_shape))), devices=devices).devices
