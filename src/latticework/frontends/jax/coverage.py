"""The parts of JAX that the dialect lacks, and the differences, with the reasons."""

from __future__ import annotations

__all__ = ["ABSENT", "DIFFERENCES"]

#: Missing names: a name, or a group of names, and the reason.
ABSENT: dict[str, str] = {
    "jax.pmap, jax.shard_map, jax.sharding, jax.make_mesh": "programs over several devices; arrays here are on one",
    "jax.lax.psum, pmean, pmax, pmin, all_gather, all_to_all, ppermute, axis_index": (
        "they need the named axis of `pmap`, `shard_map` or `vmap`, which functions mapped by other frameworks have not"
    ),
    "jax.make_jaxpr, jax.export, jax.stages, jax.core, Lowered": (
        "JAX's own intermediate language; `latticework.trace` gives a program's graph and source"
    ),
    "jax.pure_callback, jax.experimental, jax.debug, jax.profiler, jax.monitoring": "facilities of JAX's runtime",
    "jax.ref, jax.new_ref, jax.freeze": "arrays that change, on JAX's runtime alone",
    "jax.lax.gather, scatter, scatter_add and kin": "a key in square brackets and `x.at[...]` say the same",
    "jax.lax.conv_general_dilated_patches, conv_general_dilated_local, ragged_dot, scaled_dot": "few programs use them",
    "jax.lax.custom_root, custom_linear_solve, composite, platform_dependent": "few programs use them",
    "jax.lax.fft, clz, mulhi, reduce_xor, reduce_precision, rng_bit_generator, rng_uniform": "few programs use them",
    "jax.numpy.load, save, savez, fromfile, fromstring": "files of NumPy are NumPy's to read and write",
    "jax.numpy.ufunc": "functions of two arrays have its methods: `jnp.add.reduce`, `accumulate`, `outer`, `at`",
    "jax.numpy dtypes of fewer than 16 bits but for int8, uint8 and bool (int4, float8_e4m3fn, ...)": (
        "no backend computes in them"
    ),
    "jax.random.ball, f, generalized_normal, multinomial, key_dtype": "few programs use them",
    "jax.random keys of other generators (rbg, unsafe_rbg)": "the generator is Threefry-2x32, JAX's default",
    "jax.scipy.special: exp1, expi, expn, spence, bessel_jn, dawsn, hyp1f1, hyp2f1, sici, fresnel, wofz, owens_t": (
        "no kernel for them on the backends"
    ),
    "jax.scipy.linalg: schur, hessenberg, funm, rsf2csf, expm_frechet, eigh_tridiagonal and special matrices": (
        "few programs use them"
    ),
    "jax.scipy.stats, jax.scipy.signal, jax.scipy.optimize, jax.scipy.sparse, jax.image": "not begun",
    "jax.nn.scaled_matmul, scaled_dot_general": "dtypes of 8 bits",
    "Array.addressable_shards, global_shards, unsafe_buffer_pointer, traceback": "facilities of JAX's runtime",
}

#: Differences from JAX: a name and the difference.
DIFFERENCES: dict[str, str] = {
    "forward derivatives of jax.custom_jvp": (
        "the rule gives derivatives in reverse; those forward are the framework's to refuse"
    ),
    "jax.jit": (
        "compiles by the backend's framework, and on NumPy and Dask does nothing: there `if x > 0` of an array works"
    ),
    "jax.config": "jax_enable_x64 is in force for the process; other options are kept and change nothing",
    "jax.disable_jit, jax.named_scope, jax.ensure_compile_time_eval": "blocks that change nothing",
    "x ** y of integers": "a negative power of an integer array is an error; JAX gives 0 or 1 where it does not see it",
    "x // 0 of integers": "as the backend has it",
    "repr of arrays without values": "those of a trace are shown as latticework's",
    "devices": "those of the backend in force, which are names too; `x.sharding` is the device",
    "precision=, preferred_element_type=": (
        "products are computed as the dtype has it; the preferred dtype is that of the result"
    ),
    "jax.random keys": "`jax.random.key` gives an object of its own, with shape, indexing, len and reshape",
    "jax.nn.softmax, log_softmax of unsigned integers": (
        "as of floats; JAX subtracts the greatest element, which wraps around, and gives NaN"
    ),
    "jnp.interp of bfloat16": "computed; JAX raises a ValueError, because NumPy does not know the dtype's limits",
    "jnp.linalg.eig and kin": "signs and order of eigenvectors are the backend's",
    "jnp.quantile": "no weights",
    "errors": "the class is JAX's, the text latticework's; what a backend has no kernel for is a BackendError",
}
