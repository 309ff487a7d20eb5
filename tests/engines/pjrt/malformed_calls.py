"""Calls of custom-call targets, drawn from their signatures and damaged, on the engine `pjrt`.

`python tests/engines/pjrt/malformed_calls.py SEED FIRST COUNT [TARGET...]` prints the number of each call
before it runs and what came of it after: a call that ends the process is the last number.
"""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, TensorType, Type
from stablehlo_py.kernels.targets import registry
from stablehlo_py.kernels.targets.signatures import Signature, Term, mismatch, parse_signature

ELEMENTS = (
    FloatType("f32"),
    FloatType("f64"),
    ComplexType(FloatType("f32")),
    ComplexType(FloatType("f64")),
    IntegerType(32),
    IntegerType(1),
)
Types = list[Any]  # of tensors
NAMED = {str(element): element for element in (*ELEMENTS, IntegerType(32, "u"), IntegerType(64))}
OTHERS = ("api_version", "called_computations", "output_operand_aliases", "surprise", "operand_layouts")
TRIES = 4000
SHOWN = "SHLO_SHOW_CALLS"  # in the environment: print the text of each call


class Call:
    """A call: its target, attributes and types, and the text of its op's other attributes."""

    def __init__(self, name: str, options: Mapping[str, Any], operands: Types, results: Types) -> None:
        self.name, self.options = name, dict(options)
        self.operands, self.results = operands, results
        self.columns = registry._targets[name].layout == "columns" and not options.get("transposed")
        self.attributes = {"backend_config": self._config(), "api_version": "4 : i32"}

    def _config(self) -> str:
        return "{" + ", ".join(f"{name} = {_text(value)}" for name, value in self.options.items()) + "}"

    def text(self) -> str:
        """The program of the call."""
        arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(self.operands))
        names = ", ".join(f"%a{i}" for i in range(len(self.operands)))
        types = ", ".join(map(str, self.results))
        values = [f"%0#{i}" if len(self.results) > 1 else "%0" for i in range(len(self.results))]
        bound = f"%0:{len(values)} = " if len(values) > 1 else "%0 = " if values else ""
        stated = dict(self.attributes)
        if self.columns and "operand_layouts" not in stated:
            stated |= self._layouts()
        pairs = ", ".join(f"{name} = {value}" for name, value in stated.items() if value)
        return f"""func.func @main({arguments}) -> ({types}) {{
  {bound}stablehlo.custom_call @{self.name}({names}) {{{pairs}}}
    : ({", ".join(map(str, self.operands))}) -> ({types})
  return {", ".join(values)}{" : " + types if values else ""}
}}"""

    def _layouts(self) -> dict[str, str]:
        most = max((type.rank for type in self.operands), default=0)
        sides = {"operand_layouts": self.operands, "result_layouts": self.results}
        return {name: f"[{', '.join(_layout(type.rank, most) for type in of)}]" for name, of in sides.items()}


def _layout(rank: int, most: int) -> str:
    order = list(range(rank))[::-1]
    if rank == most > 1:
        order[:2] = order[1::-1]
    return f"dense<{order}> : tensor<{rank}xindex>"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value} : ui8" if value > 31 else f"{value} : i32"


def drawn(source: random.Random, name: str) -> Call | None:
    """A call that fits the signature of its target, None if none was found."""
    target = registry._targets[name]
    for _ in range(TRIES):
        options = {
            key: source.choice(kind)
            if isinstance(kind, tuple)
            else source.random() < 0.5
            if kind is bool
            else source.randrange(4)
            for key, kind in (target.attributes or {}).items()
            if kind in (bool, int) or (isinstance(kind, tuple) and kind)
        }
        stated = target.signature
        signature = parse_signature(stated if isinstance(stated, str) else stated(options))  # type: ignore[misc]
        sizes = {key: value for key, value in options.items() if type(value) is int}
        call = Call(name, options, *_types(source, signature, target.elements, sizes))
        if mismatch(signature, call.operands, call.results, target.elements, sizes) is None:
            return call
    return None


