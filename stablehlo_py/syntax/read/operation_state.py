"""The parts of an op while its text is read, like MLIR's OperationState."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr
from stablehlo_py.ir.types import I32, Type
from stablehlo_py.opset.definition import OpDef, Operand, Result
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.lalr.parse_loop import Node


class Argument:
    """An argument of a block.

    Attributes:
        token: The token of its name; None if it has none.
        type: Its type.
        location: The token of its location; None if it has none.
    """

    __slots__ = ("location", "token", "type")

    def __init__(self, token: int | None, type: Type, location: int | None = None) -> None:
        self.token = token
        self.type = type
        self.location = location


_SEGMENTS = "operandSegmentSizes"
RegionNode = tuple[Node | None, list[Argument] | None]  # a region, and arguments outside its braces


class OperationState:
    """The parts of an op while it is read. Operands are tokens.

    A form may set operands, types and regions by the definition's names, in `groups`, `types` and `regions`,
    or all at once, in `operands`, `operand_types`, `result_types` and `all_regions`; `resolve` derives the
    latter from the former.

    Args:
        name: The full name of the op.
        known_definition: The definition of the op; None for an unregistered op.
    """

    __slots__ = (
        "all_regions",
        "attributes",
        "attributes_at",
        "groups",
        "inner",
        "known_definition",
        "name",
        "operand_types",
        "operands",
        "properties",
        "regions",
        "result_types",
        "successors",
        "types",
    )

    def __init__(self, name: str, known_definition: OpDef | None) -> None:
        self.name = name
        self.known_definition = known_definition
        self.operands: list[int] = []
        self.operand_types: Sequence[Type] = ()
        self.result_types: Sequence[Type] = ()
        self.groups: dict[str, list[int]] = {}
        self.types: dict[str, list[Type]] = {}
        self.properties: dict[str, Attribute] = {}
        self.attributes: dict[str, Attribute] = {}
        self.attributes_at: int | None = None  # the opening brace in a pretty form
        self.regions: dict[str, list[RegionNode]] = {}
        self.all_regions: list[RegionNode] = []
        self.successors: Sequence[int] = ()  # the tokens of labels
        self.inner: int | None = None  # the op that a reduction without a region applies

    @property
    def definition(self) -> OpDef:
        """The definition of an op in its pretty form."""
        assert self.known_definition is not None
        return self.known_definition

    @property
    def count(self) -> int:
        """The number of operands read so far."""
        return len(self.operands) + sum(map(len, self.groups.values()))

    def resolve(self, offset: int) -> None:
        """Order the named parts as in the definition.

        Args:
            offset: The offset of the op.

        Raises:
            SourceError: The number of operands differs from that of their types.
        """
        definition = self.definition
        if self.groups:
            self.operands = [t for o in definition.operands for t in self.groups.get(o.name, ())]
            if _SEGMENTS in definition.property_kinds:
                sizes = [len(self.groups.get(operand.name, ())) for operand in definition.operands]
                self.properties[_SEGMENTS] = DenseArrayAttr(I32, tuple(sizes))
        if self.types or (self.groups and not self.operand_types):
            self._resolve_types()
        if self.regions:
            self.all_regions = [r for body in definition.bodies for r in self.regions.get(body.name, ())]
        if len(self.operands) != len(self.operand_types):
            raise SourceError(
                offset,
                f"custom op '{definition.name}' number of operands and types do not match: "
                f"got {len(self.operands)} operands and {len(self.operand_types)} types",
            )

    def _resolve_types(self) -> None:
        definition, types = self.definition, self.types
        self.operand_types = self.operand_types or [
            t
            for o in definition.operands
            for t in types.get(o.name) or _only(o, len(self.groups.get(o.name, ())))
        ]
        self.result_types = self.result_types or [
            t for o in definition.outputs for t in types.get(o.name) or _only(o, 1)
        ]


def _only(entry: Operand | Result, count: int) -> list[Type]:
    """Return the types that a form omits because there is only one possible type."""
    return [] if entry.type.only is None else [entry.type.only] * count
