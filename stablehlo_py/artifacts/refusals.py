"""What a file format or a version of StableHLO cannot hold of a program, and what helps."""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.artifacts.bytecode.writer import Stored
from stablehlo_py.artifacts.dialects.registry import VHLO, NoEncoding
from stablehlo_py.artifacts.encode import store_of
from stablehlo_py.artifacts.faults import Unwritable
from stablehlo_py.artifacts.vhlo.mixed import SINCE, is_foreign
from stablehlo_py.artifacts.vhlo.text import text_of
from stablehlo_py.artifacts.vhlo.versions import needs
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.version import Version
from stablehlo_py.opset.definition import lookup
from stablehlo_py.opset.search import belongs_here

_PLAIN = "plain bytecode can hold it (bytecode), and so can text"
_OTHERS = f"{_PLAIN}; with other dialects allowed, it is written as it is"


def version_faults(module: Module, target: Version, allow_other_dialects: bool) -> list[Diagnostic]:
    """Return the features of a module that are newer than a version of StableHLO.

    Args:
        module: The module.
        target: The version.
        allow_other_dialects: Whether ops of other dialects are to be written.
    """
    found = [
        Diagnostic(
            "error",
            "target",
            f"{need.what} needs StableHLO {need.version}, and the target is {target}",
            *module.position(need.place),
            (f"the oldest target that can hold it is {need.version}",),
        )
        for need in needs(module.walk())
        if need.version > target
    ]
    if allow_other_dialects and target < SINCE:
        message = "is of another dialect, which needs"
        found += [
            Diagnostic(
                "error",
                "target",
                f"{op.name} {message} StableHLO {SINCE}, and the target is {target}",
                *module.position(op),
            )
            for op in module.walk()
            if is_foreign(op)
        ]
    return found


def format_faults(module: Module, is_portable: bool) -> list[Diagnostic]:
    """Return every part of a module that no version can hold.

    Args:
        module: The module.
        is_portable: Whether the module is written as a portable artifact, or as plain bytecode.
    """
    return [
        Diagnostic("error", "target", error.message, *module.position(error.op), error.notes)
        for op in module.walk()
        for error in _of_op(op, is_portable)
    ]


def _of_op(op: Operation, is_portable: bool) -> Iterator[Unwritable]:
    if is_portable and is_foreign(op):
        dialect = op.name.partition(".")[0]
        is_newer = belongs_here(op.name) and lookup(op.name) is None
        what = "not defined in this release" if is_newer else f"of the dialect {dialect}"
        message = f"{op.name} is {what}, which a portable artifact cannot hold"
        yield Unwritable(op, message, *_ADVICE.get(dialect, ()), _OTHERS)
        return
    try:
        stored = store_of(is_portable)(op)
    except Unwritable as error:
        yield error
        return
    if stored.dialects == VHLO:
        yield from _unencoded(op, stored)


_ADVICE = {"chlo": ("it can be lowered first (lower_chlo; shlo convert --lower-chlo), which is the default",)}


def _unencoded(op: Operation, stored: Stored) -> Iterator[Unwritable]:
    """Yield what VHLO cannot encode among an op's attributes and the types that it defines."""
    slots = {slot.name: slot.value for slot in stored.slots if slot.value is not None}
    for name, value in (slots | stored.attributes).items():
        if fault := _fault(value):
            yield Unwritable(op, f"the attribute {name} of {op.name} cannot be written: {fault}", _OTHERS)
    arguments = [a for region in op.regions for block in region.blocks for a in block.arguments]
    for type in dict.fromkeys(value.type for value in (*op.results, *arguments)):
        if fault := _fault(type):
            yield Unwritable(op, f"a type of {op.name} cannot be written: {fault}", _PLAIN)


def _fault(value: object) -> str:
    """Return why VHLO has no form of an attribute or type; "" if it has one."""
    try:
        text_of(value)
    except NoEncoding as error:
        return str(error)
    return ""
