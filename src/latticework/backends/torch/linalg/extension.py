"""The linear algebra extension on PyTorch."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import forward_ad

from ....backend.arguments import check_mode, of_numbers, of_sides
from ....backend.slopes import own_slopes as _own_slopes
from ....backend.unsupported import refused
from ..core import REFUSED
from ..kinks import carrying
from ..shared import recorded
from ..transformations import custom_gradient, custom_rules, forward_twice

eig = torch.linalg.eig
inv = torch.linalg.inv
slogdet = torch.linalg.slogdet
svd = torch.linalg.svd
svdvals = torch.linalg.svdvals


def det(x: torch.Tensor) -> torch.Tensor:
    """Compute determinants. Autograd divides by them, and is wrong for singular matrices; `torch.func` is not."""
    out = torch.linalg.det(x)
    if not out.requires_grad or torch._C._functorch.maybe_current_level() is not None:
        return out
    return _differentiable_det(x)


def _differentiable_det(x: torch.Tensor) -> torch.Tensor:
    def run(natives: list[torch.Tensor]) -> Any:
        def back(cotangents: list[torch.Tensor]) -> list[torch.Tensor]:
            with torch.enable_grad():  # where singular matrices are looked at
                return [*torch.func.vjp(torch.linalg.det, *natives)[1](*cotangents)]

        return [torch.linalg.det(*natives)], back

    return custom_gradient(run, [x])[0]


def _where_finite(x: torch.Tensor, *results: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return nan for matrices with infinities or nan in the lower triangle: LAPACK gives any number.

    It is computed in any case: `torch.func.vmap` has no values to look at first.
    """
    finite = x.tril().isfinite().all(-1, keepdim=True).all(-2, keepdim=True)
    return tuple([torch.where(finite if r.ndim == x.ndim else finite[..., 0], r, torch.nan) for r in results])


def _symmetric(x: torch.Tensor) -> torch.Tensor:
    """Return the matrices as they are. Their derivatives are made symmetric: the routines read one triangle, and of
    PyTorch's derivatives the first in reverse alone are symmetric."""
    if not recorded(x) or x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        return x
    return carrying(x, (x + x.mH) / 2)


# The three functions ask themselves whether derivatives may be taken: a call of `recorded` would be a frame in each.


def cholesky(x: torch.Tensor, *, upper: bool = False) -> torch.Tensor:
    if x.requires_grad or torch._C._functorch.maybe_current_level() is not None or forward_ad._current_level >= 0:
        x = _symmetric(x)
    return torch.linalg.cholesky(x, upper=upper)


_own_slopes(cholesky, torch.linalg.cholesky)


def eigh(x: torch.Tensor) -> Any:
    if x.requires_grad or torch._C._functorch.maybe_current_level() is not None or forward_ad._current_level >= 0:
        x = _symmetric(x)
    return _where_finite(x, *torch.linalg.eigh(x))


def eigvalsh(x: torch.Tensor) -> torch.Tensor:
    if x.requires_grad or torch._C._functorch.maybe_current_level() is not None or forward_ad._current_level >= 0:
        x = _symmetric(x)
    return _where_finite(x, torch.linalg.eigvalsh(x))[0]


def eigvals(x: torch.Tensor) -> torch.Tensor:
    """Compute eigenvalues by eig, which checks for nan and infinities: LAPACK's routine can crash on them."""
    if not x.isfinite().all():
        raise ValueError("infinities or nan")
    return torch.linalg.eigvals(x)


