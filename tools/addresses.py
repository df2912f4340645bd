"""The addresses of the project, from docs/addresses.toml: for the metadata of the package, and for the pages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "docs" / "addresses.toml"
#: What a page says where an address is not decided.
PLACEHOLDER = "<address of the repository>"


def addresses() -> dict[str, str]:
    """Return the addresses that are decided, by what they are of."""
    return {name: address for name, address in tomllib.loads(FILE.read_text(encoding="utf-8")).items() if address}


def completed(page: str) -> str:
    """Write the address of the repository into a page, if it is decided."""
    return page.replace(PLACEHOLDER, addresses().get("repository", PLACEHOLDER))


def get_metadata_hook() -> type:
    """Return what hatchling completes the metadata of the package by."""
    from hatchling.metadata.plugin.interface import MetadataHookInterface

    class Addresses(MetadataHookInterface):  # type: ignore[misc]
        """The addresses of the project."""

        def update(self, metadata: dict[str, Any]) -> None:
            metadata["urls"] = {name.capitalize(): address for name, address in addresses().items()}

    return Addresses
