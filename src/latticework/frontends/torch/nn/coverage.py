"""The missing and different parts of ``torch.nn``, ``torch.linalg``, ``torch.fft`` and ``torch.special``, and why."""

from __future__ import annotations

__all__ = ["ABSENT", "DIFFERENCES"]

_RANDOM_NUMBERS = "other random numbers than PyTorch's for the same seed; dtype, shape and distribution are the same"

#: A name, or a group of names -> why it is absent.
ABSENT: dict[str, str] = {
    "torch.nn.parallel, nn.DataParallel": "processes and devices of one framework",
    "torch.nn.intrinsic, torch.nn.qat, torch.nn.quantized, torch.nn.quantizable": (
        "no backend computes in quantised dtypes"
    ),
    "Module.ipu, Module.xpu, Module.mtia": "devices of one framework: Module.to takes each device of the backend",
    "torch.nn.functional.grouped_mm, scaled_mm, scaled_grouped_mm": "kernels of quantized matrices on CUDA devices",
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
    "torch.nn.functional.fractional_max_pool2d, fractional_max_pool3d": _RANDOM_NUMBERS,
    "torch.nn.functional.linear_cross_entropy, nn.LinearCrossEntropyLoss": "options, to save memory, are ignored",
    "nn.SyncBatchNorm": "there is one process: it is the BatchNorm of any number of dimensions",
    "nn.CrossMapLRN2d": "its gradient is that of its output; PyTorch's counts other channels",
    "nn.TransformerEncoder": "enable_nested_tensor and mask_check are ignored: padding gets values too",
    "torch.nn.init: functions that draw": _RANDOM_NUMBERS,
    "torch.nn.init.sparse_": "the zeros of sparse_ are drawn by its generator too",
    "Module.register_backward_hook": "it is register_full_backward_hook",
    "Module.compile": "calls stay as they are",
    "backward hooks of modules": "inputs of several dtypes come to the hooks through one tensor of their common dtype",
    "torch.nn.utils.skip_init": "parameters have the values that the class gives them",
    "torch.nn.utils.rnn.unpad_sequence": "its argument is not transposed in place",
    "torch.nn.UninitializedParameter, UninitializedBuffer": "they are copied by copy.deepcopy; materialize gives zeros",
    "torch.nn.functional.embedding, embedding_bag": "sparse and scale_grad_by_freq, for gradients, are ignored",
    "torch.nn.functional.conv1d, conv2d, conv3d of integers": "computed in float64: exact below 2 ** 53",
    "torch.linalg.lstsq": "driver is ignored: each backend has its own algorithm",
    "torch.linalg.svd, svdvals": "driver is ignored: each backend has its own algorithm",
}
