"""Paths named in documents exist."""

from __future__ import annotations

import csv
import re
import tomllib
from pathlib import Path

import pytest
from click import Context
from conftest import ROOT
from stablehlo_py.cli.main import cli

PAGES = ["CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"]
PATH = re.compile(r"`((?:[\w.*-]+/)*[\w*-]+(?:/|\.(?:py|toml|md|csv|lark|txt)))`")
DOCS = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "native").glob("*.md"))]
MADE = {"docs/reference/"}  # by a build


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page: str) -> None:
    """Paths are in the repository or in the package."""
    paths = set(PATH.findall((ROOT / page).read_text())) - MADE
    assert len(paths) > 20
    homes = (ROOT, ROOT / "stablehlo_py")
    assert not [path for path in sorted(paths) if not any(any(home.glob(path)) for home in homes)]


def test_the_table_of_changes_has_a_test_for_each_row() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("| To change | Touch | Tests |\n")[2]
    rows = [line.strip("|").split(" | ") for line in table.partition("\n\n")[0].splitlines()[1:]]
    assert len(rows) > 15
    for change, touched, tests in rows:
        assert PATH.search(touched), change
        assert re.search(r"`(tests|testdata)/", tests), change


def test_every_claim_names_a_command() -> None:
    table = (ROOT / "docs" / "evidence.md").read_text().partition("| Holds | Command |\n|---|---|\n")[2]
    rows = re.findall(r"^\| (.+) \| `(.+)` \|$", table.partition("\n\n")[0], re.MULTILINE)
    assert len(rows) == len(table.partition("\n\n")[0].splitlines())
    for claim, command in rows:
        paths = [word for word in command.split() if "/" in word and not word.startswith("../shared/")]
        assert "../shared/" in command or paths, claim
        assert not [path for path in paths if not (ROOT / path).is_file()], claim


def test_the_page_of_claims_has_the_baseline_of_conformance() -> None:
    baseline = (ROOT / "tests" / "gates" / "conformance_baseline.txt").read_text()
    page = (ROOT / "docs" / "evidence.md").read_text()
    counts = re.findall(r"^\w+ (\d+) (\d+)$", baseline, re.MULTILINE)
    assert counts and not [(held, all_) for held, all_ in counts if f"{held} of {all_}" not in page]


def test_the_page_of_commands_lists_each() -> None:
    page = (ROOT / "docs" / "commands.md").read_text()
    assert not [
        name
        for name in cli.list_commands(Context(cli))
        if not re.search(f"^\\| `shlo {name}[ `]", page, re.MULTILINE)
    ]


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 130


def test_each_question_is_a_title() -> None:
    """The section that answers a question has a title that says so, and the FAQ leads there."""
    with (ROOT / "tests" / "questions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    faq = (ROOT / "docs" / "faq.md").read_text()
    assert len(rows) == 10
    for row in rows:
        page = (ROOT / "docs" / f"{row['page']}.md").read_text()
        assert f"\n## {row['title']}\n" in page, row
        assert f"]({row['page']}.md#{row['title'].lower().replace(' ', '-')})" in faq, row


LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


@pytest.mark.parametrize(
    "page",
    [*sorted(ROOT.glob("*.md")), *DOCS],
    ids=lambda page: page.stem,
)
def test_links_lead_to_files_of_a_checkout(page: Path) -> None:
    """What a build makes is linked where it is published; the build checks these links."""
    made = "](https://stablehlo-py.github.io/stablehlo-py/"
    assert not [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    for name in re.findall(re.escape(made) + r"([\w/-]+)\.html", page.read_text()):
        assert name.startswith("reference/"), name


CODE = re.compile(r"^```(?:console|text)\n.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?:`|\$ |[|;] |^)shlo (\w+)([^`\n|;]*)", re.MULTILINE)


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_options_that_a_page_names_exist(page: Path) -> None:
    """Commands in code are commands of `shlo`, and their options are options of these commands."""
    context = Context(cli)
    for name, rest in OPTION.findall("\n".join(CODE.findall(page.read_text()))):
        command = cli.get_command(context, name)
        assert command is not None, f"shlo {name}"
        known = {
            option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]
        }
        given = set(re.findall(r"(?<=\s)--?[a-z][\w-]*", re.sub(r"'[^']*'", "", rest)))
        assert given <= known | {"-h", "--help"}, f"shlo {name}{rest}"


def test_each_command_has_a_recorded_session() -> None:
    rows = tomllib.loads((ROOT / "docs" / "sessions.toml").read_text())
    assert set(rows) == set(cli.list_commands(Context(cli)))
    del rows["lsp"]  # which an editor starts
    for name, row in rows.items():
        assert any(line.startswith(f"shlo {name} ") or line == f"shlo {name}" for line in row["lines"]), name


def test_files_that_pages_show_are_those_of_the_repository() -> None:
    shown = re.findall(
        r"^`(testdata/[\w./]+)`:\n\n```\w+\n(.*?)^```",
        "".join([page.read_text() for page in DOCS]),
        re.M | re.S,
    )
    assert shown and not [path for path, text in shown if (ROOT / path).read_text() != text]
