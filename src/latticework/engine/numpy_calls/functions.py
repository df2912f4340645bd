"""NumPy's functions that are not universal ones, on `Array`s: reductions, reshaping, `numpy.linalg`, `numpy.fft`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from typing import Any

from ...backend import facts, get
from ...core.registry import OPS, declared
from ...core.registry import functions as lw
from .operands import LeftToNumPy, by_numpy, dtype_of_ours, operand, reduction, write
from .writing import WRITING

__all__ = ["array_function", "is_ours"]

#: NumPy's functions that latticework has under the same name, with the same meaning of the parameters by position.
#: `ravel` and `atleast_1d` and its kin are left out: programs written for NumPy call them to make a NumPy array of
#: anything, and hand it to compiled code that takes nothing else (`scipy.optimize` does it with gradients).
_SAME_NAME = frozenset(
    """
    all allclose amax amin any argmax argmin argsort around array_equal array_split astype broadcast_arrays
    broadcast_to clip column_stack concatenate count_nonzero cumprod cumsum cumulative_prod cumulative_sum diff dot
    dstack einsum empty_like expand_dims flip fliplr flipud full_like hstack imag isclose isin matrix_transpose max
    mean meshgrid min moveaxis nan_to_num nonzero ones_like pad prod real repeat reshape roll searchsorted sort split
    squeeze stack std sum swapaxes take take_along_axis tensordot tile transpose tril triu unique_all unique_counts
    unique_inverse unique_values unstack var vstack where zeros_like
    linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
    linalg.inv linalg.matmul linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose
    linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.tensordot
    linalg.trace linalg.vecdot linalg.vector_norm
    fft.fft fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfftn fft.rfft
    fft.rfftn
""".split()
)

#: NumPy's parameters that have another name in latticework, and parameters that change no value.
_RENAMED = {"a_min": "min", "a_max": "max", "ddof": "correction"}
_WITHOUT_EFFECT = frozenset(("assume_unique", "kind", "optimize", "subok"))

_REDUCTIONS = frozenset("all amax amin any max mean min prod std sum var".split())
_CAST_FIRST = frozenset(("mean", "std", "var"))  # their option `dtype` is that of the operand


def is_ours(name: str) -> bool:
    """Return whether latticework answers a NumPy function that is not a universal one, for `Array`s."""
    return name in _SAME_NAME or name in _SPECIAL


def array_function(self: Any, func: Any, types: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Answer NumPy's call of a function that is not a universal one, with an `Array` among the arguments."""
    Array: Any = type(self)
    if not all(_is_known(Array, t) for t in types):
        return NotImplemented
    try:
        return _answering(func)(self, args, kw)
    except LeftToNumPy:
        names = _written_names(func, kw)
        places = [i for i, n in enumerate(_positional(func)) if n in names]
        return by_numpy(Array, func, args, kw, names=names, places=places)


def _written_names(func: Any, kw: dict[str, Any]) -> frozenset[str]:
    """Return the parameters that a function writes into: `out`, and for some functions the first one."""
    writes = func.__name__ in WRITING or (func.__name__ == "nan_to_num" and kw.get("copy") is False)
    return frozenset(("out", *_positional(func)[:1])) if writes else frozenset(("out",))


@cache
def _positional(func: Any) -> tuple[str, ...]:
    """Return the parameters that may be given by position, none if NumPy does not say. Any of them may be an array."""
    try:
        parameters = signature(func).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple([p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)])


@cache
def _is_known(Array: Any, kind: Any) -> bool:
    """Return whether a class is `Array` or of a known framework: another class's own hook gets the turn."""
    frameworks = {f.framework.partition(".")[0] for f in facts.all_facts().values() if f.framework}
    return kind is Array or any(base.__module__.partition(".")[0] in frameworks for base in kind.__mro__)


@cache
def _answering(func: Any) -> Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]:
    """Return the function that answers the calls of one of NumPy's functions."""
    import numpy as np

    chapter = str(func.__module__).removeprefix("numpy").strip(".")
    name = f"{chapter}.{func.__name__}".strip(".")
    own = getattr(np, chapter, None) if chapter else np
    if getattr(own, func.__name__, None) is func and (name in _SAME_NAME or name in _SPECIAL):
        return _Function(func, name)
    return _left


