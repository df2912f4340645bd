"""`safetensors.torch`: tensors and modules of the dialect, saved to files of safetensors and loaded from them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import safetensors as _package

from ..nn import Module
from ..stored import memory_of
from ..tensor import Tensor
from . import DTYPES, elements, safe_open, tensor

__all__ = ["load", "load_file", "load_model", "save", "save_file", "save_model"]


def _shared(tensors: dict[str, Any]) -> list[list[str]]:
    """Return the names of tensors that have one memory, together."""
    groups: dict[Any, list[str]] = {}
    for name, x in tensors.items():
        groups.setdefault(memory_of(x), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def _specified(tensors: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return what the package writes, and the arrays that have to be kept until it has."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    for name, x in tensors.items():
        if not isinstance(x, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(x)}")
        if x._array.dtype.name not in DTYPES.values():
            raise ValueError(f"Key `{name}` has the dtype {x.dtype}, which a file of safetensors cannot have")
    if shared := _shared(tensors):
        raise RuntimeError(
            f"Some tensors share memory: {shared}. A file would have it twice, and they would be two after loading. "
            f"`save_model` writes one of them, and copies, as of `x.clone()`, are written each"
        )
    arrays = {name: np.ascontiguousarray(np.asarray(x.detach()._array.__array__())) for name, x in tensors.items()}
    specs = {
        name: _package.TensorSpec(
            dtype=tensors[name]._array.dtype.name, shape=tuple(tensors[name].shape),
            data_ptr=values.ctypes.data, data_len=values.nbytes,
        )
        for name, values in arrays.items()
    }  # fmt: skip
    return specs, [*arrays.values()]


def save(tensors: dict[str, Any], metadata: dict[str, str] | None = None) -> bytes:
    """Return the bytes of a file with tensors by their names.

    Parameters
    ----------
    tensors: tensors by their names. No two of them have one memory.
    metadata: texts by their names, which the file has beside them.

    Raises
    ------
    ValueError: it is no dict of tensors, or a dtype is not one of the format's: complex128 is not.
    RuntimeError: two tensors have one memory.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch.safetensors.torch import load, save
    >>> load(save({"x": torch.arange(3)}))
    {'x': tensor([0, 1, 2])}
    """
    specs, kept = _specified(tensors)
    written = bytes(_package.serialize(specs, metadata=metadata))
    del kept
    return written


def save_file(tensors: dict[str, Any], filename: Any, metadata: dict[str, str] | None = None) -> None:
    """Write tensors by their names to a file; see `save`. Nothing is written where an argument is refused."""
    specs, kept = _specified(tensors)
    _package.serialize_file(specs, filename, metadata=metadata)
    del kept


def load(data: bytes) -> dict[str, Any]:
    """Return the tensors that are in the bytes of a file, on the default device of the backend in force.

    Raises
    ------
    SafetensorError: the bytes are no file of safetensors.
    """
    return {name: tensor(elements(x["dtype"], x["shape"], x["data"]), None) for name, x in _package.deserialize(data)}


def load_file(filename: Any, device: Any = "cpu", *, backend: str = "mmap") -> dict[str, Any]:
    """Read the tensors of a file by their names; see `safe_open` for the arguments."""
    with safe_open(filename, framework="pt", device=device) as file:
        return file.get_tensors()


def _left_out(state: dict[str, Any], preferred: Any = ()) -> dict[str, str]:
    """Return the names that a file does without, each with the name of the same tensor that it has."""
    out: dict[str, str] = {}
    for names in _shared(state):
        kept = min([n for n in names if n in preferred] or names)
        out |= {name: kept for name in sorted(names) if name != kept}
    return out


def save_model(model: Module, filename: Any, metadata: dict[str, str] | None = None, force_contiguous: bool = True):
    """Write the state of a module to a file. What the module has by two names is written once.

    Parameters
    ----------
    model: the module.
    filename: the path of the file.
    metadata: texts by their names. The names that were left out are added, with those that they are kept by.
    force_contiguous: is taken, and changes nothing: what is written is always contiguous.
    """
    state = model.state_dict()
    out = _left_out(state)
    texts = out | (metadata or {})
    save_file({name: x for name, x in state.items() if name not in out}, filename, metadata=texts or None)


def load_model(model: Module, filename: Any, strict: bool = True, device: Any = "cpu", *, backend: str = "mmap"):
    """Read the state of a module from a file that `save_model` wrote, or safetensors' own.

    Returns
    -------
    The names of the module that the file lacks, and those of the file that the module lacks.

    Raises
    ------
    RuntimeError: there are such names, and `strict` is true. The module is as it was.
    """
    found = load_file(os.fspath(Path(filename)), device)
    state = model.state_dict()
    out = _left_out(state, found)
    missing = {name for name in state if name not in found} - {n for n, kept in out.items() if kept in found}
    unexpected = [name for name in found if name not in state or name in out]
    if strict and (missing or unexpected):
        told = f"Error(s) in loading state_dict for {type(model).__name__}:"
        for kind, names in (("Missing", missing), ("Unexpected", unexpected)):
            if names:
                told += f"\n    {kind} key(s) in state_dict: " + ", ".join([f'"{n}"' for n in sorted(names)])
        raise RuntimeError(told)
    model.load_state_dict(found, strict=False)
    return missing, unexpected
