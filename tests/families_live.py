"""The families of operations beside the frameworks themselves: what the function of each that means the same answers.

A cell is an operation of ours and its operands, and the dtype of the result, with a ``~`` where it is weak; None is a
refusal. Left out, and counted, is what is no rule of promotion: where a framework lacks a kernel on this machine
(`NO_KERNEL`), where its function takes no Python scalar in that place, or where it refuses the shape.

TensorFlow's modes cannot be left again, so each is asked in a process of its own, ``python families_live.py all``; day
by day the plain one, which nothing has to leave, in this process.
"""

from __future__ import annotations

import itertools
import json
import operator
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from cases import in_turn

import latticework as lw
from latticework.core.registry import OPS
from latticework.promotion import RULES
from latticework.promotion.families import decide, family_of

SCALARS: dict[str, Any] = {"bool": True, "int": 1, "float": 1.5, "complex": 1j}
TYPES: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}

#: Messages, or parts of them, that say of a call that it is none, or that this machine cannot do it.
NO_KERNEL = ("not implemented for", "Could not find device", "NotFoundError", "UnimplementedError")
NO_CALL = (
    "must be Tensor, not", "invalid combination of arguments", "expected Tensor as element", "object has no attribute",
    "imension", "-D", "1-d", "2-d", "0D", "1D", "2D", "index out of range", "hapes", "same shape", "Ranks", "dims",
    "axes", "too small depth", "have ndim", "must be at least", "object of too", "Sizes of tensors", "ero-dim",
    "input value can be a scalar only", "equal size", "missing 1 required", "at least one-dim", "Padding length",
    "Expected scan axis", "expected a matrix",
    "data type 'V'", "narrow-width integers",  # iinfo of int4 in JAX; kernels of int4 on some devices
    "too large to convert to np.int32", "only supports 16, 32",  # tf.sort of unsigned integers; signbit of float8
    "Error while casting", "0-dim tensor",
)  # fmt: skip

ARRAYS_ALONE = (
    "concat stack hstack vstack matmul vecdot dot tensordot linalg.solve linalg.cross linalg.outer isin searchsorted"
    " array_equal"
).split()
BINARY = (
    "add subtract multiply divide floor_divide remainder pow atan2 copysign hypot logaddexp maximum minimum nextafter"
    " equal not_equal less less_equal greater greater_equal bitwise_and bitwise_or bitwise_xor bitwise_left_shift"
    " bitwise_right_shift logical_and logical_or logical_xor isclose where clip allclose"
    " logaddexp2 float_power divmod fmod gcd lcm fmax fmin heaviside"
).split() + ARRAYS_ALONE
MATRICES = (
    "linalg.cholesky linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.matrix_norm"
    " linalg.matrix_power linalg.matrix_rank linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd"
    " linalg.svdvals linalg.diagonal linalg.trace matrix_transpose tril triu matmul fft.fftn fft.ifftn fft.rfftn"
    " fft.irfftn rot90 fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 linalg.multi_dot linalg.norm linalg.tensorinv"
    " linalg.solve_triangular fliplr transpose"
).split()
#: Functions of ours that have a namesake which answers something else, or none that one array can be asked of.
_STEPS = "ours is a composition: its dtypes are those of its steps, and no family decides them"
_OPERANDS = "it wants other operands, or options, with no dtypes to compare"
LEFT_OUT: dict[str, dict[str, str]] = {
    "numpy": {
        _STEPS: "vander ix_ bincount histogram_bin_edges histogram histogramdd gradient roots",
        _OPERANDS: "insert piecewise interp put_along_axis polyfit",
    },
    "torch": {
        _STEPS: "vander bincount gradient",
        _OPERANDS: "index_add linalg.lu_solve",
        "ours is the mean of the two values in the middle, theirs the lower one, in the array's own dtype": (
            "median nanmedian"
        ),
        "ours chooses among arrays by conditions, theirs takes an index": "select",
    },
}
UNARY = [n for n, o in OPS.items() if o.operands and n not in BINARY and n[0] != "_"]


class Cells(NamedTuple):
    """What one operation came to under one rule set."""

    rules: str
    operation: str
    family: str
    found: dict[Any, Any]
    expected: dict[Any, Any]
    left_out: int


