"""`torch.save` and `torch.load`: PyTorch's own files, written and read without PyTorch and without running their code.

A file is a zip archive: ``data.pkl`` has the objects, and each record in ``data/`` the elements of a storage, in the
order of a contiguous tensor. The format is that of PyTorch 1.6 and later (torch/serialization.py and torch/_utils.py of
its sources). What a file names is looked for in a list of names, and nothing else is called. NumPy's arrays
and scalars are read too (`stored_arrays`), as PyTorch does where they are among its safe names. Only with
``weights_only=False`` does a file call what it names (`_Trusting`).
"""

from __future__ import annotations

import io
import operator
import os
import pickle
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

from ..imports import program_module
from . import stored_arrays, stored_names
from .core import dialect, ops
from .dtypes import dtype as dtype_class
from .nn.parameter import Buffer, Parameter
from .objects import Size, device
from .stored import memory_of, on_device
from .tensor import Tensor

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]

#: The classes of storages by the dtypes of their elements.
_STORAGES = {
    "float32": "FloatStorage", "float64": "DoubleStorage", "float16": "HalfStorage", "bfloat16": "BFloat16Storage",
    "int64": "LongStorage", "int32": "IntStorage", "int16": "ShortStorage", "int8": "CharStorage",
    "uint8": "ByteStorage", "bool": "BoolStorage", "complex64": "ComplexFloatStorage",
    "complex128": "ComplexDoubleStorage",
}  # fmt: skip
_DTYPES = {storage: name for name, storage in _STORAGES.items()}
_OF_BYTES = "UntypedStorage"
_SMALL = {name: np.dtype(getattr(ml_dtypes, name)) for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2")}
#: How a zip archive begins.
_MAGIC = b"PK"


def _numpy_dtype(name: str) -> np.dtype:
    return _SMALL.get(name) or np.dtype(name)


# --- writing ----------------------------------------------------------------------------------------------------------


class _Named:
    """A name of PyTorch's, as a file has it."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __call__(self, *_: Any) -> None:  # pickle asks for something that can be called
        raise TypeError(f"{self.module}.{self.name} is a name in a file")


_V2, _V3 = _Named("torch._utils", "_rebuild_tensor_v2"), _Named("torch._utils", "_rebuild_tensor_v3")
_PARAMETER = _Named("torch._utils", "_rebuild_parameter")
_DEVICE, _SIZE = _Named("torch", "device"), _Named("torch", "Size")


class _Storage:
    """The elements of a tensor, as a file refers to them."""

    def __init__(self, kind: str, key: str, count: int) -> None:
        self.kind, self.key, self.count = kind, key, count


_InPython: Any = pickle._Pickler  # whose names can be others


class _Pickler(_InPython):  # type: ignore[misc]
    """Writes tensors as PyTorch writes its own."""

    def __init__(self, file: Any) -> None:
        super().__init__(file, protocol=2)
        self.records: dict[str, bytes] = {}
        self._known: dict[Any, tuple[Any, str]] = {}  # by the memory of the native array, which is kept

    def save_global(self, obj: Any, name: str | None = None) -> None:
        if type(obj) is _Named:
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
            self.memoize(obj)
            return
        known = stored_names.public(obj, name) or stored_names.kept(obj, name)
        if known is not None:
            self.save_global(_Named(*known))
            return
        super().save_global(obj, name)

    dispatch: ClassVar[dict[type, Any]] = {**_InPython.dispatch, FunctionType: save_global, _Named: save_global}

    def persistent_id(self, obj: Any) -> Any:
        if type(obj) is not _Storage:
            return None
        module = "torch.storage" if obj.kind == _OF_BYTES else "torch"
        return ("storage", _Named(module, obj.kind), obj.key, "cpu", obj.count)

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is Tensor:
            return self._tensor(obj)
        if type(obj) is device:
            return _DEVICE, (obj.type,) if obj.index is None else (obj.type, obj.index)
        if type(obj) is Size:
            return _SIZE, (tuple(obj),)
        return NotImplemented

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        if type(obj) is dtype_class:
            self.save_global(_Named("torch", str(obj).partition(".")[2]))
            return
        super().save(obj, save_persistent_id)

    def _tensor(self, x: Any) -> Any:
        name = x._array.dtype.name
        values = np.ascontiguousarray(np.asarray(x.detach()._array.__array__()))
        memory = memory_of(x)
        known = self._known.get(memory)
        if known is None:
            known = self._known[memory] = x._array, str(len(self.records))
            self.records[known[1]] = values.tobytes()
        strides = tuple(x.stride())
        plain = name in _STORAGES
        storage = _Storage(_STORAGES[name] if plain else _OF_BYTES, known[1], values.size if plain else values.nbytes)
        shape = tuple(x._array.shape)
        if isinstance(x, Parameter):
            data = dialect.wrapped(x.detach()._array)
            return _PARAMETER, (data, x.requires_grad, OrderedDict())
        rest: tuple[Any, ...] = (x.requires_grad, OrderedDict())
        if plain:
            return _V2, (storage, 0, shape, strides, *rest)
        return _V3, (storage, 0, shape, strides, *rest, x.dtype)


def save(
    obj, f, pickle_module=pickle, pickle_protocol=2, _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
):  # fmt: skip
    """Write an object to a file that PyTorch reads: tensors, and what Python's containers, numbers and texts hold.

    Parameters
    ----------
    obj: the object. A whole module, or another object of a class, is written by the name of its class, with what its
        ``__dict__`` holds. `load` takes it with ``weights_only=False``, or where the class is in `add_safe_globals`.
    f: a path, or a file that is open for writing.

    Notes
    -----
    The elements of a tensor are written as NumPy has them, from whichever backend and device. Classes of the dialect
    are written under PyTorch's names. Nothing is written where an object cannot be.
    """
    stream = io.BytesIO()
    pickler = _Pickler(stream)
    pickler.dump(obj)
    name = Path(f).name if isinstance(f, (str, os.PathLike)) else "archive"
    root = name.rpartition(".")[0] or name
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{root}/data.pkl", stream.getvalue())
        archive.writestr(f"{root}/byteorder", "little")
        for key, data in pickler.records.items():
            archive.writestr(f"{root}/data/{key}", data)
        archive.writestr(f"{root}/version", "3\n")


# --- reading ----------------------------------------------------------------------------------------------------------

_safe: dict[str, Any] = {}


def add_safe_globals(safe_globals):
    """Have `load` take these classes and functions where a file names them."""
    for x in safe_globals:
        obj, name = x if isinstance(x, tuple) else (x, f"{x.__module__}.{x.__qualname__}")
        _safe[name] = obj


def get_safe_globals():
    """List the classes and functions that `load` takes besides its own."""
    return [*_safe.values()]


def clear_safe_globals():
    """Forget the classes and functions that were added."""
    _safe.clear()


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """Have `load` take these classes and functions in a block."""
    before = dict(_safe)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _safe.clear()
        _safe.update(before)


class _Maker:
    """A function that a file may call. A file cannot change it."""

    __slots__ = ("_make",)

    _make: Callable[..., Any]

    def __init__(self, make: Callable[..., Any]) -> None:
        object.__setattr__(self, "_make", make)

    def __setattr__(self, name: str, value: Any) -> None:
        raise pickle.UnpicklingError("load: a file changes a function. It is not one that torch.save has written")

    def __call__(self, *args: Any) -> Any:
        return self._make(*args)


class _Elements:
    """A storage: its elements in one dimension."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values


def _strided(storage: Any, offset: int, shape: Any, strides: Any, dtype: np.dtype | None = None) -> np.ndarray:
    values = storage.values if dtype is None else storage.values.view(dtype)
    numbers = (offset, *shape, *strides)
    if len(shape) != len(strides) or any(type(n) is not int or n < 0 for n in numbers):
        raise pickle.UnpicklingError(f"load: a tensor of shape {shape} and strides {strides} cannot be")
    last = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    if all(shape) and last >= values.size:
        raise pickle.UnpicklingError(
            f"load: a tensor of shape {tuple(shape)} reads element {last} of a storage of {values.size} elements"
        )
    if not all(shape):
        return np.empty(tuple(shape), values.dtype)
    bytes_ = tuple(s * values.itemsize for s in strides)
    plain = values if values.itemsize > 2 else values.view(f"u{values.itemsize}")  # NumPy strides no dtypes of others
    return np.lib.stride_tricks.as_strided(plain[offset:], tuple(shape), bytes_).view(values.dtype)


def _tensor_of(values: np.ndarray, requires_grad: Any) -> Any:
    made = dialect.wrapped(ops.asarray(values)._array)
    return made.requires_grad_() if requires_grad is True else made


def _rebuild_v2(storage: Any, offset: int, shape: Any, strides: Any, requires_grad: Any, *_: Any) -> Any:
    return _tensor_of(_strided(storage, offset, shape, strides), requires_grad)


def _rebuild_v3(
    storage: Any, offset: int, shape: Any, strides: Any, requires_grad: Any, _: Any, dtype: Any, *__: Any
) -> Any:
    return _tensor_of(_strided(storage, offset, shape, strides, _numpy_dtype(dtype.ours.name)), requires_grad)


def _rebuild_parameter(data: Any, requires_grad: Any, *_: Any) -> Any:
    return Parameter(data, bool(requires_grad))


_MAKERS: dict[str, Any] = {
    "torch._utils._rebuild_tensor_v2": _Maker(_rebuild_v2), "torch._utils._rebuild_tensor_v3": _Maker(_rebuild_v3),
    "torch._utils._rebuild_parameter": _Maker(_rebuild_parameter),
    "torch._utils._rebuild_parameter_with_state": _Maker(_rebuild_parameter),
    "torch.nn.parameter.Parameter": _Maker(Parameter), "torch.nn.parameter.Buffer": _Maker(Buffer),
    "torch.device": _Maker(device), "torch.Size": _Maker(Size),
    "collections.OrderedDict": OrderedDict, "collections.Counter": Counter, "builtins.set": set,
    "builtins.frozenset": frozenset, "builtins.complex": complex, "builtins.bytearray": bytearray,
    "builtins.bytes": _Maker(lambda: b""),
    "builtins.slice": slice, "builtins.range": range, "_codecs.encode": _Maker(lambda text, _: text.encode("latin1")),
}  # fmt: skip
_OF_NUMPY = {name: _Maker(make) if callable(make) else make for name, make in stored_arrays.MAKERS.items()}


class _Reading:
    """What an unpickler finds where a file has names, and references to storages."""

    _storage: Callable[[str, str, int], _Elements]
    _numpy: ClassVar[dict[str, Any]] = {}

    def find_class(self, module: str, name: str) -> Any:
        full = f"{module.replace('__builtin__', 'builtins')}.{name}"
        if full in _safe:
            return _safe[full]
        if full in _MAKERS:
            return _MAKERS[full]
        if full in self._numpy:
            return self._numpy[full]
        if module in ("torch", "torch.storage") and (name in _DTYPES or name == _OF_BYTES):
            return name
        if module == "torch" and name in dialect_dtypes():
            return dialect_dtypes()[name]
        raise pickle.UnpicklingError(
            f"load: the file names {full}, and what is not in the list of safe names is not called. If you trust the "
            f"file, and the class is yours: torch.serialization.add_safe_globals([...])"
        )

    def persistent_load(self, pid: Any) -> Any:
        if type(pid) is not tuple or len(pid) != 5 or pid[0] != "storage":
            raise pickle.UnpicklingError(f"load: a reference of the file is none to a storage: {pid!r:.80}")
        _, kind, key, _, count = pid
        if type(kind) is not str or type(key) is not str or type(count) is not int or count < 0:
            raise pickle.UnpicklingError(f"load: a reference of the file is none to a storage: {pid!r:.80}")
        return self._storage(kind, key, count)


class _Unpickler(_Reading, pickle.Unpickler):
    pass


class _OfArrays(_Reading, stored_arrays.InPython):
    """It reads NumPy's arrays too, and takes longer."""

    _numpy = _OF_NUMPY


class _Trusting(_Reading, pickle.Unpickler):
    """It calls whatever a file names, as pickle does."""

    def find_class(self, module: str, name: str) -> Any:
        if f"{module}.{name}" in _safe:
            return _safe[f"{module}.{name}"]
        if module.partition(".")[0] == "torch":
            try:
                return super().find_class(module, name)
            except pickle.UnpicklingError:
                return stored_names.found(module, name)
        if module in ("__builtin__", "copy_reg"):  # as Python 2 called them, and protocol 2 does
            return pickle.Unpickler.find_class(self, module, name)
        return operator.attrgetter(name)(program_module(module))


def dialect_dtypes() -> dict[str, Any]:
    """The dtypes of the dialect, by name."""
    return {str(x).partition(".")[2]: x for x in dialect.dtypes.values()}


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Read what `save`, or PyTorch's own, has written.

    Parameters
    ----------
    f: a path, or a file that is open for reading.
    map_location: the device to put tensors on: a text, a `device`, a dict from one to another, or a function. By
        default they are on the default device of the backend in force, wherever they were.
    weights_only: False takes objects of all classes, whole modules among them: **whoever wrote the file then has code
        of their choice run**, as in PyTorch. True and None, which is the default, run no code of a file.

    Raises
    ------
    pickle.UnpicklingError: the file names a class or function that is not in the list of safe names, or is damaged.
    FileNotFoundError: there is no such file.
    AttributeError, ImportError: with ``weights_only=False``, the file names what is not there.

    Notes
    -----
    PyTorch's classes in a file become those of the dialect. A file of a class whose module was imported in a block of
    `redirected` is read with the class of that block.

    Files from before PyTorch 1.6, which are no zip archives, are refused: PyTorch itself converts them.
    """
    opened = Path(f).open("rb") if isinstance(f, (str, os.PathLike)) else None  # noqa: SIM115
    try:
        file: Any = opened or f
        start = file.tell()
        head = file.read(len(_MAGIC))
        file.seek(start)
        if head != _MAGIC:
            raise pickle.UnpicklingError(
                "load: this is no zip archive, as torch.save of PyTorch 1.6 and later writes them. Load it in PyTorch, "
                "and save it again"
            )
        try:
            with zipfile.ZipFile(file) as archive:
                found = _read(archive, trusted=weights_only is False)
        except zipfile.BadZipFile as error:
            raise pickle.UnpicklingError(f"load: the file is damaged: {error}") from None
    finally:
        if opened is not None:
            opened.close()
    where = _place(map_location)
    return found if where is None else on_device(found, where)


def _read(archive: zipfile.ZipFile, *, trusted: bool = False) -> Any:
    names = {info.filename: info for info in archive.infolist()}
    main = next((name for name in names if name.partition("/")[2] == "data.pkl"), None)
    if main is None:
        raise pickle.UnpicklingError("load: the archive has no data.pkl, so torch.save has not written it")
    root = main.partition("/")[0]
    order = "little"
    if f"{root}/byteorder" in names:
        order = archive.read(f"{root}/byteorder").decode()
    kept: dict[str, _Elements] = {}

    def storage(kind: str, key: str, count: int) -> _Elements:
        if key not in kept:
            info = names.get(f"{root}/data/{key}")
            dtype = np.dtype(np.uint8) if kind == _OF_BYTES else _numpy_dtype(_DTYPES[kind])
            if info is None or info.file_size != count * dtype.itemsize:
                raise pickle.UnpicklingError(
                    f"load: storage {key!r} is missing, or has not {count} elements of {dtype}"
                )
            values = np.frombuffer(bytearray(archive.read(info)), dtype)
            kept[key] = _Elements(values.byteswap() if order == "big" else values)
        return kept[key]

    try:
        program = archive.read(main)
        kind = _Trusting if trusted else _OfArrays if b"numpy" in program else _Unpickler
        reading: Any = kind(io.BytesIO(program), encoding="utf-8")
        reading._storage = storage
        return reading.load()
    except pickle.UnpicklingError:
        raise
    except Exception as error:
        if trusted:  # it may be an error of what was called
            raise
        raise pickle.UnpicklingError(f"load: the file is damaged: {type(error).__name__}: {error}") from error


def _place(map_location: Any) -> Any:
    """Return the device to put tensors on; None to leave them."""
    if isinstance(map_location, dict):
        map_location = next(iter(map_location.values()), None)
    return None if map_location is None or callable(map_location) else map_location
