"""Calls of PyTorch that take less time than others and give the same bits, dtypes, errors and derivatives.

Other calls change bits, measured with PyTorch 2.13 on a CPU: for floats, `torch.add(a, b, alpha=s)`, `addcmul`, `addmm`
and `baddbmm` round once where the two calls round twice, `logaddexp`, `rsqrt`, `sigmoid` and `hypot` compute otherwise,
and `clamp` gives another nan than `maximum`. `addcdiv` has the bits of two calls in float32 and float64, but other
derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..nodes import Block, Constant, Node, Value
from ..writing.spelling import public_name

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["SIGNS", "lasting", "native_of", "numbers", "sign_of", "squares"]

#: The operators of functions of two tensors.
SIGNS = {
    "torch.add": "+", "torch.subtract": "-", "torch.sub": "-", "torch.multiply": "*", "torch.mul": "*",
    "torch.divide": "/", "torch.div": "/", "torch.less": "<", "torch.lt": "<", "torch.less_equal": "<=",
    "torch.le": "<=", "torch.greater": ">", "torch.gt": ">", "torch.greater_equal": ">=", "torch.ge": ">=",
}  # fmt: skip
#: The operators of functions of one tensor, and of products of matrices.
_OTHERS = {"torch.negative": "-", "torch.neg": "-", "torch.matmul": "@"}
_COMPARISONS = frozenset("torch.eq torch.equal torch.ne torch.not_equal".split()) | {
    name for name, sign in SIGNS.items() if sign[0] in "<>"
}
#: The functions that take less time for a 0-d tensor than for a number.
_TAKERS = frozenset(SIGNS) | _COMPARISONS | {"torch.rsub"}


def sign_of(node: Node) -> str | None:
    """Return the operator with which a call of a function of tensors may be written, None for any other call."""
    if node.kwargs or node.out is not None or not all(isinstance(x, Value) for x in node.args):
        return None
    name = public_name("torch", node.function) or ""
    sign = SIGNS.get(name) or _OTHERS.get(name)
    return sign if len(node.args) == (1 if name in ("torch.negative", "torch.neg") else 2) else None


def numbers(block: Block, constant: Callable[[Any, Any], Constant | None], backend: Backend) -> int:
    """Make 0-d tensors of the numbers beside tensors, in the tensor's dtype.

    PyTorch makes such a tensor of a number in each call, which takes longer than to add two short tensors.

    Parameters
    ----------
    constant: makes the tensor of a number and a dtype, None where `native_of` gives none.
    """
    changes = 0
    for i, node in enumerate(block.nodes):
        name = public_name("torch", node.function)
        if name not in _TAKERS or node.kwargs or len(node.args) != 2 or node.operation is None:
            continue
        x, number = node.args
        reflected = not isinstance(x, Value)
        if reflected:
            x, number = number, x
        result = node.result
        if not isinstance(x, Value) or type(number) not in (int, float) or not isinstance(result, Value):
            continue
        if result.dtype is not x.dtype and name not in _COMPARISONS:
            continue
        made = constant(number, x.dtype)
        if made is None:
            continue
        if name == "torch.rsub":
            block.nodes[i] = node.replaced(function=_named("subtract"), name="subtract", args=(made, x))
        else:
            block.nodes[i] = node.replaced(args=(made, x) if reflected else (x, made))
        changes += 1
    return changes


def native_of(number: float, dtype: Any, backend: Backend) -> Any:
    """Make a tensor of a dtype from a number.

    None where PyTorch may compute otherwise with the tensor: in 16 bits it computes with the number as it is, and it
    refuses a number that overflows.
    """
    import numpy as np
    import torch

    if isinstance(number, int):
        fits = dtype.name in _INTEGERS and np.iinfo(dtype.name).min <= number <= np.iinfo(dtype.name).max
        if not fits and not (dtype.name in _FLOATS and abs(number) < 1 << 24):
            return None
    elif dtype.name not in _FLOATS or np.finfo(dtype.name).max < abs(number) < float("inf"):
        return None
    with lasting():
        return torch.from_numpy(np.array(number, dtype=dtype.name))  # on the CPU, whatever the default device is


@contextmanager
def lasting() -> Iterator[None]:
    """Make tensors that belong to no transformation of torch.func and to no inference mode, for graphs to keep."""
    import torch

    with torch.inference_mode(False), torch._C._DisableFuncTorch():
        yield


_INTEGERS, _FLOATS = frozenset("int8 int16 int32 int64 uint8".split()), frozenset(("float32", "float64"))


def squares(block: Block) -> int:
    """Call `torch.square` for a power of 2: it comes to the same power, with the same derivative, in less time."""
    changes = 0
    for i, node in enumerate(block.nodes):
        if public_name("torch", node.function) != "torch.pow" or node.kwargs or len(node.args) != 2:
            continue
        x, number = node.args
        if isinstance(x, Value) and type(number) in (int, float) and number == 2 and node.result.dtype is x.dtype:
            block.nodes[i] = node.replaced(function=_named("square"), name="square", args=(x,))
            changes += 1
    return changes


def _named(name: str) -> Callable[..., Any]:
    import torch

    found: Callable[..., Any] = getattr(torch, name)
    return found
