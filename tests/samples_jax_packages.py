"""What packages written for JAX ask for, in JAX and in its dialect: see `dialect_answers`."""
# ruff: noqa: E501

from __future__ import annotations

STATISTICS = """
wide:
    jax.scipy.stats.norm.logpdf(x, 0.5, 2), jax.scipy.stats.norm.pdf(x, 1), jax.scipy.stats.norm.cdf(x), jax.scipy.stats.norm.logcdf(x, 1, p), jax.scipy.stats.norm.sf(x), jax.scipy.stats.norm.logsf(x), jax.scipy.stats.norm.ppf(q, 1, 2), jax.scipy.stats.norm.isf(q)  # tolerance=1e-4
    jax.scipy.stats.expon.logpdf(x), jax.scipy.stats.expon.pdf(x, -1, 2), jax.scipy.stats.expon.cdf(x), jax.scipy.stats.expon.logcdf(x), jax.scipy.stats.expon.sf(x), jax.scipy.stats.expon.logsf(x), jax.scipy.stats.expon.ppf(q)  # tolerance=1e-4
    jax.scipy.stats.cauchy.logpdf(x), jax.scipy.stats.cauchy.pdf(x, 1, 2), jax.scipy.stats.cauchy.cdf(x), jax.scipy.stats.cauchy.logcdf(x), jax.scipy.stats.cauchy.sf(x), jax.scipy.stats.cauchy.logsf(x), jax.scipy.stats.cauchy.ppf(q), jax.scipy.stats.cauchy.isf(q)  # tolerance=1e-4
    jax.scipy.stats.laplace.logpdf(x), jax.scipy.stats.laplace.pdf(x, 1, 2), jax.scipy.stats.laplace.cdf(x)  # tolerance=1e-4
    jax.scipy.stats.logistic.logpdf(x), jax.scipy.stats.logistic.pdf(x, 1, 2), jax.scipy.stats.logistic.cdf(x), jax.scipy.stats.logistic.sf(x), jax.scipy.stats.logistic.ppf(q), jax.scipy.stats.logistic.isf(q)  # tolerance=1e-4
    jax.scipy.stats.uniform.logpdf(x), jax.scipy.stats.uniform.pdf(x, -1, 3), jax.scipy.stats.uniform.cdf(x), jax.scipy.stats.uniform.ppf(q, 1, 2)
    jax.scipy.stats.gumbel_r.logpdf(x), jax.scipy.stats.gumbel_r.pdf(x), jax.scipy.stats.gumbel_r.cdf(x, 1, 2), jax.scipy.stats.gumbel_r.logcdf(x), jax.scipy.stats.gumbel_r.sf(x), jax.scipy.stats.gumbel_r.logsf(x), jax.scipy.stats.gumbel_r.ppf(q)  # tolerance=1e-4
    jax.scipy.stats.gumbel_l.logpdf(x), jax.scipy.stats.gumbel_l.pdf(x), jax.scipy.stats.gumbel_l.cdf(x, 1, 2), jax.scipy.stats.gumbel_l.logcdf(x), jax.scipy.stats.gumbel_l.sf(x), jax.scipy.stats.gumbel_l.logsf(x), jax.scipy.stats.gumbel_l.ppf(q)  # tolerance=1e-4
    jax.scipy.stats.gamma.logpdf(x, 2.5), jax.scipy.stats.gamma.pdf(x, p), jax.scipy.stats.gamma.cdf(x, 2.5), jax.scipy.stats.gamma.logcdf(p, 2.5), jax.scipy.stats.gamma.sf(x, 2.5), jax.scipy.stats.gamma.logsf(x, 2.5)  # tolerance=1e-4
    jax.scipy.stats.chi2.logpdf(x, 2.5), jax.scipy.stats.chi2.pdf(x, p), jax.scipy.stats.chi2.cdf(x, 2.5), jax.scipy.stats.chi2.logcdf(p, 2.5), jax.scipy.stats.chi2.sf(x, 2.5), jax.scipy.stats.chi2.logsf(x, 2.5)  # tolerance=1e-4
    jax.scipy.stats.beta.logpdf(q, 2, 3), jax.scipy.stats.beta.pdf(x, 2, 3), jax.scipy.stats.beta.cdf(q, 2, 3), jax.scipy.stats.beta.logcdf(q, 2, 3), jax.scipy.stats.beta.sf(q, 2, 3), jax.scipy.stats.beta.logsf(q, 2, 3)  # tolerance=1e-4
    jax.scipy.stats.pareto.logpdf(x, 2), jax.scipy.stats.pareto.pdf(p, 2), jax.scipy.stats.pareto.cdf(x, 2), jax.scipy.stats.pareto.logcdf(p, 2), jax.scipy.stats.pareto.sf(x, 2), jax.scipy.stats.pareto.logsf(x, 2), jax.scipy.stats.pareto.ppf(q, 2)  # tolerance=1e-4
    jax.scipy.stats.t.logpdf(x, 3), jax.scipy.stats.t.pdf(x, p, 1, 2)  # tolerance=1e-4
    jax.scipy.stats.gennorm.logpdf(x, 1.5), jax.scipy.stats.gennorm.pdf(x, 1.5), jax.scipy.stats.gennorm.cdf(x, 1.5)  # tolerance=1e-4
    jax.scipy.stats.vonmises.logpdf(x, 2), jax.scipy.stats.vonmises.pdf(x, p)  # tolerance=1e-4
    jax.scipy.stats.wrapcauchy.logpdf(p, 0.5), jax.scipy.stats.wrapcauchy.pdf(x, 0.5)  # tolerance=1e-4
    jax.scipy.stats.truncnorm.logpdf(x, -2, 2), jax.scipy.stats.truncnorm.pdf(x, -2, 2), jax.scipy.stats.truncnorm.cdf(x, -2, 2), jax.scipy.stats.truncnorm.logcdf(x, 1, 8), jax.scipy.stats.truncnorm.sf(x, -2, 2), jax.scipy.stats.truncnorm.logsf(x, -2, 2)  # tolerance=1e-3
    jax.scipy.stats.bernoulli.logpmf(i, q), jax.scipy.stats.bernoulli.pmf(i, q), jax.scipy.stats.bernoulli.cdf(x, 0.3), jax.scipy.stats.bernoulli.ppf(q, 0.3)  # tolerance=1e-4
    jax.scipy.stats.binom.logpmf(i, 5, q), jax.scipy.stats.binom.pmf(i, 5, q)  # tolerance=1e-4
    jax.scipy.stats.nbinom.logpmf(i, 5, q), jax.scipy.stats.nbinom.pmf(i, 5, 0.3)  # tolerance=1e-4
    jax.scipy.stats.betabinom.logpmf(i, 5, p, 2), jax.scipy.stats.betabinom.pmf(i, 5, 2, 3.5)  # tolerance=1e-4
    jax.scipy.stats.geom.logpmf(i, q), jax.scipy.stats.geom.pmf(i, 0.3)  # tolerance=1e-4
    jax.scipy.stats.poisson.logpmf(i, p), jax.scipy.stats.poisson.pmf(x, 2), jax.scipy.stats.poisson.cdf(x, p)  # tolerance=1e-4
    jax.scipy.stats.poisson.entropy(p)  # tolerance=1e-3
    jax.scipy.stats.multinomial.logpmf(k[:2], 3, q[0, :2] / 0.375), jax.scipy.stats.multinomial.pmf(k[:2], 3, q[0, :2] / 0.375)  # tolerance=1e-4
    jax.scipy.stats.dirichlet.logpdf(u / 6, u), jax.scipy.stats.dirichlet.pdf(u[:2] / 6, u)  # tolerance=1e-4
    jax.scipy.stats.dirichlet.logpdf(u, m), jax.scipy.stats.norm.ppf(i)
    jax.scipy.stats.multivariate_normal.logpdf(u, v, h), jax.scipy.stats.multivariate_normal.pdf(x, v, h), jax.scipy.stats.multivariate_normal.logpdf(u, v, 2)  # tolerance=1e-4
    jax.scipy.stats.sem(x), jax.scipy.stats.sem(x, 1, ddof=0, keepdims=True), jax.scipy.stats.sem(x, None)
    jax.scipy.stats.gaussian_kde(u).evaluate(v), jax.scipy.stats.gaussian_kde(u, "silverman").integrate_box_1d(0.0, 2.0), jax.scipy.stats.gaussian_kde(x, weights=u).covariance  # tolerance=1e-3
reals:
    jax.scipy.stats.mode(i), jax.scipy.stats.mode(x, axis=None), jax.scipy.stats.mode(i, axis=1, keepdims=True)
    jax.scipy.stats.rankdata(x), jax.scipy.stats.rankdata(i, "min"), jax.scipy.stats.rankdata(i, "max", axis=1), jax.scipy.stats.rankdata(i, "dense"), jax.scipy.stats.rankdata(u, "ordinal")
    jax.scipy.stats.norm.logpdf(x, 1, 2)  # tolerance=3e-2
complex64:
    jax.scipy.stats.norm.logpdf(x)
"""

