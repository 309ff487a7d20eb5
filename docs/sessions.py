"""Terminal sessions of the commands as pictures: real output of real commands, recorded at every build.

`sessions.toml` has a session for each command. Its lines run in a pseudo-terminal, in a folder with the files
that a reader has: `testdata/`, and the programs that the pages show below their names.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

import stablehlo_py

DOCS = Path(__file__).parent
WIDTH, HEIGHT = 100, 14
_PROGRAM = re.compile(r"^`([\w.]+)`:\n\n```(?:mlir|py)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")

# The format of rich, without its fonts, which are loaded from the network.
_SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


@dataclass(frozen=True)
class Session:
    """What is typed, the exit status of each line, how many lines of an output are shown, files to keep.

    A line that starts the program `screen`, an editor, is ended when `until` is on the screen.
    """

    name: str
    lines: Sequence[str]
    statuses: Sequence[int] = ()
    show: int = 40
    keep: Sequence[str] = ()
    screen: str = ""
    until: str = ""

    @property
    def title(self) -> str:
        """The description of the picture for those who do not see it."""
        return "Terminal: " + "; ".join(self.lines)


def sessions() -> dict[str, Session]:
    """Return the rows of `sessions.toml`, by command, without those of editors that are not installed."""
    rows = tomllib.loads((DOCS / "sessions.toml").read_text(encoding="utf-8"))
    found = {name: Session(name, **row) for name, row in rows.items()}
    return {name: each for name, each in found.items() if not each.screen or shutil.which(each.screen)}


def record_all(folder: Path) -> None:
    """Record every session as `NAME.svg` in the folder, with the files that it keeps beside it.

    Raises:
        RuntimeError: If a command of a session ends with another status than its row states.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda session: record(session, folder), sessions().values()))


def record(session: Session, target: Path) -> None:
    """Write the picture of a session, and the files that it keeps, into a folder."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _prepare(folder)
        for line, expected in zip_longest(session.lines, session.statuses, fillvalue=0):
            if line.startswith(f"{session.screen} ") and session.screen:
                console.print(_screen(line, folder, session.until))
                continue
            console.print(Text(f"$ {line}", style="bold"))
            status, output = _type(line, folder)
            if status != expected or "Traceback" in output:
                raise RuntimeError(f"$ {line}\n{output}\nexit status {status}, expected {expected}")
            for row in _shown(output, session.show):
                console.print(row)
        for kept in session.keep:
            shutil.copy(folder / kept, target)
    console.print()  # the lower edge cuts the last line
    title = session.lines[0].split(" -")[0]
    picture = console.export_svg(title=title, code_format=_SVG, unique_id=session.name)
    (target / f"{session.name}.svg").write_text(picture, encoding="utf-8")


def _shown(output: str, limit: int) -> Iterator[Text]:
    """Yield the first lines of an output, without times, which differ from build to build."""
    rows = Text.from_ansi(_SECONDS.sub("... s", output).rstrip()).split() if output.strip() else []
    yield from rows[:limit]
    if len(rows) > limit:
        yield Text(f"... {len(rows) - limit} more lines", style="dim")


def _prepare(folder: Path) -> None:
    """Put into the folder what a reader has, and `shlo`."""
    ignored = shutil.ignore_patterns("constraints", "spec", "spec_tables")
    shutil.copytree(DOCS.parent / "testdata", folder / "testdata", ignore=ignored)
    for page in DOCS.glob("*.md"):
        for path, text in _PROGRAM.findall(page.read_text(encoding="utf-8")):
            (folder / path).write_text(text, encoding="utf-8")
    for path in [DOCS / "neovim.lua", DOCS.parent / "editors" / "neovim" / "shlo.lua"]:
        shutil.copy(path, folder)
    command = folder / ".bin" / "shlo"
    command.parent.mkdir()
    # No progress bar is recorded, however long a command takes on a loaded machine.
    command.write_text(
        f"#!{sys.executable}\nfrom stablehlo_py.cli import progress\nfrom stablehlo_py.cli.main import main\n"
        "progress.DELAY = 3600.0\nmain()\n"
    )
    command.chmod(0o755)


def _type(line: str, folder: Path) -> tuple[int, str]:
    """Run a line in a terminal of the width; return its exit status and output."""
    process, terminal = _start(line, folder)
    output = b"".join(_read(terminal))
    os.close(terminal)
    return process.wait(), output.decode("utf-8").replace("\r\n", "\n")


def _screen(line: str, folder: Path, until: str) -> Text:
    """Run an editor until a text is on its screen and nothing more is drawn; return the screen."""
    import pyte

    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.ByteStream(screen)
    process, terminal = _start(line, folder)
    end = time.monotonic() + 60
    while select.select([terminal], [], [], 1)[0] or until not in "\n".join(screen.display):
        if time.monotonic() > end:
            raise RuntimeError(f"$ {line}\n" + "\n".join(screen.display) + f"\nexpected {until!r}")
        if select.select([terminal], [], [], 0)[0]:
            stream.feed(os.read(terminal, 65536))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.close(terminal)
    rows = [Text.assemble(*map(_character, screen.buffer[y].values())) for y in range(HEIGHT)]
    return Text("\n").join(rows)


def _character(character: Any) -> tuple[str, str]:
    """Return a character of a screen with its style in rich's words."""
    words = [word for word in ("bold", "reverse") if getattr(character, word)]
    words += ["underline"] if character.underscore else []
    for prefix, color in (("", character.fg), ("on ", character.bg)):
        if color != "default":
            plain = color.replace("brown", "yellow").replace("bright", "bright_")
            words.append(prefix + (f"#{color}" if re.fullmatch(r"[0-9a-f]{6}", color) else plain))
    return character.data, " ".join(words)


def _start(line: str, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start a line in a terminal; return the process and our end of the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    environment = {
        **kept,
        "PATH": f"{folder / '.bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(stablehlo_py.__file__).parent.parent),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "SHLO_CACHE_DIR": os.environ.get("SHLO_CACHE_DIR", str(folder / ".cache")),
    }
    command = ["bash", "-c", line]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    return process, ours


def _read(terminal: int) -> Iterator[bytes]:
    """Yield what is written to a terminal until its other end is closed, which Linux reports as an error."""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return
        if not data:
            return
        yield data
