"""Make kernels from plans.

A kernel takes native operands. If a call has one result and the backend gives it as it is, the kernel gives the native
result, and the dispatcher makes an `Array` of it; else the kernel gives what the function gives. There is one kernel
for each function, policy and combination of signatures; see `plans.kernel_count`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from types import NoneType
from typing import TYPE_CHECKING, Any

from ...backend.slopes import slopes_of
from ...core.dtypes import KIND_ORDER, SCALAR_KINDS, Dtype, int_limits, uint64
from ...core.signature import Sig
from ...errors import BackendError, PromotionError
from ...policy import call_under, current, unified
from ...promotion import RULES, Rules
from ...promotion.families import family_of
from ..arrays.array import Array, wrapped
from ..plans.casting import recorded
from ..plans.plan import Plan
from ..plans.request import is_ours
from . import dispatch

if TYPE_CHECKING:
    from ...backend import Backend
    from ..op import Op

__all__ = ["finished", "guarded", "kernel_from", "quickest", "runner_from", "step_from"]


def runner_from(o: Op, p: Plan) -> Callable[..., Any]:
    """Make the kernel from native operands to the native result: the plan's function, after the casts that it needs."""
    if p.how == "composed" or hasattr(p.call, "when"):
        kernel = finished(*kernel_from(o, p, ()))
        return lambda *data: kernel(*data)._data
    run = _casting(o, p)
    if p.array_dtype.kind in "iu" and p.computed.kind in "iu" and _takes_any_int(p.rules, o.name) and int in p.operands:
        return _compared(o, p, run)
    if p.gives_out:
        return run
    cast = p.backend.cast(p.backend.native_dtypes[p.out[0]])
    return lambda *data: cast(run(*data))


#: The result of comparing integers with an int above their range; for an int below it, the ordering ones turn round.
_OF_GREATER = {"less": True, "less_equal": True, "greater": False, "greater_equal": False}


def _takes_any_int(rules: Rules, name: str) -> bool:
    """Return whether a comparison takes ints beyond the range of the other operand's dtype, as NumPy's do."""
    if (name not in _OF_GREATER and name not in ("equal", "not_equal")) or is_ours(rules):
        return False
    return family_of(rules, name).any_int


def _compared(o: Op, p: Plan, run: Callable[..., Any]) -> Callable[..., Any]:
    """Make a comparison with a Python int: an int beyond the range of the dtype gives all elements the same result."""
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
    """Like `runner_from`, with the result as the backend's function gives it."""
    call, steps = _placing(p, quickest(p)), _steps(o, p)
    swapped = p.backend.reflected.get(p.function) if p.how == "native" and isinstance(p.operands[0], type) else None
    swapped = slopes_of(swapped, current())
    if swapped is not None:
        taken = p.backend.takes_scalar(p.function, 1, p.computed)
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
    """Make a function move native operands that are made of Python scalars to the device of the others."""
    placed = _placed(p)
    return call if placed is None else lambda *operands, **options: call(*placed(operands), **options)


def _placed(p: Plan) -> Callable[[Iterable[Any]], list[Any]] | None:
    """Return the move of native operands made of Python scalars to the device of the others; None if there are none."""
    placed: Callable[[Iterable[Any]], list[Any]] | None = p.backend.placed
    scalars = [i for i, x in enumerate(p.operands) if isinstance(x, type) and x is not NoneType]
    return None if placed is None or all(_is_taken(p, i) for i in scalars) else placed


def quickest(p: Plan, *, elements: bool = False) -> Callable[..., Any]:
    """Return the function of a plan, or the backend's quicker one for an array and a Python scalar, or for elements."""
    if p.how != "native" or not (elements or isinstance(p.operands[-1], type)):
        return p.call
    return p.backend.quicker.get((p.function, p.computed, "elements" if elements else "scalar"), p.call)


