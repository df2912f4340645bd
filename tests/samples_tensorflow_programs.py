"""Samples of what TensorFlow's programs are built of: modules, variables, datasets, lists of tensors, generators."""

from __future__ import annotations

__all__ = ["DIFFERS", "SAMPLES", "SIGNATURES"]

_DATA = "D = tf.data.Dataset; d = D.range(10); "
_RAGGED = _DATA + "g = D.range(1, 5).map(lambda n: tf.fill([n], n)); "
#: Expressions of `d`, the numbers from 0 to 9.
_DATASETS = """
    d.element_spec; list(D.range(5, 1, -2)); list(D.range(2, output_type=tf.float32)); D.range(); D.range(1, 2, 0)
    d.cardinality(); len(d); len(d.repeat()); len(d.filter(lambda n: n > 1)); bool(D.range(0)); D.range(2.5)
    list(D.from_tensor_slices(([1, 2], {"a": [3.0, 4.0]}))); D.from_tensor_slices(([1], [1, 2]))
    D.from_tensor_slices(3); list(D.from_tensors((1, [2, 3]))); D.from_tensor_slices([(1, 2), (3, 4)]).element_spec
    D.from_tensor_slices(None); list(d.batch(4)); list(d.batch(4, drop_remainder=True)); d.batch(4).element_spec
    d.batch(0); d.batch(4).cardinality(); d.batch(4, True).element_spec; d.batch(4, True).cardinality()
    list(d.batch(3).batch(2)); list(d.batch(4).unbatch()); d.unbatch(); d.batch(4).unbatch().element_spec
    list(d.batch(4).rebatch(3)); list(d.batch(4).rebatch([2, 1])); d.rebatch(2); list(d.map(lambda n: n * 2))
    d.map(lambda n: (n, [n, n], {"a": 1})).element_spec; d.map(3); D.zip(d, d).map(lambda n: n)
    list(D.zip(d, d).map(lambda n, m: n + m)); d.map(lambda n: [n]).element_spec
    d.map(lambda n: tf.cast(n, tf.float32) / 2).element_spec; list(d.filter(lambda n: n % 2 == 0))
    d.filter(lambda n: n); list(d.take(3)); list(d.take(-1)); list(d.skip(7)); list(d.skip(-1))
    d.take(30).cardinality(); d.skip(20).cardinality(); d.repeat().cardinality(); list(d.take(2).repeat(2))
    d.repeat(0).cardinality(); d.repeat().take(25).cardinality(); list(d.take(2).concatenate(D.range(2)))
    d.concatenate(D.from_tensors(1.0)); d.concatenate(d.repeat()).cardinality()
    d.batch(4).concatenate(D.from_tensors(tf.ones(3, tf.int64))).element_spec; list(D.zip(d, D.range(2)))
    D.zip((d, {"a": d})).element_spec; D.zip([d, d]); D.zip(3); D.zip(); D.zip(d, d.repeat()).cardinality()
    list(D.range(5, 7).enumerate(5)); d.enumerate().element_spec; list(d.shuffle(1)); d.shuffle(0)
    d.shuffle(4).cardinality(); sorted([int(n) for n in d.shuffle(4, seed=1)]); [list(w) for w in d.window(4)]
    [list(w) for w in d.window(4, 2, 1, True)]; [list(w) for w in d.window(3, 1, 2)]
    [list(w) for w in d.window(3, 5)]; d.window(3, 1, 2, True).cardinality(); d.window(4).element_spec; d.window(0)
    list(d.window(3, drop_remainder=True).flat_map(lambda w: w.batch(3)))
    list(D.zip(d, d).window(2).flat_map(lambda a, b: D.zip(a.batch(2), b.batch(2))))
    next(d.window(2).as_numpy_iterator()); d.reduce(np.int64(0), lambda s, n: s + n)
    d.reduce((np.int64(0), 0), lambda s, n: (s[0] + n, s[1] + 1))
    D.zip(d, d).reduce(np.int64(0), lambda s, n: s + n[0]); d.reduce(0.0, lambda s, n: (s, s))
    D.range(0).reduce(3, lambda s, n: s); list(d.scan(np.int64(0), lambda s, n: (s + n, s + n)))
    list(d.take_while(lambda n: n < 4)); list(d.shard(3, 1)); list(D.from_tensor_slices([1, 2, 1, 3]).unique())
    D.from_tensors(1.0).unique(); d.shard(3, 3); d.shard(3, 0).cardinality()
    list(d.flat_map(lambda n: D.from_tensors(n).repeat(n))); d.flat_map(lambda n: d).element_spec
    list(D.range(4).interleave(lambda n: D.from_tensors(n).repeat(3), cycle_length=2, block_length=2))
    list(D.range(4).interleave(lambda n: D.from_tensors(n).repeat(n), cycle_length=3)); d.interleave(lambda n: d, 0)
    list(d.cache()); list(d.prefetch(2)); d.prefetch(-4); list(d.apply(lambda q: q.take(2))); d.apply(lambda q: 3)
    list(D.counter(5, 2).take(3)); D.counter().cardinality(); D.from_tensors(4).get_single_element()
    d.get_single_element(); iter(d).get_next(); iter(D.range(0)).get_next(); iter(d).element_spec
    iter(D.range(0)).get_next_as_optional().has_value(); next(d.as_numpy_iterator())
    list(D.from_tensors({"a": (1, [2.0, 3.0])}).as_numpy_iterator()); repr(d); D.random(4).cardinality()
    list(D.choose_from_datasets([D.range(3), D.range(10, 13)], D.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))))
    sorted([int(n) for n in D.sample_from_datasets([D.range(3), D.range(10, 13)], [0.5, 0.5], 1)])
    list(d.group_by_window(lambda n: n % 2, lambda k, w: w.batch(3), window_size=3))
    D.sample_from_datasets([d, d]).cardinality(); list(D.from_generator(lambda: range(3), output_types=tf.int32))
    D.from_generator(lambda: range(3), tf.int32).element_spec
    list(D.from_generator(lambda n: range(n), args=(4,), output_signature=tf.TensorSpec((), tf.int64)))
    list(D.from_generator(lambda: iter([(1, [2.0, 3.0])]), (tf.int32, tf.float32), ((), (2,))))
    D.from_generator(3, tf.int32)
    list(D.from_generator(lambda: iter([[1, 2]]), output_signature=tf.TensorSpec((3,), tf.int32)))
    D.from_generator(range); list(D.from_generator(lambda: iter(["a"]), tf.int32))
    list(D.from_generator(lambda: iter([1.5, 2]), tf.int32, ()))
    list(d.apply(tf.data.experimental.assert_cardinality(10)))
    list(d.apply(tf.data.experimental.assert_cardinality(11))); tf.data.experimental.cardinality(d)
    tf.data.experimental.get_structure(d); tf.data.experimental.get_structure(3)
    tf.data.experimental.get_single_element(d.take(1))
    tf.data.experimental.get_next_as_optional(iter(d)).get_value()
"""
_OF_RAGGED = """
    g.element_spec; list(g.padded_batch(2)); list(g.padded_batch(2, padded_shapes=[5]))
    list(g.padded_batch(2, [2])); list(g.padded_batch(2, padding_values=tf.constant(-1, tf.int64)))
    g.padded_batch(2, padding_values=1.5); g.padded_batch(3).element_spec
    g.padded_batch(3, [5], drop_remainder=True).element_spec; g.padded_batch(2, [2, 3])
    list(D.zip(g, d).padded_batch(2, ([4], []), (np.int64(7), np.int64(0)))); list(g.batch(2))
    list(g.bucket_by_sequence_length(lambda n: tf.shape(n)[0], [3], [2, 2]))
"""
_LISTS = """
    a.write(0, u).stack(); a.read(0); a.write(0, s).read(0); a.write(3, s); a.write(-1, s); a.read(5); a.read(-1)
    a.write(0, u[:1]).write(1, u); [a.write(0, s).read(0), a.read(0)]; a.unstack(x).stack(); a.unstack(x).size()
    a.unstack(n).gather([2, 0]); a.unstack(u).concat(); a.unstack(n).concat(); a.scatter([2, 0, 1], n).stack()
    a.scatter([2, 0], x).stack(); a.scatter([2, 5], x); a.split(u, [1, 2, 0]).concat(); a.split(u, [1, 2])
    a.split(u, [1, 1, 0]); a.split(s, [1]); a.grad("x"); a.flow; a.element_shape; a.write(0, u).element_shape
    a.write(0, s).gather([0, 1]); a.stack(); a.identity() is a; a.close(); tf.TensorArray(x.dtype, 0).stack()
    tf.TensorArray(x.dtype, 2, element_shape=(2,)).stack(); tf.TensorArray(x.dtype)
    tf.TensorArray(x.dtype, 0, True).write(4, s).stack(); tf.TensorArray(x.dtype, 0, True).write(4, s).size()
    tf.TensorArray(x.dtype, 2, element_shape=(3,)).write(0, u[:1]); tf.TensorArray(x.dtype, 2).dynamic_size
"""
_GENERATORS = """
    g.state; g.algorithm; g.key; g.skip(3); g.split(2)[1].state.shape; g.make_seeds(2).shape
    g.uniform([2], dtype=tf.int32); g.uniform([2], 5, dtype=tf.int32); g.uniform_full_int([2], tf.float32)
    g.binomial([2], [10.0], [0.5]); g.normal([2], [1.0, 2.0], [0.0, 0.0]); g.normal([2], 1, 0)
    tf.random.Generator.from_key_counter(4, [5, 6], "philox").state
    tf.random.Generator.from_state([1, 2], "threefry").algorithm
    tf.random.Generator.from_state([1, 2, 3], "threefry"); tf.random.Generator.from_seed(1, alg="x")
    tf.random.Generator(); tf.random.Generator.from_seed(-1).state; tf.random.Generator.from_seed(2**65 + 3).state
    tf.random.Generator(g).state; tf.random.get_global_generator() is tf.random.get_global_generator()
    tf.random.create_rng_state(5, "philox"); tf.random.create_rng_state([5, 6], 1)
    tf.random.create_rng_state(5, "threefry")
"""
_STATES = """
    g.normal([300]); g.uniform([3]); g.uniform([0]); g.uniform([9], maxval=9, dtype=tf.int64)
    g.uniform_full_int([2]); g.truncated_normal([9]); g.binomial([2], [10.0, 3.0], [0.5, 0.2]); g.split(2)
    g.make_seeds(); g.reset([1, 2, 3]); g.reset_from_seed(9); g.reset_from_key_counter(4, [5, 6]); g.skip(2**64)
    tf.random.set_global_generator(g)
"""
_ROWS = "add sub mul min max update"


