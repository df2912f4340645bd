"""Calls of PyTorch's samples, in it and in the dialect: ``python -m upstream_torch_runner PART BACKEND FILE``.

A test is one call, and its name has the function, the form of the call, the dtype and a number:

    torch.a-c::add::function[float32-0]       arguments of PyTorch's sample, spread over those that it has
    torch.a-c::add::method[float32-0]         the same as a method, and as the method in place
    torch.a-c::add::in_place[float32-0]
    torch.a-c::add::refused[float32-0]        arguments that PyTorch refuses
    torch.a-c::add::cast[bool-0]              a sample in a dtype that PyTorch's list of dtypes does not have
    torch.a-c::add::number[float32-0.1]       a sample with a Python number in place of a tensor

Both answers are compared as `tests/dialect_answers.py` does: dtypes, shapes, values, and the class of an error. Of what
is random, and of what is not the only right answer, dtypes and shapes are compared.
"""

from __future__ import annotations

import json
import re
import sys
import types
import unittest
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import dialect_answers
from dialect_answers import Refusal, Sample, difference
from upstream_torch import part_of

import latticework as lw
from latticework.frontends import torch as dialect

#: How many samples of a function are taken for a dtype, and how many are looked at to take them from.
TAKEN, LOOKED_AT = 6, 60
#: The dtypes of the calls: those of PyTorch that the dialect has.
DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"
).split()
#: Dtypes that PyTorch has few kernels for: where it has none, the dialect may compute, as its documentation says.
PARTIAL = {"uint16", "uint32", "uint64"}
#: Dtypes to cast samples to, where the function does not have them.
CASTS = ("bool", "int64", "float16", "bfloat16", "complex64")
#: Functions with more than one right answer, and those whose elements are not set: their dtypes and shapes count.
FREE = frozenset(
    """
    eig linalg.eig linalg.eigh linalg.svd svd linalg.qr qr empty empty_like empty_permuted empty_strided new_empty
    new_empty_strided resize_ resize_as_ linalg.lstsq
    """.split()
)
#: Random functions that set a seed of their own in PyTorch's samples.
SEEDED = frozenset(
    """
    bernoulli cauchy exponential geometric log_normal multinomial normal rand_like randint randint_like randn
    randn_like uniform nn.functional.alpha_dropout nn.functional.dropout nn.functional.dropout2d
    nn.functional.dropout3d nn.functional.feature_alpha_dropout nn.functional.rrelu
    nn.functional.multi_head_attention_forward nn.functional.scaled_dot_product_attention
    """.split()
)
#: Where a part of the name tells that it is PyTorch's own concern.
PRIVATE = re.compile(r"^_(?!_)|^torch\.ops|^jiterator|^ops\.")


#: How many dimensions NumPy's arrays have at most, through which arguments go to the dialect.
MOST_DIMENSIONS = 64
#: What an error says of a name that the dialect does not have.
NO_NAME = re.compile(r"has no such name|latticework\.frontends\.\S+ has no |'Tensor' object has no attribute")


class AbsenceError(Exception):
    """A call is about what the dialect leaves out, for a reason."""


# --- the same arguments for both ------------------------------------------------------------------------------------

_MODULES = ("", "nn.functional.", "linalg.", "fft.", "special.", "signal.windows.")


