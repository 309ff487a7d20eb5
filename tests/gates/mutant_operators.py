"""Mutation operators: those of cosmic-ray that make realistic bugs, and ours in the same interface."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator
from parso.python.tree import Name
from parso.tree import BaseNode, NodeOrLeaf

# By name in cosmic-ray. Left out: what makes another type of value, what changes only speed (decorators such
# as `cache`), and pairs that are equal on all values of ours (`==` and `is`).
_FROM_COSMIC_RAY = """
ReplaceComparisonOperator_Eq_NotEq ReplaceComparisonOperator_NotEq_Eq
ReplaceComparisonOperator_Lt_LtE ReplaceComparisonOperator_LtE_Lt
ReplaceComparisonOperator_Gt_GtE ReplaceComparisonOperator_GtE_Gt
ReplaceComparisonOperator_Lt_GtE ReplaceComparisonOperator_Gt_LtE
ReplaceComparisonOperator_Is_IsNot ReplaceComparisonOperator_IsNot_Is
ReplaceBinaryOperator_Add_Sub ReplaceBinaryOperator_Sub_Add
ReplaceBinaryOperator_Mul_FloorDiv ReplaceBinaryOperator_FloorDiv_Mul ReplaceBinaryOperator_Div_Mul
ReplaceBinaryOperator_Mod_FloorDiv ReplaceBinaryOperator_LShift_RShift ReplaceBinaryOperator_RShift_LShift
ReplaceBinaryOperator_BitOr_BitAnd ReplaceBinaryOperator_BitAnd_BitOr
ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd AddNot
ReplaceUnaryOperator_Delete_Not ReplaceUnaryOperator_Delete_USub
ReplaceBreakWithContinue ReplaceContinueWithBreak
NumberReplacer ZeroIterationForLoop ExceptionReplacer
"""

_PAIRS = (
    "min max, minimum maximum, any all, floor ceil, startswith endswith, lstrip rstrip, isnan isinf, "
    "find rfind, removeprefix removesuffix, partition rpartition, lhs rhs, bisect_left bisect_right, "
    "zeros ones, logical_and logical_or, right_shift left_shift, appendleft append, "
    "popleft pop, intersection union"
)
# Keywords that change no result: lengths are equal where all is well; the others decide only speed.
WITHOUT_EFFECT = {"strict", "slots", "maxsize", "copy"}
_COMMUTATIVE = {
    *("max", "min", "maximum", "minimum", "logical_and", "logical_or", "array_equal", "suppress", "gcd"),
    *("equal", "not_equal", "compatible", "define"),
}
_OPS = {"add", "multiply", "and", "or", "xor", "maximum", "minimum"}  # of two operands, in any order
_OTHER = {a: b for pair in _PAIRS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}


class Rewriting(Operator):  # type: ignore[misc]
    """An operator that puts a text in place of a node."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        """What may stand in place of the node."""
        raise NotImplementedError

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        for _ in self.texts(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        return Name(self.texts(node)[index], node.start_pos, node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class SwapArguments(Rewriting):
    """`f(a, b)` becomes `f(b, a)`."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type != "arglist" or node.parent.type != "trailer":
            return []
        called = node.parent.get_previous_sibling()
        if called is None or _code(called).lstrip(".") in _COMMUTATIVE:
            return []
        places = [i for i, child in enumerate(node.children) if child.type not in ("operator", "argument")]
        if _code(called) in _OPS and len(places) == 2:
            return []
        if _code(node.children[0]).strip('"').removeprefix("stablehlo.") in _OPS:  # an op by its name
            places = places[:2]
        pairs = [(i, j) for i, j in pairwise(places) if j == i + 2]
        return [_swapped(node, i, j) for i, j in pairs if _code(node.children[i]) != _code(node.children[j])]


class SwapOperands(Rewriting):
    """`a - b` becomes `b - a`."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type not in ("arith_expr", "term", "shift_expr") or len(node.children) != 3:
            return []
        swaps = (
            node.children[1].value in ("-", "/", "//", "%", "<<", ">>") and node.children[0].type != "string"
        )
        return [_swapped(node, 0, 2)] if swaps else []


class DropCondition(Rewriting):
    """A conjunct or a disjunct is dropped."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        return _each_dropped(node) if node.type in ("and_test", "or_test") else []


class DropGuard(Rewriting):
    """An `if` that leaves the block is dropped."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type != "if_stmt" or len(node.children) != 4 or node.children[3].type != "suite":
            return []
        last = node.children[3].children[-1]
        first = last.children[0] if last.type == "simple_stmt" else last
        leaves = first.get_first_leaf().value in ("return", "raise", "continue", "break")
        return ["pass\n"] if leaves else []


class DropFilter(Rewriting):
    """The condition of a comprehension is dropped."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        return [""] if node.type == "comp_if" else []


