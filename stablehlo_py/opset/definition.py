"""What an op is: its definition, as data in the specification's terms.

Parsing, printing, verification, inference, help and the kernels' signatures all read these records;
nothing about an op's interface is stated anywhere else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cache, cached_property
from typing import Literal, TypeVar

from stablehlo_py.opset.classes import TypeClass
from stablehlo_py.opset.kinds import Kind, kind_of
from stablehlo_py.opset.traits import DEFAULT_COST, CostRule, Loop, Operator, Revision, SignRule, Trait


@dataclass(frozen=True, slots=True)
class Operand:
    """An input that is a value. `variadic`: any number of them (the specification's "variadic
    number of"); `optional`: none or one."""

    name: str
    type: TypeClass
    variadic: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Attr:
    """An input that is a constant, stored as an attribute.

    `kind_name` says how it is stored (see `opset.kinds`): `i64`, `array<i64>`, `elements`,
    `enum stablehlo.comparison_direction`, `struct stablehlo.dot`, ...; `kind` is its record. `at` is
    where: the property's name, or `property.field` inside a structured attribute; the input's own name by
    default. `type` is the specification's words for it. `default` is a formula for the value where the text
    has none; it may refer to the op's other inputs. `empty_is_absent`: an empty list stands for the default.
    `prints_default`: a default that the text states is printed. `stores_default`: the property has the
    default where the text has none.
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
        """The field of the structured property that holds the value, or ""."""
        return self.at.partition(".")[2]

    @property
    def property(self) -> str:
        """The name of the property that holds the value."""
        return (self.at or self.name).partition(".")[0]


@dataclass(frozen=True, slots=True)
class Body:
    """An input that is a function: a region of the op.

    `terminator` is the op that ends it, without operands, where the pretty form leaves that out.
    """

    name: str
    variadic: bool = False
    optional: bool = False
    terminator: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """An output."""

    name: str
    type: TypeClass
    variadic: bool = False


Input = Operand | Attr | Body


@dataclass(frozen=True, slots=True)
class Constraint:
    """A rule of the specification: a label (`C1`) and a formula in the specification's notation.

    `spec` is the specification's own text where `formula` is not that text to the letter, and `why`
    says why it is not: "typo", "precedence", "prose", "sort", or a sentence. `verdict` is "error";
    "spec-only" for a rule that upstream's verifier does not enforce (a violation is a warning); or
    "upstream" for a rule that upstream enforces and the specification does not state (labels U1..).
    `at` names the property that the rule is about alone, where a diagnostic should point at its text.
    """

    label: str
    formula: str
    spec: str = ""
    why: str = ""
    verdict: Literal["error", "spec-only", "upstream"] = "error"
    at: str = ""


@dataclass(frozen=True, eq=False)
class OpDef:
    """An op: `name` with its dialect, `inputs` in the specification's order (I1, I2, ...), outputs,
    constraints, and `form`, the pretty form (None: the op is always printed in generic form).

    `properties` lists the structured properties that inputs reach into with `at`, as (name, kind).
    `where` binds names that several formulas share, in order. `section` is the anchor in the
    specification; `doc` one sentence that says what the op does; `example` a short program text.

    `traits`, `cost`, `sign` and `loop` state how the op behaves (see `opset.traits`). `operator` is the
    infix operator that it stands for, `callee` the attribute that names the function that it calls,
    `result_name` the SSA name that the printer gives to its result. `since`
    is the first version of StableHLO that has the op, in its first VHLO form ("": it has none), and
    `revisions` the later versions that changed it.
    """

    name: str
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Result, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    form: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    traits: frozenset[Trait] = frozenset()
    cost: CostRule = DEFAULT_COST
    sign: SignRule = ""
    operator: Operator = ""
    loop: Loop | None = None
    callee: str = ""
    result_name: str = ""
    since: str = "0.9.0"
    revisions: tuple[Revision, ...] = ()
    section: str = ""
    doc: str = ""
    example: str = ""
    deprecated: str = ""  # what to use instead

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        return tuple(i for i in self.inputs if isinstance(i, Operand))

    @cached_property
    def attrs(self) -> tuple[Attr, ...]:
        return tuple(i for i in self.inputs if isinstance(i, Attr))

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        return tuple(i for i in self.inputs if isinstance(i, Body))

    @property
    def computes(self) -> bool:
        """Whether the op does arithmetic, rather than to move or make data."""
        return "elementwise" in self.traits or bool(self.cost.work)

    @cached_property
    def property_kinds(self) -> dict[str, Kind]:
        """Every property's name and kind, sorted by name: what `<{...}>` may hold."""
        kinds = {name: kind_of(kind) for name, kind in self.properties}
        kinds.update({a.property: a.kind for a in self.attrs if not a.field})
        return dict(sorted(kinds.items()))

    @cached_property
    def required_properties(self) -> frozenset[str]:
        """The names of the properties that must be present."""
        return frozenset(a.property for a in self.attrs if not a.optional)


def rules(*rows: tuple[str, str] | Constraint) -> tuple[Constraint, ...]:
    """Constraints from ("C1", "formula") pairs, and full records where a row needs more."""
    return tuple(row if isinstance(row, Constraint) else Constraint(*row) for row in rows)


def guarded(guard: str, label: str, formula: str, at: str = "") -> Constraint:
    """A constraint that the specification states under a heading such as "If `is_quantized(lhs)`:"."""
    return Constraint(label, f"if {guard} then {formula}", spec=f"`{formula}`.", why="prose", at=at)


def upstream(label: str, formula: str) -> Constraint:
    """A rule that upstream enforces and the specification does not state."""
    return Constraint(label, formula, verdict="upstream")


T = TypeVar("T")

_registry: dict[str, OpDef] = {}
_families: dict[str, list[OpDef]] = {}
_family_of: dict[str, str] = {}
_extensions: list[OpDef] = []
_caches: list[Callable[[], None]] = []


def define(*definitions: OpDef) -> None:
    """Adds definitions to the registry, as members of the family whose file calls this.

    Another package may add ops as well, at any time: see `docs/adding-an-op.md`.

    Args:
        definitions: The definitions, whose names no definition has yet.

    Raises:
        ValueError: A name is already defined.
    """
    module = sys._getframe(1).f_globals["__name__"]
    family = module.rpartition(".")[2]
    for definition in definitions:
        if definition.name in _registry:
            raise ValueError(f"{definition.name} is defined twice")
        _registry[definition.name] = definition
        _family_of[definition.name] = family
        _families.setdefault(family, []).append(definition)
        if not module.startswith(f"{__package__}."):
            _extensions.append(definition)
    for clear in _caches:
        clear()


def cached_per_registry(function: Callable[[], T]) -> Callable[[], T]:
    """Caches what a function makes from all definitions, until one is added."""
    cached = cache(function)
    _caches.append(cached.cache_clear)
    return cached


def lookup(name: str) -> OpDef | None:
    """The definition of an op, None if there is none."""
    return _registry.get(name)


def has_trait(name: str, trait: Trait) -> bool:
    """Whether the op of a name has a trait; one without a definition has none."""
    definition = lookup(name)
    return definition is not None and trait in definition.traits


def family_of(name: str) -> str | None:
    """The family of an op: the name of the file that has its definition. None if there is none."""
    return _family_of.get(name)


def families() -> Mapping[str, Sequence[OpDef]]:
    """The definitions by family: the name of the file that has them."""
    return _families


def all_definitions() -> Iterable[OpDef]:
    """Every definition, in the order of the families."""
    return _registry.values()


def extensions() -> Sequence[OpDef]:
    """The definitions that other packages have added."""
    return _extensions
