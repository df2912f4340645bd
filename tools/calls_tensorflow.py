"""What the calls of TensorFlow's functions are made of, for `calls_by_signature.py`."""

from __future__ import annotations

from typing import Any

from calls_by_signature import Side

_PROCESS = "it is about graphs, gradients of them, devices or the process"
_TEXT = "there is no dtype of text, of handles or of quantised numbers"
_RANDOM = "it draws random numbers"
_CALLBACK = "its arguments are functions"
_LEFT_OUT = "it is listed as absent in frontends/tensorflow/coverage.py"

_OUT = {
    _PROCESS: """
        Assert assert_* broadcast_dynamic_shape broadcast_static_shape clear_* control_dependencies device executing_*
        get_* gradients group grad_pass_through hessians import_graph_def init_scope inside_function
        is_symbolic_tensor load_library load_op_library make_tensor_proto make_ndarray name_scope no_gradient no_op
        nondifferentiable_batch_function numpy_function py_function recompute_grad register_tensor_conversion_function
        show_* stop_gradient timestamp type_spec_from_value variable_creator_scope print custom_gradient function
        experimental_* ensure_shape extract_volume_patches tuple
    """,
    _TEXT: """
        as_string string_* strings ragged_* quantize* dequantize* fake_quant* edit_distance is_tensor sparse_*
        embedding_lookup_sparse safe_embedding_lookup_sparse collapse_repeated
    """,
    _RANDOM: """
        all_candidate_sampler *_candidate_sampler dropout experimental.general_dropout *_sampler rand randint randn
        random random_* seed standard_normal uniform sampled_softmax_loss nce_loss fixed_unigram_candidate_sampler
        stateless_dropout
    """,
    _CALLBACK: """
        case cond foldl foldr map_fn scan switch_case vectorized_map while_loop apply_along_axis
        inverse_stft_window_fn
    """,
    _LEFT_OUT: """
        ctc_* *_pool_with_argmax fractional_* dilation2d erosion2d conv1d_transpose conv3d_transpose
        histogram_fixed_width* tridiagonal_* banded_triangular_solve eigh_tridiagonal lu_* mdct inverse_mdct fftnd
        ifftnd rfftnd irfftnd approx_max_k approx_min_k convolution with_space_to_batch isotonic_regression
    """,
}

