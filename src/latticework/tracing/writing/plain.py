"""Calls of latticework's functions as the framework's own, for reading: where these give the same bits.

A function of a backend reads its options and checks them, so that errors are the same everywhere. In the source of a
model the options are known: where one call of the framework is left, that call is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.shapes.windows import convolved
from ..nodes import Node, Value
from .calls import OPERATORS, bare, subscript
from .spelling import public_name

__all__ = ["assigned", "plainly"]

#: The framework's module that has the functions of arrays.
_MODULES = {"numpy": "numpy", "jax": "jax.numpy", "torch": "torch", "tensorflow": "tensorflow"}
#: TensorFlow's functions of two arrays that latticework calls under the names of the kernels.
_OF_TENSORFLOW = frozenset("add_v2 sub mul real_div".split())

#: The options whose default is 1.
_ONES = ("stride", "dilation", "groups")

#: Options of a cross entropy that are written nowhere.
_DEFAULTS = (("ignore_index", -100), ("label_smoothing", 0.0), ("reduction", "mean"), ("axis", None), ("axis", 1))
#: Other names of PyTorch's functions of two arrays.
_SHORT = {"subtract": ("sub",), "multiply": ("mul",), "divide": ("div", "true_divide"), "matmul": ()}

Writing = Callable[[Any, Node, str], str | None]


def plainly(w: Any, node: Node) -> str | None:
    """Write a native call as an expression for reading; None where it has no form of its own.

    Parameters
    ----------
    w: the writer.
    """
    framework = w.backend.name
    if framework not in _MODULES or node.blocks or node.out is not None:
        return None
    if node.writes is not None and node.writes is node.result:
        return None
    found = _operator(w, node, framework)
    write = _WRITTEN.get(node.name, _unary if node.name in _UNARY else None)
    if found is None and write is not None:
        found = write(w, node, framework)
    return found


def assigned(w: Any, node: Node) -> bool:
    """Write a statement that assigns to a part of an array, where the framework has such a statement."""
    if node.name != "assign" or w.backend.name not in ("numpy", "torch") or len(node.args) != 3 or node.kwargs:
        return False
    x, key, value = node.args
    steps = [k.step for k in key if type(k) is slice] if type(key) is tuple else []
    if node.result is not x or not x.shape or x.element or not _is_basic(key) or any(s not in (None, 1) for s in steps):
        return False
    if isinstance(value, Value) and (value.dtype is not x.dtype or len(value.shape) > len(node.result.shape)):
        return False
    w.line(f"{w.expression(x)}[{subscript(w, key)}] = {bare(w.expression(value))}")
    return True


def _own(w: Any, name: str) -> str:
    """Write a function of the framework's module for arrays, or of a module in it."""
    base = _MODULES[w.backend.name]
    module, _, last = f"{base}.{name}".rpartition(".")
    return f"{w.spelling.module(module)}.{last}"


def _call(w: Any, name: str, *args: Any, **kw: Any) -> str:
    """Write a call of the framework."""
    parts = [_argument(w, x) for x in args]
    parts += [f"{key}={_argument(w, x)}" for key, x in kw.items()]
    return f"{name}({', '.join(parts)})"


def _argument(w: Any, x: Any) -> str:
    text: str = w.expression(x)
    return bare(text) if isinstance(x, Value) else text


