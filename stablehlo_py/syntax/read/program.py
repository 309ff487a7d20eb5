"""Programs: from a syntax tree to the module's operation, with its aliases and resources."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from stablehlo_py.ir.core import MODULE, Block, Operation, Region
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.lalr.parse_loop import OPERATIONS, Node
from stablehlo_py.syntax.read.attributes import attribute_of
from stablehlo_py.syntax.read.context import Alias, ReadContext
from stablehlo_py.syntax.read.operations import OperationReader
from stablehlo_py.syntax.read.resources import read_resources
from stablehlo_py.syntax.read.types import type_of


def read_program(context: ReadContext, tree: Node, skipped: Set[str]) -> Operation:
    """Return the module operation of a program's tree.

    Args:
        context: The tokens of the program. Errors are recorded in its parser state, and reading continues.
        tree: The tree of the start symbol `program`.
        skipped: Names of values in unparsable text, whose uses are not reported.

    Returns:
        The only operation of the program if it is a `builtin.module`, else a module around the operations.
    """
    for item in tree[1:]:
        _declare(context, item)
    _check_aliases(context)
    body = Block()
    module = Operation(MODULE, regions=[Region([body])])
    operations = OperationReader(context, skipped)
    for item in tree[1:]:
        if isinstance(item, tuple) and item[0] in OPERATIONS:
            operations.read(item, body, module)
    operations.close()
    if len(body.ops) == 1 and body.ops[0].is_module:
        body.ops[0].parent = None
        return body.ops[0]
    return module


def _declare(context: ReadContext, item: Any) -> None:
    """Declare an alias, or read the resources."""
    if isinstance(item, int):
        text, offset = context.text(item), context.start(item)
        context.attempt(lambda: read_resources(text, offset, context.parser_state))
    elif item[0] not in OPERATIONS:
        _, token, value = item
        name, aliases = context.text(token), context.parser_state.aliases
        if name in aliases:
            context.report(context.error(token, f"redefinition of alias {name}"))
        aliases[name] = Alias(context, value)


def _check_aliases(context: ReadContext) -> None:
    """Report the errors in aliases, including unused ones."""
    for name, alias in context.parser_state.aliases.items():
        read: Callable[[ReadContext, Any], object] = type_of if name[0] == "!" else attribute_of
        alias.is_resolving = True
        try:
            alias.read = read(alias.context, alias.value)
        except SourceError as error:
            context.report(error)
        alias.is_resolving = False
