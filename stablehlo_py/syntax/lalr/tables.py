"""LALR tables: Lark's table for the whole grammar as plain data, in a wheel, or computed once and cached.

Lark reads the grammar and computes the table; `parse_loop` runs it. Two things are changed for the loop. A
composite (a type, a dense constant, a location) is a token that the lexer cuts whole although the grammar
spells it out. It stands for a nonterminal, and gets a column with the gotos of that nonterminal. States that
only occur inside composites are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import accumulate, chain
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from stablehlo_py.grammar import grammar_folder
from stablehlo_py.ir.records import dataclass
from stablehlo_py.opset.definition import all_definitions, cached_per_registry, extensions
from stablehlo_py.storage import cache as disk_cache
from stablehlo_py.storage import packaged
from stablehlo_py.syntax.lalr.full_grammar import form_syntax, grammar_text, lark_parser

if TYPE_CHECKING:
    from lark.grammar import Rule as LarkRule

STARTS = ("program", "type", "attribute", "location")
_WIDTH = 2  # bytes of a symbol or number
_pack_word = Struct("h").pack

# For each composite, the symbols of the grammar that it stands for, and their first terminals.
COMPOSITES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "TYPE": (("simple_type", "integer_type", "TYPE_ALIAS"), ("tensor", "SIGNED_INTEGER_TYPE", "TYPE_ALIAS")),
    "FUNCTION_TYPE": (("function_type", "inputs_and_outputs"), ("(",)),
    "ATTRIBUTE": (
        ("dialect_attribute", "named_struct", "ATTRIBUTE_ALIAS"),
        ("array", "ATTRIBUTE_ALIAS", "STRUCT_NAME"),
    ),
    "TENSOR_LITERAL": (("tensor_literal",), ("dense",)),
    "INTEGER_LIST": (("integer_list", "array", "mesh_axis_list"), ("[",)),
    "LOCATION": (("location",), ("loc",)),
    "RESOURCES": (("resources",), ("{-#",)),
    "TENSOR_SHAPE": (("tensor_shape",), ("tensor",)),
    "BUFFER_SHAPE": (("buffer_shape",), ("memref",)),
}
# Terminals that only occur inside composites.
_INSIDE_KEYWORDS = (
    "tensor memref vector array dense dense_resource sparse distinct affine_map strided {-# #-} *"
)
_INSIDE_TERMINALS = """
    FLOAT_TYPE SIGNED_INTEGER_TYPE UNSIGNED_INTEGER_TYPE BOOLEAN_TYPE TOKEN_TYPE INDEX_TYPE NONE_TYPE
    TYPE_ALIAS DIALECT_TYPE ATTRIBUTE_ALIAS DIALECT_ATTRIBUTE AFFINE_SET OPAQUE_TEXT BUILTIN_TEXT
    RESOURCE_KEY DIMENSION_SIZE
