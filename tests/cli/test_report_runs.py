"""The options of runs of `shlo report` and `shlo graph`: files, and what requires what."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import click
import pytest
from stablehlo_py.cli.inputs import Given
from stablehlo_py.cli.report_runs import Runs
from stablehlo_py.cli.run_options import Tolerances

RANDOM = Given((), 0)
RTOL = Tolerances(rtol=0.5)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.mlir", "a"),
        ("in/a.mlir", "a"),
        ("a.mlir.gz", "a"),
        ("a.b.mlir", "a.b"),
        ("a.b.mlir.gz", "a.b"),
        ("a", "a"),
        ("in.d/a", "a"),
        ("a.mlirbc", "a"),
        ("-", "-"),
    ],
)
def test_the_name_of_the_program_in_each_option(file: str, name: str) -> None:
    inputs = Given(("{name}.npz", "x={name}/{name}.npy"), 3, True, True)
    found = Runs(inputs, "{name}.check.npz", "to/{name}", timeout=1.0, entry="{name}").of(file)
    assert found.inputs == Given((f"{name}.npz", f"x={name}/{name}.npy"), 3, True, True)
    assert (found.check_against, found.against) == (f"{name}.check.npz", f"to/{name}")
    assert (found.timeout, found.entry) == (1.0, "{name}")  # it is of a function
    assert Runs(inputs).of(file).check_against is Runs(inputs).of(file).against is None


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (Runs(Given(), entry="f"), "--entry requires --input or --random"),
        (Runs(RANDOM, entry="f"), ""),
        (Runs(Given(("x.npz",)), entry="f"), ""),
        (Runs(RANDOM, within=RTOL), "--rtol, --atol and --ulp require what results are compared with"),
        (Runs(RANDOM, within=Tolerances(ulp=0)), "--rtol, --atol and --ulp require"),
        (Runs(RANDOM, check_against="a.npz", within=RTOL), ""),
        (Runs(RANDOM, against="a.npz", within=RTOL), ""),
        (Runs(RANDOM), ""),
    ],
)
def test_what_requires_another_option(runs: Runs, message: str) -> None:
    with pytest.raises(click.UsageError, match=message) if message else nullcontext():
        runs.check()


def test_files_that_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of inputs, those that are files; a file that depends on the program may be there for some."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.npz").touch()
    inputs = Given(("there.npz", "x=away.npy", "1.0", "dense<1.0> : tensor<2xf32>", "away.bin"))
    runs = Runs(inputs, "check.npz", "there.npz")
    assert runs.missing() == ["away.npy", "away.bin", "check.npz"]
    with pytest.raises(click.ClickException, match=r"^away.npy: no such file or folder$"):
        runs.measured()
    with pytest.raises(click.UsageError, match="--check-against and --against require --input or --random"):
        replace(runs, inputs=Given()).measured()
    without = Runs(Given())
    assert without.measured() is without
    measured = Runs(Given(("{name}.npz",))).measured()
    assert measured.limits is not None and measured.of("there.mlir").missing() == []
    assert measured.of("away.mlir").missing() == ["away.npz"]
