"""The dtypes of operations beyond the join of their operands, as data: by `Family` and by framework.

An operation brings its operands to one dtype (their join, unless its family says otherwise), computes in that dtype
or in another in its place, and its result's dtype follows: the same, bool, that of the components. `decide` answers
for one call; `family_of` gives the family; `operation_table` answers for all pairs of operands.

The flags of a family are named after PyTorch's TensorIterator, whose configuration says the same of PyTorch's
operations. Each framework's families are a module of this package, which lists the special operations. The others
follow from the declaration of the latticework function: the dtypes that it takes, and its result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.dtypes import CATEGORIES, KIND_ORDER, Dtype, bool_, complex_of, int_limits
from ...core.registry import OPS, declared
from ...errors import PromotionError, nearest
from .. import operations
from ..registry import rules_named
from ..rules import Operand, Result, Rules, describe, fits, is_strong, kind_of

if TYPE_CHECKING:
    from ...engine.op import Op
    from ..rules import Default

__all__ = ["Decision", "Families", "Family", "decide", "families_of", "family_of", "goes_into", "looks_at"]

_WORDS = {"b": "bool", "i": "signed integers", "u": "unsigned integers", "f": "floats", "c": "complex dtypes"}
_LONG = Dtype("longdouble")
_REALS = "bool,int8,int16,int32,int64,uint8,uint16,uint32,uint64,float16,bfloat16,float32"
#: latticework's float_power computes in 64 bits, or 128 for complex numbers, whatever the rules.
_DOUBLE = f"{_REALS} -> float64; complex64 -> complex128"


class Family(NamedTuple):
    """The dtypes of a family of operations. The five flags are those of PyTorch's TensorIterator.

    Attributes
    ----------
    name: the name of the family.
    promote_inputs_to_common_dtype: operands of several dtypes are brought to their common one.
    promote_integer_inputs_to_float: bools and integers are computed in a floating dtype: what `computes` has for
        them, else the default float.
    cast_common_dtype_to_outputs: a result that goes into a given array, by ``out=`` or in place, is cast to its dtype;
        else that array has to be of the result's dtype.
    enforce_safe_casting_to_output: that cast is made only where the framework's `can_cast` allows it.
    check_all_same_dtype: operands of several dtypes are refused.
    takes: the kinds of dtypes that it computes in (see `Dtype.kind`).
    only: the dtypes that it computes in, where those are not all dtypes of the kinds.
    operands: the kinds of dtypes that each operand may have.
    computes: the dtype computed in, by the operands' common dtype, where it is another: ``"bool -> int8"``, several
        with semicolons, and with commas before the arrow; ``float*`` is the default float.
    each: each operand is looked up in `computes` by itself, before they meet.
    loops: the dtypes that it has loops for, in the order in which NumPy looks for one that all operands cast to.
    extensions: the loops beside which a Python scalar has the dtype that it has by itself.
    out: the result's dtype: ``"same"`` as computed in, ``"bool"``, ``"index"``, ``"int"``, ``"real"``, ``"complex"``,
        ``"accumulate"``, or a dtype by name.
    results: the result's dtype where `out` does not give it, by the dtype computed in, written as `computes`.
    out_dtypes: the dtypes of an ``out=`` where the flags do not tell them, by the dtype computed in, ``*`` for any.
    exact_with_scalars: beside Python scalars a given ``out=`` has to be of the result's dtype.
    weak: the kinds of dtypes computed in with which a weak result stays weak.
    zero_dim: whether 0-d arrays give way, under rules in which they do.
    any_int: whether a Python int that does not fit is taken beside integers, too.
    no_negative: integers refuse a negative Python int as the last operand.
    low_bits: integers to an array of negative exponents give the power by the exponents' lowest six bits.
    squares: the kinds of dtypes with which the operator ``x ** 2`` is `square`, whose result may have another dtype.
    looks_at: the facts of an operand that its dtypes depend on, besides those that the rules look at: ``"zero_dim"``,
        or ``"constant"`` where that counts only as long as the value is known.
    weak_zero_dim: the kinds of dtypes computed in with which a weak result stays weak where no operand has dimensions.
    joined_by: the name of the rules that join the operands, where they are others.
    special: the name of a function of the module that joins the operands.
    reason: the reason that an error gives.
    """

    name: str
    promote_inputs_to_common_dtype: bool = True
    promote_integer_inputs_to_float: bool = False
    cast_common_dtype_to_outputs: bool = True
    enforce_safe_casting_to_output: bool = True
    check_all_same_dtype: bool = False
    takes: str = "biufc"
    only: str = ""
    operands: str = "biufcV"
    computes: str = ""
    each: bool = False
    loops: str = ""
    extensions: str = ""
    out: str = "same"
    results: str = ""
    out_dtypes: str = ""
    exact_with_scalars: bool = False
    weak: str = "biufc"
    zero_dim: bool = True
    any_int: bool = False
    no_negative: bool = False
    low_bits: bool = False
    squares: str = ""
    looks_at: str = ""
    weak_zero_dim: str = ""
    joined_by: str = ""
    special: str = ""
    reason: str = ""


class Decision(NamedTuple):
    """The result of `decide`.

    Attributes
    ----------
    computed: the dtype that the operands are cast to.
    result: the dtype of the result, the first one where there are several.
    weak: whether the result is weak, where the rules have weak arrays.
    family: the family that decided.
    rule: what it did, in words.
    """

    computed: Dtype
    result: Dtype
    weak: bool
    family: Family
    rule: str


class Families(NamedTuple):
    """The families of one framework.

    Attributes
    ----------
    framework: its name.
    operations: the family of each special operation.
    others: gives the family of any other operation, from the declaration of the latticework function.
    can_cast: whether a result goes into a given array of another dtype.
    in_place: ``"cast"`` where ``x += y`` writes into x, ``"new"`` where it makes a new array, of the result's dtype.
    special: the functions that families name.
    bools_each: whether logical functions cast each operand to bool by itself, so that the operands need not join.
    free_bounds: whether a bound beyond all integers of a dtype is taken, as it changes none of them.
    beside_float: whether a floating function casts an integer to the dtype that it has beside a Python float, which
        rules may refuse, and not to the default float.
    """

    framework: str
    operations: Mapping[str, Family]
    others: Callable[[Op], Family]
    can_cast: Callable[[Dtype, Dtype], bool]
    in_place: str = "cast"
    special: Mapping[str, Callable[..., Result]] = {}
    bools_each: bool = False
    free_bounds: bool = False
    beside_float: bool = False


def same_dtype(result: Dtype, target: Dtype) -> bool:
    """Tell whether two dtypes are the same: the `can_cast` of frameworks that cast nothing in silence."""
    return result is target


def any_dtype(result: Dtype, target: Dtype) -> bool:
    """Return True: the `can_cast` of frameworks that cast whatever is assigned."""
    return True


#: latticework operations with the dtypes of another one: compositions, and names of later versions.
SAME_AS = {
    "concatenate": "concat", "dstack": "hstack", "vstack": "hstack", "column_stack": "hstack",
    "cumsum": "cumulative_sum", "cumprod": "cumulative_prod", "amax": "max", "amin": "min", "around": "round",
    "clip": "_clip", "dot": "matmul", "array_equal": "equal", "allclose": "isclose", "divmod": "floor_divide",
    "fft.fft2": "fft.fftn", "fft.ifft2": "fft.ifftn", "fft.rfft2": "fft.rfftn", "fft.irfft2": "fft.irfftn",
    "linalg.multi_dot": "matmul", "linalg.norm": "linalg.vector_norm", "argwhere": "nonzero",
    "flatnonzero": "nonzero", "lexsort": "nonzero",
}  # fmt: skip


def group(*families: tuple[Family, str]) -> dict[str, Family]:
    """Make a dict of families by operation, from each family and the names of its operations."""
    return {name: family for family, names in families for name in names.split()}


@cache
def mapping(text: str) -> Mapping[str, str]:
    """Read ``"int8,int16 -> float32; bool -> int8"`` as a mapping."""
    result: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.split(";"))):
        before, _, after = line.partition("->")
        result |= dict.fromkeys((name.strip() for name in before.split(",")), after.strip())
    return result


# --- which family ------------------------------------------------------------------------------------------------


def families_of(rules: Rules) -> Families:
    """Return the families of some rules: their framework's, or `unified`'s where they name none."""
    families: Families = import_module(f"{__name__}.{rules.families}").families
    return families


def goes_into(rules: Rules, value: Dtype, target: Dtype, default: Default | None = None) -> bool:
    """Return whether rules let a value of one dtype be written into an array of another, which keeps its dtype.

    Parameters
    ----------
    value: the dtype of what is written: of y in ``x[key] = y``, of ``x + y`` in ``x += y``.
    target: the dtype of the array.
    default: gives the default dtype of a kind; the active policy's if it is left out.

    Examples
    --------
    >>> import latticework as lw
    >>> from latticework.promotion import RULES
    >>> goes_into(RULES["unified"], lw.float64, lw.float32), goes_into(RULES["unified"], lw.int64, lw.int32)
    (True, False)
    >>> goes_into(RULES["strict"], lw.float32, lw.float64), goes_into(RULES["numpy"], lw.int64, lw.int32)
    (False, True)
    """
    families = families_of(rules)
    cast = families.in_place == "cast" and families.can_cast(value, target)
    return cast or rules.goes_into(value, target, default)


def family_of(rules: Rules, operation: str) -> Family:
    """Return the family of an operation under some rules.

    Parameters
    ----------
    operation: the name of a latticework function, or of the framework's own function that its families list.

    Raises
    ------
    TypeError: for a name that is neither.

    Examples
    --------
    >>> import latticework as lw
    >>> from latticework.promotion import RULES
    >>> family = family_of(RULES["torch"], "divide")
    >>> family.name, family.promote_integer_inputs_to_float
    ('true divide', True)
    """
    families = families_of(rules)
    public = operation.lstrip("_")
    same = SAME_AS.get(public, operation)
    for name in (operation, public, same.lstrip("_")):
        if name in families.operations:
            return families.operations[name]
    return families.others(_op(same))


def derived(op: Op) -> Family:
    """Return the family of a latticework operation from its declaration, for rules that list no family for it."""
    return _derived(op.name, op.accepts, op.has_dtype, op.out[0])


@cache
def _derived(name: str, accepts: str, has_dtype: bool, out: str) -> Family:
    kinds = CATEGORIES[accepts].rstrip("s")  # whether a function takes storage dtypes is the same under any rules
    floats = "f" in kinds and "i" not in kinds
    if has_dtype and not name.endswith("_like"):
        out = "accumulate"
    if name == "float_power":
        return Family("float power", cast_common_dtype_to_outputs=False, takes="fc", computes=_DOUBLE)
    if name in ("isclose", "allclose", "array_equal"):
        out = "bool"
    what = {"accumulate": "sum", "index": "position", "bool": "predicate"}.get(out, "")
    return Family(
        f"{'any dtype' if accepts.startswith('all') else accepts}{what and f', {what}'}",
        promote_integer_inputs_to_float=floats,
        cast_common_dtype_to_outputs=False,
        takes=kinds,
        out=out,
    )


def _op(operation: str) -> Op:
    op = declared(operation)
    if op is None:
        raise TypeError(f"{operation!r} is no function of latticework{nearest(operation, OPS, lines=True)}")
    return op


# --- what it decides ---------------------------------------------------------------------------------------------


def decide(
    rules: Rules,
    operation: str,
    operands: Sequence[Any],
    default: Default,
    *,
    dtype: Dtype | None = None,
    out: Dtype | None = None,
    in_place: bool = False,
) -> Decision:
    """Decide the dtypes of one call: the dtype computed in, and the result's.

    Parameters
    ----------
    rules: the rule set, whose families decide.
    operation: the function, by name.
    operands: what it is called with, as `Rules.promote` takes them. The condition of `where`, indices and the
        like may be among them or be left out.
    default: gives the default dtype of a kind.
    dtype: the ``dtype=`` of a function that has that argument.
    out: the dtype of an array that is given for the result.
    in_place: whether the result goes into the first operand.

    Raises
    ------
    PromotionError: where the framework refuses.
    """
    families, family = families_of(rules), family_of(rules, operation)
    op = _op(operation) if dtype is not None or _is_ours(operation) else None
    own, fallback = rules.defaults, default

    def of_kind(kind: str) -> Dtype:
        return own.get(kind) or fallback(kind)

    joined_operands = [x for x, role in zip(operands, _roles(op, len(operands)), strict=True) if role == "join"]
    if not joined_operands:  # as in logical_and, where each operand is cast to bool by itself
        joined_operands = [bool_] if families.bools_each else [*operands]
    joining = [_flat(x) for x in joined_operands] if not family.zero_dim else joined_operands
    for x in joining:
        if kind_of(x) not in family.operands:
            raise _refused(rules, operation, joined_operands, family, f"takes no {_WORDS[kind_of(x)]}")
    if family.each:
        for x in joining:
            if is_strong(x) and mapping(family.computes).get(str(x if type(x) is Dtype else x.dtype)) == "refused":
                raise _refused(rules, operation, joined_operands, family, f"does not take {describe(x)}")
        joining = [_each(x, family, of_kind) for x in joining]
    found = _joined(rules, families, family, operation, joining, default)
    computed, why = _computed(rules, operation, joined_operands, family, found.dtype, of_kind)
    _check_ints(rules, operation, family, joined_operands, computed)
    kinds = (
        family.weak_zero_dim if family.weak_zero_dim and not any(map(_has_dimensions, joined_operands)) else family.weak
    )
    weak = (found.weak or _weak_bool(joining)) and computed.kind in kinds
    if weak and not found.weak and computed.kind != "b":
        weak = False
    result = dtype if dtype is not None and op is not None and op.has_dtype else _result(family, computed, of_kind)
    if "sum" in family.name and result is not computed and dtype is None:
        why = f"{why}, accumulated in {result}"
    target = out
    if in_place and families.in_place == "cast":
        target = next((x if type(x) is Dtype else x.dtype for x in joined_operands[:1] if is_strong(x)), None)
    if target is not None and target is not result:
        _check_target(rules, families, family, operation, joined_operands, computed, result, target, in_place, default)
        why, result = f"{why}, and cast to {target}", target
    return Decision(computed, result, weak, family, f"{family.name}: {why}")


def looks_at(rules: Rules, operation: str) -> frozenset[str]:
    """Return the facts of operands that an operation's dtypes depend on, besides those that the rules look at."""
    return frozenset(family_of(rules, operation).looks_at.split())


