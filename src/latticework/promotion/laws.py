"""The laws of a semilattice, and the counterexamples to them in a rule set."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import NamedTuple

from ..core.dtypes import Dtype
from ..errors import PromotionError
from .rules import Default, Operand, Rules

__all__ = ["Laws", "check_laws"]


class Laws(NamedTuple):
    """The result of `check_laws`: every counterexample, as its dtypes in the order of the operands."""

    commutative: tuple[tuple[Dtype, Dtype], ...]
    associative: tuple[tuple[Dtype, Dtype, Dtype], ...]
    idempotent: tuple[Dtype, ...]
    refused: tuple[tuple[Dtype, Dtype], ...]
    no_unique_join: tuple[tuple[Dtype, Dtype], ...]

    @property
    def semilattice(self) -> bool:
        """True if promotion is a join: total, idempotent, commutative and associative."""
        return not any(self[:4])


def check_laws(rules: Rules, default: Default) -> Laws:
    """List each counterexample to the laws of a semilattice. See `latticework.check_laws`."""
    dtypes = rules.dtypes

    @cache
    def join(a: Dtype | Operand | None, b: Dtype | Operand | None) -> Dtype | Operand | None:
        """Return the common dtype; a weak one stays weak in the next join."""
        if a is None or b is None:
            return None
        try:
            result = rules.result((a, b), default)
        except PromotionError:
            return None
        return Operand(result.dtype, weak=True) if result.weak else result.dtype

    pairs = [*product(dtypes, repeat=2)]
    return Laws(
        commutative=tuple((a, b) for a, b in pairs if join(a, b) != join(b, a)),
        associative=tuple(
            (a, b, c) for a, b, c in product(dtypes, repeat=3) if join(join(a, b), c) != join(a, join(b, c))
        ),
        idempotent=tuple(a for a in dtypes if join(a, a) not in (a, None)),
        refused=tuple((a, b) for a, b in pairs if join(a, b) is None),
        no_unique_join=tuple(
            (a, b) for a, b in combinations(dtypes, 2) if rules._table is None and len(rules.minimal_bounds(a, b)) > 1
        ),
    )