def no_rule(error: Exception) -> bool:
    """Whether a framework's error says nothing of promotion."""
    said = f"{type(error).__name__} {str(error).splitlines()[0] if str(error) else ''}"
    return any(part in said for part in (*NO_KERNEL, *NO_CALL))


def answered(function: Callable[..., Any], name: Callable[[Any], str], *given: Any) -> str | None:
    """A framework's answer, ``""`` where it is none."""
    try:
        result = function(*given)
    except Exception as error:
        return "" if no_rule(error) else None
    if isinstance(result, (tuple, list)):
        if not result:
            return ""
        result = result[0]
    return "bool" if isinstance(result, bool) else name(result)


def operand(token: str) -> Any:
    """``D:int8`` is an array, ``Z:int8`` one without dimensions, ``W:int8`` a weak one, ``S:int`` a Python int."""
    kind, name = token.split(":")
    return TYPES[name] if kind == "S" else lw.Operand(lw.Dtype(name), zero_dim=kind == "Z", weak=kind == "W")


def decided(rules: str, operation: str, tokens: tuple[str, ...]) -> str | None:
    """Our answer."""
    from latticework.policy import current

    try:
        found = decide(RULES[rules], operation, [operand(t) for t in tokens], current().default)
    except TypeError:
        return None
    return f"{found.result}{'~' * found.weak}"


def compare(rules: str, operation: str, answers: dict[tuple[str, ...], str | None]) -> Cells:
    """Our answers beside theirs."""
    expected = {k: v for k, v in answers.items() if v != ""}
    found = {k: decided(rules, operation, k) for k in expected}
    family = family_of(RULES[rules], operation).name
    return Cells(rules, operation, family, found, expected, len(answers) - len(expected))


def asked(
    functions: dict[str, Callable[..., Any]],
    operands: Callable[[str], dict[str, Any]],
    name: Callable[[Any], str],
    call: Callable[..., Any] = lambda f, *given: f(*given),
    of: int = 1,
) -> Iterator[tuple[str, dict[tuple[str, ...], str | None]]]:
    """Every operation with every operand, and with every pair of them of which one is an array, or one of so many."""
    for operation, function in functions.items():
        given = operands(operation)
        arrays = [k for k in given if k[0] != "S"]
        if operation not in BINARY:
            cases: Any = [(k,) for k in arrays]
        else:
            second = arrays if operation in ARRAYS_ALONE else given
            first = arrays if operation in (*ARRAYS_ALONE, "clip") else given
            cases = [p for p in itertools.product(first, second) if not p[0][0] == p[1][0] == "S"]
            cases = in_turn(cases, of, operation)
        yield operation, {c: answered(call, name, function, *(given[k] for k in c)) for c in cases}


def shape(operation: str) -> tuple[int, ...]:
    return (3,) if operation == "linalg.cross" else (2, 2) if operation in MATRICES else (2,)


def values(operation: str) -> Any:
    """Ones, or the unit matrix, of which every decomposition exists."""
    return np.eye(2) if len(shape(operation)) == 2 else np.ones(shape(operation))


def left_out(framework: str) -> list[str]:
    """The names of `LEFT_OUT`."""
    return " ".join(LEFT_OUT.get(framework, {}).values()).split()


def namesakes(module: Any, own: dict[str, Any], framework: str = "") -> dict[str, Callable[..., Any]]:
    """A framework's functions by our names: those given, and the others of the same name but for `LEFT_OUT`."""
    made = {}
    for name in [*UNARY, *BINARY]:
        if name in left_out(framework):
            continue
        space, _, last = name.rpartition(".")
        function = own[name] if name in own else getattr(getattr(module, space, None) if space else module, last, None)
        if function is not None:
            made[name] = function
    return made


