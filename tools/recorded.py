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
}  # fmt: skip


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
            parts = (*families_live.NO_KERNEL, *families_live.NO_CALL, "0-dimensional value tensor", "shape")
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
    if kind == "S" and name in families_live.TYPES:
        return families_live.TYPES[name]
    if name.endswith("*"):
        return lw.Operand(lw.Dtype(name[:-1]), weak=True)
    return lw.Operand(lw.Dtype(name), zero_dim=kind == "Z", weak=kind == "W")


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


#: What reads the files of each framework.
ALL = {"torch": torch, "jax": jax, "numpy": numpy, "tensorflow": tensorflow}
