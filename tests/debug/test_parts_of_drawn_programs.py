"""Parts of drawn programs, and edits that keep what is computed: the results are those of the whole."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.stepwise import Stepwise
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.debug.reduce import edits
from stablehlo_py.debug.reduce.candidate import Candidate, candidate_of
from stablehlo_py.debug.subprograms import inlined
from stablehlo_py.interpreter.arrays import storable
from stablehlo_py.ir.core import Module, OpResult, Value

COUNT = 5


@cache
def drawn(number: int) -> tuple[Module, tuple[Any, ...], dict[str, Any]]:
    """A program, its inputs, and the values of its results by name."""
    made = generate(41, number, Request(ops=18))
    module = shlo.parse(shlo.format(made.module))
    names = [str(value) for value in returned(module)]
    return module, made.arguments, dict(zip(names, shlo.run(module, made.arguments), strict=True))


def returned(module: Module) -> tuple[Value, ...]:
    last = module.functions["main"].entry_block.terminator
    assert last is not None
    return last.operands


def equal(found: Any, expected: Any) -> None:
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(
            np.asarray(a).astype(np.complex128), np.asarray(b).astype(np.complex128)
        )


@pytest.mark.parametrize("number", range(COUNT))
def test_an_op_and_what_a_result_depends_on(number: int) -> None:
    module, inputs, values = drawn(number)
    results = returned(module)
    for i in np.random.default_rng(number).permutation(len(results))[:4].tolist():
        value = results[i]
        assert isinstance(value, OpResult)
        part = shlo.extract(module, op=str(value), inputs=inputs)
        known = [values[str(each)] for each in value.op.results if str(each) in values]
        if len(known) == len(value.op.results):
            equal(shlo.run(part.module, part.inputs or ()), known)
        part = shlo.extract(module, depends_on=str(i), inputs=inputs)
        assert part.module.functions["main"].entry_block.ops[:-1] or not value.op.operands
        equal(shlo.run(part.module, part.inputs or ()), [values[str(value)]])
        assert len(part.inputs or ()) <= len(inputs)


@pytest.mark.parametrize("number", range(COUNT))
def test_edits_that_keep_what_is_computed(number: int) -> None:
    module, inputs, values = drawn(number)
    start = candidate_of(module, inputs, "main")
    names = [str(value) for value in start.results]
    whole = [values[name] for name in names]

    def run(made: Candidate | None) -> Any:
        assert made is not None and shlo.verify(made.module) == []
        return shlo.run(made.module, made.inputs)

    for i, edit in enumerate(list(edits.single_results(start))[:5]):
        assert edit.what == f"return {names[i]} only"
        equal(run(edit.make()), [whole[i]])
    for i, edit in enumerate(list(edits.fewer_results(start))[:3]):
        equal(run(edit.make()), whole[:i] + whole[i + 1 :])
    for edit in (*edits.unwrapped(start), *edits.without_dead_ops(start)):
        if edit.what.startswith(("inline", "drop dead")):
            equal(run(edit.make()), whole)
    flat = Candidate(inlined(start.module, "main"), start.inputs)
    assert not any(op.name == "func.call" for op in flat.ops)
    equal(run(flat), whole)


@pytest.mark.parametrize("number", range(COUNT))
def test_ops_that_are_dropped_leave_their_values(number: int) -> None:
    """What is kept computes what it did, from the values that were computed before."""
    module, inputs, values = drawn(number)
    start = candidate_of(module, inputs, "main")
    ops = start.ops
    for first, last in ((0, len(ops) // 2), (len(ops) // 2, len(ops)), (len(ops) // 3, 2 * len(ops) // 3)):
        kept = [op for op in ops[first:last] if op.operands]
        wanted = [each for op in kept for each in op.results if str(each) in values]
        if not wanted:
            continue
        for constants in (True, False):
            made = start.keeping(kept, wanted, constants=constants)
            equal(shlo.run(made.module, made.inputs), [values[str(each)] for each in wanted])
            names = [op.name for op in made.ops if op.operands]
            assert names == [op.name for op in kept]


@pytest.mark.parametrize("number", range(COUNT))
@pytest.mark.parametrize("part", [1, 3, 100])
def test_a_run_in_parts_is_the_run(number: int, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each op is told once in each of its executions; values of the function are those of the run."""
    monkeypatch.setattr("stablehlo_py.debug.compare.stepwise.PART", part)
    module, inputs, values = drawn(number)
    flat = inlined(module, "main")
    told: dict[Any, Any] = {}

    def emit(event: Any, results: tuple[Any, ...]) -> None:
        assert (event.op, event.iterations) not in told
        told[event.op, event.iterations] = results

    (results,) = Stepwise(flat, "main", "numpy").run({(0, 0): inputs}, emit).values()
    equal(results, [values[str(value)] for value in returned(module)])
    for value, expected in zip(returned(flat), results, strict=True):
        assert isinstance(value, OpResult)
        if (value.op, ()) in told:  # but for constants
            equal([told[value.op, ()][value.index]], [expected])
        else:
            assert not value.op.operands


@pytest.mark.parametrize("number", range(COUNT))
def test_values_in_files(number: int, tmp_path: Path) -> None:
    """Those of the program are equal; if one is wrong, its op is told, and what takes it is not the first."""
    module, inputs, values = drawn(number)
    ops = [value.op for value in returned(module) if isinstance(value, OpResult) and value.op.operands]
    single = [op for op in ops if len(op.results) == 1 and values[str(op.result)].dtype.kind in "fiub"]
    stated = {f"main.{name}": array for name, array in values.items() if "#" not in name}
    np.savez(tmp_path / "all.npz", **_storable(stated))
    found = shlo.compare(module, None, inputs, against=tmp_path / "all.npz")
    assert found.ok and found.first is None and found.notes == []
    if not single:
        return
    wrong = single[number % len(single)]
    array = values[str(wrong.result)]
    if not array.size:
        return
    changed = ~array if array.dtype == bool else array + array.dtype.type(1)
    np.savez(tmp_path / "wrong.npz", **_storable(stated | {f"main.{str(wrong.result)[1:]}": changed}))
    found = shlo.compare(module, None, inputs, against=tmp_path / "wrong.npz")
    assert found.first is not None and found.first.line == module.line(wrong) and not found.ok
    users = {use.op for use in wrong.result.uses}
    assert {each.line for each in found.others} <= {module.line(op) for op in users}
    ((_, mine, theirs), *_) = found.first.results[0].worst
    assert mine in map(str, array.ravel()) and theirs in map(str, changed.ravel())


def _storable(arrays: dict[str, Any]) -> dict[str, Any]:
    """Arrays by the names of values; narrow types as raw bytes, as files have them."""
    return {name.replace("%", ""): storable(np.asarray(array)) for name, array in arrays.items()}