def of_numpy(xp: Any, **more: Any) -> dict[str, Callable[..., Any]]:
    """The functions of NumPy, and of JAX, whose names and arguments differ from ours."""
    own: dict[str, Any] = {
        "concat": lambda a, b: xp.concatenate([a, b]),
        "stack": lambda a, b: xp.stack([a, b]),
        "hstack": lambda a, b: xp.hstack([a, b]),
        "vstack": lambda a, b: xp.vstack([a, b]),
        "where": lambda a, b: xp.where(np.ones((2,), bool), a, b),
        "clip": lambda x, low: xp.clip(x, low, None),
        "cumulative_sum": lambda x: xp.cumulative_sum(x, axis=0),
        "cumulative_prod": lambda x: xp.cumulative_prod(x, axis=0),
        "broadcast_to": lambda x: xp.broadcast_to(x, (3, 2)),
        "expand_dims": lambda x: xp.expand_dims(x, 0),
        "reshape": lambda x: xp.reshape(x, (-1,)),
        "roll": lambda x: xp.roll(x, 1),
        "tile": lambda x: xp.tile(x, 2),
        "repeat": lambda x: xp.repeat(x, 2),
        "take": lambda x: xp.take(x, np.array([0])),
        "take_along_axis": lambda x: xp.take_along_axis(x, np.array([0]), 0),
        "unstack": lambda x: xp.unstack(x)[0],
        "moveaxis": lambda x: xp.moveaxis(x, 0, 0),
        "permute_dims": lambda x: xp.permute_dims(x, (0,)),
        "concatenate": lambda x: xp.concatenate([x, x]),
        "full_like": lambda x: xp.full_like(x, 1),
        "pad": lambda x: xp.pad(x, 1),
        "swapaxes": lambda x: xp.swapaxes(x, 0, 0),
        "split": lambda x: xp.split(x, 1)[0],
        "array_split": lambda x: xp.array_split(x, 1)[0],
        "column_stack": lambda x: xp.column_stack([x, x]),
        "dstack": lambda x: xp.dstack([x, x]),
        "meshgrid": lambda x: xp.meshgrid(x)[0],
        "broadcast_arrays": lambda x: xp.broadcast_arrays(x)[0],
        "tensordot": lambda a, b: xp.tensordot(a, b, 1),
        "linalg.matrix_power": lambda x: xp.linalg.matrix_power(x, 2),
        "linalg.multi_dot": lambda x: xp.linalg.multi_dot([x, x]),
        "ldexp": lambda x: xp.ldexp(x, np.array([1, 1])),
    }
    return namesakes(xp, own | more, "numpy")


def numpy(everything: bool = True) -> Iterator[Cells]:
    """NumPy's own dtypes, bfloat16 and two of float8."""
    import ml_dtypes

    extended = ["longdouble", "clongdouble", "float8_e4m3fn", "float8_e5m2"]
    dtypes = [*map(str, lw.all_dtypes), *(extended if everything else ())]
    native = {d: np.dtype(getattr(ml_dtypes, d, None) or d) for d in dtypes}
    ours = {v: k for k, v in native.items()}

    def operands(operation: str) -> dict[str, Any]:
        return {f"D:{d}": values(operation).astype(n) for d, n in native.items()} | {
            f"S:{k}": v for k, v in SCALARS.items()
        }

    def name(x: Any) -> str:
        dtype = getattr(x, "dtype", None)  # Python objects are summed to a Python object
        return "" if dtype is None or dtype.kind == "O" else ours.get(dtype, str(dtype))

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # Of real matrices, those whose eigenvalues are not all real: NumPy's dtype depends on that.
        turn = np.roll(np.eye(3), 1, axis=0)
        eigen = {
            "linalg.eig": lambda x: np.linalg.eig(turn.astype(x.dtype)),
            "linalg.eigvals": lambda x: np.linalg.eigvals(turn.astype(x.dtype)),
        }
        for operation, answers in asked(of_numpy(np, **eigen), operands, name):
            yield compare("numpy", operation, answers)


