"""pyhf's backend on NumPy. Its tests ask for NumPy's warnings, so the arrays are pyhf's own."""

import numpy as np
from pyhf.tensor.tensor import Backend


class numpy_backend(Backend):
    """NumPy; its optimizer has no gradients."""

    name = framework = "numpy"
    default_do_grad = False
    #: The classes of an array and of what is in it.
    array_type, array_subtype = np.ndarray, np.number
