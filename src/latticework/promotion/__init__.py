"""What mixes with what: rule sets, and what can be asked of them.

``rules.py`` has what a rule set is, ``registry.py`` the rule sets by name, ``laws.py`` the laws that one may keep,
``explain.py`` why it answers what it answers, ``families/`` what operations do beyond the join of their operands.
Nothing here knows of policies, functions or backends: default dtypes and declarations are arguments.
"""

from .registry import RULES, rule_names, rules_named
from .rules import Operand, Result, Rules

__all__ = ["RULES", "Operand", "Result", "Rules", "rule_names", "rules_named"]
