"""The most used functions and methods on small arrays, each beside its namesake in NumPy and PyTorch, the worst first.

    python benchmarks/namesakes.py                      both frameworks
    python benchmarks/namesakes.py --backend torch --above 2 --calls sum

It shows where a call costs several times what its namesake does. `overhead.py` has the figures of the README, and how
the times are taken.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Iterator

import numpy as np
import overhead

import latticework as lw

#: What is called alike in all namespaces: x, y and z are vectors of floats, m a matrix, i of ints, p of positions, c of
#: bools.
ALIKE = """
abs(x); exp(x); sqrt(x); sin(x); cos(x); tanh(x); log(x); floor(x); sign(x); square(x); isnan(x); isfinite(x)
add(x, y); multiply(x, 2.0); divide(x, y); maximum(x, y); minimum(x, y); greater(x, y); equal(x, y); remainder(x, y)
logical_and(c, c); logical_not(c); where(c, x, y); matmul(m, m); tensordot(m, m); arange(5); arange(0.0, 1.0, 0.25)
linspace(0.0, 1.0, 5); zeros(4); ones(4); empty(4); eye(3); zeros_like(x); ones_like(x); full_like(x, 1.5)
tril(m); diff(x); nonzero(x); roll(x, 1); sort(x); argsort(x); moveaxis(m, 0, 1); broadcast_to(x, (2, 4))
meshgrid(x, x); reshape(x, (2, 2)); squeeze(n, 0); stack([x, y]); tile(x, (2,)); allclose(x, y); isclose(x, y)
linalg.inv(m); linalg.det(m); linalg.solve(m, m); linalg.vector_norm(x); linalg.cholesky(m); linalg.eigh(m)
linalg.qr(m); linalg.svd(m); fft.fft(x); fft.rfft(x)
x.sum(); x.mean(); x.min(); x.max(); x.prod(); x.any(); x.all(); x.std(); x.argmax(); x.reshape(2, 2); x.cumsum(0)
x.ravel(); m.T; m.mT; x.flatten(); x.tolist(); x.squeeze(); m.swapaxes(0, 1); x.shape; x.ndim; x.dtype; len(x)
m.sum(0); m.mean(1); x.clip(0.0, 1.0); m.diagonal(); x.argsort(); x.nonzero()
x + y; x * 2.0; x - 1; 1 / x; x**2; -x; x == y; x < 1.0; x // 2; x % 2; m @ m; ~c; c & c
x[0]; x[1:3]; m[0, 1]; m[:, 0]; x[c]; x[p]; x[None]; float(x[0]); bool(x[0] > 1); x[0] * 2; list(x)
"""
#: What is called otherwise: ours, NumPy's and PyTorch's.
OTHERWISE = """
sum(x) | sum(x) | sum(x)
sum(m, axis=0) | sum(m, axis=0) | sum(m, 0)
mean(x) | mean(x) | mean(x)
max(x) | max(x) | amax(x)
std(x) | std(x) | std(x, correction=0)
argmax(x) | argmax(x) | argmax(x)
any(c) | any(c) | any(c)
prod(x) | prod(x) | prod(x)
cumulative_sum(x) | cumsum(x) | cumsum(x, 0)
concat([x, y]) | concatenate([x, y]) | cat([x, y])
permute_dims(m, (1, 0)) | transpose(m, (1, 0)) | permute(m, (1, 0))
expand_dims(x, 0) | expand_dims(x, 0) | unsqueeze(x, 0)
flip(x) | flip(x) | flip(x, (0,))
take(x, p) | take(x, p) | index_select(x, 0, p)
take_along_axis(x, p, axis=0) | take_along_axis(x, p, axis=0) | take_along_dim(x, p, dim=0)
clip(x, 0.0, 1.0) | clip(x, 0.0, 1.0) | clip(x, 0.0, 1.0)
full(4, 1.5) | full(4, 1.5) | full((4,), 1.5)
pad(x, 1) | pad(x, 1) | nn.functional.pad(x, (1, 1))
repeat(x, 2) | repeat(x, 2) | repeat_interleave(x, 2)
unique_values(i) | unique(i) | unique(i)
searchsorted(x, y) | searchsorted(x, y) | searchsorted(x, y)
isin(i, i) | isin(i, i) | isin(i, i)
count_nonzero(x) | count_nonzero(x) | count_nonzero(x)
linalg.outer(x, y) | outer(x, y) | outer(x, y)
vecdot(x, y) | vecdot(x, y) | linalg.vecdot(x, y)
einsum('ij,jk', m, m) | einsum('ij,jk', m, m) | einsum('ij,jk', m, m)
asarray([1.0, 2.0]) | asarray([1.0, 2.0]) | asarray([1.0, 2.0])
asarray(1.0) | asarray(1.0) | asarray(1.0)
asarray(x) | asarray(x) | asarray(x)
astype(x, lw.float64) | astype(x, np.float64) | Tensor.to(x, torch.float64)
atan2(x, y) | arctan2(x, y) | atan2(x, y)
x.astype(lw.float64) | x.astype(np.float64) | x.to(torch.float64)
x.copy() | x.copy() | x.clone()
x.transpose() | x.transpose() | x.t()
x[0].item() | x[0].item() | x[0].item()
x.take(p) | x.take(p) | x.take(p)
x.repeat(2) | x.repeat(2) | x.repeat_interleave(2)
x.round() | x.round() | x.round()
x.dot(y) | x.dot(y) | x.dot(y)
x.__setitem__(0, 1.5) | x.__setitem__(0, 1.5) | x.__setitem__(0, 1.5)
m.__setitem__((0, 1), 1.5) | m.__setitem__((0, 1), 1.5) | m.__setitem__((0, 1), 1.5)
z.__setitem__(slice(1, 3), z[:2]) | z.__setitem__(slice(1, 3), z[:2]) | z.__setitem__(slice(1, 3), z[:2])
z.__setitem__(c, 0.0) | z.__setitem__(c, 0.0) | z.__setitem__(c, 0.0)
z.__iadd__(y) | z.__iadd__(y) | z.__iadd__(y)
z.__imul__(1.0) | z.__imul__(1.0) | z.__imul__(1.0)
"""
MODULES = {"numpy": ("np", "numpy"), "torch": ("torch", "torch")}


def calls(backend: str) -> Iterator[tuple[str, str]]:
    """Pairs of a statement of the framework's and one of ours."""
    prefix = MODULES[backend][0]
    for statement in ALIKE.replace("\n", ";").split(";"):
        if statement := statement.strip():
            yield statement, statement
    for row in OTHERWISE.strip().splitlines():
        ours, numpys, torchs = (s.strip() for s in row.split("|"))
        yield (numpys if prefix == "np" else torchs), ours


