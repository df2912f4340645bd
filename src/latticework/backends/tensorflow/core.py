"""The core of the TensorFlow backend: dtypes, devices, casts, conversion, tracing.

Tensors never change: a write makes another tensor, and the `Array` is bound to that. A `tf.Variable` is taken for the
value that it has when it is met.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import tensorflow as tf
from tensorflow import raw_ops as ops
from tensorflow.python.eager import forwardprop_util, record

from ...backend.arguments import check_integer, no_values_for_numpy
from ...backend.fitting import refuse_unfit
from ...backend.plain import comes_to
from ...backend.saturation import ends
from ...core.dtypes import Dtype, float32, uint8, uint16, uint32, uint64
from ...errors import BackendError
from ..numpy import core as numpy

ARRAY = (tf.Tensor, tf.Variable)
NATIVE_DTYPE = tf.DType
DTYPES: dict[Any, Dtype] = {
    native: Dtype(native.name)
    for native in (
        tf.bool, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
        tf.bfloat16, tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128,
        tf.dtypes.experimental.float8_e4m3fn, tf.dtypes.experimental.float8_e5m2,
    )
}  # fmt: skip
#: The storage dtypes. TensorFlow casts float32 to them and them to everything, and lacks kernels for much else.
STORAGE = frozenset(native for native, ours in DTYPES.items() if ours.storage)

#: (function, dtype) -> an exact callable, where TensorFlow has no kernel for the dtype.
EMULATED: dict[tuple[str, Dtype], Callable[..., Any]] = {}
#: (function, dtype) -> why it is refused, and the way out.
REFUSED: dict[tuple[str, Dtype], str] = {}
#: (function, dtype) that are composed, because the kernel lacks the dtype or computes in another.
COMPOSED: set[tuple[str, Dtype]] = set()

UNSIGNED: tuple[Dtype, ...] = (uint8, uint16, uint32, uint64)
#: The unsigned dtypes and the signed ones of the same width.
SIGNED = {tf.uint8: tf.int8, tf.uint16: tf.int16, tf.uint32: tf.int32, tf.uint64: tf.int64}
#: The integer dtypes of a float's width, for operations on its bits.
BITS = {tf.bfloat16: tf.int16, tf.float16: tf.int16, tf.float32: tf.int32, tf.float64: tf.int64}

dtype_of = operator.attrgetter("dtype")


def array_class() -> type:
    """Return the class of tensors that nothing traces."""
    with tf.init_scope():
        return type(tf.constant(0))


def native(data: Any) -> tf.Tensor:
    return data if isinstance(data, tf.Tensor) else tf.convert_to_tensor(data)


#: True while a function is run to be differentiated.
_differentiating: ContextVar[bool] = ContextVar("latticework differentiates on tensorflow", default=False)


@contextmanager
def differentiation() -> Iterator[None]:
    """Run a function to be differentiated, by kernels whose derivatives are right everywhere."""
    token = _differentiating.set(True)
    try:
        yield
    finally:
        _differentiating.reset(token)


def differentiating() -> bool:
    """Return whether a function of `lw.grad` or one of its kin runs."""
    return _differentiating.get()


def differentiated() -> bool:
    """Return whether derivatives may be needed: inside `lw.grad` and its kin, and wherever TensorFlow traces."""
    return _differentiating.get() or not tf.executing_eagerly()


def recorded() -> bool:
    """Return whether any tape or accumulator may record the computation, now or when a traced function runs."""
    return record.could_possibly_record() or not tf.executing_eagerly()


recorded.in_source = True  # type: ignore[attr-defined]  # see tracing/writing/standalone.py


def _following(operands: Sequence[Any]) -> bool:
    """Return whether an accumulator, which takes derivatives forwards, follows operands. Tapes go TensorFlow's own way,
    and so do sources that run without latticework."""
    return bool(record.could_possibly_record() and forwardprop_util.pack_tangents([*operands]).tangents)


_following.in_source = False  # type: ignore[attr-defined]  # see tracing/writing/standalone.py


def _with_latticework() -> bool:
    """Return whether latticework is there: False in source that runs without it."""
    return True


_with_latticework.in_source = False  # type: ignore[attr-defined]


def _first_order(operands: list[Any]) -> bool:
    """Return whether no tape and one accumulator at most follow the operands: no second derivatives are needed."""
    followed = sum(map(bool, forwardprop_util.pack_tangents(operands).indices))
    return followed <= 1 and not record.should_record_backprop(operands)


def custom_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `tf.custom_gradient`, for tensors, but with the given gradient for accumulators too: in TensorFlow they
    follow the function instead."""

    @wraps(function)
    def call(*operands: Any) -> Any:
        if _following(operands):
            return _by_given_gradient(function, [*operands])
        else:  # noqa: RET505  # which is all that a source has
            return tf.custom_gradient(function)(*map(_in_graph, operands))

    return call