_KINDS: dict[str, str | tuple[str, ...]] = {
    "reduce_*:axis": "axes", "sum:axis": "axes", "mean:axis": "axes", "all:axis": "axes", "any:axis": "axes",
    "prod:axis": "axes", "amax:axis": "axes", "std:axis": "axes", "var:axis": "axes",
    "diag_part:k": ("0", "1", "(0, 1)", "-1", "(-1, 1)"), "squeeze:axis": "axes", "count_nonzero:axis": "axes",
    "linspace*:num": ("3", "1", "5", "s"), "cross:axis*": ("0", "-1", "1"),
    "reverse:axis": ("[0]", "[0, 1]", "[-1]", "[5]", "[0, 0]"), "roll:axis": ("0", "[0]", "[0, 1]", "-1", "[5]"),
    "roll:shift": ("1", "[1]", "[1, 2]", "-3", "0"), "sufficient_statistics:axes": ("[0]", "[0, 1]", "[1]", "[-1]"),
    "moments:axes": ("[0]", "[0, 1]", "1", "[-1]"), "conv1d:input": ("r",),
    "conv1d:filters": ("tf.reshape(r, [3, 4, 2])", "y"), "conv1d:stride": ("1", "2", "[1]"),
    "conv3d:input": ("tf.reshape(img, [1, 2, 4, 2, 2])", "x"), "conv3d:filters": ("tf.reshape(ker, [1, 3, 3, 2, 3])",),
    "conv3d:strides": ("[1, 1, 1, 1, 1]", "[1, 1, 2, 1, 1]"),
    "conv2d:filters": ("tf.reshape(ker[..., :2], [1, 3, 4, 3])", "ker"),
    "atrous_conv2d:filters": ("tf.reshape(ker[..., :2], [1, 3, 4, 3])", "ker"), "atrous_conv2d:value": ("img",),
    "atrous_conv2d:rate": ("1", "2"), "depthwise_conv2d:input": ("img",),
    "depthwise_conv2d:filter": ("tf.reshape(ker[..., :2], [1, 3, 4, 3])",),
    "depthwise_conv2d:strides": ("[1, 1, 1, 1]", "[1, 2, 2, 1]"), "separable_conv2d:input": ("img",),
    "separable_conv2d:depthwise_filter": ("tf.reshape(ker[..., :2], [1, 3, 4, 3])",),
    "separable_conv2d:pointwise_filter": ("tf.reshape(r, [1, 1, 12, 2])",),
    "separable_conv2d:strides": ("[1, 1, 1, 1]",), "conv[12]d*:dilations": ("None", "2"),
    "depthwise_conv2d:dilations": ("None", "[1, 2]"), "separable_conv2d:dilations": ("None", "[1, 2]"),
    "conv1d:data_format": ("'NWC'",), "conv3d:data_format": ("'NDHWC'",), "*_pool1d:data_format": ("'NWC'",),
    "*_pool3d:data_format": ("'NDHWC'",), "*_pool?d:strides": ("1", "2", "0"), "*_pool:strides": ("1", "2"),
    "*_pool?d:ksize": ("2", "1", "3", "0"), "*_pool3d:input": ("tf.reshape(img, [1, 2, 4, 2, 2])", "x"),
    "*_pool:data_format": ("None", "'NHWC'"), "space_to_batch:block_shape": ("[1, 3]", "[2, 1]"),
    "space_to_batch:paddings": ("[[0, 0], [0, 0]]", "[[0, 0], [1, 2]]"),
    "batch_to_space:input": ("img", "r", "tf.reshape(img, [4, 2, 2, 2])"),
    "batch_to_space:block_shape": ("[2, 2]", "[1, 1]", "2"), "tile:multiples": ("[2, 1]", "(2, 2)", "[0, 1]", "[1]"),
    "name": ("'op'",), "axis": "axis", "axes": "axes", "dtype": "dtype", "out_type": "dtype", "output_type": "dtype",
    "type": "dtype", "tensor_dtype": "dtype", "output_dtype": "dtype", "index_type": "dtype", "dtype_hint": "dtype",
    "y": "array", "x1": "array", "x2": "array", "keepdims": "flag", "shape": "shape", "newshape": "shape",
    "dims": "shape", "output_shape": "shape", "shape_x": "shape", "shape_y": "shape",
    "perm": ("[1, 0]", "(1, 0)", "None", "[0, 1]", "[0]", "[1, 2]"), "inputs": "arrays", "values": "arrays",
    "arrays": "arrays", "tensors": "arrays", "tup": "arrays", "arys": "array", "t_list": "arrays",
    "concat:values": "arrays", "args": "array", "condition": "condition", "mask": "condition", "pred": "condition",
    "indices": "indices", "segment_ids": ("k[:2]", "[0, 1]", "[0, 0]", "[1, 0]", "i", "0", "[0, -1]", "u"),
    "num_segments": ("2", "3", "1", "-1", "s"), "num": "counts", "k": "counts", "n": "counts", "N": "counts",
    "M": "counts", "num_rows": "counts", "num_columns": "counts", "num_cols": "counts", "depth": "counts",
    "repeats": ("2", "[1, 2, 3]", "[2]", "0", "-1", "[1, 2]"), "multiples": ("[2, 1]", "[1]", "2", "(2, 2)", "[0, 1]"),
    "reps": ("2", "(2, 1)", "(2, 1, 2)", "[]"), "shift": "axes",
    "num_or_size_splits": ("3", "[1, 2]", "2", "[1, -1]", "0"),
    "indices_or_sections": ("2", "1", "[1]", "3", "0", "(1, 2)"), "offset": "counts", "axis1": "axis", "axis2": "axis",
    "direction": ("'ASCENDING'", "'DESCENDING'", "'up'"), "side": ("'left'", "'right'", "'up'"),
    "kind": ("'quicksort'", "'stable'"), "order": ("'C'", "'F'", "'K'"),
    "mode": ("'CONSTANT'", "'REFLECT'", "'constant'"),
    "ord": ("2", "1", "'euclidean'", "'fro'", "float('inf')", "0.5", "-1"), "paddings": "padding",
    "pad_width": "padding", "begin": ("[0, 1]", "[0, 0]", "[-1, 0]", "0", "[2, 0]"),
    "size": ("[1, 2]", "[-1, 1]", "[3, 1]", "2"), "end": ("[2, 2]", "[1, 3]", "[-1, -1]"),
    "strides": ("[1, 1]", "1", "[1, 2]", "0"), "transpose_a": "flag", "transpose_b": "flag", "adjoint_a": "flag",
    "adjoint_b": "flag", "default": ("None", "2.0"), "matrix": "matrix", "lhs": "matrix", "rhs": "matrix too",
    "chol": "matrix", "tensor": "array", "signal": ("sig",), "signals": ("sig", "u", "sig[0]", "r"),
    "frame_length": ("4", "2", "8", "0"), "frame_step": ("2", "1", "4", "0"),
    "window_length": ("4", "1", "5", "0", "s"), "fft_length": ("[4]", "None", "[8]", "[2, 2]", "4"),
    "window_fn": ("None",), "stfts": ("tf.signal.stft(sig, 4, 2)",), "inverse_stft:frame_length": ("4",),
    "inverse_stft:frame_step": ("2",), "overlap_and_add:signal": ("x", "r", "sig"), "img": ("img",),
    "filters": ("ker", "x"), "filter": ("ker", "x"), "data_format": ("'NHWC'", "'NCHW'", "'N'"),
    "padding": ("'VALID'", "'SAME'", "'valid'", "'FULL'"), "ksize": ("2", "[2, 2]", "[1, 2, 2, 1]", "0", "3"),
    "dilations": ("1", "[1, 1]", "2", "None"), "label": "array", "labels": ("y", "z", "u", "[1, 0]", "2", "k"),
    "logits": ("x", "u", "r", "[1.0, 2.0]", "1.5"),
    "sparse_softmax_cross_entropy_with_logits:labels": ("[0, 1]", "k[:2]", "0", "[0, 5]", "[0]"),
    "in_top_k:targets": ("[0, 1]", "k[:2]", "[0]"), "predictions": ("x", "u"), "targets": ("[0, 1]", "y"),
    "value_range": ("[0.0, 5.0]", "[0, 5]"), "nbins": "counts", "weights": ("None", "u", "x", "2.0"),
    "minlength": "counts", "maxlength": "counts", "binary_output": "flag", "arr": ("[0, 1, 1]", "k", "i", "x", "[-1]"),
    "confusion_matrix:labels": ("[0, 1]", "k", "i"), "confusion_matrix:predictions": ("[1, 1]", "k", "i"),
    "partitions": ("[0, 1]", "[1, 1]", "i", "[0, 5]"), "num_partitions": ("2", "1", "0"),
    "dynamic_stitch:indices": ("[[0, 2], [1]]", "[0, 1]"), "dynamic_stitch:data": ("[u[:2], u[2:]]", "[u[0], u[1]]"),
    "equation": ("'ij,jk->ik'", "'ij->ji'", "'ii'", "'ij,ij->'", "'ij'"), "subscripts": ("'ij,jk->ik'", "'ij->ji'"),
    "updates": "other", "tensor_scatter:indices": ("[[0], [1]]",),
    "scatter_nd:indices": ("[[0], [1]]", "k", "[[5], [0]]"), "block_shape": ("[1, 3]", "[2]", "2"),
    "crops": ("[[0, 0], [0, 0]]",), "block_size": ("2", "1", "0", "3"), "space_to_depth:input": ("img", "x"),
    "depth_to_space:input": ("img", "x"), "sizes": ("[1, 2, 2, 1]",), "rates": ("[1, 1, 1, 1]",), "rate": "counts",
    "seq_lengths": ("[1, 2]", "k[:2]", "[1, 5]"), "seq_axis": "axis", "batch_axis": "axis", "batch_dims": "counts",
    "validate_indices": "flag", "lower": "flag", "adjoint": "flag", "exclusive": "flag", "reverse": "flag",
    "full_matrices": "flag", "compute_uv": "flag", "out_idx": "dtype", "lengths": ("k", "[1, 3]", "2", "x"),
    "maxlen": ("None", "4", "2", "0"), "constant_values": "number", "on_value": ("None", "2.0", "1", "True"),
    "off_value": ("None", "0.5", "0"), "diagonal": ("u", "x", "s", "[1.0, 2.0]"), "padding_value": "number",
    "set_diag:diagonal": ("u", "u[:2]", "x"), "num_lower": ("0", "1", "-1", "5"), "num_upper": ("0", "1", "-1", "5"),
    "align": ("'RIGHT_LEFT'", "'LEFT_RIGHT'", "'UP'"), "band": "matrix", "rank": ("2", "3"), "rtol": "number",
    "atol": "number", "rcond": ("None", "0.1"), "tol": ("None", "0.1"), "gamma": ("2.0", "None"),
    "beta": ("0.5", "None"), "mean": ("1.5", "u"), "variance": ("2.0", "u"), "variance_epsilon": ("1e-3",),
    "scale": ("2.0", "None", "u"), "batch_normalization:offset": ("0.5", "None", "u"),
    "bias": ("u", "u[:2]", "v", "[1.0, 2.0, 3.0]"), "biases": ("u", "u[:2]", "[1.0, 2.0, 3.0]"), "alpha": "number",
    "xs": ("x",), "ys": ("y",), "strict": "flag", "truncate": "flag", "start": "number", "stop": ("5", "2.5", "s"),
    "limit": ("5", "None", "2.5", "s"), "delta": ("1", "2", "0.5", "0"), "linspace:num": ("3", "1", "0", "s"),
    "range:start": ("3", "0.5", "s", "k[0]"), "range:limit": ("5", "None", "7.5", "t"), "value": "array",
    "dot_a": "array", "fill_value": "number", "fill:value": "number",
    "full:fill_value": ("2", "1.5", "True", "s", "u"), "fill:dims": ("[2, 3]", "(2,)", "2", "[]"),
    "tensordot:axes": ("1", "0", "[[1], [0]]", "([0], [0])", "2"), "a_min": ("-1", "None", "u", "0.5"),
    "a_max": ("2", "None", "v", "1.5"), "clip_value_min": ("-1", "0.5", "u", "x[0, 0]"),
    "clip_value_max": ("2", "1.5", "v"), "clip_norm": ("2.0", "1", "s"), "max_norm": ("2.0", "1", "s"),
    "use_norm": ("None", "2.0"), "params": ("x", "r", "u", "[1, 2, 3]", "[[1.5], [2.0]]"),
    "gather:indices": ("k[:2]", "[0, 1]", "0", "[[0, 1]]", "5", "[-1]"),
    "gather_nd:indices": ("[[0, 1]]", "[[0], [1]]", "[1, 2]", "[[5, 0]]"), "shape_like": "shape",
    "choicelist": ("[x, z]", "[1, 2]"), "condlist": ("[b, b]", "[True, False]"), "source": "axis",
    "destination": "axis", "log_input": "array", "out": ("None",), "where": ("None",), "subok": ("True",),
    "type1": "dtype", "type2": "dtype", "xi": "vector", "arg1": "dtype", "arg2": "dtype", "lower_upper": ("m",),
    "sorted_sequence": ("[1.0, 2.0, 3.0]", "x", "u"), "num_classes": ("None", "2", "4"), "operands": "matrix",
    "ndim": "counts", "ary": ("r", "x", "u"), "array": "array", "matvec:a": ("m", "x", "r"),
    "matvec:b": ("u", "v", "x"), "shape_signature": "shape", "epsilon": ("None", "1e-6"),
    "coeffs": ("[1.0, 2.0]", "[x, y]", "[]", "[2, u]"), "polyval:x": "array", "explicit_paddings": ("()",),
    "cross:a": ("x", "u"), "cross:b": ("y", "v"), "operand": "matrix", "q": ("2", "s"), "inputs_list": "arrays",
    "dim": "axis", "branch_index": ("0",), "conv2d:input": ("img",), "sorted": "flag", "decimals": ("1", "-1", "0"),
    "conv2d:strides": ("1", "2", "[1, 1]", "[1, 1, 1, 1]"), "filter_shape": ("None",), "window_shape": ("[2]",),
    "avg_pool2d:input": ("img", "x"), "max_pool2d:input": ("img", "x"), "avg_pool:input": ("img", "r"),
    "max_pool:input": ("img", "r"), "avg_pool1d:input": ("r",), "max_pool1d:input": ("r",),
}  # fmt: skip


