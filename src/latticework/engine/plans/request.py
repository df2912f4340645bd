"""A call that has no plan yet: the facts that its plan is made from."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.dtypes import Dtype
from ...promotion import Operand

if TYPE_CHECKING:
    from ...core.signature import Sig
    from ...policy import Policy
    from ...promotion import Rules
    from ..op import Op

__all__ = ["Request", "is_ours", "name_of"]


class Request(NamedTuple):
    """The facts of a call that its plan is made from.

    Attributes
    ----------
    signature: the signature of each array, the type of any other operand.
    facts: the operands with all that the rules look at; None if the signature tells all of it.
    dtype: the ``dtype=`` of a function that has one, where it is given.
    in_place: whether the result goes into the first operand.
    """

    op: Op
    policy: Policy
    signature: tuple[Sig | type, ...]
    facts: tuple[Any, ...] | None = None
    dtype: Dtype | None = None
    in_place: bool = False

    @property
    def operands(self) -> tuple[Any, ...]:
        """The operands as the rules take them (`Rules.result`)."""
        return tuple(_as_rules_take(s, self.policy) for s in self.signature) if self.facts is None else self.facts

    @property
    def dtypes(self) -> tuple[Dtype | type, ...]:
        """The dtypes of arrays, the types of Python scalars, and `NoneType` for operands that are not given."""
        return tuple(s if isinstance(s, type) else s.dtype for s in self.signature)

    @property
    def joining(self) -> tuple[Any, ...]:
        """The operands that promote together, as the rules take them."""
        operands = self.operands
        roles = self.op.roles(len(operands))
        return tuple(x for x, role in zip(operands, roles, strict=True) if role == "join" and x is not NoneType)

    @property
    def decisive(self) -> tuple[Any, ...]:
        """The operands that a framework's families look at: all, or the joining ones if some are not given."""
        operands = self.operands
        return self.joining if NoneType in operands else operands


def _as_rules_take(s: Sig | type, policy: Policy) -> Any:
    """Return an operand as rules take it, from its signature alone."""
    if isinstance(s, type):
        return s
    return Operand(s.dtype, weak=True) if s.weak and policy.weak_arrays else s.dtype


def is_ours(rules: Rules) -> bool:
    """Return whether rules only say the common dtype.

    A framework's rules have families of operations, and default dtypes of their own.
    """
    return rules.families == "unified" and not (rules.defaults or rules.version)


def name_of(operand: Dtype | type) -> str:
    if operand is NoneType:
        return "None"
    return str(operand) if isinstance(operand, Dtype) else f"Python {operand.__name__}"
