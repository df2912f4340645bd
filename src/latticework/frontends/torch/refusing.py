"""PyTorch's refusals: of Python numbers where it takes tensors alone, and of dtypes that it has no kernel for."""

from __future__ import annotations

from inspect import CO_VARARGS
from types import FunctionType
from typing import Any, NamedTuple

from ...core.dtypes import SCALAR_KINDS

__all__ = ["Several", "Tensors", "tensors_of"]

#: Names of parameters that take tensors alone. A name in `_FIRST` is one where it is the first.
_FIRST = frozenset("input self x A tensor y".split())
_LATER = frozenset(
    """
    A B batch1 batch2 boundaries end grid index indices input2 key mask mat mat1 mat2 negative params positive
    query running_mean running_var sorted_sequence src target tau tensor1 tensor2 vec vec1 vec2 weight x x2 y
    """.split()
)
#: Also the parameters that take only tensors in some functions: there a number fails, since it has no array.
_SOMETIMES = _LATER | {"other", "values", "value", "source"}
#: Functions whose operands may all be numbers, and those that take a number beside a tensor.
_NUMBERS = frozenset("add sub subtract mul multiply div divide true_divide floor_divide".split())
_BESIDE_A_TENSOR = frozenset(
    """
    bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor float_power pow remainder xlog1py xlogy
    zeta where
    """.split()
)
#: Functions that would compute with a number where PyTorch requires a tensor, and the places of such arguments.
_PLACES = {
    name: places
    for names, places in (
        ("allclose dist gammainc gammaincc igamma igammac isclose kron ldexp lerp", (0, 1)),
        ("hinge_embedding_loss pairwise_distance kl_div poisson_nll_loss soft_margin_loss", (0, 1)),
        ("addcmul addcdiv triplet_margin_loss cosine_embedding_loss margin_ranking_loss", (0, 1, 2)),
        ("gaussian_nll_loss", (0,)),
        ("index_add index_copy index_reduce", (0, 3)),
        ("index_put", (0, 2)),
        ("polygamma", (1,)),
    )
    for name in names.split()
}
#: Functions that are written in Python in PyTorch, and ask the number for an attribute.
_IN_PYTHON = frozenset(
    """
    glu log_softmax softmax softmin softsign tanhshrink embedding_bag gaussian_nll_loss huber_loss l1_loss
    mse_loss smooth_l1_loss group_norm instance_norm local_response_norm normalize adaptive_avg_pool2d
    adaptive_avg_pool3d adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices lp_pool1d lp_pool2d lp_pool3d
    max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d interpolate upsample upsample_bilinear
    upsample_nearest dropout1d dropout2d dropout3d margin_ranking_loss binary_cross_entropy_with_logits batch_norm
    binary_cross_entropy adaptive_max_pool2d adaptive_max_pool3d
    """.split()
)
#: Functions -> the dtypes of their first tensor that PyTorch has no kernel for on a CPU. Kinds of dtypes have NumPy's
#: letters. Latticework's own kernels are found without these functions: `core` has what they refuse.
_NO_KERNEL = {
    name: frozenset(dtypes.split())
    for names, dtypes in (
        ("bilinear cov kthvalue margin_ranking_loss median mvlgamma nanmedian pairwise_distance", "b"),
        ("poisson_nll_loss topk triplet_margin_loss", "b"),
        ("cholesky_inverse cholesky_solve gaussian_nll_loss hinge_embedding_loss kl_div lerp logdet", "b i u"),
        ("matrix_exp pdist stft", "b i u"),
        ("cdist histogram istft", "b i u float16 bfloat16"),
        ("index_reduce avg_pool2d", "b c"),
        ("avg_pool3d", "b c float16 bfloat16"),
        ("multi_margin_loss multilabel_margin_loss erfcx log_ndtr ndtri zeta", "float16 bfloat16"),
        ("modified_bessel_i0 modified_bessel_i1", "float16 bfloat16"),
        ("linalg.vander ctc_loss", "float16 bfloat16"),
        ("unique unique_consecutive", "c"),
        ("max_pool1d unfold", "i u"),
        ("max_unpool1d max_unpool2d max_unpool3d", "b i u c"),
    )
    for name in names.split()
}