def kernel_from(o: Op, p: Plan, options: Collection[str], *, alone: bool = False) -> dispatch.Kernel:
    """Make the kernel to the native result, with its signature; or to `Array`s, with None.

    `alone`: the call has no arguments but one array. The backend may have a quicker function for it.

    A mixed function that a backend has still runs as the composition if the backend's predicate says no. The predicate
    is asked at each call, about the operands as the plan casts them. Without a predicate, a function that is given what
    may be an array for an option runs as the composition.
    """
    if p.how == "composed":
        return _composition(o, p), None
    when = getattr(p.call, "when", None)
    if when is None and o.body is not None and not o.array_options.isdisjoint(options):
        return _composition(o, p._replace(how="composed", call=o.body)), None
    if when is None:
        quick = p.backend.quicker.get((p.function, p.computed, "alone")) if alone else None
        if quick and p.operands == (p.computed,) and p.native_out == p.out == p.operands:
            return slopes_of(quick, current()), p.sigs[0]
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
    """Return a kernel that gives `Array`s: it wraps the result itself where the dispatcher would have to."""
    if sig is None:
        return run
    return lambda *arguments, **kw: wrapped(run(*arguments, **kw), sig)


def _array_step(o: Op, p: Plan, position: int) -> Callable[[Any], Any] | None:
    """Return the step for an operand that is an array; None if it stays as it is, and for a Python scalar."""
    return step_from(o, p, position) if isinstance(p.operands[position], Dtype) else None


