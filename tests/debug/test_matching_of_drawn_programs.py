"""Drawn programs beside themselves, in another order, and with one edit: what has a counterpart."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.matching import Matching
from stablehlo_py.debug.compare_programs import compare_programs
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.debug.subprograms import inlined, is_deterministic
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.opset.definition import has_trait

COUNT = 12
EXCHANGED = {
    "add": "subtract", "multiply": "maximum", "maximum": "minimum", "minimum": "maximum", "and": "xor",
    "or": "and", "xor": "or", "subtract": "multiply", "negate": "abs", "abs": "negate",
}  # fmt: skip


@cache
def drawn(number: int) -> Module:
    return inlined(shlo.parse(shlo.format(generate(31, number, Request(ops=24)).module)), "main")


def pair(number: int) -> tuple[Operation, Operation, dict[Operation, Operation]]:
    """The function of a program, that of a copy, and the ops of the copy for those of the program."""
    first, second = drawn(number), drawn(number).clone()
    twins = dict(zip(first.walk(), second.walk(), strict=True))
    return first.functions["main"], second.functions["main"], twins


def ops(function: Operation) -> list[Operation]:
    """The ops that are matched: those of bodies of control flow too, but not those applied to elements."""
    found = []
    for op in [op for block in function.blocks for op in block.ops if op.results]:
        found.append(op)
        if has_trait(op.name, "runs_bodies"):
            found += ops(op)
    return found


def shuffled(function: Operation, seed: int) -> None:
    """Put the ops of a function into another order, each behind what it takes."""
    rng, block = np.random.default_rng(seed), function.entry_block
    rest, done, order = block.ops[:-1], set(block.arguments), list[Operation]()
    while rest:
        ready = [op for op in rest if done.issuperset(captures([op]))]
        op = ready[int(rng.integers(0, len(ready)))]
        rest.remove(op)
        order.append(op)
        done.update(op.results)
    block.ops[:-1] = order


@pytest.mark.parametrize("number", range(COUNT))
@pytest.mark.parametrize("order", ["the same", "another"])
def test_a_program_and_its_copy(number: int, order: str) -> None:
    first, second, twins = pair(number)
    if order == "another":
        shuffled(second, number)
    found = Matching(first, second)
    for op in ops(first):
        assert op.name == found.ops[op].name
        assert all(map(found.same, op.results, twins[op].results)), op
        is_exact = is_deterministic(op) and not has_trait(op.name, "runs_bodies")
        assert (op in found.exact) is is_exact or not is_exact, op
        if has_trait(op.name, "runs_bodies"):
            assert found.passes_same_values(op) and found.has_same_order(op)
    assert found.last_open(first.entry_block) is None
    assert list(found.unmatched(second)) == [] and found.arguments == [
        *range(len(first.entry_block.arguments))
    ]


def is_open(found: Matching, function: Operation) -> list[Operation]:
    """The ops, apart from control flow, that may differ from their counterparts."""
    return [
        op
        for op in ops(function)
        if op not in found.exact and is_deterministic(op) and not has_trait(op.name, "runs_bodies")
    ]


def exchange(op: Operation, twin: Operation) -> bool:
    """Another op in the place of one."""
    name = EXCHANGED.get(op.name.partition(".")[2])
    twin.name = f"stablehlo.{name}" if name is not None else op.name
    return name is not None


def swap(op: Operation, twin: Operation) -> bool:
    """The operands in the other order."""
    if len(op.operands) != 2 or not has_trait(op.name, "elementwise"):
        return False
    twin.use_operands(twin.operands[::-1])
    a, b = op.operands
    return a is not b and a.type == b.type


def another(op: Operation, twin: Operation) -> bool:
    """A constant of another value."""
    value = op.properties.get("value")
    if not isinstance(value, DenseElementsAttr) or not op.results[0].uses or 0 in value.value.shape:
        return False
    data = value.data ^ True if value.data.dtype == bool else value.data + value.data.dtype.type(7)
    twin.properties["value"] = DenseElementsAttr(value.type, data)
    return not np.array_equal(data, value.data)


def insert(op: Operation, twin: Operation) -> bool:
    """An op behind one, whose result all users take."""
    if len(op.results) != 1 or not op.results[0].uses or not op.operands:
        return False
    builder = OpBuilder.before(twin)
    builder.index += 1
    made = builder.create("stablehlo.optimization_barrier", [twin.results[0]], [twin.results[0].type])
    twin.results[0].replace_all_uses(made.result)
    made.use_operands([twin.results[0]])
    return True


def copy(op: Operation, twin: Operation) -> bool:
    """An op twice; the last user takes the copy."""
    if len(op.results) != 1 or len(op.results[0].uses) < 2 or not is_deterministic(op):
        return False
    clone = clone_op(twin)
    OpBuilder.before(twin).insert(clone)
    user, place = list(twin.results[0].uses)[-1]
    user.use_operands([clone.results[0] if i == place else v for i, v in enumerate(user.operands)])
    return True


@pytest.mark.parametrize(
    ("edit", "is_wrong", "strays"),
    [(exchange, 1, 0), (swap, 1, 2), (another, 1, 0), (insert, 0, 2), (copy, 0, 0)],
)
def test_a_program_with_an_edit(
    edit: Callable[[Operation, Operation], bool], is_wrong: int, strays: int
) -> None:
    """The op of the edit may differ, or after an insertion its users; of few programs another op may."""
    edited = missed = 0
    for number in range(COUNT):
        made = _edited(number, edit)
        if made is None:
            continue
        first, second, wrong, twins, _ = made
        found = Matching(first, second)
        users = {use.op for result in wrong.results for use in result.uses}
        allowed = users if edit is insert else {wrong} if is_wrong else set()
        may_differ = set(is_open(found, first))
        edited += 1
        missed += not may_differ <= allowed or (wrong in may_differ) < is_wrong
        before = first.entry_block.ops[: first.entry_block.ops.index(wrong)]
        assert all(
            found.same(a, b) for op in before for a, b in zip(op.results, twins[op].results, strict=True)
        )
        for op, other in found.ops.items():
            assert [each.type for each in op.results] == [each.type for each in other.results]
    assert edited >= COUNT / 2 and missed <= strays


def _edited(
    number: int, edit: Callable[[Operation, Operation], bool]
) -> tuple[Operation, Operation, Operation, dict[Operation, Operation], Module] | None:
    """A program and its copy with an edit of a drawn op; None if no op can be edited so."""
    order = np.random.default_rng(number).permutation(
        len(drawn(number).functions["main"].entry_block.ops) - 1
    )
    for place in order.tolist():
        first, other = drawn(number), drawn(number).clone()
        twins = dict(zip(first.walk(), other.walk(), strict=True))
        op = first.functions["main"].entry_block.ops[place]
        if edit(op, twins[op]):
            return first.functions["main"], other.functions["main"], op, twins, other
    return None


@pytest.mark.parametrize("edit", [exchange, swap, another, insert, copy])
def test_the_text_of_a_program_with_an_edit(edit: Callable[[Operation, Operation], bool]) -> None:
    """One difference of the op, or a new op and its users."""
    for number in range(COUNT):
        made = _edited(number, edit)
        if made is None:
            continue
        _, _, wrong, twins, second = made
        modules = drawn(number), second
        found = compare_programs(*modules)
        kinds = [each.kind for each in found]
        if edit in (insert, copy):
            assert kinds.count("added") == 1 and "removed" not in kinds
            changed = [each for each in found if each.kind == "changed"]
            assert changed and all("a different value" in d for each in changed for d in each.details)
            continue
        (told,) = found
        assert (told.kind, told.line_before) == ("changed", modules[0].line(wrong))
        if edit is exchange:
            assert told.details == (f"op: from {wrong.name} to {twins[wrong].name}",)
        elif edit is swap:
            assert [d.partition(":")[0] for d in told.details] == ["operand 0", "operand 1"]
        else:
            assert told.details[0].startswith("value: from dense<") and len(told.details) == 1


@pytest.mark.parametrize("edit", [exchange, swap, another])
def test_the_run_of_a_program_with_an_edit(edit: Callable[[Operation, Operation], bool]) -> None:
    """If an op is accused, it is the one with the edit; its results differ, and those before it do not."""
    accused = 0
    for number in range(COUNT):
        made = _edited(number, edit)
        if made is None:
            continue
        _, _, wrong, _, second = made
        modules = drawn(number), second
        inputs = generate(31, number, Request(ops=24)).arguments
        found = shlo.compare(*modules, inputs)
        assert found.error is None
        if found.first is not None:
            accused += 1
            assert found.first.line == modules[0].line(wrong) and found.first.details and not found.first.ok
            assert all(value.comparison is None for value in found.first.operands)
            assert not found.others
        else:
            assert found.ok
    assert accused >= 1


CALLS = frozenset({*[f"stablehlo.{name}" for name in ("add", "maximum", "negate", "select")], "func.call"})


@pytest.mark.parametrize("edit", [None, exchange])
def test_an_edit_in_a_program_of_renamed_functions(
    edit: Callable[[Operation, Operation], bool] | None,
) -> None:
    """Private functions in another order and with other names: the edit is the only difference."""
    edited = 0
    for number in range(10):
        first = generate(33, number, Request(ops=20, only=CALLS)).module
        second = first.clone()
        functions = [op for op in first.body.ops if op.is_function]
        if len(functions) < 3:
            continue
        twins = dict(zip(first.walk(), second.walk(), strict=True))
        function = functions[number % len(functions)]
        candidates = function.entry_block.ops[:-1] if edit is not None else []
        wrong = next((op for op in candidates if edit is not None and edit(op, twins[op])), None)
        if edit is not None and wrong is None:
            continue
        second.body.ops.reverse()
        names = re.findall(r"private @(\w+)", shlo.format(second))
        new = dict(zip(names, [*names[1:], "fresh"], strict=True))
        renamed = re.sub(
            r"@(\w+)", lambda match, new=new: f"@{new.get(match[1], match[1])}", shlo.format(second)
        )
        found = compare_programs(first, shlo.parse(renamed))
        edited += 1
        told = [(each.kind, each.function, "".join(each.details[:1]).partition(":")[0]) for each in found]
        name = str(function.python_value("sym_name"))
        assert told == ([] if edit is None else [("changed", name, "op")]), number
    assert edited >= 3
