"""The parts of NumPy that the dialect leaves out, and the differences, with the reasons."""

from __future__ import annotations

__all__ = ["ABSENT", "DIFFERENCES"]

_MEMORY = "it is about memory that only NumPy lays out so"

#: name or group -> why it is not there
ABSENT: dict[str, str] = {
    "longdouble, clongdouble, float128, complex256 arrays": "no other framework has 80 bit floats",
    "fromregex": "it reads text into records; np.loadtxt reads numbers",
    "matrix, asmatrix, bmat, row_stack": "NumPy itself advises against them; arrays have the operator @",
    "poly1d": "NumPy itself advises np.polynomial.Polynomial, which is there; polyval, polyfit and roots are there too",
    "nested_iters": _MEMORY,
    "memmap, ctypeslib, core, f2py, test, lib but stride_tricks and array_utils": _MEMORY,
    "ndarray.ctypes, ndarray.getfield, ndarray.setfield, ndarray.strides to write": _MEMORY,
    "emath": "what takes complex numbers gives them: cast x first, x.astype(complex)",
    "info, show_runtime": "they are about NumPy as a package",
}

#: name -> what differs
DIFFERENCES: dict[str, str] = {
    "scalars": "reductions and elements are arrays without dimensions. They hash, print, format, index and round as "
    "NumPy's scalars do, and do not change in place: x += 1 makes a new one. isinstance(x, np.float64) is False.",
    "np.float64(x)": "the scalar types are NumPy's own: of an array with dimensions they make a NumPy array",
    "ufuncs": "they are Python functions with the attributes and methods of universal functions",
    "warnings": "divisions by zero and overflows warn on the NumPy backend alone; np.errstate decides there",
    "order, subok, like": "these options are taken and change nothing: the layout of memory is the backend's",
    "casting": "takes effect where dtype= or out= are given",
    "np.linalg.eig": "real eigenvalues come back real where all imaginary parts are 0, decided by a look at the values",
    "views": "as NumPy has them on the NumPy backend and on PyTorch, but for negative steps, which PyTorch copies; on "
    "JAX, TensorFlow and Dask a write to what NumPy has as a view is an error with the ways out",
    "comparing with None or text": "gives False, where NumPy gives an array of it",
    "bfloat16": "an extension of NumPy's dtypes: universal functions, sums and sorts answer as ml_dtypes has them in "
    "NumPy; other functions take it here, where NumPy refuses it or gives objects",
    "unique_values, unique_counts, unique_inverse, unique_all": "sorted; NumPy's order of these is not defined",
    "np.unwrap of unsigned integers": "differences below 0 are what they are, where NumPy's wrap around",
    "ndarray.base": "None: an array does not know what it is a view of",
    "np.random": "NumPy draws the numbers, on this machine, and they move to the backend in force",
    "packbits, unpackbits, histograms of uneven bins, roots, pad with statistics, files": "computed by NumPy on this "
    "machine and moved back",
    "arrays of objects, text, dates and records": "stay NumPy's own, on this machine: np.array(['a', None]) is a "
    "numpy.ndarray. A function that meets one is NumPy's own, and numbers that it returns are arrays of the dialect. "
    "Its methods return NumPy's arrays. np.char, np.strings, np.rec and the functions of dates are NumPy's",
    "masked arrays, np.ma": "are NumPy's own. Functions and operators that meet one are NumPy's, and arrays of the "
    "dialect beside it are read into NumPy. The same holds for np.matrix and for other subclasses that a package of "
    "compiled code returns",
    "subclasses of ndarray": "have no instances: functions return arrays of the dialect, and know of no other class. "
    "Instances, and x.view(Subclass), raise TypeError",
    "as_strided": "gives a copy, of an array whose elements lie one after the other; strides that reach beyond it are "
    "an error",
    "nditer": "reads, in C order; it writes nothing, and does not give pieces of memory (external_loop, buffered)",
    "np.polynomial": "NumPy's own modules, over arrays of the dialect. Companion matrices are made by NumPy on this "
    "machine for backends without views. On Dask what trims zeros is an error: how many there are depends on values",
    "np.frompyfunc": "gives arrays of numbers, where NumPy gives objects",
}
