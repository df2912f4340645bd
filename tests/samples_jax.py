"""What is compared of JAX's dialect: see `dialect_answers`."""
# ruff: noqa: E501

from __future__ import annotations

OPERATORS = """
all:
    x + y                                           # pairs
    x - y                                           # pairs
    x * y                                           # pairs
    x / y                                           # pairs
    x == y                                          # pairs
    x < y                                           # pairs
    x | y                                           # pairs
    x ^ y                                           # pairs
    x & y                                           # pairs
    x @ n
    x + n
    x < m
    x * v[:2]
    x.at[:].set(n)
    x.at[:].add(n)
    jnp.maximum(x, n)
    jnp.where(b, x, n)
    jnp.concatenate([x, m[:, :2]])
    jnp.stack([x, n])
    lax.add(x, n)
    x + 1
    1 + x
    x - 1.5
    2.0 / x
    x * True
    x + 1j
    x ** 2
    x ** 2.0
    2 ** x
    x // 2
    x % 2
    x != 1
    x >= 1.0
    1 < x
    -x
    +x
    abs(x)
    ~x
    x << 1
    x >> 1
    divmod(x, 2)
    s + x
    s + 1
    x[0]
    x[-1, 1:]
    x[5]
    x[-7]
    x[1, 9]
    x[jnp.array([1, 7, -9])]
    x[:, jnp.array([0, 5])]
    x[jnp.array([1, 0]), jnp.array([2, 8])]
    x[None, ..., 0]
    x[..., None, ::-1]
    x[b]
    x[True]
    x[i]
    r[0, :, jnp.array([1, 3])]
    r[:, c]
    x.at[0].set(1)
    x.at[0, 1].set(y[0, 0])                         # pairs
    x.at[1].add(2)
    x.at[1].add(y[0])                               # pairs
    x.at[0].multiply(0.5)
    x.at[0].set(2.75)
    x.at[:, 1].multiply(3)
    x.at[9].set(1)
    x.at[jnp.array([0, 7])].set(1)
    x.at[jnp.array([0, 0, 1])].add(1)
    x.at[jnp.array([0, 0, 5])].add(1, mode="clip")
    x.at[jnp.array([0, -1])].mul(2)
    x.at[jnp.array([0, 5])].get()
    x.at[jnp.array([0, 5])].get(mode="fill")
    x.at[jnp.array([0, 5])].get(mode="fill", fill_value=3)
    x.at[5].get(mode="clip")
    x.at[b].set(2)
    s.at[()].set(5)
    x.shape
    x.dtype
    x.ndim
    x.size
    x.nbytes
    x.itemsize
    x.weak_type
    x.T
    r.mT
    x.real
    x.imag
    x.flat
    x.astype(jnp.float32)
    x.astype("int32")
    x.astype(bool)
    x.astype(float)
    x.astype(complex)
    x.reshape(3, 2)
    x.reshape((6,))
    x.reshape(-1)
    x.reshape(4, 4)
    x.flatten()
    x.ravel()
    x.transpose()
    r.transpose(2, 0, 1)
    r.transpose((1, 0, 2))
    x.swapaxes(0, 1)
    x.sum()
    x.sum(0)
    x.prod(axis=1)
    x.mean(axis=0)
    x.all()
    x.any(axis=1)
    x.copy()
    x.take(jnp.array([0, 2]), axis=1)
    x.squeeze()
    x.dot(n)
    x.repeat(2)
    x.repeat(2, axis=1)
    x.diagonal()
    m.trace()
    x.nonzero()
    x.conj()
    x.conjugate()
    x.item(1)
    x.tolist()
    x.block_until_ready()
    x.is_deleted()
    len(x)
    len(s)
    x.compress(jnp.array([True, False]), axis=0)
    [v for v in x]
    iter(s)
    bool(s)
    bool(x)
    complex(s)
    hash(x)
    x[0] = 1; x
    w = x; w += 1; w
    w = x; w += 1; x
    repr(s)
    str(x)
    repr(x)
    repr(e)
    x == None
    x + None
    x + "a"
    x + [1]
    x[[0, 1]]
    x[1.0]
    x["a"]
    x[0, 0, 0]
    x[0.5:1]
    x[jnp.array([True])]
reals:
    float(s)
    int(s)
    x.at[1].apply(lambda v: v * 2)
    x.max()
    x.min(axis=1)
    x.argmax()
    x.argmin(axis=1, keepdims=True)
    x.ptp()
    x.clip(0, 2)
    x.clip(min=1)
    x.round()
    x.sort()
    x.sort(axis=0)
    x.argsort()
    x.cumsum()
    x.cumsum(1)
    x.cumprod(axis=0)
    x.argpartition(1).shape
    x.at[0].min(1)
    x.at[0].max(1)
    x.at[0].power(2)
    x.at[1].subtract(1)
    u.searchsorted(jnp.array([2, 9]))
    x % y                                           # pairs
    x // y                                          # pairs
    p ** p
    7 // p
floats:
    x.std()
    x.var(axis=1, ddof=1)
    x.at[0].divide(2)
    round(x, 1)
    float(x)
    int(x)
ints:
    range(3)[s]
    x << y                                          # pairs
    x >> y                                          # pairs
    k.choose([u, v, w])
float32:
    x.view(jnp.int32)
    x.view("int8")
    x.to_device(x.device) is not None
    x.devices() is not None
    x + 2**40
    x + x.__array__()
    x.__array__() + x
    x.tobytes()
    x.aval.shape
    jnp.asarray(1.0) + x
    (jnp.asarray(1.0) + 1).weak_type
    repr(jnp.asarray(1.0))
    repr(jnp.zeros(3))
    repr(jnp.asarray([True, False]))
    repr(jnp.zeros((0, 3)))
    repr(jnp.arange(100.0).reshape(2, 50))
    jnp.asarray(1) + jnp.asarray(1.0)
    jnp.asarray(1) * jnp.int8(3)
    jnp.int8(3)
    jnp.float32(1)
    jnp.bfloat16(1.5)
    jnp.float64(1.5)                                # x64
    jnp.float32
    jnp.float32 == "float32"
    jnp.float32 == x.dtype
    x.dtype == jnp.float32
    jnp.issubdtype(jnp.float32, jnp.floating)
    jax.Array is type(x) or isinstance(x, jax.Array)
    jnp.ndarray is jax.Array
    isinstance(1, jax.Array)
    jnp.asarray(3).weak_type
    jnp.add.reduce(x)
    jnp.add.accumulate(x, axis=1)
    jnp.multiply.outer(u, v)
    jnp.add.at(x, jnp.array([0]), 1, inplace=False)
    jnp.maximum.reduce(x, axis=1)
    jnp.logical_and.reduce(x, axis=1)
    jnp.ones(3)                                     # x64
    jnp.arange(3)                                   # x64
    jnp.asarray(1.0)                                # x64
    jnp.asarray([1, 2])                             # x64
    x + jnp.asarray(1.0)                            # x64
    jnp.sum(jnp.arange(3))                          # x64
    jnp.argmax(x)                                   # x64
    jnp.zeros(2, dtype=int)                         # x64
    jnp.mean(jnp.arange(3))                         # x64
    x.astype("float64")                             # x64
"""

ELEMENTWISE = """
all:
    jnp.abs(x)
    jnp.absolute(x)
    jnp.positive(x)
    jnp.negative(x)
    jnp.sign(x)
    jnp.square(x)
    jnp.conj(x)
    jnp.conjugate(x)
    jnp.real(x)
    jnp.imag(x)
    jnp.isnan(x)
    jnp.isinf(x)
    jnp.isfinite(x)
    jnp.isreal(x)
    jnp.iscomplex(x)
    jnp.logical_not(x)
    jnp.exp(x)
    jnp.sin(x)
    jnp.cos(x)
    jnp.tanh(x)
    jnp.sqrt(p)
    jnp.log(p)
    jnp.reciprocal(p)
    jnp.rint(x)
    jnp.bitwise_invert(x)
    jnp.bitwise_not(x)
    jnp.invert(x)
    jnp.bitwise_count(x)
    jnp.angle(x)
    jnp.signbit(x)
    jnp.isneginf(x)
    jnp.isposinf(x)
    jnp.add(x, y)                                   # pairs
    jnp.subtract(x, y)                              # pairs
    jnp.multiply(x, y)                              # pairs
    jnp.divide(x, y)                                # pairs
    jnp.true_divide(x, y)                           # pairs
    jnp.equal(x, y)                                 # pairs
    jnp.not_equal(x, y)                             # pairs
    jnp.less(x, y)                                  # pairs
    jnp.less_equal(x, y)                            # pairs
    jnp.greater(x, y)                               # pairs
    jnp.greater_equal(x, y)                         # pairs
    jnp.maximum(x, y)                               # pairs
    jnp.minimum(x, y)                               # pairs
    jnp.fmax(x, y)                                  # pairs
    jnp.fmin(x, y)                                  # pairs
    jnp.logical_and(x, y)                           # pairs
    jnp.logical_or(x, y)                            # pairs
    jnp.logical_xor(x, y)                           # pairs
    jnp.add(x, 1)
    jnp.add(1, 2)
    jnp.add(x)
    jnp.add(x, None)
    jnp.add(x, [1])
    jnp.add(x, x, out=x)
    jnp.add(x, jnp.ones(7))
    jnp.isclose(x, y)                               # pairs
    jnp.where(b, x, y)                              # pairs
    jnp.where(b, x, 1)
    jnp.where(b, 1, 2.0)
    jnp.where(x, x, 0)
    jnp.where(b)
    jnp.where(b, x)
    jnp.where(b, size=2)
    jnp.power(p, 2)
    jnp.clip(x, 0, 1)
    jnp.clip(x)
    jnp.clip()
    jnp.nan_to_num(x)
    jnp.round(x)
    jnp.around(x, 1)
    jnp.frexp(x)
reals:
    jnp.pow(p, q)                                   # pairs
    jnp.power(p, q)
    jnp.power(x, 3)
    jnp.power(2, 3)
    jnp.float_power(p, 2)
    jnp.floor_divide(x, y)                          # pairs
    jnp.remainder(x, y)                             # pairs
    jnp.mod(x, y)                                   # pairs
    jnp.fmod(x, y)                                  # pairs
    jnp.divmod(x, y)                                # pairs
    jnp.atan2(x, y)                                 # pairs
    jnp.arctan2(x, y)
    jnp.hypot(x, y)                                 # pairs
    jnp.copysign(x, y)                              # pairs
    jnp.heaviside(x, y)                             # pairs
    jnp.logaddexp(x, y)                             # pairs
    jnp.logaddexp2(x, y)                            # pairs
    jnp.ceil(x)
    jnp.floor(x)
    jnp.trunc(x)
    jnp.fabs(x)
    jnp.cbrt(x)
    jnp.deg2rad(x)
    jnp.rad2deg(x)
    jnp.degrees(x)
    jnp.radians(x)
    jnp.modf(x)
    jnp.i0(x)
    jnp.ldexp(x, i)
    jnp.clip(x, 0, y)                               # pairs
    jnp.clip(x, min=0.5)
    jnp.unwrap(x)
    jnp.round(x, -1)
    jnp.spacing(p)
floats:
    jnp.nextafter(x, y)                             # pairs
    jnp.nan_to_num(x / 0, nan=1.0, posinf=2.0)
    jnp.round(x * 1.23, 1)
    jnp.around(x)
floating:
    jnp.exp2(x)
    jnp.expm1(x)
    jnp.log1p(p)
    jnp.log2(p)
    jnp.log10(p)
    jnp.tan(x)
    jnp.sinh(x)
    jnp.cosh(x)
    jnp.asin(q)
    jnp.acos(q)
    jnp.atan(q)
    jnp.asinh(x)
    jnp.acosh(p)
    jnp.atanh(q)
    jnp.arcsin(q)
    jnp.arccos(q)
    jnp.arctan(q)
    jnp.arcsinh(x)
    jnp.arccosh(p)
    jnp.arctanh(q)
    jnp.sinc(x)
    jnp.angle(x, deg=True)
bools and ints:
    jnp.bitwise_and(x, y)                           # pairs
    jnp.bitwise_or(x, y)                            # pairs
    jnp.bitwise_xor(x, y)                           # pairs
ints:
    jnp.left_shift(x, y)                            # pairs
    jnp.right_shift(x, y)                           # pairs
    jnp.bitwise_left_shift(x, 1)
    jnp.bitwise_right_shift(x, 1)
    jnp.gcd(x, y)                                   # pairs
    jnp.lcm(x, y)                                   # pairs
float32:
    jnp.sin(1)
    jnp.sin(True)
    jnp.sin([1.0])
    jnp.sin(None)
    jnp.sin("a")
    jnp.sin(x, x)
    jnp.exp(s)
    jnp.exp(e)
    jnp.add(e, e)
    jnp.maximum(1, 2.5)
    jnp.bitwise_and(x, 1)
    jnp.power(jnp.arange(3), -1)
    jnp.clip(1j)
"""

