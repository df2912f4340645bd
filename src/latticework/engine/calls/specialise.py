"""Make the plan, and keep its kernel, the first time that operands of some signatures are met."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype
from ...core.registry import MISSING, OPS
from ...core.signature import Sig
from ...errors import NoDataError, from_outside
from ...policy import as_dtype, current, kernels_of
from ...promotion.families import family_of
from ..arrays.array import Array, wrapped
from ..exchange.foreign import adapt
from ..exchange.output import writing
from ..functions.without_data import forget_data
from ..op import how_to_call
from ..plans.advice import unexpected
from ..plans.conversion import creation_plan, native_device_for
from ..plans.plan import Plan, resolve
from ..plans.request import is_ours
from .bound import reads_policy
from .dispatch import Kernel
from .kernels import finished, guarded, kernel_from, quickest, runner_from, step_from
from .memo import call_of, kernel_of
from .observing import seeing
from .translate import translate

if TYPE_CHECKING:
    from ..op import Op
    from ..plans.request import Request

__all__ = [
    "planned", "planned_in_place", "specialise", "specialise_creation", "specialise_in_place", "specialise_options",
]  # fmt: skip


def planned(o: Op, operands: tuple[Any, ...], dtype: Dtype | None = None) -> Plan:
    """Make the plan of a call on `Array`s and Python scalars."""
    return resolve(call_of(o, operands, dtype))


def specialise(o: Op, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
    """Make and keep the kernel of a function of one or two operands and no options.

    Return the function of the operands' native arrays (or the scalars themselves), and the result's signature.
    """
    adapted = adapt(o, operands)
    if adapted is not None:
        converted = adapted  # foreign arrays: their type does not tell their dtype, so nothing is remembered
        kernel = run, out = specialise(o, converted)
        if _with_their_data(operands, converted):
            *path, last = call_of(o, operands).signature
            taken = call_of(o, converted)
            if not _squared_by_operator(o, converted) and _is_for_all(taken, kernel, taken.signature):
                _keep(kernels_of(o.name, taken.policy), path, last, kernel)
            return kernel
        return lambda *_: run(*(_data(x) for x in converted)), out
    call = call_of(o, operands)

    def make(o: Op, p: Plan) -> tuple[Callable[..., Any], Sig]:
        if all(isinstance(s, type) or s.element is s for s in call.signature):
            quick, out = quickest(p, elements=True), p.sigs[0].element
            if quick is not p.call and p.gives_out and out is not None:
                return runner_from(o, p._replace(call=quick)), out
        run = guarded(o, p, runner_from(o, p), lambda: runner_from(o, resolve(call)))
        return reads_policy(run) if _may_compose(o, p, ()) else run, p.sigs[0]

    *path, last = call.signature
    kept = {} if _squared_by_operator(o, operands) else kernels_of(o.name, call.policy)
    result: tuple[Callable[..., Any], Sig] = kernel_of(call, make, kept, tuple(path), last)
    return result


def specialise_operator(o: Op, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
    """Make the kernel of an operator: the function's, or `square`'s where the rules have that for ``x ** 2``."""
    if not _squared_by_operator(o, operands) or operands[1] != 2:
        return specialise(o, operands)
    run, sig = specialise(OPS["square"], operands[:1])
    return lambda d1, _: run(d1), sig


def _squared_by_operator(o: Op, operands: tuple[Any, ...]) -> bool:
    """Return whether the operator differs from the function for some Python int: then no kernel is kept."""
    if o.name != "pow" or type(operands[-1]) is not int or not isinstance(operands[0], Array):
        return False
    rules = current().rules
    return not is_ours(rules) and operands[0].dtype.kind in family_of(rules, o.name).squares


def specialise_options(
    o: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], dtype: Any = None
) -> Kernel:
    """Make and keep the kernel of a function with options, or of a sequence of arrays."""
    if len(operands) == 1 < len(o.operands) and o.name in _ALONE and not (args or kw):
        return _of_one_operand(o, operands[0]), None
    ordered = o.in_order(operands, kw)
    if ordered is not None:
        return _called_again(o, *ordered)
    if "ddof" in kw and o.name in ("std", "var") and "correction" not in kw:  # as their methods and NumPy call it
        return _by_correction(o, operands, args, kw, dtype)
    check_arguments(o, operands, args, kw)
    if o.sized is not None and ("size" in kw or "fill_value" in kw):
        return _of_size(o, operands, **kw)
    adapted = adapt(o, operands)
    if adapted is not None:
        converted = adapted
        kernel = run, out = specialise_options(o, converted, args, kw, dtype)
        if _with_their_data(operands, converted):
            chosen = None if dtype is None else as_dtype(dtype)
            taken = call_of(o, converted, chosen)
            path, last = _place(o, taken, args, kw, dtype)
            if _is_for_all(taken, kernel, (*path, last)):
                path, last = _place(o, call_of(o, operands, chosen), args, kw, dtype)
                _keep(kernels_of(o.name, taken.policy), path, last, kernel)
            return kernel
        data = [_data(x) for x in converted]
        if o.sequence:
            return lambda _, *a, **k: run(data, *a, **k), out
        return lambda *arguments, **k: run(*data, *arguments[len(data) :], **k), out
    call = call_of(o, operands, None if dtype is None else as_dtype(dtype))
    path, last = _place(o, call, args, kw, dtype)
    result: Kernel = kernel_of(call, _making(call, args, kw), kernels_of(o.name, call.policy), path, last)
    return result


def _place(o: Op, call: Request, args: tuple[Any, ...], kw: dict[str, Any], dtype: Any) -> tuple[Any, Any]:
    """Return where the dispatchers look for the kernel of a function with options: the path, and the last key."""
    path = (call.signature,) if o.sequence or len(o.operands) > 3 else call.signature
    last: Any = (len(args), *kw) if kw else len(args)
    if (o.has_dtype or o.casts_first) and not o.sequence and (args or kw or dtype is not None):
        last = (dtype if _is_key(dtype) else call.dtype, len(args), *kw)
    return path, last


def _with_their_data(operands: tuple[Any, ...], converted: tuple[Any, ...]) -> bool:
    """Return whether a backend takes the arrays of another one as they are, so that kernels for them can be kept."""
    pairs = [*zip(operands, converted, strict=True)]
    if not all(x is c or (isinstance(x, Array) and isinstance(c, Array) and x._data is c._data) for x, c in pairs):
        return False
    return all(c._sig.backend.takes_target for _, c in pairs if isinstance(c, Array))


def _is_for_all(call: Request, kernel: Kernel, path: Sequence[Any]) -> bool:
    """Return whether a kernel is for all arrays of a call's signatures, whichever of them are 0-d."""
    if call.facts is None:
        return True
    found: Any = kernels_of(call.op.name, call.policy)
    for step in path:
        found = found.get(step) if type(found) is dict else None
    return found is kernel


