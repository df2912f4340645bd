"""Parametrizations of weights: orthogonal matrices, a norm apart from the direction, a singular value of 1."""

from __future__ import annotations

from typing import Any

from ... import linalg
from ...autograd.modes import no_grad
from ...core import ops
from ...dtypes import finfo
from ...joining import cat
from ...products import mv, vdot
from ...sampling import randn
from ...tensor import Tensor
from .. import functional as F
from ..modules.module import Module
from .parametrize import register_parametrization
from .spectral_norm import as_matrix, axis_of, random_direction
from .weight_norm import composed, norms

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _eye(like: Any, n: int) -> Any:
    return ops.eye(n, dtype=like.dtype, device=like._array.device)


def _is_orthogonal(q: Any) -> bool:
    n, k = q.shape[-2:]
    return bool(((q.mH @ q - _eye(q, k)).abs() <= 10.0 * n * finfo(q.dtype).eps + 1e-5 * _eye(q, k)).all())


def _make_orthogonal(x: Any) -> Any:
    """Return the orthogonal factor of a matrix, with the signs that leave an orthogonal one as it is."""
    q, r = linalg.qr(x)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _reflected(vectors: Any, scales: Any) -> Any:
    """Return the first columns of the product of reflections.

    Parameters
    ----------
    vectors: the vectors below the diagonal, whose first element is 1, in columns.
    scales: the factor of each.
    """
    n, k = vectors.shape[-2:]
    made = _eye(vectors, n)[:, :k]
    for i in reversed(range(k)):
        v = vectors[..., :, i : i + 1] + _eye(vectors, n)[:, i : i + 1]
        made = made - scales[..., i, None, None] * v * (v.mT @ made)
    return made


def _reflections(q: Any) -> Any:
    """Return a matrix with orthonormal columns as reflections: vectors below the diagonal, and signs on it."""
    n, k = q.shape[-2:]
    eye, columns = _eye(q, n), []
    for i in range(k):
        below = (ops.arange(n) >= i).to(q.dtype).unsqueeze(-1)
        x = q[..., :, i : i + 1] * below
        first = x[..., i : i + 1, :]
        size = linalg.vector_norm(x, dim=-2, keepdim=True) * ops.where(first >= 0, -1.0, 1.0).to(q.dtype)
        rest = (x * (1 - eye[:, i : i + 1])).abs().amax(-2, keepdim=True) > 0
        size = ops.where(rest, size, first)
        v = x / ops.where(rest, first - size, 1.0).to(q.dtype) * (1 - eye[:, i : i + 1])
        scale = ops.where(rest, (size - first) / ops.where(size == 0, 1.0, size), 0.0).to(q.dtype)
        whole = v + eye[:, i : i + 1]
        q = q - scale * whole * (whole.mT @ q)
        sign = size.sign() * ops.where(scale == 0, -1.0, 1.0).to(q.dtype)
        columns.append(v + sign * eye[:, i : i + 1])
    return cat(columns, -1)


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows, of any matrix."""

    def __init__(self, weight: Any, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):
        """Compute the orthogonal matrix."""
        transposed = X.shape[-2] < X.shape[-1]
        x = X.mT if transposed else X
        n, k = x.shape[-2:]
        if self.orthogonal_map == "householder":
            vectors = x.tril(-1)
            made = _reflected(vectors, 2.0 / (1.0 + (vectors * vectors).sum(-2)))
            made = made * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            x = x.tril()
            if n != k:
                x = cat([x, x.new_zeros((*x.shape[:-1], n - k))], -1)
            x = x - x.mH
            if self.orthogonal_map == "matrix_exp":
                made = linalg.matrix_exp(x)
            else:
                made = linalg.solve(_eye(x, n) - 0.5 * x, _eye(x, n) + 0.5 * x)
            made = made[..., :k]
        if hasattr(self, "base"):
            made = self.base @ made
        return made.mT if transposed else made

    @no_grad()
    def right_inverse(self, Q):
        """Return the matrix that an orthogonal one is computed from."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        transposed = Q.shape[-2] < Q.shape[-1]
        q = Q.mT if transposed else Q
        n, k = q.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            found = _reflections(q)
            return found.mT if transposed else found
        if n != k:
            q = _make_orthogonal(cat([q, randn(*q.shape[:-1], n - k, dtype=q.dtype, device=q.device)], -1))
        elif not _is_orthogonal(q):
            q = _make_orthogonal(q)
        self.base = q.clone()
        eye = ops.eye(*Q.shape[-2:], dtype=Q.dtype, device=Q._array.device)
        return ops.zeros_like(Q) - eye


def _tensor_of(module: Any, name: str) -> Any:
    found = getattr(module, name, None)
    if not isinstance(found, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return found


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Have a weight be an orthogonal matrix: with orthonormal columns, or rows if it has more columns.

    Parameters
    ----------
    module: the module. It is returned.
    name: the name of the weight, a matrix or a batch of them.
    orthogonal_map: how it is computed: "matrix_exp", "cayley" or "householder"; by default the first for square and
        complex matrices, and else the last.
    use_trivialization: whether the map starts from the matrix that is there now.

    Raises
    ------
    ValueError: there is no such tensor, it is no matrix, or the map is not known.
    """
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        """Compute the weight of its norms and its direction."""
        return composed(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        """Return the norms and the direction of a weight."""
        return norms(weight, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Have a module train the norm and the direction of a weight apart. The module is returned.

    Parameters
    ----------
    name: the name of the weight.
    dim: the axis whose elements have a norm each; None for one norm of the whole.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> module = nn.Module()
    >>> module.weight = nn.Parameter(torch.tensor([[3.0, 4.0]]))
    >>> module = nn.utils.parametrizations.weight_norm(module)
    >>> module.parametrizations.weight.original0.detach()
    tensor([[5.]])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def older(state_dict: Any, prefix: str, *_: Any) -> None:
        """Read the state of a module with the older `torch.nn.utils.weight_norm`."""
        keys = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in keys):
            for i, key in enumerate(keys):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(older)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight, self.dim)
            u, v = [random_direction(weight, n, eps) for n in matrix.shape]
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)
            self._power_method(matrix, 15)

    @no_grad()
    def _power_method(self, matrix: Any, n_power_iterations: int) -> None:
        """Approximate the singular vectors of the largest singular value."""
        for _ in range(n_power_iterations):
            self._u.copy_(F.normalize(mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(mv(matrix.H, self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        """Compute the weight divided by its largest singular value."""
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        return weight / vdot(self._u.clone(), mv(matrix, self._v.clone()))

    def right_inverse(self, value):
        """Return the value itself: a weight whose largest singular value is 1 stays as it is."""
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Have a module divide a weight by its largest singular value. The module is returned.

    Parameters
    ----------
    name: the name of the weight.
    n_power_iterations: how many steps each call in training approximates the singular vectors in.
    eps: what norms are at least.
    dim: the axis of the outputs; 1 in transposed convolutions, else 0, by default.
    """
    weight = _tensor_of(module, name)
    dim = axis_of(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
