"""Our own: what each function is declared to take and to give, under `unified` and every rule set without families.

A floating function takes bools and integers as if they met a Python float. Sums of small integers are made at the
default width. An array keeps its dtype: `Rules.goes_into` says what is cast to it.
"""

from __future__ import annotations

from . import Families, derived, same_dtype

families = Families("latticework", {}, derived, same_dtype, bools_each=True, free_bounds=True, beside_float=True)