IMAGES = """
wide:
    jax.image.resize(img, (1, 2, 7, 6), "linear"), jax.image.resize(img, (1, 2, 2, 3), "bilinear", antialias=False)  # tolerance=1e-4
    jax.image.resize(img, (1, 2, 2, 3), "cubic"), jax.image.resize(img, (1, 2, 9, 4), "lanczos3"), jax.image.resize(img, (1, 2, 3, 4), "lanczos5")  # tolerance=1e-4
    jax.image.resize(img, (1, 2, 7, 3), "nearest"), jax.image.resize(img, (1, 2, 4, 4), jax.image.ResizeMethod.LINEAR)
    jax.image.resize(img, (2, 3), "linear")
    jax.image.resize(img, (1, 2, 4, 4), "foo")
    jax.image.scale_and_translate(x, (4, 5), (0, 1), u[:2], v[:2], "linear"), jax.image.scale_and_translate(x, (4, 3), (0,), u[1:2], v[:1], "cubic", antialias=False)  # tolerance=1e-4
    jax.image.scale_and_translate(x, (4, 5), (0, 1), u[:2], v[:2], "nearest")
ints:
    jax.image.resize(x, (3, 4), "linear"), jax.image.resize(x, (3, 4), "nearest")  # tolerance=1e-4
"""

