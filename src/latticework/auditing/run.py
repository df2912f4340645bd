"""`audit`: a program under each rule set and on each backend, without data."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any, overload

from ..api.inference import Spec
from ..backend import get
from ..engine.arrays.array import Array
from ..engine.functions.without_data import stand_in
from ..policy import current
from ..promotion import Rules
from .casts import casts_of, own_casts, sums_of
from .comparing import findings_of
from .following import NotFollowedError
from .places import is_library, place_of
from .recording import Log, record, run_of
from .report import Audit, Stop
from .widening.report import Widenings
from .widening.run import widenings

__all__ = ["FRAMEWORKS", "audit"]

#: The rule sets of the current release of each framework, after latticework's own.
FRAMEWORKS = ("unified", "numpy", "torch", "jax", "tensorflow", "keras", "mlx", "paddle", "max")


@overload
def audit(
    function: Callable[..., Any],
    /,
    *args: Any,
    rules: Sequence[Rules | str] = FRAMEWORKS,
    backends: Sequence[str] = (),
    widening: None = None,
    **kw: Any,
) -> Audit: ...
@overload
def audit(
    function: Callable[..., Any],
    /,
    *args: Any,
    rules: Rules | str | None = None,
    widening: Any,
    casts: bool = False,
    inside: Sequence[str] = (),
    **kw: Any,
) -> Widenings: ...
def audit(
    function: Callable[..., Any],
    /,
    *args: Any,
    rules: Any = FRAMEWORKS,
    backends: Sequence[str] = (),
    widening: Any = None,
    casts: bool = False,
    inside: Sequence[str] = (),
    **kw: Any,
) -> Audit | Widenings:
    """Find where a function would give other dtypes, or an error, under other rules or on another backend.

    The function runs once without data under each rule set, and under the rules in force on each backend, as with
    `infer`. The operations of these runs are aligned by where they are in the program: the same expression, reached for
    the n-th time. A run goes on after a refused operation with the result that the unified rules give.

    An operation is a finding where a run refuses it or where result dtypes are not the same in all runs. It follows
    from an earlier finding, and needs no cast of its own, if the dtypes of its operands are not the same in all runs,
    runs with equal operands give one dtype or refuse it, and all runs agree on it when it is called again on the
    operands of the first run. Everything else is a finding of its own, also a difference because some rules take a
    NumPy scalar for a number.

    The cast that settles a finding was tried: the operation was called again with it under every run.

    Parameters
    ----------
    function: any function or method that calls latticework.
    args, kw: its arguments. A `Spec`, or an array, stands for an array of its dtype and shape, in lists, tuples and
        dicts too. Everything else is handed on as it is.
    rules: rule sets or their names. The others are compared with the first. By default the unified rules and those of
        the current release of each framework.
    backends: names of backends, whose dtypes, refusals and measured support hold.
    widening: a float dtype that is not to become wider, nor those that are narrower: the audit is another one then. The
        function runs once, on its own framework with real arrays, and the calls are found that make a wider float of
        a watched one, with the place where the wide operand was made. A `Spec` is an array of ones. Several dtypes are
        watched alone. A program of latticework runs without data, under `rules` if given; one of another framework with
        `rules` is followed as by the other audit.
    casts: whether to report what the program widens by name too, as by ``x.double()``.
    inside: names of packages to look into, for the line in them. PyTorch's calls are seen everywhere.

    Returns
    -------
    An `Audit`: its findings, the casts that were inserted and what they may lose, the patch that makes all agree. With
    `widening` a `Widenings`: its findings, and the patch that keeps all narrow.

    Raises
    ------
    ValueError: for a name that is no rule set, no backend or no float dtype; where there is nothing to run under.
    TypeError: for arguments that the function cannot be called with.

    Examples
    --------
    >>> import latticework as lw
    >>> def halves(x):
    ...     return x / 2 + 0.5
    >>> found = lw.audit(halves, lw.spec((3,), "int32"), rules=("unified", "numpy", "torch"))
    >>> [(f.operation, f.place.expression, f.follows) for f in found.findings]
    [('divide', 'x / 2', False), ('add', 'x / 2 + 0.5', True)]
    >>> [(o.run, *o.results) for o in found.divergences[0].outcomes]
    [('unified', 'float32'), ('numpy', 'float64'), ('torch', 'float32')]
    >>> found.divergences[0].fix.text
    'lw.astype(x, lw.float32) / 2'
    >>> import numpy as np
    >>> def scaled(x):
    ...     return x / np.sqrt(x.shape[-1])
    >>> found = lw.audit(scaled, np.ones((2, 3), dtype=np.float32), widening="float32")
    >>> [(f.narrow, f.wide, f.made.place.expression, f.cast) for f in found.first]
    [('float32', 'float64', 'np.sqrt(x.shape[-1])', 'x / np.sqrt(x.shape[-1]).astype(x.dtype)')]
    """
    if widening is not None:
        chosen = None if rules is FRAMEWORKS else rules
        return widenings(function, args, kw, widening=widening, casts=casts, rules=chosen, inside=inside)
    runs = [*(run_of(r) for r in _several(rules)), *(run_of(backend=b) for b in _several(backends))]
    if not runs:
        raise ValueError("audit: there is nothing to run under; give rules=('numpy', 'torch') or backends=('torch',)")
    _check_arguments(function, args, kw)
    given = tuple(_made(x) for x in args), {n: _made(x) for n, x in kw.items()}
    with _uncollected():
        logs = [record(run, function, *given) for run in runs]
        return _report(getattr(function, "__name__", type(function).__name__), logs)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector, which would go through the records again and again: all of them are kept."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _check_arguments(function: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> None:
    """Refuse arguments that the function cannot be called with."""
    try:
        parameters = signature(function)
    except (TypeError, ValueError):  # it has no signature
        return
    try:
        parameters.bind(*args, **kw)
    except TypeError as error:
        name = getattr(function, "__name__", "the function")
        raise TypeError(f"audit: {name}{parameters} cannot be called with these arguments: {error}") from None


def _several(names: Any) -> list[Any]:
    """Return a list of names or rule sets; one may be given alone."""
    return [names] if isinstance(names, (str, Rules)) else [*names]


def _made(x: Any) -> Callable[[], Any]:
    """Return a function that makes an argument under the policy of a run."""

    def array(x: Any) -> Array:
        return stand_in(x, get(current().backend), "cpu")

    return lambda: _mapped(x, array)


def _mapped(tree: Any, change: Callable[[Any], Any]) -> Any:
    """Change the specs and arrays in lists, tuples and dicts."""
    if isinstance(tree, (Spec, Array)):
        return change(tree)
    if isinstance(tree, dict):
        return {key: _mapped(x, change) for key, x in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [_mapped(x, change) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def _report(name: str, logs: Sequence[Log]) -> Audit:
    return Audit(
        program=name,
        runs=tuple(log.run.label for log in logs),
        operations=len(logs[0].records),
        findings=tuple(findings_of(logs)),
        casts=tuple(casts_of(logs)),
        own_casts=own_casts(logs[0]),
        sums=tuple(sums_of(logs)),
        stops=_stops(logs, followed=True),
        not_followed=_stops(logs, followed=False),
        results=tuple((log.run.label, _described(log)) for log in logs),
    )


def _stops(logs: Sequence[Log], *, followed: bool) -> tuple[Stop, ...]:
    """Return the runs that ended with an error: those that were followed up to it, or those that were not."""
    found: dict[tuple[Any, str], list[str]] = {}
    for log in logs:
        if log.stopped is not None and _is_missing(log.stopped) is not followed:
            error = f"{type(log.stopped).__name__}: {log.stopped}"
            found.setdefault((_raised_at(log), error), []).append(log.run.label)
    return tuple(Stop(place, tuple(runs), error) for (place, error), runs in found.items())


def _is_missing(error: Exception) -> bool:
    """Return whether a run ended at a function that latticework, or the dialect of the program's framework, lacks."""
    missing = isinstance(error, AttributeError) and "latticework's dialect of" in str(error)
    return missing or isinstance(error, NotFollowedError)


def _raised_at(log: Log) -> Any:
    """Return the place of the user's expression that raised the error that ended a run."""
    traceback, found = log.stopped.__traceback__ if log.stopped else None, None
    while traceback is not None:
        frame = traceback.tb_frame
        if not is_library(frame):
            found = place_of(frame.f_code, traceback.tb_lasti)
        traceback = traceback.tb_next
    return found


def _described(log: Log) -> str:
    """Describe the result of a run in words."""
    if log.stopped is not None:
        return ""

    def spec(x: Any) -> Any:
        return Spec(x.shape, x.dtype, x.weak)

    return words_of(_mapped(log.result, spec))


def words_of(x: Any) -> str:
    """Describe a result in words, with the dtype and shape of each `Spec` in lists, tuples and dicts."""
    if isinstance(x, Spec):
        return str(x)
    if isinstance(x, dict):
        return f"{{{', '.join(f'{key!r}: {words_of(y)}' for key, y in x.items())}}}"
    if isinstance(x, (list, tuple)):
        return f"({', '.join(map(words_of, x))})"
    return repr(x)
