"""Values that everything is made of: dtypes, devices, signatures, nested sequences, the registry of functions."""
