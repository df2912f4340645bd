"""The bits of elements read as another dtype, on JAX, whose own takes no complex numbers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def reinterpret(x: Any, dtype: Any) -> Any:
    before, after = x.dtype, np.dtype(dtype)
    if before == after:
        return x
    if before.kind == "c":
        half = before.itemsize // 2
        parts = reinterpret(jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1), after)
        return parts.reshape((*x.shape, before.itemsize // after.itemsize)) if after.itemsize < half else parts
    if after.kind == "c":
        half = after.itemsize // 2
        if before.itemsize < half:
            x = x.reshape((*x.shape[:-1], 2, half // before.itemsize))
        parts = reinterpret(x, np.dtype(f"f{half}"))
        return jax.lax.complex(parts[..., 0], parts[..., 1])
    return jax.lax.bitcast_convert_type(x, after)
