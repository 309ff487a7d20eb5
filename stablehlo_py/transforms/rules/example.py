"""Examples of rules as programs."""

from __future__ import annotations

import re
import textwrap

from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.parser import parse_module

_DEFINED = re.compile(r"%(\w+)(?::\d+)?\s*=|%(\w+): ")
_USED = re.compile(r"%(\w+)")
_TYPE = re.compile(r"definition of SSA value '%(\w+)' has type '.*', but it was used as '(.*)'")


def example_text(body: str) -> str:
    """Return the example of a rule as the text of a program.

    Args:
        body: The example: ops, the last of which defines `%r`.

    Returns:
        A function `main`. Its arguments are the values that no op of the example defines; its results are the
        results of the last op.

    Raises:
        ParseError: If the example is malformed.
    """
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "  ")
    defined = {name for names in _DEFINED.findall(lines) for name in names}
    free = [name for name in dict.fromkeys(_USED.findall(lines)) if name not in defined]
    types = _types_of_uses(lines, free)
    arguments = ", ".join(f"%{name}: {types[name]}" for name in free)
    module = parse_module(f"func.func @main({arguments}) {{\n{lines}\n  return\n}}", "example")
    last = module.functions["main"].regions[0].block.ops[-2]
    found = [str(result.type) for result in last.results]
    names = ["%r"] if len(found) == 1 else [f"%r#{i}" for i in range(len(found))]
    returned = f"return {', '.join(names)} : {', '.join(found)}" if found else "return"
    results = f" -> ({', '.join(found)})" if len(found) > 1 else "".join(f" -> {type}" for type in found)
    return f"func.func @main({arguments}){results} {{\n{lines}\n  {returned}\n}}\n"


def example_module(body: str, name: str = "example") -> Module:
    """Return the example of a rule as a module; see `example_text`."""
    return parse_module(example_text(body), name)


def _types_of_uses(lines: str, names: list[str]) -> dict[str, str]:
    """Return the types of values by their uses: as the parser reports them, if a definition has another."""
    definitions = "\n".join(f'  %{name} = "example.free"() : () -> none' for name in names)
    try:
        parse_module(f"func.func @main() {{\n{lines}\n{definitions}\n  return\n}}", "example", True)
    except ParseError as error:
        matches = [match for d in error.diagnostics if (match := _TYPE.fullmatch(d.message))]
        found = {match[1]: match[2] for match in matches}
        if len(found) == len(error.diagnostics) == len(names):
            return found
        raise
    return dict.fromkeys(names, "none")
