"""`DataLoader`: the samples of a dataset in batches, loaded by threads or by the caller."""

from __future__ import annotations

import copy
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import ContextVar, copy_context
from itertools import islice, repeat
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, NamedTuple, TypeVar

from ...autograd.recording import is_enabled, set_enabled
from ...sampling import Generator, of_thread
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler, drawn_seed

__all__ = ["DataLoader", "get_worker_info"]

T_co = TypeVar("T_co", covariant=True)


class WorkerInfo(NamedTuple):
    """What a worker knows of itself.

    Attributes
    ----------
    id: its number, from 0.
    num_workers: how many there are.
    seed: the seed of its random numbers.
    dataset: its copy of the dataset.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: ContextVar[WorkerInfo | None] = ContextVar("the worker that runs", default=None)


def get_worker_info():
    """Return what a worker of a `DataLoader` knows of itself: its number, that of all, its seed and dataset.

    It is None in the main thread.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> class Mine(torch.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         worker = torch.utils.data.get_worker_info()
    ...         return iter(range(worker.id, 6, worker.num_workers))
    >>> [x.tolist() for x in torch.utils.data.DataLoader(Mine(), batch_size=2, num_workers=2)]
    [[0, 2], [1, 3], [4], [5]]
    """
    return _info.get()


class DataLoader(Generic[T_co]):
    """An iterable over the batches of a dataset.

    Parameters
    ----------
    dataset: a dataset with `__getitem__`, or an `IterableDataset`.
    batch_size: how many samples a batch has. None for samples as they are, without an axis for the batch.
    shuffle: whether the order is random, by `RandomSampler`.
    sampler: the order of the keys instead.
    batch_sampler: lists of keys instead, one for each batch.
    num_workers: how many threads load batches ahead; 0 to load each when it is asked for. They are threads, where
        PyTorch starts processes: backends such as JAX cannot be copied into another process. Each has a shallow copy
        of the dataset and a generator of its own. What takes long in Python alone does not get faster by them.
    collate_fn: what makes a batch of a list of samples; `default_collate`, and `default_convert` without batches.
    pin_memory, pin_memory_device: taken, and nothing is done: the backend decides where tensors lie.
    drop_last: whether a shorter batch at the end is left out.
    timeout: how many seconds a worker may take for a batch; 0 for any time.
    worker_init_fn: a function of the number of a worker, which it calls first.
    multiprocessing_context: taken and not looked at.
    generator: where `RandomSampler` draws from, and the seeds of the workers; the dialect's own by default.
    prefetch_factor: how many batches each worker loads ahead; 2 by default.
    persistent_workers: whether the workers stay for the next epoch.
    in_order: taken: batches always come in the order of the sampler.

    Raises
    ------
    ValueError: options exclude each other.
    RuntimeError: while it is iterated: a worker takes too long. Another error of a worker is raised as one of the
        same class, whose message has the number of the worker and the traceback.

    Notes
    -----
    For a seed the order is always the same. At the beginning of an epoch a number is drawn from `generator`: that plus
    its own number is the seed of a worker. Then the sampler draws: with `shuffle` the order of an epoch is that of
    ``torch.randperm(n, generator=generator)``, or, where no generator is given, of a new one whose seed is drawn from
    the dialect's own. The numbers are the same on every backend, and others than PyTorch's. Batch i is loaded by worker
    i modulo `num_workers`, and the order does not depend on how many there are.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> data = torch.utils.data.TensorDataset(torch.arange(5), torch.arange(5) ** 2)
    >>> for x, y in torch.utils.data.DataLoader(data, batch_size=2):
    ...     print(x.tolist(), y.tolist())
    [0, 1] [0, 1]
    [2, 3] [4, 9]
    [4] [16]
    """

    _fixed = False
    _iterator: Any = None

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Any = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        self._iterable = isinstance(dataset, IterableDataset)
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if self._iterable:
            given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
            for name, value in given.items():
                if value is not None:
                    raise ValueError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                    )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if self._iterable:
                sampler = repeat(None)
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.collate_fn = sampler, batch_sampler, collate_fn
        self.num_workers, self.timeout, self.worker_init_fn = num_workers, timeout, worker_init_fn
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory, self.pin_memory_device, self.generator = pin_memory, pin_memory_device, generator
        self.multiprocessing_context, self.in_order = multiprocessing_context, in_order
        self.persistent_workers = persistent_workers
        self._fixed = True

    def __setattr__(self, name: str, value: Any) -> None:
        fixed = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
        if self._fixed and name in fixed:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Any:
        if not self.num_workers:
            return _Alone(self)
        if not self.persistent_workers:
            return _WithWorkers(self)
        if self._iterator is None:
            self._iterator = _WithWorkers(self)
        else:
            self._iterator._begin(self)
        return self._iterator

    def __len__(self) -> int:
        if not self._iterable:
            return len(self._index_sampler)
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def _check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent: bool) -> None:
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if prefetch_factor is not None:
        if not num_workers:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing. Let num_workers > 0, or set "
                "prefetch_factor to None."
            )
        if prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
    if persistent and not num_workers:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _reader(loader: DataLoader[Any], dataset: Any) -> Callable[[Any], Any]:
    """Return the function of keys that loads a batch. It raises StopIteration at the end of an iterable dataset."""
    collate, batched = loader.collate_fn, loader._auto_collation
    if loader._iterable:
        samples, size, drop_last = iter(dataset), loader.batch_size, loader.drop_last

        def following(keys: Any) -> Any:
            if not batched:
                return collate(next(samples))
            batch = [*islice(samples, size)]
            if not batch or (drop_last and len(batch) < size):  # type: ignore[operator]
                raise StopIteration
            return collate(batch)

        return following

    def chosen(keys: Any) -> Any:
        if not batched:
            return collate(dataset[keys])
        several = getattr(dataset, "__getitems__", None)
        return collate(several(keys) if callable(several) else [dataset[key] for key in keys])

    return chosen


class _Epoch:
    """An iterator over the batches of an epoch."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._loader = loader

    def _begin(self, loader: DataLoader[Any]) -> None:
        self._keys: Iterator[Any] = repeat(None) if loader._iterable else iter(loader._index_sampler)
        self._base_seed, self._count = drawn_seed(loader.generator), 0

    def __iter__(self) -> Any:
        return self

    def __len__(self) -> int:
        return len(self._loader._index_sampler)

    def __next__(self) -> Any:
        batch = self._next()
        self._count += 1
        if self._loader._iterable:
            self._warn()
        return batch

    def _next(self) -> Any:
        raise NotImplementedError

    def _warn(self) -> None:
        """Warn where an iterable dataset has more samples than it says."""
        try:
            expected = len(self._loader)
        except (TypeError, NotImplementedError):
            return
        if self._count == expected + 1:
            warnings.warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {expected} batches, but more "
                "have been fetched. With several workers, each goes through the whole dataset unless it looks at "
                "get_worker_info()",
                stacklevel=3,
            )


