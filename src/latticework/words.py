"""Words of other libraries, and their names here: for errors about names, before the nearest spelling.

A word has one or more candidates. A plain name is offered where it is one of the known names: an attribute of the
namespace, an argument, a dtype. Anything else is a line to write, or a sentence, which begins with an exclamation mark
and helps where no single line does; both are offered where a function or a method was looked for. A word without
candidates is known to have no counterpart, so that no name is offered that only looks like it.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["METHODS", "WORDS", "is_line", "offered", "unknown_method"]


def is_line(candidate: str) -> bool:
    """Return whether a candidate is a line to write or a sentence, and no plain name."""
    return bool(candidate) and not (candidate.replace(".", "").isidentifier() and not candidate.startswith("x."))


def offered(line: str) -> str:
    """Return the end of an error that offers a line to write, or a sentence."""
    return f". {line[1:].strip()}" if line.startswith("!") else f"; write {line}."


def _read(table: str) -> dict[str, tuple[str, ...]]:
    """Read a table of lines ``word word -> candidate | candidate``."""
    words: dict[str, tuple[str, ...]] = {}
    for line in table.strip().splitlines():
        left, _, right = line.partition("->")
        candidates = tuple(" ".join(c.split()) for c in right.split(" | ") if c.strip())
        words |= dict.fromkeys(left.split(), candidates)
    return words


#: Word -> candidates; the first that fits is offered.
WORDS = _read("""
    dim axes dims -> axis | axes | x.ndim
    keepdim keep_dims -> keepdims
    ddof unbiased -> correction | ddof
    correction -> ddof
    a_min -> min
    a_max -> max
    newshape size -> shape | x.size
    shifts -> shift
    reps -> repetitions
    tensors seq inputs -> arrays
    index -> indices
    rcond tol -> rtol
    p -> ord
    right -> side
    steps -> num
    end -> stop
    kind -> stable
    lower -> upper
    scale_factor -> scale
    s2 v -> x2
    permutation perm -> axes
    axis_a axis_b -> axis
    minval -> low | lower
    maxval -> high | upper
    stddev -> scale
    diagonal -> k
    cat row_stack -> concat
    tensor as_tensor from_numpy convert_to_tensor constant asanyarray ascontiguousarray asfarray -> asarray
    norm -> linalg.norm
    inverse -> linalg.inv
    unique -> lw.unique(x)
    in1d -> isin
    mul -> multiply
    sub -> subtract
    div true_divide -> divide
    neg -> negative
    eq -> equal
    ne -> not_equal
    lt -> less
    le -> less_equal
    gt -> greater
    ge -> greater_equal
    mm bmm -> matmul
    clamp clip_by_value -> clip
    range -> arange
    reduce_mean -> mean
    product reduce_prod -> prod
    reduce_sum -> sum
    reduce_max -> max
    reduce_min -> min
    reduce_any sometrue -> any
    reduce_all alltrue -> all
    reduce_std -> std
    reduce_variance -> var
    repeat_interleave -> repeat
    index_select -> take | lw.take(x, indices, axis=axis)
    unbind -> unstack
    chunk tensor_split -> array_split | lw.array_split(x, parts)
    permute -> permute_dims | lw.permute_dims(x, axes)
    rollaxis -> moveaxis
    cast -> astype
    gather take_along_dim -> take_along_axis | lw.take_along_axis(x, indices, axis=axis)
    expand -> broadcast_to | lw.broadcast_to(x, shape)
    unsqueeze -> lw.expand_dims(x, axis)
    view -> x.reshape(shape) | x.astype(dtype)
    view_as reshape_as -> x.reshape(y.shape)
    expand_as -> lw.broadcast_to(x, y.shape)
    masked_fill masked_fill_ -> lw.where(mask, value, x)
    masked_select boolean_mask -> x[mask]
    clone -> x.copy()
    contiguous -> x.copy()
    detach -> x.data.detach()
    cuda -> x.to_device("cuda:0")
    backward -> x.data.backward()
    requires_grad_ -> x.data.requires_grad_()
    block_until_ready -> x.data.block_until_ready()
    compress -> x[mask]
    contiguous -> x
    numel -> x.size
    shape -> x.shape
    numpy -> lw.to_numpy(x)
    cpu -> x.to_device("cpu")
    to type type_as -> x.astype(dtype) | x.to_device(device)
    add_ -> x += y
    sub_ -> x -= y
    mul_ -> x *= y
    div_ -> x /= y
    copy_ assign -> x[...] = y
    zero_ -> x[...] = 0
    fill_ -> x.fill(value)
    sort sort_ -> x[...] = lw.sort(x)
    partition -> x[...] = lw.partition(x, kth)
    argpartition -> lw.argpartition(x, kth)
    put -> x[lw.unravel_index(lw.asarray(indices), x.shape)] = values
    putmask -> x[...] = lw.where(mask, values, x)
    place -> x[mask] = lw.resize(lw.asarray(values), int(lw.count_nonzero(mask)))
    copyto -> x[...] = y, or with a mask x[...] = lw.where(mask, y, x)
    resize resize_ -> lw.resize(x, shape)
    set at -> x[index] = value
    new_zeros -> lw.zeros(shape, dtype=x.dtype, device=x.device)
    new_ones -> lw.ones(shape, dtype=x.dtype, device=x.device)
    new_full -> lw.full(shape, value, dtype=x.dtype, device=x.device)
    new_tensor -> lw.asarray(values, dtype=x.dtype, device=x.device)
    float single -> float32 | x.astype(lw.float32)
    double float_ -> float64 | x.astype(lw.float64)
    half -> float16 | x.astype(lw.float16)
    int intc -> int32 | x.astype(lw.int32)
    long int_ intp longlong -> int64 | x.astype(lw.int64)
    short -> int16 | x.astype(lw.int16)
    char byte -> int8 | x.astype(lw.int8)
    ubyte -> uint8
    bool_ -> bool
    cfloat csingle -> complex64
    cdouble complex_ -> complex128
    cupy cp mlx mx paddle ->
    rand -> random.uniform
    randn -> random.normal
    random random_sample ranf -> lw.random.uniform(key, (3,))
    manual_seed PRNGKey -> random.key
    dropout -> nn.dropout
    no_grad inference_mode enable_grad -> !lw.grad differentiates the function that it is given and nothing else, so \
        there is nothing to turn off; for a part of that function write lw.stop_gradient(x)
    hardswish hard_swish -> nn.hard_silu
    swish -> nn.silu
    softshrink -> nn.soft_shrink
    hardshrink -> nn.hard_shrink
    tanhshrink -> nn.tanh_shrink
    hardsigmoid -> nn.hard_sigmoid
    hardtanh -> nn.hard_tanh
    logsigmoid -> nn.log_sigmoid
    soft_sign -> nn.softsign
    softmin -> lw.nn.softmax(-x)
    rrelu -> lw.nn.leaky_relu(x, (lower + upper) / 2), as it is in evaluation; in training \
        lw.where(x < 0, x * lw.random.uniform(key, x.shape, x.dtype, low=lower, high=upper), x)
    crelu -> lw.concat([lw.nn.relu(x), lw.nn.relu(-x)], axis=-1)
    upsample upsample_bilinear upsample_nearest -> nn.interpolate
    l2_normalize -> nn.normalize
    l2_loss -> lw.sum(x ** 2) / 2
    lrn local_response_normalization -> nn.local_response_norm
    batch_normalization -> nn.batch_norm
    moments -> lw.mean(x, axis=axis), lw.var(x, axis=axis)
    sigmoid_cross_entropy_with_logits -> nn.binary_cross_entropy_with_logits
    softmax_cross_entropy_with_logits sparse_softmax_cross_entropy_with_logits -> nn.cross_entropy
    log_poisson_loss -> nn.poisson_nll_loss
    embedding_lookup -> nn.embedding
    dot_product_attention -> nn.scaled_dot_product_attention
    avg_pool -> nn.avg_pool2d
    max_pool -> nn.max_pool2d
    max_pool_with_argmax -> nn.max_pool2d_with_indices
    convolution -> nn.conv | signal.fftconvolve
    conv1d_transpose -> nn.conv_transpose1d
    conv2d_transpose -> nn.conv_transpose2d
    conv3d_transpose -> nn.conv_transpose3d
    atrous_conv2d -> lw.nn.conv2d(x, weight, dilation=rate)
    bias_add -> x + bias
    log1mexp -> lw.log(-lw.expm1(-x))
    hann_window -> signal.hann_window
    hanning -> lw.signal.hann(n, periodic=False)
    hamming -> lw.signal.hamming(n, periodic=False)
    blackman -> lw.signal.blackman(n, periodic=False)
    bartlett -> lw.signal.bartlett(n, periodic=False)
    kaiser -> lw.signal.kaiser(n, beta, periodic=False)
    gumbel_softmax -> lw.nn.softmax((logits + lw.random.gumbel(key, logits.shape, logits.dtype)) / tau)
    hamming_window -> signal.hamming_window
    blackman_window -> signal.blackman_window
    bartlett_window -> signal.bartlett_window
    kaiser_window -> signal.kaiser_window
    space_to_depth depth_to_space pdist embedding_bag channel_shuffle alpha_dropout feature_alpha_dropout ->
    multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss hinge_loss ->
    scaled_mm grouped_mm nce_loss sampled_softmax_loss all_candidate_sampler scale_regularization_loss ->
    sparse_plus sparse_sigmoid logmeanexp initializers dilation2d erosion2d fractional_max_pool2d ->
    fractional_max_pool3d with_space_to_batch batch_norm_with_global_normalization compute_accidental_hits ->
    dense Dense Linear -> nn.linear
    optim optimizers optimizer ->
    Module Sequential Parameter ModuleList -> !lw.nn has functions, and no layers that hold weights: keep \
        the arrays in a dict or a class of your own, as in lw.nn.linear(x, weights["w"], weights["b"])
    functional -> !The functions are in lw.nn itself: lw.nn.relu(x)
    save savez savetxt -> np.save(path, lw.to_numpy(x))
    loadtxt genfromtxt fromfile -> lw.asarray(np.loadtxt(path))
    frombuffer -> lw.asarray(np.frombuffer(buffer, dtype))
    fromiter -> lw.asarray([*values])
    set_printoptions printoptions -> np.set_printoptions(precision=3), by which arrays are printed as well
    seterr -> with lw.errstate(divide="ignore"): y = f(x)
    ogrid -> lw.ix_(lw.arange(n), lw.arange(m))
    mgrid -> lw.meshgrid(lw.arange(n), lw.arange(m), indexing="ij")
    r_ -> lw.concat([x, y])
    c_ -> lw.column_stack([x, y])
    matrix asmatrix mat -> asarray
    ndarray -> Array
    Tensor -> !Arrays are made by lw.asarray(values), and their class is lw.Array
""")

#: The words that are a method or an attribute of another library's arrays, and not of lw.Arrays.
METHODS = frozenset(
    """
    add_ sub_ mul_ div_ copy_ zero_ fill_ masked_fill masked_fill_ masked_select unsqueeze view view_as reshape_as
    expand expand_as permute numel clone contiguous cpu numpy to type type_as new_zeros new_ones new_full new_tensor
    detach cuda backward requires_grad_ block_until_ready
    gather index_select unbind chunk repeat_interleave clamp compress at norm unique float double half long short
    sort sort_ partition argpartition put resize resize_
""".split()
)


def unknown_method(name: str, methods: Callable[[str], bool]) -> str:
    """Say what to write for a method of another library's arrays. `methods`: whether lw.Array has one of that name."""
    word = next(iter(c for c in WORDS.get(name, ()) if is_line(c)), None) or next(iter(WORDS.get(name, ())), "")
    if is_line(word):
        return offered(word)
    return f"; did you mean {word!r}?" if methods(word) else f"; write lw.{word}(x)." if word else ""
