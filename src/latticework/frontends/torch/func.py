"""`torch.func`: derivatives and vectorised functions, on any backend that has them."""

from __future__ import annotations

from typing import Any

from .around import beside_recorded, plain
from .core import dialect, ops
from .nn.calling import functional_call, stack_module_state

__all__ = ["functional_call", "stack_module_state"]


def grad(func, argnums=0, has_aux=False):
    """The function that gives the gradient of a scalar function in some of its arguments."""
    return beside_recorded(func, ops.grad(plain(func), argnums, has_aux=has_aux))


def grad_and_value(func, argnums=0, has_aux=False):
    """Like `grad`, but return the gradient and the value."""
    both = beside_recorded(func, ops.value_and_grad(plain(func), argnums, has_aux=has_aux))

    def call(*args: Any, **kw: Any) -> Any:
        value, gradient = both(*args, **kw)
        return gradient, value

    return call


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """The function over a batch, along axes of its arguments."""
    return beside_recorded(func, ops.vmap(plain(func), in_dims, out_dims))


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """The function that gives the Jacobian, by reverse mode."""
    return beside_recorded(func, ops.jacrev(plain(func), argnums, has_aux=has_aux))


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """The function that gives the Jacobian, by forward mode."""
    return beside_recorded(func, ops.jacfwd(plain(func), argnums, has_aux=has_aux))


def hessian(func, argnums=0):
    """The function that gives the matrix of second derivatives."""
    return beside_recorded(func, ops.hessian(plain(func), argnums))


def vjp(func, *primals, has_aux=False):
    """The value, and the function of a cotangent that gives the gradients; then the rest where there is an aux."""
    return beside_recorded(func, ops.vjp)(plain(func), *primals, has_aux=has_aux)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """The value and the derivative along tangents; then the rest where there is an aux."""
    return beside_recorded(func, ops.jvp)(plain(func), primals, tangents, has_aux=has_aux)


def linearize(func, *primals):
    """The value, and the function of tangents that gives the derivative at the primals."""
    value = func(*primals)
    return value, lambda *tangents: jvp(func, primals, tangents)[1]


dialect.finish(globals())