REDUCTIONS = """
all:
    jnp.sum(x)
    jnp.sum(x, axis=0)
    jnp.sum(r, axis=(0, 2))
    jnp.sum(x, axis=-1, keepdims=True)
    jnp.sum(x, dtype=jnp.float32)
    jnp.sum(x, initial=3)
    jnp.sum(x, where=b)
    jnp.sum(x, axis=5)
    jnp.sum(e, axis=0)
    jnp.sum(s)
    jnp.sum(x, promote_integers=False)
    jnp.prod(x)
    jnp.prod(x, axis=0, where=b)
    jnp.mean(x)
    jnp.mean(x, axis=0, keepdims=True)
    jnp.mean(x, where=b)
    jnp.mean(x, dtype=jnp.float16)
    jnp.all(x)
    jnp.all(x, axis=0)
    jnp.all(x, where=b)
    jnp.any(x)
    jnp.any(x, axis=(0, 1), keepdims=True)
    jnp.any(x, where=b)
    jnp.count_nonzero(x)
    jnp.count_nonzero(x, axis=1)
    jnp.cumsum(x)
    jnp.cumsum(x, axis=1)
    jnp.cumsum(x, axis=5)
    jnp.cumsum(x, dtype=jnp.float32)
    jnp.cumprod(x, axis=0)
    jnp.cumulative_sum(x, axis=1)
    jnp.cumulative_sum(u, include_initial=True)
    jnp.cumulative_sum(x)
    jnp.cumulative_prod(u)
    jnp.nansum(x)
    jnp.nansum(x, axis=0)
    jnp.nanprod(x, axis=1)
    jnp.nancumsum(x, axis=1)
    jnp.nancumprod(x)
    jnp.std(x)
    jnp.std(x, axis=0, ddof=1)
    jnp.var(x)
    jnp.var(x, axis=1, correction=1)
    jnp.average(x)
    jnp.average(x, axis=0, returned=True)
    jnp.average(x, weights=y)                       # pairs
    jnp.average(x, axis=1, weights=u)
reals:
    jnp.max(x)
    jnp.max(x, axis=1)
    jnp.max(x, initial=3)
    jnp.max(x, initial=1, where=b)
    jnp.max(x, where=b)
    jnp.max(e, axis=0)
    jnp.max(e)
    jnp.max(e, axis=0, initial=2)
    jnp.min(x, axis=(0, 1))
    jnp.amax(x)
    jnp.amin(x, axis=0)
    jnp.argmax(x)
    jnp.argmax(x, axis=1)
    jnp.argmin(x, axis=0, keepdims=True)
    jnp.argmax(s)
    jnp.argmax(x, axis=3)
    jnp.ptp(x)
    jnp.ptp(x, axis=1)
    jnp.nanmax(x)
    jnp.nanmin(x, axis=0)
    jnp.nanargmax(x)
    jnp.nanargmin(x, axis=1)
    jnp.nanmean(x)
    jnp.nanmean(x, axis=0)
    jnp.median(x)
    jnp.median(x, axis=1)
    jnp.quantile(x, 0.3)
    jnp.quantile(x, q[0], axis=1)
    jnp.quantile(x, 0.5, method="lower")
    jnp.quantile(x, 0.5, method="foo")
    jnp.percentile(x, 30)
    jnp.percentile(x, 30, axis=0, keepdims=True)
floats:
    jnp.nanstd(x)
    jnp.nanvar(x, axis=0)
    jnp.nanmedian(x)
    jnp.nanquantile(x, 0.2)
    jnp.nanpercentile(x, 20, axis=1)
    jnp.nanargmax(x.at[0].set(jnp.nan), axis=0)
    jnp.nanmean(x.at[0, 0].set(jnp.nan), axis=1)
    jnp.nansum(x.at[0, 0].set(jnp.nan), axis=1)
    jnp.nanmax(x.at[0].set(jnp.nan), axis=1)
    jnp.nanstd(x.at[0, 0].set(jnp.nan), axis=0)
    jnp.nanmedian(x.at[0, 0].set(jnp.nan), axis=1)
    jnp.var(x, dtype=jnp.float32)
    jnp.std(x, where=b)
    jnp.std(x, mean=jnp.mean(x))
    jnp.var(x, ddof=1, correction=1)
"""

CREATION = """
float32 int32:
    jnp.asarray(x)
    jnp.array(x)
    jnp.array(x, ndmin=4)
    jnp.array([x, x])
    jnp.array([s, 1])
    jnp.zeros_like(x)
    jnp.ones_like(x)
    jnp.ones_like(x, dtype=bool)
    jnp.zeros_like(x, shape=(2,))
    jnp.empty_like(x)
    jnp.full_like(x, 2)
    jnp.full_like(x, 2.5)
    jnp.full_like(x, s)
    jnp.copy(x)
    jnp.astype(x, jnp.float16)
    jnp.astype(x, "bool")
    jnp.meshgrid(u, v)
    jnp.meshgrid(u, v, indexing="ij")
    jnp.meshgrid(u, v, sparse=True)
    jnp.meshgrid(x, x)
    jnp.linspace(u, v, 5)
    jnp.full((2,), s)
    jnp.from_dlpack(x)
    jnp.zeros_like(s + 0)
    jnp.zeros_like(3)
    jnp.ones_like(1.0)
float32:
    jnp.asarray(1)
    jnp.asarray(1.5)
    jnp.asarray(True)
    jnp.asarray(1j)
    jnp.asarray([1, 2])
    jnp.asarray([[1.0, 2], [3, 4]])
    jnp.asarray([])
    jnp.asarray([[], []])
    jnp.asarray([True, 2])
    jnp.asarray([1, 2.5j])
    jnp.asarray((1, 2), dtype=jnp.int8)
    jnp.asarray([1, 2], dtype="uint8")
    jnp.asarray(3, dtype=float)
    jnp.asarray(range(3))
    jnp.asarray(None)
    jnp.asarray("a")
    jnp.asarray([1, None])
    jnp.asarray([[1], [1, 2]])
    jnp.asarray(2**40)
    jnp.asarray([2**40])
    jnp.asarray(1, dtype="foo")
    jnp.asarray({})
    jnp.array(1.0)
    jnp.array([1.0, s])
    jnp.zeros(3)
    jnp.zeros((2, 3), dtype=jnp.int32)
    jnp.zeros((2,), jnp.float64)
    jnp.zeros(())
    jnp.zeros(-1)
    jnp.zeros("a")
    jnp.ones((2, 3))
    jnp.ones(2, dtype="bfloat16")
    jnp.ones(2, dtype=complex)
    jnp.empty((2,))
    jnp.full((2,), 3)
    jnp.full((2,), 3.0)
    jnp.full(2, 3, dtype=jnp.float32)
    jnp.full((2, 2), jnp.array([1, 2]))
    jnp.full((2, 2), jnp.ones(3))
    jnp.arange(5)
    jnp.arange(1, 5)
    jnp.arange(1, 5, 2)
    jnp.arange(0.0, 1.0, 0.25)
    jnp.arange(3, dtype=jnp.float32)
    jnp.arange(5, 1, -2)
    jnp.arange(3.5)
    jnp.arange(jnp.ones(2))
    jnp.linspace(0, 1, 5)
    jnp.linspace(0, 1, 5, endpoint=False)
    jnp.linspace(0, 1, 5, retstep=True)
    jnp.linspace(0, 10, 4, dtype=int)
    jnp.linspace(0, 1, 0)
    jnp.linspace(0, 1, 1)
    jnp.linspace(0, 1, -1)
    jnp.linspace(0, 1j, 3)
    jnp.logspace(0, 2, 3)
    jnp.logspace(0, 2, 3, base=2)
    jnp.geomspace(1, 100, 3)
    jnp.eye(3)
    jnp.eye(2, 3, k=1, dtype=jnp.int32)
    jnp.identity(2)
    jnp.tri(3)
    jnp.tri(2, 3, -1, dtype=jnp.int8)
    jnp.indices((2, 3))
    jnp.indices((2, 3), sparse=True)
    jnp.mgrid[0:3, 0:2]
    jnp.mgrid[0:1:3j]
    jnp.ogrid[0:3, 0:2]
    jnp.fromfunction(lambda i, j: i + j, (2, 3), dtype=int)
    jnp.frombuffer(b"abcd", dtype=jnp.uint8)
    jnp.fromiter([1.0, 2.0], float)
    jnp.result_type(x, 1)
    jnp.result_type(jnp.int8, jnp.uint8)
    jnp.result_type(1, 1.0)
    jnp.result_type(jnp.int32, 1.0)
    jnp.result_type(float)
    jnp.result_type()
    jnp.promote_types("int8", "float16")
    jnp.promote_types(jnp.int32, float)
    jnp.promote_types("uint8", "int8")
    jnp.can_cast("int8", "int16")
    jnp.can_cast("float32", "int8")
    float(jnp.finfo(jnp.float32).eps)
    jnp.finfo("bfloat16").bits
    jnp.iinfo(jnp.int8).max
    jnp.issubdtype(jnp.int8, jnp.integer)
    jnp.issubdtype(jnp.bfloat16, jnp.floating)
    jnp.issubdtype(x.dtype, jnp.inexact)
    jnp.issubdtype("int8", jnp.floating)
    jnp.issubdtype(jnp.float32, jnp.float32)
    jnp.issubdtype(jnp.float32, float)
    jnp.isdtype(jnp.float32, "real floating")
    jnp.isdtype(jnp.int8, ("bool", "integral"))
    jnp.iscomplexobj(x)
    jnp.iscomplexobj(1j)
    jnp.isrealobj(x)
    jnp.isscalar(s)
    jnp.isscalar(x)
    jnp.isscalar(3)
    jnp.iterable(x)
    jnp.dtype("float32")
    jnp.pi
    len(jnp.array_repr(x)) > 20
    jnp.array_str(x)
    jnp.set_printoptions() is None
    jnp.get_printoptions()["precision"]
    jnp.printoptions() is not None
"""

