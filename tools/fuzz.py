"""Call every public function with random arguments on NumPy and on each other backend, and compare what they give.

    python tools/fuzz.py                              2,000 calls on each installed backend, another series each time
    python tools/fuzz.py --seed 1 --calls 20000 --backends torch
    python tools/fuzz.py --function linalg.solve      one function, or several with commas

Operands of every dtype, with broadcasting, empty, without axes, not contiguous; Python and NumPy scalars; infinities
and nan; every rule set; `out=`, methods, operators, in place, keys, and arrays that go from one framework to another.
Each call has to give the same dtype, shape, weak flag and values on both, or the same error, and change nothing but its
target. Each difference is printed as a program that shows it. Exit status 1 where there is one.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import comparing
import numpy as np
from comparing import Program, Statement

import latticework as lw
from latticework.contents import CHAPTERS
from latticework.core.dtypes import category
from latticework.core.registry import OPS, load
from latticework.engine.op import Op
from latticework.support import samples

INF, NAN = float("inf"), float("nan")
SHAPES = ((), (0,), (1,), (3,), (4,), (2, 3), (3, 1), (1, 4), (3, 3), (2, 0), (2, 3, 4), (1, 2, 1), (2, 0, 3),
          (2, 3, 3))  # fmt: skip
OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%", "pow": "**",
    "matmul": "@", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>", "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=",
}  # fmt: skip
UNARY = {"negative": "-", "positive": "+", "bitwise_invert": "~"}
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
#: Functions that no call is drawn of, by the reason. All but the first group are compared in their own tests.
LEFT_OUT = {
    "it has a case of its own below, or gives what is not an array": """
        from_dlpack asarray array to_device getitem setitem at errstate einsum_path linalg.lu_solve""",
    "it takes Python functions": """
        fromfunction piecewise apply_along_axis vectorize checkpoint custom_gradient derivative_of grad hessian jacfwd
        jacrev jit jvp stop_gradient value_and_grad vjp vmap associative_scan cond fori_loop map scan switch
        while_loop""",
    "it writes to its operand": "random.shuffle",
    "its operands have other shapes than samples": "random.multivariate_normal",
}
#: Functions whose operands have to fit together in shapes and values. Theirs are the samples that support is measured
#: with, with other numbers in them now and then.
FITTED = tuple(
    """
    select choose histogram2d histogramdd gather_nd scatter_nd put_along_axis dynamic_slice dynamic_update_slice
    unravel_index ravel_multi_index insert polyfit bincount interp cov roots
    random.dirichlet random.categorical random.choice random.permutation
    signal.frame signal.overlap_add signal.stft signal.istft signal.mel_weight_matrix
    linalg.lstsq linalg.solve_triangular linalg.cho_solve linalg.tensorinv linalg.tensorsolve
    linalg.eigh_tridiagonal linalg.null_space linalg.orth linalg.schur
    nn.linear nn.bilinear nn.embedding nn.lstm_cell nn.gru_cell nn.dropout
    nn.scaled_dot_product_attention nn.multi_head_attention
    nn.batch_norm nn.instance_norm nn.group_norm nn.local_response_norm
    nn.conv nn.conv1d nn.conv2d nn.conv3d nn.depthwise_conv2d
    nn.conv_transpose1d nn.conv_transpose2d nn.conv_transpose3d
    nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.max_pool1d_with_indices nn.max_pool2d_with_indices
    nn.max_pool3d_with_indices nn.max_unpool2d
    nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d nn.lp_pool1d nn.lp_pool2d nn.lp_pool3d nn.adaptive_avg_pool2d
    nn.adaptive_max_pool2d
    nn.interpolate nn.unfold nn.fold nn.pixel_shuffle nn.pixel_unshuffle nn.affine_grid nn.grid_sample
    nn.ctc_loss nn.nll_loss nn.cross_entropy nn.cosine_embedding_loss
    """.split()
)
#: Of these, those whose samples stay as they are: other numbers would make them lose their digits, or their order.
AS_THEY_ARE = ("linalg.", "interp", "polyfit", "roots", "signal.istft")
#: Functions of conversion and indexing that have a case of their own below.
CASES = ("getitem", "setitem", "asarray", "conversion")


class Dice:
    """Random arguments as text, for one call. What is drawn first decides: the first operand's shape and dtype.

    Attributes
    ----------
    shape, dtype: of the first operand.
    special: whether values are infinities, nan, and the ends of the range of integers.
    """

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.chance: Callable[[float], bool] = lambda p: dice.random() < p
        self.special = self.chance(0.2)
        self.shape: tuple[int, ...] = dice.choice(SHAPES)
        self.dtype: lw.Dtype = lw.float32

    def one(self, *options: Any) -> Any:
        """Draw one of several."""
        return self.dice.choice(options)

    def dtype_for(self, accepts: str) -> lw.Dtype:
        """Draw a dtype that a function takes; now and then any."""
        if "storage" in accepts and self.chance(0.05):
            return self.dice.choice(lw.extended_dtypes)
        try:
            fitting = [*category(accepts.replace(" or storage", ""))]
        except KeyError:
            fitting = [*lw.all_dtypes]
        return self.dice.choice(fitting if self.chance(0.8) else lw.all_dtypes)

    def value(self, dtype: lw.Dtype) -> str:
        """Draw a value of a dtype."""
        d = self.dice
        if dtype.kind == "b":
            return str(self.chance(0.5))
        if dtype.kind in "iu":
            info = lw.iinfo(dtype)
            if self.special and self.chance(0.3):
                return str(d.choice((info.min, info.max, info.max - 1, info.max // 2 + 1)))
            return str(d.randint(max(info.min, -4), 5))
        if dtype.kind == "c":
            return f"complex({self.real()}, {self.real()})"
        return self.real(storage=dtype in lw.extended_dtypes)

    def real(self, *, storage: bool = False) -> str:
        """Draw a float, in steps of 1/8."""
        if self.special and not storage and self.chance(0.4):
            return self.dice.choice(("inf", "-inf", "nan", "-0.0", "0.0"))
        return str(self.dice.randint(-32, 32) / 8) if not storage else str(float(self.dice.randint(-4, 4)))

    def nested(self, shape: tuple[int, ...], value: Callable[[], str]) -> str:
        """Return a nested list of values."""
        if not shape:
            return value()
        return f"[{', '.join(self.nested(shape[1:], value) for _ in range(shape[0]))}]"

    def array(
        self, dtype: lw.Dtype, shape: tuple[int, ...], value: Callable[[], str] | None = None, written: bool = False
    ) -> str:
        """Return an expression for an array, of some memory layout; of one that can be `written` to."""
        if 0 in shape:
            return f'lw.zeros({shape}, dtype="{dtype}")'
        layout = self.dice.random() if shape and dtype not in lw.extended_dtypes else 1.0
        layout = 1.0 if written and 0.12 < layout < 0.22 else layout  # what is broadcast cannot be written to
        made = partial(self.nested, value=value or partial(self.value, dtype))
        if layout < 0.08:
            text, after = made((*shape[:-1], shape[-1] * 2)), "[..., ::2]"
        elif layout < 0.12:
            text, after = made(shape), "[::-1]"
        elif layout < 0.18 and len(shape) >= 2:
            text, after = made(shape[::-1]), f".transpose({tuple(reversed(range(len(shape))))})"
        elif layout < 0.22:
            text, after = made((1, *shape[1:])), ""
            return f'lw.broadcast_to(lw.asarray({text}, dtype="{dtype}"), {shape})'
        else:
            text, after = made(shape), ""
        return f'lw.asarray({text}, dtype="{dtype}"){after}'

    def scalar(self, kinds: str) -> str:
        """Return a Python scalar of one of these kinds, now and then a NumPy scalar."""
        kind = self.dice.choice(kinds)
        if kind == "b":
            text = str(self.chance(0.5))
        elif kind == "i":
            text = str(
                self.one(0, 1, 2, 3, -1, 2, 3, 7, 200, -300, 2**31, 2**40) if self.chance(0.4) else self.one(1, 2)
            )
        elif kind == "f":
            text = self.real()
        else:
            text = f"complex({self.real()}, {self.real()})"
        if self.chance(0.05):
            return f"np.{ {'b': 'bool_', 'i': 'int64', 'f': 'float64', 'c': 'complex128'}[kind] }({text})"
        return text

    def beside(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Draw a shape that broadcasts with another one; now and then any."""
        if self.chance(0.06):
            return self.dice.choice(SHAPES)
        kept = shape[self.dice.randint(0, len(shape)) :] if self.chance(0.4) else shape
        return tuple(1 if self.chance(0.2) else n for n in kept)

    def axis(self) -> int:
        """Draw an axis of the first operand; now and then one that it does not have."""
        n = len(self.shape)
        if not n or self.chance(0.04):
            return self.one(-n - 1, n, 0)
        return self.dice.randint(-n, n - 1)

    def axes(self) -> Any:
        """Draw one axis, several, or None."""
        if self.chance(0.3):
            return None
        if self.chance(0.3) and len(self.shape) > 1:
            return tuple(self.dice.sample(range(len(self.shape)), self.dice.randint(0, len(self.shape))))
        return self.axis()

    def key(self) -> str:
        """Draw a key for the first operand."""
        parts, n, booleans = [], len(self.shape), 0
        for i in range(self.dice.randint(0, n)):
            extent = self.shape[i]
            kind = self.dice.random()
            if kind < 0.25:
                parts.append(str(self.dice.randint(-extent, extent - 1) if extent and self.chance(0.95) else extent))
            elif kind < 0.6:
                parts.append(self.one(":", "::2", "1:", ":-1", "::-1", "-2:", "1:1", ":9", "2:0:-1"))
            elif kind < 0.75:
                indices = [self.dice.randint(-extent, extent - 1) if extent else 0 for _ in range(self.one(0, 2, 2, 3))]
                parts.append(f'lw.asarray({indices}, dtype="{self.one("int64", "int64", "int32", "uint8")}")'
                             if not any(k < 0 for k in indices) else f"lw.asarray({indices})")  # fmt: skip
            elif kind < 0.82 and not booleans:
                booleans = 1
                parts.append(f"lw.asarray({[self.chance(0.5) for _ in range(extent)]}, dtype='bool')")
            else:
                parts.append(":")
        if self.chance(0.15):
            parts.insert(self.dice.randint(0, len(parts)), "...")
        if self.chance(0.15):
            parts.insert(self.dice.randint(0, len(parts)), "None")
        return ", ".join(parts) or self.one("...", "()", "x > 0" if self.dtype.kind not in "cb" else "...")


