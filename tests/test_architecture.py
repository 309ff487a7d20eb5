"""Imports follow the layers of the architecture, and no input is executed as code."""

from __future__ import annotations

import ast
import gc
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from stablehlo_py.opset.definition import all_definitions, lookup
from stablehlo_py.opset.structures import ENUMS, STRUCT_ALIASES, STRUCTS
from tests.helpers.each import for_each

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "stablehlo_py"

MAP = (ROOT / "docs" / "architecture.md").read_text()
_ROW = re.compile(r"^\| `(\w+)(?:/|\.py)` \| [^|]* \|([^|]*)\|$", re.MULTILINE)


def rooms() -> dict[str, set[str]]:
    """What each folder and module beside the folders may import from: the table of the architecture."""
    return {room: {room, *re.findall(r"`(\w+)`", cell)} for room, cell in _ROW.findall(MAP)}


ALLOWED = rooms()
BESIDE = ("cli", "grammar")  # folders of the repository that the build maps into the package


def modules() -> list[Path]:
    return sorted([*PACKAGE.rglob("*.py"), *(ROOT / "cli").rglob("*.py"), *(ROOT / "grammar").rglob("*.py")])


@cache
def nodes(path: Path) -> list[ast.AST]:
    """The nodes of the syntax tree of a file."""
    return list(ast.walk(ast.parse(path.read_text())))


@pytest.fixture(autouse=True, scope="module")
def forgotten_nodes() -> Iterator[None]:
    """A million objects, which each collection of garbage would traverse, here and in later tests."""
    gc.disable()
    yield
    nodes.cache_clear()
    gc.enable()


