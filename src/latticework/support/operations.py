"""What a declared function of ours does to the dtypes that it is given: the plan's answer, and the measured one."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from ..core.dtypes import KIND_ORDER, SCALAR_KINDS, Dtype, bool_
from ..core.registry import OPS
from ..engine.array import Array
from ..engine.call import Call
from ..engine.keys import goes_into
from ..engine.op import Op
from ..engine.plan import resolve
from ..errors import BackendError
from ..policy import as_dtype, current
from . import data
from .values import UNKNOWN, Arr, Either, Items, Known, Many, Scalar, Value, element, items, join_all

if TYPE_CHECKING:
    from .expressions import Walking

__all__ = ["RefusedError", "apply", "as_array", "cast", "create", "declared", "dtypes_of", "make"]

#: The functions of ours and of Python's that operators stand for.
BINARY: dict[type[ast.operator], tuple[str, Callable[..., Any]]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("subtract", operator.sub), ast.Mult: ("multiply", operator.mul),
    ast.Div: ("divide", operator.truediv), ast.FloorDiv: ("floor_divide", operator.floordiv),
    ast.Mod: ("remainder", operator.mod), ast.Pow: ("pow", operator.pow), ast.MatMult: ("matmul", operator.matmul),
    ast.BitAnd: ("bitwise_and", operator.and_), ast.BitOr: ("bitwise_or", operator.or_),
    ast.BitXor: ("bitwise_xor", operator.xor), ast.LShift: ("bitwise_left_shift", operator.lshift),
    ast.RShift: ("bitwise_right_shift", operator.rshift),
}  # fmt: skip
UNARY: dict[type[ast.unaryop], tuple[str, Callable[..., Any]]] = {
    ast.USub: ("negative", operator.neg), ast.UAdd: ("positive", operator.pos),
    ast.Invert: ("bitwise_invert", operator.invert),
}  # fmt: skip
COMPARED: dict[type[ast.cmpop], tuple[str, Callable[..., Any]]] = {
    ast.Eq: ("equal", operator.eq), ast.NotEq: ("not_equal", operator.ne), ast.Lt: ("less", operator.lt),
    ast.LtE: ("less_equal", operator.le), ast.Gt: ("greater", operator.gt), ast.GtE: ("greater_equal", operator.ge),
}  # fmt: skip

#: So many combinations of dtypes are looked at in one call, where branches have left several.
_COMBINATIONS = 64


class RefusedError(Exception):
    """A function met on the way does not take what it would be given."""


def declared(f: Any) -> Op | None:
    """The declaration behind a function, if it is one of ours."""
    if getattr(f, "__module__", "") == "latticework.dispatch":  # an operator: Array.__add__
        return OPS.get(f.__name__)
    original = getattr(f, "__wrapped__", f)
    module, name = str(getattr(original, "__module__", "")), getattr(original, "__name__", "")
    if not module.startswith("latticework."):
        return None
    chapter = module.rpartition(".")[2]
    o = OPS.get(f"{chapter}.{name}" if chapter in ("linalg", "fft") else name)
    return o if o is not None and o.function is original else None


def dtypes_of(x: Value, given: Dtype) -> list[Dtype | type]:
    """What an operand may be to promotion: dtypes, or the type of a Python scalar.

    Of what nobody can know, `given`.
    """
    if isinstance(x, Arr):
        return [*x.dtypes]
    if isinstance(x, Scalar):
        return [x.type] if x.type in SCALAR_KINDS else []
    if isinstance(x, Known):
        return [type(x.value)] if type(x.value) in SCALAR_KINDS else []
    return [given]


def apply(walk: Walking, o: Op, args: dict[str, Value], *, in_place: bool = False) -> Value:
    """Call a function of arrays that has a plan.

    Parameters
    ----------
    in_place: whether the result goes into the first operand, whose dtype stays.

    Raises
    ------
    RefusedError: where the rules, the function's category or the backend refuse the dtypes.
    """
    operands = _operands(o, args)
    arrays = [d for x in operands if isinstance(x, Arr) for d in x.dtypes]
    options = [dtypes_of(x, arrays[0] if arrays else walk.given) for x in operands]
    wanted = _dtype_option(args.get("dtype"))
    signatures = islice(product(*(x or [walk.given] for x in options)), _COMBINATIONS)
    return join_all([_apply(walk, o, signature, wanted, in_place) for signature in signatures])


def _operands(o: Op, args: dict[str, Value]) -> list[Value]:
    if not o.sequence:
        return [args.get(name, UNKNOWN) for name in o.operands]
    given = args.get(o.operands[0], UNKNOWN)
    found = items(given)
    return [*found] if found else [element(given)]


def _apply(walk: Walking, o: Op, signature: tuple[Dtype | type, ...], wanted: Dtype | None, in_place: bool) -> Value:
    try:
        sigs = tuple(s if isinstance(s, type) else walk.backend.sig(s) for s in signature)
        plan = resolve(Call(o, current(), sigs, None, wanted, in_place))
    except TypeError as error:
        raise RefusedError(str(error)) from None
    if in_place and plan.out[0] is not signature[0]:
        raise RefusedError(f"{o.name}: in place it would change {signature[0]} to {plan.out[0]}")
    same = {s for s in signature if isinstance(s, Dtype)}
    for dtype in {plan.computed, *(same if len(same) == 1 and not o.role_of else ())}:
        check_measured(walk, o.name, dtype)
    arrays = [Arr(frozenset([d])) for d in plan.out]
    if o.wrap is Array:
        return arrays[0]
    return Many(arrays[0]) if o.wrap is tuple else Items(tuple(arrays), tuple, o.wrap._fields)


def check_measured(walk: Walking, name: str, dtype: Dtype) -> None:
    """Refuse what the probe found that the backend cannot."""
    how = data.how(walk.backend.name, name, dtype, version=walk.version, device=walk.device)
    if how in ("missing", "wrong"):
        why = data.why(walk.backend.name, name, dtype, version=walk.version, device=walk.device)
        raise RefusedError(why or f"{name}: the {walk.backend.name} backend cannot compute {dtype}")


def _dtype_option(given: Value | None) -> Dtype | None:
    """A dtype given as an argument; None where there is none, or nobody can know which."""
    if not isinstance(given, Known) or given.value is None:
        return None
    try:
        return as_dtype(given.value)
    except TypeError as error:
        raise RefusedError(str(error)) from None


def make(walk: Walking, dtypes: Iterable[Dtype]) -> Arr:
    """An array of these dtypes, which the backend must have."""
    made = frozenset(dtypes)
    for d in made:
        try:
            walk.backend.sig(d)
        except BackendError as error:
            raise RefusedError(str(error)) from None
    return Arr(made)


def create(walk: Walking, o: Op, args: dict[str, Value]) -> Arr:
    """Call a function that makes an array: of the dtype given, of its scalars' or of the default one."""
    asked = args.get("dtype", Known(None))
    found = _several(walk, asked)
    if found is None:
        scalars = [dtypes_of(args[n], walk.given) for n in o.relevant if n in args]
        kinds = [x for option in scalars for x in option]
        found = [current().promote(*kinds, *([float] if o.floating else ())) if kinds else current().default_dtype]
    for d in found:
        check_measured(walk, o.name, d)
    return make(walk, found)