def _keep(kernels: dict[Any, Any], path: Sequence[Any], last: Any, kernel: Kernel) -> None:
    for step in path:
        kernels = kernels.setdefault(step, {})
    kernels[last] = kernel


def _called_again(o: Op, operands: tuple[Any, ...], kw: dict[str, Any]) -> Kernel:
    """Make the kernel that calls the function with all operands by position, where a call gives some by name.

    It is not kept: a call by position costs nothing for the calls by name.
    """
    call = o.dispatcher
    assert call is not None
    return (lambda *_, **__: call(*operands, **kw)), None


def _of_size(o: Op, operands: tuple[Any, ...], size: Any = None, fill_value: Any = None) -> Kernel:
    """Make the kernel of a function whose result has a given size. It is not kept: it runs a composition."""
    call, sized = o.dispatcher, o.sized
    assert call is not None
    assert sized is not None
    if size is None:
        return (lambda *_, **__: call(*operands)), None
    converted = adapt(o, operands) or operands
    return reads_policy(lambda *_, **__: sized(*converted, size, fill_value)), None


def _by_correction(o: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], dtype: Any) -> Kernel:
    """Make the kernel that calls `std` or `var` with NumPy's `ddof` as `correction`. It is not kept either."""
    options = {"correction" if n == "ddof" else n: v for n, v in kw.items()}
    if dtype is not None:
        options["dtype"] = dtype
    call = o.dispatcher
    assert call is not None
    return (lambda *_, **__: call(*operands, *args, **options)), None


