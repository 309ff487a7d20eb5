"""The greedy driver: applies rules from a worklist until no rule matches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stablehlo_py.diagnostics.diagnostic import InternalError
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.opset.effects import is_dead
from stablehlo_py.transforms.constants import share_constants
from stablehlo_py.transforms.regions import postorder
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.rules.rule_set import RuleSet

MOST_REWRITES = 1000  # per op of the program: a bound against rules that undo each other


def apply_rules(
    module: Module,
    root: Operation,
    rules: Sequence[Rule],
    options: Mapping[str, Any] | None = None,
    erase_dead: bool = True,
    share: bool = True,
) -> dict[str, int]:
    """Apply rules to the ops inside of an op, until no rule matches.

    Args:
        module: The module.
        root: The op, usually a function or the module, which itself is not rewritten.
        rules: The rules. Rules with a higher benefit are tried first; of equal benefit, earlier rules.
        options: The options of the pass, which rules may read; `exact` leaves out inexact rules.
        erase_dead: Whether to erase pure ops without uses.
        share: Whether to merge equal constants of a block.

    Returns:
        How many times each rule was applied, by its name.

    Raises:
        InternalError: If rules do not reach a fixed point.
    """
    driver = _Driver(
        module, RuleSet.of(tuple(rules), exact=bool((options or {}).get("exact"))), options or {}
    )
    driver.erase_dead = erase_dead
    while True:
        driver.run(root)
        if not (share and share_constants(root)):
            return driver.counts


class _Driver:
    """The worklist: a stack of ops, where each op is at most once."""

    def __init__(self, module: Module, rules: RuleSet, options: Mapping[str, Any]) -> None:
        self.rewriter = Rewriter(module, options)
        self.rules = rules
        self.counts: dict[str, int] = {}
        self.erase_dead = True
        self._root: Operation | None = None
        self._pending: list[Operation] = []
        self._listed: set[Operation] = set()

    def run(self, root: Operation) -> None:
        """Rewrite the ops inside of an op to a fixed point."""
        self._root = root
        inside = [op for op in postorder(root) if op is not root]
        left = MOST_REWRITES * (len(inside) + 10)
        self._push(inside)  # users first: the last op is rewritten first
        while self._pending:
            op = self._pending.pop()
            self._listed.discard(op)
            if op.parent is None:
                continue
            if self.erase_dead and is_dead(op):
                self.rewriter.erase(op)
            elif not self._rewrite(op):
                continue
            self._follow_up()
            left -= 1
            if left < 0:
                raise InternalError(f"rules do not reach a fixed point, the last at {op.name}")
        self.rewriter.flush()

    def _rewrite(self, op: Operation) -> bool:
        """Apply the first rule that matches an op; return whether there was one.

        The op in the body of an asynchronous op stays: the body has one op, of a certain kind.
        """
        around = op.parent_op
        if around is not None and has_trait(around.name, "single_op_body"):
            return False
        for rule in self.rules.of_op(op.name):
            if rule.apply(op, self.rewriter):
                self.counts[rule.name] = self.counts.get(rule.name, 0) + 1
                return True
        return False

    def _follow_up(self) -> None:
        """Add to the worklist what the last change may let rules match: the new ops are next."""
        rewriter = self.rewriter
        touched = [op for op in rewriter.touched if op.parent is not None]
        created = [inner for op in rewriter.created for inner in op.walk()]
        self._push(self._around([*touched, *created]))
        self._push(touched)
        self._push(reversed(created))
        rewriter.touched, rewriter.created = [], []

    def _around(self, ops: list[Operation]) -> list[Operation]:
        """Return the ops inside of the root whose regions contain ops, the outermost first."""
        found: dict[Operation, None] = {}
        for op in ops:
            around = op.parent_op
            while around is not None and around is not self._root and around not in found:
                found[around] = None
                around = around.parent_op
        return list(found)[::-1]

    def _push(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            if op not in self._listed:
                self._listed.add(op)
                self._pending.append(op)
