"""The framework of the backend `least_backend`: its arrays are those of array-api-strict."""
