"""Operands that are no `Array`: frameworks' own arrays, NumPy's scalars, enums, and objects that are no operands."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from opcode import opname
from types import NoneType
from typing import TYPE_CHECKING, Any

from ...backend import of
from ...core.dtypes import SCALARS, Dtype, plain_scalar
from ...core.registry import functions as lw
from ...core.signature import Sig
from ...errors import PromotionError
from ...policy import current
from ...promotion.operands import as_number, is_numpy_scalar
from ..arrays.array import HOLDERS, Array, wrapped
from ..arrays.number import NUMBERS, TAKES_NUMBERS
from ..functions.without_data import without_data
from ..plans.advice import by_whom

if TYPE_CHECKING:
    from ...backend import Backend
    from ..op import Op

__all__ = ["adapt", "as_operand", "as_operands", "foreign", "signature_by"]

#: Types of operands that are taken as they are: Python scalars, and None for an operand that is not given.
_AS_THEY_ARE = frozenset((*SCALARS, NoneType))
#: The same types and, where they are allowed, Python numbers that are inputs of a graph.
_WITH_NUMBERS = _AS_THEY_ARE | {*NUMBERS}


def adapt(o: Op, operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Convert the frameworks' own arrays and NumPy scalars among operands to `Array`s; return None if there are none.

    Scalars of a subclass of Python's own, such as an enum's members, become Python's own.
    """
    if any(x is None for x in operands):
        _check_present(o, operands)
    taken = _AS_THEY_ARE if o.name not in TAKES_NUMBERS else _WITH_NUMBERS
    if all(isinstance(x, Array) or type(x) in taken for x in operands):
        if not any(isinstance(x, Array) for x in operands):
            return _of_scalars(o, operands)
        return without_data(operands)
    ours = next((x._sig.backend for x in operands if isinstance(x, Array)), None)
    rules = current().rules
    if rules.numpy_operands and ours is not None:
        operands = tuple(as_number(x, rules) if is_numpy_scalar(x) else x for x in operands)
    scalars = tuple(plain_scalar(x) if isinstance(x, SCALARS) and of(x) is None else x for x in operands)
    result = tuple(x if isinstance(x, Array) or type(x) in _AS_THEY_ARE else as_operand(o, x, ours) for x in scalars)
    result = without_data(result) or result
    weak = [*map(_is_weak, scalars)] if not current().weak_arrays else []  # else the signatures say so
    return _with_weak(o, result, weak) if any(weak) else result


def _check_present(o: Op, operands: tuple[Any, ...]) -> None:
    """Refuse None for an operand that may not be left out."""
    kinds = o.function.__annotations__
    if o.sequence:
        required = operands
    else:
        required = tuple(x for n, x in zip(o.operands, operands, strict=False) if "None" not in str(kinds[n]))
    if any(x is None for x in required):
        name = o.name.lstrip("_")
        raise by_whom(name, TypeError(f"{name}: takes arrays; got NoneType"))


