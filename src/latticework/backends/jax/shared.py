"""Arrays that NumPy computes with: those that have values, in the memory of one CPU."""

from __future__ import annotations

from typing import Any

import jax

from ...backend import standing_alone


def at_hand(x: jax.Array) -> bool:
    """Tell whether x has its elements in the memory of one CPU, and nothing traces it."""
    if isinstance(x, jax.core.Tracer):
        return False
    return isinstance(x.sharding, jax.sharding.SingleDeviceSharding) and {d.platform for d in x.devices()} == {"cpu"}


def numpy_computes(x: jax.Array) -> bool:
    """Tell whether NumPy can compute in JAX's place: the elements are in its reach, and the program does not become
    source that runs without latticework."""
    return not standing_alone.get() and at_hand(x)


def traced(*natives: Any) -> bool:
    """Tell whether derivatives by arrays may be taken: JAX traces one of them."""
    return any(isinstance(x, jax.core.Tracer) for x in natives)


numpy_computes.in_source = False  # type: ignore[attr-defined]  # see tracing/writing/standalone.py
