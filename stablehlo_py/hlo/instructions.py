"""Reading of instructions: most by one regular expression, all others piece by piece."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from stablehlo_py.hlo.checks import Places, accepted_by, check_instruction
from stablehlo_py.hlo.inference import ShapeMismatch, infer
from stablehlo_py.hlo.kinds import PARSED, kind_of
from stablehlo_py.hlo.lexer import Cursor, near, reserved, terminals
from stablehlo_py.hlo.literals import Literal, read_literal
from stablehlo_py.hlo.module import Computation, Instruction
from stablehlo_py.hlo.opcodes import ASYNC_SUFFIXES, Attribute, Opcode, opcodes, wrapped_opcode
from stablehlo_py.hlo.scope import BrokenUse, Scope
from stablehlo_py.hlo.shapes import ARRAY, compatible, read_shape
from stablehlo_py.layout.shape import Shape
from stablehlo_py.syntax.errors import SourceError


@cache
def _head() -> re.Pattern[str]:
    """Return the pattern of an instruction up to its operands."""
    blanks = rf"(?:{terminals()['BLANKS']})?+"
    nested = r"\((?:[^()]++|\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))*+\)"
    return re.compile(
        rf"(ROOT\b{blanks})?+(?:%([A-Za-z_][\w.\-]*+)|([A-Za-z_][\w.\-]*+)(?!=)){blanks}={blanks}"
        rf"({ARRAY}|{nested})?+{blanks}([a-z][\w\-]*+){blanks}\({blanks}",
        re.ASCII,
    )


@cache
def _operands() -> re.Pattern[str]:
    """Return the pattern of operands that are names alone."""
    blanks = rf"(?:{terminals()['BLANKS']})?+"
    name = terminals()["NAME"]
    return re.compile(rf"((?:{name}{blanks}(?:,{blanks}{name}{blanks})*+)?+)\){blanks}", re.ASCII)


_NAME = re.compile(r"[A-Za-z_][\w.\-]*+", re.ASCII)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_FLAT = r'(?:[^{}"\\]++|"[^"\\\n]*+")'
_VALUE = re.compile(rf"\{{(?:{_FLAT}|\{{{_FLAT}*+\}})*+\}}|[\w.%>\-]++(?!\[)")


class InstructionReader:
    """Reads instructions.

    Args:
        cursor: The text.
        read_body: Reads the instructions of a computation, in braces.
        computations: The computations that are defined, by name.
        all_computations: Those of the module, to which the ones in asynchronous forms are added.
    """

    def __init__(
        self,
        cursor: Cursor,
        read_body: Callable[[Computation], bool],
        computations: dict[str, Computation | None],
        all_computations: list[Computation],
    ) -> None:
        self.cursor = cursor
        self.read_body = read_body
        self.computations = computations
        self.all_computations = all_computations
        self.rows = opcodes()
        self.shapes: dict[str, Shape] = {}
        self.values: dict[tuple[str, str], Any] = {}

    def read(self, scope: Scope, is_alone: bool = False) -> Instruction:
        """Read an instruction with its name, and define it."""
        cursor, start = self.cursor, self.cursor.at
        found = _head().match(cursor.text, start)
        if found is None or found[5] not in self.rows:
            return self._slowly(scope, is_alone)
        is_root, percent, plain, shape_text, opcode = found.groups()
        shape = self.shapes.get(shape_text) if shape_text else None
        if shape is None and shape_text:
            cursor.at = found.start(4)
            shape = self.shapes[shape_text] = read_shape(cursor)
        cursor.at = found.end()
        name = percent or plain
        offset = found.start(2) if percent else found.start(3)
        if plain in reserved():
            cursor.fail("a name that is no keyword or type", at=offset)
        return self._rest(scope, name, offset, opcode, "", shape, bool(is_root), found.start(5))

    def _slowly(self, scope: Scope, is_alone: bool) -> Instruction:
        """Read an instruction piece by piece, for the error or a rare form."""
        cursor, start = self.cursor, self.cursor.at
        is_root = cursor.take_word("ROOT")
        offset = cursor.at
        name = ""
        after = re.compile(rf"{terminals()['NAME']}[ \t\r\n]*=").match(cursor.text, cursor.at)
        if is_alone and after is None:
            return self._right_side(scope, "_", start, is_root)
        name = cursor.new_name("the name of an instruction")
        if cursor.text[offset] != "%" and cursor.text.startswith("=", offset + len(name)):
            cursor.fail_with(offset, f"expected a blank between {name} and '=', as in {name} = f32[] ...")
        cursor.expect("=", "'=' after the name of an instruction")
        return self._right_side(scope, name, offset, is_root)

    def _right_side(
        self, scope: Scope, name: str, offset: int, is_root: bool = False, is_operand: bool = False
    ) -> Instruction:
        cursor = self.cursor
        shape = None
        if cursor.is_next("(") or cursor.is_next("b(") or _is_array(cursor):
            shape = read_shape(cursor)
        at = cursor.at
        found = re.compile(r"[A-Za-z_][\w.\-]*", re.ASCII).match(cursor.text, at)
        opcode, suffix = found[0] if found else "", ""
        if opcode not in self.rows:
            wrapped = wrapped_opcode(opcode)
            if wrapped is None:
                self._unknown_opcode(opcode)
            opcode, suffix = wrapped
        assert found is not None
        cursor.skip(found.end())
        cursor.expect("(", f"'(' before the operands of {opcode}")
        return self._rest(scope, name, offset, opcode, suffix, shape, is_root, at, is_operand)

    def _unknown_opcode(self, opcode: str) -> NoReturn:
        cursor = self.cursor
        if not opcode:
            cursor.fail("a shape or an opcode")
        if cursor.text.startswith("[", cursor.at + len(opcode)):
            read_shape(cursor)  # an unknown element type
        cursor.fail_with(cursor.at, f"unknown opcode {opcode}", *near(opcode, self.rows))

    # ------------------------------------------------------------------------------- the rest

    def _rest(
        self,
        scope: Scope,
        name: str,
        offset: int,
        opcode: str,
        suffix: str,
        shape: Shape | None,
        is_root: bool,
        at: int,
        is_operand: bool = False,
    ) -> Instruction:
        """Read an instruction after the parenthesis of its operands."""
        cursor, row = self.cursor, self.rows[opcode]
        name = name or scope.anonymous(opcode)
        value: int | Literal | None = None
        operands: tuple[Instruction, ...] = ()
        operands_at = cursor.at
        if opcode == "parameter" and not suffix:
            value = self._parameter_number(scope)
        elif opcode == "constant" and not suffix:
            value = self._literal(shape, at)
        else:
            operands = self._operand_list(scope)
            is_whole = not suffix or suffix == "start"
            if is_whole and row.operands is not None and len(operands) != row.operands:
                cursor.fail_with(operands_at, f"{opcode} takes {row.operands} operands, got {len(operands)}")
        attributes_at = cursor.at
        accepted = (
            self.rows[f"async-{suffix}"].accepted
            if suffix in ("update", "done")
            else accepted_by(row, operands)
        )
        if suffix == "start":
            accepted = accepted | self.rows["async-start"].attributes
        has_attributes = cursor.is_next(",") and not is_operand
        attributes = self._attributes(scope, opcode, accepted) if has_attributes else dict[str, Any]()
        instruction = Instruction(name, opcode, shape, operands, attributes, value, offset)  # type: ignore[arg-type]
        places = operands_at, attributes_at, cursor.at
        if suffix:
            self._wrap(instruction, row, suffix, places)
        if shape is None and not instruction.row.may_omit:
            cursor.fail_with(at, f"expected the shape of the result before {instruction.opcode}")
        check_instruction(instruction, places)
        if isinstance(value, Literal):
            instruction.shape = value.shape
        if shape is None:
            instruction.shape = self._inferred(instruction, at)
        self._define(scope, instruction, is_root)
        return instruction

    def _define(self, scope: Scope, instruction: Instruction, is_root: bool) -> None:
        known = scope.names.setdefault(instruction.name, instruction)
        if known is not instruction:
            self.cursor.fail_with(instruction.offset, f"instruction {instruction.name} is defined twice")
        if is_root and scope.root is not None:
            self.cursor.fail_with(
                instruction.offset, f"a computation has one ROOT, and {scope.root.name} is one already"
            )
        if is_root:
            scope.root = instruction
        scope.computation.instructions.append(instruction)

    def _inferred(self, instruction: Instruction, at: int) -> Shape:
        try:
            shape = infer(instruction)
        except ShapeMismatch as error:
            raise SourceError(at, f"the shape cannot be inferred: {error}") from None
        if shape is None:
            self.cursor.fail_with(at, f"expected the shape of the result before {instruction.opcode}")
        return shape

    def _parameter_number(self, scope: Scope) -> int:
        cursor, start = self.cursor, self.cursor.at
        number = cursor.integer("the number of the parameter")
        if number < 0:
            cursor.fail("a number from 0 on", at=start)
        cursor.expect(")", "')' after the number of a parameter")
        if number in scope.numbers:
            cursor.fail_with(start, f"parameter number {number} is used twice")
        scope.numbers.add(number)
        return number

    def _literal(self, shape: Shape | None, at: int) -> Literal:
        cursor, start = self.cursor, self.cursor.at
        if shape is None:
            cursor.fail_with(at, "expected the shape of the constant")
        if any(shape.dynamic):
            shape = Shape(shape.element_type, shape.dimensions, shape.layout, (False,) * shape.rank)
        end = cursor.text.find(")", start)
        key = str(id(shape)), cursor.text[start:end] if end - start < 24 else ""
        known = self.values.get(key) if key[1] else None
        if known is not None:
            cursor.skip(end + 1)
            found: Literal = known
            return found
        literal = read_literal(cursor, shape)
        if key[1] and cursor.at == end:
            self.values[key] = literal
        cursor.expect(")", "')' after a constant")
        return literal

    # ------------------------------------------------------------------------------- operands

    def _operand_list(self, scope: Scope) -> tuple[Instruction, ...]:
        """Read operands, with the closing parenthesis."""
        cursor = self.cursor
        found = _operands().match(cursor.text, cursor.at)
        if found is not None:
            text = found[1] if "/" not in found[1] else _COMMENT.sub(" ", found[1])
            names = _NAME.findall(text)
            operands = tuple([scope.names[name] for name in names if name in scope.names])
            if len(operands) == len(names):
                cursor.at = found.end()
                return operands
        found_operands = [self._operand(scope)]
        while cursor.take(","):
            found_operands.append(self._operand(scope))
        cursor.expect(")", "',' or ')' after an operand")
        return tuple([each for each in found_operands if each is not None])

    def _operand(self, scope: Scope) -> Instruction | None:
        """Read an operand: a name with or without its shape, or a nested instruction.

        XLA's parser skips an operand without a name, between commas or parentheses.
        """
        cursor, start, shape = self.cursor, self.cursor.at, None
        if cursor.is_next("(") or cursor.is_next("b(") or _is_array(cursor):
            shape = read_shape(cursor)
        at = cursor.at
        if shape is not None and scope.parameters_from_operands and cursor.text[at : at + 1] in (",", ")"):
            return self._undefined(scope, f"_{len(scope.parameters)}", at, shape)
        if cursor.text[at : at + 1] in (",", ")"):
            return None
        name = cursor.name("an operand")
        if cursor.is_next("(") or (cursor.is_next("[") and shape is None):
            cursor.at = start
            cursor.enter()
            nested = self._right_side(scope, "", start, is_operand=True)
            cursor.depth -= 1
            return nested
        instruction = scope.names.get(name)
        if instruction is None:
            instruction = self._undefined(scope, name, at, shape)
        while cursor.take("#"):
            instruction = self._element(scope, instruction, start)
        if shape is not None and not compatible(shape, instruction.shape):
            stated, actual = shape.text(layout=False), instruction.shape.text(layout=False)
            cursor.fail_with(start, f"operand {name} is stated with shape {stated}, and has {actual}")
        return instruction

    def _element(self, scope: Scope, operand: Instruction, start: int) -> Instruction:
        """Read the number in `%tuple#1`, and define the instruction that takes the element."""
        number = self.cursor.integer()
        shape = operand.shape
        if not shape.is_tuple or not 0 <= number < len(shape.tuple_shapes):
            self.cursor.fail_with(
                start, f"there is no element {number} in {shape.text(layout=False)} of {operand.name}"
            )
        name = scope.anonymous("get-tuple-element")
        found = Instruction(
            name, "get-tuple-element", shape.tuple_shapes[number], (operand,), {"index": number}, offset=start
        )
        self._define(scope, found, is_root=False)
        return found

    def _undefined(self, scope: Scope, name: str, at: int, shape: Shape | None) -> Instruction:
        """Return the parameter that an undefined operand of a single instruction is, or raise an error."""
        if scope.parameters_from_operands and shape is not None:
            number = len(scope.parameters)
            found = Instruction(name, "parameter", shape, value=number, offset=at)
            scope.parameters.append(found)
            scope.names[name] = found
            return found
        if name in scope.broken:
            raise BrokenUse(at, f"instruction {name}, which has an error, is used")
        notes = near(name, scope.names)
        return self.cursor.fail_with(at, f"instruction {name} is not defined before its use", *notes)

    # ------------------------------------------------------------------------------- attributes

    def _attributes(self, scope: Scope, opcode: str, accepted: dict[str, Attribute]) -> dict[str, Any]:
        cursor, found = self.cursor, dict[str, Any]()
        while cursor.take(","):
            start = cursor.at
            name = cursor.want("KEY", "an attribute such as dimensions={0}")[:-1]
            attribute = accepted.get(name)
            if attribute is None:
                notes = [*near(name, accepted), f"known: {', '.join(sorted(accepted))}"]
                cursor.fail_with(start, f"{opcode} has no attribute {name}", *notes)
            if name in found:
                cursor.fail_with(start, f"attribute {name} is stated twice")
            found[attribute.name] = self._value(scope, attribute)
        return found

    def _value(self, scope: Scope, attribute: Attribute) -> Any:
        cursor, kind = self.cursor, attribute.kind
        if kind in PARSED:
            return self._parsed(scope, kind)
        extent = _VALUE.match(cursor.text, cursor.at)
        if extent is None:
            return kind_of(kind).read(cursor)
        key = kind, extent[0]
        if key in self.values:
            cursor.skip(extent.end())
        else:
            inner = cursor.at
            value = kind_of(kind).read(cursor)
            if not cursor.text[extent.end() : cursor.at].strip() and cursor.at >= extent.end() > inner:
                self.values[key] = value
            return value
        return self.values[key]

    def _parsed(self, scope: Scope, kind: str) -> Any:
        """Read the value of a kind that refers to computations or instructions, or has a shape."""
        cursor = self.cursor
        if kind == "computation":
            return self._called()
        if kind == "computations":
            return cursor.items(self._called) if cursor.is_next("{") else (self._called(),)
        if kind == "literal":
            return read_literal(cursor, read_shape(cursor))
        return cursor.items(lambda: self._predecessor(scope))

    def _predecessor(self, scope: Scope) -> Instruction:
        at, name = self.cursor.at, self.cursor.name("an instruction")
        return scope.names.get(name) or self._undefined(scope, name, at, None)

    def _called(self) -> Computation:
        """Read the name of a computation, or its instructions in braces."""
        cursor, at = self.cursor, self.cursor.at
        if cursor.is_next("{"):
            computation = Computation("_", at)
            cursor.enter()
            is_whole = self.read_body(computation)
            cursor.depth -= 1
            if not is_whole:
                raise BrokenUse(at, "the computation has an error")
            return computation
        name = cursor.name("the name of a computation, or its instructions in braces")
        computation_or_none = self.computations.get(name)
        if computation_or_none is None:
            if name in self.computations:
                raise BrokenUse(at, f"computation {name}, which has an error, is called")
            cursor.fail_with(
                at, f"computation {name} is not defined before its use", *near(name, self.computations)
            )
        return computation_or_none

    # ------------------------------------------------------------------------------- asynchronous forms

    def _wrap(self, instruction: Instruction, row: Opcode, suffix: str, places: Places) -> None:
        """Turn `custom-call-start(x)` into an async-start of a computation with a custom-call."""
        instruction.opcode = f"async-{suffix}"
        if suffix != ASYNC_SUFFIXES[0]:
            return
        shape = instruction.shape
        if shape is None or not shape.is_tuple or len(shape.tuple_shapes) < 2:
            self.cursor.fail_with(
                places[0], "the result of a start must be a tuple of operands, results and state"
            )
        own = self.rows["async-start"].accepted
        inner = {name: value for name, value in instruction.attributes.items() if name in row.attributes}
        outer = {
            name: value for name, value in instruction.attributes.items() if name in own and name not in inner
        }
        computation = Computation("async_computation", instruction.offset)
        parameters = [
            Instruction("async_param", "parameter", operand.shape, value=number, offset=instruction.offset)
            for number, operand in enumerate(instruction.operands)
        ]
        computation.root = Instruction(
            row.name, row.name, shape.tuple_shapes[1], tuple(parameters), inner, offset=instruction.offset
        )
        check_instruction(computation.root, places)
        computation.instructions = [*parameters, computation.root]
        instruction.attributes = outer | {"calls": computation}
        self.all_computations.append(computation)


def _is_array(cursor: Cursor) -> bool:
    """Test whether the shape of an array is next."""
    return re.compile(r"[a-z]\w*\[", re.ASCII).match(cursor.text, cursor.at) is not None
