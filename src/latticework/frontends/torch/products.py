"""PyTorch's products of matrices and vectors, spectra, and linear algebra under the names of `torch` itself."""

from __future__ import annotations

from typing import Any

from .core import complete, ops
from .linalg import lu_factor_ex
from .named import named
from .tensor import Tensor

# fmt: off

_QR, _SVD, _SLOGDET = named("qr", "Q", "R"), named("svd", "U", "S", "V"), named("slogdet", "sign", "logabsdet")
_UNPACKED = named("lu_unpack", "P", "L", "U")
_TRIANGULAR = named("triangular_solve", "solution", "cloned_coefficient")

def bmm(input, mat2, *, out=None): return ops.matmul(_of_rank("bmm", 3, input), _batched("bmm", input, mat2))
def det(input): return ops.linalg.det(input)
def ger(input, vec2, *, out=None): return outer(input, vec2)
def inverse(input, *, out=None): return ops.linalg.inv(input)
def kron(input, other, *, out=None): return ops.kron(input, other)
def logdet(input): return ops.linalg.logdet(input)
def matmul(input, other, *, out=None): return ops.matmul(input, other)
def matrix_exp(input): return ops.linalg.matrix_exp(input)
def matrix_power(input, n, *, out=None):
    return ops.linalg.matrix_power(input, n) if input._array.dtype.kind in "fc" else _integer_power(input, n)
def mm(input, mat2, *, out=None): return ops.matmul(_of_rank("mm", 2, input), _of_rank("mm", 2, mat2))
def mv(input, vec, *, out=None): return ops.matmul(_of_rank("mv", 2, input), _of_rank("mv", 1, vec))
def spmm(input, mat2): return mm(input, mat2)
def dsmm(input, mat2): return mm(input, mat2)
def slogdet(input, *, out=None): return _SLOGDET(*ops.linalg.slogdet(input))
# fmt: on


def _of_rank(name: str, ndim: int, x: Any) -> Any:
    if type(x) is not Tensor:
        raise TypeError(f"{name}(): argument must be Tensor, not {type(x).__name__}")
    if x._array.ndim != ndim:
        raise RuntimeError(f"{name}: expected a tensor of {ndim} dimensions; got {x._array.ndim}")
    return x


def _batched(name: str, input: Any, mat2: Any) -> Any:
    _of_rank(name, 3, mat2)
    if input._array.shape[0] != mat2._array.shape[0]:
        raise RuntimeError(f"{name}: expected batches of one size; got {input._array.shape} and {mat2._array.shape}")
    return mat2


def dot(input, tensor, *, out=None):
    _alike("dot", _of_rank("dot", 1, input), _of_rank("dot", 1, tensor))
    return ops.dot(input, tensor)


def vdot(input, other, *, out=None):
    _alike("vdot", _of_rank("vdot", 1, input), _of_rank("vdot", 1, other))
    return ops.dot(ops.conj(input), other)


def _alike(name: str, x: Any, y: Any) -> None:
    if x._array.dtype is not y._array.dtype:
        raise RuntimeError(f"{name}: expected both vectors to have same dtype, but found {x.dtype} and {y.dtype}")
    if x._array.shape != y._array.shape:
        raise RuntimeError(
            f"{name}: inconsistent tensor size, expected {x._array.shape} and {y._array.shape} to be equal"
        )


def inner(input, other, *, out=None):
    if not input._array.ndim or not other._array.ndim:
        return ops.multiply(input, other)
    if input._array.dtype is not other._array.dtype:
        raise RuntimeError(
            f"inner: expected both tensors to have same dtype, but found {input.dtype} and {other.dtype}"
        )
    return ops.inner(input, other)


def outer(input, vec2, *, out=None):
    _of_rank("outer", 1, input)
    _of_rank("outer", 1, vec2)
    return ops.multiply(ops.expand_dims(input, axis=1), vec2)