# --- arguments by function and by name ---------------------------------------------------------------------------


def _pairs(d: Dice, accepts: str) -> list[tuple[lw.Dtype, tuple[int, ...]]]:
    return [(d.dtype_for(accepts), d.beside(d.shape))]


def _matrices(d: Dice, rank: int = 2) -> tuple[int, ...]:
    n = d.one(1, 2, 3, 3, 4)
    batch = d.one((), (), (2,), (0,))
    return (*batch, n, n) if d.chance(0.95) else d.one((3,), (), (2, 3), (0, 0))


def _dominant(d: Dice, dtype: lw.Dtype, shape: tuple[int, ...]) -> str:
    """Return a matrix with a strong diagonal, Hermitian: no function of linear algebra loses digits on it."""
    if len(shape) < 2 or 0 in shape or shape[-1] != shape[-2] or d.special or dtype.kind == "b":
        return d.array(dtype, shape)
    rng = np.random.default_rng(d.dice.randrange(2**32))
    x = rng.integers(0, 3, shape) / 2.0
    x = x + np.swapaxes(x, -1, -2) + np.diag(np.arange(4.0, 4 + 5 * shape[-1], 5))
    if dtype.kind == "c":
        y = np.triu(rng.integers(-2, 3, shape) / 2.0, 1)
        x = x + 1j * (y - np.swapaxes(y, -1, -2))
    values = (x if dtype.kind in "fc" else np.round(x)).tolist()
    text = str(values if dtype.kind in "fc" else np.round(x).astype(int).tolist())
    return f'lw.asarray({text}, dtype="{dtype}")'


