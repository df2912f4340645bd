"""`jax.example_libraries`: layers and optimizers as pairs of functions."""
