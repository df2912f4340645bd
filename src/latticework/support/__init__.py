"""The dtypes that a function takes on a backend, device and version: measured, evaluated, declared.

``samples``    the sample arguments that functions are measured with
``probe``      runs every function on every dtype, and measures how it computes them
``data``       what was measured, by backend and version: backends/support/*.json
``query``      `function_supported_dtypes` and its kin
``arguments``  makes the arguments of a user's function
``evaluation`` runs a function on arrays without data, once for each path that values may choose
``meets``      finds the functions that a function calls, in its syntax tree, where it cannot be run so
``versions``   installed versions, ranges of versions, and which range holds for a version
``decorators`` `with_supported_dtypes` and its kin, for functions that declare what they take

``import latticework`` loads nothing of it.
"""
