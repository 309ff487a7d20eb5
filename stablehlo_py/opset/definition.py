"""Op definitions: data, in the specification's terms.

Parsing, printing, verification, inference, help and the signatures of kernels are derived from these records;
nothing about an op's interface is defined elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field as dataclass_field
from functools import cache
from typing import Literal, TypeVar

from stablehlo_py.ir.records import cached_property, dataclass
from stablehlo_py.opset.classes import TypeClass
from stablehlo_py.opset.kinds import Kind, kind_of
from stablehlo_py.opset.sharding_rule import ShardingRule
from stablehlo_py.opset.traits import DEFAULT_COST, CostRule, Loop, Operator, Revision, SignRule, Trait


@dataclass(frozen=True, slots=True)
class Operand:
    """An input that is a value.

    Attributes:
        name: The name in the specification.
        type: The class of its types.
        variadic: Any number of values (the specification's "variadic number of").
        optional: At most one value.
    """

    name: str
    type: TypeClass
    variadic: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Attr:
    """An input that is a constant, stored as an attribute.

    Attributes:
        name: The name in the specification.
        kind_name: The kind of the attribute, see `opset.kinds`: `i64`, `array<i64>`, `elements`,
            `enum stablehlo.comparison_direction`, `struct stablehlo.dot`, ...
        at: The location: a property, or `property.field` of a structured attribute; `name` by default.
        type: The phrase of the specification for the type.
        optional: Whether the text may omit it.
        default: A formula for the value if absent, which may refer to the op's other inputs.
        empty_is_absent: Whether an empty list stands for the default.
        prints_default: Whether the printer prints a default that the text states.
        stores_default: Whether the property is set to the default if the text omits it.
    """

    name: str
    kind_name: str
    type: str = ""
    at: str = ""
    optional: bool = False
    default: str | None = None
    empty_is_absent: bool = False
    prints_default: bool = False
    stores_default: bool = False
    kind: Kind = dataclass_field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", kind_of(self.kind_name))

    @property
    def field(self) -> str:
        """The field of the structured property that contains the value, or ""."""
        return self.at.partition(".")[2]

    @property
    def property(self) -> str:
        """The name of the property that contains the value."""
        return (self.at or self.name).partition(".")[0]


@dataclass(frozen=True, slots=True)
class Body:
    """An input that is a function: a region of the op.

    Attributes:
        name: The name in the specification.
        terminator: The terminator, without operands, if the pretty form omits it.
        ends_with: The only op that may end the region; if "", the omitted terminator, or any.
        may_be_empty: Whether the region may have no block.
    """

    name: str
    variadic: bool = False
    optional: bool = False
    terminator: str = ""
    ends_with: str = ""
    may_be_empty: bool = False


@dataclass(frozen=True, slots=True)
class Successor:
    """A block to which a terminator passes control.

    Attributes:
        name: The name in the pretty form.
        operands: The operands that are the values of the block's arguments.
        variadic: Any number of blocks.
        segments: The attribute with the number of those operands for each of several blocks, or "".
    """

    name: str
    operands: str
    variadic: bool = False
    segments: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """An output: a result of the op."""

    name: str
    type: TypeClass
    variadic: bool = False


Input = Operand | Attr | Body


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint of the specification.

    Attributes:
        label: The label, such as `C1`; U1.. for constraints of upstream only, R1.. for those of a run.
        formula: The constraint in the notation.
        spec: The text of the specification, if it differs from `formula`.
        why: The reason for the difference: "typo", "precedence", "prose", "sort", or a sentence.
        verdict: "error"; "spec-only" if upstream's verifier does not enforce it, which makes a violation a
            warning; "upstream" if upstream enforces it and the specification does not state it; or "run" if
            no verifier enforces it, so that a violation is a RunError.
        at: The property that the constraint is about, to which diagnostics point.
    """

    label: str
    formula: str
    spec: str = ""
    why: str = ""
    verdict: Literal["error", "spec-only", "upstream", "run"] = "error"
    at: str = ""


@dataclass(frozen=True, eq=False)
class OpDef:
    """The definition of an op.

    Attributes:
        name: The full name, with the dialect.
        doc: A sentence that describes the op.
        inputs: The inputs in the specification's order (I1, I2, ...).
        outputs: The outputs.
        successors: The blocks to which the op passes control, in order.
        parents: The ops of which a region may contain the op; any op if there are none.
        constraints: The constraints.
        where: Names that formulas share, with the formulas of their values, in order.
        form: The pretty form; None if the op has only the generic form.
        properties: The structured properties that inputs refer to with `at`, as (name, kind).
        section: The anchor in the specification.
        source_labels: The labels of constraints in the source edition of the specification (January 2024)
            where they differ, as in "C29=C32 C34=", with nothing after `=` for constraints that it does not
            have; None if it does not have the op.
        example: The text of a short program.
        traits: The behavior of the op, see `opset.traits`, as are `cost`, `sign` and `loop`.
        sharding: How the op can be divided; None if that follows from its traits.
        operator: The infix operator of the op, or "".
        callee: The attribute that names the called function, or "".
        result_name: The SSA name that the printer assigns to the result (of a constant: to one of
            integers), or "".
        since: The version of StableHLO that introduced the op's first VHLO form; "" if it has none.
        revisions: The later versions that changed the op.
        deprecated: The replacement of a deprecated op, or "".
    """

    name: str
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Result, ...] = ()
    successors: tuple[Successor, ...] = ()
    parents: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    form: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    traits: frozenset[Trait] = frozenset()
    cost: CostRule = DEFAULT_COST
    sign: SignRule = ""
    operator: Operator = ""
    loop: Loop | None = None
    sharding: ShardingRule | None = None
    callee: str = ""
    result_name: str = ""
    since: str = "0.9.0"
    revisions: tuple[Revision, ...] = ()
    section: str = ""
    source_labels: str | None = ""
    doc: str = ""
    example: str = ""
    deprecated: str = ""

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """The inputs that are values."""
        return tuple(i for i in self.inputs if isinstance(i, Operand))

    @cached_property
    def attrs(self) -> tuple[Attr, ...]:
        """The inputs that are constants."""
        return tuple(i for i in self.inputs if isinstance(i, Attr))

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The inputs that are functions."""
        return tuple(i for i in self.inputs if isinstance(i, Body))

    def source_label(self, label: str) -> str:
        """Return the label of a constraint in the source edition of the specification, or ""."""
        if self.source_labels is None or not self.section:
            return ""
        moved = dict(row.split("=") for row in self.source_labels.split())
        return moved.get(label, label if label.startswith("C") else "")

    @property
    def computes(self) -> bool:
        """Test whether the op computes new values, rather than moving or creating data."""
        return "elementwise" in self.traits or bool(self.cost.work)

    @cached_property
    def is_checked_at_run(self) -> bool:
        """Whether values decide the shape of a result or a constraint."""
        return "shape_at_run" in self.traits or any(rule.verdict == "run" for rule in self.constraints)

    @cached_property
    def property_kinds(self) -> dict[str, Kind]:
        """The kind of each property, sorted by name: the contents of `<{...}>`."""
        kinds = {name: kind_of(kind) for name, kind in self.properties}
        kinds.update({a.property: a.kind for a in self.attrs if not a.field})
        return dict(sorted(kinds.items()))

    @cached_property
    def required_properties(self) -> frozenset[str]:
        """The names of the properties that must be present."""
        return frozenset(a.property for a in self.attrs if not a.optional)


def rules(*rows: tuple[str, str] | Constraint) -> tuple[Constraint, ...]:
    """Create constraints from ("C1", "formula") pairs and complete records."""
    return tuple(row if isinstance(row, Constraint) else Constraint(*row) for row in rows)


def guarded(guard: str, label: str, formula: str, at: str = "") -> Constraint:
    """Create a constraint that the specification states under a heading such as "If `is_quantized(lhs)`:"."""
    return Constraint(label, f"if {guard} then {formula}", spec=f"`{formula}`.", why="prose", at=at)


def at_run(label: str, formula: str) -> Constraint:
    """Make a constraint that is checked when the op runs."""
    return Constraint(label, formula, verdict="run")


def upstream(label: str, formula: str) -> Constraint:
    """Create a constraint that upstream enforces and the specification does not state."""
    return Constraint(label, formula, verdict="upstream")


T = TypeVar("T")

_registry: dict[str, OpDef] = {}
_families: dict[str, list[OpDef]] = {}
_family_of: dict[str, str] = {}
_extensions: list[OpDef] = []
_caches: list[Callable[[], None]] = []


def define(*definitions: OpDef) -> None:
    """Register definitions, in the family of the calling file.

    Other packages may define ops at any time, see `docs/adding-an-op.md`.

    Args:
        definitions: The definitions, with new names.

    Raises:
        ValueError: If a name is already defined.
    """
    module = sys._getframe(1).f_globals["__name__"]
    family = module.rpartition(".")[2]
    for definition in definitions:
        if definition.name in _registry:
            raise ValueError(f"{definition.name} is already defined")
        _registry[definition.name] = definition
        _family_of[definition.name] = family
        _families.setdefault(family, []).append(definition)
        if not module.startswith(f"{__package__}."):
            _extensions.append(definition)
    for clear in _caches:
        clear()


def cached_per_registry(function: Callable[[], T]) -> Callable[[], T]:
    """Cache the result of a function of all definitions until one is added."""
    cached = cache(function)
    _caches.append(cached.cache_clear)
    return cached


def lookup(name: str) -> OpDef | None:
    """Return the definition of an op; None if it is unknown."""
    return _registry.get(name)


def has_trait(name: str, trait: Trait) -> bool:
    """Test whether the op with a name has a trait; unknown ops have none."""
    definition = lookup(name)
    return definition is not None and trait in definition.traits


def family_of(name: str) -> str | None:
    """Return the family of an op, the name of the file with its definition; None if it is unknown."""
    return _family_of.get(name)


def families() -> Mapping[str, Sequence[OpDef]]:
    """Return the definitions by family."""
    return _families


def all_definitions() -> Iterable[OpDef]:
    """Return all definitions, in the order of the families."""
    return _registry.values()


def extensions() -> Sequence[OpDef]:
    """Return the definitions of other packages."""
    return _extensions