def _shape_of_product(d: Dice) -> tuple[int, ...]:
    """The second operand's shape for a matrix product."""
    if not d.shape:
        return d.one((), (3,))
    inner = d.shape[-1] if d.chance(0.95) else 5
    return d.one((inner,), (inner, 2), (*d.shape[:-2], inner, 3))


def operands(d: Dice, o: Op) -> list[str]:
    """Return expressions for the array operands of a function."""
    name, accepts = o.name, o.accepts
    d.dtype = d.dtype_for(accepts)
    if name.startswith("linalg.") and o.operands == ("x",) and name not in ("linalg.vector_norm", "linalg.diagonal"):
        d.shape = _matrices(d)
        return [_dominant(d, d.dtype, d.shape)]
    if name == "linalg.solve":
        d.shape = _matrices(d)
        second = (*d.shape[:-1], 2) if d.chance(0.7) else d.shape[-1:]
        return [_dominant(d, d.dtype, d.shape), d.array(d.dtype, second)]
    if name == "linalg.cross":
        d.shape = d.one((3,), (2, 3), (3, 3), (2, 3), (4,))
    if name in ("linalg.outer", "meshgrid") or (name == "searchsorted"):
        d.shape = d.one((3,), (0,), (1,), (4,)) if d.chance(0.95) else d.shape
    if name in ("fft.fftn", "fft.fft") or name.startswith("fft."):
        d.shape = d.one((4,), (3,), (2, 3), (2, 3, 4), (1,), (2, 0), ())
    if o.sequence:
        return [_sequence(d, o)]
    if not o.operands:
        return []
    if name in POSITIVE:
        return [d.array(d.dtype, d.shape if i == 0 else d.beside(d.shape), lambda: str(d.one(1, 2, 3)))
                for i in range(len(o.operands))]  # fmt: skip
    first = d.array(d.dtype, d.shape)
    if name == "searchsorted" and d.shape and d.dtype.kind != "c":
        d.special, values = False, iter(range(-3, 9))
        first = f'lw.asarray({[next(values) for _ in range(d.shape[0])]}, dtype="{d.dtype}")'
    texts = [first]
    for parameter in o.operands[1:]:
        role = o.role_of.get(parameter, "join")
        annotation = str(o.function.__annotations__.get(parameter))
        if parameter in ("indices", "segments"):
            texts.append(_indices(d, name))
            continue
        dtype = d.dtype if d.chance(0.55) else d.dtype_for(accepts)
        scalars = {"Array | complex": "biifc", "Array | float": "biif", "Array | int": "bii", "Array | bool": "b"}
        if annotation in scalars and d.chance(0.25):
            texts.append(d.scalar(scalars[annotation]))
        elif name in ("matmul", "dot", "tensordot"):
            texts.append(d.array(dtype, _shape_of_product(d)))
        elif name == "linalg.outer" or name == "searchsorted":
            texts.append(d.array(dtype, d.one((3,), (0,), (2,))))
        elif role == "join":
            texts.append(d.array(dtype, d.beside(d.shape)))
        else:
            texts.append(d.array(dtype, d.beside(d.shape)))
    if name == "where":
        texts[0] = d.array(lw.bool if d.chance(0.9) else d.dtype, d.shape)
    elif d.chance(0.05) and "complex" in str(o.function.__annotations__.get(o.operands[0])):
        texts[0] = d.scalar("biifc")
    elif d.chance(0.02) and len(texts) == 1:
        texts[0] = d.scalar("bif")
    return texts


def _indices(d: Dice, name: str) -> str:
    extent = max(d.shape[-1] if d.shape else 1, 1)
    if name == "take_along_axis":
        shape: tuple[int, ...] = (*d.shape[:-1], 2) if d.shape else ()
    else:
        shape = d.one((2,), (3,), (0,), (), (2, 2))
    dtype = d.one(lw.int64, lw.int64, lw.int32, lw.uint8, lw.int8)
    low = -extent if dtype.kind == "i" else 0
    high = extent - 1 if d.chance(0.95) else extent + 1
    return d.array(dtype, shape, lambda: str(d.dice.randint(low, high)))


def _sequence(d: Dice, o: Op) -> str:
    count = d.one(1, 2, 2, 3)
    same = o.name in ("stack", "hstack", "vstack", "dstack", "column_stack", "concat", "concatenate")
    texts = []
    for _ in range(count):
        shape = d.shape if same or o.name == "meshgrid" else d.beside(d.shape)
        shape = d.one(*SHAPES) if d.chance(0.03) else shape
        texts.append(d.array(d.dtype if d.chance(0.6) else d.dtype_for(o.accepts), shape))
    inside = ", ".join(texts)
    return inside if o.spread else f"[{inside}]"


def _einsum(d: Dice) -> str:
    subscripts = d.one("ij,jk->ik", "ij->ji", "ii->i", "ij,ij->", "i,j->ij", "ij,j", "ii", "...ij->...ji", "ij,kj->ik")
    extents = {letter: d.one(2, 3, 3, 1) for letter in "ijk"}
    texts = []
    for term in subscripts.partition("->")[0].split(","):
        shape = tuple(extents[c] for c in term.replace("...", ""))
        texts.append(d.array(d.dtype_for("numeric"), (2, *shape) if "..." in term else shape))
    return f"{subscripts!r}, {', '.join(texts)}"


