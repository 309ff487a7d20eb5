"""Commands and all that they print, in `sessions.txt`: programs, then sessions in a folder of them.

It was read beside the documents and the programs; so is what a change of it adds. `cat` shows a file that a
command wrote, and `write` makes one. Times are left out. With RECORD_SESSIONS=1 in the environment, the file
is written anew from its commands.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).with_name("sessions.txt")
PROGRAMS, _, REST = FILE.read_text(encoding="utf-8").partition("### ")
SESSIONS = {each.partition("\n")[0]: each.partition("\n")[2] for each in REST.split("### ")}
VALUES = {
    "VALUE": "dense<[1.0, 4.0]> : tensor<2xf32>",
    "NEGATIVE": "dense<[1.0, -1.0]> : tensor<2xf32>",
    "LARGE": "dense<[1048576.0, 0.25]> : tensor<2xf32>",
    "TWOS": "dense<2.0> : tensor<4x8xf32>",
    "THREES": "dense<3.0> : tensor<8x2xf32>",
}
# A line and what stands in its place: the time of a run, of a pass, of a file in JSON and of a test case.
_TIMES = (
    (r"\d+\.\d\d s\)", "N s)"),
    (r" +\d+\.\d ms(?=  \d+ -> )", " N ms"),
    (r'(?<="seconds": )[\d.e-]+', "N"),
    (r'(?<= time=")[\d.]+', "N"),
)


def shown(text: str, folder: Path) -> str:
    """Output without times, names of folders and blanks at ends of lines."""
    for pattern, new in _TIMES:
        text = re.sub(pattern, new, text)
    lines = text.replace(str(folder), "FOLDER").split("\n")
    return "\n".join([line.rstrip() for line in lines])


def ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def transcript(line: str, shlo: Callable[..., Any], folder: Path) -> str:
    """A command with what it prints to each stream, and its exit status."""
    name, _, rest = line.partition(" ")
    if name == "cat":
        return (folder / rest).read_text()
    if name == "write":
        file, _, text = rest.partition(" ")
        (folder / file).write_text(text.replace("\\n", "\n"))
        return ""
    done = shlo(*[VALUES.get(word, word) for word in shlex.split(line)], cwd=folder)
    errors = (
        "".join([f"! {each}\n" for each in done.stderr.removesuffix("\n").split("\n")]) if done.stderr else ""
    )
    return f"{ended(done.stdout)}{errors}[{done.returncode}]\n"


def session(text: str, shlo: Callable[..., Any], folder: Path) -> str:
    """The commands of a session, as they run now."""
    for part in PROGRAMS.split("=== ")[1:]:
        name, _, content = part.partition("\n")
        (folder / name).write_text(content)
    found = [
        f"$ {line}\n{transcript(line, shlo, folder)}" for line in re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    ]
    return shown("".join(found), folder)


@pytest.mark.parametrize("name", SESSIONS)
def test_session(name: str, shlo: Callable[..., Any], tmp_path: Path) -> None:
    found = session(SESSIONS[name], shlo, tmp_path)
    if os.environ.get("RECORD_SESSIONS"):
        SESSIONS[name] = found
        FILE.write_text(PROGRAMS + "".join([f"### {title}\n{text}" for title, text in SESSIONS.items()]))
    assert found == SESSIONS[name]
