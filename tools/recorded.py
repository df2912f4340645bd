"""Read what frameworks answered from a folder of JSON files, a file for each framework and mode.

A file has tables of cells: a dtype, a dtype and a weak flag, or ``{"err": class, "m": number}``, an error with the
index of its message. Operands are told by their kind and dtype: D or T an array, Z one without dimensions, S a Python
scalar, W or a star a weak array. Only tables of operations are read here.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import families_live

import latticework as lw
from latticework.errors import PromotionError
from latticework.policy import current
from latticework.promotion import RULES
from latticework.promotion.families import decide, families_of, family_of

#: Their names for what we call otherwise.
OURS = {
    "sub": "subtract", "mul": "multiply", "div": "divide", "true_divide": "divide", "div_floor": "floor_divide",
    "div_trunc": "fmod", "floordiv": "floor_divide", "truediv": "divide", "mod": "remainder", "power": "pow",
    "and": "bitwise_and", "rshift": "bitwise_right_shift", "left_shift": "bitwise_left_shift", "eq": "equal",
    "lt": "less", "cat": "concat", "concatenate": "concat", "outer": "linalg.outer", "mm": "matmul", "clamp": "clip",
    "clamp_min": "clip", "clamp_max": "clip", "clamp_minmax": "clip", "equal_": "array_equal", "add_alpha_int": "add",
    "index_put": "index_put_", "lerp_scalar_weight": "lerp", "lerp_tensor_weight": "lerp", "arctan2": "atan2",
    "neg": "negative", "bitwise_not": "bitwise_invert", "invert": "bitwise_invert", "cumsum": "cumulative_sum",
    "cumprod": "cumulative_prod", "reduce_sum": "sum", "reduce_mean": "mean", "reduce_prod": "prod", "amax": "max",
    "sum_dim": "sum", "mean_dim": "mean", "trace": "linalg.trace", "norm": "linalg.vector_norm",
    "isnan_like_logical_not": "logical_not", "iadd": "add", "itruediv": "divide", "clamp_min0": "clip",
    "floor_div": "floor_divide", "less_than": "less", "negate": "negative", "is_nan": "isnan",
}  # fmt: skip


#: Messages of frameworks that are read from files alone, which say that there is no kernel, or that the call is none.
NO_RULE = (
    "The kernel with key", "The type of data we are trying to retrieve", "supported when casting data type",
    "must be Tensor, but got", "returned a result with an exception set", "division by zero",
    "must be a TensorValueLike, not 'bool'", "Cannot convert True to EagerTensor",
)  # fmt: skip

#: Dtypes of ml_dtypes for which each of NumPy's functions may have a loop or not.
OTHERS = re.compile(r":u?int[124]$|:float[46]_|e8m0fnu")


class Recorded(NamedTuple):
    """What one operation came to in one file."""

    rules: str
    question: str
    family: str
    found: dict[Any, Any]
    expected: dict[Any, Any]


def ours(name: str, rules: str = "torch") -> str:
    """Our name, from theirs."""
    bare = re.sub(r"^(operator_|tnp\.)", "", name)
    return bare if bare in families_of(RULES[rules]).operations and rules[:3] == "jax" else OURS.get(bare, bare)


class File:
    """One file, and the cells that were left out."""

    def __init__(self, path: Path, rules: str, default: str = "float32") -> None:
        self.data = json.loads(path.read_text())
        self.rules, self.default, self.left_out = rules, default, 0

    def cell(self, cell: Any) -> Any:
        """A dtype, None for a refusal, ``""`` for what is no rule of promotion."""
        if isinstance(cell, dict):
            said = f"{cell['err']} {self.data['messages'][cell['m']]}"
            parts = (*families_live.NO_KERNEL, *families_live.NO_CALL, *NO_RULE, "0-dimensional value tensor", "shape")
            return "" if any(part in said for part in parts) else None
        if isinstance(cell, list):
            return f"{cell[0]}{'~' * bool(cell[1])}" if isinstance(cell[1], bool) else cell[0]
        return cell

    def compared(
        self, question: str, operation: str, cells: dict[tuple[Any, ...], Any], default: str = "", **how: Any
    ) -> Recorded:
        """The cells of one operation beside ours. A last operand after ``"->"`` is the dtype of ``out=``."""
        expected = {k: self.cell(v) for k, v in cells.items()}
        kept = {k: v for k, v in expected.items() if v != ""}
        if self.rules == "numpy":
            kept = {k: v for k, v in kept.items() if not any(OTHERS.search(t) for t in k)}
        self.left_out += len(expected) - len(kept)
        rules = RULES[self.rules]
        found = {}
        with lw.using(default_float=default or self.default):
            for tokens in kept:
                given, _, out = "|".join(tokens).partition("|->|")
                target = {"out": lw.Dtype(out)} if out else {}
                try:
                    operands = [read(t) for t in given.split("|")]
                    r = decide(rules, operation, operands, current().default, **how, **target)
                    found[tokens] = f"{r.result}{'~' * r.weak}"
                except PromotionError:
                    found[tokens] = None
        return Recorded(self.rules, question, family_of(rules, operation).name, found, kept)


def read(token: str) -> Any:
    """An operand."""
    kind, _, name = token.partition(":")
    if kind == "V":
        return eval(name, {"inf": float("inf"), "nan": float("nan")})
    if kind == "N":
        return of_numpy(name)
    if kind == "S" and name in families_live.TYPES:
        return families_live.TYPES[name]
    if name.endswith("*"):
        return lw.Operand(lw.Dtype(name[:-1]), weak=True)
    return lw.Operand(lw.Dtype(name), zero_dim=kind == "Z", weak=kind == "W")


def of_numpy(text: str) -> Any:
    """What rules that look at values make of a NumPy value: ``np.int64(300)``, ``array([1,2],int8)``."""
    import numpy as np

    found = eval(
        text,
        {"np": np, "array": np.array, **{name: getattr(np, name) for name in ("int8", "int64", "float32", "float64")}},
    )
    if isinstance(found, np.generic):
        return found.item()
    return lw.Operand(lw.Dtype(str(found.dtype)), zero_dim=found.ndim == 0, weak=True, value=found.tolist())


def known(rules: str, operation: str) -> bool:
    """Whether we have such an operation."""
    try:
        family_of(RULES[rules], operation)
    except TypeError:
        return False
    return True


def torch(folder: Path) -> Iterator[tuple[File, Recorded]]:
    """torch.json: binary, unary, in place and ``out=``, on the CPU; the meta device promotes laxer than any other."""
    file = File(folder / "torch.json", "torch")
    for op, kinds in file.data["binops"]["table"].items():
        name = {"equal": "array_equal", "lt": "less", "eq": "equal"}.get(op) or ours(op)
        cells = {
            (f"{k[0]}:{a}", f"{k[1]}:{b}"): v
            for k, rows in kinds["cpu"].items()
            for a, row in rows.items()
            for b, v in row.items()
        }
        yield file, file.compared(op, name, cells)
    for default, ops in file.data["unary"]["table"].items():
        for op, devices in ops.items():
            if known("torch", ours(op)) and "cpu" in devices:
                cells = {(f"{k}:{a}",): v for k, row in devices["cpu"].items() for a, v in row.items()}
                yield file, file.compared(op, ours(op), cells, default)
    for op, devices in file.data["inplace"]["table"].items():
        name = ours(op.rstrip("_"))
        if "cpu" not in devices or not known("torch", name) or op in ("copy_", "setitem", "fill_", "lerp_"):
            continue
        cells = {
            (f"{k[0]}:{a}", f"{k[1]}:{b}"): v
            for k, rows in devices["cpu"].items()
            for a, row in rows.items()
            for b, v in row.items()
        }
        yield file, file.compared(op, name, cells, in_place=True)
    for op, devices in file.data["out"]["table"].items():
        name = ours(op.removesuffix("_same"))
        if op == "add_mixed_out" or not known("torch", name):
            continue
        cells = {}
        for a, row in devices["cpu"].items():
            given = (f"D:{a}",) * (2 if op.endswith("_same") else 1) + (("S:int",) if op == "clamp_min0" else ())
            cells |= {(*given, "->", o): v for o, v in row.items()}
        yield file, file.compared(f"{op} out", name, cells)
    for default, rows in file.data["where_scalar_scalar"].items():
        cells = {(f"S:{a}", f"S:{b}"): v for a, row in rows.items() for b, v in row.items()}
        yield file, file.compared("where of scalars", "where", cells, default)
    for what, operation, kind in (("cat_three", "concat", "D"), ("stack_three_zerodim", "stack", "Z")):
        cells = {tuple(f"{kind}:{d}" for d in k.split(",")): v for k, v in file.data[what].items()}
        yield file, file.compared(what, operation, cells)
    for kinds, rows in file.data["addcmul_three"]["table"].items():
        cells = {tuple(f"{k}:{d}" for k, d in zip(kinds, key.split(","), strict=True)): v for key, v in rows.items()}
        yield file, file.compared(f"addcmul {kinds}", "addcmul", cells)


def jax(folder: Path) -> Iterator[tuple[File, Recorded]]:
    """jax_x64_on.json and jax_x64_off.json."""
    for name, rules in (("jax_x64_on", "jax"), ("jax_x64_off", "jax-x32")):
        file = File(folder / f"{name}.json", rules)
        for op, rows in file.data["ops_eval_shape"]["table"].items():
            if known(rules, ours(op, rules)):
                cells = {(f"D:{a}", f"D:{b}"): v for a, row in rows.items() for b, v in row.items()}
                yield file, file.compared(op, ours(op, rules), cells)
        for op, row in file.data["unary_eval_shape"].items():
            if known(rules, ours(op, rules)):
                yield file, file.compared(op, ours(op, rules), {(f"D:{a}",): v for a, v in row.items()})


def numpy(folder: Path) -> Iterator[tuple[File, Recorded]]:
    """numpy.json."""
    file = File(folder / "numpy.json", "numpy")
    pairs = {**file.data["ufunc_array_array"]}
    pairs |= {"where": file.data["where_array_array"], "concatenate": file.data["concatenate"]}
    for op, rows in pairs.items():
        if not known("numpy", ours(op)):
            continue
        cells = {(f"D:{a}", f"D:{b}"): v for a, row in rows.items() for b, v in row.items()}
        yield file, file.compared(op, ours(op), cells)
    for op, row in file.data["unary_and_reductions"].items():
        if known("numpy", ours(op)):
            yield file, file.compared(op, ours(op), {(f"D:{a}",): v for a, v in row.items()})
    for op, rows in file.data["ufunc_array_pyscalar"].items():
        name = ours(op.removesuffix("_r"))
        cells = {}
        for a, row in rows.items():
            for value, v in row.items():
                pair = (f"D:{a}", f"V:{value.partition(':')[2]}")
                cells[pair[::-1] if op.endswith("_r") else pair] = v
        yield file, file.compared(f"{op} of a Python value", name, cells)
    cells = {(f"D:{a}", f"D:{b}"): v for a, row in file.data["iadd"].items() for b, v in row.items()}
    yield file, file.compared("iadd", "add", cells, in_place=True)


def tensorflow(folder: Path) -> Iterator[tuple[File, Recorded]]:
    """tensorflow_plain.json, tensorflow_all.json, tensorflow_safe.json and tensorflow_tnp.json."""
    files = {"plain": "tensorflow", "all": "tensorflow-all", "safe": "tensorflow-safe", "tnp": "tensorflow-numpy"}
    for name, rules in files.items():
        file = File(folder / f"tensorflow_{name}.json", rules)
        for op, row in itertools.chain(file.data["ops"].items(), file.data["unary"].items()):
            if op.startswith("tnp.") is not (name == "tnp") or not known(rules, ours(op)):
                continue
            first = next(iter(row.values()))
            if isinstance(first, dict) and "err" not in first:
                cells: Any = {(a, b): v for a, more in row.items() for b, v in more.items()}
                if op == "add":  # tf.add converts its first operand by itself; `+`, which is ours, does not
                    cells = {k: v for k, v in cells.items() if k[0][0] != "S"}
            else:
                cells = {(a,): v for a, v in row.items() if a[0] != "S"}
            kept = {k: v for k, v in cells.items() if any(t[0] != "S" for t in k)}
            told = {tuple(t.replace("T:", "D:") for t in k): v for k, v in kept.items()}
            yield file, file.compared(op, ours(op), told)


def pairs(rows: dict[str, Any], kinds: str = "DD") -> dict[tuple[Any, ...], Any]:
    """The cells of a table of two arrays."""
    return {(f"{kinds[0]}:{a}", f"{kinds[1]}:{b}"): v for a, row in rows.items() for b, v in row.items()}


def with_scalars(rows: dict[str, Any], kind: str = "D", *, reflected: bool = False) -> dict[tuple[Any, ...], Any]:
    """The cells of a table of an array and a Python scalar: ``int:300`` is that one, ``int`` any."""
    cells = {}
    for a, row in rows.items():
        for scalar, v in row.items():
            named, _, value = scalar.partition(":")
            pair = (f"{kind}:{a}", f"V:{value}" if value else f"S:{named}")
            cells[pair[::-1] if reflected else pair] = v
    return cells


def maximal(folder: Path) -> Iterator[tuple[File, Recorded]]:
    """max_26.json: operations, one operand, and the values of Python and NumPy, which are looked at."""
    file = File(folder / "max_26.json", "max")
    for op, rows in file.data["binops"].items():
        yield file, file.compared(op, ours({"max": "maximum", "min": "minimum"}.get(op, op)), pairs(rows))
    yield file, file.compared("matmul", "matmul", pairs(file.data["matmul"]))
    for op, row in file.data["unary"].items():
        if known("max", ours(op)):
            yield file, file.compared(op, ours(op), {(f"D:{a}",): v for a, v in row.items()})
    for kinds, rows in file.data["add_zerodim"].items():
        yield file, file.compared(f"add {kinds}", "add", pairs(rows, kinds))
    yield file, file.compared("add of a Python value", "add", with_scalars(file.data["add_pyscalar"]))
    operands = file.data["add_numpy_operand"].items()
    cells = {(f"D:{a}", f"N:{x}"): v for a, row in operands for x, v in row.items()}
    yield file, file.compared("add of a NumPy value", "add", cells)


def mlx(folder: Path) -> Iterator[tuple[File, Recorded]]:
    """mlx.json: operations, one operand, Python scalars, in place."""
    file = File(folder / "mlx.json", "mlx")
    for op, rows in file.data["ops"].items():
        yield file, file.compared(op, ours(op), pairs(rows))
    for kinds, rows in file.data["add_zerodim"].items():
        yield file, file.compared(f"add {kinds}", "add", pairs(rows, kinds))
    for op, row in file.data["unary"].items():
        yield file, file.compared(op, ours(op), {(f"D:{a}",): v for a, v in row.items()})
    for op, rows in file.data["pyscalar"].items():
        cells = with_scalars(rows, reflected=op == "radd")
        yield file, file.compared(f"{op} of a Python value", ours(op.removeprefix("r")), cells)
    yield file, file.compared("iadd", "add", pairs(file.data["iadd"]), in_place=True)


def paddle(folder: Path) -> Iterator[tuple[File, Recorded]]:
    """paddle.json: functions and operators, with and without dimensions, one operand, Python scalars, in place.

    Functions take no Python scalar, but for `pow`, which has a dtype of its own there; the operators do.
    """
    file = File(folder / "paddle.json", "paddle")
    for op, kinds in file.data["ops"].items():
        for kind, rows in kinds.items():
            yield file, file.compared(f"{op} {kind}", ours(op), pairs(rows, kind))
    for op, row in file.data["unary"].items():
        yield file, file.compared(op, ours(op), {(f"D:{a}",): v for a, v in row.items()})
    for op, kinds in file.data["pyscalar"].items():
        for kind, rows in kinds.items() if not op.startswith("fn_") else ():
            cells = with_scalars(rows, kind, reflected=op == "radd")
            yield file, file.compared(f"{op} of a Python value", ours(op.removeprefix("r")), cells)
    for default, ops in file.data["other_default_dtype"].items():
        for op in ("add", "truediv"):
            yield file, file.compared(f"{op} of a Python value", ours(op), with_scalars(ops[op]), default)
    for op in ("iadd", "add_"):
        yield file, file.compared(op, "add", pairs(file.data[op]), in_place=True)


def keras(folder: Path) -> Iterator[tuple[File, Recorded]]:
    """The files of Keras with float32: what its NumPy and JAX backends have alike, and its TensorFlow backend.

    Python ints that do not fit are left out: TensorFlow's and JAX's backends wrap them around in silence.
    """
    alike = File(folder / "keras_numpy_float32.json", "keras")
    other = File(folder / "keras_jax_float32.json", "keras")
    for file in (alike, File(folder / "keras_tensorflow_float32.json", "keras-tensorflow")):
        for tables in ("ops", "unary", "ops_pyscalar"):
            for op, rows in file.data[tables].items():
                cells = _of_keras(tables, rows)
                if file is alike:
                    second = _of_keras(tables, other.data[tables][op])
                    both = {k: v for k, v in cells.items() if file.cell(v) == other.cell(second[k])}
                    file.left_out, cells = file.left_out + len(cells) - len(both), both
                yield file, file.compared(f"{op} ({tables})", ours(op), cells)


def _of_keras(tables: str, rows: dict[str, Any]) -> dict[tuple[Any, ...], Any]:
    if tables == "unary":
        return {(f"D:{a}",): v for a, v in rows.items()}
    cells = pairs(rows) if tables == "ops" else with_scalars(rows)
    return {k: v for k, v in cells.items() if k[1] != "S:int300"}


#: What reads the files of each framework.
ALL = {
    "torch": torch, "jax": jax, "numpy": numpy, "tensorflow": tensorflow, "max": maximal, "mlx": mlx,
    "paddle": paddle, "keras": keras,
}  # fmt: skip
