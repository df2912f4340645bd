"""`torch.backends`: switches of PyTorch's libraries. They keep what they are set to, and change nothing here.

What a library may round, or choose between, is a setting of the framework that computes: for JAX
``jax_default_matmul_precision``, for PyTorch the same switch of PyTorch itself.
"""

from __future__ import annotations

from . import cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]
