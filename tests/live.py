"""The rule sets beside the frameworks themselves, as far as they are installed: each function asks one framework.

A comparison is a name and two dicts from the same cases to results, ours and theirs; None is a refusal. TensorFlow
and Keras have modes that a process cannot leave, so they are asked in one of their own.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import latticework as lw
from latticework.promotion import RULES

SCALARS: dict[type, Any] = {bool: True, int: 1, float: 1.5, complex: 1j}


class Comparison(NamedTuple):
    """What one question came to."""

    rules: str
    question: str
    found: dict[Any, Any]
    expected: dict[Any, Any]


def ask(function: Callable[..., Any], *operands: Any, error: type[Exception] = TypeError) -> Any:
    """A function's answer, or None where it refuses."""
    try:
        return function(*operands)
    except error:
        return None


def promoted(rules: str, operands: Iterable[Any]) -> Any:
    return ask(RULES[rules].promote, operands)


# --- numpy -----------------------------------------------------------------------------------------------------------


def numpy(everything: bool = True) -> Iterator[Comparison]:
    """np.promote_types and np.result_type, over the dtypes of NumPy and ml_dtypes and the Python scalars."""
    import ml_dtypes
    import numpy as np

    known = [d for d in RULES["numpy"].dtypes if hasattr(np, d.name) or hasattr(ml_dtypes, d.name)]
    native = {d: np.dtype(d) for d in known}
    ours = {v: k for k, v in native.items()}

    def theirs(function: Callable[..., Any], given: dict[Any, Any], case: tuple[Any, ...]) -> Any:
        return ours[found] if (found := ask(function, *(given[x] for x in case))) is not None else None

    pairs = [*itertools.product(known, repeat=2)]
    yield Comparison(
        "numpy",
        "promote_types",
        {p: ask(RULES["numpy"].promote_types, *p) for p in pairs},
        {p: theirs(np.promote_types, native, p) for p in pairs},
    )
    of_dtypes = native | SCALARS
    of_arrays = {d: np.zeros(1, n) for d, n in native.items()} | SCALARS
    for count in (1, 2, 3):
        cases = [*itertools.product([*known, *SCALARS], repeat=count)]
        yield Comparison(
            "numpy",
            f"result_type of {count}",
            {c: promoted("numpy", c) for c in cases},
            {c: theirs(np.result_type, of_dtypes, c) for c in cases},
        )
        if count == 3 and not everything:
            return
        yield Comparison(
            "numpy",
            f"result_type of {count} arrays",
            {c: promoted("numpy", [lw.Operand(x) if isinstance(x, lw.Dtype) else x for x in c]) for c in cases},
            {c: theirs(np.result_type, of_arrays, c) for c in cases},
        )


# --- torch -----------------------------------------------------------------------------------------------------------


def torch(everything: bool = True) -> Iterator[Comparison]:
    """torch.promote_types over all dtypes, torch.result_type over the tiers and default dtypes, and three operands."""
    import torch

    native = {d: n for d in RULES["torch"].dtypes if isinstance(n := getattr(torch, d.name, None), torch.dtype)}
    ours = {v: k for k, v in native.items()}

    def theirs(function: Callable[..., Any], *operands: Any) -> Any:
        found = ask(function, *operands, error=Exception)
        return None if found is None else ours[found]

    pairs = [*itertools.product(native, repeat=2)]
    yield Comparison(
        "torch",
        "promote_types",
        {p: ask(RULES["torch"].promote_types, *p) for p in pairs},
        {p: theirs(torch.promote_types, *(native[d] for d in p)) for p in pairs},
    )
    operands: dict[Any, Any] = {}
    for d, n in native.items():
        for zero_dim in (False, True):
            tensor = ask(torch.empty, () if zero_dim else (1,), error=Exception)
            tensor = ask(tensor.to, n, error=Exception)  # bits and quantised dtypes have no tensors like that
            if tensor is not None:
                operands[lw.Operand(d, zero_dim=zero_dim)] = tensor
    operands |= SCALARS
    before = torch.get_default_dtype()
    try:
        for default in ("float32", "float64", "bfloat16", "float16"):
            torch.set_default_dtype(getattr(torch, default))
            with lw.using(default_float=default):
                cases = [*itertools.product(operands, repeat=2)]
                yield Comparison(
                    "torch",
                    f"result_type, default {default}",
                    {c: promoted("torch", c) for c in cases},
                    {c: theirs(torch.result_type, *(operands[x] for x in c)) for c in cases},
                )
    finally:
        torch.set_default_dtype(before)
    if not everything:
        return
    usual = "bool uint8 int8 int32 int64 float16 bfloat16 float32 float64 complex64".split()
    metas = {
        lw.Operand(lw.Dtype(d), zero_dim=z): torch.empty(() if z else (1,), dtype=native[lw.Dtype(d)], device="meta")
        for d in usual
        for z in (False, True)
    }
    triples = [*itertools.product(metas, repeat=3)]
    yield Comparison(
        "torch",
        "addcmul of 3",
        {t: promoted("torch", t) for t in triples},
        {t: theirs(lambda *x: torch.addcmul(*x).dtype, *(metas[x] for x in t)) for t in triples},
    )


