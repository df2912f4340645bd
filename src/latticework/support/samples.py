"""Sample arguments for every function, to find out which dtypes it takes: small, of numbers that every dtype holds.

The arrays are 3 by 3 matrices that functions of linear algebra take as they are: symmetric or Hermitian, and positive
definite. Which sample a parameter gets follows from its annotation and its name, so a new function needs a line here
only where it takes something else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container
from contextvars import ContextVar
from inspect import Parameter
from operator import attrgetter
from typing import Any

import latticework as lw

from ..core.dtypes import Dtype, all_dtypes, bool_, int64
from ..core.registry import OPS, declared, load
from ..engine.op import Op, functions

load()  # the declarations of all chapters

__all__ = ["CASTABLE", "Made", "SampleCall", "call_of", "declaration", "names"]

#: The dtypes that the sample of `astype` casts to; by default those that the backend has.
CASTABLE: ContextVar[Container[Dtype] | None] = ContextVar("latticework castable", default=None)

#: A function that makes an array of a nested list, in a dtype.
Made = Callable[[Any, Dtype], Any]
#: A function of a dtype, which makes arrays and calls some function on them.
SampleCall = Callable[[Made, Dtype], Any]

_FIRST: dict[str, Any] = {
    "b": [[True, False, False], [False, True, False], [False, False, True]],
    "i": [[3, -1, 1], [-1, 4, 1], [1, 1, 2]],
    "u": [[3, 1, 1], [1, 4, 1], [1, 1, 2]],
    "f": [[1.0, 0.5, 0.25], [0.5, 0.875, -0.25], [0.25, -0.25, 0.75]],
    "c": [[1.0, 0.5 + 0.25j, 0.25], [0.5 - 0.25j, 0.875, -0.25j], [0.25, 0.25j, 0.75]],
}
_SECOND: dict[str, Any] = {  # no zeros and nothing negative: divisors, exponents and shifts
    "b": [[False, True, True], [True, False, True], [True, True, False]],
    "i": [[2, 1, 3], [1, 2, 1], [2, 1, 1]],
    "u": [[2, 1, 3], [1, 2, 1], [2, 1, 1]],
    "f": [[0.5, 1.0, 1.5], [2.0, 0.75, 1.0], [0.25, 1.0, 0.5]],
    "c": [[0.5 + 1j, 1.0, 1.5], [2.0, 0.75 - 0.5j, 1.0], [0.25, 1.0, 0.5j]],
}
_ROW = {kind: rows[0] for kind, rows in _FIRST.items()}
_SECOND_ROW = {kind: rows[0] for kind, rows in _SECOND.items()}
#: Ascending, and of numbers from 1 on.
_ASCENDING: dict[str, Any] = {
    "b": [False, False, True], "i": [1, 2, 3], "u": [1, 2, 3], "f": [1.0, 1.5, 2.0], "c": [1.0, 1.5j, 2.0],
}  # fmt: skip

#: Between 0 and 1.
_PROBABILITIES: dict[str, Any] = {
    "b": [False, True, True], "i": [0, 1, 1], "u": [0, 1, 1], "f": [0.25, 0.5, 0.875], "c": [0.25, 0.5j, 0.875],
}  # fmt: skip

#: For functions with poles at zero and at negative numbers.
_POSITIVE = _SECOND | {"b": [[True] * 3] * 3}

#: Array operands by name that have another dtype than the call: values and dtype.
_OTHER_DTYPE: dict[str, tuple[Any, Dtype]] = {
    "condition": ([[True, False, True]], bool_),
    "indices": ([[2, 0, 1], [1, 1, 0], [0, 2, 2]], int64),
    "repeats": ([2, 0, 1], int64),
    "target": ([2, 0, 1], int64),
    "targets": ([[1], [2], [1]], int64),
    "input_lengths": ([2, 2, 2], int64),
    "target_lengths": ([1, 1, 0], int64),
}
#: The values of required parameters that are no arrays.
_REQUIRED: dict[str, Any] = {
    "axes": (1, 0), "axis": 0, "axis1": 0, "axis2": 1, "destination": 0, "fill_value": 1, "indices_or_sections": 3,
    "factor": 1, "kernel_size": 1, "output_size": 2,
    "n": 3, "n_rows": 3, "num": 3, "pad_width": 1, "repetitions": (1, 2), "shape": (3, 3), "shift": 1, "source": 1,
    "start": 1, "stop": 4, "subscripts": "ij,jk->ik",
    "k": 2, "kth": 1,
    "key": None,
    "length": 2,
    "step": 1,
    "n_fft": 2,
}  # fmt: skip

#: Functions of images that need nothing else than samples with channels.
_OF_PLANES = (
    "adaptive_avg_pool2d", "adaptive_max_pool2d", "max_pool2d_with_indices", "pixel_shuffle", "pixel_unshuffle",
)  # fmt: skip
#: Functions that need the axis to go along.
_ALONG_AN_AXIS = (
    "cummax", "cummin", "cumulative_prod", "cumulative_sum", "logcumsumexp", "repeat", "take",
)  # fmt: skip
_SEGMENTS = {"segments": ([1, 0, 1], int64), "num_segments": 2}


def _nested(n: int) -> dict[str, Any]:
    """Return the matrix with n - 1 more axes in front: for n spatial axes and one for the channels."""
    samples = _FIRST
    for _ in range(n - 1):
        samples = {kind: [rows] for kind, rows in samples.items()}
    return samples


_STACK = _nested(2)

#: Functions whose parameters take something else, by parameter: samples by kind, values with a dtype of their own, or
#: the argument itself.
_SPECIAL: dict[str, dict[str, Any]] = {
    "acosh": {"x": _ASCENDING},
    "apply_along_axis": {"f": lw.flip},
    "bincount": {"x": _SECOND_ROW},
    "choose": {"index": 1},
    "clip": {"min": _ROW, "max": _ASCENDING},
    "compress": {"condition": [True, False, True]},
    "convolve": {"x1": _ROW, "x2": _ASCENDING},
    "correlate": {"x1": _ROW, "x2": _ASCENDING},
    "delete": {"index": 1},
    "digitize": {"bins": _ASCENDING},
    "dsplit": {"x": _STACK},
    "dynamic_slice": {"start": (1, 0), "size": (2, 2)},
    "dynamic_update_slice": {"start": (0, 0)},
    "fill_diagonal": {"value": _ROW, "inplace": False},
    "fromfunction": {"f": operator.add},
    "gather_nd": {"indices": ([[2, 0], [1, 1]], int64)},
    "gradient": {"spacing": _ASCENDING},
    "index_add": {"indices": ([2, 0, 2], int64)},
    "insert": {"index": 1, "values": _ROW},
    "interp": {"xp": _ASCENDING, "fp": _ROW},
    "ix_": {"arrays": _ROW},
    "ldexp": {"x2": 3},
    "logspace": {"stop": 2},
    "meshgrid": {"arrays": _ROW},
    "piecewise": {"conditions": [True], "functions": [lw.copy]},
    "put_along_axis": {"indices": ([[2, 0, 1], [1, 2, 0], [0, 2, 1]], int64), "inplace": False},
    "ravel_multi_index": {"indices": [1, 2]},
    "scatter": {"indices": ([[2], [0], [1]], int64)},
    "scatter_nd": {"indices": ([[2], [0], [2]], int64)},
    "searchsorted": {"x1": _ASCENDING},
    "select": {"conditions": [True, False]},
    "sliding_window_view": {"window_shape": (2, 2)},
    "squeeze": {"x": _STACK},
    "unravel_index": {"indices": 5},
    **{name: {"axis": 0} for name in _ALONG_AN_AXIS},
    **{f"segment_{name}": _SEGMENTS for name in ("max", "mean", "min", "prod", "sum")},
    **{f"{nan}quantile": {"q": 0.5} for nan in ("", "nan")},
    **{f"{nan}percentile": {"q": 50} for nan in ("", "nan")},
    # polynomials
    "polyadd": {"p1": _ROW, "p2": _ASCENDING},
    "polyder": {"p": _ROW},
    "polyfit": {"x": _ASCENDING, "y": _ROW, "deg": 1},
    "polymul": {"p1": _ROW, "p2": _ASCENDING},
    "polyval": {"p": _ROW},
    "roots": {"p": _ROW},
    # linear algebra
    "linalg.diagonal_set": {"d": _ROW},
    "linalg.eigh_tridiagonal": {"d": _ROW, "e": {kind: row[:2] for kind, row in _ROW.items()}},
    "linalg.matrix_band_part": {"lower": 1, "upper": 1},
    "linalg.outer": {"x1": _ROW, "x2": _ROW},
    "linalg.tensorinv": {"ind": 1},
    "linalg.tensorsolve": {"b": _ROW},
    # neural networks
    **{f"nn.{name}": {"x": _STACK} for name in _OF_PLANES},
    **{f"nn.{name}{n}d": {"x": _nested(n)} for name in ("max_pool", "avg_pool") for n in (1, 2, 3)},
    **{f"nn.max_pool{n}d_with_indices": {"x": _nested(n)} for n in (1, 3)},
    **{f"nn.lp_pool{n}d": {"x": _nested(n), "norm": 2} for n in (1, 2, 3)},
    **{f"nn.conv{n}d": {"x": _nested(n), "weight": _nested(n + 1)} for n in (1, 2, 3)},
    **{f"nn.conv_transpose{n}d": {"x": _nested(n), "weight": _nested(n + 1)} for n in (2, 3)},
    "nn.conv_transpose1d": {"x": _FIRST, "weight": {kind: [[row] for row in rows] for kind, rows in _SECOND.items()}},
    "nn.conv": {"x": _FIRST, "weight": _STACK},
    "nn.depthwise_conv2d": {"x": _STACK, "weight": {kind: [[rows]] for kind, rows in _SECOND.items()}},
    "nn.affine_grid": {"theta": {kind: [rows[:2]] for kind, rows in _FIRST.items()}, "size": (1, 1, 2, 2)},
    "nn.batch_norm": {"mean": _ROW, "var": _ASCENDING},
    "nn.bilinear": {"weight": _STACK},
    "nn.ctc_loss": {"log_probs": {kind: [rows, rows] for kind, rows in _FIRST.items()}},
    "nn.fold": {"x": _STACK, "kernel_size": (3, 1), "output_size": (3, 3)},
    "nn.glu": {"x": {kind: [row[:2] for row in rows] for kind, rows in _FIRST.items()}},
    "nn.grid_sample": {
        "x": _nested(3),
        "grid": {kind: [[[row[:2] for row in rows]]] for kind, rows in _FIRST.items()},
    },
    "nn.group_norm": {"num_groups": 1},
    "nn.gru_cell": {name: {kind: rows * 3 for kind, rows in _FIRST.items()} for name in ("w_ih", "w_hh")},
    "nn.interpolate": {"x": _STACK, "size": 2},
    "nn.layer_norm": {"normalized_shape": 3},
    "nn.local_response_norm": {"size": 3},
    "nn.lstm_cell": {name: {kind: rows * 4 for kind, rows in _FIRST.items()} for name in ("w_ih", "w_hh")},
    "nn.max_unpool2d": {"x": _STACK, "indices": ([[[0, 1, 2], [3, 4, 5], [6, 7, 8]]], int64)},
    "nn.multi_head_attention": {"k": _SECOND, "num_heads": 1},
    "nn.multi_hot": {"num_classes": 3},
    "nn.one_hot": {"num_classes": 3},
    "nn.prelu": {"weight": _ROW},
    "nn.rms_norm": {"normalized_shape": 3},
    "nn.scaled_dot_product_attention": {"k": _SECOND},
    "nn.threshold": {"threshold": 1, "value": 2},
    "nn.unfold": {"x": _STACK},
    # signals and special functions
    "signal.istft": {"n_fft": 4},
    "signal.stft": {"onesided": False},
    "special.beta": {"a": _POSITIVE, "b": _POSITIVE},
    "special.betainc": {"a": _ASCENDING, "b": _ASCENDING, "x": _PROBABILITIES},
    "special.betaln": {"a": _POSITIVE, "b": _POSITIVE},
    "special.digamma": {"x": _POSITIVE},
    "special.erfinv": {"x": _PROBABILITIES},
    "special.gammainc": {"a": _POSITIVE, "x": _POSITIVE},
    "special.gammaincc": {"a": _POSITIVE, "x": _POSITIVE},
    "special.logit": {"x": _PROBABILITIES},
    "special.ndtri": {"x": _PROBABILITIES},
    "special.polygamma": {"n": 1},
    "special.zeta": {"x": {kind: [n + (kind != "b") for n in row] for kind, row in _ASCENDING.items()}, "q": _POSITIVE},
}


#: Functions that give no arrays, and what reads the bits of one dtype as another's.
_LEFT_OUT = ("bitcast", "einsum_path")


def names() -> list[str]:
    """List the functions whose support is measured: every declared one that takes or makes arrays, and the casts.

    Random functions are left out: their arrays are keys, and a wider dtype has other numbers to compare with.
    """
    measured = (o for o in functions() if o.namespace != "random" and o.name not in _LEFT_OUT)
    return [*_CASTS, *(o.name for o in measured if o.name not in _CASTS and _about_arrays(o))]


def _about_arrays(o: Op) -> bool:
    if o.name == "at":  # its methods compute
        return False
    return o.has_dtype or any("Array" in str(p.annotation) for p in o.signature.parameters.values())


def declaration(name: str) -> Op | None:
    """Return the declaration of a function, None for the casts, which have samples of their own."""
    return None if name in _CASTS else declared(name)


def call_of(name: str) -> SampleCall:
    """Return a function of a dtype that calls a function on samples."""
    if name in _CASTS:
        return _CASTS[name]

    def call(make: Made, dtype: Dtype) -> Any:
        args, options = arguments(OPS[name], make, dtype)
        return attrgetter(name)(lw)(*args, **options)

    return call


def arguments(o: Op, make: Made, dtype: Dtype) -> tuple[list[Any], dict[str, Any]]:
    """Make samples for a function: arrays of a dtype, but for the operands that have another by their declaration."""
    args: list[Any] = []
    options: dict[str, Any] = {}
    arrays = 0
    for p in o.signature.parameters.values():
        annotation, special = str(p.annotation), _SPECIAL.get(o.name, {}).get(p.name)
        if special is None and (p.default is not p.empty or _of_users(p)):
            continue
        if isinstance(special, tuple) and isinstance(special[-1], Dtype):
            value = make(*special)
        elif special is not None:
            value = make(special[dtype.kind], dtype) if isinstance(special, dict) else special
        elif annotation.startswith("tuple[Array"):
            value = (make(_FIRST[dtype.kind], dtype), make(_SECOND[dtype.kind], dtype))
        elif p.name in _OTHER_DTYPE and annotation.endswith("Array") and o.role_of:
            value = make(*_OTHER_DTYPE[p.name])
        elif "Array" in annotation and p.name not in _REQUIRED:
            value = make((_SECOND if arrays else _FIRST)[dtype.kind], dtype)
            arrays += 1
        else:
            value = _FIRST[dtype.kind] if p.name == "object" else _REQUIRED[p.name]
        if p.kind is p.VAR_POSITIONAL:
            args += [value, make((special or _SECOND)[dtype.kind], dtype)]
        elif p.kind is p.KEYWORD_ONLY:
            options[p.name] = value
        elif annotation.startswith("Sequence[Array") and not isinstance(special, list):
            args.append([value, make(_SECOND[dtype.kind], dtype)])
        else:
            args.append(value)
    if o.has_dtype and not arrays and o.kind in ("creation", "composition"):
        options["dtype"] = dtype
    return args, options


def _of_users(p: Parameter) -> bool:
    """Tell whether a parameter takes further arguments of a user's function."""
    return p.kind is p.VAR_KEYWORD or (p.kind is p.VAR_POSITIONAL and "Array" not in str(p.annotation))


