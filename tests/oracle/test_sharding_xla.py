"""Sharded programs of JAX: text and verdict against C++, results against XLA."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_constraint_verdicts import verdicts

import stablehlo_py as shlo
from stablehlo_py.syntax.printer import format_module

pytest.importorskip("jax")

HERE = Path(__file__).parent
NAMES = re.findall(r"@program\ndef (\w+)", (HERE / "sharded.py").read_text())
FORMS = ("lowered", "exported")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What JAX made of the programs."""
    made = tmp_path_factory.mktemp("sharded")
    subprocess.run([sys.executable, HERE / "sharded.py", made], check=True, timeout=300)
    return made


def texts(folder: Path, name: str, form: str) -> list[str]:
    found: list[str] = json.loads((folder / f"{name}.json").read_text())[form]
    return found


def arrays(folder: Path, name: str, prefix: str) -> list[Any]:
    with np.load(folder / f"{name}.npz") as stored:
        return [stored[f"{prefix}{i}"] for i in range(sum(key.startswith(prefix) for key in stored))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_texts(folder: Path, name: str, form: str) -> None:
    pretty, generic, located = texts(folder, name, form)
    for written in (pretty, generic):
        module = shlo.parse(written)
        assert shlo.verify(module) == []
        assert shlo.format(module) == pretty
        assert shlo.format(module, generic=True).rstrip() == generic.rstrip()
    assert format_module(shlo.parse(located), locations=True).rstrip() == located.rstrip()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_results(folder: Path, name: str, form: str) -> None:
    found = shlo.run(shlo.parse(texts(folder, name, form)[0]), arrays(folder, name, "in"))
    expected = arrays(folder, name, "out")
    assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in expected]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-5)


# Mutants: one thing in a line about shardings becomes another of its kind.
KINDS = (
    (
        r"\{(?:\"\w+\"(?::\(\d\)\d)?(?:, )?)*\??\}(?:p\d)?",
        '{"x"};{"y"};{};{?};{"x", ?};{"x", "y"};{"y", "x"};{"y":(1)2};{"y":(2)2}p1;{"i"};{"y":(2)2, "x"}',
    ),
    (r"@mesh", '@empty_mesh;@nowhere;mesh<["x"=2, "y"=4]>;mesh<["i"=8]>;mesh<[]>;mesh<[], device_ids=[0]>'),
    (r'"[xyi]"', '"x";"y";"i"'),
    (r'"[xyi]"=\d', '"x"=2;"y"=4;"x"=3;"x"=1;"x"=8'),
    (r"(?<=\])>(?= [:{])", ', replicated={"x"}>;, unreduced={"y"}>;, replicated={"y":(1)2}>'),
    (r"(?<=\])>(?= \{stablehlo.mesh)", ", device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>;, device_ids=[1, 0]>"),
    (r"sdy\.\w+", "sdy.reshard;sdy.sharding_constraint"),
    (r"tensor<\dx\d", "tensor<4x4;tensor<8x4;tensor<?x4;tensor<4x2"),
    (r"\[(?=\{)", "[{}, "),
)


def mutant(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    at = chance.choice([i for i, line in enumerate(lines) if "sdy" in line])
    pattern, others = chance.choice(KINDS)
    places = list(re.finditer(pattern, lines[at]))
    if places:
        place = chance.choice(places)
        other = chance.choice(others.split(";"))
        lines[at] = lines[at][: place.start()] + other + lines[at][place.end() :]
    return "\n".join(lines)


def is_valid(text: str) -> bool:
    try:
        return not any(d.severity == "error" for d in shlo.verify(shlo.parse(text)))
    except shlo.ParseError:
        return False


def test_what_cpp_accepts_is_accepted(folder: Path) -> None:
    chance = random.Random(0)
    given = [texts(folder, name, "lowered")[0] for name in NAMES]
    mutants = [mutant(chance.choice(given), chance) for _ in range(400)]
    theirs = [verdict == "accepted" for verdict in verdicts(mutants)]
    ours = [is_valid(text) for text in mutants]
    assert [text for text, we, they in zip(mutants, ours, theirs, strict=True) if they and not we] == []
    assert 40 < sum(theirs) < 360