# --- jax -------------------------------------------------------------------------------------------------------------


def jax(everything: bool = True) -> Iterator[Comparison]:
    """jnp.promote_types, jnp.result_type and jnp.add (by jax.eval_shape), with 64-bit on and off, strict and not."""
    import jax
    import numpy as np
    from jax import numpy as jnp

    known = RULES["jax"].dtypes
    native = {d: np.dtype(d) for d in known}
    ours = {v: k for k, v in native.items()}
    weak_types = (int, float, complex)

    def shaped(x: lw.Operand) -> Any:
        return jax.ShapeDtypeStruct((1,), native[x.dtype], weak_type=x.weak)

    def theirs(function: Callable[..., Any], *operands: Any) -> Any:
        found = ask(function, *operands, error=Exception)
        return found and ours[found]

    def added(rules: str, pair: tuple[Any, Any]) -> Any:
        found = ask(RULES[rules].result, pair)
        return found and (found.dtype, found.weak)

    def add(pair: tuple[Any, Any]) -> Any:
        found = ask(jax.eval_shape, jnp.add, *map(shaped, pair), error=Exception)
        return found and (ours[found.dtype], found.weak_type)

    for x64, strict in itertools.product((True, False), repeat=2):
        rules = f"jax{'' if x64 else '-x32'}{'-strict' if strict else ''}"
        with jax.enable_x64(x64), jax.numpy_dtype_promotion("strict" if strict else "standard"):
            types = [*itertools.product([*known, *weak_types], repeat=2)]
            given: dict[Any, Any] = native | {t: t for t in weak_types}
            yield Comparison(
                rules,
                "promote_types",
                {p: ask(RULES[rules].promote_types, *p) for p in types},
                {p: theirs(jnp.promote_types, *(given[x] for x in p)) for p in types},
            )
            counts = (2, 3) if everything and not strict else (2,)
            usual = [lw.Dtype(d) for d in "bool int8 int64 uint8 uint64 bfloat16 float16 float32 complex128".split()]
            for count in counts:
                cases = [*itertools.product([*(known if count == 2 else usual), *weak_types], repeat=count)]
                yield Comparison(
                    rules,
                    f"result_type of {count}",
                    {c: ask(RULES[rules].result_type, c) for c in cases},
                    {
                        c: (f := ask(jnp.result_type, *(given[x] for x in c), error=Exception)) and ours[f]
                        for c in cases
                    },
                )
            few = [d for d in known if d.bits >= 8] if everything else usual
            if strict and not everything:
                continue
            arrays = [lw.Operand(d, weak=w) for d in few for w in (False, True)]
            cases = [*itertools.product(arrays, repeat=2)]
            yield Comparison(rules, "add", {c: added(rules, c) for c in cases}, {c: add(c) for c in cases})


# --- tensorflow and keras, each in a process of its own --------------------------------------------------------------