"""


class Row(dict[int, Any]):
    """The row of one state: the numbers of the symbols that were looked up there; None for one that it lacks.

    Args:
        rows: All rows.
        state: The state.
    """

    __slots__ = ("first", "rows", "stop")

    def __init__(self, rows: Rows, state: int) -> None:
        self.rows = rows
        self.first, self.stop = rows.ends[state], rows.ends[state + 1]

    def __missing__(self, symbol: int) -> int | None:
        rows, word = self.rows, _pack_word(symbol)
        first, stop = self.first * _WIDTH, self.stop * _WIDTH
        at = rows.symbols.find(word, first, stop)
        while at >= 0 and at % _WIDTH:  # the halves of two symbols
            at = rows.symbols.find(word, at + 1, stop)
        found = self[symbol] = rows.numbers[at // _WIDTH] if at >= 0 else None
        return found


class Rows(dict[int, Row]):
    """The rows of a table by state. A program uses few of them, and few symbols of these.

    Args:
        packed: The bytes of three arrays: where each row ends (int32), and the symbols and numbers of all
            rows (int16).

    Raises:
        ValueError: The arrays do not fit together.
    """

    def __init__(self, packed: tuple[bytes, bytes, bytes]) -> None:
        super().__init__()
        rows, self.symbols, numbers = packed
        ends = np.frombuffer(rows, np.int32)
        self.ends = [0, *ends.tolist()]
        self.numbers = memoryview(numbers).cast("h")
        if len(self.symbols) != len(numbers) or self.ends[-1] != len(self.numbers):
            raise ValueError("the arrays differ in length")
        if (ends[:1] < 0).any() or (np.diff(ends) < 0).any():
            raise ValueError("a row ends before it starts")

    def __missing__(self, state: int) -> Row:
        made = self[state] = Row(self, state)
        return made

    def whole(self, state: int) -> dict[int, int]:
        """Return the numbers of all symbols that the row of a state has."""
        row = slice(self.ends[state], self.ends[state + 1])
        symbols = memoryview(self.symbols).cast("h")[row]
        return dict(zip(symbols, self.numbers[row], strict=True))

    def is_within(self, symbols: int, states: int, rules: int) -> bool:
        """Test whether each symbol exists, and each number is a state, or `~rule` for a rule."""
        found, to = np.frombuffer(self.symbols, np.int16), np.asarray(self.numbers)
        return len(to) > 0 and bool(
            found.min() >= 0 and found.max() < symbols and to.min() >= -rules and to.max() < states
        )


def _pack(rows: list[dict[int, int]]) -> tuple[bytes, bytes, bytes]:
    """Return the argument of `Rows`."""
    ends = np.array([*accumulate(map(len, rows))], np.int32)
    symbols = np.array([symbol for row in rows for symbol in row], np.int16)
    numbers = np.array([number for row in rows for number in row.values()], np.int16)
    return ends.tobytes(), symbols.tobytes(), numbers.tobytes()


@dataclass(frozen=True, slots=True)
class Tables:
    """An LALR table over numbered terminals and nonterminals.

    Attributes:
        actions: `actions[state][terminal]` is the state to shift to, or `~rule` to reduce by.
        gotos: `gotos[state][nonterminal]` is the state after a reduction.
        rules: The rules as (size, nonterminal, name, shape); see `parse_loop`.
        starts: The start state and the accepting state of each start symbol.
        literals: The numbers of punctuation and keywords by their text.
        terminals: The names of the terminals.
        patterns: The regular expressions of the grammar's terminals.
        ops: The terminal that starts an op's pretty form.
        op: The nonterminal of an operation.
    """

    actions: Rows
    gotos: Rows
    starts: dict[str, tuple[int, int]]  # start state and accepting state
    rules: list[tuple[int, int, str, tuple[Any, ...]]]
    terminals: dict[str, int]
    literals: dict[str, int]
    patterns: dict[str, str]
    ops: dict[str, int]
    op: int  # the nonterminal of an operation


@cached_per_registry
def load_tables() -> Tables:
    """Return the tables for all definitions: from the package or the disk cache, or computed and stored."""
    return stored_tables() or _tables(_computed())


@cached_per_registry
def stored_tables() -> Tables | None:
    """Return the tables for all definitions if the package or the disk cache has them."""
    plain = _packaged() or disk_cache.load(*_entry(), _is_valid)
    return None if plain is None else _tables(plain)


def _entry() -> tuple[str, str]:
    """Return the name and the key of the tables in the disk cache."""
    added = _added_forms()
    sources = disk_cache.stamp([*_sources(), *_lark()])
    return "parser-extended" if added else "parser", f"{sources} {added}"


def _added_forms() -> list[tuple[str, str]]:
    return [(added.name, form_syntax(added)) for added in extensions() if added.form is not None]


def _computed() -> dict[str, Any]:
    """Compute the tables and store them in the disk cache."""
    plain = _plain()
    disk_cache.store(*_entry(), plain)
    return plain


def _plain() -> dict[str, Any]:
    text, ops = grammar_text(all_definitions())
    plain = _plain_tables(lark_parser(text, list(STARTS)))
    return plain | {"ops": {name: plain["terminals"][terminal] for name, terminal in ops.items()}}


# The tables in a wheel, as JSON: arrays are lists of numbers, which have no byte order, and so are tuples.

_ARRAYS = (np.int32, np.int16, np.int16)  # of `Rows`


def package_tables() -> None:
    """Write the tables into the package, for a wheel."""
    plain = _plain()
    rows = {
        name: [np.frombuffer(part, kind).tolist() for part, kind in zip(plain[name], _ARRAYS, strict=True)]
        for name in ("actions", "gotos")
    }
    packaged.store(_package_entry(), _sources(), plain | rows)


def _packaged() -> dict[str, Any] | None:
    """Return the tables in the package if it has any, and they are those of all definitions."""
    data = None if _added_forms() else packaged.load(_package_entry(), _sources())
    if data is None:
        return None
    for name in ("actions", "gotos"):
        parts = zip(data[name], _ARRAYS, strict=True)
        data[name] = tuple([np.array(part, kind).tobytes() for part, kind in parts])
    starts = {name: (first, last) for name, (first, last) in data["starts"].items()}
    rules = [(size, symbol, name, tuple(shape)) for size, symbol, name, shape in data["rules"]]
    return cast("dict[str, Any]", data | {"starts": starts, "rules": rules})


def _package_entry() -> Path:
    return grammar_folder() / "parser.json"


def _tables(plain: dict[str, Any]) -> Tables:
    return Tables(**plain | {"actions": Rows(plain["actions"]), "gotos": Rows(plain["gotos"])})


_SHAPES = {("list",), ("inline",), ("node",)}


def _is_valid(plain: Any) -> bool:
    """Test whether data has the structure of tables: a state, rule or symbol that something names exists."""
    if type(plain) is not dict or set(plain) != set(Tables.__slots__):
        return False
    rules, starts = plain["rules"], plain["starts"]
    actions, gotos = Rows(plain["actions"]), Rows(plain["gotos"])
    count = len(actions.ends) - 1
    states = range(count)
    return (
        len(gotos.ends) == len(actions.ends)
        and actions.is_within(len(plain["terminals"]), count, len(rules))
        and gotos.is_within(count, count, 0)
        and all(isinstance(pair, tuple) and [*map(type, pair)] == [int, int] for pair in starts.values())
        and all(state in states for pair in starts.values() for state in pair)
        and set(starts) == set(STARTS)
        and _are_rules(rules)
        and all(_is_named(plain[name], int) for name in ("terminals", "literals", "ops"))
        and _is_named(plain["patterns"], str)
        and type(plain["op"]) is int
    )


def _are_rules(rules: Any) -> bool:
    if type(rules) is not list or {*map(type, rules)} != {tuple} or {*map(len, rules)} != {4}:
        return False
    columns = [*zip(*rules, strict=True)]
    if [{*map(type, column)} for column in columns] != [{int}, {int}, {str}, {tuple}]:
        return False
    shapes = {*columns[3]}  # few are distinct
    children = chain.from_iterable([shape[1:] for shape in shapes])
    return {shape[:1] for shape in shapes} <= _SHAPES and {*map(type, children)} <= {int, type(None)}


def _is_named(table: Any, kind: type) -> bool:
    return type(table) is dict and {*map(type, table)} <= {str} and {*map(type, table.values())} <= {kind}


def _sources() -> Iterator[Path | os.DirEntry[str]]:
    """Yield the sources of the tables: the grammar, the definitions, and modules of this package."""
    here = Path(__file__)
    yield from disk_cache.sources(grammar_folder(), here.parents[2] / "opset")
    yield from (here, here.with_name("full_grammar.py"))
    yield from (here.parents[1] / "forms" / "assembly_format.py", here.parents[2] / "ir" / "element_types.py")


def _lark() -> Iterator[Path]:
    """Yield a file of Lark, which another version of it changes."""
    spec = find_spec("lark")
    if spec is not None and spec.origin:
        yield Path(spec.origin)


def _plain_tables(lark: Any) -> dict[str, Any]:
    """Return Lark's table as plain data, with columns for composites and without states inside them."""
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    table = lark.parser.parser._parse_table
    texts = {t.pattern.value: t.name for t in lark.terminals if isinstance(t.pattern, PatternStr)}
    used = {
        argument for row in table.states.values() for action, argument in row.values() if action is not Shift
    }
    rules = {rule: number for number, rule in enumerate(sorted(used, key=_order))}
    rows: dict[int, dict[str, int]] = {}  # terminals and nonterminals together
    for state, row in table.states.items():
        rows[state] = {
            symbol: argument if action is Shift else ~rules[argument]
            for symbol, (action, argument) in sorted(row.items())  # the same order each time
        }
        _fold(rows[state], texts)
    number = {state: n for n, state in enumerate(_reachable(rows, table.start_states.values()))}
    symbols = dict.fromkeys(symbol for state in number for symbol in rows[state])
    terminals = {"$END": 0}
    for symbol in symbols:
        if symbol.isupper():  # `$END` too
            terminals.setdefault(symbol, len(terminals))
    nonterminals = {symbol: n for n, symbol in enumerate(s for s in symbols if not s.isupper())}

    def numbered(state: int, names: dict[str, int]) -> dict[int, int]:
        found = [(names[symbol], to) for symbol, to in rows[state].items() if symbol in names]
        return {name: to if to < 0 else number[to] for name, to in found}

    return {
        "actions": _pack([numbered(state, terminals) for state in number]),
        "gotos": _pack([numbered(state, nonterminals) for state in number]),
        "starts": {s: (number[table.start_states[s]], number[table.end_states[s]]) for s in STARTS},
        "rules": [
            (len(r.expansion), nonterminals.get(r.origin.name, -1), r.alias or str(r.origin.name), _shape(r))
            for r in rules
        ],
        "terminals": terminals,
        "literals": {text: terminals[name] for text, name in texts.items() if name in terminals},
        "patterns": {t.name: _merge_characters(t.pattern.to_regexp()) for t in lark.terminals},
        "op": nonterminals["op"],
    }


