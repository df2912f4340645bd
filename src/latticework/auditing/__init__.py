"""The audit of a program: where it would give another dtype, or an error, under other rules or on another backend.

`run.audit` runs a function without data under each rule set and each backend (`recording`), aligns what the runs did
(`comparing`), looks for the cast that makes them agree (`settling`), and reports it by line and expression (`report`,
`text`, `patching`).
"""
