"""Programs with dynamic dimensions, on arguments of one size, against XLA on the program of that size."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType
from tests.helpers.xla import run_xla

Array = np.ndarray[Any, np.dtype[Any]]
SIZE = 4  # of every dimension that is not known
OTHERWISE = {
    "dynamic_dynamlic_slice_t2": "slices beyond its operand at this size, which is an error",
    "dynamic_scatter_add_dynamic": "a window partly out of bounds, all of which XLA skips",
}


def types_of(module: shlo.Module) -> tuple[list[TensorType], list[str]]:
    """The types that @main takes, and those that it gives, as text."""
    block = module.functions["main"].regions[0].blocks[0]
    inputs = [argument.type for argument in block.arguments]
    assert all(isinstance(type, TensorType) for type in inputs)
    return inputs, [str(value.type) for value in block.ops[-1].operands]  # type: ignore[return-value]


def argument(type: TensorType, random: np.random.Generator) -> Array:
    """An argument of a type: an integer scalar is the size of the dimensions."""
    shape = tuple(SIZE if size is None else size for size in type.shape)
    dtype = numpy_dtype(type.element_type)
    if dtype.kind == "c" or dtype.kind not in "biu":
        return random.standard_normal(shape).astype(np.float32).astype(dtype)
    if not shape and dtype.kind == "i":
        return np.array(SIZE, dtype)
    return random.integers(0, 2 if dtype.kind == "b" else 3, shape).astype(dtype)


def of_one_size(text: str, inputs: list[TensorType], results: list[str]) -> str:
    """The program whose @main has static types; scalars are constants, so that shapes follow from them."""
    from jax._src.interpreters import mlir
    from jaxlib import _jax
    from jaxlib.mlir import ir

    parameters, lines = [], []
    for index, type in enumerate(inputs):
        static = str(type).replace("?", str(SIZE))
        parameters.append(f"%a{index}: {static}")
        is_size = not type.shape and numpy_dtype(type.element_type).kind == "i"
        value = f"constant dense<{SIZE}> : {type}" if is_size else f"convert %a{index} : ({static}) -> {type}"
        lines.append(f"%v{index} = stablehlo.{value}")
    values, given = ", ".join(f"%v{i}" for i in range(len(inputs))), ", ".join(map(str, inputs))
    lines.append(f"%r:{len(results)} = func.call @inner({values}) : ({given}) -> ({', '.join(results)})")
    lines.append(f"return {', '.join(f'%r#{i}' for i in range(len(results)))} : {', '.join(results)}")
    main = f"func.func public @main({', '.join(parameters)}) -> ({', '.join(results)}) {{\n"
    inner = re.sub(r"func(\.func)? public @main\(", r"func\1 private @inner(", text, count=1)
    end = inner.rindex("}")
    with mlir.make_ir_context():
        module = ir.Module.parse(inner[:end] + main + "\n".join(lines) + "\n}\n" + inner[end:])
        return str(
            ir.Module.parse(_jax.mlir.refine_polymorphic_shapes(mlir.module_to_bytecode(module), True, True))
        )


def cases(shared: Path) -> dict[str, str]:
    """The sample's programs whose @main takes arguments."""
    folder = shared / "conformance"
    labels = json.loads((folder / "cases.json").read_text())
    texts = {Path(name).stem: (folder / name).read_text() for name in labels if name.startswith("testdata/")}
    return {name: text for name, text in texts.items() if re.search(r"@main\(%", text)}


def test_dynamic_programs(shared: Path) -> None:
    pytest.importorskip("jaxlib", reason="needs the extra `oracle`")
    random, wrong, compared = np.random.default_rng(0), [], 0
    for name, text in cases(shared).items():
        module = shlo.parse(text)
        inputs, results = types_of(module)
        arguments = [argument(type, random) for type in inputs]
        if name in OTHERWISE:
            continue
        ours, theirs = shlo.run(module, arguments), run_xla(of_one_size(text, inputs, results), *arguments)
        compared += 1
        wrong += [name for a, b in zip(ours, theirs, strict=True) if not is_close(a, b)]
    assert wrong == []
    assert compared > 200


def is_close(ours: Array, theirs: Array) -> bool:
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    if ours.dtype.kind in "biu":
        return bool((ours == theirs).all())
    tolerance = 1e-5 if ours.dtype.itemsize > 2 else 1e-2
    wide = [array.astype(np.complex128) for array in (ours, theirs)]
    return bool(np.allclose(*wide, rtol=tolerance, atol=tolerance, equal_nan=True))