def _operator(w: Any, node: Node, framework: str) -> str | None:
    """Write Python's operators of two arrays, or of an array and a number."""
    name = node.name.removeprefix("reflected ")
    if node.kwargs or len(node.args) != 2 or name not in (*OPERATORS, "matmul"):
        return None
    values = [x for x in node.args if isinstance(x, Value)]
    if not values or any(not isinstance(x, (Value, int, float)) or isinstance(x, bool) for x in node.args):
        return None
    if any(x.element for x in values):
        return None
    function = getattr(node.function, "__name__", "")
    if framework == "tensorflow":
        zero = any(type(x) is float and not x for x in node.args)  # a tensor of -0.0 is one of 0.0 to it
        if function not in _OF_TENSORFLOW or zero or any(x.dtype.kind != "f" for x in values):
            return None
    elif framework == "torch":
        known = (public_name(framework, node.function) or "").removeprefix("torch.")
        if len(values) == 2 or known not in (name, "rsub", *_SHORT.get(name, ())):
            return None
        if known == "rsub":
            return f"{w.expression(node.args[1])} - {w.expression(node.args[0])}"
    elif public_name(framework, node.function) != f"{_MODULES[framework]}.{name}":
        return None
    sign = "@" if name == "matmul" else OPERATORS[name]
    first, second = (w.expression(x) for x in node.args)
    return f"{first} {sign} {second}"


def _matmul(w: Any, node: Node, framework: str) -> str | None:
    x, y = node.args
    if framework != "tensorflow" or node.kwargs or min(len(x.shape), len(y.shape)) < 2:
        return None
    if len(x.shape) == len(y.shape) == 2:
        return f"{w.expression(x)} @ {w.expression(y)}"
    if x.shape[:-2] == y.shape[:-2] and 1 not in x.shape[:-2]:
        return f"{w.expression(x)} @ {w.expression(y)}"
    if len(y.shape) == 2 and 1 not in x.shape[:-2]:
        return f"{_own(w, 'raw_ops')}.BatchMatMulV2(x={_argument(w, x)}, y={_argument(w, y)})"
    return None


def _matrix_transpose(w: Any, node: Node, framework: str) -> str | None:
    if framework == "tensorflow":
        return _call(w, _own(w, "linalg.matrix_transpose"), *node.args)
    return f"{w.expression(node.args[0])}.mT" if framework == "jax" and not node.kwargs else None


def _reshape(w: Any, node: Node, framework: str) -> str | None:
    if len(node.args) != 2 or any(value not in (None, "C") for value in node.kwargs.values()):
        return None
    shape = node.args[1]
    if type(shape) is not tuple or any(type(n) is not int for n in shape) or (-1 in shape and 0 in shape):
        return None
    return _call(w, _own(w, "reshape"), *node.args)


def _permute_dims(w: Any, node: Node, framework: str) -> str | None:
    if framework not in ("jax", "tensorflow") or node.kwargs or len(node.args) != 2:
        return None
    return _call(w, _own(w, "transpose"), node.args[0], tuple(node.args[1]))


def _is_basic(key: Any) -> bool:
    keys = key if type(key) is tuple else (key,)
    return all(
        k is None or k is Ellipsis or type(k) is int
        or (type(k) is slice and all(p is None or type(p) is int for p in (k.start, k.stop, k.step)))
        for k in keys
    )  # fmt: skip


def _index(w: Any, node: Node, framework: str) -> str | None:
    if framework not in ("jax", "numpy", "torch") or len(node.args) != 2 or node.kwargs or not _is_basic(node.args[1]):
        return None
    steps = [k.step for k in node.args[1] if type(k) is slice] if type(node.args[1]) is tuple else []
    if framework == "torch" and any(s is not None and s < 1 for s in steps):
        return None
    return f"{w.expression(node.args[0])}[{subscript(w, node.args[1])}]"


def _assign(w: Any, node: Node, framework: str) -> str | None:
    if framework != "jax" or len(node.args) != 3 or node.kwargs or not _is_basic(node.args[1]):
        return None
    x, key, value = node.args
    if not x.shape or (isinstance(value, Value) and value.dtype is not x.dtype) or isinstance(value, complex):
        return None
    return f"{w.expression(x)}.at[{subscript(w, key)}].set({bare(w.expression(value))})"


def _full(w: Any, node: Node, framework: str) -> str | None:
    if framework == "tensorflow" or len(node.args) != 2 or type(node.args[0]) is not tuple or _elsewhere(node):
        return None
    return _call(w, _own(w, "full"), *node.args, dtype=w.backend.native_dtypes[node.result.dtype])


