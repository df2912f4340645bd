"""Casting modes: what may be done about a dtype that a function does not take on a backend.

With no mode on, nothing: the call is an error, which names the mode that would help. A mode allows one kind of cast,
of all operands at once, before the function is called; the result keeps the dtype that was computed in. The plan of
the call shows the cast, and each one made is counted (`lw.casts`), by function and source line, because a cast may
lose precision or take memory.

=========  ==========================================================================================
``cross``  integers to the default float where the function takes no integers, and real floats to the
           default int where it takes no floats
``up``     to the next wider dtype of the same kind (signed, unsigned, real floating, complex) that
           the function takes; nothing where there is none
``down``   to the next narrower one
=========  ==========================================================================================

If several are on, they are tried in this order.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.dtypes import Dtype, all_dtypes
from ...errors import nearest

if TYPE_CHECKING:
    from types import FrameType

    from ...policy import Policy
    from .plan import Plan

__all__ = [
    "Cast",
    "casts",
    "clear_casts",
    "recording_casts",
]

#: The modes, in the order in which they are tried.
MODES = ("cross", "up", "down")


def modes(requested: object) -> tuple[str, ...]:
    """Return the modes that a user names: one of them, "all", several in any order, or None for none."""
    if requested is None:
        return ()
    if requested == "all":
        return MODES
    named = (requested,) if isinstance(requested, str) else requested
    if not isinstance(named, (tuple, list, set, frozenset)):
        raise TypeError(f"casting must be a mode or several of {', '.join(MODES)}, 'all' or None; got {requested!r}")
    for name in named:
        if name not in MODES:
            names = (*MODES, "all")
            raise ValueError(
                f"there is no casting mode {name!r}{nearest(name, names) or '.'} There are {', '.join(names)}"
            )
    return tuple(m for m in MODES if m in named)


def targets(mode: str, dtype: Dtype, policy: Policy) -> tuple[Dtype, ...]:
    """Return the dtypes to which a mode may cast `dtype`, the nearest first."""
    if mode == "cross":
        if dtype.kind in "iu":
            return (policy.default_float,)
        return (policy.default_int,) if dtype.kind == "f" else ()
    group = [d for d in all_dtypes if d.kind == dtype.kind]
    if mode == "up":
        return tuple(sorted((d for d in group if d.bits > dtype.bits), key=lambda d: (d.bits, d.exponent)))
    return tuple(sorted((d for d in group if d.bits < dtype.bits), key=lambda d: -d.bits))


class CastCandidate(NamedTuple):
    """A mode that helps, the dtype that it casts to, and the result in that dtype."""

    mode: str
    dtype: Dtype
    result: Any


def candidates(
    tried: Iterable[str],
    dtype: Dtype,
    policy: Policy,
    attempt: Callable[[Dtype], Any],
    refusals: tuple[type[Exception], ...],
) -> Iterator[CastCandidate]:
    """Yield the modes that help where a dtype is not taken. Each is tried when it is asked for.

    `attempt` makes the result in another dtype, or raises one of `refusals` if that dtype is not taken either.
    """

    def first(mode: str, targets: Iterable[Dtype]) -> CastCandidate | None:
        for target in targets:
            try:
                return CastCandidate(mode, target, attempt(target))
            except refusals:
                continue
        return None

    for mode in tried:
        of_its_kind = "iu" if dtype.kind in "iu" else dtype.kind
        if mode == "cross" and first(mode, (d for d in all_dtypes if d.kind in of_its_kind)):
            continue  # the function takes some integers, or some floats: it is one dtype that it lacks, not the kind
        found = first(mode, targets(mode, dtype, policy))
        if found is not None:
            yield found


def advice(found: Iterable[CastCandidate]) -> str:
    """Return the end of an error: the modes that would have computed the call, and the dtypes."""
    listed = [f"lw.using(casting={c.mode!r}) computes in {c.dtype}" for c in found]
    return f". Or allow a cast: {', '.join(listed)}" if listed else ""


# --- the record ----------------------------------------------------------------------------------------------------


class Cast(NamedTuple):
    """A cast that a mode made: so many times, by this function, called from this line.

    Attributes
    ----------
    function: the function's name.
    backend: the backend's name; empty for a function of a user's own.
    source: the dtype that the function does not take.
    target: the dtype that it was computed in instead.
    mode: ``"cross"``, ``"up"`` or ``"down"``.
    file, line: the innermost line that called and is not latticework's own.
    times: how many times.
    """

    function: str
    backend: str
    source: Dtype
    target: Dtype
    mode: str
    file: str
    line: int
    times: int

    def __str__(self) -> str:
        often = "" if self.times == 1 else f", {self.times} times"
        on = f" on {self.backend}" if self.backend else ""
        return f"{self.file}:{self.line}: {self.function}{on}: {self.source} {self.mode} to {self.target}{often}"


_Key = tuple[str, str, Dtype, Dtype, str, str, int]
_lock = Lock()
_since_start: dict[_Key, int] = {}
_recorders: ContextVar[tuple[dict[_Key, int], ...]] = ContextVar("latticework casts", default=())


def note(function: str, backend: str, source: Dtype, used: Dtype, mode: str) -> None:
    """Count one cast, by the source line that asked for it."""
    key = (function, backend, source, used, mode, *(asked_at() or ("", 0)))
    with _lock:
        for log in (_since_start, *_recorders.get()):
            log[key] = log.get(key, 0) + 1


class _Own(dict[str | None, bool]):
    """The name of a package -> whether it is latticework's."""

    def __missing__(self, package: str | None) -> bool:
        found = self[package] = (package or "").partition(".")[0] == "latticework"
        return found


