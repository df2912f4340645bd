"""The errors of calls that have no plan: what was given, which rule decided, and the cast that settles it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

from ...core.dtypes import KIND_ORDER, SCALAR_KINDS, Dtype, category, holding, takes
from ...core.registry import OPS
from ...errors import PromotionError, nearest
from ...policy import as_dtype
from ...promotion import Operand, operations
from ...promotion.explain import cast, settling
from ...promotion.families import decide
from ..op import by_keyword, how_to_call, parameters
from .casting import asked_at
from .request import Request, is_ours, name_of

if TYPE_CHECKING:
    from ..op import Op

__all__ = ["by_whom", "called_as", "check_bool", "misplaced", "no_array", "refused", "unexpected", "wrong_category"]


def called_for(name: str) -> str:
    """Return the latticework function that was called: `name`, or a function composed of it."""
    bodies = {o.body.__code__: o.name for o in OPS.values() if o.body is not None}
    frame, called = sys._getframe(1), name
    while frame is not None and (frame.f_globals.get("__package__") or "").partition(".")[0] == "latticework":
        called = bodies.get(frame.f_code, called)
        frame = frame.f_back  # type: ignore[assignment]
    return called


def by_whom(name: str, error: Exception) -> Exception:
    """Return the error; it names the function that was called where `name` is only a step of its composition."""
    called = called_for(name)
    inner, _, rest = str(error).partition(":")
    if called in (name, inner):
        return error
    outer = called.lstrip("_")
    if inner.lstrip("_") == outer:
        text = f"{outer}:{rest}"
    else:
        text = f"{outer}: in {error}" if rest and " " not in inner else f"{outer}: {error}"
    named = type(error)(text)
    vars(named).update(vars(error))
    return named


def called_as(name: str, error: Exception) -> Exception:
    """Return the error, changed to say the alias, where the function was called by one."""
    own = OPS[name].name
    if own != name:
        import re

        text = re.sub(rf"\b{own}(?=[:(])", name, str(error))
        error.args = (text, *error.args[1:])
    return error


def no_array(name: str, option: str, x: Any) -> TypeError:
    """Make the error for an array given for an option that is a Python number: derivatives by it would be lost."""
    return TypeError(
        f"{name}: {option} is a Python number, by which no derivative is taken; got an array of {x.dtype}. "
        f"Write float({option})"
    )


def unexpected(name: str, unknown: dict[str, Any], surplus: tuple[Any, ...] = ()) -> TypeError:
    """Make the error for keyword arguments that a function does not have: their names here, and what it takes.

    `surplus`: positional arguments that have no parameter.
    """
    f = OPS[name].function
    if surplus:
        way_out = f". Write lw.{name}(..., dtype={_shown_dtype(surplus[0])})" if _is_dtype(surplus[0]) else ""
        return TypeError(f"{name}: too many positional arguments. The call is {how_to_call(name, f)}{way_out}")
    return unexpected_by(name, f, unknown)


def _is_dtype(x: Any) -> bool:
    """Return whether an argument is a dtype: NumPy and JAX take it by position."""
    try:
        as_dtype(x)
    except (TypeError, ValueError):
        return False
    return x is not None


def _shown_dtype(x: Any) -> str:
    return x.__name__ if isinstance(x, type) else repr(x)


def unexpected_by(name: str, f: Callable[..., Any], unknown: dict[str, Any], skipped: int = 0) -> TypeError:
    """Like `unexpected`, for a function that is not declared. `skipped`: how many parameters to leave out (`self`)."""
    word = next(iter(unknown))
    hint = nearest(word, by_keyword(f)) or "."
    if word == "backend":  # which `asarray` and `default_rng` have
        hint = f"; arrays are made on the backend in force: with lw.using(backend={unknown[word]!r}): ..."
    return TypeError(
        f"{name}: got an unexpected keyword argument {word!r}{hint} The call is {how_to_call(name, f, skipped)}"
    )


def misfit(name: str, f: Callable[..., Any], error: TypeError) -> TypeError:
    """Make the error for arguments that do not fit a signature: Python's own text, and how to call the function."""
    said = str(error).removeprefix(f"{f.__qualname__}() ")
    return TypeError(f"{name}: {said}. The call is {how_to_call(name, f)}")


