"""Names of JAX that are private and that packages import nevertheless: what stands for them here."""

from . import xla_bridge

__all__ = ["xla_bridge"]