def _has_dimensions(x: Any) -> bool:
    return not x.zero_dim if isinstance(x, Operand) else type(x) is Dtype


def _is_ours(operation: str) -> bool:
    return declared(operation) is not None


def _roles(op: Op | None, count: int) -> tuple[str, ...]:
    """Return the role of each operand. Where only the joining operands are given, all of them join."""
    if op is None:
        return ("join",) * count
    roles = op.roles(count)
    return roles if len(roles) == count else ("join",) * count


def _check_ints(rules: Rules, operation: str, family: Family, operands: Sequence[Any], computed: Dtype) -> None:
    """Refuse a Python int that the framework's operations do not take beside one of the arrays."""
    dtypes = [x if type(x) is Dtype else x.dtype for x in operands if is_strong(x)]
    bounds = operation in ("clip", "_clip") and families_of(rules).free_bounds and "value" not in rules.needs
    for i, x in enumerate(operands):
        if type(x) is not int or not dtypes:
            continue
        if bounds and computed.kind in "iu" and i and is_strong(operands[0]) and dtypes[0].kind in "iu":
            limits = int_limits(dtypes[0])
            if x < limits.min if i == 1 else x > limits.max:
                continue  # a bound beyond all integers of a dtype changes none of them
        if not family.loops and type(rules).takes is Rules.takes and computed.kind not in "iu":
            taken = abs(x) < 2**1024  # a dividend becomes a float, however narrow the integers beside it are
        elif not family.loops:
            taken = all(rules.takes(x, d) for d in dtypes)
        elif any(str(d) in family.extensions.split() for d in dtypes):
            taken = -(2**63) <= x < 2**63
        elif family.any_int and all(d.kind in "iu" for d in dtypes):
            taken = True
        else:
            taken = fits(x, computed) if computed.kind in "iu" else computed is _LONG or abs(x) < 2**1024
        if family.no_negative and x < 0 and x is operands[-1] and computed.kind in "iu":
            raise _refused(rules, operation, operands, family, "integers to negative integer powers are not allowed")
        if not taken:
            raise _refused(rules, operation, operands, family, f"the int {x} does not fit")