def _pad_width(d: Dice) -> Any:
    return d.one(1, 0, 2, [[1, 0]] * len(d.shape) if d.shape else 1)


def _new_shape(d: Dice) -> Any:
    size = int(np.prod(d.shape))
    options: list[Any] = [(-1,), (size,), (1, size), (size, 1, 1), d.shape[::-1], (2, -1), (5, 7), (0, -1)]
    return d.dice.choice(options[:5]) if d.chance(0.9) else d.dice.choice(options)


def _dtype_text(d: Dice) -> str | None:
    return f'"{d.dice.choice(lw.all_dtypes)}"' if d.chance(0.3) else None


#: Parameter -> text of an argument; None leaves it out. First (function, parameter), then the parameter alone.
ARGUMENTS: dict[Any, Callable[[Dice], Any]] = {
    "axis": lambda d: d.axis(),
    "axes": lambda d: d.axes(),
    "axis1": lambda d: d.axis(),
    "axis2": lambda d: d.axis(),
    "source": lambda d: d.axis(),
    "destination": lambda d: d.axis(),
    "keepdims": lambda d: d.chance(0.5),
    "dtype": _dtype_text,
    "device": lambda d: None,
    "out": lambda d: None,  # which has a statement of its own
    "copy": lambda d: d.one(None, True),
    "check": lambda d: None,
    "inplace": lambda d: False,  # the result is what is compared
    "correction": lambda d: d.one(0, 1, 1.0, 0.5),
    "include_initial": lambda d: d.chance(0.5),
    "decimals": lambda d: d.one(0, 1, 2, -1),
    "min": lambda d: d.one(None, d.scalar("if"), d.array(d.dtype, d.beside(d.shape))),
    "max": lambda d: d.one(None, d.scalar("if"), d.array(d.dtype, d.beside(d.shape))),
    "indexing": lambda d: repr(d.one("xy", "ij")),
    "descending": lambda d: d.chance(0.5),
    "stable": lambda d: None,
    "invert": lambda d: d.chance(0.5),
    "side": lambda d: repr(d.one("left", "right")),
    "sorter": lambda d: None,
    "prepend": lambda d: None,
    "append": lambda d: None,
    "order": lambda d: repr(d.one("C", "F")),
    "k": lambda d: d.one(0, 1, -1, 5),
    "n": lambda d: d.one(0, 1, 2, 3),
    "shape": lambda d: d.dice.choice(SHAPES),
    "fill_value": lambda d: d.scalar("bifc") if d.chance(0.5) else d.scalar("if"),
    "start": lambda d: d.one(0, 1, 2.5, -3),
    "stop": lambda d: d.one(4, 7.0, -3, 0),
    "step": lambda d: d.one(1, 2, 0.5, -1),
    "num": lambda d: d.one(0, 1, 5, 2),
    "endpoint": lambda d: d.chance(0.5),
    "n_rows": lambda d: d.one(0, 3, 2),
    "n_cols": lambda d: d.one(None, 4, 0),
    "repeats": lambda d: d.one(0, 1, 2, 3),
    "shift": lambda d: d.one(0, 1, -2, 7),
    "repetitions": lambda d: d.one((2,), (1, 2), (), (2, 1, 2), (0,)),
    "indices_or_sections": lambda d: d.one(1, 2, 3, [1], [1, 2], [0, 5]),
    "pad_width": _pad_width,
    "mode": lambda d: repr(d.one("constant", "edge", "reflect", "symmetric", "wrap")),
    "constant_values": lambda d: d.one(0, 1, 2),
    "nan": lambda d: d.one(0.0, 1.5),
    "posinf": lambda d: d.one(None, 3.0),
    "neginf": lambda d: d.one(None, -3.0),
    "rtol": lambda d: d.one(None, 1e-3),
    "atol": lambda d: None,
    "deg": lambda d: d.chance(0.5),
    "value": lambda d: d.one(1, 2, 0.5),
    "equal_nan": lambda d: d.chance(0.5),
    "optimize": lambda d: None,
    "subscripts": _einsum,
    "operands": lambda d: None,  # which come with the subscripts
    "upper": lambda d: d.chance(0.5),
    "full_matrices": lambda d: d.chance(0.5),
    "offset": lambda d: d.one(0, 1, -1),
    "ord": lambda d: d.one(1, 2, -1, "inf", "-inf"),
    "s": lambda d: None,
    **{(f"fft.{n}", "axes"): lambda d: (d.axis(),) for n in ("fftn", "ifftn", "rfftn", "irfftn")},
    "norm": lambda d: repr(d.one("backward", "ortho", "forward")),
    "d": lambda d: d.one(1.0, 0.5),
    "shapes": lambda d: ", ".join(str(d.beside(d.shape)) for _ in range(d.one(1, 2, 3))),
    "x": lambda d: d.array(d.dtype, d.shape),
    "x1": lambda d: d.array(d.dtype, d.shape),
    "x2": lambda d: d.array(d.dtype, d.beside(d.shape)),
    "arrays": lambda d: d.array(d.dtype, d.shape),
    # What many functions share: options, and parameters of distributions, activations and losses.
    "key": lambda d: f"lw.random.key({d.one(0, 1, 77)})",
    "seed": lambda d: d.one(0, 1, 2**31),
    "backend": lambda d: None,
    "data": lambda d: d.one(0, 3, 2**20),
    "loc": lambda d: d.one(0.0, -1.5, 3),
    "scale": lambda d: d.one(1.0, 0.5, 3),
    "low": lambda d: d.one(0, -3),
    "high": lambda d: d.one(1, 7),
    "lower": lambda d: d.one(0, 1, 2, -1),
    "a": lambda d: d.one(0.5, 1.0, 4.0),
    "b": lambda d: d.one(0.5, 1.0, 4.0),
    "df": lambda d: d.one(1.0, 3.0),
    "lam": lambda d: d.one(0.5, 4.0),
    "alpha": lambda d: d.one(1.0, 0.25, 2.0),
    "beta": lambda d: d.one(1.0, 0.25, 2.0),
    "negative_slope": lambda d: d.one(0.0, 0.25),
    "threshold": lambda d: d.one(0.5, 1.0, 2.0),
    "approximate": lambda d: repr(d.one(False, True, "tanh")),
    "delta": lambda d: d.one(1.0, 0.5),
    "margin": lambda d: d.one(0.0, 0.5, 1.0),
    "eps": lambda d: d.one(1e-6, 1e-3, 0.125),
    "reduction": lambda d: repr(d.one("none", "mean", "sum")),
    **dict.fromkeys(
        ("weight", "weights", "bias", "pos_weight", "y", "fweights", "aweights", "w", "r", "where"), lambda d: None
    ),
    **dict.fromkeys(
        (
            "wrap",
            "increasing",
            "return_index",
            "return_inverse",
            "return_counts",
            "assume_unique",
            "largest",
            "sorted",
            "rowvar",
            "density",
            "right",
            "include_self",
            "periodic",
            "full",
            "log_input",
            "log_target",
            "swap",
            "strip_zeros",
            "independent",
        ),
        lambda d: d.chance(0.5),
    ),
    "m": lambda d: d.one(None, 1, 2, 4),
    "ndim": lambda d: d.one(1, 2, 3),
    "base": lambda d: d.one(10.0, 2, 0.5),
    "batch_shape": lambda d: d.one((), (2,), (0, 1)),
    "trim": lambda d: repr(d.one("fb", "f", "b")),
    "kth": lambda d: d.one(0, -1, 1, (0, 1)),
    "q": lambda d: d.one(0.5, 0, 1, 0.25, [0.125, 0.75]),
    "method": lambda d: repr(d.one("linear", "lower", "higher", "nearest", "midpoint", "hazen")),
    "bins": lambda d: d.one(1, 4, 7, [-1.0, 0.0, 2.0]),
    "range": lambda d: d.one(None, (0, 4), (-2.0, 2.0)),
    "dx": lambda d: d.one(1.0, 0.5),
    "initial": lambda d: d.one(None, 0, 1.5),
    "spacing": lambda d: d.one(1, 0.5),
    "edge_order": lambda d: d.one(1, 2),
    "to_end": lambda d: None,
    "to_begin": lambda d: None,
    "discont": lambda d: d.one(None, 4.0),
    "period": lambda d: d.one(4.0, 6.5),
    "num_segments": lambda d: d.one(None, 5),
    "num_classes": lambda d: d.one(3, 6),
    "window_shape": lambda d: d.one(1, 2, 3) if len(d.shape) == 1 else d.one(tuple(min(n, 2) for n in d.shape), 2),
    "rcond": lambda d: d.one(None, 1e-3),
    "p": lambda d: d.one(0.25, 0.5, 1.0),
    "type": lambda d: d.one(1, 2, 3, 4),
    # Of functions whose operands are samples.
    "stride": lambda d: d.one(1, 2, 3),
    "padding": lambda d: d.one(0, 1, 1, 2, "'same'", "'valid'"),
    "output_padding": lambda d: d.one(0, 0, 1),
    "dilation": lambda d: d.one(1, 1, 2),
    "groups": lambda d: d.one(1, 1, 3),
    "layout": lambda d: repr(d.one(None, "channels_first", "channels_last")),
    "padding_mode": lambda d: repr(d.one("zeros", "border", "reflection")),
    "pad_mode": lambda d: repr(d.one("constant", "reflect", "replicate")),
    "coefficient": lambda d: d.one(None, -0.5),
    "border": lambda d: d.one(None, None, "'clamp'", "'renormalize'"),
    "momentum": lambda d: d.one(0.1, 0.5),
    "label_smoothing": lambda d: d.one(0.0, 0.25),
    "ignore_index": lambda d: d.one(-100, 0, 1),
    "padding_idx": lambda d: d.one(None, 0, -1),
    "blank": lambda d: d.one(0, 2),
    "batch_dims": lambda d: d.one(0, 1),
    "minlength": lambda d: d.one(0, 3, 9),
    "length": lambda d: d.one(1, 2, 3),
    "left": lambda d: d.one(None, -1.5),
    "default": lambda d: d.one(0, 7),
    "hop_length": lambda d: d.one(None, 1, 2),
    "win_length": lambda d: d.one(None, 2),
    "n_mels": lambda d: d.one(3, 5),
    "n_bins": lambda d: d.one(5, 9),
    "rate": lambda d: d.one(8.0, 16.0),
    "size": lambda d: d.one(1, 2, 5),
    "output_size": lambda d: d.one(1, 2, 3),
    "kernel_size": lambda d: d.one(1, 2, 3),
    "dropout": lambda d: None,
    "enable_gqa": lambda d: None,
    "ind": lambda d: 1,
    **dict.fromkeys(
        (
            "ceil_mode",
            "count_include_pad",
            "is_causal",
            "training",
            "align_corners",
            "antialias",
            "recompute",
            "zero_infinity",
            "center",
            "normalized",
            "onesided",
            "transpose",
            "unit_diagonal",
            "replace",
        ),
        lambda d: d.chance(0.5),
    ),
    ("nn.interpolate", "mode"): lambda d: repr(
        d.one(
            "nearest", "nearest-exact", "linear", "cubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"
        )
    ),
    ("nn.interpolate", "scale"): lambda d: d.one(None, 2.0, 0.5, 1.5),
    ("nn.grid_sample", "mode"): lambda d: repr(d.one("bilinear", "nearest", "bicubic")),
    ("choose", "mode"): lambda d: repr(d.one("raise", "wrap", "clip")),
    ("ravel_multi_index", "mode"): lambda d: repr(d.one("raise", "wrap", "clip")),
    ("scatter_nd", "reduction"): lambda d: repr(d.one("replace", "sum", "prod", "max", "min")),
    **{(name, "range"): lambda d: None for name in ("histogram2d", "histogramdd")},
    **{(name, "bins"): lambda d: d.one(1, 4) for name in ("histogram2d", "histogramdd")},
    **{(name, "axes"): lambda d: None for name in ("linalg.tensorsolve",)},
    **{(name, "axis"): lambda d: d.one(0, -1, 1, -2) for name in FITTED},
    **{(name, "shape"): lambda d: None for name in FITTED if name.startswith(("random.", "nn."))},
    **{
        (name, "scale"): lambda d: d.one(None, 0.5, 2.0)
        for name in ("nn.scaled_dot_product_attention", "nn.multi_head_attention")
    },
    **{(name, "length"): lambda d: None for name in ("signal.istft",)},
    ("random.choice", "p"): lambda d: None,
    ("astype", "dtype"): lambda d: f'"{d.dice.choice(lw.all_dtypes)}"',
    ("broadcast_to", "shape"): lambda d: (*d.one((), (2,), (0,)), *d.shape) if d.chance(0.95) else (7,),
    ("reshape", "shape"): _new_shape,
    ("reshape", "copy"): lambda d: d.one(None, True),
    ("permute_dims", "axes"): lambda d: tuple(d.dice.sample(range(len(d.shape)), len(d.shape))),
    ("transpose", "axes"): lambda d: d.one(None, tuple(d.dice.sample(range(len(d.shape)), len(d.shape)))),
    ("tensordot", "axes"): lambda d: d.one(0, 1, 1),
    ("squeeze", "axis"): lambda d: next((i for i, n in enumerate(d.shape) if n == 1), d.axis()),
    ("take_along_axis", "axis"): lambda d: -1,
    ("take", "axis"): lambda d: -1,
    ("vecdot", "axis"): lambda d: -1,
    ("linalg.cross", "axis"): lambda d: -1,
    ("linalg.matrix_norm", "ord"): lambda d: d.one("'fro'", 1, "inf", 2, "'nuc'", -2, "-inf"),
    ("linalg.matrix_power", "n"): lambda d: d.one(0, 1, 2, 3, -1),
    ("linalg.qr", "mode"): lambda d: repr(d.one("reduced", "complete")),
    ("nn.hard_tanh", "min"): lambda d: d.one(-1.0, 0.0, -2),
    ("nn.hard_tanh", "max"): lambda d: d.one(1.0, 2),
    ("linalg.cond", "p"): lambda d: d.one(None, 1, "inf", "'fro'", 2),
    **{
        (name, "p"): lambda d: d.one(1, 2, 3)
        for name in ("linalg.cdist", "nn.pairwise_distance", "nn.triplet_margin_loss", "nn.normalize")
    },
    **{(name, "threshold"): lambda d: d.one(0.5, 20.0) for name in ("nn.softplus",)},
    **{(name, "normalized_shape"): lambda d: d.shape[-1:] or (3,) for name in ("nn.layer_norm", "nn.rms_norm")},
    **{
        (name, "reduction"): lambda d: repr(d.one("replace", "sum", "prod", "max", "min", "mean"))
        for name in ("scatter",)
    },
    **{(name, "norm"): lambda d: d.one(None, "'ortho'") for name in ("fft.dct", "fft.idct")},
    ("histogram", "weights"): lambda d: d.one(None, d.array(d.dtype, d.shape)),
    ("average", "weights"): lambda d: d.one(None, d.array(d.dtype, d.shape)),
    ("random.truncated_normal", "lower"): lambda d: d.one(-2.0, 0.0, -0.5),
    ("random.truncated_normal", "upper"): lambda d: d.one(2.0, 0.5, 3),
    ("random.bits", "dtype"): lambda d: d.one(None, "'uint8'", "'uint64'"),
    ("random.split", "num"): lambda d: d.one(1, 3, (2, 2)),
    ("random.binomial", "n"): lambda d: d.one(1, 10, 50),
    ("fft.fftfreq", "n"): lambda d: d.one(1, 2, 5),
    ("fft.rfftfreq", "n"): lambda d: d.one(1, 2, 5),
}
#: Parameters of reductions that take several axes.
SEVERAL = ("all", "any", "max", "min", "amax", "amin", "mean", "prod", "std", "sum", "var", "count_nonzero", "flip",
           "linalg.vector_norm")  # fmt: skip
