"""`torch.version`: the version of PyTorch whose names the dialect has. Of devices' libraries it has none."""

from __future__ import annotations

from .constants import __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

debug = False
cuda = hip = rocm = xpu = None
git_version = "latticework"
