"""`from_onnx`: a model of ONNX as a function, with its parameters."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import latticework as lw

from ..api.inference import Spec
from ..engine.arrays.array import Array
from ..errors import GraphFileError, install
from ..policy import unified_rules
from .programs import Place, as_array
from .reading import OLDEST, Reading
from .table import dtype_of

__all__ = ["OnnxModel", "from_onnx"]


class OnnxModel:
    """A model of ONNX as a function, as `from_onnx` gives it.

    Attributes
    ----------
    params: the parameters by name: the initialisers of floating dtypes, but for those that an operator reads as a
        setting.
    inputs: by name, what the model declares: a spec, None for what is no array. Extents that are named or missing are
        None.
    outputs: the names of the outputs.
    opset: the version of ONNX's operators.
    """

    def __init__(self, model: Any, more: Mapping[str, Callable[..., Any]], folder: str) -> None:
        reading = Reading(model, more)
        reading.folder = folder
        graph = model.graph
        self.opset = reading.versions[""]
        self.__name__ = graph.name if graph.name.isidentifier() else "model"
        self._program = reading.graph(graph)
        self.inputs: dict[str, Spec | None] = {}
        self._extents: dict[str, tuple[str | None, ...]] = {}
        declared = {i.name: i.type for i in graph.input}
        for name in self._program.inputs:
            self._declare(name, declared[name])
        self.outputs = self._program.outputs
        trained = {
            name: x for name, x in reading.initialisers.items()
            if np.issubdtype(x.dtype, np.inexact) or x.dtype.name.startswith(("bfloat", "float8"))
            if name not in reading.settings
        }  # fmt: skip
        for program in self._program.programs():
            program.fold(frozenset(trained))
        self.params: dict[str, Array] = {name: lw.asarray(x) for name, x in trained.items()}
        self.__signature__ = self._signature()

    def _declare(self, name: str, kind: Any) -> None:
        if not kind.HasField("tensor_type"):
            self.inputs[name] = None
            return
        kind = kind.tensor_type
        dtype = dtype_of(kind.elem_type, f"input {name!r}")
        if not kind.HasField("shape"):
            self.inputs[name] = lw.spec((), dtype)
            return
        extents = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]
        self.inputs[name] = lw.spec(tuple(extents), dtype)
        self._extents[name] = tuple([d.dim_param or None for d in kind.shape.dim])

    def _signature(self) -> inspect.Signature:
        """Make the signature: the inputs whose names can be those of parameters, and `params`."""
        positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = [n for n in self.inputs if n.isidentifier() and n != "params"]
        if len(names) < len(self.inputs):
            first = [inspect.Parameter("inputs", inspect.Parameter.VAR_POSITIONAL)]
        else:
            first = [inspect.Parameter(n, positional) for n in names]
        last = inspect.Parameter("params", inspect.Parameter.KEYWORD_ONLY, default=None)
        return inspect.Signature([*first, last])

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} {spec}" if spec is not None else name for name, spec in self.inputs.items())
        return (
            f"<model of ONNX {self.__name__}: {inputs} -> {', '.join(self.outputs)}; "
            f"{len(self.params)} parameters, opset {self.opset}>"
        )

    def _named_arrays(self) -> Mapping[str, Array]:
        """Return the parameters: a model that is written of this one has their names."""
        return self.params

    def __call__(self, *inputs: Any, params: Mapping[str, Any] | None = None, **named: Any) -> Any:
        """Compute the outputs.

        Parameters
        ----------
        inputs, named: arrays for the inputs, in order or by name, of the dtypes and shapes that the model declares.
            Numbers and lists take these dtypes.
        params: arrays in the place of parameters, by name; those that are left out are the model's.

        Returns
        -------
        The output, or a tuple of several.

        Raises
        ------
        TypeError: inputs that are missing, unknown, or of another dtype; parameters that are unknown.
        ValueError: an input of another shape.
        """
        given = self._bound(inputs, named)
        over = dict(params) if params is not None else {}
        unknown = [name for name in over if name not in self.params]
        if unknown:
            raise TypeError(f"{self.__name__}: no parameter is named {unknown[0]!r}; they are {', '.join(self.params)}")
        arrays = {name: self._array(name, x) for name, x in given.items()}
        self._check(arrays)
        owner = next((x for x in (*arrays.values(), *over.values()) if isinstance(x, Array)), None)
        owner = owner if owner is not None else next(iter(self.params.values()), None)
        place = Place(owner._sig.backend.name, owner.device) if owner is not None else Place(lw.current_backend(), None)
        with unified_rules(place.backend):
            around = {name: over[name] if name in over else _moved(x, place) for name, x in self.params.items()}
            found = self._program.run(place, around, [*arrays.values()])
            results = tuple([_result(x, place) for x in found])
        return results[0] if len(results) == 1 else results

    def _bound(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Bring arguments to the names of inputs."""
        names = [*self.inputs]
        if len(inputs) > len(names):
            raise TypeError(f"{self.__name__}: takes {len(names)} inputs ({', '.join(names)}); got {len(inputs)}")
        given = dict(zip(names, inputs, strict=False))
        for name, x in named.items():
            if name not in self.inputs or name in given:
                why = "is given twice" if name in given else f"is no input; they are {', '.join(names)}"
                raise TypeError(f"{self.__name__}: {name!r} {why}")
            given[name] = x
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"{self.__name__}: the input {missing[0]!r} is missing")
        return {name: given[name] for name in names}

    def _array(self, name: str, x: Any) -> Any:
        """Return an input as an array of the dtype that the model declares."""
        spec = self.inputs[name]
        if spec is None:
            return [lw.asarray(y) for y in x] if isinstance(x, (list, tuple)) else x
        if isinstance(x, (bool, int, float, complex, list, tuple)):
            x = lw.asarray(x, dtype=spec.dtype)
        elif not isinstance(x, Array):
            x = lw.asarray(x)
        if x.dtype is not spec.dtype:
            raise TypeError(
                f"{self.__name__}: the input {name!r} is of {spec.dtype} in the model; got {x.dtype}. Cast it: "
                f"lw.astype({name}, lw.{spec.dtype})"
            )
        return x

    def _check(self, arrays: dict[str, Any]) -> None:
        """Check shapes, and that extents of one name are alike."""
        found: dict[str, int] = {}
        for name, symbols in self._extents.items():
            spec, shape = self.inputs[name], arrays[name].shape
            assert spec is not None
            fits = len(shape) == len(symbols) and all(
                n is None or m is None or n == m for n, m in zip(spec.shape, shape, strict=True)
            )
            if not fits:
                raise ValueError(
                    f"{self.__name__}: the input {name!r} is of shape {spec.shape} in the model; got {shape}"
                )
            for symbol, n in zip(symbols, shape, strict=True):
                if symbol and n is not None and found.setdefault(symbol, n) != n:
                    raise ValueError(f"{self.__name__}: the extents named {symbol} differ: {found[symbol]} and {n}")


