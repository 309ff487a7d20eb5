"""The search of the built documentation, in a real browser, answers the questions in `tests/questions.csv`.

DOCUMENTATION is the folder of the built documentation.
"""

from __future__ import annotations

import csv
import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import pytest
from conftest import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

BUILT = os.environ.get("DOCUMENTATION")
BROWSER = os.environ.get("BROWSER_PATH") or shutil.which("chromium") or shutil.which("google-chrome")
with (ROOT / "tests" / "questions.csv").open(encoding="utf-8") as file:
    QUESTIONS = list(csv.DictReader(file))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Requests are not logged."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    if BUILT is None:
        pytest.skip("needs the built documentation: DOCUMENTATION is its folder")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(Path(BUILT).resolve())))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def view(site: str) -> Iterator[Page]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright to steer a browser")
    if BROWSER is None:
        pytest.skip("needs a browser: Chromium or Chrome")
    with playwright.sync_playwright() as session:
        browser = session.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["question"])
def test_the_search_finds_the_answer(row: dict[str, str], site: str, view: Page) -> None:
    """The section that answers a question is among the first three results."""
    view.goto(f"{site}/search.html?q={quote_plus(row['question'])}")
    view.locator("#search-results .search-summary", has_text="found").wait_for()
    found = view.locator("#search-results ul.search > li > a")
    results = [(link.get_attribute("href") or "", link.inner_text()) for link in found.all()[:3]]
    right = [title for href, title in results if href.startswith(f"{row['page']}.html")]
    assert any(row["title"] in title for title in right), results
