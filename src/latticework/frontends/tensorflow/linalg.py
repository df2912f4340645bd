"""`tf.linalg`: products, solutions and decompositions of the last two axes."""

from __future__ import annotations

from typing import Any

import latticework as lw

from . import dtypes
from .arguments import axes, extents, number, only
from .conversion import eye
from .errors import invalid
from .reductions import global_norm, l2_normalize
from .tensor import Tensor, as_tensor, beside, dialect, of_dtype, ops

__all__ = ["eye", "global_norm", "l2_normalize"]

_NO = "bfloat16 float16"


def _matrix(x: Any, kinds: str = "fc", but: str = "bfloat16", *, square: bool = True) -> Any:
    x = only(x, kinds, but)
    shape = x._array.shape
    if len(shape) < 2 or (square and shape[-1] != shape[-2]):
        raise invalid(f"Input matrix must be square, with at least two axes; got the shape {x.shape}")
    return x


def _of_floats(a: Any) -> Any:
    """A stack of matrices of floats, which is looked at before a kernel is asked."""
    a = only(of_dtype(a, dtypes.float32), "f", error=TypeError)
    if a.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.ndim}).")
    return _matrix(a, "f", square=False)


def _same(a: Any, b: Any, kinds: str = "fc", but: str = "bfloat16") -> tuple[Any, Any]:
    a = only(a, kinds, but) if isinstance(a, Tensor) or not isinstance(b, Tensor) else beside(a, b)
    b = beside(b, a)
    if a.dtype != b.dtype:
        raise invalid(f"the matrices are of {a.dtype.name} and {b.dtype.name}, and TensorFlow promotes nothing")
    return only(a, kinds, but), b


# fmt: off
def det(input: Any, name: Any = None) -> Any: return ops.linalg.det(_matrix(input, but=_NO))
def expm(input: Any, name: Any = None) -> Any: return ops.linalg.expm(_matrix(input))
def logm(input: Any, name: Any = None) -> Any: return ops.linalg.logm(_matrix(input, "c"))
def sqrtm(input: Any, name: Any = None) -> Any: return ops.linalg.sqrtm(_matrix(input))
def cholesky(input: Any, name: Any = None) -> Any: return ops.linalg.cholesky(_matrix(input))
def eigvals(tensor: Any, name: Any = None) -> Any: return ops.linalg.eigvals(_matrix(tensor, but=_NO))
def eigvalsh(tensor: Any, name: Any = None) -> Any: return ops.linalg.eigvalsh(_matrix(tensor))
def trace(x: Any, name: Any = None) -> Any: return ops.linalg.trace(as_tensor(x))
# fmt: on


def slogdet(input: Any, name: Any = None) -> Any:
    x = _matrix(input, but=_NO)
    sign, log_abs = ops.linalg.slogdet(x)
    return sign, ops.astype(log_abs, x.dtype)


def inv(input: Any, adjoint: Any = False, name: Any = None) -> Any:
    found = ops.linalg.inv(_matrix(input))
    return _adjoint(found) if adjoint else found


def _adjoint(x: Any) -> Any:
    moved = ops.matrix_transpose(x)
    return ops.conj(moved) if x._array.dtype.kind == "c" else moved


def adjoint(matrix: Any, name: Any = None) -> Any:
    return _adjoint(_ranked(matrix))


def _ranked(a: Any) -> Any:
    a = as_tensor(a)
    if a.ndim < 2:
        raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2. Received `a` with shape {a.shape}")
    return a


def matrix_transpose(a: Any, name: Any = "matrix_transpose", conjugate: Any = False) -> Any:
    a = _ranked(a)
    return _adjoint(a) if conjugate else ops.matrix_transpose(a)


def logdet(matrix: Any, name: Any = None) -> Any:
    chol = cholesky(matrix)
    diagonal = ops.linalg.diagonal(ops.real(chol) if chol._array.dtype.kind == "c" else chol)
    return ops.multiply(2.0, ops.sum(ops.log(diagonal), axis=-1))


