"""What decides in the calls of a dialect: the framework's rules and defaults, or, in an audit, those of a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..core.dtypes import Dtype
from ..policy import Policy, block, call_under, current, forget
from ..promotion import rules_named

__all__ = ["MOST_POLICIES", "Deciding"]

MOST_POLICIES = 256


class Deciding:
    """The part of a dialect that decides.

    Attributes
    ----------
    rules: returns the name of the framework's rule set.
    defaults: returns the fields of `Policy` for which the framework has values of its own.
    refuses: raises where the framework has no kernel for the operands of a function; None where it has all.
    policies: the policies of its calls, by the policy in force.
    audited: the policies that `under` puts in force, and whether their rules are other ones than the framework's.
    """

    #: A block in which its switches are as a rule set, by its name, takes them to be.
    as_in_rules: Callable[[str], AbstractContextManager[Any]] = nullcontext

    def __init__(
        self,
        rules: Callable[[], str] | str,
        defaults: Callable[[], dict[str, Any]],
        refuses: Callable[[str, tuple[Any, ...]], None] | None,
    ) -> None:
        self.rules = rules if callable(rules) else lambda: rules
        self.defaults, self.refuses = defaults, refuses
        self.policies: dict[Policy, Policy] = {}
        self.audited: dict[Policy, bool] = {}
        self._resolved: dict[tuple[Policy, Any], Dtype] = {}

    def policy(self) -> Policy:
        """Return the policy of its calls: the policy in force, with the dialect's rules and defaults."""
        here = current()
        found = self.policies.get(here)
        if found is None:
            if len(self.policies) >= MOST_POLICIES:
                self.policies.clear()
            fields = {"set_uint": None, "set_complex": None, "set_dtype": None, "casting": (), **self.defaults()}
            own = here if self.audited.get(here) else here._with(rules=rules_named(self.rules()), **fields)
            found = self.policies[here] = own
        return found

    @contextmanager
    def under(self, policy: Policy) -> Iterator[None]:
        """Put a policy in force for a block, whose rules and defaults its functions have in place of the framework's.

        They refuse nothing then that only the framework has no kernel for. If the rules are the framework's own, its
        functions are as always.
        """
        with self.as_in_rules(policy.rules.name):
            apart = policy.twin()  # what is kept under it is not kept for others
            self.audited[apart] = policy.rules is not rules_named(self.rules())
            try:
                with block(apart):
                    yield
            finally:
                del self.audited[apart]
                self.policies.pop(apart, None)
                self._resolved = {key: dtype for key, dtype in self._resolved.items() if key[0] is not apart}
                forget(apart)

    @property
    def is_audited(self) -> bool:
        """True in a block of `under`."""
        return bool(self.audited) and current() in self.audited

    @property
    def is_foreign(self) -> bool:
        """True where other rules than the framework's decide, see `under`."""
        return bool(self.audited) and self.audited.get(current(), False)

    def default(self, kind: str) -> Dtype:
        """Return the dtype that arrays of Python's numbers of a kind (see `Dtype.kind`) have."""
        return self.policy().own(kind)

    def check(self, policy: Policy, name: str, operands: tuple[Any, ...]) -> None:
        """Refuse the operands of a latticework function that the framework has no kernel for."""
        if self.refuses is not None and not (self.audited and self.audited.get(policy)):
            call_under(policy, self.refuses, (name, operands), {})
