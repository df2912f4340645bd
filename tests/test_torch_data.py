"""`torch.utils.data` and `torch.utils.checkpoint` in PyTorch's dialect, beside PyTorch's own."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.torch as torch

real = pytest.importorskip("torch")
BOTH = (real, torch)


class Squares:
    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int) -> int:
        if i >= self.count:
            raise IndexError(i)
        return i * i


class Pair(NamedTuple):
    a: Any
    b: Any


def shared(m: Any, count: int) -> Any:
    """An iterable dataset that workers share."""

    class Shared(m.utils.data.IterableDataset):
        def __iter__(self) -> Any:
            info = m.utils.data.get_worker_info()
            return iter(range(count) if info is None else range(info.id, count, info.num_workers))

        def __len__(self) -> int:
            return count

    return Shared()


def plain(x: Any) -> Any:
    """What both PyTorch and the dialect say of a batch."""
    if hasattr(x, "detach"):
        return str(x.dtype), x.tolist()
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [type(x).__name__, *map(plain, x)] if isinstance(x, (list, tuple)) else x


def answer(f: Any, m: Any) -> Any:
    try:
        return plain(f(m, m.utils.data))
    except Exception as error:
        return type(error).__name__


#: Expressions of ``u``, the module, and ``m``.
TEXTS = [
    "[*u.DataLoader(Squares(7), batch_size=3)]", "[*u.DataLoader(Squares(7), batch_size=3, drop_last=True)]",
    "[*u.DataLoader(Squares(3), batch_size=None)]", "[*u.DataLoader(shared(m, 5), batch_size=2)]",
    "[*u.DataLoader(Squares(7), batch_sampler=[[0, 3], [1]])]", "[*u.DataLoader(Squares(7), sampler=[3, 1])]",
    "len(u.DataLoader(Squares(7), batch_size=3)), len(u.DataLoader(shared(m, 5), batch_size=2, drop_last=True))",
    "[*u.DataLoader(u.TensorDataset(m.arange(3), m.ones(3, 2)), batch_size=2)]",
    "[*u.DataLoader([{'a': i, 'b': [float(i), str(i)]} for i in range(3)], batch_size=2)]",
    "[*u.DataLoader([Pair(np.float32(i), (i, b'x')) for i in range(3)], batch_size=2)]",
    "[*u.DataLoader([np.arange(2) + i for i in range(3)], batch_size=None)]",
    "u.DataLoader(Squares(3), shuffle=True, sampler=[1])", "u.DataLoader(Squares(3), batch_size=0)",
    "u.DataLoader(Squares(3), prefetch_factor=2)", "u.DataLoader(shared(m, 3), shuffle=True)",
    "u.default_collate([1, 2]), u.default_collate([1.0, 2.0]), u.default_collate(['a']), u.default_collate([True])",
    "u.default_collate([[1, 2], [3]])", "u.default_collate([None])", "u.default_collate([m.ones(1), m.ones(2)])",
    "u.default_convert((1, np.arange(2))), u.default_convert({'a': np.float64(1), 'b': 'x'})",
    "(lambda c: [c[0], c[3], c[-1], len(c)])(u.ConcatDataset([Squares(3), Squares(4)]))",
    "[*(shared(m, 2) + shared(m, 1))]", "u.StackDataset(Squares(3), Squares(2))",
    "u.StackDataset(a=Squares(3), b=u.Subset(Squares(5), [4, 2, 1])).__getitems__([0, 2])",
    "[len(p) for p in u.random_split(Squares(7), [0.3, 0.3, 0.4])]", "u.random_split(Squares(7), [1, 2])",
    "sorted(i for p in u.random_split(Squares(7), [3, 4]) for i in p.indices)", "sorted(u.RandomSampler(Squares(7)))",
    "len([*u.RandomSampler(Squares(3), num_samples=8)])", "u.RandomSampler(Squares(0))",
    "sorted(u.WeightedRandomSampler([0.3, 1.0, 2.0], 3, False)), {*u.WeightedRandomSampler([0.0, 1.0], 4)} == {1}",
    "[[*u.DistributedSampler(Squares(7), 3, k, shuffle=False, drop_last=d)] for k in range(3) for d in (0, 1)]",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_data_is_loaded_as_by_pytorch(text: str) -> None:
    def run(m: Any, u: Any) -> Any:
        return eval(text, {**globals(), "m": m, "u": u})

    with lw.using(backend="numpy"):
        expected, found = (answer(run, m) for m in BOTH)
    assert found == expected


def test_batches_are_tensors_of_the_backend(backend: str) -> None:
    data = torch.utils.data.TensorDataset(torch.arange(4), torch.ones(4, 2))
    torch.manual_seed(0)
    order = [i for x, _ in torch.utils.data.DataLoader(data, batch_size=2, shuffle=True) for i in x.tolist()]
    assert sorted(order) == [0, 1, 2, 3]
    x, y = next(iter(torch.utils.data.DataLoader(data, batch_size=2, num_workers=1)))
    assert (x.tolist(), y.sum().item()) == ([0, 1], 4.0)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_order_is_that_of_the_seed_for_any_number_of_workers(count: int) -> None:
    torch.manual_seed(5)
    loader = torch.utils.data.DataLoader(Squares(20), batch_size=3, shuffle=True, num_workers=count)
    first, second = ([i for x in loader for i in x.tolist()] for _ in range(2))
    assert sorted(first) == [i * i for i in range(20)]
    assert first != second
    torch.manual_seed(5)
    assert [i for x in torch.utils.data.DataLoader(Squares(20), shuffle=True) for i in x.tolist()] == first
    generator = torch.Generator().manual_seed(3)
    expected = torch.randperm(5, generator=torch.Generator().manual_seed(3)).tolist()
    assert [*torch.utils.data.RandomSampler(Squares(5), generator=generator)] == expected


def test_workers_have_random_numbers_of_their_own_which_the_seed_tells() -> None:
    class Numbers(Squares):
        def __getitem__(self, i: int) -> Any:
            return torch.rand(1)

    def run() -> list[float]:
        torch.manual_seed(1)
        return [x.item() for x in torch.utils.data.DataLoader(Numbers(6), num_workers=2)]

    assert run() == run()
    assert len({*run()}) == 6


def test_an_error_of_a_worker_has_its_number_and_the_traceback() -> None:
    class Bad(Squares):
        def __getitem__(self, i: int) -> int:
            if i == 1:
                raise KeyError("no such sample")
            return i

    loader = torch.utils.data.DataLoader(Bad(4), num_workers=2)
    with pytest.raises(KeyError, match=r"(?s)DataLoader worker thread 1\..*Original Traceback.*no such sample"):
        list(loader)

    class Slow(Squares):
        def __getitem__(self, i: int) -> int:
            time.sleep(0.5)
            return i

    with pytest.raises(RuntimeError, match="timed out after 0.05 seconds"):
        list(torch.utils.data.DataLoader(Slow(1), num_workers=1, timeout=0.05))


@pytest.mark.filterwarnings("ignore:Length of IterableDataset")  # each worker has a shorter batch at its end
def test_workers_stay_for_the_next_epoch_and_share_an_iterable_dataset() -> None:
    started: list[int] = []
    loader = torch.utils.data.DataLoader(
        shared(torch, 6), batch_size=2, num_workers=2, persistent_workers=True, worker_init_fn=started.append
    )
    first = [x.tolist() for x in loader]
    next(iter(loader))  # an epoch that is left early
    assert [x.tolist() for x in loader] == first == [[0, 2], [1, 3], [4], [5]]
    assert sorted(started) == [0, 1]


# --- computing again -------------------------------------------------------------------------------------------------


def test_a_checkpoint_has_the_derivatives_of_the_function(backend: str) -> None:
    from latticework.frontends.torch.utils.checkpoint import checkpoint

    w, x = (torch.tensor(v, requires_grad=True) for v in ([2.0, 3.0], [1.0, 2.0]))
    runs = []

    def f(x: Any, scale: float) -> Any:
        runs.append(1)
        return {"y": (x * w * scale).sin() * torch.rand(2), "n": 3, "s": x.sum()}

    found = []
    for call in (f, lambda x, s: checkpoint(f, x, scale=s, use_reentrant=False)):
        torch.manual_seed(3)
        out = call(x * 2, 0.5)
        (out["y"].sum() + out["s"] ** 2).backward()
        found.append((x.grad.tolist(), w.grad.tolist(), out["n"]))
        x.grad = w.grad = None
    np.testing.assert_allclose(found[0][:2], found[1][:2], rtol=1e-6)
    assert len(runs) == 3


def test_a_checkpoint_has_second_derivatives_and_notes_what_has_changed() -> None:
    from latticework.frontends.torch.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential

    with lw.using(backend="numpy"):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (g,) = torch.autograd.grad(checkpoint(lambda x: x**3, x, use_reentrant=False).sum(), [x], create_graph=True)
        g.sum().backward()
        assert x.grad.tolist() == [6.0, 12.0]
        y = checkpoint_sequential([torch.sin, torch.exp, torch.square], 2, x, use_reentrant=False)
        np.testing.assert_allclose(plain(y)[1], plain(x.sin().exp().square())[1], rtol=1e-6)
        changing = [2]
        y = checkpoint(lambda x: torch.cat([x] * changing[0]), x, use_reentrant=False)
        changing[0] = 3
        with pytest.raises(CheckpointError, match="different metadata"):
            y.sum().backward()
        with torch.no_grad():
            assert not checkpoint(torch.sin, x, use_reentrant=False).requires_grad


def test_a_tensor_that_is_detached_and_made_a_leaf_leaves_the_other_one(backend: str) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.detach().requires_grad_()
    (y * 3).sum().backward()
    assert x.grad is None
    (x.detach().sum() + (x * x).sum()).backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([2.0, 4.0], [3.0, 3.0])


def test_the_generator_is_put_back_after_a_block() -> None:
    torch.manual_seed(0)
    with torch.random.fork_rng():
        first = torch.rand(2).tolist()
    assert torch.rand(2).tolist() == first
