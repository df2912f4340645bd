"""Shared parts of the functions of a key: reading keys, shapes, dtypes and parameters, and the backends' draws.

Backends draw bits, numbers in [0, 1), normal numbers and samples by rejection; all else is composed of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from ...backend import of
from ...core.dtypes import Dtype, as_dtype, float32, float_limits, uint32
from ...core.registry import OPS
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import creation, op
from ...engine.exchange.foreign import as_operand
from ...engine.functions.without_data import recorded
from ...engine.op import how_to_call
from ...engine.plans.request import is_ours
from ...engine.shapes.extents import requested_shape
from ...errors import BackendError, TraceError
from ...policy import current, unified_rules

#: None for an extent that is not known before the array is computed.
Shape = tuple[int | None, ...]
#: The type of a distribution's parameter.
Real = "Array | float"

SCALAR = (bool, int, float)


def refuse_state_in_a_trace(generator: str, instead: str) -> None:
    """Refuse to draw from a generator with a state in a function that is being traced: the graph would give the same
    numbers in each call.

    Parameters
    ----------
    generator: what would draw, in words.
    instead: the way out, as sentences.

    Raises
    ------
    TraceError: a function is being traced.
    """
    if current().backend.startswith("traced:"):
        raise TraceError(
            f"the function is being traced, and draws from {generator}, whose state changes with each call. {instead}"
        )


# --- what backends draw --------------------------------------------------------------------------------------------


@creation()
def _bits(shape: Any, key: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """Random bits of an unsigned dtype. The key is the backend's own array."""
    ...


