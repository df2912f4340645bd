"""The core of the JAX backend: dtypes and the 64-bit switch, devices, casts, indexing, conversion.

Small functions are compiled with `jax.jit` once for each dtype and shape. That makes one kernel of several, and calls
take less time than those of the functions of `jax.lax`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import find_top_trace
from jax.extend.core.primitives import convert_element_type_p
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ...backend import get
from ...backend.fitting import refuse_unfit
from ...core.dtypes import Dtype, bfloat16, bool_, float16

ARRAY = jax.Array
#: The description of an array has its extents at hand; the array itself makes them anew.
SHAPE_TEXT = "{}.aval.shape"
DTYPE_TEXT = "{}.aval.dtype"
NATIVE_TEXT = "{}.aval.weak_type is False"
NATIVE_DTYPE = np.dtype
DTYPES: dict[Any, Dtype] = {
    jnp.dtype(native): Dtype(jnp.dtype(native).name)
    for native in (
        jnp.bool_, jnp.int8, jnp.int16, jnp.int32, jnp.int64, jnp.uint8, jnp.uint16, jnp.uint32, jnp.uint64,
        jnp.bfloat16, jnp.float16, jnp.float32, jnp.float64, jnp.complex64, jnp.complex128,
        jnp.float8_e4m3fn, jnp.float8_e5m2,
    )
}  # fmt: skip
#: The storage dtypes, and an integer dtype of the same width. JAX moves elements in another dtype, which loses the bits
#: of some nan.
STORAGE = {native: np.dtype(np.uint8) for native, ours in DTYPES.items() if ours.storage}
#: The dtypes that JAX has only while its 64-bit switch is on.
WIDE = frozenset(map(Dtype, ("int64", "uint64", "float64", "complex128")))

#: (function, dtype) -> its kernel, where the module's own function of that name does not compute it.
EMULATED: dict[tuple[str, Dtype], Callable[..., Any]] = {}
#: (function, dtype) that are composed, since JAX's own function lacks the dtype.
COMPOSED: set[tuple[str, Dtype]] = set()
#: (function, dtype) -> why it is refused, and the way out.
REFUSED: dict[tuple[str, Dtype], str] = {}

dtype_of = operator.attrgetter("dtype")


def array_class() -> type:
    """Return the class of arrays that nothing traces."""
    with jax.ensure_compile_time_eval():
        return type(jnp.zeros(()))


#: The arrays that JAX's functions take beside its own. `lift` converts them to its own: see `engine.exchange.native`.
LIFTS = np.ndarray
lift = jnp.asarray


# --- the 64-bit switch --------------------------------------------------------------------------------------------


def wide(dtype: Dtype) -> bool:
    """Return whether JAX has the dtype only while its 64-bit switch is on."""
    return dtype in WIDE


def switched_on() -> bool:
    """Return JAX's 64-bit switch as it is now: set for the process, or by `jax.enable_x64` for this thread."""
    return bool(jax.config.jax_enable_x64)


# --- arrays and scalars -------------------------------------------------------------------------------------------


def native(data: Any) -> jax.Array:
    """Return the array, cast to a strong one if it is weak or a NumPy scalar; other objects as they are."""
    if getattr(data, "weak_type", None) is False:  # which takes less time than `isinstance`
        return data
    if is_weak(data) if isinstance(data, jax.Array) else isinstance(data, np.generic):
        return _cast(data.dtype)(data)
    return data


def is_weak(data: Any) -> bool:
    """Return whether the array is weak: it takes the dtype of the other operand, as Python scalars do."""
    return bool(getattr(data, "weak_type", False))


def opaque(data: Any) -> bool:
    """Tell whether an array has elements that are no numbers: typed keys."""
    return bool(jnp.issubdtype(data.dtype, jax.dtypes.extended))


def key_data(key: Any) -> Any:
    """Return the words of a typed key; any other array as it is. A TypeError of a key of another generator."""
    if not opaque(key):
        return key
    if str(key.dtype) != "key<fry>":
        raise TypeError(f"a typed key of JAX must be of Threefry, key<fry>; got {key.dtype}")
    return jax.random.key_data(key)


