"""The types of the parameters of dialects' functions, by the parameters' names, for the stubs that `stubs.py` writes.

A line of a table is ``type: names``. A parameter that has this name has the type in all functions of the dialect; one
written ``f.name`` has it in the functions f alone, whichever module or class they are in. None is added where it is the
default. A parameter that stands in no table has the type of its annotation or of its default, or else ``Any``.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Types(NamedTuple):
    """What is declared of a dialect.

    Attributes
    ----------
    array: the name of its arrays' class.
    operand: the type of the other operand of an operator.
    parameters: the table of parameters.
    results: the table of results that samples do not tell, of functions and of members of classes (``Size.numel``).
    overloads: lines ``names: signature -> result`` of what gives results of several types, with a line for each way. A
        line that begins with spaces goes on with the one above it.
    helpers: classes without a public name that results have.
    """

    array: str
    operand: str
    parameters: str
    results: str
    overloads: str = ""
    helpers: str = ""


_TRANSFORMED = """
Callable[P, R]: jit vmap checkpoint remat named_call
Callable[P, Any]: grad jacfwd jacrev jacobian hessian
Callable[P, tuple[R, Any]]: value_and_grad
"""

TORCH = Types(
    "Tensor",
    "Tensor | Number | SupportsArray",
    """
Tensor: A B L LU mat mat1 mat2 vec vec1 vec2 tensor tensor1 tensor2 batch1 batch2 mask index indices src query key
Tensor: input
Tensor | None: tensor.register_buffer param.register_parameter
Tensor | None: weight.batch_norm running_mean running_var bias in_proj_weight in_proj_bias bias_k bias_v out_proj_bias
Tensor: anchor positive negative logits attn_mask grid weight offsets boundaries input1
Tensor: per_sample_weights out_proj_weight key_padding_mask
Tensor: q_proj_weight k_proj_weight v_proj_weight static_k static_v log_probs theta sorted_sequence sorter pos_weight
Tensor: fweights aweights LU pivots input2 ext_tensor row_indices t.tensor weights pivots window x1 x2
Tensor | SupportsArray: target.cross_entropy
Tensor | Number: other exponent source.index_fill end.lerp weight.lerp values condition.where
Sequence[Tensor] | Tensor: tensors.cat tensors.stack tensors.concat tensors.concatenate tensors.hstack tensors.vstack
Sequence[Tensor] | Tensor: tensors.dstack tensors.column_stack tensors.row_stack
Tensor | Sequence[Tensor]: tensors.atleast_1d tensors.atleast_2d tensors.atleast_3d tensors.broadcast_tensors
Tensor | Sequence[Tensor]: tensors.meshgrid tensors.cartesian_prod
Tensor: tensors.block_diag
Tensor | Sequence[Tensor | None] | None: out
Number: alpha beta value.addcmul value.addcdiv fill_value
Int | Sequence[Int] | None: dim
Int: dim.cummax dim.cummin dim.cumsum dim.cumprod dim.logcumsumexp dim.gather dim.scatter dim.scatter_ dim.scatter_add
Int: dim.scatter_add_ dim.index_select dim.index_add dim.index_copy dim.index_fill dim.stack dim.cat dim.unsqueeze
Int: dim.softmax dim.log_softmax dim.softmin dim.sort dim.argsort dim.topk dim.kthvalue dim.chunk dim.split dim.unbind
Int: dim.select dim.argmax dim.argmin dim.cross dim.diff dim0 dim1 dim2 axis0 axis1 offset diagonal start_dim end_dim
Int: groups chunks k.topk k.kthvalue k.rot90 num_classes steps num_samples minlength n_fft hop_length win_length row
Int: col
Int: window_length N.vander storage_offset upscale_factor downscale_factor num_groups ignore_index padding_idx r
Int: seed edgeitems linewidth precision
Shape: size shape kernel_size output_size normalized_shape
Axes: dims
dtype: dtype
device | str | Int: device
layout: layout
memory_format: memory_format
Generator: generator
bool: mode.__init__ requires_grad pin_memory keepdim keepdims inplace upper has_aux training
str: reduction mode indexing padding_mode approximate reduce UPLO driver norm.fft side interpolation
float: p.dropout eps rtol atol margin momentum negative_slope dropout_p label_smoothing tau threshold
Callable[P, R]: func.vmap func.grad_and_value func.grad func.jacfwd func.jacrev func.hessian
Tensor | Number: input.add input.sub input.subtract input.mul input.multiply input.div input.divide input.true_divide
Tensor | Number: input.floor_divide input.remainder input.fmod input.pow input.float_power input.result_type
Tensor | Number: input.where
Tensor | Number: input.xlogy input.xlog1py input.zeta input.searchsorted input.bucketize input.rsub other.result_type
Tensor | Number: src.scatter mean.normal std.normal input.bitwise_and input.bitwise_or input.bitwise_xor
Tensor | Number: tensor.result_type
Tensor | Number: input.bitwise_left_shift input.bitwise_right_shift tensor1.result_type tensor2.result_type
Tensor | Number: source.masked_fill
Tensor | Number: input.hermite_polynomial_h n.chebyshev_polynomial_t self.scatter value.masked_fill value.fill_
Tensor | Number: value.index_fill
Tensor | Int: index.select index.select_copy index.select_scatter index.__getitem__
Sequence[Tensor | None]: indices.index_put
bool | None: reduce size_average
str: reduce.scatter reduce.scatter_reduce reduce.index_reduce precision.set_float32_matmul_precision
Any: lower.rrelu upper.rrelu ord padding stride dilation spacing in_dims dims.tensordot output_size shape.view
Any: key.__getitem__
Any: dim.size norm p input.is_tensor input.scalar_tensor index.__init__ size.uniform input.cond
Any: mode.use_deterministic_algorithms
Any: reduction.kl_div device.set_default_device dtype.type index.device dim.norm obj dtype.view
""",
    """