NAMED_AXES = """
float32:
    jax.vmap(lambda v: lax.psum(v, "a"), axis_name="a")(x), jax.vmap(lambda v: lax.pmean(v, "a"), axis_name="a")(x), jax.vmap(lambda v: lax.pmax(v, "a"), axis_name="a")(x), jax.vmap(lambda v: lax.pmin(v, "a"), axis_name="a")(x)
    jax.vmap(lambda v: v - lax.pmean(v, "a"), axis_name="a", out_axes=1)(x)
    jax.vmap(lambda v: lax.psum(1, "a") * v, axis_name="a")(x), jax.vmap(lambda v: v * lax.axis_size("a"), axis_name="a")(x)
    jax.vmap(lambda v: v + lax.axis_index("a"), axis_name="a")(x)
    jax.vmap(lambda v: lax.all_gather(v, "a"), axis_name="a")(x), jax.vmap(lambda v: lax.all_gather(v, "a", axis=1), axis_name="a")(x), jax.vmap(lambda v: lax.all_gather(v, "a", tiled=True), axis_name="a")(x)
    jax.vmap(lambda v: lax.all_to_all(v, "a", 0, 0), axis_name="a")(m), jax.vmap(lambda v: lax.pswapaxes(v, "a", 0), axis_name="a")(m)
    jax.vmap(lambda v: lax.ppermute(v, "a", [(0, 1), (1, 2), (2, 0)]), axis_name="a")(m), jax.vmap(lambda v: lax.pshuffle(v, "a", [2, 0, 1]), axis_name="a")(m)
    jax.vmap(lambda v: lax.psum_scatter(v, "a"), axis_name="a")(m), jax.vmap(lambda v: lax.ppermute(v, "a", [(0, 1)]), axis_name="a")(m)
    jax.vmap(lambda v: lax.pbroadcast(v, "a", 1), axis_name="a")(m)
    f = jax.custom_batching.custom_vmap(lambda v, w: v + w); f.def_vmap(lambda n, differ, v, w: ((v * w + n, w), (True, differ[1])) if False else (v * w + n, True)); f(x, x), jax.vmap(f)(x, x), jax.jit(jax.vmap(lambda v: f(v * 2, w=v) + 1))(x), jax.vmap(f, in_axes=(1, None), out_axes=1)(n, n[:, 0]), jax.vmap(lambda v: f(v, v), axis_size=2)(x)
    f = jax.custom_batching.custom_vmap(lambda t, w: {"s": t["a"] * w}); f.def_vmap(lambda n, differ, t, w: ({"s": t["a"] * w.sum()}, {"s": differ[0]["a"]})); jax.vmap(f, in_axes=(None, 0))({"a": s}, u), jax.vmap(jax.vmap(f, in_axes=(0, None)), in_axes=(None, 0))({"a": v}, u), jax.vmap(f)({"a": u}, u)
    f = jax.custom_batching.custom_vmap(lambda v: v * 2); f.def_vmap(lambda n, differ, v: (v.sum(), False)); jax.vmap(f)(u), jax.vmap(lambda v: f(v) + f(v * 2), axis_name="a")(u)
    f = jax.custom_batching.custom_vmap(lambda v: v * 2); f.def_vmap(lambda n, differ, v: ((v, v), True)); jax.vmap(f)(u)
    f = jax.custom_batching.custom_vmap(lambda v: v * 2); f(u)
    f = jax.custom_batching.sequential_vmap(lambda v: v * 2); jax.vmap(f)(u)
    jax.vmap(jax.vmap(lambda v: lax.psum(v, ("a", "b")) + lax.psum(v, "a"), axis_name="a"), axis_name="b")(x)
    jax.vmap(lambda t: {"s": lax.psum(t, "a")}, axis_name="a")({"x": x, "y": i})
    jax.vmap(lambda v, w: lax.psum(v * w, "a"), in_axes=(1, None), axis_name="a")(x, 2.0)
    jax.vmap(lambda v: lax.psum(v, "a", axis_index_groups=[[0, 2], [1, 3]]), axis_name="a")(r.reshape(4, 6))
    jax.vmap(lambda: lax.axis_index("a"), axis_name="a", axis_size=3)(), jax.vmap(lambda v: v, in_axes=None, axis_size=2)(u)
    jax.grad(lambda y: (jax.vmap(lambda v: (v - lax.pmean(v, "a")) ** 3, axis_name="a")(y)).sum())(x)  # tolerance=1e-4
    jax.vmap(jax.grad(lambda v: lax.psum(v**2, "a")), axis_name="a")(u), jax.vmap(lambda v: jax.grad(lambda w: w**2)(lax.psum(v, "a")), axis_name="a")(u)
    jax.jvp(jax.vmap(lambda v: lax.psum(jnp.sin(v), "a"), axis_name="a"), (u,), (v,))
    lax.psum(x, "a")
    jax.vmap(lambda v: lax.psum(v, "b"), axis_name="a")(x)
    jax.pmap(lambda v: v * 2)(x[:1]), jax.pmap(lambda v: lax.psum(v, "a"), axis_name="a")(x[:1]), jax.pmap(lambda v, k: v * k, static_broadcasted_argnums=1)(x[:1], 3)
    jax.pmap(lambda v: v)(x)
"""

