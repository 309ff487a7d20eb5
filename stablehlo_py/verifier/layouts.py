"""Checks of `mhlo.layout_mode`: the memory layouts of a function's inputs and outputs.

Neither the specification nor the C++ verifier defines its values, but compilers reject unknown ones, so
violations are warnings. (The layouts of `custom_call` are constraints of that op.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, StringAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import FunctionType, TensorType, Type
from stablehlo_py.verifier.report import Place, Violation

LAYOUT_MODE = "mhlo.layout_mode"
MODES = ("default", "auto")


def layout_violations(op: Operation, signature: FunctionType) -> Iterator[Violation]:
    """Check the layout modes of a function's inputs and outputs."""
    blocks = op.regions[0].blocks if op.regions else []
    arguments: Sequence[Place] = blocks[0].arguments if blocks else ()
    inputs, outputs = _modes(op, "arg_attrs"), _modes(op, "res_attrs")
    for index, (mode, type) in enumerate(zip(inputs, signature.inputs, strict=False)):
        place = arguments[index] if index < len(arguments) else op
        yield from _mode_violations(place, f"input {index}", mode, type)
    for index, (mode, type) in enumerate(zip(outputs, signature.results, strict=False)):
        yield from _mode_violations(op, f"output {index}", mode, type)


def _modes(op: Operation, key: str) -> list[Attribute | None]:
    """Return the layout mode of each input or output, or None."""
    entries = op.attribute(key)
    if not isinstance(entries, ArrayAttr):
        return []
    return [entry.get(LAYOUT_MODE) if isinstance(entry, DictAttr) else None for entry in entries.value]


def _mode_violations(place: Place, what: str, mode: Attribute | None, type: Type) -> Iterator[Violation]:
    wrong = "" if mode is None else _fault(mode, type)
    if wrong:
        yield Violation(place, "layout", f"{LAYOUT_MODE} of {what}: {wrong}", severity="warning")


def _fault(mode: Attribute, type: Type) -> str:
    """Describe what is wrong with the layout mode of a value, or return ""."""
    text = mode.value if isinstance(mode, StringAttr) else ""
    if text in MODES:
        return ""
    if not text.startswith("{"):
        return f'expected "default", "auto" or a layout such as "{{1,0}}", found {mode}'
    if not isinstance(type, TensorType):
        return f"only tensors have a layout, not {type}"
    from stablehlo_py.layout import Layout  # rarely needed

    try:
        Layout.parse(text).widths([0 if size is None else size for size in type.shape])
    except ValueError as error:
        return f"{error} ({type})"
    return ""
