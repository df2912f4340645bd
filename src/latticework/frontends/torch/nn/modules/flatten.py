"""Layers that join axes, and split them."""

from __future__ import annotations

from typing import Any

from .layer import Layer

__all__ = ["Flatten", "Unflatten"]


class Flatten(Layer, options="start_dim=1, end_dim=-1"):
    """Join the axes from one to another one; by default all but the batch.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.Flatten()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    def forward(self, input: Any) -> Any:
        """Return the input with the axes joined."""
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Layer, options="dim, unflattened_size"):
    """Split an axis.

    Parameters
    ----------
    dim: the axis.
    unflattened_size: the extents that it is split into.
    """

    def _set(self, dim: Any, unflattened_size: Any) -> None:
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for i, n in enumerate(unflattened_size):
            if not isinstance(n, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(n).__name__} at pos {i}"
                )
        super()._set(dim=dim, unflattened_size=unflattened_size)

    def forward(self, input: Any) -> Any:
        """Return the input with the axis split."""
        return input.unflatten(self.dim, self.unflattened_size)