def _each(before: str, expressions: str, after: str = "") -> str:
    """A sample for each expression, which are divided by semicolons."""
    found = [e.strip() for line in expressions.strip().splitlines() for e in line.split("; ")]
    return "".join(f"    {before}{e}{after}\n" for e in found)


_TAPE = "g = tf.GradientTape(persistent=True); g.__enter__(); g.watch(x); "
_ALONG = "a = tf.autodiff.ForwardAccumulator(x, z); a.__enter__(); "
_TAPE_END, _ALONG_END = "; g.__exit__(None, None, None); ", "; a.__exit__(None, None, None); "
_DERIVATIVES = "".join(
    f"    {line}\n"
    for line in (
        f"{_TAPE}t = x * x{_TAPE_END}g.batch_jacobian(t, x)",
        f"{_TAPE}t = tf.matmul(x, m){_TAPE_END}g.batch_jacobian(t, x, experimental_use_pfor=False)",
        f"{_TAPE}t = z * 2.0{_TAPE_END}g.batch_jacobian(t, x)",
        f"{_TAPE}t = x[:1] * x[:1]{_TAPE_END}g.batch_jacobian(t, x)",
        f"{_TAPE}t = tf.reduce_sum(x, 1){_TAPE_END}g.batch_jacobian(t, x)",
        f"{_TAPE}t = x * x{_TAPE_END}[g.jacobian(t, [x, z]), g.gradient(t, x)]",
        f'{_TAPE}t = z * 2.0{_TAPE_END}g.jacobian(t, x, unconnected_gradients="zero")',
        f'{_TAPE}t = x * x{_TAPE_END}g.gradient(t, x, unconnected_gradients="none of both")',
        f"{_ALONG}t = x * x * u{_ALONG_END}[a.jvp(t), a.jvp(x), a.jvp([z * 2.0])]",
        f'{_ALONG}t = z * 2.0{_ALONG_END}a.jvp(t, "zero")',
        f"{_ALONG}{_TAPE}t = x * x * x{_TAPE_END}t = g.gradient(t, x){_ALONG_END}a.jvp(t)",
        f"{_TAPE}{_ALONG}t = x * x * x{_ALONG_END}t = a.jvp(t){_TAPE_END}g.gradient(t, x)",
        f"v = tf.Variable(x); {_ALONG.replace('(x', '(v')}t = v * v{_ALONG_END}a.jvp(t)",
        "tf.autodiff.ForwardAccumulator([x, x], [z, z])",
    )
)