def torch(everything: bool = True) -> Iterator[Cells]:
    """Arrays with and without dimensions and Python scalars, under three default dtypes."""
    import torch as t

    linalg = t.linalg
    one = t.tensor([0])
    own: dict[str, Any] = {
        "bitwise_invert": t.bitwise_not,
        "concat": lambda a, b: t.cat([a, b]),
        "stack": lambda a, b: t.stack([a, b]),
        "hstack": lambda a, b: t.hstack([a, b]),
        "vstack": lambda a, b: t.vstack([a, b]),
        "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le,
        "greater": operator.gt, "greater_equal": operator.ge,
        "where": lambda a, b: t.where(t.ones((), dtype=t.bool), a, b),
        "clip": lambda x, low: t.clamp(x, min=low, max=low),
        "array_equal": lambda a, b: t.equal(a, b) if a.ndim == b.ndim else t.equal(a),
        "cumulative_sum": lambda x: t.cumsum(x, 0), "cumulative_prod": lambda x: t.cumprod(x, 0),
        "cumsum": lambda x: t.cumsum(x, 0), "cumprod": lambda x: t.cumprod(x, 0),
        "tensordot": lambda a, b: t.tensordot(a, b, 1), "vecdot": linalg.vecdot,
        "unique_values": t.unique, "unique_all": t.unique, "unique_counts": t.unique, "unique_inverse": t.unique,
        "broadcast_to": lambda x: t.broadcast_to(x, (3, 2)), "expand_dims": lambda x: x[None],
        "reshape": lambda x: t.reshape(x, (-1,)), "flip": lambda x: t.flip(x, (0,)), "roll": lambda x: t.roll(x, 1),
        "tile": lambda x: t.tile(x, (2,)), "repeat": lambda x: t.repeat_interleave(x, 2),
        "take": lambda x: t.index_select(x, 0, one), "take_along_axis": lambda x: t.take_along_dim(x, one, 0),
        "unstack": lambda x: t.unbind(x)[0], "moveaxis": lambda x: t.moveaxis(x, 0, 0),
        "permute_dims": lambda x: t.permute(x, (0,)), "matrix_transpose": lambda x: x.mT, "around": t.round,
        "full_like": lambda x: t.full_like(x, 1), "concatenate": lambda x: t.cat([x, x]), "linalg.outer": t.outer,
        "linalg.trace": t.trace, "linalg.matrix_power": lambda x: linalg.matrix_power(x, 2),
        "split": lambda x: t.tensor_split(x, 1)[0], "array_split": lambda x: t.tensor_split(x, 1)[0],
        "pad": lambda x: t.nn.functional.pad(x, (1, 1)), "swapaxes": lambda x: t.swapaxes(x, 0, 0),
        "column_stack": lambda x: t.column_stack([x, x]), "dstack": lambda x: t.dstack([x, x]),
        "meshgrid": lambda x: t.meshgrid(x, indexing="ij")[0], "transpose": lambda x: x.T,
        "linalg.multi_dot": lambda x: linalg.multi_dot([x, x]), "linalg.tensorinv": lambda x: linalg.tensorinv(x, 1),
        "linalg.solve_triangular": lambda x: linalg.solve_triangular(x, x, upper=True),
        "ldexp": lambda x: t.ldexp(x, t.tensor([1, 1])), "special.polygamma": lambda x: t.special.polygamma(1, x),
    }  # fmt: skip
    functions = namesakes(t, own, "torch")
    functions.pop("argsort", None) if not everything else None
    dtypes = [*map(str, lw.all_dtypes), *(("complex32", "float8_e4m3fn", "float8_e5m2") if everything else ())]
    native = {d: getattr(t, d) for d in dtypes}
    usual = "bool uint8 int16 int64 uint32 bfloat16 float16 float64 complex64".split()

    def operands(operation: str) -> dict[str, Any]:
        made = {}
        some = dtypes if everything or operation not in BINARY else usual
        for d in some:
            made[f"D:{d}"] = t.tensor(values(operation)).to(native[d])
            if operation not in MATRICES and not operation.startswith(("linalg.", "fft.")):
                made[f"Z:{d}"] = t.ones(()).to(native[d])
        return made | {f"S:{k}": v for k, v in SCALARS.items()}

    def name(x: Any) -> str:
        return str(x.dtype).removeprefix("torch.")

    def confirmed(operation: str, answers: dict[Any, Any]) -> dict[Any, Any]:
        """What the meta device answers where the CPU has no kernel, and where these rules have an answer.

        It refuses less than any other device, and makes int64 of a power of bools, which none other has.
        """
        given = {k: v.to("meta") if isinstance(v, t.Tensor) else v for k, v in operands(operation).items()}
        made = {}
        for case, answer in answers.items():
            if answer == "" and (operation != "pow" or not all(x.endswith("bool") for x in case)):
                there = answered(functions[operation], name, *(given[x] for x in case))
                if there and decided("torch", operation, case) is not None:
                    made[case] = there
        return made

    before = t.get_default_dtype()
    try:
        for default in ("float32", "float64", "bfloat16") if everything else ("float32",):
            t.set_default_dtype(getattr(t, default))
            with lw.using(default_float=default), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for operation, answers in asked(functions, operands, name, of=1 if everything else 3):
                    if everything and default == "float32":
                        answers |= confirmed(operation, answers)
                    yield compare("torch", operation, answers)
    finally:
        t.set_default_dtype(before)


