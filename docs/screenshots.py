"""Pictures of the pages that commands write, in `docs/images/`: `python docs/screenshots.py [FOLDER]`.

A browser takes them: Chromium or Chrome, and the package playwright.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
IMAGES = Path(__file__).parent / "images"
FILES = [
    ROOT / "testdata" / name
    for name in ("mismatch.mlir", "programs/attention.mlir", "programs/attention.npz")
]
SIZE = (1200, 720)


class Picture(NamedTuple):
    """A picture of a page: its name, and the command that writes the page."""

    name: str
    command: Sequence[str]


PICTURES = (
    Picture("graph", ["graph", "attention.mlir", "-o", "page.html"]),
    Picture("report", ["report", "mismatch.mlir", "-o", "page.html"]),
    Picture(
        "profile",
        [
            "run",
            "attention.mlir",
            "-a",
            "attention.npz",
            "--engine",
            "numpy",
            "--repeat",
            "5",
            "--profile-output",
            "page.html",
        ],
    ),
    Picture(
        "comparison", ["compare", "attention.mlir", "other.mlir", "-a", "attention.npz", "-o", "page.html"]
    ),
)


def take(browser: Browser, folder: Path) -> None:
    """Take the pictures into a folder."""
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        for file in FILES:
            shutil.copy(file, made)
        other = (made / "attention.mlir").read_text().replace("exponential %", "exponential_minus_one %")
        (made / "other.mlir").write_text(other)
        for picture in PICTURES:
            command = [sys.executable, "-m", "stablehlo_py", *picture.command]
            subprocess.run(command, cwd=made, capture_output=True, check=False)  # findings fail
            view = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
            view.goto((made / "page.html").as_uri())
            view.screenshot(path=folder / f"{picture.name}.png")
            view.close()
            (made / "page.html").unlink()


def main() -> None:
    """Take the pictures into `docs/images/`, or the folder that is given."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES)
    folder: Path = parser.parse_args().folder
    path = os.environ.get("BROWSER_PATH") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as session:
        browser = session.chromium.launch(executable_path=path, args=["--no-sandbox"])
        take(browser, folder)
        browser.close()


if __name__ == "__main__":
    main()