def _flat(x: Any) -> Any:
    return x._replace(zero_dim=False) if isinstance(x, Operand) else x


def _each(x: Any, family: Family, of_kind: Default) -> Any:
    """Return an operand in the dtype that it is computed in by itself."""
    if not is_strong(x):
        return x
    dtype = x if type(x) is Dtype else x.dtype
    other = mapping(family.computes).get(dtype.name)
    if other is None or other == "refused":
        return x
    result = _named(other, of_kind)
    return x._replace(dtype=result) if isinstance(x, Operand) else result


def _weak_bool(joining: Sequence[Any]) -> bool:
    """Return whether the only operand is a weak bool, as a comparison of weak arrays gives. No join gives one."""
    return len(joining) == 1 and isinstance(joining[0], Operand) and joining[0].weak and joining[0].dtype is bool_


def _named(name: str, of_kind: Default) -> Dtype:
    """Return a dtype of `computes` or `results`; a starred one is the default dtype of its kind."""
    return (
        of_kind({"int*": "i", "uint*": "u", "float*": "f", "complex*": "c"}[name]) if name[-1] == "*" else Dtype(name)
    )


def _joined(
    rules: Rules, families: Families, family: Family, operation: str, joining: list[Any], default: Default
) -> Result:
    """Return the operands' common dtype, as the family finds it."""
    if family.loops:
        return _looped(rules, family, operation, joining, default)
    if family.special:
        found = families.special[family.special](rules, joining, default)
    else:
        found = rules_named(family.joined_by or rules).result(joining, default)
    strong = {x if type(x) is Dtype else x.dtype for x in joining if is_strong(x)}
    if len(strong) > 1 and (family.check_all_same_dtype or not family.promote_inputs_to_common_dtype):
        raise _refused(rules, operation, joining, family, "takes operands of one dtype alone")
    return found