#: Functions that frameworks define in their own ways below zero: operands are drawn above it.
POSITIVE = ("special.beta", "special.betaln", "special.polygamma", "nn.kl_div")
#: Results that are not determined, and what has to be the same of them, as a second statement.
EQUATIONS = {
    "linalg.eigh": "s = (r[1] * lw.expand_dims(lw.astype(r[0], r[1].dtype), -2)) @ lw.conj(r[1].mT)",
    "linalg.qr": "s = r[0] @ r[1]",
    "linalg.svd": "s = r[1]",
    "linalg.eig": "s = lw.sort(lw.real(r[0]))",
    "linalg.eigvals": "s = lw.sort(lw.real(r))",
    "linalg.expm": "s = lw.linalg.expm(x / 16)",  # of larger matrices every digit of a kernel shows
    "partition": "",  # the order within each part, whose elements are compared in their own tests
    "argpartition": "",
    "empty": "",
    "empty_like": "",
    "linalg.eigh_tridiagonal": "s = (r[1] * r[0]) @ r[1].mT",
    "linalg.null_space": "",
    "linalg.orth": "",
    "linalg.schur": "",
    "roots": "s = lw.sort(lw.real(r))",
}


def arguments(d: Dice, o: Op) -> tuple[list[str], list[str]]:
    """Return the arguments after the array operands as text: those by position, and those by name."""
    by_position, by_name = [], []
    for p in o.signature.parameters.values():
        if p.name in o.operands or p.kind is p.VAR_KEYWORD:
            continue
        required = p.default is p.empty and p.kind is not p.VAR_POSITIONAL
        if not required and (d.chance(0.5) or p.kind is p.VAR_POSITIONAL):
            continue
        if (o.name, p.name) in ARGUMENTS:
            value = ARGUMENTS[o.name, p.name](d)
        elif p.name == "axis" and o.name in SEVERAL:
            value = d.axes()
        else:
            value = ARGUMENTS[p.name](d)
        if value is None and not required:
            continue
        if required and p.kind is not p.KEYWORD_ONLY:
            by_position.append(str(value))
        else:
            by_name.append(f"{p.name}={value}")
    return by_position, by_name


