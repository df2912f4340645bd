"""Shapes: the shape of a result from the shapes of the operands, for each family of functions."""