SHAPING = """
float32 bool:
    jnp.reshape(x, (3, 2))
    jnp.reshape(x, -1)
    jnp.reshape(x, (4,))
    jnp.reshape(x, (3, 2), order="F")
    jnp.ravel(x)
    jnp.ravel(x, order="F")
    jnp.ndim(x)
    jnp.ndim(3)
    jnp.shape(x)
    jnp.shape(3)
    jnp.shape([1])
    jnp.size(x)
    jnp.size(x, 1)
    jnp.expand_dims(x, 0)
    jnp.expand_dims(x, (0, -1))
    jnp.expand_dims(x, 7)
    jnp.squeeze(x[None])
    jnp.squeeze(x[None], axis=0)
    jnp.squeeze(x, axis=0)
    jnp.broadcast_to(u, (2, 3))
    jnp.broadcast_to(u, (2, 4))
    jnp.broadcast_to(3, (2,))
    jnp.broadcast_arrays(x, u)
    jnp.broadcast_shapes((2, 1), (3,))
    jnp.broadcast_shapes((2,), (3,))
    jnp.resize(x, (3, 3))
    jnp.transpose(r)
    jnp.transpose(r, (1, 2, 0))
    jnp.transpose(x, (0, 0))
    jnp.permute_dims(x, (1, 0))
    jnp.matrix_transpose(r)
    jnp.matrix_transpose(u)
    jnp.moveaxis(r, 0, -1)
    jnp.moveaxis(r, (0, 1), (1, 2))
    jnp.swapaxes(r, 0, 2)
    jnp.rollaxis(r, 2)
    jnp.flip(x)
    jnp.flip(x, 1)
    jnp.fliplr(x)
    jnp.flipud(x)
    jnp.rot90(x)
    jnp.rot90(x, 2)
    jnp.roll(x, 1)
    jnp.roll(x, 1, axis=1)
    jnp.roll(x, (1, 2), axis=(0, 1))
    jnp.concatenate([x, x])
    jnp.concatenate([x, x], axis=1)
    jnp.concatenate((x, x), axis=None)
    jnp.concatenate([x, x], dtype=jnp.float16)
    jnp.concatenate([])
    jnp.concatenate([x, u])
    jnp.concatenate(r)
    jnp.concat([x, x], axis=1)
    jnp.stack([x, x])
    jnp.stack([x, x], axis=-1)
    jnp.stack([])
    jnp.stack([x, u])
    jnp.hstack([x, x])
    jnp.hstack([u, u])
    jnp.vstack([u, u])
    jnp.dstack([x, x])
    jnp.column_stack([u, v])
    jnp.append(x, x)
    jnp.append(x, x, axis=0)
    jnp.block([[x, x], [x, x]])
    jnp.atleast_1d(s)
    jnp.atleast_2d(u, s)
    jnp.atleast_3d(x)
    jnp.array_split(u, 2)
    jnp.split(x, 3, axis=1)
    jnp.split(x, [1], axis=1)
    jnp.split(x, 2, axis=1)
    jnp.hsplit(x, 3)
    jnp.vsplit(x, 2)
    jnp.dsplit(r, 2)
    jnp.unstack(x)
    jnp.unstack(x, axis=1)
    jnp.tile(x, 2)
    jnp.tile(x, (2, 1))
    jnp.repeat(x, 2)
    jnp.repeat(x, 2, axis=0)
    jnp.repeat(u, jnp.array([1, 0, 2]))
    jnp.repeat(u, jnp.array([1, 0, 2]), total_repeat_length=5)
    jnp.pad(x, 1)
    jnp.pad(x, ((1, 0), (0, 2)))
    jnp.pad(x, 1, mode="edge")
    jnp.pad(x, 1, mode="reflect")
    jnp.pad(x, 1, mode="symmetric")
    jnp.pad(x, 1, mode="wrap")
    jnp.pad(x, 1, mode="foo")
    jnp.pad(x, -1)
    jnp.delete(u, 1)
    jnp.delete(x, 1, axis=1)
    jnp.delete(u, jnp.array([0, 2]))
    jnp.insert(u, 1, 5)
    jnp.insert(x, 1, u, axis=0)
    jnp.trim_zeros(jnp.array([0.0, 1.0, 0.0]))
    jnp.diag(u)
    jnp.diag(m, 1)
    jnp.diagflat(x)
    jnp.diagonal(x)
    jnp.diagonal(r, 1, 0, 2)
    jnp.diagonal(u)
    jnp.fill_diagonal(m, 5, inplace=False)
    jnp.fill_diagonal(m, 5)
    jnp.tril(m)
    jnp.triu(m, 1)
    jnp.tril(u)
float32 int32:
    jnp.pad(x, 1, constant_values=3)
    jnp.pad(x, ((1, 1), (0, 0)), constant_values=(1, 2))
    jnp.pad(x, 2, mode="linear_ramp")
    jnp.pad(x, 1, mode="maximum")
    jnp.pad(x, 1, mode="minimum")
    jnp.pad(x, 1, mode="mean")
    jnp.pad(u, 2, mode="reflect", reflect_type="odd")
    jnp.concatenate([x, y])                         # pairs
    jnp.stack([x, y])                               # pairs
    jnp.hstack([x, 1])
"""

PICKING = """
float32 int32:
    jnp.take(x, jnp.array([0, 5, -1]))
    jnp.take(x, jnp.array([0, 5]), axis=1)
    jnp.take(x, jnp.array([0, 5]), axis=1, mode="clip")
    jnp.take(x, jnp.array([0, 4]), axis=1, mode="wrap")
    jnp.take(x, 1, axis=0)
    jnp.take(x, i, axis=1)
    jnp.take(x, jnp.array([0, 5]), axis=1, fill_value=7)
    jnp.take(x, jnp.array([0.5]))
    jnp.take(x, 0, axis=4)
    jnp.take_along_axis(x, i, axis=1)
    jnp.take_along_axis(x, i, axis=0)
    jnp.take_along_axis(x, i * 5, axis=0)
    jnp.take_along_axis(x, k, axis=0)
    jnp.put_along_axis(x, i, 9, axis=1, inplace=False)
    jnp.put_along_axis(x, i, 9, axis=1)
    jnp.put(u, jnp.array([0, 2]), jnp.array([5, 6]), inplace=False)
    jnp.place(x, b, jnp.array([7, 8]), inplace=False)
    jnp.nonzero(x)
    jnp.nonzero(x, size=4)
    jnp.nonzero(x, size=8, fill_value=-1)
    jnp.nonzero(s)
    jnp.argwhere(x)
    jnp.flatnonzero(x)
    jnp.compress(c, x, axis=1)
    jnp.extract(b, x)
    jnp.select([b, x > 0], [x, x * 2], default=5)
    jnp.choose(k, [u, v, w])
    jnp.piecewise(x, [x < 0, x > 1], [-1, lambda v: v * 2, 3])
    jnp.ix_(u, v)
    jnp.diag_indices(3)
    jnp.diag_indices_from(m)
    jnp.tril_indices(3)
    jnp.triu_indices(3, 1)
    jnp.tril_indices_from(m)
    jnp.triu_indices_from(m, -1)
    jnp.mask_indices(3, jnp.triu)
    jnp.unravel_index(jnp.array([1, 5]), (2, 3))
    jnp.ravel_multi_index((jnp.array([0, 1]), jnp.array([2, 1])), (2, 3))
    jnp.ravel_multi_index((jnp.array([0, 5]), jnp.array([2, 1])), (2, 3))
    jnp.s_[1:2]
    jnp.index_exp[1:2]
    jnp.r_[1:3, 5]
    jnp.c_[u, v]
    jnp.sort(x)
    jnp.sort(x, axis=0, descending=True)
    jnp.sort(x, axis=None)
    jnp.sort(s)
    jnp.argsort(x)
    jnp.argsort(x, axis=0, descending=True)
    jnp.lexsort((u, v))
    jnp.partition(x, 1)[:, 1]
    jnp.argpartition(x, 1)[:, 1]
    jnp.sort_complex(u)
    jnp.searchsorted(u, v)
    jnp.searchsorted(u, 2, side="right")
    jnp.searchsorted(x, 2)
    jnp.digitize(x, u)
    jnp.digitize(x, u[::-1], right=True)
    jnp.isclose(x, x + 1e-9)
    jnp.allclose(x, x)
    jnp.allclose(x, y, atol=1.0)
    jnp.array_equal(x, x)
    jnp.array_equal(x, u)
    jnp.array_equiv(x, u)
    jnp.isin(x, u)
    jnp.isin(x, u, invert=True)
    jnp.unique(x)
    jnp.unique(x, return_index=True, return_inverse=True, return_counts=True)
    jnp.unique(x, size=3)
    jnp.unique(x, size=8, fill_value=0)
    jnp.intersect1d(u, v, size=6), jnp.setxor1d(u, v, size=6), jnp.intersect1d(u, u + 99, size=2)
    jnp.unique(x, axis=0)
    jnp.unique_all(x)
    jnp.unique_counts(x)
    jnp.unique_inverse(x)
    jnp.unique_values(x)
    jnp.union1d(u, v)
    jnp.intersect1d(u, v)
    jnp.intersect1d(u, v, return_indices=True)
    jnp.setdiff1d(u, v)
    jnp.setxor1d(u, v)
    jnp.histogram(x, bins=4)
    jnp.histogram(x, bins=4, range=(0, 5), density=True)
    jnp.histogram(x, bins=4, weights=x)
    jnp.histogram2d(u, v, bins=2)
    jnp.histogramdd(n, bins=2)
    jnp.histogram_bin_edges(x, 3)
    jnp.array_split(x, 2, axis=1)
int32:
    jnp.bincount(k)
    jnp.bincount(k, minlength=5)
    jnp.bincount(k, weights=jnp.array([0.5, 1.0, 2.0]))
    jnp.bincount(k, length=2)
    jnp.bincount(jnp.ones(2))
    jnp.packbits(b)
    jnp.packbits(b, axis=1, bitorder="little")
    jnp.unpackbits(jnp.array([3, 5], dtype=jnp.uint8))
"""

