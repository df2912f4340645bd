"""What a traced function returned, and the code that builds it from the results of the graph's source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.reading import Names, building
from ..core.trees import Structure
from ..engine.arrays.array import Array
from .recording.state import Kept

if TYPE_CHECKING:
    from ..core.signature import Sig

__all__ = ["Output", "finishing", "leaves_of"]


class Output(NamedTuple):
    """A leaf of what a traced function returns.

    Attributes
    ----------
    sig: the signature of an array; None for anything else.
    static: the object, where it is no array that the graph computes or takes; for a number, its value when the function
        was traced.
    argument: the number of the argument, where the function returns an argument itself; else None.
    number: whether it is a Python number that the graph computes.
    again: the number of the leaf before that is the same array; None for none.
    """

    sig: Sig | None
    static: Any = None
    argument: int | None = None
    number: bool = False
    again: int | None = None


def finishing(
    outputs: Sequence[Output], built: Structure, written: Sequence[int], changed: Sequence[Any], kept: Kept | None
) -> Callable[[Any, Sequence[Array]], Any]:
    """Write the function that builds what a traced function returned, without a loop.

    Parameters
    ----------
    outputs: the leaves of what it returned.
    built: the structure of what it returned.
    written: the arguments whose new native arrays are among the results.
    changed: the held arrays whose new native arrays are among the results.
    kept: the slots that it binds.
    """
    names, lines, results = Names({"Array": Array}), list[str](), list[str]()

    def result() -> str:
        results.append(f"r{len(results)}")
        return results[-1]

    leaves = leaves_of(outputs, result, lambda i: f"arrays[{i}]", names, lines)
    targets = [f"arrays[{i}]" for i in written] + [f"{names.of(x, 'held')}.array" for x in changed]
    write = [f"{target}._data = {result()}" for target in targets]
    if kept is not None and kept.stores:
        made = [*leaves]
        for store in kept.stores:
            if store.again is not None:
                result()
                made.append(made[store.again])
            else:
                made.append("None" if store.sig is None else _array(result(), store.sig, names, lines))
        lines.append(f"{names.of(kept.store, 'store')}([{', '.join(made[len(leaves) :])}], arrays)")
    tree = building(built, iter(leaves), names, lines)
    taken = f"{', '.join(results)}, = results" if len(results) > 1 else f"{results[0]} = results" if results else "pass"
    text = "\n    ".join(["def finish(results, arrays):", taken, *write, *lines, f"return {tree}"])
    exec(_compiled(text), names.objects)
    return names.objects["finish"]  # type: ignore[no-any-return]


def leaves_of(
    outputs: Sequence[Output], result: Callable[[], str], argument: Callable[[int], str], names: Names, lines: list[str]
) -> list[str]:
    """Write the leaves of what a traced function returned, as expressions.

    Parameters
    ----------
    result: gives the expression of the source's next result.
    argument: gives the expression of an argument, by its number.
    names: gets the objects that they name. It has `Array`.
    lines: gets the statements that come before.
    """
    leaves: list[str] = []
    for out in outputs:
        if out.again is not None:
            result()
            leaves.append(leaves[out.again])
        elif out.argument is not None:
            result()  # the native array: what is returned is the argument itself
            leaves.append(argument(out.argument))
        elif out.number:
            leaves.append(result())
        elif out.sig is None:
            leaves.append(names.of(out.static, "constant"))
        else:
            leaves.append(_array(result(), out.sig, names, lines))
    return leaves


def _array(data: str, sig: Sig, names: Names, lines: list[str]) -> str:
    """Write the statements that make an array, and return its name."""
    lines.extend([f"a{data} = Array()", f"a{data}._data = {data}", f"a{data}._sig = {names.of(sig, 'sig')}"])
    return f"a{data}"


@lru_cache(512)
def _compiled(text: str) -> CodeType:
    return compile(text, "<latticework results>", "exec")
