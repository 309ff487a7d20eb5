"""Traits and other properties of ops besides their interface, which other packages query."""

from __future__ import annotations

from typing import Literal

from stablehlo_py.ir.records import dataclass

Trait = Literal[
    # Structure
    "terminator",  # ends a block
    "isolated",  # its regions do not capture outer values
    "symbol",  # defines a symbol, `sym_name`
    "symbol_table",  # its region contains symbols
    "no_terminator",  # its blocks need no terminator
    "late_location",  # in its pretty form, its location is that of its operands
    "func_default",  # its regions print the ops of `func` without their prefix
    # Effects
    "pure",  # no side effects: dead if unused, and equal for equal inputs in one process
    "recursive_effects",  # no side effects other than those of its regions and its callee
    "communicates",  # exchanges data with other processes of the grid
    "reads_process_id",  # depends on the process's position in the grid
    "random",  # may have different results for equal operands
    "external_call",  # calls code outside the program, named by the attribute `call_target_name`
    # Regions
    "runs_bodies",  # control flow: its regions are part of the enclosing program, not functions of elements
    "composite",  # abstracts the function that it calls
    "single_op_body",  # its region is one op and the terminator
    "inline_body",  # executes its region once, in place
    "branches",  # executes one of its regions
    "sharded_body",  # executes its region on this process's shards of whole arrays
    # Values
    "constant",  # returns its attribute `value`
    "identity",  # each result is the operand at its position; only an annotation for compilers
    "moves_data",  # each element of a result is an element of the operand at its position
    "broadcast",  # repeats its operand along dimensions that are not among `broadcast_dimensions`
    "view",  # may share the memory of its operand, and then moves no bytes
    "received",  # its results originate elsewhere: from a function, from bits, from another process
    "conversion",  # converts its operand to another element type
    "accumulation",  # folds many elements into one with a region, in the region's type
    "unordered",  # combines the values for the same element in any order
    "shape_at_run",  # a result's shape depends on values, the process grid or unconstrained inputs
    "host",  # only a host executes it: a check, a print, a probe, or a grid of programs
    "probe",  # writes its operand to the file named by the attribute `probe_id`
    "mesh",  # defines a mesh of devices
    # Arithmetic
    "exact",  # rounds nothing: elements of results are those of operands, negated, or integers near them
    "elementwise",  # each element of a result depends only on the same element of each operand
    "transcendental",  # counted as a transcendental function, not as an arithmetic operation
    "commutative",  # f(a, b) = f(b, a), with operands and result of one type: abbreviated in a reduction
    "associative",  # f(f(a, b), c) = f(a, f(b, c)) exactly, floats included
    "comparison",  # compares its operands by the attribute `comparison_direction`
    "logical",  # combines booleans, or chooses among operands by one
    "choice",  # each element of the result is an element of one of the operands
    "expressed",  # on quantized operands, computes on the dequantized values
]

WorkRule = Literal[
    "",  # no arithmetic
    "elementwise",  # one operation per element of the results
    "contraction",  # a multiplication and an addition per element of the result and contracted index
    "matrix_product",  # the same, along the last dimension of the first operand
    "einsum",  # the same, per assignment of the indices
    "ragged_contraction",  # the same, where each row is in one group
    "convolution",  # the same, per window position and element in the window
    "reduction",  # the region, per element but the first of each result
    "map",  # the region, per element of the result
    "window_reduction",  # the region, per element but the first of each window
    "select_and_scatter",  # both regions
    "scatter",  # the region, per update
    "combination",  # the region, or an addition, per element of the operands
    "sort",  # n log n comparisons
    "fft",  # n log n operations
    "cholesky",  # n^3 / 3
    "triangular_solve",  # n^2 per column
    "random",  # a transcendental function per element
    "normalization",  # `flops` per element, and a transcendental function per feature
]
TrafficRule = Literal[
    "all",  # reads its operands and writes its results
    "none",  # names data, orders effects, or passes values to functions that are counted separately
    "slice",  # reads only the returned part of its first operand
    "update",  # writes its second operand into the first
    "scatter",  # reads and writes the updated elements
]
MessageRule = Literal[
    "",  # none
    "gather",  # each process of a group gets the operand of each
    "reduce",  # each gets a sum of all, as a scattered reduction and a gather of its parts
    "scattered_reduction",  # each gets its part of a sum of all
    "exchange",  # each gets a part of the operand of each
    "pairs",  # the target of each pair gets the operand of the source
    "from_one",  # each gets the operand of the first
    "to_one",  # one gets a sum of all, which each passes on
]


@dataclass(frozen=True, slots=True)
class CostRule:
    """The cost model of an op, as in XLA's cost analysis.

    Attributes:
        work: The name of a rule of `analysis` for arithmetic operations.
        traffic: The name of a rule of `analysis` for memory traffic.
        flops: The number of operations per element.
        messages: The name of a rule of `analysis` for what processes send to each other.
    """

    work: WorkRule = ""
    flops: int = 1
    traffic: TrafficRule = "all"
    messages: MessageRule = ""


DEFAULT_COST = CostRule()
NO_TRAFFIC = CostRule(traffic="none")

SignRule = Literal[
    "",  # unknown
    "positive",
    "non_negative",
    "operand",  # that of the operand at the result's position
    "non_negative_operand",  # that of the operand, if non-negative
    "non_negative_part",  # non-negative if the operand is; possibly zero
    "nonzero_part",  # nonzero if the operand is; of either sign
    "every_operand",  # the common sign of all operands
    "constant",
    "absolute",
    "conversion",
    "sum",
    "product",
    "quotient",
    "power",
    "maximum",
    "clamp",
    "select",
    "reduction",
]
Operator = Literal["", "+", "-", "*", "/", "%"]


@dataclass(frozen=True, slots=True)
class Loop:
    """The iteration of a loop op.

    Attributes:
        body: The region that is executed in each iteration.
        condition: The region that returns whether to continue, or "".
        dimension: The attribute with the dimension of the first operand to iterate over, or "".
        arguments: The names that the printer assigns to the region arguments, one per variadic operand.
    """

    body: str
    condition: str = ""
    dimension: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of StableHLO that changed an op after its introduction.

    For an op of another dialect, it is the first version whose releases are known to contain the change.

    Attributes:
        since: The version.
        form: The number of the VHLO form that it introduced; 0 if the form did not change.
        what: The description of the new feature.
        uses: A formula that holds for ops that use the feature, and so cannot be expressed in older versions.
        adds: The attributes that the new form adds.
        drops: The attributes that the new form drops.
    """

    since: str
    form: int = 0
    what: str = ""
    uses: str = ""
    adds: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