def _after_casts(o: Op, steps: list[Callable[[Any], Any] | None], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that casts the operands and calls the kernel with them."""
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
    """Make the kernel from native operands and options to `Array`s, by the function's own body.

    The body is written for the unified rules, and runs under them whatever rules are in force. Its operands come in the
    dtype that the rules in force decided on, and its results are cast to the dtypes that those rules say.
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

    if o.wrap is Array and not sequence and o.name in p.backend.fused and not current().casting:
        composition = p.backend.fuse(composition, leading)  # casts of a casting mode are counted call by call
    if p.rules is RULES["unified"]:
        return composition
    fit = _fitting(o, p)

    def fitted(*arguments: Any, **kw: Any) -> Any:
        return fit(composition(*arguments, **kw))

    def under_unified(*arguments: Any, **kw: Any) -> Any:
        return call_under(unified(current()), fitted, arguments, kw)

    return under_unified


def _fitting(o: Op, p: Plan) -> Callable[[Any], Any]:
    """Make the cast of `Array` results to the signatures of the plan."""

    def fit(x: Array, sig: Sig) -> Array:
        same = x._sig.dtype is sig.dtype
        return wrapped(x._data if same else p.backend.cast(p.backend.native_dtypes[sig.dtype])(x._data), sig)

    sigs = p.sigs
    if o.wrap is Array:
        return lambda r: fit(r, sigs[0])
    if o.wrap is tuple and len(sigs) == 1:
        return lambda r: tuple([fit(x, sigs[0]) for x in r])
    if o.wrap is tuple:
        return lambda r: tuple([fit(x, s) for x, s in zip(r, sigs, strict=True)])
    return lambda r: o.wrap(*[fit(x, s) for x, s in zip(r, sigs, strict=True)])


def _direct(o: Op, p: Plan) -> dispatch.Kernel:
    """Make the kernel to the native result, with its signature, or to `Array`s with None, by the backend's function."""
    call, steps, n = _placing(p, p.call), _steps(o, p), len(o.operands)
    native = {"dtype": p.backend.native_dtypes[p.accumulate]} if p.accumulate else {}
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
    if n == len(steps) == 3 and not native:
        return _wrapping(_of_three(call, *steps), wrap), out
    named = [(name, s) for name, s in zip(o.optional, steps[n:], strict=False) if s is not None]

    def general(*arguments: Any, **kw: Any) -> Any:
        for name, step in named:
            kw[name] = step(kw[name])
        return call(*[s(d) if s else d for s, d in zip(steps, arguments, strict=False)], *arguments[n:], **native, **kw)

    return _wrapping(general, wrap), out


def _wrapping(call: Callable[..., Any], wrap: Callable[[Any], Any] | None) -> Callable[..., Any]:
    return call if wrap is None else lambda *arguments, **kw: wrap(call(*arguments, **kw))


def _of_three(call: Callable[..., Any], *steps: Callable[[Any], Any] | None) -> Callable[..., Any]:
    """Make the kernel of three arrays, some of which are cast. It takes half the time of the general one."""
    first, second, third = steps

    def cast(x: Any, y: Any, z: Any, *more: Any, **kw: Any) -> Any:
        if first:
            x = first(x)
        if second:
            y = second(y)
        if third:
            z = third(z)
        return call(x, y, z, *more, **kw)

    return cast


def _of_one(call: Callable[..., Any], first: Callable[[Any], Any] | None, dtype: Any) -> Callable[..., Any]:
    """Make the kernel of one array: the backend's function, after a cast, with the dtype that it computes in.

    A call without options takes half the time.
    """
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
    """Return the step for one operand before the call: None, a cast, or the conversion of a Python scalar."""
    operand, cast, backend = p.operands[position], p.casts[position], p.backend
    if operand is NoneType:
        return None
    if isinstance(operand, Dtype):
        step: Callable[[Any], Any] | None = None if cast is None else backend.cast(backend.native_dtypes[cast])
        if operand is uint64 and step is not None and o.roles(len(p.operands))[position] == "index":
            return _positions(backend, step)
        return step
    assert cast is not None  # a scalar always has a dtype to become
    raw = (raw or _is_taken(p, position)) and KIND_ORDER[SCALAR_KINDS[operand]] <= KIND_ORDER[cast.kind]
    make: Callable[[Any], Any] | None = None if raw else backend.scalar(backend.native_dtypes[cast])
    if operand is int and (cast.kind in "iu" or not _plain_range(p.rules)):
        return _checked(o, p, cast, make, last=position == len(p.operands) - 1)
    if raw and operand is bool and cast.kind != "b":
        return int  # not every framework computes with a bool and a number
    if raw and operand is int and cast.kind in "fc":
        return backend.int_as_float
    return make


def _is_taken(p: Plan, position: int) -> bool:
    """Return whether the backend's function takes a Python scalar for an operand as it is."""
    if p.how != "native" and not getattr(p.call, "takes_scalars", False):
        return False
    cast = p.casts[position]
    return cast is not None and bool(p.backend.takes_scalar(p.function, position, cast))


def _positions(backend: Backend, cast: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make the cast of uint64 positions: it clamps them to the int64 maximum, so that they stay out of bounds."""
    minimum, scalar = backend.function("minimum", uint64), backend.scalar(backend.native_dtypes[uint64])
    assert minimum is not None
    return lambda d: cast(minimum(d, scalar(2**63 - 1)))


def _plain_range(rules: Rules) -> bool:
    """Return whether these rules take every Python int that fits the dtype; else `rules.takes` has to be asked."""
    return type(rules).takes is Rules.takes or "value" in rules.needs


def _checked(o: Op, p: Plan, cast: Dtype, make: Callable[[Any], Any] | None, *, last: bool) -> Callable[[int], Any]:
    """Make the function that fits a Python int to the dtype that it becomes, or says why it does not fit."""
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
    """Return the ends of a range of small ints that the rules take, and that any dtype of this kind holds as they are.

    If rules take two ints, they take all ints between them. An empty range is ``(1, 0)``.
    """
    least, most = (0 if negative or cast.kind == "u" else -128), 127
    return (least, most) if rules.takes(least, array_dtype) and rules.takes(most, array_dtype) else (1, 0)


def _wrap(o: Op, p: Plan) -> Callable[[Any], Any]:
    """Make the function that wraps native results of the backend's function."""
    sigs = p.sigs
    casts = [
        None if result is out else p.backend.cast(p.backend.native_dtypes[out])
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
    """Make a kernel check the backend's dtypes first, where they come and go.

    If a casting mode allows the kernel, it counts its calls.
    """
    if p.mode is not None:
        kernel = recorded(kernel, p)
    kernel = p.backend.observed(kernel, p)
    if p.how == "composed":
        return kernel  # the functions that it calls check themselves
    dtypes = {p.computed, *p.out, *(cast for cast in p.casts if cast)}
    return p.backend.guarded(kernel, again, dtypes, "index" in (*o.out, *o.role_of.values()))
