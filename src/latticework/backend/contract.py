"""The contract of a backend: the parts that `Array`, dispatch and the api ask for besides the framework's functions.

A plug-in derives a class from `Backend`. The abstract parts have to be there; mypy and `registry.get` name those that
are missing. The other parts have a default. Functions on native arrays that kernels call go into the class as they are,
``cast = staticmethod(core.cast)``, so that a call of one enters no method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, nullcontext
from operator import methodcaller
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from ..core.device import Device
from ..core.dtypes import Dtype, all_dtypes, extended_dtypes, int64
from ..core.signature import Reads, Sig
from ..errors import BackendError, nearest
from .facts import Facts, facts_of

if TYPE_CHECKING:
    from ..engine.keys.reading import IndexArray

__all__ = ["Backend", "Classes", "Kernel", "missing_parts"]

#: A function of a framework on native arrays.
Kernel = Callable[..., Any]
#: One class or several, as `isinstance` takes them.
Classes = type | tuple[type, ...]

_NONE: Mapping[Any, Any] = MappingProxyType({})


class Backend(ABC):
    """A framework's contract and its functions, for dispatch.

    What has to be known before the framework is imported is in the plug-in's file ``backend.json`` (`facts.Facts`).

    Parameters
    ----------
    name: the name of the plug-in, with a target after a colon: ``torch``, ``abstract:torch``.
    module: the module that has the framework's functions by their names, ``linalg.inv`` in its ``linalg``.

    Attributes
    ----------
    title: the name in messages; for arrays without data, the name of the framework that they stand for.
    label: the name in the text of an array whose values are not shown.
    lazy: True for a framework whose arrays are computed later.
    reads: the functions by which an `Array` gives its native array, its device and its elements.
    native_dtypes: maps latticework's dtypes to the framework's own.
    sigs: maps dtypes to the signatures of arrays.
    emulated: maps (function, dtype), as ``("linalg.inv", lw.float16)``, to the function that is called in its place.
    composed: the set of (function, dtype) that are made of other functions.
    refused: maps (function, dtype) to the reason, which the error says.
    conditional_dtypes: the dtypes that the framework has not, or not always.
    """

    #: Name the backend whose calls this one records: its devices are the same.
    recorded: str | None = None

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name, self.module = name, module
        facts = facts_of(name.partition(":")[0])
        if facts is None:
            raise BackendError(f"there is no backend {name!r}: no backend.json describes it")
        self.facts: Facts = facts
        self.title = name.partition(":")[2] or name
        self.label = name
        self.lazy = self.facts.lazy
        self.reads = Reads(self)
        self.native_dtypes: Mapping[Dtype, Any] = {ours: native for native, ours in self.dtypes.items()}
        self.sigs: Mapping[Dtype, Sig] = {d: Sig(self, d) for d in self.native_dtypes}
        for dtype, scalar in self.elements.items():
            self.sigs[dtype].with_elements(scalar)
        self.conditional_dtypes: tuple[Dtype, ...] = tuple(
            d for d in (*all_dtypes, *extended_dtypes) if d not in self.native_dtypes
        )
        self._moving: dict[tuple[str, Dtype], Kernel] = {}

    # --- arrays and dtypes ------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def arrays(self) -> Classes:
        """Give the framework's array class or classes: an object of one of them is an array of this backend."""

    #: Give the classes of scalars that are 0-d arrays as well.
    scalars: Classes = ()
    #: Map dtypes to the class of the scalars that indexing gives for elements.
    elements: Mapping[Dtype, type] = _NONE

    @abstractmethod
    def array_class(self) -> type:
        """Return the class of arrays that nothing traces: dtypes of calls on native arrays are read off these."""

    @property
    @abstractmethod
    def dtype_class(self) -> type:
        """Give the class of the framework's own dtypes."""

    @property
    @abstractmethod
    def dtypes(self) -> Mapping[Any, Dtype]:
        """Map the framework's own dtypes to latticework's: all that it has."""

    @property
    def index_dtype(self) -> Dtype:
        """Give the dtype of positions and counts."""
        return int64

    @abstractmethod
    def dtype_of(self, data: Any, /) -> Any:
        """Return the framework's own dtype of a native array."""

    def shape_of(self, data: Any, /) -> tuple[int | None, ...]:
        """Return the shape of a native array, with None for an extent that is not known."""
        return tuple(data.shape)

    #: Give the quickest expressions of the extents and of the own dtype of a native array, to compare them.
    shape_text: str = "{}.shape"
    dtype_text: str = "{}.dtype"

    @abstractmethod
    def native(self, data: Any, /) -> Any:
        """Return an array for anything that the framework's functions return as one, such as a scalar."""

    #: Give the quickest expression of whether `native` gives an array back as it is: "" for always, None for none. Of
    #: another object than the framework's arrays it may raise an AttributeError.
    native_text: str | None = None

    def plain(self, x: Any, copy: bool | None, /) -> Any:
        """Return the user's own native array as the backend's functions take it."""
        return self.native(x)

    @abstractmethod
    def duplicate(self, data: Any, /) -> Any:
        """Copy an array into memory of its own."""

    @abstractmethod
    def reinterpret(self, data: Any, dtype: Any, /) -> Any:
        """View the bits as another native dtype: narrower ones along a new last axis."""

    @abstractmethod
    def cast(self, dtype: Any, /) -> Callable[[Any], Any]:
        """Make a function that casts native arrays to a native dtype. Floats go to integers truncated and clamped."""

    @abstractmethod
    def narrow(self, dtype: Any, /) -> Callable[[Any], Any]:
        """Make the cast of integers that may not fit: an OverflowError where values are known and do not."""

    #: Make the cast to an integer dtype from a given one, ``cast_from(source, dtype)``: a trace has it in its source.
    cast_from: Callable[[Any, Any], Callable[[Any], Any]] | None = None
    #: Test whether an array is weak, of a framework that has weak arrays.
    is_weak: Callable[[Any], bool] | None = None
    #: Make an array weak, of a framework that has weak arrays.
    weakened: Callable[[Any], Any] | None = None
    #: Test whether an array of the framework's class is of a kind that is handed on as it is, as a sparse one.
    opaque: Callable[[Any], bool] | None = None
    #: Return the words of a random key that the framework keeps as an array of a dtype of its own; the array itself of
    #: any other. A TypeError of a key that is not of Threefry.
    key_data: Callable[[Any], Any] | None = None

    # --- Python scalars ---------------------------------------------------------------------------------------------

    @abstractmethod
    def scalar(self, dtype: Any, /) -> Callable[[Any], Any]:
        """Make a function from Python scalars to 0-d operands of a native dtype."""

    def zero_dim(self, dtype: Any, /) -> Callable[[Any], Any]:
        """Make a function from Python scalars to 0-d arrays: the quickest one."""
        make, native = self.scalar(dtype), self.native
        return lambda value: native(make(value))

    def takes_scalar(self, function: str, position: int, dtype: Dtype, /) -> bool:
        """Tell whether an operand of a function computed in a dtype may be a Python scalar."""
        return False

    #: Convert a Python int beside floats, of a framework that takes no int of 2**64 or more.
    int_as_float: Callable[[int], float] | None = None

    @abstractmethod
    def item(self, data: Any, /) -> Any:
        """Return the element of an array of one element, as a Python scalar."""

    @property
    def element(self) -> Callable[[Any], Any] | None:
        """Give the function from a 0-d array to what `bool`, `int`, `float` and `complex` convert. None: they convert
        the array itself, and fail as latticework does."""
        return self.item

    def has_values(self, data: Any, /) -> bool:
        """Tell whether the elements can be read now."""
        return True

    def may_record(self, data: Any, /) -> bool:
        """Tell whether the framework may record derivatives of an array now."""
        return not self.has_values(data)

    def records(self, arrays: Sequence[Any], /) -> bool:
        """Tell whether anything may follow a computation now: of these floating arrays, or of others that it uses."""
        return any(map(self.may_record, arrays))

    def has_data_dependent_shapes(self) -> bool:
        """Tell whether shapes may depend on values now, as that of `nonzero`. Not where values are not known."""
        return True

    def version_of(self, data: Any, /) -> int | None:
        """Tell how often an array was written to; None where the framework does not count."""
        return None

    def describe(self, data: Any, /) -> str | None:
        """Describe an array whose values are not shown, as one that is traced; None for any other."""
        return None

    # --- devices ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def devices(self) -> Sequence[str]:
        """List the names of the devices."""

    @abstractmethod
    def device_name(self, device: object, /) -> str:
        """Return the name of a device, checked; of the default one for None."""

    @abstractmethod
    def native_device(self, name: str, /) -> Any:
        """Return what the backend's functions take for the device of that name."""

    def own_device(self, name: str, /) -> Any:
        """Return the framework's own device of that name."""
        return self.native_device(name)

    @abstractmethod
    def device_of(self, data: Any, /) -> str:
        """Return the name of the device of an array."""

    @abstractmethod
    def to_device(self, data: Any, device: Any, stream: Any, /) -> Any:
        """Move an array to a native device; itself if it is there already."""

    #: Return the device of a new array of the shape of another, where the name of that array's does not say how it is
    #: laid out; None where it does.
    beside: Callable[[Any], object] | None = None
    #: Move operands made from Python scalars to the device of the others, of a framework that refuses several devices.
    placed: Callable[[Iterable[Any]], list[Any]] | None = None

    # --- reading and writing ----------------------------------------------------------------------------------------

    @abstractmethod
    def index(self, data: Any, key: Any, /) -> Any:
        """Read ``data[key]``, a key of slices, ints, None, an ellipsis and native index arrays."""

    @abstractmethod
    def assign(self, data: Any, key: Any, value: Any, /) -> Any:
        """Write ``data[key] = value`` and return the array: another one where arrays never change."""

    def assign_own(self, data: Any, key: Any, value: Any, /) -> Any:
        """Like `assign`, of an array that was made for it: `watching` is told nothing."""
        return self.assign(data, key, value)

    #: The functions that are told of each array that functions of latticework write to, before they do. None where
    #: arrays never change, and of a framework that differentiates.
    watching: list[Callable[[Any], None]] | None = None

    @abstractmethod
    def describe_index(self, k: Any, /) -> IndexArray | None:
        """Describe an index array to the reader of keys (engine/keys/reading.py); None for anything else."""

    @abstractmethod
    def index_array(self, data: Any, /) -> Any:
        """Return an array as an index of a key: one that the framework would misread is an error or another array."""

    #: Reshape to a tuple of ints, for `x.reshape`: the framework's own method.
    reshape_method: Callable[[Any, Any], Any] | None = None

    def in_place(self, call: Kernel, /) -> Callable[[Any, Any], Any] | None:
        """Return a function of two operands as one that writes into the first; None where it cannot."""
        return None

    def overwrite(self, data: Any, value: Any, /) -> Any:
        """Write all of `value` into `data` and return it: the value itself where arrays never change."""
        if value.shape != data.shape:
            new, old = self.shape_of(value), self.shape_of(data)
            if len(new) != len(old) or any(n != m for n, m in zip(new, old, strict=True) if None not in (n, m)):
                raise ValueError(f"operands could not be broadcast together: {new} into {old}")
        return value

    # --- conversion -------------------------------------------------------------------------------------------------

    @abstractmethod
    def to_numpy(self, data: Any, dtype: Any, copy: bool | None, /) -> Any:
        """Convert to a NumPy array: without a copy where that can be, unless `copy` is True."""

    def values(self, data: Any, /) -> Any:
        """Return the elements as a NumPy array, for numbers of Python and for what is shown. An array that is
        differentiated may have them here, as constants, where `to_numpy` refuses it."""
        return self.to_numpy(data, None, None)

    @abstractmethod
    def from_numpy(self, data: Any, device: Any, copy: bool | None, /) -> Any:
        """Convert a NumPy array, to a native device or None for the default one: as a copy unless `copy` is False."""

    def take_numpy(self, data: Any, device: Any, /) -> Any:
        """Convert a NumPy array that nobody else holds."""
        return self.from_numpy(data, device, None)

    @abstractmethod
    def dlpack(self, data: Any, **options: Any) -> Any:
        """Export an array as a DLPack capsule, with the options of ``__dlpack__``."""

    #: Return the DLPack type and number of an array's device.
    dlpack_device: Callable[[Any], tuple[Any, int]] = methodcaller("__dlpack_device__")

    @abstractmethod
    def from_dlpack(self, x: Any, device: str | None, copy: bool | None, /) -> Any:
        """Import an object that has ``__dlpack__``, to the device of that name."""

    def to_pickle(self, data: Any, /) -> Any:
        """Return what can be pickled in place of an array."""
        return data

    def from_pickle(self, pickled: Any, dtype: Any, /) -> Any:
        """Return the array of a result of `to_pickle`, of a native dtype."""
        return pickled

    #: Give the class of arrays that the framework's functions take beside its own, and `lift` converts.
    lifts: type | None = None

    def lift(self, x: Any, /) -> Any:
        """Convert an array of the class `lifts`."""
        return x

    #: Whether its functions take the arrays of another backend, its target's, as they are.
    takes_target: bool = False
    #: Make an array of this backend of an `Array` of another, without its elements: of arrays without data.
    adopt: Callable[[Any, str], Any] | None = None
    #: Convert an `Array` of another backend to one of this, of arrays without data that take the elements too.
    converted: Callable[[Any, Backend], Any] | None = None

    def keep(self, x: Any, /) -> None:  # noqa: B027 - the default
        """Keep the `Array` made of an adopted one for as long as a view of that may be written to."""

    # --- functions --------------------------------------------------------------------------------------------------

    #: Map (function, dtype) to another callable, exact, where the framework's own function lacks the dtype.
    emulated: Mapping[tuple[str, Dtype], Kernel] = _NONE
    #: List (function, dtype) that are composed, since the framework's own function lacks the dtype.
    composed: AbstractSet[tuple[str, Dtype]] = frozenset()
    #: Map (function, dtype) to the reason why it is refused, where there is no exact way at all.
    refused: Mapping[tuple[str, Dtype], str] = _NONE
    #: Map (function, dtype, operands) to a quicker callable that gives the same, where the operands are "alone" (one
    #: array and no options), "scalar" (an array and a Python scalar) or "elements" (scalars that indexing gives).
    quicker: Mapping[tuple[str, Dtype, str], Kernel] = _NONE
    #: Map a function to the one with swapped operands, where the first may not be a Python scalar.
    reflected: Mapping[str, Callable[[Any, Any], Any]] = _NONE
    #: Make a function that moves elements of a native storage dtype, ``on_bits(function, dtype)``, where the
    #: framework's own functions do not all take these. `function(d)` gives the kernel for another dtype.
    on_bits: Callable[[Callable[[Dtype], Any], Any], Kernel] | None = None
    #: Name the framework's own functions that calls of the backend's functions come to: a trace has these.
    plain_functions: tuple[str, ...] = ()
    #: Round floats to a number of decimals, in memory for the result alone.
    around: Callable[[Any, int], Any] | None = None
    #: Tell whether derivatives by native arrays may be taken; None where the framework takes none.
    may_differentiate: Callable[..., bool] | None = None
    #: Pad floats with one value, by the same width before and after each axis.
    padded: Callable[[Any, int, float], Any] | None = None
    #: List the compositions that `fuse` compiles.
    fused: AbstractSet[str] = frozenset()

    def fuse(self, composition: Kernel, leading: int, /) -> Kernel:
        """Compile a composition of so many operands as one program."""
        return composition

    def promotes(self, function: str, operands: tuple[Dtype, ...], computed: Dtype, /) -> bool:
        """Tell whether the framework's own promotion of arrays gives the dtype to compute in: no cast is made then."""
        return False

    def together(
        self,
        call: Kernel,
        steps: tuple[Callable[[Any], Any] | None, ...],
        operands: tuple[Any, ...],
        computed: Dtype,
        /,
    ) -> Kernel | None:
        """Make one callable of casts of operands and a function of these; None where they stay apart."""
        return None

    #: Give the module of the framework's control flow (`switch`, `while_loop`, `scan`), where it records computations.
    control_flow: Any = None
    #: Give the module of functions of functions (`vjp`, `vmap`, `jit`, and so on), of a framework that has some.
    transformations: Any = None

    # --- arrays that are computed later -----------------------------------------------------------------------------

    #: Compute several arrays at once, as NumPy's.
    compute: Callable[..., tuple[Any, ...]] | None = None
    #: Return the shape of an array as creation functions take it, where extents are not known.
    like: Callable[[Any], tuple[Any, ...]] | None = None
    #: Return the shape that arrays broadcast to in that form, ``joint_shape(shape, arrays)``.
    joint_shape: Callable[[tuple[Any, ...], list[Any]], tuple[Any, ...]] | None = None
    #: Bring an array into the blocks of another.
    in_blocks_of: Callable[[Any, Any], Any] | None = None
    #: Find the dtype that the blocks of a result will have, of (function, dtype, args, options); None where that is not
    #: known.
    dtype_of_blocks: Callable[[str, Dtype, tuple[Any, ...], dict[str, Any]], Dtype | None] | None = None
    #: Make an object that keeps the graphs of a loop small.
    loop_graphs: Callable[[], Any] | None = None

    def in_this_thread(self) -> AbstractContextManager[Any]:
        """Return a context that computes small arrays without threads."""
        return nullcontext()

    # --- errors -----------------------------------------------------------------------------------------------------

    def raises_itself(self, error: Exception, /) -> bool:
        """Tell whether an error of the framework's is raised as it is, because its users know it in its words."""
        return False

    def error_class(self, error: Exception, /) -> type[Exception] | None:
        """Return the built-in or latticework class for an error; None for the class that it derives from."""
        return None

    def error_text(self, error: Exception, /) -> str:
        """Return the text of an error, in one line."""
        return str(error).strip().split("\n")[0].rstrip(".")

    #: Give the framework's own class of errors of linear algebra: latticework's are instances of it too.
    linalg_error: type[Exception] | None = None

    # --- dtypes that come and go ------------------------------------------------------------------------------------

    def selected(self, x64: bool) -> None:  # noqa: B027 - the default
        """Do nothing when the backend is set by name, unless its framework has a switch to turn on."""

    def with_all_dtypes(self) -> AbstractContextManager[Any]:
        """Return a context in which it has all its dtypes. A switch of its framework is restored after it."""
        return nullcontext()

    def guarded(self, kernel: Kernel, again: Callable[[], Any], dtypes: Iterable[Dtype], positions: bool) -> Kernel:
        """Return what to cache of a kernel that has to do with these dtypes, or with positions: the kernel, unless the
        framework's dtypes come and go. `again` makes the kernel anew, or raises where there is none any more."""
        return kernel

    # --- what follows from these parts ------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<backend {self.name}>"

    def sig(self, dtype: Dtype) -> Sig:
        """Return the signature of arrays of a dtype."""
        try:
            return self.sigs[dtype]
        except KeyError:
            raise BackendError(f"the {self.title} backend has no {dtype}{nearest(dtype, self.native_dtypes)}") from None

    def sig_of(self, data: Any) -> Sig:
        """Return the signature of a native array."""
        dtype = self.dtype_of(data)
        try:
            return self.sigs[self.dtypes[dtype]]
        except KeyError:
            raise TypeError(f"an array of {dtype} cannot be used: latticework has no such dtype") from None

    def function(self, name: str, dtype: Dtype | None = None) -> Kernel | None:
        """Return the kernel of a function in a dtype: an emulation if there is one, else the module's, or None. For a
        storage dtype the kernel moves its bits, where `on_bits` says how."""
        if dtype is not None and (why := self.refused.get((name, dtype))) is not None:
            raise BackendError(f"{name}: {why}")
        if dtype is not None and (emulation := self.emulated.get((name, dtype))) is not None:
            return emulation
        if (name, dtype) in self.composed:
            return None
        if dtype is not None and dtype.storage and self.on_bits is not None:
            return self._moved(name, dtype)
        if name == "duplicate":  # which some functions of bools are, under rules that have them
            return self.duplicate
        chapter, _, last = name.rpartition(".")  # "linalg.inv" lies in the module's own linalg
        found: Kernel | None = getattr(getattr(self.module, chapter, None) if chapter else self.module, last, None)
        return found

    def emulates(self, name: str, dtype: Dtype) -> bool:
        """Tell whether a function is computed in a dtype through another one."""
        return (name, dtype) in self.emulated or (dtype.storage and self.on_bits is not None)

    def _moved(self, name: str, dtype: Dtype) -> Kernel | None:
        """Return the kernel that moves the bits of a storage dtype: one object for each function and dtype."""
        if self.on_bits is None or self.function(name) is None:
            return None
        if (name, dtype) not in self._moving:
            native = self.native_dtypes[dtype]
            self._moving[name, dtype] = self.on_bits(lambda other: self.function(name, other), native)
        return self._moving[name, dtype]

    @property
    def watched(self) -> bool:
        """True if something sees each call, as a trace or an audit does: a call made only as a trial would show."""
        return type(self).observed is not Backend.observed

    def observed(self, kernel: Kernel, plan: Any) -> Kernel:
        """Return what to cache of the kernel of a plan: the kernel, unless the calls of this backend are watched."""
        return kernel

    def device(self, device: object) -> Device:
        """Return a device of this backend, checked."""
        owner = getattr(device, "backend", None)
        if isinstance(device, Device) and owner not in (None, self.name, self.recorded):
            raise BackendError(f"device {device!r} is of another backend than {self.name}")
        return Device(self.device_name(device), self.name)


def missing_parts(kind: type[Backend]) -> tuple[str, ...]:
    """Name the parts that a class of a backend has to have and lacks.

    Examples
    --------
    >>> from latticework.backend.contract import Backend, missing_parts
    >>> class Half(Backend):
    ...     arrays, dtype_class, dtypes = (list,), type, {}
    >>> missing_parts(Half)[:3]
    ('array_class', 'assign', 'cast')
    """
    return tuple(sorted(kind.__abstractmethods__))