PRODUCTS = """
all:
    jnp.matmul(x, n)
    jnp.dot(x, n)
    jnp.dot(u, v)
    jnp.dot(s, x)
    jnp.vdot(x, x)
    jnp.inner(x, x)
    jnp.outer(u, v)
    jnp.kron(u, v)
    jnp.tensordot(x, n, 1)
    jnp.einsum("ij,jk->ik", x, n)
    jnp.trace(m)
    jnp.vecdot(x, x)
numeric:
    jnp.cross(u, v)
reals:
    jnp.matmul(x, y.T)                              # pairs
    jnp.dot(x, y.T)                                 # pairs
    jnp.einsum("ij,ij->i", x, y)                    # pairs
    jnp.convolve(u, v)
    jnp.convolve(u, v, mode="same")
    jnp.correlate(u, v)
    jnp.correlate(u, v, mode="full")
    jnp.diff(x)
    jnp.diff(u, n=2)
    jnp.diff(x, axis=0, prepend=1)
    jnp.ediff1d(u)
    jnp.ediff1d(u, to_end=5)
    jnp.gradient(u)
    jnp.gradient(x)
    jnp.gradient(x, axis=1)
    jnp.trapezoid(x)
    jnp.trapezoid(u, v)
    jnp.trapezoid(x, dx=0.5, axis=0)
    jnp.interp(x, u, v)
    jnp.interp(x, u, v, left=-1, right=9)
    jnp.interp(x, u, v, period=2)
    jnp.cov(x)
    jnp.cov(x, rowvar=False)
    jnp.cov(u, v)
    jnp.cov(x, ddof=0)
    jnp.corrcoef(x)
    jnp.polyadd(u, v)
    jnp.polysub(u, jnp.ones(2))
    jnp.polymul(u, v)
    jnp.polydiv(u, jnp.array([1, 2]))
    jnp.polyval(u, x)
    jnp.polyder(u)
    jnp.polyint(u)
    jnp.poly(u)
    jnp.vander(u)
    jnp.vander(u, 2, increasing=True)
floats:
    jnp.matmul(u, s)
    jnp.matmul(x, x)
    jnp.matmul(x, n, preferred_element_type=jnp.float32)
    jnp.dot(x, x)
    jnp.tensordot(r, r, axes=((0, 1), (0, 1)))
    jnp.einsum("ij,jk", x, n)
    jnp.einsum("ii->i", m)
    jnp.einsum("ij->j", x)
    jnp.einsum("ij,kj->ik", x, x)
    jnp.einsum(x, [0, 1], n, [1, 2])
    jnp.einsum("ij,jk", x, x)
    jnp.einsum_path("ij,jk->ik", x, n) is not None
    jnp.matvec(x, u)
    jnp.vecmat(u, n)
    jnp.trace(m, offset=1)
    jnp.trace(u)
wide:
    jnp.polyfit(u, v, 1)                            # tolerance=1e-3
    jnp.roots(jnp.array([1.0, -3.0, 2.0]))
float32:
    jnp.bartlett(5)
    jnp.blackman(5)
    jnp.hamming(5)
    jnp.hanning(5)
    jnp.kaiser(5, 14.0)
    jnp.apply_along_axis(jnp.sum, 0, x)
    jnp.apply_along_axis(lambda v: v * 2, 1, x)
    jnp.apply_along_axis(lambda v: jnp.outer(v, v), 0, x)
    jnp.apply_over_axes(jnp.sum, r, (0, 2))
    jnp.vectorize(lambda a, b: a + b)(x, u)
    jnp.vectorize(jnp.dot, signature="(n),(n)->()")(x, u)
    jnp.vectorize(lambda a, n: a * n, excluded={1})(x, 3)
    jnp.frompyfunc(lambda a, b: a + b, 2, 1)(x, x)
    jnp.linalg.inv(m)
    jnp.linalg.inv(x)
    jnp.linalg.det(m)
    jnp.linalg.slogdet(m)
    jnp.linalg.solve(m, u)
    jnp.linalg.solve(m, n)
    jnp.linalg.cholesky(h)
    jnp.linalg.cholesky(h, upper=True)
    jnp.linalg.eigh(h)[0]
    jnp.linalg.eigvalsh(h)
    jnp.linalg.eig(h)[0].dtype
    jnp.linalg.eigvals(h)                           # shape
    jnp.abs(jnp.linalg.qr(m)[1])
    jnp.linalg.qr(m, mode="r").shape
    jnp.linalg.qr(x, mode="foo")
    jnp.linalg.svd(x)[1]
    jnp.linalg.svd(x, full_matrices=False)[2].shape
    jnp.linalg.svd(x, compute_uv=False)
    jnp.linalg.svdvals(x)
    jnp.linalg.pinv(x)
    jnp.linalg.lstsq(n, u)[0]
    jnp.linalg.matrix_rank(m)
    jnp.linalg.matrix_power(m, 3)
    jnp.linalg.matrix_power(m, -1)
    jnp.linalg.multi_dot([x, n, x])
    jnp.linalg.norm(x)
    jnp.linalg.norm(x, axis=1)
    jnp.linalg.norm(x, ord=1)
    jnp.linalg.norm(x, ord="nuc")
    jnp.linalg.norm(x, ord=5)
    jnp.linalg.norm(u, ord=3)
    jnp.linalg.norm(x, axis=1, keepdims=True)
    jnp.linalg.matrix_norm(x)
    jnp.linalg.vector_norm(x)
    jnp.linalg.vector_norm(x, axis=1, ord=1)
    jnp.linalg.cond(m)
    jnp.linalg.cond(m, p=1)
    jnp.linalg.matmul(x, n)
    jnp.linalg.outer(u, v)
    jnp.linalg.tensordot(x, n, axes=1)
    jnp.linalg.vecdot(x, x)
    jnp.linalg.cross(u, v)
    jnp.linalg.diagonal(m)
    jnp.linalg.trace(m)
    jnp.linalg.matrix_transpose(r)
    jnp.linalg.tensorinv(m, ind=1)
    jnp.linalg.tensorsolve(m, u)
    jnp.fft.fft(x)
    jnp.fft.fft(x, n=4)
    jnp.fft.fft(x, norm="ortho")
    jnp.fft.fft(x, norm="foo")
    jnp.fft.fft(x, n=0)
    jnp.fft.ifft(x)
    jnp.fft.rfft(x)
    jnp.fft.irfft(x)
    jnp.fft.hfft(x)
    jnp.fft.ihfft(x)
    jnp.fft.fftn(x)
    jnp.fft.ifftn(x, s=(2, 2))
    jnp.fft.rfftn(x)
    jnp.fft.irfftn(x)
    jnp.fft.fft2(x)
    jnp.fft.ifft2(x)
    jnp.fft.rfft2(x)
    jnp.fft.irfft2(x)
    jnp.fft.fftfreq(5)
    jnp.fft.rfftfreq(5, d=0.5)
    jnp.fft.fftshift(x)
    jnp.fft.ifftshift(x, axes=1)
int32:
    jnp.linalg.inv(m)
    jnp.linalg.det(m)
    jnp.linalg.solve(m, u)
    jnp.linalg.norm(x)
    jnp.linalg.norm(x, axis=0)
    jnp.fft.fft(x)
    jnp.linalg.matrix_power(m, 2)
    jnp.linalg.vector_norm(x)
complex64:
    jnp.linalg.norm(x)
    jnp.linalg.inv(m)
    jnp.linalg.det(m)
    jnp.fft.fft(x)
    jnp.fft.rfft(x)
    jnp.roots(u)                                    # shape
"""