def _undefined(call: str, answer: Any) -> bool:
    """What tf.experimental.numpy needs the switch of NumPy's behaviour for, which is off.

    Its functions then fail inside: tensors have no method `astype`, and their operators promote nothing.
    """
    if not call.startswith("tf.experimental.numpy.") or not hasattr(answer, "classes"):
        return False
    return answer.classes[0] == "AttributeError" or "to EagerTensor of dtype" in answer.text


#: What errors say that TensorFlow's Python ends with, where it does not look at its arguments first.
_ACCIDENTS = (
    "object has no attribute", "object is not iterable", "not supported between instances of",
    "unsupported operand type",
    "index out of range", "object is not subscriptable", "cannot access local variable",
    "has no len()", "modulo by zero",
    "object cannot be interpreted as", "object is not callable", "out of bounds for axis",
)  # fmt: skip


def _accident(refusal: Any) -> bool:
    return any(text in refusal.text for text in _ACCIDENTS) or refusal.classes[0] == "AssertionError"


SIDE = Side(
    name="tensorflow",
    modules=("tf.math", "tf.linalg", "tf.nn", "tf.signal", "tf.bitwise", "tf", "tf.experimental.numpy"),
    out={f"*.{pattern}": why for why, patterns in _OUT.items() for pattern in patterns.split()},
    kinds=_KINDS,
    dtypes="tf.*",
    calls={},
    undefined=_undefined,
    accident=_accident,
)