def eig(tensor: Any, name: Any = None) -> Any:
    return tuple(ops.linalg.eig(_matrix(tensor, but=_NO)))


def eigh(tensor: Any, name: Any = None) -> Any:
    return tuple(ops.linalg.eigh(_matrix(tensor)))


def svd(tensor: Any, full_matrices: Any = False, compute_uv: Any = True, name: Any = None) -> Any:
    x = _matrix(tensor, square=False)
    if not compute_uv:
        return ops.linalg.svdvals(x)
    u, s, vh = ops.linalg.svd(x, full_matrices=bool(full_matrices))
    return s, u, _adjoint(vh)


class _Qr(tuple):  # type: ignore[type-arg]
    """The factors `q` and `r`."""

    __slots__ = ()
    q = property(lambda self: self[0])
    r = property(lambda self: self[1])


def qr(input: Any, full_matrices: Any = False, name: Any = None) -> Any:
    return _Qr(ops.linalg.qr(_matrix(input, square=False), mode="complete" if full_matrices else "reduced"))


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: Any = None) -> Any:
    x = _matrix(input)
    permutation, lower, upper = ops.linalg.lu(x)
    n = x._array.shape[-1]
    packed = ops.add(lower, ops.subtract(upper, ops.eye(n, dtype=x.dtype)))
    rows = ops.argmax(ops.matrix_transpose(ops.astype(ops.real(permutation), "float32")), axis=-1)
    return packed, ops.astype(rows, output_idx_type)


def matrix_rank(a: Any, tol: Any = None, validate_args: Any = False, name: Any = None) -> Any:
    a = _of_floats(a)
    s = ops.linalg.svdvals(a)
    if tol is None:
        eps = _eps(a)
        tol = ops.multiply(ops.max(s, axis=-1, keepdims=True), float(eps * max(a._array.shape[-2:])))
    return ops.sum(ops.astype(ops.greater(s, tol), "int32"), axis=-1)


def _eps(x: Any) -> float:

    return float(lw.finfo(x._array.dtype).eps)


def pinv(a: Any, rcond: Any = None, validate_args: Any = False, name: Any = None) -> Any:
    a = _of_floats(a)
    limit = 10.0 * max(a._array.shape[-2:]) * _eps(a) if rcond is None else float(as_tensor(rcond))
    s, u, v = svd(a)
    cut = ops.multiply(ops.max(s, axis=-1, keepdims=True), limit)
    kept = ops.where(ops.greater(s, cut), s, ops.full_like(s, float("inf")))
    return ops.matmul(ops.divide(v, ops.expand_dims(kept, -2)), ops.matrix_transpose(u))


# --- solve ----------------------------------------------------------------------------------------------------------


def solve(matrix: Any, rhs: Any, adjoint: Any = False, name: Any = None) -> Any:
    a, b = _same(matrix, rhs)
    a = _matrix(a)
    if b.ndim < 2 or b._array.shape[-2] != a._array.shape[-1]:
        raise invalid(f"Input matrix and rhs are incompatible: {a.shape} and {b.shape}")
    return ops.linalg.solve(_adjoint(a) if adjoint else a, b)


def triangular_solve(matrix: Any, rhs: Any, lower: Any = True, adjoint: Any = False, name: Any = None) -> Any:
    a, b = _same(matrix, rhs)
    a = _matrix(a)
    if b.ndim < 2 or b._array.shape[-2] != a._array.shape[-1]:
        raise invalid(f"In[0] and In[1] are incompatible: {a.shape} and {b.shape}")
    upper = not lower
    if adjoint and a._array.dtype.kind == "c":
        a, upper, adjoint = _adjoint(a), not upper, False
    return ops.linalg.solve_triangular(a, b, upper=upper, transpose=bool(adjoint))