class Tensors(NamedTuple):
    """The arguments of a function that have to be tensors.

    Attributes
    ----------
    name: the function's name.
    places: the places of the arguments that would be computed with if they were numbers.
    pair: whether one of the first two has to be a tensor.
    names: the names of its parameters. The ones in `_LATER` may not be numbers either.
    kind: the class of the error for a number: `AttributeError` where PyTorch has the function in Python.
    lacks: the dtypes of the first tensor that are refused.
    """

    name: str
    places: tuple[int, ...]
    pair: bool
    names: tuple[str, ...]
    kind: type[Exception]
    lacks: frozenset[str]

    @property
    def alone(self) -> bool:
        """Whether latticework's function takes what this one refuses: its kernels may not be run without the check."""
        return bool(self.lacks) or self.name in _PLACES

    def check(self, args: tuple[Any, ...]) -> None:
        """Refuse numbers that would be computed with, and dtypes.

        Raises
        ------
        TypeError: there is a number. AttributeError: the same, of a function that PyTorch has in Python.
        NotImplementedError: PyTorch has no kernel for the dtype.
        """
        for place in self.places:
            if len(args) > place and type(args[place]) in SCALAR_KINDS:
                raise self.error(args[place])
        if self.pair and len(args) > 1 and type(args[0]) in SCALAR_KINDS and type(args[1]) in SCALAR_KINDS:
            raise self.error(args[0])
        if self.lacks and hasattr(args[0], "_array"):
            dtype = args[0]._array.dtype
            if dtype.kind in self.lacks or dtype.name in self.lacks:
                raise NotImplementedError(
                    f"{self.name}: PyTorch has no kernel of this function for {dtype}. Cast the tensor first"
                )

    def refined(self, error: Exception, args: tuple[Any, ...], kw: dict[str, Any]) -> Exception:
        """The error of a call that failed: PyTorch's for a number where it takes tensors alone, where there is one."""
        given = {**dict(zip(self.names, args, strict=False)), **kw}
        names = _SOMETIMES if isinstance(error, AttributeError) else _LATER
        numbers = [x for name, x in given.items() if name in names and type(x) in SCALAR_KINDS]
        return self.error(numbers[0]) if numbers and not isinstance(error, TypeError) else error

    def error(self, x: Any) -> Exception:
        """The error for a number."""
        return self.kind(f"{self.name}(): argument must be Tensor, not {type(x).__name__}")


class Several(NamedTuple):
    """A function of tensors, as many as there are: ``block_diag(*tensors)``."""

    name: str

    def check(self, args: tuple[Any, ...]) -> None:
        """Refuse numbers.

        Raises
        ------
        TypeError: there is one.
        """
        for x in args:
            if type(x) in SCALAR_KINDS:
                raise TypeError(f"{self.name}(): arguments must be Tensors, not {type(x).__name__}")

    def refined(self, error: Exception, args: tuple[Any, ...], kw: dict[str, Any]) -> Exception:
        """The error of a call that failed."""
        return error


def tensors_of(f: FunctionType) -> Tensors | Several | None:
    """Return which arguments of a function of the dialect have to be tensors; None where all may be numbers."""
    code, name = f.__code__, f.__name__
    count = code.co_argcount + code.co_kwonlyargcount
    names, positional = code.co_varnames[:count], code.co_varnames[: code.co_argcount]
    if code.co_flags & CO_VARARGS and code.co_varnames[count] == "tensors":
        return Several(name)
    if name in _NUMBERS or not positional:
        return None
    pair = name in _BESIDE_A_TENSOR
    places = _PLACES.get(name, (0,) if positional[0] in _FIRST and not pair else ())
    if name.startswith("select"):
        names = tuple([n for n in names if n != "index"])
    lacks = _NO_KERNEL.get("linalg.vander" if name == "vander" and "linalg" in f.__module__ else name, frozenset())
    if not (places or pair or lacks):
        return None
    of_python = name == "norm" and "linalg" not in f.__module__
    of_python = of_python or name == "stft" or (name in _IN_PYTHON and ".nn." in f.__module__)
    return Tensors(name, places, pair, names, AttributeError if of_python else TypeError, lacks)
