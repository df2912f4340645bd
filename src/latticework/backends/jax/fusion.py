"""Compositions that are compiled as one program.

JAX has a kernel for each function that a composition calls, and each reads and writes arrays of full size. Compiled
together, they become one or two passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from ...engine.arrays.array import Array, wrapped

#: Compositions that look at no values: whose steps depend on dtypes, shapes and options alone.
FUSED = frozenset(
    """
    _finite _gradient _in_segments _isclose average corrcoef cov cumulative_trapezoid ediff1d fmod interp isneginf
    isposinf linalg.matrix_norm linalg.norm nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmin nanprod
    nanstd nansum nanvar polyadd polyder polymul polyval ptp special.beta special.betaln special.log_ndtr trapezoid
    unwrap
    """.split()
)
#: The most programs of a composition for one combination of dtypes: one for each combination of options.
_MANY = 32


def fuse(composition: Callable[..., Any], leading: int) -> Callable[..., Any]:
    """Compile a composition of so many arrays, once for each combination of options and shapes.

    It runs as it is where it is traced, where an operand is no array or an option cannot be a key, and where it has
    been compiled for many combinations of options, which may be numbers that differ from call to call.
    """
    programs: dict[Any, tuple[Callable[..., Any], list[Any]]] = {}

    def call(*arguments: Any, **kw: Any) -> Any:
        arrays, rest = arguments[:leading], arguments[leading:]
        named = {n: x for n, x in kw.items() if isinstance(x, jax.Array)}
        options = {n: x for n, x in kw.items() if n not in named}
        if not all(isinstance(x, jax.Array) and not isinstance(x, jax.core.Tracer) for x in (*arrays, *named.values())):
            return composition(*arguments, **kw)
        key = (*rest, *map(type, rest), *options, *options.values(), *map(type, options.values()))
        try:
            found = programs.get(key)
        except TypeError:  # a list, or an array
            return composition(*arguments, **kw)
        if found is None:
            if len(programs) >= _MANY:
                return composition(*arguments, **kw)
            found = programs[key] = _compiled(composition, rest, options)
        program, sig = found
        return wrapped(program(arrays, named), sig[0])

    return call


def _compiled(
    composition: Callable[..., Any], rest: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Callable[..., Any], list[Any]]:
    """Return the program, and a list for its result's signature, which is known when the program is traced."""
    sig: list[Any] = []

    @jax.jit
    def program(arrays: Any, named: Any) -> Any:
        result: Array = composition(*arrays, *rest, **options, **named)
        sig[:] = [result._sig]
        return result._data

    return program, sig
