"""LALR parse loop: tokens and tables to a syntax tree, with error recovery.

It is equivalent to Lark's LALR parser with the same table: a tree has the rule's name and the children that
Lark keeps, with `?` rules, aliases and absent optional parts as in Lark. There are three differences. A node
is a tuple: the name of its rule, then its children, each a node, the index of a token, or None for an absent
optional part; the node of an `op` ends with the index of the next token. The lexer has cut the whole text
before: a word that is not a keyword in a state is a WORD there, which Lark's contextual lexer decides. After
an error, parsing continues at the next operation. Nothing recurses, at any depth of the input.

Most operations of a program read as an earlier one, but for names of values. Such an operation is not parsed
again: its node refers to that of the first one; see `Repeats`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import field
from operator import itemgetter
from typing import Any

from stablehlo_py.ir.records import dataclass
from stablehlo_py.opset.definition import cached_per_registry
from stablehlo_py.syntax.lalr.lexer import WORD, Tokens
from stablehlo_py.syntax.lalr.tables import Tables, load_tables

MAX_ERRORS = 100  # errors after which parsing stops

REPEATED = "repeated_op"  # the name of a node that refers to another; see `Repeats`
OPERATIONS = ("op", REPEATED)
_LONGEST_REPEAT = 128  # tokens of an operation that is compared with later ones
_MAX_REPEATED = 1024  # such operations, which bounds the memory
_ANY_VALUE, _ANY_LOCATION = " value", " location"  # for tokens that may differ; no token begins with a blank

Node = tuple[Any, ...]
Make = Callable[[list[Any], int], Any]


@dataclass(frozen=True, slots=True)
class Unexpected:
    """An unexpected token, the terminals that are possible there, and whether an op can start there."""

    token: int
    expected: tuple[str, ...]
    begins: bool


class SyntaxFailure(Exception):
    """A syntax error at the first unexpected token.

    Args:
        unexpected: The token.
    """

    def __init__(self, unexpected: Unexpected) -> None:
        super().__init__(unexpected)
        self.unexpected = unexpected


@dataclass(slots=True)
class Parsed:
    """A syntax tree, the unexpected tokens, and the ranges of tokens skipped after them."""

    tree: Node
    unexpected: list[Unexpected] = field(default_factory=list)
    skipped: list[range] = field(default_factory=list)


class Driver:
    """The parse loop over tables. One driver serves every parse: it has no state of a parse.

    Args:
        tables: The parser's tables.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rules = _Rules(tables)
        self._word = tables.terminals["WORD"]
        self._names = {n: name for name, n in tables.terminals.items()}
        self._value = tables.terminals["VALUE_ID"]
        self._string = tables.terminals["STRING_LITERAL"]
        self._location = tables.terminals["LOCATION"]
        self._ops = frozenset(tables.ops.values())
        self._open, self._close = tables.literals["{"], tables.literals["}"]
        self._following: dict[int, dict[int, int] | None] = {}  # see `_after_repeated`
        self._after_value = {tables.literals[c] for c in "=:,"}

    def parse(self, tokens: Tokens, start: str) -> Any:
        """Return the tree of a text.

        Args:
            tokens: The tokens of the text.
            start: The start symbol.

        Raises:
            SyntaxFailure: There is an unexpected token.
        """
        state, end = self._tables.starts[start]
        states: list[int] = [state]
        values: list[Any] = [None]
        at = self._run(tokens, states, values, 0, end)
        if at >= 0:
            raise SyntaxFailure(self._unexpected(states, at))
        return values[1]

    def parse_program(self, tokens: Tokens) -> Parsed:
        """Return the tree of a program; after an error, parsing continues at the next operation.

        Args:
            tokens: The tokens of the program.
        """
        state, end = self._tables.starts["program"]
        states: list[int] = [state]
        values: list[Any] = [None]
        parsed = Parsed(())
        repeats = Repeats(tokens, {self._value: _ANY_VALUE, self._location: _ANY_LOCATION})
        at = 0
        while True:
            at = self._run(tokens, states, values, at, end, repeats)
            if at < 0:
                parsed.tree = values[1]
                return parsed
            if tokens.begins_line(at):
                self._settle(states, values, at)
            parsed.unexpected.append(self._unexpected(states, at))
            start, resumed = self._recover(tokens, states, values, at)
            if len(parsed.unexpected) == MAX_ERRORS:
                resumed = len(tokens.kinds) - 1
            if not tokens.kinds[resumed]:
                self._leave_regions(states, values)
            parsed.skipped.append(range(start, resumed))
            at = resumed

    def _holds_ops(self, state: int) -> bool:
        """Test whether an operation can follow, as in the body of a region."""
        return self._tables.gotos[state][self._tables.op] is not None

    def _run(
        self,
        tokens: Tokens,
        states: list[int],
        values: list[Any],
        at: int,
        end: int,
        repeats: Repeats | None = None,
    ) -> int:
        """Parse from token `at` on; return the index of an unexpected token, or -1 at the end.

        `values` holds the value of the symbol before each state, and None for the start state.
        """
        actions, gotos, rules, op = self._tables.actions, self._tables.gotos, self._rules, self._tables.op
        kinds, texts, word, is_word = tokens.kinds, tokens.texts, self._word, WORD.fullmatch
        state = states[-1]
        while True:
            kind = kinds[at]
            action = actions[state][kind]
            if action is None:
                action = actions[state][word] if kind > 0 and is_word(texts[at]) else None
                if action is None:
                    return at
            if action >= 0:
                states.append(action)
                values.append(at)
                state = action
                at += 1
                continue
            start, nonterminal, make = rules[~action]
            if make is not None:
                values[start:] = (make(values, at),)
                del states[start:]
                state = gotos[states[-1]][nonterminal]
                states.append(state)
                if repeats is None:
                    pass
                elif nonterminal == op:
                    repeats.add(states[-2], values[-1], at)
                elif (found := repeats.find(state, at)) is not None:
                    node, at = found
                    following = self._after_repeated(state)
                    while following is not None and kinds[at] in following:
                        values[-1].append(node)
                        found = repeats.find(state, at)
                        if found is None:
                            break
                        node, at = found
                    if found is not None:
                        values.append(node)
                        state = gotos[state][op]
                        states.append(state)
            else:
                state = states[-1] = gotos[states[-2]][nonterminal]
            if state == end and kinds[at] == 0:
                return -1

    def _after_repeated(self, state: int) -> dict[int, int] | None:
        """Return the tokens before which an operation in a state becomes part of a list in the same state.

        None if the state is not that after a list of operations.
        """
        if state not in self._following:
            after = self._tables.actions.whole(self._tables.gotos[state][self._tables.op])
            shapes = {self._tables.rules[~action][3] if action < 0 else () for action in after.values()}
            self._following[state] = after if shapes == {("list", -1, 1)} else None
        return self._following[state]

    def _unexpected(self, states: list[int], at: int) -> Unexpected:
        row = self._tables.actions.whole(states[-1])
        return Unexpected(at, tuple(self._names[n] for n in row), self._holds_ops(states[-1]))

    def _settle(self, states: list[int], values: list[Any], at: int) -> None:
        """Complete the operation before token `at`, if it is complete when another starts there."""
        actions, gotos = self._tables.actions, self._tables.gotos
        trial = list(states)
        pending = []
        while (action := actions[trial[-1]][self._string]) is not None and action < 0:
            start, nonterminal, make = self._rules[~action]
            pending.append((start, make))
            del trial[start:]
            trial.append(gotos[trial[-1]][nonterminal])
        if not self._holds_ops(trial[-1]):
            return
        for start, make in pending:
            if make is not None:
                values[start:] = (make(values, at),)
        states[:] = trial

    def _recover(self, tokens: Tokens, states: list[int], values: list[Any], at: int) -> tuple[int, int]:
        """Drop the operation that does not parse; return its first token, and the token to continue at."""
        brackets = 0  # opened by the operation
        start = at
        while not self._holds_ops(states[-1]):
            value = values.pop()
            states.pop()
            brackets += self._is_open(tokens, value)
            start = first_token(value, start)
        in_region = any(self._is_open(tokens, value) for value in values)
        return start, self._resume(tokens, at, brackets, in_region, start < at)

    def _leave_regions(self, states: list[int], values: list[Any]) -> None:
        """Close all regions at a premature end of the text."""
        size = 2 if len(states) > 1 and self._holds_ops(states[1]) else 1
        del states[size:], values[size:]

    def _is_open(self, tokens: Tokens, value: Any) -> bool:
        return isinstance(value, int) and tokens.kinds[value] == self._open

    def _resume(self, tokens: Tokens, at: int, brackets: int, in_region: bool, may_stay: bool) -> int:
        """Return the next token that starts an operation or ends the region, past any nested region."""
        first, opened = at if may_stay else at + 1, 0
        while tokens.kinds[at]:
            kind = tokens.kinds[at]
            if kind == self._open:
                opened += 1
            elif kind == self._close and opened:
                opened -= 1
            elif kind == self._close and brackets:
                brackets -= 1
            elif at >= first and self._can_resume(tokens, at, opened, in_region):
                return at
            at += 1
        return at

    def _can_resume(self, tokens: Tokens, at: int, opened: int, in_region: bool) -> bool:
        if tokens.kinds[at] == self._close:
            return in_region
        return not opened and self._begins_op(tokens, at)

    def _begins_op(self, tokens: Tokens, at: int) -> bool:
        if not tokens.begins_line(at):
            return False
        kind, text = tokens.kinds[at], tokens.texts[at]
        if kind == self._value or text[0] in "#!":
            return tokens.kinds[at + 1] in self._after_value
        return kind in self._ops or text[0] in '^"' or (kind == self._word and "." in text)


