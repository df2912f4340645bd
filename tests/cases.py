"""The cases that tests go through: canonical shapes, and the rule that says which of them meets which dtype.

On NumPy, PyTorch and TensorFlow the first case of a test meets each dtype, and each other case a third of them, in
turns (`in_turn`). JAX compiles a kernel for every dtype and shape, and Dask builds a graph for every call. There

* the first case of a test meets each dtype for which the backend has code of its own, and of the framework's own
  functions one dtype of each kind;
* each other case meets one of these dtypes, drawn at random with a fixed seed;
* of a test that has many cases as parameters, one of nine runs; on Dask one of six, on TensorFlow one of five
  (`conftest.ONE_OF`). Of the other tests, JAX runs a fourth each day and the two a third (`conftest.EACH_DAY`).

That all the dtypes resolve, and to which result, is read off the plans (`test_every_function_resolves`), for which
nothing is compiled. Of many options JAX compiles a few, drawn with a fixed seed (`sampled`), tests that look at
dtypes alone run inside its tracer (`staged`), and a test that looks at values at its end alone is compiled as one
program (`support.in_one_program`). Tests that go through products of functions, rules and dtypes take a part of
each product, which is the same in each run and another one for each function (`in_turn`). With
LATTICEWORK_TEST_EXHAUSTIVE=1, as ``make sweep`` has it, each case meets each dtype.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any
from zlib import crc32

import pytest

import latticework as lw
from latticework.backend import get
from latticework.backend.facts import all_facts
from latticework.core.registry import OPS

#: Backends that compile a kernel for each dtype and each shape.
COMPILING = [name for name, facts in all_facts().items() if facts.compiles]
#: Backends on which each dtype and each shape costs milliseconds, whatever the number of elements.
COSTLY = [name for name, facts in all_facts().items() if facts.compiles or facts.lazy]
#: Whether every case meets every dtype on those too.
EXHAUSTIVE = bool(os.environ.get("LATTICEWORK_TEST_EXHAUSTIVE"))

#: The shape for values of elementwise functions: the extremes with each other, and random values in the rest.
LINE = (256,)
#: Of each kind, the dtype that stands for it; floats of 16 bits are a kind, which few frameworks compute by themselves.
USUAL = (lw.bool, lw.int32, lw.uint8, lw.bfloat16, lw.float32, lw.complex64)


def few() -> bool:
    """Whether the rule for costly backends holds now."""
    return not EXHAUSTIVE and lw.current_backend() in COSTLY


class Shapes(list[Any]):
    """Shapes, or pairs of them: all, or the first few on a backend that compiles for every shape."""

    def __init__(self, few: list[Any], more: list[Any]) -> None:
        super().__init__([*few, *more])
        self.few, self.more = few, more

    def __iter__(self) -> Iterator[Any]:
        return iter(self.few) if few() and lw.current_backend() in COMPILING else super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        return [*self][key] if isinstance(key, slice) else super().__getitem__(key)


#: The canonical shapes. The first is the one that meets each dtype, so it has elements.
SHAPES = Shapes([(3, 4), (0,), ()], [(1,), (4,), (2, 0, 3), (2, 3, 4), (1, 5)])
#: Those with axes.
WITH_AXES = Shapes([(3, 4), (0,)], [(1,), (4,), (2, 0, 3), (2, 3, 4), (1, 5)])
#: Shapes that broadcast together, in pairs.
PAIRS = Shapes(
    [((3, 1), (1, 4)), ((2, 3, 4), ()), ((1, 0), (3, 1))], [((), ()), ((4,), (4,)), ((3, 4), (4,)), ((0,), (1,))]
)


# --- which dtypes ------------------------------------------------------------------------------------------------


@cache
def own_code(backend: str, function: str, dtype: lw.Dtype) -> bool:
    """Whether a backend has code of its own for a function in a dtype: an exact way around what its framework lacks,
    or a function written for it. Where one factory writes many, as Dask's of blocks, they are NumPy's functions."""
    chosen = get(backend)
    for name in implemented_as(function):
        if (name, dtype) in chosen.emulated:
            return True
        body: Any = chosen.function(name)
        if str(getattr(body, "__module__", "")).startswith("latticework.") and code_of(body) not in factories(backend):
            return True
    return False


@cache
def implemented_as(function: str) -> tuple[str, ...]:
    """The functions of backends behind a public one: ``clip`` is their ``_clip``."""
    chapter, dot, last = function.rpartition(".")
    return tuple(n for n in (function, f"{chapter}{dot}_{last}") if n in OPS)


@cache
def factories(backend: str) -> frozenset[Any]:
    """The code that several functions of a backend share."""
    chosen = get(backend)
    bodies: list[Any] = [chosen.function(name) for name in OPS]
    shared = Counter(code_of(body) for body in bodies if body is not None)
    return frozenset(code for code, count in shared.items() if code is not None and count > 1)


def code_of(body: Callable[..., Any]) -> Any:
    return getattr(body, "__code__", None)


def examples(count: int) -> int:
    """How many examples of so many hypothesis tries in an ordinary run: a sweep tries all, and others each time."""
    return count if EXHAUSTIVE else max(count // 3, min(count, 10))


def dtypes_in(kind: Any) -> list[lw.Dtype]:
    """The dtypes of what a case meets: one, or a tuple of them and other options."""
    return [d for d in (kind if isinstance(kind, tuple) else (kind,)) if isinstance(d, lw.Dtype)]


def one_of_each_kind(kinds: Sequence[Any]) -> list[Any]:
    """One dtype of each kind, the usual one where it is there; of tuples one for each combination of kinds."""

    def kind(k: Any) -> str:
        return " ".join(f"{d.kind}{16 * (d.kind == 'f' and d.bits == 16)}" for d in dtypes_in(k))

    def unusual(k: Any) -> bool:
        return not all(d in USUAL for d in dtypes_in(k))

    return [min(group, key=unusual) for _, group in groupby(sorted(kinds, key=kind), kind)]


def due(kinds: Iterable[Any], *functions: str) -> list[Any]:
    """The dtypes that a test of these functions goes through: see the rule above."""
    kinds = [*kinds]
    if not few():
        return kinds
    backend, usual = lw.current_backend(), one_of_each_kind(kinds)
    return [k for k in kinds if k in usual or any(own_code(backend, f, d) for f in functions for d in dtypes_in(k))]


def crossed(
    items: Iterable[Any], kinds: Iterable[Any], *functions: str, first: bool = True
) -> Iterator[tuple[Any, Any]]:
    """Every case with the dtypes that it meets, in a test of these functions: see the rule above. `first` says whether
    the test's first case is among them."""
    kinds = due(kinds, *functions)
    items = [*items]
    dice = random.Random(repr((functions, len(items))))
    for i, item in enumerate(items):
        whole = EXHAUSTIVE or (first and not i)
        for dtype in kinds if whole else [dice.choice(kinds)] if few() else in_turn(kinds, 3, functions, i):
            yield item, dtype


