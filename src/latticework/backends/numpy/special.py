"""Special functions on NumPy: SciPy's, where it is installed. They are looked up at the first use, so that NumPy's
backend does not import SciPy. Without it they are composed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from .core import BFLOAT16

_NAMES = frozenset(
    "beta betainc betaln digamma entr erf erfc erfinv expit gamma gammainc gammaincc gammaln i0 i0e i1 i1e kl_div "
    "log_ndtr logit ndtr ndtri polygamma rel_entr xlog1py xlogy zeta".split()
)
_NARROW = (np.dtype(np.float16), BFLOAT16)


def has_scipy() -> bool:
    """Tell whether SciPy is installed."""
    return find_spec("scipy") is not None


def _of(name: str) -> Callable[..., Any]:
    import scipy.special

    function = getattr(scipy.special, name)

    def call(*operands: Any) -> Any:
        """SciPy computes in float32 and float64; polygamma gives float64 for both."""
        dtype = operands[0].dtype
        if dtype not in _NARROW:
            return np.asarray(function(*operands)).astype(dtype, copy=False)
        return np.asarray(function(*[x.astype(np.float32) for x in operands])).astype(dtype)

    call.__name__ = call.__qualname__ = name
    return call


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _NAMES or not has_scipy():
        raise AttributeError(name)
    globals()[name] = function = _of(name)
    return function
