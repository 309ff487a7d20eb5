"""Directives of assembly formats: the grammar rule, reader, writer and synopsis of `custom<name>(...)`.

The rule is the one of the directive's name in `grammar/`. The modules of `forms/directives/` register each
reader with its writer; `forms/read.py` and `forms/write.py` compile an op's form from them.
"""

from __future__ import annotations

from collections.abc import Callable

from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True, slots=True)
class DirectiveDef:
    """A directive.

    An argument of the directive refers to an operand, an attribute or a body of the op's definition, or to
    types. The reader takes its name; the writer and `fits` take its value in an op: an operand's values, an
    attribute or None, a body's regions, a list of types.

    Attributes:
        name: The directive's name, which is also its rule's in the grammar.
        read: `read(context, child, state, *names)` adds the contents of the rule's tree to an OperationState.
        write: `write(printer, op, *values)` prints the directive.
        fits: `fits(op, *values)`: whether an op can be printed this way, beyond the constraints of its
            definition.
        own_spacing: Whether `write` also prints the space before the directive, if any.
        keeps_name_bare: Whether the op's name is unquoted even in generic form.
        synopsis: The text in `shlo explain`; by default `<name>`, explained by its rule.
    """

    name: str
    read: Callable[..., None]
    write: Callable[..., None]
    fits: Callable[..., bool] | None = None
    own_spacing: bool = False
    keeps_name_bare: bool = False
    synopsis: str = ""


REGISTRY: dict[str, DirectiveDef] = {}


def register(definition: DirectiveDef) -> None:
    """Add a directive to the registry.

    Args:
        definition: The directive.

    Raises:
        ValueError: A directive of this name is registered already.
    """
    if definition.name in REGISTRY:
        raise ValueError(f"directive {definition.name} is registered twice")
    REGISTRY[definition.name] = definition
