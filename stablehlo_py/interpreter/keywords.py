"""Keywords of kernels: attribute values and result types of an op, by the names in its definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.ir.attributes import DenseResourceAttr, StructAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.grid.mesh import MESH_AXES, SHARDINGS, mesh_groups, tensor_shardings
from stablehlo_py.notation.scope import attribute_value
from stablehlo_py.opset.definition import Attr, OpDef, Result
from stablehlo_py.opset.op_inputs import groups

_ELIDED = (
    "the elements of this constant were elided when the program was printed; dumps of XLA have them with "
    "XLA_FLAGS=--xla_dump_large_constants=true"
)


class Keywords(Mapping[str, Any]):
    """A lazy mapping from the names of attributes and outputs to their values.

    Attributes have their Python values (see `opset.attribute_conversion`) or the definition's defaults,
    resources their elements, groups of a mesh the process ids. An output has the type of the result, or a
    tuple of types if it is variadic.

    Args:
        op: The op.
        definition: The definition of the op.
        module: The module that contains the op.
    """

    __slots__ = ("_definition", "_module", "_op", "_read")

    def __init__(self, op: Operation, definition: OpDef, module: Module) -> None:
        self._op, self._definition, self._module = op, definition, module
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return the value of an attribute or output; raise Unsupported for a missing resource."""
        if name not in self._read:
            part = _parts(self._definition)[name]
            self._read[name] = self._attribute(part) if isinstance(part, Attr) else self._types(part)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_parts(self._definition))

    def __len__(self) -> int:
        return len(_parts(self._definition))

    def _attribute(self, attr: Attr) -> Any:
        value = attribute_value(self._op, self._definition, attr)
        if isinstance(value, DenseResourceAttr):
            return resource_elements(value, self._module)
        if isinstance(value, StructAttr) and value.name == MESH_AXES:
            return mesh_groups(value, self._module)
        if isinstance(value, StructAttr) and value.name == SHARDINGS:
            return tensor_shardings(value, self._module)
        return value

    def _types(self, output: Result) -> Any:
        outputs = self._definition.outputs
        parts = groups(self._op, "result", self._op.results, outputs)
        types = tuple([result.type for result in parts[outputs.index(output)]])
        return types if output.variadic else types[0]


@cache
def _parts(definition: OpDef) -> dict[str, Attr | Result]:
    parts: list[Attr | Result] = [*definition.attrs, *definition.outputs]
    return {part.name: part for part in parts}


def resource_elements(attribute: DenseResourceAttr, module: Module) -> Any:
    """Return the elements of a resource, as the attribute's type.

    Args:
        attribute: The attribute that refers to the resource.
        module: The module that contains the resource.

    Raises:
        Unsupported: The module has no such resource.
    """
    if attribute.key not in module.resources or not isinstance(attribute.type, TensorType):
        if attribute.is_elided:
            raise Unsupported(_ELIDED)
        raise Unsupported(f"the module has no resource {attribute.key}")
    shape: Any = attribute.type.shape
    dtype = numpy_dtype(attribute.type.element_type)
    data = np.frombuffer(module.resources[attribute.key], np.uint8)
    return data[: prod(shape) * dtype.itemsize].view(dtype).reshape(shape)
