"""Whose array is this? A `Backend` is a framework's module of functions and what dispatch asks of it.

Each backend is a folder here, found by its name (see `facts`). A framework is imported when one of its arrays is met,
or when its backend is asked for by name; never before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple

from ..core.device import Device
from ..core.dtypes import Dtype, all_dtypes, category, extended_dtypes, int64
from ..core.signature import Sig
from ..errors import BackendError, BackendNotInstalledError, nearest, with_clone
from .facts import Facts, all_facts

__all__ = ["BackendInfo", "backends", "get", "of", "standing_alone"]

#: Whether what is traced becomes source that runs without latticework. There the framework computes what NumPy computes
#: in its place elsewhere, to take less time.
standing_alone: ContextVar[bool] = ContextVar("latticework standing alone", default=False)


class Backend:
    """A framework's functions and facts, read off its module `latticework.backends.<name>`.

    What has to be known before the framework is imported is in the file ``backend.json`` beside it (`facts.Facts`).

    The module has one name per function, the framework's own where it agrees, and these besides:

    ``ARRAY``                 the framework's array type or types
    ``array_class()``         the class of its arrays, whose dtypes calls on native arrays are found by
    ``NATIVE_DTYPE``          the class of its own dtypes
    ``DTYPES``                its own dtype -> ours, for every dtype that it has
    ``reinterpret(data, dtype)``  its bits as another native dtype: narrower ones along a new last axis
    ``cast(dtype)``           a callable that casts a native array to a native dtype
    ``narrow(dtype)``         the same of integers that the dtype may not hold: an OverflowError where values are known
                              and do not fit
    ``scalar(dtype)``         a callable that makes a 0-d native array of a Python scalar
    ``zero_dim(dtype)``       the same, as a quicker one that gives the array itself where `scalar` does not (optional)
    ``placed(operands)``      native operands, those that were made of Python scalars on the device of the others; None
                              where these are no error together (optional)
    ``takes_scalar(function, position, dtype)``  whether that operand may be a Python scalar, computed in a dtype
    ``element``               None, if `bool`, `int`, `float` and `complex` convert a 0-d array of the framework's and
                              fail as we do; they convert what `item` gives else (optional)
    ``has_values(data)``      whether the elements can be asked for now; they can, where this is not there (optional)
    ``own_device(name)``      the framework's own device, where `native_device` gives something else (optional)
    ``EMULATED``               (function, dtype) -> another callable, exact, where the framework's own lacks the dtype
    ``COMPOSED``              (function, dtype) that are composed, since the framework's own function lacks the dtype
                              (optional)
    ``REFUSED``               (function, dtype) -> why it is refused, where there is no exact way at all
    ``dtype_of``, ``device_of``, ``index``, ``assign``, …   what `Array` is made from
    ``reshape_method(x, shape)``  the framework's own `reshape`, of a tuple of ints; for `x.reshape` (optional)
    ``describe_index(k)``     the `IndexArray` of an index array, for the reader of keys (engine/indexing.py)
    ``SHAPE_TEXT``            the quickest expression of the extents of a native array, to compare them (optional)
    ``shape_of``, ``compute``, ``shown``  of a framework whose arrays are computed later (optional)
    ``REFLECTED``             function -> its own of swapped operands, where the first may not be a scalar (optional)
    ``ELEMENTS``              dtype -> the class of the scalars that indexing gives (optional)
    ``QUICKER``               (function, dtype, operands) -> a quicker callable that gives the same, where the operands
                              are "alone" (one array and no options), "scalar" (an array and a Python scalar) or
                              "elements" (scalars that indexing gives, and Python's) (optional)
    ``promotes(function, dtypes, computed)``  whether its own promotion of arrays is the same (optional)
    ``together(call, casts, operands, computed)``  casts of operands and a function as one; None where these stay apart
                              (optional)
    ``in_place(function)``, ``overwrite(data, value)``  what writes into an array, where arrays change (optional)
    ``like(data)``, ``joint_shape(shape, arrays)``  the shape of an array and that which several broadcast to, where
                              extents are not known: what functions that make arrays are given for one (optional)
    ``in_blocks_of(data, other)``  the array in the blocks of another, of a framework that has blocks (optional)
    ``dtype_of_blocks(name, dtype, args, kw)``  the dtype that the blocks of a result will have, None where that is not
                              told, of a framework whose result says what is expected (optional)
    ``LoopGraphs``            keeps the graphs of a loop small, of a framework that has graphs (optional)
    ``take_numpy(data, device)``  an array of a NumPy array that nobody else holds, where `from_numpy` is not the best
                              way (optional)
    ``adopt(x, device)``      of arrays without data: what an array of any backend is there (optional)
    ``raises_itself(error)``  whether an error of the framework's is raised in its own words (optional)
    ``_around(data, decimals)``  floats rounded to decimals, in memory for the result alone (optional)
    ``padded(data, width, value)``  floats with as much of one value before and after each axis (optional)
    ``error_class(error)``    the class of ours or Python's that an error of the framework's is, or None (optional)
    ``LINALG_ERROR``          its own class of errors of linear algebra: ours are instances of it too (optional)
    ``error_text(error)``     what such an error says, in one line (optional)
    ``int_as_float``          of a framework that takes no Python ints of 2**64 or more (optional)
    ``on_bits(function, dtype)``  a function that moves elements of a native storage dtype. `function(d)` gives the
                              module's own for another dtype. Of a framework whose own functions do not all take
                              storage dtypes (optional)
    ``weakened(data)``        a weak native array of one that is not, of a framework that has such (optional)
    ``in_this_thread()``      a context in which what is small is computed without threads (optional)
    ``BACKEND``               the class derived from this one, of a framework whose dtypes come and go (optional)
    ``of_target(name)``       of a backend without a framework: the backend ``<this>:<name>``
    """

    #: The dtype of positions and counts.
    index: Dtype = int64
    #: Of a backend that records what another one calls, the name of that: its devices are the same.
    recorded: str | None = None

    def __init__(self, name: str, module: Any) -> None:
        self.name, self.module = name, module
        self.facts = all_facts()[name.partition(":")[0]]
        #: The name in messages: of arrays without data, that of the framework for which they stand.
        self.shown = name.partition(":")[2] or name
        self.dtypes: dict[Any, Dtype] = module.DTYPES
        self.native: dict[Dtype, Any] = {ours: native for native, ours in module.DTYPES.items()}
        #: What `bool`, `int`, `float` and `complex` convert of a 0-d array; None for the array itself.
        self.element: Callable[[Any], Any] | None = getattr(module, "element", module.item)
        self.sigs: dict[Dtype, Sig] = {d: Sig(self, d) for d in self.native}
        #: (function, dtype, operands) -> a quicker callable for operands like these.
        self.quicker: dict[tuple[str, Dtype, str], Callable[..., Any]] = getattr(module, "QUICKER", {})
        for dtype, scalar in getattr(module, "ELEMENTS", {}).items():
            self.sigs[dtype].with_elements(scalar)
        self.emulated: dict[tuple[str, Dtype], Callable[..., Any]] = module.EMULATED
        self.shape_text: str = getattr(module, "SHAPE_TEXT", "{}.shape")
        self.shape_of: Callable[[Any], tuple[int, ...]] = getattr(module, "shape_of", _shape_of)
        #: Whether its arrays are computed later.
        self.lazy = self.facts.lazy
        #: Of a Python int beside floats, for a framework that takes none of 2**64 or more.
        self.int_as_float: Callable[[int], float] | None = getattr(module, "int_as_float", None)
        self.promotes: Callable[..., bool] = getattr(module, "promotes", _never)
        self.together: Callable[..., Callable[..., Any] | None] = getattr(module, "together", _none)
        self.reflected: dict[str, Callable[[Any, Any], Any]] = getattr(module, "REFLECTED", {})
        self.in_place: Callable[..., Any] = getattr(module, "in_place", _none)
        self.overwrite: Callable[[Any, Any], Any] = getattr(module, "overwrite", self._succeeded)
        self.refused: dict[tuple[str, Dtype], str] = getattr(module, "REFUSED", {})
        self.composed: set[tuple[str, Dtype]] = getattr(module, "COMPOSED", set())
        #: Whether an error of the framework's own is raised as it is, because its users know it in its words.
        self.raises_itself: Callable[[Exception], bool] = getattr(module, "raises_itself", _never)
        #: The built-in class, or one of ours, that an error of the framework's is of; None for the one it derives from.
        self.error_class: Callable[[Exception], type[Exception] | None] = getattr(module, "error_class", _none)
        #: The framework's own class of errors of linear algebra.
        self.linalg_error: type[Exception] | None = getattr(module, "LINALG_ERROR", None)
        #: What such an error says, in one line.
        self.error_text: Callable[[Exception], str] = getattr(module, "error_text", _first_line)
        #: What makes native arrays weak, where the framework has weak ones.
        self.weakened: Callable[[Any], Any] | None = getattr(module, "weakened", None)
        #: From a native dtype to what makes 0-d arrays of Python scalars.
        self.zero_dim: Callable[[Any], Callable[[Any], Any]] = getattr(module, "zero_dim", self._zero_dim)
        #: What takes a NumPy array that nobody else holds.
        self.take_numpy: Callable[[Any, Any], Any] = getattr(module, "take_numpy", self._take_numpy)
        #: What makes an array of another backend one of this, where that takes no memory: of arrays without data.
        self.adopt: Callable[[Any, str], Any] | None = getattr(module, "adopt", None)
        #: Dtypes that the framework has not, or not always.
        self.conditional_dtypes: tuple[Dtype, ...] = tuple(
            d for d in (*all_dtypes, *extended_dtypes) if d not in self.native
        )
        #: Rounds floats to a number of decimals, in memory for the result alone.
        self.around: Callable[[Any, int], Any] | None = getattr(module, "_around", None)
        #: Pads an array of floats with one value, by as much at all places.
        self.padded: Callable[[Any, int, float], Any] | None = getattr(module, "padded", None)
        self._on_bits: Callable[..., Callable[..., Any]] | None = getattr(module, "on_bits", None)
        self._moving: dict[tuple[str, Dtype], Callable[..., Any]] = {}

    def __repr__(self) -> str:
        return f"<backend {self.name}>"

    def _take_numpy(self, data: Any, device: Any) -> Any:
        return self.module.from_numpy(data, device, None)

    def _zero_dim(self, dtype: Any) -> Callable[[Any], Any]:
        make, native = self.module.scalar(dtype), self.module.native
        return lambda value: native(make(value))

    def _succeeded(self, data: Any, value: Any) -> Any:
        """For `overwrite`, of arrays that never change: `value` in the place of `data`."""
        if value.shape != data.shape:
            new, old = self.shape_of(value), self.shape_of(data)
            if len(new) != len(old) or any(n != m for n, m in zip(new, old, strict=True) if None not in (n, m)):
                raise ValueError(f"operands could not be broadcast together: {new} into {old}")
        return value

    def sig(self, dtype: Dtype) -> Sig:
        try:
            return self.sigs[dtype]
        except KeyError:
            raise BackendError(f"the {self.shown} backend has no {dtype}{nearest(dtype, self.native)}") from None

    def sig_of(self, data: Any) -> Sig:
        """The signature of a native array."""
        dtype = self.module.dtype_of(data)
        try:
            return self.sigs[self.dtypes[dtype]]
        except KeyError:
            raise TypeError(f"an array of {dtype} cannot be used: latticework has no such dtype") from None

    def function(self, name: str, dtype: Dtype | None = None) -> Callable[..., Any] | None:
        """What computes a function in a dtype: the emulation if there is one, else the module's own, or None. A storage
        dtype is moved by its bits where the module says how."""
        if dtype is not None and (why := self.refused.get((name, dtype))) is not None:
            raise BackendError(f"{name}: {why}")
        if dtype is not None and (emulation := self.emulated.get((name, dtype))) is not None:
            return emulation
        if (name, dtype) in self.composed:
            return None
        if dtype is not None and dtype.storage and self._on_bits is not None:
            return self._moved(name, dtype)
        chapter, _, last = name.rpartition(".")  # "linalg.inv" lies in the module's own linalg
        found: Callable[..., Any] | None = getattr(
            getattr(self.module, chapter, None) if chapter else self.module, last, None
        )
        return found

    def emulates(self, name: str, dtype: Dtype) -> bool:
        """Tell whether a function is computed in a dtype through another one."""
        return (name, dtype) in self.emulated or (dtype.storage and self._on_bits is not None)

    def _moved(self, name: str, dtype: Dtype) -> Callable[..., Any] | None:
        """What moves elements of a storage dtype, by their bits: one object for each function and dtype."""
        if self._on_bits is None or self.function(name) is None:
            return None
        if (name, dtype) not in self._moving:
            self._moving[name, dtype] = self._on_bits(lambda other: self.function(name, other), self.native[dtype])
        return self._moving[name, dtype]

    def selected(self, x64: bool) -> None:
        """What happens when the backend is set by name: nothing, unless its framework has a switch to turn on."""

    def with_all_dtypes(self) -> AbstractContextManager[Any]:
        """A block in which it has all its dtypes, whatever a switch of its framework says, which stays as it was."""
        return nullcontext()

    def guarded(
        self, kernel: Callable[..., Any], again: Callable[[], Any], dtypes: Iterable[Dtype], positions: bool
    ) -> Callable[..., Any]:
        """What to keep of a kernel that has to do with these dtypes, and whether with positions: itself, unless
        the framework's dtypes come and go. `again` makes the kernel anew, or says why there is none any more."""
        return kernel

    @property
    def watched(self) -> bool:
        """Whether something sees each call, as a trace or an audit does: one made only to learn of it would show."""
        return type(self).observed is not Backend.observed

    def observed(self, kernel: Callable[..., Any], plan: Any) -> Callable[..., Any]:
        """What to keep of the kernel of a plan: itself, unless the calls of this backend are watched."""
        return kernel

    def device(self, device: object) -> Device:
        """A device of this backend, checked."""
        owner = getattr(device, "backend", None)
        if isinstance(device, Device) and owner not in (None, self.name, self.recorded):
            raise BackendError(f"device {device!r} is of another backend than {self.name}")
        return Device(self.module.device(device), self.name)


def _never(*_: Any) -> bool:
    return False


def _none(*_: Any) -> None:
    return


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].rstrip(".")


