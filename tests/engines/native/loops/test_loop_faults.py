"""Planted faults: changes in the source of a stage, and of what writes machine code.

The stages before a changed one are as they are. Of what it makes of a program, the verifier names the
fault, and the interpreter ends with an error. A fault behind the stages changes results of machine code, in
memory that is filled with a pattern.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import region_of, run_code
from test_loop_coalescing import ROWS as ROWS_IN_A_LOOP

from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.schedule.pipeline import STAGES
from stablehlo_py.ir.element_types import numpy_dtype
from tests.helpers.convolutions import convolution
from tests.helpers.loop_interpreter import Interpreter, LoopError
from tests.helpers.loop_parser import parse
from tests.helpers.native import counted
from tests.helpers.products import dot
from tests.helpers.programs import program

ROWS = program(
    "x: 40x40xf32",
    """
    %m = reduce %x, maximum, [1]
    %mb = broadcast %m, [0] -> 40x40
    %d = subtract %x, %mb
    %e = exponential %d
    %s = reduce %e, maximum, [1]
    %sb = broadcast %s, [0] -> 40x40
    %y = divide %e, %sb
    %t = transpose %y, [1, 0]
    return %y, %t""",
)
HEADS = program(
    "x: 2x6x40xf32",
    """
    %e = exponential %x
    %s = reduce %e, add, [2]
    %sb = broadcast %s, [0, 1] -> 2x6x40
    %y = divide %e, %sb
    return %y""",
)
VIEWS = program(
    "x: 3x5xf32",
    """
    %v = constant 5.0 -> f32
    %t = transpose %x, [1, 0]
    %r = reverse %t, dims = [0]
    %p = pad %r, %v, low = [1, 2], high = [1, 0], interior = [0, 0] -> 7x5
    return %p""",
)
PAD = program(
    "x: 20x30xf32",
    """
    %v = constant 5.0 -> f32
    %0 = pad %x, %v, low = [1, 2], high = [3, 1], interior = [0, 0] -> 24x33
    return %0""",
)
PRODUCT = program(
    "a: 72x24xf32, b: 24x38xf32, c: 38xf32",
    """
    %e = exponential %a
    %0 = dot %e, %b, ma,an
    %1 = broadcast %c, [1] -> 72x38
    %2 = add %0, %1
    return %2""",
)
CONVOLUTION = convolution("2x7x7x5 2x7x7x24 f01b i01o 01bf p=1").text("f32")
RECTIFIED = """
func.func @main(%x: tensor<2x6x9x20xf32>) -> (tensor<2x6x9x20xf32>, tensor<2x4x7x20xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<2x6x9x20xf32>
  %y = stablehlo.maximum %x, %zeros : tensor<2x6x9x20xf32>
  %0 = "stablehlo.reduce_window"(%y, %zero) <{window_dimensions = array<i64: 1, 3, 3, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x6x9x20xf32>, tensor<f32>) -> tensor<2x4x7x20xf32>
  return %y, %0 : tensor<2x6x9x20xf32>, tensor<2x4x7x20xf32>
}"""
LONG = dot("40x2400 2400x20 ma,an").text("f32")
LEADING = program("x: 40x300xf32", "%a = reduce %x, add, [0]\n return %a")
MIDDLE = program("x: 6x9x8x20xf32", "%a = reduce %x, add, [1]\n return %a")
LARGEST = program(
    "x: 25x340xf32",
    """
    %e = exponential %x
    %a = reduce %e, maximum, [0]
    return %a""",
)
CALL = """%s = stablehlo.add %x, %x : tensor<3x3xf32>
      %v:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%s)
        {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}}
        : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
      %y = stablehlo.multiply %v#0, %s : tensor<3x3xf32>"""
CALLED = f"""
func.func @main(%n: tensor<i32>, %a: tensor<3x3xf32>) -> tensor<3x3xf32> {{
  {counted("%n", {"x": ("tensor<3x3xf32>", "%a", "%y")}, CALL)}
  return %r#1 : tensor<3x3xf32>
}}"""

