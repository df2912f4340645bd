"""Rules of linear algebra: diagonals, inverses, determinants, systems of equations, functions of matrices.

`decompositions` has those of eigenvalues, singular values and triangular factors. Where a matrix is singular, and the
function has no derivative there, the cotangent is nan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..api.transformations import custom_gradient
from ..core.dtypes import float64
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .decompositions import adjoint, hermitian, identity
from .rules import conj, linear, refuse, rule
from .tape import Call

_Tangents = Mapping[Any, Array]


@linear("linalg.diagonal")
def _diagonal(g: Array, x: Array, /, offset: int = 0) -> Array:
    *stack, m, n = x.shape
    flat = lw.zeros((*stack, m * n), dtype=x.dtype, device=x.device)
    if g.shape[-1]:
        start = offset if offset >= 0 else -offset * n
        flat[..., start : start + (g.shape[-1] - 1) * (n + 1) + 1 : n + 1] = g
    return lw.reshape(flat, x.shape)


# --- inverses and determinants ----------------------------------------------------------------------------------------


def _along_inv(call: Call, tangents: _Tangents) -> Array:
    y: Array = call.out
    return -(y @ tangents[0] @ y)


@rule("linalg.inv", _along_inv)
def _inv(call: Call, g: Array) -> Any:
    y = adjoint(call.out)
    return {0: -(y @ g @ y)}


def _along_det(call: Call, tangents: _Tangents) -> Array:
    """Jacobi's formula."""
    return lw.sum(adjugate(call.args[0]) * tangents[0].mT, axis=(-2, -1))


@rule("linalg.det", _along_det)
def _det(call: Call, g: Array) -> Any:
    return {0: g[..., None, None] * adjoint(adjugate(call.args[0]))}


def adjugate(x: Array) -> Array:
    """Return the transposed matrices of cofactors: ``det(x) * inv(x)``, which is defined for singular matrices too.

    Matrices that are nearly singular go the way of singular ones: their inverses would have few right digits.
    """
    n = x.shape[-1]
    if n < 2:
        return lw.ones_like(x)
    one = lw.eye(n, dtype=x.dtype, device=x.device)
    det = lw.linalg.det(x)[..., None, None]
    inverse = lw.linalg.inv(lw.where(det == 0, one, x))
    if 0 in x.shape:
        return inverse
    size, of_inverse = (lw.max(lw.abs(y), axis=(-2, -1), keepdims=True) for y in (x, inverse))
    singular = lw.logical_or(det == 0, n * size * of_inverse > lw.finfo(x.dtype).eps ** -0.5)

    def some_singular() -> Array:
        regular = lw.where(singular, one, x)
        product = lw.linalg.det(regular)[..., None, None] * lw.linalg.inv(regular)
        return lw.where(singular, _adjugate_of_singular(lw.where(singular, x, one)), product)

    found: Array = lw.cond(lw.any(singular), some_singular, lambda: det * inverse)
    return found


def _adjugate_of_singular(x: Array) -> Array:
    """Return the adjugates of ``x = u @ b @ vh``, where b has the singular values on its diagonal.

    u and vh are constants: the adjugate of b, a polynomial, has the derivatives. It is made of four blocks, by the
    Schur complement of all rows but the last two. The two least singular values may be 0. Where three are, the adjugate
    and its derivative are 0, and are found as such; derivatives of higher order are not right there.
    """
    u, _, vh = (lw.stop_gradient(y) for y in lw.linalg.svd(x, full_matrices=False))
    b = adjoint(u) @ x @ adjoint(vh)
    block = b[..., :-2, :-2]
    det = lw.linalg.det(block)[..., None, None]
    inverse = lw.linalg.inv(lw.where(det == 0, lw.eye(b.shape[-1] - 2, dtype=b.dtype, device=b.device), block))
    right, left = inverse @ b[..., :-2, -2:], b[..., -2:, :-2] @ inverse
    rest = b[..., -2:, -2:] - left @ b[..., :-2, -2:]
    of_rest = lw.linalg.trace(rest)[..., None, None] * lw.eye(2, dtype=b.dtype, device=b.device) - rest
    det_of_rest = rest[..., :1, :1] * rest[..., 1:, 1:] - rest[..., :1, 1:] * rest[..., 1:, :1]
    upper = lw.concat([det_of_rest * inverse + right @ of_rest @ left, -(right @ of_rest)], axis=-1)
    lower = lw.concat([-(of_rest @ left), of_rest], axis=-1)
    phase = (lw.linalg.det(u) * lw.linalg.det(vh))[..., None, None]
    return phase * det * (adjoint(vh) @ lw.concat([upper, lower], axis=-2) @ adjoint(u))


