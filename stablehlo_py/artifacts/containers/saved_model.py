"""TensorFlow's SavedModel (`saved_model.pb`): the program in the node of the op XlaCallModule.

A walk over the wire format of protobuf: SavedModel.meta_graphs, MetaGraphDef.graph_def, then the nodes of the
graph and of the functions of its library; the attribute `module` of a node holds the program. The variables
of the model are not in this file.
"""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.protobuf.wire import DELIMITED, WireError, fields

OP = b"XlaCallModule"
FILE = "saved_model.pb"
_GRADIENT = "jax2tf_vjp"
_GRAPH = (2, 2)  # SavedModel.meta_graphs, MetaGraphDef.graph_def
_NODES = (
    (1,),
    (2, 1, 3),
)  # GraphDef: node; library, function, node_def
_NAME, _OP, _ATTRIBUTES = 1, 2, 5  # of NodeDef
_KEY, _VALUE, _BYTES = 1, 2, 2  # of an entry of attributes, and of AttrValue


def read_saved_model(data: memoryview, vjp: int) -> tuple[memoryview, str]:
    """Return the program of a SavedModel and the name of its node.

    Args:
        data: The contents of the file.
        vjp: The order of the gradient to return; 0 for the function itself. jax2tf names the node of a
            gradient `jax2tf_vjp/XlaCallModule`.

    Raises:
        Fault: The file is damaged, or does not have exactly one program of this order.
    """
    found: dict[bytes, tuple[memoryview, str]] = {}
    for graph in _at(Cursor(data), _GRAPH):
        for path in _NODES:
            for node in _at(Cursor(data, graph.at, graph.end), path):
                program = _program(node)
                if program is not None:
                    found.setdefault(bytes(program[0]), program)
    chosen = [program for program in found.values() if program[1].split("/").count(_GRADIENT) == vjp]
    if len(chosen) != 1:
        names = ", ".join(name for _, name in found.values()) or "none"
        which = f" of a gradient of order {vjp}" if vjp else ""
        raise Fault(0, f"expected one program{which} in nodes of the op {OP.decode()}, found {names}")
    return chosen[0]


def _program(node: Cursor) -> tuple[memoryview, str] | None:
    name, op, program = b"", b"", None
    for number, field in _fields(node):
        if number == _NAME:
            name = bytes(_content(field))
        elif number == _OP:
            op = bytes(_content(field))
        elif number == _ATTRIBUTES:
            program = _module(field) or program
    return (program, name.decode("utf-8", "replace")) if op == OP and program is not None else None


def _module(entry: Cursor) -> memoryview | None:
    """Return the bytes of an entry of attributes whose key is `module`."""
    key, values = b"", []
    for number, field in _fields(entry):
        if number == _KEY:
            key = bytes(_content(field))
        elif number == _VALUE:
            values += [_content(each) for number, each in _fields(field) if number == _BYTES]
    return values[-1] if key == b"module" and values else None


def _content(field: Cursor) -> memoryview:
    return memoryview(field.data)[field.at : field.end]


def _at(message: Cursor, path: tuple[int, ...]) -> Iterator[Cursor]:
    """Find the messages at a path of field numbers."""
    for number, field in _fields(message):
        if number == path[0]:
            if len(path) == 1:
                yield field
            else:
                yield from _at(field, path[1:])


def _fields(message: Cursor) -> Iterator[tuple[int, Cursor]]:
    """Iterate over the length-delimited fields of a message: their numbers and ranges."""
    try:
        for number, wire, start, end in fields(message.data, message.at, message.end):
            if wire == DELIMITED:
                yield number, Cursor(message.data, start, end)
    except WireError as error:
        raise Fault(error.offset, error.message) from None