def _order(rule: LarkRule) -> tuple[str, ...]:
    """Return the key that sorts rules."""
    return (str(rule.origin.name), rule.alias or "", *[symbol.name for symbol in rule.expansion])


_CHARACTER = r"\\[^\w\s]|[\w_]|\[(?!\^)(?:[^\[\]\\]|\\.)+\]"
_CHOICE = rf"\(\?:((?:{_CHARACTER})(?:\|(?:{_CHARACTER}))*)\)"


def _merge_characters(pattern: str) -> str:
    """Write choices of characters as classes, which compile faster: `(?:[a-z]|_)` as `[a-z_]`."""

    def merged(choice: re.Match[str]) -> str:
        inside = (c[1:-1] if c[0] == "[" else c for c in re.findall(_CHARACTER, choice[1], re.ASCII))
        return f"[{''.join(inside)}]"

    while (shorter := re.sub(_CHOICE, merged, pattern, flags=re.ASCII)) != pattern:
        pattern = shorter
    return pattern


def _fold(row: dict[str, int], texts: dict[str, str]) -> None:
    """Add the composites to a state's row, and remove the terminals that only occur inside them.

    A composite has the action of its symbol: the goto of that symbol; or, where the symbol is not possible
    yet, the reduction on its first terminals.
    """
    for composite, (symbols, beginnings) in COMPOSITES.items():
        actions = [row[symbol] for symbol in symbols if symbol in row]
        actions += [row[s] for s in (texts.get(b, b) for b in beginnings) if row.get(s, 0) < 0]
        if actions:
            row[composite] = actions[0]
    for text in _INSIDE_KEYWORDS.split():
        row.pop(texts[text], None)
    for terminal in _INSIDE_TERMINALS.split():
        row.pop(terminal, None)