def _elsewhere(node: Node) -> bool:
    """Return whether an array is made on a device that the source has to name."""
    return str(node.kwargs.get("device")) not in ("None", "cpu")


def _take(w: Any, node: Node, framework: str) -> str | None:
    x = node.args[0]
    axis = node.kwargs.get("axis")
    if type(axis) is not int or 0 in x.shape or [*node.kwargs] != ["axis"]:
        return None
    name = {"numpy": "take", "jax": "take", "tensorflow": "gather"}.get(framework)
    return None if name is None else _call(w, _own(w, name), *node.args, axis=axis)


#: TensorFlow's functions of one array that have the names of latticework's.
_UNARY = frozenset("abs cos exp log negative rsqrt sin sqrt square tan tanh".split())


def _unary(w: Any, node: Node, framework: str) -> str | None:
    known = public_name(framework, node.function) if framework == "tensorflow" else None
    if known is None or not known.endswith(".__wrapped__") or len(node.args) != 1 or node.kwargs:
        return None
    return _call(w, _own(w, f"math.{node.name}"), *node.args)


def _cast(w: Any, node: Node, framework: str) -> str | None:
    plain = ("float32", "float64")
    if len(node.args) != 1 or node.kwargs or not isinstance(node.args[0], Value) or not isinstance(node.result, Value):
        return None
    if str(node.args[0].dtype) not in plain or str(node.result.dtype) not in plain:
        return None
    dtype = w.backend.native_dtypes[node.result.dtype]
    if framework == "tensorflow":
        return _call(w, _own(w, "cast"), node.args[0], dtype)
    return f"{w.expression(node.args[0])}.astype({w.expression(dtype)})" if framework == "jax" else None


def _where(w: Any, node: Node, framework: str) -> str | None:
    if framework != "tensorflow" or len(node.args) != 3 or not all(isinstance(x, Value) for x in node.args):
        return None
    return _call(w, _own(w, "where"), *node.args)


def _mse_loss(w: Any, node: Node, framework: str) -> str | None:
    if framework != "torch" or len(node.args) != 2 or node.kwargs.get("reduction", "mean") != "mean":
        return None
    x, y = node.args
    return _call(w, _functional(w, "mse_loss"), x, y) if x.shape == y.shape else None


def _pow(w: Any, node: Node, framework: str) -> str | None:
    if node.kwargs or w.shared.differentiated or framework == "numpy":
        return None
    if len(node.args) != 2:
        return None
    x, y = node.args
    if framework == "tensorflow" and isinstance(x, Value) and x.dtype.kind == "f" and type(y) is float and y % 1:
        return _call(w, _own(w, "pow"), x, y)
    if framework != "torch" and not (isinstance(y, Value) and y.dtype.kind == "f"):
        return None
    if framework == "tensorflow" and (not isinstance(x, Value) or x.dtype is not y.dtype):
        return None
    return _call(w, _own(w, "power" if framework == "jax" else "pow"), *node.args)


def _cross_entropy(w: Any, node: Node, framework: str) -> str | None:
    kw = {key: x for key, x in node.kwargs.items() if (key, x) not in _DEFAULTS and x is not None}
    if (
        framework != "torch"
        or len(node.args) != 2
        or {*kw} - {"weight", "ignore_index", "label_smoothing", "reduction"}
    ):
        return None
    if str(node.args[1].dtype) != "int64":
        return None
    return _call(w, _functional(w, "cross_entropy"), *node.args, **kw)


def _same_name(name: str, **renamed: str) -> Writing:
    """Return what writes a function that frameworks have under this name, with ``axis`` as an option."""

    def write(w: Any, node: Node, framework: str) -> str | None:
        own = renamed.get(framework, name)
        axis = node.kwargs.get("axis", 0)
        if len(node.args) != 1 or {*node.kwargs} - {"axis"} or type(axis) is not int:
            return None
        parts = node.args[0] if isinstance(node.args[0], list) else []
        if len({len(x.shape) for x in parts}) > 1 or len({x.dtype for x in parts}) > 1:
            return None
        return _call(w, _own(w, own), node.args[0], **{"dim" if framework == "torch" else "axis": axis})

    return write


