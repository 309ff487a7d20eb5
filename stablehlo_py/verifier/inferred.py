"""The result of type inference: the types of an op's results, and what could not be inferred."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import Shape, Type


@dataclass(frozen=True, slots=True)
class InferredType:
    """The inferred type of one result.

    Attributes:
        name: The name of the output in the definition, such as `result` or `results[1]`.
        type: The complete type, or None if a part of it is unknown.
        shape: The known sizes, each None if unknown; None if not even the rank is known.
        element_type: The element type, or None if unknown.
        holes: Why parts of the type are unknown.
    """

    name: str
    type: Type | None = None
    shape: Shape | None = None
    element_type: Type | None = None
    holes: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.type is not None:
            return f"{self.name} : {self.type}"
        sizes = None if self.shape is None else ", ".join("?" if s is None else str(s) for s in self.shape)
        known = [f"shape [{sizes}]"] if sizes is not None else []
        known += [f"element type {self.element_type}"] if self.element_type is not None else []
        return f"{self.name} : {', '.join(known) or 'unknown'} ({'; '.join(self.holes)})"


@dataclass(frozen=True, slots=True)
class Inference:
    """The inferred results of an op.

    Attributes:
        results: The inferred results; () if there are errors. A variadic output has no results if the
            definition does not determine their number.
        diagnostics: Violations by the inputs, as `verify` reports them, without a position.
    """

    results: tuple[InferredType, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def types(self) -> list[Type]:
        """The result types.

        Raises:
            ValueError: If there are errors, or a type is not completely known; with the reasons.
        """
        errors = [d.message for d in self.diagnostics if d.severity == "error"]
        missing = [str(result) for result in self.results if result.type is None]
        if errors or missing:
            raise ValueError("; ".join(errors or missing))
        return [result.type for result in self.results if result.type is not None]
