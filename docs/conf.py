"""The documentation's build: Sphinx, with pages that are generated from the definitions.

pip install '.[docs]' && sphinx-build -W docs build/docs
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate
import sessions
from sphinx.application import Sphinx

import stablehlo_py
from stablehlo_py.reports.mlir_lexer import MlirLexer

project = "stablehlo_py"
author = "the stablehlo_py authors"
version = release = stablehlo_py.__version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
smartquotes = False  # two hyphens begin an option
html_theme = "furo"
html_title = "stablehlo_py"
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_search_scorer = str(Path(__file__).parent / "search_scorer.js")
pygments_style = "tango"
highlight_language = "none"

# Pages link to the reference where it is published: a checkout has none. In a build, it stands beside them.
PUBLISHED = re.compile(r"\]\(https://stablehlo-py\.github\.io/stablehlo-py/([\w/-]+)\.html")


def link_inside(app: Sphinx, name: str, source: list[str]) -> None:
    """Sphinx's hook for the text of a page."""
    source[0] = PUBLISHED.sub(r"](\1.md", source[0])


generate.write_all(Path(__file__).parent)
sessions.record_all(Path(__file__).parent / "reference" / "sessions")


def setup(app: Sphinx) -> None:
    """Sphinx's hook for what is not a setting."""
    app.add_lexer("mlir", MlirLexer)
    app.connect("source-read", link_inside)
