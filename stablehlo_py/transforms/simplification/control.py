"""Simplification of ops with regions, tuples, custom calls, and of empty tensors."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.attributes import StringAttr
from stablehlo_py.ir.core import Block, BlockArgument, Operation, OpResult, Region, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.opset.attribute_conversion import python_value
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.transforms.regions import drop_arguments, is_defined_in
from stablehlo_py.transforms.rewriter import Rewriter, attributes_for
from stablehlo_py.transforms.rules.rule import Rule

REDUCE, SORT = "stablehlo.reduce", "stablehlo.sort"
_BACKEND_CONFIG = "mhlo.backend_config"


def _returned_from_outside(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Replace a reduction whose body returns captured values by these values."""
    region = op.regions[0]
    returned = rewriter.ops(region.block)[-1].operands
    if any(is_defined_in(value, region) for value in returned):
        return None
    types = [result.type for result in op.results]
    return returned if [value.type for value in returned] == types else None


def _drop_unused_results(
    rewriter: Rewriter, op: Operation, names: Environment
) -> Sequence[Value | None] | None:
    """Drop the inputs and results of a reduction that no used result depends on."""
    used, needed = _used_results(rewriter, op)
    return _reduce_only(rewriter, op, used, used) if used and needed <= set(used) else None


def _reduce_other_inputs(
    rewriter: Rewriter, op: Operation, names: Environment
) -> Sequence[Value | None] | None:
    """Reduce the inputs that the used results depend on, if they are as many, though of unused results."""
    used, needed = _used_results(rewriter, op)
    return _reduce_only(rewriter, op, used, sorted(needed)) if used and len(needed) == len(used) else None


def _used_results(rewriter: Rewriter, op: Operation) -> tuple[list[int], set[int]]:
    """Return the indices of the used results of a reduction, if not all are, and of the inputs they need."""
    count = len(op.results)
    used = [i for i, result in enumerate(op.results) if result.uses]
    if len(used) == count:
        return [], set()
    last = rewriter.ops(op.regions[0].block)[-1]
    needed = _arguments_of([last.operands[i] for i in used], op.regions[0])
    return used, {argument.index % count for argument in needed}


def _reduce_only(
    rewriter: Rewriter, op: Operation, used: list[int], kept: list[int]
) -> Sequence[Value | None]:
    """Replace a reduction by the reduction of some inputs to the used results."""
    count = len(op.results)
    block = op.regions[0].block
    last = block.ops[-1]
    operands = [op.operands[i] for i in kept] + [op.operands[count + i] for i in kept]
    last.use_operands([last.operands[i] for i in used])
    gone = [i for i in range(2 * count) if i % count not in kept]
    _erase_users(rewriter, block, gone)
    drop_arguments(block, gone)
    (region,) = op.regions
    op.regions = ()
    types = [op.results[i].type for i in used]
    made = rewriter.create(REDUCE, operands, None, types, [Region(region.blocks)])
    made.properties = dict(op.properties)
    results = iter(made.results)
    return [next(results) if i in used else None for i in range(count)]


def _arguments_of(values: Sequence[Value], region: Region) -> set[BlockArgument]:
    """Return the arguments of a region that values depend on."""
    found: set[BlockArgument] = set()
    pending, seen = list(values), set(values)
    while pending:
        value = pending.pop()
        if isinstance(value, BlockArgument) and value.block.parent is region:
            found.add(value)
        elif isinstance(value, OpResult) and is_defined_in(value, region):
            inputs = [operand for inner in value.op.walk() for operand in inner.operands]
            fresh = [each for each in inputs if each not in seen]
            seen.update(fresh)
            pending += fresh
    return found


