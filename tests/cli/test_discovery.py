"""Which files of a folder are processed: exclude, .gitignore, and the options that change them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from stablehlo_py.cli.discovery import Exclusion

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PROGRAM)


def checked(shlo: Shlo, folder: Path, *arguments: str) -> set[str]:
    done = shlo("verify", "--format", "json", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return {Path(json.loads(line)["file"]).as_posix() for line in done.stdout.splitlines()}


def test_excluded_folders_and_files(shlo: Shlo, tmp_path: Path) -> None:
    make(tmp_path, "a.mlir", "venv/b.mlir", "old/c.mlir", "sub/old/d.mlir", "sub/e.mlir", "sub/f.mlir")
    (tmp_path / "pyproject.toml").write_text('[tool.shlo]\nextend-exclude = ["old", "sub/f*"]\n')
    assert checked(shlo, tmp_path, ".") == {"a.mlir", "sub/e.mlir"}
    assert checked(shlo, tmp_path, ".", "--exclude", "a.mlir") == {"venv/b.mlir", "sub/e.mlir"}
    for pattern in ("sub/", "./sub", "./sub/"):
        assert checked(shlo, tmp_path, ".", "--exclude", pattern) == {"a.mlir", "venv/b.mlir"}
    assert checked(shlo, tmp_path, "sub", "a.mlir", "--exclude", "x", "--extend-exclude", "a*") == {
        "a.mlir",
        "sub/e.mlir",
    }
    for options in ((), ("--exclude", "a.mlir"), ("--extend-exclude", "a.mlir", "--force-exclude")):
        assert len(checked(shlo, tmp_path, ".", "--no-ignore", *options)) == 6


def test_named_files_are_processed_unless_forced(shlo: Shlo, tmp_path: Path) -> None:
    make(tmp_path, "a.mlir", "build/b.mlir")
    assert checked(shlo, tmp_path, "a.mlir", "build/b.mlir") == {"a.mlir", "build/b.mlir"}
    assert checked(shlo, tmp_path, "a.mlir", "build/b.mlir", "--force-exclude") == {"a.mlir"}
    assert checked(shlo, tmp_path, ".", "--force-exclude") == {"a.mlir"}
    assert checked(shlo, tmp_path, ".", "--exclude", "*.mlir", "--force-exclude") == set()
    assert checked(shlo, tmp_path, "build") == {"build/b.mlir"}
    # The folder in which patterns are matched, `.`, is not excluded itself.
    assert checked(shlo, tmp_path, "a.mlir", "--exclude", ".*", "--force-exclude") == {"a.mlir"}


def test_a_folder_with_excluded_files_only(shlo: Shlo, tmp_path: Path) -> None:
    make(tmp_path, "build/b.mlir")
    done = shlo("verify", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "use --no-ignore to include excluded files and folders" in done.stderr


IGNORED = """# a comment
*.tmp.mlir
/top.mlir
data/
!data/
deep/**/x.mlir
**/cache
logs/*.mlir
!logs/keep.mlir
with\\ space.mlir
[ab]?.mlir
[!c]d.mlir
\\#hash.mlir
trailing.mlir{blanks}
out/
""".replace("{blanks}", "   ")
NAMES = """a.tmp.mlir sub/b.tmp.mlir top.mlir sub/top.mlir data/x.mlir deep/x.mlir deep/1/2/x.mlir deep/y.mlir
sub/cache/x.mlir logs/1.mlir logs/keep.mlir sub/logs/1.mlir with|space.mlir a1.mlir cd.mlir xd.mlir #hash.mlir
trailing.mlir nested/only.mlir nested/in/only.mlir nested/top.mlir plain.mlir
out/x.mlir sub/out/1/x.mlir sub/out.mlir"""


def test_gitignore_as_git_understands_it(shlo: Shlo, tmp_path: Path) -> None:
    names = [name.replace("|", " ") for name in NAMES.split()]
    make(tmp_path, *names)
    (tmp_path / ".gitignore").write_text(IGNORED)
    (tmp_path / "nested" / ".gitignore").write_text("/only.mlir\n!a.tmp.mlir\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with (tmp_path / ".git" / "info" / "exclude").open("a") as excluded:
        excluded.write("plain.mlir\n")
    listed = ["git", "ls-files", "-z", "--others", "--exclude-standard", "*.mlir"]
    expected = subprocess.run(listed, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "plain.mlir" not in expected
    assert checked(shlo, tmp_path, ".") == set(filter(None, expected.split("\0")))
    assert checked(shlo, tmp_path / "nested", ".") == {"in/only.mlir", "top.mlir"}
    assert checked(shlo, tmp_path, ".", "--no-ignore") == set(names)


def test_gitignore_can_be_disregarded(shlo: Shlo, tmp_path: Path) -> None:
    make(tmp_path, "a.mlir", "b.mlir")
    (tmp_path / ".gitignore").write_text("b.mlir\n")
    assert checked(shlo, tmp_path, ".") == {"a.mlir"}
    (tmp_path / "pyproject.toml").write_text("[tool.shlo]\nrespect-gitignore = false\n")
    assert checked(shlo, tmp_path, ".") == {"a.mlir", "b.mlir"}


@pytest.mark.parametrize("command", ["verify", "lint", "fmt", "inspect"])
def test_every_command_of_several_files_has_the_options(shlo: Shlo, tmp_path: Path, command: str) -> None:
    make(tmp_path, "a.mlir", "b.mlir")
    (tmp_path / "pyproject.toml").write_text("[tool.shlo]\nexclde = []\n")
    done = shlo(command, "-j", "2", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "unknown setting exclde; did you mean exclude?" in done.stderr
    (tmp_path / "other.toml").write_text('[tool.shlo]\nexclude = ["b.mlir"]\n')
    done = shlo(command, "-j", "2", "--format", "json", "--config", "other.toml", ".", cwd=tmp_path)
    assert done.returncode == 0
    assert "a.mlir" in done.stdout
    assert "b.mlir" not in done.stdout


def test_the_folder_of_the_configuration_is_not_excluded_itself(tmp_path: Path) -> None:
    found = Exclusion(tmp_path, (".*",), uses_gitignore=False, is_forced=True)
    files = [str(tmp_path / "a.mlir"), str(tmp_path / "b" / "c.mlir")]
    assert found.kept([*files, str(tmp_path / ".hidden" / "d.mlir")]) == files
