"""Compare latticework with array-api-compat, autoray, Keras and Ivy: dtypes of the same expressions, and time per call.

    pip install array-api-compat autoray keras ivy
    python benchmarks/peers.py --backend torch

One process is for one backend, because Keras reads its own when it is imported. A library that is not installed, or
does not know the backend, is left out. Times are of the processor, library and framework in turns, as the median ratio
to the framework's own call with the quartiles.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import latticework as lw

#: What is asked for its dtype: an operation, and the dtypes of the arrays; a number stands for itself.
EXPRESSIONS: list[tuple[str, tuple[Any, ...]]] = [
    ("add", ("int32", "float32")),
    ("add", ("int64", "float32")),
    ("add", ("uint8", "int8")),
    ("add", ("uint16", "uint16")),
    ("multiply", ("int32", 1.5)),
    ("divide", ("int32", "int32")),
    ("sin", ("int32",)),
    ("mean", ("int32",)),
    ("sum", ("int8",)),
    ("zeros", ()),
]


class Library:
    """A library: how it makes an array of NumPy's, and what has its functions by name."""

    def __init__(self, array: Callable[[Any], Any], function: Callable[[str], Callable[..., Any]]) -> None:
        self.array, self.function = array, function


def native(backend: str) -> Library:
    """Return the framework itself."""
    module: Any = import_module({"jax": "jax.numpy", "dask": "dask.array"}.get(backend, backend))
    make = {"numpy": "asarray", "jax": "asarray", "torch": "from_numpy", "tensorflow": "constant", "dask": "from_array"}
    words = {"sum": "reduce_sum", "mean": "reduce_mean"} if backend == "tensorflow" else {}
    return Library(getattr(module, make[backend]), lambda name: getattr(module, words.get(name, name)))


def libraries(backend: str) -> dict[str, Library]:
    """Return those that there are for a backend, the framework itself first."""
    own = native(backend)
    lw.set_backend(backend)
    found = {
        backend: own,
        "latticework": Library(lambda x: lw.asarray(own.array(x)), _of(lw)),
        "latticework, array_namespace": Library(own.array, _of(lw.array_namespace(own.array(np.zeros(2))))),
    }
    for name, load in {"array-api-compat": _compat, "autoray": _autoray, "keras.ops": _keras, "ivy": _ivy}.items():
        try:
            library = load(backend, own)
            library.function("add")(library.array(np.ones(2, np.float32)), library.array(np.ones(2, np.float32)))
            found[name] = library
        except Exception as error:
            print(f"{name} is left out: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
    return found


def _of(module: Any) -> Callable[[str], Callable[..., Any]]:
    return lambda name: getattr(module, name)


def _compat(backend: str, own: Library) -> Library:
    find = import_module("array_api_compat").array_namespace
    return Library(own.array, _of(find(own.array(np.zeros(2)))))


def _autoray(backend: str, own: Library) -> Library:
    do = import_module("autoray").do
    like = {"zeros": {"like": backend}}
    return Library(own.array, lambda name: partial(do, name, **like.get(name, {})))


def _keras(backend: str, own: Library) -> Library:
    os.environ["KERAS_BACKEND"] = backend
    ops = import_module("keras").ops
    return Library(ops.convert_to_tensor, _of(ops))


def _ivy(backend: str, own: Library) -> Library:
    ivy = import_module("ivy")
    ivy.set_backend(backend)
    return Library(lambda x: ivy.native_array(x.tolist(), dtype=str(x.dtype)), _of(ivy))


def dtype_of(library: Library, name: str, operands: tuple[Any, ...]) -> str:
    """Return the dtype of an expression's result, or the class of the error."""
    try:
        arrays = [library.array(np.ones(2, x)) if isinstance(x, str) else x for x in operands]
        result = library.function(name)(*(arrays or [(2,)]))
        dtype = result.dtype
        return str(getattr(dtype, "name", dtype)).replace("torch.", "")
    except Exception as error:
        return type(error).__name__


def show_dtypes(found: dict[str, Library]) -> None:
    """Print the dtypes as a table."""
    print("| expression |" + "".join(f" {name} |" for name in found))
    print("|---" * (len(found) + 1) + "|")
    for name, operands in EXPRESSIONS:
        cells = [dtype_of(library, name, operands) for library in found.values()]
        print(f"| `{name}({', '.join(map(str, operands)) or '2'})` |" + "".join(f" {cell} |" for cell in cells))


def show_times(found: dict[str, Library], rounds: int, calls: int) -> None:
    """Print the time of ``add(x, y)`` of four float32 elements, as a ratio to the framework's own."""
    x = np.asarray([1, 2, 3, 4], np.float32)
    runs = {name: (library, library.array(x), library.array(x)) for name, library in found.items()}
    ratios: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        times = {name: _seconds(*run, calls if name != "ivy" else calls // 20) for name, run in runs.items()}
        first = next(iter(times.values()))
        for name, seconds in times.items():
            ratios[name].append(seconds / first)
    for name, values in ratios.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"{name:30} {middle:8.2f} [{low:.2f}, {high:.2f}]")


def _seconds(library: Library, x: Any, y: Any, calls: int) -> float:
    add = library.function("add")
    begun = time.process_time()
    for _ in range(calls):
        add(x, y)
    return (time.process_time() - begun) / calls


def main() -> None:
    """Print both tables for one backend."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--calls", type=int, default=2000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = libraries(options.backend)
    show_dtypes(found)
    show_times(found, options.rounds, options.calls)


if __name__ == "__main__":
    main()
