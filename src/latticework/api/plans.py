"""The plan of a call, without running it, and the number of kernels kept from earlier calls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..backend import get
from ..engine.arrays.array import Array
from ..engine.calls.memo import BY_VALUE
from ..engine.calls.specialise import planned, planned_in_place
from ..engine.exchange.foreign import adapt
from ..engine.op import Op, named
from ..engine.plans.conversion import creation_plan
from ..engine.plans.plan import Plan
from ..engine.shapes.families import result_shapes
from ..errors import NoDataError
from ..policy import TABLES, Policy, as_dtype, current
from .inference import Spec, infer


def plan(function: Callable[..., Any] | str, /, *args: Any, **kw: Any) -> Plan:
    """Plan a call, without computing it: the casts, the function called, and the dtypes and shapes of the results.

    Parameters
    ----------
    function: a function of latticework, or its name; ``"getitem"`` and ``"setitem"`` for ``x[key]`` and ``x[key] = y``,
        `operator.iadd` and its kin for ``x += y``.
    args, kw: as for the call. Options that the dtypes do not depend on may be left out: then there are no shapes.

    Returns
    -------
    The plan. `how` is ``"native"`` for a backend's own function and ``"composed"`` for one made of other latticework
    functions; for a mixed function, its predicate decides by the arguments. An extent in `shapes` that depends on
    values is None.

    Raises
    ------
    TypeError: for a function that is not latticework's; and whatever the call would raise before it computes.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1, 2])
    >>> print(lw.plan(lw.add, x, 1.5))
    add(int32 as float32, Python float as float32) -> float32 of shape (2,)  [native: add on numpy, computed in float32]
    >>> lw.plan(lw.sum, lw.ones((3, 4)), axis=0).shapes
    ((4,),)
    >>> print(lw.plan(lw.astype, x, lw.int8))
    astype(int32 as int8) -> int8 of shape (2,)  [native: cast on numpy]
    >>> print(lw.plan("setitem", lw.ones(2), 0, lw.zeros((), dtype="float64")))
    setitem(float32, float64 as float32) -> float32 of shape (2,)  [native: assign on numpy]
    """
    if not isinstance(function, str) and getattr(function, "__name__", "") in _IN_PLACE:
        return _of_in_place(function, *args, **kw)
    o = named(function)
    if o.dispatched == "rounding" and (len(args) > 1 or kw.get("decimals") is not None):
        o = named("around")
    if o.planner is not None:
        found: Plan = o.planner(*args, **kw)
        return found
    if o.kind == "creation":
        return _of_creation(o, args, kw)
    if o.kind == "composition" and not (o.operands and o.wrap):
        return _of_composition(o, args, kw, None)
    operands, rest, options = _operands(o, args, dict(kw))
    dtype = options.pop("dtype", None) if o.has_dtype or o.casts_first else None
    if o.has_out:
        options.pop("out", None)  # the result is written into it, and is what it is without
    p = planned(o, operands, None if dtype is None else as_dtype(dtype))
    if o.kind == "composition":
        return _of_composition(o, args, kw, p)
    when = getattr(p.call, "when", None)
    if o.sized is not None and options.get("size") is not None:
        p = p._replace(how="composed", call=o.sized)
    elif when is not None and o.body is not None:
        plain, by_name = o.by_names(rest)
        if not when(*_native(o, operands), *plain, **by_name, **options):
            p = p._replace(how="composed", call=o.body)
    return p._replace(shapes=_shapes(o, operands, rest, options))


#: In-place functions of `operator` -> the latticework function whose result goes into the first operand.
_IN_PLACE = {
    "iadd": "add", "isub": "subtract", "imul": "multiply", "itruediv": "divide", "ifloordiv": "floor_divide",
    "imod": "remainder", "ipow": "pow", "imatmul": "matmul", "iand": "bitwise_and", "ior": "bitwise_or",
    "ixor": "bitwise_xor", "ilshift": "bitwise_left_shift", "irshift": "bitwise_right_shift",
}  # fmt: skip


def _of_in_place(function: Callable[..., Any], x1: Array, x2: Any, /) -> Plan:
    o = named(_IN_PLACE[function.__name__])
    shape = infer(function, x1, x2).shape  # finds what does not fit
    first, second = adapt(o, (x1, x2)) or (x1, x2)
    return planned_in_place(o, first, second)._replace(op=function.__name__, shapes=(shape,))


def _operands(o: Op, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...], Any]:
    """Split the arguments of a call: operands as lw.Arrays and scalars, then the others by position and by name."""
    if o.sequence:
        operands = tuple(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        rest: tuple[Any, ...] = ()
        if not o.spread and len(args) > 1 and isinstance(args[0], (list, tuple)):
            operands, rest = tuple(args[0]), args[1:]
    else:
        count = len(o.operands)
        operands, rest = args[:count], args[count:]
        operands, kw = o.in_order(operands, kw) or (operands, kw)
        if len(operands) != count:
            names = ", ".join(o.operands)
            raise TypeError(f"plan: {o.name} takes {count} operands ({names}); got {len(operands)}")
        optional = (*rest[: len(o.optional)], *(None,) * (len(o.optional) - len(rest)))
        optional = tuple(kw.pop(n, x) for n, x in zip(o.optional, optional, strict=True))
        if any(x is not None for x in optional):
            operands, rest = (*operands, *optional), rest[len(o.optional) :]
    return adapt(o, operands) or operands, rest, kw


def _native(o: Op, operands: tuple[Any, ...]) -> list[Any]:
    data = [x._data if isinstance(x, Array) else x for x in operands if x is not None]
    return [data] if o.sequence else data


def _shapes(o: Op, operands: tuple[Any, ...], rest: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """The shapes of the results, None where an argument that they depend on is not given."""
    leading = operands if o.sequence else operands[: len(o.operands)]
    named = {n: x for n, x in zip(o.optional, operands[len(leading) :], strict=False) if x is not None}
    try:
        o.signature.bind(*([leading] if o.sequence and not o.spread else leading), *rest, **named, **kw)
    except TypeError:
        return None
    return result_shapes(o, leading, rest, {**named, **kw})


def _of_creation(o: Op, args: tuple[Any, ...], kw: dict[str, Any]) -> Plan:
    dtype, device = kw.get("dtype"), kw.get("device")
    options = kw.keys() - {"dtype", "device"}
    p = creation_plan(o, None if dtype is None else as_dtype(dtype), device, options)
    return p._replace(shapes=result_shapes(o, (), args, kw))


def _of_composition(o: Op, args: tuple[Any, ...], kw: dict[str, Any], p: Plan | None) -> Plan:
    """The plan of a composition. What it gives is found by running its body on arrays without data."""
    assert o.body is not None
    policy = current()
    owner = p.backend.name if p else get(policy.backend).name
    found: Any = None
    with suppress(NoDataError):  # a body that looks at values
        found = infer(o.body, *args, backend=owner.removeprefix("abstract:").removeprefix("abstract") or None, **kw)
    results = tuple(x for x in (found if isinstance(found, (tuple, list)) else [found]) if isinstance(x, Spec))
    results = (found,) if isinstance(found, Spec) else results
    if p is None:
        dtype = results[0].dtype if results else policy.default_dtype
        p = Plan(
            o.name, get(owner), "composed", (), (), dtype, (dtype,), o.body, None, (dtype,), False, o.name,
            policy.rules, dtype,
        )  # fmt: skip
    if not results:  # the results are Python's own values, as in `allclose`, or the body looks at values
        return p._replace(out=(), native_out=(), shapes=()) if found is not None or o.wrap is None else p
    dtypes = tuple(x.dtype for x in results)
    return p._replace(out=dtypes, native_out=dtypes, weak=results[0].weak, shapes=tuple(x.shape for x in results))


def kernel_count(function: Callable[..., Any] | str | None = None, /, *, policy: Policy | None = None) -> int:
    """Count the cached kernels: ways to run a call, which later calls of the same kind reuse.

    There is one for each combination of function, operand dtypes, backend, names of the given options and policy
    that was met; functions of a sequence also have one for each number of arrays. More calls of the same kind add
    none, nor do other shapes or values. The last few hundred policies, which `using` makes, are remembered. The
    kernels of a forgotten policy go with it, and are made anew if it comes back. The count of all functions includes
    once more the kernels that the functions of native namespaces have found.

    Parameters
    ----------
    function: a function of latticework or its name; all of them by default.
    policy: one policy, as `using` gives it; all of them by default.

    Raises
    ------
    TypeError: for a function that is not latticework's.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(default_float="float16") as policy:
    ...     for _ in range(3):
    ...         x = lw.cos(lw.asarray([1, 2])) + 1.5
    ...     lw.kernel_count(lw.cos, policy=policy), lw.kernel_count(lw.add, policy=policy)
    (1, 1)
    """
    if function is None:
        tables = [*TABLES.values()]
    else:
        name = named(function).name
        tables = [TABLES[n] for n in (name, f"{name}=") if n in TABLES]
    found = 0
    for kernels in tables:  # under None lie those of the process default once more
        found += sum(_leaves(result) for p, result in [*kernels.items()] if p is not None and policy in (None, p))
    return found


def _leaves(kernels: Any) -> int:
    if not isinstance(kernels, dict):
        return 1
    return sum(_leaves(result) for key, result in [*kernels.items()] if key is not BY_VALUE)