def _moved(x: Any, place: Place) -> Any:
    """Return a parameter on the backend of the inputs."""
    backend = x._sig.backend
    here = place.backend.rpartition(":")[2]
    if backend.name == place.backend or backend.name.rpartition(":")[2] == here:
        return x
    return lw.asarray(backend.to_numpy(x._data, None, None), device=place.device)


def _result(x: Any, place: Place) -> Any:
    if isinstance(x, list):
        return [_result(y, place) for y in x]
    return as_array(x, place)


def from_onnx(
    model: str | os.PathLike[str] | bytes | Any, /, *, operators: Mapping[str, Callable[..., Any]] | None = None
) -> OnnxModel:
    """Make a function of a model of ONNX.

    The function calls latticework's functions, operator by operator. So it runs on every backend, by the inputs that it
    is given, and takes part in everything else: `lw.grad`, `lw.vmap`, `lw.jit`, `lw.trace`, `lw.transpile`, `lw.infer`.

    Parameters
    ----------
    model: the path of a file, its bytes, or a ModelProto of the package ``onnx``.
    operators: functions for operators that latticework does not read, or reads otherwise, by name; of another domain by
        ``"domain::Name"``. They take the inputs, None for one that is left out, and the attributes by name.

    Returns
    -------
    A function of the model's inputs, in order or by name. It returns the output, or a tuple of several. `params` are
    the model's parameters, arrays of the backend in force, by name; the call takes others, or some others, as
    ``params=``, which gradients go to. `inputs`, `outputs` and `opset` say what the model declares.

    Raises
    ------
    ModuleNotFoundError: the package ``onnx`` is not installed.
    GraphFileError: the file is no model, or is damaged; the model has an operator, a dtype or a version of the
        operators that latticework does not read. The error names the operator, the node and the version. It is raised
        here, not by the first call.

    Notes
    -----
    Initialisers of floating dtypes are parameters, but for those that an operator reads as a setting, as the scales of
    a Resize. Ints and bools are constants. What follows from constants alone is computed once, when the model is read.
    What follows from extents is computed by each call, on the host: in a trace, a Reshape by an extent is a reshape.
    Promotion rules in force do not matter: the dtypes are those of ONNX.

    Results have the values that ONNX specifies. Random operators, strings, and dropout in training are not read.

    Examples
    --------
    >>> import latticework as lw
    >>> from onnx import parser
    >>> f = lw.from_onnx(parser.parse_model('''
    ...     <ir_version: 8, opset_import: ["": 18]>
    ...     line (float[n] x) => (float[n] y) <float[1] w = {2}> { h = Mul(x, w) y = Relu(h) }
    ... '''))
    >>> f(lw.asarray([-1.0, 3.0]))
    Array([0., 6.], dtype=float32)
    >>> lw.grad(lambda params: lw.sum(f(lw.asarray([-1.0, 3.0]), params=params)))(f.params)
    {'w': Array([3.], dtype=float32)}
    """
    try:
        import onnx
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"from_onnx needs onnx: {install('onnx')}", name="onnx") from error
    folder = ""
    if isinstance(model, (str, os.PathLike)):
        path = Path(model)
        folder, model = str(path.parent), path.read_bytes()
    if isinstance(model, (bytes, bytearray, memoryview)):
        try:
            model = onnx.ModelProto.FromString(bytes(model))
        except Exception:  # the package of protobuf has the error, and no types
            raise GraphFileError("from_onnx: the file is no model of ONNX, or is damaged") from None
    if not isinstance(model, onnx.ModelProto):
        raise TypeError(f"from_onnx: takes a path, bytes or a ModelProto; got {type(model).__name__}")
    if not model.graph.node and not model.graph.output:
        raise GraphFileError("from_onnx: the file is no model of ONNX, or is damaged: it has no graph")
    version = max([o.version for o in model.opset_import if o.domain in ("", "ai.onnx")], default=OLDEST)
    if version < OLDEST:
        raise GraphFileError(
            f"from_onnx: the model has opset {version}; latticework reads {OLDEST} and later. Convert it: "
            "onnx.version_converter.convert_version(model, 18)"
        )
    return OnnxModel(model, operators or {}, folder)
