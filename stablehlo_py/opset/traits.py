"""What the rest of the program asks about an op besides its interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Trait = Literal[
    # Structure
    "terminator",  # ends a block
    "isolated",  # its regions do not see outer values
    "symbol",  # defines a symbol, `sym_name`
    "symbol_table",  # its region holds symbols
    "no_terminator",  # its blocks need no terminator
    "late_location",  # in its pretty form, its location is where its operands begin
    "func_default",  # its regions print the ops of `func` without their prefix
    # Effects
    "pure",  # no side effects: dead if unused, and equal for equal inputs in one process
    "recursive_effects",  # no side effects but those of its regions and of the function that it calls
    "communicates",  # exchanges data with other processes of the grid
    "reads_place",  # depends on the process's position in the grid
    "random",  # may give other results for equal inputs
    "external_call",  # calls code outside the program, named by the attribute `call_target_name`
    # Regions
    "runs_bodies",  # its bodies are parts of the program around it, rather than functions of elements
    "composite",  # stands for the function that it calls, under a name of its own
    "inline_body",  # runs its body once, in its place
    "branches",  # runs one of its bodies
    "sharded_body",  # runs its body on this process's shards of whole arrays
    # Values
    "constant",  # gives the constant that its attribute `value` states
    "identity",  # each result is the operand at its position; there for what it says to a compiler
    "moves_data",  # each element of a result is an element of the operand at its position
    "broadcast",  # repeats its operand along dimensions that are not among `broadcast_dimensions`
    "view",  # may share the memory of its operand, and then moves no bytes
    "received",  # gives values that are made outside of the op: in a function, in bits, in another process
    "conversion",  # gives the values of its operand as elements of another type
    "accumulation",  # combines many elements into one with a body, in the body's type
    "unordered",  # combines the values that meet at one element in any order
    "shape_at_run",  # a result's shape depends on values, on the process grid or on what no rule demands
    "probe",  # writes its operand to the file that the attribute `probe_id` names
    "mesh",  # defines a mesh of devices
    # Arithmetic
    "elementwise",  # each element of a result depends only on the same element of each operand
    "transcendental",  # counted as a transcendental function, not as an arithmetic operation
    "commutative",  # f(a, b) = f(b, a), with operands and result of one type: printed in short in a reduction
    "associative",  # f(f(a, b), c) = f(a, f(b, c)) exactly, floats included
    "comparison",  # compares its operands by the attribute `comparison_direction`
    "logical",  # combines booleans, or chooses among operands by one
    "choice",  # each element of the result is an element of one of the operands
    "expressed",  # on quantized operands, computes on the numbers that their elements stand for
]

WorkRule = Literal[
    "",  # no arithmetic
    "elementwise",  # an operation for each element of the results
    "contraction",  # a multiplication and an addition for each element of the result and contracted index
    "matrix_product",  # the same, along the last dimension of the first operand
    "einsum",  # the same, for each assignment of the indices
    "ragged_contraction",  # the same, where each row meets one group
    "convolution",  # the same, for each place of the window that meets an element
    "reduction",  # the body for each element but the first of each result
    "map",  # the body for each element of the result
    "window_reduction",  # the body for each element of each window but its first
    "select_and_scatter",  # both bodies
    "scatter",  # the body for each update
    "combination",  # the body, or an addition, for each element of the operands
    "sort",  # n log n comparisons
    "fft",  # n log n operations
    "cholesky",  # n^3 / 3
    "triangular_solve",  # n^2 for each column
    "random",  # a transcendental function for each element
    "normalization",  # `flops` for each element, and a transcendental function for each feature
]
TrafficRule = Literal[
    "all",  # reads its operands and writes its results
    "none",  # names data, orders effects, or passes values to functions that count for themselves
    "slice",  # reads of its first operand only what it gives
    "update",  # writes its second operand into the first
    "scatter",  # reads and writes the elements that its updates change
]


@dataclass(frozen=True, slots=True)
class CostRule:
    """How the arithmetic and the memory traffic of an op are counted, the way XLA's cost analysis does.

    `work` and `traffic` name rules of `analysis`; `flops` is the number of operations on each element.
    """

    work: WorkRule = ""
    flops: int = 1
    traffic: TrafficRule = "all"


DEFAULT_COST = CostRule()
NO_TRAFFIC = CostRule(traffic="none")

SignRule = Literal[
    "",  # nothing is known of the result
    "positive",
    "non_negative",
    "operand",  # that of the operand at the result's position
    "non_negative_operand",  # that of the operand where that is not negative
    "non_negative_part",  # not negative where the operand is not; perhaps zero
    "nonzero_part",  # nonzero where the operand is; of either sign
    "every_operand",  # what holds for all operands
    "constant",
    "absolute",
    "conversion",
    "sum",
    "product",
    "square",
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
    """How an op iterates: `body` is the region that runs once an iteration.

    It runs while the region `condition` gives true, or once for each index of the dimension of the first
    operand that the attribute `dimension` names. `arguments` are the names that the printer gives to the
    arguments of its regions, one for each variadic operand.
    """

    body: str
    condition: str = ""
    dimension: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of StableHLO that changed an op after it was introduced.

    `form` is the number of the VHLO form that came with it, 0 if the form stayed the same; that form has the
    attributes `adds`, and has no longer those in `drops`. `uses` is a formula: where it holds, an op cannot
    be stated in an older version; `what` says what is then used.
    """

    since: str
    form: int = 0
    what: str = ""
    uses: str = ""
    adds: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