def _several(walk: Walking, asked: Value) -> list[Dtype] | None:
    """The dtypes that an argument may ask for; None where it asks for none."""
    if isinstance(asked, Known):
        one = _dtype_option(asked)
        return None if one is None else [one]
    if isinstance(asked, Either):
        found = [_dtype_option(o) for o in asked.options]
        return [d for d in found if d is not None] or None
    return [walk.given]


def as_array(walk: Walking, args: dict[str, Value]) -> Value:
    """`asarray`: of an array its dtype, of numbers in a list what they promote to, unless one is given."""
    obj = args.get("obj", UNKNOWN)
    asked = _several(walk, args.get("dtype", Known(None)))
    if asked is not None:
        if any(d.kind == "c" for d in getattr(obj, "dtypes", ())) and any(d.kind in "iuf" for d in asked):
            raise RefusedError("asarray: a complex array would lose its imaginary part")
        return make(walk, asked)
    if isinstance(obj, Arr):
        return Arr(obj.dtypes)
    leaves = _leaves(walk, obj)
    if not leaves:
        return make(walk, [walk.given if items(obj) is None else current().default_dtype])
    try:
        return make(walk, [current().promote(*leaves)])
    except TypeError as error:
        raise RefusedError(str(error)) from None


def _leaves(walk: Walking, x: Value) -> list[Dtype | type]:
    if isinstance(x, (Items, Many)) or (isinstance(x, Known) and isinstance(x.value, (list, tuple, range))):
        inside = items(x)
        return [leaf for v in (inside if inside is not None else [element(x)]) for leaf in _leaves(walk, v)]
    return dtypes_of(x, walk.given)


def cast(walk: Walking, x: Value, dtype: Value) -> Arr:
    """`astype`: complex to real is refused, as it is when it runs."""
    targets = _several(walk, dtype) or [walk.given]
    before = [d for d in dtypes_of(x, walk.given) if isinstance(d, Dtype)]
    for a, b in product(before, targets):
        if a.kind == "c" and b.kind in "iuf":
            raise RefusedError(f"astype: {a} to {b} would drop the imaginary part. Take lw.real(x) or lw.abs(x)")
    return make(walk, targets)


def assign(walk: Walking, x: Arr, value: Value) -> None:
    """``x[...] = value``: the array keeps its dtype."""
    for a, b in product(x.dtypes, _leaves(walk, value)):
        if not (goes_into(b, a) if isinstance(b, Dtype) else KIND_ORDER[SCALAR_KINDS[b]] <= KIND_ORDER[a.kind]):
            raise RefusedError(f"setitem: {b} does not go into an array of {a}, whose dtype never changes")


def check_index(key: Value) -> None:
    """An index array must be of an integer dtype or bool."""
    for x in key.items if isinstance(key, Items) else (key,):
        if isinstance(x, Arr) and not x.maybe and any(d.kind not in "biu" and d is not bool_ for d in x.dtypes):
            raise RefusedError(f"getitem: an index array must be of an integer dtype or bool; got {x.dtype}")
