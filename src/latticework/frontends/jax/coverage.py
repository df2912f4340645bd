"""The parts of JAX that the dialect lacks, and the differences, with the reasons."""

from __future__ import annotations

__all__ = ["ABSENT", "DIFFERENCES"]

#: Missing names: a name, or a group of names, and the reason.
ABSENT: dict[str, str] = {
    "jax.export, jax.ffi, Lowered.compiler_ir": (
        "XLA's own language; `jax.make_jaxpr` gives equations, `jax.jit(f).lower(x).graph` a graph and source"
    ),
    "jax.profiler, jax.distributed, jax.debug.breakpoint, visualize_array_sharding": "facilities of JAX's runtime",
    "jax.make_array_from_callback, make_array_from_single_device_arrays and kin": (
        "arrays over several devices; arrays here are on one"
    ),
    "jax.experimental.pallas, jax2tf, jet, serialize_executable, array_serialization, key_reuse": (
        "kernels, conversions and files of XLA; the other modules of jax.experimental are few programs'"
    ),
    "jax.lax.gather, scatter, scatter_add and kin": "a key in square brackets and `x.at[...]` say the same",
    "jax.lax.conv_general_dilated_patches, conv_general_dilated_local, ragged_dot, scaled_dot": "few programs use them",
    "jax.lax.composite, ragged_all_to_all, psend, precv, pcast": "few programs use them",
    "jax.lax.fft, clz, mulhi, reduce_xor, reduce_precision, rng_bit_generator, rng_uniform": "few programs use them",
    "jax.numpy.fromfile, fromstring": "files of NumPy are NumPy's to read and write",
    "jax.numpy.ufunc": "functions of two arrays have its methods: `jnp.add.reduce`, `accumulate`, `outer`, `at`",
    "jax.numpy dtypes of fewer than 16 bits but for int8, uint8 and bool (int4, float8_e4m3fn, ...)": (
        "no backend computes in them; arrays are cast to them and back"
    ),
    "jax.random keys of other generators (rbg, unsafe_rbg)": "the generator is Threefry-2x32, JAX's default",
    "jax.scipy.special: expn, spence, bessel_jn, dawsn, hyp1f1, hyp2f1, sici, fresnel, wofz, owens_t": (
        "no kernel for them on the backends"
    ),
    "jax.scipy.linalg: schur, hessenberg, funm, rsf2csf, expm_frechet, eigh_tridiagonal and special matrices": (
        "few programs use them"
    ),
    "jax.scipy.signal, jax.scipy.sparse, jax.scipy.ndimage, jax.scipy.interpolate": "not begun",
    "jax.nn.scaled_matmul, scaled_dot_general": "dtypes of 8 bits",
    "Array.addressable_shards, global_shards, unsafe_buffer_pointer, traceback": "facilities of JAX's runtime",
}

#: Differences from JAX: a name and the difference.
DIFFERENCES: dict[str, str] = {
    "jax.vmap with axis_name": (
        "a function that computes along the axis runs for one example after the other, and again for each such "
        "computation; pmap and shard_map have one device. A derivative taken inside of the mapping of what is computed "
        "along it is refused on the backend of JAX"
    ),
    "jax.make_jaxpr": "the equations are latticework's calls of the backend, under latticework's names",
    "jax.core.Tracer": "a test: True of arrays that are traced, mapped, differentiated by, or without data",
    "jax.extend.core.Primitive, jax.interpreters": (
        "`bind` runs `impl`, by the rule for derivatives forward where there is one; other rules are kept and "
        "not asked for"
    ),
    "jax.sharding": "meshes of one device; arrays stay where they are",
    "jax.custom_batching.custom_vmap": (
        "an argument counts as mapped where the examples have objects of their own; in a derivative inside of the "
        "mapping the function itself runs"
    ),
    "jax.new_ref": "an object of Python, which compiled functions do not take as an argument",
    "jax.scipy.optimize.minimize": "another line search: the steps differ, and what they end at to the tolerance",
    "jax.experimental.checkify": "checks that programs make, and NaN in results; none are added to other functions",
    "jax.jit": (
        "compiles by the backend's framework; on NumPy and PyTorch the function runs once, and its graph from then on. "
        "One that asks for values, as `if x > 0` does, or makes more than 500 calls, runs itself there, and any on Dask"
    ),
    "jax.config": (
        "jax_enable_x64 and jax_numpy_dtype_promotion are in force for the process; other options are kept and change "
        "nothing"
    ),
    "jax.numpy_dtype_promotion": "in force for the process while the block runs, not for its thread alone",
    "jax.disable_jit, jax.named_scope, jax.numpy_rank_promotion and kin": ("blocks that change nothing"),
    "x ** y of integers": "a negative power of an integer array is an error; JAX gives 0 or 1 where it does not see it",
    "x // 0 of integers": "as the backend has it",
    "repr of arrays without values": "those of a trace are shown as latticework's",
    "devices": "those of the backend in force, which are names too; `x.sharding` is one device",
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
