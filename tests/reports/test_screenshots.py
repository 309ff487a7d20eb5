"""The pictures of pages in the documentation: they look like what the commands write today."""

from __future__ import annotations

import runpy
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DOCS = Path(__file__).parents[2] / "docs"
NAMES = ("graph", "report", "profile", "comparison")
# How much of the ink of two pictures is at the same place, from 0 to 1: both are drawn in 60 x 36 cells.
# Fonts and times differ from machine to machine.
OVERLAP = """async pictures => {
  const inks = [];
  for (const picture of pictures) {
    const image = new Image();
    image.src = picture;
    await image.decode();
    const canvas = new OffscreenCanvas(60, 36), context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, 60, 36);
    const { data } = context.getImageData(0, 0, 60, 36);
    const light = at => data[4 * at] + data[4 * at + 1] + data[4 * at + 2];
    inks.push(Array.from({ length: 60 * 36 }, (_, at) => 765 - light(at)));
  }
  const sum = pick => inks[0].reduce((all, ink, at) => all + pick(ink, inks[1][at]), 0);
  return sum(Math.min) / sum(Math.max);
}"""
LEAST = {"graph": 0.7, "report": 0.7, "profile": 0.4, "comparison": 0.7}


@pytest.fixture(scope="module")
def taken(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures of today."""
    folder = tmp_path_factory.mktemp("pictures")
    runpy.run_path(str(DOCS / "screenshots.py"))["take"](browser, folder)
    return folder


def overlap(view: Page, *files: Path) -> float:
    pictures = [f"data:image/png;base64,{b64encode(file.read_bytes()).decode()}" for file in files]
    return float(view.evaluate(OVERLAP, pictures))


def test_pictures_are_current(browser: Browser, taken: Path) -> None:
    view = browser.new_page()
    found = {name: overlap(view, DOCS / f"images/{name}.png", taken / f"{name}.png") for name in NAMES}
    assert {name: value for name, value in found.items() if value < LEAST[name]} == {}
    # Pictures of other pages do not pass.
    others = [
        overlap(view, DOCS / f"images/{a}.png", taken / f"{b}.png") for a in NAMES for b in NAMES if a != b
    ]
    assert max(others) < min(LEAST.values())
    view.close()
