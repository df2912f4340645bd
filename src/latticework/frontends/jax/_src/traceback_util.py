"""Which files are left out of tracebacks that packages make. Python's own tracebacks have all."""

from __future__ import annotations

from types import FrameType
from typing import Any

__all__ = ["api_boundary", "include_frame", "register_exclusion"]

_exclude_paths: list[str] = []


def register_exclusion(path: str) -> None:
    """Leave a file out."""
    _exclude_paths.append(path)


def include_frame(f: FrameType) -> bool:
    """Return whether the file of a frame is not left out."""
    return not any(f.f_code.co_filename.startswith(path) for path in _exclude_paths)


def api_boundary(fun: Any, **options: Any) -> Any:
    """Return the function itself."""
    return fun
