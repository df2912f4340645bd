"""pyhf's backend on JAX."""

import jax
from pyhf.tensor.tensor import Backend

jax.config.update("jax_enable_x64", True)  # else JAX has no arrays of 64 bits at all


class jax_backend(Backend):
    """JAX, with gradients and compiled objectives."""

    name = framework = "jax"
    #: The classes of an array and of what is in it.
    array_type = array_subtype = jax.Array

    def tolist(self, tensor_in):
        """Return an array as lists of Python numbers; while JAX traces, its shape and dtype."""
        return tensor_in.aval if isinstance(tensor_in, jax.core.Tracer) else super().tolist(tensor_in)
