"""Why a call widened, in the words of its framework's rules, and the cast that keeps it narrow."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.dtypes import Dtype
from ...core.registry import declared, functions
from ...errors import PromotionError
from ...frontends import dialect_names
from ...frontends.naming import PREFIX
from ...frontends.renaming import RENAMES
from ...policy import current
from ...promotion import rules_named
from ...promotion.explain import explain
from ...promotion.rules import Operand as Node
from ..patching import Edit, edited
from ..places import node_at
from ..writing import Names, around
from .values import SCALARS, Value, values

if TYPE_CHECKING:
    from .watching import Call, Operand

__all__ = ["Cast", "cast_of", "rule_of"]

#: Words of NumPy, PyTorch and JAX -> latticework's functions, where the registry does not have them as other names.
_WORDS = {
    "mul": "multiply", "sub": "subtract", "div": "divide", "true_divide": "divide", "rsub": "subtract",
    "rmul": "multiply", "radd": "add", "rdiv": "divide", "rtruediv": "divide", "truediv": "divide", "power": "pow",
    "rpow": "pow", "mod": "remainder", "cat": "concat", "concatenate": "concat", "hstack": "concat", "vstack": "concat",
}  # fmt: skip

_ERRORS = (PromotionError, TypeError, ValueError, LookupError, AttributeError, RuntimeError)


def rule_of(call: Call, result: Value) -> str:
    """Return the rule that decided, in words.

    The rules of the framework are asked, first for the function, then for its operands alone. An answer counts if it
    has the dtype that the framework gave.
    """
    operands = [o.value for o in call.operands if o.value.framework or type(o.value.data) in SCALARS]
    rules = _rules(result.framework)
    nodes = tuple(_node(v) for v in operands)
    if rules is not None and nodes and all(n is not None for n in nodes):
        names = (_operation(call.operation, result.framework), "")
        for name in names if names[0] else names[1:]:
            try:
                found = explain(nodes, rules, current().default, name)
            except _ERRORS:
                continue
            if found.dtype is not None and found.dtype.name == result.dtype:
                return found.why
    if any(v.listed for v in operands):
        return "a list of Python floats is made an array of float64"
    return f"{call.operation} gives {result.dtype} for {', '.join(str(v.dtype) for v in operands) or 'no array'}"


def _rules(framework: str) -> Any:
    if framework == "latticework":
        return current().rules
    if framework == "jax" and "jax" in sys.modules and not sys.modules["jax"].config.jax_enable_x64:
        return rules_named("jax-x32")
    try:
        return rules_named(framework.removeprefix("lw."))
    except ValueError:
        return None


def _node(v: Value) -> Any:
    """Return an operand as rules take it; None for a dtype that latticework does not know."""
    if not v.framework:
        return type(v.data)
    try:
        return Node(Dtype(v.dtype), zero_dim=v.shape == (), weak=v.weak)
    except (ValueError, KeyError, TypeError):
        return None


def _operation(name: str, framework: str) -> str:
    """Return latticework's name of a function; empty where it has none."""
    word = name.rpartition(".")[2].strip("_")
    for candidate in (_WORDS.get(word, word), _in_dialect(word, framework.removeprefix("lw."))):
        if declared(candidate) is not None:
            return candidate
    return ""


def _in_dialect(word: str, framework: str) -> str:
    """Return latticework's name of a function that the dialect of a framework has by another name; else empty."""
    if framework not in dialect_names():
        return ""
    module = import_module(f"{PREFIX}{framework}{'.numpy' * (framework == 'jax')}")
    return RENAMES.get(inspect.unwrap(getattr(module, word, len)), "")


# --- the cast ---------------------------------------------------------------------------------------------------------


class Cast(NamedTuple):
    """A cast that keeps a call narrow.

    Attributes
    ----------
    text: the expression with the cast.
    tried: whether the call was made with it, and stayed narrow.
    edits: the text to insert.
    """

    text: str
    tried: bool
    edits: tuple[Edit, ...]


def cast_of(call: Call, narrow: Value) -> Cast | None:
    """Find the cast with which a call keeps the dtype of its narrow operand.

    Operands that are wider are cast; where there are none, those that are no floats; else the result. The call is made
    again with the cast operands where that has no effects.
    """
    arrays = [o for o in call.operands if o.value.framework]
    wider = [o for o in arrays if o.value.width > narrow.width]
    others = [o for o in arrays if not o.value.width]
    for chosen in (wider, others):
        if chosen and all(o.place for o in chosen) and call.again and _stays(call, chosen, narrow):
            edits = [_edit(o, narrow, call) for o in chosen]
            made = tuple(e for e in edits if e is not None)
            if len(made) == len(chosen):
                return Cast(edited(call.place, made), True, made)
    edit = _around_result(call, narrow)
    return None if edit is None else Cast(edited(call.place, [edit]), False, (edit,))


