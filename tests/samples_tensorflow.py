"""Samples of the TensorFlow dialect, see `dialect_answers`."""

from __future__ import annotations

__all__ = ["DIFFERS", "SAMPLES", "SIGNATURES"]


def _lines(template: str, names: str) -> str:
    """One sample for each name."""
    return "\n".join("    " + template.replace("NAME", name) for name in names.split()) + "\n"


_ONE = (
    "abs acos acosh asin asinh atan atanh cos cosh exp floor logical_not negative round sigmoid sign sin sinh sqrt "
    "square tan tanh math.angle math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj "
    "math.digamma math.erf math.erfc math.erfcinv math.erfinv math.expm1 math.imag math.is_finite math.is_inf "
    "math.is_nan math.lgamma math.log math.log1p math.log_sigmoid math.ndtri math.real math.reciprocal "
    "math.reciprocal_no_nan math.rint math.rsqrt math.softplus math.softsign math.zero_fraction nn.elu "
    "nn.relu nn.relu6 nn.selu nn.silu nn.swish nn.l2_loss nn.leaky_relu bitwise.invert"
)
_INSIDE = "acos acosh atanh asin math.digamma math.erfcinv math.erfinv math.lgamma math.ndtri"
_TWO = (
    "add atan2 divide equal greater greater_equal less less_equal logical_and logical_or math.logical_xor maximum "
    "minimum multiply not_equal realdiv subtract truediv truncatediv math.divide_no_nan math.floordiv math.floormod "
    "math.mod math.multiply_no_nan math.nextafter math.squared_difference math.xdivy math.xlog1py math.xlogy "
    "bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor"
)
_REDUCTIONS = (
    "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum reduce_logsumexp math.reduce_std "
    "math.reduce_variance math.reduce_euclidean_norm math.count_nonzero"
)

_START, _STOP = "g = tf.GradientTape(persistent=False); g.__enter__(); ", "; g.__exit__(None, None, None); "
_TAPES = [
    f"{_START}g.watch(x); t = tf.reduce_sum(x * x + tf.exp(x)){_STOP}g.gradient(t, x)",
    f"v = tf.Variable(x); {_START}t = tf.reduce_sum(v * v * 2.0){_STOP}g.gradient(t, [v, v])",
    f"{_START}g.watch(u); t = tf.concat([u, 1.0 - u * u], 0){_STOP}g.gradient(t, u)",
    f"{_START.replace('False', 'True')}g.watch(u); t = u[1:] * tf.sin(u[:-1]){_STOP}g.jacobian(t, u)",
    f"{_START}g.watch(u); t = v * 2.0{_STOP}g.gradient(t, u)",
    f"{_START}g.watch(u); t = u * 2.0{_STOP}g.gradient(t, u); g.gradient(t, u)",
    f"f = tf.custom_gradient(lambda t: (t * t, lambda d: d * 3)); {_START}g.watch(u); t = f(u){_STOP}g.gradient(t, u)",
    f"{_START}g.watch(u); t = tf.linalg.matvec(m, u) / (2.0 + u) ** 2{_STOP}g.gradient(t, u, output_gradients=v)",
]
_NP_ONE = (
    "abs absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil conj conjugate cos cosh deg2rad exp exp2 "
    "expm1 fabs fix floor isfinite isinf isnan isneginf isposinf isreal iscomplex log log10 log1p log2 logical_not "
    "negative positive rad2deg reciprocal signbit sin sinc sinh sqrt square tan tanh angle around round imag real sign "
    "array asarray asanyarray ascontiguousarray copy empty_like ones_like zeros_like all any amax amin max min mean "
    "prod sum std var ptp nansum nanprod nanmean argmax argmin count_nonzero cumprod cumsum diff average sort argsort "
    "shape ndim ravel flatten transpose squeeze flip fliplr flipud rot90 atleast_1d atleast_2d atleast_3d tril triu "
    "diagonal trace nonzero isscalar iscomplexobj isrealobj size diag diagflat"
)
_NP_TWO = (
    "add arctan2 divide equal floor_divide greater greater_equal heaviside hypot less less_equal logaddexp "
    "logical_and logical_or logical_xor maximum minimum mod multiply not_equal power remainder subtract true_divide "
    "isclose allclose array_equal divmod append outer float_power"
)

