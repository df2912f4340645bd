"""Dtypes: casts, promotion, limits, defaults, and what a function or backend takes."""

from __future__ import annotations

from typing import Any, TypeVar

from ..backend import get
from ..core import dtypes
from ..core.device import Device
from ..core.dtypes import (
    CATEGORIES,
    SCALAR_KINDS,
    SCALARS,
    AnyDtype,
    Dtype,
    DtypeKind,
    DtypeLike,
    FInfo,
    IInfo,
    float_limits,
    int_limits,
    plain_scalar,
    takes,
)
from ..core.registry import functions as lw
from ..core.signature import Sig
from ..engine.arrays.array import Array
from ..errors import PromotionError, nearest
from ..policy import Policy, as_dtype, current, promotions
from ..promotion import Rules, rules_named
from ..promotion.operands import operand


def can_cast(from_: AnyDtype, to: AnyDtype, /) -> bool:
    """Return whether `from_` promotes to `to`: their common dtype under the active rules is `to` itself.

    Parameters
    ----------
    from_: a dtype or an array, whose dtype alone counts.
    to: a dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.can_cast(lw.int8, lw.int32), lw.can_cast(lw.int32, lw.int8)
    (True, False)
    """
    start = from_._sig.dtype if type(from_) is Array else from_
    try:
        return _promoted()["can_cast", start, to]  # type: ignore[return-value]
    except (KeyError, TypeError):
        pass
    policy, first, target = current(), as_dtype(start), as_dtype(to)
    try:
        found = policy.promote(first, target) is target
    except TypeError:
        found = False
    _keep_promoted(policy, ("can_cast", first, target), found)
    return found


def finfo(type: AnyDtype, /) -> FInfo:
    """Limits of a floating dtype: bits, eps, max, min, smallest_normal (Python floats) and dtype.

    The last is the backend's own dtype object (`numpy.dtype`, `torch.dtype`), as in NumPy, and equals the lw dtype.

    Parameters
    ----------
    type: a floating dtype, or an array of one. A complex dtype has the limits of its components.

    Raises
    ------
    TypeError: for a dtype that is not floating.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.finfo(lw.bfloat16).eps
    0.0078125
    """
    dtype = type.dtype if isinstance(type, Array) else as_dtype(type)
    if dtype.kind not in "fc":
        raise TypeError(f"finfo: takes floating dtypes; got {dtype}. Use lw.iinfo for integers")
    return _with_native_dtype(float_limits(dtype), type)


def iinfo(type: AnyDtype, /) -> IInfo:
    """Limits of an integer dtype: bits, max, min (Python ints) and dtype.

    The last is the backend's own dtype object (`numpy.dtype`, `torch.dtype`), as in NumPy, and equals the lw dtype.

    Parameters
    ----------
    type: an integer dtype, or an array of one.

    Raises
    ------
    TypeError: for a dtype that is not an integer's.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.iinfo(lw.uint16).max
    65535
    """
    dtype = type.dtype if isinstance(type, Array) else as_dtype(type)
    if dtype.kind not in "iu":
        raise TypeError(f"iinfo: takes integer dtypes; got {dtype}. Use lw.finfo for floats")
    return _with_native_dtype(int_limits(dtype), type)


Limits = TypeVar("Limits", FInfo, IInfo)


def _with_native_dtype(limits: Limits, dtype: Any) -> Limits:
    """Return the limits with the backend's own dtype object, like NumPy's finfo.

    They have the lw dtype where there is none, and where the backend's calls itself unequal to it, as MLX's does.
    """
    backend = dtype._sig.backend if isinstance(dtype, Array) else get(current().backend)
    native = backend.native_dtypes.get(limits.dtype, limits.dtype)
    found = _native_limits.get((limits.dtype, native))
    if found is None:
        same = native if native == limits.dtype else limits.dtype
        found = _native_limits[limits.dtype, native] = limits._replace(dtype=same)
    return found  # type: ignore[return-value]


#: The cache of limits, by dtype and by the dtype object in them.
_native_limits: dict[tuple[Dtype, Any], FInfo | IInfo] = {}