def _looped(rules: Rules, family: Family, operation: str, joining: list[Any], default: Default) -> Result:
    """Return the first loop that all operands cast to safely, or their common dtype where it has a loop."""
    loops = family.loops.split()
    found, error = None, None
    try:
        found = rules.result(joining, default)
    except PromotionError as refused:
        error = refused
    strong: list[Dtype] = [x if type(x) is Dtype else x.dtype for x in joining if is_strong(x)]
    scalars = [KIND_ORDER[kind_of(x)] for x in joining if not is_strong(x)]
    own = [d for d in strong if d.name in family.extensions.split()]
    apart = bool(own and scalars and (found is None or found.dtype not in own))  # a scalar is not weak beside these
    if not apart and found is not None and (found.dtype.name in loops or found.dtype.name in mapping(family.computes)):
        return found
    if scalars and not apart:
        strong = [] if found is None else [found.dtype]
    for loop in loops if strong else ():
        dtype = Dtype(loop)
        if all(dtype in rules.above.get(d, ()) for d in strong) and (
            not apart or KIND_ORDER[dtype.kind] >= max(scalars)
        ):
            return found._replace(dtype=dtype) if found else Result(dtype, False, "loop")
    if error is not None:
        raise error
    raise _refused(rules, operation, joining, family, "the inputs could not be safely coerced to any supported types")


