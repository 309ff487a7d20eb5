"""Features: a method of the protocol, its handler, and its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlparse

from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.linter.config import Project, find_project
from stablehlo_py.linter.options import SettingsError
from stablehlo_py.lsp.document import Document

_KEPT = 32  # documents


class Feature(NamedTuple):
    """A row of the table of features.

    Attributes:
        method: The method of the protocol.
        handle: Answers a request about a document.
        options: The options with which the method is registered.
    """

    method: str
    handle: Callable[[Session, Document, Any], Any]
    options: Any = None

    def answer(self, session: Session, document: Document, params: Any) -> Any:
        """Answer a request; nothing that an answer is made of is garbage before it is sent."""
        with gc_paused():
            return self.handle(session, document, params)


@dataclass
class Session:
    """What the server knows: the configuration of projects, and the documents that features have indexed.

    Attributes:
        notify: Shows a message to the user.
        allow_newer: Whether ops newer than this release are accepted, whatever the project.
    """

    notify: Callable[[str], None] = print
    allow_newer: bool = False
    _documents: dict[str, Document] = field(default_factory=dict)
    _problems: set[str] = field(default_factory=set)

    def document(self, uri: str, text: str, version: int) -> Document:
        """Return the document model of a version of a text, which is built once."""
        found = self._documents.get(uri)
        if found is None or found.version != version or found.text != text:
            found = Document(text, path_of(uri) or uri, version)
            found.allow_newer = self.allow_newer or self.project(found).verify.allow_newer
            self._documents.pop(uri, None)
            self._documents[uri] = found
            while len(self._documents) > _KEPT:
                del self._documents[next(iter(self._documents))]
        return found

    def configure(self, options: Any) -> None:
        """Take the initialization options of the client: `{"allowNewer": true}`."""
        if isinstance(options, dict):
            self.allow_newer = options.get("allowNewer") is True

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._documents.pop(uri, None)

    def project(self, document: Document) -> Project:
        """Return the configuration for a document; report an invalid one once, and use the defaults."""
        folder = Path(document.name).parent
        try:
            return _project(folder, _stamp(folder))
        except (SettingsError, OSError) as error:
            if str(error) not in self._problems:
                self._problems.add(str(error))
                self.notify(str(error))
            return Project(folder)


@lru_cache(64)
def _project(folder: Path, stamp: tuple[int, ...]) -> Project:
    return find_project(folder)


def _stamp(folder: Path) -> tuple[int, ...]:
    """Return the modification times of the configuration files that may apply in a folder."""
    files = [parent / "pyproject.toml" for parent in (folder, *folder.parents)]
    return tuple([file.stat().st_mtime_ns if file.is_file() else 0 for file in files])


def path_of(uri: str) -> str:
    """Return the path of a file URI; "" for others."""
    parsed = urlparse(uri)
    if parsed.scheme != "file":
        return ""
    path = unquote(parsed.path)
    return path[1:] if path[2:3] == ":" else path  # /C:/folder on Windows