PROGRAMS = """
float32:
    jax.make_jaxpr(lambda v: jnp.sin(v) + 1)(x).out_avals[0].shape, len(jax.make_jaxpr(lambda v: (v, v))(x).jaxpr.outvars), len(jax.make_jaxpr(lambda v, w: v)(x, x).in_avals)
    jax.make_jaxpr(lambda v: v * 2, return_shape=True)(x)[1].shape
    c = jax.make_jaxpr(lambda v: jnp.sin(v) * 2)(x); jax.core.eval_jaxpr(c.jaxpr, c.consts, x)
    c = jax.make_jaxpr(lambda v, k: v * k, static_argnums=1)(x, 3); jax.core.eval_jaxpr(c.jaxpr, c.consts, x)
    jax.make_jaxpr(3)
    jax.debug.print("{} {a:.2f}", 1, a=s), jax.debug.callback(lambda v: None, x)
    jax.debug.print("{}", 1, 2)
    jax.debug.callback(3)
    found = []; jax.jit(lambda v: jax.debug.callback(lambda w: found.append(w.sum()), v) or v)(x); [float(f) for f in found]
    jax.pure_callback(lambda v: v * 2, jax.ShapeDtypeStruct((2, 3), "float32"), x), jax.jit(lambda w: jax.pure_callback(lambda v: v + 1, jax.ShapeDtypeStruct((2, 3), "float32"), w))(x)
    f, held = jax.closure_convert(lambda v: v * s, x); f(x, *held)
    isinstance(x, jax.core.Tracer), jax.grad(lambda v: (v.sum(), isinstance(v, jax.core.Tracer)), has_aux=True)(x)[1]
    isinstance(jax.random.key(0), jax.Array), jnp.issubdtype(jax.random.key(0).dtype, jax.dtypes.prng_key), jnp.issubdtype(x.dtype, jax.dtypes.prng_key), len(jax.tree.leaves([jax.random.key(0)]))
    jax.random.key_data(jnp.stack([jax.random.key(0), jax.random.key(1)])), jnp.concatenate([jax.random.split(jax.random.key(0))] * 2).shape, jax.random.key_data(jnp.array([jax.random.key(0)])), jnp.asarray(jax.random.key(0)).shape, jnp.broadcast_to(jax.random.key(0), (2,)).shape, str(jax.typeof(jax.random.key(0)).dtype)
    lax.scan(lambda c, k: (c, jax.random.normal(k)), s, jax.random.split(jax.random.key(0), 3))[1]
    g = jax.random.split(jax.random.key(0), 4); g == g[0], g != jax.random.key(1), jnp.isclose(g, g), g == "a", jax.random.key_data(g.at[1].set(g[0])), jax.random.key_data(g.at[1:3].get())
    g = jax.random.split(jax.random.key(0), 4).reshape(2, 2); [jax.random.key_data(o) for o in (g.T, jnp.moveaxis(g, 0, 1), jnp.flip(g), jnp.take(g, 1, axis=0), jnp.tile(g, 2), jnp.where(jnp.array([True, False]), g, g[0, 0]), lax.dynamic_slice(g, (0, 1), (2, 1)), lax.select(jnp.array(True), g, g), *jnp.split(g, 2), g[..., 0], g[None])]
    jax.random.key(0) == 1
    g = jax.random.key(0); jax.eval_shape(lambda n: jax.random.key_data(jax.random.fold_in(g, n)), jnp.int32(3)).shape, lax.cond(True, lambda n: jax.random.normal(jax.random.fold_in(g, n)), lambda n: 1.0, 3)
    jax.jvp(lambda v, n: (v * n, n + 1), (u, jnp.arange(3)), (v, __import__("numpy").zeros((3,), jax.dtypes.float0)))[1][0], jax.jvp(lambda v: (v, 1), (u,), (v,))[1][1].dtype.names
    jax.jvp(lambda v, n: v * n, (u, jnp.arange(3)), (v, jnp.arange(3)))
    o, pull = jax.vjp(lambda v, n: (v * n, n), u, jnp.arange(3)); g = pull((v, __import__("numpy").zeros((3,), jax.dtypes.float0))); (o, g[0], g[1].dtype.names)
    f = jax.custom_vjp(lambda a, c: a * c); f.defvjp(lambda a, c: ((lambda b, d: (b * d, (d, a.perturbed)))(*jax.tree.map(lambda t: t.value, (a, c)))), lambda res, ct: (ct * res[0] * 5, None), symbolic_zeros=True); jax.grad(lambda a: f(a, 2.0).sum())(u), f(u, v)
    found = []; f = jax.jit(lambda a, c: found.append(isinstance(a, jax.core.Tracer)) or {"a": a * c, "c": c}); f(u, 2.0), f(v, 3.0), found, f(i, i), len(found), f._cache_size()
    f = jax.jit(lambda a, n: a * n + 1, static_argnums=1); t = f.lower(u, 3); t.compile()(v), t.out_info.shape, t.args_info[0][0].shape, f.eval_shape(u, 3).shape, f.trace(u, 3).fun_name
    jax.jit(lambda a: a * 2).lower(u).compile()(x)
    found = []; g = jax.jit(lambda a: (lambda c: found.append(isinstance(c, jax.core.Tracer)))(jnp.sum(jnp.arange(3) * 2)) or a); found, g(u)
    jax.devices("foo")
    C = type("C", (), {}); jax.tree_util.register_pytree_node(C, lambda c: ((), 5), lambda k, ch: k); jax.jit(lambda v: (C(), v))(x)[0], jax.tree.map(lambda v: v, [C()])
    b = __import__("io").BytesIO(); jnp.save(b, x); b.seek(0); jnp.load(b)
    isinstance(1.5, jax.typing.ArrayLike), isinstance("a", jax.typing.ArrayLike), isinstance(x, jax.typing.ArrayLike)
    C = type("C", (), {}); jax.tree_util.register_pytree_node(C, lambda c: ((c.a,), {"k": [1]}), lambda k, ch: (k, ch)); c = C(); c.a = x; jax.tree.map(lambda v: v + 1, c)
    len(x.sharding.device_set), jax.device_put(x, x.sharding)
    jax.flatten_util.ravel_pytree({"a": x, "b": (s, u)})[0], jax.flatten_util.ravel_pytree({"a": x, "b": (s, k)})[1](jax.flatten_util.ravel_pytree({"a": x, "b": (s, k)})[0])
    jax.flatten_util.ravel_pytree([])[0], jax.flatten_util.ravel_pytree([x])[1](jnp.arange(6))[0]
    jax.flatten_util.ravel_pytree([x])[1](u)
    jax.tree.broadcast({"a": 1, "b": 2}, {"a": [0, 0], "b": 0}), jax.tree.reduce_associative(lambda a, c: a + c, [1, 2, 3])
    jax.tree_util.tree_broadcast(1, [0, (0,)]), jax.tree_util.tree_reduce_associative(lambda a, c: a + c, [], identity=5)
    C = type("C", (), {}); jax.tree_util.register_pytree_with_keys(C, lambda c: ([(jax.tree_util.GetAttrKey(n), d) for n, d in sorted(vars(c).items())], None), lambda _, ch: ch); o, p = C(), C(); o.a, p.b, p.c = 1, 2, [None, 3]; [(str(q), w) for q, w in jax.tree_util.tree_flatten_with_path({"y": p, "x": o})[0]]
    [(jax.tree_util.keystr(q), w) for q, w in jax.tree_util.tree_leaves_with_path({"a": [1, (2, 3)], "b": (4,)}, is_leaf=lambda q, w: len(q) == 2, is_leaf_takes_path=True)]
    [c in __import__(jax.__name__ + "._src.tree_util", fromlist="_registry")._registry for c in (list, dict, tuple, type(None), type(x), type(jax.random.key(0)), int)]
    (lambda t: t.compose(t))(jax.tree.structure({"a": [1, 2]})) == jax.tree.structure({"a": [{"a": [1, 2]}, {"a": [3, 4]}]})
    jax.eval_shape(lambda: {"a": jax.ShapeDtypeStruct((2,), "float32")})["a"].shape, jax.jit(lambda a: jax.make_jaxpr(lambda c: c * 2)(a).out_avals[0].shape and a)(u), jax.eval_shape(lambda a: jax.make_jaxpr(lambda c: c * 2)(a).out_avals[0].shape and a, u).shape
    jax.tree_util.DictKey(key="a") == jax.tree_util.DictKey("a"), str(jax.tree_util.SequenceKey(idx=1)), str(jax.tree_util.GetAttrKey(name="b"))
    jax.typeof(x).shape, jax.core.get_aval(x).dtype if hasattr(jax.core, "get_aval") else x.dtype
    str(jax.P("a", None)), jax.P("a") == jax.P("a"), jax.make_mesh((1,), ("a",)).shape["a"]
    r = jax.new_ref(u); r[0] = 5.0; r[...] = r[...] * 2; jax.freeze(r)
    jax.shard_map(lambda v: lax.psum(v, "a"), mesh=jax.make_mesh((1,), ("a",), axis_types=(jax.sharding.AxisType.Auto,)), in_specs=jax.P("a"), out_specs=jax.P())(u)
    jax.reshard(x, None) if False else x
    jax.set_mesh(jax.make_mesh((1,), ("a",))) if False else jax.make_mesh((1,), ("a",)).axis_names
    lax.dtype(x), lax.broadcast_like(s, x), lax.empty((2,), "int8").shape, lax.optimization_barrier((x, 1))[0], lax.with_sharding_constraint(x, jax.P()) if False else x
    o = __import__(jax.__name__ + ".example_libraries.optimizers", fromlist="adam").adam(0.1); o.params_fn(lax.fori_loop(0, 3, lambda n, t: o.update_fn(n, jax.grad(lambda p: ((p["a"] - 1) ** 2).sum())(o.params_fn(t)), t), o.init_fn({"a": u})))  # tolerance=1e-4
    lax.cond(s > 1, u, lambda a: a * 2, v, lambda a: a - 1), lax.cond(s < 1, u, lambda a: a * 2, v, lambda a: a - 1), lax.cond(s < 1, lambda: jnp.float32(1), lambda: 1.0), lax.cond(s < 1, lambda: 1.0, lambda: jnp.float32(1))
    lax.platform_dependent(x, default=lambda v: v * 2), lax.platform_dependent(x, cpu=lambda v: v + 1, default=lambda v: v)
    lax.approx_max_k(u, 2), lax.approx_min_k(u, 2)
    lax.exp_p.bind(x), lax.add_p.bind(x, x), lax.tanh_p.bind(x), lax.neg_p.bind(x)
    jax.scipy.special.expi(x), jax.scipy.special.exp1(p), jax.scipy.special.expi(p * 8)  # tolerance=1e-4
    jax.random.ball(jax.random.key(3), 3), jax.random.ball(jax.random.key(3), 2, 3, (4,))
    jax.random.f(jax.random.key(3), 3.0, 4.0, (3,)), jax.random.generalized_normal(jax.random.key(3), 3.0, (4,)), jax.random.multinomial(jax.random.key(3), 10.0, jnp.asarray([0.2, 0.3, 0.5]))
    jax.numpy_dtype_promotion("standard") is not None, jax.checking_leaks() is not None, jax.default_matmul_precision("high") is not None
    jax.errors.TracerBoolConversionError.__mro__[1].__name__
    lax.scan(lambda c, v: (c + 1, v), s, x[:0]), lax.scan(lambda c, _: (c * 2, c), s, None, length=0)
    jax.custom_derivatives.zero_from_primal(x), jax.custom_derivatives.linear_call(lambda res, v: v * res, lambda res, ct: ct * res, s, x)
wide:
    f = lambda y: jnp.sum((y - 3) ** 4 + y**2); a = jax.scipy.optimize.minimize(f, u, method="BFGS"); (a.x, a.fun, bool(a.success))  # tolerance=2e-2
    f = lambda y, c: jnp.sum((y[1:] - y[:-1] ** 2) ** 2 * c + (1 - y[:-1]) ** 2); a = jax.scipy.optimize.minimize(f, jnp.full(2, 0.5, x.dtype), (10.0,), method="bfgs", options={"maxiter": 100}); a.x  # tolerance=2e-2
    jax.scipy.optimize.minimize(lambda y: y.sum(), u, method="foo")
    jax.scipy.optimize.minimize(lambda y: y.sum(), u, 3, method="BFGS")
    jax.scipy.fft.dct(x), jax.scipy.fft.dct(x, axis=0, norm="ortho"), jax.scipy.fft.idct(x), jax.scipy.fft.idct(x, n=2, norm="ortho"), jax.scipy.fft.dctn(x), jax.scipy.fft.idctn(x)  # tolerance=1e-4
    jax.scipy.fft.dct(x, type=1)
    lax.linalg.cholesky(h), lax.linalg.triangular_solve(m, n.T, lower=True), lax.linalg.triangular_solve(m, n, left_side=True, transpose_a=True, unit_diagonal=True), lax.linalg.triangular_solve(m, u, left_side=True)  # tolerance=1e-4
    abs(lax.linalg.qr(n, full_matrices=False)[1]), lax.linalg.svd(x, compute_uv=False), lax.linalg.eigh(h)[1], abs(lax.linalg.eigh(h)[0])  # tolerance=1e-4
    lax.linalg.tridiagonal_solve(u * 0.1, u + 3, u * 0.2, n), lax.linalg.lu_pivots_to_permutation(jnp.array([2, 2, 2], "int32"), 3)  # tolerance=1e-4
"""

