"""The pass `interpreter-instrument-with-probe`: a probe after each op that makes tensors."""

from __future__ import annotations

from stablehlo_py.ir.attributes import StringAttr
from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.ir.locations import Location, NameLoc
from stablehlo_py.ir.origins import derive
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, TensorType
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.regions import postorder


def _run(module: Module, options: Options) -> None:
    number = 0
    after: dict[Operation, list[Operation]] = {}
    left_out = _called_on_elements(module)
    for op in postorder(module.op):
        made: list[Operation] = []
        for result in op.results if _is_instrumented(op, left_out) else ():
            if _is_probed(result):
                number += 1
                made.append(_probe(result, _identifier(op.location, number, options["useDebugInfo"])))
        if made and op.parent is not None:
            after[op] = made
    for block in {op.parent for op in after if op.parent is not None}:
        block.ops = [each for op in block.ops for each in (op, *after.get(op, ()))]
        for op in block.ops:
            op.parent = block


def _called_on_elements(module: Module) -> set[str]:
    """Return the names of the functions that bodies on elements call, directly or indirectly."""
    functions = module.functions
    found: set[str] = set()
    pending = [name for op in module.walk() if (name := callee(op)) is not None and _is_on_elements(op)]
    while pending:
        name = pending.pop()
        if name in functions and name not in found:
            found.add(name)
            pending += [other for op in functions[name].walk() if (other := callee(op)) is not None]
    return found


def _is_on_elements(op: Operation) -> bool:
    """Test whether a body around an op is a function of elements or a single op."""
    around = op.parent_op
    while around is not None and not (around.is_function or around.is_module):
        if not has_trait(around.name, "runs_bodies") or has_trait(around.name, "single_op_body"):
            return True
        around = around.parent_op
    return False


def _is_instrumented(op: Operation, left_out: set[str]) -> bool:
    """Test whether an op is no constant, and neither in a body on elements nor in a function for these."""
    function = op.function
    if function is not None and function.python_value("sym_name") in left_out:
        return False
    return not has_trait(op.name, "constant") and not _is_on_elements(op)


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
    derive(made, result.op)
    result.replace_all_uses(made.result)
    made.use_operands([result])
    return made


PASS = Pass(
    "interpreter-instrument-with-probe",
    "Inserts an interpreter.probe after each op but constants, for each of its static tensors.",
    _run,
    (Option("useDebugInfo", False, "Name probes after the locations of the ops, NAME.1, NAME.2, ..."),),
    description="Bodies of reductions, sorts and the like, which are functions of elements, are left out: "
    "they are evaluated on many elements at once; so are functions that they call. Bodies of asynchronous "
    "ops hold one op, and no probe.",
)
