"""Which dtypes a function takes on which backend, device and version: measured, asked for, declared.

``samples`` what functions are called with to find out
``probe``   runs every function on every dtype, and says how it was done
``data``    what was found, by backend and version: backends/support/*.json
``ask``     `function_supported_dtypes` and its kin
``syntax``  from a function to its syntax tree
``values``  what an expression can stand for while nothing is computed
``walk``    through a function's syntax tree, meeting the functions that it calls
``versions`` the forms in which a version or a range of them is written
``decorators`` `with_supported_dtypes` and its kin, for functions that declare what they take

Nothing of it is loaded by ``import latticework``.
"""
