"""Calls of LAPACK as C source: matrices by rows are copied to columns, and back."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.library.lapack import Argument, Place, Routine

_REAL = {4: "float", 8: "double"}


def prototypes(routines: Sequence[Routine]) -> str:
    """Declare routines, each once: Fortran takes addresses, then the lengths of texts."""
    found = {each.name: _parameters(each) for each in routines}
    return "".join([f"void {name}({parameters});\n" for name, parameters in found.items()])


def _parameters(routine: Routine) -> str:
    texts = [each for each in routine.arguments if isinstance(each, str)]
    return ", ".join(["void *"] * len(routine.arguments) + ["size_t"] * len(texts))


def calls(name: str, routines: Sequence[Routine]) -> str:
    """Write the function that calls routines by their numbers.

    Args:
        name: The name of the function.
        routines: The routines, by number; there is at least one.
    """
    functions = [_function(f"{name}{number}", each) for number, each in enumerate(routines)]
    names = ", ".join([f"{name}{number}" for number in range(len(routines))])
    table = f"static void (*const {name}s[])(char **) = {{{names}}};\n"
    body = f"static void {name}(int64_t number, char **at) {{ {name}s[number](at); }}\n"
    return "".join([*functions, table, body])


def _function(name: str, routine: Routine) -> str:
    """The call for each matrix of a batch; its memory is behind the operands and results."""
    before, after = [], []
    operands = max([place.operand for place, _ in routine.places if place.operand is not None]) + 1
    results = max([place.result for place, _ in routine.places if place.result is not None]) + 1
    for place, offset in routine.places:
        size = routine.bytes_of(place)
        total, work = place.rows * place.columns * size, f"work + {offset}"
        if place.operand is not None:
            given = f"at[{place.operand}] + i * {total}"
            before.append(f"transpose({given}, {work}, {place.rows}, {place.columns}, {size});")
        elif place.result is not None:
            before.append(f"memset({work}, 0, {total});")
        if place.result is None:
            continue
        made = f"at[{operands + place.result}] + i * "
        if place.in_pairs:
            imaginary = f"at[{operands + 1}] + i * {place.rows * size}"
            after.append(f"{_REAL[size]}_vectors({work}, {imaginary}, {made}{2 * total}, {place.rows});")
        else:
            after.append(f"transpose({work}, {made}{total}, {place.columns}, {place.rows}, {size});")
    lines = "\n".join([f"    {line}" for line in [*before, _call(routine), *after]])
    loop = f"  for (size_t i = 0; i < {routine.batch}; i++) {{\n{lines}\n  }}\n"
    return f"static void {name}(char **at) {{\n  char *work = at[{operands + results}];\n{loop}}}\n"


def _call(routine: Routine) -> str:
    offsets = iter([offset for _, offset in routine.places])
    values = [
        f"work + {next(offsets) + each.skipped * routine.bytes_of(each)}"
        if isinstance(each, Place)
        else _value(routine, each)
        for each in routine.arguments
    ]
    lengths = ["1" for each in routine.arguments if isinstance(each, str)]
    return f"{routine.name}({', '.join([*values, *lengths])});"


def _value(routine: Routine, argument: Argument) -> str:
    """The address of a letter or number; numbers of complex routines have a second part, which is 0."""
    if argument is None:
        return "NULL"
    if isinstance(argument, str):
        return f"&(char){{'{argument}'}}"
    if isinstance(argument, int):
        return f"&(int){{{argument}}}"
    return f"({_REAL[routine.size // (2 if routine.is_complex else 1)]}[]){{{argument}, 0}}"
