"""Custom calls of a program for a device: what XLA passes to code that trusts it is checked before."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.engines.pjrt.errors import op_at
from stablehlo_py.interpreter.errors import located
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.locations import FileLoc
from stablehlo_py.kernels.targets.calls import check_call
from stablehlo_py.opset.definition import has_trait


def check_calls(module: Module, original: Module) -> None:
    """Check the custom calls of a module against their targets.

    Args:
        module: The module.
        original: The module of the program, for the positions of errors.

    Raises:
        Unsupported: A target does not accept the operands, results or attributes of a call.
    """
    for op in module.walk():
        if not has_trait(op.name, "external_call"):
            continue
        try:
            check_call(op, on_device=True)
        except Unsupported as error:
            raise located(error, original, _in_text(op, original)) from None


def _in_text(op: Operation, original: Module) -> Operation:
    """Return the op of a program for one of a device, whose location is a position in the text."""
    place = op.location
    if not isinstance(place, FileLoc) or place.file != original.name:
        return op
    return op_at(original, place.line, place.column) or op