def _in_graph(x: Any) -> Any:
    """Return x in the current graph: in a branch of tf.cond, a gradient takes no tensor of the outer graph."""
    if tf.executing_eagerly() or getattr(x, "graph", None) in (None, tf.compat.v1.get_default_graph()):
        return x
    return tf.identity(x)


def _by_given_gradient(function: Callable[..., Any], operands: list[Any]) -> Any:
    # `back` may hold tensors computed here. Only second derivatives need to know how.
    with record.stop_recording() if _first_order(operands) else nullcontext():
        result, back = function(*operands)
    with record.stop_recording():
        found = tf.custom_gradient(lambda *_: (result, back))(*operands)

    # The tangents of other operands are 0, and 0 times an infinite gradient would be nan.
    followed = [i for i, x in enumerate(operands) if _following([x]) or record.should_record_backprop([x])]

    def gradients(*cotangents: Any) -> list[Any]:
        grads = back(*cotangents)
        grads = grads if isinstance(grads, (list, tuple)) else [grads]
        return [grads[i] for i in followed]

    record.record_operation("CustomGradient", tf.nest.flatten(found), [operands[i] for i in followed], gradients)
    return found


def unrecorded(kernel: Callable[..., Any], *operands: Any) -> Any:
    """Call a kernel inside a custom gradient, hidden from accumulators as `tf.custom_gradient` hides it from tapes."""
    if _following(operands):
        return _unseen(kernel, operands)
    else:  # noqa: RET505
        return kernel(*operands)


def _unseen(kernel: Callable[..., Any], operands: Any) -> Any:
    with record.stop_recording():
        return kernel(*operands)


def gradients_of(function: Callable[..., Any], operands: Any, cotangent: Any) -> Any:
    """Return the gradients of a composition by one operand or a list of them, inside a custom gradient."""
    if _with_latticework():
        return _gradients_aside(function, operands, cotangent)
    else:  # noqa: RET505
        return _gradients(function, operands, cotangent)


def _gradients(function: Callable[..., Any], operands: Any, cotangent: Any) -> Any:
    found, tape = _taped(function, operands)
    return tape.gradient(found, operands, cotangent)


def _taped(function: Callable[..., Any], operands: Any) -> tuple[Any, tf.GradientTape]:
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(operands)
        found = function(*operands) if isinstance(operands, list) else function(operands)
    return found, tape


def _gradients_aside(function: Callable[..., Any], operands: Any, cotangent: Any) -> Any:
    """Compute gradients for an accumulator, with its state put aside: otherwise it lets no tape record the function. It
    has to follow the cotangent."""
    if _first_order(operands if isinstance(operands, list) else [operands]):
        with record.stop_recording():  # an accumulator would follow each kernel of the composition
            operands = tf.nest.map_structure(tf.identity, operands)
    with forwardprop_util.push_forwardprop_state():
        found, tape = _taped(function, operands)
    return tape.gradient(found, operands, cotangent)


def conjugated(kernel: Callable[[Any], Any], x: Any) -> Any:
    """Call a kernel whose gradient is for real numbers, and conjugate the gradient for complex ones."""
    if not (x.dtype.is_complex and recorded()):
        return kernel(x)

    @custom_gradient
    def differentiable(x: Any) -> Any:
        def back(cotangent: Any) -> Any:
            return ops.Conj(input=gradients_of(kernel, x, ops.Conj(input=cotangent)))

        return kernel(x), back

    return differentiable(x)


