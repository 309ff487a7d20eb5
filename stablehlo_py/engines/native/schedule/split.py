"""Index-set splitting and loop unswitching: inner loops without tests.

A condition that is invariant in a loop is tested outside (unswitching). A loop is split where a condition on
its variable changes, so that most iterations have no test: inside of a padded array or of a window, and in
each operand of a concatenation. Whether the window of a scatter is in bounds is tested once for the window.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from itertools import pairwise

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import (
    Apply,
    Buffer,
    Choose,
    Expression,
    Load,
    Reference,
    Substitution,
    apply,
    choose,
    numbers_of,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import (
    Condition,
    Index,
    Variable,
    negated,
    of_variable,
    variables_of,
)
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Guard,
    If,
    Loop,
    Program,
    Statement,
    Store,
    bodies_of,
    expressions_of,
    rewritten,
    walk,
    with_bodies,
)
from stablehlo_py.engines.native.loop_ir.uses import stored_by
from stablehlo_py.engines.native.machine import target
from stablehlo_py.engines.native.schedule.nests import map_nests, variables_behind, variables_in

_AND = "stablehlo.and"


def split(program: Program) -> Program:
    """Move tests and choices out of loops, and split loops where choices change."""
    body = map_nests(program.body, lambda nest: [_tested_first(nest)])
    return Program(program.buffers, map_nests(body, lambda nest: _Splitting(nest).nests()))


# Tests


def _tested_first(nest: Loop) -> Loop:
    """A nest with the tests of loops in front of them; it remains a loop, if only of one iteration."""
    nest = nest.with_body(_tested_outside(nest.body))
    tested = _behind_tests(nest) if nest.kind == "for" else nest  # parallel iterations are for threads
    return nest if tested is nest else Loop(Variable(f"{nest.variable}_once", 1), (tested,), "for")


def _tested_outside(block: Sequence[Statement]) -> list[Statement]:
    """A block with the tests of loops in front of them, innermost loops first."""
    inside = [with_bodies(each, [_tested_outside(body) for body in bodies_of(each)]) for each in block]
    return [_behind_tests(each) if isinstance(each, Loop) else each for each in inside]


def _behind_tests(loop: Loop) -> Statement:
    """A loop over nothing but a test, behind the conditions that are the same for all its iterations."""
    test = loop.body[0]
    if len(loop.body) > 1 or not isinstance(test, If) or test.otherwise or not loop.is_whole:
        return loop
    conditions, stored = _conjuncts(test.condition), stored_by([loop]).keys()
    moved = [each for each in conditions if _is_invariant(each, loop.variable, stored)]
    if not moved:
        return loop
    kept = [each for each in conditions if each not in moved]
    inner = (If(_conjunction(kept), test.body),) if kept else test.body
    return If(_conjunction(moved), (loop.with_body(inner),))


def _is_invariant(condition: Expression, variable: Variable, stored: Collection[Buffer]) -> bool:
    """Test whether a condition depends neither on a loop variable nor on buffers that the loop stores to."""
    seen = visit(condition, set())
    return variable not in variables_in(condition) and not any(
        isinstance(each, Load) and each.buffer in stored for each in seen
    )


def _conjuncts(condition: Expression) -> list[Expression]:
    """The conditions that hold if and only if a condition does."""
    if isinstance(condition, Apply) and condition.op == _AND:
        return [each for argument in condition.arguments for each in _conjuncts(argument)]
    return [condition]


def _conjunction(conditions: Sequence[Expression]) -> Expression:
    return reduce(lambda x, y: apply(_AND, x.type, (x, y)), conditions)


# Choices


class _Splitting:
    """Splits the loops of a nest; the number of statements is bounded."""

    def __init__(self, nest: Loop) -> None:
        self._nest = nest
        self._statements = 0

    def nests(self) -> Sequence[Statement]:
        """Return the nests of the pieces; each has an outermost loop with a frame for each iteration."""
        if not any(_choices(self._nest)):
            return [self._nest]
        return self._loop(self._nest, is_outermost=True)

    def _block(self, statements: Sequence[Statement]) -> list[Statement]:
        found: list[Statement] = []
        for statement in statements:
            if isinstance(statement, Loop):
                found += self._loop(statement)
            else:
                bodies = bodies_of(statement)
                found.append(
                    with_bodies(statement, [self._block(b) for b in bodies]) if bodies else statement
                )
        return found

    def _loop(self, loop: Loop, is_outermost: bool = False) -> list[Statement]:
        """A loop in pieces, each behind the tests that are the same for all its iterations."""
        choices = list(_choices(loop))
        if not choices:
            return [loop]
        size = sum(isinstance(each, Store) for each in walk([loop]))
        fixed = () if is_outermost else _fixed(loop, choices)
        if fixed and (self._statements + size <= cost.STATEMENTS or loop.kind == "vectorized"):
            self._statements += size
            return self._unswitched(loop, fixed)
        pieces = self._pieces(loop, choices)
        if len(pieces) == 1 or self._statements + size * len(pieces) > cost.STATEMENTS:
            return [loop.with_body(self._block(loop.body))]
        self._statements += size * (len(pieces) - 1)
        found: list[Statement] = []
        for piece in pieces:
            found += self._piece(loop, piece, is_outermost)
        return found

    def _unswitched(self, loop: Loop, conditions: tuple[Condition, ...]) -> list[Statement]:
        """Return a loop under a test of invariant conditions; other conditions stay in the loop."""
        inside, outside = (rewritten(loop, _Decided(conditions, holds)) for holds in (True, False))
        return [Guard(conditions, tuple(self._block([inside])), tuple(self._block([outside])))]

    def _piece(self, loop: Loop, piece: range, is_outermost: bool) -> list[Statement]:
        """The iterations of a part of a loop's range."""
        variable = Variable(f"{loop.variable}_{piece.start}", len(piece))
        change = Substitution({loop.variable: of_variable(variable) + piece.start})
        body = [rewritten(each, change) for each in loop.body]
        if len(piece) == 1 and not is_outermost:
            return self._block(body)
        return self._loop(Loop(variable, tuple(body), loop.kind), is_outermost)

    def _pieces(self, loop: Loop, choices: Sequence[Choose]) -> list[range]:
        """The parts of a loop's range in which more choices are decided."""
        variable, whole = loop.variable, range(loop.variable.extent)
        if not loop.is_whole or loop.kind not in ("for", "parallel") or len(whole) < cost.SPLIT:
            return [whole]
        places = {0, len(whole)}
        for choice in choices:
            for condition in choice.conditions:
                if variable in variables_of(condition[0]) and not _is_cheap(loop, choice, condition):
                    places.update(_changes(condition, variable))
        cuts = sorted(places)
        pieces = [range(low, high) for low, high in pairwise(cuts)]
        return pieces if len(pieces) <= cost.PIECES_OF_LOOP else [whole]