def with_key(
    name: str, f: Callable[..., Any], error: TypeError, args: tuple[Any, ...], kw: dict[str, Any]
) -> TypeError:
    """Add the call to write to the error of a random function whose arguments do not fit.

    Other libraries have no key; they take the parameters of a distribution first, and then the size.
    """
    code = f.__code__
    names = code.co_varnames[: code.co_argcount]
    rest, has_key = list(args), bool(args) and _is_key(args[0])
    if names[:1] != ("key",) or name == "random.key" or (has_key and "unexpected keyword" in str(error)):
        return error
    del rest[:has_key]
    named = {n: x for n, x in kw.items() if n in parameters(f) and n != "shape"}
    of_distribution = [n for n in parameters(f) if n not in ("key", "shape", "dtype", *named)]
    shape = kw.get("size", kw.get("shape"))
    if shape is None and (len(rest) > len(of_distribution) or (len(rest) > 1 and isinstance(rest[-1], (tuple, list)))):
        shape = rest.pop()
    given = dict(zip(of_distribution, rest, strict=False)) | named
    asked = names[1 : code.co_argcount - len(f.__defaults__ or ())]
    if len(rest) > len(of_distribution) or not {*asked} - {"shape"} <= {*given} or "key" in kw or not (args or kw):
        return error
    if shape is not None or "shape" in asked:
        given["shape"] = () if shape is None else shape if isinstance(shape, (tuple, list)) else (shape,)
    written, by_position = ["key" if has_key else "lw.random.key(0)"], True
    for n in (n for n in parameters(f) if n != "key"):
        by_position = by_position and n in given and n in names
        if n in given:
            x = given[n]
            shown = repr(x) if isinstance(x, (bool, int, float, str, tuple, list)) and len(repr(x)) < 40 else n
            written.append(shown if by_position else f"{n}={shown}")
    first = "" if has_key else " A key comes first."
    return TypeError(f"{str(error).rstrip('.')}.{first} Write lw.{name}({', '.join(written)})")


def _is_key(x: Any) -> bool:
    """Return whether an argument may be a key: two words of uint32, or a key of JAX."""
    dtype = str(getattr(x, "dtype", ""))
    return dtype.startswith("key<") or (dtype.endswith("uint32") and tuple(getattr(x, "shape", ())) in ((2,), (None,)))


