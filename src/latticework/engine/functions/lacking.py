"""Say in a note on a framework's error, for a derivative that it lacks, what has one."""

from __future__ import annotations

import re

from ...backend import Backend
from ...errors import BackendError

__all__ = ["note_lacking"]

#: What frameworks say of a derivative that they lack.
_LACKING = re.compile(
    r"(derivative|gradient|differentiation|forward AD)\b.*"
    r"(not implemented|not supported|not support|unsupported|does not work|not defined|has no|have no)"
    r"|has no (forward )?(derivative|gradient)|no gradient defined",
    re.IGNORECASE | re.DOTALL,
)


def note_lacking(name: str, backend: Backend, error: Exception, cause: BaseException | None = None) -> None:
    """Add the note to an error, if the framework lacks a derivative and no note says so yet.

    Parameters
    ----------
    name: the function that is called, such as ``"grad"``.
    cause: the error that it comes from.
    """
    cause = cause or error.__cause__
    texts = [str(error)]
    while cause is not None:
        texts.append(str(cause))
        cause = cause.__cause__
    kinds = (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
    if not isinstance(error, kinds) or isinstance(error, BackendError) or not any(map(_LACKING.search, texts)):
        return
    text = (
        f'{backend.title} has no such derivative. lw.using(gradients="rules") takes latticework\'s own, where there is '
        f"one; lw.custom_gradient gives a function another"
    )
    if not any(n.endswith(text) for n in getattr(error, "__notes__", ())):
        error.add_note(f"{name}: {text}")
