"""The plans of calls that compute nothing: casts, conversions, moves, creation, indexing and assignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from ...backend import Backend, get
from ...core.dtypes import SCALAR_KINDS, Dtype
from ...errors import BackendError
from ...policy import Policy, as_dtype, current, kernels_of, named_here
from .plan import Plan

if TYPE_CHECKING:
    from ...core.device import Device
    from ...core.signature import Sig
    from ..arrays.array import Array
    from ..op import Op

__all__ = [
    "cast_plan", "creation_plan", "device_for", "key_plan", "move_plan", "native_device_for", "scalar_plan",
    "sequence_plan", "specialise_cast", "target_of",
]  # fmt: skip


def target_of(backend: Any, device: Any, owner: Backend | None) -> Backend:
    """Return the backend of a result: the requested one, else the device's, the array's own, or the policy's."""
    if backend is not None:
        return get(named_here(backend))
    if getattr(device, "backend", None) is not None:
        return get(device.backend)
    return owner or get(current().backend)


def _requested(backend: Backend, device: object) -> object:
    """Return the device that the call requests, or the policy if it is of this backend; None if neither does."""
    policy = current()
    return policy.device if device is None and policy.backend == backend.name else device


def device_for(backend: Backend, device: object) -> Device:
    """Return a device of a backend: the requested one, or the framework's own default now."""
    return backend.device(_requested(backend, device))


def native_device_for(backend: Backend, device: object) -> Any:
    """Return the native device for the results of a kernel; None for the framework's own default.

    A user may change the default between two calls of the kernel (`torch.set_default_device`, `jax.default_device`,
    `tf.device`).
    """
    requested = _requested(backend, device)
    return None if requested is None else backend.native_device(backend.device(requested))


def _plan(
    op: str, backend: Backend, operands: tuple[Dtype | type, ...], dtype: Dtype, call: Callable[..., Any], **more: Any
) -> Plan:
    """Make the plan of a call that gives one array of a dtype and computes nothing."""
    policy = current()
    casts = tuple(None if x is dtype else dtype for x in operands)
    return Plan(
        op, backend, "native", operands, casts, dtype, (dtype,), call, None, (dtype,), more.pop("weak", False),
        op, policy.rules, dtype, **more,
    )  # fmt: skip


def cast_plan(sig: Sig, dtype: Dtype) -> Plan:
    """Make the plan of `astype`.

    Raises
    ------
    TypeError: a cast from a complex dtype to a real one.
    BackendError: a dtype that the backend does not have.
    """
    backend: Backend = sig.backend
    if sig.dtype.kind == "c" and dtype.kind in "iuf":
        raise TypeError(f"astype: {sig.dtype} to {dtype} would drop the imaginary part. Take lw.real(x) or lw.abs(x)")
    native = backend.native_dtypes[backend.sig(dtype).dtype]
    call = backend.duplicate if dtype is sig.dtype else backend.cast(native)
    return _plan("astype", backend, (sig.dtype,), dtype, call)


#: Keys with a hash up to this may equal the key of another dtype: a NumPy scalar equals a scalar of another dtype, and
#: TensorFlow's dtypes equal their numbers.
_NUMBERS = 2**16


def specialise_cast(x: Array, dtype: Any) -> tuple[Callable[[Any], Any] | None, Sig]:
    """Make and keep the cast of native arrays, None if there is nothing to cast, and the result's signature."""
    policy, sig, resolved = current(), x._sig, as_dtype(dtype)
    p = cast_plan(sig, resolved)
    run = None if resolved is sig.dtype else p.backend.observed(p.call, p)
    if run is not None:
        run = p.backend.guarded(run, lambda: cast_plan(sig, resolved).call, [resolved], False)
    with suppress(TypeError):  # a dtype that has no hash is read at each call
        if abs(hash(dtype)) > _NUMBERS:
            kernels_of("astype", policy).setdefault(sig, {})[dtype] = run, p.sigs[0]
    return run, p.sigs[0]