#: Tells whether a package, by its name, is latticework's.
own: Callable[[str | None], bool] = _Own().__getitem__


def asking_frame(depth: int = 1) -> FrameType | None:
    """Return the innermost frame that is not latticework's own, None if there is none.

    Parameters
    ----------
    depth: how many frames are known to be latticework's own.
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and own(frame.f_globals.get("__package__")):
        frame = frame.f_back
    return frame


def asked_at() -> tuple[str, int] | None:
    """Return file and line of the innermost frame that is not latticework's own, None if there is none."""
    frame = asking_frame(2)
    if frame is None:
        return None
    at = frame.f_code.co_filename, frame.f_lineno
    # tf.function runs a rewritten copy of the code, and knows which line was which.
    while "__autograph_generated_file" in at[0] and frame is not None:
        lines = getattr(frame.f_locals.get("converted_f"), "ag_source_map", None) or {}
        for ours, (origin, *_) in lines.items():
            if tuple(ours) == at:
                return origin.filename, origin.lineno
        frame = frame.f_back
    return at


def recorded(run: Callable[..., Any], p: Plan) -> Callable[..., Any]:
    """Make each call of a kernel count the cast of a mode in its plan. Other kernels are left as they are."""
    if p.mode is None or p.refused is None:
        return run
    function, backend, source, used, mode = p.op, p.backend.name, p.refused, p.computed, p.mode

    def call(*args: Any, **kw: Any) -> Any:
        note(function, backend, source, used, mode)
        return run(*args, **kw)

    return call


def _listed(log: dict[_Key, int]) -> tuple[Cast, ...]:
    with _lock:
        return tuple(Cast(*key, count) for key, count in log.items())


def casts() -> tuple[Cast, ...]:
    """List every cast that a casting mode made, since the process began or since `clear_casts`, in all threads.

    Returns
    -------
    A `Cast` for each function, pair of dtypes and source line, in the order in which they were first met. Inside
    a compiled function (``jax.jit``, ``tf.function``) a cast is counted when it is traced.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.clear_casts()
    >>> with lw.using(casting="up"):
    ...     inverse = lw.linalg.inv(lw.asarray([[2.0]], dtype=lw.float16))
    >>> inverse
    Array([[0.5]], dtype=float32)
    >>> [(c.function, c.source, c.target, c.mode, c.times) for c in lw.casts()]
    [('linalg.inv', lw.float16, lw.float32, 'up', 1)]
    """
    return _listed(_since_start)


def clear_casts() -> None:
    """Forget the casts counted so far, so that `casts` lists what comes after.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.clear_casts()
    >>> lw.casts()
    ()
    """
    with _lock:
        _since_start.clear()


class Recording:
    """The result of `recording_casts`: the casts of the block so far, to go through, count or print."""

    def __init__(self, log: dict[_Key, int]) -> None:
        self._log = log

    def __iter__(self) -> Iterator[Cast]:
        return iter(_listed(self._log))

    def __len__(self) -> int:
        return len(self._log)

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no casts"


@contextmanager
def recording_casts() -> Iterator[Recording]:
    """Record the casts that modes make inside a ``with`` block, in this thread or task.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(casting="cross"), lw.recording_casts() as seen:
    ...     bits = lw.bitwise_and(lw.asarray([6.0, 5.0]), lw.asarray([3.0, 3.0]))
    >>> bits
    Array([2, 1], dtype=int32)
    >>> [(c.source, c.target, c.mode) for c in seen]
    [(lw.float32, lw.int32, 'cross')]
    """
    log: dict[_Key, int] = {}
    token = _recorders.set((*_recorders.get(), log))
    try:
        yield Recording(log)
    finally:
        _recorders.reset(token)