def _at(root: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        root = getattr(root, name)
    return root


def _names() -> dict[int, list[str]]:
    """The public names of PyTorch's functions, by the function."""
    found: dict[int, list[str]] = {}
    for module in _MODULES:
        for name, f in vars(_at(torch, module)).items():
            if callable(f):
                found.setdefault(id(f), []).append(module + name)
    return found


NAMES = _names()
_LAMBDAS: dict[str, dict[str, Any]] = {}


def function_of(f: Any) -> Callable[..., Any]:
    """The dialect's function for one of PyTorch's.

    Raises
    ------
    AbsenceError: the dialect has none.
    """
    if paths := NAMES.get(id(f)):
        for path in paths:
            try:
                return _at(dialect, path)  # type: ignore[no-any-return]
            except AttributeError:
                continue
        raise AbsenceError(f"the dialect has no torch.{paths[0]}")
    if isinstance(f, types.FunctionType) and f.__module__.endswith("common_methods_invocations"):
        names = _LAMBDAS.setdefault(f.__module__, {**f.__globals__, "torch": dialect, "F": dialect.nn.functional})
        return types.FunctionType(f.__code__, names, f.__name__, f.__defaults__, f.__closure__)
    owner = getattr(f, "__objclass__", None) or getattr(f, "__module__", "")
    if owner is torch.Tensor or owner == "torch._tensor" or getattr(owner, "__name__", "") == "TensorBase":
        found = getattr(dialect.Tensor, f.__name__, None)
        if found is None:
            raise AbsenceError("the dialect's tensors have no such method")
        return found  # type: ignore[no-any-return]
    raise AbsenceError("it is no public function")


def _array(x: torch.Tensor) -> np.ndarray:
    if x.layout is not torch.strided or x.is_quantized or str(x.dtype).removeprefix("torch.") not in DTYPES:
        raise AbsenceError("sparse, quantised or another dtype than the dialect has")
    if x.device.type != "cpu":
        raise AbsenceError("another device")
    if x.ndim > MOST_DIMENSIONS:
        raise AbsenceError("more dimensions than NumPy's arrays have")
    found: np.ndarray = dialect_answers.framework("torch").read(x)[0]  # type: ignore[index]
    return np.array(found)


def ours(x: Any) -> Any:
    """An argument of PyTorch's as one of the dialect's.

    Raises
    ------
    AbsenceError: the dialect has none such.
    """
    if isinstance(x, torch.Tensor):
        return dialect.dialect.wrapped(lw.asarray(_array(x)))
    if isinstance(x, torch.dtype):
        name = str(x).removeprefix("torch.")
        if name not in DTYPES:
            raise AbsenceError("another dtype than the dialect has")
        return getattr(dialect, name)
    if isinstance(x, torch.device):
        return dialect.device(str(x))
    if isinstance(x, (torch.memory_format, torch.layout)):
        try:
            return getattr(dialect, str(x).removeprefix("torch."))
        except AttributeError:
            raise AbsenceError("another layout") from None
    if isinstance(x, torch.Generator):
        raise AbsenceError("a generator of PyTorch's numbers")
    if isinstance(x, torch.Size):
        return dialect.Size([*x])
    if isinstance(x, slice):
        return slice(ours(x.start), ours(x.stop), ours(x.step))
    if isinstance(x, (list, tuple)):
        return type(x)([ours(v) for v in x])
    if isinstance(x, dict):
        return {k: ours(v) for k, v in x.items()}
    return function_of(x) if callable(x) and not isinstance(x, type) else x


def theirs(x: Any) -> Any:
    """A copy of an argument, whose tensors a call may write into."""
    if isinstance(x, torch.Tensor):
        return x.detach().clone()
    if isinstance(x, (list, tuple)) and not isinstance(x, torch.Size):
        return type(x)([theirs(v) for v in x])
    return {k: theirs(v) for k, v in x.items()} if isinstance(x, dict) else x


# --- a call ---------------------------------------------------------------------------------------------------------


class Call(NamedTuple):
    """One call: its name, PyTorch's function, the dialect's where that is found, and PyTorch's arguments."""

    name: str
    theirs: Callable[..., Any]
    ours: Callable[[], Callable[..., Any]]
    args: tuple[Any, ...]
    kw: dict[str, Any]
    free: bool = False


def answer(f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any], read: Callable[[Any], Any]) -> Any:
    """What a call gives, or how it refuses."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = f(*args, **kw)
    except Exception as error:
        return dialect_answers._refusal(error)
    return dialect_answers._read(found, read)


def outcome(call: Call, backend: str) -> tuple[str, str]:
    """The outcome of a call, as `upstream.Report` calls it, and why."""
    real = dialect_answers.framework("torch")
    dtype = call.name.partition("[")[2].partition("-")[0]
    try:
        f = call.ours()
        args, kw = ours(call.args), ours(call.kw)
        torch.manual_seed(0)
        try:
            expected = answer(call.theirs, theirs(call.args), theirs(call.kw), real.read)
        except Exception:
            raise AbsenceError("PyTorch answers with what is no array of the dialect's") from None
        if isinstance(expected, Refusal):
            if expected.classes[0] == "NotImplementedError" and dtype in PARTIAL:
                raise AbsenceError("PyTorch has no kernel for an unsigned dtype")
            if "requires_grad" in expected.text or "expecttest" in expected.text:
                raise AbsenceError("gradients that are recorded")
    except AbsenceError as why:
        return "out", str(why)
    found = answer(f, args, kw, dialect_answers._read_ours)
    if isinstance(found, Refusal) and "AttributeError" in found.classes and NO_NAME.search(found.text):
        return "out", "the dialect has no such name"
    if isinstance(found, Refusal) and found.by_backend and backend != "numpy":
        return "skipped", "the backend has no kernel"
    told = difference(found, expected, Sample("", (), False, None, call.free))
    return ("failed", told[:300]) if told else ("passed", "")


# --- the calls of a function ----------------------------------------------------------------------------------------


def _spread(found: Iterator[Any]) -> list[Any]:
    """Some of the samples, over all that there are."""
    looked_at = [x for x, _ in zip(found, range(LOOKED_AT), strict=False)]
    steps = range(min(TAKEN, len(looked_at)))
    return [looked_at[i * (len(looked_at) - 1) // max(TAKEN - 1, 1)] for i in steps]


def _samples(op: Any, dtype: str) -> list[Any]:
    torch.manual_seed(zlib.crc32(f"{op.name} {dtype}".encode()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _spread(op.sample_inputs("cpu", getattr(torch, dtype)))


def is_random(op: Any, samples: list[Any]) -> bool:
    """Whether a function answers otherwise after another seed."""
    read = dialect_answers.framework("torch").read
    for s in samples:
        found = []
        for seed in range(3):
            torch.manual_seed(seed)
            try:
                found.append(answer(op.op, theirs((s.input, *s.args)), theirs(s.kwargs), read))
            except Exception:
                return False
        if any(difference(x, found[0], Sample("", (), False, None, False)) for x in found):
            return True
    return False


def _cast(x: Any, dtype: torch.dtype, like: torch.dtype) -> Any:
    if isinstance(x, torch.Tensor):
        return x.to(dtype) if x.dtype is like and x.layout is torch.strided else x
    if isinstance(x, (list, tuple)) and not isinstance(x, torch.Size):
        return type(x)([_cast(v, dtype, like) for v in x])
    return {k: _cast(v, dtype, like) for k, v in x.items()} if isinstance(x, dict) else x


def _method(f: Any) -> Callable[[], Callable[..., Any]]:
    return lambda: function_of(f)


def calls(op: Any, part: str) -> Iterator[Call]:
    """The calls of a function."""
    start = f"{part}::{op.name}{op.variant_test_name and '/' + op.variant_test_name}::"
    supported = [d for d in DTYPES if getattr(torch, d) in op.supported_dtypes("cpu")]
    forms = {"function": op.op, "method": op.get_method(), "in_place": op.get_inplace()}
    of_dtype = {dtype: _samples(op, dtype) for dtype in supported}
    usual = "float32" if "float32" in supported else supported[-1] if supported else ""
    free = op.name in FREE | SEEDED or any(is_random(op, of_dtype[d]) for d in {usual, "float64"} & {*supported})
    for dtype, samples in of_dtype.items():
        for k, s in enumerate(samples):
            for form, f in forms.items():
                if f is not None:
                    args = (s.input, *s.args)
                    yield Call(f"{start}{form}[{dtype}-{k}]", f, _method(f), args, s.kwargs, free)
    for k, s in enumerate(_refused(op, usual)):
        yield Call(f"{start}refused[{usual}-{k}]", op.op, _method(op.op), (s.input, *s.args), s.kwargs, free)
    if not usual:
        return
    for dtype in [d for d in CASTS if d not in supported]:
        for k, s in enumerate(of_dtype[usual][:2]):
            args, kw = (_cast(x, getattr(torch, dtype), getattr(torch, usual)) for x in ((s.input, *s.args), s.kwargs))
            yield Call(f"{start}cast[{dtype}-{k}]", op.op, _method(op.op), args, kw, free)
    for s in of_dtype[usual][:1]:
        args = (s.input, *s.args)
        for at, x in enumerate(args):
            if isinstance(x, torch.Tensor):
                numbers = (*args[:at], 2.0 if x.is_floating_point() else 1, *args[at + 1 :])
                yield Call(f"{start}number[{usual}-{at}]", op.op, _method(op.op), numbers, s.kwargs, free)
        if sum(isinstance(x, torch.Tensor) for x in args) > 1:
            numbers = tuple([2.0 if isinstance(x, torch.Tensor) else x for x in args])
            yield Call(f"{start}number[{usual}-all]", op.op, _method(op.op), numbers, s.kwargs, free)


def _refused(op: Any, dtype: str) -> list[Any]:
    """Arguments that PyTorch refuses."""
    if op.error_inputs_func is None:
        return []
    torch.manual_seed(0)
    try:
        return [e.sample_input for e, _ in zip(op.error_inputs("cpu"), range(40), strict=False)]
    except Exception:
        return []


# --- the run --------------------------------------------------------------------------------------------------------


def database() -> list[Any]:
    """PyTorch's functions with their samples."""
    if "expecttest" not in sys.modules:
        try:
            import expecttest  # noqa: F401
        except ImportError:  # PyTorch's module takes a class from it to inherit, which no sample needs
            sys.modules["expecttest"] = stand_in = types.ModuleType("expecttest")
            stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return [op for op in op_db if not PRIVATE.match(op.name)]


def main(part: str, backend: str, path: str) -> int:
    """Make the calls of a part, and write the report."""
    report: dict[str, Any] = {"passed": [], "failed": {}, "out": {}, "skipped": []}
    ops = [op for op in database() if part_of(op.name) == part]
    with lw.using(backend=backend):
        for done, op in enumerate(ops):
            for call in calls(op, part):
                kind, why = outcome(call, backend)
                if isinstance(report[kind], list):
                    report[kind].append(call.name)
                else:
                    report[kind][call.name] = why
            print(f"{op.name} [{100 * (done + 1) // len(ops)}%]", flush=True)
    Path(path).write_text(json.dumps(report), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
