"""What functions cast their tensors to in a block of `autocast`: a table for each type of device."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from types import FunctionType
from typing import Any

from ..dtypes import float32, float64
from ..tensor import Tensor

__all__ = ["activate", "active"]

#: The small dtype of each type of device that a block was entered for.
active: ContextVar[dict[str, Any]] = ContextVar("the dtypes of autocast", default={})  # noqa: B039

#: Functions that compute in the small dtype: products.
_PRODUCTS = """
    addbmm addmm baddbmm bmm einsum matmul mm tensordot linalg.matmul linalg.matrix_power linalg.multi_dot
    nn.functional.bilinear nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d
    nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d
    nn.functional.linear nn.functional.prelu nn.functional.scaled_dot_product_attention prelu
    __matmul__ __rmatmul__
"""
#: Losses, which compute in float32.
_LOSSES = " ".join(
    f"nn.functional.{name}"
    for name in """
    binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy hinge_embedding_loss kl_div l1_loss
    margin_ranking_loss mse_loss multi_margin_loss multilabel_margin_loss nll_loss poisson_nll_loss smooth_l1_loss
    soft_margin_loss triplet_margin_loss
""".split()
)
#: By type of device: functions that compute in the small dtype, in float32, and in the widest dtype of their tensors.
_TABLES = {
    "cpu": (
        f"{_PRODUCTS} linalg.vecdot",
        f"""{_LOSSES}
        cdist cholesky cholesky_inverse cholesky_solve fft.fft fft.fft2 fft.fftn fft.hfft fft.ifft fft.ifft2 fft.ifftn
        fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn inverse linalg.cholesky
        linalg.cholesky_ex linalg.cond linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.inv_ex
        linalg.lstsq linalg.matrix_rank linalg.qr linalg.solve linalg.svd linalg.svdvals linalg.tensorinv
        linalg.tensorsolve nanquantile nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool3d
        nn.functional.avg_pool3d nn.functional.binary_cross_entropy nn.functional.ctc_loss nn.functional.grid_sample
        nn.functional.huber_loss nn.functional.max_pool3d nn.functional.max_unpool1d nn.functional.max_unpool2d
        nn.functional.max_unpool3d pinverse polar prod qr quantile stft svd trace triangular_solve view_as_complex
        """,
        "cat index_copy stack",
    ),
    "cuda": (
        f"{_PRODUCTS} addmv addr chain_matmul mv",
        f"""{_LOSSES}
        acos asin cdist cosh cosine_similarity cumprod cumsum dist erfinv exp expm1 log log10 log1p log2 log_softmax
        nn.functional.cosine_similarity nn.functional.group_norm nn.functional.layer_norm nn.functional.log_softmax
        nn.functional.normalize nn.functional.pairwise_distance nn.functional.pdist nn.functional.softmax
        nn.functional.softmin nn.functional.softplus norm pdist pow prod reciprocal renorm rsqrt sinh softmax sum tan
        __pow__ __rpow__ __rtruediv__
        """,
        """addcdiv addcmul atan2 cross dot index_put scatter_add linalg.cross nn.functional.grid_sample""",
    ),
}
#: What was put in the place of functions: where, under which name, and the function.
_replaced: list[tuple[Any, str, Any]] = []


def activate(dtypes: dict[str, Any]) -> None:
    """Let functions cast from now on: by the small dtype of each type of device."""
    if dtypes:
        _install()
    active.set(dtypes)


def _install() -> None:
    """Put functions that can cast in the place of those in the tables, wherever a module holds them; once."""
    if _replaced:
        return
    package = __name__.rpartition(".amp.")[0]
    modes: dict[str, dict[str, int]] = {}
    for device, tables in _TABLES.items():
        for mode, names in enumerate(tables):
            for name in names.split():
                modes.setdefault(name, {})[device] = mode
    found: dict[int, tuple[Any, Any]] = {}
    array: Any = Tensor
    for name, by_device in modes.items():
        place, _, own = name.rpartition(".")
        module = import_module(f"{package}.{place}" if place else package)
        f = vars(module).get(own)
        if isinstance(f, FunctionType):
            found[id(f)] = f, _casting(f, by_device)
        method = vars(array).get(own) if place in ("", "linalg") else None
        if isinstance(method, FunctionType):
            _put(array, own, _casting(method, by_device))
    for module in [*sys.modules.values()]:
        names_of = getattr(module, "__dict__", None)
        if type(names_of) is dict:
            for name, f in [*names_of.items()]:
                if id(f) in found and found[id(f)][0] is f:
                    _put(module, name, found[id(f)][1])


def _put(where: Any, name: str, f: Any) -> None:
    _replaced.append((where, name, vars(where)[name]))
    setattr(where, name, f)


def restore() -> None:
    """Put the functions back that cast in no block."""
    while _replaced:
        setattr(*_replaced.pop())


def _casting(f: Callable[..., Any], modes: dict[str, int]) -> Callable[..., Any]:
    """A function that casts its tensors in a block. What it calls does not cast."""

    @wraps(f)
    def call(*args: Any, **kw: Any) -> Any:
        here = active.get()
        if not here:
            return f(*args, **kw)
        before = active.set({})
        try:
            for device, dtype in here.items():
                mode = modes.get(device)
                if mode is not None:
                    to = (dtype, float32, None)[mode] or _widest(args, device)
                    args = tuple([_cast(x, device, to) for x in args])
                    kw = {name: _cast(x, device, to) for name, x in kw.items()}
            return f(*args, **kw)
        finally:
            active.reset(before)

    return call


def _takes(x: Any, device: str) -> bool:
    return type(x) is Tensor and x.is_floating_point() and x.dtype is not float64 and x.device.type == device


def _cast(x: Any, device: str, dtype: Any) -> Any:
    if type(x) in (list, tuple):
        return type(x)([_cast(v, device, dtype) for v in x])
    return x.to(dtype) if _takes(x, device) else x


def _widest(args: Any, device: str) -> Any:
    """Return the dtype that holds the numbers of all tensors."""
    flat = [v for x in args for v in (x if type(x) in (list, tuple) else [x])]
    dtypes = {v.dtype for v in flat if _takes(v, device)}
    return dtypes.pop() if len(dtypes) == 1 else float32
