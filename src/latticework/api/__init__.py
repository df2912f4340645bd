"""The public functions: one `def` per function, a file per chapter of the standard."""