def _inverse_for_slogdet(call: Call) -> Array:
    x, singular = call.args[0], (call.out[0] == 0)[..., None, None]
    one = lw.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    return lw.where(singular, lw.nan, lw.linalg.inv(lw.where(singular, one, x)))


def _along_slogdet(call: Call, tangents: _Tangents) -> Any:
    sign = call.out[0]
    t = lw.sum(_inverse_for_slogdet(call) * tangents[0].mT, axis=(-2, -1))
    return (sign * 1j * lw.imag(t), lw.real(t)) if sign.dtype.kind == "c" else (None, t)


@rule("linalg.slogdet", _along_slogdet)
def _slogdet(call: Call, g: tuple[Array, Array]) -> Any:
    sign = call.out[0]
    slope = g[1]
    if sign.dtype.kind == "c":  # the sign turns by the imaginary part of the logarithm of the determinant
        slope = slope + 1j * lw.imag(conj(sign) * g[0])
    return {0: slope[..., None, None] * adjoint(_inverse_for_slogdet(call))}


# --- systems of equations ---------------------------------------------------------------------------------------------


def _columns(vector: bool, *arrays: Array) -> list[Array]:
    return [x[..., None] for x in arrays] if vector else [*arrays]


def _along_solve(call: Call, tangents: _Tangents) -> Array:
    """Of ``a @ x = b``: ``a @ dx = db - da @ x``."""
    (a, b), vector = call.args, call.args[1].ndim == 1
    x, t = _columns(vector, call.out, tangents[1] if 1 in tangents else lw.zeros_like(b))
    found = lw.linalg.solve(a, t - tangents[0] @ x if 0 in tangents else t)
    return found[..., 0] if vector else found


@rule("linalg.solve", _along_solve)
def _solve(call: Call, g: Array) -> Any:
    a, vector = call.args[0], call.args[1].ndim == 1
    x, g = _columns(vector, call.out, g)
    by_b = lw.linalg.solve(adjoint(a), g)
    return {0: -(by_b @ adjoint(x)), 1: by_b[..., 0] if vector else by_b}


def _read(x: Array, upper: bool = False, unit_diagonal: bool = False, **_: Any) -> Array:
    """Keep what `solve_triangular` reads of a matrix."""
    k = int(unit_diagonal)
    return lw.triu(x, k=k) if upper else lw.tril(x, k=-k)


def _along_solve_triangular(call: Call, tangents: _Tangents) -> Array:
    (a, b), vector = call.args, call.args[1].ndim == 1
    x, t = _columns(vector, call.out, tangents[1] if 1 in tangents else lw.zeros_like(b))
    if 0 in tangents:
        change = _read(tangents[0], **call.kw)
        t = t - (change.mT if call.kw.get("transpose") else change) @ x
    found = lw.linalg.solve_triangular(a, t, **call.kw)
    return found[..., 0] if vector else found


@rule("linalg.solve_triangular", _along_solve_triangular)
def _solve_triangular(call: Call, g: Array) -> Any:
    a, vector = call.args[0], call.args[1].ndim == 1
    transpose = bool(call.kw.get("transpose"))
    x, g = _columns(vector, call.out, g)
    by_b = lw.linalg.solve_triangular(conj(a), g, **{**call.kw, "transpose": not transpose})
    by_a = conj(x) @ by_b.mT if transpose else by_b @ adjoint(x)
    return {0: -_read(by_a, **call.kw), 1: by_b[..., 0] if vector else by_b}


