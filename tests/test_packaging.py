"""What is published: metadata, completions, recipes, the release workflow."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import stablehlo_py

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
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
