"""NumPy's own functions on `Array`s: `np.sqrt(x)` is `lw.sqrt(x)`.

Before it computes, NumPy asks an array for two hooks: `__array_ufunc__` for its universal functions (`ufuncs`) and
`__array_function__` for the others (`functions`). `Array` takes both from here. If latticework has the function, it
computes and gives `Array`s. If it has not, or not with these arguments, the arrays are converted as by
`numpy.asarray`, and the answer is NumPy's (`operands.by_numpy`). Tables name the functions that latticework answers.
They are read when NumPy calls; nothing here imports NumPy before that.
"""

from __future__ import annotations

from typing import Any

from .ufuncs import array_ufunc

__all__ = ["array_function", "array_ufunc"]


def array_function(self: Any, func: Any, types: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Answer NumPy's call of a function that is not a universal one. Its tables are read at the first such call."""
    from .functions import array_function as answer

    return answer(self, func, types, args, kw)
