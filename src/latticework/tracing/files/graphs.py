"""Write graphs to files and read them: a zip with ``graph.json`` and the elements of arrays.

A file is never trusted. It holds no code, and none of it is executed: see `encoding` for what it holds and `decoding`
for how it is checked. The members are

``graph.json``
    the description of the graph, in UTF-8
``arrays/0``, ``arrays/1``, …
    the elements of the arrays that it refers to: as many bytes as dtype and shape say, little-endian, in the order of
    rows (C) or of columns (F)

and are not compressed, so that a small file does not become a large one in memory.
"""

from __future__ import annotations

import json
import math
import struct
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ...errors import BackendError, BackendNotInstalledError, GraphFileError
from ..graph import Graph, written
from . import decoding
from .encoding import VERSION, Encoder

if TYPE_CHECKING:
    import os

__all__ = ["LIMIT", "load", "save"]

#: The most bytes of arrays that a file may hold, unless more are allowed.
LIMIT = 1 << 30
#: The most bytes of a description.
_LONGEST = 1 << 26
_PROGRAM = "graph.json"
_BROKEN = (
    zipfile.BadZipFile, EOFError, KeyError, NotImplementedError, OSError, OverflowError, RuntimeError, UnicodeError,
    ValueError, struct.error,
)  # fmt: skip


def save(graph: Graph, path: str | os.PathLike[str]) -> Path:
    """Write a graph to a file. The same graph gives the same bytes."""
    encoder = Encoder(graph)
    program = json.dumps(encoder.data, allow_nan=False, separators=(",", ":")).encode()
    try:
        decoding.decoded(_program(program), encoder.arrays)  # what could not be read again is not written
    except GraphFileError as error:
        raise GraphFileError(f"save: this graph is beyond what a file may hold: {error}") from None
    path = Path(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        file.writestr(zipfile.ZipInfo(_PROGRAM), program)
        for i, (data, facts) in enumerate(zip(encoder.arrays, encoder.data["arrays"], strict=True)):
            if sys.byteorder == "big":
                data = data.byteswap()
            file.writestr(zipfile.ZipInfo(f"arrays/{i}"), data.tobytes(order=facts["order"]))
    return path


def _to_onnx(graph: Graph, path: str | os.PathLike[str], **options: Any) -> Path:
    """Write a graph as a model of ONNX."""
    from .to_onnx import to_onnx

    return to_onnx(graph, path, **options)


written["save"] = save
written["to_onnx"] = _to_onnx


def load(path: str | os.PathLike[str], limit: int = LIMIT) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    limit: the most bytes of arrays that it may hold.

    Raises
    ------
    GraphFileError: the file holds no graph that this version reads.
    """
    path = Path(path)
    with path.open("rb") as opened:
        try:
            with zipfile.ZipFile(opened) as file:
                return _graph(file, limit)
        except BackendNotInstalledError:
            raise
        except (BackendError, GraphFileError) as error:
            raise GraphFileError(f"load: {path}: {error}") from None
        except _BROKEN as error:
            why = str(error) or type(error).__name__
            raise GraphFileError(f"load: {path}: the file is damaged, or no graph: {why}") from None


def _graph(file: zipfile.ZipFile, limit: int) -> Graph:
    """Read the graph in a zip file."""
    members = {m.filename: m for m in file.infolist()}
    if len(members) < len(file.infolist()) or _PROGRAM not in members:
        _wrong(f"it has no {_PROGRAM}" if _PROGRAM not in members else "it has a member twice")
    data = _program(_read(file, members[_PROGRAM], _LONGEST))
    facts = decoding.described_arrays(data)
    if {*members} != {_PROGRAM, *(f"arrays/{i}" for i in range(len(facts)))}:
        _wrong("its members are not those of a graph")
    sizes = [dtype.itemsize * math.prod(shape) for dtype, shape, _ in facts]
    if sum(sizes) > limit:
        raise GraphFileError(f"its arrays have {sum(sizes):,} bytes; the most is {limit:,}. If that is right: limit=")
    arrays = []
    for i, ((dtype, shape, order), size) in enumerate(zip(facts, sizes, strict=True)):
        content = _read(file, members[f"arrays/{i}"], size)
        if len(content) != size:
            _wrong(f"array {i} has {len(content):,} bytes, and needs {size:,}")
        arrays.append(_array(content, dtype, shape, order))
    graph = decoding.decoded(data, arrays)
    try:
        compile(graph.body.text, "<graph>", "exec")
    except Exception as error:  # a program of parts that do not fit
        raise GraphFileError(f"the graph cannot be written as source: {type(error).__name__}: {error}") from None
    return graph


def _program(content: bytes) -> dict[str, Any]:
    """Read the description, and check that this version knows its format."""
    try:
        data = json.loads(content, parse_constant=_no_number)
    except RecursionError:
        _wrong("its data are nested too deep")
    if type(data) is not dict or data.get("format") != "latticework graph":
        _wrong("it is not a graph of latticework")
    version = data.get("version")
    if type(version) is int and version > VERSION:
        made = data.get("made by")
        by = made.get("latticework") if type(made) is dict else None
        raise GraphFileError(
            f"it is of version {version} of the format, made by latticework {by!s:.20}, and this one reads versions up "
            f"to {VERSION}. Install a newer latticework"
        )
    if type(version) is not int or version < 1:
        _wrong(f"its version is {version!r:.80}")
    found: dict[str, Any] = data
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _read(file: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    """Read the bytes of a member, no more than a limit."""
    if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
        _wrong(f"{member.filename} is compressed or encrypted")
    if member.file_size > limit or member.compress_size != member.file_size:
        _wrong(f"{member.filename} is said to have {member.file_size:,} bytes; the most is {limit:,}")
    return file.read(member)


def _array(content: bytes, dtype: Any, shape: tuple[int, ...], order: str) -> Any:
    """Make the NumPy array of these bytes."""
    import numpy as np

    from ...backend import get

    native = get("numpy").native_dtypes.get(dtype)
    if native is None:
        _wrong(f"there are no arrays of {dtype}")
    data = np.frombuffer(content, dtype=native).copy()
    if sys.byteorder == "big":
        data = data.byteswap()
    if dtype.kind == "b" and data.size and data.view(np.uint8).max() > 1:
        _wrong("an array of bool has elements that are neither true nor false")
    return data.reshape(shape, order="F" if order == "F" else "C")


def _wrong(why: str) -> NoReturn:
    raise GraphFileError(f"the file is damaged, or no graph: {why}")
