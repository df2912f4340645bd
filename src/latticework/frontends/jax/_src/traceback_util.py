"""Which files tracebacks leave out: nothing is left out here."""

from __future__ import annotations

from typing import Any

__all__ = ["api_boundary", "register_exclusion"]

_exclude_paths: list[str] = []


def register_exclusion(path: str) -> None:
    """Keep the name of a file."""
    _exclude_paths.append(path)


def api_boundary(fun: Any, **options: Any) -> Any:
    """Return the function itself."""
    return fun
