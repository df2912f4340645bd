"""The source of a step of training: the gradients by the framework's own means, and one loop over the parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes import Block, Node, Value, values_in
from .regions import Region
from .spelling import quoted

if TYPE_CHECKING:
    from .functions import FunctionWriter

__all__ = ["UPDATE", "as_gradient", "write_ending", "write_gradient", "write_updates"]

#: What the kind of a call begins with that updates a parameter.
UPDATE = "update "


def as_gradient(block: Block) -> None:
    """Make one node of a derivative that is taken in two: of the function, and of its result by ones."""
    pulls = {id(n.args[0]): n for n in block.nodes if n.name == "pullback"}
    nodes = []
    for node in block.nodes:
        back = pulls.get(id(node.result[1])) if node.name == "vjp" else None
        if back is not None:
            outs, _, aux = node.result
            node = node.replaced(name="gradient", args=(node.args[0], []), result=(outs, back.result, aux))
        if node.name != "pullback":
            nodes.append(node)
    block.nodes[:] = nodes


def write_gradient(w: FunctionWriter, node: Node) -> None:
    """Write a function of the weights, and its gradients by the framework's own means."""
    shared, (block,) = w.shared, node.blocks
    primals, (outs, _, aux) = node.args[0], node.result
    trained = [shared.members[id(v)][1] for v in primals]
    for v, key in zip(block.inputs, trained, strict=True):
        shared.members[id(v)] = "weights", key
    around = {shared.members[id(v)] for v in block.from_around() if id(v) in shared.members}
    shared.renamed = {"params": "weights"} if any(name == "params" for name, _ in around) else {}
    w.line("def loss_of(weights):")
    w.depth += 1
    if shared.renamed:
        w.line("weights = {**params, **weights}")
    shared.differentiated = True
    w.block(block)
    shared.differentiated = False
    returned = [w.expression(v) for v in values_in(block.outputs)]
    w.line(
        f"return {', '.join(returned)}" if len(returned) == 1 else f"return {returned[0]}, ({', '.join(returned[1:])},)"
    )
    w.depth -= 1
    shared.renamed = {}
    w.dicts.add("params")
    w.lines.append("")
    others = sorted({key for name, key in shared.members.values() if name == "params"} - {*trained})
    given = _filter(w, others)
    loss = w.bind(outs[0], "loss")
    beside = [w.bind(v, w.wanted(v)) for v in aux]
    _MEANS[w.backend.name](w, given, loss, beside)


def _filter(w: FunctionWriter, others: list[str]) -> str:
    """Write the condition that leaves out parameters that are not trained."""
    if not others:
        return ""
    ends = sorted({f".{key.rpartition('.')[2]}" for key in others if "." in key})
    trained = {key for name, key in w.shared.members.values() if name == "weights"}
    if all("." in key for key in others) and not any(key.endswith(tuple(ends)) for key in trained):
        return f" if not name.endswith({tuple(ends) if len(ends) > 1 else ends[0]!r})"
    constant = w.spelling.name_of((*others,), "NOT_TRAINED")
    return f" if name not in {constant}"


def _of_jax(w: FunctionWriter, given: str, loss: str, aux: list[str]) -> None:
    jax = w.spelling.module("jax")
    found, has = (f"({loss}, ({', '.join(aux)},))", ", has_aux=True") if aux else (loss, "")
    w.line(f"weights = {{name: x for name, x in params.items(){given}}}" if given else "weights = dict(params)")
    w.line(f"{found}, grads = {jax}.value_and_grad(loss_of{has})(weights)")


def _of_torch(w: FunctionWriter, given: str, loss: str, aux: list[str]) -> None:
    from .torch_parts import value_and_grad, value_and_grad_with_aux

    gradients = w.spelling.name_of(value_and_grad_with_aux if aux else value_and_grad, "value_and_grad")
    weights = f"{{name: x for name, x in params.items(){given}}}" if given else "params"
    found = f"{loss}, ({', '.join(aux)},)" if aux else loss
    w.line(f"{found}, grads = {gradients}(loss_of, {weights})")


def _of_tensorflow(w: FunctionWriter, given: str, loss: str, aux: list[str]) -> None:
    tf = w.spelling.module("tensorflow")
    w.line(f"weights = {{name: x for name, x in params.items(){given}}}" if given else "weights = dict(params)")
    w.line(f"with {tf}.GradientTape() as tape:")
    w.line("    tape.watch(weights)")
    found = f"{loss}, ({', '.join(aux)},)" if aux else loss
    w.line(f"    {found} = loss_of(weights)")
    w.line("grads = tape.gradient(loss, weights)".replace("loss", loss, 1))
    w.line(f"grads = {{name: {tf}.convert_to_tensor(g) for name, g in grads.items()}}")


_MEANS: dict[str, Any] = {"jax": _of_jax, "torch": _of_torch, "tensorflow": _of_tensorflow}


# --- the optimizer ----------------------------------------------------------------------------------------------------


def write_updates(w: FunctionWriter, parts: list[Region]) -> None:
    """Write the updates of parameters: a loop over those that are updated alike."""
    if not w.shared.copied:
        w.shared.copied = True
        w.dicts.update(("params", "state"))
        w.line("params, state = dict(params), dict(state)")
    groups: list[tuple[Any, list[Region]]] = []
    for part in parts:
        key = _call(w, part)
        if groups and groups[-1][0] == key:
            groups[-1][1].append(part)
        else:
            groups.append((key, [part]))
    every = [key for name, key in {*w.shared.members.values()} if name == "grads"]
    for (name, given, targets), members in groups:
        names = [part.scope.path for part in members]
        text = f"{', '.join(targets)} = {name}({', '.join(given)})"
        if {*names} == {*every}:
            w.line("for name in grads:")
        else:
            w.line(f"for name in {w.spelling.name_of((*names,), 'NAMES')}:")
        w.line(f"    {text}")


def _call(w: FunctionWriter, part: Region) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the function of an update, and its arguments and targets for a parameter of any name."""
    shared, path = w.shared, part.scope.path
    name = shared.update_of(part)
    given = [
        _element(*shared.members[id(v)], path) if id(v) in shared.members else w.expression(v) for v in part.inputs
    ]  # fmt: skip
    targets = []
    for v in part.outputs:
        found = shared.destinations.get(id(v))
        targets.append(_element(*found, path) if found is not None else w.bind(v, "t"))
        if found is not None:
            w.names[id(v)] = f"{found[0]}[{quoted(found[1])}]"
            w.kept.append(v)
    return name, tuple(given), tuple(targets)


def _element(name: str, key: str, path: str) -> str:
    """Write an element of a dict, whose key is the name of the parameter or ends with it."""
    if key == path:
        return f"{name}[name]"
    if key.endswith(f".{path}"):
        return f"{name}[{quoted(key[: -len(path)])} + name]"
    return f"{name}[{quoted(key)}]"


def write_ending(w: FunctionWriter, loss: Value, results: list[tuple[str, str, Value]]) -> None:
    """Write what is left to put into the dicts, and the return.

    Parameters
    ----------
    results: the new elements of dicts: the dict, the key and the value.
    """
    if not w.shared.copied:
        w.line("params, state = dict(params), dict(state)")
    for name, key, value in results:
        text = w.expression(value)
        if text != f"{name}[{quoted(key)}]":
            w.line(f"{name}[{quoted(key)}] = {text}")
    w.line(f"return {w.expression(loss)}, params, state")