def jax(everything: bool = True) -> Iterator[Cells]:
    """Strong and weak arrays, by jax.eval_shape, with 64-bit types and without."""
    import jax
    import ml_dtypes
    from jax import numpy as jnp

    functions = of_numpy(
        jnp,
        clip=jnp.clip,
        nonzero=lambda x: jnp.nonzero(x, size=2)[0],
        argwhere=lambda x: jnp.argwhere(x, size=2),
        **{f"unique_{n}": lambda x: jnp.unique(x, size=2) for n in ("all", "counts", "inverse", "values")},
    )

    def evaluated(function: Callable[..., Any], *given: Any) -> Any:
        arrays = [x for x in given if isinstance(x, jax.ShapeDtypeStruct)]

        def of_arrays(*traced: Any) -> Any:
            left = iter(traced)
            return function(*[next(left) if isinstance(x, jax.ShapeDtypeStruct) else x for x in given])

        return jax.eval_shape(of_arrays, *arrays)

    few = "bool int32 uint64 bfloat16 float32 complex64".split()
    for x64 in (True, False) if everything else (True,):
        extended = [*map(str, lw.all_dtypes), "int4", "uint4", "float8_e4m3fn"]
        dtypes = extended if everything else few
        if not x64:
            dtypes = [d for d in dtypes if d not in ("int64", "uint64", "float64", "complex128")]
        weak = [d for d in ("bool", "int32", "int64", "float32", "float64", "complex64", "complex128") if d in dtypes]
        native = {d: np.dtype(getattr(ml_dtypes, d, None) or d) for d in dtypes}

        def operands(
            operation: str, native: dict[str, Any] = native, weak: list[str] = weak
        ) -> dict[str, Any]:  # bound here: they differ with x64
            where = shape(operation)
            made: dict[str, Any] = {f"D:{d}": jax.ShapeDtypeStruct(where, n) for d, n in native.items()}
            made |= {f"W:{d}": jax.ShapeDtypeStruct(where, native[d], weak_type=True) for d in weak}
            scalars = {} if operation == "array_equal" else SCALARS
            return made | {f"S:{k}": v for k, v in scalars.items()}

        some = functions if everything else {k: v for k, v in functions.items() if k in TRIMMED}
        with jax.enable_x64(x64), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            named = asked(
                some,
                operands,
                lambda x: f"{x.dtype}{'~' * bool(getattr(x, 'weak_type', False))}",
                evaluated,
                of=1 if everything else 3,
            )
            for operation, answers in named:
                yield compare("jax" if x64 else "jax-x32", operation, answers)


#: One operation of each family, and a few more: JAX takes milliseconds for a cell.
TRIMMED = (
    "add subtract divide floor_divide pow hypot logaddexp equal logical_and bitwise_and bitwise_left_shift where concat"
    " matmul sin log2 square negative abs ceil isnan isfinite sum cumulative_prod mean std max argmax linalg.eigh"
    " linalg.vector_norm fft.fft fft.rfft fft.irfft exp2 cbrt rint angle frexp median deg2rad isposinf bitwise_count"
    " nansum nanmax nanargmax ptp logaddexp2 gcd"
).split()


# --- tensorflow, in processes of its own -------------------------------------------------------------------------