_TENSORFLOW = """
import itertools, json, sys
import tensorflow as tf
from tensorflow.experimental import numpy as tnp
from tensorflow.python.framework import flexible_dtypes, ops, weak_tensor

names = json.load(sys.stdin)
tensors = {n: tf.cast(tf.constant([1]), n) for n in names}
scalars = {"bool": True, "int": 1, "float": 1.5, "complex": 1j}
operands = {("T", n): v for n, v in tensors.items()} | {("S", n): v for n, v in scalars.items()}
out = {}

def ask(f):
    try:
        return f()
    except Exception:
        return None

def name(d):
    return tf.as_dtype(d).name

condition = tf.constant([True])
out["tensorflow"] = [[a, b, ask(lambda: name(tf.where(condition, x, y).dtype))]
                     for (a, x), (b, y) in itertools.product(operands.items(), repeat=2)]
out["tensorflow-numpy"] = [[a, b, ask(lambda: name(tnp.result_type(x, y)))]
                           for (a, x), (b, y) in itertools.product(operands.items(), repeat=2)]
for mode in ("all", "safe"):
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    weak = {("W", n): weak_tensor.convert_to_weak_tensor_or_tensor(tf.cast(tf.constant([1]), n), True)
            for n in ("int32", "int64", "float32", "float64", "complex128")}
    every = operands | weak
    def joined(x, y):
        dtype, is_weak = flexible_dtypes.result_type(x, y)
        return [name(dtype), bool(is_weak)]
    out["tensorflow-" + mode] = [[a, b, ask(lambda: joined(x, y))]
                                 for (a, x), (b, y) in itertools.product(every.items(), repeat=2)]
    def three(*xs):
        dtype, is_weak = flexible_dtypes.result_type(*xs)
        return [name(dtype), bool(is_weak)]
    usual = "bool int8 uint8 int64 bfloat16 float32 float64 complex64 int float complex".split()
    few = {k: v for k, v in every.items() if k[1] in usual}
    out["tensorflow-" + mode] += [[a, b, c, ask(lambda: three(x, y, z))]
                                  for (a, x), (b, y), (c, z) in itertools.product(few.items(), repeat=3)]
json.dump(out, sys.stdout)
"""

_KERAS = """
import itertools, json, sys
import keras

names, most = json.load(sys.stdin)
operands = {("T", n): n for n in names} | {("S", t.__name__): t for t in (bool, int, float, complex)}
out = []
for floatx in ("float32", "float64", "float16"):
    keras.config.set_floatx(floatx)
    for count in range(1, most + 1):
        for case in itertools.product(operands, repeat=count):
            try:
                result = keras.backend.result_type(*(operands[x] for x in case))
            except Exception:
                result = None
            out.append([floatx, *case, result])
json.dump(out, sys.stdout)
"""


def _process(program: str, given: Any, **environment: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        input=json.dumps(given),
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""} | environment,
    )
    return json.loads(done.stdout.splitlines()[-1])


def _operand(kind: str, name: str) -> Any:
    if kind == "S":
        return {"bool": bool, "int": int, "float": float, "complex": complex}[name]
    return lw.Operand(lw.Dtype(name), weak=kind == "W")


def tensorflow(everything: bool = True) -> Iterator[Comparison]:
    """tf.where for no promotion, tf.experimental.numpy.result_type, and the two modes' own table."""
    names = [str(d) for d in RULES["tensorflow"].dtypes if not str(d).startswith("float8")]
    for rules, rows in _process(_TENSORFLOW, names).items():
        found, expected = {}, {}
        for *case, result in rows:
            operands = tuple(_operand(*x) for x in case)
            key = tuple(map(tuple, case))
            mine = ask(RULES[rules].result, operands)
            with_flag = rules in ("tensorflow-all", "tensorflow-safe")
            found[key] = None if mine is None else (str(mine.dtype), mine.weak) if with_flag else str(mine.dtype)
            expected[key] = tuple(result) if isinstance(result, list) else result
        yield Comparison(rules, "one, two and three operands", found, expected)


def keras(everything: bool = True) -> Iterator[Comparison]:
    """keras.backend.result_type on the NumPy and the TensorFlow backend, for three values of floatx."""
    names = [str(d) for d in RULES["keras"].dtypes]
    for backend, rules in (("numpy", "keras"), ("tensorflow", "keras-tensorflow")):
        found, expected = {}, {}
        for floatx, *case, result in _process(_KERAS, [names, 3 if everything else 2], KERAS_BACKEND=backend):
            key = (floatx, *map(tuple, case))
            with lw.using(default_float=floatx):
                mine = promoted(rules, tuple(_operand(*x) for x in case))
            found[key], expected[key] = mine and str(mine), result
        yield Comparison(rules, "result_type", found, expected)


#: framework -> what asks it
ALL: dict[str, Callable[..., Iterator[Comparison]]] = {
    "numpy": numpy,
    "torch": torch,
    "jax": jax,
    "tensorflow": tensorflow,
    "keras": keras,
}