def _shape_of(data: Any) -> tuple[int, ...]:
    return tuple(data.shape)


def unknown_backend(name: object) -> ValueError:
    """The error for a name that is no backend: with the one that is called so elsewhere, or the nearest."""
    names = [n for n, f in all_facts().items() if f.framework]
    alias = next((n for n in names if name in all_facts()[n].aliases), None)
    hint = f"; did you mean {alias!r}?" if alias else nearest(name, names) or "."
    return ValueError(f"there is no backend {name!r}{hint} There are {', '.join(names)}")


@cache
def get(name: object) -> Backend:
    """The backend of that name; imports its framework.

    Raises
    ------
    ValueError: for a name that is no backend, with the nearest that is.
    BackendNotInstalledError: (an ImportError) with the command that installs its framework.
    """
    if isinstance(name, Backend):
        return name
    plugin, _, target = name.partition(":") if isinstance(name, str) else ("", "", "")
    facts = all_facts().get(plugin)
    if facts is None or (facts.framework and target):
        raise unknown_backend(name)
    try:
        import_module(facts.framework or __name__)
    except ImportError as error:
        raise _unavailable(str(name), facts, error) from error
    module = import_module(f"{__name__}.{plugin}")
    if not facts.framework:
        stand_in: Backend = module.of_target(target)
        return stand_in
    kind: type[Backend] = getattr(module, "BACKEND", Backend)
    return kind(plugin, module)