def in_turn(cases: Iterable[Any], of: int, *seed: Any) -> list[Any]:
    """One of so many cases, of half as many on costly backends, and all of them in a sweep. Which is the first depends
    on the seed alone: with the name of a function or a backend in it, each of them meets others."""
    cases = [*cases]
    step = 1 if EXHAUSTIVE else max(min(of * (1 + few()), len(cases)), 1)
    return cases[crc32(repr(seed).encode()) % step :: step]


def for_dtype(dtype: lw.Dtype, items: Iterable[Any], kinds: Iterable[Any], *functions: str) -> list[Any]:
    """The cases that meet this dtype, for a test that has it as a parameter."""
    kinds = [*kinds]
    if dtype not in due(kinds, *functions):
        pytest.skip(f"the framework's own function; {dtype} is of a kind that another dtype stands for")
    return [item for item, d in crossed(items, kinds, *functions) if d is dtype]


def for_case(case: Any, items: Iterable[Any], kinds: Iterable[Any], *functions: str) -> list[Any]:
    """The dtypes that this case meets, for a test that has it as a parameter."""
    return [dtype for item, dtype in crossed(items, kinds, *functions) if item == case]


def sampled(options: Sequence[Any], count: int, *seed: Any) -> Sequence[Any]:
    """All the options; on a backend that compiles for each so many of them, drawn with this seed."""
    if EXHAUSTIVE or lw.current_backend() not in COMPILING or len(options) <= count:
        return options
    return random.Random(repr(seed)).sample(options, count)


def staged(test: Callable[[], None]) -> None:
    """Run a test that looks at dtypes and shapes alone: on JAX its functions are traced there, and none is compiled."""
    if EXHAUSTIVE or lw.current_backend() != "jax":
        test()
        return
    import jax

    jax.eval_shape(test)


def drawn(options: Sequence[Any], *seed: Any) -> Sequence[Any]:
    """All the values of an option; on costly backends one of them, drawn with this seed."""
    return [random.Random(repr(seed)).choice(options)] if options and few() else options
