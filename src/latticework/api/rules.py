"""Questions about promotion rules; the rules and the defaults in force where none are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backend import get
from ..core.dtypes import Dtype, DtypeLike
from ..core.registry import declared
from ..engine.functions.without_data import stand_in
from ..engine.plans.request import name_of
from ..policy import as_dtype, current, in_force
from ..promotion import Rules, rules_named
from ..promotion import explain as _explain
from ..promotion import families as _families
from ..promotion import laws as _laws
from ..promotion.explain import Explanation, RuleDifferences
from ..promotion.laws import Laws
from ..promotion.operands import operand
from .inference import spec
from .plans import plan


def explain(*operands: Any, rules: Rules | str | None = None, operation: str = "") -> Explanation:
    """Explain why operands have their common dtype under some rules, or have none.

    Parameters
    ----------
    operands: arrays, dtypes, Python scalars and their types, `Operand`: what `result_type` takes.
    rules: a rule set; the active one by default.
    operation: a latticework function by name, to explain its result's dtype instead; casts (``"astype"``),
        conversions, indexing (``"getitem"``) and creation too.

    Examples
    --------
    >>> import latticework as lw
    >>> print(lw.explain(lw.int16, lw.int16, rules="torch", operation="divide"))
    divide(int16, int16) -> float32 under torch: true divide: int16 is computed in float32 (operation)
      int16  int16
      int16  int16
    >>> print(lw.explain(lw.int16, lw.uint16, lw.float16, rules="jax"))
    int16, uint16, float16 -> float16 under jax: the least node of the diagram above all of them (lattice)
      int16    int16 -> int32 -> int64 -> float* -> float16
      uint16   uint16 -> int32 -> int64 -> float* -> float16
      float16  float16
    >>> print(lw.explain(lw.uint16, lw.int16, rules="torch"))
    uint16, int16 -> refused under torch: PyTorch does not support it
      way out: cast x1 to int32
    >>> lw.explain(lw.int8, 1.5, rules="jax").weak
    True
    >>> print(lw.explain(lw.float64, lw.int8, operation="astype"))
    astype(float64) -> int8 under unified: the dtype that is asked for (conversion)
    """
    policy = current()
    chosen = policy.rules if rules is None else rules_named(rules)
    o = declared(operation) if operation else None
    if o is not None and o.kind in ("conversion", "creation"):
        return _of_conversion(o.name, operands, chosen)
    return _explain.explain(operands, chosen, policy.default, operation)


#: Functions that compute nothing -> the reason for the dtype of their result.
_CONVERSIONS = {
    "astype": "the dtype that is asked for",
    "asarray": "the dtype that is asked for, an array's own, or of Python scalars the default of the highest kind",
    "from_dlpack": "the dtype of what is exchanged",
    "getitem": "an index changes no dtype",
    "setitem": "an assignment never changes the dtype of the array",
    "to_device": "a move changes no dtype",
}


def _of_conversion(name: str, operands: tuple[Any, ...], rules: Rules) -> Explanation:
    """Explain the plan of a function that computes nothing. A dtype as first operand stands for an array of it."""
    first = [_as_array(x) for x in operands[:1]]
    with in_force(current()._with(rules=rules)):
        p = plan(name, *first, *operands[1:])
    words = tuple(name_of(x) for x in p.operands) or tuple(map(repr, operands))
    why = _CONVERSIONS.get(name, "the dtype that is asked for, else the default dtype")
    paths: tuple[tuple[str, ...], ...] = ((),) * len(words)
    return Explanation(rules.name, rules.version, words, p.out[0], p.weak, "conversion", why, paths, "", name)


def _as_array(x: Any) -> Any:
    """An array without data in the place of a dtype."""
    kind: type = type(x)
    return stand_in(spec((), x), get("abstract"), "cpu") if issubclass(kind, (Dtype, str)) else x


def diff_rules(
    first: Rules | str, second: Rules | str, /, operands: Sequence[Any] | None = None, *, operation: str = ""
) -> RuleDifferences:
    """Every pair on which two rule sets differ.

    Parameters
    ----------
    first, second: rule sets or their names.
    operands: what to pair with one another; all dtypes that both rules know, and the Python scalar types, by default.
    operation: a latticework function by name, to compare its results instead. A unary one has None for the other.

    Examples
    --------
    >>> import latticework as lw
    >>> found = lw.diff_rules("unified", "precise")
    >>> found.rows[0]
    (lw.int16, lw.bfloat16, lw.bfloat16, lw.float32)
    >>> len(found), found.compared
    (28, 361)
    >>> lw.diff_rules("torch", "numpy", [lw.int16, lw.int32], operation="sin").rows
    ((lw.int32, None, lw.float32, lw.float64),)
    """
    one, two = rules_named(first), rules_named(second)
    return _explain.diff_rules(one, two, operands, current().default, operation)


def check_laws(rules: Rules | str) -> Laws:
    """List each counterexample to the laws of a semilattice, over all strong dtypes that the rules know.

    `refused` has the ordered pairs without an answer; they and the triples that meet them are no
    counterexamples to the other laws, unless only one of the two ways of a triple is refused.
    `no_unique_join` has the unordered pairs whose least upper bound in the diagram is not unique, the
    pairs that an exception has to decide.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.check_laws("array_api").associative
    ()
    >>> lw.check_laws("unified").associative[0]
    (lw.int8, lw.uint64, lw.bfloat16)
    """
    return _laws.check_laws(rules_named(rules), current().default)


def operation_result(
    operation: str,
    *operands: Any,
    rules: Rules | str | None = None,
    dtype: DtypeLike | None = None,
    out: Any = None,
    in_place: bool = False,
) -> Dtype:
    """The dtype of an operation's result under some rules: `result_type`, and what the operation does beyond it.

    Parameters
    ----------
    operation: a latticework function by name: ``"divide"``, ``"sum"``, ``"linalg.inv"``.
    operands: arrays, dtypes, Python scalars and their types, `Operand`: what `result_type` takes.
    rules: a rule set; the active one by default.
    dtype: the ``dtype=`` of a function that has that argument.
    out: the dtype of an array that is given for the result, as by PyTorch's and NumPy's ``out=``.
    in_place: whether the result goes into the first operand, as by ``x += y``.

    Raises
    ------
    PromotionError: where the framework refuses.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.operation_result("divide", lw.int32, lw.int32, rules="torch")
    lw.float32
    >>> lw.operation_result("divide", lw.int32, lw.int32, rules="numpy")
    lw.float64
    >>> lw.operation_result("sum", lw.int8, rules="torch"), lw.operation_result("sum", lw.int8)
    (lw.int64, lw.int32)
    >>> lw.operation_result("add", lw.float32, lw.float64, rules="torch", in_place=True)
    lw.float32
    """
    policy = current()
    chosen = policy.rules if rules is None else rules_named(rules)
    resolved = [operand(x, chosen, policy.default) for x in operands]
    targets = [None if d is None else as_dtype(d) for d in (dtype, out)]
    found = _families.decide(
        chosen, operation, resolved, policy.default, dtype=targets[0], out=targets[1], in_place=in_place
    )
    return found.result
