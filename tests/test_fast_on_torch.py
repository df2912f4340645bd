"""`fast=True` on PyTorch: one call for two or three where that changes last bits alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import latticework as lw
from latticework.tracing.passes.contracting import contracted

SHORTER: dict[str, tuple[str, Callable[..., Any]]] = {
    "a product": ("torch.addcmul(z, x, y)", lambda x, y, z: z + x * y),
    "a product first": ("torch.addcmul(z, x, y)", lambda x, y, z: x * y + z),
    "less a product": ("torch.addcmul(z, x, y, value=-1)", lambda x, y, z: z - x * y),
    "a quotient": ("torch.addcdiv(z, x, y)", lambda x, y, z: z + x / y),
    "less a quotient": ("torch.addcdiv(z, x, y, value=-1)", lambda x, y, z: z - x / y),
    "a multiple": ("torch.add(z, x, alpha=2.5)", lambda x, y, z: 2.5 * x + z),
    "less a multiple": ("torch.sub(z, x, alpha=2.5)", lambda x, y, z: z - x * 2.5),
    "a product of matrices": ("torch.addmm(z, x, y)", lambda x, y, z: x @ y + z),
    "one of stacks": ("torch.baddbmm", lambda x, y, z: lw.stack([x, z]) @ lw.stack([y, x]) + z),
    "an inverse root": ("torch.rsqrt(x)", lambda x, y, z: 1 / lw.sqrt(x) * z),
    "a logarithm": ("torch.logaddexp(x, y)", lambda x, y, z: lw.log(lw.exp(x) + lw.exp(y)) * z),
}


def same_graph(f: Callable[..., Any], *arrays: lw.Array) -> bool:
    graph = lw.trace(f, *arrays)
    return graph.faster().body.text == graph.body.text


def written(x: lw.Array, y: lw.Array, z: lw.Array) -> lw.Array:
    x = x.copy()
    product = x * y
    x += 1
    return z + product * x


def used_twice(x: lw.Array, y: lw.Array, z: lw.Array) -> list[lw.Array]:
    product = x * y
    return [product + z, product]


def test_one_call_stands_for_several(backend: str) -> None:
    if backend != "torch":
        pytest.skip("what PyTorch has calls for")
    x, y, z = (lw.asarray([[0.5, 1.25], [2.0, 3.5]]) * n for n in (1, 3, 7))
    for name, (call, f) in SHORTER.items():
        graph = lw.trace(f, x, y, z).faster()
        assert call in graph.source, (name, graph.source)
        assert "# fast: " in graph.source
        assert len(contracted(graph.block).nodes) < len(graph.nodes)
        assert lw.all(lw.abs(graph(x, y, z) - f(x, y, z)) <= 1e-6 * lw.abs(f(x, y, z))), name
        halves = [lw.astype(a, lw.float16) for a in (x, y, z)]
        assert same_graph(f, *halves), name
    one = lw.compile(SHORTER["a product"][1], fast=True)
    assert lw.all(one(x, y[:1], z[0]) == z[0] + x * y[:1])


def test_what_would_change_more_than_last_bits_stays(backend: str) -> None:
    if backend != "torch":
        pytest.skip("what PyTorch has calls for")
    x, y, z = (lw.asarray([[1, 2], [3, 4]], dtype=lw.float32) * n for n in (1, 3, 7))
    assert same_graph(lambda x, y, z: z + x * y, *[lw.astype(a, lw.int32) for a in (x, y, z)])
    assert same_graph(used_twice, x, y, z)
    assert same_graph(written, x, y, z)
    assert same_graph(lambda x, y, z: x[0] @ y[0] + z, x, y, z)
    assert same_graph(lambda x, y, z: x * y + 1, x, y, z)
