"""Calls of Python in the middle of programs: `jax.pure_callback`, `jax.debug.callback`, `io_callback`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import latticework as lw

from ...core.trees import flatten
from .core import as_array, dialect, our_dtype
from .tracers import is_tracer
from .trees import is_array

__all__ = ["called", "pure_callback"]


def _concrete(x: Any) -> Any:
    """Return an array without the tapes that record it."""
    while is_array(x) and x._array._sig.backend.name.startswith("taped"):
        from ...backend.registry import get
        from ...engine.arrays.array import wrapped

        data = x._array._data
        if hasattr(data, "tape"):
            below = data.tape.below if not hasattr(data.value, "tape") else data.value.tape.inside
            data = data.value
        else:  # a constant to the tape
            below = get(x._array._sig.backend.name.partition(":")[2])
        x = dialect.wrapped(wrapped(data, below.sig_of(data)))
    return x


def _hook(leaves: list[Any]) -> Any:
    """Return the callback of the framework that traces one of the arrays; None where all have values."""
    for x in leaves:
        if is_array(x) and is_tracer(x):
            backend = x._array._sig.backend
            if backend.name.startswith("abstract"):
                return lambda f, natives, specs: specs
            module = import_module(f"latticework.backends.{backend.name.partition(':')[0]}.transformations")
            found = getattr(module, "host_call", None)
            if found is None:
                raise NotImplementedError(f"callback: {backend.title} does not call Python inside of this program")
            return found
    return None


def called(f: Callable[..., Any], args: Any, kw: Any, results: Any = None, *, vmap_method: Any = None) -> Any:
    """Call a function with the values of arrays.

    Parameters
    ----------
    results: a tree of shapes and dtypes of its results; None where it is called for what it does.
    """
    leaves, structure = flatten((args, kw), is_array)
    leaves = [_concrete(as_array(x) if isinstance(x, (bool, int, float, complex, np.ndarray)) else x) for x in leaves]
    hook = _hook(leaves)
    if hook is None:
        given, named = structure.build(iter(leaves))
        return f(*given, **named)
    places = [i for i, x in enumerate(leaves) if is_array(x)]
    backend = next(leaves[i] for i in places if is_tracer(leaves[i]))._array._sig.backend
    natives = [leaves[i]._array._data for i in places]

    def on(values: Any) -> Any:
        filled = [*leaves]
        for i, value in zip(places, values, strict=True):
            filled[i] = as_array(np.asarray(value))
        given, named = structure.build(iter(filled))
        found = f(*given, **named)
        return None if results is None else [np.asarray(x) for x in flatten(found, is_array)[0]]

    specs = None if results is None else flatten(results, lambda x: hasattr(x, "shape"))
    told = None if specs is None else [(tuple(s.shape), our_dtype(s.dtype)) for s in specs[0]]
    found = hook(on, natives, told)
    if specs is None:
        return None
    if found is told:  # arrays without data
        with lw.using(backend=backend.name):
            found = [lw.zeros(shape, dtype=dtype) for shape, dtype in told or ()]
        return specs[1].build(iter([dialect.wrapped(x) for x in found]))
    from ...engine.arrays.array import wrapped

    return specs[1].build(iter([dialect.wrapped(wrapped(x, backend.sig_of(x))) for x in found]))


def pure_callback(
    callback: Any, result_shape_dtypes: Any, *args: Any, sharding: Any = None, vmap_method: Any = None, **kwargs: Any
) -> Any:
    """Call a function of Python with the values of arrays, and return arrays of the shapes and dtypes told."""
    specs, structure = flatten(result_shape_dtypes, lambda x: hasattr(x, "shape"))
    found = called(callback, args, kwargs, result_shape_dtypes, vmap_method=vmap_method)
    leaves = flatten(found, is_array)[0]
    if len(leaves) != len(specs):
        raise RuntimeError(f"pure_callback: the function returns {len(leaves)} arrays for {len(specs)}")
    arrays = []
    for x, spec in zip(leaves, specs, strict=True):
        array = as_array(x if is_array(x) else np.asarray(x, dtype=spec.dtype))
        if array.shape != tuple(spec.shape):
            raise RuntimeError(f"pure_callback: the function returns shape {array.shape} for {tuple(spec.shape)}")
        arrays.append(array)
    return structure.build(iter(arrays))
