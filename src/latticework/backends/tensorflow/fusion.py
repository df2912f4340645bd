"""Compositions that XLA compiles to one program, where they are called often enough with large arrays.

TensorFlow runs a kernel for each function that a composition calls, and each reads and writes arrays of full size. A
program goes over them once or twice. It takes as long to make one as to run hundreds of kernels, 30 to 200 ms, so that:

* Arrays of fewer than `LEAST` elements are never worth a program.
* A program is made when calls with the same options and shapes have had `ENOUGH` elements together. A single call of an
  array of a million elements does not wait for the compiler. A loop has the program from its fourth round on, and from
  then on its results may differ in the last digits.
* There are at most `MOST` programs of a composition for one combination of dtypes. Arrays whose shapes differ from call
  to call are computed as before.

A composition runs as it is inside `tf.function` and `tf.GradientTape`, so that its derivatives are those of its
kernels, and where TensorFlow has other devices than one processor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from typing import Any

import tensorflow as tf
from tensorflow import raw_ops as ops
from tensorflow.python.eager import record

from ...engine.arrays.array import wrapped
from . import raw_kernels as k
from .core import eager, ints

#: Compositions that look at no values, and that take less time as a program.
FUSED = frozenset(
    """
    _finite _gradient _isclose addcmul average cbrt cumulative_trapezoid diff ediff1d exp2 fft.dct fmax fmin
    heaviside isneginf isposinf ldexp linalg.vector_norm logaddexp2 logsumexp nanargmax nanargmin nancumsum nanmax
    nanmean nanmin nanprod nanstd nansum nanvar nn._by_statistics nn.adaptive_avg_pool2d nn.binary_cross_entropy
    nn.binary_cross_entropy_with_logits nn.celu nn.conv1d nn.conv2d nn.cosine_embedding_loss nn.cosine_similarity
    nn.cross_entropy nn.elu nn.gaussian_nll_loss nn.gelu nn.glu nn.group_norm nn.hard_shrink nn.hard_sigmoid
    nn.hard_silu nn.hard_tanh nn.hinge_embedding_loss nn.huber_loss nn.instance_norm nn.interpolate nn.kl_div nn.l1_loss
    nn.layer_norm nn.local_response_norm nn.log_sigmoid nn.log_softmax
    nn.lp_pool1d nn.lp_pool2d nn.lp_pool3d nn.margin_ranking_loss nn.mish
    nn.mse_loss nn.nll_loss nn.normalize nn.pairwise_distance nn.pixel_shuffle nn.pixel_unshuffle nn.poisson_nll_loss
    nn.prelu nn.rms_norm nn.scaled_dot_product_attention nn.silu nn.smooth_l1_loss nn.soft_shrink nn.softmax nn.softplus
    nn.squareplus nn.standardize nn.threshold nn.triplet_margin_loss nn.unfold polyval signal.stft special.betaln
    special.erfinv special.gamma special.kl_div special.log_ndtr special.logit special.ndtr
    special.rel_entr trapezoid unwrap
    """.split()
)
#: The least elements of the largest array of a call, and of those of all calls of its kind, for a program.
LEAST, ENOUGH = 1 << 16, 1 << 22
#: The most programs of a composition for one combination of dtypes, and the most kinds of calls that are counted.
MOST, COUNTED = 32, 1024
#: The most and the least numbers that a product with ones adds up.
_ROW, _FEW = 1024, 32

#: True while a program is being made.
_compiling: ContextVar[bool] = ContextVar("latticework compiles on tensorflow", default=False)
compiling = _compiling.get

#: From tensors to a tensor, or to an lw.Array.
Run = Callable[..., Any]


def fuse(composition: Callable[..., Any], leading: int) -> Callable[..., Any]:
    """Compile a composition of so many arrays where that pays, once for each combination of options and shapes.

    A call that cannot be compiled runs as it is, and so has its own error.
    """
    return compiled_where_large(composition, composition, leading)


def compiled_where_large(
    as_it_is: Run,
    compiled: Run,
    leading: int,
    when: Callable[..., bool] | None = None,
    *,
    one_axis: bool = True,
) -> Callable[..., Any]:
    """Make a function of so many tensors and options that is `compiled` as a program where that pays.

    `when` says for which calls a program may be made, all if left out. `one_axis`: see `Programs`.
    """
    programs = Programs(one_axis)

    def call(*arguments: Any, **kw: Any) -> Any:
        arrays = arguments[:leading]
        size = worth(arrays)
        if size is None or (when is not None and not when(*arguments, **kw)):
            return as_it_is(*arguments, **kw)
        rest = arguments[leading:]
        named = {n: x for n, x in kw.items() if isinstance(x, tf.Tensor)}
        options = {n: tuple(x) if type(x) is list else x for n, x in kw.items() if n not in named}
        tensors = (*arrays, *named.values())
        key = (rest, *map(type, rest), *named, *options, *options.values(), *map(type, options.values()))

        def run(*tensors: Any) -> Any:
            more = dict(zip(named, tensors[leading:], strict=True))
            return compiled(*tensors[:leading], *rest, **options, **more)

        program = programs.program(key, tensors, size, run)
        return as_it_is(*arguments, **kw) if program is None else program(*tensors)

    call.as_it_is = as_it_is  # type: ignore[attr-defined]
    return call


def worth(tensors: tuple[Any, ...]) -> int | None:
    """Return the size of the largest tensor, if a program could pay: it is large, all have values, no tape records."""
    size = 0
    for x in tensors:  # each small call does this
        if not (isinstance(x, tf.Tensor) and eager(x)):
            return None
        n = x.shape.num_elements()
        if n > size:
            size = n
    return size if pays(size) else None


def pays(size: int) -> bool:
    """Tell whether a program of so many elements could pay."""
    return size >= LEAST and not record.could_possibly_record() and tf.executing_eagerly() and _one_device()


@cache
def _one_device() -> bool:
    """Tell whether the processor is all that TensorFlow has."""
    return len(tf.config.list_logical_devices()) == 1


class Programs:
    """The programs of one function, and the numbers of elements that calls without a program have had so far.

    They take tensors of more than two axes as tensors of one axis. With `one_axis`, they give a result of an operand's
    shape so too. That is free; XLA makes a loop for each axis, and the innermost may be short.
    """

    #: The stand-in for this class in the source of a traced program: nothing is compiled there.
    SOURCE = 'type("Programs", (), {"program": lambda *_: None})()'

    def __init__(self, one_axis: bool) -> None:
        self._one_axis = one_axis
        self._made: dict[Any, Run | None] = {}
        self._elements: dict[Any, int] = {}

    def program(self, key: Any, tensors: tuple[Any, ...], size: int, run: Run) -> Run | None:
        """Return the program for a call, or None if the function is to run as it is."""
        key = (key, *[x.shape.as_list() for x in tensors])
        key = (key[0], *[x.dtype for x in tensors], *map(tuple, key[1:]))
        try:
            if key in self._made:
                return self._made[key]
        except TypeError:  # an option that has no hash
            return None
        had = self._elements.get(key, 0) + size
        if had < ENOUGH:
            if had > size or len(self._elements) < COUNTED:
                self._elements[key] = had
            return None
        if len(self._made) >= MOST:
            return None
        self._elements.pop(key, None)
        self._made[key] = made = _compiled(run, tensors, self._one_axis)
        return made


def _compiled(run: Run, tensors: tuple[Any, ...], one_axis: bool) -> Run | None:
    """Return the program, or None where XLA lacks a kernel, or the arguments are wrong."""
    shapes = [x.shape.as_list() for x in tensors]
    found: list[Any] = []

    @tf.function(jit_compile=True, autograph=False)
    def program(*tensors: Any) -> Any:
        result = run(*[tf.reshape(x, shape) for x, shape in zip(tensors, shapes, strict=True)])
        found[:] = [getattr(result, "_sig", None), getattr(result, "_data", result)]
        result = found[1]
        return _flat(result) if one_axis and result.shape.as_list() in shapes else result

    token = _compiling.set(True)
    try:
        concrete = program.get_concrete_function(*map(_flat, tensors))
        concrete(*map(_flat, tensors))  # which compiles
    except Exception:  # whatever it is, the function itself runs next
        return None
    finally:
        _compiling.reset(token)
    sig, shape = found[0], found.pop().shape
    as_it_was = None if concrete.output_shapes == shape else tf.constant(shape.as_list())
    call, captured = concrete.inference_fn.call_flat, concrete.captured_inputs  # in half the time of the call itself

    def made(*tensors: Any) -> Any:
        data = call(*map(_flat, tensors), *captured)[0]
        data = data if as_it_was is None else k.Reshape(data, as_it_was)
        return data if sig is None else wrapped(data, sig)

    return made


def _flat(x: tf.Tensor) -> tf.Tensor:
    """Reshape a tensor of more than two axes to one axis."""
    return k.Reshape(x, ints((-1,))) if x.shape.rank > 2 else x


def summed(x: tf.Tensor, axes: tuple[int, ...], keepdims: bool) -> tf.Tensor:
    """Sum along axes in a program.

    XLA adds one number after the other, which is slow and loses digits. A product with ones has a sum for each lane of
    the processor, and adds at most `_ROW` numbers at a time. The last axes are joined where there are more than two,
    which come from one axis (see `Programs`).
    """
    if x.dtype not in (tf.float32, tf.float64) or not axes:
        return (ops.Any if x.dtype == tf.bool else ops.Sum)(input=x, axis=[*axes], keep_dims=keepdims)
    shape, first = x.shape.as_list(), x.shape.rank
    if first == 2 and len(axes) == 2 and shape[1] >= _FEW:
        return summed(summed(x, (1,), True), axes, keepdims)
    while first - 1 in axes:
        first -= 1
    lead, n = shape[:first], math.prod(shape[first:])
    y = tf.reshape(x, (math.prod(lead), n))
    while y.shape[1] >= _FEW:
        y = _rows_summed(y)
    y = ops.Sum(input=tf.reshape(y, (*lead, y.shape[1])), axis=[*[a for a in axes if a < first], first])
    return tf.reshape(y, [1 if a in axes else n for a, n in enumerate(shape)]) if keepdims else y


def _rows_summed(x: tf.Tensor) -> tf.Tensor:
    """Sum at most `_ROW` numbers of each row at a time; the last sum may be of fewer."""
    many, n = x.shape.as_list()
    if n <= _ROW:
        return tf.linalg.matvec(x, tf.ones(n, x.dtype))[:, None]
    whole, left = divmod(n, _ROW)
    parts = tf.reshape(x[:, : n - left], (many * whole, _ROW))
    sums = tf.reshape(tf.linalg.matvec(parts, tf.ones(_ROW, x.dtype)), (many, whole))
    return tf.concat([sums, _rows_summed(x[:, n - left :])], 1) if left else sums