_NESTED = "m = tf.Module(); m.v = tf.Variable(x, trainable=False); m.n = tf.Module(); m.n.w = tf.Variable(u); "
_ENTER, _EXIT = "a.__enter__(), b.__enter__()", "b.__exit__(1, 1, 1), a.__exit__(1, 1, 1)"
_MODULES = f"""
    m = tf.Module(); m.b = [tf.Variable(x), {{"z": tf.Variable(z), "c": tf.Variable(u)}}]; m.a = m.b[0]; m.variables
    {_NESTED}m.trainable_variables
    {_NESTED}m.non_trainable_variables
    m = tf.Module(); m.n = (tf.Module("p"), {{"q": tf.Module("r")}}); m.n[0].up = m; [n.name for n in m.submodules]
    m = tf.Module("a b")
    m = tf.Module("a"); f = tf.Module.with_name_scope(lambda self: tf.Variable(s, name="w").name); f(m)
    type("MyHTTPNet2", (tf.Module,), {{}})().name
    m = tf.Module(); m.v = {{1: tf.Variable(u), "a": tf.Variable(s)}}; m.variables
    [(p, v) for p, v in (lambda m: setattr(m, "a", [tf.Variable(u)]) or m)(tf.Module())._flatten(with_path=True)][-1]
    a = tf.name_scope("a"); b = tf.name_scope("b"); [{_ENTER}, tf.Variable(s).name, {_EXIT}, a.name]
    a = tf.name_scope("a"); b = tf.name_scope("z/"); [{_ENTER}, tf.Variable(s).name, {_EXIT}]
"""

