"""The framework of the backend `few`: it has no arrays of its own."""
