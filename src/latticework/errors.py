"""The error classes, each derived from the built-in that fits, and the help that their messages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .core.linalg_error import LinAlgError

__all__ = [
    "AxisError", "BackendError", "BackendNotInstalledError", "GraphFileError", "LinAlgError", "NoDataError",
    "PromotionError", "TraceError", "ValueLossError",
]  # fmt: skip


class PromotionError(TypeError):
    """The active rules give these operands no common dtype."""

    #: The reason by itself, where the rules have one.
    why: str = ""


class BackendError(TypeError):
    """Arrays of two backends met in one call, or a backend cannot do what was asked."""


class BackendNotInstalledError(ImportError):
    """A backend whose framework is not installed."""


class ValueLossError(ValueError):
    """A cast that was to be checked would change the value of an element."""


class NoDataError(RuntimeError):
    """A value was asked for from an array that has a shape and a dtype, but no data."""


class TraceError(NoDataError):
    """A traced program did something untraceable: it asked for a value, or for an extent that depends on values."""


class GraphFileError(ValueError):
    """A graph that cannot be saved, or a file that holds no graph that this version reads."""


class AxisError(ValueError, IndexError):
    """An axis that the array does not have."""


def is_signal(error: Exception) -> bool:
    """Tell whether an exception is a framework's signal to its own caller: nothing failed, and no call may follow.

    `torch.utils.checkpoint` ends what it runs again by such an exception, as soon as it has what it needs. Its class is
    a framework's, and derives from `Exception` alone.
    """
    kind = type(error)
    return kind.__bases__ == (Exception,) and kind.__module__.partition(".")[0] not in ("builtins", __package__)


def from_outside(name: str) -> BackendError:
    """Make the error for a write to an array from outside, of a value that a function computes from its arguments."""
    return BackendError(
        f"{name}: the value depends on an argument of a function that is differentiated, and the array was made "
        f"outside of the function. Take a copy of the array in the function, y = y.copy(), and return what you need"
    )


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "LinAlgError":  # it derives from NumPy's
            from .core.linalg_error import LinAlgError

            globals()[name] = LinAlgError
            return LinAlgError
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{nearest(name, __all__)}")


def install(extra: str) -> str:
    """Write the command that installs an extra: ``pip install 'latticework[draw]'``, and the same from a clone."""
    return with_clone(f"pip install 'latticework[{extra}]'")


def with_clone(command: str) -> str:
    """Add the form for a clone to a command that installs an extra of latticework. Other commands stay as they are."""
    if "'latticework[" not in command:
        return command
    return f"{command} (from a clone: {command.replace('latticework[', '.[')})"


def _known(name: str, names: list[str], lines: bool) -> str | None:
    """Return the hint for another library's word, empty without a counterpart; None if unknown or nothing fits."""
    from .words import WORDS, is_line, offered

    if name in names or name not in WORDS:
        return None
    candidates = WORDS[name]
    for candidate in candidates:
        if is_line(candidate):
            if lines:
                return offered(candidate)
        elif candidate in names or (lines and "." in candidate):  # it is in a submodule, which may not be loaded yet
            return f"; did you mean {candidate!r}?"
    return None if candidates else ""


def nearest(name: object, names: Iterable[object], *, lines: bool = False) -> str:
    """Return `; did you mean 'x'?`, or an empty string where no name is near.

    A word of another library comes before names that look like it. `lines`: where a function or a method was looked
    for, a line to write instead is an answer too: `; write x.copy().`
    """
    words = [str(n) for n in names]
    candidates = _known(str(name), words, lines)
    if candidates is not None:
        return candidates
    import difflib  # only on the way to an error: it costs milliseconds to import

    inside = [word for word in words if word.rpartition(".")[2] == str(name)]  # linalg.inv, for inv
    close = inside or difflib.get_close_matches(str(name), words, n=1, cutoff=0.7)
    return f"; did you mean {close[0]!r}?" if close else ""
