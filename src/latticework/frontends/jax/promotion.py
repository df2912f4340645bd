"""JAX's promotion by name, for dtypes and for the inputs of a function."""

from __future__ import annotations

from typing import Any

from .core import dialect

__all__ = ["is_weak", "promote_types_jax", "promote_types_of_jax_inputs"]


def promote_types_jax(type1: Any, type2: Any, /) -> Any:
    """Find the dtype that two dtypes promote to under JAX's rules: `jax.numpy.promote_types`.

    Parameters
    ----------
    type1, type2: dtypes, or arguments that are read as dtypes.

    Returns
    -------
    NumPy's dtype object of the result.

    Raises
    ------
    TypeError: an argument is no dtype, or no dtype is above both.

    Examples
    --------
    >>> from latticework.frontends.jax import promote_types_jax
    >>> promote_types_jax("int32", "float16")
    dtype('float16')
    """
    from .numpy.data_types import promote_types

    return promote_types(type1, type2)


def promote_types_of_jax_inputs(x1: Any, x2: Any, /) -> tuple[Any, Any]:
    """Cast two inputs to the dtype that they promote to under JAX's rules, weak flags included.

    Parameters
    ----------
    x1, x2: arrays of any shape, NumPy's arrays, or Python scalars.

    Returns
    -------
    The two as arrays of the dialect, of their own shapes, with that dtype. Weak where it is.

    Raises
    ------
    TypeError: an input is a list or no array at all.

    Examples
    --------
    >>> import latticework.frontends.jax as jax
    >>> jax.promote_types_of_jax_inputs(jax.numpy.asarray([1, 2]), 0.5)
    (Array([1., 2.], dtype=float32, weak_type=True), Array(0.5, dtype=float32, weak_type=True))
    """
    from .core import as_array, our_dtype
    from .numpy.creation import _cast, _weakened
    from .numpy.data_types import result_type

    a, b = as_array(x1, "promote_types_of_jax_inputs"), as_array(x2, "promote_types_of_jax_inputs")
    dtype = our_dtype(result_type(a, b))
    weak = is_weak(a, b)
    return tuple(_weakened(_cast(x, dtype)) if weak else _cast(x, dtype) for x in (a, b))


def is_weak(a: Any, b: Any) -> bool:
    """Return whether a and b promote to a weak dtype."""
    from ...policy import call_under

    def decided() -> bool:
        from ...policy import current
        from ...promotion import Operand

        found = current().rules.result([Operand(x._array.dtype, weak=x.weak_type) for x in (a, b)], current().default)
        return found.weak

    return call_under(dialect.policy(), decided, (), {})