LAX = """
reals:
    lax.abs(x)
    lax.neg(x)
    lax.sign(x)
    lax.square(x)
    lax.add(x, x)
    lax.add(x, y)                                   # pairs
    lax.sub(x, x)
    lax.mul(x, x)
    lax.div(x, p)
    lax.rem(x, p)
    lax.max(x, x * 2)
    lax.min(x, x * 2)
    lax.eq(x, x)
    lax.ne(x, s)
    lax.lt(x, s)
    lax.le(x, s)
    lax.gt(x, s)
    lax.ge(x, s)
    lax.clamp(s, x, t)
    lax.select(b, x, x)
    lax.select_n(i, x, x * 2)
    lax.integer_pow(x, 2)
    lax.reduce_sum(x, (0,))
    lax.reduce_prod(x, (1,))
    lax.reduce_max(x, (0, 1))
    lax.reduce_min(x, (1,))
    lax.cumsum(x)
    lax.cumsum(x, axis=1, reverse=True)
    lax.cumprod(x, axis=1)
    lax.cummax(x, axis=1)
    lax.cummin(x, axis=1, reverse=True)
    lax.argmax(x, 1, jnp.int32)
    lax.argmin(x, 0, jnp.int32)
    lax.sort(x)
    lax.sort(x, dimension=0)
    lax.sort((u, v))
    lax.sort_key_val(v, u)
    lax.top_k(x, 2)
    lax.top_k(x, 5)
    lax.dot(x, n)
    lax.dot(x, x)
    lax.dot_general(x, x, (((1,), (1,)), ((), ())))
    lax.dot_general(r, r, (((2,), (2,)), ((0,), (0,))))
    lax.batch_matmul(r, jnp.swapaxes(r, 1, 2))
    lax.full_like(x, 2)
    lax.pad(u, s, [(1, 1, 1)])
    lax.pad(x, s, [(-1, 1, 0), (0, 2, 0)])
    lax.reduce(x, s, lax.add, (0,))
    lax.reduce_window(x, s * 0, lax.add, (2, 2), (1, 1), "VALID")
    lax.reduce_window(x, s * 0, lax.max, (2, 2), (1, 1), "SAME")
    lax.associative_scan(jnp.add, u)
    lax.associative_scan(jnp.add, u, reverse=True)
floats:
    lax.exp(x)
    lax.log(p)
    lax.sin(x)
    lax.cos(x)
    lax.tan(x)
    lax.tanh(x)
    lax.sqrt(p)
    lax.rsqrt(p)
    lax.cbrt(x)
    lax.exp2(x)
    lax.expm1(x)
    lax.log1p(p)
    lax.logistic(x)
    lax.sinh(x)
    lax.cosh(x)
    lax.asin(q)
    lax.acos(q)
    lax.atan(q)
    lax.asinh(x)
    lax.acosh(p)
    lax.atanh(q)
    lax.atan2(x, p)
    lax.floor(x)
    lax.ceil(x)
    lax.round(x)
    lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)
    lax.is_finite(x)
    lax.erf(x)
    lax.erfc(x)
    lax.erf_inv(q)
    lax.reciprocal(p)
    lax.pow(p, q)
    lax.pow(p, 2.0)
    lax.pow(p, 2)
    lax.nextafter(x, p)
wide:
    lax.complex(x, x)
    lax.conj(x)
    lax.real(lax.complex(x, x))
    lax.imag(lax.complex(x, p))
    lax.lgamma(p)
    lax.digamma(p)                                  # tolerance=1e-4
    lax.igamma(p, p)                                # tolerance=1e-4
    lax.igammac(p, p)                               # tolerance=1e-4
    lax.betainc(p, p, q)                            # tolerance=1e-4
    lax.zeta(p + 1, p)                              # tolerance=1e-4
    lax.polygamma(p, p)                             # tolerance=1e-3
    lax.bessel_i0e(x)
    lax.bessel_i1e(x)
    lax.cumlogsumexp(x, axis=1)
bools and ints:
    lax.bitwise_and(x, x)
    lax.bitwise_or(x, x)
    lax.bitwise_xor(x, x)
    lax.bitwise_not(x)
ints:
    lax.shift_left(x, x * 0 + 1)
    lax.shift_right_arithmetic(x, x * 0 + 1)
    lax.shift_right_logical(x, x * 0 + 1)
    lax.population_count(x)
bool:
    lax.reduce_and(x, (0,))
    lax.reduce_or(x, (1,))
float32:
    lax.add(x, 1)
    lax.add(x, 1.0)
    lax.add(x, u)
    lax.add(x, i)
    lax.add(b, b)
    lax.add(1, 2)
    lax.add(1, 1.0)
    lax.sin(1.0)
    lax.sin(i)
    lax.real(x)
    lax.select(b, x, 1.0)
    lax.select(True, x, x)
    lax.convert_element_type(x, jnp.int32)
    lax.convert_element_type(1, float)
    lax.bitcast_convert_type(x, jnp.int32)
    lax.bitcast_convert_type(x, jnp.int8).shape
    lax.reshape(x, (3, 2))
    lax.reshape(x, (3, 2), (1, 0))
    lax.broadcast(u, (2,))
    lax.broadcast_in_dim(u, (2, 3), (1,))
    lax.broadcast_in_dim(u, (2, 4), (1,))
    lax.broadcast_shapes((2, 1), (1, 3))
    lax.broadcast_to_rank(u, 3)
    lax.broadcasted_iota(jnp.int32, (2, 3), 1)
    lax.iota(jnp.int32, 3)
    lax.collapse(r, 0, 2)
    lax.expand_dims(u, (0,))
    lax.squeeze(x[None], (0,))
    lax.squeeze(x, (0,))
    lax.transpose(x, (1, 0))
    lax.transpose(x, (1, 1))
    lax.rev(x, (1,))
    lax.tile(u, (2,))
    lax.concatenate([x, x], 0)
    lax.concatenate([x, i], 0)
    lax.split(u, (1, 2))
    lax.full((2,), 3)
    lax.full((2,), 3.0, jnp.int8)
    lax.slice(x, (0, 1), (2, 3))
    lax.slice(x, (0, 1), (2, 5))
    lax.slice(x, (0, 0), (2, 3), (1, 2))
    lax.slice_in_dim(x, 0, 2, axis=1)
    lax.index_in_dim(x, 1, 0)
    lax.index_in_dim(x, 1, 0, keepdims=False)
    lax.dynamic_slice(x, (1, 1), (1, 2))
    lax.dynamic_slice(x, (5, -1), (1, 2))
    lax.dynamic_slice(x, (jnp.array(0), jnp.array(2)), (1, 2))
    lax.dynamic_slice(x, (0, 0), (3, 2))
    lax.dynamic_slice_in_dim(x, 1, 2, axis=1)
    lax.dynamic_index_in_dim(x, 9, 0, keepdims=False)
    lax.dynamic_update_slice(x, jnp.ones((1, 1)), (9, 0))
    lax.dynamic_update_slice_in_dim(x, jnp.ones((2, 1)), 1, 1)
    lax.dynamic_update_index_in_dim(x, u, 1, 0)
    lax.stop_gradient(x)
    lax.with_sharding_constraint(x, x.sharding)
    lax.cond(True, lambda v: v + 1, lambda v: v, u)
    lax.cond(s > 5, lambda v: v + 1, lambda v: v * 2, u)
    lax.cond(1.0, lambda: 1, lambda: 2)
    lax.cond(x, lambda v: v, lambda v: v, u)
    lax.cond(True, lambda v: 1.0, lambda v: v, u)
    lax.cond(True, lambda v: (v, 1), lambda v: (v, 2), u)
    lax.switch(1, [lambda v: v, lambda v: v + 1], u)
    lax.switch(9, [lambda v: v, lambda v: v + 1], u)
    lax.switch(1.0, [lambda v: v], u)
    lax.scan(lambda c, v: (c + v, c * v), 0.0, u)
    lax.scan(lambda c, v: (c + 1.5, v), 0, u)
    lax.scan(lambda c, v: (c + 1, None), 0, None, length=3)
    lax.scan(lambda c, v: (c + v, {"a": c}), s, u, reverse=True)
    lax.scan(lambda c, v: c, s, u)
    lax.scan(lambda c, v: (c, v), s, u, length=5)
    lax.while_loop(lambda c: c < 5, lambda c: c + 1, 0)
    lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2), (0, u))
    lax.while_loop(lambda c: c, lambda c: c, 0)
    lax.fori_loop(0, 3, lambda k, c: c + k, 0)
    lax.fori_loop(0, 3, lambda k, c: c + k, 0.0)
    lax.fori_loop(0, 3, lambda k, c: c.at[k].set(k), u)
    lax.map(lambda v: v * 2, u)
    lax.map(lambda v: v.sum(), x)
    lax.conv_general_dilated(img, ker, (1, 1), "SAME")
    lax.conv_general_dilated(img, ker, (2, 2), "VALID")
    lax.conv_general_dilated(img, ker, (1, 1), [(1, 2), (0, 1)], rhs_dilation=(2, 1))
    lax.conv_general_dilated(img, ker, (1, 1), "SAME", lhs_dilation=(2, 2))
    lax.conv_general_dilated(img, ker, (1, 1), [(1, 1), (1, 1)], lhs_dilation=(2, 2))
    lax.conv_general_dilated(img, ker, (1, 1), "FOO")
    lax.conv_general_dilated(jnp.transpose(img, (0, 2, 3, 1)), jnp.transpose(ker, (2, 3, 1, 0)), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    lax.conv_general_dilated(img, ker[:2, :1], (1, 1), "SAME", feature_group_count=2)
    lax.conv_general_dilated(img, img, (1, 1), "SAME").shape
    lax.conv(img, ker, (1, 1), "SAME")
    lax.conv_with_general_padding(img, ker, (1, 1), [(0, 0), (0, 0)], (1, 1), (1, 1))
    lax.conv_dimension_numbers(img.shape, ker.shape, ("NCHW", "OIHW", "NCHW"))[0]
    lax.conv_transpose(jnp.transpose(img, (0, 2, 3, 1)), jnp.transpose(ker, (2, 3, 1, 0)), (2, 2), "SAME")
    lax.conv_transpose(jnp.transpose(img, (0, 2, 3, 1)), jnp.transpose(ker, (2, 3, 1, 0)), (2, 2), "VALID")
    lax.Precision.HIGHEST is not None
"""

NN = """
float32 int32 bfloat16:
    jax.nn.relu(x)
    jax.nn.relu6(x)
    jax.nn.sigmoid(x)
    jax.nn.silu(x)
    jax.nn.swish(x)
    jax.nn.softplus(x)
    jax.nn.soft_sign(x)
    jax.nn.log_sigmoid(x)
    jax.nn.elu(x)
    jax.nn.celu(x)
    jax.nn.leaky_relu(x)
    jax.nn.hard_tanh(x)
    jax.nn.hard_sigmoid(x)
    jax.nn.hard_silu(x)
    jax.nn.hard_swish(x)
    jax.nn.mish(x)
    jax.nn.softmax(x)
    jax.nn.log_softmax(x, axis=0)
    jax.nn.logsumexp(x)
    jax.nn.logsumexp(x, axis=1, keepdims=True)
    jax.nn.one_hot(k, 3)
    jax.nn.identity(x)
    jax.nn.tanh(x)
float32:
    jax.nn.relu(1.0)
    jax.nn.selu(x)
    jax.nn.gelu(x)
    jax.nn.gelu(x, approximate=False)
    jax.nn.glu(sig)
    jax.nn.glu(x)
    jax.nn.elu(x, alpha=0.5)
    jax.nn.leaky_relu(x, 0.2)
    jax.nn.squareplus(x)
    jax.nn.sparse_plus(x)
    jax.nn.sparse_sigmoid(x)
    jax.nn.log1mexp(p)
    jax.nn.softmax(x, axis=0)
    jax.nn.softmax(x, axis=(0, 1))
    jax.nn.softmax(x, where=b)
    jax.nn.log_softmax(x)
    jax.nn.logsumexp(x, b=p)
    jax.nn.logsumexp(x, b=x, return_sign=True)
    jax.nn.logsumexp(x, axis=1, where=b)
    jax.nn.logmeanexp(x)
    jax.nn.logmeanexp(x, axis=1, where=b)
    jax.nn.standardize(x)
    jax.nn.standardize(x, axis=0)
    jax.nn.one_hot(jnp.array([0, 5, -1]), 3, dtype=jnp.int32)
    jax.nn.one_hot(k, 4, axis=0)
    jax.nn.dot_product_attention(r[None], r[None], r[None])
    jax.nn.dot_product_attention(r, r, r, is_causal=True)
    jax.nn.dot_product_attention(r[None], r[None], r[None], mask=jnp.ones((1, 3, 2, 2), bool), scale=0.5)
    jax.nn.initializers.zeros(jax.random.key(0), (2, 3))
    jax.nn.initializers.ones(jax.random.key(0), (2,), jnp.float16)
    jax.nn.initializers.constant(3)(jax.random.key(0), (2,))
    jax.nn.initializers.uniform()(jax.random.key(0), (2, 3))
    jax.nn.initializers.normal(1.0)(jax.random.key(0), (2, 3))
    jax.nn.initializers.truncated_normal()(jax.random.key(0), (2, 3))
    jax.nn.initializers.variance_scaling(1.0, "fan_in", "normal")(jax.random.key(0), (2, 3))
    jax.nn.initializers.variance_scaling(1.0, "foo", "normal")(jax.random.key(0), (2, 3))
    jax.nn.initializers.glorot_uniform()(jax.random.key(0), (2, 3))
    jax.nn.initializers.glorot_normal()(jax.random.key(0), (2, 3))
    jax.nn.initializers.lecun_uniform()(jax.random.key(0), (2, 3))
    jax.nn.initializers.lecun_normal()(jax.random.key(0), (2, 3))
    jax.nn.initializers.he_uniform()(jax.random.key(0), (3, 2, 3))
    jax.nn.initializers.he_normal()(jax.random.key(0), (2, 3))
    jax.nn.initializers.xavier_uniform()(jax.random.key(0), (2, 3))
    jax.nn.initializers.xavier_normal()(jax.random.key(0), (2, 3))
    jax.nn.initializers.kaiming_uniform()(jax.random.key(0), (2, 3))
    jax.nn.initializers.kaiming_normal()(jax.random.key(0), (2, 3))
    jax.nn.initializers.orthogonal()(jax.random.key(0), (3, 3))
    jax.nn.initializers.delta_orthogonal()(jax.random.key(0), (3, 2, 2))
    jax.nn.initializers.glorot_uniform()(jax.random.key(0), (2,))
"""

