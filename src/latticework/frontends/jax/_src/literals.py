"""Arrays of NumPy's that a program holds: they are no class of their own here."""