def eager(data: Any) -> bool:
    """Return whether the tensor has its values: inside `tf.function` none has."""
    return hasattr(data, "numpy")


@cache
def cast(dtype: tf.DType) -> Callable[[Any], Any]:
    def to(data: Any) -> tf.Tensor:
        return ops.Cast(x=data, DstT=dtype)

    def to_storage(data: Any) -> tf.Tensor:
        source = data.dtype
        return to(data if source.is_floating else ops.Cast(x=data, DstT=tf.float32))

    def to_integer(data: Any) -> tf.Tensor:
        return cast_from(data.dtype, dtype)(data)

    if dtype in STORAGE:
        return to_storage
    if dtype.is_integer:
        comes_to(to_integer, lambda data: (cast_from(data.dtype, dtype), (data,), {}))
        return to_integer
    return truth if dtype == tf.bool else to


@cache
def cast_from(source: tf.DType, dtype: tf.DType) -> Callable[[Any], Any]:
    """Return the cast from one dtype to another."""
    if not dtype.is_integer:
        return cast(dtype)
    if source.is_floating and source not in STORAGE:
        return _of_floats(source, dtype)

    def to(data: Any) -> tf.Tensor:
        return ops.Cast(x=data, DstT=dtype)

    whole = cast_from(tf.float32, dtype) if source in STORAGE else to

    def of_storage(data: Any) -> tf.Tensor:
        return whole(ops.Cast(x=data, DstT=tf.float32))

    return of_storage if source in STORAGE else to


def _of_floats(source: tf.DType, dtype: tf.DType) -> Callable[[Any], tf.Tensor]:
    """Make the cast of floats to integers: truncated, clamped to the range, 0 for nan."""
    low, high = int(dtype.min), int(dtype.max)
    bottom, top = ends(DTYPES[source], DTYPES[dtype])
    within = numpy.within_range(np.dtype(source.as_numpy_dtype), np.dtype(dtype.as_numpy_dtype))
    elements = _of_bfloat16 if source == tf.bfloat16 else np.asarray

    def clamped(data: Any) -> tf.Tensor:
        """Cast with floats clamped to the range, 0 for nan."""
        result = ops.Cast(x=data, DstT=dtype)
        result = tf.where(data != data, tf.constant(0, dtype), result)
        result = tf.where(data > tf.constant(top, source), tf.constant(high, dtype), result)
        return tf.where(data < tf.constant(bottom, source), tf.constant(low, dtype), result)

    def to_integer(data: Any) -> tf.Tensor:
        known = hasattr(data, "numpy") and data.device.endswith("CPU:0")  # and not inside of tf.function
        return ops.Cast(x=data, DstT=dtype) if known and within(elements(data)) else clamped(data)

    return to_integer


def _of_bfloat16(data: Any) -> np.ndarray:
    """Return the elements by way of their bits: TensorFlow gives NumPy a copy of bfloat16."""
    return np.asarray(ops.Bitcast(input=data, type=tf.int16)).view(tf.bfloat16.as_numpy_dtype)


@cache
def narrow(dtype: tf.DType) -> Callable[[Any], Any]:
    low, high, name = dtype.min, dtype.max, dtype.name

    def narrowed(data: Any) -> tf.Tensor:
        if eager(data):
            refuse_unfit(data.numpy(), low, high, name)
            return ops.Cast(x=data, DstT=dtype)
        source = data.dtype  # inside a graph, which checks when it runs
        fits = ops.LessEqual(x=data, y=tf.constant(min(high, source.max), source))
        fits &= ops.GreaterEqual(x=data, y=tf.constant(max(low, source.min), source))
        text = f"integers do not all fit an array of {name}, whose dtype never changes"
        with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(fits), [text])]):
            return ops.Cast(x=data, DstT=dtype)

    return narrowed


