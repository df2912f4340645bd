"""`torch.onnx`: a model as a file of ONNX, by latticework's writer.

`export` runs the model, as `latticework.transpile` does, and writes the calls that it makes. There is one way: what
chooses between PyTorch's two exporters, and what says how they work, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from ...core.registry import functions as lw
from .nn.modules.module import Module

__all__ = [
    "ONNXProgram", "OperatorExportTypes", "TrainingMode", "export", "is_in_onnx_export", "producer_name",
    "select_model_mode_for_export",
]  # fmt: skip

producer_name = "latticework"

#: How many exports run.
_running = 0


class TrainingMode(Enum):
    """The mode that a model is exported in: evaluation, the one that it is in, or training."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(Enum):
    """The sets of operators that PyTorch writes. Here there is ONNX's alone."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class ONNXProgram:
    """A model of ONNX, as `export` returns it. A call computes it by latticework, and returns a tuple of tensors.

    Attributes
    ----------
    model_proto: the model, of the package onnx.
    """

    def __init__(self, model_proto):
        self.model_proto = model_proto
        self._function: Any = None

    def __call__(self, *args, **kwargs):
        from . import Tensor
        from .creation import as_tensor

        function: Any = self._function or lw.from_onnx(self.model_proto)
        self._function = function
        given = [x._array if isinstance(x, Tensor) else x for x in args]
        named = {name: x._array if isinstance(x, Tensor) else x for name, x in kwargs.items()}
        found = function(*given, **named)
        return tuple([as_tensor(x) for x in (found if isinstance(found, tuple) else (found,))])

    def save(self, destination, *, include_initializers=True, keep_initializers_as_inputs=False, external_data=None):
        """Write the model to a file, with the arrays in it."""
        _only(include_initializers, True, "save", "include_initializers")
        _only(keep_initializers_as_inputs, False, "save", "keep_initializers_as_inputs")
        _only(external_data or None, None, "save", "external_data")
        data = self.model_proto.SerializeToString()
        if hasattr(destination, "write"):
            destination.write(data)
        else:
            Path(destination).write_bytes(data)

    def optimize(self):
        """Do nothing: what is written is simplified."""


def is_in_onnx_export() -> bool:
    """Return whether a model runs to be exported."""
    return _running > 0


@contextmanager
def select_model_mode_for_export(model, mode: TrainingMode) -> Iterator[None]:
    """Put a model into the mode that it is exported in, and back after the block."""
    modules = [*model.modules()] if hasattr(model, "modules") else []
    before = [m.training for m in modules]
    if modules and mode is not None and mode != TrainingMode.PRESERVE:
        model.train(mode == TrainingMode.TRAINING)
    try:
        yield
    finally:
        for m, training in zip(modules, before, strict=True):
            m.training = training


def export(
    model, args=(), f=None, *, kwargs=None, verbose=None, input_names=None, output_names=None, opset_version=None,
    dynamo=True, external_data=True, dynamic_shapes=None, custom_translation_table=None, report=False, optimize=True,
    verify=False, profile=False, dump_exported_program=False, artifacts_dir=".", export_params=True,
    keep_initializers_as_inputs=False, dynamic_axes=None, training=TrainingMode.EVAL,
    operator_export_type=OperatorExportTypes.ONNX, do_constant_folding=True, custom_opsets=None,
    export_modules_as_functions=False, autograd_inlining=True,
):  # fmt: skip
    """Write a model as a file of ONNX.

    Parameters
    ----------
    model: a module of the dialect or of PyTorch, or a function.
    args: what it is called with: a tuple, whose last element may be a dict of arguments by name; or one tensor.
    f: the path of the file, or what bytes are written to; None for none. The parameters are in it.
    kwargs: arguments by name.
    input_names, output_names: names for the inputs and outputs of the file, in order.
    opset_version: the version of ONNX's operators, from 18 on; None for 20.
    dynamic_axes: extents that a run may choose: for the name of an input, names by axes, or axes. What it says of
        outputs follows from the inputs.
    dynamic_shapes: the same for each argument of the model, by name or in order: a dict of names by axes, or a sequence
        of them for all axes. A name is a string or an object with a ``__name__``, as ``torch.export.Dim`` has; None and
        ints are extents that stay.
    training: the mode that the model is put in while it runs.
    verify: whether to compute what was written and compare it with the model.

    Returns
    -------
    An `ONNXProgram`; None with ``dynamo=False``.

    Raises
    ------
    GraphFileError: ONNX has no operator for what the model calls. The error names the function and the line.
    NotImplementedError: an option asks for what latticework does not write.
    ModuleNotFoundError: the package onnx is not installed.

    >>> import latticework.frontends.torch as torch
    >>> model = torch.nn.Linear(3, 2)
    >>> program = torch.onnx.export(model, (torch.ones(1, 3),), input_names=["x"], dynamic_axes={"x": {0: "batch"}})
    >>> program(torch.ones(5, 3))[0].shape
    torch.Size([5, 2])
    """
    global _running
    from ...tracing.files.to_onnx import OPSET, as_model

    for name, given, wanted in (
        ("export_params", export_params, True), ("keep_initializers_as_inputs", keep_initializers_as_inputs, False),
        ("custom_translation_table", custom_translation_table or None, None),
        ("custom_opsets", custom_opsets or None, None),
        ("export_modules_as_functions", bool(export_modules_as_functions), False),
        ("operator_export_type", getattr(operator_export_type, "value", 0), 0),
    ):  # fmt: skip
        _only(given, wanted, "export", name)
    args, kwargs = _arguments(args, kwargs)
    mode = TrainingMode(getattr(training, "value", 0))  # of PyTorch's own too
    if mode == TrainingMode.TRAINING:
        raise NotImplementedError(
            "torch.onnx.export: a model in training draws random numbers and changes buffers, which a file of ONNX "
            "cannot. Leave out training=, or write the step with latticework.transpile(model, ..., train=True)"
        )
    _running += 1
    try:
        with select_model_mode_for_export(model, mode):
            graph = lw.transpile(model, *args, to="numpy", **kwargs)
            names = graph.parameters[len(graph.held_inputs) :]
            named = [*(input_names or ())]
            shown = [*named, *names[len(named) :]]
            dynamic = _by_input(dynamic_axes, dynamic_shapes, shown, names, kwargs, output_names or ())
            opset = OPSET if opset_version is None else opset_version
            proto = as_model(graph, dynamic, opset, input_names or None, output_names or None)
            program = ONNXProgram(proto)
            if verify:
                _compare(program, model, args, kwargs)
    finally:
        _running -= 1
    if f is not None:
        program.save(f)
    return program if dynamo else None


def _only(given: Any, wanted: Any, function: str, name: str) -> None:
    """Refuse an option that is not as what is written needs it."""
    if given != wanted:
        raise NotImplementedError(f"torch.onnx.{function}: latticework has no {name}={given!r}; leave it out")


def _arguments(args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of the model by position and by name."""
    given = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    named = dict(kwargs or {})
    if not named and given and isinstance(given[-1], dict) and all(isinstance(key, str) for key in given[-1]):
        given, named = given[:-1], dict(given[-1])
    return given, named


