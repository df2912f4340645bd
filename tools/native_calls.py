"""Count the framework's own operations that each function of ours enters: in all, those that cast, and those that copy.

    python tools/native_calls.py                     print the counts of each backend
    python tools/native_calls.py --write             keep them in tests/expected/native_calls.json
    python tools/native_calls.py nn.gelu softplus    of some functions alone

A call is on the samples that the probe takes (`latticework.support.samples`), of float32 or of the first dtype that the
function takes. Counted are the operations that PyTorch dispatches, the equations of JAX's program (one of its compiled
functions, such as `jnp.where`, is one), and the operations of TensorFlow's graph. What only names the same memory, a
view, is not counted. The counts depend on the framework's version, which is kept beside them, and on no machine.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import latticework as lw
from latticework.core.dtypes import Dtype
from latticework.core.registry import OPS
from latticework.engine.arrays.array import wrapped
from latticework.support import samples

KEPT = Path(__file__).parents[1] / "tests" / "expected" / "native_calls.json"
BACKENDS = ("torch", "jax", "tensorflow")
#: The dtypes that a sample may have, in this order.
TRIED = (lw.float32, lw.int32, lw.bool, lw.complex64)

#: What changes no memory, by framework.
VIEWS = {
    "torch": frozenset(
        "_reshape_alias _unsafe_view alias as_strided chunk detach diagonal expand lift_fresh movedim permute real "
        "select slice split split_with_sizes squeeze t transpose unbind unfold unsqueeze view view_as view_as_complex "
        "view_as_real".split()
    ),
    "jax": frozenset({"copy_p", "stop_gradient"}),
    "tensorflow": frozenset({"Placeholder", "Const", "Identity", "IdentityN", "NoOp"}),
}
CASTS = {"torch": {"_to_copy"}, "jax": {"convert_element_type"}, "tensorflow": {"Cast"}}
COPIES = {"torch": {"clone", "copy_", "copy"}, "jax": {"copy"}, "tensorflow": {"DeepCopy"}}


class Count(NamedTuple):
    """How many operations a call enters, and how many of these cast or copy."""

    calls: int
    casts: int
    copies: int


def of_torch(call: Callable[[Sequence[Any]], Any], data: list[Any]) -> list[str]:
    """The operations that PyTorch dispatches."""
    from torch.utils._python_dispatch import TorchDispatchMode

    entered: list[str] = []

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            entered.append(function.overloadpacket.__name__)
            return function(*args, **(kwargs or {}))

    with Noting():
        call(data)
    return entered


def of_jax(call: Callable[[Sequence[Any]], Any], data: list[Any]) -> list[str]:
    """The equations of the program that JAX traces."""
    import jax

    return [e.primitive.name for e in jax.make_jaxpr(lambda *d: _natives(call(d)))(*data).eqns]


def of_tensorflow(call: Callable[[Sequence[Any]], Any], data: list[Any]) -> list[str]:
    """The operations of the graph that TensorFlow traces."""
    import tensorflow as tf

    graph = tf.function(lambda *d: _natives(call(d))).get_concrete_function(*data).graph
    return [o.type for o in graph.get_operations()]


ENTERED = {"torch": of_torch, "jax": of_jax, "tensorflow": of_tensorflow}


def _natives(result: Any) -> Any:
    """The framework's own arrays in a result of ours, as a tracer takes them."""
    if isinstance(result, lw.Array):
        return result.data
    if isinstance(result, (tuple, list)):
        return [_natives(x) for x in result]
    return None


def counted(name: str, backend: str) -> Count | None:
    """Count what a function enters on a backend, which has to be the current one.

    None where it takes no sample, or asks for values while it is traced.
    """
    for dtype in TRIED:
        try:
            entered = _entered(name, backend, dtype)
        except Exception:
            continue
        some = [e for e in entered if e not in VIEWS[backend]]
        return Count(len(some), *[sum(e in of[backend] for e in some) for of in (CASTS, COPIES)])
    return None


def _entered(name: str, backend: str, dtype: Dtype) -> list[str]:
    """The operations of one call on samples of a dtype."""
    made: list[lw.Array] = []

    def make(values: Any, d: Dtype) -> lw.Array:
        made.append(lw.asarray(values, dtype=d))
        return made[-1]

    function = attrgetter(name)(lw)
    samples.arguments(OPS[name], make, dtype)

    def call(data: Sequence[Any]) -> Any:
        arrays = iter([wrapped(d, x._sig) for d, x in zip(data, made, strict=True)])
        args, options = samples.arguments(OPS[name], lambda *_: next(arrays), dtype)
        return function(*args, **options)

    return ENTERED[backend](call, [x.data for x in made])


def counts(backend: str, wanted: Sequence[str] = ()) -> dict[str, Count]:
    """The counts of all functions on a backend, or of some."""
    names = [n for n in samples.names() if samples.declaration(n) and (not wanted or n in wanted)]
    with lw.using(backend=backend):
        found = {name: counted(name, backend) for name in names}
    return {name: count for name, count in found.items() if count is not None}


def version(backend: str) -> str:
    """The version of the framework that is installed."""
    return next(str(b.version) for b in lw.backends() if b.name == backend)


def main() -> None:
    """Print the counts, or keep them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kept: dict[str, Any] = {}
    for backend in BACKENDS:
        found = counts(backend, options.functions)
        kept[backend] = {"version": version(backend), "counts": found}
        for name, count in {} if options.write else found.items():
            print(f"{backend:<11} {name:<34} {count.calls} calls, {count.casts} casts, {count.copies} copies")
        print(f"{backend}: {len(found)} functions", file=sys.stderr)
    if options.write:
        text = re.sub(r"\[\s+(\d+),\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2, \3]", json.dumps(kept, indent=1))
        KEPT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
