"""What inference gives: the types of an op's results, as far as its definition decides them."""

from __future__ import annotations

from dataclasses import dataclass

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.types import Shape, Type


@dataclass(frozen=True, slots=True)
class InferredType:
    """What an op's definition says of one result.

    `type` is the whole type, None where part of it is not decided. Then `shape` (None: not even the rank;
    a size that is None: not that size) and `element_type` are what is known, and each of `holes` says why
    something is not. `name` is the output's in the definition, such as `result` or `results[1]`.
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
    """The results of an op, and what is wrong with its inputs.

    `diagnostics` are as `verify` gives them, without a position. If one is an error, nothing is inferred.
    A variadic output has as many results as the definition says; none where it does not say how many.
    """

    results: tuple[InferredType, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def types(self) -> list[Type]:
        """The results' types. Raises ValueError, with the reasons, if one is not decided."""
        errors = [d.message for d in self.diagnostics if d.severity == "error"]
        missing = [str(result) for result in self.results if result.type is None]
        if errors or missing:
            raise ValueError("; ".join(errors or missing))
        return [result.type for result in self.results if result.type is not None]
