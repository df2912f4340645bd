"""Our own: what each function is declared to take and to give, under `unified` and every rule set without families.

A floating function takes bools and integers as if they met a Python float. Sums of small integers are made at the
default width. An array keeps its dtype: `Rules.goes_into` says what is cast to it.
"""

from __future__ import annotations

from ...core.dtypes import Dtype
from . import Families, derived


def can_cast(result: Dtype, target: Dtype) -> bool:
    """Nothing by itself: `Rules.goes_into` says what else."""
    return result is target


families = Families("latticework", {}, derived, can_cast, bools_each=True, free_bounds=True, beside_float=True)
