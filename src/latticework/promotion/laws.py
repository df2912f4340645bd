"""The laws of a semilattice, and each counterexample that a rule set has to them."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import NamedTuple

from ..dtypes import Dtype
from ..errors import PromotionError
from .rules import Operand, Rules

__all__ = ["Laws", "check_laws"]


class Laws(NamedTuple):
    """What `check_laws` found: every counterexample, each a tuple of the dtypes in the order given."""

    commutative: tuple[tuple[Dtype, Dtype], ...]
    associative: tuple[tuple[Dtype, Dtype, Dtype], ...]
    idempotent: tuple[Dtype, ...]
    refused: tuple[tuple[Dtype, Dtype], ...]
    no_unique_join: tuple[tuple[Dtype, Dtype], ...]

    @property
    def semilattice(self) -> bool:
        """Whether promotion is a join: total, idempotent, commutative and associative."""
        return not any(self[:4])


def check_laws(rules: Rules | str) -> Laws:
    """List each counterexample to the laws of a semilattice, over all strong dtypes that the rules know.

    `refused` has the ordered pairs without an answer; they and the triples that meet them are no
    counterexamples to the other laws, unless only one of the two ways of a triple is refused.
    `no_unique_join` has the unordered pairs whose least upper bound in the diagram is not unique, the
    pairs that an exception has to decide.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.check_laws("array_api").associative
    ()
    >>> lw.check_laws("unified").associative[0]
    (lw.int8, lw.uint64, lw.bfloat16)
    """
    from . import rules_named

    rules = rules_named(rules)
    dtypes = rules.dtypes

    @cache
    def join(a: Dtype | Operand | None, b: Dtype | Operand | None) -> Dtype | Operand | None:
        """A common dtype; one that is weak stays so where it is joined with another."""
        if a is None or b is None:
            return None
        try:
            result = rules.result((a, b))
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