def _erase_users(rewriter: Rewriter, block: Block, arguments: Sequence[int]) -> None:
    """Erase the ops of a block that depend on some of its arguments; what it returns does not."""
    pending: list[Value] = [block.arguments[i] for i in arguments]
    users: set[Operation] = set()
    while pending:
        for use in pending.pop().uses:
            op = _op_of_block(block, use.op)
            if op not in users:
                users.add(op)
                pending += op.results
    for op in reversed(rewriter.ops(block)):
        if op in users:
            rewriter.erase(op)
    rewriter.ops(block)


def _op_of_block(block: Block, op: Operation) -> Operation:
    """Return the op of a block that is an op or contains it."""
    while op.parent is not block:
        assert op.parent_op is not None
        op = op.parent_op
    return op


def _empty_reduction(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value]:
    """Broadcast the initial values of a reduction of nothing."""
    inits = op.operands[len(op.results) :]
    inputs = {"broadcast_dimensions": ()}
    return [
        rewriter.create("stablehlo.broadcast_in_dim", [init], inputs, [result.type]).result
        for init, result in zip(inits, op.results, strict=True)
    ]


def _drop_unused_sorted(
    rewriter: Rewriter, op: Operation, names: Environment
) -> Sequence[Value | None] | None:
    """Drop the inputs of a sort with unused results, if the comparator does not read them."""
    block = op.regions[0].block
    gone = [
        i
        for i, result in enumerate(op.results)
        if not (result.uses or block.arguments[2 * i].uses or block.arguments[2 * i + 1].uses)
    ]
    if not gone or len(gone) == len(op.results):
        return None
    drop_arguments(block, [2 * i + side for i in gone for side in (0, 1)])
    kept = [i for i in range(len(op.results)) if i not in gone]
    (region,) = op.regions
    op.regions = ()
    types = [op.results[i].type for i in kept]
    made = rewriter.create(SORT, [op.operands[i] for i in kept], None, types, [Region(region.blocks)])
    made.properties = dict(op.properties)
    results = iter(made.results)
    return [next(results) if i in kept else None for i in range(len(op.results))]


def _state_dimension(rewriter: Rewriter, op: Operation, names: Environment) -> bool | None:
    """State the last dimension by its index."""
    type = op.operands[0].type
    if not isinstance(type, TensorType):
        return None
    definition = lookup(op.name)
    assert definition is not None
    op.properties["dimension"] = definition.property_kinds["dimension"].make(type.rank - 1, "dimension")
    rewriter.modified(op)
    return True


