"""What the calls of JAX's functions are made of, for `calls_by_signature.py`."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any

import jax.scipy.special  # noqa: F401
from calls_by_signature import Side

_TEXT = "it is about files, text or how arrays are shown"
_CALLBACK = "its arguments are functions"
_DEVICES = "it is about devices, compiled programs or the process"
_LEFT_OUT = "it is listed as absent in frontends/jax/coverage.py"

_OUT = {
    _TEXT: "load save savez fromfile fromstring array_repr array_str array2string printoptions set_printoptions get_printoptions",
    _CALLBACK: """
        apply_along_axis apply_over_axes frompyfunc fromfunction mask_indices piecewise vectorize associative_scan cond
        custom_* fori_loop map reduce scan switch while_loop composite platform_dependent reduce_window linear_solve
    """,
    _DEVICES: """
        after_all all_gather* all_to_all axis_index axis_size create_token dce_sink infeed outfeed optimization_barrier
        pbroadcast pcast pdot pgather pmax pmean pmin ppermute pscan pshuffle psum* pswapaxes pvary precv psend
        ragged_all_to_all with_sharding_constraint reshard stop_gradient pcast empty* device_put from_dlpack
        broadcast_like get_scaled_dot_general_config
    """,
    _LEFT_OUT: """
        gather scatter* conv_general_dilated_* conv_shape_tuple conv_with_general_padding ragged_* scaled_* *_grad_a *_gamma_grad stage
        ConvGeneralDilatedDimensionNumbers DotDimensionNumbers PrecisionLike dtype shape_as_value index_take
        padtype_to_pads reduce_window_shape_tuple reduce_precision rng_* approx_m* top_k_like fft clz mulhi reduce_xor
        conv_transpose_shape_tuple conv_general_shape_tuple conv_general_permutations conv_dimension_numbers
        exp1 expi expn spence bessel_jn dawsn hyp1f1 hyp2f1 sici fresnel wofz owens_t
    """,
}

_ROUNDS = ("None", "2", "5", "0")
_KINDS: dict[str, str | tuple[str, ...]] = {
    "x": "array", "y": "array", "a": "array", "b": "array", "x1": "array", "x2": "array", "arr": "array",
    "axis": "axis", "axes": "axes", "dtype": "dtype", "new_dtype": "dtype", "preferred_element_type": "dtype",
    "index_dtype": "dtype", "arg1": "dtype", "arg2": "dtype", "from_": "dtype", "to": "dtype", "keepdims": "flag",
    "where": ("b", "c", "True", "None"), "initial": ("2", "0.5", "s", "None"), "out": ("None",),
    "out_sharding": ("None",), "precision": ("None",), "device": ("None",), "accuracy": ("None",), "kwargs": (),
    "shape": "shape", "new_shape": "shape", "newshape": "shape", "operand": "array", "m": "array", "args": "array",
    "arys": "array", "v": "vector", "lhs": "matrix", "rhs": "matrix too", "arrays": "arrays", "tup": "arrays",
    "fill_value": "number", "full:fill_value": ("2", "1.5", "True", "s", "u", "1j"), "n": ("2", "3", "0", "None", "-1"),
    "size": _ROUNDS, "k": ("1", "0", "-1", "5", "True"), "M": ("5", "1", "0", "-1", "4"), "N": ("3", "1", "0", "-1"),
    "mode": ("'clip'", "'wrap'", "'fill'", "'nearest'"), "pad:mode": ("'edge'", "'reflect'", "'symmetric'", "'mean'"),
    "convolve:mode": ("'same'", "'valid'", "'full'"), "correlate:mode": ("'same'", "'valid'", "'full'"),
    "norm": ("'ortho'", "'forward'", "None"), "weights": ("None", "u", "x", "p"), "unique_indices": "flag",
    "indices_are_sorted": "flag", "order": ("'C'", "'F'", "None"), "method": ("'linear'", "'lower'", "'sort'"),
    "digitize:method": ("'scan'", "'sort'"), "searchsorted:method": ("'scan'", "'sort'", "'compare_all'"),
    "q": ("0.5", "[0.25, 0.75]", "1", "0", "s"), "qr:mode": ("'reduced'", "'r'"), "copy": "flag", "overwrite_input": (),
    "indices_or_sections": ("2", "[1]", "3", "(1, 2)", "1"), "offset": ("1", "0", "-1"), "axis1": "axis",
    "axis2": "axis", "bins": ("4", "u", "[0.0, 1.0, 2.0]", "2"), "range": ("(0, 5)", "None"), "density": "flag",
    "values": "other", "append:values": "other", "array": "array", "inplace": ("False",), "val": "number",
    "ar1": ("u", "x", "[1, 2]"), "ar2": ("w", "y", "[2, 3]"), "indices": "indices",
    "take_along_axis:indices": ("i", "k[:2]", "i[:, :1]"), "put_along_axis:indices": ("i", "i[:, :1]"),
    "dimensions": ("(2, 3)", "(2,)", "()"), "f": "array", "varargs": "number", "condition": "condition",
    "start": "number", "stop": ("5", "2.5", "s", "u"), "num": ("3", "1", "0"), "base": ("2.0", "3", "s"),
    "shapes": ("(2, 3)", "(3,)", "(1, 3)"), "min": ("-1", "0.5", "u", "s", "None"), "max": ("2", "1.5", "v", "None"),
    "rowvar": "flag", "ddof": ("1", "0", "None"), "bias": "flag", "correction": ("1", "0", "0.5"), "obj": (
        "1", "[0, 1]", "-1", "k[:2]", "slice(0, 2)", "5"), "subscripts": ("'ij,jk->ik'", "'ij->ji'", "'ii'", "'ij'"),
    "einsum:operands": "matrix", "optimize": (), "period": ("2", "None", "1.5"), "element": "array",
    "test_elements": "other", "keys": ("(u, v)", "x", "[u, w]"), "source": "axis", "destination": "axis",
    "condlist": ("[b]", "[b, b]", "[True]"), "choicelist": ("[x]", "[x, z]", "[1]"), "default": "number",
    "choices": ("[x, z]", "x", "[u, v, w]"), "choose:arr": ("i", "k"), "choose:a": ("i", "k"), "mask": "condition",
    "vals": "other", "ind": ("k[:2]", "0", "[0, 1]"), "place:mask": ("b", "[True, False]"), "put:v": "number",
    "repeats": ("2", "0", "[1, 2, 3]", "k"), "reps": ("2", "(2, 1)", "(2, 1, 2)", "()"), "A": "array",
    "shift": "axes", "length": _ROUNDS, "minlength": ("0", "5"), "bincount:x": ("k", "[0, 1, 1]", "u", "i"),
    "kth": ("1", "0", "-1", "5"), "deg": ("1", "0", "True"), "decimals": ("1", "-1", "0"), "pad_width": "padding",
    "seq_of_zeros": "vector", "p": "vector", "multi_index": ("(k, k)", "(i, i)", "([0], [1])"),
    "dims": ("(3, 3)", "(2, 2)"), "ravel_multi_index:mode": ("'clip'", "'wrap'", "'raise'", "'ignore'"),
    "unravel_index:indices": ("k", "i", "5", "0"), "unravel_index:shape": ("(2, 3)", "(3, 3)"), "xi": "vector",
    "indexing": ("'ij'", "'xy'"), "sample": "matrix", "xp": ("u", "[0.0, 1.0, 2.0]"), "fp": ("v", "w", "[1.0, 2.0, 3.0]"),
    "left": ("None", "0.5"), "right": ("None", "0.5"), "digitize:right": "flag", "side": ("'right'", "'left'"),
    "sorter": (), "ufunc": (), "ndim": ("1", "2"), "dx": ("2.0", "u", "s"), "trim": ("'f'", "'b'", "'fb'"),
    "to_end": ("None", "2", "u"), "to_begin": ("None", "2"), "prepend": ("None", "2", "x"), "append": ("None", "2", "x"),
    "nan": "number", "posinf": "number", "neginf": "number", "edge_order": (), "rtol": ("1e-2", "0.5"),
    "atol": ("1e-2", "0.5"), "rcond": ("None", "0.1"), "tol": ("None", "0.1"), "ord": (
        "2", "1", "'fro'", "float('inf')", "None", "0"), "hermitian": "flag", "UPLO": ("'L'", "'U'", "'A'"),
    "count": ("-1",), "buffer": ("b'abcd'",), "string": (), "matrix_power:n": ("2", "0", "-1"), "bitorder": (
        "'big'", "'little'"), "wrap_negative_indices": "flag", "axisa": "axis", "axisb": "axis", "axisc": "axis",
    "fweights": ("None", "k"), "aweights": ("None", "p[0]"), "tensordot:axes": ("1", "0", "([1], [0])", "2"),
    "kind": ("None",), "casting": ("'safe'", "'same_kind'", "'unsafe'"), "alpha": "number", "negative_slope": "number",
    "approximate": "flag", "num_classes": ("3", "1", "0"), "one_hot:x": ("k", "i", "0", "[0, 5]", "u"),
    "query": ("r[None]",), "dot_product_attention:key": ("r[None]",), "value": ("r[None]",), "implementation": (),
    "mean": ("None", "1.5"), "variance": ("None", "2.0"), "algorithm": ("'fast'", "'stable'"), "epsilon": ("1e-3",),
    "query_seq_lengths": (), "key_value_seq_lengths": (), "local_window_size": (), "d": ("2", "1", "3"),
    "sizes": ("(2,)", "(2, 3)", "()"), "broadcast_dimensions": ("(1,)", "(0, 1)", "()"),
    "broadcast_in_dim:shape": ("(2, 3)", "(2, 2, 3)"), "rank": ("2", "3", "1"), "permutation": (
        "(1, 0)", "[0, 1]", "(0,)"), "start_dimension": ("0", "1"), "stop_dimension": ("2", "None"),
    "window_strides": ("(1, 1)", "(2, 2)", "(1,)"), "padding": ("'SAME'", "'VALID'", "[(0, 0), (1, 1)]"),
    "conv:lhs": ("img", "x"), "conv:rhs": ("ker", "x"), "conv_general_dilated:lhs": ("img",),
    "conv_general_dilated:rhs": ("ker",), "conv_transpose:lhs": ("img",), "conv_transpose:rhs": ("ker",),
    "conv_transpose:strides": ("(1, 1)", "(2, 2)"), "strides": ("(1, 1)", "None", "(1, 2)"), "dimension_numbers": (
        "None",), "dot_general:dimension_numbers": ("(((1,), (0,)), ((), ()))", "(((0,), (0,)), ((1,), (1,)))"),
    "index": ("1", "0", "-1", "5", "k[0]"), "start_indices": ("(0, 1)", "(1, 1)", "k[:2]", "(-1, 0)"),
    "slice_sizes": ("(1, 2)", "(2, 3)", "(3, 3)"), "start_index": ("1", "0", "-1"), "slice_size": ("1", "2", "5"),
    "update": ("x[:1, :2]", "x", "2"), "limit_indices": ("(2, 3)", "(2, 2)", "(3, 3)"), "limit_index": ("2", "None"),
    "slice:start_indices": ("(0, 1)", "(0, 0)"), "stride": ("1", "2"), "new_sizes": "shape", "src": ("x",),
    "idxs": (), "dimension": ("0", "1", "-1"), "batch_dims": (), "padding_value": ("s", "0", "1.5"),
    "padding_config": ("[(1, 1, 0), (0, 0, 1)]", "[(-1, 0, 0), (0, 0, 0)]"), "rounding_method": (), "pred": "condition",
    "on_true": "array", "on_false": "array", "which": ("b", "i", "True"), "cases": "array", "num_keys": ("1",),
    "is_stable": "flag", "sort:dimension": ("0", "1", "-1"), "like_arr": "array", "top_k:k": ("2", "1", "0", "5"),
    "lmbda": ("0.5", "0", "x"), "repetition": "flag", "exact": ("False",), "series_order": ("3", "1"), "theta": "positive",
    "phi": "positive", "n_max": ("3",), "sph_harm_y:n": ("k",), "sph_harm_y:m": ("k",), "polygamma:n": ("1", "i", "x"),
    "zeta:x": "positive", "zeta:q": "positive", "unroll": (), "object": "array", "ndmin": ("0", "3"), "order_": (),
    "array:order": ("'K'",), "trim_leading_zeros": "flag", "numpy_resid": "flag", "stable": "flag", "descending": "flag",
    "total_repeat_length": _ROUNDS, "symmetrize_input": "flag", "subset_by_index": (), "group_sizes": (), "axis_name": (),
    "s": ("None", "(2, 2)", "(4,)"), "sparse": "flag", "kaiser:beta": ("2.0", "s"), "increasing": "flag",
    "promote_integers": "flag", "include_initial": "flag", "assume_unique": "flag", "return_indices": "flag",
    "dtypes": "dtype", "ediff1d:ary": "array", "ary": ("r", "x", "u"), "unpackbits:a": "array", "histogramdd:bins": (
        "4", "(2, 2, 2)"), "histogram2d:x": "vector", "histogram2d:y": "vector", "interp:x": "array", "tensorinv:ind": (
        "1",), "multi_dot:arrays": ("[m, h]", "[x, m, u]"), "gradient:f": ("x", "u", "r"), "lstsq:a": "matrix",
    "shape_": (), "fft_type": (), "wrap": ("False",), "returned": "flag", "strip_zeros": ("True",), "is_causal": "flag",
    "scale": ("None", "0.5"), "return_residual": (), "decomposition": (), "assume_unique_indices": (),
    "allow_negative_indices": "flag", "split:sizes": ("(1, 1)", "(2,)", "(1, 2)"), "invert": "flag", "c": "number",
}  # fmt: skip


#: Errors of JAX's own Python code: it looks for an attribute, an item or a place without a check before.
_ACCIDENTS = (
    "AttributeError", "IndexError", "KeyError", "UnboundLocalError", "AssertionError", "RuntimeError",
    "TracerArrayConversionError", "ConcretizationTypeError",
)  # fmt: skip
#: What errors of its tracing and lowering say, and Python's own of values that are of no use where they come to be used.
_INSIDE = (
    "Non-hashable static", "unhashable type", "of unsized object", "safe_map()", "safe_zip()", "jaxpr", "racer",
    "values to unpack", "operands could not be broadcast together", "incompatible function arguments",
    "None is not a valid value for jnp.array", "Invalid argument to dtype: None", "iteration over a 0-d array",
    "not subscriptable", "is not iterable",
)  # fmt: skip


def _accident(answer: Any) -> bool:
    """Whether JAX refuses because its own code fails, and not for a reason of its own."""
    return answer.classes[0] in _ACCIDENTS or any(words in answer.text for words in _INSIDE)


SIDE = Side(
    name="jax",
    modules=("jnp", "jax.nn", "lax", "jax.scipy.special", "jnp.linalg", "jnp.fft"),
    out={f"*.{pattern}": why for why, patterns in _OUT.items() for pattern in patterns.split()},
    kinds=dict(sorted(_KINDS.items(), key=lambda item: ":" not in item[0])),  # of one function first
    dtypes="jnp.*",
    most=8,
    accident=_accident,
    calls={"pad": ("lax.pad(x, s, [(1, 1, 0), (0, 0, 1)])", "lax.pad(x, 0, [(-1, 0, 0), (0, 0, 0)])")},
)