def weakened(data: Any) -> Any:
    """Return the array as a weak one. Only the primitive can do that: JAX's functions make arrays strong."""
    if not isinstance(data, jax.Array) or is_weak(data):
        return data
    return convert_element_type_p.bind(data, new_dtype=data.dtype, weak_type=True, sharding=None)


def may_record(data: Any) -> bool:
    """Tell whether a transformation follows an array."""
    return isinstance(data, jax.core.Tracer)


with jax.core.ensure_compile_time_eval():
    #: What stands in the place of a transformation where there is none.
    _NO_TRANSFORMATION = find_top_trace(())


def records(arrays: Sequence[Any]) -> bool:
    """Tell whether a transformation runs."""
    return find_top_trace(arrays) is not _NO_TRANSFORMATION or any(map(may_record, arrays))


def has_data_dependent_shapes() -> bool:
    """Tell whether values are known: no `jax.jit` and no `jax.vmap` runs. Those of a derivative are known."""
    trace: Any = find_top_trace(())
    while trace is not _NO_TRANSFORMATION:
        if type(trace).__name__ not in ("JVPTrace", "LinearizeTrace"):
            return False
        trace = trace.parent_trace
    return True


def describe(data: Any) -> str | None:
    """Describe an array without values: a tracer, or an object that JAX puts in an array's place."""
    if isinstance(data, jax.core.Tracer):
        return f"traced, shape={data.shape}"
    return None if isinstance(data, (jax.Array, np.generic)) else repr(data)


@cache
def _cast(dtype: Any) -> Callable[[Any], Any]:
    def convert(data: Any) -> Any:
        return jax.lax.convert_element_type(data, dtype)

    return jax.jit(convert)


@jax.jit
def truth(data: Any) -> jax.Array:
    """Cast to bool by bit pattern: to comparisons on the CPU subnormals are zero."""
    if jnp.issubdtype(data.dtype, jnp.complexfloating):
        return truth(data.real) | truth(data.imag)
    if jnp.issubdtype(data.dtype, jnp.floating):
        data = jax.lax.bitcast_convert_type(data, f"uint{8 * data.dtype.itemsize}") << 1  # without the sign
    return data != 0


@cache
def _to_storage(dtype: Any) -> Callable[[Any], Any]:
    """Cast to a storage dtype: integers by way of float32, since JAX rounds them to float16 first."""

    def to_storage(data: Any) -> Any:
        if data.dtype.kind in "biu":
            data = jax.lax.convert_element_type(data, np.float32)
        return jax.lax.convert_element_type(data, dtype)

    return jax.jit(to_storage)


def cast(dtype: Any) -> Callable[[Any], Any]:
    if dtype in STORAGE:
        return _to_storage(dtype)
    return truth if dtype == np.dtype(bool) else _cast(dtype)


@cache
def narrow(dtype: Any) -> Callable[[Any], Any]:
    limits, name, convert = np.iinfo(dtype), str(dtype), _cast(dtype)
    low, high = int(limits.min), int(limits.max)

    def narrowed(data: Any) -> Any:
        if not isinstance(data, jax.core.Tracer):
            refuse_unfit(np.asarray(data), low, high, name)
        return convert(data)

    return narrowed


#: The classes of functions that are compiled programs for all operands.
_PROGRAMS = (type(_cast(np.dtype(bool))), jnp.ufunc)


def together(
    call: Callable[..., Any], steps: tuple[Callable[[Any], Any] | None, ...], operands: tuple[Any, ...], computed: Dtype
) -> Callable[..., Any] | None:
    """Compile casts of operands and a function of these to one program, which takes half the time of two.

    Return None where it might give other bits: XLA keeps more than 16 bits between two operations, makes a choice of a
    product with a bool (so that False times infinity is 0), forms products of complex numbers in another way where it
    sees that they were real, and rounds sums of series and continued fractions otherwise.
    """
    if getattr(call, "iterates", False):
        return None
    if computed.kind == "c" or computed in (float16, bfloat16) or computed.storage or bool_ in operands:
        return None
    if not all(isinstance(f, _PROGRAMS) or f is jnp.divide for f in (call, *steps) if f is not None):
        return None  # they may ask for values
    return _one_program(call, steps)