@rule("linalg.lstsq")
def _lstsq(call: Call, g: tuple[Array, ...]) -> Any:
    """By the derivative of the pseudo-inverse p of a where the rank stays (Golub and Pereyra 1973).

    The composition would have that of singular vectors, which equal singular values leave undefined.
    """
    (a, b), vector, kw = call.args, call.args[1].ndim == 1, call.kw
    x, b, g_x = _columns(vector, call.out[0], b, g[0])
    u, s, vh = lw.linalg.svd(a, full_matrices=False)
    eps, rcond = lw.finfo(s.dtype).eps, kw.get("rcond")
    least = eps * max(a.shape[-2:]) if rcond is None else eps if rcond < 0 else rcond
    large = s > least * s[..., :1]
    p = (adjoint(vh) * lw.where(large, 1 / lw.where(large, s, 1.0), 0.0)[..., None, :]) @ adjoint(u)
    rest = b - a @ x
    by_rest = 2 * rest * g[1][..., None, :]
    g_x = g_x - adjoint(a) @ by_rest
    y = adjoint(p) @ g_x
    by_a = (
        rest @ adjoint(p @ y)
        + adjoint(p) @ x @ adjoint(g_x - adjoint(a) @ y)
        - (y + by_rest) @ adjoint(x)
        + (u * g[3][..., None, :]) @ vh
    )
    by_b = y + by_rest
    return {0: by_a, 1: by_b[..., 0] if vector else by_b}


@rule("linalg.lu_factor")
def _lu_factor(call: Call, g: tuple[Array, Array]) -> Any:
    """Of a square matrix as in Giles (2008): ``x[order] = L @ U`` gives ``inv(L) @ dL`` below the diagonal of
    ``inv(L) @ dx[order] @ inv(U)``, and ``dU @ inv(U)`` on it and above.

    What is beyond the square is L or U divided by the other one's square. A 0 on the diagonal of U is divided by
    nowhere, as in the elimination.
    """
    (lu, pivots), by = call.out, g[0]
    m, n = lu.shape[-2:]
    k = min(m, n)
    square, by_square = lu[..., :k, :k], by[..., :k, :k]
    upper = lw.triu(square)
    divisor = lw.where(lw.logical_and(identity(upper), upper == 0), 1.0, upper)
    lower = lw.tril(square, k=-1)
    by_lower, by_upper = lw.tril(by_square, k=-1), lw.triu(by_square)

    def over_lower(y: Array) -> Array:
        return lw.linalg.solve_triangular(conj(square), y, transpose=True, unit_diagonal=True)

    def over_upper(y: Array) -> Array:
        return adjoint(lw.linalg.solve_triangular(divisor, adjoint(y), upper=True))

    beyond = None
    if m > n:
        below = over_upper(by[..., k:, :])
        by_upper = by_upper - lw.triu(adjoint(lu[..., k:, :]) @ below)
        beyond = below, -2
    elif m < n:
        right = over_lower(by[..., :, k:])
        by_lower = by_lower - lw.tril(right @ adjoint(lu[..., :, k:]), k=-1)
        beyond = right, -1
    # with 1 on the diagonal of L; and the upper triangle of by_upper @ U^H, divided by U^H again, is left as by_upper
    turned = lw.tril(by_lower + adjoint(lower) @ by_lower - by_upper @ adjoint(upper), k=-1)
    found = over_lower(by_upper + over_upper(turned)) if k else by_square
    if beyond is not None:
        found = lw.concat([found, beyond[0]], axis=beyond[1])
    return {0: _rows_back(found, pivots)}


def _rows_back(y: Array, pivots: Array) -> Array:
    """Undo the exchanges of rows that `lu_factor` tells."""
    m = y.shape[-2]
    if 0 in y.shape:
        return y
    if pivots.shape[-1] < m:  # the last rows stay where they are
        last = lw.arange(pivots.shape[-1], m, dtype=pivots.dtype, device=y.device)
        last = lw.broadcast_to(last, (*pivots.shape[:-1], last.shape[0]))
        pivots = lw.concat([pivots, last], axis=-1)
    rows = lw.arange(m, dtype=float64, device=y.device)
    one = lw.broadcast_to(lw.eye(m, dtype=float64, device=y.device), (*y.shape[:-2], m, m))
    order = lw.argsort(lw.linalg.lu_solve((one, pivots), rows), axis=-1)  # the rows as they were exchanged
    return lw.take_along_axis(y, lw.broadcast_to(order[..., None], y.shape), axis=-2)


# --- functions of matrices --------------------------------------------------------------------------------------------