FAULTS = [  # program; stage; module; what is in its source, what is there instead; what the verifier says
    (VIEWS, "inline", "inline", "zip(found.variables, expression.indices,",
     "zip(found.variables, expression.indices[::-1],", "is out of bounds"),
    (CALLED, "inline", "inline", "stored |= called_in(statements)", "pass",
     "a function reads elements of"),
    (ROWS, "inline", "inline", "Substitution(places, self._replace)", "Substitution({}, self._replace)",
     "is the variable of no loop here"),
    (ROWS_IN_A_LOOP, "coalesce", "coalesce", "if copy is not None and copy[0] == copy[1]:",
     "if copy is not None:", "is never written"),
    (ROWS_IN_A_LOOP, "coalesce", "coalesce",
     'if buffer.space != "scratch" or written.get(buffer) != {fixed}:', "if False:", "is written in"),
    (ROWS, "fuse", "fuse", "return all(stored[each] in self._loaded[each] for each in shared)", "return True",
     "may read an element that was not written"),
    (ROWS, "fuse", "fuse", "(*first.body, *body)", "(*body, *first.body)",
     "may read an element that was not written"),
    (ROWS, "fuse", "fuse", "(*first.body, *body)", "(*first.body,)", "is never written"),
    (HEADS, "place", "place", "buffer.element, buffer.shape[outer:]", "buffer.element, buffer.shape[:-outer]",
     "is out of bounds"),
    (HEADS, "place", "place", "if any(not any(statement.variable",
     "if False and any(not any(statement.variable", "may write one element of frame"),
    (ROWS, "place", "place", 'found.append(Let(f"{buffer.name}_", value))', "pass", "is no value of type"),
    (ROWS, "place", "place", 'if buffer.space in ("scratch", "frame")} - read',
     'if buffer.space in ("scratch", "frame")}', "may read an element that was not written"),
    (PRODUCT, "tile", "nests", "    if rest:\n", "    if False:\n", "is never written"),
    (PRODUCT, "tile", "tile", 'body += loops_over([free], [zero], "parallel")', "pass",
     "may read an element that was not written"),
    (PRODUCT, "tile", "registers", "= [over(sums, starts)]", "= []",
     "may read an element that was not written"),
    (PRODUCT, "tile", "registers", "{self.row: self.rows.first + at[0],", "{self.row: at[0],",
     "is never written"),
    (PRODUCT, "tile", "tile", "at = (of_variable(row), *map(of_variable, own.values()))",
     "at = (of_variable(row) * 0, *map(of_variable, own.values()))", "may write one element of frame"),
    (CONVOLUTION, "tile", "padding", "choose(tuple(tests), value,", "choose((), value,",
     "is out of bounds"),
    (CONVOLUTION, "tile", "padding", "places = [new(extent) for extent in self.shape]",
     "places = [new(extent - 1 or 1) for extent in self.shape]", "may read an element that was not written"),
    (LONG, "tile", "tile", "first = Store(totals, (*at, of_variable(column)), start)",
     "first = Store(totals, (*at, of_variable(column) * 0), start)",
     "may write one element of scratch"),
    (LONG, "tile", "tile", "self._blocks], [*packing, *rows])", "self._blocks], rows)",
     "may read an element that was not written"),
    (LONG, "tile", "tile", "if v not in self._blocks and v.extent > 1", "if v.extent > 1",
     "may write one element of"),
    (MIDDLE, "columns", "nests", "Loop(first, tuple(loops_over(inner, body)), \"parallel\")",
     "Loop(first, tuple(loops_over(inner, body, \"parallel\")), \"parallel\")",
     "may write one element of frame"),
    (LEADING, "columns", "registers", "= [over(sums, starts)]",
     "= []", "may read an element that was not written"),
    (LEADING, "columns", "registers", "self.columns.first + at[1]}", "at[1]}", "is never written"),
    (LEADING, "columns", "registers", "for total, each in zip(totals, sums, strict=True):",
     "for total, each in []:", "may read an element that was not written"),
    (RECTIFIED, "columns", "columns", 'replace(statement, kind="for")', "statement",
     "may write one element of frame"),
    (LARGEST, "columns", "columns", "return [*self._over(first), *loops_over(loops, self._over(after))]",
     "return loops_over(loops, self._over(after))", "may read an element that was not written"),
    (PAD, "split", "split", "of_variable(variable) + piece.start", "of_variable(variable)",
     "is never written"),
    (PAD, "split", "split", "places = {0, len(whole)}", "places = {0}", "is never written"),
    (PAD, "split", "split", "for holds in (True, False)", "for holds in (True, True)", "is out of bounds"),
    (ROWS, "name", "names", "next(names), variable.extent", "'i', variable.extent",
     "is the variable of two loops"),
]  # fmt: skip


VECTORS = """
input x: 300xf32
output y: 300xf32
output z: 300xf32
scratch a: 300xf32
scratch b: 300xf32
parallel i in 0..300 { store y[i] = load x[i] }
parallel i in 0..300 { store z[i] = load x[i] }
"""
LATER = """
parallel i in 0..300 { store a[i] = (load x[i] + f32(1.0)) }
parallel i in 0..300 { store b[i] = (load a[-i + 299] * f32(2.0)) }
parallel i in 0..300 { store y[i] = (load a[i] - load b[i]) }
parallel i in 0..300 { store z[i] = load b[i] }
"""
AGAIN = """
parallel i in 0..300 {
  store z[i] = load y[i]
  store y[i] = (load y[i] * f32(3.0))
  store z[i] = (load z[i] + load y[i])
}
"""
SINES = "parallel i in 0..300 { store z[i] = sine((load x[i] * f32(1e+20))) }"
UPDATED = "parallel i in 0..300 { store y[i] = (load y[i] + sine((load x[i] * f32(1e+20)))) }"
STRIDES = """
input x: 2x37xf32
output y: 2x16xf32
parallel i in 0..2 {
  vectorized j in 0..16 { store y[i, j] = load x[i, 2 * j + 4] }
}
"""

