"""Write the types of `stablehlo_py.ops` for type checkers: `python tests/ops/make_stubs.py`."""

from __future__ import annotations

from pathlib import Path

from stablehlo_py.ops.functions import RESULT_TYPES, names_of, signature_of
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand

FOLDER = Path(__file__).parents[2] / "stablehlo_py" / "ops"
HEAD = '''"""{what}: types of the generated functions. Written by tests/ops/make_stubs.py."""

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stablehlo_py.ir.types import Type
{more}
_Array = np.ndarray[Any, np.dtype[Any]]
_Arrays = builtins.tuple[_Array, ...]
_Operand = npt.ArrayLike
_Operands = Sequence[npt.ArrayLike] | npt.ArrayLike
_Types = str | Type | Sequence[str | Type] | None
'''
KINDS = {
    **dict.fromkeys(("i64", "i32", "ui64"), "int"),
    **dict.fromkeys(("f64", "f32"), "float"),
    **dict.fromkeys(("unit", "bool"), "bool"),
    "string": "str",
    "array<i64>": "Sequence[int]",
    "array<i1>": "Sequence[bool]",
}


def annotation(part: Operand | Attr | Body) -> str:
    if isinstance(part, Operand):
        return "_Operands" if part.variadic else "_Operand | None" if part.optional else "_Operand"
    if isinstance(part, Body):
        one = "Callable[..., Any]"
        return f"Sequence[{one}]" if part.variadic else f"{one} | None" if part.optional else one
    if part.kind_name.startswith("enum "):
        return "str"
    if part.kind_name.startswith("elements"):
        return "npt.ArrayLike"
    return KINDS.get(part.kind_name, "Any")


def stub(name: str, definition: OpDef) -> str:
    parts = {part.name: part for part in definition.inputs}
    rows, starred = [], False
    for parameter in signature_of(definition).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            rows.append("*")
        if parameter.name == RESULT_TYPES:
            rows.append(f"{RESULT_TYPES}: _Types = None")
            continue
        type = annotation(parts[parameter.name])
        optional = parameter.default is None and not type.endswith("None") and type != "Any"
        has_default = parameter.default is not parameter.empty
        rows.append(
            f"{parameter.name}: {type}{' | None' if optional else ''}{' = None' if has_default else ''}"
        )
    outputs = definition.outputs
    result = "_Array" if len(outputs) == 1 and not outputs[0].variadic else "_Arrays"
    text = "".join(f"    {row},\n" for row in rows)
    return f"def {name}(\n{text}) -> {result}: ...\n"


def module_text(dialect: str) -> str:
    more = ""
    if dialect == "stablehlo":
        more = "from stablehlo_py.ops import chlo as chlo\n"
        more += "from stablehlo_py.ops.functions import OpError as OpError\n"
    head = HEAD.format(what=f"The ops of {dialect}", more=more)
    return head + "\n" + "".join(stub(name, d) for name, d in sorted(names_of(dialect).items()))


STUBS = {"__init__.pyi": "stablehlo", "chlo.pyi": "chlo"}

if __name__ == "__main__":
    for file, dialect in STUBS.items():
        (FOLDER / file).write_text(module_text(dialect))