def _cast(make: Made, dtype: Dtype) -> list[Any]:
    x = make(_FIRST[dtype.kind], dtype)
    wider = [d for d in all_dtypes if d.kind == "c" or dtype.kind != "c"]
    return [
        lw.astype(x, d)
        for d in wider
        if d in (CASTABLE.get() or x._sig.backend.native_dtypes) and not (d.kind == "u" and dtype.kind in "if")
    ]


def _assign(make: Made, dtype: Dtype) -> Any:
    x = make(_FIRST[dtype.kind], dtype)
    x[0, 1:] = make(_ROW[dtype.kind], dtype)[:2]
    return x


def _lu_solve(make: Made, dtype: Dtype) -> Any:
    x, right = make(_FIRST[dtype.kind], dtype), make(_SECOND[dtype.kind], dtype)
    return lw.linalg.lu_solve(lw.linalg.lu_factor(x), right)


#: Calls that are no calls of a declared function on samples.
_CASTS: dict[str, SampleCall] = {
    "asarray": lambda make, dtype: lw.asarray(make(_FIRST[dtype.kind], dtype), copy=True),
    "astype": _cast,
    "getitem": lambda make, dtype: make(_FIRST[dtype.kind], dtype)[1:, ::2],
    "linalg.lu_solve": _lu_solve,
    "setitem": _assign,
}
