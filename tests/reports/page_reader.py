"""Reads the tables, facts and texts of a page."""

from __future__ import annotations

from html.parser import HTMLParser


class Read(HTMLParser):
    """The rows of tables, the names and values of facts, and the other texts with their elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.keys: list[list[str | None]] = []
        self.facts: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.tables: list[str | None] = []
        self._at: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag not in ("meta", "input"):
            self._at.append(tag)
        if tag == "table":
            self.tables.append(known.get("class"))
        elif tag == "tr":
            self.rows.append([])
            self.keys.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.keys[-1].append(known.get("data-key"))
        elif tag == "dt":
            self.facts.append(("", ""))

    def handle_endtag(self, tag: str) -> None:
        assert self._at.pop() == tag

    def handle_data(self, data: str) -> None:
        at = self._at
        if "svg" in at or "style" in at:
            return
        if {"td", "th"} & {*at}:
            self.rows[-1][-1] += data
        elif "dt" in at:
            self.facts[-1] = (data, "")
        elif "dd" in at:
            self.facts[-1] = (self.facts[-1][0], data)
        elif at:
            self.texts.append(f"{at[-1]}: {data}")
