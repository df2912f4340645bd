"""From a plan to what runs it: kernels, made the first time that a signature is met, and kept for the dispatchers.

A kernel takes native operands. For functions of one or two operands and no options it gives the native result, and
the dispatcher makes an `Array` of that; for the others it gives what the function gives. There is one for each
function, policy and combination of signatures; see `op.kernel_count`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from contextlib import suppress
from types import NoneType
from typing import TYPE_CHECKING, Any

from ..backends import get, of
from ..core.dtypes import KIND_ORDER, SCALAR_KINDS, SCALARS, Dtype, int_limits, plain_scalar, uint64
from ..core.registry import OPS
from ..core.signature import Sig
from ..errors import BackendError, NoDataError, PromotionError, nearest
from ..policy import as_dtype, current, kernels_of, unified_rules
from ..promotion import RULES, Rules
from ..promotion.families import family_of
from . import dispatch
from .array import Array, wrapped
from .call import is_ours
from .casting import recorded
from .memo import call_of, kernel_of
from .plan import Plan, resolve
from .translate import translate
from .without_data import forget_data, without_data

if TYPE_CHECKING:
    from ..backends import Backend
    from ..core.device import Device
    from .op import Op

__all__ = ["specialise", "specialise_creation", "specialise_in_place", "specialise_options"]


def planned(o: Op, operands: tuple[Any, ...], dtype: Dtype | None = None) -> Plan:
    """The plan of a call on operands of ours."""
    return resolve(call_of(o, operands, dtype))


def specialise(o: Op, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
    """Make and remember the kernel of a function of one or two operands and no options.

    Returns what to call on the operands' native arrays (or the scalars themselves), and the result's signature.
    """
    adapted = adapt(o, operands)
    if adapted is not None:
        converted = adapted  # foreign arrays: their type does not tell their dtype, so nothing is remembered
        run, out = specialise(o, converted)
        return lambda *_: run(*(_data(x) for x in converted)), out
    call = call_of(o, operands)

    def make(o: Op, p: Plan) -> tuple[Callable[..., Any], Sig]:
        return _guarded(o, p, _runner(o, p), lambda: _runner(o, resolve(call))), p.sigs[0]

    *path, last = call.signature
    made: tuple[Callable[..., Any], Sig] = kernel_of(call, make, kernels_of(o.name, call.policy), tuple(path), last)
    return made


def specialise_options(
    o: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], dtype: Any = None
) -> Callable[..., Any]:
    """Make and remember the kernel of a function with options, or of a sequence of arrays."""
    _check_arguments(o, operands, args, kw)
    adapted = adapt(o, operands)
    if adapted is not None:
        converted = adapted
        kernel = specialise_options(o, converted, args, kw, dtype)
        data = [_data(x) for x in converted]
        if o.sequence:
            return lambda _, *a, **k: kernel(data, *a, **k)
        return lambda *given, **k: kernel(*data, *given[len(data) :], **k)
    call = call_of(o, operands, None if dtype is None else as_dtype(dtype))

    def make(o: Op, p: Plan) -> Callable[..., Any]:
        return _guarded(o, p, _kernel(o, p, kw), lambda: _kernel(o, resolve(call), kw))

    names = (len(args), *kw)
    path = (call.signature,) if o.sequence or len(o.operands) > 3 else call.signature
    last = (dtype if _is_key(dtype) else call.dtype, *names) if o.has_dtype else names
    made: Callable[..., Any] = kernel_of(call, make, kernels_of(o.name, call.policy), path, last)
    return made


def specialise_named(o: Op, operands: tuple[Any, ...], kw: dict[str, Any], dtype: Any = None) -> Callable[..., Any]:
    """Make and remember the kernel of a function that is given operands besides the leading ones."""
    leading = len(o.operands)
    named = {n: x for n, x in zip(o.optional, operands[leading:], strict=True) if x is not None}
    _check_arguments(o, operands[:leading], (), {**named, **kw})
    adapted = adapt(o, operands)
    if adapted is not None:
        kernel = specialise_named(o, adapted, kw, dtype)
        data = [_data(x) for x in adapted]
        more = {n: d for n, d in zip(o.optional, data[leading:], strict=True) if d is not None}
        return lambda *_, **options: kernel(*data[:leading], **{**options, **more})
    call = call_of(o, operands, None if dtype is None else as_dtype(dtype))

    def make(o: Op, p: Plan) -> Callable[..., Any]:
        return _guarded(o, p, _kernel(o, p, kw), lambda: _kernel(o, resolve(call), kw))

    last = (dtype if _is_key(dtype) else call.dtype, *kw)
    found: Callable[..., Any] = kernel_of(call, make, kernels_of(o.name, call.policy), (call.signature,), last)
    return found


def _is_key(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def specialise_in_place(o: Op, x1: Array, x2: Any) -> Callable[[Any, Any], Any]:
    """Make and remember the kernel of `x1 += x2`: it writes into x1's native array, or makes its successor."""
    forget_data(x1)
    adapted = adapt(o, (x1, x2))
    if adapted is not None and adapted[0] is not x1:
        raise NoDataError(f"{o.name}: in place, an array with data cannot take one without data. Write x = x + y")
    if adapted is not None:
        other = _data(adapted[1])
        run = specialise_in_place(o, *adapted)
        return lambda d1, _: run(d1, other)
    call = call_of(o, (x1, x2), in_place=True)

    def make(o: Op, p: Plan) -> Callable[[Any, Any], Any]:
        if p.out[0] is not x1.dtype:
            raise TypeError(
                f"{o.name}: in place it would have to change the array's dtype from {x1.dtype} to {p.out[0]}. "
                f"Write x = x {_SYMBOLS.get(o.name, o.name)} y, or cast the other operand: lw.astype(y, lw.{x1.dtype})"
            )
        write = p.backend.in_place(p.call) if p.how == "native" and p.made == p.out else None
        step = _step(o, p, 1)
        if write is None or p.casts[0] is not None:
            assign = p.backend.overwrite
            compute = _guarded(o, p, _runner(o, p), lambda: _runner(o, resolve(call)))
            return lambda d1, d2: assign(d1, compute(d1, d2))
        target: Callable[[Any, Any], Any] = write
        return (lambda d1, d2: target(d1, step(d2))) if step else target

    if x1.weak and call.policy.weak_arrays:
        p = resolve(call)
        if not p.weak:  # the dtype stays, and is no weak one any more: this happens to an array once
            run = make(o, p)

            def strengthen(d1: Any, d2: Any) -> Any:
                made = run(d1, d2)
                x1._sig = x1._sig.strongly
                return made

            return strengthen
    path, last = call.signature
    found: Callable[[Any, Any], Any] = kernel_of(call, make, kernels_of(f"{o.name}=", call.policy), (path,), last)
    return found


_SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%",
    "pow": "**", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>", "matmul": "@",
}  # fmt: skip


def key_plan(name: str, x: Array) -> Plan:
    """The plan of `x[key]` and of ``x[key] = value``: the backend reads the key, and the dtype stays."""
    sig, backend = x._sig, x._sig.backend
    call = backend.module.index if name == "getitem" else backend.module.assign
    return Plan(
        name, backend, "native", (sig.dtype,), (None,), sig.dtype, (sig.dtype,), call, None, (sig.dtype,), sig.weak,
        name, current().rules, sig.dtype,
    )  # fmt: skip


def _keyed(name: str, x: Array) -> Callable[..., Any]:
    p = key_plan(name, x)
    kernels_of(name, current())[x._sig] = p.call
    return p.call


def creation_plan(o: Op, dtype: Any, device: Any) -> Plan:
    """The plan of a function that makes an array: on the backend of the device, else of the policy."""
    policy = current()
    backend = get(getattr(device, "backend", None) or policy.backend)
    place = device_for(backend, device)
    resolved = policy.default_dtype if dtype is None else as_dtype(dtype)
    backend.sig(resolved)
    call = backend.function(o.name, resolved)
    if call is None:
        raise BackendError(f"{o.name}: the {backend.name} backend does not have this function")
    return Plan(
        o.name, backend, "native", (), (), resolved, (resolved,), call, resolved, (resolved,), False, o.name,
        policy.rules, resolved, device=place,
    )  # fmt: skip