def _derivative(f: Callable[[Array], Array], x: Array, along: Array) -> Array:
    """Return the derivative of a function of matrices along others.

    It is the upper right block of ``f([[x, along], [0, x]])`` (Mathias 1996). `along` is scaled to the size of x: the
    function's own scaling is made for that.
    """
    if 0 in x.shape:
        return along
    size, own = (lw.max(lw.abs(lw.stop_gradient(y)), axis=(-2, -1), keepdims=True) for y in (along, x))
    unit = size / lw.where(own == 0, 1.0, own)
    unit = lw.where(lw.logical_and(unit > 0, lw.isfinite(unit)), unit, 1.0)
    n = x.shape[-1]
    upper = lw.concat([x, along / unit], axis=-1)
    lower = lw.concat([lw.zeros_like(x), x], axis=-1)
    return f(lw.concat([upper, lower], axis=-2))[..., :n, n:] * unit


def _of_matrices(name: str) -> None:
    """State the rule of a function that has ``f(adjoint(x)) = adjoint(f(x))``."""

    def forward(call: Call, tangents: _Tangents) -> Array:
        return _derivative(getattr(lw.linalg, name), call.args[0], tangents[0])

    @rule(f"linalg.{name}", forward)
    def reverse(call: Call, g: Array) -> Any:
        return {0: _derivative(getattr(lw.linalg, name), adjoint(call.args[0]), g)}


for _name in ("expm", "sqrtm", "logm"):
    _of_matrices(_name)

refuse(
    "linalg.schur",
    "the order of the eigenvalues and the vectors for equal or complex ones are chosen by the routine, so that T and Z "
    "have no derivative. lw.linalg.eigvals and lw.linalg.eig have one, and of a Hermitian matrix lw.linalg.eigh",
)


@rule("linalg.pinv")
def _pinv(call: Call, g: Array) -> Any:
    """The derivative of Golub and Pereyra (1973), for a rank that stays as it is."""
    a, p = call.args[0], call.out
    p_h = adjoint(p)
    back = -(p_h @ g @ p_h)
    g_h = adjoint(g)
    rest = g_h @ p
    back = back + (rest - a @ (p @ rest)) @ p_h
    rest = p @ g_h
    return {0: back + p_h @ (rest - (rest @ p) @ a)}


# --- polar factors ----------------------------------------------------------------------------------------------------


@custom_gradient
def _between(p: Array, c: Array) -> Any:
    """Solve ``p @ y + y @ p = c`` for Hermitian p. The derivative is of the same kind: no eigenvectors are in it."""
    w, v = lw.linalg.eigh(p)
    sums = w[..., :, None] + w[..., None, :]
    inner = adjoint(v) @ c @ v / lw.where(sums == 0, lw.nan, sums)

    def back(g: Array) -> tuple[Array, Array]:
        by_c, y = _between(p, g), _between(p, c)
        return -(by_c @ adjoint(y) + adjoint(y) @ by_c), by_c

    return v @ inner @ adjoint(v), back


def _by_unitary_factor(call: Call, t: Array) -> Array:
    """Bring the tangent of a matrix to that of its unitary factor. The map is its own transpose, for cotangents."""
    x, unit = call.args[0], call.out[0]
    wide = x.shape[-2] < x.shape[-1]
    if wide:
        x, unit, t = adjoint(x), adjoint(unit), adjoint(t)
    inner = adjoint(unit) @ t
    p = hermitian(adjoint(unit) @ x)
    found = unit @ _between(p, inner - adjoint(inner))
    if x.shape[-2] > x.shape[-1]:
        found = found + (t - unit @ inner) @ lw.linalg.inv(p)
    return adjoint(found) if wide else found


def _is_right(call: Call) -> bool:
    return bool(call.kw.get("side", call.args[1] if len(call.args) > 1 else "right") == "right")


def _along_polar(call: Call, tangents: _Tangents) -> Any:
    x, unit, t = call.args[0], call.out[0], tangents[0]
    found = _by_unitary_factor(call, t)
    moved = adjoint(found) @ x + adjoint(unit) @ t if _is_right(call) else t @ adjoint(unit) + x @ adjoint(found)
    return found, hermitian(moved)


@rule("linalg.polar", _along_polar)
def _polar(call: Call, g: tuple[Array, Array]) -> Any:
    """The unitary factor is smooth where the matrix has full rank: its change solves an equation of Sylvester.

    The other factor is a product with it.
    """
    x, unit, h = call.args[0], call.out[0], hermitian(g[1])
    right = _is_right(call)
    found = _by_unitary_factor(call, g[0] + (x @ h if right else h @ x))
    return {0: found + (unit @ h if right else h @ unit)}
