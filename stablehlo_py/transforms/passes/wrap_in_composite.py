"""The pass `stablehlo-wrap-in-composite`: ops become composites with a decomposition of one op."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.attributes import DictAttr, SymbolRefAttr, integer
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Block, Module, Operation, Value
from stablehlo_py.ir.op_builder import function_op
from stablehlo_py.ir.origins import derive
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.transforms.pass_definition import Option, Options, Pass, failure
from stablehlo_py.transforms.rewriter import Rewriter

_COMPOSITE = "stablehlo.composite"


def _run(module: Module, options: Options) -> None:
    rewriter = Rewriter(module)
    names = {name.strip() for name in options["op-names"]}
    taken = {str(op.python_value("sym_name")): 0 for op in module.walk()}
    for op in reversed(list(module.walk())):  # the ops inside of an op are wrapped first
        if op.name not in names or _is_only_op(op):
            continue
        for inner in op.walk():
            for block in inner.blocks:
                rewriter.ops(block)  # with the composites in it
        operands = _operands(module, op)
        name = _free_name(f"{op.name}.impl", taken)
        _module_of(op).regions[0].block.append(_decomposition(op, operands, name))
        _wrap(rewriter.at(op), op, operands, name, options["version"])
    rewriter.flush()


def _is_only_op(op: Operation) -> bool:
    """Test whether the body around an op holds it alone, as bodies of asynchronous ops do."""
    around = op.parent_op
    return around is not None and has_trait(around.name, "single_op_body")


def _operands(module: Module, op: Operation) -> list[Value]:
    """Return the operands of a composite for an op: its own operands, then the captures of its regions.

    Raises:
        TransformError: If a composite cannot replace the op.
    """
    if has_trait(op.name, "terminator") or has_trait(op.name, "symbol"):
        what = "ends a block" if has_trait(op.name, "terminator") else "defines a symbol"
        raise failure(module, op, f"{op.name} cannot be wrapped in a composite: it {what}")
    operands = [*op.operands, *[value for value in captures([op]) if value not in op.operands]]
    composite = lookup(_COMPOSITE)
    assert composite is not None
    accepted = composite.operands[0].type
    for value in (*operands, *op.results):
        if not accepted.contains(value.type):
            reason = f"operands and results of composites are {accepted.phrase}, not {value.type}"
            raise failure(module, op, f"{op.name} cannot be wrapped in a composite: {reason}")
    return operands


def _module_of(op: Operation) -> Operation:
    """Return the innermost module around an op, where its symbols are looked up."""
    around = op.parent_op
    while around is not None and not around.is_module:
        around = around.parent_op
    assert around is not None
    return around


def _free_name(name: str, taken: dict[str, int]) -> str:
    """Reserve a name, with a number appended if the name is taken.

    Args:
        name: The name.
        taken: The taken names, each with the least number to try.
    """
    found, number = name, taken.get(name, 0)
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    taken[name] = number
    return found


def _decomposition(op: Operation, operands: Sequence[Value], name: str) -> Operation:
    """Return a private function with a copy of the op, which takes the operands of the composite."""
    block = Block([value.type for value in operands])
    made = block.append(clone_op(op, dict(zip(operands, block.arguments, strict=True))))
    made.use_operands(block.arguments[: len(op.operands)])
    last = block.append(Operation("func.return", made.results))
    function = function_op(name, block, [result.type for result in op.results], "private")
    for each in (last, function):
        derive(each, op)
    return function


def _wrap(rewriter: Rewriter, op: Operation, operands: Sequence[Value], name: str, version: int) -> None:
    inputs = {
        "name": op.name,
        "composite_attributes": DictAttr.of({**op.properties, **op.attributes}),
        "decomposition": SymbolRefAttr(name),
        "version": integer(version, 32),
    }
    types = [result.type for result in op.results]
    made = rewriter.create(_COMPOSITE, operands, inputs, types)
    rewriter.replace(op, made.results, merge=False)


PASS = Pass(
    "stablehlo-wrap-in-composite",
    "Replaces ops by composites of the same name, whose decompositions are these ops.",
    _run,
    (
        Option("op-names", (), "The names of the ops to wrap."),
        Option("version", 0, "The version of the composites."),
    ),
)