def _tensorflow_functions(mode: str) -> dict[str, Any]:
    import tensorflow as tf
    from tensorflow.experimental import numpy as tnp

    m, lin, sig, bits = tf.math, tf.linalg, tf.signal, tf.bitwise
    if mode == "numpy":
        t = tnp
        own: dict[str, Any] = {
            "acos": t.arccos, "acosh": t.arccosh, "asin": t.arcsin, "asinh": t.arcsinh, "atan": t.arctan,
            "atanh": t.arctanh, "round": t.around, "bitwise_invert": t.bitwise_not, "cumulative_sum": t.cumsum,
            "cumulative_prod": t.cumprod, "reshape": lambda x: t.reshape(x, (-1,)), "roll": lambda x: t.roll(x, 1),
            "tile": lambda x: t.tile(x, 2), "repeat": lambda x: t.repeat(x, 2),
            "expand_dims": lambda x: t.expand_dims(x, 0), "divide": t.true_divide, "pow": t.power, "atan2": t.arctan2,
            "where": lambda a, b: t.where([True, True], a, b), "concat": lambda a, b: t.concatenate([a, b], 0),
            "stack": lambda a, b: t.stack([a, b]), "hstack": lambda a, b: t.hstack([a, b]),
            "vstack": lambda a, b: t.vstack([a, b]), "tensordot": lambda a, b: t.tensordot(a, b, 1),
            "clip": lambda x, low: t.clip(x, low, low), "linalg.outer": t.outer, "linalg.cross": t.cross,
            "linalg.trace": t.trace, "linalg.diagonal": t.diagonal,
        }  # fmt: skip
        for absent in ("amax", "amin", "cumsum", "cumprod", "array_equal", "take", "broadcast_to", "meshgrid",
                       "swapaxes", "moveaxis", "transpose", "pad", "split", "array_split", "take_along_axis",
                       "full_like", "empty_like", "concatenate", "dstack", "broadcast_arrays", "atleast_1d",
                       "atleast_2d", "atleast_3d", "flipud", "fliplr", "nan_to_num"):  # fmt: skip
            own[absent] = ()
        return {k: v for k, v in namesakes(t, own).items() if callable(v)}
    return {
        "abs": tf.abs, "acosh": m.acosh, "asinh": m.asinh, "atanh": m.atanh, "ceil": m.ceil, "conj": m.conj,
        "acos": tf.acos, "asin": tf.asin, "atan": tf.atan, "cos": tf.cos, "cosh": tf.cosh, "exp": tf.exp,
        "expm1": m.expm1, "floor": tf.floor, "imag": m.imag, "isfinite": m.is_finite, "isinf": m.is_inf,
        "isnan": m.is_nan, "log": m.log, "log1p": m.log1p, "negative": tf.negative, "real": m.real,
        "reciprocal": m.reciprocal, "round": tf.round, "sign": tf.sign, "sin": tf.sin, "sinh": tf.sinh,
        "sqrt": tf.sqrt, "square": tf.square, "tan": tf.tan, "tanh": tf.tanh, "bitwise_invert": bits.invert,
        "logical_not": tf.logical_not, "all": tf.reduce_all, "any": tf.reduce_any, "argmax": tf.argmax,
        "argmin": tf.argmin, "argsort": tf.argsort, "sort": tf.sort, "count_nonzero": m.count_nonzero,
        "cumulative_sum": tf.cumsum, "cumulative_prod": m.cumprod, "max": tf.reduce_max, "min": tf.reduce_min,
        "mean": tf.reduce_mean, "prod": tf.reduce_prod, "sum": tf.reduce_sum, "std": m.reduce_std,
        "var": m.reduce_variance, "nonzero": tf.where, "reshape": lambda x: tf.reshape(x, [-1]),
        "flip": lambda x: tf.reverse(x, [0]), "roll": lambda x: tf.roll(x, 1, 0), "tile": lambda x: tf.tile(x, [2]),
        "repeat": lambda x: tf.repeat(x, 2), "take": lambda x: tf.gather(x, [0]),
        "broadcast_to": lambda x: tf.broadcast_to(x, (3, 2)), "expand_dims": lambda x: tf.expand_dims(x, 0),
        "squeeze": tf.squeeze, "unstack": lambda x: tf.unstack(x)[0], "tril": lambda x: lin.band_part(x, -1, 0),
        "permute_dims": lambda x: tf.transpose(x, [0]), "zeros_like": tf.zeros_like, "ones_like": tf.ones_like,
        "unique_values": lambda x: tf.unique(x)[0], "add": operator.add, "subtract": tf.subtract,
        "multiply": tf.multiply, "divide": tf.divide, "floor_divide": m.floordiv, "remainder": m.floormod,
        "pow": tf.pow, "atan2": tf.atan2, "maximum": tf.maximum, "minimum": tf.minimum, "nextafter": m.nextafter,
        "equal": tf.equal, "not_equal": tf.not_equal, "less": tf.less, "less_equal": tf.less_equal,
        "greater": tf.greater, "greater_equal": tf.greater_equal, "bitwise_and": bits.bitwise_and,
        "bitwise_or": bits.bitwise_or, "bitwise_xor": bits.bitwise_xor, "bitwise_left_shift": bits.left_shift,
        "bitwise_right_shift": bits.right_shift, "logical_and": tf.logical_and, "logical_or": tf.logical_or,
        "logical_xor": m.logical_xor, "where": lambda a, b: tf.where(tf.constant([True]), a, b),
        "concat": lambda a, b: tf.concat([a, b], 0), "stack": lambda a, b: tf.stack([a, b]), "matmul": tf.matmul,
        "tensordot": lambda a, b: tf.tensordot(a, b, 1), "clip": lambda x, low: tf.clip_by_value(x, low, low),
        "searchsorted": tf.searchsorted, "linalg.cholesky": lin.cholesky, "linalg.det": lin.det,
        "linalg.eig": lin.eig, "linalg.eigh": lin.eigh, "linalg.eigvals": lin.eigvals, "linalg.eigvalsh": lin.eigvalsh,
        "linalg.inv": lin.inv, "linalg.pinv": lin.pinv, "linalg.qr": lin.qr, "linalg.slogdet": lin.slogdet,
        "linalg.svdvals": lambda x: lin.svd(x, compute_uv=False), "linalg.solve": lin.solve, "linalg.trace": lin.trace,
        "linalg.diagonal": lin.diag_part, "linalg.vector_norm": tf.norm, "linalg.matrix_rank": lin.matrix_rank,
        "linalg.cross": lin.cross, "matrix_transpose": lin.matrix_transpose, "fft.fft": sig.fft, "fft.ifft": sig.ifft,
        "fft.rfft": sig.rfft, "fft.irfft": sig.irfft,
    }  # fmt: skip


