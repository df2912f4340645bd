"""From a plan to what runs it.

A kernel takes native operands. Where a call has one result and the backend gives it as it is, so does the kernel, and
the dispatcher makes an `Array` of it; else the kernel gives what the function gives. There is one for each
function, policy and combination of signatures; see `plans.kernel_count`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from types import NoneType
from typing import TYPE_CHECKING, Any

from ..core.dtypes import KIND_ORDER, SCALAR_KINDS, Dtype, int_limits, uint64
from ..core.signature import Sig
from ..errors import BackendError, PromotionError
from ..policy import call_under, current, unified
from ..promotion import RULES, Rules
from ..promotion.families import family_of
from . import dispatch
from .array import Array, wrapped
from .call import is_ours
from .casting import recorded
from .plan import Plan

if TYPE_CHECKING:
    from ..backends import Backend
    from .op import Op

__all__ = ["finished", "guarded", "kernel_from", "quickest", "runner_from", "step_from"]


def runner_from(o: Op, p: Plan) -> Callable[..., Any]:
    """From native operands to the native result: the plan's function, behind whatever casts it needs."""
    if p.how == "composed" or hasattr(p.call, "when"):
        kernel = finished(*kernel_from(o, p, ()))
        return lambda *data: kernel(*data)._data
    run = _casting(o, p)
    if p.array_dtype.kind in "iu" and p.computed.kind in "iu" and _takes_any_int(p.rules, o.name) and int in p.operands:
        return _compared(o, p, run)
    if p.gives_out:
        return run
    cast = p.backend.module.cast(p.backend.native[p.out[0]])
    return lambda *data: cast(run(*data))


#: Whether a comparison holds of integers and an int above all of them; of an int below, the ordering ones turn round.
_OF_GREATER = {"less": True, "less_equal": True, "greater": False, "greater_equal": False}


def _takes_any_int(rules: Rules, name: str) -> bool:
    """Whether a comparison takes ints beyond the integers that they are compared with, as NumPy's do."""
    if (name not in _OF_GREATER and name not in ("equal", "not_equal")) or is_ours(rules):
        return False
    return family_of(rules, name).any_int


