"""`torch.quasirandom`: points of Sobol's sequences, which fill a cube more evenly than random ones.

The directions of the sequences are those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
two-dimensional projections" (2008), as SciPy has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import default_float, dialect, ops, written
from .sampling import Generator, default_generator

__all__ = ["SobolEngine"]


class SobolEngine:
    """The points of a Sobol sequence, one after the other: of each 2**k points that follow 2**k others, as many are in
    either half of each axis.

    Parameters
    ----------
    dimension: the number of axes, from 1 to 21201.
    scramble: whether the points are moved at random such that they stay as even: by the scrambling of Matousek. The
        random numbers are others than PyTorch's for the same seed.
    seed: the seed of these random numbers. None takes the default generator.

    Raises
    ------
    ValueError: the dimension is out of bounds.
    ModuleNotFoundError: SciPy is not installed.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.quasirandom.SobolEngine(2).draw(4)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500],
            [0.2500, 0.7500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension, scramble=False, seed=None):
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        try:
            from scipy.stats import qmc
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "SobolEngine: the directions of its sequences are SciPy's. Install it: pip install scipy", name="scipy"
            ) from None
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        self.num_generated = 0
        random = np.random.default_rng(self._entropy()) if scramble else None
        self._sequence = qmc.Sobol(dimension, scramble=scramble, bits=self.MAXBIT, rng=random)
        self._first = self._sequence.random(1)  # the rest may have any length without a warning

    def _entropy(self) -> int:
        generator = default_generator
        if self.seed is not None:
            generator = Generator()
            generator.manual_seed(self.seed)
        return int(ops.random.randint(generator.key(), (), 0, 2**31 - 1, dtype="int64").item())

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """Return the next points.

        Parameters
        ----------
        n: how many.
        out: a tensor to write them into.
        dtype: a floating dtype; the default one, if not given.

        Returns
        -------
        Shape (n, dimension), of numbers from 0 to 1.
        """
        points = self._sequence.random(n - 1 if self.num_generated == 0 else n)
        if self.num_generated == 0:
            points = np.concatenate([self._first, points])
        self.num_generated += n
        made = ops.asarray(points, dtype=default_float() if dtype is None else dialect.dtype_of(dtype))
        return made if out is None else written(out, made)

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """Return the next 2**m points.

        Raises
        ------
        ValueError: with those before they are no power of 2.
        """
        total = self.num_generated + 2**m
        if total & (total - 1):
            raise ValueError(
                f"{self.num_generated} points were drawn before, and {total} are no power of 2, which an even filling "
                "needs. SobolEngine.draw takes any number"
            )
        return self.draw(2**m, out, dtype)

    def reset(self) -> SobolEngine:
        """Begin anew, with the same points."""
        self._sequence.reset()
        self._sequence.fast_forward(1)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out the next points."""
        self._sequence.fast_forward(n - 1 if self.num_generated == 0 else n)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        more = (", scramble=True" if self.scramble else "") + (f", seed={self.seed}" if self.seed is not None else "")
        return f"SobolEngine(dimension={self.dimension}{more})"