def specialise_creation(
    o: Op, args: tuple[Any, ...], kw: dict[str, Any], dtype: Any, device: Any, key: Any
) -> tuple[Callable[..., Any], Any, Any, Sig]:
    """Make and remember what makes an array: the backend's function, its dtype and device, and the signature."""
    _check_arguments(o, (), args, kw)
    p = creation_plan(o, dtype, device)
    resolved, module = p.computed, p.backend.module
    call = p.backend.guarded(p.call, lambda: p.backend.sig(resolved) and p.call, [resolved], positions=False)
    made = call, p.backend.native[resolved], module.native_device(p.device), p.sigs[0]
    with suppress(TypeError):  # a dtype or device that cannot be a key is read at each call
        kernels_of(o.name, current())[key] = made
    return made


def device_for(backend: Backend, device: object) -> Device:
    """A device of a backend: the one given, the policy's where it is for this backend, the backend's own default."""
    policy = current()
    return backend.device(policy.device if device is None and policy.backend == backend.name else device)


def _guarded(o: Op, p: Plan, kernel: Callable[..., Any], again: Callable[[], Any]) -> Callable[..., Any]:
    """The kernel, behind a look at the backend's dtypes where they come and go. Where a casting mode is what allows
    it, it counts its calls."""
    if p.mode is not None:
        kernel = recorded(kernel, p)
    if p.how == "composed":
        return kernel  # the functions that it calls look themselves
    dtypes = {p.computed, *p.out, *(cast for cast in p.casts if cast)}
    return p.backend.guarded(kernel, again, dtypes, "index" in (*o.out, *o.role_of.values()))


