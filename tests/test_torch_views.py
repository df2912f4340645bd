"""Writes to views in PyTorch's dialect: the same programs run on both, with the values and gradients of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework.frontends.torch as ours
from latticework.engine.arrays.views import family_of

real = pytest.importorskip("torch")


def leaf(torch: Any) -> Any:
    return torch.arange(1.0, 7.0).reshape(2, 3).clone().requires_grad_()


def plain_views(torch: Any) -> Any:
    x = torch.zeros(2, 3)
    row, flat, turned, inner = x[0], x.view(-1), x.t(), x[0][1:]
    row.fill_(1)
    flat.add_(1)
    turned[1] = 5
    inner += 2
    x[1, 0] = 7
    torch.add(row, 1, out=row)
    return [x, row, flat, turned, inner]


def views_of_views_that_are_gone(torch: Any) -> Any:
    x = torch.zeros(2, 2, 2)
    x.permute(2, 0, 1).unbind(0)[1].fill_(4)
    x.view(4, 2).t()[0].chunk(2)[1].add_(1)
    x.narrow(0, 1, 1).select(-1, 0).unsqueeze(0).squeeze().mul_(3)
    x[0].diagonal().sub_(2)
    return [x]


def copies_are_no_views(torch: Any) -> Any:
    x = torch.arange(6.0).reshape(2, 3)
    for copied in (x.t().reshape(-1), x.flip(0), x[[0]], x * 1):
        copied.zero_()
    part = x.t().reshape(-1)[:2]
    part.fill_(9)
    return [x, part]


def weights_without_recording(torch: Any) -> Any:
    w = leaf(torch)
    torch.nn.init.constant_(w[:, :1], 0.5)
    w.data[0] = 5
    w.data[0][1].fill_(6)
    w.detach().view(-1)[5] = 8
    with torch.no_grad():
        w[1].mul_(2)
        w[:, 2].copy_(torch.ones(2))
    (w * w).sum().backward()
    return [w, w.grad]


def a_parameter_of_a_tensor(torch: Any) -> Any:
    x = torch.zeros(3)
    p = torch.nn.Parameter(x)
    with torch.no_grad():
        p[0].fill_(2)
    x[1] = 3
    (p * p).sum().backward()
    return [x, p, p.grad]


def recorded_views(torch: Any) -> Any:
    w = leaf(torch)
    y = w * 2
    row, turned, left, right = y[0], y.t(), y[:, :1], y[:, 1:]
    row.mul_(3)
    turned[2] = w[:, 0] * 5
    left.mul_(left.detach().clone())
    right.unsqueeze(0).transpose(0, 1)[1, 0, 1:].zero_()
    y.add_(1)
    (row.sum() + turned.sum() + (left * 2).sum()).backward()
    return [y, row, turned, left, right, w.grad]


def a_recorded_value_in_a_plain_view(torch: Any) -> Any:
    w, x = leaf(torch), torch.zeros(3, 3)
    x[:2].t().copy_(w.t() * 2)
    x[0].add_(x[1].clone())
    (x * x).sum().backward()
    return [x, w.grad]


def detached_tensors_see_writes(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    d, e, seen = y.detach(), y.data, []

    def note(y: Any) -> None:
        seen.extend([t.detach().clone() for t in (y, d, e, d.detach())])

    for write in (
        lambda y: y.mul_(3), lambda y: y[0].copy_(x[1] * 5), lambda _: d.add_(1), lambda y: y.add_(x),
        lambda _: e[1].fill_(7),
    ):  # fmt: skip
        write(y)
        note(y)
    with torch.no_grad():
        y.sub_(2)
    note(y)
    y.sum().backward()
    y.detach_()
    y.add_(1)
    note(y)
    del y
    d.add_(1)
    return [*seen, d, x.grad]


def a_write_that_reads_the_view(torch: Any) -> Any:
    w = leaf(torch)
    y = w * 1
    y[0].mul_(y.sum())
    y[:, 1].pow_(2)
    y.clamp_(max=300)
    y.sum().backward()
    return [y, w.grad]


PROGRAMS = [
    plain_views, views_of_views_that_are_gone, copies_are_no_views, weights_without_recording, a_parameter_of_a_tensor,
    recorded_views, a_recorded_value_in_a_plain_view, detached_tensors_see_writes, a_write_that_reads_the_view,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_writes_to_views_are_those_of_pytorch(backend: str, program: Callable[[Any], Any]) -> None:
    if program is a_recorded_value_in_a_plain_view and backend == "numpy":
        with pytest.raises(RuntimeError, match="Write to that tensor itself"):
            program(ours)
        return
    for found, expected in zip(program(ours), program(real), strict=True):
        np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), 1e-5)


def test_a_view_of_a_leaf_is_refused_where_calls_are_recorded(backend: str) -> None:
    w = leaf(ours)
    row = w[0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        row.zero_()
    assert w.tolist() == [[1, 2, 3], [4, 5, 6]] and row.tolist() == [1, 2, 3]


def test_elements_that_are_one_are_not_written_to(backend: str) -> None:
    x = ours.zeros(1, 3) if backend in ("jax", "tensorflow") else ours.zeros(1, 3, requires_grad=True) * 1
    with pytest.raises(RuntimeError):
        x.expand(2, 3).add_(1)


def test_views_that_are_gone_are_forgotten(backend: str) -> None:
    x = ours.zeros(3, requires_grad=True)
    for _ in range(100):
        x[0]
    assert backend == "torch" or len(family_of(x._array)._members) < 20


def test_contiguous_copies_where_the_elements_do_not_follow_each_other(backend: str) -> None:
    def program(torch: Any) -> list[Any]:
        x = torch.arange(6.0).reshape(2, 3)
        transposed, expanded = x.t().contiguous(), torch.ones(1, 3).expand(2, 3).contiguous()
        column, row, itself = x[:, 1].contiguous(), x[1:].contiguous(), x.contiguous()
        transposed[0, 0], expanded[:, 1:], column[0], row[0, 0] = 9, 0, -1, -2
        itself[0, 2] = 7
        weight = torch.ones(3, requires_grad=True)
        recorded = weight.unsqueeze(0).expand(2, 3).contiguous()
        recorded[:, 0] = 0
        recorded.sum().backward()
        return [t.tolist() for t in (x, transposed, expanded, column, row, weight.grad)]

    expected = program(pytest.importorskip("torch"))
    for _ in range(4):  # calls are remembered from the second on
        assert program(ours) == expected