def _unavailable(name: str, facts: Facts, error: ImportError) -> BackendNotInstalledError:
    """Make the error for a framework that is not installed, or is installed and cannot be imported."""
    installed = find_spec(facts.framework.partition(".")[0]) is not None
    absent = not installed or isinstance(error, ModuleNotFoundError)
    what = "which is not installed" if absent else f"which is installed and cannot be imported ({error})"
    return BackendNotInstalledError(f"the {name} backend needs {facts.framework}, {what}: {with_clone(facts.install)}")


@cache
def _owners() -> dict[str, list[tuple[str, str]]]:
    """The first part of a framework's module -> backends of it, each with that module."""
    owners: dict[str, list[tuple[str, str]]] = {}
    for name, facts in all_facts().items():
        if facts.framework:
            owners.setdefault(facts.framework.partition(".")[0], []).append((name, facts.framework))
    return owners


def of(x: object) -> Backend | None:
    """The backend whose array `x` is, or None. Only frameworks that are loaded already can own one."""
    for base in type(x).__mro__:
        for name, framework in _owners().get(base.__module__.partition(".")[0], ()):
            if framework in sys.modules:
                backend = get(name)
                if isinstance(x, backend.module.ARRAY):
                    return backend
    return None


class BackendInfo(NamedTuple):
    """One row of `backends()`: is the framework installed, and in which version?"""

    name: str
    installed: bool
    version: str | None
    install: str


