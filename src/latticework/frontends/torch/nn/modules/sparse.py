"""Layers that look up rows of a table."""

from __future__ import annotations

from typing import Any, ClassVar

from ...autograd.modes import no_grad
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .layer import hold
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """The base of layers that look up rows: the table is the parameter `weight`."""

    def _hold(self, weight: Any, frozen: bool, padding_idx: Any, device: Any, dtype: Any, **options: Any) -> None:
        count, size = options["num_embeddings"], options["embedding_dim"]
        if padding_idx is not None:
            if not -count <= padding_idx < count:
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx %= count
        for name, value in options.items():
            setattr(self, name, value)
        self.padding_idx = padding_idx
        if weight is None:
            hold(self, device, dtype, weight=(count, size))
            self.reset_parameters()
        elif tuple(weight.shape) != (count, size):
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(weight)
        self.weight.requires_grad_(not frozen)

    def reset_parameters(self) -> None:
        """Draw the table from a normal distribution; the row of the padding is zero."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0

    def _shown(self, **options: Any) -> str:
        given = [f"{name}={x}" for name, x in options.items() if x is not None and x is not False]
        return ", ".join([f"{self.num_embeddings}, {self.embedding_dim}", *given])


class Embedding(_Table):
    """Look up rows of a table by their numbers.

    Parameters
    ----------
    num_embeddings, embedding_dim: the extents of the table.
    padding_idx: the row that is zero at first, and has no gradient.
    max_norm, norm_type: what the norm of a row is reduced to when it is looked up, and which norm.
    scale_grad_by_freq: whether the gradient of a row is divided by how often the row is looked up.
    sparse: is taken, and changes nothing: gradients are dense.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> table = torch.nn.Embedding(10, 3, padding_idx=0)
    >>> table(torch.tensor([[1, 0], [2, 9]])).shape
    torch.Size([2, 2, 3])
    """

    __constants__: ClassVar[list[str]] = [
        "num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse",
    ]  # fmt: skip

    def __init__(
        self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
        sparse=False, _weight=None, _freeze=False, device=None, dtype=None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._hold(
            _weight, _freeze, padding_idx, device, dtype, num_embeddings=num_embeddings, embedding_dim=embedding_dim,
            max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
        )  # fmt: skip

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.embedding` with the table."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        """The extents of the table, and the options that are not the defaults."""
        return self._shown(
            padding_idx=self.padding_idx, max_norm=self.max_norm, norm_type=self.norm_type != 2 and self.norm_type,
            scale_grad_by_freq=self.scale_grad_by_freq, sparse=self.sparse,
        )  # fmt: skip

    @classmethod
    def from_pretrained(
        cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
        sparse=False,
    ) -> Embedding:  # fmt: skip
        """Make a layer of a table, which does not train unless `freeze` is False."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, size = embeddings.shape
        return cls(
            rows, size, _weight=embeddings, _freeze=freeze, padding_idx=padding_idx, max_norm=max_norm,
            norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
        )  # fmt: skip


class EmbeddingBag(_Table):
    """Look up rows of a table, and reduce those of each bag to one.

    Parameters
    ----------
    mode: ``"mean"``, ``"sum"`` or ``"max"``.
    include_last_offset: whether the end of the last bag is given as well.
    padding_idx: the row that does not count. For all others see `Embedding`.
    """

    __constants__: ClassVar[list[str]] = [
        "num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
        "include_last_offset", "padding_idx",
    ]  # fmt: skip

    def __init__(
        self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
        sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._hold(
            _weight, False, padding_idx, device, dtype, num_embeddings=num_embeddings, embedding_dim=embedding_dim,
            max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse,
            include_last_offset=include_last_offset,
        )  # fmt: skip

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """Reduce the rows of each bag.

        Parameters
        ----------
        input: numbers of rows: of shape (bags, length), or (rows,) with offsets.
        offsets: where each bag starts.
        per_sample_weights: what each row is multiplied by; of mode ``"sum"`` alone.
        """
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse,
            per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The extents of the table, and the options that are not the defaults."""
        return self._shown(
            max_norm=self.max_norm, norm_type=self.norm_type != 2 and self.norm_type,
            scale_grad_by_freq=self.scale_grad_by_freq, mode=repr(self.mode), padding_idx=self.padding_idx,
        )  # fmt: skip

    @classmethod
    def from_pretrained(
        cls, embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean", sparse=False,
        include_last_offset=False, padding_idx=None,
    ) -> EmbeddingBag:  # fmt: skip
        """Make a layer of a table, which does not train unless `freeze` is False."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, size = embeddings.shape
        made = cls(
            rows, size, _weight=embeddings, max_norm=max_norm, norm_type=norm_type, mode=mode, sparse=sparse,
            scale_grad_by_freq=scale_grad_by_freq, include_last_offset=include_last_offset, padding_idx=padding_idx,
        )  # fmt: skip
        made.weight.requires_grad_(not freeze)
        return made