def _types(
    source: random.Random, signature: Signature, elements: tuple[str, ...], sizes: dict[str, int]
) -> tuple[Types, Types]:
    known = dict(sizes)
    batch = source.choice([(), (), (2,), (0,), (2, 3)])
    main = NAMED[source.choice(elements)] if elements else source.choice(ELEMENTS)
    copies = source.randrange(1, 3)
    largest = source.choice([1, 2, 3, 4])

    def tensor(term: Term) -> Type:
        real = main.element_type if isinstance(main, ComplexType) else main
        special = {"R": real, "C": ComplexType(real), "int": IntegerType(32)}
        element = special.get(term.element, NAMED.get(term.element, main))
        shape: list[int] = []
        for dim in term.dims or ():
            if dim == "...":
                shape += batch
            elif dim.startswith("*"):
                shape += [2] * known.setdefault(dim[1:], source.randrange(3))
            else:
                shape.append(
                    int(dim) if dim.isdigit() else known.setdefault(dim, source.randrange(largest + 1))
                )
        return TensorType(tuple(shape), element)

    def side(terms: tuple[Term, ...]) -> Types:
        return [tensor(term) for term in terms for _ in range(copies if term.repeated else 1)]

    return side(signature.operands), side(signature.results)


def damage(source: random.Random, call: Call) -> None:
    """Change one thing of a call."""
    side = source.choice([call.operands, call.results, call.results])
    at = source.randrange(len(side)) if side else None
    kind = source.randrange(9)
    if kind == 0:
        side.append(source.choice([*call.operands, TensorType((3,), FloatType("f32"))]))
    elif kind == 1:
        names = (
            "api_version",
            "called_computations",
            "output_operand_aliases",
            "surprise",
            "operand_layouts",
        )
        call.attributes |= _other(source, source.choice(names), call)
    elif at is None:
        return
    elif kind == 2:
        side.pop(at)
    elif kind == 3:
        source.shuffle(side)
    elif kind == 4:
        side[at] = TensorType(side[at].shape, source.choice(ELEMENTS))
    else:
        shape = list(side[at].shape)
        where = source.randrange(len(shape) + 1)
        if kind == 5 or where == len(shape):
            shape.insert(where, source.choice([0, 1, 3, 1000]))
        elif kind == 6:
            shape.pop(where)
        else:
            shape[where] = source.choice([0, 1, 2, 3, 5, 1000])
        side[at] = TensorType(tuple(shape), side[at].element_type)


def _other(source: random.Random, name: str, call: Call) -> dict[str, str]:
    """An attribute of the op that the call does not have."""
    if name == "api_version":
        return {name: source.choice(["1 : i32", "2 : i32", "3 : i32", ""])}
    if name == "operand_layouts":
        rows = {"operand_layouts": call.operands, "result_layouts": call.results}
        return {key: f"[{', '.join(_layout(t.rank, -1) for t in of)}]" for key, of in rows.items()}
    if name == "output_operand_aliases":
        tuple_index = f"[{source.randrange(3)}]" if len(call.results) > 1 else "[]"
        return {
            name: f"[#stablehlo.output_operand_alias<output_tuple_indices = {tuple_index}, "
            f"operand_index = {source.randrange(3)}, operand_tuple_indices = []>]"
        }
    return {name: "[@main]" if name == "called_computations" else "unit"}


def outcome(call: Call) -> str:
    """Run a call on zeros: "ran", or the error."""
    try:
        module = shlo.parse(call.text(), "call.mlir")
        if any(found.severity == "error" for found in shlo.verify(module)):
            return "invalid"
        inputs = [np.zeros(t.shape, numpy_dtype(t.element_type)) for t in call.operands]
        shlo.run(module, inputs, engine="pjrt")
    except (shlo.RunError, shlo.ParseError) as error:
        return str(error).splitlines()[0]
    return "ran"


def main(arguments: list[str]) -> None:
    """Run calls of the targets, one after another, with and without damage."""
    seed, first, count, *names = arguments
    registry._read_built_in()
    rows = [name for name, row in sorted(registry._targets.items()) if row.signature and not row.on_host]
    chosen = [name for name in rows if not names or name in names]
    warnings.simplefilter("ignore")
    for number in range(int(first), int(first) + int(count)):
        source = random.Random(f"{seed} {number}")
        call = drawn(source, chosen[number % len(chosen)])
        if call is None:
            print(number, chosen[number % len(chosen)], "no call is drawn", flush=True)
            continue
        is_damaged = source.random() < 0.75
        if is_damaged:
            damage(source, call)
        print(number, call.name, "damaged" if is_damaged else "fits", end=" ", flush=True)
        if SHOWN in os.environ:
            print(call.text(), file=sys.stderr, flush=True)
        print(outcome(call), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
