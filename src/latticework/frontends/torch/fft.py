"""PyTorch's ``torch.fft``."""

from __future__ import annotations

from typing import Any

from .core import complete, default_float, ops
from .objects import place

# fmt: off

def fft(input, n=None, dim=-1, norm=None, *, out=None): return _one(ops.fft.fft, _number(input), n, dim, norm)
def ifft(input, n=None, dim=-1, norm=None, *, out=None): return _one(ops.fft.ifft, _number(input), n, dim, norm)
def rfft(input, n=None, dim=-1, norm=None, *, out=None): return _one(ops.fft.rfft, _real(input), n, dim, norm)
def irfft(input, n=None, dim=-1, norm=None, *, out=None): return _one(ops.fft.irfft, _complex(input), n, dim, norm)
def hfft(input, n=None, dim=-1, norm=None, *, out=None): return _one(ops.fft.hfft, _complex(input), n, dim, norm)
def ihfft(input, n=None, dim=-1, norm=None, *, out=None): return _one(ops.fft.ihfft, _real(input), n, dim, norm)
def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None): return fftn(input, s, dim, norm)
def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None): return ifftn(input, s, dim, norm)
def rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None): return rfftn(input, s, dim, norm)
def irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None): return irfftn(input, s, dim, norm)
def hfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None): return hfftn(input, s, dim, norm)
def ihfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None): return ihfftn(input, s, dim, norm)
def fftn(input, s=None, dim=None, norm=None, *, out=None): return _several(ops.fft.fftn, _number(input), s, dim, norm)
def ifftn(input, s=None, dim=None, norm=None, *, out=None): return _several(ops.fft.ifftn, _number(input), s, dim, norm)
def rfftn(input, s=None, dim=None, norm=None, *, out=None): return _several(ops.fft.rfftn, _real(input), s, dim, norm)
def fftshift(input, dim=None): return ops.fft.fftshift(input, _listed(dim))
def ifftshift(input, dim=None): return ops.fft.ifftshift(input, _listed(dim))
# fmt: on


def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    return ops.fft.fftfreq(n, d, dtype=_default(dtype), device=place(device))


def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    return ops.fft.rfftfreq(n, d, dtype=_default(dtype), device=place(device))


def _one(f: Any, x: Any, n: Any, dim: Any, norm: Any) -> Any:
    return f(x, n, dim, norm or "backward")


def _several(f: Any, x: Any, s: Any, dim: Any, norm: Any) -> Any:
    return f(x, *_axes(x, s, dim), norm or "backward")


def _listed(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def _default(dtype: Any) -> Any:
    return default_float() if dtype is None else dtype


def _number(x: Any) -> Any:
    """A tensor of a dtype that has a transform: integers are taken as the default dtype."""
    kind = x._array.dtype.kind
    if kind in "biu":
        return x._to(_default(None))
    if x._array.dtype.name in ("float16", "bfloat16"):
        raise RuntimeError(f"Unsupported dtype {x.dtype}. Cast it first: x.float()")
    return x


def _real(x: Any) -> Any:
    if x._array.dtype.kind == "c":
        raise RuntimeError(f"expected a real input tensor, but got {x.dtype}")
    return _number(x)


def _complex(x: Any) -> Any:
    x = _number(x)
    return x if x._array.dtype.kind == "c" else x._to("complex128" if x._array.dtype.name == "float64" else "complex64")


def _axes(input: Any, s: Any, dim: Any) -> tuple[Any, Any]:
    """The extents and the axes of a transform of several axes. -1 for an extent leaves it as it is."""
    ndim = input._array.ndim
    s = None if s is None else (s,) if isinstance(s, int) else tuple(s)
    if dim is None:
        axes = tuple(range(ndim)) if s is None else tuple(range(ndim - len(s), ndim))
    else:
        axes = (dim,) if isinstance(dim, int) else tuple(dim)
    if s is None:
        return None, axes
    if len(s) != len(axes):
        raise RuntimeError(f"When given, dim and shape arguments must have the same length; got {axes} and {s}")
    return tuple(input._array.shape[input._axis(a)] if n == -1 else n for n, a in zip(s, axes, strict=True)), axes


def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    return _several(ops.fft.irfftn, _complex(input), s, dim, norm)


def hfftn(input, s=None, dim=None, norm=None, *, out=None):
    sizes, axes = _axes(input, s, dim)
    *first, last = axes
    x = _complex(input)
    if first:
        x = fftn(x, None if sizes is None else sizes[:-1], tuple(first), norm)
    return hfft(x, None if sizes is None else sizes[-1], last, norm)


def ihfftn(input, s=None, dim=None, norm=None, *, out=None):
    sizes, axes = _axes(input, s, dim)
    *first, last = axes
    x = ihfft(input, None if sizes is None else sizes[-1], last, norm)
    return ifftn(x, None if sizes is None else sizes[:-1], tuple(first), norm) if first else x


complete(globals(), view="torch.fft")
