"""Facts about a module that several rules share, computed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sized
from functools import cached_property

from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.ir.types import FutureType, TokenType, Type
from stablehlo_py.opset.calls import callee, symbol_references
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.opset.traits import Trait


class LintContext:
    """A module, with indexes of its ops and functions, and its dead code."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.ops = list(module.walk())
        self._by_name: dict[str, list[Operation]] = defaultdict(list)
        for op in self.ops:
            self._by_name[op.name].append(op)

    def named(self, *names: str) -> Iterator[Operation]:
        """Yield the ops with one of the names."""
        for name in names:
            yield from self._by_name.get(name, ())

    def having(self, trait: Trait) -> Iterator[Operation]:
        """Yield the ops with a trait, grouped by name."""
        for name, ops in self._by_name.items():
            if has_trait(name, trait):
                yield from ops

    def kinds(self) -> Iterator[tuple[str, list[Operation]]]:
        """Yield each op name with its ops, in the order of the text."""
        yield from self._by_name.items()

    def line(self, op: Operation) -> int:
        """Return the line of an op in the text; 0 for an op without source text."""
        return self.module.line(op)

    @cached_property
    def functions(self) -> dict[str, Operation]:
        """The functions with a body, by name."""
        return {
            str(op.python_value("sym_name")): op
            for op in self.ops
            if op.is_function and op.regions and op.regions[0].blocks
        }

    @cached_property
    def entries(self) -> list[Operation]:
        """The functions that are visible outside of the module."""
        return [op for op in self.functions.values() if not is_private(op)]

    @cached_property
    def calls(self) -> dict[str, list[Operation]]:
        """The call sites of each function."""
        found: dict[str, list[Operation]] = defaultdict(list)
        for op in self.ops:
            name = callee(op)
            if name is not None:
                found[name].append(op)
        return found

    # Dead code

    @cached_property
    def dead_ops(self) -> list[list[Operation]]:
        """Return the outermost ops without side effects whose results are unused, from last to first.

        Each group starts with such an op, followed by the ops that are used only by dead ops.
        """
        live = self._live_ops()
        dead = [op for op in self.ops if op not in live and op.parent_op in live]
        group_of: dict[Operation, list[Operation]] = {}
        for op in reversed(dead):
            user = next((use.op for result in op.results for use in result.uses), None)
            while user is not None and user not in group_of:
                user = user.parent_op
            group = group_of[op] = group_of[user] if user is not None else []
            group.append(op)
        return [group for op, group in group_of.items() if group[0] is op]

    def _live_ops(self) -> set[Operation]:
        live = self._ops_with_effects()
        pending = list(live)
        while pending:
            op = pending.pop()
            needed = [value.op for value in op.operands if isinstance(value, OpResult)]
            needed += [block.ops[-1] for block in op.blocks if block.ops]
            for other in needed:
                if other not in live:
                    live.add(other)
                    pending.append(other)
        return live

    def _ops_with_effects(self) -> set[Operation]:
        """Return the ops with side effects, and their ancestors."""
        found: set[Operation] = set()
        containers = {op for op in self.ops if op.is_function or op.is_module}
        for op in self.ops:
            if op not in containers and not _has_no_effects(op):
                _add_with_ancestors(op, found)
        functions = {name: self.functions.get(name) for name in self.calls}
        spreading = True
        while spreading:
            before = len(found)
            for name, function in functions.items():
                if function is None or function in found:
                    for call in self.calls[name]:
                        _add_with_ancestors(call, found)
            spreading = len(found) > before
        return found | containers

    @cached_property
    def dead_functions(self) -> list[Operation]:
        """Return the private functions that are unreachable from visible functions."""
        if not self.entries:
            return []
        inside = {
            op: {r for inner in op.walk() for r in symbol_references(inner)} for op in self.functions.values()
        }
        outside = [op for op in self.ops if op.function is None]
        pending = [name for op in outside for name in symbol_references(op)]
        pending += [str(op.python_value("sym_name")) for op in self.entries]
        reached: set[str] = set()
        while pending:
            name = pending.pop()
            if name not in reached:
                reached.add(name)
                pending += inside.get(self.functions[name], ()) if name in self.functions else ()
        return [op for name, op in self.functions.items() if is_private(op) and name not in reached]


def is_private(function: Operation) -> bool:
    """Test whether a function has private visibility."""
    return function.python_value("sym_visibility") == "private"


def _is_terminator(op: Operation) -> bool:
    return has_trait(op.name, "terminator")


def _has_no_effects(op: Operation) -> bool:
    """Test whether an op itself, without its regions and callees, has no side effects.

    What has no results is there for its effects.
    """
    if not op.results and not _is_terminator(op):
        return False
    if has_trait(op.name, "external_call"):
        # The specification's default is no side effects, but calls such as `print` often omit the attribute.
        side_effect = op.attribute("has_side_effect")
        return getattr(side_effect, "value", True) is False
    effects: tuple[Trait, ...] = ("pure", "recursive_effects", "runs_bodies")
    return any(has_trait(op.name, trait) for trait in effects)


def _add_with_ancestors(op: Operation, found: set[Operation]) -> None:
    around: Operation | None = op
    while around is not None and around not in found:
        found.add(around)
        around = around.parent_op


def duplicates(ops: Iterable[Operation]) -> Iterator[tuple[Operation, Operation]]:
    """Find common subexpressions: ops without side effects that repeat an earlier op of their block.

    Args:
        ops: The ops, in the order of the text.

    Yields:
        Each repeated op, with the first one.
    """
    first: dict[Hashable, Operation] = {}
    same: dict[Value, Value] = {}
    for op in ops:
        if not _may_be_shared(op):
            continue
        operands = tuple([same.get(value, value) for value in op.operands])
        original = first.setdefault((op.name, op.parent, operands, _attributes(op), _result_types(op)), op)
        if original is not op:
            same.update(zip(op.results, original.results, strict=True))
            yield op, original


def _may_be_shared(op: Operation) -> bool:
    return (
        has_trait(op.name, "pure")
        and not _is_terminator(op)
        and bool(op.results)
        and not has_trait(op.name, "identity")
        and not any(isinstance(result.type, TokenType | FutureType) for result in op.results)
    )


def _attributes(op: Operation) -> Hashable:
    return tuple(sorted({**op.properties, **op.attributes}.items(), key=lambda item: item[0]))


def _result_types(op: Operation) -> tuple[Type, ...]:
    return tuple([result.type for result in op.results])


def in_all(places: Sized) -> str:
    """Return the suffix of a message that reports the first of several places; "" for one."""
    return f" ({len(places)} in total)" if len(places) > 1 else ""
