"""Vectors of columns: folds whose elements are neighbours along a parallel loop, not along their own loops.

Reductions of leading dimensions, windows and depthwise convolutions are computed for a strip of columns at
once. Each statement runs for the whole strip (loop distribution), and its values are arrays in the frame
(scalar expansion). A single fold of vectorizable ops keeps its totals in vector registers, for several rows
at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from math import prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    Apply,
    Buffer,
    Choose,
    Constant,
    Expression,
    Load,
    Reference,
    Substitution,
    load,
    reference,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import (
    Indices,
    Variable,
    linear,
    of_atom,
    of_variable,
    variables_of,
)
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Guard,
    If,
    Let,
    Loop,
    Program,
    Statement,
    Store,
    While,
    bodies_of,
    rewritten,
    values_of,
    walk,
)
from stablehlo_py.engines.native.loop_ir.uses import stored_by
from stablehlo_py.engines.native.schedule.nests import (
    Part,
    divisor,
    is_of_stores,
    loops_over,
    map_nests,
    parts_of,
    perfect_nest,
    shared_frame,
    variables_behind,
    vectors_of,
)
from stablehlo_py.engines.native.schedule.padding import copied
from stablehlo_py.engines.native.schedule.products import row_bytes
from stablehlo_py.engines.native.schedule.registers import RegisterTile
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, Type

_FLOATS = (FloatType("f32"), FloatType("f64"))
_INTEGERS = (IntegerType(32), IntegerType(64))
_OF_FLOATS = "abs add divide maximum minimum multiply negate sqrt subtract"
_OF_INTEGERS = "add and multiply negate not or subtract xor"
_OPS: dict[Type, frozenset[str]] = {  # that LLVM has for vectors
    **dict.fromkeys(_FLOATS, frozenset(f"stablehlo.{name}" for name in _OF_FLOATS.split())),
    **dict.fromkeys(_INTEGERS, frozenset(f"stablehlo.{name}" for name in _OF_INTEGERS.split())),
}


@dataclass(frozen=True, slots=True)
class _Columns:
    """A nest with one loop, over columns, whose iterations run together.

    Attributes:
        loops: The loops around its statements.
        column: The loop over columns, one of `loops`.
        body: The statements.
        is_outermost: Whether no other nest contains the nest.
    """

    loops: tuple[Variable, ...]
    column: Variable
    body: tuple[Statement, ...]
    is_outermost: bool

    @property
    def outer(self) -> list[Variable]:
        """The other loops."""
        return [variable for variable in self.loops if variable != self.column]


def columns(program: Program) -> Program:
    """Compute folds for many columns at once, where their elements are neighbours."""
    nests = _Nests(len(program.buffers))
    body = map_nests(program.body, nests.strips)
    used = {access.buffer for access in _accesses(walk(body))}
    kept = [each for each in program.buffers if each.space != "frame" or each in used]
    return Program((*kept, *nests.frames), body)


class _Nests:
    """Rewrites the nests of a program, and collects the frame buffers of strips."""

    def __init__(self, count: int) -> None:
        self.frames, self._count = list[Buffer](), count

    def strips(self, nest: Loop, around: tuple[Variable, ...] = ()) -> Sequence[Statement]:
        """The strips of a nest, behind copies of what its folds read."""
        known, number = _columns_of(nest, around), self._count + len(self.frames)
        copies = copied(nest, number, around, known.column if known else None)
        self.frames.extend(copies.buffers)
        return [*copies.statements, *self._written(copies.nest, around)]

    def _written(self, nest: Loop, around: tuple[Variable, ...]) -> Sequence[Statement]:
        found = _columns_of(nest, around)
        if found is not None:
            stem = self._count + len(self.frames)
            writer = _Registers(found, stem) if _is_in_registers(found) else _Expansion(found, stem)
            statements = writer.statements()
            if statements is not None:
                self.frames.extend(writer.frames)
                return statements
        body = tuple([new for each in nest.body for new in self._inside(each, (*around, nest.variable))])
        return [nest if body == nest.body else nest.with_body(body)]

    def _inside(self, statement: Statement, around: tuple[Variable, ...]) -> Sequence[Statement]:
        """A nest in another one: all iterations share a frame, so that they are in order."""
        found = self.strips(statement, around) if isinstance(statement, Loop) else [statement]
        return found if found == [statement] else [_in_order(each) for each in found]


def _in_order(statement: Statement) -> Statement:
    return replace(statement, kind="for") if isinstance(statement, Loop) else statement


def _columns_of(nest: Loop, around: Sequence[Variable]) -> _Columns | None:
    """The loop whose iterations run together, if the elements of all folds are neighbours along it."""
    loops, body = perfect_nest(nest)
    folds = [each for each in walk(body) if isinstance(each, Fold)]
    if not folds or _elements([nest]) * prod([v.extent for v in around]) < cost.FOLDED:
        return None
    for column in reversed(loops):
        if column.extent >= cost.NARROWEST and all(_is_across(fold, column) for fold in folds):
            return _Columns(tuple(loops), column, body, not around)
    return None


def _elements(statements: Sequence[Statement]) -> int:
    """The number of elements that the folds of statements combine."""
    total = 0
    for each in statements:
        own = prod([v.extent for v in each.loops]) if isinstance(each, Fold) else 0
        times = each.variable.extent if isinstance(each, Loop) else 1
        total += own + times * sum(map(_elements, bodies_of(each)))
    return total


def _is_across(fold: Fold, column: Variable) -> bool:
    """Test whether neighbouring columns of a fold read equal elements, or elements with a small stride."""
    inner = fold.loops[-1] if prod([v.extent for v in fold.loops]) >= cost.NEIGHBOURS else None
    steps = set[int]()
    for access in _accesses([fold]):
        offset = linear(access.indices, access.buffer.shape)
        step = offset.coefficient(column)
        if not 0 <= step <= cost.STRIDE or column in variables_of(offset.without(column)):
            return False
        if inner is not None and step and offset.coefficient(inner) == 1:
            return False
        steps.add(step)
    return any(steps)


def _accesses(statements: Iterable[Statement]) -> Iterator[Load | Store]:
    for statement in statements:
        if isinstance(statement, Store):
            yield statement
        yield from [each for each in values_of(statement) if isinstance(each, Load)]


class _Strips:
    """Writes strips of columns.

    Attributes:
        frames: The buffers that they use.
    """

    def __init__(self, found: _Columns, number: int) -> None:
        self.found = found
        self.frames: list[Buffer] = []
        self._number = number
        self._names = count()

    def variable(self, extent: int) -> Variable:
        """A new loop variable."""
        return Variable(f"{self.found.column}_{next(self._names)}", extent)

    def frame(self, name: str, type: Type, *shape: int) -> Buffer:
        """A new buffer in the frame."""
        made = Buffer(f"{name}{self._number + len(self.frames)}", type, shape, "frame")
        self.frames.append(made)
        return made


# In registers


def _is_in_registers(found: _Columns) -> bool:
    """Test whether a nest has independent folds of ops that vectors have, and stores of their results."""
    stored = stored_by(found.body).keys()
    for each in found.body:
        if isinstance(each, Fold):
            values = [value for root in each.combined for value in visit(root, set())]
            names = {value.name for value in values if isinstance(value, Reference)}
            read = {value.buffer for value in values if isinstance(value, Load)}
            if len(each.names) != 1 or names - {*each.names} or read & stored:
                return False
            if not all(_is_vector_op(value, found.column) for value in (*values, *each.starts)):
                return False
        elif not is_of_stores(each):
            return False
    starts = [start for each in found.body if isinstance(each, Fold) for start in each.starts]
    return len({start.type for start in starts}) == 1


def _is_vector_op(expression: Expression, column: Variable) -> bool:
    if expression.type not in _OPS:
        return False
    match expression:
        case Constant() | Reference():
            return True
        case Load(indices=indices):
            computed = [atom for i in indices for atom, _ in i.terms if not isinstance(atom, Variable)]
            return not any(column in variables_behind(of_atom(atom)) for atom in computed)
        case Choose(conditions=conditions):
            return not any(column in variables_behind(index) for index, _ in conditions)
        case Apply():
            return expression.op in _OPS[expression.type] and not expression.attributes
    return False


class _Registers(_Strips):
    """Writes folds whose totals are in registers."""

    def statements(self) -> list[Statement] | None:
        """The nests of blocks of rows and of strips of columns."""
        column, (*outer, row) = self.found.column, self.found.outer or [self.variable(1)]
        folds = [each for each in self.found.body if isinstance(each, Fold)]
        rest = [each for each in self.found.body if not isinstance(each, Fold)]
        together = Counter([tuple([v.extent for v in fold.loops]) for fold in folds])
        most = max(1, cost.COLUMN_ROWS // max(together.values()))
        height = divisor(row.extent, most)
        lanes = row_bytes() // numpy_dtype(folds[0].starts[0].type).itemsize * max(1, most // height)
        strips = vectors_of(column, lanes, self.variable)
        nests: list[Statement] = []
        for block in parts_of(row, height, self.variable):
            tiles = []
            for strip in strips:
                tile = RegisterTile(row, block, column, strip, strip.size, self.variable, self.frame)
                tiles.append((strip.place, tile.statements(folds, rest)))
            if self.found.outer:
                body = [each for place, tile in tiles for each in loops_over([place], tile)]
                nests.append(shared_frame([*outer, block.place], body))
            else:
                nests += [shared_frame([place], tile) for place, tile in tiles]
        return nests


# In the frame


class _Expansion(_Strips):
    """Distributes the loop over columns to statements, and expands their values to arrays."""

    def statements(self) -> list[Statement] | None:
        """The nests of strips; None where a statement has no such form."""
        found = self.found
        private = found.is_outermost and found.loops[0] == found.column  # each column has a frame
        own = {access.buffer for access in _accesses(walk(found.body)) if access.buffer.space == "frame"}
        self._private = own if private else set()
        values = [value for each in walk(found.body) for value in _values(each)]
        if not all(map(_is_distributed, walk(found.body))) or not all(
            _is_stored_whole(v.type) for v in values
        ):
            return None
        sizes = [prod(each.shape) * numpy_dtype(each.element).itemsize for each in self._private]
        sizes += [numpy_dtype(value.type).itemsize for value in values]
        width = min(cost.STRIP, cost.strips() // sum(sizes), found.column.extent)
        if width < min(found.column.extent, row_bytes() // 4):
            return None
        return [
            shared_frame([*found.outer, part.place], self._strip(part))
            for part in parts_of(found.column, width, self.variable)
        ]

    def _strip(self, part: Part) -> list[Statement]:
        self._part = part
        self._expanded: dict[str, Buffer] = {}
        self._frames = {
            each: self.frame(each.name, each.element, *each.shape, part.size) for each in self._private
        }
        return self._block(self.found.body)

    def _block(self, statements: Sequence[Statement]) -> list[Statement]:
        return [new for each in statements for new in self._distributed(each)]

    def _distributed(self, statement: Statement) -> list[Statement]:
        """A statement for all columns of a strip."""
        match statement:
            case Store():
                return self._over([statement])
            case Let(name, value):
                return self._over([Store(self._keep(name, value.type), (), value)])
            case Fold(names, starts, loops, combined):
                kept = [self._keep(name, start.type) for name, start in zip(names, starts, strict=True)]
                first = [Store(buffer, (), start) for buffer, start in zip(kept, starts, strict=True)]
                new = [f"{name}_" for name in names]
                after: list[Statement] = [Let(n, value) for n, value in zip(new, combined, strict=True)]
                after += [Store(b, (), reference(n, b.element)) for b, n in zip(kept, new, strict=True)]
                return [*self._over(first), *loops_over(loops, self._over(after))]
            case If():
                return self._over([statement])
            case Loop(variable, body, _, start, stop):
                return [Loop(variable, tuple(self._block(body)), "for", start, stop)]
        raise TypeError(statement)

    def _keep(self, name: str, type: Type) -> Buffer:
        """Expand a value: the buffer has its dimension in the frame alone."""
        self._expanded[name] = self.frame(name, type, self._part.size)
        return self._expanded[name]

    def _over(self, body: Sequence[Statement]) -> list[Statement]:
        """Statements for each column of the strip."""
        lane = self.variable(self._part.size)
        at = of_variable(lane)

        def replace(expression: Expression) -> Expression | None:
            if isinstance(expression, Reference) and expression.name in self._expanded:
                return load(self._expanded[expression.name], (at,))
            return None

        def move(buffer: Buffer, indices: Indices) -> tuple[Buffer, Indices]:
            if buffer in self._frames:
                return self._frames[buffer], (*indices, at)
            return buffer, (at,) if buffer in self._expanded.values() else indices

        change = Substitution({self.found.column: self._part.first + at}, replace, move)
        return loops_over([lane], [rewritten(each, change) for each in body], "parallel")


def _values(statement: Statement) -> tuple[Expression, ...]:
    """The values that a statement names."""
    match statement:
        case Let(value=value):
            return (value,)
        case Fold(starts=starts):
            return starts
    return ()


def _is_distributed(statement: Statement) -> bool:
    """Test whether the loop over columns can be distributed to a statement (to branches of stores only)."""
    if isinstance(statement, If):
        return all(isinstance(each, Store) for body in bodies_of(statement) for each in body)
    return not isinstance(statement, Guard | While) and not (
        isinstance(statement, Loop) and statement.kind in ("vectorized", "unrolled")
    )


def _is_stored_whole(type: Type) -> bool:
    """Test whether memory holds a value in the type of its computation, so that totals are rounded once."""
    return type in _FLOATS or isinstance(type, IntegerType | ComplexType)