def _stays(call: Call, chosen: list[Operand], narrow: Value) -> bool:
    """Make a call again with some operands cast, and return whether its results are no wider than the narrow one."""
    targets = {id(o.value.data) for o in chosen}

    def change(x: Any) -> Any:
        return _cast(x, narrow) if id(x) in targets else x

    assert call.again is not None
    try:
        results = [*values(call.again(change))]
    except Exception:
        return False
    return bool(results) and all(v.width <= narrow.width for v in results)


def _cast(x: Any, narrow: Value) -> Any:
    """Cast an array by the functions of its own framework."""
    part = _part(narrow)
    if narrow.framework == "torch":
        import torch

        return torch.as_tensor(x).to(getattr(torch, part))
    if narrow.framework == "latticework":
        return functions.astype(x, Dtype(part))
    if narrow.framework.startswith("lw."):
        dialect = narrow.data.dtype if narrow.dtype == part else Dtype(part)
        return x.to(dialect) if hasattr(x, "to") else x.astype(dialect)
    if isinstance(x, (list, tuple)):
        import numpy as np

        return np.asarray(x, dtype=_numpy_dtype(part))
    return x.astype(_numpy_dtype(part))


def _part(v: Value) -> str:
    return f"float{v.width}" if v.dtype.startswith("complex") else v.dtype


def _numpy_dtype(name: str) -> Any:
    import ml_dtypes
    import numpy as np

    return np.dtype(getattr(ml_dtypes, name, name))


def _edit(o: Operand, narrow: Value, call: Call) -> Edit | None:
    """Make the edit that casts an operand: to the dtype of the narrow one where that has a name, else to it by name."""
    if o.place is None:
        return None
    node = node_at(o.place)
    if o.value.listed:
        module = _module(call.names, ("jax.numpy", "numpy") if narrow.framework == "jax" else ("numpy",))
        return (
            None if module is None else Edit(o.place, f"{module}.asarray(", f", {_dtype_text(call, narrow, module)})")
        )
    edit = around(o.place, node, Dtype(_part(narrow)), _of(call.names, narrow.framework))
    named = _named(call, narrow)
    if edit is None:
        if named is None:
            return None
        method = "to" if narrow.framework.endswith("torch") else "astype"
        atom = o.text.isidentifier() or o.text.endswith((")", "]"))
        before, after = ("", "") if atom else ("(", ")")
        return Edit(o.place, before, f"{after}.{method}({named})")
    if named is None:
        return edit
    dtype = f".{_part(narrow)}"
    head, _, tail = edit.after.rpartition(dtype)
    start = max(head.rfind("("), head.rfind(" ")) + 1
    return Edit(edit.place, edit.before, f"{head[:start]}{named}{tail}")


def _named(call: Call, narrow: Value) -> str | None:
    """Return ``x.dtype`` where the narrow operand is a name."""
    if narrow.dtype.startswith("complex"):
        return None
    for o in call.operands:
        if o.value.data is narrow.data and o.text and all(part.isidentifier() for part in o.text.split(".")):
            return f"{o.text}.dtype"
    return None


def _dtype_text(call: Call, narrow: Value, module: str) -> str:
    return _named(call, narrow) or f"{module}.{_part(narrow)}"


def _module(names: Names, wanted: tuple[str, ...]) -> str | None:
    """Return the name by which a program imports a module."""
    for module in wanted:
        for name, value in names.names.items():
            if getattr(value, "__name__", "") == module and not name.startswith("_"):
                return name
    return None


def _of(names: Names, framework: str) -> Names:
    """Return the modules of a framework among the names, whose casts its arrays have."""
    kept = {n: m for n, m in names.names.items() if str(getattr(m, "__name__", "")).partition(".")[0] == framework}
    return Names(kept, names.used)


def _around_result(call: Call, narrow: Value) -> Edit | None:
    node = node_at(call.place)
    if node is None:
        return None
    dtype = narrow.dtype if narrow.dtype.startswith("complex") else _part(narrow)
    return around(call.place, node, Dtype(dtype), _of(call.names, narrow.framework))
