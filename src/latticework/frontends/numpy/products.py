"""Products of vectors and matrices, and polynomials."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any

import numpy

from .base import as_array, cast, dialect, ops, write
from .shaping import by_numpy, ravel


def _given(name: str, out: Any, result: Any) -> Any:
    return result if out is None else write(name, out, result)


def dot(a, b, out=None):
    if type(a) is not dialect.array or type(b) is not dialect.array:
        a, b = as_array(a), as_array(b)
    if out is None and a._array.ndim == 2 and b._array.ndim == 2:
        return ops.matmul(a, b)
    if a._array.ndim == b._array.ndim == 2:
        return _given("dot", out, ops.matmul(a, b))
    return _given("dot", out, ops.dot(a, b))


# fmt: off
def inner(a, b, /): return ops.inner(as_array(a), as_array(b))
def vdot(a, b, /): return ops.vdot(as_array(a), as_array(b))
def outer(a, b, out=None): return _given("outer", out, ops.multiply(ravel(a)[:, None], ravel(b)))
# fmt: on


def kron(a, b):
    """`numpy.kron`: each element of a times the whole of b."""
    a, b = as_array(a), as_array(b)
    n = max(a.ndim, b.ndim)
    a, b = [ops.reshape(x, (*(1,) * (n - x.ndim), *x.shape)) for x in (a, b)]
    left = ops.reshape(a, tuple(e for extent in a.shape for e in (extent, 1)))
    right = ops.reshape(b, tuple(e for extent in b.shape for e in (1, extent)))
    return ops.reshape(left * right, tuple(i * j for i, j in zip(a.shape, b.shape, strict=True)))


def tensordot(a, b, axes=2):
    if not isinstance(axes, int):
        axes = tuple([tuple(x) if isinstance(x, (list, tuple)) else (x,) for x in axes])
    return ops.tensordot(as_array(a), as_array(b), axes)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    a, b = as_array(a), as_array(b)
    if axis is not None:
        axisa = axisb = axisc = axis
    if not a.ndim or not b.ndim:
        raise ValueError("cross: takes arrays of one axis or more")
    a, b = ops.moveaxis(a, axisa, -1), ops.moveaxis(b, axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(f"cross: takes vectors of 2 or 3 numbers; got shapes {a.shape} and {b.shape}")
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = [_of_three(x) for x in (a, b)]
    i, j, k = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return ops.stack([j * w - k * v, k * u - i * w, i * v - j * u], axis=axisc)


def _of_three(x: Any) -> Any:
    return x if x.shape[-1] == 3 else ops.concat([x, ops.zeros_like(x[..., :1])], axis=-1)


def einsum(*operands, out=None, optimize=False, **kwargs):
    if not operands:
        raise ValueError("einsum: takes subscripts and arrays")
    if not isinstance(operands[0], str):
        operands = _with_letters(operands)
    subscripts, *arrays = operands
    arrays = [as_array(x) for x in arrays]
    casting = _einsum_options(out, **kwargs)
    _check_subscripts(subscripts, tuple([x.ndim for x in arrays]))
    if all(x._array.dtype.kind == "b" for x in arrays):  # true where one product of truths is
        found = ops.einsum(subscripts, *[cast(x, int) for x in arrays]) != 0
    else:
        found = ops.einsum(subscripts, *arrays)
    if kwargs.get("dtype") is not None:
        found = cast(found, kwargs["dtype"])
    if out is None:
        return found
    if out.shape != found.shape:
        raise ValueError(f"einsum: the result has the shape {found.shape}; out has {out.shape}")
    return write("einsum", out, found, True, casting)


def _einsum_options(out: Any, dtype: Any = None, order: Any = "K", casting: str = "safe") -> str:
    """Check the options of einsum, and give the rule by which the result goes into `out`."""
    if out is not None and type(out) is not dialect.array:
        raise TypeError(f"einsum: out takes an array; got {type(out).__name__}")
    if order not in (None, *"KACFkacf"):
        raise ValueError(f"einsum: order is 'K', 'A', 'C' or 'F'; got {order!r}")
    if casting not in _CASTING:
        raise ValueError(f"einsum: casting is one of {', '.join(_CASTING)}; got {casting!r}")
    if dtype is not None:
        dialect.dtype_of(dtype)
    return "same_kind" if casting == "safe" else casting


_CASTING = ("no", "equiv", "safe", "same_kind", "unsafe")


@lru_cache(1024)
def _check_subscripts(subscripts: str, ranks: tuple[int, ...]) -> None:
    """Refuse subscripts that NumPy refuses for arrays of so many axes."""
    before, arrow, after = subscripts.replace(" ", "").partition("->")
    terms = before.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum: {subscripts!r} is of {len(terms)} arrays; got {len(ranks)}")
    for term, n in zip(terms, ranks, strict=True):
        letters = _letters(subscripts, term)
        if len(letters) > n or (len(letters) < n and "..." not in term):
            raise ValueError(f"einsum: {term!r} of {subscripts!r} does not fit an array of {n} axes")
    given = _letters(subscripts, after) if arrow else ""
    if len({*given}) < len(given) or {*given} - {*before}:
        raise ValueError(f"einsum: each letter of the result comes once, and in an operand; got {subscripts!r}")


def _letters(subscripts: str, term: str) -> str:
    letters = term.replace("...", "", 1)
    if not (letters.isascii() and (letters.isalpha() or not letters)):
        raise ValueError(f"einsum: subscripts are letters, and '...' once for each array; got {subscripts!r}")
    return letters


def _with_letters(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays and lists of numbers of axes, as subscripts in letters."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    def word(axes):
        if any(i is not Ellipsis and not 0 <= operator.index(i) < len(letters) for i in axes):
            raise ValueError(f"einsum: axes are numbered from 0 to {len(letters) - 1}; got {axes}")
        return "".join("..." if i is Ellipsis else letters[i] for i in axes)

    arrays, axes = operands[: len(operands) // 2 * 2 : 2], operands[1::2]
    subscripts = ",".join(map(word, axes))
    if len(operands) % 2:
        subscripts += f"->{word(operands[-1])}"
    return (subscripts, *arrays)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    return by_numpy(numpy.einsum_path)(*operands, optimize=optimize)


# --- polynomials, the highest power first ---------------------------------------------------------------------------


def _coefficients(*p: Any) -> list[Any]:
    return [ops.reshape(as_array(x), (-1,)) if as_array(x).ndim == 0 else as_array(x) for x in p]


def polyval(p, x):
    p, x = as_array(p), as_array(x)
    y = ops.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


def _longer(p: Any, n: int) -> Any:
    return ops.concat([ops.zeros((n - p.size,), dtype=p._array.dtype), p]) if p.size < n else p


def _summed(f: Any, a1: Any, a2: Any) -> Any:
    a1, a2 = _coefficients(a1, a2)
    n = max(a1.size, a2.size)
    return f(_longer(a1, n), _longer(a2, n))


# fmt: off
def polyadd(a1, a2): return _summed(ops.add, a1, a2)
def polysub(a1, a2): return _summed(ops.subtract, a1, a2)
# fmt: on


def polymul(a1, a2):
    return ops.convolve(*[_without_zeros(x) for x in _coefficients(a1, a2)])


def _without_zeros(p: Any) -> Any:
    """Without the zeros of the highest powers, one number at least."""
    found = ops.trim_zeros(p, "f") if p.size else p
    return found if found.size else ops.zeros((1,), dtype=p._array.dtype)


def polydiv(u, v):
    u, v = [x + 0.0 for x in _coefficients(u, v)]
    m, n = u.size - 1, v.size - 1
    quotient = []
    scale = 1.0 / v[0]
    rest = u.copy()
    for k in range(max(m - n + 1, 0)):
        d = scale * rest[k]
        quotient.append(d)
        rest[k : k + n + 1] = rest[k : k + n + 1] - d * v
    found = ops.stack(quotient) if quotient else ops.zeros((1,), dtype=(u[:1] + v[:1])._array.dtype)
    while rest.size > 1 and bool(ops.abs(rest[0]) <= 1e-8):
        rest = rest[1:]
    return found, rest


def polyder(p, m=1):
    p = as_array(p)
    if m < 0:
        raise ValueError(f"polyder: the order is at least 0; got {m}")
    for _i in range(int(m)):
        p = p[:-1] * ops.arange(p.size - 1, 0, -1)
    return p


def polyint(p, m=1, k=None):
    if m < 0:
        raise ValueError(f"polyint: the order is at least 0; got {m}")
    constants = ops.reshape(as_array(0.0 if k is None else k), (-1,)).tolist()
    constants = constants * m if len(constants) == 1 and m > 1 else constants
    if len(constants) < m:
        raise ValueError(f"polyint: {m} integrations need one constant or {m}; got {len(constants)}")
    y = as_array(p)
    for constant in constants[:m]:
        end = as_array([constant])
        y = ops.concat([y / ops.arange(y.size, 0, -1), end])
    return y


def poly(seq_of_zeros):
    zeros = as_array(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0]:
        zeros = by_numpy(numpy.linalg.eigvals)(zeros)
    elif zeros.ndim > 1:
        raise ValueError(f"poly: takes roots along one axis, or a square matrix; got shape {zeros.shape}")
    if not zeros.size:
        return 1.0
    zeros = ravel(zeros)
    zeros = cast(zeros, numpy.mintypecode(zeros.dtype.char), copy=False)
    a = ops.ones((1,), dtype=zeros._array.dtype)
    for zero in zeros:
        a = ops.convolve(a, ops.stack([ops.ones_like(zero), -zero]), "full")
    if a._array.dtype.kind == "c" and numpy.allclose(ops.imag(a).tolist(), 0, atol=1e-12):
        return ops.real(a)
    return a


def roots(p):
    return by_numpy(numpy.roots)(as_array(p))


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    if full or cov:
        return by_numpy(numpy.polyfit)(as_array(x), as_array(y), deg, rcond, full, w, cov)
    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    if deg < 0:
        raise ValueError(f"polyfit: the degree is at least 0; got {deg}")
    if x.ndim != 1:
        raise TypeError(f"polyfit: x has one axis; got shape {x.shape}")
    if not x.size:
        raise TypeError("polyfit: x has one element or more; got none")
    if x.shape[0] != y.shape[0]:
        raise TypeError(f"polyfit: x and y are of one length; got {x.shape[0]} and {y.shape[0]}")
    x = cast(x, numpy.promote_types(x.dtype, float), copy=False)  # as NumPy's matrix of powers has it
    return ops.polyfit(x, y, deg, rcond, w=None if w is None else as_array(w) + 0.0)


dialect.finish(globals(), view="numpy")
