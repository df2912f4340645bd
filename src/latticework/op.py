"""`@op` declares a function: its body is a composition, or `...` where every backend supplies it.

The decorator returns a plain function, so that it pickles by name and costs one call. What it returns looks up
a kernel by the signatures of its array arguments (`dispatch.py`); `specialise` makes the kernel from the plan
(`plan.py`) the first time a signature is met.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from . import dispatch
from .array import Array
from .dispatch import Sig
from .dtypes import SCALAR_KINDS, SCALARS, Dtype, as_dtype, int_limits, plain_scalar
from .errors import BackendError, nearest
from .plan import Plan, resolve
from .policy import Policy, active, current, table

if TYPE_CHECKING:
    import inspect

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["OPS", "Op", "composed", "creation", "op", "plan"]


class Op:
    """One declared function: what a plan needs to know of it.

    Read off the function's code and annotations, because `inspect` takes longer to import than the rest of the
    package together; `signature` brings it in where an error needs one.

    Attributes
    ----------
    accepts: the dtype category (`dtypes.CATEGORIES`) that its operands have to promote to.
    out: the family of each result's dtype (`promotion.operations`).
    operands: names of the leading parameters that take arrays; of one sequence, where `sequence` is set.
    spread: whether that sequence is given as many arguments.
    special: operand -> role, for operands that do not join: ``"index"``, ``"bool"`` or ``"own"``.
    kind: ``"primitive"`` (no body), ``"composition"``, ``"mixed"`` is a composition that backends may replace,
        ``"creation"`` (no array operands).
    """

    __slots__ = (
        "accepts", "body", "floating", "function", "has_dtype", "kind", "name", "namespace", "operands", "out",
        "relevant", "sequence", "special", "spread", "wrap",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        *,
        namespace: str = "",
        kind: str = "primitive",
        accepts: str = "all",
        out: tuple[str, ...] = ("same",),
        special: dict[str, str] | None = None,
        body: Callable[..., Any] | None = None,
        wrap: Any = None,
        relevant: tuple[str, ...] = (),
        floating: bool = False,
    ) -> None:
        self.name, self.function, self.namespace, self.kind = name, function, namespace, kind
        self.accepts, self.out, self.special = accepts, out, special or {}
        self.body, self.wrap, self.relevant, self.floating = body, wrap, relevant, floating
        self.operands, self.sequence, self.spread = _operands(function)
        self.has_dtype = "dtype" in _parameters(function)

    @property
    def signature(self) -> inspect.Signature:
        """The signature of the function as it is declared."""
        import inspect

        return inspect.signature(self.function)

    def roles(self, count: int) -> tuple[str, ...]:
        """The role of each operand, for that many of them."""
        if self.sequence:
            return ("join",) * count
        return tuple(self.special.get(n, "join") for n in self.operands)

    def __repr__(self) -> str:
        return f"<op {self.name}{self.signature}>"


#: Every declared function by name; those of the linalg and fft extensions as "linalg.inv", "fft.fft".
OPS: dict[str, Op] = {}


def _stub() -> None:
    """A body that is none."""
    ...


def _is_stub(f: Callable[..., Any]) -> bool:
    return f.__code__.co_code == _stub.__code__.co_code and f.__code__.co_consts[1:] == _stub.__code__.co_consts[1:]


def _declare(f: Callable[..., Any], **facts: Any) -> Op:
    chapter = f.__module__.rpartition(".")[2]
    namespace = chapter if chapter in ("linalg", "fft") else ""
    name = f"{namespace}.{f.__name__}" if namespace else f.__name__
    if name in OPS:
        raise ValueError(f"{name} is declared twice")
    o = OPS[name] = Op(name, f, namespace=namespace, **facts)
    return o


_VAR_POSITIONAL = 0x04  # the flag of a code object that takes *args


def _parameters(f: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the parameters: positional ones first, then keyword-only ones, then *args."""
    code = f.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _VAR_POSITIONAL)]


def _operands(f: Callable[..., Any]) -> tuple[tuple[str, ...], bool, bool]:
    """Names of the array operands, whether they are a sequence, and whether it is spread over arguments."""
    code, kinds = f.__code__, f.__annotations__
    names: list[str] = []
    for name in code.co_varnames[: code.co_posonlyargcount]:
        if "Sequence[Array" in str(kinds.get(name)):
            return (name,), True, False
        if "Array" not in str(kinds.get(name)):
            return tuple(names), False, False
        names.append(name)
    last = _parameters(f)[-1:]
    if not names and code.co_flags & _VAR_POSITIONAL and "Array" in str(kinds.get(last[0])):
        return last, True, True
    return tuple(names), False, False