SOLUTIONS = """
wide:
    lax.custom_root(lambda y: y**3 - s, jnp.ones_like(s), lambda f, g: lax.fori_loop(0, 30, lambda _, y: y - f(y) / (3 * y**2), g), lambda g, y: y / g(jnp.ones_like(y)))  # tolerance=1e-4
    jax.grad(lambda a: lax.custom_root(lambda y: y**3 - a, jnp.ones_like(a), lambda f, g: lax.fori_loop(0, 30, lambda _, y: y - f(y) / (3 * y**2), g), lambda g, y: y / g(jnp.ones_like(y))))(s)  # tolerance=1e-4
    lax.custom_linear_solve(lambda v: h @ v, u, lambda f, b: jnp.linalg.solve(h, b), symmetric=True)  # tolerance=1e-4
    jax.grad(lambda a, b: lax.custom_linear_solve(lambda v: a @ v, b, lambda f, c: jnp.linalg.solve(lax.stop_gradient(a), c), lambda f, c: jnp.linalg.solve(lax.stop_gradient(a).T, c)).sum(), (0, 1))(m, u)  # tolerance=1e-4
    __import__(jax.__name__ + ".experimental.ode", fromlist="odeint").odeint(lambda y, t, a: -a * y, u, jnp.asarray([0.0, 0.5, 1.0], x.dtype), s, rtol=1e-5, atol=1e-5)  # tolerance=1e-3
    jax.grad(lambda a: __import__(jax.__name__ + ".experimental.ode", fromlist="odeint").odeint(lambda y, t, a: -a * y, u, jnp.asarray([0.0, 1.0], x.dtype), a, rtol=1e-5, atol=1e-5).sum())(s)  # tolerance=1e-3
    f = jax.custom_vjp(lambda v: (v * 2, v > 0, k)); f.defvjp(lambda v: ((v * 2, v > 0, k), v), lambda res, ct: (ct[0] * res,)); (f(u), jax.grad(lambda v: f(v)[0].sum())(u))
    f = jax.custom_jvp(lambda v: (v * 2, k)); f.defjvp(lambda p, t: (f(p[0]), (t[0] * 5, __import__("numpy").zeros((3,), jax.dtypes.float0)))); (f(u), jax.grad(lambda v: f(v)[0].sum())(u))
    lax.while_loop(lambda c: c["a"].sum() < 0, lambda c: {"a": c["a"] * 2, "b": (c["b"][0] + 1, None)}, {"a": u, "b": (i, None)})
    p = (lambda core: core.Primitive("twice"))(__import__(jax.__name__ + ".extend.core", fromlist="Primitive")); p.def_abstract_eval(lambda v: v); m = __import__(jax.__name__ + ".interpreters.mlir", fromlist="lower_fun"); m.register_lowering(p, m.lower_fun(lambda v: v * 2, multiple_results=False)); jax.jit(p.bind)(u)
    f = jax.custom_jvp(lambda v: v**2); f.defjvps(lambda t, out, v: 3 * v * t); (jax.jvp(f, (u,), (v,)), jax.jacfwd(f)(u), jax.grad(lambda w: f(w).sum())(u))
    f = jax.custom_jvp(lambda v, w: v * w); f.defjvps(lambda t, out, v, w: t * w, None); jax.jvp(f, (u, v), (v, u)), jax.jit(lambda a: jax.jvp(lambda c: f(c, v), (a,), (w,)))(u)
"""