def without_arguments() -> list[str]:
    """Return the parameters that there is nothing to draw for: a new function brings a line of `ARGUMENTS`."""
    missing = []
    for name, o in functions().items():
        for p in o.signature.parameters.values():
            sampled = name in FITTED and ("Array" in str(p.annotation) or p.default is p.empty)
            if p.name not in o.operands and p.kind is not p.VAR_KEYWORD and not sampled:
                missing += [] if (o.name, p.name) in ARGUMENTS or p.name in ARGUMENTS else [f"{name}: {p.name}"]
    return missing


# --- calls -------------------------------------------------------------------------------------------------------


@cache
def left_out() -> dict[str, str]:
    """Return the functions that no call is drawn of, each with the reason."""
    return {name: reason for reason, names in LEFT_OUT.items() for name in names.split()}


@cache
def functions() -> dict[str, Op]:
    """Return the declaration of every function that calls are drawn of, by each of its public names."""
    load()
    found = {n: o for n, o in OPS.items() if not n.rpartition(".")[2].startswith("_") and n not in left_out()}
    of = {o.function: o for o in found.values()}
    for chapter, names in CHAPTERS.items():
        if chapter.startswith("api."):
            for alias in names.split():
                o = of.get(getattr(getattr(lw, alias), "__wrapped__", None))
                if o is not None and alias not in OPS:
                    found[alias] = o
    return found


