"""The syntax tree of a program to its operations: names resolved, types checked at their uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.types import I1, I32, FunctionType, IntegerType, TensorType, Type
from stablehlo_py.opset.definition import OpDef, all_definitions, lookup
from stablehlo_py.syntax.context import Alias, Context
from stablehlo_py.syntax.driver import Node
from stablehlo_py.syntax.faults import Fault
from stablehlo_py.syntax.lexer import SHORT_DIALECTS
from stablehlo_py.syntax.parse_attributes import attribute_of, dictionary, integer, plain_integers
from stablehlo_py.syntax.parse_forms import Argument, Parts, form_readers
from stablehlo_py.syntax.parse_locations import location_of
from stablehlo_py.syntax.parse_types import type_of
from stablehlo_py.syntax.resources import read_resources
from stablehlo_py.syntax.scopes import Scope
from stablehlo_py.syntax.strings import string_value

MAX_REGIONS = 64  # regions in one another


class Builder:
    """Makes the operations of one program. What is wrong is noted, and building goes on."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.session = context.session
        self.scope = Scope()
        self.blocks: dict[str, Block] = {}
        self.depth = 0

    def program(self, tree: Node) -> Operation:
        """The module that a program's tree stands for."""
        ops = [item for item in tree[1:] if isinstance(item, tuple) and item[0] == "op"]
        for item in tree[1:]:
            self._declare(item)
        self._check_aliases()
        body = Block()
        module = Operation("builtin.module", regions=[Region([body])])
        for item in ops:
            self._append(item, body, module)
        self.session.faults += self.scope.close()
        if len(body.ops) == 1 and body.ops[0].name == "builtin.module":
            body.ops[0].parent = None
            return body.ops[0]
        return module

    def _declare(self, item: Any) -> None:
        """Takes in an alias or the resources."""
        if isinstance(item, int):
            with_text = self.context.text(item)
            self._try(lambda: read_resources(with_text, self.context.start(item), self.session))
        elif item[0] != "op":
            _, name, value = item
            text = self.context.text(name)
            if text in self.session.aliases:
                self._note(Fault(self.context.start(name), f"redefinition of alias {text}"))
            self.session.aliases[text] = Alias(self.context, value)

    def _check_aliases(self) -> None:
        for name, alias in self.session.aliases.items():
            read = type_of if name[0] == "!" else attribute_of
            alias.is_open = True
            self._try(lambda read=read, alias=alias: read(alias.context, alias.value))  # type: ignore[misc]
            alias.is_open = False

    def _try(self, action: Any) -> Any:
        try:
            return action()
        except Fault as fault:
            self._note(fault)
            return None

    def _note(self, fault: Fault) -> None:
        self.session.faults.append(fault)

    def _append(self, node: Node, block: Block, parent: Operation) -> None:
        """Builds an operation at the end of a block; notes what is wrong with it."""
        try:
            op = self._operation(node, parent)
        except Fault as fault:
            self._note(fault)
            self._salvage(node)
            self._poison(node[1])
            return
        op.parent = block
        block.ops.append(op)
        if node[1] is not None:
            self._name_results(node[1], op)

    def _salvage(self, node: Node) -> None:
        """Builds the regions of an operation that cannot be built, for what else is wrong there."""
        names, regions = _pieces(node[2], self.context)
        for region in regions:
            self.scope.enter()
            for name in names:
                if name not in self.scope.values:
                    self.scope.define(name, None, -1)
            self._try(lambda region=region: self._region(Operation(""), region, None, False))  # type: ignore[misc]
            self.scope.leave()

    def _operation(self, node: Node, parent: Operation) -> Operation:
        _, _, body, location, end = node
        tokens = self.context.tokens
        token = body[1]
        offset = tokens.ends[token] - len(tokens.texts[token])
        op = Operation.__new__(Operation)
        if body[0] == "generic_op":
            name, definition, parts = self._generic(body)
        else:
            name, definition = self._pretty_name(token, parent)
            parts = Parts()
            readers = form_readers(name)
            context = self.context
            for index, read in enumerate(readers, 2):
                read(context, body[index], parts)
        attributes, properties = parts.attributes, parts.properties
        if definition is not None:
            attributes = self._inherent(attributes, properties, definition, offset)
        op.__init__(  # type: ignore[misc]
            name,
            self._operands(definition, parts, offset),
            () if parts.result_types is None else parts.result_types,  # type: ignore[arg-type]
            properties,
            attributes,
            (),
            (),
            None if location is None else location_of(self.context, location),
            offset,
            tokens.ends[end - 1],
        )
        if parts.result_types is None and definition is not None and definition.outputs:
            op.results = self._results_by_name(op, definition, parts)
        if parts.successors:
            op.successors = tuple(self._successor(token) for token in parts.successors)
        if parts.regions or definition is not None and definition.bodies or parts.inner is not None:
            self._regions(op, definition, parts)
        return op

    def _results_by_name(self, op: Operation, definition: OpDef, parts: Parts) -> Any:
        types = [t for output in definition.outputs for t in parts.types.get(output.name, ())]
        return Operation(op.name, (), types).results and self._make_results(op, types)

    def _make_results(self, op: Operation, types: Sequence[Type]) -> Any:
        from stablehlo_py.ir.core import OpResult

        return tuple([OpResult(t, op, i) for i, t in enumerate(types)])

    # Names and definitions

    def _pretty_name(self, token: int, parent: Operation) -> tuple[str, OpDef]:
        name = self.context.tokens.texts[token]
        if "." in name:
            definition = lookup(name)
        else:
            outer = lookup(parent.name)
            dialect = "func." if outer is not None and "func_default" in outer.traits else "builtin."
            name = dialect + name
            definition = lookup(name)
        if definition is None or definition.form is None:
            raise Fault(self.context.start(token), f"custom op '{name}' is unknown in this place")
        return name, definition

    def _generic(self, body: Node) -> tuple[str, OpDef | None, Parts]:
        _, token, values, successors, properties, regions, attributes, signature = body
        context = self.context
        name = string_value(context, token)
        definition = lookup(name)
        if definition is None:
            self._check_unknown(name, token)
        parts = Parts()
        parts.operands = [v for v in values[1][1:] if v is not None]
        if successors is not None:
            parts.successors = list(successors[1:])
        if properties is not None:
            parts.properties = dictionary(context, properties[1])
        if regions is not None:
            parts.regions[""] = [(region, None) for region in regions[1:]]
        if attributes is not None:
            parts.attributes = dictionary(context, attributes)
        found = type_of(context, signature)
        assert isinstance(found, FunctionType)
        parts.operand_types, parts.result_types = found.inputs, found.results
        if len(found.inputs) != len(parts.operands):
            plural = "" if len(parts.operands) == 1 else "s"
            raise Fault(
                context.start(signature),
                f"expected {len(parts.operands)} operand type{plural} but had {len(found.inputs)}",
            )
        return name, definition, parts

    def _check_unknown(self, name: str, token: int) -> None:
        if self.session.allow_unregistered and "." in name:
            return
        close = get_close_matches(name, [d.name for d in all_definitions()], 1)
        notes = [f"did you mean {close[0]}?"] if close else []
        known = name.startswith(("stablehlo.", "chlo.", *SHORT_DIALECTS))
        what = f"there is no op {name}" if known else f"unregistered operation '{name}'"
        self._note(Fault(self.context.start(token), what, *notes))

    # Operands and results

    def _operands(self, definition: OpDef | None, parts: Parts, offset: int) -> list[Value]:
        used = parts.operands
        if used is None:
            used = [token for o in definition.operands for token in parts.groups.get(o.name, ())] if definition else []
        types: Any = parts.operand_types
        if types is None:
            types = [t for o in definition.operands for t in parts.types.get(o.name, ())] if definition else ()
        if len(used) != len(types):
            raise Fault(
                offset,
                f"number of operands and types do not match: got {len(used)} operands and {len(types)} types",
            )
        texts, values = self.context.tokens.texts, self.scope.values
        found = []
        for token, type in zip(used, types):
            value = values.get(texts[token])
            if value is None:
                value = self._find(token, type)
            if value.type is not type:
                self._note(
                    Fault(
                        self.context.start(token),
                        f"use of value '{texts[token]}' expects different type than prior uses: "
                        f"'{type}' vs '{value.type}'",
                        code="ssa",
                    )
                )
            found.append(value)
        return found

    def _find(self, token: int, type: Type) -> Value:
        try:
            return self.scope.find(self.context.tokens.texts[token], type, self.context.start(token))
        except Fault as fault:
            self._note(fault)
            return Value(type)

    def _name_results(self, outputs: Node, op: Operation) -> None:
        tokens = self.context.tokens
        names = self._output_names(outputs)
        if len(names) != len(op.results):
            has = f"defines {len(op.results)} results" if op.results else "has no results"
            self._note(
                Fault(tokens.start(_first(outputs)), f"operation {has} but was provided {len(names)} to bind", code="ssa")
            )
            self._poison(outputs)
            return
        for (name, token), result in zip(names, op.results):
            result.name = name[1:]
            try:
                self.scope.define(name, result, tokens.start(token))
            except Fault as fault:
                self._note(fault)

    def _output_names(self, outputs: Node) -> list[tuple[str, int]]:
        texts = self.context.tokens.texts
        names = []
        for output in outputs[1:]:
            if type(output) is int:
                names.append((texts[output], output))
                continue
            _, token, count = output
            size = integer(self.context, count)
            if not 0 < size <= 1 << 16:
                self._note(Fault(self.context.start(count), "expected named operation to have at least 1 result"))
                continue
            names += [(texts[token] + (f"#{n}" if n else ""), token) for n in range(size)]
        return names

    def _poison(self, outputs: Node | None) -> None:
        """Makes the names of an operation that could not be built stand for anything."""
        for name, _ in self._output_names(outputs) if outputs is not None else ():
            if name not in self.scope.values:
                self.scope.define(name, None, -1)

    # Attributes

    def _inherent(
        self, attributes: dict[str, Attribute], properties: dict[str, Attribute], definition: OpDef, offset: int
    ) -> dict[str, Attribute]:
        """Moves the attributes that the definition lists to the properties; gives the others."""
        kinds = definition.property_kinds
        others = attributes
        if properties and not kinds:
            self._note(Fault(offset, f"invalid properties for op {definition.name}: this operation has empty properties"))
        if attributes:
            others = {}
            for name, value in attributes.items():
                (properties if name in kinds else others)[name] = value
        for name, value in properties.items():
            if type(value) is A.DenseElementsAttr and kinds.get(name, "").startswith("array<"):
                properties[name] = modern(value, kinds[name])
        return others

    # Regions

    def _regions(self, op: Operation, definition: OpDef | None, parts: Parts) -> None:
        if definition is None or "" in parts.regions:
            written = parts.regions.get("", [])
        else:
            written = [region for body in definition.bodies for region in parts.regions.get(body.name, ())]
        is_isolated = definition is not None and "isolated" in definition.traits
        op.regions = tuple([self._region(op, node, entry, is_isolated) for node, entry in written])
        if parts.inner is not None:
            op.regions = (self._applied(op, parts.inner),)
        for region in op.regions:
            region.parent = op

    def _region(self, op: Operation, node: Node | None, entry: list[Argument] | None, is_isolated: bool) -> Region:
        if node is None:
            return Region()
        if self.depth >= MAX_REGIONS:
            raise Fault(self.context.start(node), f"more than {MAX_REGIONS} regions within one another")
        outer_scope, outer_blocks = self.scope, self.blocks
        self.blocks = {}
        self.depth += 1
        if is_isolated:
            self.scope = Scope()
        self.scope.enter()
        region = Region()
        region.parent = op
        self._fill(region, node, entry, op)
        self.scope.leave()
        if is_isolated:
            self.session.faults += self.scope.close()
        self.scope, self.blocks = outer_scope, outer_blocks
        self.depth -= 1
        return region

    def _fill(self, region: Region, node: Node, entry: list[Argument] | None, op: Operation) -> None:
        _, body, *blocks = node
        if len(body) > 1 or entry or not blocks:
            first = Block()
            self._arguments(first, entry or [])
            region.add_block(first)
            for item in body[1:]:
                self._append(item, first, op)
        for _, label, inputs, ops in blocks:
            block = self._block(label)
            region.add_block(block)
            self._arguments(block, self._block_inputs(inputs))
            for item in ops[1:]:
                self._append(item, block, op)
        for name, block in self.blocks.items():
            if block.parent is None:
                self._note(Fault(block.offset, f"reference to an undefined block {name}", code="ssa"))

    def _block(self, token: int) -> Block:
        """The block that a label begins."""
        name = self.context.text(token)
        block = self.blocks.setdefault(name, Block(label=name[1:]))
        if block.parent is not None:
            self._note(Fault(self.context.start(token), f"redefinition of block '{name}'", code="ssa"))
            block = Block(label=name[1:])
        block.offset = self.context.start(token)
        return block

    def _successor(self, token: int) -> Block:
        name = self.context.text(token)
        return self.blocks.setdefault(name, Block(label=name[1:], offset=self.context.start(token)))

    def _block_inputs(self, node: Node | None) -> list[Argument]:
        found = []
        for entry in node[1:] if node is not None else ():
            if entry is None:
                continue
            if entry[0] != "func_input":
                self._note(Fault(self.context.start(entry), "expected a name such as %arg0 before the type"))
                continue
            _, token, child, _, location = entry
            argument_type = self._try(lambda child=child: type_of(self.context, child))  # type: ignore[misc]
            if argument_type is None:
                self.scope.values[self.context.text(token)] = None
                continue
            found.append(Argument(token, argument_type, location))
        return found

    def _arguments(self, block: Block, arguments: Iterable[Argument]) -> None:
        for argument in arguments:
            location = None if argument.location is None else self._location(argument.location)
            value = block.add_argument(argument.type, None, location)
            if argument.token is None:
                continue
            value.name = self.context.text(argument.token)[1:]
            value.offset = self.context.start(argument.token)
            self._try(lambda v=value: self.scope.define(f"%{v.name}", v, v.offset))  # type: ignore[misc]

    def _location(self, token: int) -> Location | None:
        found: Location | None = self._try(lambda: location_of(self.context, token))
        return found

    def _applied(self, op: Operation, token: int) -> Region:
        """The region of a reduction that `applies` one op."""
        name = self.context.text(token)
        definition = lookup(name)
        fits = definition is not None and len(definition.operands) == 2 and len(definition.outputs) == 1
        element = op.operands[0].type if op.operands else None
        if not fits or not isinstance(element, TensorType):
            raise Fault(self.context.start(token), "expected the inner-op to be a commutative binary-op, such as stablehlo.add")
        scalar = TensorType((), element.element_type)
        block = Block((scalar, scalar))
        inner = Operation(name, block.arguments, (scalar,), location=op.location, offset=op.offset, end=op.end)
        dialect = op.name.partition(".")[0]
        last = Operation(f"{dialect}.return", inner.results, (), location=op.location, offset=op.offset, end=op.end)
        block.append(inner)
        block.append(last)
        return Region([block])


def _pieces(node: Node, context: Context) -> tuple[set[str], list[Node]]:
    """The names of values in an operation's tree outside its regions, and the regions."""
    names: set[str] = set()
    regions: list[Node] = []
    pending: list[Any] = [node]
    while pending:
        child = pending.pop()
        if isinstance(child, int) and context.text(child)[:1] == "%":
            names.add(context.text(child))
        elif isinstance(child, tuple) and child[0] == "op_input_func":
            regions.append(child)
        elif isinstance(child, tuple | list):
            pending.extend(child)
    return names, regions[::-1]


def _first(outputs: Node) -> int:
    first = outputs[1]
    return first if isinstance(first, int) else int(first[1])


def modern(value: A.DenseElementsAttr, kind: str) -> Attribute:
    """A dense constant where today's op has an array: earlier releases printed `dense<[1, 2]> : tensor<2xi64>`."""
    if kind == "array<bool>" and value.type.element_type is I1 and value.type.rank == 1:
        return A.DenseArrayAttr(I1, tuple(value.value.tolist()))
    integers = plain_integers(value)
    if integers is None:
        return value
    return A.DenseArrayAttr(I32 if kind == "array<i32>" else IntegerType(64), integers)