RANDOM = """
float32:
    jax.random.PRNGKey(0)
    jax.random.PRNGKey(2**33 + 5)
    jax.random.PRNGKey(-1)
    jax.random.PRNGKey(1.5)
    jax.random.PRNGKey(2**33 + 5)                   # x64
    jax.random.key_data(jax.random.key(7))
    jax.random.key_data(jax.random.split(jax.random.key(7)))
    jax.random.key(7).shape
    jax.random.split(jax.random.key(7), 3).shape
    jax.random.key_data(jax.random.split(jax.random.key(7), 3)[1])
    jax.random.split(jax.random.PRNGKey(1))
    jax.random.split(jax.random.PRNGKey(1), 3)
    jax.random.split(jax.random.PRNGKey(1), (2, 2))
    jax.random.split(x)
    jax.random.fold_in(jax.random.PRNGKey(1), 5)
    jax.random.fold_in(jax.random.PRNGKey(1), jnp.array(5))
    jax.random.key_data(jax.random.clone(jax.random.key(0)))
    jax.random.key_data(jax.random.wrap_key_data(jax.random.PRNGKey(3)))
    jax.random.key_impl(jax.random.key(0)) is not None
    jax.random.bits(jax.random.key(0), (3,))
    jax.random.bits(jax.random.key(0), (3,), jnp.uint8)
    jax.random.uniform(jax.random.key(0), (3,))
    jax.random.uniform(jax.random.key(0))
    jax.random.uniform(jax.random.key(0), (3,), minval=-1, maxval=2)
    jax.random.uniform(jax.random.key(0), (3,), jnp.float16)
    jax.random.uniform(jax.random.key(0), (3,), jnp.int32)
    jax.random.uniform(jax.random.key(0), (3,), minval=u, maxval=u + 1)
    jax.random.normal(jax.random.key(0), (3,))
    jax.random.normal(jax.random.PRNGKey(0), (2, 2), jnp.bfloat16)
    jax.random.normal(jax.random.key(0), (3,), jnp.complex64)
    jax.random.normal(jax.random.key(0), (3,), jnp.int32)
    jax.random.normal(jax.random.key(0), (3,))      # x64
    jax.random.normal(jax.random.split(jax.random.key(0)), (3,))
    jax.random.normal(0)
    jax.random.gumbel(jax.random.key(0), (3,))
    jax.random.exponential(jax.random.key(0), (3,))
    jax.random.laplace(jax.random.key(0), (3,))
    jax.random.logistic(jax.random.key(0), (3,))
    jax.random.cauchy(jax.random.key(0), (3,))      # tolerance=1e-4
    jax.random.randint(jax.random.key(0), (5,), 0, 10)
    jax.random.randint(jax.random.key(0), (5,), 0, 10, jnp.uint8)
    jax.random.randint(jax.random.key(0), (5,), 0, 10, jnp.float32)
    jax.random.randint(jax.random.key(0), (5,), -5, 5)  # x64
    jax.random.rademacher(jax.random.key(0), (5,))
    jax.random.truncated_normal(jax.random.key(0), -1, 1, (3,))
    jax.random.permutation(jax.random.key(0), 5)
    jax.random.permutation(jax.random.key(0), x)
    jax.random.permutation(jax.random.key(0), x, axis=1, independent=True)
    jax.random.choice(jax.random.key(0), 5)
    jax.random.choice(jax.random.key(0), u, (4,))
    jax.random.choice(jax.random.key(0), 5, (3,), replace=False)
    jax.random.choice(jax.random.key(0), u, (4,), p=u / 6)
    jax.random.choice(jax.random.key(0), 2, (3,), replace=False)
    jax.random.bernoulli(jax.random.key(0), 0.3, (5,))
    jax.random.bernoulli(jax.random.key(0), q)
    jax.random.categorical(jax.random.key(0), x)
    jax.random.categorical(jax.random.key(0), x, axis=0)
    jax.random.categorical(jax.random.key(0), x, shape=(4, 2))
    jax.random.gamma(jax.random.key(0), 2.0, (3,))  # tolerance=1e-4
    jax.random.gamma(jax.random.key(0), u)          # tolerance=1e-4
    jax.random.loggamma(jax.random.key(0), 2.0, (3,))  # tolerance=1e-4
    jax.random.beta(jax.random.key(0), 2.0, 3.0, (3,))  # tolerance=1e-4
    jax.random.chisquare(jax.random.key(0), 2.0, (3,))  # tolerance=1e-4
    jax.random.dirichlet(jax.random.key(0), u)      # tolerance=1e-4
    jax.random.t(jax.random.key(0), 3.0, (3,))      # tolerance=1e-4
    jax.random.poisson(jax.random.key(0), 3.0, (5,))
    jax.random.binomial(jax.random.key(0), 5, 0.5, (3,))
    jax.random.geometric(jax.random.key(0), 0.3, (3,))
    jax.random.multivariate_normal(jax.random.key(0), u, h)  # tolerance=1e-4
    jax.random.lognormal(jax.random.key(0), shape=(3,))
    jax.random.pareto(jax.random.key(0), 2.0, (3,))
    jax.random.rayleigh(jax.random.key(0), 2.0, (3,))
    jax.random.triangular(jax.random.key(0), 0.0, 1.0, 2.0, (3,))
    jax.random.wald(jax.random.key(0), 2.0, (3,))   # tolerance=1e-4
    jax.random.weibull_min(jax.random.key(0), 2.0, 1.5, (3,))
    jax.random.maxwell(jax.random.key(0), (3,))
    jax.random.double_sided_maxwell(jax.random.key(0), 0.0, 1.0, (3,))
    jax.random.orthogonal(jax.random.key(0), 3)
    jax.vmap(lambda k: jax.random.normal(k, (2,)))(jax.random.split(jax.random.key(0), 3))
    jax.vmap(lambda k: jax.random.normal(k, (2,)))(jax.random.split(jax.random.PRNGKey(0), 3))
"""

SCIPY = """
float32 int32:
    jax.scipy.special.gammaln(p)
    jax.scipy.special.digamma(p)                    # tolerance=1e-4
    jax.scipy.special.erf(x)
    jax.scipy.special.erfc(x)
    jax.scipy.special.expit(x)
    jax.scipy.special.xlogy(x, p)
    jax.scipy.special.xlog1py(x, p)
    jax.scipy.special.logsumexp(x)
    jax.scipy.special.betaln(p, p)
    jax.scipy.special.beta(p, p)
    jax.scipy.special.i0(x)
    jax.scipy.special.i0e(x)
    jax.scipy.special.i1(x)
    jax.scipy.special.i1e(x)
    jax.scipy.special.entr(p)
    jax.scipy.special.softmax(x)
    jax.scipy.special.log_softmax(x, axis=1)
    jax.scipy.special.kl_div(p, p)
    jax.scipy.special.rel_entr(p, p)
    jax.scipy.special.rel_entr(jnp.array([[jnp.nan], [jnp.inf], [-jnp.inf], [-0.0], [2.5]]), jnp.array([jnp.nan, jnp.inf, 0.0, 1.5, -1.0]))
    jax.scipy.special.kl_div(jnp.array([[jnp.nan], [jnp.inf], [-jnp.inf], [-0.0], [2.5]]), jnp.array([jnp.nan, jnp.inf, 0.0, 1.5, -1.0]))
    jax.scipy.special.gamma(p)                      # tolerance=1e-4
    jax.scipy.special.factorial(p)                  # tolerance=1e-4
    jax.scipy.special.multigammaln(p + 2, 2)        # tolerance=1e-4
float32:
    jax.scipy.special.gammaln(2.5)
    jax.scipy.special.erfinv(q)
    jax.scipy.special.logit(q)
    jax.scipy.special.ndtr(x)
    jax.scipy.special.ndtri(q)
    jax.scipy.special.log_ndtr(x)                   # tolerance=1e-4
    jax.scipy.special.betainc(p, p, q)              # tolerance=1e-4
    jax.scipy.special.gammainc(p, p)                # tolerance=1e-4
    jax.scipy.special.gammaincc(p, p)               # tolerance=1e-4
    jax.scipy.special.polygamma(1, p)               # tolerance=1e-3
    jax.scipy.special.zeta(p + 1, p)                # tolerance=1e-4
    jax.scipy.linalg.block_diag(u, v)
    jax.scipy.linalg.cholesky(h)
    jax.scipy.linalg.cholesky(h, lower=True)
    jax.scipy.linalg.cho_factor(h)
    jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(h), u)
    jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(h), True), n)
    jax.scipy.linalg.det(m)
    jax.scipy.linalg.eigh(h, eigvals_only=True)
    jax.scipy.linalg.expm(m)                        # tolerance=1e-3
    jax.scipy.linalg.inv(m)
    jax.scipy.linalg.lu(m)
    jax.scipy.linalg.lu_factor(m)
    jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(m), u)
    jax.scipy.linalg.polar(m)                       # tolerance=1e-4
    jax.scipy.linalg.qr(m)[1].shape
    jax.scipy.linalg.solve(m, u)
    jax.scipy.linalg.solve(h, u, assume_a="pos")
    jax.scipy.linalg.solve_triangular(m, u)
    jax.scipy.linalg.solve_triangular(m, n, lower=True, trans=1)
    jax.scipy.linalg.sqrtm(h)                       # tolerance=1e-3
    jax.scipy.linalg.svd(x, compute_uv=False)
    jax.scipy.linalg.toeplitz(u)
    jax.scipy.linalg.toeplitz(u, v)
float32 int32 bool:
    jax.ops.segment_sum(u, k)
    jax.ops.segment_sum(u, k, num_segments=2)
    jax.ops.segment_sum(u, jnp.array([0, -1, 0]), num_segments=2)
    jax.ops.segment_prod(u, k)
    jax.ops.segment_max(u, jnp.array([0, 0, 2]))
    jax.ops.segment_min(u, jnp.array([0, 0, 2]), num_segments=4)
"""

