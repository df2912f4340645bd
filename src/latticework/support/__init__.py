"""Which dtypes a function takes on which backend, device and version: measured, evaluated, declared.

``samples`` what functions are called with to find out
``probe``   runs every function on every dtype, and says how it was done
``data``    what was found, by backend and version: backends/support/*.json
``query``   `function_supported_dtypes` and its kin
``arguments`` what a user's function is called with
``evaluation`` runs a function on arrays without data, every way that a value may send it
``meets``   the functions that a function calls, by its syntax tree, for one that cannot be run so
``versions`` the forms in which a version or a range of them is written
``decorators`` `with_supported_dtypes` and its kin, for functions that declare what they take

Nothing of it is loaded by ``import latticework``.
"""