def truth(data: Any) -> tf.Tensor:
    """Cast to bool by bit pattern: to the kernels subnormals are zero."""
    source = data.dtype
    if source == tf.bool:
        return data
    if source.is_complex:
        real, imag = (kernel(input=data, Tout=source.real_dtype) for kernel in (ops.Real, ops.Imag))
        return ops.LogicalOr(x=truth(real), y=truth(imag))
    if source in STORAGE:
        return ops.NotEqual(x=ops.Cast(x=data, DstT=tf.float32), y=0)  # in which none of them is subnormal
    if source.is_floating:
        data = ops.LeftShift(x=ops.Bitcast(input=data, type=BITS[source]), y=1)  # without the sign
    return ops.NotEqual(x=data, y=0)


def scalar(dtype: tf.DType) -> Callable[[Any], tf.Tensor]:
    """Make tensors of Python scalars. TensorFlow caches these, and takes 0.0 and -0.0 for the same: zeros are made from
    NumPy arrays, which it does not cache."""
    if dtype == tf.bool or dtype.is_integer:
        kind = bool if dtype == tf.bool else int

        def whole(value: Any) -> tf.Tensor:
            return tf.constant(kind(value), dtype)

        return whole
    result = dtype.as_numpy_dtype
    if dtype.is_complex:

        def parts(value: Any) -> tf.Tensor:
            return tf.constant(np.array(value, result))

        return parts

    def make(value: Any) -> tf.Tensor:
        value = float(value)
        return tf.constant(value, dtype) if value else tf.constant(np.array(value, result))

    return make


def on_bits(function: Callable[[Dtype], Callable[..., Any]], dtype: tf.DType) -> Callable[..., Any]:
    """Make a function that moves elements or makes an array, for a storage dtype.

    Eager tensors are moved by their bits. Inside `tf.function`, where no kernel tells the bits, they go by way of
    float32, which holds all of their values.
    """
    on_integers, on_floats = function(uint8), function(float32)

    def each(x: Any, view: Callable[[Any], Any]) -> Any:
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], tf.Tensor):
            return type(x)(each(y, view) for y in x)
        return view(x) if isinstance(x, tf.Tensor) else x

    def call(*args: Any, **kw: Any) -> Any:
        if "dtype" in kw:
            with on(kw.get("device")):
                return ops.Cast(x=on_floats(*args, **kw | {"dtype": tf.float32}), DstT=dtype)
        tensors = [y for x in args for y in (x if isinstance(x, list) else [x]) if isinstance(x, (list, tf.Tensor))]
        if all(map(eager, tensors)):
            moved = on_integers(*(each(x, to_bits) for x in args), **kw)
            return each(moved, lambda x: of_bits(x, dtype))
        moved = on_floats(*(each(x, to_float) for x in args), **kw)
        return each(moved, lambda x: ops.Cast(x=x, DstT=dtype))

    def to_bits(x: Any) -> Any:
        return _constant(memory(x).view(np.uint8), x) if x.dtype == dtype else x

    def to_float(x: Any) -> Any:
        return ops.Cast(x=x, DstT=tf.float32) if x.dtype == dtype else x

    call.__qualname__ = f"{getattr(on_integers, '__name__', 'function')} of the bits"
    return call


def of_bits(data: Any, dtype: tf.DType) -> tf.Tensor:
    """Return the tensor of a storage dtype that has these uint8 as its bits."""
    return _constant(memory(data).view(dtype.as_numpy_dtype), data)


def _constant(values: np.ndarray, beside: Any) -> tf.Tensor:
    """Make a tensor of these values, on the device of another one."""
    with tf.device(beside.device):
        return tf.constant(values)


def extents(data: Any) -> Any:
    """Return the shape, as a tensor where TensorFlow will know it only at run time."""
    shape = data.shape
    return shape if shape.is_fully_defined() else tf.shape(data, out_type=tf.int64)


#: Functions whose kernel takes a Python scalar as the second operand, in the dtype of the first.
_SCALARS = frozenset(
    "add subtract multiply divide maximum minimum pow atan2 equal not_equal less less_equal greater greater_equal "
    "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split()
)


def takes_scalar(function: str, position: int, dtype: Dtype) -> bool:
    return position == 1 and dtype.kind != "c" and function in _SCALARS


