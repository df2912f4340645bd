"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"


__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]

from latticework.frontends.torch.backends import cuda as cuda
from latticework.frontends.torch.backends import cudnn as cudnn
from latticework.frontends.torch.backends import mkl as mkl
from latticework.frontends.torch.backends import mkldnn as mkldnn
from latticework.frontends.torch.backends import mps as mps
from latticework.frontends.torch.backends import openmp as openmp
from latticework.frontends.torch.backends import opt_einsum as opt_einsum
