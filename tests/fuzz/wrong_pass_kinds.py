"""Kinds of bugs in passes: each rewrites an instruction as a pass with the bug would."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.hlo.literals import Literal
from stablehlo_py.hlo.module import Computation, HloModule, Instruction
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.layout.shape import Shape

FLOATS = frozenset(["f16", "bf16", "f32", "f64"])
PASSED_ON = frozenset(
    ["tuple", "get-tuple-element", "fusion", "while", "conditional", "call", "parameter", "copy", "bitcast"]
)


class Place(NamedTuple):
    """An instruction that a bug may apply to, and what it may use."""

    at: Instruction
    computation: Computation
    module: HloModule
    rng: random.Random
    added: list[tuple[Instruction, Instruction]]  # new instructions, each before another one

    def set(self, **attributes: Any) -> set[str]:
        """Change attributes of the instruction."""
        self.at.attributes = self.at.attributes | attributes
        return {self.at.name}

    def use(self, index: int, value: Instruction) -> set[str]:
        """Change an operand of the instruction."""
        operands = list(self.at.operands)
        operands[index] = value
        self.at.operands = tuple(operands)
        return {self.at.name}

    def become(self, opcode: str, operands: Sequence[Instruction] = (), **attributes: Any) -> set[str]:
        """Make another instruction of it, with the same shape."""
        kept = {name: value for name, value in self.at.attributes.items() if name == "metadata"}
        self.at.opcode, self.at.operands = opcode, tuple(operands) or self.at.operands
        self.at.attributes = kept | attributes
        return {self.at.name}

    def new(self, opcode: str, shape: Shape, *operands: Instruction, value: Any = None) -> Instruction:
        """Add an instruction before this one."""
        found = Instruction(f"wrong.{self.at.name}.{len(self.added)}", opcode, shape, operands, None, value)
        self.added.append((found, self.at))
        return found

    def constant(self, shape: Shape, value: float) -> Instruction:
        """Add a scalar constant."""
        array = np.array(value).astype(numpy_dtype(shape.element_type))
        return self.new("constant", shape, value=Literal(shape, array))

    def other_value(self, than: Instruction) -> Instruction | None:
        """Return a value before this instruction that has the same shape as another one."""
        before = self.computation.instructions[: self.computation.instructions.index(self.at)]
        same = [
            each for each in before if each.shape == than.shape and each is not than and each.shape.is_array
        ]
        return self.rng.choice(same) if same else None


Rewrite = Callable[[Place], "set[str] | None"]


class Kind(NamedTuple):
    """A kind of bug: the opcodes that it rewrites, and how. It returns the names of what is then wrong."""

    opcodes: tuple[str, ...]
    rewrite: Rewrite


KINDS: dict[str, Kind] = {}


def bug(name: str, *opcodes: str) -> Callable[[Rewrite], Rewrite]:
    """Register a kind of bug, of passes that rewrite some opcodes."""

    def register(rewrite: Rewrite) -> Rewrite:
        KINDS[name] = Kind(opcodes, rewrite)
        return rewrite

    return register


def is_float(shape: Shape) -> bool:
    """Test whether a shape is of an array of floats."""
    return shape.is_array and str(shape.element_type) in FLOATS


@bug("operands commuted", "subtract", "divide", "power", "remainder", "atan2")
def _commuted(place: Place) -> set[str] | None:
    return place.become(place.at.opcode, place.at.operands[::-1])


@bug("branches of select exchanged", "select")
def _select(place: Place) -> set[str] | None:
    chosen, first, second = place.at.operands
    return place.become("select", (chosen, second, first))


@bug("comparison negated", "compare")
def _compare(place: Place) -> set[str] | None:
    if place.computation.root is place.at:  # of a loop, which would not end
        return None
    negated = {"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "GT": "LE", "LE": "GT"}
    return place.set(direction=negated[place.at.attributes["direction"]])


@bug("sub of equals folded to one", "subtract")
def _cancelled(place: Place) -> set[str] | None:
    if not is_float(place.at.shape):
        return None
    one = place.constant(Shape(place.at.shape.element_type), 1.0)
    return place.become("broadcast", (one,), dimensions=())


@bug("factor lost", "multiply", "divide")
def _factor(place: Place) -> set[str] | None:
    return place.become("copy", place.at.operands[:1])


@bug(
    "function dropped",
    "tanh",
    "exponential",
    "negate",
    "sine",
    "cosine",
    "log",
    "abs",
    "sqrt",
    "rsqrt",
    "logistic",
)
def _dropped(place: Place) -> set[str] | None:
    return place.become("copy")


@bug("function applied twice", "tanh", "exponential", "negate", "sine", "cosine", "rsqrt", "sqrt", "logistic")
def _twice(place: Place) -> set[str] | None:
    once = place.new(place.at.opcode, place.at.shape, *place.at.operands)
    return place.use(0, once)


@bug("strength reduction", "exponential", "rsqrt", "maximum", "minimum", "log", "sine")
def _strength(place: Place) -> set[str] | None:
    others = {
        "exponential": "exponential-minus-one", "rsqrt": "sqrt", "maximum": "minimum", "minimum": "maximum",
        "log": "log-plus-one", "sine": "cosine",
    }  # fmt: skip
    if place.computation.root is place.at and len(place.computation.instructions) <= 3:
        return None  # a reducer, which has a kind of its own
    return place.become(others[place.at.opcode])


@bug("values merged that differ", "add", "multiply", "subtract", "maximum", "select", "dot", "concatenate")
def _merged(place: Place) -> set[str] | None:
    index = place.rng.randrange(len(place.at.operands))
    other = place.other_value(place.at.operands[index])
    return place.use(index, other) if other is not None else None


@bug("precision lost in a conversion", "add", "multiply", "dot", "exponential", "tanh", "maximum")
def _precision(place: Place) -> set[str] | None:
    operand = place.at.operands[0]
    if str(operand.shape.element_type) != "f32" or (
        operand.opcode == "parameter" and place.at.opcode == "add"
    ):
        return None
    narrow = place.new(
        "convert", replace(operand.shape, element_type=Shape.make("f8e4m3fn").element_type), operand
    )
    return place.use(0, place.new("convert", operand.shape, narrow))


@bug("conversion truncates", "multiply", "add", "subtract")
def _truncated(place: Place) -> set[str] | None:
    operand = place.at.operands[-1]
    if str(operand.shape.element_type) != "f32":
        return None
    whole = place.new("convert", replace(operand.shape, element_type=Shape.make("s32").element_type), operand)
    last = len(place.at.operands) - 1
    return place.use(last, place.new("convert", operand.shape, whole)) | {
        each.name for each, _ in place.added
    }


@bug("constant folded wrongly", "constant")
def _constant(place: Place) -> set[str] | None:
    literal = place.at.value
    if not isinstance(literal, Literal) or literal.array is None or not is_float(place.at.shape):
        return None
    if not np.isfinite(np.asarray(literal.array, np.float64)).all() or np.size(literal.array) > 16:
        return None
    place.at.value = replace(
        literal, array=literal.array * literal.array.dtype.type(0.5) + literal.array.dtype.type(1)
    )
    return {place.at.name}


@bug("transpose with another permutation", "transpose")
def _transpose(place: Place) -> set[str] | None:
    sizes, mine = place.at.operands[0].shape.dimensions, tuple(place.at.attributes["dimensions"])
    others = [
        each
        for each in permutations(range(len(sizes)))
        if each != mine
        and tuple(sizes[i] for i in each) == place.at.shape.dimensions
        and max(map(abs, sizes)) > 1
    ]
    others = [each for each in others if _moves(sizes, each) != _moves(sizes, mine)]
    return place.set(dimensions=place.rng.choice(others)) if others else None


def _moves(sizes: Sequence[int | None], order: Sequence[int]) -> list[int]:
    return [i for i in order if sizes[i] != 1]


@bug("transpose as a reshape", "transpose")
def _reshaped(place: Place) -> set[str] | None:
    sizes, order = place.at.operands[0].shape.dimensions, place.at.attributes["dimensions"]
    return place.become("reshape") if _moves(sizes, order) != sorted(_moves(sizes, order)) else None


@bug("change of layout as a bitcast", "copy")
def _layout(place: Place) -> set[str] | None:
    operand = place.at.operands[0]
    if not place.at.shape.is_array or place.at.shape.layout == operand.shape.layout:
        return None
    return place.become("bitcast")


@bug("broadcast along another dimension", "broadcast")
def _broadcast(place: Place) -> set[str] | None:
    (dimensions,) = (
        place.at.attributes["dimensions"] if len(place.at.attributes["dimensions"]) == 1 else (None,)
    )
    sizes = place.at.shape.dimensions
    if dimensions is None or sizes[dimensions] == 1:
        return None
    others = [i for i, size in enumerate(sizes) if size == sizes[dimensions] and i != dimensions]
    return place.set(dimensions=(place.rng.choice(others),)) if others else None


@bug("reduction over another dimension", "reduce")
def _reduce(place: Place) -> set[str] | None:
    sizes, mine = place.at.operands[0].shape.dimensions, place.at.attributes["dimensions"]
    if len(mine) != 1 or not place.at.shape.is_array:
        return None
    kept = [size for i, size in enumerate(sizes) if i not in mine]
    others = [
        i for i in range(len(sizes)) if i not in mine and [s for j, s in enumerate(sizes) if j != i] == kept
    ]
    return place.set(dimensions=(place.rng.choice(others),)) if others else None


@bug("initial value of a reduction", "reduce", "reduce-window")
def _initial(place: Place) -> set[str] | None:
    if len(place.at.operands) != 2 or not is_float(place.at.shape):
        return None
    return place.use(1, place.constant(place.at.operands[1].shape, 3.0))


@bug("reducer exchanged", "reduce", "reduce-window", "scatter", "select-and-scatter")
def _reducer(place: Place) -> set[str] | None:
    for name, computation in place.at.called:
        same = [
            each
            for each in place.module.computations
            if each is not computation
            and [p.shape for p in each.parameters] == [p.shape for p in computation.parameters]
            and each.root.shape == computation.root.shape
            and each.root.opcode != computation.root.opcode
            and len(each.instructions) == 3
        ]
        if same:
            return place.set(**{name: place.rng.choice(same)})
    return None


@bug("direction of a sort", "sort")
def _sort(place: Place) -> set[str] | None:
    ((_, comparator),) = place.at.called
    root = comparator.root
    if root.opcode != "compare" or root in [new for new, _ in place.added]:
        return None
    opposite = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"}.get(root.attributes["direction"])
    if opposite is None:
        return None
    root.attributes = root.attributes | {"direction": opposite}
    return {place.at.name}


@bug("trip count of a loop", "constant")
def _trips(place: Place) -> set[str] | None:
    conditions = [c for i in place.module.instructions() for name, c in i.called if name == "condition"]
    literal = place.at.value
    if place.computation not in conditions or not isinstance(literal, Literal) or literal.array is None:
        return None
    if place.at.shape.dimensions or literal.array.dtype.kind != "i":
        return None
    place.at.value = replace(literal, array=literal.array - literal.array.dtype.type(1))
    return {place.at.name} | {i.name for i in place.computation.instructions if place.at in i.operands}


@bug("branches of conditional exchanged", "conditional")
def _conditional(place: Place) -> set[str] | None:
    branches = place.at.attributes.get("branch_computations")
    if branches is not None:
        shapes = {str(each.parameters[0].shape) for each in branches}
        return place.set(branch_computations=tuple(branches[::-1])) if len(shapes) == 1 else None
    first, second = (place.at.attributes[f"{name}_computation"] for name in ("true", "false"))
    if first.parameters[0].shape != second.parameters[0].shape:
        return None
    return place.set(true_computation=second, false_computation=first)


@bug("contracted dimensions", "dot")
def _dot(place: Place) -> set[str] | None:
    sizes, attributes = place.at.operands[1].shape.dimensions, place.at.attributes
    mine, batch = attributes["rhs_contracting_dims"], attributes.get("rhs_batch_dims", ())
    free = [i for i in range(len(sizes)) if i not in mine and i not in batch]
    if len(mine) != 1 or len(free) != 1 or sizes[free[0]] != sizes[mine[0]] or sizes[mine[0]] == 1:
        return None
    return place.set(rhs_contracting_dims=(free[0],))


@bug("kernel of a convolution reversed", "convolution")
def _kernel(place: Place) -> set[str] | None:
    window = place.at.attributes["window"]
    if max(window.size, default=1) == 1:
        return None
    reversal = window.rhs_reversal or (0,) * len(window.size)
    return place.set(window=replace(window, rhs_reversal=tuple([1 - each for each in reversal])))


@bug("padding of a window", "convolution", "reduce-window", "select-and-scatter")
def _window(place: Place) -> set[str] | None:
    window = place.at.attributes.get("window")
    if window is None or not window.size:
        return None
    pads = window.pad or ((0, 0),) * len(window.size)
    shifted = tuple([(low + 1, high - 1) if size > 1 and high else (low, high)
                     for size, (low, high) in zip(window.size, pads, strict=True)])  # fmt: skip
    return place.set(window=replace(window, pad=shifted)) if shifted != pads else None


@bug("order of concatenate", "concatenate")
def _concatenate(place: Place) -> set[str] | None:
    return place.become("concatenate", place.at.operands[::-1], dimensions=place.at.attributes["dimensions"])


@bug("bounds of a slice", "slice")
def _slice(place: Place) -> set[str] | None:
    bounds, sizes = place.at.attributes["slice"], place.at.operands[0].shape.dimensions
    shifted = list(bounds)
    for i, ((start, limit, stride), size) in enumerate(zip(bounds, sizes, strict=True)):
        step = 1 if limit < (size or 0) else -1 if start > 0 else 0
        if step:
            shifted[i] = (start + step, limit + step, stride)
            return place.set(slice=tuple(shifted))
    return None


@bug("index of a dynamic slice not clamped", "dynamic-slice", "dynamic-update-slice")
def _index(place: Place) -> set[str] | None:
    first = 1 if place.at.opcode == "dynamic-slice" else 2
    for i in range(first, len(place.at.operands)):
        operand = place.at.operands[i]
        if operand.shape.dimensions or operand.opcode == "constant":
            continue
        return place.use(i, place.constant(operand.shape, 0))
    return None


@bug("update dropped", "dynamic-update-slice", "scatter")
def _update(place: Place) -> set[str] | None:
    return place.become("copy", place.at.operands[:1]) if place.at.shape.is_array else None


@bug("indices of gather", "gather", "scatter")
def _gather(place: Place) -> set[str] | None:
    indices = place.at.operands[1]
    zero = place.constant(Shape(indices.shape.element_type), 0)
    zeros = place.new("broadcast", indices.shape, zero)
    zeros.attributes = {"dimensions": ()}
    return place.use(1, zeros)


@bug("dimension of iota", "iota")
def _iota(place: Place) -> set[str] | None:
    sizes, mine = place.at.shape.dimensions, place.at.attributes["iota_dimension"]
    others = [i for i, size in enumerate(sizes) if i != mine and size != 1]
    return place.set(iota_dimension=place.rng.choice(others)) if others else None


@bug("value of padding", "pad")
def _pad_value(place: Place) -> set[str] | None:
    return place.use(1, place.constant(place.at.operands[1].shape, 7))


@bug("sides of padding", "pad")
def _pad_sides(place: Place) -> set[str] | None:
    pads = place.at.attributes["padding"]
    exchanged = tuple([(high, low, between) for low, high, between in pads])
    return place.set(padding=exchanged) if exchanged != pads else None


@bug("dimension of reverse", "reverse")
def _reverse(place: Place) -> set[str] | None:
    sizes, mine = place.at.shape.dimensions, place.at.attributes["dimensions"]
    others = [i for i, size in enumerate(sizes) if i not in mine and size != 1]
    return place.set(dimensions=(place.rng.choice(others),)) if others else place.become("copy")


@bug("bound of clamp", "clamp")
def _clamp(place: Place) -> set[str] | None:
    least, operand, most = place.at.operands
    return place.become("minimum", (operand, least)) if least.shape == operand.shape == most.shape else None


@bug("element of a tuple", "get-tuple-element")
def _element(place: Place) -> set[str] | None:
    shapes, mine = place.at.operands[0].shape.tuple_shapes, place.at.attributes["index"]
    others = [i for i, shape in enumerate(shapes) if i != mine and shape == shapes[mine] and shape.is_array]
    if not others:
        return None
    return place.set(index=place.rng.choice(others))


def applied_by(module: HloModule, computation: Computation) -> set[str]:
    """Return the names of the instructions that apply a computation to elements, as reductions do."""
    callers = [each for each in module.instructions() if computation in [callee for _, callee in each.called]]
    return {each.name for each in callers if each.opcode not in PASSED_ON}


def readers(module: HloModule, computation: Computation, value: Instruction) -> set[str]:
    """Return the names of the instructions that take a value, through what passes values on."""
    found, pending, seen = {value.name}, [(computation, value)], {value.name}
    while pending:
        inside, current = pending.pop()
        users = [(inside, each) for each in inside.instructions if current in each.operands]
        for each in [user for _, user in users]:
            users += [(callee, parameter) for _, callee in each.called for parameter in callee.parameters]
        if inside.root is current:
            users += [
                (caller, each)
                for caller in module.computations
                for each in caller.instructions
                if inside in [callee for _, callee in each.called]
            ]
        for where, user in users:
            if user.name not in seen:
                seen.add(user.name)
                found.add(user.name)
                if user.opcode in PASSED_ON:
                    pending.append((where, user))
    return found
