"""Records the interfaces of ops that jaxlib's definitions state, in `tests/opset/recorded_interfaces.json`.

    python tests/make_recorded_interfaces.py

Needs the extra `oracle`. The Python bindings of jaxlib are made from the definitions of ops: each op is a
class with a property for each operand, attribute, region and result, in order. They are read as text. A name
ends with `*` if it is variadic, and with `?` if it is optional. Attributes of one bit and those with a
default value bear no mark.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from stablehlo_py.opset.definition import all_definitions

DIALECTS = ("arith", "cf", "chlo", "func", "memref", "scf", "sdy", "stablehlo")
RECORDED = Path(__file__).parent / "opset" / "recorded_interfaces.json"
KINDS = {"Value": "operands", "OpOperandList": "operands", "Region": "regions", "RegionSequence": "regions"}
KINDS |= {"OpResult": "results", "OpResultList": "results"}


def interfaces(dialect: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield the ops of a dialect with the names of what they have."""
    found = find_spec("jaxlib.mlir.dialects")
    assert found is not None and found.submodule_search_locations
    (folder,) = found.submodule_search_locations
    tree = ast.parse(Path(folder, f"_{dialect}_ops_gen.py").read_text(encoding="utf-8"))
    for each in tree.body:
        if isinstance(each, ast.ClassDef) and ast.unparse(each.bases[0]).endswith("OpView"):
            yield _name(each), _parts(each)


def _name(op: ast.ClassDef) -> str:
    rows = [row for row in op.body if isinstance(row, ast.Assign)]
    return next(
        ast.literal_eval(row.value) for row in rows if ast.unparse(row.targets[0]) == "OPERATION_NAME"
    )


def _parts(op: ast.ClassDef) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in op.body:
        is_property = isinstance(each, ast.FunctionDef) and each.returns is not None and each.decorator_list
        if is_property and ast.unparse(each.decorator_list[0]).endswith("property"):
            type = ast.unparse(each.returns).replace("_ods_ir.", "")
            is_optional = type.startswith("_Optional[")
            word = type.removeprefix("_Optional[").partition("[")[0].rstrip("]")
            mark = "*" if word in ("OpOperandList", "OpResultList", "RegionSequence") else "?" * is_optional
            found.setdefault(KINDS.get(word, "attributes"), []).append(each.name.rstrip("_") + mark)
    return found


if __name__ == "__main__":
    known = {definition.name for definition in all_definitions()}
    ops = sorted((name, parts) for dialect in DIALECTS for name, parts in interfaces(dialect))
    rows = [f"{json.dumps(name)}: {json.dumps(parts)}" for name, parts in ops if name in known]
    RECORDED.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
