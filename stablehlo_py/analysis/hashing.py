"""Hashes of programs: SHA-256 of a canonical text, whatever the names, lines and order of functions are.

docs/hash.md defines the text. A function is a line an op; a private function is referred to by its hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from stablehlo_py.analysis.callgraph import CallGraph
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseElementsAttr,
    DenseResourceAttr,
    DictAttr,
    LocationAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from stablehlo_py.ir.core import Block, Module, Operation, Value
from stablehlo_py.ir.element_types import bit_width, storage_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.opset.calls import callee, symbol_references
from stablehlo_py.opset.constants import elements_name
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.forms.write import stated_attributes
from stablehlo_py.syntax.write.attributes import keyword, symbol

VERSION = 1  # of the canonical text; the hash depends on it
_CHUNK = 1 << 20  # elements that are compared at once


def hash_module(module: Module, structure: bool) -> str:
    """Hash a module; see `stablehlo_py.hash`."""
    return Hashes(module, structure).module()


class Hashes:
    """The hashes of the functions of a module.

    Args:
        module: The module.
        structure: Whether to leave out the values of constants.

    Attributes:
        functions: The hash of each function, by its name, on which it does not depend.
    """

    def __init__(self, module: Module, structure: bool = False) -> None:
        self._module = module
        self._structure = structure
        self._texts: dict[Attribute | Type, str] = {}
        outer: list[Value] = [result for op in module.body.ops for result in op.results]  # rare, and invalid
        self._outer = {value: f"^{n}" for n, value in enumerate(outer)}
        functions = module.functions
        graph = CallGraph({name: dict(_references(op)) for name, op in functions.items()})
        self._anonymous = {
            name
            for name, op in functions.items()
            if op.python_value("sym_visibility") == "private" and op.blocks and name not in graph.recursive
        }
        self.functions: dict[str, str] = {}
        for name in graph.callees_first():
            self.functions[name] = self._digest(functions[name])

    def module(self) -> str:
        """Return the hash of the module."""
        functions = self._module.functions
        lines = []
        for op in self._module.body.ops:
            name = str(op.python_value("sym_name") or "")
            is_known = functions.get(name) is op
            digest = self.functions[name] if is_known else self._digest(op)
            lines.append(f"{'' if is_known and name in self._anonymous else symbol(name)} {digest}\n")
        attributes = self._attributes(self._module.op)
        text = f"stablehlo {VERSION}{' structure' * self._structure}\n{attributes}\n{''.join(sorted(lines))}"
        return sha256(text.encode()).hexdigest()

    def _digest(self, op: Operation) -> str:
        """Return the hash of an op of the module and everything in it."""
        found = sha256()
        constants = {inner: self._constant(inner) for inner in op.walk() if _is_constant(inner)}
        ops = [inner for inner in op.walk() if inner not in constants]
        values: dict[Value, str] = _numbers(ops)
        values.update({inner.results[0]: text for inner, text in constants.items()})
        blocks = {block: n for n, block in enumerate(b for inner in ops for b in inner.blocks)}
        for inner in ops:
            found.update(self._line(inner, values, blocks).encode())
        found.update("".join(sorted([f"{text}\n" for text in constants.values()])).encode())
        return found.hexdigest()

    def _constant(self, op: Operation) -> str:
        """Return a constant as text, which stands for it wherever it is used."""
        return f"{keyword(op.name)} {self._attributes(op)} -> {self._types([op.results[0].type])}"

    def _line(self, op: Operation, values: dict[Value, str], blocks: dict[Block, int]) -> str:
        """Return an op as text, with the number of ops in each block of its regions, which follow it."""
        operands = ", ".join([values.get(v) or self._outer.get(v, "^") for v in op.operands])
        results = self._types([value.type for value in op.results])
        regions = [
            " ".join([f"^{self._types([a.type for a in b.arguments])} {_count(b)}" for b in region.blocks])
            for region in op.regions
        ]
        successors = "".join([f" ^{blocks.get(block, '')}" for block in op.successors])
        body = "".join([f" [{region}]" for region in regions])
        return f"{keyword(op.name)}({operands}) {self._attributes(op)} -> {results}{successors}{body}\n"

    # ------------------------------------------------------------------------------- types and attributes

    def _types(self, types: Sequence[Type]) -> str:
        return f"({', '.join([self._cached(type) for type in types])})"

    def _cached(self, node: Attribute | Type) -> str:
        found = self._texts.get(node)
        if found is None:
            found = self._texts[node] = str(node)
        return found

    def _attributes(self, op: Operation) -> str:
        """Return the attributes of an op that have not their default, but for the name of a symbol."""
        definition, stated = lookup(op.name), stated_attributes(op)
        if op.parent is None or op.parent is self._module.body:
            stated.pop("sym_name", None)
        called = stated.get(definition.callee) if definition is not None and definition.callee else None
        if definition is not None and isinstance(called, StringAttr):
            stated[definition.callee] = SymbolRefAttr(called.value)
        if self._structure and (elements := elements_name(op)):
            stated.pop(elements, None)
        return self.text(DictAttr.of(stated))

    def text(self, attribute: Attribute) -> str:
        """Return the text of an attribute, without names of private functions, locations and elements."""
        match attribute:
            case DictAttr(items):
                texts = [
                    keyword(name) + ("" if isinstance(value, UnitAttr) else f" = {self.text(value)}")
                    for name, value in items
                ]
                return f"{{{', '.join(texts)}}}"
            case ArrayAttr(items):
                return f"[{', '.join([self.text(item) for item in items])}]"
            case SymbolRefAttr(root, nested) if root in self._anonymous:
                return "::".join([f"@{self.functions[root]}", *map(symbol, nested)])
            case LocationAttr():
                return "loc"
            case DenseElementsAttr(type, data):
                return f"dense<{_hash_of_elements(_rows(data), type)}> : {self._cached(type)}"
            case DenseResourceAttr(key, type) if key in self._module.resources:
                rows = _resource_rows(self._module.resources[key], type)
                return f"dense<{_hash_of_elements(rows, type)}> : {self._cached(type)}"
        return self._cached(attribute)


def _references(function: Operation) -> Counter[str]:
    found: Counter[str] = Counter()
    for op in function.walk():
        found.update(symbol_references(op))
        if (called := callee(op)) is not None:
            found[called] += 1
    return found


def _is_constant(op: Operation) -> bool:
    """Test whether an op is a constant, whose place makes no difference."""
    return elements_name(op) is not None and len(op.results) == 1 and not op.operands and not op.regions


def _count(block: Block) -> int:
    return sum(1 for op in block.ops if not _is_constant(op))


def _numbers(ops: Sequence[Operation]) -> dict[Value, str]:
    """Number the results of ops and the arguments of their blocks, in order."""
    found: dict[Value, str] = {}
    for op in ops:
        for value in (*op.results, *(argument for block in op.blocks for argument in block.arguments)):
            found[value] = str(len(found))
    return found


# Elements of constants: rows of bytes


def _rows(data: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.ascontiguousarray(data).view(np.uint8).reshape(data.size, data.dtype.itemsize)


def _resource_rows(raw: bytes | memoryview, type: Type) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the elements of a resource; its bytes, if their number is not that of the type."""
    data = np.frombuffer(raw, np.uint8)
    try:
        size = type.size if isinstance(type, TensorType) else None
        width = storage_dtype(type.element_type).itemsize
    except (TypeError, AttributeError):
        size = None
    if size is None or len(data) < size * width:
        return data.reshape(-1, 1)
    return data[: size * width].reshape(size, width)


def _hash_of_elements(rows: np.ndarray[Any, np.dtype[np.uint8]], type: Type) -> str:
    """Return the hash of elements in order; of one, if all are equal bit for bit."""
    if isinstance(type, TensorType) and type.size == 0:
        rows = rows[:0]  # of a splat
    elif len(rows) > 1 and _is_uniform(rows):
        rows = rows[:1]
    width = bit_width(type.element_type) if isinstance(type, TensorType) else 8
    if width < 8:
        rows = rows & np.uint8(2**width - 1)
    return sha256(rows.data if rows.size else b"").hexdigest()


def _is_uniform(rows: np.ndarray[Any, np.dtype[np.uint8]]) -> bool:
    parts = range(0, len(rows), _CHUNK)
    return bool((rows[1] == rows[0]).all()) and all(
        bool((rows[at : at + _CHUNK] == rows[0]).all()) for at in parts
    )