class Repeats:
    """The operations parsed so far, to recognize those that differ by names of values and locations only.

    Their texts are a trie for each state in which they start: from that state on, equal tokens before equal
    kinds of tokens parse equally. Operations with regions or with locations in attributes are left out. The
    node of a repeated operation is (`REPEATED`, its first token, the distance from the first token of the
    other one, the node of that).

    Args:
        tokens: The tokens of the program.
        free: What stands for tokens of kinds that may differ.
    """

    def __init__(self, tokens: Tokens, free: dict[int, str]) -> None:
        self._kinds = tokens.kinds
        self._keys = list(map(free.get, tokens.kinds, tokens.texts))
        self._tries: dict[int, dict[Any, Any]] = {}
        self._count = 0

    def find(self, state: int, at: int) -> tuple[Node, int] | None:
        """Return the node of a repeated operation and the index of the token after it.

        Args:
            state: The state before the operation.
            at: Its first token.
        """
        step = self._tries.get(state)
        if step is None:
            return None
        keys, end = self._keys, at
        while (following := step.get(keys[end])) is not None:
            step = following
            end += 1
        found = step.get(self._kinds[end])
        if found is None:
            return None
        first, node = found
        return (REPEATED, at, at - first, node), end

    def add(self, state: int, node: Node, end: int) -> None:
        """Record an operation.

        Args:
            state: The state before it.
            node: Its node.
            end: The token after it.
        """
        if self._count == _MAX_REPEATED:
            return
        start = first_token(node)
        if end - start > _LONGEST_REPEAT:
            return
        keys = self._keys[start:end]
        _, _, _, location, _ = node
        if keys.count(_ANY_LOCATION) != (location is not None) or ("{" in keys and _has_region(node)):
            return
        self._count += 1
        step = self._tries.setdefault(state, {})
        for key in keys:
            step = step.setdefault(key, {})
        step[self._kinds[end]] = start, node


