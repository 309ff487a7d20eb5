"""The two texts of a program, pretty and generic: ours, and those of the C++ parser, verifier and printer."""

from __future__ import annotations

import stablehlo_py as shlo
from tests.helpers.oracle_lines import answers, mlir_context

# Reads programs, one JSON string a line; answers each with its two texts, or null if it is not valid.
_CHILD = """
for line in sys.stdin:
    answer = None
    with context:
        try:
            module = ir.Module.parse(json.loads(line))
            answer = [str(module), module.operation.get_asm(print_generic_op_form=True)]
        except Exception:
            pass
    print(json.dumps(answer), flush=True)
"""


def cpp_texts(programs: list[str]) -> list[list[str] | None]:
    """What C++ makes of each program, in a process of its own; None if it is not valid."""
    return answers(mlir_context() + _CHILD, programs)


def texts(program: str) -> list[str] | None:
    """Our two texts of a program, None if it is not valid."""
    try:
        module = shlo.parse(program)
    except shlo.ParseError:
        return None
    if any(diagnostic.severity == "error" for diagnostic in shlo.verify(module)):
        return None
    return [shlo.format(module), shlo.format(module, generic=True)]