def _computed(
    rules: Rules, operation: str, operands: Sequence[Any], family: Family, common: Dtype, of_kind: Default
) -> tuple[Dtype, str]:
    """Return the dtype computed in, and why."""
    computed, why = common, f"computed in {common}"
    other = None if family.each else mapping(family.computes).get(common.name)
    if other == "refused":
        raise _refused(rules, operation, operands, family, f"does not take {common}")
    if other is not None:
        computed = _named(other, of_kind)
    elif family.promote_integer_inputs_to_float and common.kind in "biu":
        computed = _lifted(rules, operation, operands, common, of_kind)
    elif family.takes == "c" and common.kind in "biuf":
        computed = complex_of(common if common.kind == "f" else _lifted(rules, operation, operands, common, of_kind))
    if computed is not common:
        why = f"{common} is computed in {computed}"
    only = family.only.split()
    if computed.kind not in family.takes or (only and computed.name not in only):
        raise _refused(rules, operation, operands, family, f"does not compute in {computed}")
    return computed, why


def _lifted(rules: Rules, operation: str, operands: Sequence[Any], common: Dtype, of_kind: Default) -> Dtype:
    """Return the dtype of bools and integers in a floating function: the default float, or as beside a Python float."""
    if not families_of(rules).beside_float:
        return of_kind("f")
    try:
        return rules.promote((common, float), of_kind)
    except PromotionError as error:
        raise _refused(rules, operation, operands, None, error.why or rules.reason) from None