def _check_arguments(o: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> None:
    given = (operands,) if o.sequence and not o.spread else operands
    try:
        o.signature.bind(*given, *args, **kw)
    except TypeError as error:
        unknown = next((n for n in kw if n not in o.signature.parameters), None)
        hint = nearest(unknown, o.signature.parameters) if unknown else ""
        signature = o.signature
        plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        shown = signature.replace(parameters=plain, return_annotation=signature.empty)
        raise TypeError(f"{o.name}: {error}{hint or '.'} The call is {o.name}{shown}") from None


# --- from a plan -------------------------------------------------------------------------------------------------


def _runner(o: Op, p: Plan) -> Callable[..., Any]:
    """From native operands to the native result: the plan's function, behind whatever casts it needs."""
    if p.how == "composed":
        composition = _composition(o, p)
        return lambda *data: composition(*data)._data
    run = _casting(o, p)
    if int in p.operands and p.beside.kind in "iu" and p.computed.kind in "iu" and _takes_any_int(p.rules, o.name):
        return _compared(o, p, run)
    if p.made == p.out:
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
    call, steps = p.call, _steps(o, p)
    swapped = p.backend.reflected.get(p.function) if p.how == "native" and isinstance(p.operands[0], type) else None
    if swapped is not None:
        value = _step(o, p, 0, raw=p.backend.module.takes_scalar(p.function, 1, p.computed))
        other = steps[1]
        if other:
            return lambda d1, d2: swapped(other(d2), value(d1) if value else d1)
        return (lambda d1, d2: swapped(d2, value(d1))) if value else (lambda d1, d2: swapped(d2, d1))
    match steps:
        case [None] | [None, None]:
            return call
        case [first]:
            return lambda d: call(first(d))  # type: ignore[misc]
        case [first, None]:
            return lambda d1, d2: call(first(d1), d2)  # type: ignore[misc]
        case [None, second]:
            return lambda d1, d2: call(d1, second(d2))  # type: ignore[misc]
        case _:  # functions of more operands are dispatched as those with options are
            first, second = steps
            return lambda d1, d2: call(first(d1), second(d2))  # type: ignore[misc]


def _kernel(o: Op, p: Plan, options: Collection[str]) -> Callable[..., Any]:
    """From native operands and options to results of ours.

    A mixed function that a backend has is the composition all the same where it is given an array for an option, and
    where the backend's predicate, which is asked at each call, says no.
    """
    if p.how == "composed":
        return _composition(o, p)
    if o.body is not None and not o.array_options.isdisjoint(options):
        return _composition(o, p._replace(how="composed", call=o.body))
    when = getattr(p.call, "when", None)
    if when is None:
        return _direct(o, p)
    if o.body is None:
        raise BackendError(f"{o.name}: the {p.backend.name} backend's function has a predicate but there is no body")
    native, composition = _direct(o, p), _composition(o, p._replace(how="composed", call=o.body))
    return lambda *given, **kw: (native if when(*given, **kw) else composition)(*given, **kw)


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
    named = [(n, s, g) for n, s, g in zip(o.optional, steps[leading:], sigs[leading:], strict=False) if g is not None]

    def composition(*given: Any, **kw: Any) -> Any:
        data, args = (given[0], given[1:]) if sequence else (given[:leading], given[leading:])
        arrays = [wrapped(s(d) if s else d, g) for s, d, g in zip(steps, data, sigs, strict=False)]
        for n, s, g in named:
            kw[n] = wrapped(s(kw[n]) if s else kw[n], g)
        return body(*([arrays] if sequence and not o.spread else arrays), *args, **options, **kw)

    if p.rules is RULES["unified"]:
        return composition
    fit = _fitting(o, p)

    def under_unified(*given: Any, **kw: Any) -> Any:
        with unified_rules():
            return fit(composition(*given, **kw))

    return under_unified


def _fitting(o: Op, p: Plan) -> Callable[[Any], Any]:
    """Results of ours as the plan has them."""

    def fit(x: Array, sig: Sig) -> Array:
        same = x._sig.dtype is sig.dtype
        return wrapped(x._data if same else p.backend.module.cast(p.backend.native[sig.dtype])(x._data), sig)

    sigs = p.sigs
    if o.wrap is Array:
        return lambda r: fit(r, sigs[0])
    if o.wrap is tuple:
        return lambda r: tuple([fit(x, sigs[0]) for x in r])
    return lambda r: o.wrap(*[fit(x, s) for x, s in zip(r, sigs, strict=True)])


def _direct(o: Op, p: Plan) -> Callable[..., Any]:
    """From native operands and options to results of ours, by the backend's function."""
    call, steps = p.call, _steps(o, p)
    native = {"dtype": p.backend.native[p.accumulate]} if p.accumulate else {}
    wrap = _wrap(o, p)
    if o.sequence:
        if not any(steps):
            return lambda data, *args, **kw: wrap(call(data, *args, **kw))
        return lambda data, *args, **kw: wrap(
            call([s(d) if s else d for s, d in zip(steps, data, strict=True)], *args, **kw)
        )
    if o.wrap is Array and p.made == p.out and (len(steps) == 1 or not (any(steps) or native)):
        out, first = p.sigs[0], steps[0]
        if not (first or native):

            def plain(*given: Any, **kw: Any) -> Array:
                r = Array()
                r._data = call(*given, **kw)
                r._sig = out
                return r

            return plain

        def single(d: Any, *args: Any, **kw: Any) -> Array:
            r = Array()
            r._data = call(first(d) if first else d, *args, **native, **kw)
            r._sig = out
            return r

        return single
    n = len(o.operands)
    named = [(name, s) for name, s in zip(o.optional, steps[n:], strict=False) if s is not None]

    def general(*given: Any, **kw: Any) -> Any:
        for name, step in named:
            kw[name] = step(kw[name])
        return wrap(call(*[s(d) if s else d for s, d in zip(steps, given, strict=False)], *given[n:], **native, **kw))

    return general


def _steps(o: Op, p: Plan) -> list[Callable[[Any], Any] | None]:
    return [_step(o, p, i) for i in range(len(p.operands))]


def _step(o: Op, p: Plan, position: int, *, raw: bool = False) -> Callable[[Any], Any] | None:
    """What is done to one operand before the call: nothing, a cast, or a Python scalar made fit."""
    given, cast, module = p.operands[position], p.casts[position], p.backend.module
    if given is NoneType:
        return None
    if isinstance(given, Dtype):
        step: Callable[[Any], Any] | None = None if cast is None else module.cast(p.backend.native[cast])
        if given is uint64 and step is not None and o.roles(len(p.operands))[position] == "index":
            return _positions(p.backend, step)
        return step
    assert cast is not None  # a scalar always has a dtype to become
    native = p.how == "native" or getattr(p.call, "takes_scalars", False)
    raw = raw or (native and module.takes_scalar(p.function, position, cast))
    raw = raw and KIND_ORDER[SCALAR_KINDS[given]] <= KIND_ORDER[cast.kind]
    make: Callable[[Any], Any] | None = None if raw else module.scalar(p.backend.native[cast])
    if given is int and (cast.kind in "iu" or not _plain_range(p.rules)):
        return _checked(o, p, cast, make)
    if raw and given is bool and cast.kind != "b":
        return int  # not every framework computes with a bool and a number
    if raw and given is int and cast.kind in "fc":
        return p.backend.int_as_float
    return make


def _positions(backend: Backend, cast: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Positions of uint64: those that the signed dtype does not hold are beyond any array, not counted from the end."""
    minimum, scalar = backend.function("minimum", uint64), backend.module.scalar(backend.native[uint64])
    assert minimum is not None
    return lambda d: cast(minimum(d, scalar(2**63 - 1)))


def _plain_range(rules: Rules) -> bool:
    """Whether Python ints are taken where they fit the dtype, by these rules; else `rules.takes` has to be asked."""
    return type(rules).takes is Rules.takes or "value" in rules.needs


def _checked(o: Op, p: Plan, cast: Dtype, make: Callable[[Any], Any] | None) -> Callable[[int], Any]:
    """Make a Python int fit the dtype that it becomes, or say why it does not."""
    rules = p.rules
    _, high, low, _ = int_limits(cast) if cast.kind in "iu" else (0, math.inf, -math.inf, 0)

    def refuse(value: int) -> OverflowError:
        if low <= value <= high:
            return OverflowError(
                f"{o.name}: Python int {value} is not taken beside {p.beside} by the {rules.name} rules. "
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

    def wrapping(value: int) -> Any:
        if not rules.takes(value, p.beside):
            raise refuse(value)
        if not low <= value <= high:
            value = (value - low) % 2**cast.bits + low
        return finish(value) if finish else value

    return wrapping


def _wrap(o: Op, p: Plan) -> Callable[[Any], Any]:
    """From native results of the backend's function to results of ours."""
    sigs = p.sigs
    casts = [
        None if made is out else p.backend.module.cast(p.backend.native[out])
        for made, out in zip(p.made, p.out, strict=True)
    ]
    first = casts[0]
    if o.wrap is Array:
        return (lambda data: wrapped(first(data), sigs[0])) if first else (lambda data: wrapped(data, sigs[0]))
    if o.wrap is tuple:
        return lambda data: tuple([wrapped(first(d) if first else d, sigs[0]) for d in data])
    if hasattr(o.wrap, "_fields"):
        return lambda data: o.wrap(*[wrapped(c(d) if c else d, s) for c, d, s in zip(casts, data, sigs, strict=True)])
    raise TypeError(f"{o.name}: its return annotation must be Array, a tuple of them or a NamedTuple")


def _data(x: Any) -> Any:
    return x._data if isinstance(x, Array) else x


# --- operands that are not ours ----------------------------------------------------------------------------------


#: Types of operands that are taken as they are: Python scalars, and None for an operand that is not given.
_AS_THEY_ARE = frozenset((*SCALARS, NoneType))


def adapt(o: Op, operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The operands with frameworks' own arrays and NumPy scalars made ours; None where there are none.

    Scalars of a subclass of Python's own, such as an enum's members, become Python's own.
    """
    if all(isinstance(x, Array) or type(x) in _AS_THEY_ARE for x in operands):
        return without_data(operands)
    ours = next((x._sig.backend for x in operands if isinstance(x, Array)), None)
    scalars = tuple(plain_scalar(x) if isinstance(x, SCALARS) and of(x) is None else x for x in operands)
    made = tuple(x if isinstance(x, Array) or type(x) in _AS_THEY_ARE else as_operand(o, x, ours) for x in scalars)
    made = without_data(made) or made
    weak = [*map(_is_weak, scalars)] if not current().weak_arrays else []  # whose signatures say so
    return _with_weak(o, made, weak) if any(weak) else made


def _is_weak(x: Any) -> bool:
    """Whether JAX has x for no stronger than a Python scalar, as it has those that are given to a compiled function."""
    owner = None if isinstance(x, Array) or type(x) in _AS_THEY_ARE else of(x)
    return owner is not None and hasattr(owner.module, "is_weak") and owner.module.is_weak(x)


def _with_weak(o: Op, made: tuple[Any, ...], weak: list[bool]) -> tuple[Any, ...]:
    """The operands with the weak ones cast to what a Python scalar of their kind would be next to the others."""
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
                continue  # which the plan says better
            backend = x._sig.backend
            result[i] = wrapped(backend.module.cast(backend.native[dtype])(x._data), backend.sig(dtype))
    return tuple(result)


_SCALAR_OF_KIND: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def as_operand(o: Op, x: Any, backend: Any = None) -> Array:
    """One operand as an `Array`: a framework's own array is taken as it is, a NumPy scalar becomes 0-d.

    `backend` is that of the other operands: a NumPy scalar joins them, keeping its dtype.
    """
    if isinstance(x, Array):
        return x
    owner = of(x)
    if owner is None:
        given = type(x).__name__
        hint = ". Make an array of it: lw.asarray(x)" if isinstance(x, (list, tuple, *SCALAR_KINDS)) else ""
        raise TypeError(f"{o.name}: takes arrays; got {given}{hint}")
    if backend is not None and owner is not backend and isinstance(x, getattr(owner.module, "SCALAR", ())):
        dtype = owner.sig_of(x).dtype
        data = backend.module.scalar(backend.native[dtype])(x.item())  # type: ignore[union-attr]
        return wrapped(backend.module.native(data), backend.sig(dtype))
    return wrapped(owner.module.native(x), signature_by(owner, x))


def signature_by(owner: Backend, x: Any) -> Sig:
    """The signature of a framework's own array: weak, if it is one of JAX's that are, under rules that have such."""
    sig = owner.sig_of(x)
    return sig.weakly if getattr(x, "weak_type", False) is True and current().weak_arrays else sig


def foreign(x: Any) -> bool:
    """Whether an operator leaves its second operand the turn: it is no array or scalar that a backend of ours knows."""
    return not (isinstance(x, (Array, *SCALARS)) or of(x) is not None)


class _SlowPath:
    """What dispatchers call where they find no kernel, and where a kernel raises."""

    def specialise(self, name: str, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
        return specialise(OPS[name], operands)

    def specialise_options(
        self, name: str, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], dtype: Any
    ) -> Callable[..., Any]:
        return specialise_options(OPS[name], operands, args, kw, dtype)

    def specialise_named(
        self, name: str, operands: tuple[Any, ...], kw: dict[str, Any], dtype: Any
    ) -> Callable[..., Any]:
        return specialise_named(OPS[name], operands, kw, dtype)

    def specialise_in_place(self, name: str, x1: Array, x2: Any) -> Callable[[Any, Any], Any]:
        return specialise_in_place(OPS[name], x1, x2)

    def specialise_index(self, x: Array) -> Callable[[Any, Any], Any]:
        return _keyed("getitem", x)

    def without_data(self, x: Array, key: Any) -> Array:
        keys = key if isinstance(key, tuple) else (key,)
        found = without_data((x, *[k for k in keys if isinstance(k, Array)]))
        if found is None:
            raise NoDataError("getitem: a position is asked of an array that has no data. Give an int")
        taken: Array = found[0]
        return taken

    def specialise_assignment(self, x: Array) -> Callable[[Any, Any, Any], Any]:
        forget_data(x)
        return _keyed("setitem", x)

    def as_operand(self, name: str, x: Any) -> Array:
        return as_operand(OPS[name], x)

    def adapted(self, name: str, x: Array, value: Any) -> Array:
        pair = adapt(OPS["equal"], (x, value)) or (x, value)
        result: Array = pair[1]
        return result

    def foreign(self, x: Any) -> bool:
        return foreign(x)

    def translate(
        self, name: str, error: Exception, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]
    ) -> Exception:
        return translate(OPS[name], error, operands, args, kw)


dispatch.slow_path = _SlowPath()
