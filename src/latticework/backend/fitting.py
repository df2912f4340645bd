"""A check that integers fit an array of another integer dtype, before they are written into it."""

from __future__ import annotations

from typing import Any

__all__ = ["refuse_unfit"]


def refuse_unfit(values: Any, low: int, high: int, dtype: str) -> None:
    """Refuse integers that are not all between the ends of a dtype.

    Parameters
    ----------
    values: a NumPy array, or one of NumPy's scalars.
    low, high: the least and the largest integer of the dtype.
    dtype: its name.

    Raises
    ------
    OverflowError: one does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from latticework.backend.fitting import refuse_unfit
    >>> refuse_unfit(np.asarray([3, 300]), 0, 255, "uint8")
    Traceback (most recent call last):
    OverflowError: integers from 3 to 300 do not all fit an array of uint8, whose dtype never changes
    """
    if values.size:
        least, most = (int(values.min()), int(values.max())) if values.ndim else (int(values), int(values))
        if least < low or most > high:
            found = f"{most} does not" if least == most else f"integers from {least} to {most} do not all"
            raise OverflowError(f"{found} fit an array of {dtype}, whose dtype never changes")