@cache
def _one_program(call: Callable[..., Any], steps: tuple[Callable[[Any], Any] | None, ...]) -> Callable[..., Any]:
    match steps:
        case [first]:
            return jax.jit(lambda d: call(first(d)), inline=True)  # type: ignore[misc]
        case [first, None]:
            return jax.jit(lambda d1, d2: call(first(d1), d2), inline=True)  # type: ignore[misc]
        case [None, second]:
            return jax.jit(lambda d1, d2: call(d1, second(d2)), inline=True)  # type: ignore[misc]
        case _:
            first, second = steps
            return jax.jit(lambda d1, d2: call(first(d1), second(d2)), inline=True)  # type: ignore[misc]


@cache
def _bitcast(dtype: Any) -> Callable[[Any], Any]:
    return jax.jit(lambda data: jax.lax.bitcast_convert_type(data, dtype))


def on_bits(function: Callable[[Dtype], Callable[..., Any]], dtype: Any) -> Callable[..., Any]:
    """Make a function that moves elements by the bits of a storage dtype. Creation functions take the dtype itself."""
    move, to_bits, of_bits = function(DTYPES[STORAGE[dtype]]), _bitcast(STORAGE[dtype]), _bitcast(dtype)

    def viewed(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(map(viewed, x))
        return to_bits(x) if getattr(x, "dtype", None) == dtype else x

    def call(*args: Any, **kw: Any) -> Any:
        result = move(*map(viewed, args), **kw)
        if "dtype" in kw:
            return result
        return tuple(map(of_bits, result)) if isinstance(result, (list, tuple)) else of_bits(result)

    call.__qualname__ = f"{getattr(move, '__name__', 'function')} of the bits"
    return call


def scalar(dtype: Any) -> Callable[[Any], Any]:
    """Make NumPy scalars: JAX takes them for 0-d arrays, and they are made in no time."""
    result: Callable[[Any], Any] = dtype.type
    if result.__module__ == "ml_dtypes" and DTYPES[dtype].kind == "f":
        return lambda value: result(float(value))  # ml_dtypes takes no large ints
    return result


#: Functions that take a Python scalar as it is: in JAX it takes the dtype of the other operand.
_SCALARS = frozenset(
    "add subtract multiply divide maximum minimum equal not_equal less less_equal greater greater_equal "
    "atan2 bitwise_and bitwise_or bitwise_xor".split()
)


def takes_scalar(function: str, position: int, dtype: Dtype) -> bool:
    """Return whether an operand may be a Python scalar. For uint32 and uint64, JAX makes a signed int of it first."""
    return function in _SCALARS and not (dtype.kind == "u" and dtype.bits > 16)


def item(data: Any) -> Any:
    if isinstance(data, jax.core.Tracer) and data.dtype == bool:
        return bool(data)  # with JAX's own error, which has the way out of an `if`
    value = data.item()
    if isinstance(value, (bool, int, float, complex)):
        return value
    return int(value) if DTYPES[data.dtype].kind in "iu" else float(value)  # ml_dtypes gives a scalar of its own


@jax.custom_jvp
def root(x: jax.Array) -> jax.Array:
    """The root of a sum of squares. Where the sum is 0, so is its derivative: JAX's is nan, zero times infinity."""
    return jnp.sqrt(x)


@root.defjvp
def _derivative_of_root(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    y = root(primals[0])
    zero = y == 0
    return y, jnp.where(zero, 0, tangents[0] / jnp.where(zero, 1, 2 * y))


# --- devices ------------------------------------------------------------------------------------------------------
# A device is named "cpu", "cpu:1", "cuda:0", "tpu:0". A sharded array lies on several, "cpu:0,1,2,3": new arrays there
# are replicated on all of them, so that they can be operands beside it. A sharding of JAX is a device too: new arrays
# are laid out by it, and its name, "cpu:0,1,2,3 by PartitionSpec('rows',)", stands for it in plans.

#: name -> the sharding that was given as a device, and the other way round.
_SHARDINGS: dict[str, Any] = {}
_NAMES: dict[Any, str] = {}


def _name(device: Any) -> str:
    kind = str(device).partition(":")[0].lower()
    kind = kind if kind.isalpha() else device.platform
    return "cpu" if (kind, device.id) == ("cpu", 0) else f"{kind}:{device.id}"


def _default() -> Any:
    chosen = jax.config.jax_default_device
    return jax.devices(chosen)[0] if chosen is None or isinstance(chosen, str) else chosen


def devices() -> list[str]:
    return [*dict.fromkeys(_name(d) for d in (*jax.devices(), *jax.devices("cpu")))]


def _devices_named(name: str) -> list[Any]:
    kind, _, numbers = name.partition(":")
    try:
        found = {d.id: d for d in jax.devices(kind)}
        return [found[int(n)] for n in numbers.split(",")] if numbers else [next(iter(found.values()))]
    except (RuntimeError, ValueError, KeyError):
        raise ValueError(f"the jax backend has no device {name!r}; it has {', '.join(devices())}") from None


def device_name(name: object) -> str:
    if isinstance(name, jax.Device):
        return _name(name)
    if isinstance(name, jax.sharding.Sharding):
        return _NAMES.get(name) or _named(name)
    if name in _SHARDINGS:
        return str(name)
    return _name_of([_default()] if name is None else _devices_named(str(name)))


def _named(sharding: Any) -> str:
    """Give a sharding a name, under which it is found again."""
    name = _name_of(sorted(sharding.device_set, key=lambda d: d.id))
    if len(sharding.device_set) > 1:
        name += f" by {getattr(sharding, 'spec', sharding)}"
        while name in _SHARDINGS:  # of another mesh
            name += "'"
        _SHARDINGS[name] = sharding
    _NAMES[sharding] = name
    return name


def _name_of(found: list[Any]) -> str:
    if len(found) == 1:
        return _name(found[0])
    kind = _name(found[0]).partition(":")[0]
    return f"{kind}:{','.join(str(d.id) for d in found)}"


@cache
def on_a_gpu() -> bool:
    """Return whether JAX computes on another device than the CPU, unless told otherwise."""
    return bool(jax.default_backend() != "cpu")


def native_device(name: str) -> Any:
    """Return JAX's device; None for its default one: arrays made there move to the device of the other operand."""
    return None if name == _name(_default()) else own_device(name)


def own_device(name: str) -> Any:
    """Return the JAX device of that name, or the sharding; one over all devices where there are several."""
    if name in _SHARDINGS:
        return _SHARDINGS[name]
    found = _devices_named(name)
    return found[0] if len(found) == 1 else NamedSharding(Mesh(np.array(found), ("all",)), PartitionSpec())


def beside(data: Any) -> Any:
    """Return the sharding of an array in parts, for new arrays of its shape; None where its device says enough."""
    if not isinstance(data, jax.Array) or isinstance(data, jax.core.Tracer) or data.is_fully_replicated:
        return None
    return data.sharding


def device_of(data: Any) -> str:
    if not isinstance(data, jax.Array) or isinstance(data, jax.core.Tracer):
        return _name(_default())  # inside jax.jit it is not known yet where an array will lie
    return _name_of(sorted(data.devices(), key=lambda d: d.id))


def to_device(data: Any, device: Any, stream: Any) -> jax.Array:
    if stream is not None:
        raise ValueError("to_device: the jax backend has no streams")
    target = _default() if device is None else device
    wanted = target.device_set if isinstance(target, jax.sharding.Sharding) else {target}
    if isinstance(data, jax.core.Tracer) or data.devices() != wanted:
        return jax.device_put(data, target)
    laid_out = target not in _NAMES or data.sharding.is_equivalent_to(target, data.ndim)
    return data if laid_out else jax.device_put(data, target)


def on_host(data: Any) -> bool:
    """Return whether NumPy can read the memory of the array: on the CPU and in one piece."""
    if not isinstance(data, jax.Array) or isinstance(data, jax.core.Tracer):
        return False
    places = data.devices()
    return len(places) == 1 and next(iter(places)).platform == "cpu"


def put_back(result: np.ndarray, beside: jax.Array) -> jax.Array:
    """Put a result that NumPy made from an array on the CPU where that array is."""
    return jax.device_put(result, beside.sharding if beside.committed else None)


# --- writing ------------------------------------------------------------------------------------------------------


# --- conversion ---------------------------------------------------------------------------------------------------


def to_numpy(data: Any, dtype: Any, copy: bool | None) -> np.ndarray:
    """Return a NumPy array: on the CPU the array's own memory, which must not be written to."""
    if copy is False and (len(data.devices()) > 1 or next(iter(data.devices())).platform != "cpu"):
        raise ValueError(f"an array on {device_of(data)} cannot become a numpy.ndarray without a copy")
    return np.array(np.asarray(data), dtype=dtype, copy=copy)


def _check_width(data: np.ndarray) -> None:
    """Refuse a dtype that JAX does not have while its switch is off: it would cast silently."""
    dtype = DTYPES.get(data.dtype.newbyteorder("="))
    if dtype is not None:
        get("jax").sig(dtype)


def take_numpy(data: np.ndarray, device: Any) -> jax.Array:
    """Convert a NumPy array that nobody else holds, and so nobody writes to."""
    if data.itemsize > 4 and not jax.config.jax_enable_x64:
        _check_width(data)
    return jax.device_put(data, device)


def from_numpy(data: np.ndarray, device: Any, copy: bool | None) -> jax.Array:
    """Convert a NumPy array, as a copy unless `copy` is False: JAX may read its memory later, after a write."""
    if data.itemsize > 4 and not jax.config.jax_enable_x64:
        _check_width(data)
    if copy is False:
        result = jax.device_put(data, device)
        if data.size and result.unsafe_buffer_pointer() != data.ctypes.data:
            raise ValueError("asarray: copy=False, but JAX takes no memory that is strided or not aligned to 64 bytes")
        return result
    if not data.dtype.isnative:
        data = data.astype(data.dtype.newbyteorder("="))
    return jax.device_put(data.copy(), device)


@jax.jit
def duplicate(data: Any) -> jax.Array:
    return jnp.array(data, copy=True)


def plain(x: jax.Array, copy: bool | None) -> jax.Array:
    return native(x)


def to_pickle(data: jax.Array) -> np.ndarray:
    return np.asarray(data)


def from_pickle(pickled: np.ndarray, dtype: Any) -> jax.Array:
    return jnp.asarray(pickled)


def dlpack(data: Any, **options: Any) -> Any:
    if (newest := options.get("max_version")) is not None and newest < (1, 0):
        options["max_version"] = None  # JAX refuses versions that it would not need to
    return data.__dlpack__(**options)


def from_dlpack(x: Any, device: str | None, copy: bool | None) -> jax.Array:
    target = None if device is None else (native_device(device) or _default())
    with jax.enable_x64(True):  # JAX would make float32 of float64 without a word
        result = jax.dlpack.from_dlpack(x, device=target, copy=copy)
    get("jax").sig_of(result)
    return result


def raises_itself(error: Exception) -> bool:
    """Return whether an error is JAX's own, in words that its users know, for a value that jax.jit does not have."""
    return type(error).__module__ == "jax.errors" and isinstance(error, (TypeError, IndexError))


#: Words of JAX's TypeErrors that are about shapes and values.
_ABOUT_VALUES = ("size", "shape", "dimension", "must match", "negative", "expected")


def error_class(error: Exception) -> type[Exception] | None:
    """Return the class for an error: JAX has TypeErrors for shapes that do not fit, and XLA RuntimeErrors."""
    about_values = any(word in str(error).lower() for word in _ABOUT_VALUES)
    return ValueError if about_values and isinstance(error, (TypeError, RuntimeError)) else None
