"""The documentation's build: Sphinx, with pages that are generated from the definitions.

pip install '.[docs]' && sphinx-build -W docs build/docs
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate
from sphinx.application import Sphinx

import stablehlo_py
from stablehlo_py.reports.mlir_lexer import MlirLexer

project = "stablehlo_py"
author = "the stablehlo_py authors"
version = release = stablehlo_py.__version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "stablehlo_py"
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["_static"]
html_css_files = ["docs.css"]
pygments_style = "tango"
highlight_language = "none"

generate.write_all(Path(__file__).parent)


def setup(app: Sphinx) -> None:
    """Sphinx's hook for what is not a setting."""
    app.add_lexer("mlir", MlirLexer)
