"""Complex numbers in models of ONNX, which has none: two real arrays for each, and Fourier transforms by DFT.

An input or a result of a complex dtype is an array of reals with one axis more, of the real and the imaginary part: so
DFT has them too.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...core.dtypes import Dtype, float32, float64
from ..nodes import Constant, Node, Value
from .onnx_elementwise import length
from .onnx_shapes import axes_of
from .onnx_writer import WRITERS, Pair, Writer

__all__ = ["declared", "given", "parts", "taken", "write"]

#: Functions that do the same to both parts -> the positions of the arguments that have the parts.
_PARTWISE = {
    **dict.fromkeys((
        "reshape", "expand_dims", "squeeze", "broadcast_to", "permute_dims", "matrix_transpose", "moveaxis", "concat",
        "stack", "flip", "index", "take", "take_along_axis", "roll", "tile", "repeat", "triu", "tril", "unstack", "sum",
        "mean", "cumulative_sum", "linalg.diagonal", "negative", "positive", "copy",
    ), (0,)),
    "where": (1, 2),
}  # fmt: skip


def real_of(dtype: Dtype) -> Dtype:
    """Return the dtype of the parts of a complex dtype; another dtype as it is."""
    return {"complex64": float32, "complex128": float64}.get(str(dtype), dtype)


def each(x: Pair, f: Callable[[str], str]) -> Pair:
    """Do the same to both parts."""
    return Pair(f(x.real), f(x.imag) if x.imag else None)


def pair(w: Writer, x: Any, real: Dtype) -> Pair:
    """Return the parts of a value or a number, in a real dtype; the second is None where it is zero."""
    if isinstance(x, Value):
        if x.dtype.kind != "c":
            return Pair(w.operand(x, real), None)
        found = w.pairs.get(id(x))
        if found is None and isinstance(x, Constant):
            found = w.pairs[id(x)] = w.complex_array(w.numpy(x.native), w.wanted.get(id(x), ""))
            w.kept.append(x)
        if found is None:
            w.refuse("uses what ONNX has no array for")
        if real_of(x.dtype) is real:
            return found
        return each(found, lambda name: w.op("Cast", name, to=w.code(real)))
    if isinstance(x, complex):
        return Pair(w.operand(x.real, real), w.operand(x.imag, real))
    return Pair(w.operand(x, real), None)


def _zeros(w: Writer, like: str, real: Dtype) -> str:
    return w.op("Expand", w.operand(0, real), w.op("Shape", like))


def _both(w: Writer, x: Pair, real: Dtype) -> tuple[str, str]:
    return x.real, x.imag or _zeros(w, x.real, real)


def _packed(w: Writer, x: Pair) -> str:
    """Write an array with the parts along a last axis; of one part, with an axis of extent 1."""
    parts = [w.op("Unsqueeze", name, w.ints(-1)) for name in x if name]
    return parts[0] if len(parts) == 1 else w.op("Concat", *parts, axis=-1)


def unpacked(w: Writer, name: str) -> Pair:
    """Write the parts of an array with the parts along its last axis."""
    import numpy as np

    first, second = (w.op("Gather", name, w.initializer(np.asarray(i, dtype=np.int64)), axis=-1) for i in (0, 1))
    return Pair(first, second)


def parts(w: Writer, x: Any, dtype: Dtype | None = None) -> Pair:
    """Return the parts of a value, in those of a complex dtype, by default its own."""
    return pair(w, x, real_of(x.dtype if dtype is None else dtype))


def taken(w: Writer, name: str, held: bool) -> Pair:
    """Take an input apart, or an array that the model holds."""
    if held:
        data = w.initializers.pop(name)
        w.initializers.update({f"{name}.real": data.real.copy(), f"{name}.imag": data.imag.copy()})
        return Pair(f"{name}.real", f"{name}.imag")
    return unpacked(w, name)


def given(w: Writer, x: Value) -> str:
    """Write a complex result as an array of reals."""
    real = real_of(x.dtype)
    return _packed(w, Pair(*_both(w, pair(w, x, real), real)))


def declared(w: Writer, x: Value) -> tuple[int, tuple[int, ...]]:
    """Return the dtype and the extents of an input or a result."""
    return w.code(real_of(x.dtype)), (*x.shape, 2) if x.dtype.kind == "c" else x.shape


# --- Fourier transforms -----------------------------------------------------------------------------------------------


class _Line(NamedTuple):
    """A transform along one axis of an array."""

    axis: int
    n: int
    inverse: bool
    half: bool


def _dft(w: Writer, x: Pair, line: _Line, real: Dtype) -> Pair:
    """Write the operator: its axis is an attribute before opset 20, then an input."""
    import numpy as np

    length, axis = (w.initializer(np.asarray(k, dtype=np.int64)) for k in (line.n, line.axis))
    options: dict[str, Any] = {"inverse": int(line.inverse), "onesided": int(line.half)}
    if w.opset < 20:
        return unpacked(w, w.op("DFT", _packed(w, x), length, axis=line.axis, **options))
    return unpacked(w, w.op("DFT", _packed(w, x), length, axis, **options))


def _scaled(w: Writer, x: Pair, factor: float, real: Dtype) -> Pair:
    if factor == 1:
        return x
    by = w.operand(factor, real)
    return each(x, lambda name: w.op("Mul", name, by))


def _factor(norm: Any, n: int, inverse: bool) -> float:
    """Return what a transform is multiplied by; the inverse operator divides by n itself."""
    if norm == "ortho":
        return math.sqrt(n) if inverse else 1 / math.sqrt(n)
    if norm == "forward":
        return n if inverse else 1 / n
    return 1.0


def _whole(w: Writer, x: Pair, axis: int, extent: int, n: int, real: Dtype) -> Pair:
    """Write the n numbers of a transform of reals of which there is the first half: the others are conjugates."""
    count = n // 2 + 1
    parts = []
    for name, sign in ((x.real, 1), (_both(w, x, real)[1], -1)):
        if extent < count:
            name = w.op("Pad", name, w.ints(0, count - extent), "", w.ints(axis))
        elif extent > count:
            name = w.op("Slice", name, w.ints(0), w.ints(count), w.ints(axis))
        if n > count:
            rest = w.op("Slice", name, w.ints(n - count), w.ints(0), w.ints(axis), w.ints(-1))
            name = w.op("Concat", name, w.op("Neg", rest) if sign < 0 else rest, axis=axis)
        parts.append(name)
    return Pair(*parts)


def _transform(w: Writer, x: Pair, shape: Sequence[int], axis: int, n: Any, norm: Any, kind: str, real: Dtype) -> Pair:
    """Write a transform along one axis, of a kind: "fft", "ifft", "rfft" or "irfft"."""
    extent = shape[axis]
    if kind == "irfft":
        n = 2 * (extent - 1) if n is None else n
        whole = _whole(w, x, axis, extent, n, real)
        found = _dft(w, whole, _Line(axis, n, True, False), real)
        return _scaled(w, Pair(found.real, None), _factor(norm, n, True), real)
    n = extent if n is None else n
    inverse = kind == "ifft"
    found = _dft(w, x, _Line(axis, n, inverse, kind == "rfft"), real)
    return _scaled(w, found, _factor(norm, n, inverse), real)


def _along_one(w: Writer, node: Node, x: Any, n: Any = None, axis: int = -1, norm: Any = "backward") -> Pair:
    real = real_of(w.dtype(node)) if w.dtype(node).kind == "c" else w.dtype(node)
    kind, at = node.name.removeprefix("fft."), axis % len(x.shape)
    found = pair(w, x, real)
    if kind in ("hfft", "ihfft"):
        norm = {"backward": "forward", None: "forward", "forward": "backward"}.get(norm, norm)
        if kind == "hfft":
            return _transform(w, _conjugate(w, found), x.shape, at, n, norm, "irfft", real)
        return _conjugate(w, _transform(w, found, x.shape, at, n, norm, "rfft", real))
    return _transform(w, found, x.shape, at, n, norm, kind, real)


def _along_several(w: Writer, node: Node, x: Any, s: Any = None, axes: Any = None, norm: Any = "backward") -> Pair:
    """Write a transform along one axis after the other; that between reals and complex numbers along the last."""
    real = real_of(w.dtype(node)) if w.dtype(node).kind == "c" else w.dtype(node)
    kind, shape = node.name.removeprefix("fft.").rstrip("n2"), [*x.shape]
    at = axes_of(axes, len(shape)) if axes is not None or s is None else [*range(len(shape) - len(s), len(shape))]
    sizes = [None] * len(at) if s is None else [*s]
    found, lines = pair(w, x, real), [*zip(at, sizes, strict=True)]
    if kind == "rfft":
        (axis, n), lines = lines[-1], lines[:-1]
        found, kind = _transform(w, found, shape, axis, n, norm, "rfft", real), "fft"
    last, lines = (lines[-1], lines[:-1]) if kind == "irfft" else (None, lines)
    for axis, n in lines:
        found = _transform(w, found, shape, axis, n, norm, "ifft" if last or kind == "ifft" else "fft", real)
    if last is not None:
        found = _transform(w, found, shape, *last, norm, "irfft", real)
    return found


# --- arithmetic -------------------------------------------------------------------------------------------------------


def _conjugate(w: Writer, x: Pair) -> Pair:
    return Pair(x.real, w.op("Neg", x.imag) if x.imag else None)


def _product(w: Writer, a: Pair, b: Pair, kind: str = "Mul") -> Pair:
    """Write a product of complex numbers, or of matrices of them."""
    if not (a.imag and b.imag):
        real = w.op(kind, a.real, b.real)
        if not (a.imag or b.imag):
            return Pair(real, None)
        return Pair(real, w.op(kind, a.imag or a.real, b.imag or b.real))
    real = w.op("Sub", w.op(kind, a.real, b.real), w.op(kind, a.imag, b.imag))
    return Pair(real, w.op("Add", w.op(kind, a.real, b.imag), w.op(kind, a.imag, b.real)))


def _square_of_abs(w: Writer, x: Pair) -> str:
    found = w.op("Mul", x.real, x.real)
    return w.op("Add", found, w.op("Mul", x.imag, x.imag)) if x.imag else found


def _quotient(w: Writer, a: Pair, b: Pair) -> Pair:
    if not b.imag:
        return each(a, lambda name: w.op("Div", name, b.real))
    over = _product(w, a, _conjugate(w, b))
    below = _square_of_abs(w, b)
    return each(over, lambda name: w.op("Div", name, below))


def _sum(w: Writer, a: Pair, b: Pair, kind: str, real: Dtype) -> Pair:
    found = w.op(kind, a.real, b.real)
    if not (a.imag or b.imag):
        return Pair(found, None)
    return Pair(found, w.op(kind, _both(w, a, real)[1], _both(w, b, real)[1]))


def _two(w: Writer, node: Node, x: Any, y: Any) -> Any:
    """Write arithmetic of two arrays or numbers."""
    name, real = node.name, real_of(w.dtype(node))
    if name.startswith("reflected "):
        name, x, y = name.removeprefix("reflected "), y, x
    if name in ("equal", "not_equal"):
        real = real_of(next(v.dtype for v in node.operands if v.dtype.kind == "c"))
        first, second = _both(w, pair(w, x, real), real), _both(w, pair(w, y, real), real)
        same = w.op("And", *(w.op("Equal", *both) for both in zip(first, second, strict=True)))
        return same if name == "equal" else w.op("Not", same)
    a, b = pair(w, x, real), pair(w, y, real)
    if name in ("add", "subtract"):
        return _sum(w, a, b, "Add" if name == "add" else "Sub", real)
    if name == "divide":
        return _quotient(w, a, b)
    return _product(w, a, b, "MatMul" if name == "matmul" else "Mul")


def _one(w: Writer, node: Node, x: Any) -> Any:
    """Write a function of one array."""
    real = real_of(x.dtype)
    z = pair(w, x, real)
    name = node.name
    if name == "real":
        return z.real
    if name == "imag":
        return _both(w, z, real)[1]
    if name == "abs":
        return length(w, z.real, z.imag, real) if z.imag else w.op("Abs", z.real)
    if name == "conj":
        return _conjugate(w, z)
    if name == "square":
        return _product(w, z, z)
    size, angle = w.op("Exp", z.real), _both(w, z, real)[1]
    return Pair(w.op("Mul", size, w.op("Cos", angle)), w.op("Mul", size, w.op("Sin", angle)))


def _cast(w: Writer, node: Node, x: Any, *_: Any, **__: Any) -> Any:
    if w.dtype(node).kind != "c":
        w.refuse(f"casts {x.dtype} to {w.dtype(node)}, which is not written to ONNX")
    return pair(w, x, real_of(w.dtype(node)))


# --- calls ------------------------------------------------------------------------------------------------------------


def _partwise(w: Writer, node: Node) -> list[Pair]:
    """Write a call that does the same to both parts, once for each."""
    real = real_of(w.dtype(node))
    places = _PARTWISE[node.name]
    found = []
    for part in (0, 1):

        def stand_in(x: Any, part: int = part) -> Any:
            if isinstance(x, (tuple, list)):
                return type(x)(map(stand_in, x))
            if not isinstance(x, Value):
                return (x.imag if part else x.real) if isinstance(x, complex) else 0 * x if part else x
            made = Value(real, x.shape)
            w.names[id(made)] = _both(w, pair(w, x, real), real)[part]
            w.kept.append(made)
            return made

        args = tuple([stand_in(x) if i in places else x for i, x in enumerate(node.args)])
        results = [Value(real, v.shape) for v in node.results]
        like = Node(node.function, node.name, args, node.kwargs, results if len(results) > 1 else results[0],
                    node.operation)  # fmt: skip
        names = WRITERS[node.name](w, like, *args, **node.kwargs)
        if names is NotImplemented:
            names = w.body(like)
        found.append([names] if isinstance(names, str) else [*names])
    return [Pair(*parts) for parts in zip(*found, strict=True)]


_CALLS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys([f"fft.{name}" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")], _along_one),
    **dict.fromkeys(
        [f"fft.{name}{n}" for name in ("fft", "ifft", "rfft", "irfft") for n in ("n", "2")], _along_several
    ),
    **dict.fromkeys(("real", "imag", "abs", "conj", "square", "exp"), _one),
    **dict.fromkeys(("cast", "index_array"), _cast),
    **dict.fromkeys(
        [
            f"{way}{name}" for way in ("", "reflected ")
            for name in ("add", "subtract", "multiply", "divide", "matmul", "equal", "not_equal")
        ],
        _two,
    ),
}  # fmt: skip


def write(w: Writer, node: Node) -> Any:
    """Write a call with complex numbers among its arrays: names, and pairs of names.

    Raises
    ------
    GraphFileError: it is not written for complex numbers, and has no definition by calls that are.
    """
    if node.blocks:
        w.refuse("has complex numbers in a branch or a loop, which is not written to ONNX")
    if node.name in _PARTWISE:
        return _partwise(w, node)
    call = _CALLS.get(node.name)
    if call is not None:
        found = call(w, node, *node.args, **node.kwargs)
        if isinstance(found, Pair) and w.dtype(node).kind != "c":
            return found.real
        return found
    dtype = next(v.dtype for v in (*node.operands, *node.results) if v.dtype.kind == "c")
    return w.body(
        node, f"is of {dtype}, for which ONNX has no operators: fft, arithmetic and changes of shape are written"
    )


Writer.complexes = sys.modules[__name__]
