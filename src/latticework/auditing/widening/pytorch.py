"""PyTorch's calls, as its function mode hands them on: those of programs, of packages and of ``torch.nn``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ..places import caller, node_at, operand_nodes, place_of, span_of
from ..writing import Names
from .values import SCALARS, Value, asks_for_dtype, values
from .watching import Call, Operand, Watch

__all__ = ["TorchWatch"]

#: Methods that give another dtype because they are asked to.
_BY_NAME = frozenset("double float half bfloat16 to type type_as cdouble cfloat set_".split())

#: Calls that may have effects, or would give other numbers when made again.
_EFFECTS = ("rand", "normal", "multinomial", "bernoulli", "dropout", "poisson", "exponential", "uniform")


class TorchWatch(TorchFunctionMode):  # type: ignore[misc]
    """The mode that tells a `Watch` of each call."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        result = func(*args, **options)
        name = str(getattr(func, "__name__", ""))
        if name in ("__get__", "__set__") or isinstance(result, (bool, int, str)):
            if name == "__get__" and isinstance(result, torch.Tensor) and args:
                self.watch.inherit(args[0], result)  # x.T, x.real
            return result
        results = _tensors(result)
        if self.watch.may_be_wide(results):
            self._see(func, name, args, options, results)
        return result

    def _see(self, func: Any, name: str, args: Any, options: dict[str, Any], results: Sequence[Value]) -> None:
        if name == "__getitem__":
            for v in results:
                self.watch.inherit(args[0], v.data)
            return
        operands = [*_tensors(args), *_tensors(options)]
        asked = name in _BY_NAME or any(asks_for_dtype(x) for x in (*args, *options.values()))
        moved = name in ("to", "cuda", "cpu") and not _changes_dtype(args, results)
        why, by_autocast = self._autocast(operands, results)

        def full() -> Call:
            return self._account(func, name, args, options, operands, results, asked or by_autocast, why)

        self.watch.see(full, operands, results, moved=moved)

    def _autocast(self, operands: Sequence[Value], results: Sequence[Value]) -> tuple[str, bool]:
        """Return the rule of autocast where it decided, and whether the function is one that it runs in float32."""
        floats = [v for v in operands if v.framework == "torch" and v.width]
        kind = floats[0].data.device.type if floats else "cpu"
        if not floats or not torch.is_autocast_enabled(kind):
            return "", False
        wide = max(v.width for v in results)
        if wide == 32 and all(v.width < 32 for v in floats):
            return "autocast runs it in float32", True
        return "", False

    def _account(
        self,
        func: Any,
        name: str,
        args: Any,
        options: dict[str, Any],
        operands: Sequence[Value],
        results: Sequence[Value],
        asked: bool,
        why: str,
    ) -> Call:
        site = caller()
        place = place_of(site.code, site.instruction)
        known = Names(site.names, site.code.co_names)
        nodes = self._nodes(node_at(place), name, len(operands), site.names)
        shown = [
            Operand(v, span_of(node, place.file) if node is not None else None)
            for v, node in zip(operands, nodes, strict=True)
        ]
        return Call(place, name.strip("_"), shown, results, asked, known, self._again(func, name, args, options), why)

    def _nodes(self, node: Any, name: str, count: int, names: dict[str, Any]) -> list[Any]:
        """Return the syntax nodes of the operands; None for each where the expression is not this call."""
        import ast

        none: list[Any] = [None] * count
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called != name:
                return none
        elif not isinstance(node, (ast.BinOp, ast.AugAssign)):
            return none
        found = operand_nodes(node, name, ("",) * (count + 4), names)
        if name.startswith("__r") and isinstance(node, ast.BinOp):
            found = found[::-1]
        if isinstance(node, ast.Call):
            found = [n for n in found if not isinstance(n, ast.Constant) or isinstance(n.value, SCALARS)]
        return found if len(found) == count else [*found[:count], *none][:count] if len(found) > count else none

    def _again(
        self, func: Any, name: str, args: Any, options: dict[str, Any]
    ) -> Callable[[Callable[[Any], Any]], Any] | None:
        """Return what makes a call once more; None for one that may have effects."""
        inplace = (name.endswith("_") and not name.endswith("__")) or name.startswith("__i")
        if inplace or "out" in options or any(word in name for word in _EFFECTS):
            return None

        def again(change: Callable[[Any], Any]) -> Any:
            with torch.no_grad(), torch._C.DisableTorchFunction():
                return func(*_changed(args, change), **{n: _changed(x, change) for n, x in options.items()})

        return again


def _tensors(x: Any) -> list[Value]:
    """List the tensors, arrays and Python numbers of arguments or results, without what are axes and extents."""
    several = x if isinstance(x, (tuple, list)) else x.values() if isinstance(x, dict) else (x,)
    return [v for y in several for v in values(y) if not v.listed]


def _changes_dtype(args: Any, results: Sequence[Value]) -> bool:
    first = next(values(args[:1]), None)
    return first is None or first.dtype != results[0].dtype


def _changed(x: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(x, torch.Tensor):
        return change(x)
    if type(x) in (list, tuple):
        return type(x)(_changed(y, change) for y in x)
    return x
