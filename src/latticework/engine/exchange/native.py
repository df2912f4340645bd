"""Exchange frameworks' own arrays for `Array`s and back, in arguments and results: native in, native out.

Arrays are found in lists, tuples, named tuples and dicts. A function among the arguments is called with native arrays,
and a function among the results takes them.
"""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from ...backend import Backend, get, of
from ...core.device import Device
from ...core.dtypes import SCALARS, Dtype
from ...errors import BackendError
from ...policy import Policy, call_under, current
from ..arrays.array import Array, wrapped
from ..op import parameters
from .binding import Binding
from .foreign import signature_by

__all__ = ["FUNCTIONS", "Exchange", "Outside", "backends_in", "is_container", "mapped", "scalars"]

#: Types of objects that hold no array.
_PLAIN = frozenset((*SCALARS, str, bytes, slice, type(None), type(Ellipsis), range))
_DICTS = (dict, OrderedDict, defaultdict)
_CONTAINERS = frozenset((list, tuple, *_DICTS))
FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, functools.partial)


def _children(x: Any) -> Iterable[Any]:
    """Return the elements of a container, nothing for a leaf."""
    kind = type(x)
    if kind in _DICTS:
        return x.values()  # type: ignore[no-any-return]
    if kind is list or kind is tuple or _is_named_tuple(x):
        return x  # type: ignore[no-any-return]
    return ()


def is_container(x: Any) -> bool:
    """Return whether arrays are looked for in an object."""
    return type(x) in _CONTAINERS or _is_named_tuple(x)


def _is_named_tuple(x: Any) -> bool:
    return isinstance(x, tuple) and hasattr(type(x), "_fields")


def mapped(f: Callable[[Any], Any], x: Any) -> Any:
    """Return a container with `f` of its elements; the container itself if no element changes."""
    kind: Any = type(x)
    if kind in _DICTS:
        values = [f(v) for v in x.values()]
        if all(a is b for a, b in zip(values, x.values(), strict=True)):
            return x
        items = dict(zip(x, values, strict=True))
        return kind(x.default_factory, items) if kind is defaultdict else kind(items)
    values = [f(v) for v in x]
    if all(a is b for a, b in zip(values, x, strict=True)):
        return x
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


#: The backend of each class of native arrays that was met.
_BACKEND_OF: dict[type, Backend] = {}


def backends_in(values: Iterable[Any], found: dict[Backend, bool]) -> dict[Backend, bool]:
    """Return the backends of the arrays in some trees, and whether arrays of each are a framework's own.

    A NumPy scalar is no array of a framework: every latticework function takes one beside arrays of any backend.

    Parameters
    ----------
    found: the backends that are known already. New ones are added to it.
    """
    for x in values:
        kind = type(x)
        if kind in _PLAIN:
            continue
        if kind is Array:
            found.setdefault(x._sig.backend, False)
        elif kind in _BACKEND_OF:
            found[_BACKEND_OF[kind]] = True
        elif children := _children(x):
            backends_in(children, found)
        else:
            owner = of(x)
            if owner is not None and not isinstance(x, owner.scalars):
                found[owner] = True
                _BACKEND_OF[kind] = owner
    return found


def scalars(tree: Any) -> Iterator[Backend]:
    """Yield the backend of each NumPy scalar in a tree."""
    children = _children(tree)
    for child in children:
        yield from scalars(child)
    if not children and type(tree) not in _PLAIN and (owner := of(tree)) is not None:
        yield owner


class Outside:
    """A latticework object as seen from outside: its methods take native arrays and give them.

    Parameters
    ----------
    exchange: exchanges the arrays, an `Exchange`; or a `Within`, where they are latticework's.
    inside: the object, as a random `Generator`.
    """

    __slots__ = ("_exchange", "_inside")

    def __init__(self, exchange: Any, inside: Any) -> None:
        self._exchange, self._inside = exchange, inside

    def __getattr__(self, name: str) -> Any:
        return self._exchange.wrap(getattr(self._inside, name))

    def __getitem__(self, key: Any) -> Any:
        return self._exchange.function(self._inside.__getitem__)(key)

    def __repr__(self) -> str:
        return repr(self._inside)


