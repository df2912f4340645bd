"""The transpose of a linear function: what makes a rule of forward derivatives of one in reverse, and the other way.

The functions are of lists of native arrays, and take the framework's ways as arguments: sources that run without
latticework carry them (`tracing/writing/standalone.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["forward_of", "transposed"]

_Natives = list[Any]


def transposed(
    f: Callable[[_Natives], _Natives],
    at: _Natives,
    cotangents: _Natives,
    vjp: Callable[..., Any],
    zeros_like: Callable[[Any], Any],
) -> _Natives:
    """Return the transpose of a linear function, of cotangents of its result.

    Parameters
    ----------
    at: arrays of the shapes and dtypes of the function's arguments.
    vjp, zeros_like: those of the backend.
    """
    found: _Natives = vjp(lambda natives: (f(natives), []), [zeros_like(x) for x in at])[1](cotangents)
    return found


def forward_of(
    run: Callable[[_Natives], tuple[_Natives, Any]], vjp: Callable[..., Any], zeros_like: Callable[[Any], Any]
) -> Callable[[_Natives, _Natives], _Natives]:
    """Make the rule of forward derivatives of a function with a rule in reverse: its transpose.

    Parameters
    ----------
    run: a function that returns its results and the function of cotangents of these.
    vjp, zeros_like: those of the backend.
    """

    def push(primals: _Natives, tangents: _Natives) -> _Natives:
        outs, back = run(primals)
        return transposed(back, outs, tangents, vjp, zeros_like)

    return push
