"""Read the subscripts of an Einstein sum, and reduce its operands two by two.

A label is the name of an axis: a letter, or for an axis of the three dots its place, counted from the last of these
axes, -1, -2 and so on. Axes of one label go together. An extent is None where it is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from string import ascii_letters
from typing import Any, NamedTuple

from .extents import Extent, MismatchError, Shape, broadcast_extent, equal_extent

__all__ = ["Labels", "Steps", "contract", "extents_of", "in_letters", "read_subscripts"]

Label = str | int
Labels = tuple[Label, ...]
#: An array with a name for each of its axes.
Term = tuple[Labels, Any]


# --- reading ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def read_subscripts(subscripts: str, ndims: tuple[int, ...]) -> tuple[tuple[Labels, ...], Labels]:
    """Read the labels of each operand's axes and of the result's."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ndims):
        raise ValueError(f"{subscripts!r} is for {len(parts)} operands; got {len(ndims)}")
    terms = tuple([_of_operand(subscripts, part, ndim) for part, ndim in zip(parts, ndims, strict=True)])
    counts = Counter(label for labels in terms for label in labels)
    dots = sorted(label for label in counts if isinstance(label, int))
    if not arrow:
        return terms, (*dots, *sorted(c for c, n in counts.items() if isinstance(c, str) and n == 1))
    before, ellipsis, after = right.partition("...")
    letters = before + after
    if not {*letters} <= {*ascii_letters} or len({*letters}) < len(letters):
        raise ValueError(f"{right!r} is no result, in {subscripts!r}: it has each letter once")
    if missing := [c for c in letters if c not in counts]:
        raise ValueError(f"{missing[0]!r} is in the result of {subscripts!r} but in no operand")
    return terms, (*before, *(dots if ellipsis else ()), *after)


def _of_operand(subscripts: str, part: str, ndim: int) -> Labels:
    before, ellipsis, after = part.partition("...")
    if not {*before, *after} <= {*ascii_letters}:
        raise ValueError(f"{part!r} in {subscripts!r}: an axis is a letter, and there are three dots or none")
    rest = ndim - len(before) - len(after)
    if rest < 0 or (rest and not ellipsis):
        raise ValueError(f"{part!r} in {subscripts!r} is for an operand of {ndim} axes")
    return (*before, *range(-rest, 0), *after)


@lru_cache(maxsize=1024)
def in_letters(subscripts: str, ndims: tuple[int, ...]) -> str:
    """Write subscripts with an arrow, without spaces, and with letters of their own for the axes of three dots."""
    terms, out = read_subscripts(subscripts, ndims)
    free = [c for c in ascii_letters if c not in subscripts]

    def written(labels: Labels) -> str:
        return "".join([c if isinstance(c, str) else free[-1 - c] for c in labels])

    return f"{','.join(map(written, terms))}->{written(out)}"


def extents_of(subscripts: str, terms: Sequence[Sequence[Label]], shapes: Sequence[Shape]) -> dict[Label, Extent]:
    """Find the extent of each label. Within an operand its axes are equal; those of several operands broadcast.

    Raises
    ------
    ValueError: the shapes do not fit.
    """
    sizes: dict[Label, Extent] = {}
    for labels, shape in zip(terms, shapes, strict=True):
        for label in dict.fromkeys(labels):
            own = [n for c, n in zip(labels, shape, strict=True) if c == label]
            try:
                sizes[label] = broadcast_extent(sizes.get(label, 1), equal_extent(own))
            except MismatchError:
                pair = " and ".join(map(str, ([sizes[label]] if label in sizes else []) + own))
                shown = repr(label) if isinstance(label, str) else "'...'"
                listed = ", ".join(map(str, shapes))
                raise ValueError(f"{shown} in {subscripts!r} is {pair}, for shapes {listed}") from None
    return sizes


# --- computing ----------------------------------------------------------------------------------------------------


class Steps(NamedTuple):
    """The functions that compute an Einstein sum, on arrays of one kind.

    Attributes
    ----------
    squeeze: (x, axes) -> x without these axes, which have extent 1.
    diagonal: (x, i, j) -> x with its axes i and j replaced by their diagonal, which comes last.
    total: (x, axes) -> x summed over these axes, in its own dtype.
    product: (term, term, labels to keep, extents) -> the product, summed over all other labels that are in both.
    permute: (x, axes) -> x with its axes in this order.
    """

    squeeze: Callable[[Any, tuple[int, ...]], Any]
    diagonal: Callable[[Any, int, int], Any]
    total: Callable[[Any, tuple[int, ...]], Any]
    product: Callable[[Any, Any, set[Any], Mapping[Any, Extent]], Any]
    permute: Callable[[Any, tuple[int, ...]], Any]


def contract(subscripts: str, operands: Sequence[Any], sizes: Mapping[Label, Extent], by: Steps) -> Any:
    """Compute an Einstein sum of `in_letters`, in the order that keeps intermediate results small."""
    left, _, out = subscripts.partition("->")
    terms = [_diagonals(tuple(names), x, sizes, by) for names, x in zip(left.split(","), operands, strict=True)]
    counts: Counter[Label] = Counter([c for names, _ in terms for c in names])
    counts.update(out)
    terms = [_summed(names, x, {c for c in names if counts[c] > 1}, by) for names, x in terms]
    while len(terms) > 1:
        i, j = _cheapest([names for names, _ in terms], out, sizes)
        second, first = terms.pop(j), terms.pop(i)
        terms.append(by.product(first, second, {*out, *[c for names, _ in terms for c in names]}, sizes))
    names, x = _summed(*terms[0], {*out}, by)
    return by.permute(x, tuple([names.index(c) for c in out]))


def _diagonals(names: Labels, x: Any, sizes: Mapping[Label, Extent], by: Steps) -> Term:
    """Return a term with one axis for each name, and without axes of extent 1 that stand for more."""
    stretched = tuple(i for i, c in enumerate(names) if x.shape[i] == 1 and sizes[c] != 1)
    if stretched:
        x, names = by.squeeze(x, stretched), tuple([c for i, c in enumerate(names) if i not in stretched])
    while repeated := [c for c in names if names.count(c) > 1]:
        c = repeated[0]
        i = names.index(c)
        j = names.index(c, i + 1)
        x = by.diagonal(x, i, j)
        names = (*[d for k, d in enumerate(names) if k not in (i, j)], c)
    return names, x


def _summed(names: Labels, x: Any, keep: set[Label], by: Steps) -> Term:
    axes = tuple(i for i, c in enumerate(names) if c not in keep)
    return (tuple([c for c in names if c in keep]), by.total(x, axes)) if axes else (names, x)


def _cheapest(terms: list[Labels], out: str, sizes: Mapping[Label, Extent]) -> tuple[int, int]:
    """Choose the two terms to multiply first: the pair whose product is smallest, compared with its two terms.

    An extent that is not known counts as 1.
    """

    def elements(labels: set[Label]) -> int:
        return prod([1 if (n := sizes[c]) is None else n for c in labels])

    def growth(pair: tuple[int, int]) -> int:
        rest = {c for i, names in enumerate(terms) if i not in pair for c in names} | {*out}
        a, b = ({*terms[i]} for i in pair)
        return elements((a | b) & rest) - elements(a) - elements(b)

    return min(((i, j) for j in range(len(terms)) for i in range(j)), key=growth)
