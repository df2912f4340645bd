"""Rules of decompositions: eigenvalues, singular values, triangular factors.

Eigenvectors and singular vectors are determined up to a sign, of complex matrices up to a phase. Derivatives are those
of what a phase does not change. Where the values are known, a cotangent that asks for more is an error. Of equal
eigenvalues or singular values the vectors have no derivative: it is nan or infinite. The values alone have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array, wrapped
from ..errors import BackendError
from .rules import conj, rule
from .tape import Call, Taped, value_of

__all__ = ["adjoint", "hermitian", "identity"]

_Tangents = Mapping[Any, Array]


def adjoint(x: Array) -> Array:
    """Return the conjugate transpose of each matrix."""
    return lw.matrix_transpose(conj(x))


def identity(x: Array) -> Array:
    """Return where the main diagonal of matrices of the shape of x is, as bools."""
    rows, columns = (lw.arange(n, device=x.device) for n in x.shape[-2:])
    return rows[:, None] == columns


def hermitian(x: Array) -> Array:
    """Return the Hermitian part of each matrix."""
    return (x + adjoint(x)) / 2


def _diagonal(x: Array) -> Array:
    return lw.linalg.diagonal(x)


def _with_diagonal(x: Array, d: Array) -> Array:
    return lw.where(identity(x), d[..., None, :], x)


# --- what vectors leave open ------------------------------------------------------------------------------------------


def _known(x: Array, call: Call) -> Array | None:
    """Return an array without tapes, None where its values are not known before a compiled function runs."""
    backend, native = call.tape.below, value_of(x._data)
    return wrapped(native, backend.sig_of(native)) if backend.has_values(native) else None


def _asks_for(part: Array, whole: Array, call: Call) -> bool:
    """Tell whether a part of cotangents that should be 0 is not, beside all of them."""
    known, beside = _known(part, call), _known(whole, call)
    if known is None or beside is None or not known.size:
        return False
    return bool(lw.max(lw.abs(known)) > 1e-2 * lw.max(lw.abs(beside)))


def _refuse_phases(part: Array, whole: Array, call: Call, name: str, vectors: str) -> None:
    """Refuse cotangents of vectors along the vectors times 1j, which is where they go if their phases turn."""
    if _asks_for(part, whole, call):
        raise BackendError(
            f"{name}: the result that is differentiated depends on the phases of the {vectors}, which each "
            f"framework chooses as it likes. Differentiate what they do not change, as lw.abs(v), or "
            f"v @ (d[:, None] * conj(v.mT))"
        )


def _nothing(g: Array) -> Array | None:
    """Return which matrices of cotangents are 0 throughout, None where an outer tape may differentiate them.

    Of equal values, where 0 would be divided by 0, vectors that nothing depends on have no part in the derivative.
    """
    return None if type(g._data) is Taped else lw.all(g == 0, axis=(-2, -1), keepdims=True)


def _over_gaps(x: Array, gaps: Array, nothing: Array | None) -> Array:
    """Divide by the differences of the values, but for those on the diagonal: it is 0."""
    one = identity(x)
    gaps = lw.where(one if nothing is None else lw.logical_or(one, nothing), 1.0, gaps)
    return lw.where(one, 0.0, x) / gaps


def _gaps(w: Array) -> Array:
    """Return the difference of the jth and the ith value in row i and column j."""
    return w[..., None, :] - w[..., :, None]


# --- Hermitian matrices -----------------------------------------------------------------------------------------------


def _along_cholesky(call: Call, tangents: _Tangents) -> Array:
    upper = bool(call.kw.get("upper"))
    low = adjoint(call.out) if upper else call.out
    half = lw.linalg.solve_triangular(low, hermitian(tangents[0]))
    inner = lw.linalg.solve_triangular(low, adjoint(half))
    found = low @ _lower_half(inner)
    return adjoint(found) if upper else found


@rule("linalg.cholesky", _along_cholesky)
def _cholesky(call: Call, g: Array) -> Any:
    """Murray (2016), "Differentiation of the Cholesky decomposition". The cotangent is that by Hermitian matrices."""
    upper = bool(call.kw.get("upper"))
    low, g = (adjoint(call.out), adjoint(g)) if upper else (call.out, g)
    inner = hermitian(_lower_half(adjoint(low) @ lw.tril(g)))
    half = lw.linalg.solve_triangular(conj(low), inner, transpose=True)
    return {0: adjoint(lw.linalg.solve_triangular(conj(low), adjoint(half), transpose=True))}


def _lower_half(x: Array) -> Array:
    """Return the lower triangle, with half of the diagonal."""
    return lw.where(identity(x), x / 2, lw.tril(x))


def _along_eigh(call: Call, tangents: _Tangents) -> Any:
    w, v = call.out
    inner = adjoint(v) @ hermitian(tangents[0]) @ v
    return lw.real(_diagonal(inner)), v @ _over_gaps(inner, _gaps(w), None)


@rule("linalg.eigh", _along_eigh)
def _eigh(call: Call, g: tuple[Array, Array]) -> Any:
    """Giles (2008), section 3.1. The cotangent is that by Hermitian matrices."""
    (w, v), (g_w, g_v) = call.out, g
    inner = adjoint(v) @ g_v
    if v.dtype.kind == "c":
        _refuse_phases(lw.imag(_diagonal(inner)), g_v, call, "linalg.eigh", "eigenvectors")
    inner = _with_diagonal(_over_gaps(inner, _gaps(w), _nothing(g_v)), g_w)
    return {0: hermitian(v @ inner @ adjoint(v))}


def _along_eigvalsh(call: Call, tangents: _Tangents) -> Array:
    v = lw.linalg.eigh(call.args[0]).eigenvectors
    return lw.sum(lw.real(conj(v) * (hermitian(tangents[0]) @ v)), axis=-2)


@rule("linalg.eigvalsh", _along_eigvalsh)
def _eigvalsh(call: Call, g: Array) -> Any:
    v = lw.linalg.eigh(call.args[0]).eigenvectors
    return {0: (v * g[..., None, :]) @ adjoint(v)}


# --- eigenvalues of any matrix ----------------------------------------------------------------------------------------


def _inverse(v: Array) -> Array:
    """Return the inverse of eigenvectors, nan where there are too few of them."""
    singular = (lw.linalg.slogdet(v).sign == 0)[..., None, None]
    regular = lw.where(singular, lw.eye(v.shape[-1], dtype=v.dtype, device=v.device), v)
    return lw.where(singular, lw.nan, lw.linalg.inv(regular))


def _along_eig(call: Call, tangents: _Tangents) -> Any:
    w, v = call.out
    inner = _inverse(v) @ (tangents[0] @ v)
    change = v @ _over_gaps(inner, _gaps(w), None)
    return _diagonal(inner), change - v * lw.sum(conj(v) * change, axis=-2, keepdims=True)


@rule("linalg.eig", _along_eig)
def _eig(call: Call, g: tuple[Array, Array]) -> Any:
    """Of vectors of length 1: what changes the length or the phase of one is taken from its change.

    Giles (2008), section 3.1, has the derivative without that.
    """
    (w, v), (g_w, g_v) = call.out, g
    along = _diagonal(adjoint(v) @ g_v)
    free = lw.imag(along)
    if call.args[0].dtype.kind == "f":  # the vectors of a real eigenvalue are real: their sign alone is chosen
        free = lw.where(lw.imag(w) == 0, 0.0, free)
    _refuse_phases(free, g_v, call, "linalg.eig", "eigenvectors")
    inner = adjoint(v) @ (g_v - v * along[..., None, :])
    inner = _with_diagonal(_over_gaps(inner, conj(_gaps(w)), _nothing(g_v)), g_w)
    return {0: adjoint(_inverse(v)) @ inner @ adjoint(v)}


@rule("linalg.eigvals")
def _eigvals(call: Call, g: Array) -> Any:
    w, v = lw.linalg.eig(call.args[0])
    g = lw.take_along_axis(g, _counterparts(w, call.out), axis=-1)
    return {0: adjoint(_inverse(v)) @ (g[..., None] * adjoint(v))}


def _counterparts(w: Array, others: Array) -> Array:
    """Return for each eigenvalue the place of the same one among others: LAPACK's order with vectors is another.

    It is the same place, but where another place has one that is closer by more than rounding.
    """
    n = w.shape[-1]
    same = lw.arange(n, device=w.device)
    if 0 in w.shape:
        return lw.broadcast_to(same, w.shape)
    w, others = lw.stop_gradient(w), lw.stop_gradient(others)
    distances = lw.abs(w[..., :, None] - others[..., None, :])
    rounding = 1e3 * lw.finfo(w.dtype).eps * lw.max(lw.abs(w), axis=-1, keepdims=True)
    close = lw.abs(w - others) <= lw.min(distances, axis=-1) + rounding
    return lw.where(close, same, lw.argmin(distances, axis=-1))


# --- singular values --------------------------------------------------------------------------------------------------


def _gaps_of_squares(s: Array) -> Array:
    return _gaps(s) * (s[..., None, :] + s[..., :, None])


def _along_svd(call: Call, tangents: _Tangents) -> Any:
    """Townsend (2016), "Differentiating the singular value decomposition"; of complex matrices Wan and Zhang (2019)."""
    s = call.out[1]
    k = s.shape[-1]
    u, vh = call.out[0][..., :k], call.out[2][..., :k, :]
    t, v = tangents[0], adjoint(vh)
    inner = adjoint(u) @ t @ v
    row, column = s[..., None, :], s[..., :, None]
    gaps = _gaps_of_squares(s)
    x = _over_gaps(inner * row + column * adjoint(inner), gaps, None)
    y = _over_gaps(column * inner + adjoint(inner) * row, gaps, None)
    if inner.dtype.kind == "c":
        turn = 1j * (lw.imag(_diagonal(inner)) / (2 * s))
        x, y = _with_diagonal(x, turn), _with_diagonal(y, -turn)
    by_u, by_v = u @ x, v @ y
    if u.shape[-2] > k:
        by_u = by_u + _beside(u, t @ v) / row
    if v.shape[-2] > k:
        by_v = by_v + _beside(v, adjoint(t) @ u) / row
    return (_completed(call.out[0], by_u), lw.real(_diagonal(inner)), adjoint(_completed(adjoint(call.out[2]), by_v)))


def _beside(u: Array, x: Array) -> Array:
    """Return what of x is orthogonal to the columns of u."""
    return x - u @ (adjoint(u) @ x)


def _completed(u: Array, by_u: Array) -> Array:
    """Add to the tangent of some columns that of the others, which stay orthogonal to them."""
    k = by_u.shape[-1]
    if u.shape[-1] == k:
        return by_u
    return lw.concat([by_u, -(u[..., :k] @ (adjoint(by_u) @ u[..., k:]))], axis=-1)


def _of_first_columns(u: Array, g: Array, k: int, call: Call) -> Array:
    """Bring the cotangent of all columns of u to the first, by what the others have to follow them for.

    The columns after them are any basis of what is orthogonal to them.
    """
    if u.shape[-1] == k:
        return g
    rest, by_rest = u[..., k:], g[..., k:]
    turn = adjoint(rest) @ by_rest
    if _asks_for(turn - adjoint(turn), by_rest, call):
        raise BackendError(
            "linalg.svd: the result that is differentiated depends on the vectors beyond the singular values, which "
            "may be any basis. lw.linalg.svd(x, full_matrices=False) has the others; of these, differentiate what the "
            "basis does not change, as u2 @ conj(u2.mT)"
        )
    return g[..., :k] - rest @ (adjoint(by_rest) @ u[..., :k])


@rule("linalg.svd", _along_svd)
def _svd(call: Call, g: tuple[Array, Array, Array]) -> Any:
    """The transpose of the forward rule."""
    s = call.out[1]
    k = s.shape[-1]
    u, vh = call.out[0][..., :k], call.out[2][..., :k, :]
    v = adjoint(vh)
    g_u = _of_first_columns(call.out[0], g[0], k, call)
    g_v = _of_first_columns(adjoint(call.out[2]), adjoint(g[2]), k, call)
    of_u, of_v = _nothing(g[0]), _nothing(g[2])
    nothing = None if of_u is None or of_v is None else lw.logical_and(of_u, of_v)
    row, column = s[..., None, :], s[..., :, None]
    p, q, gaps = adjoint(u) @ g_u, adjoint(v) @ g_v, _gaps_of_squares(s)
    inner = _over_gaps(p - adjoint(p), gaps, nothing) * row + column * _over_gaps(q - adjoint(q), gaps, nothing)
    if u.dtype.kind == "c":
        turn_u, turn_v = lw.imag(_diagonal(p)), lw.imag(_diagonal(q))
        _refuse_phases(turn_u + turn_v, lw.concat([g_u, g_v], axis=-2), call, "linalg.svd", "singular vectors")
        size = s if nothing is None else lw.where(nothing[..., 0], 1.0, s)
        inner = _with_diagonal(inner, g[1] + 1j * ((turn_u - turn_v) / (2 * size)))
    else:
        inner = _with_diagonal(inner, g[1])
    found = u @ inner @ vh
    if u.shape[-2] > k:
        found = found + _beside(u, _over(g_u, row, of_u)) @ vh
    if v.shape[-2] > k:
        found = found + u @ adjoint(_beside(v, _over(g_v, row, of_v)))
    return {0: found}


def _over(x: Array, s: Array, nothing: Array | None) -> Array:
    return x / (s if nothing is None else lw.where(nothing, 1.0, s))


def _along_svdvals(call: Call, tangents: _Tangents) -> Array:
    u, _, vh = lw.linalg.svd(call.args[0], full_matrices=False)
    return lw.sum(lw.real(conj(u) * (tangents[0] @ adjoint(vh))), axis=-2)


@rule("linalg.svdvals", _along_svdvals)
def _svdvals(call: Call, g: Array) -> Any:
    u, _, vh = lw.linalg.svd(call.args[0], full_matrices=False)
    return {0: (u * g[..., None, :]) @ vh}


# --- orthogonal and triangular factors --------------------------------------------------------------------------------


@rule("linalg.qr")
def _qr(call: Call, g: tuple[Array, Array]) -> Any:
    """Walter, Lehmann and Lamour (2012); of a matrix with more columns than rows Roberts and Roberts (2020).

    The columns of R beyond the square are those of x multiplied by the adjoint of Q.
    """
    x, (q, r), (g_q, g_r) = call.args[0], call.out, g
    m, n = x.shape[-2:]
    if m > n and q.shape[-1] > n:
        raise BackendError(
            "linalg.qr: with mode='complete', Q has columns beyond those of x, which may be any basis, and R rows of "
            "zeros. Call lw.linalg.qr(x), which has the columns that are determined"
        )
    k = min(m, n)
    if m < n:
        beyond = g_r[..., k:]
        g_q = g_q + x[..., k:] @ adjoint(beyond)
        r, g_r = r[..., :k], g_r[..., :k]
        by_beyond = q @ beyond
    inner = adjoint(q) @ g_q - g_r @ adjoint(r)
    above = lw.triu(inner, k=1)
    inner = _with_diagonal(above + adjoint(above), lw.real(_diagonal(inner)))
    r = lw.where(lw.logical_and(identity(r), r == 0), lw.nan, r)
    found = adjoint(lw.linalg.solve_triangular(r, adjoint(g_q - q @ inner), upper=True))
    return {0: lw.concat([found, by_beyond], axis=-1) if m < n else found}
