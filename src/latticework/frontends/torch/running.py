"""PyTorch's control flow, its switches of a run, and the functions that write into their argument."""

from __future__ import annotations

from typing import Any

from .core import complete, ops
from .tensor import Tensor

_IN_PLACE = """
    abs_ acos_ acosh_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ clamp_
    clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_
    floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_
    reciprocal_ relu_ resize_as_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_
    zero_
""".split()

__all__ = [*_IN_PLACE]  # noqa: PLE0604


def _writing(name: str) -> Any:
    def call(input: Any, *args: Any, **kw: Any) -> Any:
        if type(input) is not Tensor:
            raise TypeError(f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}")
        return getattr(input, name)(*args, **kw)

    call.__name__ = call.__qualname__ = name
    return call


globals().update({name: _writing(name) for name in _IN_PLACE})

_switches: dict[str, Any] = {"threads": 1, "precision": "highest", "deterministic": False}


# fmt: off
def fill(input, value): return ops.copy(input).fill_(value)
def frobenius_norm(input, dim=(), keepdim=False, *, out=None): return input.norm(2, dim=dim or None, keepdim=keepdim)
def nuclear_norm(input, keepdim=False, *, out=None): return ops.linalg.matrix_norm(input, ord="nuc", keepdims=keepdim)
def get_device(input): return input.get_device()
def is_conj(input): return False
def is_inference(input): return False
def is_neg(input): return False
def get_num_threads(): return _switches["threads"]
def set_num_threads(int, /): _switches["threads"] = int
def get_float32_matmul_precision(): return _switches["precision"]
def set_float32_matmul_precision(precision): _switches["precision"] = precision
def are_deterministic_algorithms_enabled(): return _switches["deterministic"]
def use_deterministic_algorithms(mode, *, warn_only=False): _switches["deterministic"] = mode
# fmt: on


def pdist(input, p=2):
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    rows, columns = ops.triu_indices(input._array.shape[0], 1)
    return ops.linalg.cdist(input, input, p=p)[rows, columns]


def typename(obj, /):
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def cond(pred, true_fn, false_fn, operands=()):
    return ops.cond(pred, true_fn, false_fn, *operands)


def while_loop(cond_fn, body_fn, carried_inputs):
    return ops.while_loop(lambda carried: cond_fn(*carried), lambda c: tuple(body_fn(*c)), tuple(carried_inputs))


complete(globals())
