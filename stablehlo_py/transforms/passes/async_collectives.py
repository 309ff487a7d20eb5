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
_MOST = 1 << 24  # bytes


def _run(module: Module, options: Options) -> None:
    costs, rewriter = Costs(module), Rewriter(module)
    collectives: dict[Block, list[Operation]] = {}
    for op in module.walk():
        if op.parent is not None and _can_start(op):
            collectives.setdefault(op.parent, []).append(op)
    for block, found in collectives.items():
        awaited = _Awaited(block, costs, options["least"])
        pairs = awaited.bounded(awaited.pairs(found), options["most"])
        for chain, use in pairs:
            if awaited.hides(chain, use):
                _split(rewriter, chain, use)
    rewriter.flush()


_Pair = tuple[list[Operation], Operation]  # a collective with its chain, and the op that waits for it


class _Awaited:
    """Where the collectives of a block are awaited.

    Args:
        block: The block.
        costs: The costs of its ops.
        least: The operations and bytes of ops in between from which it is worthwhile to wait.
    """

    def __init__(self, block: Block, costs: Costs, least: int) -> None:
        self._costs, self._least = costs, least
        self._place = {op: at for at, op in enumerate(block.ops)}
        self._work = list(accumulate([_work(costs.op(op)) for op in block.ops], initial=0))

    def pairs(self, found: Sequence[Operation]) -> list[_Pair]:
        """Return the collectives that are worth it, each with the first op that needs its result."""
        pairs = [(chain, _first_use(chain[-1], self._place)) for chain in map(_chain, found)]
        return [pair for pair in pairs if self.hides(*pair)]

    def hides(self, chain: Sequence[Operation], use: Operation) -> bool:
        """Test whether there is enough work between a collective and what waits for it."""
        own = sum([_work(self._costs.op(each)) for each in chain])
        return self._work[self._place[use]] - self._work[self._place[chain[0]]] - own >= self._least

    def bounded(self, pairs: Sequence[_Pair], most: int) -> list[_Pair]:
        """Let collectives be awaited early, so that few bytes are on their way.

        Args:
            pairs: The collectives, in order.
            most: The bytes of operands and results with which another one starts; one always does.
        """
        found, flying = list(pairs), list[int]()
        sizes = [self._costs.op(op).bytes for (op, *_), _ in pairs]
        for number, ((op, *_), _) in enumerate(pairs):
            flying = [each for each in flying if self._place[found[each][1]] > self._place[op]]
            while flying and sum([sizes[each] for each in flying]) + sizes[number] > most:
                oldest = flying.pop(0)
                found[oldest] = (found[oldest][0], op)
            flying.append(number)
        return found


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
    (
        Option("least", _LEAST, "The operations and bytes of ops in between from which it is worthwhile."),
        Option("most", _MOST, "The bytes of operands and results that are on their way at once."),
    ),
)
