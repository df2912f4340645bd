"""`jax.experimental.multihost_utils`: there is one process."""

from __future__ import annotations

from typing import Any

__all__ = ["broadcast_one_to_all", "process_allgather", "sync_global_devices"]


def sync_global_devices(name: str) -> None:
    """Nothing: there is no other process."""


def broadcast_one_to_all(in_tree: Any, is_source: bool | None = None) -> Any:
    """Return the tree itself."""
    return in_tree


def process_allgather(in_tree: Any, tiled: bool = False) -> Any:
    """Return the tree itself."""
    return in_tree
