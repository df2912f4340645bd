"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, classmethod as _classmethod, float as _float, staticmethod as _staticmethod, tuple as _tuple, type as _type
from latticework.frontends.torch import Tensor as _Tensor
from typing import Any as _Any

__all__ = ["Function", "Variable", "backward", "enable_grad", "function", "functional", "grad", "gradcheck", "gradgradcheck", "inference_mode", "no_grad", "set_grad_enabled"]

class Function:
    @_classmethod
    def apply(cls, *args: _Any) -> _Any: ...
    @_staticmethod
    def backward(ctx: _Any, *grad_outputs: _Any) -> _Any: ...
    @_staticmethod
    def forward(*args: _Any, **kw: _Any) -> _Any: ...
    @_staticmethod
    def setup_context(ctx: _Any, inputs: _tuple[_Any, ...], output: _Any) -> _Any: ...
class _VariableMeta(_type):
    def __call__(self, data: _Any, requires_grad: _bool = ..., volatile: _Any = ...) -> _Any: ...
    def __instancecheck__(self, x: _Any) -> _bool: ...

Variable: _VariableMeta
def backward(tensors: _Any, grad_tensors: _Any = ..., retain_graph: _Any = ..., create_graph: _bool = ..., grad_variables: _Any = ..., inputs: _Any = ...) -> None: ...
from latticework.frontends.torch import enable_grad as enable_grad
from latticework.frontends.torch.autograd import function as function
from latticework.frontends.torch.autograd import functional as functional
def grad(outputs: _Any, inputs: _Any, grad_outputs: _Any = ..., retain_graph: _Any = ..., create_graph: _bool = ..., only_inputs: _bool = ..., allow_unused: _Any = ..., is_grads_batched: _bool = ..., materialize_grads: _bool = ...) -> _tuple[_Tensor]: ...
def gradcheck(func: _Any, inputs: _Any, *, eps: _float = ..., atol: _float = ..., rtol: _float = ..., raise_exception: _bool = ..., nondet_tol: _float = ..., check_undefined_grad: _bool = ..., check_grad_dtypes: _bool = ..., check_batched_grad: _bool = ..., check_batched_forward_grad: _bool = ..., check_forward_ad: _bool = ..., check_backward_ad: _bool = ..., fast_mode: _bool = ..., masked: _Any = ...) -> _bool: ...
def gradgradcheck(func: _Any, inputs: _Any, grad_outputs: _Any = ..., *, eps: _float = ..., atol: _float = ..., rtol: _float = ..., gen_non_contig_grad_outputs: _bool = ..., raise_exception: _bool = ..., nondet_tol: _float = ..., check_undefined_grad: _bool = ..., check_grad_dtypes: _bool = ..., check_batched_grad: _bool = ..., check_fwd_over_rev: _bool = ..., check_rev_over_rev: _bool = ..., fast_mode: _bool = ..., masked: _bool = ...) -> _bool: ...
from latticework.frontends.torch import inference_mode as inference_mode
from latticework.frontends.torch import no_grad as no_grad
from latticework.frontends.torch import set_grad_enabled as set_grad_enabled
