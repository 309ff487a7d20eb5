"""The graph of a module: nested items, and the edges between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from stablehlo_py.analysis.callgraph import call_graph
from stablehlo_py.analysis.cost import Costs
from stablehlo_py.analysis.op_reference import explain
from stablehlo_py.diagnostics.origin import origin, scope_name
from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation, Region, Value
from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.ir.printing import html_of
from stablehlo_py.ir.signature import MAIN, signature
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import family_of, has_trait, lookup
from stablehlo_py.reports.graph.weights import find_weights
from stablehlo_py.syntax.printer import OpTexts

_GREATEST = 1e300  # JSON has no infinity
_LONGEST = 200  # characters of an attribute that are shown
_HIDDEN = {"sym_name", "function_type", "sym_visibility"}  # shown in the title of a function
_BRIEF = 12  # maximum characters of a constant that is shown inline

Kind = Literal["function", "region", "op", "argument", "constant"]


@dataclass(slots=True)
class Item:
    """A node of the graph: a function, region, op, argument or constant.

    Attributes:
        id: Its number in the module, from 0.
        kind: What it is.
        title: Its label: `add`, `@main`, `cond`, `%x`.
        name: The full name of the op, or "" for other items.
        results: The name and type of each result.
        operands: The name and type of each operand.
        attributes: The name and text of each attribute.
        value: The text of a short constant, or the path of an argument in the tree of arguments.
        line: Its line in the program, or 0.
        location: Its source location, or "".
        scope: The name scopes in its location, such as `jit(main)/Block_0/Attention`, or "".
        operations: The operations of one execution, with regions and callees; None without cost analysis.
        bytes: The bytes that it reads and writes.
        error: The largest relative error in a comparison, at most 1e300; None if there is none.
        seconds: The time in it in a run, without nested ops and callees; None without a profile.
        sent: The bytes that a device sends for it; None without a mesh.
        live: The bytes of memory that are live while it runs; None without a schedule.
        weight: Whether it is an argument that holds a weight rather than an input.
        calls: The functions that it calls.
        items: The nested items.
    """

    id: int
    kind: Kind
    title: str
    name: str = ""
    results: list[tuple[str, str]] = field(default_factory=list)
    operands: list[tuple[str, str]] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    value: str = ""
    line: int = 0
    location: str = ""
    scope: str = ""
    operations: int | None = None
    bytes: int | None = None
    error: float | None = None
    seconds: float | None = None
    sent: float | None = None
    live: float | None = None
    weight: bool = False
    calls: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)

    def walk(self) -> Iterator[Item]:
        """Yield this item and all nested ones, in preorder."""
        yield self
        for item in self.items:
            yield from item.walk()


@dataclass(slots=True)
class Graph:
    """The graph of a module.

    Attributes:
        name: The name of the module's text.
        functions: Its functions.
        edges: The uses of values: (id of the defining item, id of the user, name of the value).
        definitions: For each op name in the graph: doc, specification (a link), constraints and
            family, the name of the file that defines it.
    """

    name: str
    functions: list[Item]
    edges: list[tuple[int, int, str]]
    definitions: dict[str, dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, as `shlo graph --format json` prints it."""
        with gc_paused():
            return asdict(self)

    def _repr_html_(self) -> str:
        return html_of(self)


def graph(
    module: Module,
    costs: bool = False,
    errors: Mapping[int, float] | None = None,
    seconds: Mapping[int, float] | None = None,
    sent: Mapping[int, float] | None = None,
    live: Mapping[int, float] | None = None,
    scopes: Mapping[int, str] | None = None,
) -> Graph:
    """Build the graph of a module.

    Args:
        module: A module; it need not be valid.
        costs: Whether ops have their costs; the module must be valid.
        errors: The relative errors of ops in a comparison, by line.
        seconds: The time in ops in a run, by line.
        sent: The bytes that a device of a mesh sends, by line.
        live: The bytes of memory that are live at an op, by line.
        scopes: The scopes of ops, by line; by default those of their locations.

    Returns:
        The graph.
    """
    with gc_paused():
        measured = {"seconds": seconds or {}, "sent": sent or {}, "live": live or {}}
        return _Reader(module, _costs(module) if costs else None, errors or {}, measured, scopes or {}).read()


def _costs(module: Module) -> Costs:
    """Return the costs of a module, callees first, which avoids deep recursion on long call chains."""
    found = Costs(module)
    for name in call_graph(module).callees_first():
        found.function(name)
    return found


