"""The pass `interpreter-instrument-with-probe`: a probe after each op that makes tensors."""

from __future__ import annotations

from stablehlo_py.ir.attributes import StringAttr
from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.ir.locations import Location, NameLoc
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, TensorType
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.regions import postorder


def _run(module: Module, options: Options) -> None:
    number = 0
    for op in postorder(module.op):
        made: list[Operation] = []
        for result in op.results if _is_instrumented(op) else ():
            if _is_probed(result):
                number += 1
                made.append(_probe(result, _identifier(op.location, number, options["useDebugInfo"])))
        if made and op.parent is not None:
            at = op.parent.ops.index(op) + 1
            op.parent.ops[at:at] = made
            for probe in made:
                probe.parent = op.parent


def _is_instrumented(op: Operation) -> bool:
    """Test whether an op is no constant, and no body around it is a function of elements or a single op."""
    around = op.parent_op
    while around is not None and not (around.is_function or around.is_module):
        if not has_trait(around.name, "runs_bodies") or has_trait(around.name, "single_op_body"):
            return False
        around = around.parent_op
    return not has_trait(op.name, "constant")


def _is_probed(value: Value) -> bool:
    type = value.type
    return (
        isinstance(type, TensorType)
        and type.is_static
        and isinstance(type.element_type, IntegerType | FloatType | ComplexType)
    )


def _identifier(location: Location | None, number: int, names: bool) -> str:
    if names and isinstance(location, NameLoc):
        return f"{location.name.partition('@')[0]}.{number}"
    return f"probe{number}"


def _probe(result: OpResult, name: str) -> Operation:
    made = Operation("interpreter.probe", (), [result.type], {"probe_id": StringAttr(name)})
    made.location = result.op.location
    result.replace_all_uses(made.result)
    made.use_operands([result])
    return made


PASS = Pass(
    "interpreter-instrument-with-probe",
    "Inserts an interpreter.probe after each op but constants, for each of its static tensors.",
    _run,
    (Option("useDebugInfo", False, "Name probes after the locations of the ops, NAME.1, NAME.2, ..."),),
    description="Bodies of reductions, sorts and the like, which are functions of elements, are left out: "
    "they are evaluated on many elements at once. Bodies of asynchronous ops hold one op, and no probe.",
)
