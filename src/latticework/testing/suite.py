"""The tests of a package: a class of pytest's that the package derives from, with the name of its backend.

    from latticework.testing.suite import BackendTests

    class TestMine(BackendTests):
        backend = "mine"

It runs the kit by areas, so that a test that fails names one, and what the kit does not ask: that the package can be
used, that results are arrays of the framework, and that all programs run but those that the class lists as refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar

import pytest

import latticework as lw

from ..backend import get, problems
from .checking import AREAS, check
from .findings import Report
from .programs import AREAS as PROGRAMS

__all__ = ["BackendTests"]


class BackendTests:
    """Tests of a backend.

    Attributes
    ----------
    backend: its name.
    every: by area, one call in so many is run, the same ones each time: for a framework that takes long for each call.
        Of an area that is not named all are run.
    left_out: areas that are not run.
    refused: by area, the programs that the backend refuses, by their names in a report: of "superset", the functions
        beyond the standard, "random", "derivatives" and "tracing". All others have to run. What is refused of other
        areas is not listed.

    Examples
    --------
    >>> from latticework.testing.suite import BackendTests
    >>> class TestNumpy(BackendTests):
    ...     backend = "numpy"
    >>> TestNumpy().test_it_computes_what_numpy_computes("tracing")
    """

    backend: ClassVar[str]
    every: ClassVar[Mapping[str, int]] = {}
    left_out: ClassVar[Collection[str]] = ()
    refused: ClassVar[Mapping[str, Collection[str]]] = {}

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "area" in metafunc.fixturenames:
            metafunc.parametrize("area", [a for a in AREAS if a not in self.left_out])

    def test_the_package_can_be_used(self) -> None:
        assert problems().get(self.backend) is None

    def test_it_computes_what_numpy_computes(self, area: str) -> None:
        report = check(self.backend, areas=[area], every=self.every.get(area, 1))
        assert not [*report.differences, *report.gone], "\n".join(report.lines())
        if area in PROGRAMS and area not in ("keys", "arrays"):
            self._refuses_what_it_lists(report, {*self.refused.get(area, ())})

    @staticmethod
    def _refuses_what_it_lists(report: Report, listed: set[str]) -> None:
        refused = {f.function for f in report.findings if f.kind == "refused"}
        ran = {f.function for f in report.findings if f.kind == "alike"}
        assert refused <= listed, "\n".join(report.lines())
        assert not (more := ran & listed), f"listed in `refused`, and runs: {more}"

    def test_functions_take_and_give_its_arrays(self) -> None:
        native = get(self.backend).arrays
        with lw.using(backend=self.backend):
            x = lw.asarray([2.0, 0.5])
        found = lw.array_namespace(x.data).special.erf(x.data)
        assert isinstance(x.data, native)
        assert isinstance(found, native)
