"""The pass `stablehlo-compatibility-expander`: ops that an older version lacks, in ops that it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Module, Operation, Region, Value
from stablehlo_py.ir.locations import CallSiteLoc, FileLoc, FusedLoc, Location, NameLoc
from stablehlo_py.ir.types import I32, I64, IntegerType, TensorType, Type
from stablehlo_py.ir.version import Version, version_of
from stablehlo_py.kernels.grid.mesh import MESH_AXES, mesh_groups
from stablehlo_py.notation.environment import Environment
from stablehlo_py.transforms.folding import elements_of
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.pass_definition import Option, Options, Pass, failure
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.tidy import places


def _fits(size: int, type: IntegerType) -> bool:
    return size < 1 << (type.width if type.signedness == "u" else type.width - 1)


def _wide_enough(type: Type, sizes: Sequence[int]) -> Type:
    """Return an integer type that holds sizes: the given one, i32 or i64."""
    for size in sizes:
        if isinstance(type, IntegerType) and not _fits(size, type):
            type = I32 if _fits(size, I32) else I64
    return type


def _with_batch_indices(rewriter: Rewriter, indices: Value, axis: int, batching: Sequence[int]) -> Value:
    """Prepend the positions along batching dimensions to index vectors."""
    type = indices.type
    assert isinstance(type, TensorType)
    element = _wide_enough(type.element_type, [type.shape[d] or 0 for d in batching])
    if element is not type.element_type:
        type = TensorType(type.shape, element)
        indices = rewriter.value("stablehlo.convert", [indices], type=type)
    is_scalar = axis == type.rank
    shape = [*type.shape, 1] if is_scalar else [1 if d == axis else n for d, n in enumerate(type.shape)]
    column = TensorType(tuple(shape), element)
    if is_scalar:
        indices = rewriter.value("stablehlo.reshape", [indices], type=column)
    parts = [rewriter.value("stablehlo.iota", type=column, iota_dimension=d) for d in batching]
    return rewriter.value("stablehlo.concatenate", [*parts, indices], dimension=axis)


def _are_sorted(*lists: Sequence[int]) -> bool:
    return all(list(each) == sorted(each) for each in lists)


def _gather_without_batching(rewriter: Rewriter, op: Operation, n: Environment) -> Sequence[Value]:
    """Gather with the positions along batching dimensions as further indices."""
    batching, start_map = n["batching"], [*n["operand_batching"], *n["map"]]
    indices = _with_batch_indices(rewriter, n["i"], n["axis"], batching)
    inputs = {
        "offset_dims": n["offset"],
        "collapsed_slice_dims": sorted([*n["operand_batching"], *n["collapsed"]]),
        "operand_batching_dims": (),
        "start_indices_batching_dims": (),
        "start_index_map": start_map,
        "index_vector_dim": n["axis"],
        "slice_sizes": n["sizes"],
        "indices_are_sorted": bool(n["is_sorted"]) and _are_sorted(batching, start_map),
    }
    return rewriter.create("stablehlo.gather", [n["x"], indices], inputs, [op.result.type]).results


def _scatter_without_batching(rewriter: Rewriter, op: Operation, n: Environment) -> Sequence[Value]:
    """Scatter with the positions along batching dimensions as further indices."""
    batching, dims = n["batching"], [*n["input_batching"], *n["map"]]
    indices = _with_batch_indices(rewriter, n["i"], n["axis"], batching)
    inputs = {
        "update_window_dims": n["window"],
        "inserted_window_dims": sorted([*n["input_batching"], *n["inserted"]]),
        "input_batching_dims": (),
        "scatter_indices_batching_dims": (),
        "scatter_dims_to_operand_dims": dims,
        "index_vector_dim": n["axis"],
        "indices_are_sorted": bool(n["is_sorted"]) and _are_sorted(batching, dims),
        "unique_indices": n["unique"],
    }
    (region,) = op.regions
    op.regions = ()
    operands = [*n["xs"], indices, *n["updates"]]
    types = [result.type for result in op.results]
    return rewriter.create("stablehlo.scatter", operands, inputs, types, [Region(region.blocks)]).results


def _listed_groups(rewriter: Rewriter, op: Operation, names: Environment) -> bool | None:
    """State the replica groups of mesh axes as a list."""
    groups = op.properties.get("replica_groups")
    if not isinstance(groups, StructAttr) or groups.name != MESH_AXES:
        return None
    try:
        rows = mesh_groups(groups, rewriter.module)
    except Unsupported as error:
        raise failure(rewriter.module, op, str(error)) from None
    op.properties["replica_groups"] = elements_of(rows, TensorType(rows.shape, I64))
    rewriter.modified(op)
    return True


BATCHING = (
    Rule(
        "gather-batching",
        """
        stablehlo.gather %x, %i, offset_dims = offset, collapsed_slice_dims = collapsed,
          operand_batching_dims = operand_batching, start_indices_batching_dims = batching,
          start_index_map = map, index_vector_dim = axis, slice_sizes = sizes, indices_are_sorted = is_sorted
        """,
        _gather_without_batching,
        condition="not is_empty(operand_batching) and is_static(i)",
        example="""
            %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
              offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0],
              start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
              slice_sizes = array<i64: 1, 1, 4>}>
              : (tensor<3x2x4xf32>, tensor<3x5x1xi32>) -> tensor<3x5x4xf32>
        """,
        merge=False,
    ),
    Rule(
        "scatter-batching",
        """
        %r... = stablehlo.scatter %xs..., %i, %updates..., update_window_dims = window,
          inserted_window_dims = inserted, input_batching_dims = input_batching,
          scatter_indices_batching_dims = batching, scatter_dims_to_operand_dims = map,
          index_vector_dim = axis, indices_are_sorted = is_sorted, unique_indices = unique
        """,
        _scatter_without_batching,
        condition="not is_empty(input_batching) and is_static(i)",
        example="""
            %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
              update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0],
              scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1],
              index_vector_dim = 2>}> ({
            ^bb0(%a: tensor<i32>, %b: tensor<i32>):
              %s = stablehlo.add %a, %b : tensor<i32>
              stablehlo.return %s : tensor<i32>
            }) : (tensor<3x2x4xi32>, tensor<3x5x1xi32>, tensor<3x5x4xi32>) -> tensor<3x2x4xi32>
        """,
        merge=False,
    ),
)
TANGENT = (
    Rule(
        "tan-to-quotient",
        "stablehlo.tan %x, mode = DEFAULT",
        """
        %s = stablehlo.sine %x
        %c = stablehlo.cosine %x
        stablehlo.divide %s, %c
        """,
        condition="not is_complex(x)",
        example="%r = stablehlo.tan %x : tensor<2xf32>",
        inexact="sine and cosine are rounded before they are divided: 3 units in the last place",
        merge=False,
    ),
    Rule(
        "tan-of-complex",
        "stablehlo.tan %x, mode = DEFAULT",
        """
        %a = stablehlo.real %x
        %t = stablehlo.tan %a
        %b = stablehlo.imag %x
        %h = stablehlo.tanh %b
        %n = stablehlo.complex %t, %h
        %one = stablehlo.constant 1 : t
        %p = stablehlo.multiply %t, %h
        %m = stablehlo.negate %p
        %d = stablehlo.complex %one, %m
        stablehlo.divide %n, %d
        """,
        condition="is_complex(x) and is_static(x)",
        example="%r = stablehlo.tan %x : tensor<2xcomplex<f32>>",
        doc="tan(a + bi) = (tan(a) + i tanh(b)) / (1 - i tan(a) tanh(b))",
        inexact="intermediate results are rounded, and the quotient may overflow where tan does not",
        merge=False,
    ),
)
GROUPS = (
    Rule(
        "listed-replica-groups",
        "any",
        _listed_groups,
    ),
)
# The first version of StableHLO that has what rules expand.
RULES = ((Version(1, 1, 0), BATCHING), (Version(1, 4, 0), TANGENT), (Version(1, 16, 0), GROUPS))
RANGES = Version(1, 9, 0)  # of locations: ranges of lines and columns


def _run(module: Module, options: Options) -> None:
    target = _target(options["target"])
    rules = [rule for since, found in RULES if target < since for rule in found]
    apply_rules(module, module.op, rules, options, erase_dead=False, share=False)
    if target < RANGES:
        for place in places(module):
            place.location = _without_range(place.location)


def _target(text: str) -> Version:
    try:
        return version_of(text)
    except ValueError as error:
        raise ValueError(f"option target of stablehlo-compatibility-expander: {error}") from None


def _without_range(location: Location | None) -> Location | None:
    """Return a location in which each range is its start."""
    match location:
        case FileLoc(end_column=int()):
            return FileLoc(location.file, location.line, location.column)
        case NameLoc(name, child):
            return NameLoc(name, _without_range(child) or child)
        case CallSiteLoc(callee, caller):
            return CallSiteLoc(_without_range(callee) or callee, _without_range(caller) or caller)
        case FusedLoc(locations):
            return replace(location, locations=tuple([_without_range(each) or each for each in locations]))
        case _:
            return location


PASS = Pass(
    "stablehlo-compatibility-expander",
    "Expands ops and attributes that a version of StableHLO does not have.",
    _run,
    (Option("target", "", "The version of StableHLO, as 1.0.0."),),
    rules=(*BATCHING, *TANGENT, *GROUPS),
)