def _making(call: Request, args: tuple[Any, ...], kw: dict[str, Any]) -> Callable[[Op, Plan], Kernel]:
    """Return the function that makes the kernel of a call with these arguments from its plan."""

    def make(o: Op, p: Plan) -> Kernel:
        run, out = kernel_from(o, p, kw, alone=not (args or kw))
        whole = finished(run, out)
        kept = guarded(o, p, whole, lambda: finished(*kernel_from(o, resolve(call), kw)))
        run, out = _taking(o, *((run, out) if kept is whole else (kept, None)), args, kw)
        return reads_policy(run) if _may_compose(o, p, kw) else run, out

    return make


def _may_compose(o: Op, p: Plan, options: Collection[str]) -> bool:
    """Return whether the kernel of a plan may run the function's body (see `kernel_from`)."""
    if o.body is None:
        return False
    return p.how == "composed" or hasattr(p.call, "when") or not o.array_options.isdisjoint(options)


def _taking(o: Op, run: Callable[..., Any], out: Sig | None, args: tuple[Any, ...], kw: dict[str, Any]) -> Kernel:
    """Make the kernel for a call with these arguments: backends take some by name alone, and `out` takes the result."""
    if "out" in kw and o.has_out:
        run, out = writing(o, finished(run, out)), None
    names = tuple(o.by_names(args)[1])
    if not names:
        return run, out

    def by_name(*arguments: Any, **kw: Any) -> Any:
        cut = len(arguments) - len(names)
        return run(*arguments[:cut], **dict(zip(names, arguments[cut:], strict=True)), **kw)

    return by_name, out


#: A function of several operands -> the function that it means with the first alone, as in NumPy and PyTorch.
_ALONE = {"where": "nonzero"}


def _of_one_operand(o: Op, x: Any) -> Callable[..., Any]:
    """Make the kernel of ``where(condition)``, and keep it for `Array`s."""
    other = OPS[_ALONE[o.name]]
    kernel = finished(*specialise_options(other, (x,), (), {}))
    sig = x._sig if isinstance(x, Array) else None

    def alone(d: Any, *_: Any) -> Any:
        try:
            return kernel(d)
        except Exception as error:
            raise translate(other, error, (wrapped(d, sig) if sig else x,)) from error

    missing = type(MISSING)
    policy = current()
    if sig is not None and not policy.rules.needs and adapt(other, (x,)) is None:
        kept = kernels_of(o.name, policy)
        for step in (sig, missing, missing):
            kept = kept.setdefault(step, {})
        kept[0] = alone, None
    return alone