class _Decided(Substitution):
    """Decides choices by what is known of some conditions: that all of them hold, or that they do not."""

    def __init__(self, conditions: tuple[Condition, ...], holds: bool) -> None:
        known = conditions if holds else negated(conditions)

        def replace(expression: Expression) -> Expression | None:
            if not isinstance(expression, Choose):
                return None
            decided = {each: _decision(each, known) for each in expression.conditions}
            if False in decided.values() or (not holds and set(conditions) <= decided.keys()):
                return expression.outside
            rest = tuple([each for each, decision in decided.items() if decision is None])
            return choose(rest, expression.inside, expression.outside) if len(rest) < len(decided) else None

        super().__init__({}, replace)


def _decision(condition: Condition, known: Sequence[Condition]) -> bool | None:
    """Whether a condition holds where others hold; None where these do not decide it."""
    index, bound = condition
    if any(other == index and limit >= bound for other, limit in known):
        return True
    return False if any(other == index * -1 and limit > -bound for other, limit in known) else None


def _choices(statement: Statement) -> Iterator[Choose]:
    """The choices in the values that a nest stores, except for choices in folds, which define names."""
    for inner in walk([statement]):
        if not isinstance(inner, Fold):
            seen: set[Expression] = set()
            for root in expressions_of(inner):
                yield from [each for each in visit(root, seen) if isinstance(each, Choose)]


def _inner_loops(loop: Loop) -> list[Variable]:
    return [each.variable for each in walk([loop]) if isinstance(each, Loop)]


def _fixed(loop: Loop, choices: Sequence[Choose]) -> tuple[Condition, ...]:
    """The conditions of a choice that are invariant in a loop and in the loops inside of it."""
    own, stored = set(_inner_loops(loop)), stored_by([loop]).keys()
    for choice in choices:
        same = [each for each in choice.conditions if not variables_behind(each[0]) & own]
        found = tuple([each for each in same if _is_known_before(each[0], stored)])
        if found:
            return found
    return ()


def _is_known_before(index: Index, stored: Collection[Buffer]) -> bool:
    """Test whether the numbers in an index refer to no names, and to no buffers that the loop stores to."""
    found = [each for number in numbers_of(index) for each in visit(number, set())]
    names = any(isinstance(each, Reference) for each in found)
    return not names and not any(isinstance(each, Load) and each.buffer in stored for each in found)


def _is_cheap(loop: Loop, choice: Choose, condition: Condition) -> bool:
    """Test whether a condition is cheap beside the inner loops after it."""
    found = _iterations(loop.body, choice, variables_of(condition[0]))
    return found is not None and found[0] >= cost.HOISTED


def _iterations(
    statements: Sequence[Statement], choice: Choose, used: set[Variable]
) -> tuple[int, bool] | None:
    """The iterations of the loops around a choice, up to those over some variables; whether there are any."""
    for statement in statements:
        if isinstance(statement, Store) and choice in visit(statement.value, set()):
            return 1, False
        found = _iterations([each for body in bodies_of(statement) for each in body], choice, used)
        if found is None:
            continue
        count, ended = found
        if isinstance(statement, Loop) and not ended:
            if statement.variable in used:
                return count, True
            extent = statement.variable.extent
            count *= max(1, extent // (target().vector // 4)) if statement.kind == "vectorized" else extent
        return count, ended
    return None


def _changes(condition: Condition, variable: Variable) -> Iterator[int]:
    """Yield the iterations where a condition begins or ceases to hold, for all values of other variables."""
    index, bound = condition
    factor = index.coefficient(variable)
    rest = index.without(variable)
    if not factor or variable in variables_of(rest):
        return
    limit = bound - rest.bounds[0]  # factor * variable is at least as much where it holds for all others
    place = -(-limit // factor) if factor > 0 else (-limit) // -factor + 1
    if 0 < place < variable.extent:
        yield place
