"""Keys: what stands in the brackets of `x[key]`."""