def misplaced(op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> TypeError | None:
    """Make the error for an array in place of an int, a bool or a shape: other libraries order these differently.

    The annotations of the parameters decide. Return None if each argument may be what is meant.
    """
    given = {} if op.sequence else dict(zip((*op.operands, *op.optional), operands, strict=False))
    given |= {**dict(zip(op.by_position, args, strict=False)), **kw}
    for name, x in given.items():
        annotation = str(op.function.__annotations__.get(name, "Any"))
        if getattr(x, "shape", ()) and not any(word in annotation for word in _ARRAYS_TOO):
            expected, called = _EXPECTED.get(annotation, "takes no array"), op.name.lstrip("_")
            call = how_to_call(called, op.function)
            return TypeError(f"{called}: {name} {expected}; got an array of shape {x.shape}. The call is {call}")
    return None


def check_bool(name: str, option: str, value: Any) -> None:
    """Check a bool option that is given by position: another library has another parameter there."""
    single = getattr(value, "shape", None) == () and getattr(value, "dtype", None) == "bool"
    if not (single or (isinstance(value, int) and value in (0, 1))):
        call = how_to_call(name, OPS[name].function)
        raise TypeError(f"{name}: {option} must be a bool; got {value!r}. The call is {call}")


#: Words in the annotations of parameters that may be arrays as well.
_ARRAYS_TOO = ("Array", "Any", "Callable", "complex", "Bins", "Range", "Requested", "DtypeLike", "AnyDtype")
#: Annotations of parameters -> the text of the error for an array in their place.
_EXPECTED = {
    "Axes": "must be an int, a tuple of ints or None",
    "Ints": "must be an int or a tuple of ints",
    "Ints | None": "must be an int, a tuple of ints or None",
    "bool": "must be a bool",
    "float": "must be a number",
    "int": "must be an int",
    "int | None": "must be an int or None",
    "int | tuple[int, ...]": "must be an int or a tuple of ints",
    "int | tuple[int, ...] | None": "must be an int, a tuple of ints or None",
    "tuple[int, ...]": "must be a tuple of ints",
}


def refused(call: Request, joining: tuple[Any, ...], error: PromotionError) -> PromotionError:
    """Make the rules' own error again, with the function's name, the cast that settles it and the line to change."""
    name, text = call.op.name, str(error)
    if text.startswith(f"{name} of "):  # a family's own words, which begin with the function's name
        text = text.removeprefix(f"{name} of ")
        if len(joining) > 1:
            text = text.replace(" is refused under", " are refused under", 1)
    return PromotionError(f"{name}: {text}. {_way_out(call, joining)}{_caller()}")


def _way_out(call: Request, joining: tuple[Any, ...]) -> str:
    """Say what settles a refusal: where there is one, a cast that was tried."""
    op, policy = call.op, call.policy
    call_operands = call.operands
    places = [
        i for i, role in enumerate(op.roles(len(call_operands))) if role == "join" and call_operands[i] is not NoneType
    ]
    call_operands = call.joining if places else call_operands
    places = places or [*range(len(call_operands))]
    strong = {
        i: x if isinstance(x, Dtype) else x.dtype
        for i, x in enumerate(call_operands)
        if isinstance(x, (Dtype, Operand))
    }
    scalars = {i: x if isinstance(x, type) else type(x) for i, x in enumerate(call_operands) if i not in strong}

    def attempt(operands: Sequence[Any], default: Any) -> None:
        if is_ours(policy.rules):
            computed = operations.computed_in(op.accepts, policy.promote(*operands), policy)
            if not takes(op.accepts, computed):
                raise PromotionError(op.accepts)
        else:
            decide(policy.rules, op.name, operands, default, dtype=call.dtype, in_place=call.in_place)

    def settles(target: Dtype, *which: int) -> bool:
        if any(i in strong and strong[i].kind == "c" != target.kind for i in which):
            return False  # the cast would drop imaginary parts
        try:
            attempt([cast(x, target) if n in which else x for n, x in enumerate(call_operands)], policy.default)
        except (PromotionError, TypeError):
            return False
        return True

    def named(i: int) -> str:
        if op.sequence:
            return f"x{i + 1}" if len(call_operands) > 1 else "x"
        return (*op.operands, *op.optional)[places[i]]

    if not strong:
        return "Give an array in place of a Python scalar: lw.asarray(value, dtype=dtype)"
    wide = max(strong.values(), key=lambda d: (KIND_ORDER.get(d.kind, 0), d.bits))
    if len({*strong.values()}) == 1 and not scalars:  # of one dtype, the rules do not take it
        defaults = [policy.default(kind) for kind in "if" if KIND_ORDER[kind] >= KIND_ORDER.get(wide.kind, 9)]
        wider = [d for d in policy.rules.dtypes if d.use == "compute" and d.kind == wide.kind and d.bits > wide.bits]
        target = next((d for d in (*wider, *defaults) if settles(d, *strong)), None)
        if target is not None:
            casts = ", ".join(dict.fromkeys(f"lw.astype({named(i)}, lw.{target})" for i in strong))
            return f"{'Cast first' if len(strong) == 1 else 'Cast each'}: {casts}"
    likely = [(i, wide) for i, d in strong.items() if d is not wide]
    highest = max(scalars.values(), key=lambda s: KIND_ORDER[SCALAR_KINDS[s]], default=None)
    if highest is not None and len(strong) == 1:
        kinds = dict.fromkeys((SCALAR_KINDS[highest], "f"))  # a float also for an int that is divided by
        likely = [(i, policy.default(kind)) for kind in kinds for i in strong]
    found = next(((i, target) for i, target in likely if settles(target, i)), None)
    found = found or settling(policy.rules, call_operands, policy.default, attempt)
    if found is not None and found[1].use == "compute":
        first = "Cast the array first" if scalars else "Cast first"
        return f"{first if len(strong) == 1 else 'Cast one'}: lw.astype({named(found[0])}, lw.{found[1]})"
    if scalars:
        i, scalar = next(iter(scalars.items()))
        as_array = wide if KIND_ORDER[SCALAR_KINDS[scalar]] <= KIND_ORDER.get(wide.kind, 0) else policy.default("f")
        if settles(as_array, i):
            return f"Give an array in place of the Python {scalar.__name__}: lw.asarray(value, dtype=lw.{as_array})"
    if all(d.storage for d in strong.values()):
        target = max(map(holding, strong.values()), key=lambda d: (d.bits, d.exponent))
        return f"Cast each: {', '.join(f'lw.astype({named(i)}, lw.{target})' for i in strong)}"
    candidates = [d for d in policy.rules.dtypes if d.use == "compute"]
    return (
        f"These rules take {', '.join(map(str, candidates))} alone"
        if {*strong.values()} - {*candidates}
        else _NO_WAY_OUT
    )


_NO_WAY_OUT = "No cast of one operand settles it; other rules may take it: lw.using(rules='unified')"


def _caller() -> str:
    """Return ` (file.py:12)`: the innermost line that is not latticework's, the line to change."""
    at = asked_at()
    return f" ({at[0]}:{at[1]})" if at else ""


def wrong_category(op: Op, operands: tuple[Dtype | type, ...], computed: Dtype) -> str:
    listed = [name_of(x) for x in operands if x is not NoneType]
    found = " and ".join(listed)
    promoted = f", which promote to {computed}" if len(listed) > 1 else ""
    taken = f"{op.accepts} dtypes ({', '.join(map(str, category(op.accepts)))})"
    way_out = "Cast first: lw.astype(x, dtype)"
    if computed.storage:
        promoted = f"; {computed} is a storage dtype, in which nothing is computed"
        way_out = f"Cast first: lw.astype(x, lw.{holding(computed)})"
    return f"{op.name.lstrip('_')}: takes {taken}; got {found}{promoted}. {way_out}"