def specialise_named(o: Op, operands: tuple[Any, ...], kw: dict[str, Any], dtype: Any = None) -> Kernel:
    """Make and keep the kernel of a function that is given operands besides the leading ones."""
    leading = len(o.operands)
    given = len(operands) - len(o.optional)  # fewer than leading where one is missing, or given by its name
    named = {n: x for n, x in zip(o.optional, operands[given:], strict=True) if x is not None}
    ordered = o.in_order(operands[:given], {**named, **kw, **({} if dtype is None else {"dtype": dtype})})
    if ordered is not None:
        return _called_again(o, *ordered)
    check_arguments(o, operands[:given], (), {**named, **kw})
    adapted = adapt(o, operands)
    if adapted is not None:
        kernel = run, out = specialise_named(o, adapted, kw, dtype)
        if _with_their_data(operands, adapted):
            chosen = None if dtype is None else as_dtype(dtype)
            taken, call = call_of(o, adapted, chosen), call_of(o, operands, chosen)
            last = (dtype if _is_key(dtype) else call.dtype, *kw)
            if _is_for_all(taken, kernel, (taken.signature, last)):
                _keep(kernels_of(o.name, taken.policy), (call.signature,), last, kernel)
            return kernel
        data = [_data(x) for x in adapted]
        more = {n: d for n, d in zip(o.optional, data[leading:], strict=True) if d is not None}
        return lambda *_, **options: run(*data[:leading], **{**options, **more}), out
    call = call_of(o, operands, None if dtype is None else as_dtype(dtype))
    last = (dtype if _is_key(dtype) else call.dtype, *kw)
    path = (call.signature,)
    found: Kernel = kernel_of(call, _making(call, (), kw), kernels_of(o.name, call.policy), path, last)
    return found


def _is_key(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def specialise_in_place(o: Op, x1: Array, x2: Any) -> Callable[[Any, Any], Any]:
    """Make and keep the kernel of `x1 += x2`: it writes into x1's native array, or makes another one in its place."""
    forget_data(x1)
    adapted = adapt(o, (x1, x2))
    if adapted is not None and adapted[0] is not x1:
        if adapted[0]._sig.backend.takes_target:
            data = _data(adapted[1])
            if adapted[1]._sig.backend.may_record(data):
                raise from_outside(o.name)
            into = specialise_in_place(o, x1, wrapped(data, x1._sig.backend.sig_of(data)))  # of constants alone
            return lambda d1, _: into(d1, data)
        raise NoDataError(f"{o.name}: in place, an array with data cannot take one without data. Write x = x + y")
    if adapted is not None:
        other = _data(adapted[1])
        run = specialise_in_place(o, *adapted)
        return lambda d1, _: run(d1, other)
    call = call_of(o, (x1, x2), in_place=True)

    def make(o: Op, p: Plan) -> Callable[[Any, Any], Any]:
        _check_dtype_stays(o, p, x1)
        # A function that casts the operands itself also casts what it writes.
        wraps = p.computed is not x1.dtype and p.computed.kind + x1.dtype.kind in ("ii", "iu", "ui", "uu")
        # Integers of another width that the rules write into an array: NumPy's functions would refuse to.
        writes = p.how == "native" and (p.gives_out or not any(p.casts)) and not wraps
        narrow = None if p.out[0] is x1.dtype else p.backend.narrow(p.backend.native_dtypes[x1.dtype])
        write = p.backend.in_place(quickest(p)) if writes and narrow is None else None
        step = step_from(o, p, 1)
        if write is None or p.casts[0] is not None:
            assign = p.backend.overwrite
            compute = guarded(o, p, runner_from(o, p), lambda: runner_from(o, resolve(call)))
            if narrow is not None:
                return lambda d1, d2: assign(d1, narrow(compute(d1, d2)))
            return lambda d1, d2: assign(d1, compute(d1, d2))
        target: Callable[[Any, Any], Any] = write
        return p.backend.observed((lambda d1, d2: target(d1, step(d2))) if step else target, p)

    if x1.weak and call.policy.weak_arrays:
        p = resolve(call)
        if not p.weak:  # the dtype stays, and is no weak one any more: this happens to an array once
            run = make(o, p)

            def strengthen(d1: Any, d2: Any) -> Any:
                result = run(d1, d2)
                x1._sig = x1._sig.strongly
                return result

            return strengthen
    path, last = call.signature
    found: Callable[[Any, Any], Any] = kernel_of(call, make, kernels_of(f"{o.name}=", call.policy), (path,), last)
    return found


def planned_in_place(o: Op, x1: Array, x2: Any) -> Plan:
    """Make the plan of ``x1 += x2`` on `Array`s and Python scalars."""
    p = resolve(call_of(o, (x1, x2), in_place=True))
    _check_dtype_stays(o, p, x1)
    return p._replace(out=(x1.dtype,))


def _check_dtype_stays(o: Op, p: Plan, x1: Array) -> None:
    if p.out[0] is not x1.dtype and not p.rules.fits_into(p.out[0], x1.dtype):
        raise TypeError(
            f"{o.name}: in place it would have to change the array's dtype from {x1.dtype} to {p.out[0]}, which does "
            f"not go into {x1.dtype} under the {p.rules.name} rules. Write x = x {_SYMBOLS.get(o.name, o.name)} y, or "
            f"cast the other operand: lw.astype(y, lw.{x1.dtype})"
        )


_SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%",
    "pow": "**", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>", "matmul": "@",
}  # fmt: skip