#: function -> the same with swapped operands, for a Python scalar that comes first.
REFLECTED: dict[str, Callable[[Any, Any], Any]] = {}


def shape_of(data: Any) -> tuple[int, ...]:
    shape = data.shape
    if shape.rank is None:
        raise ValueError(
            "the number of axes is not known inside tf.function. Give tf.TensorSpec a shape, such as [None, None]"
        )
    return tuple(shape.as_list())


def may_record(data: Any) -> bool:
    """Tell whether a tape or an accumulator may record derivatives of a tensor."""
    return recorded()


def records(arrays: Sequence[Any]) -> bool:
    """Tell whether a tape or an accumulator may record a computation."""
    return recorded()


def describe(data: Any) -> str | None:
    """Describe a tensor that has no values yet; None for one that has."""
    if eager(data):
        return None
    return f"shape={'unknown' if data.shape.rank is None else tuple(data.shape)}"


class NoValuesYet(TypeError):  # noqa: N818 - the name says it
    """A function that tf.function traces asks for the values of a tensor."""


def item(data: Any) -> Any:
    if not eager(data):
        raise NoValuesYet(
            "inside tf.function an array has no values yet. Use lw.where for a choice, or tf.cond on x.data"
        )
    return numpy.item(memory(data))


# --- devices ------------------------------------------------------------------------------------------------------
# A device is named "cpu", "cpu:1", "gpu:0", and "/device:CPU:0" by TensorFlow itself.


def _name(native_name: str) -> str:
    kind, _, number = native_name.rpartition("device:")[2].lower().partition(":")
    return kind if not number or (kind, number) == ("cpu", "0") else f"{kind}:{number}"


@cache
def _placed() -> tuple[str, ...]:
    """Return the devices, TensorFlow's preferred one first."""
    found = [_name(d.name) for d in tf.config.list_logical_devices()]
    return tuple(sorted(found, key=lambda name: (not name.startswith("gpu"), name)))


def devices() -> list[str]:
    return sorted(_placed(), key=lambda name: (name != "cpu", name))


def device_name(name: object) -> str:
    if name is None:
        return _placed()[0]
    plain = _name(str(name))
    found = next((d for d in (plain, f"{plain}:0") if d in _placed()), None)
    if found is None:
        raise ValueError(f"the tensorflow backend has no device {str(name)!r}; it has {', '.join(devices())}")
    return found


def native_device(name: str) -> str | None:
    """Return TensorFlow's name of a device; None for its default one, so that no context has to be entered."""
    if name == _placed()[0]:
        return None
    return own_device(name)


def own_device(name: str) -> str:
    """Return TensorFlow's name of a device, without the job, the replica and the task before it."""
    return _full_name(name)


def _full_name(name: str) -> str:
    kind, _, number = name.partition(":")
    return f"/device:{kind.upper()}:{number or 0}"


def on(device: str | None) -> AbstractContextManager[Any]:
    """Return a context that makes tensors on a device: TensorFlow's functions have no device argument."""
    return nullcontext() if device is None else tf.device(device)


def device_of(data: Any) -> str:
    # Inside tf.function it is not known yet where a tensor will lie.
    return _name(data.device) if data.device else _placed()[0]


def to_device(data: Any, device: str | None, stream: Any) -> tf.Tensor:
    if stream is not None:
        raise ValueError("to_device: the tensorflow backend has no streams")
    target = device or _full_name(_placed()[0])
    if device_of(data) == _name(target):
        return native(data)
    with tf.device(target):
        return tf.identity(data)


# --- small tensors ------------------------------------------------------------------------------------------------


_Made = TypeVar("_Made")


def kept(
    size: int, make: Callable[..., _Made], in_graph: Callable[..., _Made] | None = None, typed: bool = False
) -> Callable[..., _Made]:
    """Keep the small tensors that a function of hashable arguments makes, which takes less time than new ones.

    Inside a tf.function they are constants of its graph, made by `in_graph`. A tensor from outside would be an argument
    of it, which takes time in each call.
    """

    @lru_cache(size, typed)
    def outside(*args: Any) -> _Made:
        with tf.init_scope():
            return make(*args)

    inside = make if in_graph is None else in_graph

    @wraps(make)
    def made(*args: Any) -> _Made:
        return (outside if tf.executing_eagerly() else inside)(*args)

    made.as_it_is = make  # type: ignore[attr-defined]  # what a source has
    return made


