"""Operations: from syntax trees to `ir`, with name resolution and type checks of uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from typing import Any

from stablehlo_py.diagnostics.suggestions import nearest
from stablehlo_py.ir.core import Block, Operation, Value
from stablehlo_py.ir.types import FunctionType, Type
from stablehlo_py.opset.definition import OpDef, all_definitions, lookup
from stablehlo_py.opset.search import belongs_here
from stablehlo_py.syntax.errors import SourceError, TypeMismatch
from stablehlo_py.syntax.foreign_dialects import NEWER, UNREGISTERED, advice
from stablehlo_py.syntax.forms.read import form_readers
from stablehlo_py.syntax.lalr.parse_loop import REPEATED, Node, moved
from stablehlo_py.syntax.read.attributes import dictionary
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.locations import location_of
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.properties import old_spelling, split_properties
from stablehlo_py.syntax.read.regions import RegionReader, add_terminators, applied_region, names_and_regions
from stablehlo_py.syntax.read.strings import string_value
from stablehlo_py.syntax.read.types import type_of

_MAX_RESULTS = 1 << 16


class OperationReader:
    """Reader of the operations of a program and of their regions; it records errors and continues.

    Args:
        context: The program's tokens.
        skipped: Names of values in unparsable text, whose uses are not reported.
    """

    def __init__(self, context: ReadContext, skipped: Set[str]) -> None:
        self._context = context
        self._regions = RegionReader(context, skipped, self.read)
        self._states: dict[tuple[int, str], OperationState] = {}  # by node, which the tree keeps, and parent

    def close(self) -> None:
        """Report the values of the outermost scope that are used but not defined."""
        self._regions.close()

    def read(self, node: Node, block: Block, parent: Operation) -> None:
        """Append the operation of a tree to a block, or report its errors.

        Args:
            node: The tree of the operation.
            block: The block.
            parent: The operation that contains the block.
        """
        distance = 0
        state = None
        if node[0] == REPEATED:
            _, _, distance, first = node
            state = self._states.get((id(first), parent.name))
            if state is None:
                node, distance = moved(first, distance), 0
            else:
                node = first
        try:
            if state is None:
                state = self._state(node, parent)
            op = self._operation(node, state, distance)
        except SourceError as error:
            self._context.report(error)
            node = moved(node, distance)
            self._read_regions_only(node)
            self._poison(node[1])
            return
        op.parent = block
        block.ops.append(op)
        if node[1] is not None:
            self._name_results(node[1], op, distance)

    def _state(self, node: Node, parent: Operation) -> OperationState:
        """Read an operation; keep the state for repeated operations if reading reported nothing."""
        _, _, body, _, _ = node
        tokens, parser_state = self._context.tokens, self._context.parser_state
        notes = parser_state.note_count
        token = body[1]
        offset = tokens.ends[token] - len(tokens.texts[token])
        if body[0] == "generic_op":
            name = string_value(self._context, token)
            definition = lookup(name)
            state = OperationState(name, definition)
            self._read_generic(body, state, name, definition, offset)
        else:
            name, definition = self._pretty_name(token, parent)
            state, context = OperationState(name, definition), self._context
            for index, read in enumerate(form_readers(name), 2):
                read(context, body[index], state)
        if definition is not None:
            state.resolve(offset)
            written = state.attributes
            if written or state.properties:
                self._note_old_spelling(state, definition, offset, body[0] == "generic_op")
            state.attributes, state.properties = split_properties(written, state.properties, definition)
            if written and state.attributes_at is not None:
                self._check_kinds(written, state, definition)
        if notes == parser_state.note_count:
            self._states[id(node), parent.name] = state
        return state

    def _operation(self, node: Node, state: OperationState, distance: int) -> Operation:
        """Return the operation of a state, or of a repeated operation, whose tokens are so much later."""
        _, _, body, location, end = node
        tokens = self._context.tokens
        token = body[1] + distance
        op = Operation(
            state.name,
            self._operands(state, distance),
            state.result_types,
            state.properties,
            state.attributes,
            (),
            [self._regions.successor(label + distance) for label in state.successors]
            if state.successors
            else (),
            None if location is None else location_of(self._context, moved(location, distance)),
            tokens.ends[token] - len(tokens.texts[token]),
            tokens.ends[end + distance - 1],
        )
        if state.inner is not None or state.all_regions:
            self._add_regions(op, state, distance)
        return op

    def _note_old_spelling(
        self, state: OperationState, definition: OpDef, offset: int, is_generic: bool
    ) -> None:
        old = old_spelling(state.attributes, state.properties, definition, is_generic)
        if old:
            self._context.parser_state.old_spellings.append((offset, old))

    def _pretty_name(self, token: int, parent: Operation) -> tuple[str, OpDef]:
        """Return the full name and the definition of an op in its pretty form."""
        name = self._context.tokens.texts[token]
        if "." not in name:
            outer = lookup(parent.name)
            is_func = outer is not None and "func_default" in outer.traits
            name = ("func." if is_func else "builtin.") + name
        definition = lookup(name)
        if definition is None or definition.form is None:
            raise self._context.error(token, f"custom op '{name}' is unknown")
        return name, definition

    def _read_generic(
        self, body: Node, state: OperationState, name: str, definition: OpDef | None, offset: int
    ) -> None:
        _, _, values, successors, properties, regions, attributes, signature = body
        context = self._context
        if definition is None:
            self._check_unknown(name, offset)
        state.operands = [token for token in values[1][1:] if token is not None]
        state.successors = list(successors[1:]) if successors is not None else []
        if properties is not None:
            state.properties = self._properties(properties, definition, offset)
        if regions is not None:
            state.all_regions = [(region, None) for region in regions[1:]]
        if attributes is not None:
            state.attributes = dictionary(context, attributes)
        found = type_of(context, signature)
        assert isinstance(found, FunctionType)
        state.operand_types, state.result_types = found.inputs, found.results
        count = len(state.operands)
        if len(found.inputs) != count:
            message = f"expected {count} operand type{'s' * (count != 1)} but had {len(found.inputs)}"
            raise context.error(signature, message)

    def _properties(self, node: Node, definition: OpDef | None, offset: int) -> dict[str, Any]:
        """Return the entries of `<{...}>` that the definition lists; others are ignored."""
        found = dictionary(self._context, node[1])
        if definition is None:
            return found
        kinds = definition.property_kinds
        if not kinds:
            message = f"invalid properties for op {definition.name}: this operation has empty properties"
            self._context.report(SourceError(offset, message))
        return {name: value for name, value in found.items() if name in kinds or name in _SEGMENTS}

    def _check_kinds(self, written: Iterable[str], state: OperationState, definition: OpDef) -> None:
        """Check the attributes of a pretty form, reporting errors at the form instead of at the op's name."""
        assert state.attributes_at is not None
        for name in written:
            value = state.properties.get(name)
            wanted = None if value is None else definition.property_kinds[name]
            if wanted is not None and value is not None and not wanted.contains(value):
                message = f"{definition.name} attribute '{name}' must be {wanted.phrase}"
                self._context.report(self._context.error(state.attributes_at, message, code="type"))

    def _check_unknown(self, name: str, offset: int) -> None:
        is_ours = belongs_here(name)
        state = self._context.parser_state
        if "." in name and (state.allow_newer if is_ours else state.allow_unregistered):
            return
        close = _nearest_op(name)
        notes = advice(name) or ([f"did you mean {close}?"] if close else [])
        message = f"there is no op {name}" if is_ours else f"unregistered operation '{name}'"
        accepted = [NEWER] if is_ours else [] if notes else [UNREGISTERED]
        self._context.report(SourceError(offset, message, *notes, *accepted))

    # Values

    def _operands(self, state: OperationState, distance: int) -> list[Value]:
        texts, values = self._context.tokens.texts, self._regions.scope.values
        found = []
        for token, type in zip(state.operands, state.operand_types, strict=True):
            value = values.get(texts[token + distance])
            if value is None:
                value = self._find(token + distance, type)
            if value.type is not type:
                message = (
                    f"use of value '{texts[token + distance]}' expects different type than prior uses: "
                    f"'{type}' vs '{value.type}'"
                )
                self._context.report(TypeMismatch(self._context.tokens.start(token + distance), message))
            found.append(value)
        return found

    def _find(self, token: int, type: Type) -> Value:
        tokens = self._context.tokens
        found = self._context.attempt(
            lambda: self._regions.scope.find(tokens.texts[token], type, tokens.start(token))
        )
        return found or Value(type)

    def _name_results(self, outputs: Node, op: Operation, distance: int) -> None:
        tokens, define = self._context.tokens, self._regions.scope.define
        first = outputs[1]
        if len(op.results) == 1 and len(outputs) == 2 and first.__class__ is int:  # as of most operations
            text = tokens.texts[first + distance]
            if "#" not in text:
                op.results[0].name = text[1:]
                error = define(text, op.results[0], tokens.ends[first + distance] - len(text))
                if error is not None:
                    self._context.report(error)
                return
        names = self._output_names(outputs, distance)
        if len(names) != len(op.results):
            has = f"defines {len(op.results)} results" if op.results else "has no results"
            message = f"operation {has} but was provided {len(names)} to bind"
            outputs = moved(outputs, distance)
            self._context.report(self._context.error(outputs, message, code="ssa"))
            self._poison(outputs)
            return
        for (name, token), result in zip(names, op.results, strict=True):
            text = tokens.texts[token]
            if "#" in text:
                self._context.report(
                    self._context.error(token, "expected '=' after SSA name, not a result number")
                )
            result.name = name[1:]
            error = define(name, result, tokens.ends[token] - len(text))
            if error is not None:
                self._context.report(error)

    def _output_names(self, outputs: Node, distance: int = 0) -> list[tuple[str, int]]:
        """Return the names of an operation's results with their tokens; `%r:2` names %r and %r#1."""
        texts = self._context.tokens.texts
        names = []
        for output in outputs[1:]:
            if type(output) is int:
                names.append((texts[output + distance], output + distance))
                continue
            _, token, count = moved(output, distance)
            size = self._group_size(count)
            names += [(texts[token] + (f"#{n}" if n else ""), token) for n in range(size)]
        return names

    def _group_size(self, count: int) -> int:
        """Return the number of results that `%r:2` names; 0, with a note, if no operation has that many."""
        size = self._context.attempt(lambda: self._context.integer(count))
        if size is not None and not 0 < size <= _MAX_RESULTS:
            message = "expected named operation to have at least 1 result"
            self._context.report(self._context.error(count, message))
            return 0
        return size or 0

    def _poison(self, outputs: Node | None) -> None:
        """Make the names of an operation that could not be built match any value."""
        if outputs is not None:
            self._regions.scope.poison(name for name, _ in self._output_names(outputs))

    # Regions and blocks

    def _add_regions(self, op: Operation, state: OperationState, distance: int) -> None:
        definition = state.known_definition
        if state.inner is not None:
            op.regions = (applied_region(self._context, op, state.inner + distance),)
        else:
            isolated = definition is not None and "isolated" in definition.traits
            op.regions = tuple(
                [self._regions.read(op, node, entry, isolated) for node, entry in state.all_regions]
            )
            if state.regions and definition is not None:
                add_terminators(op, definition, state.all_regions)
        for region in op.regions:
            region.parent = op

    def _read_regions_only(self, node: Node) -> None:
        """Build the regions of an operation that cannot be built, to report the errors in them."""
        names, regions = names_and_regions(node[2], self._context)
        owner = Operation(self._context.tokens.texts[node[2][1]].strip('"'))
        for region in regions:
            self._regions.scope.enter()
            self._regions.scope.poison(names)
            self._context.attempt(lambda region=region: self._regions.read(owner, region, None, False))  # type: ignore[misc]
            self._regions.scope.leave()


_SEGMENTS: Sequence[str] = ("operandSegmentSizes", "resultSegmentSizes")


@lru_cache(1000)
def _nearest_op(name: str) -> str | None:
    return nearest(name, [definition.name for definition in all_definitions()])
