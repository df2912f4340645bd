"""Configure Sphinx for the site: ``make docs`` builds it into docs/_build/html.

The pages are the Markdown files of this folder. What a page has on the site alone, such as the list of the pages under
it, is added when it is read: see _extensions/sections.py.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_extensions"))

project = "latticework"
author = "the authors of latticework"
copyright = "the authors of latticework, Apache-2.0"  # noqa: A001 - Sphinx' own name
release = (DOCS.parent / "src/latticework/__init__.py").read_text().partition('__version__ = "')[2].partition('"')[0]

extensions = ["myst_parser", "sphinx_design", "sphinx_copybutton", "sections", "finding", "sources"]
exclude_patterns = ["_build", "_extensions", "_templates", "**.ipynb_checkpoints"]
templates_path = ["_templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

myst_enable_extensions = ["colon_fence", "attrs_block", "attrs_inline"]
myst_heading_anchors = 4
maximum_signature_line_length = 72
toc_object_entries = False
add_module_names = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

#: The name of this version among others, where `tools/docs_versions.py` builds several: the switcher is shown then.
version_name = os.environ.get("LATTICEWORK_DOCS_VERSION", "")

html_theme = "pydata_sphinx_theme"
html_title = "latticework"
html_static_path = ["_static"]
html_extra_path = [path for path in ("_build/extra",) if (DOCS / path).is_dir()]  # the notebooks, if they were written
html_css_files = ["site.css"]
html_js_files = ["search.js"]
html_favicon = "_static/logo-light.svg"
html_context = {"default_mode": "auto"}  # light or dark as the system has it, until a reader chooses
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_theme_options = {
    "logo": {"text": "latticework", "image_light": "_static/logo-light.svg", "image_dark": "_static/logo-dark.svg"},
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc", "page-source"],
    "show_toc_level": 2,
    "collapse_navigation": True,
    "navigation_depth": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "primary_sidebar_end": [],
    "templates_skip_empty_check": ["section-nav.html", "navbar-nav.html"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if version_name:
    html_theme_options |= {
        "switcher": {"json_url": "../versions.json", "version_match": version_name},
        "check_switcher": False,
        "navbar_end": ["version-switcher", "theme-switcher"],
        "show_version_warning_banner": True,
    }
html_sidebars = {
    "index": [], "search": [], "sharp_bits": [], "faq": [], "comparison": [],  # they have no pages beside them
    "**": ["section-nav.html"],
}  # fmt: skip