class _Alone(_Epoch):
    """Batches that are loaded when they are asked for."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._begin(loader)
        self._read = _reader(loader, loader.dataset)

    def _next(self) -> Any:
        return self._read(next(self._keys))


#: What a worker says at the end of an iterable dataset.
_END = object()


class _Failed(NamedTuple):
    """An error of a worker."""

    error: BaseException
    worker: int
    text: str

    def again(self) -> BaseException:
        """An error of the same class, with the number of the worker and the traceback."""
        kind = type(self.error)
        text = f"Caught {kind.__name__} in DataLoader worker thread {self.worker}.\nOriginal {self.text}"
        try:
            return kind(_Text(text)) if kind is KeyError else kind(text)
        except TypeError:
            return RuntimeError(text)


class _Text(str):
    """A text that a KeyError shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _work(info: WorkerInfo, loader: DataLoader[Any], tasks: Any, results: Any, records: bool) -> None:
    """Load batches until a task is None. A task is the number of the epoch and keys."""
    _info.set(info)
    of_thread.set(Generator().manual_seed(info.seed))
    set_enabled(records)
    failed, read, epoch = None, None, None
    try:
        if loader.worker_init_fn is not None:
            loader.worker_init_fn(info.id)
    except BaseException as error:
        failed = _Failed(error, info.id, traceback.format_exc())
    while (task := tasks.get()) is not None:
        if failed is not None:
            results.put((task[0], failed))
            continue
        try:
            if read is None or task[0] != epoch:
                read, epoch = _reader(loader, info.dataset), task[0]
            found = read(task[1])
        except BaseException as error:
            ended = loader._iterable and isinstance(error, StopIteration)
            found = _END if ended else _Failed(error, info.id, traceback.format_exc())
        results.put((task[0], found))


class _WithWorkers(_Epoch):
    """Batches that threads load ahead."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._epoch, count = 0, loader.num_workers
        self._tasks: list[Any] = [SimpleQueue() for _ in range(count)]
        self._results: list[Any] = [SimpleQueue() for _ in range(count)]
        self._begin(loader, start=True)

    def _begin(self, loader: DataLoader[Any], start: bool = False) -> None:
        super()._begin(loader)
        self._epoch += 1
        self._turn, self._active = 0, [True] * loader.num_workers
        self._given: deque[int] = deque()
        if start:
            for i, (tasks, results) in enumerate(zip(self._tasks, self._results, strict=True)):
                info = WorkerInfo(i, loader.num_workers, self._base_seed + i, copy.copy(loader.dataset))
                args = (_work, info, copy.copy(loader), tasks, results, is_enabled())
                Thread(target=copy_context().run, args=args, daemon=True, name=f"DataLoader worker {i}").start()
        for _ in range(max(loader.prefetch_factor or 0, 1) * loader.num_workers):
            self._give()

    def _give(self) -> None:
        """Give the next task to the next worker that has not come to its end."""
        count = len(self._active)
        which = next((w for w in range(self._turn, self._turn + count) if self._active[w % count]), None)
        if which is None:
            return
        try:
            keys = next(self._keys)
        except StopIteration:
            return
        self._turn = which % count
        self._tasks[self._turn].put((self._epoch, keys))
        self._given.append(self._turn)
        self._turn = (self._turn + 1) % count

    def _next(self) -> Any:
        while self._given:
            worker = self._given.popleft()
            found = self._result(worker)
            if found is _END:
                self._active[worker] = False
            self._give()
            if isinstance(found, _Failed):
                if not self._loader.persistent_workers:
                    self._stop()
                raise found.again() from found.error
            if found is not _END:
                return found
        if not self._loader.persistent_workers:
            self._stop()
        raise StopIteration

    def _result(self, worker: int) -> Any:
        while True:
            try:
                epoch, found = self._results[worker].get(timeout=self._loader.timeout or None)
            except Empty:
                raise RuntimeError(f"DataLoader timed out after {self._loader.timeout} seconds") from None
            if epoch == self._epoch:  # else it is of an epoch that was left early
                return found

    def _stop(self) -> None:
        for tasks in self._tasks:
            tasks.put(None)
        self._given.clear()

    def __del__(self) -> None:
        if hasattr(self, "_tasks"):
            for tasks in self._tasks:
                tasks.put(None)
