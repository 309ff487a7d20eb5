"""Import of the package from a source tree with only its dependencies, and its public names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from importlib import import_module
from importlib.metadata import Distribution, distribution
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

import stablehlo_py as shlo

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FOLDERS = {"stablehlo_py": "stablehlo_py", "cli": "stablehlo_py.cli", "grammar": "stablehlo_py.grammar"}


def requirements(names: list[str]) -> dict[str, Distribution]:
    """The installed distributions of these requirements and of all that they require themselves."""
    found: dict[str, Distribution] = {}
    for requirement in names:
        name = re.match(r"[\w.-]+", requirement)
        assert name
        if "extra ==" in requirement or ";" in requirement:
            continue
        found[name[0]] = distribution(name[0])
        found |= requirements(found[name[0]].requires or [])
    return found


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python in a fresh environment that has the dependencies installed, and no package of ours."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    for dependency in requirements(PROJECT["dependencies"]).values():
        for name in {file.parts[0] for file in dependency.files or [] if file.parts[0] != ".."}:
            (packages / name).symlink_to(str(dependency.locate_file(name)))
    return folder / "bin" / "python"


def run(python: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs Python in the root of the source tree, as after `git clone`."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        [str(python), *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_environment_has_the_dependencies_only(python: Path) -> None:
    done = run(python, "-P", "-c", "import stablehlo_py")
    assert "ModuleNotFoundError: No module named 'stablehlo_py'" in done.stderr
    assert "No module named 'pytest'" in run(python, "-P", "-c", "import pytest").stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("verify", "testdata/mlp.mlir"),
        ("fmt", "--check", "testdata/mlp.mlir"),
        ("lint", "testdata/mlp.mlir"),
        ("inspect", "testdata/mlp.mlir"),
        ("explain", "dot_general"),
        ("graph", "testdata/mlp.mlir", "--format", "dot"),
        ("diff", "testdata/mlp.mlir", "testdata/mlp.mlir"),
        ("run", "testdata/mlp.mlir", "--input", "testdata/image.npy", "--input", "testdata/weights.npz"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_work_in_a_source_tree(python: Path, arguments: tuple[str, ...]) -> None:
    done = run(python, "-m", "stablehlo_py", *arguments)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_the_exit_status_of_a_process(python: Path) -> None:
    broken = next(iter(sorted((ROOT / "testdata" / "constraints").glob("*.mlir"))))
    done = run(python, "-m", "stablehlo_py", "verify", broken)
    assert done.returncode == 1 and "error: " in done.stdout
    assert run(python, "-m", "stablehlo_py", "nothing").returncode == 2


def test_the_library_works_in_a_source_tree(python: Path) -> None:
    code = "import stablehlo_py as shlo; print(shlo.format(shlo.load('testdata/mlp.mlir')), end='')"
    done = run(python, "-c", code)
    assert (done.stderr, done.stdout) == ("", shlo.format(shlo.load(ROOT / "testdata" / "mlp.mlir")))


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["reports.graph", "notation.calls", "kernels.targets.registry", "storage.cache"]
)
def test_modules_can_be_imported_first(module: str) -> None:
    """The package imports its public names on first use, and a module is none of them."""
    done = run(Path(sys.executable), "-c", f"import stablehlo_py.{module}")
    assert (done.returncode, done.stderr) == (0, "")


def test_types_print_without_the_public_names() -> None:
    done = run(Path(sys.executable), "-c", "from stablehlo_py.ir.types import F32; print(F32)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "f32\n", "")


def test_dir_shows_the_public_names() -> None:
    assert dir(shlo) == sorted([*shlo.__all__, "__version__"])
    assert {"compile", "format", "lint", "load", "parse", "run", "verify"} <= set(dir(shlo))
    assert not [name for name in dir(shlo) if isinstance(getattr(shlo, name), ModuleType)]


EXTRAS = {"lsp": "pygls", "native": "llvmlite"}  # what modules of a folder need


def modules() -> list[tuple[str, str]]:
    """Every module as its package and its name in it."""
    found = []
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = [package, *path.relative_to(ROOT / folder).with_suffix("").parts]
            if parts[-1] == "__init__":
                parts.pop()
            if any(folder in parts[1:-1] and find_spec(extra) is None for folder, extra in EXTRAS.items()):
                continue
            if parts[1:] and parts[-1] != "__main__":
                found.append((".".join(parts[:-1]), parts[-1]))
    return found


def test_no_name_shadows_a_module() -> None:
    """`import stablehlo_py.verifier.inference as x` binds the module, for every module."""
    every = {(package, name): import_module(f"{package}.{name}") for package, name in modules()}
    assert len(every) > 150
    assert [
        key for key, module in every.items() if getattr(import_module(key[0]), key[1]) is not module
    ] == []


def test_a_module_can_be_imported_under_another_name() -> None:
    import stablehlo_py.verifier.inference as inference

    assert isinstance(inference, ModuleType)