def _repacked(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Replace a tuple of all elements of a tuple, in order, by that tuple."""
    whole: Value | None = None
    for index, value in enumerate(op.operands):
        element = value.op if isinstance(value, OpResult) else None
        if element is None or element.name != "stablehlo.get_tuple_element":
            return None
        if python_value(element.properties["index"]) != index or whole not in (None, element.operands[0]):
            return None
        whole = element.operands[0]
    return None if whole is None else [whole]  # which stays if there are more elements


def _capture_invariants(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Capture the values of a loop that no iteration changes, instead of passing them on."""
    cond, body = (region.block for region in op.regions)
    last = rewriter.ops(body)[-1]
    rows = list(zip(op.operands, body.arguments, last.operands, op.results, strict=True))
    same = [
        i
        for i, (given, argument, back, result) in enumerate(rows)
        if back in (given, argument) and given.type == argument.type == result.type
    ]
    if not same or any(_is_empty(value) and constant_attribute(value) is None for value in op.operands):
        return None  # what is empty becomes a constant first
    for i in same:
        for argument in (cond.arguments[i], body.arguments[i]):
            rewriter.touched += [use.op for use in argument.uses]
            argument.replace_all_uses(op.operands[i])
    kept = [i for i in range(len(rows)) if i not in same]
    last.use_operands([last.operands[i] for i in kept])
    drop_arguments(cond, same)
    drop_arguments(body, same)
    regions = [Region(region.blocks) for region in op.regions]
    op.regions = ()
    operands = [op.operands[i] for i in kept]
    types = [op.results[i].type for i in kept]
    made = rewriter.create(op.name, operands, None, types, regions, attributes_for(op, kept))
    results = iter(made.results)
    return [op.operands[i] if i in same else next(results) for i in range(len(rows))]


def _empty_constants(rewriter: Rewriter, op: Operation, names: Environment) -> bool | None:
    """Use an empty constant for results and operands without elements."""
    results = [result for result in op.results if _is_empty(result) and result.uses]
    operands = [i for i, v in enumerate(op.operands) if _is_empty(v) and constant_attribute(v) is None]
    if not (results or operands) or not op.name.startswith("stablehlo.") or has_trait(op.name, "constant"):
        return None
    definition = lookup(op.name)
    if definition is None or definition.traits.isdisjoint(("pure", "recursive_effects")):
        return None
    for result in results:
        rewriter.touched += [use.op for use in result.uses]
        result.replace_all_uses(rewriter.constant(0, result.type))
    if operands:
        made = {i: rewriter.constant(0, op.operands[i].type) for i in operands}
        rewriter.set_operands(op, [made.get(i, value) for i, value in enumerate(op.operands)])
    return True


def _is_empty(value: Value) -> bool:
    type = value.type
    return isinstance(type, TensorType) and 0 in type.shape and type.is_static


def _typed_backend_config(rewriter: Rewriter, op: Operation, names: Environment) -> bool | None:
    """Move the discardable attribute `mhlo.backend_config` to where FFI has it."""
    config, old = op.attributes.get(_BACKEND_CONFIG), op.properties.get("backend_config")
    if config is None or not (old is None or (isinstance(old, StringAttr) and not old.value)):
        return None
    definition = lookup(op.name)
    assert definition is not None
    version = definition.property_kinds["api_version"].make("API_VERSION_TYPED_FFI", "api_version")
    op.properties.update(backend_config=config, api_version=version)
    del op.attributes[_BACKEND_CONFIG]
    rewriter.modified(op)
    return True


_SUM = """{
              %s = stablehlo.add %a, %b : tensor<i32>
              stablehlo.return %s : tensor<i32>
            }"""

RULES = (
    Rule(
        "reduce-nothing",
        "%r... = stablehlo.reduce %xs..., %inits..., dimensions = []",
        "%xs...",
        example=f"""
            %c = stablehlo.constant dense<0> : tensor<i32>
            %r = stablehlo.reduce(%x init: %c) across dimensions = []
              : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
              reducer(%a: tensor<i32>, %b: tensor<i32>) {_SUM}
        """,
        inexact="the body is not applied to the initial value, which makes no difference if that is neutral",
        merge=False,
    ),
    Rule(
        "reduce-to-outer-value",
        "%r... = stablehlo.reduce %xs..., %inits...",
        _returned_from_outside,
        example="""
            %r = stablehlo.reduce(%x init: %c) across dimensions = [0]
              : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
              reducer(%a: tensor<i32>, %b: tensor<i32>) {
              stablehlo.return %c : tensor<i32>
            }
        """,
        merge=False,
    ),
    Rule(
        "reduce-empty",
        "%r... = stablehlo.reduce %xs..., %inits...",
        _empty_reduction,
        condition="is_static(xs[0]) and size(xs[0]) = 0",
        example=f"""
            %r = stablehlo.reduce(%x init: %c) across dimensions = [0]
              : (tensor<0xi32>, tensor<i32>) -> tensor<i32>
              reducer(%a: tensor<i32>, %b: tensor<i32>) {_SUM}
        """,
        merge=False,
    ),
    Rule(
        "reduce-unused-results",
        "%r... = stablehlo.reduce %xs..., %inits...",
        _drop_unused_results,
        example="""
            %all:2 = stablehlo.reduce(%x init: %c), (%y init: %c) across dimensions = [0] :
              (tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
              reducer(%a: tensor<i32>, %b: tensor<i32>) (%d: tensor<i32>, %e: tensor<i32>) {
              %s = stablehlo.add %a, %b : tensor<i32>
              %t = stablehlo.subtract %d, %e : tensor<i32>
              stablehlo.return %s, %t : tensor<i32>, tensor<i32>
            }
            %r = stablehlo.negate %all#0 : tensor<i32>
        """,
        merge=False,
    ),
    Rule(
        "reduce-unused-other-inputs",
        "%r... = stablehlo.reduce %xs..., %inits...",
        _reduce_other_inputs,
        example="""
            %all:2 = stablehlo.reduce(%x init: %c), (%x init: %c) across dimensions = [0] :
              (tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
              reducer(%a: tensor<i32>, %b: tensor<i32>) (%d: tensor<i32>, %e: tensor<i32>) {
              %s = stablehlo.maximum %d, %e : tensor<i32>
              stablehlo.return %s, %s : tensor<i32>, tensor<i32>
            }
            %r = stablehlo.negate %all#0 : tensor<i32>
        """,
        inexact="what is accumulated differs where the body does not satisfy the specification: "
        "it depends on inputs for which the initial values are not neutral",
        benefit=-1,
        merge=False,
    ),
    Rule(
        "sort-unused",
        "%r... = stablehlo.sort %xs...",
        _drop_unused_sorted,
        example="""
            %all:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64}> ({
            ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
              %lt = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %lt : tensor<i1>
            }) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
            %r = stablehlo.negate %all#0 : tensor<3xi32>
        """,
        merge=False,
    ),
    Rule(
        "sort-dimension",
        "%r... = stablehlo.sort %xs..., dimension = -1",
        _state_dimension,
        example="""
            %r = "stablehlo.sort"(%x) <{dimension = -1 : i64}> ({
            ^bb0(%a: tensor<i32>, %b: tensor<i32>):
              %lt = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %lt : tensor<i1>
            }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
        """,
    ),
    Rule(
        "get-element-of-tuple",
        """
        %t = stablehlo.tuple %xs...
        stablehlo.get_tuple_element %t, index = i
        """,
        "%xs[i]",
        example="""
            %t = stablehlo.tuple %x, %y : tuple<tensor<2xf32>, tensor<i32>>
            %r = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
        """,
        merge=False,
    ),
    Rule(
        "tuple-of-elements",
        "stablehlo.tuple %xs...",
        _repacked,
        example="""
            %t = stablehlo.tuple %x, %y : tuple<tensor<2xf32>, tensor<i32>>
            %a = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
            %b = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
            %r = stablehlo.tuple %a, %b : tuple<tensor<2xf32>, tensor<i32>>
        """,
        merge=False,
    ),
    Rule(
        "while-invariants",
        "%r... = stablehlo.while %xs...",
        _capture_invariants,
        example="""
            %n = stablehlo.constant dense<1> : tensor<i32>
            %limit = stablehlo.constant dense<9> : tensor<i32>
            %all:2 = stablehlo.while(%i = %n, %k = %step) : tensor<i32>, tensor<i32>
            cond {
              %lt = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %lt : tensor<i1>
            } do {
              %next = stablehlo.add %i, %i : tensor<i32>
              stablehlo.return %next, %k : tensor<i32>, tensor<i32>
            }
            %r = stablehlo.add %all#0, %all#1 : tensor<i32>
        """,
        merge=False,
    ),
    Rule(
        "custom-call-backend-config",
        "%r... = stablehlo.custom_call %xs..., api_version = API_VERSION_ORIGINAL",
        _typed_backend_config,
        example="""
            %r = stablehlo.custom_call @foo(%x) {mhlo.backend_config = {a = 1 : i32}}
              : (tensor<2xf32>) -> tensor<2xf32>
        """,
    ),
    Rule(
        "empty-tensor",
        "any",
        _empty_constants,
        example="%r = stablehlo.add %x, %y : tensor<2x0xf32>",
    ),
)
