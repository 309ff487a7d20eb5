"""Makes the tables of the grammar when a wheel is built; everything else is in pyproject.toml."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SCRIPT = Path(__file__).parent / "packaging" / "tables.py"


class BuildWithTables(build_py):
    """Adds the tables to the copy of the package that becomes the wheel; an editable install has none."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            clean = {"PYTHONDONTWRITEBYTECODE": "1", "SHLO_CACHE_DIR": ""}  # nothing from a cache
            command = [sys.executable, str(SCRIPT), self.build_lib]
            subprocess.run(command, env=os.environ | clean, check=True)


setup(cmdclass={"build_py": BuildWithTables})