def tensordot(a, b, dims=2, out=None):
    if type(dims) is Tensor:
        dims = dims.tolist()
    first, second = a._array.shape, b._array.shape
    if isinstance(dims, int):
        axes: Any = dims
        pairs = list(zip(range(len(first) - dims, len(first)), range(dims), strict=True))
    else:
        axes = tuple(tuple(d) if isinstance(d, (list, tuple)) else (d,) for d in dims)
        pairs = list(zip(*axes, strict=False))
    if all(-len(first) <= i < len(first) and -len(second) <= j < len(second) for i, j in pairs):
        # an axis of one element goes with any other, over which is summed first
        of_a = tuple(i for i, j in pairs if second[j] == 1 != first[i])
        of_b = tuple(j for i, j in pairs if first[i] == 1 != second[j])
        a = ops.sum(a, axis=of_a, keepdims=True, dtype=a.dtype) if of_a else a
        b = ops.sum(b, axis=of_b, keepdims=True, dtype=b.dtype) if of_b else b
    return ops.tensordot(a, b, axes=axes)


def einsum(*args):
    if isinstance(args[0], str):
        equation, operands = args[0], args[1:]
    else:
        operands, lists = args[0::2], args[1::2]
        if len(args) % 2:
            operands = operands[:-1]
        words = [_letters(x) for x in lists]
        equation = ",".join(words[: len(operands)])
        if len(args) % 2:
            equation += "->" + _letters(args[-1])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if (
        len(operands) > 1
        and operands[0]._array._sig.dtype.kind == "b"
        and all(x._array._sig.dtype.kind == "b" for x in operands)
    ):
        raise NotImplementedError("einsum: PyTorch has no kernel of this function for bool. Cast the tensors first")
    if len(operands) == 1 and operands[0]._array.dtype.kind in "biu" and _sums(equation):
        operands = (operands[0]._to("int64"),)
    return ops.einsum(equation, *operands)


def _sums(equation: str) -> bool:
    """Return whether an einsum of one operand sums over an index, which PyTorch does by `sum`."""
    indices, arrow, result = equation.partition("->")
    if not arrow:
        return any(indices.count(i) > 1 for i in indices if i.isalpha())
    return any(i not in result for i in indices if i.isalpha())


def _letters(sublist: Any) -> str:
    return "".join("..." if i is Ellipsis else chr(ord("a") + i) if i < 26 else chr(ord("A") + i - 26) for i in sublist)


def _plus(input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """``beta * input + alpha * product`` of one dtype; beta 0 leaves the input out, with its nan."""
    if input._array.dtype is not product._array.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {input.dtype} != {product.dtype}")
    if product._array.dtype.kind in "biu":
        beta, alpha = int(beta), int(alpha)
    if alpha != 1:
        product = ops.multiply(product, alpha)
    if beta == 0:
        return product
    added = ops.add(input if beta == 1 else ops.multiply(input, beta), product)
    if added._array.shape != product._array.shape:
        raise RuntimeError(f"the input of shape {input._array.shape} does not broadcast to {product._array.shape}")
    return added


# fmt: off
def addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None): return _plus(input, mm(mat1, mat2), beta, alpha)
def addmv(input, mat, vec, *, beta=1, alpha=1, out=None): return _plus(input, mv(mat, vec), beta, alpha)
def addr(input, vec1, vec2, *, beta=1, alpha=1, out=None): return _plus(input, outer(vec1, vec2), beta, alpha)
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None): return _plus(input, bmm(batch1, batch2), beta, alpha)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None):
    return _plus(input, ops.sum(bmm(batch1, batch2), axis=0, dtype=batch1.dtype), beta, alpha)
# fmt: on


def _integer_power(x: Any, n: int) -> Any:
    """The power of a matrix of integers, by products."""
    if n < 0:
        raise RuntimeError("linalg.inv: expected a floating point or complex tensor for a negative power")
    result = ops.broadcast_to(ops.eye(x._array.shape[-1], dtype=x.dtype), x._array.shape)
    for _ in range(n):
        result = ops.matmul(result, x)
    return result


def chain_matmul(*matrices, out=None):
    return ops.linalg.multi_dot(list(matrices)) if len(matrices) > 1 else matrices[0]