def _moveaxis(w: Any, node: Node, framework: str) -> str | None:
    if framework == "tensorflow" or node.kwargs or any(type(x) is not int for x in node.args[1:]):
        return None
    return _call(w, _own(w, "moveaxis"), *node.args)


def _count(w: Any, node: Node, framework: str) -> str | None:
    if len(node.args) != 3 or not all(type(x) is int for x in node.args) or _elsewhere(node):
        return None
    n, first, step = node.args
    if str(node.result.dtype) != "int64":
        return None
    bounds = (n,) if (first, step) == (0, 1) else (first, first + n * step, step)
    options = {"dtype": w.backend.native_dtypes[node.result.dtype]} if framework == "tensorflow" else {}
    return _call(w, _own(w, "range" if framework == "tensorflow" else "arange"), *bounds, **options)


def _broadcast_to(w: Any, node: Node, framework: str) -> str | None:
    if len(node.args) != 2 or node.kwargs or type(node.args[1]) is not tuple or framework == "numpy":
        return None
    return _call(w, _own(w, "broadcast_to"), *node.args) if len(node.args[1]) < 6 else None


# --- layers -----------------------------------------------------------------------------------------------------------


def _functional(w: Any, name: str) -> str:
    return f"{w.spelling.module('torch.nn.functional')}.{name}"


def _linear(w: Any, node: Node, framework: str) -> str | None:
    bias = node.kwargs.get("bias")
    if framework != "torch" or len(node.args) != 2 or (bias is not None and len(bias.shape) != 1):
        return None
    return _call(w, _functional(w, "linear"), *node.args, *([] if bias is None else [bias]))


def _layer_norm(w: Any, node: Node, framework: str) -> str | None:
    kw = dict(node.kwargs)
    shape = kw.pop("normalized_shape", node.args[1] if len(node.args) > 1 else None)
    if framework != "torch" or type(shape) is not tuple:
        return None
    return _call(w, _functional(w, "layer_norm"), node.args[0], shape, **kw)


def _group_norm(w: Any, node: Node, framework: str) -> str | None:
    if framework != "torch" or 0 in node.args[0].shape:
        return None
    return _call(w, _functional(w, "group_norm"), *node.args, **node.kwargs)


def _gelu(w: Any, node: Node, framework: str) -> str | None:
    kind = node.kwargs.get("approximate", False)
    if framework == "torch":
        return _call(
            w, _functional(w, "gelu"), *node.args, **({} if kind in (False, "none") else {"approximate": "tanh"})
        )
    if framework == "jax":
        name = f"{w.spelling.module('jax.nn')}.gelu"
        return _call(w, name, *node.args, approximate=kind in (True, "tanh"))
    return None


def _embedding(w: Any, node: Node, framework: str) -> str | None:
    if framework != "torch" or node.kwargs.get("padding_idx") is not None or len(node.args[1].shape) != 2:
        return None
    return _call(w, _functional(w, "embedding"), *node.args)


def _attention(w: Any, node: Node, framework: str) -> str | None:
    kw = {key: x for key, x in node.kwargs.items() if x is not None and x is not False and key != "dropout"}
    mask = kw.get("attn_mask")
    if framework != "torch" or (mask is not None and mask.dtype not in (node.args[0].dtype, "bool")):
        return None
    return _call(w, _functional(w, "scaled_dot_product_attention"), *node.args, **kw)