def _reachable(rows: dict[int, dict[str, int]], starts: Iterable[int]) -> list[int]:
    """Return the reachable states, the start states first."""
    found = dict.fromkeys(starts)
    pending = list(found)
    while pending:
        for state in rows[pending.pop()].values():
            if state >= 0 and state not in found:
                found[state] = None
                pending.append(state)
    return list(found)


def _shape(rule: LarkRule) -> tuple[Any, ...]:
    """Return how a reduction makes its value: ("list",), ("inline",) or ("node",), then the children.

    A child is a position, None for an absent optional part, or ~position for a list to be spliced in.
    """
    empty = "".join(str(int(b)) for b in rule.options.empty_indices)
    absent = [len(run) for run in empty.split("0")] if empty else [0] * (len(rule.expansion) + 1)
    children: list[int | None] = []
    for position, symbol in enumerate(rule.expansion):
        children += [None] * absent[position]
        if not symbol.is_term:
            children.append(~position if symbol.name.startswith("_") else position)
        elif rule.options.keep_all_tokens or not getattr(symbol, "filter_out", False):
            children.append(position)
    children += [None] * absent[-1]
    if str(rule.origin.name).startswith("_"):
        return ("list", *children)
    is_inline = rule.options.expand1 and len(children) == 1 and not rule.alias
    return ("inline" if is_inline else "node", *children)