class DropRow(Rewriting):
    """An element of a list, set or dictionary is dropped; of a tuple in a module or class."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type not in ("testlist_comp", "dictorsetmaker") or node.parent.type != "atom":
            return []
        if any(child.type in ("sync_comp_for", "comp_for") for child in node.children):
            return []
        if node.parent.children[0].value == "(" and _function(node):
            return []
        if node.parent.parent.type in ("subscript", "subscriptlist"):
            return []  # of a type
        return _each_row_dropped(node)


class IndexOffByOne(Rewriting):
    """`x[i]` becomes `x[i + 1]`."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        is_index = node.type == "name" and node.parent.type == "trailer" and _function(node)
        return [f"{node.value} + 1"] if is_index and node.parent.children[0].value == "[" else []


class RangeOffByOne(Rewriting):
    """`range(n)` becomes `range(n - 1)` or `range(1, n)`."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        before = node.get_previous_sibling() if node.type == "trailer" else None
        if before is None or _code(before) != "range" or len(node.children) != 3:
            return []
        inside = node.children[1]
        if inside.type == "arglist":
            return [f"({_code(inside.children[0])} + 1{''.join(c.get_code() for c in inside.children[1:])})"]
        return [f"({_code(inside)} - 1)", f"(1, {_code(inside)})"]


class DropKeyword(Rewriting):
    """`f(x, strict=True)` becomes `f(x)`."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type != "trailer" or node.children[0].value != "(" or len(node.children) != 3:
            return []
        inside = node.children[1]
        rows = [c for c in inside.children if c != ","] if inside.type == "arglist" else [inside]
        keywords = [row for row in rows if row.type == "argument" and row.children[1] == "="]
        keywords = [row for row in keywords if row.children[0].value not in WITHOUT_EFFECT]
        return [f"({', '.join(_code(row) for row in rows if row is not keyword)})" for keyword in keywords]


class OtherName(Rewriting):
    """`min` becomes `max`."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type != "name" or node.value not in _OTHER or node.parent.type in ("param", "import_from"):
            return []
        is_keyword = node.parent.type == "argument" and node.parent.children[0] is node
        return [] if is_keyword or node.is_definition() else [_OTHER[node.value]]


class NotInBecomesIn(Rewriting):
    """`a in b` becomes `a not in b`, and the other way."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type == "comp_op" and _code(node) == "not in":
            return ["in"]
        return (
            ["not in"] if node.type == "keyword" and node == "in" and node.parent.type == "comparison" else []
        )


class WrongDefault(Rewriting):
    """A default that is a text becomes another text; numbers and booleans have operators of their own."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type != "string" or node.parent.type != "param":
            return []
        return ['"x"' if _code(node) in ('""', "''") else '""']


class DropStatement(Rewriting):
    """A call whose result is not used, or an augmented assignment, is dropped."""

    def texts(self, node: NodeOrLeaf) -> list[str]:
        if node.type != "simple_stmt" or not _function(node):
            return []
        first = node.children[0]
        is_call = first.type in ("atom_expr", "power") and first.children[-1].type == "trailer"
        is_update = first.type == "expr_stmt" and first.children[1].type in ("operator", "augassign")
        is_update = is_update and first.children[1] != "=" and len(first.children) == 3
        return ["pass\n"] if is_call or is_update else []


OURS = (
    SwapArguments,
    SwapOperands,
    DropCondition,
    DropGuard,
    DropFilter,
    DropRow,
    IndexOffByOne,
    RangeOffByOne,
    DropKeyword,
    OtherName,
    NotInBecomesIn,
    WrongDefault,
    DropStatement,
)


def operators() -> list[Operator]:
    """All operators, in a fixed order."""
    theirs = [get_operator(f"core/{name}")() for name in _FROM_COSMIC_RAY.split()]
    return [*theirs, *(each() for each in OURS)]


def _code(node: NodeOrLeaf) -> str:
    """The text of a node without what stands before it."""
    return str(node.get_code(include_prefix=False))


def _function(node: NodeOrLeaf) -> bool:
    """Whether the node is in a function, not only in a module or class."""
    while node is not None and node.type not in ("funcdef", "lambdef"):
        node = node.parent
    return node is not None


def _swapped(node: BaseNode, i: int, j: int) -> str:
    texts = [child.get_code(include_prefix=k > 0) for k, child in enumerate(node.children)]
    prefix = node.children[j].get_first_leaf().prefix
    texts[i], texts[j] = _code(node.children[j]), prefix + _code(node.children[i])
    if i:
        texts[i] = node.children[i].get_first_leaf().prefix + texts[i]
    return "".join(texts)


def _each_dropped(node: BaseNode) -> list[str]:
    """The texts of an operation of several operands, without each of them."""
    word, operands = f" {node.children[1].value} ", node.children[::2]
    return [word.join(_code(each) for each in operands if each is not one) for one in operands]


def _each_row_dropped(node: BaseNode) -> list[str]:
    """The texts of a display's elements, without each of them."""
    rows: list[str] = [""]
    for child in node.children:
        if child == ",":
            rows.append("")
        else:
            rows[-1] += child.get_code()
    rows = [row for row in rows if row]
    if len(rows) < 2:
        return []
    # With a comma at the end, what is left of two elements in parentheses is still a tuple.
    return [",".join([*rows[:i], *rows[i + 1 :]]).lstrip() + "," for i in range(len(rows))]
