"""The missing and different parts of ``torch.nn``, ``torch.linalg``, ``torch.fft`` and ``torch.special``, and why."""

from __future__ import annotations

__all__ = ["ABSENT", "DIFFERENCES"]

_RANDOM_NUMBERS = "other random numbers than PyTorch's for the same seed; dtype, shape and distribution are the same"

#: A name, or a group of names -> why it is absent.
ABSENT: dict[str, str] = {
    "torch.nn.Module, nn.Linear, nn.Conv2d, nn.Parameter, nn.Sequential and the other classes of torch.nn": (
        "modules are classes with state, and the dialect has functions: call torch.nn.functional with the parameters"
    ),
    "torch.nn.init, torch.nn.utils, torch.nn.parallel": "they work on modules and their parameters",
    "torch.nn.functional.fractional_max_pool2d, fractional_max_pool3d and their forms with indices": (
        "the regions are drawn at random by a scheme of PyTorch's own"
    ),
    "torch.nn.functional.grouped_mm, scaled_mm, scaled_grouped_mm": "kernels of quantized matrices on CUDA devices",
    "torch.nn.functional.linear_cross_entropy": "it is linear and cross_entropy in one: call these two",
    "torch.linalg.householder_product, ldl_factor, ldl_factor_ex, ldl_solve": "no backend but PyTorch has them",
    "torch.special: Airy and Bessel functions of the second kind, scaled and spherical ones": (
        "latticework computes i0, i0e, i1 and i1e"
    ),
}

#: A name, or names -> what differs.
DIFFERENCES: dict[str, str] = {
    "torch.nn.functional.dropout, dropout1d, dropout2d, dropout3d": _RANDOM_NUMBERS,
    "torch.nn.functional.alpha_dropout, feature_alpha_dropout, rrelu, gumbel_softmax": _RANDOM_NUMBERS,
    "torch.nn.functional.scaled_dot_product_attention with dropout_p": _RANDOM_NUMBERS,
    "torch.nn.functional.embedding, embedding_bag": "sparse and scale_grad_by_freq, for gradients, are ignored",
    "torch.nn.functional.conv1d, conv2d, conv3d of integers": "computed in float64: exact below 2 ** 53",
    "torch.linalg.lstsq": "driver is ignored: each backend has its own algorithm",
    "torch.linalg.svd, svdvals": "driver is ignored: each backend has its own algorithm",
}
