"""Places of a source file where a bug can be planted, and the file with the bug."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import parso
from mutant_operators import WITHOUT_EFFECT, operators
from parso.tree import NodeOrLeaf

OPERATORS = operators()


@dataclass(frozen=True)
class Site:
    """A bug: variant `variant` of an operator, at a node of a file."""

    file: str
    line: int
    operator: int  # in OPERATORS
    node: int  # in the order of the text
    variant: int


@dataclass(frozen=True)
class Mutant:
    """A bug, with the file that has it."""

    site: Site
    original: str
    text: str
    removed: tuple[str, ...]  # lines, without white space around them
    added: tuple[str, ...]

    @property
    def operator(self) -> str:
        return type(OPERATORS[self.site.operator]).__name__

    def difference(self) -> str:
        """The difference from the original, as `diff -u` prints it."""
        before, after = self.original.splitlines(), self.text.splitlines()
        lines = difflib.unified_diff(before, after, n=2, lineterm="")
        return "\n".join([f"--- {self.site.file}:{self.site.line} ({self.operator})", *list(lines)[2:]])


class Source:
    """A source file."""

    def __init__(self, root: Path, file: str) -> None:
        self.file = file
        self.text = (root / file).read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def code_lines(self) -> list[int]:
        """The lines on which a bug can be: of code that runs, without imports and annotations."""
        lines: set[int] = set()
        for statement in _statements(self.tree):
            lines |= set(range(statement.lineno, (_head_end(statement) or statement.lineno) + 1))
        return sorted(lines)

    @cached_property
    def without_effect(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Where annotations, assertions and values of keywords without effect start and end."""
        found: list[ast.expr | ast.stmt | None] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.AnnAssign | ast.arg):
                found.append(node.annotation)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append(node.returns)
            elif isinstance(node, ast.Assert):
                found.append(node)
            elif isinstance(node, ast.keyword) and node.arg in WITHOUT_EFFECT:
                found.append(node.value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast":
                found.append(node.args[0])
        lines = self.text.splitlines()
        return [
            (_position(lines, e.lineno, e.col_offset), _position(lines, e.end_lineno, e.end_col_offset))
            for e in found
            if e is not None and e.end_lineno is not None and e.end_col_offset is not None
        ]

    @cached_property
    def _nodes(self) -> dict[int, list[tuple[int, NodeOrLeaf]]]:
        """The nodes that start on each line, with their numbers."""
        found: dict[int, list[tuple[int, NodeOrLeaf]]] = {}
        for number, node in enumerate(_walk(parso.parse(self.text))):
            found.setdefault(node.start_pos[0], []).append((number, node))
        return found

    def sites(self, line: int) -> list[Site]:
        """The bugs that can be planted on a line."""
        return [
            Site(self.file, line, operator, number, variant)
            for number, node in self._nodes.get(line, [])
            if not any(start <= node.start_pos < end for start, end in self.without_effect)
            for operator, each in enumerate(OPERATORS)
            for variant, _ in enumerate(each.mutation_positions(node))
        ]

    def is_in_function(self, line: int) -> bool:
        """Whether a line runs when a function is called, not when the module is imported."""
        functions = [n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef | ast.Lambda)]
        starts = [n.body[0].lineno if isinstance(n, ast.FunctionDef) else n.lineno for n in functions]
        return any(a <= line <= (n.end_lineno or a) for a, n in zip(starts, functions, strict=True))

    def defined(self, line: int) -> list[str]:
        """The names that the statement of the module in which a line is defines."""
        for each in self.tree.body:
            if each.lineno <= line <= (each.end_lineno or each.lineno):
                names = [
                    n for n in ast.walk(each) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                ]
                return [each.name] if isinstance(each, ast.ClassDef) else [name.id for name in names]
        return []

    def subject(self, line: int) -> str:
        """The name of the row of a table that a line is in: an op, a rule; "" if there is none."""
        calls = [n for n in ast.walk(self.tree) if isinstance(n, ast.Call)]
        around = [n for n in calls if n.lineno <= line <= (n.end_lineno or n.lineno)]
        for call in sorted(around, key=lambda n: (n.end_lineno or n.lineno) - n.lineno, reverse=True):
            named = [k.value for k in call.keywords if k.arg == "name"] + call.args[:1]
            for value in named:
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    return value.value.rpartition(".")[2]
        return ""

    def statement(self, line: int) -> list[int]:
        """A line, then the others of its statement; of a compound one, those of its head."""
        found = [line]
        for each in _statements(self.tree):
            lines = range(each.lineno, (_head_end(each) or each.lineno) + 1)
            found += [other for other in lines if line in lines and other != line]
        return found

    def mutant(self, site: Site) -> Mutant | None:
        """The file with a bug; None if it is not Python, or is the same program."""
        tree = parso.parse(self.text)
        node = next(node for number, node in enumerate(_walk(tree)) if number == site.node)
        parent = node.parent
        place = next(i for i, child in enumerate(parent.children) if child is node)
        parent.children[place] = OPERATORS[site.operator].mutate(node, site.variant)
        text = tree.get_code()
        try:
            if ast.dump(ast.parse(text)) == ast.dump(self.tree):
                return None
        except SyntaxError:
            return None
        removed, added = _changed(self.text, text)
        return Mutant(site, self.text, text, removed, added)


def _changed(before: str, after: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    removed = tuple(line[2:].strip() for line in lines if line.startswith("- "))
    return removed, tuple(line[2:].strip() for line in lines if line.startswith("+ "))


def _walk(node: NodeOrLeaf) -> Iterator[NodeOrLeaf]:
    for child in getattr(node, "children", ()):
        yield child
        yield from _walk(child)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements that run, below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal | ast.Pass):
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        if isinstance(child, ast.FunctionDef) and "'overload'" in "".join(
            map(ast.dump, child.decorator_list)
        ):
            continue
        if isinstance(child, ast.Assign) and "__all__" in ast.dump(child.targets[0]):
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from _statements(child)


def _head_end(statement: ast.stmt) -> int | None:
    """The last line of a statement, or of its head if it has a body."""
    body = getattr(statement, "body", None)
    return body[0].lineno - 1 if isinstance(body, list) and body else statement.end_lineno


def _position(lines: list[str], line: int, column: int) -> tuple[int, int]:
    """A position in characters; `ast` counts bytes."""
    return line, len(lines[line - 1].encode()[:column].decode())