def _of_scalars(o: Op, operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Convert the first joining operand to an array where all are Python scalars: the others join it as usual."""
    present = [i for i, x in enumerate(operands) if x is not None]
    if not present or not current().rules.takes_scalars:
        return None
    roles = o.roles(len(operands))
    first = next((i for i in present if roles[i] == "join"), present[0])
    return (*operands[:first], as_operand(o, operands[first]), *operands[first + 1 :])


def _is_weak(x: Any) -> bool:
    """Return whether x is no stronger than a Python scalar.

    That is a weak array of JAX, as a compiled function is given, or a NumPy array under rules for which these give way.
    """
    owner = None if isinstance(x, Array) or type(x) in _AS_THEY_ARE else of(x)
    if owner is None:
        return False
    if current().rules.numpy_operands == "weak" and hasattr(x, "__array_interface__"):
        return True
    return owner.is_weak is not None and owner.is_weak(x)


def _with_weak(o: Op, made: tuple[Any, ...], weak: list[bool]) -> tuple[Any, ...]:
    """Cast the weak operands to the dtype that a Python scalar of their kind would have beside the others."""
    joining = [role == "join" for role in o.roles(len(made))]
    strong = [x for x, gives_way, joins in zip(made, weak, joining, strict=True) if joins and not gives_way]
    strong = [x for x in strong if x is not None]
    dtypes = [x.dtype if isinstance(x, Array) else type(x) for x in strong]
    if not any(isinstance(d, Dtype) for d in dtypes):
        return made
    result = [*made]
    for i, x in enumerate(made):
        if weak[i] and joining[i]:
            try:
                dtype = current().promote(*dtypes, _SCALAR_OF_KIND[x.dtype.kind])
            except PromotionError:
                continue  # the plan has a better error
            backend = x._sig.backend
            result[i] = wrapped(backend.cast(backend.native_dtypes[dtype])(x._data), backend.sig(dtype))
    return tuple(result)


_SCALAR_OF_KIND: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def as_operand(o: Op, x: Any, backend: Any = None) -> Array:
    """Convert one operand to an `Array`: a framework's own array is wrapped, a NumPy or Python scalar becomes 0-d.

    `backend` is the backend of the other operands: a NumPy scalar, or a 0-d NumPy array, joins it and keeps its dtype.
    A Python scalar alone has the default dtype of its kind, and is weak under rules that have weak arrays.
    """
    if isinstance(x, Array):
        return x
    held = HOLDERS.get(type(x))
    if held is not None:
        return held.array(x)
    owner = of(x)
    if owner is None:
        if isinstance(x, SCALARS) and current().rules.takes_scalars:
            return lw.asarray(plain_scalar(x), backend=None if backend is None else backend.name)
        name = o.name.lstrip("_")
        raise by_whom(name, TypeError(f"{name}: takes arrays; got {_described(x)}{_way_out(x)}"))
    if backend is not None and owner is not backend and _is_scalar(owner, x):
        sig = backend.sig(owner.sig_of(x).dtype)  # or an error that says that the backend has no such dtype
        value: Any = x.item()
        return wrapped(backend.native(backend.scalar(backend.native_dtypes[sig.dtype])(value)), sig)
    return wrapped(owner.native(x), signature_by(owner, x))


def _is_scalar(owner: Any, x: Any) -> bool:
    """Return whether an array joins arrays of other frameworks: a NumPy scalar, or a 0-d NumPy array."""
    return owner.scalars != () and (isinstance(x, owner.scalars) or x.shape == ())


def as_operands(o: Op, operands: Iterable[Any], *, joined: bool = False) -> list[Array]:
    """Convert the operands of a composition to arrays. Python scalars get the backend and device of arrays beside them.

    `joined`: the scalars take the dtype that they promote to beside the arrays, and not the default of their kind.
    """
    result = [*operands]
    plain = [isinstance(x, SCALARS) and of(x) is None for x in result]
    if all(plain) or not any(plain) or not current().rules.takes_scalars:
        return [as_operand(o, x) for x in result]
    made = [x if scalar else as_operand(o, x) for x, scalar in zip(result, plain, strict=True)]
    arrays = [x for x, scalar in zip(made, plain, strict=True) if not scalar]
    dtypes, device = [x.dtype for x in arrays], arrays[0].device
    for i, scalar in enumerate(plain):
        if scalar:
            value = plain_scalar(made[i])
            dtype = current().promote(*dtypes, type(value)) if joined else None
            made[i] = lw.asarray(value, dtype=dtype, backend=device.backend, device=device)
    return made


def _described(x: Any) -> str:
    if isinstance(x, SCALARS):
        return f"the Python {type(x).__name__} {x!r}, which the {current().rules.name} rules take for no array"
    return type(x).__name__


def _way_out(x: Any) -> str:
    """Return the line to write where a sequence or a scalar is given for an array."""
    from ..calls.rewriting import as_array, is_listing, rewritten  # only on the way to an error

    if not is_listing(x):
        return ""
    call = rewritten(x)
    return f". Make an array of it: {as_array(x)}" if call is None else f". Write {call}"


def signature_by(owner: Backend, x: Any) -> Sig:
    """Return the signature of a framework's own array: weak for a weak array of JAX, under rules with weak arrays."""
    sig = owner.sig_of(x)
    return sig.weakly if getattr(x, "weak_type", False) is True and current().weak_arrays else sig


def foreign(x: Any, left: Any = None, name: str = "", right: Any = None) -> bool:
    """Return whether an operator leaves the turn to its other operand: it is no array or scalar that a backend knows.

    A list or a tuple has no turn, so that the error says what to write: a 0-d integer would repeat it, where NumPy
    multiplies. Only a list that grows by the rows of an array has a turn: ``rows += x``.

    Parameters
    ----------
    left, right: the array on the left or the right of `x`.

    Raises
    ------
    TypeError: a list or a tuple is multiplied with a 0-d integer, which has two meanings.
    """
    if type(x) in (list, tuple) and name:
        array = right if left is None else left
        if name == "multiply" and array.shape == () and array.dtype.kind in "iu":
            raise TypeError(
                f"multiply: takes arrays; got {type(x).__name__}{_way_out(x)}. To repeat the {type(x).__name__} as "
                f"often as the array says: x * int(n)"
            )
        return name == "add" and left is None and type(x) is list and not _adds(3)
    return not (isinstance(x, (Array, *SCALARS)) or of(x) is not None)


def _adds(depth: int) -> bool:
    """Return whether the code `depth` frames above is at a ``+``; a ``+=`` calls the same method."""
    frame = sys._getframe(depth + 1)
    code, at = frame.f_code.co_code, frame.f_lasti
    return opname[code[at]].startswith("BINARY_OP") and code[at + 1] == _PLUS


_PLUS = 0  # the number of the operator in that instruction