def imported(path: Path) -> set[str]:
    """The full names of this package's modules that a file imports, wherever in it."""
    names = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "stablehlo_py":
            names |= {f"stablehlo_py.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name for name in names if name.split(".")[0] == "stablehlo_py"}


def files_of(room: str) -> list[Path]:
    """The files of a folder, or the one of a module beside the folders."""
    folder = ROOT / room if room in BESIDE else PACKAGE / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{room}.py"]


def room_of(name: str) -> str:
    """The folder of a module, or the module itself if it is beside the folders."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ALLOWED else "__init__"


def test_the_wheel_has_every_folder() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    folders = {path.parent.relative_to(ROOT).as_posix() for path in files}
    packages = {name.replace("/", ".") for name in folders} | {f"stablehlo_py.{name}" for name in BESIDE}
    assert set(project["tool"]["setuptools"]["packages"]) == packages


def test_the_map_names_every_folder_and_no_other() -> None:
    named = set(re.findall(r"`([\w/]+)/`", MAP))
    folders = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")} - {"."}
    assert folders | set(BESIDE) <= named
    assert not [name for name in named if not ((PACKAGE / name).is_dir() or (ROOT / name).is_dir())]


def test_the_arrows_have_no_circle() -> None:
    order = TopologicalSorter({room: allowed - {room} for room, allowed in ALLOWED.items()})
    assert set(order.static_order()) == set(ALLOWED)


def test_every_module_has_a_row() -> None:
    assert {path for room in ALLOWED for path in files_of(room)} == set(modules())


@pytest.mark.parametrize("room", ALLOWED)
def test_imports_go_along_the_arrows(room: str) -> None:
    wrong = []
    for path in files_of(room):
        names = imported(path)
        wrong += [f"{path.name}: {name}" for name in sorted(names) if room_of(name) not in ALLOWED[room]]
    assert not wrong


def test_jax_is_imported_by_the_engine_for_it_alone() -> None:
    for path in set(modules()) - {PACKAGE / "engines" / "pjrt" / "client.py"}:
        assert not {"jax", "jaxlib"} & {
            name.split(".")[0]
            for node in nodes(path)
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }, path


@for_each(modules)
def test_nothing_is_evaluated_or_unpickled(path: Path) -> None:
    forbidden = {"eval", "exec", "pickle", "shelve", "cloudpickle", "dill"}
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in forbidden, f"line {node.lineno}"
        if isinstance(node, ast.Import):
            assert not forbidden & {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.module not in forbidden
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            assert isinstance(node.value, ast.Constant) and node.value.value is False


OP_NAME = re.compile(r"(arith|builtin|chlo|func|interpreter|sdy|shape|stablehlo|tensor)\.\w*[a-z]")


# The files outside of the definitions, kernels and builder that may spell names of ops, and why.
NAMING = {
    # A terminator in bytecode has the name of the op around it.
    "artifacts/bytecode/names.py": {"func.func", "func.return", "stablehlo.return"},
    "artifacts/bytecode/reader.py": {"builtin.module"},
    "ir/core.py": {"builtin.module", "func.func"},  # what a program is made of: is_module, is_function
    "engines/pjrt/device_module.py": {"stablehlo.convert"},  # builds it
    # The number of a process in the grid as replica and partition.
    "engines/pjrt/flatten.py": {
        "stablehlo.divide",
        "stablehlo.partition_id",
        "stablehlo.remainder",
        "stablehlo.replica_id",
    },
    "ir/op_builder.py": {"stablehlo.constant", "func.return"},  # builds them
    "ops/functions.py": {"func.return"},  # builds it
    "ops/regions.py": {"stablehlo.return"},  # builds it
    # What the stages of propagation build and remove.
    "sharding/data_flow.py": {"sdy.data_flow_edge"},
    "sharding/division/divide.py": {"stablehlo.constant"},
    "sharding/division/emitter.py": {
        "stablehlo.add",
        "stablehlo.all_gather",
        "stablehlo.all_reduce",
        "stablehlo.all_to_all",
        "stablehlo.broadcast_in_dim",
        "stablehlo.collective_permute",
        "stablehlo.compare",
        "stablehlo.constant",
        "stablehlo.convert",
        "stablehlo.dynamic_slice",
        "stablehlo.dynamic_update_slice",
        "stablehlo.pad",
        "stablehlo.partition_id",
        "stablehlo.reduce_scatter",
        "stablehlo.reshape",
        "stablehlo.return",
        "stablehlo.select",
        "stablehlo.slice",
    },
    "sharding/division/halos.py": {"stablehlo.concatenate", "stablehlo.dynamic_slice"},
    "sharding/division/lookups.py": {"stablehlo.reshape"},
    "sharding/division/places.py": {"stablehlo.and", "stablehlo.clamp", "stablehlo.subtract"},
    "sharding/division/scatters.py": {"stablehlo.constant"},
    "sharding/division/updates.py": {"stablehlo.add", "stablehlo.subtract"},
    "sharding/division/masks.py": {"stablehlo.add", "stablehlo.and", "stablehlo.iota"},
    "sharding/division/selections.py": {"stablehlo.reshape"},
    "sharding/groups.py": {"sdy.sharding_constraint", "sdy.sharding_group"},
    "sharding/stages/calls.py": {
        "func.func",
        "func.return",
        "sdy.named_computation",
        "sdy.reshard",
        "sdy.return",
    },
    "sharding/stages/constants.py": {
        "sdy.constant",
        "stablehlo.broadcast_in_dim",
        "stablehlo.constant",
        "stablehlo.iota",
        "stablehlo.reshape",
        "stablehlo.slice",
    },
    "sharding/stages/reshards.py": {"sdy.all_reduce"},
    "sharding/stages/symbols.py": {"func.call"},
    "sharding/tiles.py": {"sdy.sharding_constraint"},
    "verifier/deferred.py": {"stablehlo.constant"},  # builds it
    # Calls, returns and functions agree with each other: rules about several ops.
    "verifier/symbols.py": {"func.call", "func.func", "func.return", "stablehlo.return", "builtin.module"},
}
# Folders of tables about single ops: VHLO's forms leave out or fill in attributes op by op, and emitters are
# to the native engine what kernels are to NumPy's.
NAMING_FOLDERS = (
    "debug/generate/",
    "opset/",
    "kernels/",
    "builder/",
    "artifacts/vhlo/",
    "engines/native/",
    "hlo/from_stablehlo/",  # ops that are several instructions
    "hlo/to_stablehlo/",  # opcodes that are several ops
    "transforms/",  # rules are about ops by name
)


def test_op_names_are_spelled_in_definitions_and_kernels_only() -> None:
    """Everything else asks an op's traits and the other fields of its definition."""
    names = {definition.name for definition in all_definitions()} - {*STRUCTS, *ENUMS, *STRUCT_ALIASES}
    found: dict[str, set[str]] = {}
    for path in modules():
        place = path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else ROOT)
        if not place.as_posix().startswith(NAMING_FOLDERS):
            texts = [n.value for n in nodes(path) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            if spelled := names.intersection(texts):
                found[str(place)] = spelled
    assert found == NAMING


# Targets of custom calls whose names look like those of ops.
TARGETS = {"stablehlo.shape_refinement_operand_wrapper"}


def test_tables_name_ops_that_are_defined() -> None:
    """What analyses, rules and kernels say of ops by name is said of ops that there are."""
    structures = {*STRUCTS, *ENUMS, *STRUCT_ALIASES, *TARGETS}
    unknown = set()
    folders = ("analysis", "builder", "reports", "interpreter", "linter", "debug", "syntax", "verifier")
    for folder in (*folders, "transforms"):
        for path in (PACKAGE / folder).rglob("*.py"):
            texts = [node.value for node in nodes(path) if isinstance(node, ast.Constant)]
            names = {text for text in texts if isinstance(text, str) and OP_NAME.fullmatch(text)}
            unknown |= {f"{path.name}: {name}" for name in names - structures if lookup(name) is None}
    assert not unknown


@for_each(modules)
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text()
    limit = 600 if path.parent.name == "ops" else 450  # definitions are data
    assert text.count("\n") <= limit
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef) and path.parent.name != "ops":
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{node.name} has {length} lines"


def test_errors_are_not_swallowed() -> None:
    for path in modules():
        for node in nodes(path):
            if isinstance(node, ast.ExceptHandler):
                assert node.type is not None, f"{path}:{node.lineno}: bare except"
                only = node.body[0]
                assert not (len(node.body) == 1 and isinstance(only, ast.Pass)), f"{path}:{node.lineno}"


def test_files_of_tests_have_names_of_their_own() -> None:
    """Pytest imports test files by their base names alone."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