def isdtype(dtype: AnyDtype, kind: DtypeKind | tuple[DtypeKind, ...]) -> bool:
    """Return whether a dtype is of a kind.

    Parameters
    ----------
    dtype: a dtype.
    kind: a dtype, a category (``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``,
        ``"real floating"``, ``"complex floating"``, ``"numeric"``, and ``"storage"``, which is not the standard's),
        or a tuple of these, any of which will do.

    Raises
    ------
    TypeError, ValueError: for what is neither a dtype nor a category.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.isdtype(lw.uint8, ("signed integer", "unsigned integer"))
    True
    """
    try:
        return _of_kinds[dtype, kind]
    except (KeyError, TypeError):
        pass
    resolved = as_dtype(dtype)
    if isinstance(kind, tuple):
        found = any(isdtype(resolved, k) for k in kind)
    else:
        found = _is_of_kind(resolved, kind)
    parts = kind if type(kind) is tuple else (kind,)
    if len(_of_kinds) < _MOST_KINDS and all(type(k) is Dtype or type(k) is str for k in parts):
        _of_kinds[resolved, kind] = found
    return found


#: The cache of `isdtype`: (dtype, kind) -> the answer. No policy changes it.
_of_kinds: dict[Any, bool] = {}
_MOST_KINDS = 1 << 12


def _is_of_kind(resolved: Dtype, kind: Any) -> bool:
    if isinstance(kind, str) and kind in CATEGORIES:
        # "bool" is a dtype and a category at once, of the same meaning.
        return resolved.kind in CATEGORIES[kind] or (resolved.storage and takes(kind, resolved))
    if isinstance(kind, str) and kind not in Dtype._all:
        raise ValueError(f"isdtype: {kind!r} is neither a dtype nor a category{nearest(kind, CATEGORIES)}")
    return resolved is as_dtype(kind)


_promoted = promotions.get


def promote_types(type1: AnyDtype, type2: AnyDtype, /, rules: Rules | str | None = None) -> Dtype:
    """The common dtype of two dtypes.

    Parameters
    ----------
    type1, type2: lw dtypes, names, or a framework's own dtypes.
    rules: a rule set or its name (`lw.rule_names()` lists them); the active one by default.

    Raises
    ------
    PromotionError: (a TypeError) where the rules give the two no common dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.promote_types(lw.int32, lw.float16)
    lw.float16
    >>> lw.promote_types(lw.int32, lw.float16, rules="precise")
    lw.float64
    """
    if rules is None:
        try:
            return _promoted()[type1][type2]
        except (KeyError, TypeError):
            return _promote(type1, type2)
    chosen = rules_named(rules)
    return _of_two(_as_type(type1, chosen), _as_type(type2, chosen), chosen)


def _promote(type1: Any, type2: Any) -> Dtype:
    """The common dtype of two dtypes under the active policy, remembered."""
    policy = current()
    first, second = _as_type(type1, policy.rules), _as_type(type2, policy.rules)
    common = _of_two(first, second, policy.rules)
    row = _promoted().setdefault(first, {})
    row[second] = common
    if current() is not policy:  # another thread has changed the process default, and may have emptied the table before
        row.pop(second, None)
    return common


def _keep_promoted(policy: Policy, key: tuple[Any, ...], found: Any) -> None:
    """Remember what was found under a policy. No key is a dtype, which `promote_types` has its own under."""
    kept: Any = _promoted()
    kept[key] = found
    if current() is not policy:
        kept.pop(key, None)


def _of_two(first: Dtype | type, second: Dtype | type, rules: Rules) -> Dtype:
    default = current().default
    try:
        return rules.promote_types(first, second, default)
    except PromotionError as error:
        raise _refusal("promote_types", rules, (first, second), error) from None


def _refusal(name: str, rules: Rules, operands: tuple[Any, ...], error: PromotionError) -> PromotionError:
    """Return an error with the name of the function, and with the cast that would give a common dtype."""
    from ..promotion.explain import settling

    attempt = rules.result_type if name == "result_type" else rules.promote
    found = settling(rules, operands, current().default, attempt)
    cast = "" if found is None else f"x{found[0] + 1} as {found[1]}" if len(operands) > 1 else f"{found[1]}"
    named = PromotionError(f"{name}: {error}{cast and f'. They would have one with {cast}'}")
    named.why = error.why
    return named


