"""The tables of a library's functions as C source: what they take and return, and the memory of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stablehlo_py.engines.native.runtime import ALIGNMENT, SIZE
from stablehlo_py.engines.native.tasks import ARRAYS
from stablehlo_py.interpreter.plan import byte_size
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.signature import Argument, Output
from stablehlo_py.ir.types import ComplexType, TensorType
from stablehlo_py.library.calls import calls
from stablehlo_py.library.code import Code
from stablehlo_py.library.function import NativeFunction
from stablehlo_py.library.weights import Weights

_WORD = 8  # bytes of what threads share


class Compiled(NamedTuple):
    """A function of a library.

    Attributes:
        call: The name of the C function that calls it.
        function: The function.
        code: Its code.
    """

    call: str
    function: NativeFunction
    code: Code


class Memory(NamedTuple):
    """The bytes of a call's memory, whose parts are behind each other.

    Attributes:
        scratch: Of the buffers.
        bases: Of the addresses of arrays.
        sync: Of what is counted, for one thread.
        each: Of what is counted besides, for each further thread.
    """

    scratch: int
    bases: int
    sync: int
    each: int

    @property
    def arena(self) -> int:
        """The bytes that are reserved for one thread, wherever they begin."""
        return ALIGNMENT + self.scratch + self.bases + self.sync


def memory_of(code: Code, arrays: int) -> Memory:
    """Compute the memory of a call.

    Args:
        code: The code.
        arrays: The number of arrays whose addresses it takes.
    """
    if not code.symbol:
        return Memory(0, 0, 0, 0)
    words = (ARRAYS + arrays, SIZE + 2 * code.tasks, code.tasks)
    return Memory(_rounded(code.scratch), *[_rounded(_WORD * count) for count in words])


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def body(prefix: str, number: int, compiled: Compiled, weights: Weights) -> str:
    """Write the tables of a function, and the function; its constants are added to `weights`.

    Args:
        prefix: What the names of the library begin with.
        number: The number of the function in the library.
        compiled: The function.
        weights: The constants of the library.
    """
    call, function, code = compiled
    name, signature = f"function{number}", function.signature
    places = [
        *[f"{{INPUT, {at}}}" for at in function.inputs],
        *[f"{{OUTPUT, {at}}}" for at in function.outputs],
        *[f"{{CONSTANT, {weights.add(array)}}}" for array in code.constants],
    ]
    copies = []
    for at, (space, where) in function.copies:
        if space == "constant":
            where = weights.add(function.constant(where))
        if byte_size(signature.outputs[at].type):
            copies.append(f"{{{at}, {{{space.upper()}, {where}}}}}")
    memory = memory_of(code, len(places))
    lines = [*_arrays(prefix, f"{name}_inputs", signature.inputs)]
    lines += _arrays(prefix, f"{name}_outputs", signature.outputs)
    lines += _table("struct place", f"{name}_places", places)
    lines += _table("struct copy", f"{name}_copies", copies)
    if code.symbol:
        lines.append(
            f'extern code {name}_code __asm__({quoted(code.symbol)}) __attribute__((visibility("hidden")));'
        )
    inputs = _pair(f"{name}_inputs", signature.inputs)
    outputs = _pair(f"{name}_outputs", signature.outputs)
    info = (
        f"{quoted(signature.name)}, {inputs}, {outputs}, {memory.arena if code.symbol else 0}, {memory.each}"
    )
    lines.append(f"static const {prefix}_function {name}_info = {{{info}}};")
    if code.routines:
        lines.append(calls(f"{name}_call", code.routines))
    entry = f"{name}_code, {f'{name}_call' if code.routines else 'NULL'}" if code.symbol else "NULL, NULL"
    sizes = f"{memory.scratch}, {memory.bases}, {memory.sync}"
    tables = f"{_pair(f'{name}_places', places)}, {_pair(f'{name}_copies', copies)}"
    parts = ", ".join([f"&{name}_info", entry, str(int(code.is_short)), sizes, tables])
    lines.append(f"static const struct body {name} = {{{parts}}};")
    parameters = f"const void *const *inputs, void *const *outputs, const {prefix}_options *options"
    lines.append(f"int {call}({parameters}) {{ return run(&{name}, inputs, outputs, options); }}")
    lines.append(f"const {prefix}_function *{call}_info(void) {{ return &{name}_info; }}")
    return "\n".join([*lines, ""])


def _pair(table: str, rows: Sequence[object]) -> str:
    """The length and address of a table, which is left out if it has no rows."""
    return f"{len(rows)}, {table if rows else 'NULL'}"


def _table(type: str, name: str, rows: Sequence[str]) -> list[str]:
    if not rows:
        return []
    return [f"static const {type} {name}[] = {{", *[f"  {row}," for row in rows], "};"]


def _arrays(prefix: str, name: str, arrays: Sequence[Argument | Output]) -> list[str]:
    """The table of a function's inputs or outputs, and their shapes."""
    lines, rows = [], []
    for index, each in enumerate(arrays):
        type = tensor(each)
        dtype, shape = numpy_dtype(type.element_type), "NULL"
        if type.rank:
            shape = f"{name}_shape{index}"
            lines.append(f"static const int64_t {shape}[] = {{{', '.join(map(str, type.shape))}}};")
        parts = 2 if isinstance(type.element_type, ComplexType) else 1
        texts = f"{quoted(name_of(each))}, {quoted(str(type.element_type))}"
        sizes = f"{dtype.itemsize}, {dtype.itemsize // parts}, {type.rank}, {shape}, {byte_size(type)}"
        rows.append(f"{{{texts}, {sizes}}}")
    return [*lines, *_table(f"{prefix}_array", name, rows)]


def tensor(each: Argument | Output) -> TensorType:
    """The type of an input or result."""
    assert isinstance(each.type, TensorType)
    return each.type


def name_of(each: Argument | Output) -> str:
    """The name of an input, which is its path in the tree of arguments, or of a result."""
    return each.path if isinstance(each, Argument) else each.name


def quoted(text: str) -> str:
    """Write a string literal of C: bytes that are no plain characters as octal numbers."""
    plain = [
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode()
    ]
    return f'"{"".join(plain)}"'