def _by_input(
    axes: Any,
    shapes: Any,
    shown: Sequence[str],
    names: Sequence[str],
    kwargs: Mapping[str, Any],
    outputs: Sequence[str],
) -> dict[str, Any]:
    """Return the dynamic extents by the names of the file's inputs."""
    found: dict[str, Any] = {}
    for name, given in (axes or {}).items():
        if name in shown:
            found[name] = dict(given) if isinstance(given, Mapping) else [*given]
        elif name not in outputs:
            raise ValueError(
                f"torch.onnx.export: dynamic_axes names {name!r}, which is no input; they are {', '.join(shown)}"
            )
    if isinstance(shapes, Mapping):
        pairs = [(name, given) for name, given in shapes.items()]
    else:
        positional = [name for name in names if name not in kwargs]
        pairs = [*zip(positional, shapes or (), strict=False)]
    for name, given in pairs:
        if given is None:
            continue
        if name not in (*names, *shown):
            raise ValueError(
                f"torch.onnx.export: dynamic_shapes names {name!r}, which is no input; they are {', '.join(names)}"
            )
        each = given.items() if isinstance(given, Mapping) else enumerate(given)
        known = shown[names.index(name)] if name in names else name
        dims = {axis: _extent(dim, f"{known}_{axis}") for axis, dim in each}
        found[known] = {axis: word for axis, word in dims.items() if word is not None}
    return {name: given for name, given in found.items() if given}


def _extent(dim: Any, name: str) -> str | None:
    """Return the name of a dynamic extent, None for one that stays."""
    if dim is None or isinstance(dim, int):
        return None
    if isinstance(dim, str):
        return dim
    word = getattr(dim, "__name__", None)
    if isinstance(word, str) and word.isidentifier():
        return word
    if "STATIC" in str(dim):
        return None
    if any(kind in str(dim) for kind in ("AUTO", "DYNAMIC")):
        return name
    raise ValueError(f"torch.onnx.export: a dynamic extent is a name; got {dim!r}")


def _compare(program: ONNXProgram, model: Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Compare what was written with the model."""
    from .testing import assert_close

    wanted = model(*args, **kwargs)
    wanted = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    tensors = [x for x in (*args, *kwargs.values()) if hasattr(x, "detach")]
    for x, y in zip(program(*[x.detach() for x in tensors]), wanted, strict=True):
        assert_close(x, y.detach(), rtol=1e-4, atol=1e-5)


def __getattr__(name: str) -> Any:
    from .coverage import absence

    raise AttributeError(absence(f"onnx.{name}"), name=name)
