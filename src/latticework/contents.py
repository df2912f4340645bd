"""The public names, by the module that each is in. A module is loaded when one of its names is first asked for.

To add a public function, add its name here, to the names of its chapter.
"""

from __future__ import annotations

__all__ = ["CHAPTERS", "MODULE_OF", "NAMESPACES", "SUBMODULES", "namespace_of"]

#: Submodules whose functions are called by two names: ``lw.linalg.inv`` is declared in ``api.linalg``, which is a
#: module or a package of chapters.
NAMESPACES = (
    "linalg",
    "fft",
    "random",
    "tree",
    "nn",
    "special",
    "signal",
)

#: All submodules that are public.
SUBMODULES = ("errors", "frontends", *NAMESPACES)


def namespace_of(module: str) -> str:
    """Name the namespace of a chapter's functions: "linalg" for ``latticework.api.linalg``, "" for the flat one."""
    name = module.partition("latticework.api.")[2].partition(".")[0]
    return name if name in NAMESPACES else ""


#: module -> its public names
CHAPTERS: dict[str, str] = {
    "api.elementwise": """
        abs acos acosh add around asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift
        bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1
        floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log10
        log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative
        nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh sqrt square
        subtract tan tanh trunc
    """,
    "api.elementwise_extended": """
        addcmul angle bitwise_count cbrt deg2rad degrees divide_no_nan divmod exp2 fabs fix float_power fmax fmin fmod
        frexp gcd heaviside iscomplex isneginf isposinf isreal lcm ldexp lerp logaddexp2 modf polar rad2deg radians rint
        rsqrt sinc to_numpy
    """,
    "api.special_names": "erf i0",
    "api.creation": """
        arange empty empty_like eye full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like
    """,
    "api.building": """
        cross diag diag_indices diagonal fill_diagonal fromfunction geomspace identity indices inner ix_ kron logspace
        outer tri tril_indices triu_indices vander vdot
    """,
    "api.rearranging": """
        append block copy delete dsplit flatten hsplit insert ndim resize rot90 shape size trim_zeros vsplit
    """,
    "api.distinct": "intersect1d setdiff1d setxor1d union1d unique",
    "api.picking": """
        argwhere choose compress extract flatnonzero piecewise ravel_multi_index select unravel_index
    """,
    "api.conversion": "asarray astype from_dlpack",
    "api.manipulation": """
        broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat
        reshape roll squeeze stack tile unstack
    """,
    "api.statistical": """
        cumulative_prod cumulative_sum max mean min prod std sum var
    """,
    "api.linear_algebra": "matmul matrix_transpose tensordot vecdot",
    "api.searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "api.sorting": "argpartition argsort lexsort partition sort top_k",
    "api.nan_functions": """
        nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum nanvar
    """,
    "api.order_statistics": "median nanmedian nanpercentile nanquantile percentile ptp quantile",
    "api.averages": "average corrcoef cov logsumexp",
    "api.histograms": "bincount digitize histogram histogram2d histogram_bin_edges histogramdd",
    "api.numerical": """
        convolve correlate cumulative_trapezoid ediff1d gradient interp trapezoid unwrap
    """,
    "api.running": "cummax cummin logcumsumexp",
    "api.sets": "isin unique_all unique_counts unique_inverse unique_values",
    "api.indexing": "take take_along_axis",
    "api.scattering": """
        at dynamic_slice dynamic_update_slice gather_nd index_add put_along_axis scatter scatter_nd segment_max
        segment_mean segment_min segment_prod segment_sum sliding_window_view
    """,
    "api.utility": "all any diff",
    "api.constants": "e inf nan newaxis pi",
    "api.data_types": """
        as_native_dtype can_cast check_float closest_valid_dtype default_complex_dtype default_dtype
        default_float_dtype default_int_dtype default_uint_dtype dtype dtype_bits finfo iinfo invalid_dtype
        is_bool_dtype is_complex_dtype is_float_dtype is_int_dtype is_uint_dtype isdtype promote_types
        promote_types_of_inputs result_type type_promote_arrays valid_dtype
    """,
    "api.info": "__array_namespace_info__ current_backend",
    "api.numpy_names": """
        absolute allclose amax amin arccos arccosh arcsin arcsinh arctan arctan2 arctanh array array_equal
        array_split atleast_1d atleast_2d atleast_3d column_stack concatenate conjugate cumprod cumsum dot
        dstack fliplr flipud hstack invert isclose left_shift mod nan_to_num pad power ravel
        right_shift split swapaxes transpose vstack
    """,
    "api.einsum": "einsum einsum_path",
    "api.bits": "bitcast",
    "api.python_functions": "apply_along_axis errstate vectorize",
    "api.transformations": """
        checkpoint custom_gradient derivative_of grad hessian jacfwd jacrev jit jvp stop_gradient value_and_grad vjp
        vmap
    """,
    "api.control_flow": "associative_scan cond fori_loop map scan switch while_loop",
    "api.nn.activations": "relu sigmoid",
    "api.nn.categories": "one_hot softmax",
    "api.polynomials": "polyadd polyder polyfit polymul polyval roots",
    "api.namespaces": "array_namespace",
    "api.native": "native",
    "api.plans": "kernel_count plan",
    "api.inference": "Spec infer spec",
    "api.tracing": "Graph compile explain_retraces load trace",
    "api.rules": "check_laws diff_rules explain Explanation Laws operation_result RuleDifferences",
    "settings": """
        cast_data_types casting_modes crosscast_data_types downcast_data_types set_backend
        set_default_complex_dtype set_default_dtype set_default_float_dtype set_default_int_dtype
        set_default_uint_dtype unset_backend unset_default_complex_dtype unset_default_dtype
        unset_default_float_dtype unset_default_int_dtype unset_default_uint_dtype upcast_data_types using
    """,
    "auditing.report": "Audit",
    "auditing.run": "audit",
    "auditing.widening.report": "Widenings",
    "frontends.imports": "redirected",
    "onnx_models.model": "from_onnx",
    "frontends.transpiling": "transpile",
    "engine.plans.casting": "Cast casts clear_casts recording_casts",
    "support.query": """
        function_supported_devices function_supported_dtypes function_unsupported_devices
        function_unsupported_dtypes
    """,
    "support.decorators": """
        with_supported_device_and_dtypes with_supported_devices with_supported_dtypes
        with_unsupported_device_and_dtypes with_unsupported_devices with_unsupported_dtypes
    """,
    "promotion": "Operand rule_names Rules",
    "policy": "as_dtype",
}

#: public name -> its module
MODULE_OF: dict[str, str] = {name: module for module, names in CHAPTERS.items() for name in names.split()}
