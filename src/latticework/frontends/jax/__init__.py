"""JAX's dialect: `jax.numpy`, `jax.lax`, `jax.nn`, `jax.random` and JAX's transformations, on any backend.

``import latticework.frontends.jax as jax`` at the head of a program written for JAX. The 64-bit switch is off, as in
JAX: ``jax.config.update("jax_enable_x64", True)`` or the variable JAX_ENABLE_X64 turns it on.
"""

from __future__ import annotations

from . import dtypes, lax, nn, numpy, ops, random, scipy, tree, tree_util, typing
from .array import Array
from .config import config, enable_x64
from .custom import custom_gradient, custom_jvp, custom_vjp
from .device import Device
from .devices import (
    block_until_ready,
    clear_caches,
    default_backend,
    device_count,
    device_get,
    device_put,
    devices,
    disable_jit,
    ensure_compile_time_eval,
    live_arrays,
    local_device_count,
    local_devices,
    named_call,
    named_scope,
    process_count,
    process_index,
    typeof,
)
from .promotion import promote_types_jax, promote_types_of_jax_inputs
from .shaped import ShapeDtypeStruct
from .transformations import (
    checkpoint,
    eval_shape,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    linear_transpose,
    linearize,
    remat,
    value_and_grad,
    vjp,
    vmap,
)

__all__ = [
    "Array", "Device", "ShapeDtypeStruct", "block_until_ready", "checkpoint", "clear_caches", "config",
    "custom_gradient",
    "custom_jvp", "custom_vjp", "default_backend", "device_count", "device_get", "device_put", "devices",
    "disable_jit", "dtypes", "enable_x64", "ensure_compile_time_eval", "eval_shape", "grad", "hessian", "jacfwd",
    "jacobian", "jacrev", "jit", "jvp", "lax", "linear_transpose", "linearize", "live_arrays", "local_device_count",
    "local_devices", "named_call", "named_scope", "nn", "numpy", "ops", "process_count", "process_index",
    "promote_types_jax", "promote_types_of_jax_inputs", "random", "remat", "scipy", "tree", "tree_util", "typeof",
    "typing", "value_and_grad", "vjp", "vmap",
]  # fmt: skip

#: The public submodules.
SUBMODULES = (
    "numpy", "numpy.linalg", "numpy.fft", "nn", "nn.initializers", "lax", "random", "scipy.special", "scipy.linalg",
    "ops", "tree", "tree_util", "dtypes",
)  # fmt: skip

__version__ = "0.10.2"
