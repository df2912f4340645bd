"""latticework's own families: the declarations of its functions, for `unified` and every rule set without families.

A floating function takes bools and integers as if they met a Python float. Sums of small integers are made at the
default width. An array that is written into keeps its dtype: `Rules.goes_into` says which dtypes are cast to it.
"""

from __future__ import annotations

from . import Families, derived, same_dtype

families = Families("latticework", {}, derived, same_dtype, bools_each=True, free_bounds=True, beside_float=True)