TREES = """
float32:
    jax.tree.map(lambda v: v + 1, {"a": x, "b": [1, (s, None)]})
    jax.tree.map(lambda a, c: a + c, [x, 1], [x, 2])
    jax.tree.map(lambda a, c: a, [x, 1], [x])
    jax.tree.leaves({"b": 1, "a": [2, None, x]})
    jax.tree.flatten([x, (1, 2)])[0]
    jax.tree.unflatten(jax.tree.structure([1, (2, 3)]), [4, 5, 6])
    jax.tree.structure({"a": 1}) == jax.tree.structure({"a": 5})
    jax.tree.reduce(lambda a, c: a + c, [1, 2, 3])
    jax.tree.reduce(lambda a, c: a + c, [1, 2, 3], 10)
    jax.tree.all([True, 1])
    jax.tree.transpose(jax.tree.structure([0, 0]), jax.tree.structure({"a": 0}), [{"a": 1}, {"a": 2}])
    [str(k) for k, v in jax.tree.flatten_with_path({"a": [1, 2]})[0]]
    [jax.tree_util.keystr(k) for k, v in jax.tree.leaves_with_path({"a": [1, 2]})]
    jax.tree.map_with_path(lambda k, v: jax.tree_util.keystr(k), {"a": [1, 2]})
    jax.tree.leaves([1, [2, 3]], is_leaf=lambda v: v == [2, 3])
    jax.tree_util.tree_map(lambda v: v * 2, (x, 1))
    jax.tree_util.tree_leaves([1, 2])
    jax.tree_util.tree_flatten([1, 2])[0]
    jax.tree_util.tree_unflatten(jax.tree_util.tree_structure([1, 2]), [3, 4])
    jax.tree_util.tree_unflatten(jax.tree_util.tree_structure([1, 2]), [3])
    jax.tree_util.tree_reduce(lambda a, c: a + c, [1, 2])
    jax.tree_util.tree_all([0, 1])
    jax.tree_util.tree_transpose(jax.tree_util.tree_structure([0]), jax.tree_util.tree_structure((0, 0)), [(1, 2)])
    jax.tree_util.tree_flatten_with_path([1])[0][0][1]
    jax.tree_util.tree_leaves_with_path([1])[0][1]
    jax.tree_util.tree_map_with_path(lambda k, v: v + 1, [1])
    jax.tree_util.all_leaves([1, 2])
    len(jax.tree_util.treedef_children(jax.tree_util.tree_structure([1, 2])))
    jax.tree_util.treedef_is_leaf(jax.tree_util.tree_structure(1))
    jax.tree_util.treedef_tuple([jax.tree_util.tree_structure(1)]).num_leaves
    jax.tree_util.keystr((jax.tree_util.DictKey("a"), jax.tree_util.SequenceKey(1)))
    jax.tree_util.Partial(lambda a, c: a - c, 5)(3)
    C = type("C", (), {}); jax.tree_util.register_pytree_node(C, lambda c: ((c.a,), "k"), lambda k, ch: (k, ch)); c = C(); c.a = x; jax.tree.map(lambda v: v + 1, c)
    C = type("C", (), {"tree_flatten": lambda c: ((1, 2), None), "tree_unflatten": classmethod(lambda cls, k, ch: ch)}); jax.tree_util.register_pytree_node_class(C); jax.tree.map(lambda v: v + 1, C())
    C = type("C", (), {}); jax.tree_util.register_pytree_with_keys(C, lambda c: (((jax.tree_util.GetAttrKey("a"), 1),), None), lambda k, ch: ch); [jax.tree_util.keystr(k) for k, v in jax.tree.leaves_with_path(C())]
    C = type("C", (), {"tree_flatten_with_keys": lambda c: (((jax.tree_util.GetAttrKey("a"), 1),), None), "tree_unflatten": classmethod(lambda cls, k, ch: ch)}); jax.tree_util.register_pytree_with_keys_class(C); jax.tree.leaves(C())
    C = type("C", (), {}); jax.tree_util.register_static(C); jax.tree.leaves(C())
    C = type("C", (), {"__init__": lambda c, a: setattr(c, "a", a)}); jax.tree_util.register_dataclass(C, ["a"], []); jax.tree.map(lambda v: v + 1, C(1)).a
    jax.dtypes.canonicalize_dtype("float64")
    jax.dtypes.canonicalize_dtype("float64")        # x64
    jax.dtypes.issubdtype(jnp.float32, jnp.floating)
    jax.dtypes.result_type(x, 1)
    float(jax.dtypes.finfo(jnp.float32).eps)
    jax.dtypes.iinfo(jnp.int8).max
"""

TRANSFORMATIONS = """
float32:
    jax.grad(lambda v: v**2)(3)
    jax.grad(lambda v: v)(x)
    jax.grad(lambda v: v.sum())(i)
    jax.grad(3)
    jax.jvp(jnp.sin, x, x)
    jax.jvp(jnp.sin, (x,), (i,))
    jax.checkpoint(lambda v: jnp.sin(v))(x)
    jax.remat(lambda v: v * 2)(x)
    jax.vmap(lambda v: v.sum())(x)
    jax.vmap(lambda a, c: a @ c, in_axes=(0, None))(x, u)
    jax.vmap(lambda a, c: a + c, in_axes=(0, 1))(x, n)
    jax.vmap(lambda v: v, out_axes=1)(x)
    jax.vmap(lambda v: v["a"] * 2)({"a": x})
    jax.vmap(lambda a, c: a + c)(x, n)
    jax.vmap(lambda v: v)(s)
    jax.vmap(jax.vmap(lambda v: v + 1))(x)
    jax.jit(lambda v: v * 2)(x)
    jax.jit(lambda v, k: v * k, static_argnums=1)(x, 3)
    jax.jit(lambda v, k=2: v * k, static_argnames="k")(x, k=3)
    jax.jit(lambda t: {"a": t[0], "b": t[1]})((x, 1))
    jax.jit(lambda v: v)(1.5)
    jax.jit(static_argnums=1)(lambda v, k: v * k)(x, 2)
    jax.jit(lambda v, k: v, static_argnums=1)(x, [1])
    jax.eval_shape(lambda v: v @ v.T, x)
    jax.eval_shape(lambda v: {"a": v.sum(), "b": v > 0}, jax.ShapeDtypeStruct((2, 3), jnp.int8))
    jax.eval_shape(lambda v: v * 2, 1.0)
    jax.ShapeDtypeStruct((2,), jnp.float32)
    jax.ShapeDtypeStruct((2,), "float64").dtype
    jax.ShapeDtypeStruct((2, 3), "int8").size
    jax.ShapeDtypeStruct((2,), jnp.float32) == jax.ShapeDtypeStruct((2,), jnp.float32)
    jax.custom_vjp(lambda v: v)(x)
    jax.custom_gradient(lambda v: (v * 2, lambda ct: ct * 5))(x)
    jax.device_get([x, 1])[0].shape
    jax.device_put([x, 1])
    jax.block_until_ready(x)
    jax.config.jax_enable_x64
    jax.config.jax_enable_x64                       # x64
    jax.config.foo
    jax.default_backend()
    jax.process_index()
    jax.process_count()
    jax.device_count()
    jax.local_device_count()
    len(jax.devices())
    d = jax.devices()[0]; [d.platform, d.id, d.device_kind, d.process_index, repr(d), isinstance(d, jax.Device)]
    [repr(x.device) != "", jax.device_put(x, jax.devices()[0]).devices() == {jax.devices()[0]}]
    len(jax.local_devices())
    jax.named_call(lambda v: v)(3)
    jax.typeof(x).shape
    jax.clear_caches()
    jax.disable_jit() is not None
    jax.ensure_compile_time_eval() is not None
    jax.named_scope("a") is not None
    jax.promote_types_jax("int8", "float16")
    jax.promote_types_of_jax_inputs(x, 1)
    len(jax.live_arrays()) >= 0
    jax.jit(lambda v: lax.cond(v.sum() > 0, lambda w: w, lambda w: -w, v))(x)
    jax.jit(lambda v: lax.while_loop(lambda c: c < 10, lambda c: c * 2, v))(s)
    jax.jit(lambda v: v.at[0].set(5)[jnp.array([1, 0])])(x)
    jax.jit(lambda k: jax.random.normal(k, (2,)))(jax.random.key(0))
"""

#: Derivatives: the framework's, and on NumPy and Dask latticework's own.
DERIVATIVES = """
float32:
    jax.grad(jax.nn.relu)(0.0), jax.grad(jax.nn.relu)(s - 2)
    jax.grad(jax.nn.relu6)(6.0), jax.grad(jax.nn.relu6)(s - 2)
    jax.grad(lambda v: (v**2).sum())(x)
    jax.grad(lambda v: jnp.sum(jnp.sin(v["a"]) * v["b"]))({"a": x, "b": s})
    jax.grad(lambda v, w: jnp.sum(v * w), argnums=(0, 1))(u, v)
    jax.grad(lambda v, w: jnp.sum(v * w), argnums=1)(u, v)
    jax.grad(lambda v: v**2)(3.0)
    jax.grad(lambda v: (v.sum(), {"k": v}), has_aux=True)(u)
    jax.grad(lambda v: jnp.where(v > 0, v, 0).sum())(x)
    jax.grad(lambda v: jax.nn.softmax(v)[0])(u)
    jax.grad(lambda v: lax.stop_gradient(v).sum() + v.sum())(u)
    jax.grad(lambda v: jnp.abs(v * 1j))(2.0)
    jax.value_and_grad(lambda v: (v**2).sum())(x)
    jax.value_and_grad(lambda v: (v.sum(), v), has_aux=True)(u)
    jax.jvp(jnp.sin, (x,), (x,))
    jax.jvp(lambda a, c: a * c, (u, v), (v, u))
    jax.vjp(jnp.sin, x)[1](x)
    jax.vjp(lambda v: (v, v * 2), u)[1]((u, u))
    jax.vjp(jnp.sin, x)[1](u)
    jax.jacfwd(lambda v: v**2)(u)
    jax.jacrev(lambda v: v**2)(u)
    jax.jacobian(lambda v: {"a": v**2})(u)
    jax.hessian(lambda v: (v**3).sum())(u)
    jax.linearize(jnp.sin, x)[1](x)
    jax.linear_transpose(lambda v: v * 3, u)(u)
    jax.grad(jax.checkpoint(lambda v: jnp.sin(v).sum()))(x)
    jax.vmap(jax.grad(lambda v: jnp.sin(v)))(u)
    jax.jit(jax.grad(lambda v: jnp.sum(v**2)))(x)
    f = jax.custom_jvp(lambda v: v * 2); f.defjvp(lambda p, t: (f(p[0]), t[0] * 10)); (f(x), jax.grad(lambda v: f(v).sum())(x))
    f = jax.custom_jvp(lambda v: v * 2); f.defjvp(lambda p, t: (f(p[0]), t[0] * 10)); (jax.jvp(f, (x,), (x,)), jax.hessian(lambda v: (f(v)**2).sum())(u))
    f = jax.custom_jvp(lambda v, n: v * n); f.defjvp(lambda p, t: (f(*p), t[0] * 10)); jax.grad(lambda v: f(v, 3).sum())(x)
    f = jax.custom_jvp(lambda v: v * 2); f.defjvps(lambda t, out, v: t * 7); jax.grad(lambda v: f(v).sum())(x)
    f = jax.custom_vjp(lambda v: v * 2); f.defvjp(lambda v: (v * 2, v), lambda res, ct: (ct * res,)); (f(x), jax.grad(lambda v: f(v).sum())(x))
    f = jax.custom_vjp(lambda v: v * 2); f.defvjp(lambda v: (f(v), v), lambda res, ct: (ct * res,)); (f(x), jax.grad(lambda v: f(f(v)).sum())(x))
    f = jax.custom_vjp(lambda v: v * 2); f.defvjp(lambda v: (f(v) + 1, v), lambda res, ct: (ct * res,)); jax.value_and_grad(lambda v: f(v).sum())(x)[1]
    f = jax.custom_vjp(lambda k, v: v * k, nondiff_argnums=(0,)); f.defvjp(lambda k, v: (v * k, v), lambda k, res, ct: (ct * 100,)); jax.grad(lambda v: f(3, v).sum())(x)
    lax.scan(lambda c, v: (c + v, jax.grad(lambda w: w**2)(v)), s, u)
    jax.grad(lambda v: lax.scan(lambda c, w: (c + v * w, None), 0.0, u)[0])(2.0)
    jax.grad(lambda v: lax.fori_loop(0, 3, lambda k, c: c * v, 1.0))(2.0)
complex64:
    jax.grad(lambda v: jnp.sum(jnp.abs(v) ** 2))(x)
    jax.grad(lambda v: v**2, holomorphic=True)(s)
    jax.vjp(lambda v: v**2, x)[1](x)
    jax.jvp(lambda v: v**2, (x,), (x,))
"""

