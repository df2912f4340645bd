"""NumPy's own functions on our arrays: `np.sqrt(x)` is `lw.sqrt(x)`.

Before it computes, NumPy asks an array for two hooks: `__array_ufunc__` for its universal functions (`ufuncs`) and
`__array_function__` for the others (`functions`). `Array` takes both from here. Where latticework has the function, it
computes and gives arrays of ours. Where it has not, or not with these arguments, the arrays are converted as
`numpy.asarray` does, and the answer is NumPy's (`operands.by_numpy`). Which functions are ours is in tables by name.
They are read when NumPy calls; nothing here imports NumPy before that.
"""

from .functions import array_function
from .ufuncs import array_ufunc

__all__ = ["array_function", "array_ufunc"]