SAMPLES = (
    "int64:\n"
    + _each(_DATA, _DATASETS)
    + _each(_RAGGED, _OF_RAGGED)
    + "float32:\n"
    + _each("a = tf.TensorArray(x.dtype, size=3); ", _LISTS)
    + _each("g = tf.random.Generator.from_seed(7); ", _GENERATORS)
    + _each("g = tf.random.Generator.from_seed(7); ", _STATES, "; g.state")
    + _MODULES
    + """
    tf.name_scope(3)
    v = tf.Variable(x); v += 1
    v = tf.Variable(x); v.set_shape([2, 4])
    v = tf.Variable(x); v.initial_value
    v = tf.Variable(x); v.op
    v = tf.Variable(x); v.eval()
    v = tf.Variable(x); [v.initializer, v.constraint, v.trainable, v.assign_add(z, read_value=False)]
    v = tf.Variable(x); v.sparse_read([1, 0, 1])
    v = tf.Variable(x); v.scatter_add(3)
    v = tf.Variable(x); v.scatter_add(tf.IndexedSlices(u[None], tf.constant([2])))
    v = tf.Variable(x); v.scatter_nd_max([[0, 1]], [9.0])
    v = tf.Variable(x); v.scatter_nd_min([[0, 1]], [-9.0])
    v = tf.Variable(x); v.batch_scatter_update(tf.IndexedSlices(u[:2], tf.constant([2, 0])))
    v = tf.Variable(x); v.count_up_to(3)
    v = tf.Variable(1); [v.count_up_to(3), v.count_up_to(3), v.value()]
    v = tf.Variable(3); v.count_up_to(3)
    v = tf.Variable(u, shape=[None]); v.assign([1.0])
    v = __import__("copy").deepcopy(tf.Variable(x)); v.assign_add(z)
    t = tf.IndexedSlices(u, tf.constant([2, 0, 1])); [(-t).values, t.shape, t.dtype]
    tf.gradients(x, u)
    tf.hessians(x, u)
"""
    + _DERIVATIVES
    + "".join(
        f"    v = tf.Variable(x); v.scatter_{n}(tf.IndexedSlices(z[1:], tf.constant([0])))\n" for n in _ROWS.split()
    )
    + """
    v = tf.Variable(x); v.scatter_div(tf.IndexedSlices(p[1:], tf.constant([0])))
floats:
    [tf.zeros_initializer()((2,), x.dtype), tf.ones_initializer()([2, 3], x.dtype)]
    tf.constant_initializer(2.5)((2,), x.dtype)
    tf.random_normal_initializer(seed=1)((2, 3), x.dtype)  # shape
    tf.random_uniform_initializer(seed=1)((2, 3), x.dtype)  # shape
    tf.random.Generator.from_seed(1).normal([2, 3], dtype=x.dtype)  # shape
    tf.random.Generator.from_seed(1).uniform([2, 3], dtype=x.dtype)  # shape
    tf.random.Generator.from_seed(1).truncated_normal([2, 3], dtype=x.dtype)  # shape
int32 int64:
    tf.random.split([1, 2], 3)  # shape
    tf.random.split([1, 2, 3])
    tf.random.fold_in([1, 2], 3)  # shape
    tf.random.stateless_binomial([3, 2], [1, 2], [10.0, 2.0], [0.5, 0.1], x.dtype)  # shape
    tf.random.stateless_binomial([3], [1, 2], 10.0, 1.0, x.dtype)
    tf.random.stateless_binomial([3], [1, 2], [10.0], [0.5], x.dtype)
    tf.random.stateless_binomial([3], [1, 2], 10.0, 0.5, tf.uint8)
    tf.random_normal_initializer()((2, 3), x.dtype)
    tf.constant_initializer({1})
    tf.constant_initializer([1, 2])((3,), x.dtype)
    tf.nest.assert_same_structure([1, (2, {"a": 3})], [x, (2, {"a": u})])
    tf.nest.assert_same_structure([1, 2], [1])
    tf.nest.assert_same_structure([1, 2], (1, 2))
    tf.nest.assert_same_structure([1, 2], (1, 2), check_types=False)
    tf.nest.assert_same_structure({"a": 1}, {"b": 1})
    tf.nest.assert_same_structure(1, [1])
"""
)

#: What differs from TensorFlow: a sample -> (why, the dtypes, the backends), empty for all.
DIFFERS: dict[str, tuple[str, str, str]] = {}

#: The signatures that differ, and why.
SIGNATURES: dict[str, str] = {}