def op(
    accepts: str = "all", *, out: str | tuple[str, ...] = "same", **special: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function of arrays.

    The positional-only parameters annotated with `Array` are its operands; they are brought to a common dtype,
    but for those named in `special` with another role. Everything after them is an option.
    """

    def declare(f: Callable[P, R]) -> Callable[P, R]:
        body = None if _is_stub(f) else f
        o = _declare(
            f,
            accepts=accepts,
            out=(out,) if isinstance(out, str) else out,
            special=special,
            body=body,
            kind="mixed" if body else "primitive",
            wrap=_wrapper(f),
        )
        count = len(o.operands)
        make: Callable[..., Any]
        if o.sequence:
            call = dispatch.sequence(o.name, Array, o.spread)
        elif o.has_dtype:
            call = dispatch.with_dtype(o.name, Array)
        elif count > 2 or count < len(_parameters(f)) or o.wrap is not Array:
            call = dispatch.with_options(o.name, Array, count)
        else:
            make = dispatch.unary if count == 1 else dispatch.binary
            call = make(o.name, Array)
        return functools.update_wrapper(call, f)

    return declare


def composed(f: Callable[P, R]) -> Callable[P, R]:
    """Declare a function that is a composition on every backend: registered, and left as it is."""
    _declare(f, body=f, kind="composition")
    return f


def creation(*relevant: str, floating: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function that makes an array. Backends get the dtype and device resolved.

    `relevant` names the scalar arguments that the dtype is decided from where none is given; without any it is
    the global default. `floating`: integers among them mean the default float.
    """

    def declare(f: Callable[P, R]) -> Callable[P, R]:
        o = _declare(f, kind="creation", relevant=relevant, floating=floating)
        by_position = f.__code__.co_varnames[: f.__code__.co_argcount]
        positions = [(name, i) for i, name in enumerate(by_position) if name in relevant]
        kernels, get = table(o.name), active.get

        def call(*args: Any, **kw: Any) -> Any:
            if kw or positions:
                dtype, device = kw.pop("dtype", None), kw.pop("device", None)
                if dtype is None and positions:
                    dtype = _from_scalars(o, [args[i] if i < len(args) else kw.get(name) for name, i in positions])
                where = None if device is None else (device, getattr(device, "backend", None))
                key: Any = (dtype, where, len(args), *kw)
            else:
                dtype = device = None
                key = len(args)
            try:
                make, native, location, out = kernels[get()][key]
            except (KeyError, TypeError):  # or a dtype or device that is none and has no hash
                make, native, location, out = _specialise_creation(o, args, kw, dtype, device, key)
            r = Array()
            try:
                r._data = make(*args, dtype=native, device=location, **kw)
            except Exception as error:
                from .failure import explain

                raise explain(o, error, (), args, kw) from error
            r._sig = out
            return r

        return functools.update_wrapper(call, f)

    return declare


def _wrapper(f: Callable[..., Any]) -> Any:
    """How the native result becomes ours, from the return annotation: `Array`, `tuple`, or a NamedTuple."""
    returns = str(f.__annotations__["return"])
    if returns == "Array":
        return Array
    if returns.startswith("tuple"):
        return tuple
    return f.__globals__[returns]


def _from_scalars(o: Op, scalars: list[Any]) -> Dtype:
    policy = current()
    operands: list[Dtype | type] = []
    for value in scalars:
        if value is None:
            continue
        if type(value) in SCALAR_KINDS:
            operands.append(type(value))
        elif hasattr(value, "dtype"):
            operands.append(as_dtype(value.dtype))
        else:
            kind = next((k for k in (bool, int, float, complex) if isinstance(value, k)), None)
            if kind is None:
                raise TypeError(f"{o.name}: takes Python scalars or 0-d arrays; got {value!r}")
            operands.append(kind)
    if o.floating:
        operands.append(float)
    return policy.promote(*operands)


# --- kernels -----------------------------------------------------------------------------------------------------


def _lookup(kernels: dict[Any, Any], *path: Any) -> dict[Any, Any]:
    """What is kept under a policy and so on. The policy is the one that the plan was made by: another thread may have
    changed the process default since, and what is kept for that lies under the policy itself too."""
    for step in path:
        kernels = kernels.setdefault(step, {})
    return kernels


def specialise(o: Op, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
    """Make and remember the kernel of a function of one or two operands and no options.

    Returns what to call on the operands' native arrays (or the scalars themselves), and the result's signature.
    """
    adapted = adapt(o, operands)
    if adapted is not None:
        converted = adapted  # foreign arrays: their type does not tell their dtype, so nothing is remembered
        run, out = specialise(o, converted)
        return lambda *_: run(*(_data(x) for x in converted)), out
    signature = tuple(_signature(x) for x in operands)
    policy = current()
    p = resolve(o, policy, signature)
    out = p.backend.sig(p.out[0])
    run = _lasting(o, p, _runner(o, p), lambda: _runner(o, resolve(o, policy, signature)))
    *path, last = signature
    _lookup(table(o.name), policy, *path)[last] = run, out
    return run, out


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
    signature = tuple(_signature(x) for x in operands)
    policy, wanted = current(), None if dtype is None else as_dtype(dtype)
    p = resolve(o, policy, signature, wanted)
    kernel = _lasting(o, p, _kernel(o, p), lambda: _kernel(o, resolve(o, policy, signature, wanted)))
    names = (len(args), *kw)
    key = signature[0] if len(o.operands) == 1 and not o.sequence else signature
    _lookup(table(o.name), policy, key)[(dtype, *names) if o.has_dtype else names] = kernel
    return kernel


def _lasting(o: Op, p: Plan, kernel: Callable[..., Any], again: Callable[[], Any]) -> Callable[..., Any]:
    """The kernel, behind a look at the backend's dtypes where they come and go."""
    if p.how == "composed":
        return kernel  # the functions that it calls look themselves
    dtypes = {p.computed, *p.out, *(cast for cast in p.casts if cast)}
    return p.backend.lasting(kernel, again, dtypes, "index" in (*o.out, *o.special.values()))


def _specialise_creation(
    o: Op, args: tuple[Any, ...], kw: dict[str, Any], dtype: Any, device: Any, key: Any
) -> tuple[Callable[..., Any], Any, Any, Sig]:
    from .backends import get

    _check_arguments(o, (), args, kw)
    policy = current()
    owner = getattr(device, "backend", None) or policy.backend
    backend = get(owner)
    native_device = backend.device(device if device is not None else _policy_device(policy, owner))
    resolved = policy.default_dtype if dtype is None else as_dtype(dtype)
    sig = backend.sig(resolved)
    call = backend.function(o.name, resolved)
    if call is None:
        raise BackendError(f"{o.name}: the {backend.name} backend does not have this function")
    call = backend.lasting(call, lambda: backend.sig(resolved) and call, [resolved], positions=False)
    made = call, backend.native[resolved], backend.module.native_device(native_device), sig
    _lookup(table(o.name), policy)[key] = made
    return made


def _policy_device(policy: Policy, backend: str) -> str | None:
    return policy.device if policy.backend == backend else None


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


def _runner(o: Op, p: Plan) -> Callable[..., Any]:
    """What to call on native operands: the plan's function, behind whatever casts it needs."""
    call = p.call
    if p.how == "composed":
        sigs = [p.backend.sig(c or d) for c, d in zip(p.casts, p.operands, strict=True)]  # type: ignore[arg-type]
        body = call

        def call(*data: Any) -> Any:  # the composition, on native arrays
            return body(*[_array(d, s) for d, s in zip(data, sigs, strict=True)])._data

    steps = [_step(o, p, i) for i in range(len(p.operands))]
    swapped = p.backend.module.REFLECTED.get(o.name) if p.how == "native" and isinstance(p.operands[0], type) else None
    if swapped is not None:
        value = _step(o, p, 0, raw=p.backend.module.takes_scalar(o.name, 1, p.computed))
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
        case [first, second]:
            return lambda d1, d2: call(first(d1), second(d2))  # type: ignore[misc]
        case _:
            return lambda *data: call(*[s(d) if s else d for s, d in zip(steps, data, strict=True)])


def _step(o: Op, p: Plan, position: int, *, raw: bool = False) -> Callable[[Any], Any] | None:
    """What is done to one operand before the call: nothing, a cast, or a Python scalar made fit."""
    given, cast, module = p.operands[position], p.casts[position], p.backend.module
    if isinstance(given, Dtype):
        step: Callable[[Any], Any] | None = None if cast is None else module.cast(p.backend.native[cast])
        return step
    assert cast is not None  # a scalar always has a dtype to become
    native = p.how == "native" or getattr(p.call, "takes_scalars", False)
    raw = raw or (native and module.takes_scalar(o.name, position, cast))
    make: Callable[[Any], Any] | None = None if raw else module.scalar(p.backend.native[cast])
    if given is int and cast.kind in "iu":
        _, high, low, _ = int_limits(cast)

        def checked(value: int) -> Any:
            if not low <= value <= high:
                raise OverflowError(
                    f"{o.name}: Python int {value} does not fit {cast}, which holds {low} to {high}. "
                    f"Cast the array to a wider dtype first: lw.astype(x, dtype)"
                )
            return make(value) if make else value

        return checked
    if raw and given is bool and cast.kind != "b":
        return int  # not every framework computes with a bool and a number
    if raw and given is int and cast.kind in "fc":
        return getattr(module, "int_as_float", None)  # for a framework that takes no int above 2**63
    return make


def _kernel(o: Op, p: Plan) -> Callable[..., Any]:
    """From native operands and options to results of ours.

    A mixed function asks its predicate at each call, and is the composition where that says no.
    """
    when = getattr(p.call, "when", None)
    if p.how == "composed" or when is None:
        return _direct(o, p)
    if o.body is None:
        raise BackendError(f"{o.name}: the {p.backend.name} backend's function has a predicate but there is no body")
    native, composition = _direct(o, p), _direct(o, p._replace(how="composed", call=o.body))
    return lambda *given, **kw: (native if when(*given, **kw) else composition)(*given, **kw)


def _direct(o: Op, p: Plan) -> Callable[..., Any]:
    """As `_kernel`, without a predicate."""
    steps = [_step(o, p, i) for i in range(len(p.operands))]
    native = {"dtype": p.backend.native[p.accumulate]} if p.accumulate else {}
    if p.how == "composed":
        body = p.call
        sigs = [p.backend.sig(c or d) for c, d in zip(p.casts, p.operands, strict=True)]  # type: ignore[arg-type]
        options = {"dtype": p.accumulate} if p.accumulate else {}

        def composition(*given: Any, **kw: Any) -> Any:
            data, args = (given[0], given[1:]) if o.sequence else (given[: len(sigs)], given[len(sigs) :])
            arrays = [_array(s(d) if s else d, g) for s, d, g in zip(steps, data, sigs, strict=True)]
            return body(*([arrays] if o.sequence and not o.spread else arrays), *args, **options, **kw)

        return composition
    call = p.call
    wrap = _wrap(o, p)
    if o.sequence:
        if not any(steps):
            return lambda data, *args, **kw: wrap(call(data, *args, **kw))
        return lambda data, *args, **kw: wrap(
            call([s(d) if s else d for s, d in zip(steps, data, strict=True)], *args, **kw)
        )
    if len(steps) == 1:
        first = steps[0]
        if o.wrap is Array:
            out = p.backend.sig(p.out[0])

            def single(d: Any, *args: Any, **kw: Any) -> Array:
                r = Array()
                r._data = call(first(d) if first else d, *args, **native, **kw)
                r._sig = out
                return r

            return single
        return lambda d, *args, **kw: wrap(call(first(d) if first else d, *args, **native, **kw))
    n = len(steps)
    if o.wrap is Array and not any(steps) and not native:
        out = p.backend.sig(p.out[0])

        def plain(*given: Any, **kw: Any) -> Array:
            r = Array()
            r._data = call(*given, **kw)
            r._sig = out
            return r

        return plain
    return lambda *given, **kw: wrap(
        call(*[s(d) if s else d for s, d in zip(steps, given, strict=False)], *given[n:], **native, **kw)
    )


def _wrap(o: Op, p: Plan) -> Callable[[Any], Any]:
    sigs = [p.backend.sig(d) for d in p.out]
    if o.wrap is Array:
        return lambda data: _array(data, sigs[0])
    if o.wrap is tuple:
        return lambda data: tuple([_array(d, sigs[0]) for d in data])
    if hasattr(o.wrap, "_fields"):
        return lambda data: o.wrap(*[_array(d, s) for d, s in zip(data, sigs, strict=True)])
    raise TypeError(f"{o.name}: its return annotation must be Array, a tuple of them or a NamedTuple")


def _array(data: Any, sig: Sig) -> Array:
    r = Array()
    r._data = data
    r._sig = sig
    return r


def _data(x: Any) -> Any:
    return x._data if isinstance(x, Array) else x


def _signature(x: Any) -> Sig | type:
    return x._sig if isinstance(x, Array) else type(x)


# --- operands that are not ours ----------------------------------------------------------------------------------


def adapt(o: Op, operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The operands with frameworks' own arrays and NumPy scalars made ours; None where there are none.

    Scalars of a subclass of Python's own, such as an enum's members, become Python's own.
    """
    if all(isinstance(x, Array) or type(x) in SCALAR_KINDS for x in operands):
        return None
    ours = next((x._sig.backend for x in operands if isinstance(x, Array)), None)
    scalars = tuple(plain_scalar(x) if isinstance(x, SCALARS) and _owner(x) is None else x for x in operands)
    return tuple(x if isinstance(x, Array) or type(x) in SCALAR_KINDS else as_operand(o, x, ours) for x in scalars)


def as_operand(o: Op, x: Any, backend: Any = None) -> Array:
    """One operand as an `Array`: a framework's own array is taken as it is, a NumPy scalar becomes 0-d.

    `backend` is that of the other operands: a NumPy scalar joins them, keeping its dtype.
    """
    from .backends import of

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
        return _array(backend.module.native(data), backend.sig(dtype))
    return _array(owner.module.native(x), owner.sig_of(x))


def foreign(x1: Any, x2: Any) -> bool:
    """Whether an operator leaves x2 its turn: it is no array or scalar that any backend of ours knows."""
    return not (isinstance(x2, (Array, *SCALARS)) or _owner(x2) is not None)


def _owner(x: Any) -> Any:
    from .backends import of

    return of(x)


def named(f: Callable[..., Any] | str) -> Op:
    """The declaration of a function of ours, from itself or its name."""
    name = f if isinstance(f, str) else getattr(f, "__name__", str(f))
    module = str(getattr(f, "__module__", ""))
    if module.rpartition(".")[2] in ("linalg", "fft"):
        name = f"{module.rpartition('.')[2]}.{name}"
    if name in OPS and not isinstance(f, str) and getattr(f, "__wrapped__", f) is not OPS[name].function:
        raise TypeError(f"{f!r} is no function of latticework. Give lw.{name}")
    if name not in OPS:
        raise TypeError(f"{name!r} is no function of latticework{nearest(name, OPS)}")
    return OPS[name]


def plan(function: Callable[..., Any] | str, *operands: Any, dtype: Any = None) -> Plan:
    """What a call would do: the casts, the function called and the dtypes that result. Runs nothing.

    Parameters
    ----------
    function: a function of latticework, or its name.
    operands: arrays and Python scalars, as for the call.

    Raises
    ------
    TypeError: for a function that is not ours, or has no plan of its own; and whatever the call would raise.

    Examples
    --------
    >>> import latticework as lw
    >>> print(lw.plan(lw.add, lw.asarray([1, 2]), 1.5))
    add(int32 as float32, Python float as float32) -> float32  [native: add on numpy, computed in float32]
    """
    o = named(function)
    if o.sequence and not o.spread and len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not o.operands:
        raise TypeError(f"plan: {o.name} has no plan of its own: it makes arrays, or is composed of other functions")
    if not o.sequence and len(operands) != len(o.operands):
        names = ", ".join(o.operands)
        raise TypeError(f"plan: {o.name} takes {len(o.operands)} operands ({names}); got {len(operands)}")
    given = adapt(o, operands) or operands
    return resolve(o, current(), tuple(map(_signature, given)), None if dtype is None else as_dtype(dtype))


def specialise_in_place(o: Op, x1: Array, x2: Any) -> Callable[[Any, Any], Any]:
    """Make and remember the kernel of `x1 += x2`: it writes into x1's native array, or makes its successor."""
    adapted = adapt(o, (x1, x2))
    if adapted is not None:
        other = _data(adapted[1])
        run = specialise_in_place(o, *adapted)
        return lambda d1, _: run(d1, other)
    signature, policy = (x1._sig, _signature(x2)), current()
    p = resolve(o, policy, signature)
    if p.out[0] is not x1._sig.dtype:
        raise TypeError(
            f"{o.name}: in place it would have to change the array's dtype from {x1._sig.dtype} to {p.out[0]}. "
            f"Write x = x {_SYMBOLS.get(o.name, o.name)} y, or cast the other operand: lw.astype(y, lw.{x1._sig.dtype})"
        )
    write = p.backend.module.in_place(p.call) if p.how == "native" else None
    step = _step(o, p, 1)
    if write is None or p.casts[0] is not None:
        assign = p.backend.module.overwrite
        compute = _lasting(o, p, _runner(o, p), lambda: _runner(o, resolve(o, policy, signature)))

        def run(d1: Any, d2: Any) -> Any:
            return assign(d1, compute(d1, d2))
    else:
        target = write

        def run(d1: Any, d2: Any) -> Any:
            return target(d1, step(d2) if step else d2)

    _lookup(table(f"{o.name}="), policy, signature[0])[signature[1]] = run
    return run


_SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%",
    "pow": "**", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>", "matmul": "@",
}  # fmt: skip


def functions() -> Iterator[Op]:
    """Every public declared function."""
    return (o for o in OPS.values() if not o.name.rpartition(".")[2].startswith("_"))