def _conv(w: Any, node: Node, framework: str) -> str | None:
    if framework not in ("torch", "jax") or len(node.args) != 2:
        return None
    x, weight = node.args
    kw = {"bias": None, "stride": 1, "padding": 0, "dilation": 1, "groups": 1, "layout": None} | node.kwargs
    bias, n = kw.pop("bias"), len(weight.shape) - 2
    shape = None if bias is None else bias.shape
    axes, windows = convolved(x.shape, weight.shape, shape, n, **kw)
    if axes.last or not axes.batched or not 0 < n < 4:
        return None
    if framework == "jax":
        letters = "abc"[:n]
        given = {"feature_group_count": kw["groups"]} if kw["groups"] > 1 else {}
        if set(windows.dilation) != {1}:
            given["rhs_dilation"] = windows.dilation
        text = _call(
            w, f"{w.spelling.module('jax.lax')}.conv_general_dilated", x, weight, windows.stride, windows.padding,
            dimension_numbers=(f"NC{letters}", f"OI{letters}", f"NC{letters}"), **given,
        )  # fmt: skip
        return text if bias is None else f"{text} + {w.expression(bias)}.reshape({(-1, *(1,) * n)})"
    before, after = zip(*windows.padding, strict=True)
    if before != after:
        return None
    options = {"stride": windows.stride, "padding": before, "dilation": windows.dilation, "groups": (kw["groups"],)}
    given = {
        key: value[0] if len({*value}) == 1 else value
        for key, value in options.items() if {*value} != {0 if key == "padding" else 1}
    }  # fmt: skip
    return _call(w, _functional(w, f"conv{n}d"), x, weight, *([] if bias is None else [bias]), **given)


def _max_pool(w: Any, node: Node, framework: str) -> str | None:
    kw = {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False, "layout": None} | node.kwargs
    if (
        framework != "torch"
        or len(node.args) != 2
        or kw.pop("layout") is not None
        or not isinstance(kw["padding"], int)
    ):
        return None
    n = int(node.name[-2])
    if len(node.args[0].shape) != n + 2:
        return None
    given = {key: x for key, x in kw.items() if x not in (None, 0, False) and (key, x) != ("dilation", 1)}
    return _call(w, _functional(w, f"max_pool{n}d"), *node.args, **given)


def _conv_transpose(w: Any, node: Node, framework: str) -> str | None:
    kw = {"bias": None} | node.kwargs
    bias = kw.pop("bias")
    n = int(node.name[-2])
    if framework != "torch" or kw.get("layout") is not None or len(node.args[0].shape) != n + 2:
        return None
    kw.pop("layout", None)
    if any((isinstance(p, tuple) and any(isinstance(q, tuple) for q in p)) or isinstance(p, str) for p in kw.values()):
        return None
    given = {key: x for key, x in kw.items() if {*(x if isinstance(x, tuple) else (x,))} != {int(key in _ONES)}}
    return _call(w, _functional(w, f"conv_transpose{n}d"), *node.args, *([] if bias is None else [bias]), **given)


_WRITTEN: dict[str, Writing] = {
    "matmul": _matmul,
    "matrix_transpose": _matrix_transpose,
    "reshape": _reshape,
    "permute_dims": _permute_dims,
    "index": _index,
    "assign": _assign,
    "take": _take,
    "stack": _same_name("stack"),
    "unstack": _same_name("unstack", torch="unbind"),
    "concat": _same_name("concatenate", torch="cat", tensorflow="concat"),
    "moveaxis": _moveaxis,
    "broadcast_to": _broadcast_to,
    "pow": _pow,
    "cast": _cast,
    "where": _where,
    "nn.mse_loss": _mse_loss,
    "_count": _count,
    "_full": _full,
    "nn.linear": _linear,
    "nn.layer_norm": _layer_norm,
    "nn.group_norm": _group_norm,
    "nn.gelu": _gelu,
    "nn.embedding": _embedding,
    "nn.scaled_dot_product_attention": _attention,
    "nn.cross_entropy": _cross_entropy,
    **{f"nn.conv{n}": _conv for n in ("", "1d", "2d", "3d")},
    **{f"nn.max_pool{n}d": _max_pool for n in (1, 2, 3)},
    **{f"nn.conv_transpose{n}d": _conv_transpose for n in (1, 2, 3)},
}
