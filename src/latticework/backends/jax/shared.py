"""Arrays that NumPy computes with: those that have values, in the memory of one CPU."""

from __future__ import annotations

import jax


def at_hand(x: jax.Array) -> bool:
    """Tell whether x has its elements in the memory of one CPU, and nothing traces it."""
    if isinstance(x, jax.core.Tracer):
        return False
    return isinstance(x.sharding, jax.sharding.SingleDeviceSharding) and {d.platform for d in x.devices()} == {"cpu"}