def _ints(values: tuple[int, ...], dtype: tf.DType = tf.int32) -> tf.Tensor:
    """Return a tensor of axes, extents or positions."""
    return tf.constant(values, dtype, shape=(len(values),))


#: The names of such constants by their graph, while it is traced. Tensors would hold the graph.
_names: WeakKeyDictionary[tf.Graph, dict[Any, str]] = WeakKeyDictionary()


def _ints_of_graph(values: tuple[int, ...], dtype: tf.DType = tf.int32) -> tf.Tensor:
    graph = tf.compat.v1.get_default_graph()
    names = _names.setdefault(graph, {})
    if (values, dtype) not in names:
        names[values, dtype] = _ints(values, dtype).name
    return graph.get_tensor_by_name(names[values, dtype])


ints = kept(8192, _ints, _ints_of_graph)


@lru_cache(1024, typed=True)
def places(axis: Any, rank: int) -> tuple[int, ...]:
    """Return an axis, several, or all for None, counted from the first; no axis twice."""
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    for a in axes:
        check_integer(a)
        if not -rank <= a < rank:
            raise IndexError(f"axis {a} is out of bounds for {rank} axes")
    axes = tuple([operator.index(a) % rank for a in axes])  # 1.0 would pass for 1
    if len(set(axes)) != len(axes):
        raise ValueError(f"the same axis twice in {axis}")
    return axes


def axis_tensor(axis: Any, rank: int) -> tf.Tensor:
    """Return `places` as a tensor, for the kernels of reductions."""
    if type(axis) is tuple and bool in map(type, axis):  # to a cache, True in a tuple is 1
        check_integer(True)
    return _axis_tensor(axis, rank)


def _axes_of(axis: Any, rank: int) -> tf.Tensor:
    return ints(places(axis, rank))


_axis_tensor = kept(1024, _axes_of, typed=True)


