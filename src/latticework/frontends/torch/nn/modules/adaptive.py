"""The softmax of very many classes, with those that are rare in clusters."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...creation import tensor
from ...joining import cat
from ...picking import where
from ...reductions import argmax
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """Compute logarithms of the probabilities of classes that are sorted by how frequent they are.

    Parameters
    ----------
    in_features: the extent of the last axis of the input.
    n_classes: the number of classes.
    cutoffs: the first class of each cluster; the classes before the first one have no cluster.
    div_value: by how much the size of the projection of each cluster is less than that of the one before.
    head_bias: whether the linear map of the frequent classes has a bias.
    """

    def __init__(
        self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rising = cutoffs == sorted(set(cutoffs)) and all(int(c) == c for c in cutoffs)
        if not rising or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            inner, classes = int(in_features // div_value ** (i + 1)), self.cutoffs[i + 1] - self.cutoffs[i]
            down, up = Linear(in_features, inner, False, device, dtype), Linear(inner, classes, False, device, dtype)
            self.tail.append(Sequential(down, up))

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        for layer in (self.head, *[layer for cluster in self.tail for layer in cluster]):
            layer.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> Any:
        """Compute the logarithm of the probability of the true class of each sample, and the mean loss.

        Parameters
        ----------
        input_: of shape (batch, in_features) or (in_features,).
        target_: the classes, of shape (batch,) or ().

        Raises
        ------
        RuntimeError: the shapes do not match, or a class is not one of the layer's.
        """
        if target_.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        batched = target_.dim() == 1
        if input_.dim() != target_.dim() + 1:
            raise RuntimeError(
                f"{target_.dim()}D target tensor expects {target_.dim() + 1}D input tensors, but found inputs with "
                f"size {input_.shape}"
            )
        if batched and input_.shape[0] != target_.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        low, high = int(target.min()), int(target.max())
        if low < 0 or high >= self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{low}, {high}] were found."
            )
        head = F.log_softmax(self.head(input), dim=1)
        places, output = target.clip(max=self.shortlist_size - 1), None
        for i, cluster in enumerate(self.tail):
            first, last = self.cutoffs[i : i + 2]
            inside = (target >= first) & (target < last)
            if not bool(inside.any()):
                continue
            found = F.log_softmax(cluster(input), dim=1)
            own = found.gather(1, (target - first).clip(0, last - first - 1).unsqueeze(1)).squeeze(1)
            own = where(inside, own, own.new_zeros(()))
            output = own if output is None else output + own
            places = where(inside, tensor(self.shortlist_size + i), places)
        chosen = head.gather(1, places.unsqueeze(1)).squeeze(1)
        output = chosen if output is None else output + chosen
        return _ASMoutput(output if batched else output.squeeze(0), (-output).mean())

    def _get_full_log_prob(self, input: Any, head_output: Any) -> Any:
        head, short = F.log_softmax(head_output, dim=1), self.shortlist_size
        tails = [
            F.log_softmax(cluster(input), dim=1) + head[:, short + i : short + i + 1]
            for i, cluster in enumerate(self.tail)
        ]
        return cat([head[:, :short], *tails], dim=1)

    def log_prob(self, input: Any) -> Any:
        """Compute the logarithms of the probabilities of all classes: of shape (batch, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Any) -> Any:
        """Return the most likely class of each sample."""
        return argmax(self.log_prob(input), dim=1)