def of_function(statement: str, module: str) -> str:
    """A statement with its module in front, where it is the call of a function: not of a method, nor an operator."""
    name = statement.partition("(")[0]
    plain = statement.endswith(")") and name.replace(".", "").replace("_", "").isalnum()
    method = name.partition(".")[0] in NAMES or name in ("len", "float", "bool", "list")
    return f"{module}.{statement}" if plain and not method else statement


NAMES = ("x", "y", "z", "m", "n", "i", "p", "c")


def operands() -> dict[str, lw.Array]:
    """Our arrays by the names that the statements use."""
    return {
        "x": lw.asarray([1.0, 2.0, 3.0, 4.0]), "y": lw.asarray([5.0, 2.0, 3.0, 4.0]),
        "z": lw.asarray([1.0, 2.0, 3.0, 4.0]), "m": lw.asarray([[2.0, 1.0], [1.0, 3.0]]),
        "n": lw.asarray([[1.0, 2.0]]), "i": lw.asarray([1, 2, 0, 2]), "p": lw.asarray([1, 2, 0, 3], dtype=lw.int64),
        "c": lw.asarray([True, False, True, True]),
    }  # fmt: skip


def cases(backend: str, wanted: str) -> Iterator[overhead.Case]:
    """Every case of a backend, which has to be the current one, that both sides have."""
    prefix, module = MODULES[backend]
    arrays = operands()
    common = {"lw": lw, "np": np, prefix: importlib.import_module(module)}
    given = {**common, **{name: x.data for name, x in arrays.items()}}
    renamed = {**common, **{f"{name}_": x for name, x in arrays.items()}}
    for native, ours in calls(backend):
        if wanted not in ours:
            continue
        native = of_function(native, prefix)
        mine = with_our_names(of_function(ours, "lw"))
        try:
            eval(native, given)
        except (AttributeError, RuntimeError, TypeError):
            continue  # the framework has no such function
        eval(mine, renamed)
        yield overhead.Case(ours, "", native, mine, {**given, **renamed})


def with_our_names(statement: str) -> str:
    """A statement on our arrays, which are called x_ and so on."""
    return re.sub(rf"(?<![\w.'])({'|'.join(NAMES)})(?![\w(='])", r"\1_", statement)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", nargs="+", default=[*MODULES], choices=[*MODULES])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--calls", default="", help="only the calls whose text contains this")
    parser.add_argument("--above", type=float, default=0.0, help="only ratios above this")
    options = parser.parse_args(arguments)
    for backend in options.backend:
        if backend == "torch":
            __import__(backend).set_num_threads(1)
        with lw.using(backend=backend):
            found = [(overhead.measure(case, options.rounds), case) for case in cases(backend, options.calls)]
        for timing, case in sorted(found, key=lambda row: -row[0].ratio):
            if timing.ratio > options.above:
                print(overhead.line(backend, case, timing))


if __name__ == "__main__":
    main(sys.argv[1:])