SAMPLES = (
    "all:\n"
    + _lines("tf.NAME(x)", _ONE)
    + _lines("tf.NAME(x, y)  # pairs", _TWO)
    + _lines("tf.NAME(x)", _REDUCTIONS)
    + _lines("tf.NAME(x, axis=1)", _REDUCTIONS)
    + "wide:\n"
    + _lines("tf.NAME(q)  # tolerance=1e-4", _INSIDE)
    + _lines("tf.NAME(s)", _ONE)
    + _lines("tf.NAME(x, 2.0)", _TWO)
    + _lines("tf.NAME(e)", _ONE + " " + _REDUCTIONS)
    + _lines("tf.NAME(x, axis=[0, 1], keepdims=True)", _REDUCTIONS)
    + _lines("tf.NAME(x, 5)", _REDUCTIONS)
    + """
all:
    x + y                                   # pairs
    x - y                                   # pairs
    x * y                                   # pairs
    x / y                                   # pairs
    x // y                                  # pairs
    x % y                                   # pairs
    x == y                                  # pairs
    x != y                                  # pairs
    x < y                                   # pairs
    x >= y                                  # pairs
    x & y                                   # pairs
    x | y                                   # pairs
    x ^ y                                   # pairs
    x @ m
    m @ m
    -x
    ~x
    abs(x)
    x + 1
    x + 1.5
    2 * x
    x - True
    1 - x
    x > 0
    x == 1
    x == None
    x != u[:2]
    x + x.numpy()
    x + [[1, 2, 3]]
    p ** 2
    x[0]
    x[1, 2]
    x[:, 1:]
    x[..., 0]
    x[None]
    x[5]
    x[0, 0, 0]
    x[b]
    x[i]
    x[1.5]
    x[tf.constant(1)]
    x[::-1, ::2]
    x.shape
    x.shape.as_list()
    x.dtype.name
    x.get_shape()
    x.numpy()
    s.numpy()
    x.ndim
    repr(x)
    str(x)
    repr(s)
    repr(u)
    len(x)
    bool(s)
    bool(x)
    int(s)
    float(s)
    list(u)
    hash(x)
    x.ref() == x.ref()
    x.name
    x.set_shape((2, 4))
    x.set_shape((2, 3))
    x[0] = 1; x
    tf.cast(x, tf.float32)
    tf.cast(x, tf.int32)
    tf.cast(p, tf.uint8)
    tf.cast(x, tf.bool)
    tf.cast(x, tf.complex64)
    tf.cast(x, "float64")
    tf.convert_to_tensor(x)
    tf.convert_to_tensor(x, tf.float64)
    tf.convert_to_tensor([x, x])
    tf.convert_to_tensor(x.numpy(), dtype=tf.float32)
    tf.constant(x.numpy())
    tf.constant(x, dtype=tf.float64)
    tf.identity(x)
    tf.identity_n([x, u])
    tf.stop_gradient(x)
    tf.zeros_like(x)
    tf.ones_like(x)
    tf.zeros_like(x, dtype=tf.int32)
    tf.ones_like(x, dtype="bool")
    tf.shape(x)
    tf.shape(x, out_type=tf.int64)
    tf.shape_n([x, u])
    tf.size(x)
    tf.rank(x)
    tf.ensure_shape(x, (None, 3))
    tf.ensure_shape(x, (None, 4))
    tf.is_tensor(x)
    tf.is_symbolic_tensor(x)
    tf.get_static_value(x)
    tf.fill([2, 2], s)
    tf.fill([2], u)
    tf.reshape(x, (3, 2))
    tf.reshape(x, [-1])
    tf.reshape(x, (4,))
    tf.reshape(x, tf.constant([3, -1]))
    tf.expand_dims(x, 0)
    tf.expand_dims(x, axis=-1)
    tf.expand_dims(x, 5)
    tf.squeeze(tf.expand_dims(x, 0))
    tf.squeeze(x[None, :, None], axis=[0])
    tf.squeeze(x, 0)
    tf.transpose(x)
    tf.transpose(r, perm=[1, 0, 2])
    tf.transpose(r, [0, 1])
    tf.transpose(x, conjugate=True)
    tf.broadcast_to(u, (2, 3))
    tf.broadcast_to(u, (2, 4))
    tf.tile(x, [2, 1])
    tf.tile(x, [2])
    tf.repeat(x, 2)
    tf.repeat(x, [1, 2], axis=0)
    tf.repeat(x, 2, axis=1)
    tf.reverse(x, [1])
    tf.reverse(x, [0, 1])
    tf.reverse(x, [3])
    tf.roll(x, 1, 0)
    tf.roll(x, [1, 2], [0, 1])
    tf.pad(x, [[1, 0], [0, 2]])
    tf.pad(x, [[1, 1], [1, 1]], "REFLECT")
    tf.pad(x, [[1, 1], [1, 1]], mode="SYMMETRIC")
    tf.pad(x, [[1, 1]])
    tf.pad(x, [[1, 1], [1, 1]], mode="WRAP")
    tf.pad(x, [[3, 3], [1, 1]], "REFLECT")
    tf.concat([x, z], 0)
    tf.concat([x, y], 1)                    # pairs
    tf.concat([x, u], 0)
    tf.concat([x], axis=-1)
    tf.concat([x, x], axis=4)
    tf.stack([x, y])                        # pairs
    tf.stack([x, z], axis=-1)
    tf.stack([x, u])
    tf.unstack(x)
    tf.unstack(x, axis=1)
    tf.unstack(x, 3)
    tf.split(x, 3, axis=1)
    tf.split(x, [1, 2], axis=-1)
    tf.split(x, [1, -1], axis=1)
    tf.split(x, 2, axis=1)
    tf.split(x, 2, axis=4)
    tf.slice(r, [0, 1, 0], [1, -1, 2])
    tf.slice(x, [0, 1], [2, 3])
    tf.strided_slice(x, [0, 2], [2, 0], [1, -1])
    tf.strided_slice(x, [0, 0], [1, 0], shrink_axis_mask=1, end_mask=2)
    tf.where(b, x, y)                       # pairs
    tf.where(b, x, 0)
    tf.where(b, x, u)
    tf.where(x)
    tf.where(b, x)
    tf.where(x, x, x)
    tf.boolean_mask(x, b)
    tf.boolean_mask(x, c, axis=1)
    tf.boolean_mask(x, c)
    tf.gather(x, [1, 0, 1])
    tf.gather(x, k, axis=1)
    tf.gather(x, i, axis=1, batch_dims=1)
    tf.gather(r, k, axis=-1)
    tf.gather(x, 5)
    tf.gather(x, x)
    tf.gather_nd(x, [[0, 1], [1, 2]])
    tf.gather_nd(x, [[1], [0]])
    tf.gather_nd(x, [[5, 1]])
    tf.gather_nd(r, [[1], [0]], batch_dims=1)
    tf.scatter_nd([[0], [2]], x, (4, 3))
    tf.scatter_nd([[1], [1]], x, (4, 3))
    tf.scatter_nd([[7], [1]], x, (4, 3))
    tf.tensor_scatter_nd_update(x, [[0, 1], [1, 2]], u[:2])
    tf.tensor_scatter_nd_update(x, [[1]], [u])
    tf.tensor_scatter_nd_update(x, [[1]], u)
    tf.tensor_scatter_nd_add(x, [[0], [0]], z)
    tf.tensor_scatter_nd_sub(x, [[0], [0]], z)
    tf.tensor_scatter_nd_max(x, [[0], [0]], z)
    tf.tensor_scatter_nd_min(x, [[0], [1]], z)
    tf.dynamic_partition(x, [1, 0], 2)
    tf.dynamic_partition(u, [1, 0, 1], 3)
    tf.dynamic_stitch([[0, 2], [1]], [x, [u]])
    tf.reverse_sequence(x, [2, 3], seq_axis=1)
    tf.meshgrid(u, v)
    tf.meshgrid(u, v, indexing="ij")
    tf.unique(tf.constant(u))
    tf.unique_with_counts(u)
    tf.unique(x)
    tf.linalg.band_part(m, 0, -1)
    tf.linalg.band_part(m, 1, 1)
    tf.linalg.diag(u)
    tf.linalg.diag(x, k=1)
    tf.linalg.diag(u, num_rows=4, padding_value=s)
    tf.linalg.diag_part(m)
    tf.linalg.diag_part(r, k=1)
    tf.linalg.diag_part(m, k=(-1, 1))
    tf.linalg.set_diag(m, u)
    tf.linalg.set_diag(r[..., :3], x)
    tf.linalg.tensor_diag(u)
    tf.linalg.tensor_diag_part(m)
    tf.linalg.adjoint(m)
    tf.linalg.matrix_transpose(r)
    tf.linalg.matrix_transpose(u)
    tf.linalg.trace(m)
    tf.linalg.matmul(x, n)
    tf.linalg.matmul(x, y, transpose_b=True)  # pairs
    tf.matmul(x, x, adjoint_a=True)
    tf.matmul(u, u)
    tf.matmul(r, tf.transpose(r, [0, 2, 1]))
    tf.matmul(x, x)
    tf.linalg.matvec(x, u)
    tf.tensordot(x, n, 1)
    tf.tensordot(x, x, [[0], [0]])
    tf.tensordot(u, v, axes=0)
    tf.einsum("ij,jk->ik", x, n)
    tf.einsum("ii", m)
    tf.linalg.cross(u, v)
    tf.math.pow(p, p)
    tf.pow(p, 2)
    tf.math.add_n([x, z, x])
    tf.add_n([x, u])
    tf.math.scalar_mul(s, x)
    tf.clip_by_value(x, -1, 2)
    tf.clip_by_value(x, z, s)
    tf.clip_by_value(x, 0.5, 1.5)
    tf.math.polyval([s, s, s], x)
    tf.math.cumsum(x)
    tf.cumsum(x, axis=1, exclusive=True)
    tf.cumsum(x, axis=-1, reverse=True)
    tf.math.cumprod(x, axis=1, exclusive=True, reverse=True)
    tf.math.argmax(x)
    tf.argmax(x, axis=1, output_type=tf.int32)
    tf.argmax(x, axis=4)
    tf.math.argmin(x, axis=-1)
    tf.sort(x)
    tf.sort(x, axis=0, direction="DESCENDING")
    tf.sort(x, direction="UP")
    tf.argsort(x)
    tf.argsort(x, axis=0, direction="DESCENDING")
    tf.math.top_k(x, 2)
    tf.math.top_k(x, 5)
    tf.nn.top_k(u)
    tf.searchsorted(tf.sort(u), v)
    tf.searchsorted(u, v, side="right", out_type=tf.int64)
    tf.math.segment_sum(x, [0, 1])
    tf.math.segment_sum(n, [0, 0, 2])
    tf.math.segment_mean(n, [0, 0, 1])
    tf.math.segment_max(n, [0, 0, 2])
    tf.math.segment_min(n, [0, 0, 1])
    tf.math.segment_prod(n, [0, 0, 2])
    tf.math.segment_sum(n, [1, 0, 2])
    tf.math.unsorted_segment_sum(n, [1, 0, 1], 3)
    tf.math.unsorted_segment_sum(x, [[1, 0, 1], [0, 0, -1]], 2)
    tf.math.unsorted_segment_mean(n, [1, 0, 1], 3)
    tf.math.unsorted_segment_max(n, [1, 0, 1], 3)
    tf.math.unsorted_segment_min(n, [1, 0, 1], 3)
    tf.math.unsorted_segment_prod(n, [1, 0, 1], 3)
    tf.math.unsorted_segment_sqrt_n(n, [1, 0, 1], 3)
    tf.math.is_non_decreasing(u)
    tf.math.is_strictly_increasing(v)
    tf.nn.bias_add(x, u)
    tf.nn.bias_add(x, u[:2])
    tf.nn.bias_add(r, u, data_format="NCHW")
    tf.math.l2_normalize(x, axis=1)
    tf.linalg.l2_normalize(u)
    tf.nn.embedding_lookup(x, [1, 0, 1])
    tf.nn.crelu(x)
    tf.nn.moments(x, axes=[0])
    tf.bitcast(x, tf.uint8)
    tf.saturate_cast(x, tf.uint8)
    tf.saturate_cast(x, tf.int32)
    tf.cond(tf.constant(True), lambda: x, lambda: z)
    tf.case([(tf.constant(False), lambda: x)], default=lambda: z)
    tf.case([(tf.constant(False), lambda: x)])
    tf.switch_case(tf.constant(1), [lambda: x, lambda: z])
    tf.switch_case(tf.constant(7), [lambda: x, lambda: z])
    tf.map_fn(lambda row: row + row, x)
    tf.map_fn(lambda row: tf.cast(row, tf.float64), x, fn_output_signature=tf.float64)
    tf.vectorized_map(lambda row: row[0], x)
    tf.scan(lambda a, row: a + row, x)
    tf.scan(lambda a, row: a + row, x, initializer=u, reverse=True)
    tf.foldl(lambda a, row: a + row, x)
    tf.foldr(lambda a, row: a - row, x, initializer=u)
    tf.while_loop(lambda a, t: a < 3, lambda a, t: (a + 1, t + t), [0, x])
    tf.while_loop(lambda a, t: a < 3, lambda a, t: (a + 1, t + t), (0, x), maximum_iterations=2)
    tf.function(lambda t: t + t)(x)
    tf.nest.map_structure(lambda t: t + t, {"a": x, "b": [u]})
    tf.nest.flatten([x, (u, {"a": s})])
    tf.nest.pack_sequence_as({"b": 0, "a": 0}, [x, u])
    v = tf.Variable(x); v.assign(z); v.value()
    v = tf.Variable(x); v[0].assign(z[1]); v.value()
    v = tf.Variable(x); v[1:, 0].assign(z[:1, 1]); v.value()
    v = tf.Variable(x); v[..., 1].assign(u[:2]); v.value()
    v = tf.Variable(x); v[0].assign(v[0][:2]); v.value()
    v = tf.Variable(x); v[0].assign(3); v.value()
    v = tf.Variable(x); v[0][0].assign(z[0, 0])
    v = tf.Variable(x); v[0].assign_add(z[0])
    tf.print(x, output_stream="file:///dev/null")
    v = tf.Variable(x); v.assign_add(z); v
    v = tf.Variable(x); v.assign_sub(z); v + 1
    v = tf.Variable(x, name="a"); repr(v)
    v = tf.Variable(x); v.assign(u)
    v = tf.Variable(x); v[0] * 2
    v = tf.Variable(x); tf.reduce_sum(v)
    tf.reduce_mean(x[:0])
    tf.reduce_mean(x[:0], 0)
    tf.reduce_mean(tf.constant([[255, 0, 3], [1, 254, 1]], tf.uint8), 0)
    tf.reduce_mean(tf.constant([100, 127, -3], tf.int8))
    tf.reduce_mean(tf.constant([-100, -127, 3], tf.int8))
    tf.reduce_mean(tf.constant([2147483647, 2147483647, 5]))
    v = tf.Variable(x); v.scatter_nd_update([[0]], [u])
    tf.image.transpose(r)
    tf.image.rot90(r)
    tf.image.rot90(r, 3)
    tf.image.flip_left_right(r)
    tf.image.flip_up_down(r)
    tf.image.pad_to_bounding_box(r, 1, 2, 5, 6)
    tf.image.pad_to_bounding_box(r, 1, 2, 2, 6)
    tf.image.crop_to_bounding_box(r, 0, 1, 2, 2)
    tf.image.crop_to_bounding_box(r, 0, 1, 2, 5)
    tf.image.resize(r, [4, 5])
    tf.image.resize(r, [4, 5], method="nearest")
    tf.nn.depth_to_space(tf.ones((1, 2, 2, 4), x.dtype), 2)
    tf.nn.space_to_depth(img[..., :4], 2)
    tf.space_to_batch(img, [2, 2], [[0, 0], [0, 0]])
    tf.batch_to_space(tf.repeat(img, 4, axis=0), [2, 2], [[0, 0], [0, 1]])
float32:
    tf.sqrt([4.0, 9.0])
    tf.exp(1)
    tf.exp("a")
    tf.add([1, 2], [3, 4])
    tf.add(1, x)
    tf.add(x, [1, 2, 3])
    tf.add(1, 2.5)
    tf.maximum(x, 1)
    tf.maximum(1.5, x)
    tf.constant(1)
    tf.constant(2**40)
    tf.constant(1.5)
    tf.constant(1j)
    tf.constant(True)
    tf.constant([1, 2.5])
    tf.constant([True, 2])
    tf.constant([[1, 2], [3]])
    tf.constant(1.5, tf.int32)
    tf.constant(2, tf.bool)
    tf.constant(300, tf.uint8)
    tf.constant(None)
    tf.constant([])
    tf.constant([1, 2, 3, 4], shape=(2, 2))
    tf.constant(5, shape=(2, 2))
    tf.constant([1, 2, 3], shape=(2, 2))
    tf.convert_to_tensor([1, 2], dtype_hint=tf.float32)
    tf.convert_to_tensor(1.5, dtype_hint=tf.int32)
    tf.as_dtype("float32").name
    repr(tf.float32)
    str(tf.float32)
    tf.float32 == "float32"
    tf.float32.is_floating
    tf.int32.max
    tf.float16.max
    tf.uint8.size
    tf.complex64.real_dtype.name
    tf.as_dtype(int)
    tf.as_dtype("foo")
    tf.float32.as_numpy_dtype
    tf.TensorShape([2, None])
    str(tf.TensorShape([2, None]))
    tf.TensorShape([2, 3]) + [1]
    tf.TensorShape([2, 3]) == (2, 3)
    tf.TensorShape([2, 3])[1:]
    tf.TensorShape([2, 3]).num_elements()
    tf.TensorShape([2, 3]).is_compatible_with([None, 3])
    repr(tf.TensorSpec((2,), tf.float32, name="a"))
    tf.TensorSpec.from_tensor(x)
    tf.zeros(2)
    tf.zeros((2, 3), tf.int32)
    tf.zeros([2, -3])
    tf.ones([2, 3], "float64")
    tf.ones(tf.constant([2, 3]))
    tf.eye(3)
    tf.linalg.eye(2, 3, batch_shape=[2], dtype=tf.int32)
    tf.range(5)
    tf.range(5.0)
    tf.range(1, 5, 2)
    tf.range(1, 5.5)
    tf.range(3, 0)
    tf.range(5, dtype=tf.float64)
    tf.range(1, 2, 0)
    tf.linspace(0.0, 1.0, 5)
    tf.linspace(0, 1, 3)
    tf.linspace(0.0, 1.0, 0)
    tf.linspace(u, v, 3, axis=-1)
    tf.one_hot([0, 2, 5], 3)
    tf.one_hot([0, 2], 3, on_value=5, off_value=-1)
    tf.one_hot([[0, 2]], 3, axis=1, dtype=tf.int32)
    tf.one_hot(x, 3)
    tf.sequence_mask([1, 3, 2])
    tf.sequence_mask([1, 3], 4, dtype=tf.float32)
    tf.unravel_index([1, 4], (2, 3))
    tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))
    tf.broadcast_dynamic_shape([2, 1], [3])
    tf.broadcast_dynamic_shape([2], [3])
    tf.Assert(tf.constant(True), [x])
    tf.Assert(tf.constant(False), [x])
    tf.math.bincount([1, 1, 3])
    tf.math.bincount([1, 1, 3], weights=u, minlength=5)
    tf.math.confusion_matrix([0, 1, 1], [0, 1, 0])
    tf.math.in_top_k([0, 1], x, 1)
    tf.nn.in_top_k([0, 1], x, 2)
    tf.math.invert_permutation([2, 0, 1])
    tf.executing_eagerly()
    tf.group(x)
    tf.py_function(lambda t: t + 1, [x], tf.float32)
    tf.numpy_function(lambda t: t + 1, [x], tf.float32)
    tf.bitwise.left_shift([1, 2], [1, 3])
    tf.bitwise.right_shift([8, 16], 2)
    tf.truncatemod([7, -7], [3, 3])
    tf.truncatediv([7, -7], [3, 3])
    tf.clip_by_norm(x, 2.0)
    tf.clip_by_norm(x, 2.0, axes=1)
    tf.clip_by_global_norm([x, u], 2.0)
    tf.linalg.global_norm([x, u])
    tf.nn.zero_fraction(x)
    tf.math.cumulative_logsumexp(x, axis=1)
    c = tf.control_dependencies([x]); n = c.__enter__(); c.__exit__(None, None, None); n
    c = tf.name_scope("a"); n = c.__enter__(); c.__exit__(None, None, None); n
    c = tf.device("cpu"); n = c.__enter__(); c.__exit__(None, None, None); n
    c = tf.init_scope(); n = c.__enter__(); c.__exit__(None, None, None); n
    tf.no_op()
    tf.cond(True, 1, 2)
    tf.recompute_grad(lambda t: t * t)(x)
    tf.nest.is_nested([x])
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="bad")
    hasattr(tf, "keras") or tf.promote_types_tensorflow(x.dtype, "float32") is x.dtype
    hasattr(tf, "keras") or tf.promote_types_of_tensorflow_inputs(x, 1)[1].dtype is x.dtype
wide:
    tf.complex(x, z)
    tf.complex(x, 1)
    tf.math.igamma(p, q)                    # tolerance=1e-4
    tf.math.igammac(p, q)                   # tolerance=1e-4
    tf.math.polygamma(u, p)                 # tolerance=1e-4
    tf.math.zeta(p + 1, p)                  # tolerance=1e-4
    tf.math.betainc(p, p, q)                # tolerance=1e-4
    tf.math.betainc(p, p, 1)
    tf.nn.softmax(x)
    tf.nn.softmax(x, axis=0)
    tf.nn.softmax(s)
    tf.nn.log_softmax(x)
    tf.math.softmax(x)
    tf.math.log_softmax(x, axis=0)
    tf.nn.leaky_relu(x, alpha=0.1)
    tf.nn.gelu(x, approximate=True)         # tolerance=2e-5
    tf.nn.gelu(x)                           # tolerance=2e-5
    tf.nn.gelu(s)                           # tolerance=2e-5
    tf.nn.silu(x, beta=2.0)
    tf.nn.dropout(x, 0.5)                   # shape
    tf.nn.dropout(x, 1.5)
    tf.nn.moments(x, axes=[0, 1], keepdims=True)
    tf.nn.sufficient_statistics(x, [0])
    tf.nn.normalize_moments(s, u, v, None)
    tf.nn.weighted_moments(x, [0], p)
    tf.nn.batch_normalization(x, u, p[0], v, w, 1e-3)
    tf.nn.batch_normalization(x, u, p[0], None, None, 1e-3)
    tf.nn.sigmoid_cross_entropy_with_logits(labels=q, logits=x)
    tf.nn.sigmoid_cross_entropy_with_logits(labels=u, logits=x)
    tf.nn.weighted_cross_entropy_with_logits(q, x, 2.0)
    tf.nn.softmax_cross_entropy_with_logits(labels=q, logits=x)
    tf.nn.softmax_cross_entropy_with_logits(labels=q, logits=x, axis=0)
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=x)
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=x)
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 7], logits=x)
    tf.nn.log_poisson_loss(p, x)
    tf.nn.log_poisson_loss(p, x, compute_full_loss=True)
    tf.nn.conv1d(tf.transpose(sig[None], [0, 2, 1]), tf.reshape(p, (3, 2, 1)), 2, "SAME")
    tf.nn.conv2d(tf.transpose(img, [0, 2, 3, 1]), tf.transpose(ker, [2, 3, 1, 0]), 1, "VALID")
    tf.nn.conv2d(tf.transpose(img, [0, 2, 3, 1]), tf.transpose(ker, [2, 3, 1, 0]), [1, 2, 2, 1], padding="SAME")
    tf.nn.conv2d(img, ker, 1, "SAME")
    tf.nn.conv3d(tf.reshape(img, (1, 2, 4, 4, 1)), tf.ones((2, 3, 1, 1, 2), x.dtype), [1, 1, 1, 1, 1], "SAME")
    tf.nn.convolution(tf.transpose(img, [0, 2, 3, 1]), tf.transpose(ker, [2, 3, 1, 0]), padding="SAME", dilations=2)
    tf.nn.atrous_conv2d(tf.transpose(img, [0, 2, 3, 1]), tf.transpose(ker, [2, 3, 1, 0]), 2, "SAME")
    tf.nn.depthwise_conv2d(tf.transpose(img, [0, 2, 3, 1]), tf.transpose(ker, [2, 3, 1, 0]), [1, 1, 1, 1], "SAME")
    f = tf.ones((2, 2, 2, 1), x.dtype); tf.nn.separable_conv2d(f[None, :, :, 0], f, f[:1, :1], [1] * 4, "SAME")
    tf.nn.conv2d_transpose(tf.transpose(img, [0, 2, 3, 1]), tf.transpose(ker, [2, 3, 0, 1]), [1, 8, 8, 3], 2)
    tf.nn.conv2d_transpose(tf.transpose(img, [0, 2, 3, 1]), tf.transpose(ker, [2, 3, 0, 1]), [1, 7, 8, 3], 2, "SAME")
    tf.nn.conv2d_transpose(tf.transpose(img, [0, 2, 3, 1]), tf.transpose(ker, [2, 3, 0, 1]), [1, 9, 9, 3], 2, "VALID")
    tf.nn.max_pool(tf.transpose(img, [0, 2, 3, 1]), 2, 2, "VALID")
    tf.nn.avg_pool(tf.transpose(img, [0, 2, 3, 1]), 3, 2, "SAME")
    tf.nn.max_pool2d(tf.transpose(img, [0, 2, 3, 1]), 3, 2, "SAME")
    tf.nn.avg_pool2d(tf.transpose(img, [0, 2, 3, 1]), [2, 2], [1, 1], "VALID")
    tf.nn.max_pool1d(r, 2, 1, "VALID")
    tf.nn.avg_pool1d(r, 2, 2, "SAME")
    tf.nn.max_pool3d(tf.reshape(img, (1, 2, 4, 4, 1)), 2, 1, "VALID")
    tf.nn.avg_pool3d(tf.reshape(img, (1, 2, 4, 4, 1)), 2, 1, "SAME")
    tf.nn.max_pool2d(x, 2, 2, "VALID")
    tf.image.resize(r, [4, 5], method="bicubic")  # tolerance=1e-2
    tf.image.resize(r, [4, 5], method="lanczos3", antialias=True)
    tf.image.resize(r, [1, 2], method="area")
    tf.image.resize(r, [1, 2], antialias=True)
    tf.image.resize(r, [4, 4], preserve_aspect_ratio=True)
    tf.image.resize(x, [4, 4])
    tf.linalg.norm(x)
    tf.norm(x, ord=1, axis=1)
    tf.norm(x, ord=2, axis=[0, 1])
    tf.norm(x, ord=float("inf"), axis=0, keepdims=True)
    tf.norm(x, ord="bad")
    tf.linalg.normalize(x, axis=1)
    tf.linalg.matrix_rank(m)
    tf.linalg.pinv(x)
    tf.linalg.lstsq(n, p[:, :1] * 0 + 1)
    tf.linalg.lstsq(n, n, l2_regularizer=0.1)
    tf.signal.rfft(sig)
    tf.signal.rfft(sig, [4])
    tf.signal.rfft(sig, [12])
    tf.signal.rfft2d(sig)
    tf.signal.rfft3d(r)
    tf.signal.dct(sig)
    tf.signal.dct(sig, type=3, norm="ortho")
    tf.signal.dct(sig, type=1)
    tf.signal.dct(sig, type=4)
    tf.signal.dct(sig, type=2, n=4, norm="ortho")
    tf.signal.dct(sig, type=5)
    tf.signal.idct(sig)
    tf.signal.idct(sig, norm="ortho")
    tf.signal.frame(sig, 4, 2)
    tf.signal.frame(sig, 3, 2, pad_end=True, pad_value=1)
    tf.signal.frame(sig, 1, 1, axis=0)
    tf.signal.overlap_and_add(sig, 3)
    tf.signal.stft(sig, 4, 2)
    tf.signal.stft(sig, 3, 2, fft_length=8, pad_end=True)
    tf.signal.stft(sig, 4, 2, window_fn=None)
    tf.signal.inverse_stft(tf.signal.stft(sig, 4, 2), 4, 2)
    tf.signal.inverse_stft(tf.signal.stft(sig, 4, 2), 4, 2, window_fn=tf.signal.inverse_stft_window_fn(2))
    tf.signal.hann_window(8, dtype=x.dtype)
    tf.signal.hann_window(7, periodic=False, dtype=x.dtype)
    tf.signal.hann_window(7, dtype=x.dtype)
    tf.signal.hamming_window(8, dtype=x.dtype)
    tf.signal.kaiser_window(8, dtype=x.dtype)
    tf.signal.kaiser_bessel_derived_window(8, beta=4.0, dtype=x.dtype)
    tf.signal.vorbis_window(8, dtype=x.dtype)
    tf.signal.hann_window(8, dtype=tf.int32)
    tf.signal.linear_to_mel_weight_matrix(4, 17, 8000, dtype=x.dtype)
    tf.signal.mfccs_from_log_mel_spectrograms(sig)
    tf.signal.fft(x)
    tf.random.uniform((2, 3), dtype=x.dtype)        # shape
    tf.random.uniform((2,), 0, 10, dtype=tf.int32)  # shape
    tf.random.uniform((2,), dtype=tf.int32)
    tf.random.normal([2, 3], mean=1.0, dtype=x.dtype)  # shape
    tf.random.truncated_normal([2], dtype=x.dtype)  # shape
    tf.random.gamma([2], p, dtype=x.dtype)          # shape
    tf.random.poisson([2], p, dtype=x.dtype)        # shape
    tf.random.categorical(x, 4)                     # shape
    tf.random.shuffle(x)                            # shape
    tf.random.set_seed(1)
    tf.random.stateless_uniform([2], seed=[1, 2], dtype=x.dtype)  # shape
    tf.random.stateless_uniform([2], seed=[1], dtype=x.dtype)
    tf.random.stateless_normal([2], seed=[1, 2], dtype=x.dtype)  # shape
    tf.random.stateless_truncated_normal([2], seed=[1, 2], dtype=x.dtype)  # shape
    tf.random.stateless_gamma([2, 3], seed=[1, 2], alpha=p[0], dtype=x.dtype)  # shape
    tf.random.stateless_poisson([2, 3], seed=[1, 2], lam=p[0])  # shape
    tf.random.stateless_categorical(x, 3, seed=[1, 2])  # shape
    tf.custom_gradient(lambda t: (t * t, lambda d: d * 3.0))(x)
"""
    + "".join(f"    {line}\n" for line in _TAPES)
    + """
wide floating:
    tf.linalg.det(m)
    tf.linalg.slogdet(m)
    tf.linalg.logdet(h)
    tf.linalg.inv(m)
    tf.linalg.inv(m, adjoint=True)
    tf.linalg.inv(x)
    tf.linalg.cholesky(h)
    tf.linalg.cholesky_solve(tf.linalg.cholesky(h), m)
    tf.linalg.solve(m, h)
    tf.linalg.solve(m, h, adjoint=True)
    tf.linalg.solve(m, u)
    tf.linalg.triangular_solve(tf.linalg.band_part(m, -1, 0), h)
    tf.linalg.triangular_solve(tf.linalg.band_part(m, 0, -1), h, lower=False, adjoint=True)
    tf.linalg.eigvalsh(h)
    tf.abs(tf.linalg.eigh(h)[1])
    tf.linalg.eigh(h)[0]
    tf.sort(tf.math.real(tf.linalg.eig(h)[0]))
    tf.sort(tf.math.real(tf.linalg.eigvals(h)))
    tf.eig(h)[0].dtype
    tf.eigvals(h).dtype
    tf.linalg.svd(m, compute_uv=False)
    tf.linalg.svd(x)[0]
    [t.shape for t in tf.linalg.svd(x, full_matrices=True)]
    tf.abs(tf.linalg.qr(m)[1])
    tf.linalg.qr(n, full_matrices=True).q.shape
    tf.linalg.lu(m)
    tf.linalg.expm(m / 4)
    tf.linalg.sqrtm(h)
    tf.linalg.logm(h)
    tf.linalg.einsum("ij,kj->ik", x, x)
    tf.linalg.tensordot(x, x, 2)
    tf.linalg.norm(m, ord="fro", axis=(0, 1))
complex:
    tf.signal.fft(x)
    tf.signal.ifft(x)
    tf.signal.fft2d(x)
    tf.signal.ifft2d(x)
    tf.signal.fft3d(r)
    tf.signal.ifft3d(r)
    tf.signal.fft2d(u)
    tf.signal.irfft(x)
    tf.signal.irfft(x, [5])
    tf.signal.irfft2d(x)
    tf.signal.irfft3d(r)
    tf.signal.fftshift(x)
    tf.signal.ifftshift(x, axes=1)
"""
    + "wide:\n"
    + _lines("tf.experimental.numpy.NAME(p)", _NP_ONE)
    + "reals:\n"
    + _lines("tf.experimental.numpy.NAME(p, y)  # pairs", _NP_TWO)
    + """
ints:
    tf.experimental.numpy.bitwise_and(x, z)
    tf.experimental.numpy.bitwise_or(x, 1)
    tf.experimental.numpy.bitwise_xor(x, z)
    tf.experimental.numpy.bitwise_not(x)
    tf.experimental.numpy.gcd(p, p)
    tf.experimental.numpy.lcm(p, 2)
wide:
    tf.experimental.numpy.nextafter(x, z)
    tf.experimental.numpy.logaddexp2(x, z)
    tf.experimental.numpy.clip(x, -1, 2)
    tf.experimental.numpy.where(b, x, 1)
    tf.experimental.numpy.where(b, 1, 2.5)
    tf.experimental.numpy.where(b)
    tf.experimental.numpy.add(x, 1)
    tf.experimental.numpy.add([1, 2], [1.5, 2])
    tf.experimental.numpy.add(x, u[:2])
    tf.experimental.numpy.array([1, 2])
    tf.experimental.numpy.array([1.5], ndmin=2)
    tf.experimental.numpy.array([1, 2], dtype=float)
    tf.experimental.numpy.empty((2, 2)).shape
    tf.experimental.numpy.eye(2, 3, k=1)
    tf.experimental.numpy.identity(2)
    tf.experimental.numpy.full((2,), 1.5)
    tf.experimental.numpy.full((2,), 1)
    tf.experimental.numpy.full_like(x, 2)
    tf.experimental.numpy.ones((2, 2))
    tf.experimental.numpy.zeros(3, dtype="int32")
    tf.experimental.numpy.tri(3, k=1)
    tf.experimental.numpy.vander(u)
    tf.experimental.numpy.sum(x, axis=1, keepdims=True)
    tf.experimental.numpy.mean(x, axis=0, dtype="float64")
    tf.experimental.numpy.var(x, dtype="float64", ddof=1)
    tf.experimental.numpy.max(x, axis=7)
    tf.experimental.numpy.average(x, axis=1, weights=u)
    tf.experimental.numpy.sort(x, kind="mergesort")
    tf.experimental.numpy.reshape(x, (3, 2))
    tf.experimental.numpy.reshape(x, (3, 3))
    tf.experimental.numpy.swapaxes(r, 0, 2)
    tf.experimental.numpy.moveaxis(r, 0, -1)
    tf.experimental.numpy.expand_dims(x, 0)
    tf.experimental.numpy.broadcast_to(u, (2, 3))
    tf.experimental.numpy.broadcast_arrays(x, u)
    tf.experimental.numpy.roll(x, 1, axis=1)
    tf.experimental.numpy.repeat(x, 2, axis=0)
    tf.experimental.numpy.tile(x, (2, 1))
    tf.experimental.numpy.concatenate([x, z], axis=1)
    tf.experimental.numpy.stack([x, z])
    tf.experimental.numpy.hstack([x, z])
    tf.experimental.numpy.vstack([x, u])
    tf.experimental.numpy.dstack([x, z])
    tf.experimental.numpy.split(x, 3, axis=1)
    tf.experimental.numpy.hsplit(x, 3)
    tf.experimental.numpy.vsplit(x, 2)
    tf.experimental.numpy.dsplit(r, 2)
    tf.experimental.numpy.compress([True, False], x, axis=0)
    tf.experimental.numpy.take_along_axis(x, k[None], axis=1)
    tf.experimental.numpy.take(x, [0, 5], axis=0)
    tf.experimental.numpy.take(x, [0, -1], mode="wrap")
    tf.experimental.numpy.select([b, ~b], [x, z])
    tf.experimental.numpy.ix_([0, 1], [1])
    tf.experimental.numpy.inner(u, v)
    tf.experimental.numpy.dot(x, n)
    tf.experimental.numpy.vdot(u, v)
    tf.experimental.numpy.kron(u, v)
    tf.experimental.numpy.matmul(x, n)
    tf.experimental.numpy.tensordot(x, n, axes=1)
    tf.experimental.numpy.einsum("ij,jk->ik", x, n)
    tf.experimental.numpy.cross(u, v)
    tf.experimental.numpy.arange(5)
    tf.experimental.numpy.arange(1, 3, 0.5)
    tf.experimental.numpy.linspace(0, 1, 5)
    tf.experimental.numpy.linspace(0, 1, 5, endpoint=False, retstep=True)
    tf.experimental.numpy.logspace(0, 1, 3)
    tf.experimental.numpy.meshgrid(u, v)
    tf.experimental.numpy.pad(x, [[1, 0], [0, 1]], "constant", constant_values=2)
    tf.experimental.numpy.pad(x, [[1, 0], [0, 1]], "edge")
    str(tf.experimental.numpy.promote_types("int32", "float32"))
float32:
    tf.math.add_n(x)
    tf.math.add_n(s)
    tf.math.igamma(p, [1.5, 2.0, 3.0])
    tf.math.betainc(q, 0.5, [1, 2, 1])
    tf.math.polyval([1.0, 2], x)
    tf.logical_and(c, [True, False, True])
    tf.logical_not([1.5, 2.0])
    tf.reduce_any([1, 0])
    tf.math.in_top_k([0, 1], x, 1)
    tf.math.in_top_k([0], x, 1)
    tf.math.bincount([1, 2], dtype=tf.int8)
    tf.math.bincount([-1])
    tf.math.bincount([1, 2], axis=1)
    tf.math.confusion_matrix([0, -1], [0, 1])
    tf.math.invert_permutation([1, 1])
    tf.math.unsorted_segment_max(x, [0, 2], 2)
    tf.math.top_k(x, index_type=tf.float16)
    tf.argmax(x, output_type=tf.int16)
    tf.math.argmin(x, output_type=tf.int16)
    tf.meshgrid(True, 2)
    tf.meshgrid(1, 2.5)
    tf.shape(x, out_type=tf.int16)
    tf.reverse(x, 1)
    tf.reverse(s, [0])
    tf.roll(x, 1, [0])
    tf.repeat(x, 2, axis=5)
    tf.repeat(x, [1, 2, 3], axis=0)
    tf.repeat(s, 2, axis=0)
    tf.gather_nd(x, u)
    tf.gather_nd(x, i, batch_dims=-1)
    tf.dynamic_partition(x, [0, 1], 1)
    tf.dynamic_partition(x, [0, 1], 0)
    tf.reverse_sequence(m, [1, 2, 3], seq_axis=None)
    tf.unravel_index([7], [6])
    tf.pad(x, [[1, 1], [0, 2]], constant_values=1j)
    tf.as_dtype(2)
    tf.as_dtype(x)
    tf.linalg.matrix_rank([[1, 2], [3, 4]])
    tf.linalg.matrix_rank(u)
    tf.linalg.pinv(k)
    tf.signal.rfft([[1, 2], [3, 4]])
    tf.signal.rfft(k)
    tf.signal.rfft(s)
    tf.signal.irfft(x)
    tf.signal.dct(k)
    tf.signal.frame(x, 2, 0)
    tf.nn.depth_to_space(img, 1)
    tf.nn.space_to_depth(x, 2)
    tf.nn.max_pool2d(img, 2, 1, "valid")
    tf.nn.max_pool2d(tf.cast(img, tf.int16), 2, 1, "VALID")
    tf.experimental.numpy.flip(s)
    tf.experimental.numpy.concatenate(x, axis=5)
    tf.experimental.numpy.ix_([1.5, 2.0])
    tf.experimental.numpy.ix_(x)
    tf.experimental.numpy.compress(b, x, axis=1)
    tf.experimental.numpy.vander(x)
    tf.experimental.numpy.triu(u)
    tf.experimental.numpy.vsplit(u, 3)
    tf.experimental.numpy.hsplit(x, 2)
    tf.experimental.numpy.full_like(x, 2, shape=(2, 2))
    tf.experimental.numpy.full_like(x, 2, order="F")
    tf.experimental.numpy.gcd(1.5, 2)
    tf.experimental.numpy.linspace(x, x, num=3, dtype=tf.float16)
    tf.experimental.numpy.logspace(0.5, 2.5, num=3, dtype=tf.int16)
    tf.experimental.numpy.mean(x, dtype=tf.int64)
    tf.experimental.numpy.sum(x, dtype=tf.int8)
    tf.experimental.numpy.cumsum(x, dtype=tf.int16)
    tf.experimental.numpy.var(x, dtype=tf.int8)
    tf.experimental.numpy.var(k, dtype=tf.int8)
    tf.experimental.numpy.dot(s, 1)
    tf.experimental.numpy.tensordot(x, 1.5, axes=0)
    tf.experimental.numpy.tensordot(x, x, axes=[1])
    tf.experimental.numpy.matmul(x, x)
    tf.experimental.numpy.take(x, u)
    tf.experimental.numpy.take(x, 0, axis=5)
    tf.experimental.numpy.diag(r)
    tf.experimental.numpy.roll(x, 1, axis=[0, 1])
complex64:
    tf.experimental.numpy.rad2deg(x)
    tf.experimental.numpy.fabs(x)
"""
)

