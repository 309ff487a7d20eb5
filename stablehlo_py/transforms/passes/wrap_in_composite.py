"""The pass `stablehlo-wrap-in-composite`: ops become composites with a decomposition of one op."""

from __future__ import annotations

from stablehlo_py.ir.attributes import DictAttr, SymbolRefAttr, integer
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Block, Module, Operation
from stablehlo_py.ir.op_builder import function_op
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.rewriter import Rewriter


def _run(module: Module, options: Options) -> None:
    rewriter = Rewriter(module)
    names = {name.strip() for name in options["op-names"]}
    taken = {str(op.python_value("sym_name")) for op in module.walk()}
    for op in reversed(list(module.walk())):
        if op.name in names and op.parent is not None:
            name = _free_name(f"{op.name}.impl", taken)
            _module_of(op).regions[0].block.append(_decomposition(op, name))
            _wrap(rewriter.at(op), op, name, options["version"])
    rewriter.flush()


def _module_of(op: Operation) -> Operation:
    """Return the innermost module around an op, where its symbols are looked up."""
    around = op.parent_op
    while around is not None and not around.is_module:
        around = around.parent_op
    assert around is not None
    return around


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, with a number if necessary, and take it."""
    found, number = name, 0
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    taken.add(found)
    return found


def _decomposition(op: Operation, name: str) -> Operation:
    """Return a private function that does what an op does."""
    block = Block([value.type for value in op.operands])
    made = block.append(clone_op(op))
    made.use_operands(block.arguments)
    block.append(Operation("func.return", made.results, location=op.location))
    function = function_op(name, block, [result.type for result in op.results], "private")
    function.location = op.location
    return function


def _wrap(rewriter: Rewriter, op: Operation, name: str, version: int) -> None:
    inputs = {
        "name": op.name,
        "composite_attributes": DictAttr.of({**op.properties, **op.attributes}),
        "decomposition": SymbolRefAttr(name),
        "version": integer(version, 32),
    }
    types = [result.type for result in op.results]
    made = rewriter.create("stablehlo.composite", op.operands, inputs, types)
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