@creation()
def _unit(shape: Any, key: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """Numbers in [0, 1). The key is the backend's own array."""
    ...


@creation()
def _gauss(shape: Any, key: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """Numbers of the standard normal distribution. The key is the backend's own array."""
    ...


@creation()
def _split(shape: Any, key: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """Keys, each the last axis of two words. The key is the backend's own array."""
    ...


@creation()
def _fold(shape: Any, key: Any, data: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """Fold a number into a key. Both are the backend's own arrays."""
    ...


def _as_parameters(*params: Shape, **_: Any) -> Shape:
    """Return the shape of the parameters, which are in front of the key."""
    found: Shape = broadcast(*params[:-1])
    return found


def broadcast(*shapes: Any) -> Any:
    """Return the shape that shapes broadcast to."""
    from ...engine.shapes.extents import broadcast_shapes

    return broadcast_shapes(*shapes)


@op("real floating", shape=_as_parameters, key="own")
def _gamma(a: Array, key: Array, /, *, log: bool = False) -> Array:
    """Samples of the gamma distribution of scale 1, or their logarithms."""
    ...


@op("real floating", shape=_as_parameters, key="own")
def _poisson(lam: Array, key: Array, /) -> Array:
    """Samples of the Poisson distribution, as floats."""
    ...


@op("real floating", shape=_as_parameters, key="own")
def _binomial(n: Array, p: Array, key: Array, /) -> Array:
    """Samples of the binomial distribution, as floats."""
    ...


@op("real floating", shape="same")
def _erf(x: Array, /) -> Array:
    """The error function."""
    ...


@op("real floating", shape="same")
def _erfinv(x: Array, /) -> Array:
    """Inverse of the error function: infinities for -1 and 1."""
    ...


# --- arguments -----------------------------------------------------------------------------------------------------


def under_ours() -> AbstractContextManager[Any]:
    """Compute by the unified rules: a framework's may refuse a step, or give it another dtype."""
    return nullcontext() if is_ours(current().rules) else unified_rules()


def key_of(name: str, key: Any) -> Array:
    """Check a key, and take a framework's own as it is. A key that a traced program holds is read by each call."""
    if type(key) is not Array:
        key = _adopted(name, key)
    if key.dtype is not uint32 or key.shape not in ((2,), (None,)):
        of_keys = key.dtype is uint32 and len(key.shape) > 1 and key.shape[-1] == 2
        way_out = (
            "These are several keys: take one, keys[0], or map over them"
            if of_keys
            else f"Make one: lw.random.key(0){', and split it' if len(key.shape) else ''}"
        )
        raise (ValueError if key.dtype is uint32 else TypeError)(
            f"random.{name}: key must be one key, of dtype uint32 and shape (2,); got {key.dtype} of shape "
            f"{key.shape}. {way_out}"
        )
    return recorded(key)


def _adopted(name: str, key: Any) -> Array:
    """Convert a key of another library to an lw.Array. Of an opaque key its library gives the words."""
    if isinstance(key, (list, tuple)):
        raise TypeError(
            f"random.{name}: a key comes first, and then the other arguments; got {key!r}. "
            f"Write lw.random.{name}(lw.random.key(0), {key!r})"
        )
    if isinstance(key, (bool, int, float)) or key is None:
        raise TypeError(
            f"random.{name}: key must be made from a seed first; got {key!r}. "
            f"Write lw.random.key({key if isinstance(key, int) else 0!r})"
        )
    owner = of(key)
    if owner is not None and owner.key_data is not None:
        try:
            key = owner.key_data(key)
        except TypeError as error:
            raise TypeError(f"random.{name}: {error}") from None
    return as_operand(OPS[f"random.{name}"], key)


def shape_of(name: str, shape: Any, *params: Any) -> Shape:
    """The shape of a result: the requested one, or where that is None the one that the parameters broadcast to."""
    given: list[Any] = [p.shape for p in params if isinstance(p, Array)]
    try:
        if shape is None:
            inferred: Shape = broadcast(*given) if given else ()
            return inferred
        found = requested_shape(shape)
        if given and broadcast(found, *given) != found and None not in found:
            raise ValueError(f"parameters of shape {' and '.join(map(str, given))} do not broadcast to shape {found}")
    except (TypeError, ValueError) as error:
        raise type(error)(f"random.{name}: {error}") from None
    return found


def floating(name: str, dtype: Any, *params: Any, also: str = "") -> Dtype:
    """The dtype of a result: the requested one, else that of the parameters as floats, else the default float."""
    if dtype is None:
        arrays = [p.dtype for p in params if isinstance(p, Array)]
        found = current().promote(*arrays, float) if arrays else current().promote(float)
    else:
        found = _as_dtype(name, dtype)
    if found.kind not in "f" + also or found.storage:
        kinds = "a real floating or complex" if also else "a real floating"
        raise TypeError(f"random.{name}: dtype must be {kinds} one; got {found}. Take dtype=lw.{float32}")
    return found


def _as_dtype(name: str, dtype: Any) -> Dtype:
    """Return a dtype. The error shows latticework's order of arguments: they may have come in another library's."""
    try:
        return as_dtype(dtype)
    except TypeError as error:
        o = OPS.get(f"random.{name}")
        call = f". The call is {how_to_call(o.name, o.function)}" if o is not None else ""
        raise TypeError(f"random.{name}: {error}{call}") from None


def integral(name: str, dtype: Any) -> Dtype:
    """The dtype of counts: the requested one, else the default int."""
    found = current().promote(int) if dtype is None else _as_dtype(name, dtype)
    if found.kind not in "iuf" or found.storage:
        raise TypeError(f"random.{name}: dtype must be an integer or a real floating one; got {found}")
    return found


def param(name: str, what: str, value: Any, key: Array) -> Any:
    """A parameter of a distribution: a Python scalar, or an array beside the key."""
    if isinstance(value, Array) or type(value) in SCALAR:
        return value
    if isinstance(value, tuple) and isinstance(key, Array) and all(type(n) is int for n in value):
        raise TypeError(
            f"random.{name}: {what} must be a number or an array; got {value!r}, which looks like a shape. "
            f"The call is {how_to_call(f'random.{name}', OPS[f'random.{name}'].function)}"
        )
    if isinstance(value, SCALAR):  # NumPy's scalars are Python's too
        return float(value)
    try:
        found = lw.asarray(value, backend=key.backend)
    except BackendError as error:
        raise BackendError(f"random.{name}: {what}: {error}") from None
    except TypeError:
        raise TypeError(f"random.{name}: {what} must be a number or an array; got {type(value).__name__}") from None
    return found.item() if not found.shape and hasattr(value, "item") and not _of_framework(value) else found


def _of_framework(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] != "numpy"


def as_dtype_of(value: Any, dtype: Dtype) -> Any:
    """A parameter in the dtype computed in; a Python scalar stays."""
    return lw.astype(value, dtype) if isinstance(value, Array) and value.dtype is not dtype else value


def spread(value: Any, shape: Any, dtype: Dtype, key: Array) -> Array:
    """A parameter as an array with all elements of the result."""
    if isinstance(value, Array):
        value = as_dtype_of(value, dtype)
        return value if value.shape == shape else lw.broadcast_to(value, shape)
    return lw.full(shape, float(value), dtype=dtype, device=key.device)


def check(name: str, what: str, value: Any, low: float = -math.inf, high: float = math.inf, *, rule: str) -> None:
    """Check a parameter that is a Python scalar. Values of arrays are not looked at: they may not be known yet."""
    if type(value) in SCALAR and not low <= value <= high:
        raise ValueError(f"random.{name}: {what} must be {rule}; got {value!r}")


def seen(value: Any, given: Any = None) -> Any:
    """Return the values of a parameter if they can be read now: a Python scalar, a NumPy array, or the lw.Array itself
    if it is on another device than the CPU. None for an array that is lazy or traced, or has no data.

    Parameters
    ----------
    value: the parameter, as `param` gives it.
    given: the parameter as the caller gave it: the values of a list are known even where its array is lazy.
    """
    import numpy as np

    if not isinstance(value, Array):
        return value
    if isinstance(given, (list, tuple)) or type(given).__module__.partition(".")[0] == "numpy":
        with suppress(Exception):  # a list may have arrays in it
            found = np.asarray(given)
            if found.dtype.kind in "biuf":
                return found
    sig = value._sig
    if sig.backend.lazy or not sig.backend.facts.framework:
        return None
    if not sig.backend.has_values(value._data):
        return None
    with suppress(Exception):  # frameworks that trace refuse in classes of their own
        return value if str(value.device) != "cpu" else sig.reads.to_numpy(value._data, None, None)
    return None


def holds(rule: Callable[..., Any], *values: Any) -> bool:
    """Return whether a rule holds for all elements of results of `seen`; True where one is not known."""
    if any(v is None for v in values):
        return True
    if any(isinstance(v, Array) for v in values):
        with suppress(Exception), under_ours():  # a transformation may be looking on
            return bool(lw.all(rule(*values)))
        return True
    found = rule(*values)
    return found if found is True or found is False else bool(found.all())


def shown_wrong(rule: Callable[..., Any], value: Any) -> str:
    """Return a parameter's text for an error; for an array, the first element for which the rule does not hold."""
    if type(value) in SCALAR:
        return repr(value)
    import numpy as np

    with suppress(Exception):
        value = np.asarray(value)
        return f"an array with {value[~np.asarray(rule(value))][0].item()!r}"
    return "an array with others"


def refuse_chances(name: str, p: Any, dtype: Dtype, count: int | None = None) -> None:
    """Check the probabilities of a choice, as NumPy does.

    Parameters
    ----------
    name: the function, with what is before it.
    p: what `seen` gives of them.
    dtype: what they are computed in: by its precision, the sum is 1.
    count: how many are drawn without replacement of those that are above 0; None for any number.
    """
    import numpy as np

    if p is None:
        return
    found = np.asarray(p).astype(np.float64)
    if np.isnan(found).any():
        raise ValueError(f"{name}: p has nan in it")
    if (found < 0).any():
        raise ValueError(f"{name}: p must be at least 0; got {float(found.min())!r}")
    eps = float(float_limits(dtype).eps) if dtype.kind == "f" else 2.0**-52
    if not abs(found.sum() - 1) <= math.sqrt(eps):
        raise ValueError(f"{name}: p must have the sum 1; got {float(found.sum())!r}. Divide: p / lw.sum(p)")
    if count is not None and np.count_nonzero(found) < count:
        raise ValueError(
            f"{name}: p has {np.count_nonzero(found)} elements above 0, fewer than the {count} that are drawn without "
            f"replacement"
        )


def check_range(name: str, low: Any, high: Any, dtype: Dtype, *, ends: bool = False) -> None:
    """Refuse a range that is not finite in a dtype, as NumPy does. `low` and `high` are what `seen` gives.

    `ends`: whether low has to be in the dtype as well, and not the distance alone.
    """
    most = float(float_limits(dtype).max)

    def finite(low: Any, high: Any) -> Any:
        within = abs(high - low) <= most
        return within & (abs(low) <= most) if ends else within

    def wide(v: Any) -> Any:  # the least of 16-bit numbers and the greatest are further apart than any is
        return v if v is None or type(v) in SCALAR or isinstance(v, Array) else v.astype(float)

    plain = type(low) in SCALAR and type(high) in SCALAR
    if plain and most >= abs(high - low) and (not ends or abs(low) <= most):
        return
    with under_ours(), quiet():
        if not plain and holds(finite, wide(low), wide(high)):
            return
    shown = [repr(v) if type(v) in SCALAR else "an array" for v in (low, high)]
    raise OverflowError(
        f"{name}: the range from low to high must be finite in {dtype}; got low={shown[0]}, high={shown[1]}"
    )


def quiet() -> AbstractContextManager[Any]:
    """Compute without NumPy's warnings."""
    import numpy as np

    silent: AbstractContextManager[Any] = np.errstate(all="ignore")
    return silent


def scaled(x: Array, loc: Any, scale: Any, dtype: Dtype) -> Array:
    """Multiply by the scale and add the location, unless they are 1 and 0."""
    if type(scale) not in SCALAR or scale != 1:
        x = x * as_dtype_of(scale, dtype)
    if type(loc) not in SCALAR or loc != 0:
        x = x + as_dtype_of(loc, dtype)
    return x


def unit(key: Array, shape: Any, dtype: Dtype) -> Array:
    """Numbers in [0, 1)."""
    return _unit(shape, key._data, dtype=dtype, device=key.device)


def between(key: Array, shape: Any, dtype: Dtype, low: Any, high: Any) -> Array:
    """Uniform numbers from low up to high. The products and sums are those of jax.random, in this order."""
    u: Any = unit(key, shape, dtype)
    width: Any
    if type(low) in SCALAR and type(high) in SCALAR:
        if (low, high) == (0, 1):
            return u  # type: ignore[no-any-return]
        low, high = rounded(low, dtype), rounded(high, dtype)
        width = rounded(high - low, dtype)
    else:
        low, high = (spread(v, v.shape if isinstance(v, Array) else (), dtype, key) for v in (low, high))
        width = high - low
    if type(width) not in SCALAR or width != 1:
        u = u * width
    return lw.maximum(u + low, low)


def rounded(value: float, dtype: Dtype) -> float:
    """A Python float rounded to a dtype."""
    return float(_numpys(dtype)(value))


def next_after(value: float, to: float, dtype: Dtype) -> float:
    """The number of a dtype that is next to a Python float, in the direction of another."""
    import numpy as np

    made = _numpys(dtype)
    return float(np.nextafter(made(value), made(to)))


def _numpys(dtype: Dtype) -> Any:
    """NumPy's scalar type of a floating dtype."""
    import ml_dtypes
    import numpy as np

    return ml_dtypes.bfloat16 if str(dtype) == "bfloat16" else np.dtype(str(dtype)).type


def subkeys(key: Array, n: int) -> list[Array]:
    """Split a key into n keys."""
    keys = _split((n, 2), key._data, dtype=uint32, device=key.device)
    return [keys[i] for i in range(n)]
