"""`jax.test_util`: derivatives compared with differences of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import tree_util
from .core import as_array
from .transformations import jvp, vjp

__all__ = ["check_grads", "check_jvp", "check_vjp"]

_EPS = 1e-4
#: Tolerances by dtype: of the derivative, which the difference of values has no more exactly.
_TOLERANCE = {"float16": 1e-2, "bfloat16": 1e-1, "float32": 2e-2, "float64": 1e-5}


def _values(tree: Any) -> list[np.ndarray]:
    return [np.asarray(x) for x in tree_util.tree_leaves(tree)]


def _close(found: Any, expected: Any, atol: Any, rtol: Any, what: str) -> None:
    a, b = _values(found), _values(expected)
    if len(a) != len(b):
        raise AssertionError(f"{what}: {len(a)} results for {len(b)}")
    for x, y in zip(a, b, strict=True):
        usual = _TOLERANCE.get(_real(x.dtype), 2e-2)
        near = usual if atol is None else atol
        far = usual if rtol is None else rtol
        wide = np.complex128 if "c" in (x.dtype.kind, y.dtype.kind) else np.float64
        np.testing.assert_allclose(x.astype(wide), y.astype(wide), atol=near, rtol=far, err_msg=what)


def _real(dtype: Any) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)


def _random_like(rng: np.random.RandomState, tree: Any) -> Any:
    def one(x: Any) -> Any:
        x = as_array(x)
        values = rng.randn(*x.shape)
        if x.dtype.kind == "c":
            values = values + 1j * rng.randn(*x.shape)
        if x.dtype.kind not in "fcV":
            from .dtypes import float0

            return np.zeros(x.shape, dtype=float0)
        return as_array(np.asarray(values).astype(x.dtype))

    return tree_util.tree_map(one, tree)


def _moved(args: Any, tangents: Any, step: float) -> Any:
    return tree_util.tree_map(lambda x, t: as_array(x) + step * as_array(t), args, tangents)


def _numerical(f: Callable[..., Any], args: Any, tangents: Any, eps: float) -> Any:
    """Return the derivative of a function in a direction as a difference of values."""
    above, below = f(*_moved(args, tangents, eps)), f(*_moved(args, tangents, -eps))
    return tree_util.tree_map(lambda a, b: (np.asarray(a) - np.asarray(b)) * (0.5 / eps), above, below)


def check_jvp(
    f: Any, f_jvp: Any, args: Any, atol: Any = None, rtol: Any = None, eps: Any = _EPS, err_msg: str = ""
) -> None:
    """Compare forward derivatives of a function with differences of values.

    Raises
    ------
    AssertionError: they differ.
    """
    rng = np.random.RandomState(0)
    tangents = _random_like(rng, tuple(args))
    value, found = f_jvp(tuple(args), tangents)
    _close(value, f(*args), atol, rtol, f"{err_msg} primal")
    _close(found, _numerical(f, tuple(args), tangents, eps), atol, rtol, f"{err_msg} tangent")


def check_vjp(
    f: Any, f_vjp: Any, args: Any, atol: Any = None, rtol: Any = None, eps: Any = _EPS, err_msg: str = ""
) -> None:
    """Compare derivatives in reverse of a function with differences of values.

    Raises
    ------
    AssertionError: they differ.
    """
    rng = np.random.RandomState(0)
    value, back = f_vjp(*args)
    _close(value, f(*args), atol, rtol, f"{err_msg} primal")
    tangents = _random_like(rng, tuple(args))
    moved = _numerical(f, tuple(args), tangents, eps)
    cotangents = _random_like(rng, value)
    pulled = back(cotangents)
    _close(_inner(tangents, pulled), _inner(moved, cotangents), atol, rtol, f"{err_msg} cotangent")


def _inner(a: Any, b: Any) -> Any:
    """Return the sum of the products of two trees of arrays."""
    total: Any = 0.0
    for x, y in zip(_values(a), _values(b), strict=True):
        if x.dtype.names is None and y.dtype.names is None:
            total = total + np.real(np.sum(x.astype(np.complex128) * y))
    return np.float32(total)


def check_grads(
    f: Any, args: Any, order: int, modes: Any = ("fwd", "rev"), atol: Any = None, rtol: Any = None, eps: Any = None
) -> None:
    """Compare derivatives up to an order with differences of values.

    Raises
    ------
    AssertionError: they differ.
    """
    args = tuple(args)
    eps = _EPS if eps is None else eps
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if {*modes} - {"fwd", "rev"}:
        raise ValueError(f"check_grads: modes are 'fwd' and 'rev'; got {modes}")

    def check(g: Any, xs: Any, left: int, name: str) -> None:
        for mode in modes:
            if mode == "fwd":
                check_jvp(g, lambda p, t, g=g: jvp(g, p, t), xs, atol, rtol, eps, f"JVP of {name}")
                if left > 1:
                    fixed = _random_like(np.random.RandomState(1), xs)
                    check(lambda *p, g=g, fixed=fixed: jvp(g, p, fixed), xs, left - 1, f"JVP of {name}")
            else:
                check_vjp(g, lambda *p, g=g: vjp(g, *p), xs, atol, rtol, eps, f"VJP of {name}")
                if left > 1:
                    out = _random_like(np.random.RandomState(1), g(*xs))

                    def pulled(*p: Any, g: Any = g, out: Any = out) -> Any:
                        value, back = vjp(g, *p)
                        return value, back(out)

                    check(pulled, xs, left - 1, f"VJP of {name}")

    check(f, args, order, getattr(f, "__name__", "f"))