class _Reader:
    def __init__(
        self,
        module: Module,
        costs: Costs | None,
        errors: Mapping[int, float],
        measured: Mapping[str, Mapping[int, float]],
        scopes: Mapping[int, str],
    ) -> None:
        self._module = module
        self._costs, self._errors, self._measured, self._scopes = costs, errors, measured, scopes
        self._texts = OpTexts(module)
        self._makers: dict[Value, int] = {}  # the items that define values
        self._uses: list[tuple[Value, int]] = []  # values, and the items that use them
        self._count = 0

    def read(self) -> Graph:
        functions = [item for region in self._module.op.regions for item in self._items(region)]
        names = {item.name for function in functions for item in function.walk() if item.name}
        definitions = {name: found for name in sorted(names) if (found := _definition(name))}
        # In an invalid program, a value may be used before its definition.
        edges = [(self._makers[value], user, self._texts.name(value)) for value, user in self._uses]
        return Graph(self._module.name, functions, edges, definitions)

    def _item(self, kind: Kind, title: str) -> Item:
        self._count += 1
        return Item(self._count - 1, kind, title)

    def _op(self, op: Operation) -> Item:
        is_function = op.is_function
        item = self._item(_kind(op), _title(op))
        item.name = "" if is_function else op.name
        item.line, item.location = self._module.line(op), _location(op)
        item.scope = self._scopes.get(item.line) or scope_name(op.location).rpartition("/")[0]
        item.error = min(self._errors[item.line], _GREATEST) if item.line in self._errors else None
        if not is_function:
            for name, found in self._measured.items():
                setattr(item, name, found.get(item.line))
        if self._costs is not None and not is_function:
            cost = self._costs.op(op)
            item.operations, item.bytes = cost.flops + cost.transcendentals, cost.bytes
        item.results = [self._typed(value) for value in op.results]
        item.operands = [self._typed(value) for value in op.operands]
        stated = (op.properties | op.attributes).items()
        item.attributes = [(name, _text(value)) for name, value in sorted(stated) if name not in _HIDDEN]
        item.calls = [called] if (called := callee(op)) else []
        item.value = _constant(op)
        self._makers.update(dict.fromkeys(op.results, item.id))
        self._uses += [(value, item.id) for value in op.operands]
        titles = _region_titles(op)
        for title, region in zip(titles, op.regions, strict=True):
            item.items += self._items(region) if is_function else [self._region(title, region)]
        if is_function:
            self._arguments(op, item)
        return item

    def _arguments(self, function: Operation, item: Item) -> None:
        """Name the arguments of a function by their paths in the tree of arguments, and find the weights."""
        blocks = [block for region in function.regions for block in region.blocks]
        arguments = blocks[0].arguments if blocks else []
        known = self._costs is not None and bool(arguments)
        described = self._module if item.title == f"@{MAIN}" else None
        inputs = signature(function, described).inputs if known else ()
        paths = [each.path if each.path != each.name else "" for each in inputs] or [""] * len(arguments)
        weights = find_weights(paths, [argument.type for argument in arguments])
        for inner, path, is_weight in zip(item.items, paths, weights, strict=False):
            inner.value, inner.weight = path, is_weight

    def _region(self, title: str, region: Region) -> Item:
        item = self._item("region", title)
        item.items = self._items(region)
        return item

    def _items(self, region: Region) -> list[Item]:
        return [item for block in region.blocks for item in self._block(block)]

    def _block(self, block: Block) -> list[Item]:
        arguments = [self._argument(argument) for argument in block.arguments]
        return [*arguments, *(self._op(op) for op in block.ops)]

    def _argument(self, argument: BlockArgument) -> Item:
        item = self._item("argument", self._texts.name(argument))
        item.results = [self._typed(argument)]
        item.line, item.location = self._module.line(argument), _location(argument)
        self._makers[argument] = item.id
        return item

    def _typed(self, value: Value) -> tuple[str, str]:
        return self._texts.name(value), str(value.type)


def _kind(op: Operation) -> Kind:
    if op.is_function:
        return "function"
    return "constant" if has_trait(op.name, "constant") else "op"


def _title(op: Operation) -> str:
    symbol = op.python_value("sym_name")
    if symbol:
        return f"@{symbol}"
    return op.name.removeprefix("stablehlo.").removeprefix("func.")


def _region_titles(op: Operation) -> list[str]:
    """Return the names of the regions in the op's definition, or numbers for variadic ones."""
    definition = lookup(op.name)
    bodies = definition.bodies if definition is not None else ()
    if len(bodies) == len(op.regions):
        return [body.name for body in bodies]
    return [str(index) for index in range(len(op.regions))]


def _location(place: Operation | BlockArgument) -> str:
    return "; ".join(origin(place.location)) if place.location is not None else ""


def _text(value: Attribute) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _constant(op: Operation) -> str:
    """Return the text of a constant of few elements, without its type."""
    value = op.attribute("value")
    if not has_trait(op.name, "constant") or not isinstance(value, DenseElementsAttr) or value.data.size > 4:
        return ""
    if value.data.size == 1 and value.data.dtype.kind != "c" and not np.isfinite(value.data).all():
        return str(float(value.data.item()))  # rather than its bits
    text = str(value).partition("dense<")[2].partition("> :")[0]
    return text if len(text) <= _BRIEF else ""


def _definition(name: str) -> dict[str, Any] | None:
    """Return the parts of an op's definition that the page shows."""
    data = explain(name)
    if data is None:
        return None
    rules = [(rule["label"], rule["formula"]) for rule in data["constraints"]]
    return {
        "doc": data["doc"],
        "specification": data["specification"],
        "constraints": rules,
        "family": family_of(name),
    }