def _as_type(x: Any, rules: Rules) -> Dtype | type:
    """A dtype, or a Python scalar type where the rules have a weak dtype for it."""
    if isinstance(x, type) and x in SCALAR_KINDS:
        return rules.scalar_type(x, current().default)
    return as_dtype(x)


def result_type(*arrays_and_dtypes: Any, rules: Rules | str | None = None) -> Dtype:
    """The common dtype of arrays, dtypes and Python scalars, however many.

    Parameters
    ----------
    arrays_and_dtypes: at least one. Arrays and dtypes count by dtype, Python scalars by kind; under the rules of a
        framework also by what else that framework looks at: dimensions, weak flags, values. `lw.Operand` stands
        for an array of which these are known.
    rules: a rule set or its name (`lw.rule_names()` lists them); the active one by default.

    Raises
    ------
    PromotionError: (a TypeError) where the rules give them no common dtype.
    ValueError: without an argument.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.result_type(lw.asarray([1], dtype=lw.int8), lw.uint8, 1.5)
    lw.float32
    >>> lw.result_type(lw.float32, lw.Operand(lw.float64, zero_dim=True), rules="torch")
    lw.float32
    """
    if not arrays_and_dtypes:
        raise ValueError("result_type: takes at least one array, dtype or Python scalar")
    if rules is None:
        key: Any = arrays_and_dtypes
        try:
            return _promoted()[key]  # type: ignore[return-value]  # of dtypes
        except (KeyError, TypeError):
            key = tuple([x._sig if type(x) is Array else _SCALAR_KEYS.get(type(x), x) for x in key])
        try:
            return _promoted()[key]  # type: ignore[return-value]  # with arrays and scalars
        except (KeyError, TypeError):
            pass
    policy = current()
    chosen = policy.rules if rules is None else rules_named(rules)
    operands = [operand(x, chosen, policy.default) for x in arrays_and_dtypes]
    try:
        common = chosen.result_type(operands, policy.default)
    except PromotionError as error:
        from ..engine.plans.advice import by_whom

        raise by_whom("result_type", _refusal("result_type", chosen, tuple(operands), error)) from None
    known = _KEPT if chosen.needs <= {"weak"} else (Dtype,)  # others look at dimensions and values
    if rules is None and len(key) < _MOST_KEPT and all(type(x) in known for x in key):
        _keep_promoted(policy, key, common)
    return common


class _ScalarKey:
    """A cache key for all Python scalars of one type. The numbers are no keys: numbers of different types are equal."""


_SCALAR_KEYS: dict[type, Any] = {kind: _ScalarKey() for kind in SCALAR_KINDS}
#: The types of the keys that are enough for rules which look at neither dimensions nor values.
_KEPT = (Dtype, Sig, _ScalarKey)
_MOST_KEPT = 4


def _operand(x: Any) -> Dtype | type:
    """Return what an argument promotes as: an array's dtype, a dtype itself, or a Python scalar type."""
    if isinstance(x, Array):
        return x.dtype
    if isinstance(x, SCALARS) and not hasattr(x, "dtype"):  # NumPy's float64 is a Python float as well
        return type(plain_scalar(x))
    return as_dtype(x)


def promote_types_of_inputs(x1: Array | complex, x2: Array | complex, /) -> tuple[Array, Array]:
    """Two operands, arrays or Python scalars, as arrays of their common dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.promote_types_of_inputs(lw.asarray([1, 2]), 0.5)
    (Array([1., 2.], dtype=float32), Array(0.5, dtype=float32))
    """
    common = result_type(x1, x2)
    device = next((x.device for x in (x1, x2) if isinstance(x, Array)), None)
    return _as(x1, common, device), _as(x2, common, device)


def _as(x: Array | complex, dtype: Dtype, device: Device | None) -> Array:
    return lw.astype(x, dtype, copy=False) if isinstance(x, Array) else lw.asarray(x, dtype=dtype, device=device)


def type_promote_arrays(x1: Array, x2: Array, /) -> tuple[Array, Array]:
    """Two arrays cast to their common dtype; one that has it already is returned as it is.

    Examples
    --------
    >>> import latticework as lw
    >>> a, b = lw.type_promote_arrays(lw.asarray([1]), lw.asarray([0.5]))
    >>> a.dtype, b.dtype
    (lw.float32, lw.float32)
    """
    common = result_type(x1, x2)
    return lw.astype(x1, common, copy=False), lw.astype(x2, common, copy=False)


