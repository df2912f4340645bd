"""One call, from the signatures of its operands to its result."""
