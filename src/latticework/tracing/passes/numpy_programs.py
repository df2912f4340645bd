"""Simplifications of programs on NumPy that save time or memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..nodes import Block, Constant, Node, Value, values_in
from ..writing.blocked import joins
from .liveness import Facts, all_blocks, harmless, has_own_memory, name_of

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["MERGED", "axes", "divides", "divisors", "memory", "number", "numbers", "order"]


def number(x: Any, dtype: Any, backend: Backend) -> Any:
    """Make a 0-d array of a number."""
    import numpy as np

    return np.array(x, dtype=backend.native_dtypes[dtype])


def numbers(block: Block, constant: Callable[[Any, Any], Constant | None], backend: Backend) -> int:
    """Make 0-d arrays of the numbers beside the arrays of ufuncs."""
    changes = 0
    for i, node in enumerate(block.nodes):
        if not hasattr(node.function, "reduceat") or node.operation is None or node.kwargs:
            continue
        if len(node.operands) == len(node.args) or len(node.args) != 2 or all(x.element for x in node.operands):
            continue
        plan = node.operation.plan
        if plan.op != node.name or plan.computed not in backend.native_dtypes or plan.computed.storage:
            continue
        if (
            any(x.dtype is not plan.computed for x in node.operands)
            or backend.native_dtypes[plan.computed].isbuiltin != 1
        ):
            continue
        args = tuple([x if isinstance(x, Value) else constant(x, plan.computed) for x in node.args])
        block.nodes[i] = node.with_arguments(args, node.kwargs)
        changes += 1
    return changes


def divisors(block: Block, facts: Facts, backend: Backend) -> int:
    """On NumPy, multiply by 1 / c in place of dividing by c where c is a power of two, which gives the same bits."""
    if backend.name != "numpy":
        return 0
    import numpy as np

    kept: dict[tuple[Any, float], Constant] = {}
    changes = 0
    for one in all_blocks(block):
        for i, node in enumerate(one.nodes):
            if node.function is not np.divide or node.kwargs or not isinstance(node.result, Value):
                continue
            x, by = node.args
            inverse = _inverse(by)
            fits = isinstance(x, Value) and x.dtype is node.result.dtype and not x.element
            if inverse is None or not fits or x.dtype.kind != "f" or x.dtype.bits not in (32, 64):
                continue
            factor: Any = inverse
            if isinstance(by, Constant):
                native = np.array(inverse, dtype=backend.native_dtypes[by.dtype])
                factor = kept.setdefault(
                    (by.dtype, inverse), Constant(native, by.dtype, (), name_of(inverse), held=False)
                )
            one.nodes[i] = node.replaced(function=np.multiply, name="multiply", args=(x, factor))
            changes += 1
    return changes


def divides(functions: set[int]) -> bool:
    """Return whether NumPy's `divide` is among functions with these ids."""
    import numpy as np

    return id(np.divide) in functions


def _inverse(x: Any) -> float | None:
    """Return 1 / x for a number or constant that is a power of two, far from the ends of the range; else None."""
    if isinstance(x, Constant) and not x.held and not x.shape and x.dtype.kind == "f":
        x = x.native
    elif type(x) is not float and (type(x) is not int or abs(x) > 1 << 100):
        return None
    fraction, exponent = math.frexp(x)
    return 1 / float(x) if abs(fraction) == 0.5 and abs(exponent) <= 100 else None


#: Reductions where one over all axes gives the bits of several: two for all dtypes, four for integers and bools alone.
_OF_TRUTH, _OF_INTEGERS = frozenset(("all", "any")), frozenset("max min prod sum".split())
MERGED = _OF_TRUTH | _OF_INTEGERS


def axes(block: Block, facts: Facts, backend: Backend) -> int:
    """On NumPy, reduce over all axes at once where a reduction of a reduction leaves no axis.

    Except for `all` and `any`, only integers and bools: sums of floats round otherwise, and the maximum of two zeros is
    the first zero.
    """
    if backend.name != "numpy":
        return 0
    changes = 0
    for one in all_blocks(block):
        found = [node for node in one.nodes if node.name in MERGED]
        if len(found) < 2:
            continue
        made = {id(node.result): node for node in found if isinstance(node.result, Value)}
        uses = Counter(id(v) for node in one.nodes for v in node.uses())
        uses.update([id(v) for v in values_in(one.outputs)])
        gone: set[int] = set()
        for i, node in enumerate(one.nodes):
            before = made.get(id(node.args[0])) if node.args else None
            while before is not None and uses[id(before.result)] == 1 and _reduces_again(before, one.nodes[i]):
                gone.add(id(before.result))
                kwargs = {key: x for key, x in node.kwargs.items() if key == "dtype"}
                one.nodes[i] = node.replaced(args=(before.args[0], None)[: len(node.args)], kwargs=kwargs)
                before = made.get(id(before.args[0]))
                changes += 1
        one.nodes[:] = [n for n in one.nodes if not isinstance(n.result, Value) or id(n.result) not in gone]
    return changes


