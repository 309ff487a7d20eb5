"""GitLab Code Quality reports: a JSON list of issues."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import Any, TextIO

from stablehlo_py.cli import common
from stablehlo_py.cli.reports import Tool, workspace_path
from stablehlo_py.cli.results import FileResult, Totals

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


class GitlabReport:
    """A code quality report, written when it is closed."""

    def __init__(self, stream: TextIO, tool: Tool) -> None:
        self.stream, self.tool = stream, tool
        self.issues: list[dict[str, Any]] = []
        self.seen: Counter[tuple[str, str, str]] = Counter()

    def add(self, result: FileResult) -> None:
        """Report the result of one file."""
        path = workspace_path(result.file)
        for diagnostic in result.diagnostics:
            # A fingerprint without the line, so that an issue is the same one after it has moved.
            key = (path, diagnostic.code, diagnostic.message)
            fingerprint = sha256(repr((*key, self.seen[key])).encode("utf-8", "replace")).hexdigest()
            self.seen[key] += 1
            self.issues.append(
                {
                    "description": common.speakable("\n".join([diagnostic.message, *diagnostic.notes])),
                    "check_name": f"shlo {self.tool.name}: {diagnostic.code}",
                    "fingerprint": fingerprint,
                    "severity": _SEVERITIES[diagnostic.severity],
                    "location": {"path": path, "lines": {"begin": max(diagnostic.line, 1)}},
                }
            )

    def close(self, totals: Totals) -> None:
        """Finish the report."""
        json.dump(self.issues, self.stream, indent=2)
        self.stream.write("\n")
