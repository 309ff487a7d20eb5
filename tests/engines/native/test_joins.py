"""Concatenations and pads of the native engine beside the NumPy engine's, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import partition

Shape = tuple[int, ...]


@pytest.fixture(autouse=True)
def single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regions of one step are compiled."""
    parts = partition.Partition.parts
    monkeypatch.setattr(partition.Partition, "parts", lambda self, plan: parts(partition.Partition(1), plan))


def tensor(shape: Shape, type: str = "i32") -> str:
    return "tensor<" + "".join(f"{n}x" for n in shape) + type + ">"


class Drawing:
    """Draws a program of one input that moves, joins and adds up elements."""

    def __init__(self, seed: int, shape: Shape) -> None:
        self.random = np.random.default_rng([17, seed])
        self.lines: list[str] = []
        self.values: list[tuple[str, Shape]] = [("%x", shape)]

    def _add(self, text: str, shape: Shape) -> tuple[str, Shape]:
        name = f"%{len(self.lines)}"
        self.lines.append(f"{name} = {text} -> {tensor(shape)}")
        self.values.append((name, shape))
        return self.values[-1]

    def _pick(self) -> tuple[str, Shape]:
        return self.some[self.random.integers(max(0, len(self.some) - 4), len(self.some))]

    @property
    def some(self) -> list[tuple[str, Shape]]:
        """The values that have elements."""
        return [value for value in self.values if 0 not in value[1]]

    def _slice(
        self, value: tuple[str, Shape], d: int, start: int, limit: int, stride: int = 1
    ) -> tuple[str, Shape]:
        name, shape = value
        bounds = [(start, limit, stride) if k == d else (0, n, 1) for k, n in enumerate(shape)]
        text = ", ".join(f"{a}:{b}:{c}" for a, b, c in bounds)
        found = tuple([-(-(b - a) // c) for a, b, c in bounds])
        return self._add(f"stablehlo.slice {name} [{text}] : ({tensor(shape)})", found)

    def _concatenate(self, parts: list[tuple[str, Shape]], d: int) -> tuple[str, Shape]:
        names, types = ", ".join(part[0] for part in parts), ", ".join(tensor(part[1]) for part in parts)
        shape = tuple([sum(part[1][d] for part in parts) if k == d else n for k, n in enumerate(parts[0][1])])
        return self._add(f"stablehlo.concatenate {names}, dim = {d} : ({types})", shape)

    def step(self) -> None:
        random, (name, shape) = self.random, self._pick()
        d = int(random.integers(len(shape)))
        kind = random.integers(7)
        if kind == 0:  # roll; by 0 one part is empty
            at = int(random.integers(shape[d] + 1))
            low = self._slice((name, shape), d, 0, at)
            self._concatenate([self._slice((name, shape), d, at, shape[d]), low], d)
        elif kind == 1:
            low, high = ([int(n) for n in random.integers(-1, 3, len(shape))] for _ in range(2))
            found = tuple([max(0, n + a + b) for n, a, b in zip(shape, low, high, strict=True)])
            if 0 in found or min(map(sum, zip(shape, low, high, strict=True))) < 0:
                return
            inside = [0] * len(shape)
            types = f"({tensor(shape)}, tensor<i32>)"
            self._add(
                f"stablehlo.pad {name}, %seven, low = {low}, high = {high}, interior = {inside} : {types}",
                found,
            )
        elif kind == 2:
            turned = self._add(f"stablehlo.reverse {name}, dims = [{d}] : ({tensor(shape)})", shape)
            self.lines[-1] = f"{turned[0]} = stablehlo.reverse {name}, dims = [{d}] : {tensor(shape)}"
            self._concatenate([turned, (name, shape), turned], d)
        elif kind == 3:
            order = [int(k) for k in random.permutation(len(shape))]
            self._add(
                f"stablehlo.transpose {name}, dims = {order} : ({tensor(shape)})",
                tuple([shape[k] for k in order]),
            )
        elif kind == 4 and shape[d] > 2:
            self._slice((name, shape), d, 1, shape[d], int(random.integers(1, 3)))
        elif kind == 5:
            flat = self._add(f"stablehlo.reshape {name} : ({tensor(shape)})", (int(np.prod(shape)),))
            self._concatenate([flat, self._slice(flat, 0, 0, 1)], 0)
        else:
            other = next(value for value in self.values[::-1] if value[1] == shape)
            self._add(f"stablehlo.add {name}, {other[0]} : ({tensor(shape)}, {tensor(shape)})", shape)

    def text(self) -> str:
        """A program whose results are some values, the sum of one, and a product."""
        chosen = [self.some[-1], self.some[len(self.some) // 2]]
        name, shape = chosen[0]
        body = "\n".join(self.lines)
        results = ", ".join([value[0] for value in chosen] + ["%sum"])
        types = ", ".join([tensor(value[1]) for value in chosen] + [tensor(shape[1:])])
        return f"""func.func @main(%x: {tensor(self.values[0][1])}) -> ({types}) {{
          %seven = stablehlo.constant dense<7> : tensor<i32>
          {body}
          %sum = stablehlo.reduce({name} init: %seven) applies stablehlo.add across dimensions = [0]
            : ({tensor(shape)}, tensor<i32>) -> {tensor(shape[1:])}
          return {results} : {types}
        }}"""


def assert_same(text: str, *inputs: Any) -> None:
    module = shlo.parse(text)
    assert not [d for d in shlo.verify(module) if d.severity == "error"], text
    compiled = shlo.compile(module, engine="native")
    assert {step.name for step in compiled.plan.steps} <= {"native", "copy"}
    for have, want in zip(compiled(*inputs), shlo.run(module, inputs, engine="numpy"), strict=True):
        np.testing.assert_array_equal(have, want, strict=True)


@pytest.mark.parametrize("seed", range(24))
def test_drawn_joins(seed: int) -> None:
    shape = [(7,), (4, 5), (3, 1, 6), (5, 2, 3), (1, 4)][seed % 5]
    drawing = Drawing(seed, shape)
    for _ in range(8):
        drawing.step()
    assert_same(drawing.text(), np.arange(np.prod(shape), dtype=np.int32).reshape(shape))


@pytest.mark.parametrize("n", [3, 900])
def test_joins_shared_out_among_threads(n: int) -> None:
    x, two = tensor((n, 1000), "f32"), tensor((2 * n + 3, 1000), "f32")
    text = f"""func.func @main(%x: {x}) -> {two} {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reverse %x, dims = [0] : {x}
      %1 = stablehlo.negate %x : {x}
      %2 = stablehlo.concatenate %0, %1, dim = 0 : ({x}, {x}) -> {tensor((2 * n, 1000), "f32")}
      %3 = stablehlo.pad %2, %zero, low = [1, 0], high = [2, 0], interior = [0, 0]
        : ({tensor((2 * n, 1000), "f32")}, tensor<f32>) -> {two}
      return %3 : {two}
    }}"""
    assert_same(text, np.random.default_rng(0).standard_normal((n, 1000)).astype(np.float32))


def test_many_operands_are_written_one_by_one() -> None:
    names = ", ".join(f"%{k}" for k in range(20))
    lines = "\n".join(
        f"%{k} = stablehlo.slice %x [{k}:{k + 2}] : (tensor<30xi32>) -> tensor<2xi32>" for k in range(20)
    )
    text = f"""func.func @main(%x: tensor<30xi32>) -> tensor<40xi32> {{
      {lines}
      %r = stablehlo.concatenate {names}, dim = 0 : ({", ".join(["tensor<2xi32>"] * 20)}) -> tensor<40xi32>
      return %r : tensor<40xi32>
    }}"""
    assert_same(text, np.arange(30, dtype=np.int32))


def test_a_part_of_a_joined_array_at_a_computed_place() -> None:
    text = """func.func @main(%x: tensor<5xi32>, %i: tensor<i32>) -> tensor<4xi32> {
      %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<5xi32>, tensor<5xi32>) -> tensor<10xi32>
      %1 = stablehlo.reshape %0 : (tensor<10xi32>) -> tensor<2x5xi32>
      %2 = stablehlo.reshape %1 : (tensor<2x5xi32>) -> tensor<5x2xi32>
      %3 = stablehlo.reshape %2 : (tensor<5x2xi32>) -> tensor<10xi32>
      %4 = stablehlo.dynamic_slice %3, %i, sizes = [4] : (tensor<10xi32>, tensor<i32>) -> tensor<4xi32>
      return %4 : tensor<4xi32>
    }"""
    for start in (-1, 3, 9):
        assert_same(text, np.arange(5, dtype=np.int32), np.int32(start))


@pytest.mark.parametrize("kept", ["%picked", "%picked, %vectors", "%picked, %total"])
@pytest.mark.parametrize("d", [0, 1, 2])
def test_index_vectors_that_are_joined(kept: str, d: int) -> None:
    """Components, which are used elsewhere as well, are joined along each dimension of the index vectors."""
    part, whole = [(3, 4, 2), (6, 2, 2), (6, 4, 1)][d], (6, 4, 2)
    types = {"%picked": tensor((6, 4)), "%vectors": tensor(whole), "%total": tensor((4,))}
    component = tensor(part[:2]) if d == 2 else tensor(part)
    dims = [0, 1] if d == 2 else [0, 1, 2]
    text = f"""func.func @main(%x: tensor<5x7xi32>, %a: {component}, %b: {component})
        -> ({", ".join(types[name] for name in kept.split(", "))}) {{
      %c = stablehlo.multiply %a, %b : {component}
      %e = stablehlo.add %c, %a : {component}
      %f = stablehlo.divide %e, %b : {component}
      %g = stablehlo.remainder %e, %b : {component}
      %0 = stablehlo.broadcast_in_dim %f, dims = {dims} : ({component}) -> {tensor(part)}
      %1 = stablehlo.broadcast_in_dim %g, dims = {dims} : ({component}) -> {tensor(part)}
      %vectors = stablehlo.concatenate %0, %1, dim = {d} : ({tensor(part)}, {tensor(part)}) -> {tensor(whole)}
      %y = "stablehlo.gather"(%x, %vectors) {{
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [1, 0],
          index_vector_dim = 2>,
        slice_sizes = array<i64: 1, 1>}} : (tensor<5x7xi32>, {tensor(whole)}) -> tensor<6x4xi32>
      %picked = stablehlo.add %y, %y : tensor<6x4xi32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %total = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<6x4xi32>, tensor<i32>) -> tensor<4xi32>
      return {kept} : {", ".join(types[name] for name in kept.split(", "))}
    }}"""
    random, shape = np.random.default_rng(d), part[:2] if d == 2 else part
    a, b = random.integers(-3, 9, shape, np.int32), random.integers(1, 4, shape, np.int32)
    assert_same(text, np.arange(35, dtype=np.int32).reshape(5, 7), a, b)
