"""`nditer`: the elements of arrays one after the other, to read."""

from __future__ import annotations

import itertools

import numpy

from .base import as_array, ops

__all__ = ["nditer"]

_READ = {"readonly", "nbo", "aligned", "contig", "copy", "no_subtype", "arraymask"}
_KNOWN = {"multi_index", "c_index", "refs_ok", "zerosize_ok", "common_dtype", "ranged", "delay_bufalloc", "grow_inner"}


class nditer:
    """The elements of an array, or those of several that are broadcast together, in C order.

    Parameters
    ----------
    op: an array, or a list of them.
    flags: ``"multi_index"``, ``"c_index"`` and those that change nothing for what is read.
    op_flags: what is done with the arrays: they are read.

    Raises
    ------
    ValueError: a flag asks to write, or for pieces of memory; or there are no elements, without ``"zerosize_ok"``.

    Notes
    -----
    Elements are arrays without dimensions, copies: to write, take ``np.ndindex(a.shape)`` and ``a[index] = value``.

    Examples
    --------
    >>> import latticework.frontends.numpy as np
    >>> it = np.nditer(np.array([[1, 2], [3, 4]]), flags=["multi_index"])
    >>> [(it.multi_index, int(x)) for x in it]
    [((0, 0), 1), ((0, 1), 2), ((1, 0), 3), ((1, 1), 4)]
    """

    def __init__(
        self, op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", op_axes=None, itershape=None,
        buffersize=0,
    ):  # fmt: skip
        self._several = isinstance(op, (list, tuple))
        listed = [as_array(x) for x in (op if self._several else [op])]
        for flag in flags or ():
            if flag not in _KNOWN:
                raise ValueError(f"nditer: the flag {flag!r} is about pieces of memory, which backends do not show")
        of_each = op_flags or ()
        of_each = [f for part in of_each for f in ([part] if isinstance(part, str) else part)]
        for flag in of_each:
            if flag not in _READ:
                raise ValueError(
                    f"nditer: elements are read, and {flag!r} asks for more. Write with a[index] = value for index in "
                    "np.ndindex(a.shape)"
                )
        if op_axes is not None or order == "F":
            raise ValueError("nditer: elements come in C order, and arrays are broadcast: give neither op_axes nor 'F'")
        self._flags = frozenset(flags or ())
        if op_dtypes is not None:
            listed = [x if d is None else x.astype(d) for x, d in zip(listed, op_dtypes, strict=True)]
        self.shape = numpy.broadcast_shapes(*[x.shape for x in listed], *([] if itershape is None else [itershape]))
        self.operands = tuple([ops.broadcast_to(x, self.shape) for x in listed])
        self.itersize = int(numpy.prod(self.shape))
        if not self.itersize and "zerosize_ok" not in self._flags:
            raise ValueError("Iteration of zero-sized operands is not enabled")
        self.reset()

    @property
    def nop(self):
        """How many arrays it goes along."""
        return len(self.operands)

    @property
    def ndim(self):
        """How many axes it goes along."""
        return len(self.shape)

    @property
    def dtypes(self):
        """The dtypes of the arrays."""
        return tuple([x.dtype for x in self.operands])

    @property
    def finished(self):
        """Whether it is after the last element."""
        return self.iterindex >= self.itersize

    @property
    def multi_index(self):
        """Where it is; with the flag ``"multi_index"``."""
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._places[self.iterindex]

    @property
    def index(self):
        """Where it is, as the number of the element; with the flag ``"c_index"``."""
        if "c_index" not in self._flags:
            raise ValueError("Iterator does not have an index")
        return self.iterindex

    @property
    def value(self):
        """The element, or those of all arrays."""
        found = tuple([x[self._places[self.iterindex]] for x in self.operands])
        return found if self._several and len(found) > 1 else found[0]

    def reset(self):
        """Go back to the first element."""
        self.iterindex, self._begun = 0, False
        self._places = list(itertools.product(*[range(n) for n in self.shape]))

    def iternext(self):
        """Go to the next element, and return whether there is one."""
        self.iterindex += 1
        return not self.finished

    def close(self):
        """Do nothing: there is no buffer to write back."""

    def __iter__(self):
        return self

    def __next__(self):
        self.iterindex += self._begun
        self._begun = True
        if self.finished:
            raise StopIteration
        return self.value

    def __getitem__(self, i):
        return tuple([x[self._places[self.iterindex]] for x in self.operands])[i]

    def __len__(self):
        return self.nop

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None
