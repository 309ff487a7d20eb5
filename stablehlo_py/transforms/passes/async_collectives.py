"""The pass `async-collectives`: a device computes while the messages of its collectives are on their way."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import accumulate

from stablehlo_py.analysis.cost import Cost, Costs
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Block, Module, Operation, Region
from stablehlo_py.ir.types import FutureType
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.effects import is_pure
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.rewriter import Rewriter

_START, _DONE = "stablehlo.async_start", "stablehlo.async_done"
_LEAST = 1 << 20  # operations and bytes


def _run(module: Module, options: Options) -> None:
    costs, rewriter = Costs(module), Rewriter(module)
    collectives: dict[Block, list[Operation]] = {}
    for op in module.walk():
        if op.parent is not None and _can_start(op):
            collectives.setdefault(op.parent, []).append(op)
    for block, found in collectives.items():
        work = list(accumulate([_work(costs.op(op)) for op in block.ops], initial=0))
        place = {op: at for at, op in enumerate(block.ops)}
        for op in found:
            chain = _chain(op)
            use = _first_use(chain[-1], place)
            own = sum([_work(costs.op(each)) for each in chain])
            if work[place[use]] - work[place[op]] - own >= options["least"]:
                _split(rewriter, chain, use)
    rewriter.flush()


def _can_start(op: Operation) -> bool:
    """Test whether an op is a collective with one result, and not the body of an asynchronous op."""
    definition, around = lookup(op.name), op.parent_op
    sends = definition is not None and bool(definition.cost.messages)
    return sends and len(op.results) == 1 and not (around and has_trait(around.name, "single_op_body"))


def _work(cost: Cost) -> int:
    return cost.flops + cost.bytes


def _chain(op: Operation) -> list[Operation]:
    """Return an op and those of its block that have only its result as operand, one after the other."""
    chain = [op]
    while len(chain[-1].result.uses) == 1:
        (use,) = chain[-1].result.uses
        alone = len(use.op.operands) == len(use.op.results) == 1 and use.op.parent is op.parent
        if not alone or use.op.regions or not is_pure(use.op) or has_trait(use.op.name, "terminator"):
            break
        chain.append(use.op)
    return chain


def _first_use(op: Operation, place: dict[Operation, int]) -> Operation:
    """Return the first op of a block that needs the result of one of its ops, at least in a region."""
    users = [_inside(use.op, place) for use in op.result.uses]
    return min(users, key=place.__getitem__, default=next(reversed(place)))


def _inside(op: Operation, block: Container[Operation]) -> Operation:
    """Return the op of a block that is an op, or holds it in its regions."""
    while op not in block:
        around = op.parent_op
        assert around is not None
        op = around
    return op


def _split(rewriter: Rewriter, chain: Sequence[Operation], use: Operation) -> None:
    """Start the collective of a chain where it is; wait for it before a use, and run the others there."""
    op, *others = chain
    body = Block([value.type for value in op.operands])
    inner = body.append(clone_op(op))
    inner.use_operands(body.arguments)
    body.append(Operation("stablehlo.return", inner.results))
    types = [FutureType((op.result.type,))]
    future = rewriter.at(op).create(_START, op.operands, types=types, regions=[Region([body])])
    rewriter.replace(op, rewriter.at(use).create(_DONE, future.results, types=[op.result.type]).results)
    for other in others:
        rewriter.replace(other, rewriter.clone(other).results, merge=False)


PASS = Pass(
    "async-collectives",
    "Starts collectives where they are, and waits for them where their results are first used.",
    _run,
    (Option("least", _LEAST, "The operations and bytes of ops in between from which it is worthwhile."),),
)
