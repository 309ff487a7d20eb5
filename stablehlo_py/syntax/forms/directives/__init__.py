"""All directives, by theme. Importing this package registers them."""

from stablehlo_py.syntax.forms.directive import REGISTRY
from stablehlo_py.syntax.forms.directives import (
    attributes,
    constants,
    control_flow,
    functions,
    operands,
    regions,
    types,
    windows,
)

DIRECTIVES = REGISTRY

__all__ = [
    "DIRECTIVES",
    "attributes",
    "constants",
    "control_flow",
    "functions",
    "operands",
    "regions",
    "types",
    "windows",
]