def solve(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Solve. torch takes (..., M) with one axis less than x1 for a stack of vectors; here it is one matrix."""
    return torch.linalg.solve(x1, x2[None] if 2 <= x2.ndim == x1.ndim - 1 else x2)


def qr(x: torch.Tensor, *, mode: str = "reduced") -> Any:
    check_mode(mode)
    return torch.linalg.qr(x, mode)


def pinv(x: torch.Tensor, *, rtol: Any = None) -> torch.Tensor:
    """Compute the pseudo-inverse by PyTorch's function: its derivative looks at no singular vectors."""
    found = torch.linalg.pinv(x, rtol=rtol)
    finite = x.isfinite().all(-1, keepdim=True).all(-2, keepdim=True)
    return torch.where(finite, found, torch.nan)  # infinite singular values would be as 0


pinv.when = of_numbers("rtol")  # type: ignore[attr-defined]


# --- polar factors ------------------------------------------------------------------------------------------------
# The derivatives look at no singular vectors, which have none for equal singular values: as in derivatives/linalg.py.


def _hermitian(x: torch.Tensor) -> torch.Tensor:
    return (x + x.mH) / 2


def _between(p: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Solve ``p @ y + y @ p = c`` for Hermitian p. The derivative is of the same kind: no eigenvectors are in it."""

    def run(natives: list[torch.Tensor]) -> Any:
        p, c = natives
        values, v = torch.linalg.eigh(p)
        sums = values[..., :, None] + values[..., None, :]

        def back(cotangents: list[torch.Tensor]) -> list[torch.Tensor]:
            by_c, y = _between(p, cotangents[0]), _between(p, c)
            return [-(by_c @ y.mH + y.mH @ by_c), by_c]

        return [v @ (v.mH @ c @ v / torch.where(sums == 0, torch.nan, sums)) @ v.mH], back

    def push(primals: list[torch.Tensor], tangents: list[torch.Tensor]) -> list[torch.Tensor]:
        (p, c), (moved_p, moved_c) = primals, tangents
        y = _between(p, c)
        return [_between(p, moved_c - moved_p @ y - y @ moved_p)]

    return custom_rules(run, [p, c], push)[0]


def _by_unitary_factor(x: torch.Tensor, unit: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """Bring the tangent of a matrix to that of its unitary factor. The map is its own transpose, for cotangents."""
    if x.shape[-2] < x.shape[-1]:
        return _by_unitary_factor(x.mH, unit.mH, t.mH).mH
    inner, p = unit.mH @ t, _hermitian(unit.mH @ x)
    found = unit @ _between(p, inner - inner.mH)
    return found + (t - unit @ inner) @ torch.linalg.inv(p) if x.shape[-2] > x.shape[-1] else found


def _by_singular_values(x: torch.Tensor, right: bool) -> tuple[torch.Tensor, torch.Tensor]:
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    sizes = s.to(x.dtype)[..., None, :]
    return u @ vh, (vh.mH * sizes) @ vh if right else (u * sizes) @ u.mH


def polar(x: torch.Tensor, side: str = "right") -> tuple[torch.Tensor, torch.Tensor]:
    right = side == "right"
    if not recorded(x) or forward_twice():
        return _by_singular_values(x, right)

    def run(natives: list[torch.Tensor]) -> Any:
        (x,) = natives

        def back(cotangents: list[torch.Tensor]) -> list[torch.Tensor]:
            unit, h = polar(x, side)[0], _hermitian(cotangents[1])
            found = _by_unitary_factor(x, unit, cotangents[0] + (x @ h if right else h @ x))
            return [found + (unit @ h if right else h @ unit)]

        return [*_by_singular_values(x, right)], back

    def push(primals: list[torch.Tensor], tangents: list[torch.Tensor]) -> list[torch.Tensor]:
        (x,), (t,) = primals, tangents
        unit = polar(x, side)[0]
        found = _by_unitary_factor(x, unit, t)
        return [found, _hermitian(found.mH @ x + unit.mH @ t if right else t @ unit.mH + x @ found.mH)]

    unit, size = custom_rules(run, [x], push)
    return unit, size


polar.when = of_sides  # type: ignore[attr-defined]


def diagonal(x: torch.Tensor, *, offset: int = 0) -> torch.Tensor:
    return torch.diagonal(x, offset, -2, -1)


def vector_norm(x: torch.Tensor, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> torch.Tensor:
    if ord == 0 and x.dtype.is_complex:  # torch counts without the imaginary parts, and warns
        x = (x != 0).to(x.real.dtype)
    if x.ndim == 0 and axis not in (None, ()):  # which torch takes for the one axis that there is
        raise IndexError(f"axis {axis} is out of bounds for a 0-d array")
    if axis == ():  # which torch takes for all axes
        return (x != 0).to(x.dtype) if ord == 0 else x.abs()
    return torch.linalg.vector_norm(x, ord, axis, keepdims)


REFUSED.update(refused("linalg"))
