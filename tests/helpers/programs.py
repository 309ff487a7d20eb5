"""Programs of a few lines without types: results have the types that their operands give them."""

from __future__ import annotations

import re

import stablehlo_py as shlo
from tests.helpers.products import dot

_LINE = re.compile(r"%(\w+) = (\S+) (.*?)(?: -> (\S+))?$")
_STARTS = {"add": "0.0", "maximum": "0xFF800000", "minimum": "0x7F800000", "multiply": "1.0"}


def program(arguments: str, body: str) -> str:
    """The text of a function `@main`.

    Args:
        arguments: Names and types, such as `x: 2x3xf32, n: i32`.
        body: A step a line, and `return` with names. Steps are ops of StableHLO, whose results have the type
            of the first operand, unless `-> 2x3` gives the shape, or the type; and these:
            `transpose %x, [1, 0]`, `broadcast %x, [0] -> 2x3`, `reduce %x, add, [1]`, `dot %x, %y, ma,an`
            and `constant 1.0 -> f32`.
    """
    types = dict(each.split(": ") for each in arguments.split(", "))
    taken = ", ".join([f"%{name}: tensor<{type}>" for name, type in types.items()])
    lines, results = [], list[str]()
    for line in filter(None, map(str.strip, body.splitlines())):
        if line.startswith("return "):
            results = re.findall(r"%(\w+)", line)
            continue
        match = _LINE.fullmatch(line)
        assert match, line
        name, op, operands, type = match.groups()
        first = types[re.findall(r"%(\w+)", operands)[0]] if "%" in operands else ""
        lead, element = re.match(r"((?:\d+x)*)(.*)", first).groups()
        sizes = lead.split("x")[:-1]
        if type and not re.search(r"[if]\d+>?$", type):
            type = f"{type}x{element}"
        text, types[name] = _step(name, op, operands, type, sizes, element, types)
        lines.append(text)
    given = ", ".join([f"tensor<{types[name]}>" for name in results])
    named = ", ".join([f"%{name}" for name in results])
    return "\n".join([f"func.func @main({taken}) -> ({given}) {{", *lines, f"return {named} : {given}", "}"])


def _step(
    name: str, op: str, operands: str, type: str | None, sizes: list[str], element: str, types: dict[str, str]
) -> tuple[str, str]:
    """A step as text, and the type of its result."""
    names = re.findall(r"%(\w+)", operands)
    numbers = [int(n) for n in re.findall(r"\d+", operands.rpartition("[")[2])] if "[" in operands else []
    if op == "constant":
        return f"%{name} = stablehlo.constant dense<{operands}> : tensor<{type}>", type or ""
    if op == "dot":
        row = operands.split(", ")[2]
        found = dot(f"{_shape(types[names[0]])} {_shape(types[names[1]])} {row}")
        left, right = (f"%{each}" for each in names)
        made = "x".join(map(str, (*found.result, element)))
        return f"%{name} = {found.op(element, left=left, right=right)}", made
    if op == "reduce":
        made = "x".join([*[n for d, n in enumerate(sizes) if d not in numbers], element])
        by = operands.split(", ")[1]
        start = f"%{name}_start = stablehlo.constant dense<{_STARTS[by]}> : tensor<{element}>\n"
        fold = f"%{name} = stablehlo.reduce(%{names[0]} init: %{name}_start) applies stablehlo.{by} across"
        types_of = f"(tensor<{types[names[0]]}>, tensor<{element}>) -> tensor<{made}>"
        return f"{start}{fold} dimensions = {numbers} : {types_of}", made
    if op == "transpose":
        type = "x".join([*[sizes[d] for d in numbers], element])
    if op in ("transpose", "broadcast"):
        op = "broadcast_in_dim" if op == "broadcast" else op
        operands = f"%{names[0]}, dims = {numbers}"
    made = type or types[names[0]]
    listed = ", ".join([f"tensor<{types[each]}>" for each in names])
    if op.startswith("chlo."):
        return f"%{name} = {op} {operands} : {listed} -> tensor<{made}>", made
    return f"%{name} = stablehlo.{op} {operands} : ({listed}) -> tensor<{made}>", made


def _shape(type: str) -> str:
    return re.match(r"(?:\d+x)*", type)[0].rstrip("x")


def chain(*names: str, type: str = "2xf32") -> shlo.Module:
    """A program of unary ops, each on the result of the one before."""
    steps = [f"%{i} = {name} %{i - 1 if i else 'x'}" for i, name in enumerate(names)]
    return shlo.parse(program(f"x: {type}", "\n".join([*steps, f"return %{len(names) - 1}"])))
