"""Samples of NumPy's dialect, see `differential`."""

_UNARY = """
    absolute abs acos arccos arcsin asin arctan atan arctanh atanh arcsinh asinh arccosh acosh cbrt ceil conj conjugate
    cos cosh deg2rad radians rad2deg degrees exp exp2 expm1 fabs floor isfinite isinf isnan log log10 log1p log2
    logical_not negative positive reciprocal rint sign signbit sin sinh spacing sqrt square tan tanh trunc
    bitwise_count bitwise_invert bitwise_not invert
""".split()
_BINARY = """
    add arctan2 atan2 copysign divide true_divide equal floor_divide fmax fmin fmod greater greater_equal heaviside
    hypot less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum multiply nextafter
    not_equal remainder mod subtract float_power divmod
""".split()
_OF_INTS = """
    bitwise_and bitwise_or bitwise_xor gcd lcm
""".split()
_SHIFTS = "left_shift right_shift bitwise_left_shift bitwise_right_shift".split()
_OPERATORS = "+ - * / // % < <= > >= == !=".split()
_REDUCED = "sum prod max min amax amin all any mean std var median ptp argmax argmin".split()
_NAN = "nansum nanprod nanmax nanmin nanmean nanstd nanvar nanmedian nanargmax nanargmin".split()


def _lines(*lines: str) -> str:
    return "".join(f"    {line}\n" for line in lines)