def _left(*_: Any) -> Any:
    raise LeftToNumPy


class _Function:
    """A function of NumPy: it binds a call to NumPy's signature, and calls lw's function with the same values."""

    def __init__(self, func: Any, name: str) -> None:
        self.name, self.signature = name, signature(func)
        self.special = _SPECIAL.get(name)
        theirs = self.signature.parameters
        self.more = next((n for n, p in theirs.items() if p.kind is Parameter.VAR_KEYWORD), None)
        self.spread = next((n for n, p in theirs.items() if p.kind is Parameter.VAR_POSITIONAL), None)
        self.leading: list[str] = []
        if name in _SAME_NAME:
            chapter, _, last = name.rpartition(".")
            self.ours = getattr(getattr(lw, chapter) if chapter else lw, last)
            self.op = OPS[name if declared(name) else last]  # as matmul, which is in two namespaces
            ours = self.op.signature.parameters
            by_position = sum(p.kind is Parameter.POSITIONAL_ONLY for p in ours.values())
            count = max(by_position, 0 if self.op.sequence else len(self.op.operands))
            self.leading = [n for n, p in theirs.items() if p.kind is not Parameter.KEYWORD_ONLY][:count]
            self.options = [
                n for n, p in ours.items() if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
            ]

    def __call__(self, array: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        arguments = self._bound(args, kw)
        if self.special is not None:
            try:
                signature(self.special).bind(array, **arguments)
            except TypeError:
                ...
            else:
                result = self.special(array, **arguments)
                if result is not NotImplemented:
                    return result
        if self.name not in _SAME_NAME:
            raise LeftToNumPy
        return self._same(array, arguments)

    def _bound(self, args: tuple[Any, ...], kw: dict[str, Any]) -> dict[str, Any]:
        """Return the given values by NumPy's names, without those that are the default."""
        try:
            bound = dict(self.signature.bind(*args, **kw).arguments)
        except TypeError:
            raise LeftToNumPy from None  # NumPy says what is wrong
        if self.more is not None:
            bound.update(bound.pop(self.more, {}))
        parameters = self.signature.parameters
        return {n: v for n, v in bound.items() if n not in parameters or v is not parameters[n].default}

    def _same(self, array: Any, arguments: dict[str, Any]) -> Any:
        """Call latticework's function of the same name."""
        if self.spread is not None:
            leading = list(arguments.pop(self.spread))
        else:
            leading = [arguments.pop(n) for n in self.leading if n in arguments]
        leading = self._operands(array, leading)
        options = {_RENAMED.get(n, n): v for n, v in arguments.items() if n not in _WITHOUT_EFFECT}
        if self.name.endswith("_like"):
            options.pop("order", None)
        if options.get("dtype") is not None:
            options["dtype"] = dtype_of_ours(options["dtype"])
        if self.name in _REDUCTIONS:
            return self._reduced(leading[0], options)
        out = options.pop("out", None)
        if not options.keys() <= {*self.options} or (out is not None and type(out) is not type(array)):
            raise LeftToNumPy
        result = self.ours(*leading, **options)
        return result if out is None else write(out, result)

    def _reduced(self, x: Any, options: dict[str, Any]) -> Any:
        if not options.keys() <= {*self.options, "out", "where", "initial", *(["dtype"] * (self.name in _CAST_FIRST))}:
            raise LeftToNumPy
        if not hasattr(x, "_sig"):
            raise LeftToNumPy  # an `Array` is among the options alone
        if self.name in _CAST_FIRST and "dtype" in options:
            x = lw.astype(x, options.pop("dtype"), copy=False)
        return reduction({"amax": "max", "amin": "min"}.get(self.name, self.name), x, options)

    def _operands(self, array: Any, leading: list[Any]) -> list[Any]:
        """Return the leading arguments, with the operands among them as latticework's functions take them."""
        if self.op.sequence and not self.op.spread:
            if not isinstance(leading[0], (list, tuple)):
                raise LeftToNumPy
            return [[operand(array, x, mixed=False) for x in leading[0]], *leading[1:]]
        count = len(leading) if self.op.spread else len(self.op.operands)
        return [*(operand(array, x, mixed=False) for x in leading[:count]), *leading[count:]]


# --- functions whose parameters or names differ --------------------------------------------------------------------
# Each gets the array that NumPy asked and the values that are given, by NumPy's names. NotImplemented leaves the call
# to the function of the same name, and so does a value that no parameter is for.


def _squeeze(array: Any, a: Any, axis: Any = None) -> Any:
    return a.squeeze() if axis is None else NotImplemented


def _where(array: Any, condition: Any) -> Any:
    return lw.nonzero(condition)


def _sorted_flat(name: str) -> Callable[..., Any]:
    def call(array: Any, a: Any, axis: Any = -1, kind: Any = None, stable: Any = None) -> Any:
        return getattr(lw, name)(lw.reshape(a, (-1,))) if axis is None else NotImplemented

    return call


def _round(array: Any, a: Any, decimals: int = 0) -> Any:
    return lw.around(a, decimals=decimals)


def _take(array: Any, a: Any, indices: Any, axis: Any = None) -> Any:
    if type(a) is not type(array) or isinstance(indices, int):
        raise LeftToNumPy
    return a.take(operand(array, indices, mixed=False), axis)


def _tile(array: Any, A: Any, reps: Any) -> Any:
    return lw.tile(A, (reps,) if isinstance(reps, int) else tuple(reps))


def _einsum(array: Any, operands: Any, optimize: Any = True) -> Any:
    if not isinstance(operands[0], str):
        raise LeftToNumPy
    return lw.einsum(operands[0], *(operand(array, x, mixed=False) for x in operands[1:]))


def _pad(array: Any, array_: Any = None, mode: Any = "constant", **options: Any) -> Any:
    if not isinstance(mode, str) or mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise LeftToNumPy
    return NotImplemented


def _unique(array: Any, ar: Any) -> Any:
    return lw.unique_values(ar)


def _result_type(array: Any, arrays_and_dtypes: Any) -> Any:
    """Return NumPy's dtype: a program that asks NumPy for it goes on with NumPy."""
    import numpy as np

    native = get("numpy").native_dtypes
    return np.result_type(*(native[x.dtype] if type(x) is type(array) else x for x in arrays_and_dtypes))


def _norm(array: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    return lw.linalg.norm(x, ord, axis, keepdims)


def _qr(array: Any, a: Any, mode: Any) -> Any:
    if mode not in ("reduced", "complete"):
        raise LeftToNumPy
    return lw.linalg.qr(a, mode=mode)


def _svd(array: Any, a: Any, compute_uv: Any, full_matrices: Any = True) -> Any:
    return NotImplemented if compute_uv else lw.linalg.svdvals(a)


def _of_matrix(name: str) -> Callable[..., Any]:
    """Make `np.trace` and `np.diagonal` of a matrix: of more axes, NumPy takes the first two and lw the last two."""

    def call(array: Any, a: Any, offset: int = 0) -> Any:
        if a.ndim != 2:
            raise LeftToNumPy
        return getattr(lw.linalg, name)(a, offset=offset)

    return call


def _outer(array: Any, a: Any, b: Any) -> Any:
    x, y = (lw.asarray(operand(array, v, mixed=False), backend=array.backend) for v in (a, b))
    return lw.linalg.outer(x.ravel(), y.ravel())


def _cross(array: Any, a: Any, b: Any) -> Any:
    x, y = (operand(array, v, mixed=False) for v in (a, b))
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise LeftToNumPy
    return lw.linalg.cross(x, y)


_SPECIAL: dict[str, Callable[..., Any]] = {
    "argsort": _sorted_flat("argsort"),
    "copy": lambda array, a, order="K": a.copy(),
    "cross": _cross,
    "diagonal": _of_matrix("diagonal"),
    "einsum": _einsum,
    "iscomplexobj": lambda array, x: x.dtype.kind == "c",
    "isrealobj": lambda array, x: x.dtype.kind != "c",
    "linalg.norm": _norm,
    "linalg.qr": _qr,
    "linalg.svd": _svd,
    "ndim": lambda array, a: a.ndim,
    "outer": _outer,
    "pad": _pad,
    "result_type": _result_type,
    "round": _round,
    "shape": lambda array, a: a.shape,
    "size": lambda array, a: a.size,
    "sort": _sorted_flat("sort"),
    "squeeze": _squeeze,
    "take": _take,
    "tile": _tile,
    "trace": _of_matrix("trace"),
    "unique": _unique,
    "where": _where,
    **WRITING,
}
