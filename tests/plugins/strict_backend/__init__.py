"""A backend of array-api-strict: the least that a package has to have."""

import array_api_strict

from latticework.backend import of_namespace

# Its isin does not look at `invert`.
BACKEND = of_namespace(array_api_strict, spelled={"isin": None})