class Text(str):
    """An expression, which shows as it is in a list or a tuple of arguments."""

    __slots__ = ()
    __repr__ = str.__str__


def fitted(d: Dice, o: Op) -> tuple[list[str], list[str]]:
    """Return the samples of a function as arguments by position and by name, with further options by name."""
    d.dtype = d.dtype_for(o.accepts)
    anew = d.chance(0.5) and not o.name.startswith(AS_THEY_ARE)

    def make(values: Any, dtype: lw.Dtype) -> Text:
        if anew and dtype is d.dtype and d.chance(0.7):
            values = Text(d.nested(np.shape(values), partial(d.value, dtype)))
        return Text(f'lw.asarray({values}, dtype="{dtype}")')

    args, named = samples.arguments(o, make, d.dtype)
    texts = {name: repr(value) for name, value in named.items() if name != "dtype"}
    texts |= {"key": ARGUMENTS["key"](d)} if "key" in texts else {}
    for p in o.signature.parameters.values():
        if p.default is not p.empty and p.name in o.signature.parameters and d.chance(0.3):
            draw = ARGUMENTS.get((o.name, p.name)) or ARGUMENTS.get(p.name)
            value = draw(d) if draw and "Array" not in str(p.annotation) else None
            texts |= {} if value is None or p.kind is p.POSITIONAL_ONLY else {p.name: str(value)}
    by_position = [ARGUMENTS["key"](d) if value is None and i == 0 else repr(value) for i, value in enumerate(args)]
    return by_position, [f"{name}={text}" for name, text in texts.items()]


def call(d: Dice, name: str) -> tuple[list[Statement], str]:
    """Return statements that make operands, and the expression of a call on them."""
    o = functions()[name]
    statements, given = [], []
    if name in FITTED:
        by_position, by_name = fitted(d, o)
        return [], f"lw.{name}({', '.join([*by_position, *by_name])})"
    for i, text in enumerate(operands(d, o)):
        if o.sequence or (text[0] not in "lb"):
            given.append(text)
        else:
            operand = "xyz"[i]
            statements.append(Statement(f"{operand} = {text}", (operand,)))
            given.append(operand)
    by_position, by_name = arguments(d, o)
    if name in OPERATORS and len(given) == 2 and d.chance(0.35):
        return statements, f"{given[0]} {OPERATORS[name]} {given[1]}"
    if name in UNARY and d.chance(0.35) and given[0] == "x":
        return statements, f"{UNARY[name]}x"
    method = getattr(lw.Array, o.name, None)
    if given[:1] == ["x"] and len(given) == 1 and callable(method) and o.name in METHODS and d.chance(0.2):
        return statements, f"x.{name if hasattr(lw.Array, name) else o.name}({', '.join([*by_position, *by_name])})"
    return statements, f"lw.{name}({', '.join([*given, *by_position, *by_name])})"


#: Functions that have a method of the same name and signature.
METHODS = ("all", "any", "argmax", "argmin", "cumprod", "cumsum", "max", "min", "mean", "prod", "ravel", "reshape",
           "std", "sum", "var", "squeeze", "round", "conj", "nonzero", "swapaxes")  # fmt: skip


