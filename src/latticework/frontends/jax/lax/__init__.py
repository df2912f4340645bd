"""`jax.lax` on any backend: functions without promotion, with explicit dimensions, and control flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import control_flow, elementwise, products, shaping

__all__: list[str] = []
for _chapter in (elementwise, shaping, control_flow, products):
    for _name in _chapter.__all__:
        globals()[_name] = getattr(_chapter, _name)
    __all__ += _chapter.__all__
__all__.sort()

if TYPE_CHECKING:
    from .control_flow import *  # noqa: F403
    from .elementwise import *  # noqa: F403
    from .products import *  # noqa: F403
    from .shaping import *  # noqa: F403