#: Under ``jax_numpy_dtype_promotion="strict"``, in `test_dialect_jax`.
STRICT = """
float32:
    x + i
    x * 2, x + s, x / 3, x**2, jnp.clip(x, 0, 1), jnp.where(b, x, 1.0), jnp.maximum(x, 0)
    jnp.where(b, x, i)
    i * 2.5
    b + 1
    jnp.concatenate([x, i])
    i / 2
    i / i, jnp.sin(i), jnp.mean(i), jnp.mean(b), jnp.var(i), jnp.cumsum(b), jnp.trapezoid(i), jnp.linspace(0, 1, 3)
    jnp.result_type(x, i)
    jnp.promote_types("int32", "float32")
    jnp.promote_types("float32", float), jnp.result_type(x, 2)
    x.at[0].set(i[0])
    x.at[0].add(2)
    i.at[0].set(2.5)
    jax.random.uniform(jax.random.key(0), (3,), minval=-1), jax.random.gamma(jax.random.key(0), 2.0).shape
    lax.conj(x), lax.fori_loop(0, 3, lambda n, c: c + n, 0.0), lax.fori_loop(0, 3, lambda n, c: c.at[n].set(n), u)
    jax.grad(lambda v: (v**2).sum())(x), jax.jit(lambda v: v * 2.0)(x), jax.nn.softmax(x)
    str(jax.config.jax_numpy_dtype_promotion), repr(jax.numpy_dtype_promotion.value)
"""

SAMPLES = STATISTICS + IMAGES + NAMED_AXES + PROGRAMS + SOLUTIONS

DIFFERS: dict[str, tuple[str, str, str]] = {
    'jax.vmap(lambda v: lax.pbroadcast(v, "a", 1), axis_name="a")(m)': ("JAX fails: its rule takes a list", "", ""),
    'jax.vmap(jax.grad(lambda v: lax.psum(v**2, "a")), axis_name="a")(u), jax.vmap(lambda v: jax.grad(lambda w: w**2)(lax.psum(v, "a")), axis_name="a")(u)': (
        "a derivative inside of a mapping, of what is computed along it: JAX traces the rule apart",
        "",
        "jax",
    ),
}
SIGNATURES: dict[str, str] = {}