SAMPLES = (
    "all:\n"
    "    np.sum(x)\n    np.cumsum(x)\n    np.matmul(x, n)\n    np.mean(x)\n    np.sort(x)\n    np.array(x, copy=True)\n"
    + _lines(*[f"np.{n}({'p' if n == 'reciprocal' else 'q'})" for n in _UNARY])
    + _lines(*[f"np.{n}(p, y)  # pairs" for n in _BINARY])
    + _lines(*[f"x {o} y  # pairs" for o in _OPERATORS])
    + "bools and ints:\n"
    + _lines(*[f"np.{n}(x, y)  # pairs" for n in _OF_INTS])
    + _lines(*[f"np.{n}(p, y)  # pairs" for n in _SHIFTS])
    + _lines("x & y  # pairs", "x | y  # pairs", "x ^ y  # pairs", "~x", "p << 1", "p >> y  # pairs")
    + "bool int64 float32 complex64:\n"
    + _lines(*[f"np.{n}(x)" for n in _REDUCED + _NAN])
    + "int64 float32:\n"
    + _lines(*[f"np.{n}(x, axis=1)" for n in _REDUCED + _NAN])
    + _lines(*[f"np.{n}(x, axis=-1, keepdims=True)" for n in _REDUCED + _NAN])
    + _lines(
        *[f"np.{n}(x, axis=5)" for n in ("sum", "max", "mean", "median", "argmax", "all", "std", "cumsum", "sort")]
    )
    + _lines(
        *[
            f"x.{n}(axis=0)"
            for n in ("sum", "prod", "max", "min", "all", "any", "mean", "std", "var", "argmax", "argmin")
        ]
    )
    + _lines(
        *[f"x.{n}()" for n in ("sum", "prod", "max", "min", "all", "any", "mean", "std", "var", "argmax", "argmin")]
    )
    + """
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128:
    np.power(p, 2)
    np.pow(p, y)                                # pairs
    p ** 2
    np.frexp(p)
    np.modf(x)
    np.ldexp(p, k)
    np.sqrt([[1, 4], [9, 16]])
    np.matmul(x, n)
    np.dot(x, n)
    x @ n
    np.array(x, copy=True)
    np.sort(x)
    np.where(b, x, y)                           # pairs
    np.concatenate([x, y])                      # pairs
    np.sign(-p if p.dtype != bool else p)
    x.astype(np.float64)
    x.astype("int32")
    x.astype(bool)
    x.astype(complex)
    -x
    +x
    abs(x)
    np.zeros_like(x)
    np.real(x)
    np.imag(x)
    x.T
    x + 1
    x * 2.5
    x + 1j
    x + True
    2 - p
    3 / p
    np.float32(2) * x
    np.float64(2) * x
    np.int8(3) + x
    x + np.array([1, 2, 3], dtype=np.int16)
    x + [1, 2, 3]
    [1.5, 2, 3] * x
    np.cumsum(x)
    np.prod(x)
    np.unique(x)
    np.isreal(x)
    np.iscomplex(x)
    np.allclose(x, x)
    np.isclose(x, y)                            # pairs
    np.array_equal(x, y)                        # pairs
    np.var(x)
    np.mean(x)
    np.round(x)
    np.clip(x, 0, 2)
    np.linalg.norm(x)
    np.fft.fft(x)
    x.item(0)
    repr(x)
    str(x)
    repr(np.sum(x))
    x.tolist()
    x.dtype
    x[0]
    x[:, 1:]
    x[b]
    x[..., None]
    x[k % 2, k]
    x[1][2]
    x.sum().dtype
    np.add.reduce(x)
    np.multiply.reduce(x, axis=1)
    np.add.outer(u, v)
    np.add.accumulate(x)
    z = x.copy(); z[0] = 1; z
    z = x.copy(); z[:, 0] = y[:, 0]; z
    z = x.copy(); z += y; z                     # pairs
    z = x.copy(); z *= 2; z
    np.result_type(x, y)                        # pairs
    np.promote_types(x.dtype, y.dtype)          # pairs
    np.can_cast(x.dtype, y.dtype)               # pairs
    np.can_cast(x.dtype, y.dtype, "same_kind")  # pairs
    np.diff(x)
    np.trace(m)
    np.einsum("ij,jk->ik", x, n)
    np.inner(u, v)
    np.outer(u, v)
    np.kron(u, v)
    np.tensordot(x, n, 1)
    np.vdot(u, v)
    np.vecdot(x, z)
    np.matvec(x, u)
    np.vecmat(u, n)
    np.argsort(x)
    np.searchsorted(np.sort(u), v)
    np.count_nonzero(x)
    np.nonzero(x)
    np.flip(x)
    np.iscomplexobj(x)
    np.isrealobj(x)

int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64:
    np.power(y, x)
    divmod(p, y)
    divmod(x, 2)
    np.fix(x)
    np.nan_to_num(x)
    np.interp(q, [0, 0.5, 1], [1, 2, 3])
    np.percentile(x, 30)
    np.quantile(x, [0.2, 0.5], axis=1)
    np.median(x, axis=0)
    np.histogram(p)
    np.linalg.inv(m)
    np.linalg.solve(m, u)
    np.linalg.det(m)
    np.cov(x)
    np.average(x, weights=p)
    np.trapezoid(x)
    np.cross(u, v)
    np.gradient(x)
    np.sinc(x)
    np.convolve(u, v)
    np.correlate(u, v)
    np.polyval(u, x)
    np.digitize(x, [0.0, 1.0, 2.0])

float32 int64 complex64:
    np.add(x, y, out=np.zeros((2, 3), dtype=complex))
    np.add(x, y, dtype=np.float64)
    np.add(x, y, where=b, out=np.ones((2, 3), complex))
    np.add(x, 1, out=np.zeros((2, 3), np.int8))
    np.add(x, y, out=np.zeros((4, 3)))
    np.add(x, [1, 2])
    np.add(1, 2)
    np.add([1, 2], [3, 4])
    np.sqrt(2)
    np.sqrt(p, out=np.zeros((2, 3), complex))  # tolerance=1e-5
    np.exp(x, where=b, out=np.zeros((2, 3), complex))  # tolerance=1e-5
    np.less(x, y, out=np.zeros((2, 3), bool))
    np.equal(x, y, where=c, out=np.ones((2, 3), bool))
    np.multiply(x, y, casting="no", dtype=np.float64)
    np.matmul(r, u)
    np.matmul(s, u)
    np.matmul(r, r)
    np.matmul(r.reshape(3, 2, 4), r.reshape(3, 4, 2))
    np.matmul(x, n, out=np.zeros((2, 2), complex))
    np.vecdot(x, x, axis=0)
    np.matvec(m, x)
    np.vecmat(x, m)
    np.add.reduce(x, axis=1, keepdims=True)
    np.add.reduce(x, axis=None)
    np.add.reduce(x, initial=5, where=b)
    np.add.reduce([1, 2, 3])
    np.multiply.reduce(e)
    np.multiply.accumulate(x, axis=1)
    np.logical_and.reduce(x)
    np.logical_or.reduce(x, axis=1)
    np.logical_xor.reduce(b, axis=1)
    np.subtract.reduce(x, axis=1)
    np.multiply.outer(u, x)
    np.subtract.outer([1, 2], [3, 4])
    z = x.copy(); np.add.at(z, [0, 0], 1); z
    z = x.copy(); np.add.at(z, (0, [1, 1, 2]), u); z
    z = x.copy(); np.multiply.at(z, (slice(None), 1), 2); z
    z = u.copy(); np.subtract.at(z, [2, 2, 0], v); z
    z = u.copy(); np.negative.at(z, [0, 1]); z
    z = u.copy(); np.power.at(z, [0, 1, 1], 2); z
    np.add.reduceat(v, [0, 1, 0])
    np.add.reduceat(x, [0, 1], axis=0)
    np.sin.reduce(x)
    np.add.nin, np.add.nout, np.add.identity, np.sin.nin, np.add.__name__
    isinstance(np.add, np.ufunc)
    np.bitwise_or.reduce(i, axis=1)
    np.bitwise_xor.accumulate(i, axis=1)
    np.hypot.reduce(np.abs(x), axis=0)
    np.sin(x, out=np.zeros((2, 3), complex), dtype=complex)
    np.divmod(np.abs(x), 2)
    np.frexp(np.abs(p), out=(np.zeros((2, 3)), np.zeros((2, 3), int)))  # tolerance=1e-5
    np.modf(np.abs(p), out=(np.zeros((2, 3)), np.zeros((2, 3))))  # tolerance=1e-4

float32 int64:
    np.maximum.reduce(x, axis=0)
    np.sum(s, axis=0), np.prod(s, axis=-1), np.max(s, axis=0), np.all(s, axis=0)
    np.argmax(s, axis=0), np.ptp(s, axis=0)
    np.cumsum(s, axis=0), np.count_nonzero(s, axis=0), np.nanmax(s, axis=0), np.nanargmin(s, axis=0), np.sum(3, axis=0)
    np.cumulative_sum(s), np.cumulative_prod(3)
    np.mean(s, axis=0)
    np.median(s, axis=(0, 1))
    np.sum(x, out=np.zeros(3))
    np.mean(x, axis=0, out=np.zeros((2, 3)))
    np.argmax(x, out=np.zeros(3, int))
    np.size(x, axis=2)
    np.size(r, (0, 1))
    np.full(x[0] + 0.5, 1)
    np.split(u, x[0] + 0.5)
    np.tile(u, 2.5)
    np.reshape(x, np.array([3, 2])), np.broadcast_to(u, np.array([2, 3])), np.zeros(np.array([1, 2]))
    np.partition(u, 1.5)
    np.take_along_axis(x, x + 0.5, 0)
    np.logspace(u, 2, 3)                        # tolerance=1e-5
    np.asfortranarray(s)
    np.take(u, 1.5)
    np.minimum.reduce(x, axis=None)
    np.maximum.accumulate(x, axis=1)
    np.minimum.accumulate(u)
    np.maximum.reduce(e, axis=1)
    np.maximum.reduce(e)
    np.maximum.at(x, [0], 3)
    np.maximum.outer(u, v)
    np.sum(x, axis=(0, 1))
    np.sum(x, dtype=np.float64)
    np.sum(x, dtype="float32", axis=0)
    np.sum(x, axis=0, out=np.zeros(3))
    np.sum(x, initial=10)
    np.sum(x, where=b)
    np.sum(x, where=c, axis=1, keepdims=True)
    np.sum([[1, 2], [3, 4]], axis=0)
    np.sum(5)
    np.sum(e), np.sum(e, axis=0), np.prod(e)
    np.sum(s)
    np.sum(x, axis=(0, 0))
    np.sum(x, axis=1.5)
    np.sum(x, [0, 1])
    np.prod(x, axis=0, initial=2)
    np.prod(x, where=b)
    np.max(x, initial=3)
    np.max(x, where=b, initial=-1)
    np.max(x, where=b)
    np.max(e)
    np.max(e, initial=4)
    np.max(e, axis=1), np.max(e, axis=1).shape
    np.max(e, axis=0)
    np.min(x, axis=(0, 1))
    np.amax(x, axis=0, out=np.zeros(3))
    np.amin(x, initial=-7)
    np.all(x, axis=0, where=b)
    np.any(x, axis=1, where=[True, False, True])
    np.any(x > 1), np.all(x > 100)
    np.mean(x, dtype=np.float64)
    np.mean(x, axis=0, where=b)
    np.mean(x, axis=(0, 1), keepdims=True)
    np.mean([1, 2, 4])
    np.mean(x, axis=0, out=np.zeros(3))
    np.std(x, ddof=1)
    np.std(x, axis=0, where=b, ddof=0)
    np.std(x, correction=1)
    np.std(x, ddof=1, correction=1)
    np.var(x, axis=1, ddof=1, keepdims=True)
    np.var(x, mean=np.mean(x))
    np.var(x, dtype=np.float64)
    np.ptp(x, axis=0), np.ptp(x, axis=None, keepdims=True)
    np.argmax(x, axis=0, keepdims=True)
    np.argmin(e)
    np.argmax([1, 5, 2])
    np.count_nonzero(x, axis=0)
    np.count_nonzero(x, keepdims=True)
    np.median(r, axis=(0, 2))
    np.median(r, axis=(0, 2), keepdims=True)
    np.median(e)
    np.percentile(x, [10, 50], axis=1)
    np.percentile(x, 40, method="lower")
    np.percentile(x, 40, axis=0, keepdims=True)
    np.percentile(x, 200)
    np.quantile(x, 0.3)
    np.quantile(r, [0.3, 0.6], axis=(0, 1))
    np.quantile(x, 0.3, method="nearest")
    np.nanpercentile(x, 25), np.nanpercentile(x, 25, axis=1)
    np.nanquantile(x, 0.25, axis=0)
    np.nansum(x, axis=1, dtype=np.float64)
    np.nanmean(x, where=b)
    np.nanmax(x, initial=2)
    np.nanstd(x, ddof=1)
    np.nancumsum(x), np.nancumsum(x, axis=0)
    np.nancumprod(x), np.nancumprod(x, axis=1)
    np.average(x), np.average(x, axis=0)
    np.average(x, axis=1, weights=u)
    np.average(x, axis=1, weights=[1, 2, 3])
    np.average(x, returned=True)
    np.average(x, axis=1, weights=u, returned=True)
    np.average(x, weights=[1, 2])
    np.cumsum(x, axis=1), np.cumsum(x, dtype=np.float32), np.cumsum([1, 2, 3])
    np.cumprod(x), np.cumprod(x, axis=0)
    np.cumulative_sum(u), np.cumulative_sum(x, axis=1, include_initial=True)
    np.cumulative_sum(x)
    np.cumulative_prod(u), np.cumulative_prod(x, axis=0)
    np.cumsum(s)

float16 float32 float64:
    z = x.copy(); z[0, 1] = np.nan; np.nansum(z), np.nanmax(z, axis=0), np.nanmean(z, axis=1), np.nanmin(z)
    z = x.copy(); z[0, 1] = np.nan; np.sum(z), np.max(z), np.argmax(z), np.sort(z), np.isnan(z)
    np.nan_to_num(np.array([np.nan, np.inf, -np.inf], dtype=x.dtype))
    np.nan_to_num(x / 0, nan=1.0, posinf=2.0, neginf=-3.0)

wide:
    z = x.copy(); z[0, 1] = np.nan; np.nanmedian(z), np.nanmedian(z, axis=1), np.nanquantile(z, 0.5)
    z = x.copy(); z[0, 1] = np.nan; np.nanstd(z, axis=0), np.nanvar(z, ddof=1)
    z = x.copy(); z[0, 1] = np.nan; np.nanargmax(z), np.nanargmin(z, axis=0), np.nanprod(z)
    z = x.copy(); z[0, 1] = np.nan; np.nancumsum(z, axis=1)
    z = np.full((2, 2), np.nan); np.nanargmax(z)

float32 int64 bool:
    np.array([x, x])
    np.array([x[0], [1, 2, 3]])
    np.array([x[0, 0], 2.5])
    np.array([[x[0, 1], 1], [2, 3]])
    np.array(x, dtype=np.int16)
    np.array(x, ndmin=4)
    np.asarray(x) is x
    np.array(x) is x
    np.asarray(x, dtype=float)
    np.asanyarray(x, "f4")
    np.ascontiguousarray(s), np.ascontiguousarray(x)
    np.asfortranarray(x)
    np.asarray_chkfinite(x)
    np.require(x, float)
    np.copy(x)
    np.astype(x, np.int8)
    np.astype([1, 2], np.int8)
    np.empty_like(x)                            # shape
    np.empty_like(x, dtype=int, shape=(4,))     # shape
    np.zeros_like(x, shape=(2, 2)), np.zeros_like([1, 2]), np.zeros_like(x, dtype=np.uint8)
    np.ones_like(x), np.ones_like([1.5, 2]), np.ones_like(x, dtype=complex)
    np.full_like(x, 2), np.full_like(x, 2.7), np.full_like(x, 7, dtype=float)
    np.full((2,), x[0, 0])
    np.full((2, 3), [1, 2, 3])
    np.diag(m), np.diag(m, 1), np.diag(u), np.diag(u, -1), np.diag([1, 2])
    np.diag(s)
    np.diagflat(x), np.diagflat([1, 2], 1)
    np.tril(m), np.tril(m, -1), np.tril(r), np.tril([1, 2])
    np.triu(m), np.triu(m, 1), np.triu([[1, 2], [3, 4]])
    np.vander(u), np.vander(u, 2), np.vander([1, 2, 3], increasing=True)
    np.meshgrid(u, v), np.meshgrid(u, [1, 2], indexing="ij"), np.meshgrid(u, v, sparse=True)
    np.meshgrid(u, v, indexing="zz")
    np.tril_indices_from(x), np.triu_indices_from(m, 1), np.diag_indices_from(m)
    np.diag_indices_from(x)
    np.from_dlpack(np.zeros(3))
    np.r_[u, 1, 2], np.r_[1:4, u], np.r_["-1", x, x], np.r_["0,2", u, v], np.r_[0:1:5j]
    np.c_[u, v], np.c_[x, [[1], [2]]]
    np.reshape(x, (3, 2)), np.reshape(x, -1), np.reshape(x, (3, -1)), np.reshape(x, 6)
    np.reshape([1, 2, 3, 4], (2, 2))
    np.reshape(x, (3, 2), order="F")
    np.reshape(x, (4, 2))
    x.reshape(3, 2), x.reshape((6,)), x.reshape(-1, 1), x.reshape(2, 3, order="F")
    np.ravel(x), np.ravel(x, "F"), x.ravel(), x.flatten(), x.flatten("F")
    np.resize(x, (3, 3)), np.resize([1, 2], 5)
    np.squeeze(x[:, :1]), np.squeeze(x[:, :1], axis=1), np.squeeze([[1]])
    np.squeeze(x, axis=0)
    x[None].squeeze(), x[:1].squeeze(0)
    np.expand_dims(x, 0), np.expand_dims(x, (0, 3)), np.expand_dims([1, 2], -1)
    np.expand_dims(x, 7)
    np.transpose(r), np.transpose(r, (1, 0, 2)), np.transpose([[1, 2]]), r.transpose(2, 0, 1)
    r.transpose((0, 2, 1)), r.T, r.mT
    np.transpose(r, (0, 1))
    np.permute_dims(x), np.matrix_transpose(r), np.matrix_transpose(x)
    np.matrix_transpose(u)
    np.swapaxes(r, 0, 2), r.swapaxes(-1, 0)
    np.moveaxis(r, 0, -1), np.moveaxis(r, [0, 1], [1, 0]), np.moveaxis(r, (0, 2), (2, 0))
    np.moveaxis(r, 0, 5)
    np.rollaxis(r, 2), np.rollaxis(r, 0, 3)
    np.rollaxis(r, 5)
    np.flip(x, 0), np.flip(x, (0, 1)), np.fliplr(x), np.flipud(x), np.flip([1, 2])
    np.fliplr(u)
    np.rot90(x), np.rot90(x, 2), np.rot90(r, 1, (1, 2))
    np.roll(x, 1), np.roll(x, (1, 2), axis=(0, 1)), np.roll(x, -1, axis=1), np.roll([1, 2, 3], 1)
    np.broadcast_to(u, (2, 3)), np.broadcast_to(5, (2,)), np.broadcast_to([1, 2], (3, 2))
    np.broadcast_to(x, (4, 4))
    np.broadcast_arrays(u, x), np.broadcast_arrays([1, 2], [[1], [2]])
    np.atleast_1d(s), np.atleast_1d(3, x), np.atleast_2d(u), np.atleast_2d([1, 2])
    np.atleast_3d(x), np.atleast_3d(u), np.atleast_2d(s)
    np.ndim(x), np.ndim(3), np.ndim([[1]]), np.shape(x), np.shape([1, 2]), np.shape(4), np.size(x)
    np.size(x, 1), np.size([1, 2])
    np.trim_zeros([0, 1, 0, 2, 0]), np.trim_zeros(np.array([0, 1, 0]), "f")
    np.concatenate([x, y], axis=1), np.concatenate((x, y), axis=None), np.concatenate([[1, 2], [3.5]])
    np.concatenate([x, u])
    np.concatenate([])
    np.concatenate([x, y], dtype=np.float64), np.concatenate([x, y], out=np.zeros((4, 3)))
    np.concatenate(x)
    np.concat([x, x], axis=-1)
    np.stack([x, y]), np.stack([u, v], axis=1), np.stack([[1, 2], [3, 4]])
    np.stack([x, u])
    np.vstack([x, u]), np.vstack([[1, 2], [3, 4]]), np.vstack((u, v), dtype=float)
    np.hstack([u, v]), np.hstack([x, x]), np.hstack([1, 2])
    np.dstack([x, y]), np.dstack([u, v])
    np.column_stack([u, v]), np.column_stack((u, x.T)), np.column_stack([[1, 2], [3, 4]])
    np.block([[m, m], [m, m]]), np.block([u, v]), np.block([[1, 2]])
    np.append(x, y), np.append(x, [[1, 2, 3]], axis=0), np.append([1, 2], 3)
    np.split(x, 3, axis=1), np.split(u, [1])
    np.split(x, 2, axis=1)
    np.array_split(u, 2), np.array_split(x, 2, axis=1), np.array_split([1, 2, 3], [1, 2])
    np.hsplit(x, 3), np.vsplit(x, 2), np.dsplit(r, 2), np.hsplit(u, 3)
    np.vsplit(u, 3)
    np.unstack(x), np.unstack(x, axis=1)
    np.repeat(x, 2), np.repeat(x, 2, axis=0), np.repeat(u, [1, 0, 2]), np.repeat(x, k, axis=1)
    np.repeat(3, 4), np.repeat([1, 2], 2)
    np.repeat(u, [1, 2])
    np.tile(x, 2), np.tile(x, (2, 1)), np.tile([1, 2], (2, 2))
    np.delete(u, 1), np.delete(x, [0, 2], axis=1), np.delete(x, slice(0, 1), axis=0)
    np.delete([1, 2, 3], [0]), np.delete(x, 0)
    np.delete(u, 7)
    np.insert(u, 1, 5), np.insert(x, 1, v, axis=0), np.insert(u, [0, 2], [7, 8])
    np.insert([1, 2], 0, 9), np.insert(x, 0, 1)
    np.pad(x, 1), np.pad(x, ((1, 0), (0, 2))), np.pad(u, (1, 2), mode="edge")
    np.pad(u, 2, "reflect"), np.pad(u, 1, "symmetric"), np.pad(u, 2, "wrap")
    np.pad(u, 1, constant_values=4), np.pad(u, (1, 1), constant_values=(3, 4)), np.pad([1, 2], 1)
    np.pad(u, -1)
    np.pad(u, 1, mode="other")
    np.matrix_transpose(np.ones(3))
    np.take(x, [0, 2]), np.take(x, [0, 2], axis=1), np.take(x, 1, axis=0)
    np.take(x, [7, -1], mode="wrap"), np.take(x, [9], mode="clip"), np.take([1, 2, 3], 1)
    x.take([1, 0])
    np.take(x, 17)
    np.take(x, [0.5])
    np.take_along_axis(x, np.argsort(x, axis=1), axis=1), np.take_along_axis(x, i, axis=0)
    np.take_along_axis(u, k, axis=None)
    z = x.copy(); np.put(z, [0, 4], [7, 8]); z
    z = x.copy(); z.put([0, 1], 1); np.put(z, [11], 3, mode="clip"); z
    z = x.copy(); np.put(z, 99, 3); z
    z = x.copy(); np.put_along_axis(z, i, 5, axis=0); z
    z = x.copy(); np.putmask(z, b, [1, 2]); z
    z = x.copy(); np.place(z, b, [1, 2]); z
    z = x.copy(); np.copyto(z, 1, where=b); z
    z = x.copy(); np.copyto(z, y); z
    z = x.copy(); np.copyto(z, 1j); z
    z = m.copy(); np.fill_diagonal(z, 9); z
    z = np.zeros((5, 2), x.dtype); np.fill_diagonal(z, [1, 2], wrap=True); z
    z = u.copy(); np.fill_diagonal(z, 1); z
    np.where(x), np.where(b), np.where(x > 0, x, 0), np.where([True, False], 1, 2.5), np.where(x, u, 1)
    np.where(b, x)
    np.nonzero([0, 1, 2]), x.nonzero(), np.flatnonzero(x), np.argwhere(x), np.flatnonzero([1, 0])
    np.nonzero(s)
    np.extract(b, x), np.extract(x > 0, x), np.compress([True, False], x, axis=0)
    np.compress(c, x, axis=1), x.compress([True, True])
    np.select([x > 1, x < 0], [x, 5], default=7), np.select([b], [x])
    np.select([x > 1], [x, x])
    np.piecewise(x, [x < 0, x >= 0], [0, 1]), np.piecewise(x, [x < 0], [lambda v: v * 0, lambda v: v])
    np.choose([0, 1, 0], [u, v]), np.choose(i, [x, y])
    np.choose([0, 5], [[1, 2], [3, 4]], mode="clip"), k.choose([u, v, w])
    np.choose([5], [u, v])
    np.diagonal(x), np.diagonal(r, 1, 0, 2), m.diagonal(), m.diagonal(1)
    np.diagonal(u)
    np.trace(x), np.trace(r, 1), np.trace(m, dtype=np.float64), m.trace()
    x[np.ix_([0, 1], [0, 2])], np.ix_([True, False], [1]), x[np.ix_([1], [True, False, True])]
    np.ravel_multi_index(([0, 1], [1, 2]), (2, 3)), np.ravel_multi_index((1, 2), (2, 3))
    np.ravel_multi_index(([5], [1]), (2, 3), mode="clip")
    np.ravel_multi_index(([5], [1]), (2, 3))
    np.unravel_index([0, 5], (2, 3)), np.unravel_index(4, (2, 3)), np.unravel_index(4, (2, 3), order="F")
    np.unravel_index(14, (2, 3))
    np.apply_along_axis(np.sum, 1, x), np.apply_along_axis(lambda v: v[:2], 0, n)
    np.apply_along_axis(np.sort, 1, x)
    np.apply_over_axes(np.sum, r, [0, 2])
    np.sort(x, axis=0), np.sort(x, axis=None), np.sort([3, 1, 2]), np.sort(x, kind="stable")
    np.sort(x, order="a")
    z = x.copy(); z.sort(); z
    z = x.copy(); z.sort(axis=0); z
    np.argsort(x, axis=0, kind="stable"), np.argsort(x, axis=None, kind="stable"), x.argsort(kind="stable")
    np.partition(u, 1), u.argpartition(1)[1], np.argpartition(u, 0)[0]
    z = u.copy(); z.partition(1); z[1]
    np.lexsort((u, v)), np.lexsort(x)
    np.sort_complex(u)                          # tolerance=1e-5
    np.searchsorted([1, 2, 3], 2.5), np.searchsorted([1, 2, 3], [0, 2], side="right")
    np.searchsorted(np.sort(u), x), np.sort(u).searchsorted(1)
    np.searchsorted(u, v, sorter=[0, 2, 1])
    np.unique(x, return_counts=True), np.unique(x, return_index=True, return_inverse=True)
    np.unique([3, 1, 3]), np.unique(x, axis=0)
    np.unique_values(x), np.unique_counts(x), np.unique_inverse(x), np.unique_all(x)
    np.union1d(u, v), np.intersect1d(u, v), np.setdiff1d(u, v), np.setxor1d(u, v)
    np.union1d([1], [2]), np.intersect1d([1, 2], [2, 3], return_indices=True)
    np.isin(x, [1, 2]), np.isin(x, u, invert=True), np.isin(3, [3])

int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64:
    np.around(x, 1), np.round(x, -1), x.round(1), np.around([1.55, 2.5])
    np.clip(x, None, 1), np.clip(x, 0, None), np.clip(x, u, 5), x.clip(1), x.clip(max=2), np.clip([1, 5], 2, 3)
    np.clip(x, min=1, a_min=2)
    np.clip(x, 1, 2, min=1)
    np.maximum(x, 1), np.minimum(0.5, x)
    np.isposinf(x), np.isneginf(x)
    np.array_equiv(x, x), np.array_equiv(x, [1, 2]), np.array_equal([1, 2], [1, 2])
    np.allclose(x, y, rtol=0.1), np.isclose(x, y, atol=3), np.isclose([1.0], [1.00001])
    np.diff(x, n=2), np.diff(x, axis=0), np.diff(u, prepend=0), np.diff(u, append=[9, 8])
    np.diff([1, 4, 9]), np.diff(u, n=0)
    np.diff(s)
    np.ediff1d(x), np.ediff1d(u, to_begin=0, to_end=[1, 2]), np.ediff1d([1, 4])
    np.gradient(u), np.gradient(u, 2), np.gradient(x, axis=1), np.gradient(u, [0, 1, 3])
    np.gradient([1, 4, 9], edge_order=2)
    np.trapezoid(x, dx=2), np.trapezoid(x, u), np.trapezoid(x, axis=0), np.trapezoid([1, 2, 3])
    np.convolve(u, [1, 2], "same"), np.convolve([1, 2, 3], [0, 1], "valid"), np.correlate(u, v, "full")
    np.convolve([], u)
    np.corrcoef(x)
    np.cov(u, v), np.cov(x, rowvar=False), np.cov(x, bias=True), np.cov(x, ddof=0)
    np.cov(x, fweights=[1, 2, 1]), np.cov(x, aweights=[1.0, 2, 1])
    np.corrcoef(u, v), np.corrcoef([[1, 2, 4], [3, 1, 2]])
    np.interp(2.5, [1, 2, 3], [3, 2, 0]), np.interp(u, [1, 3], [0, 1], left=-1)
    np.interp([0, 5], [1, 2], [3, 4], right=9), np.interp(u, [0, 1], [2, 3], period=2)
    np.histogram(x, bins=3), np.histogram([1, 2, 1], bins=[0, 1, 2, 3])
    np.histogram(p, bins=4, range=(0, 8)), np.histogram(p, density=True)
    np.histogram(p, weights=p)
    np.histogram_bin_edges(p), np.histogram_bin_edges(p, bins="auto"), np.histogram_bin_edges(p, 3, (0, 9))
    np.histogram2d(u, v, bins=2), np.histogramdd(x.T, bins=2)
    np.digitize(u, [1, 2, 3], right=True), np.digitize([0.5, 3], [1, 2])
    np.real_if_close(x), np.angle(x), np.angle(x, deg=True)
    np.tensordot(r, r, axes=([0, 1], [0, 1])), np.tensordot(u, v, 0), np.tensordot(x, n, axes=(1, 0))
    np.dot(2, u), np.dot(u, v), np.dot(m, u), np.dot([1, 2], [3, 4]), u.dot(v), np.dot(x, r.reshape(2, 3, 4))
    np.dot(x, x)
    np.inner(x, x), np.inner(u, 2), np.outer(x, u), np.outer([1, 2], [3]), np.vdot(x, x)
    np.kron(x, [[1, 2]]), np.kron(u, u)
    np.cross(u, v), np.cross(x, x[::-1]), np.cross(n, n.T, axisb=0), np.cross(x.T, x.T, axis=0)
    np.cross(u[:2], v[:2])
    np.cross(s, u)
    np.einsum("ij->ji", x), np.einsum("ii", m), np.einsum("i,i", u, v), np.einsum("ij,j", x, u)
    np.einsum(x, [0, 1], u, [1], [0]), np.einsum("...j,j->...", r, r[0, 0])
    np.einsum("ij,jk", x, x)
    np.einsum_path("ij,jk", x, n)[0]
    np.polyval([1, 2], x), np.polyval(u, 2), np.polyadd(u, [1, 2]), np.polysub(u, v)
    np.polymul(u, [1, 1]), np.polyder(u), np.polyder([1, 2, 3], 2), np.polyint(u)
    np.polyint([1, 2], 2, [3, 4])
    np.poly([1, 2, 3]), np.poly(u)              # tolerance=1e-5
    np.roots([1, -3, 2]), np.polydiv([1, 3, 2], [1, 1])    # tolerance=1e-5

int64 float32:
    np.unwrap(x), np.unwrap([0, 6.3]), np.unwrap(u.astype(int), period=4), np.unwrap(p, axis=0)

wide:
    np.roots(u)                                 # tolerance=1e-5
    np.polyfit(u, v, 1), np.polyfit([1, 2, 3], [2, 4, 6.5], 1)  # tolerance=1e-4
    np.polyfit(u, v, 1, w=[1, 2, 1])  # tolerance=1e-4
    np.polyfit(u, v, 1, cov=True)               # tolerance=1e-3
    np.polyfit(x, v, 1)
    np.i0(x), np.i0([0, 1.0])                   # tolerance=1e-5
    np.real_if_close(x + 0j), np.real_if_close(x + 1j)
    np.linalg.eigh(h)[0], np.linalg.eigvalsh(h), np.linalg.eigvalsh(h, UPLO="U")  # tolerance=1e-4
    np.linalg.cholesky(h), np.linalg.cholesky(h, upper=True)  # tolerance=1e-4
    np.linalg.cholesky(-h)
    np.linalg.eigvals(h), np.linalg.eig(h)[0]   # tolerance=1e-4
    np.linalg.svd(x)[1], np.linalg.svdvals(x), np.linalg.svd(x, compute_uv=False)  # tolerance=1e-4
    np.linalg.svd(x, full_matrices=False)[2].shape, np.linalg.svd(x).U.shape
    np.linalg.qr(x)[1].shape, abs(np.linalg.qr(m, "r"))  # tolerance=1e-4
    abs(np.linalg.qr(n, mode="complete").Q)  # tolerance=1e-4
    np.linalg.lstsq(n, u)[0], np.linalg.lstsq(n, u)[2], np.linalg.lstsq(n, u)[3]  # tolerance=1e-4
    np.linalg.pinv(x), np.linalg.pinv(n, rcond=1e-3)  # tolerance=1e-4
    np.linalg.matrix_rank(x), np.linalg.matrix_rank(m, tol=3), np.linalg.matrix_rank(u)
    np.linalg.cond(m), np.linalg.cond(m, 1), np.linalg.cond(m, np.inf), np.linalg.cond(x)  # tolerance=1e-4
    np.linalg.slogdet(m), np.linalg.slogdet(m).sign  # tolerance=1e-4
    np.linalg.inv([[1, 2], [3, 4]]), np.linalg.det([[1, 2], [3, 4]])  # tolerance=1e-4
    np.linalg.inv(x)
    np.linalg.inv(u)
    np.linalg.inv(m * 0)
    np.linalg.solve(m, x)
    np.linalg.solve(m, n), np.linalg.solve(m, [1, 2, 3])  # tolerance=1e-4
    np.linalg.matrix_power(m, 3), np.linalg.matrix_power(m, -1), np.linalg.matrix_power(m, 0)  # tolerance=1e-4
    np.linalg.norm(x, axis=1), np.linalg.norm(x, 1)  # tolerance=1e-4
    np.linalg.norm(x, np.inf, axis=0), np.linalg.norm(u, 3)  # tolerance=1e-4
    np.linalg.norm(x, "nuc"), np.linalg.norm([3, 4])  # tolerance=1e-4
    np.linalg.norm(x, axis=(0, 1), keepdims=True)  # tolerance=1e-4
    np.linalg.norm(x, "bad")
    np.linalg.norm(x, axis=3)
    np.linalg.vector_norm(x), np.linalg.vector_norm(x, axis=0, ord=1)  # tolerance=1e-4
    np.linalg.matrix_norm(x), np.linalg.matrix_norm(m, ord=2)  # tolerance=1e-4
    np.linalg.multi_dot([x, n, x]), np.linalg.multi_dot([u, m, v])  # tolerance=1e-4
    np.linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2))
    np.linalg.tensorsolve(np.eye(4).reshape(2, 2, 2, 2), np.ones((2, 2)))
    np.linalg.trace(m), np.linalg.diagonal(r), np.linalg.matrix_transpose(x), np.linalg.outer(u, v)
    np.linalg.cross(u, v), np.linalg.vecdot(x, x), np.linalg.matmul(x, n)
    np.linalg.tensordot(x, n, axes=1)
    np.linalg.outer(x, v)
    np.fft.fft(x, 4), np.fft.fft(x, axis=0), np.fft.ifft(x)  # tolerance=1e-4
    np.fft.fft(x, norm="ortho"), np.fft.fft([1, 2, 3])  # tolerance=1e-4
    np.fft.rfft(x), np.fft.rfft(x, 5), np.fft.irfft(x), np.fft.irfft(x, 5)  # tolerance=1e-4
    np.fft.hfft(x), np.fft.ihfft(x)  # tolerance=1e-4
    np.fft.fft2(x), np.fft.ifft2(x), np.fft.rfft2(x), np.fft.irfft2(x)  # tolerance=1e-4
    np.fft.fftn(r), np.fft.ifftn(r, axes=(0, 1)), np.fft.rfftn(r)  # tolerance=1e-4
    np.fft.irfftn(x)  # tolerance=1e-4
    np.fft.fft(e)
    np.fft.fft(x, 0)
    np.fft.fft(x, norm="bad")
    np.fft.fftshift(x), np.fft.ifftshift(x, axes=1), np.fft.fftfreq(5), np.fft.fftfreq(4, 0.5)
    np.fft.rfftfreq(5)

complex:
    np.angle(x), x.real, x.imag, x.conj(), x.conjugate()
    z = x.copy(); z.real = 1; z
    z = x.copy(); z.imag = u.real; z
    np.sort(x), np.max(x), np.argmax(x), np.unique(x)
    np.linalg.inv(m)                            # tolerance=1e-4
    np.linalg.eigvalsh(h)                       # tolerance=1e-4
    np.vdot(u, v), np.vecdot(u, v), np.inner(u, v), np.vecmat(u, m)
    np.linalg.norm(x)                           # tolerance=1e-4

float32:
    np.array(3), np.array(3.5), np.array(True), np.array(2j), np.array([]), np.array([1, 2.5])
    np.array([[1, 2], [3, 4]], dtype=np.uint8), np.array([True, 2])
    np.array([[1, 2], [3]])
    np.array([1, 2], dtype="f4"), np.array([1, 2], dtype=complex), np.array((1, 2))
    np.array(range(3)), np.array(np.float32(2))
    np.array([300], dtype=np.uint8)
    np.asarray([1, 2], np.int16), np.asarray(5), np.asarray([[1.5]])
    np.asarray_chkfinite([1, np.inf])
    np.zeros(3), np.zeros((2, 3), int), np.zeros([2, 2], "float32"), np.zeros(())
    np.zeros(np.int64(2)), np.zeros(shape=(2,), dtype=bool)
    np.zeros(-1)
    np.zeros(2.5)
    np.ones(3), np.ones((2, 0)), np.ones(2, dtype=np.uint16), np.ones((1,), complex)
    np.empty(3), np.empty((2, 2), np.int8)      # shape
    np.full(3, 7), np.full((2, 2), 1.5), np.full(2, True), np.full(2, 1j), np.full((2,), 3, dtype=np.float32)
    np.eye(3), np.eye(2, 3, 1), np.eye(2, dtype=int), np.eye(3, k=-1), np.identity(2)
    np.identity(2, dtype=np.float32)
    np.tri(3), np.tri(2, 3, 1, int)
    np.arange(5), np.arange(1, 7, 2), np.arange(0, 1, 0.25), np.arange(3.0), np.arange(5, 0, -1)
    np.arange(3, dtype=np.float32), np.arange(0), np.arange(s), np.arange(np.int8(3))
    np.arange(1, 5, 0)
    np.linspace(0, 1, 5), np.linspace(0, 1, 5, endpoint=False), np.linspace(0, 10, 3, dtype=int)
    np.linspace(0, 1, 3, retstep=True), np.linspace(u, v, 3), np.linspace(u, 9, 3, axis=1)
    np.linspace(0, 1, 1), np.linspace(0, 1, 0), np.linspace(0, 1j, 3), np.linspace(2, 3)
    np.linspace(0, 1, -1)
    np.logspace(0, 2, 3), np.logspace(0, 2, 3, base=2), np.logspace(0, 1, 4, endpoint=False)  # tolerance=1e-5
    np.geomspace(1, 100, 3), np.geomspace(1, 8, 4, dtype=int)  # tolerance=1e-5
    np.geomspace(0, 100, 3)
    np.indices((2, 3)), np.indices((2, 2), dtype=float), np.indices((2, 3), sparse=True)
    np.fromfunction(lambda i, j: i + j, (2, 3)), np.fromfunction(lambda i: i * 2, (3,), dtype=int)
    np.fromiter([1, 2, 3], dtype=float), np.fromiter((i * i for i in range(4)), int, count=3)
    np.fromiter(u, float)
    np.frombuffer(b"abcdefgh", dtype=np.uint8)
    np.frombuffer(b"abcdefgh", dtype=np.int32, count=1, offset=4), np.fromstring("1 2 3", sep=" ")
    np.fromstring("1,2", dtype=int, sep=",")
    np.diag_indices(3), np.diag_indices(2, 3), np.tril_indices(3), np.tril_indices(3, 1, 4)
    np.triu_indices(3, -1), np.triu_indices(2), np.mask_indices(3, np.triu)
    np.mask_indices(3, np.tril, 1)
    np.bartlett(4), np.blackman(4), np.hamming(5), np.hanning(5), np.kaiser(5, 2.0)
    np.mgrid[0:2, 0:3], np.ogrid[0:2, 0:3], np.mgrid[0:1:3j], np.s_[1:2, None], np.index_exp[2]
    np.broadcast_shapes((2, 1), (3,)), np.broadcast(u, x).shape, np.broadcast(u, x).ndim
    np.broadcast_shapes((2,), (3,))
    np.packbits([1, 0, 1, 1]), np.unpackbits(np.array([5], np.uint8))
    np.bincount([0, 1, 1, 3]), np.bincount([0, 1], minlength=4)
    np.bincount([0, 1, 1], weights=[0.5, 1, 2]), np.bincount(k), np.bincount([])
    np.bincount(x[0])
    np.bincount([-1])
    np.base_repr(5), np.base_repr(10, 3, 2), np.binary_repr(5), np.binary_repr(-3, 4)
    np.isnat(np.array(["NaT", "2020-01-01"], "M8[D]"))
    np.datetime_data("M8[3s]")
    np.datetime_as_string(np.array(["2020-01-01"], "M8[D]"))
    np.busday_count("2020-01-01", ["2020-01-09"])
    np.busday_count("2020-01-01", "2020-01-09", busdaycal=np.busdaycalendar(holidays=["2020-01-02"]))
    np.busday_offset("2020-01-01", 3)
    np.is_busday(["2020-01-04", "2020-01-06"])
    np.typename("d"), np.mintypecode("fd")
    np.iterable(x), np.iterable(3), np.iterable([1]), np.isscalar(3), np.isscalar(x)
    np.isscalar("a"), np.isscalar(np.float32(1)), np.isfortran(x)
    np.issubdtype(x.dtype, np.floating), np.issubdtype(np.int8, np.integer)
    np.issubdtype(bool, np.number), np.isdtype(x.dtype, "real floating")
    np.isdtype(np.int8, np.int8)
    np.result_type(x, 1), np.result_type("i4", np.float32), np.result_type(1, 2.0)
    np.promote_types("i4", "f4"), np.promote_types(np.int8, np.uint8), np.min_scalar_type(300)
    np.min_scalar_type(x), np.common_type(x, i), np.can_cast(int, float), np.can_cast("f8", "f4")
    np.common_type(x > 1)
    np.dtype("f4"), np.dtype(float).name, np.dtype(np.int8).itemsize, np.finfo(np.float32).eps
    np.finfo(x.dtype).max, np.iinfo(np.int8).max, np.iinfo("u2").max
    np.shares_memory(np.zeros(2), np.zeros(2)), np.may_share_memory(np.zeros(2), np.zeros(2))
    list(np.ndindex(2, 2)), list(np.ndindex((1, 2))), [i for i, v in np.ndenumerate(x)]
    [float(v) for i, v in np.ndenumerate(u)]
    np.pi, np.e, np.inf, np.nan, np.newaxis, np.euler_gamma, np.float64 is np.double, np.intp(3)
    np.bool_(1), np.float32(2.5)
    np.array2string(x), np.array2string(u, precision=2, separator=","), np.array_repr(x)
    np.array_str(u), np.format_float_positional(2.5), np.format_float_scientific(250.0)
    np.loadtxt(["1 2", "3 4"]), np.genfromtxt(["1,2", "3,4"], delimiter=",")
    import io; f = io.BytesIO(); np.save(f, x); f.seek(0); np.load(f)
    import io; f = io.BytesIO(); np.savez(f, a=x, b=u); f.seek(0); g = np.load(f); g["a"], g["b"]
    import io; f = io.BytesIO(); np.savez(f, a=x, b=u); f.seek(0); g = np.load(f); sorted(g.files)
    import io; f = io.BytesIO(); np.savez_compressed(f, x); f.seek(0); np.load(f)["arr_0"]
    import io; f = io.StringIO(); np.savetxt(f, x, fmt="%.2f"); f.getvalue()
    import tempfile, os; d = tempfile.mkdtemp(); f = os.path.join(d, "a"); x.tofile(f); np.fromfile(f, np.float32)
    type(np.get_include()), type(np.show_config("dicts"))
    np.vectorize(lambda a, b: a + b)(x, 2), np.vectorize(lambda v: v > 1)(u)
    np.vectorize(lambda v: v.sum(), signature="(n)->()")(x)
    np.vectorize(lambda a: (a, a * 2))(u)
    np.frompyfunc(lambda a: a + 1, 1, 1)(x).astype(float)
    np.frompyfunc(lambda a, b: a - b, 2, 1)(u, 1).astype(float)
    (np.promote_types_numpy("i4", "f2") if "lattice" in np.zeros.__module__ else np.promote_types("i4", "f2"))
    [v.dtype for v in (np.promote_types_of_numpy_inputs(x, 0.5) if "lattice" in np.zeros.__module__ else (x, x))]
    e = np.geterr(); f = np.seterr(divide="ignore"); g = np.seterr(**e); e == f, sorted(e)
    np.geterrcall(), np.seterrcall(None), np.getbufsize(), np.setbufsize(8192)
    np.set_printoptions(precision=3); r = repr(u / 3); np.set_printoptions(precision=8); r
    np.get_printoptions()["precision"]
    c = np.printoptions(precision=2); c.__enter__(); r = repr(u / 3); c.__exit__(None, None, None); r
    c = np.errstate(all="ignore"); c.__enter__(); r = u / 0; c.__exit__(None, None, None); r
    np.errstate(divide="ignore").__class__.__name__, np.printoptions(precision=2).__class__.__name__

float32 int64:
    hash(np.sum(x)), hash(np.sum(x)) == hash(np.sum(x).item())
    hash(x)
    {np.sum(u): 1}[np.sum(u)]
    f"{np.sum(x):.3f}", f"{u}", "%d" % np.sum(u), format(np.sum(u), "g")
    f"{u:.3f}"
    float(np.sum(x)), int(np.sum(x)), complex(np.sum(x)), bool(np.sum(x))
    round(float(np.sum(x)), 2), round(np.sum(x)), round(np.sum(x), 1)
    float(x)
    float(u[:1]), int(u[:1])
    bool(x)
    bool(e)
    list(range(9))[np.argmax(x)], [1, 2, 3][k[0]]
    x.shape, x.ndim, x.size, x.itemsize, x.nbytes, len(x), x.strides, x.device, x.flags.writeable, x.base
    len(s)
    [float(v) for v in u], [r.shape for r in x], list(u)[1]
    list(s)
    2 in x, 99 in x
    x == 1, x != y, x > [0, 1, 2], (x == "a") is False or True
    x.item(1), x.item((0, 1)), s.item(), x.item(1, 2)
    x.item()
    x.tolist(), s.tolist(), x.tobytes(), x.copy() is x
    x.fill(3); x
    x.astype(float, copy=False).dtype, x.astype("i2", casting="unsafe")
    x.astype(np.uint8, casting="safe")
    x.astype("nonsense")
    x.view().shape, x.view(np.uint8).shape, u.view("u4" if u.itemsize == 4 else "u8"), x.byteswap()
    z = x.copy(); z.shape = (3, 2); z
    z = x.copy(); z.shape = (4, 2); z
    z = u.copy(); z.resize((2, 2), refcheck=False); z
    z = u.copy(); z.resize(2, refcheck=False); z
    z = x.copy(); z.flat[1] = 9; (z, z.flat[2], list(z.flat)[:2], len(z.flat))
    z = x.copy(); z.flat = [1, 2]; z
    z = x.copy(); z[0] += 1; z
    z = x.copy(); z[z > 0] = 0; z
    z = x.copy(); z[:, 1] = [7, 8]; z
    z = x.copy(); z[..., 0] *= 2; z
    z = x.copy(); z[1, 2] = 3.7; z
    z = x.copy(); z[[0, 1], [1, 2]] = 5; z
    z = x.copy(); z[b] = y[b]; z
    z = x.copy(); z[5] = 1; z
    z = x.copy(); z[0] = [1, 2]; z
    z = x.copy(); z[0] = 1j; z
    z = u.copy(); z[0], z[1] = z[1], z[0]; z
    z = u.copy(); t = z[0]; t += 5; (z, t)
    z = u.copy(); t = np.sum(z); w = t; t += 1; (t, w)
    z = u.copy(); z -= 0.5; z
    z = u.copy(); z /= 2; z
    z = u.copy(); z //= 2; z **= 2; z %= 3; z
    z = x.copy(); z @= m; z
    x[1], x[-1], x[0, 2], x[:, -1], x[::2], x[:, ::-1], x[[1, 0]], x[[True, False]], x[..., 1]
    x[None, :, None].shape, x[np.newaxis].shape, x[()], x[np.array([0, 1]), np.array([1, 2])]
    x[:, [0, 2]], x[x > 0], x[i[0]], x[1:1]
    x[2]
    x[0, 0, 0]
    x["a"]
    x[1.0]
    x[[True, False, True]]
    x[s > 5], x[True].shape, s[()], s[...]
    x.take([0, 1], axis=1), x.repeat(2), x.dot(n), x.nonzero(), x.cumsum(0), x.cumprod(), x.ravel()
    x.std(ddof=1), x.var(axis=0, ddof=1), x.mean(axis=1, keepdims=True)
    x.sum(axis=0, dtype=np.float32), x.max(initial=3), x.min(axis=1, keepdims=True)
    x.prod(where=b), x.any(axis=1), x.all(keepdims=True)
    x.argmax(1), x.argmin(0, keepdims=True), x.clip(0, 1), x.round(), x.swapaxes(0, 1), x.squeeze()
    x.sum((0, 1))
    x.nothing
    isinstance(x, np.ndarray), isinstance(np.zeros(2), np.ndarray)
    np.ndarray((2, 2), np.float32).shape, type(x).__name__
    import copy; (copy.copy(x), copy.deepcopy(x))
    import pickle; pickle.loads(pickle.dumps(x))
    x.data.shape, x.dumps() is not None, x.to_device("cpu"), x.setflags(write=True)
    np.r_[x, "a"] if False else np.r_[x[0], 5.5]
    np.intersect1d(u, v, assume_unique=True), np.setdiff1d([1, 2, 3], [2])
    x + (1, 2, 3), x - np.int8(1), np.float16(2) * x, x * np.bool_(True)
    x ** 0.5 if x.min() > 0 else 0, 2 ** p, p ** -1.0
    i ** -1
    x + None
    x + np.zeros((5, 5))
    x @ x
    x @ 2
    np.negative(b)
    b - b
    np.add(x, y, z, z)
    np.add(x)
    np.sum(x, foo=1)
    x.sum(foo=1)
    np.bitwise_and(x, x + 0.5)
    np.zeros(3, dtype="U5") if False else 1
    x + 2**70
    np.uint8(5) + 300 if False else x + 1
    np.exp(s), np.sin(e), np.add(e, 1), np.sqrt(-1.0), np.log([0, 1]), np.maximum(e, 1)
    np.random.seed(3); np.random.rand(2), np.random.randn(2, 2), np.random.randint(0, 9, 3)
    np.random.seed(3); np.random.random(2), np.random.uniform(0, 2, (2,)), np.random.normal(size=2)
    np.random.seed(3); np.random.choice([1, 2, 3], 2), np.random.permutation(4)
    np.random.seed(3); np.random.choice(x[0]), np.random.normal(u), np.random.permutation(x)
    np.random.seed(3); np.random.standard_normal(2)
    np.random.seed(1); z = x.copy(); np.random.shuffle(z); z
    np.random.seed(1); np.random.beta(1, 2), np.random.binomial(5, 0.5, 2), np.random.bytes(2)
    np.random.seed(1); np.random.chisquare(2), np.random.dirichlet([1, 2])
    np.random.seed(1); np.random.exponential(1, 2), np.random.f(1, 2), np.random.gamma(1)
    np.random.seed(1); np.random.geometric(0.5), np.random.gumbel()
    np.random.seed(1); np.random.hypergeometric(2, 3, 4), np.random.laplace(), np.random.logistic()
    np.random.seed(1); np.random.lognormal(), np.random.logseries(0.5)
    np.random.seed(1); np.random.multinomial(3, [0.5, 0.5])
    np.random.seed(1); np.random.multivariate_normal([0, 0], [[1, 0], [0, 1]])
    np.random.seed(1); np.random.negative_binomial(2, 0.5), np.random.noncentral_chisquare(1, 2)
    np.random.seed(1); np.random.noncentral_f(1, 2, 3)
    np.random.seed(1); np.random.pareto(2), np.random.poisson(3, 2), np.random.power(2)
    np.random.seed(1); np.random.random_sample(2), np.random.random_integers(3), np.random.ranf(2)
    np.random.seed(1); np.random.sample(2), np.random.rayleigh(), np.random.standard_cauchy()
    np.random.seed(1); np.random.standard_exponential(), np.random.standard_gamma(2)
    np.random.seed(1); np.random.standard_t(3)
    np.random.seed(1); np.random.triangular(0, 1, 2), np.random.vonmises(0, 1), np.random.wald(1, 1)
    np.random.seed(1); np.random.weibull(2), np.random.zipf(2), np.random.get_state()[0]
    np.random.seed(1); np.random.set_state(np.random.get_state())
    g = np.random.default_rng(0); g.random(3), g.normal(size=(2, 2)), g.integers(0, 10, 4)
    g = np.random.default_rng(0); g.choice(5, 2), g.permutation(x)
    g = np.random.default_rng(0); g.standard_normal(2, dtype=np.float32), g.uniform(size=2)
    g = np.random.default_rng(0); g.random()
    g = np.random.default_rng(0); z = x.copy(); g.shuffle(z); z, np.random.default_rng(g) is g
    g = np.random.default_rng(0); z = x.copy(); g.shuffle(z); isinstance(g, np.random.Generator)
    g = np.random.RandomState(2); g.rand(2), g.randint(5, size=3), g.normal(0, 1, 2)
    g = np.random.RandomState(2); g.permutation(3), isinstance(g, np.random.RandomState)
    g = np.random.Generator(np.random.PCG64(1)); (g.random(2), g.poisson(3, 2), len(g.spawn(2)))
    np.lib.stride_tricks.sliding_window_view(x, 2, 1), np.lib.stride_tricks.sliding_window_view(u, 2)
    np.lib.stride_tricks.sliding_window_view(x, (2, 2))
    np.lib.stride_tricks.as_strided(u), np.lib.stride_tricks.as_strided(u, (2, 2), (u.itemsize, u.itemsize))
    np.lib.stride_tricks.as_strided(x, (3, 2), x.strides[::-1])
    np.lib.stride_tricks.as_strided(u, (2, 3), (0, u.itemsize))
    np.lib.array_utils.normalize_axis_index(-1, x.ndim), np.lib.array_utils.normalize_axis_tuple((0, -1), x.ndim)
    np.lib.array_utils.normalize_axis_index(2, x.ndim)
    np.polynomial.set_default_printstyle("ascii"), str(np.polynomial.Polynomial([1, 2.5, 0, 3]))
    np.polynomial.set_default_printstyle("latin")
    [(i.tolist(), j.tolist()) for i, j in np.nditer([x, u])], [i.tolist() for i in np.nditer(m.T, order="C")]
    t = np.nditer(x, flags=["multi_index"]); [t.multi_index, t.iternext(), t[0].tolist(), t.shape, t.itersize]
    t = np.nditer(x, flags=["c_index"]); [t.iternext(), t.index]
    t = np.nditer(u); [next(t).tolist(), t.value.tolist(), t.finished, t.nop, t.ndim, len(t), t.dtypes]
    np.nditer(e)
    t = np.nditer(u); t.multi_index
    list(np.nditer(e, flags=["zerosize_ok"]))
    np.ndarray((2,), x.dtype, x, x.itemsize)
    np.lib.stride_tricks.sliding_window_view(x, 2)
    np.testing.assert_allclose(x, x), np.testing.assert_array_equal(x, x.copy()), np.testing.assert_equal(x, x)
    np.testing.assert_allclose(x, x + 1)
    np.testing.assert_array_equal(x, [1, 2, 3])
    np.testing.assert_almost_equal(u, u), np.testing.assert_array_almost_equal(u, u), np.testing.assert_(True)
    np.testing.assert_array_less(u, u + 1), np.testing.assert_approx_equal(1.0, 1.0)
    np.testing.assert_array_max_ulp(u / 1.0, u / 1.0), np.testing.assert_array_almost_equal_nulp(u / 1.0, u / 1.0)
    np.testing.assert_array_compare(lambda a, b: a == b, u, u), np.testing.assert_string_equal("a", "a")
    np.testing.assert_raises(ValueError, int, "a"), np.testing.assert_raises_regex(ValueError, "inv", int, "a")
    np.testing.assert_no_warnings(len, "a"), np.testing.assert_warns is not None or np.testing.assert_warns(None)
    issubclass(np.exceptions.AxisError, ValueError), issubclass(np.linalg.LinAlgError, ValueError)

int8 int64 uint8 bool:
    np.linalg.matrix_power(m, 3), np.linalg.matrix_power(m, 0), np.linalg.matrix_power(m, 1)
    np.clip(p, None, 10**30), np.clip(p, -10**30, 10**30)

int64 float32 float64:
    np.quantile(x, 0.4, weights=p, method="inverted_cdf"), np.quantile(u, 0, weights=[0, 1, 2], method="inverted_cdf")
    np.quantile(x, [0.0, 0.5, 1.0], axis=1, weights=p, method="inverted_cdf")
    np.percentile(r, [20, 70], axis=(0, 2), weights=np.abs(r), method="inverted_cdf", keepdims=True)
    np.percentile(x, 30, axis=0, weights=[1, 2], method="inverted_cdf", keepdims=True)
    np.quantile(x, 0.5, weights=p)
    np.quantile(x, 0.5, weights=[1, 2], method="inverted_cdf")
    np.quantile(x, 0.5, axis=0, weights=[1, 2, 3], method="inverted_cdf")
    np.quantile(u, 0.5, weights=[1, -2, 3], method="inverted_cdf")
    np.quantile(u, 0.5, weights=[0, 0, 0], method="inverted_cdf")
    np.quantile(u, np.nan)
    np.linalg.qr(n, mode="raw")                 # tolerance=1e-5
    np.linalg.qr(n, mode="some")
    np.linalg.matrix_power(m, 1.5)
    np.linalg.tensorinv(r)
    np.linalg.tensorsolve(r, u)
    np.linalg.norm(u, "fro")
    np.linalg.norm(e[:, 0], np.inf), np.linalg.vector_norm(e[:, 0], ord=np.inf)
    np.linalg.matrix_rank(np.stack([m, m]), rtol=[0.5, 1e-6])
    np.linalg.lstsq(e, np.zeros((0, 1)))[1]
    np.logspace([0, 1], 2, 3, base=[[2, 3]]), np.logspace(0, 2, 4, base=[2, 3], axis=-1)   # tolerance=1e-5
    np.pad(x, {0: 1, -1: (2, 0)}), np.pad(x, 1, constant_values=1.5)
    np.insert(x, [1], p[:, 0], axis=1), np.insert(x, np.array([True, False, True]), 7, axis=1)
    np.delete(u, [[0, 1], [1, 0]])
    np.delete(u, np.array([0.0]))
    np.insert(u, np.array([0.0, 1.0]), 1)
    np.isclose(x, y, rtol=[0.0, 1.0, 0.1]), np.isclose(x, y, atol=np.array([[1.0], [0.0]]))
    np.gradient(x, 1, 2, axis=0)
    np.digitize(u, [0, 2, 1]), np.digitize(u, [3, 2, 2])
    np.cov(x, fweights=[1, 2])
    np.cov(x, fweights=[1, -2, 1])
    np.correlate(u, v, None)
    np.unravel_index([0], ())
    np.broadcast(*[u] * 65)
    np.block(u), np.block([x])
    z = x.copy(); y = np.block(z); y[0, 0] = 100; z
    np.fft.rfftn(x, axes=(0, 0, 1), s=(3, 4, 5)), np.fft.irfftn(x, axes=(0, 0, 1), s=(3, 4, 5))   # tolerance=1e-5
    np.fft.fftn(x, axes=(1, 1)), np.fft.ifftn(x, axes=(0, 0))                                     # tolerance=1e-5
    np.fft.fft(u, out=np.zeros(4))
    np.sum(x, axis=0.5)
    np.fft.fft2(x, s=(-1, 5)), np.fft.rfftn(x, s=(4, -1), axes=(0, 1))          # tolerance=1e-5
    np.ravel(x, "f"), x.flatten("f"), np.real(3) is 3, np.imag(2.5), np.real(s)
    z = np.arange(6); np.negative.at(z, [1, 3, 1, 1]); z
    z = np.arange(6).reshape(2, 3); np.negative.at(z, ([1, 1], [2, 2])); np.negative.at(z, z > 4); z
    np.trim_zeros(np.pad(x, 1), axis=(0, 1)), np.trim_zeros(np.pad(x, 1), axis=()), np.trim_zeros([0, 1, 0], axis=0)
    np.add(x, y, signature="dd->d"), np.multiply(x, 2, signature=(None, None, float))
    np.add(x, y, signature="dd")
    np.add(x, y, dtype=float, signature="dd->d")
    np.einsum("ij->", x, casting="some")
    np.einsum("ij->", x, order="W")
    np.einsum("ij->", x, some=1)
    np.einsum("i..", x)
    np.einsum("ij->ii", x)
    np.einsum("ij->ik", x)
    np.einsum("i", x)
    np.einsum("ij->i", x, out=np.zeros(3, dtype=x.dtype))
    np.einsum(x, [0, 60])
    z = np.zeros(2, dtype=complex); np.einsum("ij->i", x, out=z) is z, z

wide:
    z = x.copy(); z[0, 1] = np.nan; np.nanquantile(z, 0.5, weights=p, method="inverted_cdf")
    z = x.copy(); z[0, 1] = np.nan; np.quantile(z, 0.5, axis=0, weights=p, method="inverted_cdf")
    z = x.copy(); z[0] = np.nan; np.nanpercentile(z, [0, 90], axis=1, weights=p, method="inverted_cdf")
    g = np.random.default_rng(0); z = np.zeros(3, dtype=x.dtype); g.random(dtype=x.dtype, out=z) is z, z

float32 int64:
    np.add.types[:3] == np.add.types[:3], np.sin.ntypes > 0, np.vecdot.signature, np.add.signature
    Of = type("Of", (), {"draw": np.random.default_rng(0).random}); Of().draw()
"""
)

