"""What a call will do, without doing it, and what is kept of the calls that were made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.kernels import adapt, planned
from ..engine.memo import BY_VALUE
from ..engine.op import named
from ..engine.plan import Plan
from ..policy import TABLES, Policy, as_dtype


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
    return planned(o, given, None if dtype is None else as_dtype(dtype))


def kernel_count(function: Callable[..., Any] | str | None = None, /, *, policy: Policy | None = None) -> int:
    """How many kernels are kept: ways to run a call that are found again when its like is made.

    There is one for each combination of function, operand dtypes and backend, names of options given and policy
    that has been met, and, for functions of a sequence, number of arrays. More calls of the same kind add none,
    nor do other shapes or values. Of policies, which `using` makes, the last few hundred are remembered; with a
    policy that is forgotten go its kernels, and they are made anew if it comes back.

    Parameters
    ----------
    function: a function of latticework or its name; all of them by default.
    policy: one policy, as `using` gives it; all of them by default.

    Raises
    ------
    TypeError: for a function that is not ours.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(default_float="float16") as policy:
    ...     for _ in range(3):
    ...         x = lw.cos(lw.asarray([1, 2])) + 1.5
    ...     lw.kernel_count(lw.cos, policy=policy), lw.kernel_count(lw.add, policy=policy)
    (1, 1)
    """
    if function is None:
        tables = [*TABLES.values()]
    else:
        name = named(function).name
        tables = [TABLES[n] for n in (name, f"{name}=") if n in TABLES]
    found = 0
    for kernels in tables:  # under None lie those of the process default once more
        found += sum(_leaves(made) for p, made in [*kernels.items()] if p is not None and policy in (None, p))
    return found


def _leaves(kernels: Any) -> int:
    if not isinstance(kernels, dict):
        return 1
    return sum(_leaves(made) for key, made in [*kernels.items()] if key is not BY_VALUE)