def program(dice: random.Random, names: tuple[str, ...] = ()) -> Program:
    """Draw a program: operands, one call, what is written."""
    d = Dice(dice)
    policy: dict[str, str] = {}
    if d.chance(0.4):
        policy["rules"] = dice.choice(lw.rule_names())
    if d.chance(0.08):
        policy["default_float"] = "float64"
    if d.chance(0.05):
        policy["casting"] = "all"
    name = dice.choice(names or _weighted())
    if name == "getitem":
        statements = _indexing(d)
    elif name == "setitem":
        statements = _assignment(d)
    elif name == "asarray":
        statements = _creation(d)
    elif name == "conversion":
        statements = _conversion(d)
    else:
        statements = _function(d, name)
    return Program(tuple(statements), policy)


@cache
def _weighted() -> tuple[str, ...]:
    names = functions()
    return (*names, *("getitem",) * (len(names) // 15), *("setitem",) * (len(names) // 15), *CASES[2:] * 4)


def _function(d: Dice, name: str) -> list[Statement]:
    o = functions()[name]
    statements, text = call(d, name)
    used = (o.name, *text.replace("(", " ").replace("lw.", "").split()[:1])
    compared = "shapes" if o.name in EQUATIONS else "values"
    targets = tuple(s.targets[0] for s in statements)
    written = o.signature.parameters.get("inplace")
    if written is not None and written.default is True:
        return [*statements, Statement(f"r = {text}", ("r", *targets[:1]), compared, used)]
    symbol = OPERATORS.get(name)
    writable = targets[:1] == ("x",) and "broadcast_to" not in statements[0].text
    if symbol and name not in COMPARISONS and writable and d.chance(0.15) and name != "matmul":
        right = text.partition(f" {symbol} ")[2] if text.startswith("x ") else ""
        right = right or d.one("x[:1]", "x[::-1]", "x") * bool(d.shape) or "x"
        return [*statements, Statement(f"x {symbol}= {right}", ("x",), "values", used)]
    if o.has_out and text.startswith("lw.") and d.chance(0.12) and "out" in o.signature.parameters:
        plain = f"{text[:-1]}, out="
        if d.chance(0.3) and writable:
            return [*statements, Statement(f"r = {plain}x)", ("r", "x"), compared, used)]
        dtype = f', dtype="{d.dice.choice(lw.all_dtypes)}"' if d.chance(0.3) else ""
        out = Statement(f"out = lw.zeros_like({text}{dtype})", ("out",), "values", used)
        return [*statements, out, Statement(f"r = {plain}out)", ("r", "out"), compared, used)]
    statements.append(Statement(f"r = {text}", ("r",), compared, used))
    if EQUATIONS.get(o.name) and not d.special:
        statements.append(Statement(EQUATIONS[o.name], ("s",), "values", used))
    return statements


def _first(d: Dice) -> Statement:
    d.dtype = d.dtype_for("all")
    return Statement(f"x = {d.array(d.dtype, d.shape, written=True)}", ("x",))


def _indexing(d: Dice) -> list[Statement]:
    return [_first(d), Statement(f"r = x[{d.key()}]", ("r",), "values", ("getitem",))]


def _assignment(d: Dice) -> list[Statement]:
    first, key = _first(d), d.key()
    value = d.scalar("biifc") if d.chance(0.5) else d.array(d.one(d.dtype, d.dtype_for("all")), d.beside(d.shape))
    if d.chance(0.2):
        value = d.one("x[:1]", "x[::-1]", "x")
    symbol = d.one("=", "=", "=", "+=", "*=", "-=")
    return [first, Statement(f"x[{key}] {symbol} {value}", ("x",), "values", ("setitem", "getitem"))]


def _creation(d: Dice) -> list[Statement]:
    d.dtype = d.dtype_for("all")
    kind = d.dice.random()
    dtype = f', dtype="{d.dice.choice(lw.all_dtypes)}"' if d.chance(0.5) else ""
    if kind < 0.5:
        text = d.nested(d.shape, lambda: d.scalar("biff") if d.chance(0.2) else d.value(d.dtype))
    elif kind < 0.8 and d.dtype is not lw.bfloat16:
        text = f"np.asarray({d.nested(d.shape, partial(d.value, d.dtype))}, dtype='{d.dtype}')"
    else:
        text = d.array(d.dtype, d.shape)
    return [Statement(f"r = lw.asarray({text}{dtype}{d.one('', '', ', copy=True')})", ("r",))]


def _conversion(d: Dice) -> list[Statement]:
    """An array that goes from one framework to another, and is written to there: the first must not change.

    NumPy and PyTorch may share memory; nobody else may, with anybody.
    """
    there = d.dice.choice([b.name for b in lw.backends() if b.installed])
    way = "lw.asarray({}, backend={!r}{})".format(d.one("x", "x.data"), there, d.one("", ", copy=True"))
    write = d.one("y[...] = 1", "y += y", "y[...] = y[::-1]") if d.shape else d.one("y[...] = 1", "y += y")
    written, both = d.one("y", "x"), "{x.backend, y.backend} <= {'numpy', 'torch'}"
    return [
        _first(d),
        Statement(f"y = {way}", ("y",), "nothing"),
        Statement(f"y = y.copy() if x.backend == y.backend or {both} else y", ("y",), "nothing"),
        Statement(write.replace("y", written), (written,), "nothing", ("add",)),
    ]


def main() -> int:
    """Run the calls and print what was found; 1 where there are differences."""
    parser = comparing.options(__doc__, calls=2000)
    parser.add_argument("--function", default="", help=f"names of functions with commas, or of {', '.join(CASES)}")
    arguments = parser.parse_args()
    names = tuple(n for n in arguments.function.split(",") if n)
    unknown = [n for n in names if n not in functions() and n not in CASES]
    if unknown:
        parser.error(f"no function {unknown[0]!r}")
    return comparing.main(partial(program, names=names), arguments, "calls")


if __name__ == "__main__":
    sys.exit(main())
