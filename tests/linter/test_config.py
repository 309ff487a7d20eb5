"""The configuration of a project: `[tool.shlo]`."""

from __future__ import annotations

from pathlib import Path

import pytest

from stablehlo_py.linter import config
from stablehlo_py.linter.options import SettingsError


def test_all_tables(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        """[tool.shlo]
extend-exclude = ["third_party"]
respect-gitignore = false
fail-on = "note"
[tool.shlo.verify]
strict = true
baseline = "known.json"
[tool.shlo.lint]
select = ["N"]
fail-on = "error"
[tool.shlo.fmt]
canonical = true
"""
    )
    project = config.load(path)
    assert project.shared.extend_exclude == ("third_party",)
    assert project.shared.exclude == config.EXCLUDED
    assert not project.shared.respect_gitignore
    assert project.verify.strict
    assert project.lint.select == ("N",)
    assert project.fmt.canonical
    assert (project.fail_on("verify"), project.fail_on("lint")) == ("note", "error")
    assert project.baseline("verify") == tmp_path / "known.json"
    assert project.baseline("lint") is None


def test_the_defaults(tmp_path: Path) -> None:
    project = config.Project(tmp_path)
    assert (project.fail_on("verify"), project.fail_on("lint")) == ("error", "warning")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.shlo]\nexclud = []\n", r"\[tool.shlo\]: unknown setting exclud; did you mean exclude\?"),
        ("[tool.shlo.lnt]\n", r"\[tool.shlo\]: unknown setting lnt; did you mean lint\?"),
        ("[tool.shlo]\nexclude = 'x'\n", r"\[tool.shlo\]: exclude must be a list of strings"),
        (
            "[tool.shlo.verify]\nstrikt = true\n",
            r"\[tool.shlo.verify\]: unknown setting strikt; did you mean strict\?",
        ),
        (
            "[tool.shlo.verify]\nfail-on = 'never'\n",
            "fail-on must be one of error, warning, note, not 'never'",
        ),
        ("[tool.shlo.fmt]\ngeneric = 1\n", "generic must be true or false, not 1"),
        ("[tool]\nshlo = 3\n", "tool.shlo must be a table"),
    ],
)
def test_wrong_configurations(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=message) as caught:
        config.load(path)
    assert str(caught.value).startswith(str(path))


def test_every_setting_is_documented() -> None:
    text = config.reference()
    for table in (config.SharedOptions, *config.TABLES.values()):
        for name, _, doc in table.rows():
            assert f"| {name} |" in text
            assert doc in text
