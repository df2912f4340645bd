"""The graph of a model: its source takes the parameters as a dict."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..backend import standing_alone
from ..core.trees import Structure, flatten, paths
from ..errors import TraceError
from .graph import Graph
from .nodes import Constant, Location, mapped
from .passes.moves import without_moves
from .passes.whole import without_writes
from .writing.calls import bare
from .writing.functions import FunctionWriter, Shared, parameter_name
from .writing.source import Body
from .writing.steps import as_gradient, write_ending

__all__ = ["ModelGraph"]

#: The passes that a model's graph is made with: its source has no result in the memory of another, and plain numbers.
PASSES = ("copies", "constants", "casts", "identities", "common", "axes", "squares", "dead", "divisors")


class ModelGraph(Graph):
    """The graph of a model's forward pass, or of a step of its training, as `lw.transpile` gives it.

    Attributes
    ----------
    params: the parameters and buffers by their names, as arrays of the framework.
    state: of a step of training, the state of the optimizer by names; else None.
    """

    params: dict[str, Any]
    state: dict[str, Any] | None
    _asked_at: Location | None

    @classmethod
    def of(
        cls, graph: Graph, params: dict[str, Any], state: dict[str, Any] | None = None, at: Location | None = None
    ) -> ModelGraph:
        """Make the graph of a model of a graph whose first arguments are these dicts.

        Parameters
        ----------
        at: the line of the program that asks for it.

        Raises
        ------
        TraceError: the model writes into its arguments, or keeps something.
        """
        made: ModelGraph = cls.__new__(cls)
        made.__dict__.update(graph.__dict__)
        made.params, made.state, made._asked_at = params, state, at
        if graph.written or graph._changed or graph.binds:
            what = "an argument" if graph.written else "an array or attribute that it holds"
            raise TraceError(f"transpile: the model writes into {what}, which the source cannot. Let it return that")
        if state is not None:
            made._keep_gradients_apart()
            as_gradient(made.block)
        without_writes(made.block, made._backend)
        without_moves(made.block, made._backend)
        _join_constants(made)
        return made

    @property
    def dicts(self) -> dict[str, dict[str, Any]]:
        """The dicts among the arguments of the source, by their names."""
        return {"params": self.params} | ({"state": self.state} if self.state is not None else {})

    @cached_property
    def _inputs(self) -> tuple[list[tuple[str, str]], list[str]]:
        """The places in dicts of the first inputs, and the names of the others."""
        members = [(name, key) for name, d in self.dicts.items() for key in sorted(d)]
        return members, self.parameters[len(members) :]

    @cached_property
    def body(self) -> Body:
        members, names = self._inputs
        shared = Shared(self._backend, self.name, self._asked_at)
        shared.members = {
            id(value): place for value, place in zip(self.block.inputs, members, strict=False)
        }  # fmt: skip
        w = FunctionWriter(shared, "")
        taken = [
            w.bind(v, parameter_name(name)) for v, name in zip(self.block.inputs[len(members) :], names, strict=True)
        ]
        shared.hints = self._hints()
        if self.state is None:
            w.block(self.block)
            w.lines += _return(_built(self.built, iter(self._leaves(w))))
        else:
            self._write_step(w)
        head = f"def {self.name}({', '.join([*self.dicts, *taken])}):"
        main = "\n".join([head, *w.lines, ""])
        return Body("\n\n".join([_loading(shared), *shared.definitions, main]), self.name, shared.spelling)

    def _whole_body(self) -> Body:
        return self.body

    @property
    def held_inputs(self) -> list[tuple[str, Any]]:
        return [(key if d is self.params else f"state.{key}", d[key]) for d in self.dicts.values() for key in sorted(d)]

    def _tell(self, error: Exception, *natives: Any) -> None:
        given = natives[: len(self.dicts)]
        try:
            flat = [d[key] for d, own in zip(given, self.dicts.values(), strict=True) for key in sorted(own)]
        except (KeyError, TypeError):
            return  # a dict of parameters that lacks one: the source's own error names it
        super()._tell(error, *flat, *natives[len(given) :])

    def _keep_gradients_apart(self) -> None:
        """Take the gradients out of the results: they have names, and are not returned."""
        *kept, grads = self.built.children
        count = self.built.size - grads.size
        self._gradients = dict(zip(grads.keys, self.block.outputs[count:], strict=True))
        self.block.outputs, self.outputs = self.block.outputs[:count], self.outputs[:count]
        self.built = Structure(tuple, (0, 1, 2), tuple(kept))

    def _write_step(self, w: FunctionWriter) -> None:
        """Write a step of training."""
        shared, values = w.shared, iter(self.block.outputs)
        loss, results = next(values), []
        for name, structure in zip(self.dicts, self.built.children[1:], strict=True):
            results += [(name, key, next(values)) for key in structure.keys]
        shared.destinations = {id(v): (name, key) for name, key, v in results}
        shared.hints = {i: key.rpartition(".")[2] for i, (_, key) in shared.destinations.items()} | {id(loss): "loss"}
        shared.members |= {id(v): ("grads", key) for key, v in reversed(self._gradients.items())}
        shared.reserved = {"params", "state", "weights", "grads", "name", "tape", "loss_of"}
        w.variables |= shared.reserved
        if not any(n.name == "gradient" for n in self.block.nodes):
            w.line("grads = {}")
        w.block(self.block)
        write_ending(w, loss, results)

    def _hints(self) -> dict[int, str]:
        """Name the values that are returned in dicts: by the last part of their keys."""
        keys = [path.rpartition("['")[2].rstrip("']") for path in paths(self.built)]
        values = iter(self.block.outputs)
        found = {}
        for out, key in zip(self.outputs, keys, strict=True):
            if out.sig is not None or out.argument is not None or out.number:
                found[id(next(values))] = key.rpartition(".")[2]
        return {i: key for i, key in found.items() if key.isidentifier()}

    def _leaves(self, w: FunctionWriter) -> list[str]:
        """Write the leaves of what the model returns."""
        values, held = iter(self.block.outputs), {id(x): constant for x, constant in self.held_results}
        return [
            bare(
                w.expression(
                    next(values)
                    if out.sig is not None or out.argument is not None or out.number
                    else held.get(id(out.static), out.static)
                )
            )
            for out in self.outputs
        ]

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function that the source defines: of dicts of the framework's arrays, and of its arrays."""
        return self._function_of(self.body)

    def run(self, leaves: Sequence[Any], function: Callable[..., Any] | None = None) -> Any:
        members, _ = self._inputs
        data = [leaves[a.leaf]._data for a in self.arguments]
        dicts: dict[str, dict[str, Any]] = {name: {} for name in self.dicts}
        for (name, key), x in zip(members, data, strict=False):
            dicts[name][key] = x
        found, _ = flatten((function or self.function)(*dicts.values(), *data[len(members) :]))
        dynamic = [
            x for x, out in zip(found, self.outputs, strict=True)
            if out.sig is not None or out.argument is not None or out.number
        ]  # fmt: skip
        return self.finish(dynamic[0] if len(dynamic) == 1 else dynamic, [leaves[a.leaf] for a in self.arguments])

    # --- files --------------------------------------------------------------------------------------------------------

    def save_parameters(self, path: str | os.PathLike[str]) -> Path:
        """Write the parameters to a file: with the suffix ``.safetensors`` of that format, else as ``.npz``.

        The state of an optimizer goes into a file beside it, whose name ends with ``_state``.

        Raises
        ------
        TraceError: a dtype that NumPy lacks, such as bfloat16, is to be written as ``.npz``.
        ModuleNotFoundError: the package safetensors is not installed.
        """
        path = Path(path)
        path = path if path.suffix in (".npz", ".safetensors") else path.with_name(f"{path.name}.npz")
        for name, arrays in self.dicts.items():
            file = path if name == "params" else path.with_name(f"{path.stem}_{name}{path.suffix}")
            _save(file, {key: self._on_numpy(x) for key, x in arrays.items()})
        return path

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write the source to files of a folder: `model.py`, and `helpers.py` with the functions that it needs beside.

        The parameters are written to `parameters.npz`, or `parameters.safetensors` where NumPy lacks a dtype. The
        folder is made where it does not exist. Files of these names are replaced.

        Returns
        -------
        The path of `model.py`.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import latticework as lw
        >>> import latticework.frontends.torch as torch
        >>> graph = lw.transpile(torch.nn.Linear(2, 1), torch.ones(3, 2), to="numpy")
        >>> with TemporaryDirectory() as folder:
        ...     graph.write(folder).name, sorted(path.name for path in Path(folder).iterdir())
        ('model.py', ['model.py', 'parameters.npz'])
        """
        from .writing.standalone import beside

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        token = standing_alone.set(True)
        try:
            text, helpers = beside(self.body, self.block, "helpers")
        finally:
            standing_alone.reset(token)
        (folder / "model.py").write_text(text, encoding="utf-8")
        if helpers:
            (folder / "helpers.py").write_text(helpers, encoding="utf-8")
        plain = all(self._on_numpy(x).dtype.isbuiltin == 1 for d in self.dicts.values() for x in d.values())
        self.save_parameters(folder / f"parameters.{'npz' if plain else 'safetensors'}")
        return folder / "model.py"

    def _on_numpy(self, x: Any) -> np.ndarray[Any, Any]:
        return np.asarray(self._backend.to_numpy(self._backend.native(x), None, None))


def _loading(shared: Shared) -> str:
    """Write the function that reads a file of parameters."""
    np = shared.spelling.module("numpy")
    makers = {"jax": "jax.numpy.asarray", "torch": "torch.from_numpy", "tensorflow": "tensorflow.constant"}
    module, _, last = makers.get(shared.backend.name, "").rpartition(".")
    read = f"{np}.load(path)"
    made = (
        f"{{name: {shared.spelling.module(module)}.{last}(x) for name, x in {read}.items()}}"
        if last
        else f"dict({read})"
    )
    return f"def load_parameters(path):\n    return {made}\n"


def _save(path: Path, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    if path.suffix == ".safetensors":
        import safetensors

        kept = {name: np.ascontiguousarray(x) for name, x in arrays.items()}
        specs = {
            name: safetensors.TensorSpec(
                dtype=x.dtype.name, shape=arrays[name].shape, data_ptr=x.ctypes.data, data_len=x.nbytes
            )
            for name, x in kept.items()
        }  # fmt: skip
        path.write_bytes(bytes(safetensors.serialize(specs, metadata=None)))
        return
    odd = [name for name, x in arrays.items() if x.dtype.isbuiltin != 1]
    if odd:
        raise TraceError(
            f"save_parameters: {odd[0]} has the dtype {arrays[odd[0]].dtype}, which .npz lacks. Write .safetensors"
        )
    np.savez(path, **arrays)


def _return(text: str) -> list[str]:
    """Write the statement that returns a tree, in several lines where it is long."""
    if len(text) <= 110 or "{" not in text:
        return [f"    return {text}"]
    tree = ast.parse(text, mode="eval").body
    lines: list[str] = []

    def write(node: ast.expr, depth: int, before: str, after: str) -> None:
        space = "    " * depth
        short = ast.unparse(node)
        if len(short) + len(space) + len(before) <= 110 or not isinstance(node, (ast.Dict, ast.Tuple, ast.List)):
            lines.append(f"{space}{before}{short}{after}")
            return
        keys, values = (node.keys, node.values) if isinstance(node, ast.Dict) else ([None] * len(node.elts), node.elts)
        pairs = zip(keys, values, strict=True)
        brackets = {ast.Dict: "{}", ast.Tuple: "()", ast.List: "[]"}[type(node)]
        opening, closing = brackets[0], brackets[1]
        lines.append(f"{space}{before}{opening}")
        for key, x in pairs:
            write(x, depth + 1, f"{ast.unparse(key)}: " if key is not None else "", ",")
        lines.append(f"{space}{closing}{after}")

    write(tree, 1, "return ", "")
    return [line.replace("'", '"') for line in lines]


def _built(structure: Structure, leaves: Any) -> str:
    """Write a tree of expressions."""
    kind = structure.kind
    if kind is None:
        return str(next(leaves))
    if structure.extra is None and kind is type(None):
        return "None"
    parts = [_built(child, leaves) for child in structure.children]
    if issubclass(kind, dict):
        return "{" + ", ".join(f"{key!r}: {x}" for key, x in zip(structure.keys, parts, strict=True)) + "}"
    if kind is list:
        return f"[{', '.join(parts)}]"
    if len(parts) == 1 and not issubclass(kind, tuple):  # an array of a dialect
        return parts[0]
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})" if parts or kind is tuple else "None"


def _join_constants(graph: ModelGraph) -> None:
    """Have constants with the same elements be one."""
    backend, found = graph._backend, dict[Any, Any]()

    def one(v: Constant) -> Constant:
        if v.held or v.nbytes > 1 << 16:
            return v
        data = np.asarray(backend.to_numpy(backend.native(v.native), None, None))
        return found.setdefault((v.dtype, v.shape, v.element, data.tobytes()), v)  # type: ignore[no-any-return]

    nodes = graph.block.nodes
    for i, node in enumerate(nodes):
        if any(isinstance(v, Constant) for v in node.operands):
            nodes[i] = node.with_arguments(mapped(node.args, Constant, one), mapped(node.kwargs, Constant, one))
