"""`safetensors` for programs of PyTorch: files of tensors by their names, read and written on any backend.

`latticework run` gives a program this module where it imports `safetensors` or `safetensors.torch`, beside the dialect
of PyTorch. The package safetensors, which has to be installed, checks and writes files (`pip install safetensors`).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

try:
    import safetensors as _package
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "safetensors: the package that checks and writes these files is not installed: pip install safetensors",
        name="safetensors",
    ) from None

from ..core import dialect, ops
from ..stored import on_device

__all__ = ["SafetensorError", "__version__", "safe_open"]

__version__ = _package.__version__
SafetensorError = _package.SafetensorError

#: The dtypes of files by their names in it (safetensors' README, "Format").
DTYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32", "I32": "int32",
    "U64": "uint64", "I64": "int64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
    "C64": "complex64", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu",
    "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz",
}  # fmt: skip


def elements(kind: str, shape: Any, data: Any) -> np.ndarray:
    """Return the array that a file has as bytes."""
    name = DTYPES.get(kind)
    if name is None:
        raise SafetensorError(f"load: a tensor of the file has the dtype {kind}, which no NumPy array has")
    dtype = np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)
    return np.frombuffer(bytearray(data), dtype).reshape(tuple(shape))


def tensor(values: np.ndarray, device: Any) -> Any:
    """Return a tensor of the dialect; where a device is named that is not the CPU, on it."""
    made = dialect.wrapped(ops.asarray(values)._array)
    return made if device in ("cpu", None) else on_device(made, device)


class safe_open:
    """A file of tensors, of which those are read that are asked for.

    Parameters
    ----------
    filename: the path of the file.
    framework: ``"pt"``, or another name of PyTorch; ``"np"`` for arrays of NumPy.
    device: where the tensors are put. With ``"cpu"`` they are on the default device of the backend in force.
    backend: is taken, and changes nothing.

    Raises
    ------
    FileNotFoundError: there is no such file.
    SafetensorError: the file is damaged, or has no tensor of a name.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch.safetensors import safe_open
    >>> from latticework.frontends.torch.safetensors.torch import save_file
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_file({"weight": torch.ones(2, 3), "bias": torch.zeros(2)}, f"{folder}/model.safetensors")
    ...     with safe_open(f"{folder}/model.safetensors", framework="pt") as file:
    ...         sorted(file.keys()), file.get_tensor("weight").shape, file.get_slice("weight")[:, 1:].shape
    (['bias', 'weight'], torch.Size([2, 3]), torch.Size([2, 2]))
    """

    def __init__(self, filename: Any, framework: str, device: Any = "cpu", *, backend: str = "mmap") -> None:
        if framework not in ("pt", "torch", "pytorch", "np", "numpy"):
            raise SafetensorError(f"safe_open: framework is {framework!r}, and 'pt' or 'np' here")
        self._checked: Any = _package.safe_open(filename, framework="np")  # which checks the whole header
        self._arrays, self._device = framework in ("np", "numpy"), device
        with Path(os.fspath(filename)).open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            self._header = json.loads(file.read(length))
        self._bytes: Any = np.memmap(filename, np.uint8, "r") if self._header else b""
        self._start = 8 + length

    def __enter__(self) -> safe_open:
        return self

    def __exit__(self, *_: object) -> None:
        self._bytes = None

    def keys(self) -> list[str]:
        """Return the names of the tensors."""
        return [*self._checked.keys()]

    def offset_keys(self) -> list[str]:
        """Return the names of the tensors, in the order that the file has them in."""
        return [*self._checked.offset_keys()]

    def metadata(self) -> dict[str, str] | None:
        """Return the texts that were written beside the tensors; None if there are none."""
        return self._checked.metadata()

    def _entry(self, name: str) -> tuple[str, list[int], Any]:
        if self._bytes is None:
            raise SafetensorError("safe_open: the file is closed. Read its tensors inside of the `with` block")
        if name not in self._header or name == "__metadata__":  # which is no tensor
            raise SafetensorError(f"safe_open: the file has no tensor {name!r}")
        entry = self._header[name]
        first, last = entry["data_offsets"]
        return entry["dtype"], entry["shape"], self._bytes[self._start + first : self._start + last]

    def get_tensor(self, name: str) -> Any:
        """Read a tensor."""
        values = elements(*self._entry(name))
        return values if self._arrays else tensor(values, self._device)

    def get_tensors(self) -> dict[str, Any]:
        """Read all the tensors."""
        return {name: self.get_tensor(name) for name in self.offset_keys()}

    def get_slice(self, name: str) -> Any:
        """Return a tensor that is read where it is indexed."""
        return _Slice(self, name)


class _Slice:
    """A tensor of a file, of which a part is read."""

    def __init__(self, file: safe_open, name: str) -> None:
        self._file, self._name = file, name
        self._dtype, self._shape, _ = file._entry(name)

    def get_shape(self) -> list[int]:
        """Return the shape."""
        return [*self._shape]

    def get_dtype(self) -> str:
        """Return the dtype as the file names it, such as ``"BF16"``."""
        return self._dtype

    def __getitem__(self, index: Any) -> Any:
        kind, shape, data = self._file._entry(self._name)
        width = len(data) // max(1, int(np.prod(shape, dtype=np.int64)))
        indices = index if isinstance(index, tuple) else (index,)
        whole = slice(None) if any(i is Ellipsis for i in indices) else ...  # all bytes of an element
        part = data.reshape(*shape, width)[(*indices, whole)]
        values = elements(kind, part.shape[:-1], np.ascontiguousarray(part).tobytes())
        return values if self._file._arrays else tensor(values, self._file._device)