X64 = """
int64 float64 uint64 float32 int32:
    x + y                                           # pairs x64
    x * 2.5                                         # x64
    x / 2                                           # x64
    x @ n                                           # x64
    x.astype(int)                                   # x64
    jnp.sum(x, axis=0)                              # x64
    jnp.mean(x)                                     # x64
    jnp.argsort(x)                                  # x64
    jnp.cumsum(x, axis=1)                           # x64
    jnp.exp(x)                                      # x64
    jnp.where(b, x, 1.5)                            # x64
    jnp.unique(x, return_counts=True)               # x64
    jnp.searchsorted(u, v)                          # x64
    jnp.linspace(0, u, 3)                           # x64
    jnp.full_like(x, 2)                             # x64
    jnp.histogram(x, bins=3)                        # x64
    jnp.linalg.norm(x)                              # x64
    jnp.fft.fft(x)                                  # x64
    jnp.result_type(x, 1, 2.0)                      # x64
    jnp.quantile(x, 0.3)                            # x64
    jnp.nonzero(x)                                  # x64
    lax.cumsum(x)                                   # x64
    lax.top_k(x, 2)                                 # x64
    jax.nn.one_hot(k, 3)                            # x64
    jax.random.uniform(jax.random.key(0), (2,), dtype=float)  # x64
    lax.scan(lambda c, v: (c + v, c + v), 0, u)     # x64
    x.at[0, 0].add(1.5)                             # x64
    jnp.einsum("ij,jk", x, n)                       # x64
    jnp.quantile(x, q)                              # x64
    jnp.median(x, axis=1)                           # x64
int64 float64 float32 int32:
    jax.nn.softmax(x)                               # x64
"""

OWN_TESTS = """
all:
    x.byteswap()
    jnp.take_along_axis(x, i, 1, mode="one_hot")
    jnp.take_along_axis(x, i - 9, 1, mode="clip", wrap_negative_indices=False)
    jnp.take(x, k - 3, axis=0, mode="clip")
    jnp.take(e, k, axis=0)
    jnp.sort_complex(x)
    jnp.diff(x, 0, append=1)
    jnp.size(x, (0, 0))
    jnp.vecdot(m, u, axis=0)
    jnp.delete(u, jnp.asarray([[1, 2]]))
    1 in u
    7 in x
    u in u
    "a" in u
    x.transpose(np.int64(1), 0) if (np := __import__("numpy")) else None
    jnp.linspace(x, 3, 1, retstep=True)[1].shape
    jnp.clip(x, 1j)
    jnp.corrcoef(x, dtype=int)
    jnp.issubdtype(type(1), jnp.integer), float(jnp.finfo(__import__("numpy").float16).max)
    jnp.issubdtype(__import__("numpy").float32, jnp.floating)
reals:
    jnp.trapezoid(m, dx=u[:2])
    jnp.trapezoid(m, dx=u, axis=0)
    jax.nn.one_hot([1, 0], 2)
    jnp.hypot(x, 1j)
ints:
    jnp.ravel_multi_index((k.astype(x.dtype), k.astype(x.dtype)), (3, 3), mode="ignore")
    jnp.ravel_multi_index((k.astype(x.dtype), k.astype(x.dtype)), (3, 3), mode="clip", dtype="int16")
    jnp.ravel_multi_index((k, k), (300, 300), mode="clip", dtype=x.dtype)
    jax.random.bits(jax.random.key(0), (2,), x.dtype)
wide:
    jnp.interp(x, u, v, left="extrapolate", right="extrapolate")
    jnp.interp(x, u, v, left="nearest")
    jnp.polyfit(u, w, 1, full=True)[:4]             # tolerance=1e-3
    jnp.polyfit(jnp.arange(4, dtype=x.dtype), x[0, 0] + jnp.asarray([1, 2, 2, 5]), 1, cov=True)  # tolerance=1e-3
    jnp.polyfit(jnp.arange(4, dtype=x.dtype), x[0, 0] + jnp.asarray([1, 2, 2, 5]), 1, cov="unscaled")  # tolerance=1e-3
    jax.nn.softmax(x, where=b & False)
    jax.nn.log_softmax(x, where=b & False)
    jax.nn.softmax(e, 0)
    jax.nn.standardize(x, algorithm="stable")
    jax.nn.relu6(x)
    jax.nn.initializers.orthogonal()(jax.random.key(0), (0, 3))
    jax.nn.initializers.variance_scaling(1.0, "fan_in", "uniform", 0, ())(jax.random.key(0), (3,))
float32:
    jax.scipy.special.ndtr(0.5), jax.scipy.special.ndtr([1.5, 2.0]), jax.scipy.special.log_ndtr([0.5])
    jax.scipy.special.ndtri([0.5])
    jax.scipy.special.ndtri(x.astype("float16"))
    jax.scipy.special.polygamma(1.0, x)
    jax.scipy.special.polygamma(True, x)
    jax.scipy.special.digamma(jnp.asarray([0.0, -1.0, 0.5]))
    jax.scipy.special.erfinv(2), jax.scipy.special.erf(True), jax.scipy.special.factorial(3)
    jax.scipy.special.rel_entr(x.astype("int8"), 0.5), jax.scipy.special.zeta(2.5, k * k + 1)
    jnp.arange(1j)
    jax.nn.initializers.he_normal(dtype="complex64")(jax.random.key(0), (2, 3))  # tolerance=1e-4
    jax.nn.initializers.he_uniform(dtype="complex64")(jax.random.key(0), (2, 3))  # tolerance=1e-4
"""

BY_SIGNATURE = """
float32:
    jnp.flip(x, True), jax.nn.softmax(x, axis=True), jnp.max(x, keepdims=None)
    jnp.array(2, x)
    jnp.broadcast_to(s, (2, -1))
    jnp.tri(-1)
    jnp.hanning(-1)
    jnp.linalg.eig(u)
    jnp.linalg.eigh(x)
    jnp.linalg.svdvals(s)
    jnp.linalg.cholesky(-m), jnp.linalg.cholesky(jnp.stack([m, jnp.eye(3)]) - 0.5)
    jnp.linalg.svd(x.astype("float16"))
    jnp.linalg.matrix_power(k[:, None] * k + 2 * jnp.eye(3, dtype="int32"), -1)
    jnp.linalg.matrix_norm(2)
    jnp.linalg.vector_norm(x, ord="fro")
    jnp.fft.fftfreq(0), jnp.fft.fftfreq(3, dtype="complex64"), jnp.fft.fftfreq(3, dtype=int)
    jnp.fft.fftn(jnp.ones((0, 3)), axes=[0, 1]), jnp.fft.irfft(x, axis=None), jnp.fft.fftn(1.5)
    jnp.fft.rfft(x.astype("float16"))
    jnp.radians(2), jnp.degrees(True), jnp.sinc(2), jnp.isreal(1.5), jnp.float_power(2, -1), jnp.float_power(k, 1.5)
    jax.nn.softplus(2), jax.nn.mish(2), jax.nn.gelu(1.5, approximate=False)
    jax.nn.softmax(s)
    jax.nn.logsumexp(e), jax.nn.logsumexp(x, b=1j)
    jax.nn.log1mexp(x)
    jnp.gcd(x, 2)
    jnp.ldexp(x, 1j)
    jnp.copy([1.5])
    jnp.copy(x, order="C")
    jnp.add([1.5], x, where=b)
    jnp.ix_([1, 2])
    jnp.std(x, dtype="int32")
    jnp.nanstd(x, dtype="int32")
    jnp.cumsum(2, axis=1)
    jnp.any(True, where=c), jnp.median(1.5, keepdims=True)
    jnp.where(c, fill_value=0.5), jnp.flatnonzero(x > 1, size=9, fill_value=0.5)
    jnp.select([b], [1], default=0), jnp.unique_values(2), jnp.poly(2), jnp.ndim([1.5]), jnp.shape(None)
    jnp.trim_zeros(jnp.pad(x, 1), axis=(0, 1)), jnp.inner(x, 2), jnp.polyval(e, 1.5)
    jnp.vstack([x, x * 1j], dtype="float32")
    jnp.split(u, jnp.array([2, 1]))
    jnp.promote_types(x, k), jnp.isdtype(x, "real floating")
    jnp.matmul(x, 2, preferred_element_type="float32")
    jnp.vdot(k, k, preferred_element_type="int8")
    jnp.linalg.tensorsolve(x, x)
    lax.reciprocal(k)
    lax.reduce_and(k, [0]), lax.reduce_or(k, [0]), lax.population_count(2)
    lax.reduce_and(x, [0])
    lax.rev(x, (2,))
    lax.tile(x, (2,))
    lax.concatenate([x, x], -1)
    lax.full((2,), [1.5, 2.0])
    lax.dynamic_slice(x, (0,), (1, 2))
    lax.index_in_dim(x, 1, axis=1.0)
    lax.argmax(x, 0, "float32")
    lax.pad(x, 0.0, [(-3, 0, 0), (0, 0, 0)])
    lax.conj(x.astype("float16"))
    lax.iota(bool, 3)
    lax.top_k(2, 0)
    jax.scipy.special.gammaln(x * 1j)
    jax.scipy.special.zeta(x)
    jax.scipy.special.beta(1.5, 2.5), jax.scipy.special.kl_div(u, 0.5), jax.scipy.special.rel_entr(2, 1)
complex64:
    jnp.arctan2(x, 2.0), jnp.logaddexp(x, 1.5), jnp.logaddexp2(x, x), jnp.deg2rad(x)  # tolerance=1e-4
    jax.nn.silu(x), jax.nn.relu(x), jax.nn.log_sigmoid(x)  # tolerance=1e-4
    jax.nn.sparse_sigmoid(x)
    jax.scipy.special.xlogy(x, x), jax.scipy.special.xlog1py(x, 2), jax.scipy.special.logit(x)  # tolerance=1e-4
"""

JNP = OPERATORS + ELEMENTWISE + REDUCTIONS + CREATION + SHAPING + PICKING + PRODUCTS
SAMPLES = JNP + LAX + NN + RANDOM + SCIPY + TREES + X64 + TRANSFORMATIONS + DERIVATIVES + OWN_TESTS + BY_SIGNATURE

DIFFERS: dict[str, tuple[str, str, str]] = {
    "jnp.linalg.cholesky(-m), jnp.linalg.cholesky(jnp.stack([m, jnp.eye(3)]) - 0.5)": (
        "Dask finds out when it computes: then it is an error",
        "",
        "dask",
    ),
    'jax.promote_types_jax("int8", "float16")': ("JAX has no such function", "", ""),
    "jax.promote_types_of_jax_inputs(x, 1)": ("JAX has no such function", "", ""),
    **dict.fromkeys(
        ("jnp.interp(x, u, v)", "jnp.interp(x, u, v, left=-1, right=9)", "jnp.interp(x, u, v, period=2)"),
        ("JAX asks NumPy for the limits of bfloat16, which NumPy does not know", "bfloat16", ""),
    ),
    "2 ** x": ("integers have no negative powers, of which JAX gives 0 or 1", "int8 int16 int32 int64", ""),
}
SIGNATURES: dict[str, str] = {
    "jax.numpy.set_printoptions": "NumPy's own function",
    "jax.lax.round": "the default is a member of an enumeration of this package",
    "jax.promote_types_jax": "JAX has no such function",
    "jax.promote_types_of_jax_inputs": "JAX has no such function",
}