def cholesky_solve(chol: Any, rhs: Any, name: Any = None) -> Any:
    a, b = _same(chol, rhs)
    return triangular_solve(a, triangular_solve(a, b), adjoint=True)


def lstsq(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: Any = True, name: Any = None) -> Any:
    a, b = _same(matrix, rhs)
    a = _matrix(a, square=False)
    m, n = a._array.shape[-2:]
    weight = number(l2_regularizer) if not isinstance(l2_regularizer, Tensor) else float(l2_regularizer)
    at = _adjoint(a)
    if m >= n:
        gram = ops.add(ops.matmul(at, a), ops.multiply(ops.eye(n, dtype=a.dtype), weight))
        return cholesky_solve(cholesky(gram), ops.matmul(at, b))
    gram = ops.add(ops.matmul(a, at), ops.multiply(ops.eye(m, dtype=a.dtype), weight))
    return ops.matmul(at, cholesky_solve(cholesky(gram), b))


# --- products -------------------------------------------------------------------------------------------------------


def matmul(
    a: Any, b: Any, transpose_a: Any = False, transpose_b: Any = False, adjoint_a: Any = False, adjoint_b: Any = False,
    a_is_sparse: Any = False, b_is_sparse: Any = False, output_type: Any = None, grad_a: Any = False,
    grad_b: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    plain = not (transpose_a or transpose_b or adjoint_a or adjoint_b or output_type is not None)
    if plain and type(a) is type(b) is Tensor and a._array.ndim > 1 and b._array.ndim > 1:
        return ops.matmul(a, b)
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("Only one of `transpose_a` and `adjoint_a`, or of `transpose_b` and `adjoint_b`, can be True.")
    a = as_tensor(a, like=b if isinstance(b, Tensor) else None)
    b = as_tensor(b, like=a)
    if adjoint_a or adjoint_b:
        only(a if adjoint_a else b, "iufc", error=TypeError)
    for x in (a, b):
        if x.ndim < 2:
            raise invalid(f"In[0] and In[1] ndims must be >= 2: {a.shape} and {b.shape}")
    a = _adjoint(a) if adjoint_a else ops.matrix_transpose(a) if transpose_a else a
    b = _adjoint(b) if adjoint_b else ops.matrix_transpose(b) if transpose_b else b
    found = ops.matmul(a, b)
    return found if output_type is None else ops.astype(found, dtypes.as_dtype(output_type))


def matvec(
    a: Any, b: Any, transpose_a: Any = False, adjoint_a: Any = False, a_is_sparse: Any = False,
    b_is_sparse: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    a = as_tensor(a)
    b = as_tensor(b, like=a)
    return ops.squeeze(matmul(a, ops.expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a), -1)


def tensordot(a: Any, b: Any, axes: Any, name: Any = None) -> Any:
    a = as_tensor(a)
    b = as_tensor(b, like=a)
    if isinstance(axes, Tensor):
        axes = axes._array.tolist()
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > a.ndim:
            raise ValueError(f"`axes` must not be larger than the number of dimensions of tensor {a.shape}.")
        return ops.tensordot(a, b, axes=axes)
    first, second = axes
    first, second = ([n] if isinstance(n, int) else list(extents(n)) for n in (first, second))
    if len(first) != len(second):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}.")
    return ops.tensordot(a, b, axes=(tuple(first), tuple(second)))


def einsum(equation: Any, *inputs: Any, **kwargs: Any) -> Any:
    for word in kwargs:
        if word not in ("name", "optimize"):
            raise TypeError(f"Invalid keyword arguments for this function: [{word!r}]. Expected: name, optimize.")
    found = [as_tensor(inputs[0])]
    found += [as_tensor(x, like=found[0]) for x in inputs[1:]]
    for x in found:
        if x.dtype != found[0].dtype:
            raise invalid(f"the operands are of {found[0].dtype.name} and {x.dtype.name}")
    return ops.einsum(equation, *found)


def cross(a: Any, b: Any, name: Any = None) -> Any:
    a, b = _same(a, b, "iuf", "")
    if a._array.shape != b._array.shape or a._array.shape[-1:] != (3,):
        raise invalid(f"Both inputs must have the same shape, whose last extent is 3: {a.shape} and {b.shape}")
    return ops.linalg.cross(a, b)


# --- norms ----------------------------------------------------------------------------------------------------------


def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: Any = None) -> Any:
    x = as_tensor(tensor)
    axis = axes(axis)
    matrix = isinstance(axis, tuple) and len(axis) == 2
    known = ["euclidean", "fro", 1, 2, float("inf")] if matrix else ["euclidean", 1, 2, float("inf")]
    if not (ord in known or (not matrix and isinstance(ord, (int, float)) and ord > 0)):
        raise ValueError(f"ord is one of {known}{'' if matrix else ' or a positive number'}; got {ord!r}")
    only(x, "fc")
    keep = bool(keepdims)
    if matrix and ord not in ("euclidean", "fro"):
        return _matrix_norm(x, ord, axis, keep)
    size = ops.abs(x)
    if ord in ("euclidean", "fro", 2):
        squared = ops.multiply(x, ops.conj(x)) if x._array.dtype.kind == "c" else ops.square(x)
        return ops.sqrt(ops.sum(squared, axis=axis, keepdims=keep))
    if ord == 1:
        return ops.sum(size, axis=axis, keepdims=keep)
    if ord == float("inf"):
        return ops.max(size, axis=axis, keepdims=keep)
    return ops.pow(ops.sum(ops.pow(size, ord), axis=axis, keepdims=keep), 1.0 / ord)