_GRAPH = ("TensorFlow tells dtypes in a traced function with a TypeError; here the function runs as it is", "bool", "")
_INTS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
_METHODS = "it needs the methods of experimental_enable_numpy_behavior there"
_SWITCH = (_METHODS, "float32 float64", "")
_OF_INTS = (_METHODS, f"{_INTS} bfloat16 float16", "")
_BOOLS = ("bool tensors are multiplied by the operator there; here as by tf.multiply, which refuses", "", "")

_LENGTH = ("Dask does not know how many values are distinct before it computes", "", "dask")

_OF_NONE = (
    "the mean of no complex numbers is nan, and 0 there; of floats it is nan in both",
    "complex64 complex128",
    "",
)
#: What differs from TensorFlow: a sample -> (why, the dtypes, the backends), empty for all. What differs on some
#: processors may agree on others.
DIFFERS: dict[str, tuple[str, str, str]] = {
    "tf.unique(tf.constant(u))": _LENGTH,
    "tf.unique_with_counts(u)": _LENGTH,
    "x * y": _BOOLS,
    "v = tf.Variable(x); v[0] * 2": _BOOLS,
    "tf.matmul(r, tf.transpose(r, [0, 2, 1]))": ("products of batches of int16 are refused here", "int16", ""),
    "tf.nn.softmax(s)": ("On some processors its class of error depends on the dtype", "bfloat16 float16 float32", ""),
    "tf.function(lambda t: t + t)(x)": _GRAPH,
    "tf.reduce_mean(x[:0])": _OF_NONE,
    "tf.reduce_mean(x[:0], 0)": _OF_NONE,
    "tf.experimental.numpy.around(p)": _SWITCH,
    "tf.experimental.numpy.round(p)": _SWITCH,
    "tf.experimental.numpy.heaviside(p, y)": (_METHODS, f"{_INTS} bfloat16", ""),
    "tf.experimental.numpy.hypot(p, y)": _OF_INTS,
    "tf.experimental.numpy.logaddexp(p, y)": _OF_INTS,
    'tf.exp("a")': ("there is no dtype of text", "", ""),
}

#: The signatures that differ, and why.
SIGNATURES: dict[str, str] = {
    "tensorflow.promote_types_tensorflow": "it is not TensorFlow's",
    "tensorflow.promote_types_of_tensorflow_inputs": "it is not TensorFlow's",
}