class Exchange:
    """The exchange of one backend's arrays for `Array`s and back.

    Attributes
    ----------
    binding: the parts of a policy that its functions have of their own, None for none.
    array: the class of its concrete arrays; tracers are of other classes.
    scalars: its classes of scalars, which are 0-d arrays as well.
    """

    def __init__(self, backend: Backend, binding: Binding | None = None) -> None:
        self.backend = backend
        self.binding = binding
        self.array: type = backend.array_class()
        self.arrays: Any = backend.arrays
        self.dtype_class: type = backend.dtype_class
        self.scalars: Any = backend.scalars
        #: Classes of objects that hold no array, as far as they were met.
        self.leaves: set[type] = {*_PLAIN}
        self.is_weak: Callable[[Any], bool] | None = backend.is_weak
        self.opaque: Callable[[Any], bool] | None = backend.opaque
        self.has_devices = len(backend.devices()) > 1
        #: The class of arrays that the framework takes beside its own, None for none.
        self.lifts: type | None = backend.lifts

    # --- in ---------------------------------------------------------------------------------------------------------

    def unwrap(self, x: Any, made: list[tuple[Array, Any]]) -> Any:
        """Exchange the backend's native arrays and dtypes in a tree for latticework's.

        Each new `Array` is added to `made`, with its native data.

        Arrays of other backends are left as they are: the function that gets them refuses them. The tracer of a Python
        number is left as well: it gives way to other arrays, as the number does.
        """
        kind = type(x)
        if kind is Array or kind in self.leaves:
            return x
        if kind is self.array or isinstance(x, self.arrays):
            if kind is not self.array and self.is_weak and not x.shape and self.is_weak(x) and not self.keeps_weak():
                return x
            if self.opaque is not None and self.opaque(x):
                return x
            data = self.backend.native(x)
            array = wrapped(data, signature_by(self.backend, x))
            made.append((array, data))
            return array
        if isinstance(x, self.dtype_class):
            return self.backend.dtypes.get(x, x)
        if isinstance(x, FUNCTIONS):
            return self.callback(x)
        if kind is Outside:
            return x._inside
        if not is_container(x):
            self.leaves.add(kind)
            return x
        return mapped(lambda child: self.unwrap(child, made), x)

    def keeps_weak(self) -> bool:
        """Return whether the rules have weak arrays."""
        return bool((current() if self.binding is None else self.binding.of(current())).weak_arrays)

    def lifted(self, x: Any, made: list[tuple[Array, Any]]) -> Any:
        """Exchange NumPy's arrays in a tree too, if some of the `Array`s `made` hold tracers.

        A function that JAX transforms gets the user's own NumPy arrays, where JAX does not differentiate by them: the
        author of the function cannot say which arrays these are.
        """
        if self.lifts is None or all(type(data) is self.array for _, data in made):
            return x
        return self._lifted(x)

    def _lifted(self, x: Any) -> Any:
        if type(x) is self.lifts:
            data = self.backend.lift(x)
            return wrapped(data, signature_by(self.backend, data))
        return mapped(self._lifted, x) if is_container(x) else x

    def callback(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Turn a function of native arrays into a function of `Array`s. It runs under the policy of the caller."""
        binding = self.binding

        def call(*args: Any, **kw: Any) -> Any:
            args, kw = self.wrap(args), self.wrap(kw)
            return self.unwrap(f(*args, **kw) if binding is None else binding.under_callers(f, args, kw), [])

        return functools.update_wrapper(call, f)

    # --- out --------------------------------------------------------------------------------------------------------

    def wrap(self, x: Any) -> Any:
        """Exchange `Array`s in a tree for native arrays, and latticework's dtypes for the framework's own."""
        kind = type(x)
        if kind is Array:
            return x if x._sig.backend.takes_target else self.native(x)  # a function computes with it, as with a tracer
        if kind is Dtype:
            return self.backend.native_dtypes.get(x, x)
        if kind in self.leaves:
            return x
        if kind is FunctionType or kind is MethodType:
            return self.function(x)
        if is_container(x):
            return mapped(self.wrap, x)
        if kind is Device:
            return self.device(x)
        if kind.__module__.startswith("latticework.api."):
            return kind([self.wrap(child) for child in x]) if issubclass(kind, (tuple, list)) else Outside(self, x)
        if not isinstance(x, self.arrays):
            self.leaves.add(kind)
        return x

    def device(self, x: Device) -> Any:
        """Return the framework's own device, as its arrays have it."""
        return self.backend.own_device(str(x))

    def native(self, x: Array) -> Any:
        """Return the native array of an `Array`. A scalar that a NumPy function gave stays a scalar."""
        data = x._data
        return data if self.scalars and isinstance(data, self.scalars) else x.data

    # --- functions --------------------------------------------------------------------------------------------------

    def policy(self, made: list[tuple[Array, Any]] | None = None) -> Policy:
        """Return the policy in force, with this backend for new arrays: on the device of `made`, if they share one."""
        policy = current() if self.binding is None else self.binding.of(current())
        device = None
        if made and self.has_devices:
            devices = {self.backend.device_of(data) for _, data in made}
            if len(devices) == 1 and devices != {self.backend.device(None)}:
                (device,) = devices
        name = policy.backend
        if ":" in name and (recording := get(name)).takes_target and recording.recorded == self.backend.name:
            return policy  # a function that is differentiated: what it makes may be written to
        return policy.on(self.backend.name, device)

    def function(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Turn a latticework function into a function of native arrays."""

        def call(*args: Any, **kw: Any) -> Any:
            return self.call(f, args, kw)

        return functools.update_wrapper(call, f)

    def call(self, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Call a latticework function with native arrays."""
        made: list[tuple[Array, Any]] = []
        args = tuple([self.unwrap(x, made) for x in args])
        kw = {name: self.unwrap(x, made) for name, x in kw.items()}
        try:
            return self.wrap(self.under(self.policy(), f, args, kw, made))
        except BackendError:
            lifted = self.lifted((args, kw), made)  # here arrays among the options may be shapes and axes, for NumPy
            if lifted[0] is args and lifted[1] is kw:
                raise
        return self.wrap(self.under(self.policy(), f, lifted[0], lifted[1], made))

    def under(
        self, policy: Policy, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any], made: list[Any]
    ) -> Any:
        """Call a latticework function with `Array`s, `made` of native arrays, under a policy."""
        run = call_under if self.binding is None else self.binding.run
        result = run(policy, f, args, kw)
        self.check_unwritten(f, made)
        return result

    def check_unwritten(self, f: Callable[..., Any], made: list[tuple[Array, Any]]) -> None:
        """Refuse a call that wrote to an argument if the backend's arrays never change: the caller's array is the same.

        Raises
        ------
        BackendError: an argument was written to.
        """
        if not self.backend.facts.immutable:
            return
        if any(array._data is not data for array, data in made):
            name = getattr(f, "__name__", "the function")
            way_out = "Let it return the result, or write to a copy: x = x.copy()"
            if "inplace" in parameters(getattr(f, "__wrapped__", f)):
                way_out = f"Take the result: y = xp.{name}(x, ..., inplace=False)"
            raise BackendError(
                f"{name}: it wrote to an argument, and arrays of {self.backend.title} never change. {way_out}"
            )
