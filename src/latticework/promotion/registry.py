"""The rule sets by name. Each is a module of its own, imported when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import nearest
from .rules import Rules

__all__ = ["RULES", "WHERE", "rule_names", "rules_named"]

#: name -> the module and the name in it
WHERE = {
    "unified": "unified.rules",
    "precise": "precise.rules",
    "strict": "strict.rules",
    "array_api": "array_api.rules",
    "numpy": "numpy.rules",
    "numpy1": "numpy1.rules",
    "jax": "jax.rules",
    "jax-x32": "jax.x32",
    "jax-strict": "jax.strict",
    "jax-x32-strict": "jax.x32_strict",
    "torch": "torch.rules",
    "tensorflow": "tensorflow.rules",
    "tensorflow-all": "tensorflow.all_",
    "tensorflow-safe": "tensorflow.safe",
    "tensorflow-numpy": "tensorflow_numpy.rules",
    "max": "max.rules",
    "max-2024": "max_2024.rules",
    "keras": "keras.rules",
    "keras-tensorflow": "keras.tensorflow",
    "mlx": "mlx.rules",
    "paddle": "paddle.rules",
}


class _Lazy(dict[str, Any]):
    """The rule sets by name, each module imported when it is first asked for."""

    def __missing__(self, name: str) -> Rules:
        if name not in WHERE:
            raise ValueError(f"there are no rules {name!r}{nearest(name, WHERE) or '.'} There are {', '.join(WHERE)}")
        module, _, variable = WHERE[name].partition(".")
        rules: Rules = getattr(import_module(f"{__package__}.{module}"), variable)
        rules.found_by = rules_named, (name,)
        self[name] = rules
        return rules


RULES: dict[str, Rules] = _Lazy()


def rule_names() -> tuple[str, ...]:
    """The names of all rule sets. Loads none.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.rule_names()[:4]
    ('unified', 'precise', 'strict', 'array_api')
    """
    return tuple(WHERE)


def rules_named(rules: Rules | str) -> Rules:
    """Return the rule set of a name; a rule set itself is returned as it is."""
    return rules if isinstance(rules, Rules) else RULES[rules]