def _reduces_again(first: Node, second: Node) -> bool:
    """Return whether a reduction leaves no axis of another's result, and both together are one over all axes."""
    if first.name != second.name or first.function != second.function or first.blocks or second.result.shape:
        return False
    if {*first.kwargs, *second.kwargs} - {"axis", "keepdims", "dtype"} or not isinstance(first.args[0], Value):
        return False
    if first.name in _OF_TRUTH:
        return True
    dtypes = {x.dtype for x in (first.result, second.result)}
    return first.name in _OF_INTEGERS and first.args[0].dtype.kind in "biu" and len(dtypes) == 1 and (
        first.kwargs.get("dtype") is second.kwargs.get("dtype")
    )  # fmt: skip


#: The most bytes of a result whose call is moved before the stretch that it would cut.
_SMALL = 1 << 12


def order(block: Block, facts: Facts, backend: Backend) -> int:
    """On NumPy, put calls with small results before the stretch of elementwise calls that they would cut in two."""
    if backend.name != "numpy":
        return 0
    changes = 0
    for one in all_blocks(block):
        nodes: list[Node] = []
        stretch: list[Node] = []
        between: list[Node] = []  # what follows the stretch, and may come before it
        computed: set[int] = set()
        for node in one.nodes:
            if joins(node, stretch[0].result.shape if stretch else None):
                changes += len(between)
                nodes += between
                stretch.append(node)
                between = []
                computed.add(id(node.result))
            elif stretch and _may_come_before(node, computed):
                between.append(node)
            else:
                nodes += [*stretch, *between]
                stretch, between, computed = [], [], set()
                if joins(node, None):
                    stretch, computed = [node], {id(node.result)}
                else:
                    nodes.append(node)
        one.nodes[:] = [*nodes, *stretch, *between]
    return changes


def _may_come_before(node: Node, computed: set[int]) -> bool:
    """Return whether a call can come before the calls of these values: it needs none of them; its result is small."""
    if node.writes is not None or node.blocks or any(id(v) in computed for v in node.operands):
        return False
    own = harmless(node) or node.name in ("index", "max", "mean", "min", "prod", "sum")
    return own and isinstance(node.result, Value) and node.result.nbytes <= _SMALL


def memory(block: Block, facts: Facts, backend: Backend) -> int:
    """On NumPy, write an elementwise result into the memory of an operand that nobody uses any more."""
    if backend.name != "numpy":
        return 0
    import numpy as np

    changes, ufunc = 0, np.ufunc
    blocks = all_blocks(block) if any(node.blocks for node in block.nodes) else (block,)
    for one in blocks:
        kept = facts.returned | facts.shared if one is block else {id(v) for v in values_in(one.outputs)} | facts.shared
        last: dict[int, int] = {}
        fresh: dict[int, Value] = {}
        for i, node in enumerate(one.nodes):
            own = type(node.function) is ufunc or has_own_memory(node)
            for v in node.operands:
                last[id(v)] = i
                if not own:
                    fresh.pop(id(v), None)
            for b in node.blocks:
                kept.update([id(v) for v in b.values()])
            result = node.result
            if own and isinstance(result, Value) and result.shape and not result.element:
                fresh[id(result)] = result
        if kept.issuperset(fresh):
            continue
        turned = _turned(one)
        for i, node in enumerate(one.nodes):
            result = node.result
            function: Any = node.function
            if node.kwargs or type(function) is not ufunc or not isinstance(result, Value):
                continue
            if function.signature is not None:  # NumPy would copy the result of a product over its factor
                continue
            for v in node.operands:
                key = id(v)
                if key not in fresh or last[key] != i or v.dtype is not result.dtype or v.shape != result.shape:
                    continue
                if key not in kept and _keeps_order(node, v, turned):
                    node.out = v
                    changes += 1
                    break
    return changes


#: The calls whose results are views with another order of the axes in memory.
_TURN = frozenset(("matrix_transpose", "moveaxis", "permute_dims", "swapaxes", "transpose"))


def _turned(block: Block) -> dict[int, Any]:
    """Return the values that have another order of the axes in memory than that of rows, with what made it, by their
    ids. NumPy's results have the order of the operands where these agree, else that of rows."""
    found: dict[int, Any] = {}
    for node in block.nodes:
        result = node.result
        if not isinstance(result, Value) or len(result.shape) < 2:
            continue
        if node.name in _TURN:
            found[id(result)] = (node.name, repr(node.args[1:]), repr(node.kwargs))
        elif found and node.name != "matmul":
            whole = [v for v in node.operands if v.shape == result.shape]
            orders = {found.get(id(v)) for v in whole or node.operands}
            if len(orders) > 1 and None not in orders:
                found[id(result)] = id(result)  # of its own
            elif None not in orders and orders:
                found[id(result)] = orders.pop()
    return found


def _keeps_order(node: Node, out: Value, turned: dict[int, Any]) -> bool:
    """Return whether a result in an operand's memory has the order of axes that a new one has: sums of floats are added
    in the order of memory."""
    order = turned.get(id(out))
    return order is None or all(turned.get(id(v)) == order for v in node.operands if v.shape == out.shape)