@lru_cache(256, typed=True)
def order_to_end(axis: int, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the order of axes that moves an axis to the end, and the one that moves it back."""
    (last,) = places(axis, rank)
    order = (*(a for a in range(rank) if a != last), last)
    return order, tuple([order.index(a) for a in range(rank)])


def count(n: Any) -> tf.Tensor:
    """Return the int64 from 0 to n - 1."""
    return ops.Range(start=tf.constant(0, tf.int64), limit=n, delta=1)


def reshaped(data: Any, shape: Any) -> tf.Tensor:
    """Reshape; `shape` is a tuple, or a result of `extents`."""
    if isinstance(shape, tf.TensorShape):
        shape = shape.as_list()
    return ops.Reshape(tensor=data, shape=shape if isinstance(shape, tf.Tensor) else ints(tuple(shape), tf.int64))


def flat(data: Any) -> tf.Tensor:
    return ops.Reshape(tensor=data, shape=ints((-1,)))


def expanded(data: Any, shape: Any) -> tf.Tensor:
    """Broadcast `data` to a shape, given as for `reshaped`."""
    if isinstance(shape, tf.TensorShape):
        shape = shape.as_list()
    if isinstance(shape, tf.Tensor):
        return ops.BroadcastTo(input=data, shape=shape)
    if len(shape) > _AXES_TO_BROADCAST and data.shape.is_fully_defined():
        return _expanded_in_turns(data, shape)
    return ops.BroadcastTo(input=data, shape=ints(tuple(shape), tf.int64))


_AXES_TO_BROADCAST = 5  # the least that the kernels take; neighbours that are both broadcast count as one


def _expanded_in_turns(data: Any, shape: Sequence[int]) -> tf.Tensor:
    """Broadcast a few axes at a time."""
    rank = len(shape)
    data = reshaped(data, [1] * (rank - data.shape.rank) + data.shape.as_list())
    for first in range(0, rank, 2):
        wanted = data.shape.as_list()
        wanted[first : first + 2] = shape[first : first + 2]
        if wanted != data.shape.as_list():
            data = ops.BroadcastTo(input=data, shape=ints(tuple(wanted), tf.int64))
    return data


def joined(parts: Sequence[Any], axis: int) -> tf.Tensor:
    """Concatenate parts, one or more."""
    return parts[0] if len(parts) == 1 else ops.ConcatV2(values=parts, axis=axis)


def permuted(data: Any, order: Sequence[int]) -> tf.Tensor:
    """Permute the axes; nothing is moved where they are in this order."""
    return data if [*order] == sorted(order) else ops.Transpose(x=data, perm=ints(tuple(order)))


def broadcast_shape(arrays: Sequence[Any]) -> Any:
    """Return the common shape of tensors, in a form for `reshaped`."""
    if all(a.shape.is_fully_defined() for a in arrays):
        return np.broadcast_shapes(*(tuple(a.shape) for a in arrays))
    shape = tf.shape(arrays[0], tf.int64)
    for a in arrays[1:]:
        shape = tf.broadcast_dynamic_shape(shape, tf.shape(a, tf.int64))
    return shape


def extent(data: Any, axis: int) -> Any:
    """Return the extent of an axis, as a tensor where it is not known yet."""
    n = data.shape[axis]
    return n if n is not None else tf.shape(data, tf.int64)[axis]


def chosen(condition: Any) -> bool:
    """Return whether any element of a bool tensor, which has its values, is true."""
    return bool(memory(condition).any())


# --- conversion ---------------------------------------------------------------------------------------------------

_ALIGNMENT = 64


def to_numpy(data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
    """Return a NumPy array: on the CPU the tensor's own memory, which must not be written to."""
    if not eager(data):
        raise NoValuesYet("inside tf.function an array has no values yet that could go to NumPy")
    if _differentiating.get() and (record.should_record_backprop([data]) or _following([data])):
        raise no_values_for_numpy()
    if copy is False and device_of(data) != "cpu":
        raise ValueError(f"an array on {device_of(data)} cannot become a numpy.ndarray without a copy")
    return np.array(memory(data), dtype=dtype, copy=copy)


def values(data: Any) -> np.ndarray:
    """Return the elements of a tensor, also of one that a tape records."""
    if not eager(data):
        return to_numpy(data, None, None)
    return memory(data)


def memory(data: Any) -> np.ndarray:
    """Return the tensor's own memory, for bfloat16 by way of its bits: TensorFlow gives NumPy a copy of it."""
    if data.dtype in STORAGE:
        return np.asarray(data.numpy())
    if data.dtype == tf.bfloat16:
        return _of_bfloat16(data)
    return np.asarray(data)


def _aligned(data: np.ndarray) -> bool:
    """Return whether memory is aligned for TensorFlow: with other memory, its kernels end the process."""
    return data.ctypes.data % _ALIGNMENT == 0


def from_numpy(data: np.ndarray, device: str | None, copy: bool | None) -> tf.Tensor:
    """Convert a NumPy array, as a copy unless `copy` is False."""
    if copy is not False:
        if not data.dtype.isnative:
            data = data.astype(data.dtype.newbyteorder("="))
        if device is None:
            return tf.constant(data)
        with tf.device(device):
            return tf.constant(data)
    fits = data.dtype.isnative and data.flags.c_contiguous and data.flags.writeable and data.size and _aligned(data)
    if not fits or device is not None or _placed()[0] != "cpu":
        raise ValueError(
            f"asarray: copy=False, but TensorFlow shares only memory that is contiguous, writeable and aligned to "
            f"{_ALIGNMENT} bytes, on the CPU"
        )
    return _from_capsule(data)


def _from_capsule(data: np.ndarray) -> tf.Tensor:
    if data.dtype in numpy.EXTENSIONS and tf.as_dtype(data.dtype) in STORAGE:
        raise ValueError(f"asarray: copy=False, but TensorFlow shares no memory of {data.dtype}")
    if data.dtype == numpy.BFLOAT16:  # NumPy exports no dtypes that are not its own
        return ops.Bitcast(input=tf.experimental.dlpack.from_dlpack(data.view(np.int16).__dlpack__()), type=tf.bfloat16)
    return tf.experimental.dlpack.from_dlpack(data.__dlpack__())


def plain(x: Any, copy: bool | None) -> tf.Tensor:
    return native(x)


def duplicate(data: Any) -> tf.Tensor:
    return ops.DeepCopy(x=data) if eager(data) and data.dtype not in STORAGE else tf.identity(data)


with suppress(KeyError):  # TensorFlow has none; a later one may

    @tf.RegisterGradient("DeepCopy")
    def _gradient_of_copy(op: Any, gradient: Any) -> Any:
        return gradient


def to_pickle(data: tf.Tensor) -> np.ndarray:
    return values(data)


def from_pickle(pickled: np.ndarray, dtype: tf.DType) -> tf.Tensor:
    return tf.convert_to_tensor(pickled)


def dlpack(data: tf.Tensor, **options: Any) -> Any:
    """Export by TensorFlow, which knows no options: it always uses the first version of the protocol."""
    if not eager(data):
        raise BufferError("inside tf.function an array has no memory yet")
    if data.dtype in STORAGE:
        raise BufferError(
            f"TensorFlow exports no {data.dtype.name} through DLPack. Use lw.asarray(x, backend=...), which converts it"
        )
    wanted = options.get("dl_device")
    if wanted is not None and tuple(map(int, wanted)) != tuple(map(int, data.__dlpack_device__())):
        if int(wanted[0]) != 1:
            raise BufferError(f"an array on {device_of(data)} cannot be exported to device {wanted}")
        if options.get("copy") is False:
            raise ValueError(f"an array on {device_of(data)} cannot be exported to the CPU without a copy")
        data = to_device(data, "/device:CPU:0", None)
    elif options.get("copy") or (data.shape.rank == 0 and options.get("copy") is None):
        data = duplicate(data)  # TensorFlow caches tensors of Python scalars: a write to one changes the constant
    return tf.experimental.dlpack.to_dlpack(data)


def from_dlpack(x: Any, device: str | None, copy: bool | None) -> tf.Tensor:
    """Import an array: TensorFlow takes contiguous, aligned memory as it is; other memory is copied."""
    try:
        result = tf.experimental.dlpack.from_dlpack(x.__dlpack__())
        if device_of(result) == "cpu" and result.shape.num_elements() and not _aligned(memory(result)):
            if copy is False:
                raise BufferError(f"the memory is not aligned to {_ALIGNMENT} bytes, as TensorFlow needs it")
            result, copy = tf.convert_to_tensor(np.array(np.asarray(result))), None
    except (BufferError, tf.errors.InvalidArgumentError) as error:
        if copy is False:
            raise BufferError(f"TensorFlow cannot take this memory without a copy: {error}") from error
        result, copy = tf.convert_to_tensor(np.array(np.from_dlpack(x))), None
    if device is not None and device_of(result) != device:
        if copy is False:
            raise ValueError(f"from_dlpack: the array lies on {device_of(result)}, not on {device}")
        result = to_device(result, native_device(device), None)
    return duplicate(result) if copy else result


#: TensorFlow's error classes, which derive from none of Python's, and the classes for them here.
_ERRORS = {
    "InvalidArgumentError": ValueError, "OutOfRangeError": IndexError, "ResourceExhaustedError": MemoryError,
    "NotFoundError": BackendError, "UnimplementedError": BackendError,
}  # fmt: skip


def error_class(error: Exception) -> type[Exception] | None:
    if not type(error).__module__.startswith("tensorflow."):
        return None
    return _ERRORS.get(type(error).__name__, RuntimeError if not isinstance(error, TypeError) else TypeError)


def error_text(error: Exception) -> str:
    """Return the text of an error, without the names of nodes that TensorFlow puts around it."""
    text = str(error).strip().split("\n")[0].rstrip(".")
    return text.rpartition("}} ")[2].partition(" [Op:")[0].rstrip(".") if type(error).__name__ in _ERRORS else text