REPEATED = """
input x: 300xf32
output y: 300xf32
scratch n: i64
scratch a: 300xf32
scratch b: 300xf32
scratch c: 300xf32
store n[] = i64(0)
parallel i in 0..300 { store a[i] = (load x[i] + f32(1.0)) }
parallel i in 0..300 { store y[i] = load x[i] }
while {
  let more = compare(load n[], i64(3), compare_type=SIGNED, comparison_direction=LT: i1)
} more {
  store n[] = (load n[] + i64(1))
  parallel i in 0..300 { store b[i] = load a[-i + 299] }
  parallel i in 0..300 { store c[i] = (load b[-i + 299] * f32(2.0)) }
  parallel i in 0..300 { store y[i] = (load c[i] + load y[i]) }
}
"""

CODE_FAULTS = [  # loops; module; what is in its source, what is there instead
    # addresses that are said to be of different memory are of the same
    (VECTORS + LATER, "loop_ir.lifetimes", "given[buffer]] = first, number", "given[buffer]] = first, first"),
    # memory of a value that the next iteration needs is taken for another one
    (REPEATED, "loop_ir.lifetimes", "(not is_inside or buffer in loop.kept)", "False"),
    # the last of the vectors that together are elements with a stride
    (STRIDES, "llvm.vectors", "count + place - start", "count + place - part * count"),
    # an element that was loaded before it was stored again
    (VECTORS + AGAIN, "llvm.nests", "        self._forget([buffer])", "        pass"),
    # a nest that assumed small numbers runs again without, unless it updates its memory
    (VECTORS + SINES, "llvm.functions", "if broken is not None and b.assumed:", "if False:"),
    (VECTORS + UPDATED, "llvm.module", "may_repeat = self._stored.isdisjoint(", "may_repeat = True or bool("),
]  # fmt: skip


def plant(name: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the source of a module, for all that use it."""
    module = import_module(f"stablehlo_py.engines.native.{name}")
    assert module.__file__ is not None
    text = Path(module.__file__).read_text()
    assert text.count(old) == 1, (name, old)
    made = ModuleType(module.__name__)
    made.__file__ = module.__file__
    exec(compile(text.replace(old, new), module.__file__, "exec"), made.__dict__)  # the source of the engine
    users = [each for key, each in sys.modules.items() if key.startswith("stablehlo_py.engines.native")]
    for name, value in vars(made).items():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        before = getattr(module, name)
        if isinstance(value, type):
            for key, member in vars(value).items():
                if isinstance(member, FunctionType | property) and not _names_its_class(member):
                    monkeypatch.setattr(before, key, member)
        for user in users:
            if isinstance(value, FunctionType) and vars(user).get(name) is before:
                monkeypatch.setattr(user, name, value)


def _names_its_class(member: FunctionType | property) -> bool:
    """Test whether a method calls `super`, which looks for its own class."""
    function = member.fget if isinstance(member, property) else member
    return "__class__" in getattr(function, "__code__", plant.__code__).co_freevars


@pytest.mark.parametrize(("text", "stage", "name", "old", "new", "message"), FAULTS)
def test_faults_of_stages(
    text: str, stage: str, name: str, old: str, new: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lowered = lower(region_of(text))
    program = lowered.program
    for each in STAGES:
        if each.name == stage:
            plant(f"schedule.{name}", old, new, monkeypatch)
            program = each.run(program)
            break
        program = each.run(program)
    found = [str(each) for each in verify(program)]
    assert any(message in each for each in found), found
    if message == "is the variable of no loop here":  # of which the interpreter has no value
        return
    arrays = [np.ones(each.shape, numpy_dtype(each.element)) for each in program.in_space("input")]
    with pytest.raises(LoopError):
        Interpreter().run(program, [*arrays, *lowered.constants])


@pytest.mark.parametrize(("text", "name", "old", "new"), CODE_FAULTS)
def test_faults_of_machine_code(
    text: str, name: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory that is filled with a pattern shows them, in the results."""
    program = parse(text)
    assert not verify(program)
    arrays = [
        np.arange(np.prod(each.shape), dtype=np.float32).reshape(each.shape)
        for each in program.in_space("input")
    ]
    wanted = Interpreter().run(program, arrays)
    for found, each in zip(run_code(program, arrays), wanted, strict=True):
        np.testing.assert_allclose(found, each, rtol=1e-5)
    plant(name, old, new, monkeypatch)
    found = run_code(program, arrays)
    assert not all(np.allclose(*pair, rtol=1e-5) for pair in zip(found, wanted, strict=True))