def _result(family: Family, computed: Dtype, of_kind: Default) -> Dtype:
    other = mapping(family.results).get(computed.name)
    if other is not None:
        return _named(other, of_kind)
    if family.out in operations.OUT:
        return operations.result(family.out, computed, of_kind)
    return Dtype(family.out)


def _check_target(
    rules: Rules,
    families: Families,
    family: Family,
    operation: str,
    operands: Sequence[Any],
    computed: Dtype,
    result: Dtype,
    target: Dtype,
    in_place: bool,
    default: Default,
) -> None:
    """Refuse a result that does not go into the array that is given for it."""
    by_name = mapping(family.out_dtypes)
    allowed = by_name.get(computed.name) or by_name.get("*")
    exact = family.exact_with_scalars and not in_place and not all(map(is_strong, operands))
    if rules.families == "unified" and not rules.version:
        refused = not (rules.goes_into(result, target, default) or rules.fits_into(result, target))
    elif allowed is not None:
        refused = target.name not in allowed.split()
    elif exact or not family.cast_common_dtype_to_outputs:
        refused = True
    else:
        refused = family.enforce_safe_casting_to_output and not families.can_cast(result, target)
    if refused:
        raise _refused(
            rules, operation, operands, family, f"a result of {result} does not go into an array of {target}"
        )


def _refused(rules: Rules, operation: str, operands: Iterable[Any], family: Family | None, why: str) -> PromotionError:
    names = [describe(x) for x in operands]
    listed = " and ".join(names) if len(names) < 3 else ", ".join(names)
    reason = f"{why}: {family.reason}" if family is not None and family.reason else why
    error = PromotionError(f"{operation} of {listed} is refused under the {rules.name} rules ({reason})")
    error.why = reason
    return error


def operation_table(
    rules: Rules, operation: str, operands: Sequence[Any], default: Default
) -> dict[tuple[Any, Any], Dtype | None]:
    """Return the result dtype of an operation for every ordered pair of operands: None where it is refused.

    Pairs of an operation of one operand have None in the second place.
    """
    one = _is_ours(operation) and _one_operand(_op(operation))
    cells: dict[tuple[Any, Any], Dtype | None] = {}
    for a in operands:
        for b in (None,) if one else operands:
            try:
                pair = [a] if b is None else [a, b]
                cells[a, b] = decide(rules, operation, pair, default).result
            except PromotionError:
                cells[a, b] = None
    return cells


def _one_operand(op: Op) -> bool:
    op = _op("_clip") if op.name == "clip" else op
    return not op.sequence and op.roles(len(op.operands)).count("join") == 1
