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
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: address for name, address in found.items() if address and isinstance(address, str)}


def page_address(kind: str, **of: str) -> str:
    """Return the address of a file's source, or of where to edit it; "" if that is not decided."""
    pattern: str = tomllib.loads(FILE.read_text(encoding="utf-8")).get("pages", {}).get(kind, "")
    return pattern.format(**of)


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
