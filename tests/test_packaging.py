"""What is published: metadata, completions, recipes, the release workflow."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import stablehlo_py

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
Shlo = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_version_is_the_same_everywhere(shlo: Shlo) -> None:
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
    assert PROJECT["version"] == stablehlo_py.__version__ == recipe["context"]["version"]
    shown = shlo("--version").stdout
    assert shown == f"shlo {stablehlo_py.__version__} (StableHLO 0.9.0 to 1.20.0)\n"


def test_the_conda_recipe_has_the_dependencies() -> None:
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
    listed = [row.replace(" ", "") for row in recipe["requirements"]["run"]]
    assert listed == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert entry.split(" = ")[1] == PROJECT["scripts"]["shlo"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completions_in_the_wheel_are_current(shlo: Shlo, shell: str) -> None:
    names = {"bash": "shlo", "zsh": "_shlo", "fish": "shlo.fish"}
    file = ROOT / "packaging" / "completions" / names[shell]
    assert shlo("completion", shell).stdout == file.read_text()


def test_the_man_pages_in_the_wheel_are_current() -> None:
    command = [sys.executable, "docs/man_pages.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff, which formats man pages")
def test_man_pages_show_the_help(shlo: Shlo) -> None:
    """Formatting has no warnings, and every word of a command's help is on its page."""
    for page in sorted((ROOT / "packaging" / "man").glob("*.1")):
        command = ["groff", "-man", "-Tascii", "-ww", "-rHY=0", "-P-cbou", page]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr == "", page
        if page.stem in ("shlo-explain", "shlo-verify"):
            words = shlo(*page.stem.split("-")[1:], "--help").stdout.split()
            titles = {"Usage:", "Options:"}
            assert not [word for word in words if word not in done.stdout and word not in titles], page


def test_the_metadata_is_complete() -> None:
    assert PROJECT["authors"] == [{"name": "stablehlo-py contributors"}]
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(PROJECT["urls"])
    assert any("Apache" in row for row in [PROJECT["license"]])


def test_the_image_starts_with_the_command() -> None:
    text = (ROOT / "packaging" / "Containerfile").read_text()
    assert 'ENTRYPOINT ["shlo"]' in text
    extras = re.search(r"/source\[([\w,]+)\]", text)
    assert extras is not None
    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_release_is_published_without_a_token() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text()
    runs = [step.get("run", "") for step in workflow["jobs"]["build"]["steps"]]
    assert any("twine check" in run for run in runs)


def test_a_release_passes_the_tests_first() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    assert (jobs["publish"]["needs"], jobs["build"]["needs"]) == ("build", "test")
    assert jobs["test"]["uses"] == "./.github/workflows/tests.yml"


def test_changes_are_tested_on_every_python_that_the_metadata_names() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    assert {"push", "pull_request", "workflow_call"} <= set(workflow[True])  # YAML reads `on` as true
    matrix = workflow["jobs"]["tests"]["strategy"]["matrix"]
    named = [row.rpartition(" ")[2] for row in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", row)]
    assert matrix["python"] == named and named[0] == PROJECT["requires-python"].removeprefix(">=")
    assert {name.partition("-")[0] for name in matrix["system"]} == {"ubuntu", "macos"}
    runs = {step.get("run") for job in workflow["jobs"].values() for step in job["steps"]}
    assert {".ci/run", ".ci/run tests", ".ci/run mutants"} <= runs


def test_the_tests_bring_what_they_need() -> None:
    """What the extra `test` does not bring is left out by default, and has a step of its own in CI."""
    extras = PROJECT["optional-dependencies"]
    assert {*extras["native"], *extras["lsp"], *extras["scipy"]} <= set(extras["test"])


def test_the_build_has_the_bounds_of_the_package() -> None:
    """Its hook imports the package, to make tables."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    needed = [row for row in PROJECT["dependencies"] if row.startswith(("lark", "numpy", "ml_dtypes"))]
    assert {*needed} <= set(build)
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
    host = [row.replace(" ", "") for row in recipe["requirements"]["host"]]
    assert {*build} <= set(host)


def test_the_wheel_has_every_file_of_the_packages() -> None:
    """Files beside the modules, such as styles and templates, match a pattern of the package data."""
    patterns = SETTINGS["tool"]["setuptools"]["package-data"]
    folders = {"stablehlo_py.grammar": "grammar", "stablehlo_py.cli": "cli"}
    packaged = set[Path]()
    for package, globs in patterns.items():
        folder = ROOT / folders.get(package, package.replace(".", "/"))
        packaged |= {path for pattern in globs for path in folder.glob(pattern)}
    there = {
        path
        for folder in ("stablehlo_py", "grammar", "cli")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc") and not path.name.startswith(".")
    }
    assert there - packaged == {ROOT / "grammar" / "productions.csv"}  # read by tests and documents alone