def specialise_creation(
    o: Op, args: tuple[Any, ...], kw: dict[str, Any], dtype: Any, device: Any, key: Any
) -> tuple[Callable[..., Any], Any, Any, Sig]:
    """Make and keep the kernel of a creation: the backend's function, its dtype and device, and the signature."""
    check_arguments(o, (), args, kw)
    p = creation_plan(o, dtype, device, kw)
    resolved = p.computed
    result: tuple[Callable[..., Any], Any, Any, Sig]
    if p.how == "composed":
        body = p.call
        made = p.backend.observed(lambda *args, **kw: body(*args, **kw)._data, p)
        result = made, resolved, device, p.sigs[0]
    else:
        call = p.backend.observed(p.call, p)
        call = p.backend.guarded(call, lambda: p.backend.sig(resolved) and p.call, [resolved], positions=False)
        result = call, p.backend.native_dtypes[resolved], native_device_for(p.backend, device), p.sigs[0]
    see = seeing.get()
    if see is not None:
        seen: tuple[Callable[..., Any], Any, Any, Sig] = see(o, result, True)
        return seen
    with suppress(TypeError):  # a dtype or device that cannot be a key is read at each call
        kernels_of(o.name, current())[key] = result
    return result


def check_arguments(o: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> None:
    leading = (operands,) if o.sequence and not o.spread else operands
    try:
        o.signature.bind(*leading, *args, **kw)
    except TypeError as error:
        unknown = {n: x for n, x in kw.items() if n not in o.signature.parameters}
        if unknown:
            raise unexpected(o.name, unknown) from None
        from .rewriting import by_names  # only on the way to an error

        raise TypeError(
            f"{o.name}: {error}. The call is {how_to_call(o.name, o.function)}{_as_one_tuple(o, operands, args)}"
            f"{_as_dtype(o, operands, args, kw)}{by_names(o, (*operands, *args), kw)}"
        ) from None


def _as_one_tuple(o: Op, operands: tuple[Any, ...], args: tuple[Any, ...]) -> str:
    """Return the line to write where a shape or axes are given as several ints, as PyTorch takes them."""
    first = o.by_position[:1]
    if first not in (("shape",), ("axes",), ("repetitions",)) or not all(isinstance(n, int) for n in args):
        return ""
    return f". Write lw.{o.name}({'x, ' * len(operands)}{args})" if len(args) > 1 else ""


def _as_dtype(o: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> str:
    """Return the line to write where a dtype is given by position, as NumPy and JAX take it."""
    if not o.has_dtype or "dtype" in kw or len(args) != len(o.by_position) + 1 - len(operands) + len(o.operands):
        return ""
    try:
        as_dtype(args[-1])
    except TypeError:
        return ""
    dtype = getattr(args[-1], "__name__", None) if isinstance(args[-1], type) else repr(args[-1])
    shown = ["x"] * len(operands) + [repr(a) for a in args[:-1]]
    return f". Write lw.{o.name}({', '.join(shown)}, dtype={dtype})"


def _data(x: Any) -> Any:
    return x._data if isinstance(x, Array) else x