def dtype(x: Array | complex, /, *, as_native: bool = False) -> Any:
    """The dtype of an array, or the default dtype of a Python scalar's kind.

    Parameters
    ----------
    x: an lw.Array, a framework's array or a Python scalar.
    as_native: give the framework's own dtype object: of the array's backend, or of the current one.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.dtype(1.5)
    lw.float32
    """
    if as_native and isinstance(x, Array):
        return as_native_dtype(x.dtype, backend=x.backend)
    return _native_or_ours(result_type(x), as_native)


def dtype_bits(dtype: DtypeLike, /) -> int:
    """The width of a dtype, in bits; 8 for bool. `Array.itemsize` has the bytes that an element takes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.dtype_bits(lw.complex64)
    64
    """
    return as_dtype(dtype).bits


def as_native_dtype(dtype: DtypeLike, /, *, backend: str | None = None) -> Any:
    """A backend's own dtype object; the current backend's by default.

    Raises
    ------
    BackendError: (a TypeError) where the backend has no such dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.as_native_dtype(lw.float32, backend="numpy")
    dtype('float32')
    """
    chosen = get(backend or current().backend)
    return chosen.native_dtypes[chosen.sig(as_dtype(dtype)).dtype]


def _is_kind(x: Any, kinds: str) -> bool:
    operand = _operand(x)
    return (operand.kind if isinstance(operand, Dtype) else SCALAR_KINDS[operand]) in kinds


def is_bool_dtype(x: Any, /) -> bool:
    """Return whether a dtype, array or Python scalar is bool.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.is_bool_dtype(True)
    True
    """
    return _is_kind(x, "b")


def is_int_dtype(x: Any, /) -> bool:
    """Return whether a dtype, array or Python scalar is an integer, signed or unsigned.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.is_int_dtype(lw.uint8)
    True
    """
    return _is_kind(x, "iu")


def is_uint_dtype(x: Any, /) -> bool:
    """Return whether a dtype or array is an unsigned integer.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.is_uint_dtype(lw.int8)
    False
    """
    return _is_kind(x, "u")


def is_float_dtype(x: Any, /) -> bool:
    """Return whether a dtype, array or Python scalar is real floating.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.is_float_dtype(lw.bfloat16)
    True
    """
    return _is_kind(x, "f")


def is_complex_dtype(x: Any, /) -> bool:
    """Return whether a dtype, array or Python scalar is complex.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.is_complex_dtype(1j)
    True
    """
    return _is_kind(x, "c")


def check_float(x: Any, /) -> Any:
    """Return the argument if it is a float or an array of a real floating dtype.

    Raises
    ------
    TypeError: for anything else.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.check_float(1.5)
    1.5
    """
    if not is_float_dtype(x):
        raise TypeError(f"check_float: takes a real floating array or scalar; got {_operand(x)}")
    return x


def valid_dtype(dtype: DtypeLike, /, *, backend: str | None = None) -> bool:
    """Return whether a backend, the current one by default, has a dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.valid_dtype(lw.uint16)
    True
    """
    return as_dtype(dtype) in get(backend or current().backend).native_dtypes


def invalid_dtype(dtype: DtypeLike, /, *, backend: str | None = None) -> bool:
    """Return whether a backend, the current one by default, lacks a dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.invalid_dtype(lw.uint16)
    False
    """
    return not valid_dtype(dtype, backend=backend)


def closest_valid_dtype(dtype: DtypeLike, /, *, backend: str | None = None) -> Dtype:
    """Return the dtype where the backend has it, else the nearest of its kind that the backend has, the wider first.

    Raises
    ------
    TypeError: where the backend has none of its kind.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.closest_valid_dtype("bfloat16")
    lw.bfloat16
    """
    wanted, chosen = as_dtype(dtype), get(backend or current().backend)
    if wanted in chosen.native_dtypes:
        return wanted
    have = [d for d in dtypes.all_dtypes if d.kind == wanted.kind and d in chosen.native_dtypes]
    if not have:
        raise TypeError(f"closest_valid_dtype: the {chosen.name} backend has no dtype of the kind of {wanted}")
    return min(have, key=lambda d: (d.bits < wanted.bits, abs(d.bits - wanted.bits)))


