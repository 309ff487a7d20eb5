"""Settings: names, values, and configuration files."""

from __future__ import annotations

from pathlib import Path

import pytest

from stablehlo_py.ir.version import Version
from stablehlo_py.linter import config, options
from stablehlo_py.linter.options import OptionTable
from stablehlo_py.linter.settings import Settings, SettingsError


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"selct": []}, "unknown setting selct; did you mean select"),
        ({"select": "D"}, "select must be a list of strings, not 'D'"),
        ({"ignore": [1]}, "ignore must be a list of strings"),
        ({"max-constant-bytes": -1}, "max-constant-bytes must be a non-negative integer, not -1"),
        ({"max-constant-bytes": True}, "must be a non-negative integer"),
        ({"max-constant-bytes": "1"}, "must be a non-negative integer"),
        ({"target": 1.7}, 'target must be a string such as "1.7.0", not 1.7'),
        ({"strict": 1}, "strict must be true or false, not 1"),
        (
            {"severity": {"dead-op": "warn"}},
            "severity.dead-op must be one of error, warning, note, not 'warn'",
        ),
        ({"per-file-ignores": []}, r"per-file-ignores must be a table, not \[\]"),
        ({"target": "1.7"}, "target: invalid version '1.7'"),
        ({"severity": {"dead-op": "fatal"}}, "severity.dead-op must be one of error, warning, note"),
        ({"severity": []}, "severity must be a table"),
        ({"per-file-ignores": {"*.mlir": "D"}}, "must be a list of strings"),
    ],
)
def test_wrong_settings(table: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Settings.of(table)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        """[tool.shlo.lint]
select = ["default", "chlo-op"]
ignore = ["S"]
target = "1.7.0"
max-constant-bytes = 10
allowed-custom-calls = ["my.*"]
[tool.shlo.lint.severity]
dead-op = "error"
[tool.shlo.lint.per-file-ignores]
"tests/*" = ["D"]
"""
    )
    settings = config.load(path).lint
    assert settings.select == ("default", "chlo-op")
    assert settings.ignore == ("S",)
    assert settings.target == Version(1, 7)
    assert settings.max_constant_bytes == 10
    assert settings.allowed_custom_calls == ("my.*",)
    assert settings.severity == (("dead-op", "error"),)
    assert settings.per_file_ignores == (("tests/*", ("D",)),)


def test_the_nearest_file_with_a_table_of_ours(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.shlo.lint]\n")
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert config.find_file(inner) == tmp_path / "pyproject.toml"
    (inner / "pyproject.toml").write_text("[tool.shlo.lint]\n")
    assert config.find_file(inner) == inner / "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.shlo.lint", "invalid TOML"),
        ("[tool.shlo]\nlint = 1\n", r"toml: tool\.shlo\.lint must be a table"),
        ("[tool]\nshlo = 1\n", "must be a table"),
        ("[tool.shlo.lint]\nselect = ['ded-op']\n", "unknown lint rule 'ded-op'; did you mean dead-op"),
        ("[tool.shlo.lint.severity]\nded-op = 'error'\n", "did you mean dead-op"),
        ("[tool.shlo.lint.per-file-ignores]\n'*' = ['ded-op']\n", "did you mean dead-op"),
    ],
)
def test_a_file_that_is_wrong(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=message) as caught:
        config.load(path)
    assert str(path) in str(caught.value)


def test_the_size_of_a_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_LARGEST", 40)
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.shlo.lint]\nselect = []".ljust(40))
    assert config.load(path).lint.select == ()
    path.write_text("[tool.shlo.lint]\nselect = []".ljust(41))
    with pytest.raises(SettingsError, match="larger than 0 MiB"):
        config.load(path)


def test_a_table_of_options() -> None:
    rows: list[tuple[str, object, str]] = [
        ("limit", None, "The limit."),
        ("strict", True, "Not A table"),
        ("names", ("a", "b"), "Names."),
        ("ignored", (), "A table of names."),
        ("count", 3, "The count."),
    ]
    assert config.option_table(rows) == [
        "| Name | Default | Description |",
        "| --- | --- | --- |",
        "| limit | `none` | The limit. |",
        "| strict | `true` | Not A table |",
        "| names | `['a', 'b']` | Names. |",
        "| ignored | `{}` | A table of names. |",
        "| count | `3` | The count. |",
    ]


def test_the_defaults_of_tables() -> None:
    """Those of the linter stand beside its messages."""
    folders = ("__pycache__", "bazel-*", "build", "dist", "node_modules", "site-packages", "venv")
    expected: dict[type[OptionTable], dict[str, object]] = {
        config.SharedOptions: {
            "exclude": folders,
            "extend-exclude": (),
            "respect-gitignore": True,
            "fail-on": None,
        },
        config.FmtOptions: {"canonical": False, "generic": False},
        config.VerifyOptions: {
            "strict": False,
            "allow-unregistered": False,
            "allow-newer": False,
            "fail-on": None,
            "baseline": None,
        },
    }
    assert {table: {name: value for name, value, _ in table.rows()} for table in expected} == expected


@pytest.mark.parametrize(
    ("text", "verify", "lint"),
    [
        ("[tool.shlo]\n", "error", "warning"),
        ("[tool.shlo]\nfail-on = 'note'\n", "note", "note"),
        ("[tool.shlo]\nfail-on = 'note'\n[tool.shlo.lint]\nfail-on = 'error'\n", "note", "error"),
        ("[tool.shlo.verify]\nfail-on = 'warning'\nbaseline = 'known.json'\n", "warning", "warning"),
    ],
)
def test_what_fails(text: str, verify: str, lint: str, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    project = config.load(path)
    assert (project.fail_on("verify"), project.fail_on("lint")) == (verify, lint)
    assert project.baseline("verify") == (tmp_path / "known.json" if "known" in text else None)
    assert project.baseline("lint") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [("names", ("a",)), ("count", 0), ("flag", False), ("text", "x"), ("severity", "note")],
)
def test_readers_of_values(value: str, expected: object) -> None:
    """Each takes its least value, and nothing of another kind."""
    given = {"names": ["a"], "count": 0, "flag": False, "text": "x", "severity": "note"}
    read = getattr(options, value)
    assert read("n", given[value]) == expected
    for wrong in (
        None,
        -1,
        1.5,
        "",
        {},
        [1],
        *(given[other] for other in given if other not in (value, "severity")),
    ):
        if not (value == "text" and wrong == "x"):
            with pytest.raises(SettingsError, match=r"^n must be "):
                read("n", wrong)
