"""The path of a call, from the signatures of its operands to its result."""
