"""What the distributions share: parameters of one shape, probabilities and logits, draws of the gamma distribution."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

from ... import torch
from ..sampling import _key

__all__ = [
    "broadcast_all", "clamp_probs", "gamma_logarithm", "lazy_property", "logits_to_probs", "probs_to_logits",
    "tril_matrix_to_vec", "vec_to_tril_matrix",
]  # fmt: skip

#: The limit of the harmonic numbers less the logarithm.
euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """Give numbers and tensors one shape. Numbers become tensors, of the dtype of the first tensor if there is one.

    Raises
    ------
    ValueError: a value is neither a number nor a tensor.
    """
    if not all(isinstance(v, (torch.Tensor, Number)) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor")
    first = next((v for v in values if isinstance(v, torch.Tensor)), None)
    options: Any = {"dtype": torch.get_default_dtype()} if first is None else like(first)
    return tuple(
        torch.broadcast_tensors(*[v if isinstance(v, torch.Tensor) else torch.as_tensor(v, **options) for v in values])
    )


def like(x: Any) -> dict[str, Any]:
    """Return the dtype and the device of a tensor, as options of a function that makes one."""
    return {"dtype": x.dtype, "device": x.device}


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Compute probabilities from log-odds, or from logarithms along the last axis that need not be normalised."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, -1)


def clamp_probs(probs: Any) -> Any:
    """Move probabilities of 0 and 1 inside by the spacing of floats at 1, so that they have logarithms."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Compute log-odds from probabilities, or logarithms where there are several events."""
    clamped = clamp_probs(probs)
    return torch.log(clamped) - torch.log1p(-clamped) if is_binary else torch.log(clamped)


class lazy_property:
    """A property that is computed when it is first read, and then is an attribute."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped, self.__doc__ = wrapped, wrapped.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.__name__ = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.__name__, value)
        return value


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """Take the lower triangles of matrices, row by row, as vectors. `diag` is the last diagonal that is taken."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = torch.tril_indices(n, n, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """Make lower triangular matrices of vectors, row by row. `diag` is the last diagonal that is filled."""
    count = vec.shape[-1]
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps or abs(round(n) - n) > 1e-9:
        raise ValueError(f"The size of last dimension is {count} which cannot be expressed as the lower triangle")
    n = round(n)
    rows, columns = torch.tril_indices(n, n, diag)
    places = torch.full((n * n,), count, dtype=torch.int64)
    places[rows * n + columns] = torch.arange(count)
    padded = torch.cat([vec, torch.zeros((*vec.shape[:-1], 1), dtype=vec.dtype)], -1)
    return padded[..., places].reshape(*vec.shape[:-1], n, n)


def sum_rightmost(value: Any, dim: int) -> Any:
    """Sum over so many of the last axes."""
    return value if dim == 0 else value.reshape((*value.shape[: value.dim() - dim], -1)).sum(-1)


_sum_rightmost = sum_rightmost  # PyTorch's name of it, which packages import


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Any:
    return torch.normal(torch.zeros(shape, dtype=dtype, device=device), torch.ones(shape, dtype=dtype, device=device))


def gamma_logarithm(concentration: Any) -> Any:
    """Draw logarithms of the gamma distribution with rate 1, one for each concentration.

    A small concentration gives numbers below all floats, which have a logarithm. The derivative by the concentration
    is that of the number whose probability to be undercut stays: minus the derivative of that probability, divided by
    the density. Only the first derivative is right.
    """
    constant = concentration.detach()
    with torch.no_grad():
        drawn = torch.core.ops.random.loggamma(_key(None), constant, dtype=constant.dtype)
    if not (concentration.requires_grad and torch.is_grad_enabled()):
        return drawn
    with torch.no_grad():
        slope = _slope(constant, drawn)
    return drawn + (concentration - constant) * slope


def _slope(concentration: Any, drawn: Any) -> Any:
    """The derivative of the logarithm of a gamma number by the concentration, at a fixed probability."""
    a, x = concentration.double(), drawn.double()
    z = x.exp()
    step = torch.minimum(a, a.sqrt()) * 1e-3
    below = z < a
    safe = torch.where(z > 1e-30, z, torch.ones_like(z))

    def tail(k: int) -> Any:
        """The lower probability, or minus the upper one: the smaller of them is the precise one."""
        at = a + k * step
        return torch.where(below, torch.special.gammainc(at, safe), -torch.special.gammaincc(at, safe))

    change = (8 * (tail(1) - tail(-1)) - (tail(2) - tail(-2))) / (12 * step)
    density = (a * x - z - torch.lgamma(a)).exp()  # of the logarithm
    tiny = (torch.digamma(a + 1) - x) / a  # where the density is z ** (a - 1) / gamma(a)
    return torch.where(z > 1e-30, -change / density, tiny).to(concentration.dtype)
