"""`jax.experimental.checkify`."""

from __future__ import annotations

from typing import TypeVar

from ..experimental.checkify import *  # noqa: F403
from ..experimental.checkify import Error, checkify, user_checks

__all__ = ["Error", "JaxException", "Out", "checkify", "user_checks"]

Out = TypeVar("Out")


class JaxException(Exception):  # noqa: N818 - JAX's name
    """An error that a check finds."""