def _matrix_norm(x: Any, ord: Any, axis: Any, keep: bool) -> Any:
    moved = ops.moveaxis(x, axis, (-2, -1))
    if ord == 2:
        found = ops.max(ops.linalg.svdvals(moved), axis=-1)
    else:
        first = -2 if ord == 1 else -1
        found = ops.max(ops.sum(ops.abs(moved), axis=first), axis=-1)
    return ops.expand_dims(found, tuple(sorted(a % x.ndim for a in axis))) if keep else found


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: Any = None) -> Any:
    x = as_tensor(tensor)
    length = norm(x, ord=ord, axis=axis, keepdims=True)
    wide = ops.astype(length, x.dtype) if x.dtype != length.dtype else length
    return ops.divide(x, wide), length


# --- diagonals ------------------------------------------------------------------------------------------------------


def band_part(input: Any, num_lower: Any, num_upper: Any, name: Any = None) -> Any:
    x = as_tensor(input)
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {x.shape}")
    low, high = number(num_lower), number(num_upper)
    rows, columns = x._array.shape[-2:]
    if low > rows or high > columns:
        raise invalid(f"num_lower and num_upper must be at most the extents, and are {low} and {high}")
    i = ops.expand_dims(ops.arange(rows, dtype="int32"), -1)
    j = ops.arange(columns, dtype="int32")
    kept = ops.full((rows, columns), True)
    kept = kept if low < 0 else ops.logical_and(kept, ops.less_equal(ops.subtract(i, j), low))
    kept = kept if high < 0 else ops.logical_and(kept, ops.less_equal(ops.subtract(j, i), high))
    return ops.where(kept, x, ops.zeros_like(x))


def _ends(k: Any) -> tuple[int, int]:
    found = axes(k)
    return (found[0], found[-1]) if isinstance(found, tuple) else (found, found)