def backends() -> tuple[BackendInfo, ...]:
    """Every backend, whether its framework is installed, and in which version. Imports no framework.

    Examples
    --------
    >>> import latticework as lw
    >>> [b.name for b in lw.backends() if b.installed][0]
    'numpy'
    """
    rows = []
    for name, facts in all_facts().items():
        if facts.framework:
            installed = find_spec(facts.framework.partition(".")[0]) is not None
            rows.append(BackendInfo(name, installed, version_of(name) if installed else None, facts.install))
    return tuple(rows)


def version_of(name: str) -> str | None:
    """The version of a backend's framework, found without importing it: that of its distribution, else what the module
    says of itself where it is loaded already. None where neither is known."""
    facts = all_facts()[name]
    return first_version(facts.distributions) or getattr(sys.modules.get(facts.framework), "__version__", None)


def first_version(distributions: Iterable[str]) -> str | None:
    """The version of the first of these distributions that is installed."""
    from importlib.metadata import PackageNotFoundError, version

    for name in distributions:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return None


def supported(backend: Backend, kind: str) -> tuple[Dtype, ...]:
    """The dtypes of a category that a backend has."""
    return tuple(d for d in category(kind) if d in backend.native)


class _Package(ModuleType):
    """This package, which can be called as the function of its name: ``lw.backends()``.

    The package is `latticework.backends` as soon as it is imported, so the public function has to be reached there.
    """

    def __call__(self) -> tuple[BackendInfo, ...]:
        return backends()


sys.modules[__name__].__class__ = _Package
