"""The versions of the Array API standard that the namespace is a superset of."""

from __future__ import annotations

from ..errors import nearest

__all__ = ["VERSIONS", "check_api_version"]

#: The versions of the standard that the namespace is a superset of.
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def check_api_version(version: str | None) -> None:
    """Refuse a version of the standard that does not exist or is newer than latticework's."""
    if version is not None and version not in VERSIONS:
        supported = ", ".join(VERSIONS)
        raise ValueError(
            f"there is no version {version!r} of the standard here{nearest(version, VERSIONS)} ({supported})"
        )
