"""Type promotion: the rule sets, and the functions that ask them.

``rules.py`` has the class of rule sets, ``registry.py`` the rule sets by name, ``laws.py`` the laws of a semilattice,
``explain.py`` the explanations, ``families/`` the dtypes of operations beyond the join of their operands.
Nothing here imports policies or backends: default dtypes are arguments.
"""

from .registry import RULES, rule_names, rules_named
from .rules import Operand, Result, Rules

__all__ = ["RULES", "Operand", "Result", "Rules", "rule_names", "rules_named"]