def _has_region(node: Node) -> bool:
    children = [child for child in node if isinstance(child, tuple)]
    return node[0] == "op_input_func" or any(map(_has_region, children))


def moved(value: Any, distance: int) -> Any:
    """Return a node like another one, with the tokens that are so much later.

    Args:
        value: The other node, or a part of it.
        distance: The number of tokens between them.
    """
    if not distance:
        return value
    if isinstance(value, tuple):
        return tuple([moved(child, distance) for child in value])
    return value + distance if isinstance(value, int) else value


def first_token(value: Any, default: int = 0) -> int:
    """Return the first token of a node, `default` if it has none."""
    pending = [iter((value,))]
    while pending:
        for child in pending[-1]:
            if child.__class__ is int:
                return child
            if child.__class__ is tuple or child.__class__ is list:
                pending.append(iter(child))
                break
        else:
            pending.pop()
    return default


class _Rules(dict[int, tuple[int, int, Make | None]]):
    """The start, the nonterminal and the action of each rule, made on first use.

    The start is where its symbols start in a stack, from the end, or beyond the end if there are none. The
    action is None for a rule of one symbol whose value it keeps.
    """

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, number: int) -> tuple[int, int, Make | None]:
        size, nonterminal, name, shape = self._tables.rules[number]
        is_kept = size == 1 and shape[0] == "inline"
        action = None if is_kept else _action(name, size, shape, nonterminal == self._tables.op)
        made = self[number] = -size if size else sys.maxsize, nonterminal, action
        return made


def _action(name: str, size: int, shape: tuple[Any, ...], has_end: bool) -> Make:
    """Return the function that makes the value of a rule, given all values so far and the next token.

    Args:
        name: The name of the rule.
        size: The number of its symbols, whose values are the last ones.
        shape: How the value is made; see `tables`.
        has_end: Whether a node ends with the next token.
    """
    kind, *children = shape
    # The first value is that of the start state, None, as are absent parts.
    places = [0 if c is None else (c if c >= 0 else ~c) - size for c in children]
    if kind == "inline":
        (place,) = places
        return lambda values, at: values[place]
    spliced = [c is not None and c < 0 for c in children]
    if kind == "list":
        return _gathering(places, spliced, spliced[:1] == [True])
    if any(spliced):
        gather = _gathering(places, spliced, False)
        return lambda values, at: (name, *gather(values, at))
    if has_end:
        pick = itemgetter(*places)
        return lambda values, at: (name, *pick(values), at)
    match places:
        case []:
            constant = (name,)
            return lambda values, at: constant
        case [one]:
            return lambda values, at: (name, values[one])
        case [one, two]:
            return lambda values, at: (name, values[one], values[two])
    pick = itemgetter(*places)
    return lambda values, at: (name, *pick(values))


def _gathering(places: list[int], spliced: list[bool], grows: bool) -> Make:
    """Return the action that gathers values in a list; if it grows, in that of the first symbol."""
    parts = [*zip(places, spliced, strict=True)][grows:]

    def gather(values: list[Any], at: int) -> list[Any]:
        found: list[Any] = values[places[0]] if grows else []
        for place, is_list in parts:
            if is_list:
                found += values[place]
            else:
                found.append(values[place])
        return found

    return gather


@cached_per_registry
def driver() -> Driver:
    """Return the parse loop for all definitions."""
    return Driver(load_tables())