def diag_part(
    input: Any, name: Any = "diag_part", k: Any = 0, padding_value: Any = 0, align: Any = "RIGHT_LEFT"
) -> Any:
    x = as_tensor(input)
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {x.shape}")
    value = 0 if type(padding_value) is int and not padding_value else beside(padding_value, x).numpy().item()
    low, high = _ends(k)
    rows, columns = x._array.shape[-2:]
    if not -rows < low <= high < columns and not (low == high == 0):
        raise invalid(f"the diagonals {low} to {high} do not lie in a matrix of {rows} by {columns}")
    found = [ops.linalg.diagonal(x, offset=d) for d in range(high, low - 1, -1)]
    if low == high:
        return found[0]
    longest = max(d._array.shape[-1] for d in found)
    padded = []
    for offset, d in zip(range(high, low - 1, -1), found, strict=True):
        lack = longest - d._array.shape[-1]
        left = lack if _right(align, offset) else 0
        widths = [(0, 0)] * (d.ndim - 1) + [(left, lack - left)]
        padded.append(ops.pad(d, widths, constant_values=value))
    return ops.stack(padded, axis=-2)


def _right(align: str, offset: int) -> bool:
    """Return whether a diagonal that is shorter than others stands at the right end of its row."""
    if align not in ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"):
        raise invalid(f"align {align!r} is not in the list of allowed values")
    above, below = align.split("_")
    return (above if offset >= 0 else below) == "RIGHT"


def set_diag(input: Any, diagonal: Any, name: Any = "set_diag", k: Any = 0, align: Any = "RIGHT_LEFT") -> Any:
    x = as_tensor(input)
    d = as_tensor(diagonal, like=x)
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {x.shape}")
    if d.dtype != x.dtype:
        raise invalid(f"the diagonal is of {d.dtype.name}, and the tensor of {x.dtype.name}")
    low, high = _ends(k)
    if low == high:
        return ops.linalg.diagonal_set(x, d, offset=low)
    for i, offset in enumerate(range(high, low - 1, -1)):
        x = ops.linalg.diagonal_set(x, _cut(d[..., i, :], x._array.shape[-2:], offset, align), offset=offset)
    return x


def _cut(d: Any, shape: tuple[int, ...], offset: int, align: str) -> Any:
    rows, columns = shape
    length = min(rows + min(offset, 0), columns - max(offset, 0))
    return d[..., -length:] if _right(align, offset) else d[..., :length]


def diag(
    diagonal: Any, name: Any = "diag", k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0,
    align: Any = "RIGHT_LEFT",
) -> Any:  # fmt: skip
    d = as_tensor(diagonal)
    if not d.ndim:
        raise invalid("diagonal must be at least 1-dim, received a scalar")
    low, high = _ends(k)
    length = d._array.shape[-1]
    needed = (length - min(high, 0), length + max(low, 0))
    rows, columns = number(num_rows), number(num_cols)
    if rows == -1 and columns == -1:
        rows = columns = max(needed)
    rows = needed[0] if rows == -1 else rows
    columns = needed[1] if columns == -1 else columns
    if rows < needed[0] or columns < needed[1]:
        raise invalid(f"a matrix of {rows} by {columns} has no place for a diagonal of {length}")
    batch = d._array.shape[: -1 if low == high else -2]
    plain_zero = type(padding_value) is int and not padding_value
    value = ops.zeros((), dtype=d.dtype) if plain_zero else as_tensor(padding_value, like=d)
    base = ops.broadcast_to(value, (*batch, rows, columns))
    return set_diag(base, d, k=k, align=align)


def tensor_diag(diagonal: Any, name: Any = None) -> Any:
    d = only(diagonal, "ifc", "int8 int16")
    shape = d._array.shape
    return ops.reshape(ops.diag(ops.reshape(d, (-1,))), (*shape, *shape))


def tensor_diag_part(input: Any, name: Any = None) -> Any:
    x = only(input, "ifc", "int8 int16")
    half = x.ndim // 2
    if x.ndim % 2 or x._array.shape[:half] != x._array.shape[half:]:
        raise invalid(f"the shape {x.shape} is not one twice")
    shape = x._array.shape[:half]
    count = 1
    for n in shape:
        count *= n
    return ops.reshape(ops.linalg.diagonal(ops.reshape(x, (count, count))), shape)


dialect.finish(globals(), view="tf.linalg")
