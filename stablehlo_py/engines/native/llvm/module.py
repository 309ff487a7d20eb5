"""The module of a program: a function for each loop nest, and one that calls them in order."""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder
from stablehlo_py.engines.native.llvm.nests import nest_function
from stablehlo_py.engines.native.loop_ir.statements import Loop, Program
from stablehlo_py.engines.native.runtime import METADATA

MAIN = "main"


def module_text(program: Program) -> str:
    """Write the module of a program.

    Args:
        program: The program.

    Returns:
        LLVM IR whose function `MAIN` takes an array of pointers to the program's buffers, but for those in
        frames, in order.
    """
    declarations: dict[str, str] = {}
    b, functions = Builder(declarations), []
    buffers = [buffer for buffer in program.buffers if buffer.space != "frame"]
    pointers = {
        buffer: b.load("ptr", b.value("%buffers", "ptr"), b.constant(place, "i64"))
        for place, buffer in enumerate(buffers)
    }
    for number, nest in enumerate(program.nests):
        text, given = nest_function(f"@nest{number}", nest, declarations)
        functions.append(text.replace("define ", "define internal ", 1))
        first = nest[0]
        extent = first.variable.extent if isinstance(first, Loop) else 1
        arguments = ", ".join(["i64 0", f"i64 {extent}", *(str(pointers[buffer]) for buffer in given)])
        b.do(f"call void @nest{number}({arguments})")
    b.do("ret void")
    main = b.function(f"void @{MAIN}(ptr noalias %buffers) nounwind")
    return "\n".join([*declarations.values(), *functions, main, METADATA])
