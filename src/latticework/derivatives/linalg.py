"""Rules of linear algebra: decompositions, inverses, norms."""

from __future__ import annotations