_EXTENSION = "bfloat16 is no dtype of NumPy's own, and not all of its functions know it"
_BY_ZERO = "TensorFlow's kernel gives nan for some complex numbers divided by zero, where NumPy has infinities"

#: expression -> (reason, dtypes, backends)
DIFFERS: dict[str, tuple[str, str, str]] = {
    "np.pow(p, y)": ("JAX gives NaN for a complex power of zero", "bool", "jax"),
    "np.float_power(p, y)": ("JAX gives NaN for a complex power of zero", "bool", "jax"),
    "np.unique_values(x), np.unique_counts(x), np.unique_inverse(x), np.unique_all(x)": (
        "NumPy's own order of these is not defined; here they are sorted",
        "int64",
        "",
    ),
    **dict.fromkeys(
        (
            "repr(x)",
            "str(x)",
            "repr(np.sum(x))",
            "np.set_printoptions(precision=3); r = repr(u / 3); np.set_printoptions(precision=8); r",
            "c = np.printoptions(precision=2); c.__enter__(); r = repr(u / 3); c.__exit__(None, None, None); r",
        ),
        ("nothing is computed to be shown", "", "dask"),
    ),
    **dict.fromkeys(
        ("np.choose([5], [u, v])", "np.ravel_multi_index(([5], [1]), (2, 3))", "np.unravel_index(14, (2, 3))"),
        ("positions out of bounds are found when the result is computed", "", "dask"),
    ),
    **dict.fromkeys(
        ("x / y", "np.divide(p, y)", "np.true_divide(p, y)"), (_BY_ZERO, "complex64 complex128", "tensorflow")
    ),
    "np.radians(q)": (_EXTENSION, "bfloat16", ""),
    "np.degrees(q)": (_EXTENSION, "bfloat16", ""),
    "np.spacing(q)": (_EXTENSION, "bfloat16", ""),
}

#: full name -> why its signature differs
SIGNATURES: dict[str, str] = {
    "numpy.promote_types_numpy": "it is latticework's own",
    "numpy.promote_types_of_numpy_inputs": "it is latticework's own",
}
