"""Loop IR as text, which tests read back.

parallel i in 0..512 {
m = reduce(maximum, f32(-inf)) j in 0..64 { load x[i, j] }
store e[i] = exponential(load y[i] - m)
}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from stablehlo_py.engines.native.loop_ir.expressions import (
    Apply,
    Choose,
    Constant,
    Expression,
    Load,
    Position,
    Reference,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import Index
from stablehlo_py.engines.native.loop_ir.statements import (
    ExternalCall,
    Fold,
    Guard,
    If,
    Let,
    Loop,
    Program,
    Statement,
    Store,
    While,
    expressions_of,
)

DIALECT = "stablehlo."
SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_LEAST_NAMED = 4  # operations: a value that is used more than once and takes as many has a name


def text_of(program: Program, note: Callable[[Statement], str] = lambda statement: "") -> str:
    """Print a program.

    Args:
        program: The program.
        note: Gives the comment before a statement; before neighbours of the same note there is one.
    """
    lines = [str(buffer) for buffer in program.buffers]
    return "\n".join([*lines, *_Writer(note).block(program.body, "")])


def statement_text(statement: Statement) -> str:
    """Print a statement, for messages."""
    return "\n".join(_Writer().block([statement], ""))


def expression_text(expression: Expression) -> str:
    """Print an expression, for messages."""
    return _Writer().expression(expression)


class _Writer:
    """Writes statements; values that are used more than once get names."""

    def __init__(self, note: Callable[[Statement], str] = lambda statement: "") -> None:
        self._names: dict[Expression, str] = {}
        self._count = 0
        self._note = note
        self._last = ""  # note

    def block(self, statements: Sequence[Statement], indent: str) -> Iterator[str]:
        for statement in statements:
            note = self._note(statement)
            if note not in ("", self._last):
                self._last = note
                yield f"{indent}// {note}"
            yield from [f"{indent}{line}" for line in self._statement(statement)]

    def _statement(self, statement: Statement) -> Iterator[str]:
        if isinstance(statement, Store | Let):
            yield from self._lets(expressions_of(statement))
        match statement:
            case Store(buffer, indices, value):
                yield f"store {buffer.name}[{_list(indices)}] = {self.expression(value)}"
            case Let(name, value):
                yield f"let {name} = {self.expression(value)}"
            case Fold():
                yield self._fold(statement)
            case Loop():
                yield f"{statement.kind} {statement.variable} in {_range(statement)} {{"
                yield from self.block(statement.body, "  ")
                yield "}"
            case Guard(conditions, body, otherwise):
                yield f"where {_conditions(conditions)} {{"
                yield from self._branches(body, otherwise)
            case If(condition, body, otherwise):
                yield f"if {self.expression(condition)} {{"
                yield from self._branches(body, otherwise)
            case While(head, condition, body):
                counts = {"trips": statement.trips, "steps": statement.steps}
                yield " ".join(["while", *(f"{name} {n}" for name, n in counts.items() if n != 1), "{"])
                yield from self.block(head, "  ")
                yield f"}} {self.expression(condition)} {{"
                yield from self.block(body, "  ")
                yield "}"
            case ExternalCall(number, reads, writes):
                taken, made = (", ".join([buffer.name for buffer in each]) for each in (reads, writes))
                yield f"call {number} ({taken}) to ({made})"

    def _branches(self, body: Sequence[Statement], otherwise: Sequence[Statement]) -> Iterator[str]:
        yield from self.block(body, "  ")
        if otherwise:
            yield "} else {"
            yield from self.block(otherwise, "  ")
        yield "}"

    def _fold(self, fold: Fold) -> str:
        loops = ", ".join([f"{variable} in 0..{variable.extent}" for variable in fold.loops])
        names, starts = ", ".join(fold.names), ", ".join(map(self.expression, fold.starts))
        single = single_op(fold)
        if single is not None:
            op, element = single
            return f"{names} = reduce({_op(op)}, {starts}) {loops} {{ {self.expression(element)} }}"
        combined = "; ".join(map(self.expression, fold.combined))
        return f"{names} = fold({starts}) {loops} {{ {combined} }}"

    def _lets(self, roots: Sequence[Expression]) -> Iterator[str]:
        """Name the values that a statement uses more than once, except for values in indices."""
        self._names = {}
        sizes: dict[Expression, int] = {}
        uses = Counter(roots)
        for root in roots:
            _measure(root, sizes, uses)
        for each, size in sizes.items():
            if uses[each] > 1 and size >= _LEAST_NAMED:
                self._count += 1
                text = self.expression(each)
                self._names[each] = f"t{self._count}"
                yield f"let t{self._count} = {text}"

    def expression(self, expression: Expression) -> str:
        if expression in self._names:
            return self._names[expression]
        match expression:
            case Constant():
                return f"{expression.type}({number_text(expression.value)})"
            case Reference():
                return expression.name
            case Position():
                return f"index({expression.index})"
            case Load():
                return f"load {expression.buffer.name}[{_list(expression.indices)}]"
            case Choose():
                conditions = _conditions(expression.conditions)
                inside, outside = map(self.expression, (expression.inside, expression.outside))
                return f"({inside} if {conditions} else {outside})"
            case Apply():
                return self._apply(expression)
        raise TypeError(expression)

    def _apply(self, expression: Apply) -> str:
        op, arguments = _op(expression.op), [self.expression(each) for each in expression.arguments]
        if op in SIGNS:
            return f"({arguments[0]} {SIGNS[op]} {arguments[1]})"
        named = [f"{name}={value}" for name, value in expression.attributes]
        same = expression.arguments and expression.type == expression.arguments[0].type
        kind = "" if same else f": {expression.type}"
        return f"{op}({', '.join([*arguments, *named])}{kind})"


def _measure(expression: Expression, sizes: dict[Expression, int], uses: Counter[Expression]) -> None:
    """Count the operations of an expression, and how often each part of it is used, operands first."""
    if expression in sizes:
        return
    match expression:
        case Apply():
            parts = expression.arguments
        case Choose():
            parts = (expression.inside, expression.outside)
        case _:
            parts = ()
    for part in parts:
        uses[part] += 1
        _measure(part, sizes, uses)
    sizes[expression] = 1 + sum([sizes[part] for part in parts])


def single_op(fold: Fold) -> tuple[str, Expression] | None:
    """Return the op and the element of a fold whose combiner is a single binary op, or None."""
    if len(fold.names) != 1:
        return None
    (combined,), (name,) = fold.combined, fold.names
    if not isinstance(combined, Apply) or len(combined.arguments) != 2 or combined.attributes:
        return None
    total, element = combined.arguments
    is_total = isinstance(total, Reference) and total.name == name
    inside = any(isinstance(each, Reference) and each.name == name for each in visit(element, set()))
    return (combined.op, element) if is_total and not inside else None


def number_text(value: Any) -> str:
    """A number, so that its bits can be read back."""
    array = np.asarray(value)
    kind = array.dtype
    if kind.kind == "b":
        return "true" if array else "false"
    if kind.kind in "iu":
        return str(int(array))
    if kind.kind == "c":
        return f"{number_text(array.real)}, {number_text(array.imag)}"
    number = float(array)
    if number != number:  # of NaN, the bits
        return "0x" + array.tobytes()[::-1].hex().upper()
    return repr(number)


def _range(loop: Loop) -> str:
    """The values of a loop's variable, and their bound where they are computed."""
    if loop.is_whole:
        return f"0..{loop.variable.extent}"
    stop = loop.variable.extent if loop.stop is None else loop.stop
    return f"{loop.start}..{stop} of {loop.variable.extent}"


def _op(name: str) -> str:
    return name.removeprefix(DIALECT)


def _list(indices: Sequence[Index]) -> str:
    return ", ".join(map(str, indices))


def _conditions(conditions: Sequence[tuple[Index, int]]) -> str:
    return " and ".join([f"{index} >= {bound}" for index, bound in conditions])
