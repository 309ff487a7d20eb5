"""Folders that torch_xla writes: `functions/NAME.bytecode` with `NAME.meta`, `data/` and `constants/`.

`NAME.meta` is JSON. Its `input_locations` state, for each argument of the program, whether it is an input of
a call, a parameter (`data/NAME`, the content of a `.npy` file) or a constant (`constants/POSITION`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stablehlo_py.artifacts.containers.saved_model import FILE
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.artifacts.recognize import FUNCTIONS
from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.ir.records import dataclass

if TYPE_CHECKING:
    from stablehlo_py.ir.core import Module

_PROGRAM, _TEXT, _META = ".bytecode", ".mlir", ".meta"
_INPUT, _PARAMETER, _CONSTANT = "input_arg", "parameter", "constant"
_MAX_META = 1 << 26  # bytes of JSON


@dataclass(frozen=True, slots=True)
class TorchFunction:
    """A function of a folder.

    Attributes:
        weights: The files of the arguments that are not inputs of a call, by index.
        fields: What the folder says of the function, for reports.
    """

    weights: Mapping[int, Path]
    fields: Mapping[str, Any]


def programs_of(folder: Path) -> list[Path]:
    """Return the programs of a folder, sorted; [] if torch_xla did not write it.

    Args:
        folder: The folder.
    """
    found = []
    for meta in sorted((folder / FUNCTIONS).glob(f"*{_META}")):
        programs = (meta.with_suffix(_PROGRAM), meta.with_suffix(_TEXT))
        found += [path for path in programs if path.is_file()][:1]
    return found


_NAMED = 3  # of the files in a folder that holds no program


def program_in(folder: Path) -> Path:
    """Return the only program of a folder that torch_xla wrote, or the file of a SavedModel.

    Args:
        folder: The folder.

    Raises:
        ParseError: There are several programs, or none.
    """
    found = programs_of(folder) or [path for path in [folder / FILE] if path.is_file()]
    if len(found) == 1:
        return found[0]
    names = ", ".join([path.name for path in found]) or "none"
    message = f"a folder: expected one program of torch_xla in {FUNCTIONS}/, or {FILE}, found {names}"
    texts = sorted(path.name for path in folder.glob("*.mlir*"))[:_NAMED]
    advice = f"; name a file, such as {' or '.join(texts)}" if texts and not found else ""
    raise ParseError(str(folder), [Diagnostic("error", "parse", message + advice, 0, 0)])


def load_described(place: Path, load: Callable[[Path], Module]) -> Module:
    """Return the only program of a folder, or one of its programs, with what the folder says of it.

    Args:
        place: The folder, or the path of a program.
        load: Loads a program.

    Raises:
        ParseError: There are several programs, or none.
    """
    program = program_in(place) if place.is_dir() else place
    module = load(program)
    describe(module, function_of(program))
    return module


def function_of(program: Path) -> TorchFunction | None:
    """Return what a folder says of a program; None if the program is not in a folder of torch_xla.

    Args:
        program: The path of the program.

    Raises:
        ParseError: The `.meta` file is invalid.
        OSError: The `.meta` file cannot be read.
    """
    meta = program.with_suffix(_META)
    if program.parent.name != FUNCTIONS or not meta.is_file():
        return None
    try:
        data = _json(meta)
        weights = _weights(data.get("input_locations"), program.parent.parent)
    except Fault as fault:
        raise fault.error(str(meta)) from None
    stored = {index: f"{path.parent.name}/{path.name}" for index, path in weights.items()}
    fields = {
        "function": data.get("name"),
        "weights": [f"arg{index}: {file}" for index, file in stored.items()],
        **{f"{which}s": _types(data.get(f"{which}_signature")) for which in ("input", "output")},
    }
    return TorchFunction(weights, fields)


def describe(module: Module, function: TorchFunction | None) -> None:
    """Add to a module what a folder says of its function: the fields for reports, and the weights.

    Args:
        module: The module.
        function: The function; None if the module is not from a folder of torch_xla.
    """
    if function is not None:
        module.container = {**module.container, "kind": "torch_xla folder", **function.fields}
        module.weights = function.weights


def _json(meta: Path) -> dict[str, Any]:
    with meta.open("rb") as stream:
        content = stream.read(_MAX_META + 1)
    if len(content) > _MAX_META:
        raise Fault(0, f"expected at most {_MAX_META >> 20} MiB of JSON")
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise Fault(0, "expected JSON") from None
    if not isinstance(data, dict):
        raise Fault(0, "expected a JSON object")
    return data


def _weights(locations: Any, folder: Path) -> dict[int, Path]:
    """Return the files of parameters and constants; raise Fault for an invalid list of locations."""
    if not isinstance(locations, list) or not all(isinstance(each, dict) for each in locations):
        raise Fault(0, "expected a list of objects `input_locations`")
    found: dict[int, Path] = {}
    positions = []
    for index, each in enumerate(locations):
        kind, name, position = each.get("type_"), each.get("name"), each.get("position")
        where = f"input_locations[{index}]"
        if kind == _PARAMETER:
            # A name with a separator could lead out of the folder.
            if not isinstance(name, str) or Path(name).name != name or name in ("", "..") or "\0" in name:
                raise Fault(0, f"{where}: expected the name of a file in data/")
            found[index] = folder / "data" / name
        elif kind in (_CONSTANT, _INPUT):
            if type(position) is not int or position < 0:
                raise Fault(0, f"{where}: expected a position")
            if kind == _CONSTANT:
                found[index] = folder / "constants" / str(position)
            else:
                positions.append(position)
        else:
            raise Fault(0, f"{where}: expected type_ {_INPUT}, {_PARAMETER} or {_CONSTANT}")
    if positions != sorted(positions):
        raise Fault(0, "expected the inputs of a call in the order of their positions")
    return found


def _types(signature: Any) -> list[str]:
    """Return the types of a signature; invalid entries, which only reports would show, are left out."""
    entries = signature if isinstance(signature, list) else []
    return [f"{each.get('dtype')}{each.get('shape')}" for each in entries if isinstance(each, dict)]
