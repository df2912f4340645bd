"""Arrays as text and in files, and functions of Python made functions of arrays."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy

from .base import NO_VALUE, dialect, of_numpy, to_numpy
from .shaping import by_numpy

__all__ = [
    "array2string",
    "format_float_positional",
    "format_float_scientific",
    "genfromtxt",
    "loadtxt",
    "savetxt",
    "vectorize",
]


# fmt: off
def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    return numpy.array_repr(to_numpy(arr), max_line_width, precision, suppress_small)
def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    return numpy.array_str(to_numpy(a), max_line_width, precision, suppress_small)
def save(file, arr, allow_pickle=True): numpy.save(file, to_numpy(arr), allow_pickle)
def savez(file, *args, allow_pickle=True, **kwds):
    numpy.savez(file, *to_numpy(args), allow_pickle=allow_pickle, **to_numpy(kwds))
def savez_compressed(file, *args, allow_pickle=True, **kwds):
    numpy.savez_compressed(file, *to_numpy(args), allow_pickle=allow_pickle, **to_numpy(kwds))
def get_include(): return numpy.get_include()
def show_config(mode="stdout"): return numpy.show_config(mode)
# fmt: on


def _like(real: Any) -> Any:
    """NumPy's function by its own signature, on arrays of the dialect."""
    found = by_numpy(real)
    found.__doc__ = f"`numpy.{real.__name__}`, computed by NumPy on this machine; arrays are on the backend in force."
    return found


array2string = _like(numpy.array2string)
format_float_positional = _like(numpy.format_float_positional)
format_float_scientific = _like(numpy.format_float_scientific)
genfromtxt = _like(numpy.genfromtxt)
loadtxt = _like(numpy.loadtxt)
savetxt = _like(numpy.savetxt)


class _Names:
    """The arrays of a file as attributes."""

    def __init__(self, archive):
        self._of = archive

    def __getattribute__(self, name):
        archive = object.__getattribute__(self, "_of")
        try:
            return archive[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return list(object.__getattribute__(self, "_of"))


class _Archive(Mapping[str, Any]):
    """A file of several arrays, by name."""

    def __init__(self, archive):
        self._archive, self.files, self.f = archive, archive.files, _Names(self)

    # fmt: off
    def __getitem__(self, name): return of_numpy(self._archive[name])
    def __contains__(self, name): return name in self._archive
    def __iter__(self): return iter(self.files)
    def __len__(self): return len(self.files)
    def close(self): self._archive.close()
    def __enter__(self): return self
    def __exit__(self, *error): self.close()
    def __repr__(self): return repr(self._archive)
    @property
    def zip(self): return self._archive.zip
    @property
    def fid(self): return self._archive.fid
    # fmt: on


def load(file, mmap_mode = None, allow_pickle = False, fix_imports = True,
         encoding = "ASCII", *, max_header_size = 10000):  # fmt: skip
    found = numpy.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    return _Archive(found) if hasattr(found, "files") else of_numpy(numpy.asarray(found))


class vectorize:
    """A function of Python scalars as one of arrays: called for each element, or part that `signature` says."""

    def __init__(
        self, pyfunc = NO_VALUE, otypes = None, doc = None, excluded = None, cache = False,
        signature = None,
    ):  # fmt: skip
        self._options = {"otypes": otypes, "doc": doc, "excluded": excluded, "cache": cache, "signature": signature}
        self.pyfunc = pyfunc
        if pyfunc is not NO_VALUE:
            functools.update_wrapper(self, pyfunc)

    def __call__(self, *args, **kwargs):
        if self.pyfunc is NO_VALUE:
            return vectorize(*args, **self._options)
        given = self.pyfunc
        if self._options["signature"] is not None:
            given = functools.wraps(self.pyfunc)(lambda *a, **k: to_numpy(self.pyfunc(*of_numpy(a), **of_numpy(k))))
        else:
            given = functools.wraps(self.pyfunc)(lambda *a, **k: _plain(self.pyfunc(*a, **k)))
        return of_numpy(numpy.vectorize(given, **self._options)(*to_numpy(args), **to_numpy(kwargs)))


def _plain(x: Any) -> Any:
    if type(x) is tuple:
        return tuple([_plain(v) for v in x])
    return to_numpy(x)[()] if type(x) is dialect.array else x


def frompyfunc(func, /, nin, nout, **kwargs):
    made = numpy.frompyfunc(func, nin, nout, **kwargs)

    def call(*args):
        found = made(*to_numpy(args))
        results = found if type(found) is tuple else (found,)
        arrays = tuple([of_numpy(numpy.asarray(r.tolist() if hasattr(r, "tolist") else r)) for r in results])
        return arrays if type(found) is tuple else arrays[0]

    return call


dialect.finish(globals(), view="numpy")
