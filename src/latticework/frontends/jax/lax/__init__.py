"""`jax.lax` on any backend: functions without promotion, with explicit dimensions, and control flow."""

from __future__ import annotations

import typing as _typing

from ...names import export as _export
from . import control_flow, elementwise, linalg, parallel, primitives, products, shaping, solves, tables

_export(globals(), elementwise, shaping, control_flow, products, parallel, primitives, solves, tables)
__all__ = [*globals()["__all__"], "linalg"]  # noqa: PLE0604

if _typing.TYPE_CHECKING:  # the names come from tables

    def __getattr__(name: str) -> _typing.Any: ...