Callable[P, R]: vmap functionalize
Callable[P, Any]: func.grad jacfwd jacrev hessian
Callable[P, tuple[Any, R]]: grad_and_value
Iterator[Tensor]: Tensor.__iter__
Tensor: Tensor.__getitem__ Tensor.data
""",
    """
Tensor.size: (self, dim: None = ...) -> Size
Tensor.size: (self, dim: Int) -> int
torch.max torch.min: (input: Tensor, *, out: Tensor | None = ...) -> Tensor
torch.max: (input: Tensor, dim: Int, keepdim: bool = ..., *, out: Any = ...) -> max(values: Tensor, indices: Tensor)
torch.min: (input: Tensor, dim: Int, keepdim: bool = ..., *, out: Any = ...) -> min(values: Tensor, indices: Tensor)
torch.max torch.min: (input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor
Tensor.max Tensor.min: (self) -> Tensor
Tensor.max: (self, dim: Int, keepdim: bool = ...) -> max(values: Tensor, indices: Tensor)
Tensor.min: (self, dim: Int, keepdim: bool = ...) -> min(values: Tensor, indices: Tensor)
Tensor.max Tensor.min: (self, other: Tensor) -> Tensor
torch.median torch.nanmedian: (input: Tensor, dim: None = ..., keepdim: bool = ..., *, out: Any = ...) -> Tensor
torch.median: (input: Tensor, dim: Int, keepdim: bool = ..., *, out: Any = ...) -> median(values: Tensor,
    indices: Tensor)
torch.nanmedian: (input: Tensor, dim: Int, keepdim: bool = ..., *, out: Any = ...) -> nanmedian(values: Tensor,
    indices: Tensor)
Tensor.median Tensor.nanmedian: (self, dim: None = ..., keepdim: bool = ..., *, out: Any = ...) -> Tensor
Tensor.median: (self, dim: Int, keepdim: bool = ..., *, out: Any = ...) -> median(values: Tensor, indices: Tensor)
Tensor.nanmedian: (self, dim: Int, keepdim: bool = ..., *, out: Any = ...) -> nanmedian(values: Tensor,
    indices: Tensor)
torch.where: (condition: Tensor, input: None = ..., other: None = ...) -> tuple[Tensor, ...]
torch.where: (condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = ...) ->
    Tensor
""",
)

_NUMPY_LIKE = """
ArrayLike: a x x1 x2 y b m.diag arr ar1 ar2 a1 a2 ary array v M.linalg xp fp X c where
Axes: axis
Int: axis.argmax axis.argmin axis.stack axis.split axis.array_split axis.swapaxes axis.diff axis.insert axis.unstack
Int: axis.apply_along_axis axis1 axis2 ndmin deg axisa axisb axisc offset decimals
Int | None: axis.cumsum axis.cumprod axis.concatenate axis.concat axis.take axis.sort axis.argsort axis.repeat
Int | None: axis.append
Int | None: axis.delete axis.take_along_axis axis.compress axis.partition axis.argpartition axis.nancumsum
Int | None: axis.nancumprod
Shape: shape newshape new_shape
str: side indexing UPLO order mode.take mode.choose mode.convolve mode.correlate
bool: keepdims assume_unique rowvar copy.asarray
Any: keepdims.max where.copyto kind axes ord bins base rtol atol a.promote_types b.promote_types arg1 arg2
Any: key.__getitem__
Any: x.shape a.shape a.issubdtype b.issubdtype a.isdtype b.isdtype dx cov x.where where.allclose
"""

NUMPY = Types(
    "ndarray",
    "ArrayLike",
    _NUMPY_LIKE
    + """
DTypeLike | HasDtype: dtype
ndarray | SupportsArray | tuple[Any, ...]: out
Shape: size
Int: n.fft n.ifft n.rfft n.irfft n.diff n.hfft n.ihfft num N
str: device norm
Any: size.vectorize loc scale low high a.choice where.reduce x.permutation x.shuffle
""",
    """
Iterator[ndarray]: ndarray.__iter__
ndarray: ndarray.__getitem__ ndarray.T ndarray.mT ndarray.real ndarray.imag
tuple[int, ...]: ndarray.shape ndarray.strides
NumpyDtype: ndarray.dtype
""",
    """
numpy.where: (condition: ArrayLike, x: None = ..., y: None = ..., /) -> tuple[ndarray, ...]
numpy.where: (condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> ndarray
numpy.linspace: (start: ArrayLike, stop: ArrayLike, num: Int = ..., endpoint: bool = ..., retstep:
    Literal[False] = ..., dtype: DTypeLike | HasDtype | None = ..., axis: Int = ..., *, device: Any = ...) ->
    ndarray
numpy.linspace: (start: ArrayLike, stop: ArrayLike, num: Int = ..., endpoint: bool = ..., *, retstep:
    Literal[True], dtype: DTypeLike | HasDtype | None = ..., axis: Int = ..., device: Any = ...) ->
    tuple[ndarray, ndarray]
""",
)

JAX = Types(
    "Array",
    "ArrayLike",
    _NUMPY_LIKE
    + """
ArrayLike: operand lhs rhs
DTypeLike | HasDtype: dtype preferred_element_type
None: out
Array | KeyArray: key
Callable[P, R]: fun
ArrayLike: p.bernoulli minval maxval
Int: dimension axis.index_in_dim axis.concatenate_in_dim
Any: in_axes out_axes num.split key.tree_flatten axis.index_in_dim dtype.variance_scaling batch_axis fun.eval_shape
Any: fun.linearize fun.vjp fun.jvp fun.linear_transpose fun.named_scope
""",
    _TRANSFORMED
    + """
Iterator[Array]: Array.__iter__
Array: Array.__getitem__ Array.T Array.mT Array.real Array.imag
NumpyDtype: Array.dtype
tuple[int, ...]: Array.shape
""",
    """
jax.numpy.where: (condition: ArrayLike, x: None = ..., y: None = ..., /, *, size: int | None = ..., fill_value:
    Any = ...) -> tuple[Array, ...]
jax.numpy.where: (condition: ArrayLike, x: ArrayLike, y: ArrayLike, /, *, size: int | None = ..., fill_value:
    Any = ...) -> Array
jax.numpy.linspace: (start: ArrayLike, stop: ArrayLike, num: Int = ..., endpoint: bool = ..., retstep:
    Literal[False] = ..., dtype: DTypeLike | HasDtype | None = ..., axis: Int = ..., *, device: Any = ...) ->
    Array
jax.numpy.linspace: (start: ArrayLike, stop: ArrayLike, num: Int = ..., endpoint: bool = ..., *, retstep:
    Literal[True], dtype: DTypeLike | HasDtype | None = ..., axis: Int = ..., device: Any = ...) -> tuple[Array,
    Array]
""",
    "array.IndexUpdateHelper array.IndexUpdateRef random.KeyArray",
)

TENSORFLOW = Types(
    "Tensor",
    "ArrayLike | Variable",
    """
ArrayLike | Variable: x y a b input input_tensor tensor x1 x2 features logits labels matrix image images values v
Axes | Tensor: axis
Int | Tensor: axis.argmax axis.argmin axis.concat axis.stack axis.expand_dims axis.cumsum axis.cumprod axis.softmax
Int | Tensor: axis.sort
DType | str | type | NumpyDtype | HasDtype: dtype out_type output_type Tout
str | None: name
str: data_format padding direction mode
Shape | TensorShape | ArrayLike: shape
bool: keepdims
Any: ord k padding_value
""",
    """
Iterator[Tensor]: Tensor.__iter__
Tensor: Tensor.__getitem__
Any: GradientTape.gradient GradientTape.jacobian GradientTape.batch_jacobian
""",
)

#: The declarations by dialect.
TYPES = {"torch": TORCH, "numpy": NUMPY, "jax": JAX, "tensorflow": TENSORFLOW}

#: Operators and other special methods of arrays: ``signature: names``. OPERAND is the dialect's, ARRAY its class.
SPECIAL = """
(self, other: OPERAND, /) -> ARRAY: add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod matmul
(self, other: OPERAND, /) -> ARRAY: rmatmul
(self, other: OPERAND, /) -> ARRAY: and rand or ror xor rxor lshift rlshift rshift rrshift lt le gt ge div rdiv
(self, other: OPERAND, /) -> ARRAY: iadd isub imul itruediv ifloordiv imod imatmul iand ior ixor ilshift irshift ipow
(self, other: OPERAND, /) -> ARRAY: pow rpow
(self, other: object, /) -> ARRAY: eq ne
(self) -> ARRAY: neg pos abs invert
(self, other: OPERAND, /) -> tuple[ARRAY, ARRAY]: divmod rdivmod
(self) -> Iterator[ARRAY]: iter
(self) -> bool: bool
(self) -> int: int len index hash
(self) -> float: float
(self) -> complex: complex
(self) -> str: str repr
(self, key: Any, /) -> ARRAY: getitem
(self, key: Any, value: Any, /) -> None: setitem
(self, value: Any, /) -> bool: contains
(self, format: str, /) -> str: format
"""


def overloads(text: str) -> dict[str, list[str]]:
    """Read a table of overloads: the signatures by name."""
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\n    ", " ", text.strip()).splitlines():
        names, _, signature = line.partition(": (")
        for name in names.split():
            found.setdefault(name, []).append(f"({signature}")
    return found


def table(text: str) -> dict[str, str]:
    """Read a table: the type by name."""
    found: dict[str, str] = {}
    for line in text.strip().splitlines():
        types, _, names = line.rpartition(": ")
        found |= dict.fromkeys(names.split(), types)
    return found