def _tensorflow(mode: str, everything: bool) -> Iterator[tuple[str, dict[tuple[str, ...], str | None]]]:
    """What TensorFlow answers in a mode, which the process is in from then on."""
    import tensorflow as tf
    from tensorflow.experimental import numpy as tnp
    from tensorflow.python.framework import weak_tensor

    if mode in ("all", "safe"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    weak = ("int32", "int64", "float32", "float64", "complex128") if mode in ("all", "safe") else ()

    dtypes = [*map(str, lw.all_dtypes), "float8_e4m3fn"]
    few = "bool int16 int32 uint8 uint64 bfloat16 float32 float64 complex128".split()

    def operands(operation: str) -> dict[str, Any]:
        some = dtypes if everything or operation not in BINARY else few
        tensors = {d: tf.cast(tf.constant(values(operation)), d) for d in some}
        made = {f"D:{d}": x for d, x in tensors.items()}
        made |= {f"W:{d}": weak_tensor.convert_to_weak_tensor_or_tensor(tensors[d], True) for d in weak if d in tensors}
        return made | {f"S:{k}": v for k, v in SCALARS.items()}

    def name(x: Any) -> str:
        return f"{tf.as_dtype(x.dtype).name}{'~' * isinstance(x, weak_tensor.WeakTensor)}"

    functions = _tensorflow_functions(mode)
    some = functions if everything else {k: v for k, v in functions.items() if k in TRIMMED}
    yield from asked(some, operands, name, of=1 if everything else 3)


def tensorflow(everything: bool = True) -> Iterator[Cells]:
    """TensorFlow as it is by default, in its modes that promote, and its NumPy."""
    import os
    import subprocess

    modes = {"none": "tensorflow", "all": "tensorflow-all", "safe": "tensorflow-safe", "numpy": "tensorflow-numpy"}
    for mode, rules in modes.items() if everything else [("none", "tensorflow"), ("all", "tensorflow-all")]:
        if mode == "none" and not everything:  # the mode that this process is in
            with warnings.catch_warnings(), _on_the_cpu():
                warnings.simplefilter("ignore")
                for operation, answers in _tensorflow(mode, everything):
                    yield compare(rules, operation, answers)
            continue
        done = subprocess.run(
            [sys.executable, "-W", "ignore", __file__, mode, *["everything"] * everything],
            capture_output=True,
            check=True,
            text=True,
            env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
        )
        for line in done.stdout.splitlines():
            if line.startswith('["'):
                operation, rows = json.loads(line)
                yield compare(rules, operation, {tuple(k): v for *k, v in rows})


def _on_the_cpu() -> Any:
    """A context in which TensorFlow computes as in a process that sees no other device."""
    import tensorflow as tf

    return tf.device("CPU")


#: framework -> what asks it
ALL: dict[str, Callable[..., Iterator[Cells]]] = {"numpy": numpy, "torch": torch, "jax": jax, "tensorflow": tensorflow}


def counted(cells: list[Cells]) -> dict[str, Counter[str]]:
    """How many cells were compared, by rule set and family."""
    counts: dict[str, Counter[str]] = {}
    for c in cells:
        counts.setdefault(c.rules, Counter())[c.family] += len(c.expected)
    return counts


# --- written down ------------------------------------------------------------------------------------------------


def _short(token: str) -> str:
    """``i4'`` for ``Z:int32``: see tables.py."""
    import tables

    kind, name = token.split(":")
    if kind == "S":
        return {"bool": "b*", "int": "i*", "float": "f*", "complex": "c*"}[name]
    return tables.short(name) + {"D": "", "Z": "'", "W": "~"}[kind]


def _table(rows: dict[str, dict[str, str]]) -> str:
    columns = [*dict.fromkeys(c for row in rows.values() for c in row)]
    lines = [["", *columns], *[[name, *(row.get(c, "..") for c in columns)] for name, row in rows.items()]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def write(framework: str, head: str) -> str:
    """Ask a framework, and write its answers down as tests/expected/families has them."""
    import tables

    dtypes = {*map(str, lw.all_dtypes)}
    flat = {"Z:bool", "Z:int64", "Z:float64", "Z:complex64"}
    one: dict[str, dict[str, dict[str, str]]] = {}
    two: dict[str, dict[str, list[str]]] = {}
    seen = set()
    for c in ALL[framework](framework != "jax"):  # which has some milliseconds for a cell
        if (c.rules, c.operation) in seen:
            continue  # of another default dtype
        seen.add((c.rules, c.operation))
        rows: dict[str, dict[str, str]] = {}
        for k, v in c.expected.items():
            if any((t[0] != "S" and t[2:] not in dtypes) or (t[0] == "Z" and t not in flat) for t in k):
                continue
            weak = (v or "").endswith("~")
            cell = tables.REFUSED if v is None else tables.short(v.rstrip("~")) + "~" * weak
            a, b = (_short(k[0]), _short(k[1])) if len(k) == 2 else (c.operation, _short(k[0]))
            rows.setdefault(a, {})[b] = cell
        if c.operation in BINARY:
            two.setdefault(c.rules, {}).setdefault(_table(rows), []).append(c.operation)
        elif rows:
            one.setdefault(c.rules, {}).update(rows)
    parts = [head]
    for rules in [*one]:
        parts.append(f"[{rules} one operand]\n{_table(one[rules])}")
        parts += [f"[{rules} {' '.join(names)}]\n{text}" for text, names in two[rules].items()]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    if sys.argv[1] == "write":  # python tests/families_live.py write torch "# What PyTorch 2.13.0 answered."
        sys.stdout.write(write(sys.argv[2], sys.argv[3]))
    else:
        for operation, answers in _tensorflow(sys.argv[1], sys.argv[2:] == ["everything"]):
            sys.stdout.write(json.dumps([operation, [[*k, v] for k, v in answers.items()]]) + "\n")