def _compared(o: Op, p: Plan, run: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison with a Python int, which is the same for all elements where the int lies beyond their dtype."""
    _, high, low, _ = int_limits(p.computed)
    at = p.operands.index(int)
    dtype = p.operands[1 - at]
    assert isinstance(dtype, Dtype)
    true, false = (p.backend.function(name, dtype) for name in ("equal", "not_equal"))
    assert true is not None
    assert false is not None

    def compare(d1: Any, d2: Any) -> Any:
        value, data = (d2, d1) if at else (d1, d2)
        if low <= value <= high:
            return run(d1, d2)
        holds = _OF_GREATER[o.name] is ((value > high) == bool(at)) if o.name in _OF_GREATER else o.name == "not_equal"
        return (true if holds else false)(data, data)

    return compare


def _casting(o: Op, p: Plan) -> Callable[..., Any]:
    """As `_runner`, with the result as the backend's function gives it."""
    call, steps = _placing(p, quickest(p)), _steps(o, p)
    swapped = p.backend.reflected.get(p.function) if p.how == "native" and isinstance(p.operands[0], type) else None
    if swapped is not None:
        taken = p.backend.module.takes_scalar(p.function, 1, p.computed)
        swapped = swapped if taken else _placing(p, swapped)
        value = step_from(o, p, 0, raw=taken)
        other = steps[1]
        if other:
            return lambda d1, d2: swapped(other(d2), value(d1) if value else d1)
        least, most = getattr(value, "as_they_are", (1, 0))
        if value and least <= most:
            return lambda d1, d2: swapped(d2, d1 if least <= d1 <= most else value(d1))
        return (lambda d1, d2: swapped(d2, value(d1))) if value else (lambda d1, d2: swapped(d2, d1))
    if any(steps) and p.how == "native" and all(isinstance(d, Dtype) for d in p.operands):
        together = p.backend.together(call, tuple(steps), p.operands, p.computed)
        if together is not None:
            return together
    match steps:
        case [None] | [None, None]:
            return call
        case [first]:
            return lambda d: call(first(d))  # type: ignore[misc]
        case [first, None]:
            least, most = getattr(first, "as_they_are", (1, 0))
            if least <= most:
                return lambda d1, d2: call(d1 if least <= d1 <= most else first(d1), d2)  # type: ignore[misc]
            return lambda d1, d2: call(first(d1), d2)  # type: ignore[misc]
        case [None, second]:
            least, most = getattr(second, "as_they_are", (1, 0))
            if least <= most:  # a frame less for the ints that most programs write
                return lambda d1, d2: call(d1, d2 if least <= d2 <= most else second(d2))  # type: ignore[misc]
            return lambda d1, d2: call(d1, second(d2))  # type: ignore[misc]
        case _:  # functions of more operands are dispatched as those with options are
            first, second = steps
            return lambda d1, d2: call(first(d1), second(d2))  # type: ignore[misc]


def _placing(p: Plan, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function of native operands, of which those made of Python scalars lie where the others do."""
    placed = _placed(p)
    return call if placed is None else lambda *operands, **options: call(*placed(operands), **options)


def _placed(p: Plan) -> Callable[[Iterable[Any]], list[Any]] | None:
    """What takes native operands made of Python scalars to the device of the others; None where nothing has to."""
    placed: Callable[[Iterable[Any]], list[Any]] | None = getattr(p.backend.module, "placed", None)
    scalars = [i for i, x in enumerate(p.operands) if isinstance(x, type) and x is not NoneType]
    return None if placed is None or all(_is_taken(p, i) for i in scalars) else placed


def quickest(p: Plan, *, elements: bool = False) -> Callable[..., Any]:
    """Return the function of a plan, or the backend's quicker one for an array and a Python scalar, or for elements."""
    if p.how != "native" or not (elements or isinstance(p.operands[-1], type)):
        return p.call
    return p.backend.quicker.get((p.function, p.computed, "elements" if elements else "scalar"), p.call)


def kernel_from(o: Op, p: Plan, options: Collection[str], *, alone: bool = False) -> dispatch.Kernel:
    """From native operands and options to the native result, with its signature; or to results of ours, with None.

    `alone` says that a call has no arguments but an array: there the backend may have a quicker function.

    A mixed function that a backend has is the composition all the same where it is given an array for an option, and
    where the backend's predicate says no. That is asked at each call, of the operands as the plan casts them.
    """
    if p.how == "composed":
        return _composition(o, p), None
    if o.body is not None and not o.array_options.isdisjoint(options):
        return _composition(o, p._replace(how="composed", call=o.body)), None
    when = getattr(p.call, "when", None)
    if when is None:
        quick = p.backend.quicker.get((p.function, p.computed, "alone")) if alone else None
        if quick and p.operands == (p.computed,) and p.native_out == p.out == p.operands:
            return quick, p.sigs[0]
        return _direct(o, p)
    if o.body is None:
        raise BackendError(f"{o.name}: the {p.backend.name} backend's function has a predicate but there is no body")
    steps = [_array_step(o, p, i) for i in range(len(p.operands))]
    cast = p._replace(
        operands=tuple(c if s and c else d for s, c, d in zip(steps, p.casts, p.operands, strict=True)),
        casts=tuple(None if s else c for s, c in zip(steps, p.casts, strict=True)),
    )
    native, composition = finished(*_direct(o, cast)), _composition(o, cast._replace(how="composed", call=o.body))

    def chosen(*arguments: Any, **kw: Any) -> Any:
        return (native if when(*arguments, **kw) else composition)(*arguments, **kw)

    return (_after_casts(o, steps, _placing(p, chosen)) if any(steps) else chosen), None


def finished(run: Callable[..., Any], sig: Sig | None) -> Callable[..., Any]:
    """What gives results of ours, whether or not the dispatcher would have to make them."""
    if sig is None:
        return run
    return lambda *arguments, **kw: wrapped(run(*arguments, **kw), sig)


def _array_step(o: Op, p: Plan, position: int) -> Callable[[Any], Any] | None:
    """What is done to an operand that is an array; None for one that stays as it is, and for a Python scalar."""
    return step_from(o, p, position) if isinstance(p.operands[position], Dtype) else None


def _after_casts(o: Op, steps: list[Callable[[Any], Any] | None], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel, given the operands cast already."""
    if o.sequence:
        return lambda data, *args, **kw: kernel(
            [s(d) if s else d for s, d in zip(steps, data, strict=True)], *args, **kw
        )
    n = len(o.operands)
    named = [(name, s) for name, s in zip(o.optional, steps[n:], strict=False) if s is not None]

    def call(*arguments: Any, **kw: Any) -> Any:
        for name, step in named:
            kw[name] = step(kw[name])
        return kernel(*[s(d) if s else d for s, d in zip(steps, arguments, strict=False)], *arguments[n:], **kw)

    return call


def _composition(o: Op, p: Plan) -> Callable[..., Any]:
    """From native operands and options to results of ours, by the function's own body.

    The body is written for the unified rules, and runs with these under all others: what it gives becomes what the
    others say, as its operands come in the dtype that they decided on.
    """
    body, steps, sequence = p.call, _steps(o, p), o.sequence
    sigs: list[Any] = [
        None if d is NoneType else p.backend.sig(c or d)  # type: ignore[arg-type]
        for c, d in zip(p.casts, p.operands, strict=True)
    ]
    options = {"dtype": p.accumulate} if p.accumulate else {}
    leading = len(sigs) if sequence else len(o.operands)
    placed = _placed(p)
    named = [(n, s, g) for n, s, g in zip(o.optional, steps[leading:], sigs[leading:], strict=False) if g is not None]

    def composition(*arguments: Any, **kw: Any) -> Any:
        data, args = (arguments[0], arguments[1:]) if sequence else (arguments[:leading], arguments[leading:])
        natives = [s(d) if s else d for s, d in zip(steps, data, strict=False)]
        arrays = [wrapped(d, g) for d, g in zip(placed(natives) if placed else natives, sigs, strict=False)]
        for n, s, g in named:
            kw[n] = wrapped(s(kw[n]) if s else kw[n], g)
        return body(*([arrays] if sequence and not o.spread else arrays), *args, **options, **kw)

    fuse = getattr(p.backend.module, "fused", None) if o.wrap is Array and not sequence else None
    if (
        fuse is not None and o.name in p.backend.module.FUSED and not current().casting
    ):  # casts are counted call by call
        composition = fuse(composition, leading)
    if p.rules is RULES["unified"]:
        return composition
    fit = _fitting(o, p)

    def fitted(*arguments: Any, **kw: Any) -> Any:
        return fit(composition(*arguments, **kw))

    def under_unified(*arguments: Any, **kw: Any) -> Any:
        return call_under(unified(current()), fitted, arguments, kw)

    return under_unified


def _fitting(o: Op, p: Plan) -> Callable[[Any], Any]:
    """Results of ours as the plan has them."""

    def fit(x: Array, sig: Sig) -> Array:
        same = x._sig.dtype is sig.dtype
        return wrapped(x._data if same else p.backend.module.cast(p.backend.native[sig.dtype])(x._data), sig)

    sigs = p.sigs
    if o.wrap is Array:
        return lambda r: fit(r, sigs[0])
    if o.wrap is tuple and len(sigs) == 1:
        return lambda r: tuple([fit(x, sigs[0]) for x in r])
    if o.wrap is tuple:
        return lambda r: tuple([fit(x, s) for x, s in zip(r, sigs, strict=True)])
    return lambda r: o.wrap(*[fit(x, s) for x, s in zip(r, sigs, strict=True)])


def _direct(o: Op, p: Plan) -> dispatch.Kernel:
    """From native operands and options to the native result or to results of ours, by the backend's function."""
    call, steps, n = _placing(p, p.call), _steps(o, p), len(o.operands)
    native = {"dtype": p.backend.native[p.accumulate]} if p.accumulate else {}
    if o.wrap is Array and p.native_out == p.out:
        wrap, out = None, p.sigs[0]
    else:
        wrap, out = _wrap(o, p), None
    if o.sequence:
        return _wrapping(_after_casts(o, steps, call) if any(steps) else call, wrap), out
    if n == len(steps) == 1:
        return _wrapping(_of_one(call, steps[0], native.get("dtype")), wrap), out
    if not (any(steps) or native):
        return _wrapping(call, wrap), out
    named = [(name, s) for name, s in zip(o.optional, steps[n:], strict=False) if s is not None]

    def general(*arguments: Any, **kw: Any) -> Any:
        for name, step in named:
            kw[name] = step(kw[name])
        return call(*[s(d) if s else d for s, d in zip(steps, arguments, strict=False)], *arguments[n:], **native, **kw)

    return _wrapping(general, wrap), out


def _wrapping(call: Callable[..., Any], wrap: Callable[[Any], Any] | None) -> Callable[..., Any]:
    return call if wrap is None else lambda *arguments, **kw: wrap(call(*arguments, **kw))


def _of_one(call: Callable[..., Any], first: Callable[[Any], Any] | None, dtype: Any) -> Callable[..., Any]:
    """The backend's function of one array, after a cast, and with the dtype that it computes in. A call without options
    takes half."""
    if first is None and dtype is None:
        return call

    def cast(d: Any, *more: Any, **kw: Any) -> Any:
        return call(first(d), *more, **kw) if more or kw else call(first(d))  # type: ignore[misc]

    def reduced(d: Any, *more: Any, **kw: Any) -> Any:
        if first:
            d = first(d)
        return call(d, *more, dtype=dtype, **kw) if more or kw else call(d, dtype=dtype)

    return cast if dtype is None else reduced


def _steps(o: Op, p: Plan) -> list[Callable[[Any], Any] | None]:
    return [step_from(o, p, i) for i in range(len(p.operands))]


def step_from(o: Op, p: Plan, position: int, *, raw: bool = False) -> Callable[[Any], Any] | None:
    """What is done to one operand before the call: nothing, a cast, or a Python scalar made fit."""
    operand, cast, module = p.operands[position], p.casts[position], p.backend.module
    if operand is NoneType:
        return None
    if isinstance(operand, Dtype):
        step: Callable[[Any], Any] | None = None if cast is None else module.cast(p.backend.native[cast])
        if operand is uint64 and step is not None and o.roles(len(p.operands))[position] == "index":
            return _positions(p.backend, step)
        return step
    assert cast is not None  # a scalar always has a dtype to become
    raw = (raw or _is_taken(p, position)) and KIND_ORDER[SCALAR_KINDS[operand]] <= KIND_ORDER[cast.kind]
    make: Callable[[Any], Any] | None = None if raw else module.scalar(p.backend.native[cast])
    if operand is int and (cast.kind in "iu" or not _plain_range(p.rules)):
        return _checked(o, p, cast, make, last=position == len(p.operands) - 1)
    if raw and operand is bool and cast.kind != "b":
        return int  # not every framework computes with a bool and a number
    if raw and operand is int and cast.kind in "fc":
        return p.backend.int_as_float
    return make


def _is_taken(p: Plan, position: int) -> bool:
    """Whether the backend's function takes a Python scalar for an operand as it is."""
    if p.how != "native" and not getattr(p.call, "takes_scalars", False):
        return False
    cast = p.casts[position]
    return cast is not None and bool(p.backend.module.takes_scalar(p.function, position, cast))


def _positions(backend: Backend, cast: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Positions of uint64: those that the signed dtype does not hold are beyond any array, not counted from the end."""
    minimum, scalar = backend.function("minimum", uint64), backend.module.scalar(backend.native[uint64])
    assert minimum is not None
    return lambda d: cast(minimum(d, scalar(2**63 - 1)))


def _plain_range(rules: Rules) -> bool:
    """Whether Python ints are taken where they fit the dtype, by these rules; else `rules.takes` has to be asked."""
    return type(rules).takes is Rules.takes or "value" in rules.needs


def _checked(o: Op, p: Plan, cast: Dtype, make: Callable[[Any], Any] | None, *, last: bool) -> Callable[[int], Any]:
    """Make a Python int fit the dtype that it becomes, or say why it does not."""
    rules = p.rules
    _, high, low, _ = int_limits(cast) if cast.kind in "iu" else (0, math.inf, -math.inf, 0)

    def refuse(value: int) -> OverflowError:
        if low <= value <= high:
            return OverflowError(
                f"{o.name}: Python int {value} is not taken beside {p.array_dtype} by the {rules.name} rules. "
                f"Make an array of it, of a dtype that holds it: lw.asarray(value, dtype=dtype)"
            )
        return OverflowError(
            f"{o.name}: Python int {value} does not fit {cast}, which holds {low} to {high}. "
            f"Cast the array to a wider dtype first: lw.astype(x, dtype)"
        )

    def checked(value: int) -> Any:
        if not low <= value <= high:
            raise refuse(value)
        return make(value) if make else value

    if _plain_range(rules):
        return checked
    finish = make or (p.backend.int_as_float if cast.kind in "fc" else None)

    negative = cast.kind in "iu" and last and family_of(rules, o.name).no_negative

    def wrapping(value: int) -> Any:
        if not rules.takes(value, p.array_dtype):
            raise refuse(value)
        if negative and value < 0:
            raise PromotionError(
                f"{o.name}: the {rules.name} rules take no negative exponent {value} beside integers of "
                f"{p.array_dtype}. Cast the base to a floating dtype: lw.astype(x, lw.float32)"
            )
        if not low <= value <= high:
            value = (value - low) % 2**cast.bits + low
        return finish(value) if finish else value

    if make is None:
        wrapping.as_they_are = _as_they_are(rules, p.array_dtype, cast, negative)  # type: ignore[attr-defined]
    return wrapping


def _as_they_are(rules: Rules, array_dtype: Dtype, cast: Dtype, negative: bool) -> tuple[int, int]:
    """The least and the greatest of a range of small ints that the rules take, and that any dtype holds as they are.

    Rules take all ints between two that they take. An empty range is ``(1, 0)``.
    """
    least, most = (0 if negative or cast.kind == "u" else -128), 127
    return (least, most) if rules.takes(least, array_dtype) and rules.takes(most, array_dtype) else (1, 0)


def _wrap(o: Op, p: Plan) -> Callable[[Any], Any]:
    """From native results of the backend's function to results of ours."""
    sigs = p.sigs
    casts = [
        None if result is out else p.backend.module.cast(p.backend.native[out])
        for result, out in zip(p.native_out, p.out, strict=True)
    ]
    first = casts[0]
    if o.wrap is Array:
        return (lambda data: wrapped(first(data), sigs[0])) if first else (lambda data: wrapped(data, sigs[0]))
    if o.wrap is tuple and len(sigs) == 1:
        return lambda data: tuple([wrapped(first(d) if first else d, sigs[0]) for d in data])
    if o.wrap is tuple:
        return lambda data: tuple([wrapped(c(d) if c else d, s) for c, d, s in zip(casts, data, sigs, strict=True)])
    if hasattr(o.wrap, "_fields"):
        return lambda data: o.wrap(*[wrapped(c(d) if c else d, s) for c, d, s in zip(casts, data, sigs, strict=True)])
    raise TypeError(f"{o.name}: its return annotation must be Array, a tuple of them or a NamedTuple")


def guarded(o: Op, p: Plan, kernel: Callable[..., Any], again: Callable[[], Any]) -> Callable[..., Any]:
    """The kernel, behind a look at the backend's dtypes where they come and go. Where a casting mode is what allows
    it, it counts its calls."""
    if p.mode is not None:
        kernel = recorded(kernel, p)
    kernel = p.backend.observed(kernel, p)
    if p.how == "composed":
        return kernel  # the functions that it calls look themselves
    dtypes = {p.computed, *p.out, *(cast for cast in p.casts if cast)}
    return p.backend.guarded(kernel, again, dtypes, "index" in (*o.out, *o.role_of.values()))