def move_plan(sig: Sig, target: Backend, dtype: Dtype | None, device: Any) -> Plan:
    """Make the plan of moving an array to another backend or device, in a dtype."""
    resolved, owner = dtype or sig.dtype, sig.backend
    if owner is target:
        return cast_plan(sig, resolved)._replace(op="asarray", device=target.device(device))
    target.sig(resolved)
    through = "numpy" in (owner.name, target.name) or owner.lazy or target.lazy
    call = target.from_numpy if through or target.adopt else target.from_dlpack
    weak = sig.weak and dtype is None
    return _plan("asarray", target, (sig.dtype,), resolved, call, weak=weak, device=device_for(target, None))


def scalar_plan(kind: type, target: Backend, dtype: Dtype | None, device: Any) -> Plan:
    """Make the plan of an array of one Python scalar."""
    policy = current()
    resolved = dtype or policy.promote(kind)
    weak = dtype is None and bool(policy.weak_arrays) and resolved.kind != "b"
    call = target.scalar(target.native_dtypes[target.sig(resolved).dtype])
    return _plan("asarray", target, (kind,), resolved, call, weak=weak, device=device_for(target, device))


def sequence_plan(kinds: frozenset[Any], target: Backend, dtype: Dtype | None, device: Any) -> Plan:
    """Make the plan of an array of nested sequences of Python scalars of these types, or of elements of these dtypes.

    Raises
    ------
    TypeError: complex numbers for a real dtype.
    BackendError: a dtype that the backend does not have.
    """
    policy = current()
    resolved = dtype or (policy.promote(*kinds) if kinds else policy.default_dtype)
    get("numpy").sig(resolved)  # refuses a dtype that only promotion rules know
    if resolved.kind != "c" and any(_kind(k) == "c" for k in kinds):
        raise TypeError(f"asarray: complex numbers do not go into {resolved}. Take their real parts first")
    target.sig(resolved)
    weak = dtype is None and kinds <= SCALAR_KINDS.keys() and resolved.kind != "b" and _weak_sequences(policy)
    operands = tuple(sorted(kinds, key=str))
    return _plan("asarray", target, operands, resolved, target.from_numpy, weak=weak, device=device_for(target, device))


def _kind(x: Dtype | type) -> str:
    return x.kind if isinstance(x, Dtype) else SCALAR_KINDS[x]


def _weak_sequences(policy: Policy) -> bool:
    return policy.weak_arrays == "sequence"


def creation_plan(o: Op, dtype: Any, device: Any, options: Iterable[str] = ()) -> Plan:
    """Make the plan of a function that makes an array: on the backend of the device, else of the policy.

    If the function has a body, the body runs where the backend's function has no parameter for one of the options.
    """
    policy = current()
    backend = get(getattr(device, "backend", None) or policy.backend)
    place = device_for(backend, device)
    resolved = policy.default_dtype if dtype is None else as_dtype(dtype)
    backend.sig(resolved)
    call = backend.function(o.name, resolved)
    if o.body is not None and call is not None and options and not _takes(call, options):
        call = None
    how: Literal["native", "composed"] = "native" if call else "composed"
    call = call or o.body
    if call is None:
        raise BackendError(f"{o.name}: the {backend.name} backend does not have this function")
    return Plan(
        o.name, backend, how, (), (), resolved, (resolved,), call, resolved, (resolved,), False, o.name,
        policy.rules, resolved, device=place,
    )  # fmt: skip


def _takes(call: Callable[..., Any], options: Iterable[str]) -> bool:
    """Return whether a function has parameters of these names, or takes any name."""
    from inspect import signature

    parameters = signature(call).parameters
    return {*options} <= {*parameters} or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def key_plan(name: str, x: Array) -> Plan:
    """Make the plan of `x[key]` and of ``x[key] = value``: the backend reads the key, and the dtype stays."""
    sig, backend = x._sig, x._sig.backend
    call = backend.index if name == "getitem" else backend.assign
    return Plan(
        name, backend, "native", (sig.dtype,), (None,), sig.dtype, (sig.dtype,), call, None, (sig.dtype,), sig.weak,
        name, current().rules, sig.dtype,
    )  # fmt: skip