def cross(input, other, dim=None, *, out=None):
    if dim is None:
        dim = next((i for i, n in enumerate(input._array.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    if input._array.shape[input._axis(dim)] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3")
    return ops.linalg.cross(input, other, axis=dim)


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    return ops.linalg.cdist(x1, x2, p=p)


# --- of `torch.linalg` under their older names -----------------------------------------------------------------------


def cholesky(input, upper=False, *, out=None):
    return ops.linalg.cholesky(input, upper=upper)


def cholesky_solve(input, input2, upper=False, *, out=None):
    return ops.linalg.cho_solve(input2, input, upper=upper)


def cholesky_inverse(L, upper=False, *, out=None):
    return ops.linalg.cho_solve(L, ops.eye(L._array.shape[-1], dtype=L.dtype), upper=upper)


def pinverse(input, rcond=1e-15):
    return ops.linalg.pinv(input, rtol=rcond)


def qr(input, some=True, *, out=None):
    return _QR(*ops.linalg.qr(input, mode="reduced" if some else "complete"))


def lu(A, pivot=True, get_infos=False, out=None):
    found = lu_factor_ex(A, pivot=pivot, check_errors=not get_infos)
    return tuple(found) if get_infos else (found.LU, found.pivots)


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None):
    rows, columns = LU_data._array.shape[-2:]
    count = min(rows, columns)
    P = L = U = ops.zeros((0,), dtype=LU_data.dtype)
    if unpack_data:
        L = ops.add(ops.tril(LU_data[..., :count], k=-1), ops.eye(rows, count, dtype=LU_data.dtype))
        U = ops.triu(LU_data[..., :count, :])
    if unpack_pivots:
        P = _permutation(LU_pivots, rows, count, LU_data.dtype)
    return _UNPACKED(P, L, U)


def _permutation(pivots: Any, rows: int, count: int, dtype: Any) -> Any:
    """The matrix of the exchanges of rows that pivots name: of each row, counted from 1, with the row of its place."""
    order = ops.broadcast_to(ops.arange(rows), (*pivots._array.shape[:-1], rows))
    for i in range(count):
        other = ops.subtract(pivots[..., i : i + 1]._to("int64"), 1)
        here, there = order[..., i : i + 1], ops.take_along_axis(order, other, axis=-1)
        order = ops.where(ops.equal(ops.arange(rows), other), here, order)
        order = ops.where(ops.equal(ops.arange(rows), i), there, order)
    return ops.equal(ops.expand_dims(order, -2), ops.expand_dims(ops.arange(rows), -1))._to(dtype)


def svd(input, some=True, compute_uv=True, *, out=None):
    u, s, vh = ops.linalg.svd(input, full_matrices=not some)
    return _SVD(u, s, ops.conj(ops.matrix_transpose(vh)))


def svd_lowrank(A, q=6, niter=2, M=None):
    """The greatest singular values and their vectors; PyTorch approximates them from random numbers on."""
    m, n = A._array.shape[-2:]
    u, s, vh = ops.linalg.svd(A if M is None else ops.subtract(A, M), full_matrices=False)
    count = min(6 if q is None else q, m, n)
    return u[..., :count], s[..., :count], ops.conj(ops.matrix_transpose(vh))[..., :count]


def pca_lowrank(A, q=None, center=True, niter=2):
    m, n = A._array.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(ops.subtract(A, ops.mean(A, axis=-2, keepdims=True)) if center else A, q)


def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False, *, out=None):
    solution = ops.linalg.solve_triangular(A, input, upper=upper, transpose=transpose, unit_diagonal=unitriangular)
    return _TRIANGULAR(solution, ops.copy(A))


# --- spectra --------------------------------------------------------------------------------------------------------


def stft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
    onesided=None, return_complex=None, align_to_window=None,
):  # fmt: skip
    if return_complex is None and input._array.dtype.kind != "c":
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs")
    real = all(x is None or x._array.dtype.kind != "c" for x in (input, window))
    result = ops.signal.stft(
        input, n_fft, hop_length, win_length, window, center=center, pad_mode=pad_mode, normalized=normalized,
        onesided=real if onesided is None else onesided,
    )  # fmt: skip
    if return_complex is False:
        return ops.stack([ops.real(result), ops.imag(result)], axis=-1)
    return result


def istft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
    length=None, return_complex=False,
):  # fmt: skip
    return ops.signal.istft(
        input, n_fft, hop_length, win_length, window, center=center, normalized=normalized,
        onesided=input._array.shape[-2] != n_fft if onesided is None else onesided, length=length,
    )  # fmt: skip


complete(globals())
