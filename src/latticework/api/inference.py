"""The dtypes and shapes of a program's results, known without running it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..backend import get
from ..core.device import Device
from ..core.dtypes import Dtype, DtypeLike, int64
from ..engine.arrays.array import HOLDERS, Array, Holder
from ..engine.functions.without_data import restored, stand_in
from ..policy import as_dtype, block, current


class Spec(NamedTuple):
    """A dtype and a shape. `spec` makes it; `infer` takes and returns it.

    Attributes
    ----------
    shape: the extents, None for one that is not known.
    dtype: the dtype.
    weak: whether the dtype is weak, under rules that have weak arrays.
    device: the device, None for the default one.
    """

    shape: tuple[int | None, ...]
    dtype: Dtype
    weak: bool = False
    device: str | None = None

    def __str__(self) -> str:
        extents = ", ".join("?" if n is None else str(n) for n in self.shape)
        return f"{'weak ' * self.weak}{self.dtype}[{extents}]"


def spec(
    shape: int | tuple[int | None, ...], dtype: DtypeLike | None = None, *, weak: bool = False, device: Any = None
) -> Spec:
    """The dtype and shape of an array, without the array.

    Parameters
    ----------
    shape: the extents, None for one that is not known; an int for one axis.
    dtype: an lw dtype, a name, or a framework's own dtype; the default dtype if not given.
    weak: whether the dtype is weak, under rules that have weak arrays.
    device: a device.

    Raises
    ------
    TypeError: for what is no dtype or no extent.
    ValueError: for a negative extent.

    Examples
    --------
    >>> import latticework as lw
    >>> print(lw.spec((None, 64), "float16"))
    float16[?, 64]
    """
    extents = shape if isinstance(shape, (tuple, list)) else (shape,)
    for n in extents:
        if n is not None and (isinstance(n, bool) or not hasattr(n, "__index__")):
            raise TypeError(f"spec: an extent is an int, or None where it is not known; got {n!r}")
        if n is not None and n.__index__() < 0:
            raise ValueError(f"spec: a shape has no negative extents; got {tuple(extents)}")
    checked = tuple(None if n is None else n.__index__() for n in extents)
    resolved = current().default_dtype if dtype is None else as_dtype(dtype)
    return Spec(checked, resolved, weak, None if device is None else str(device))


def infer(function: Callable[..., Any], /, *args: Any, backend: str | None = None, **kw: Any) -> Any:
    """Return the dtypes and shapes of a function's results, without computing them.

    The function runs once, on arrays that have no data, under the rules in force. It takes no memory for elements and
    computes none. Everything that is no array in it runs as always, prints and writes too. What it changes in arrays
    and in the attributes, lists, dicts, sets and closures that it holds is restored; globals are not.

    Parameters
    ----------
    function: any function or method: of latticework or of a dialect (`latticework.frontends`), or a user's own that
        calls these.
    args, kw: its arguments. A `Spec`, or an array of any backend, stands for an array of its dtype and shape, in lists,
        tuples and dicts too: for one of the dialect's where the function is written in one. Everything else is handed
        on as it is.
    backend: the name of a backend, whose dtypes, refusals and measured support hold; none by default, which
        has all dtypes.

    Returns
    -------
    What the function gives, with a `Spec` in the place of each array. An extent that depends on values is None.

    Raises
    ------
    NoDataError: the function asks for a value, as ``if x > 0`` and ``float(x)`` do.
    Whatever the function raises on arrays of these dtypes and shapes: errors of dtypes, shapes and axes are the same.

    Examples
    --------
    >>> import latticework as lw
    >>> def normalise(x, eps=1e-6):
    ...     return (x - lw.mean(x, axis=-1, keepdims=True)) / (lw.std(x, axis=-1, keepdims=True) + eps)
    >>> print(lw.infer(normalise, lw.spec((None, 64), "float16")))
    float16[?, 64]
    >>> big = lw.spec((1_000_000, 1_000_000), lw.int8)
    >>> print(lw.infer(lw.sum, big, axis=0))
    int32[1000000]
    >>> lw.infer(lw.linalg.inv, lw.spec((2, 2), "float16"), backend="torch")
    Traceback (most recent call last):
    latticework.errors.BackendError: linalg.inv: there is no routine for float16, and it is not widened in secret. \
Cast first: lw.astype(x, lw.float32). Or allow a cast: lw.using(casting='up') computes in float32
    """
    where = backend or _narrow_backend((args, kw))
    target = get(f"abstract:{where}" if where else "abstract")
    wrap = _wrapper(function, (args, kw))

    def array(x: Any) -> Any:
        holder = _holder_of(x)
        if holder is not None:
            return holder.wrapped(array(holder.array(x)))
        device = None if x.device is None or backend is None else str(x.device)
        found = stand_in(x, target, target.device_name(device))
        return wrap(found) if isinstance(x, Spec) else found

    def specified(x: Any) -> Spec:
        holder = _holder_of(x)
        x = holder.array(x) if holder is not None else x
        place = x.device
        default = str(place) == str(target.device_name(None))
        return Spec(x.shape, x.dtype, x.weak, None if default else str(Device(place)))

    policy = current()._with(backend=target.name, chosen=backend is not None, device=None)
    kinds = (Spec, Array, *HOLDERS)
    with block(policy), restored(function):
        result = function(*_mapped(args, kinds, array), **_mapped(kw, kinds, array))
    return _mapped(result, (Array, *HOLDERS), specified)


def _narrow_backend(given: Any) -> str | None:
    """Return the backend of the given arrays, or the chosen one, if its positions are not int64.

    That is JAX while its 64-bit switch is off: only that backend knows what a program gives there.
    """
    policy = current()
    found = {get(policy.backend)} if policy.chosen else set()
    arrays: set[Any] = set()
    _mapped(given, (Array,), lambda x: arrays.add(x._sig.backend))
    _mapped(given, tuple(HOLDERS), lambda x: arrays.add(_holder_of(x).array(x)._sig.backend))  # type: ignore[union-attr]
    found = arrays or found
    if len(found) != 1:
        return None
    (owner,) = found
    return owner.name if owner.index_dtype is not int64 and not owner.name.startswith("abstract") else None


def _holder_of(x: Any) -> Holder | None:
    """Return the `Holder` of a dialect's array, by its class; None for anything else."""
    return next((HOLDERS[kind] for kind in type(x).__mro__ if kind in HOLDERS), None)


def _wrapper(function: Callable[..., Any], given: Any) -> Callable[[Array], Any]:
    """Return the function that wraps an lw.Array in the dialect of a function or of its arguments."""
    found: list[Holder | None] = []
    _mapped(given, tuple(HOLDERS), lambda x: found.append(_holder_of(x)))
    holders = {*found} or {holder for holder in HOLDERS.values() if holder.writes(function)}
    holder = holders.pop() if len(holders) == 1 else None
    return (lambda x: x) if holder is None else holder.wrapped


def _mapped(tree: Any, kinds: tuple[type, ...], change: Callable[[Any], Any]) -> Any:
    """Change the objects of some classes in lists, tuples and dicts."""
    if isinstance(tree, kinds):
        return change(tree)
    if isinstance(tree, dict):
        return {key: _mapped(x, kinds, change) for key, x in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[_mapped(x, kinds, change) for x in tree])
    if isinstance(tree, (list, tuple)):
        return type(tree)([_mapped(x, kinds, change) for x in tree])
    return tree