# --- defaults ------------------------------------------------------------------------------------------------------


def default_dtype(*, dtype: DtypeLike | None = None, item: Any = None, as_native: bool = False) -> Any:
    """The dtype to use, decided in four steps: the argument, the array, the scalar, the global default.

    Parameters
    ----------
    dtype: what the user asked for. If it is given, that is the answer.
    item: what to decide by otherwise. An array has its dtype. A Python scalar that says what the values are
        (`fill_value`, `start`) has the default dtype of its kind, and nested sequences that of all their scalars and
        arrays together. Numbers of another meaning (axes, shapes, counts) do not belong here.
    as_native: give the current backend's own dtype object.

    Returns
    -------
    A `Dtype`, the global default where there is neither: `lw.set_default_dtype` sets it.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.default_dtype(), lw.default_dtype(item=[1, 2]), lw.default_dtype(item=2.5, dtype=lw.float16)
    (lw.float32, lw.int32, lw.float16)
    """
    if dtype is not None:
        found = as_dtype(dtype)
    elif item is not None:
        found = _of_item(item)
    else:
        found = current().default_dtype
    return _native_or_ours(found, as_native)


def _native_or_ours(dtype: Dtype, as_native: bool) -> Any:
    return as_native_dtype(dtype) if as_native else dtype


def _of_item(item: Any) -> Dtype:
    """The dtype of an array, scalar or nested sequence of them; the global default of an empty one."""
    operands = _leaves(item)
    return current().promote(*operands) if operands else current().default_dtype


def _leaves(nested: Any) -> list[Dtype | type]:
    """The operands of promotion in something that may be a nested sequence."""
    found: dict[Dtype | type, None] = {}
    stack = [nested]
    while stack:
        x = stack.pop()
        if isinstance(x, (list, tuple, range)):
            stack.extend(x)
        else:
            found[_operand(x)] = None
    return list(found)


def _default_of_kind(kind: str, item: Any, as_native: bool) -> Any:
    operand = None if item is None else _of_item(item)
    found = operand if operand is not None and operand.kind == kind else current().own(kind)
    return _native_or_ours(found, as_native)


def default_float_dtype(*, item: Any = None, as_native: bool = False) -> Any:
    """The default float dtype, or that of `item` where it has a real floating dtype.

    Parameters
    ----------
    item: an array, Python scalar or nested sequence of them.
    as_native: give the current backend's own dtype object.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.default_float_dtype(), lw.default_float_dtype(item=lw.zeros(2, dtype=lw.float16))
    (lw.float32, lw.float16)
    """
    return _default_of_kind("f", item, as_native)


def default_int_dtype(*, item: Any = None, as_native: bool = False) -> Any:
    """The default int dtype, or that of `item` where it has a signed integer dtype.

    Parameters
    ----------
    item: an array, Python scalar or nested sequence of them.
    as_native: give the current backend's own dtype object.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.default_int_dtype(), lw.default_int_dtype(item=lw.zeros(2, dtype=lw.int8))
    (lw.int32, lw.int8)
    """
    return _default_of_kind("i", item, as_native)


def default_uint_dtype(*, item: Any = None, as_native: bool = False) -> Any:
    """The default uint dtype, or that of `item` where it has an unsigned integer dtype.

    Parameters
    ----------
    item: an array, Python scalar or nested sequence of them.
    as_native: give the current backend's own dtype object.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.default_uint_dtype(), lw.default_uint_dtype(item=lw.zeros(2, dtype=lw.uint8))
    (lw.uint32, lw.uint8)
    """
    return _default_of_kind("u", item, as_native)


def default_complex_dtype(*, item: Any = None, as_native: bool = False) -> Any:
    """The default complex dtype, or that of `item` where it has a complex dtype.

    Parameters
    ----------
    item: an array, Python scalar or nested sequence of them.
    as_native: give the current backend's own dtype object.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.default_complex_dtype(), lw.default_complex_dtype(item=lw.zeros(2, dtype=lw.complex128))
    (lw.complex64, lw.complex128)
    """
    return _default_of_kind("c", item, as_native)
