"""Programs of about n operations (or elements, or arguments), each long in another direction."""

from __future__ import annotations

from collections.abc import Callable

T = "tensor<4xf32>"


def _main(lines: list[str], result: str, arguments: str = f"%a: {T}, %b: {T}", type: str = T) -> str:
    body = "\n".join(lines)
    return f"func.func @main({arguments}) -> {type} {{\n{body}\n  return {result} : {type}\n}}\n"


def chain(n: int) -> str:
    """Each op uses the one before it."""
    lines = [f"  %0 = stablehlo.add %a, %b : {T}"]
    for i in range(1, n):
        name, operand = "add" if i % 2 else "multiply", "%a" if i % 3 else "%b"
        lines.append(f"  %{i} = stablehlo.{name} %{i - 1}, {operand} : {T}")
    return _main(lines, f"%{n - 1}")


def wide(n: int) -> str:
    """No op uses another one, but for the last one."""
    names = ("add", "subtract", "multiply", "maximum")
    lines = [f"  %{i} = stablehlo.{names[i % 4]} %a, %b : {T}" for i in range(n)]
    return _main(lines, f"%{n - 1}")


def many_uses(n: int) -> str:
    """All ops use one value."""
    lines = [f"  %s = stablehlo.negate %a : {T}", f"  %0 = stablehlo.abs %s : {T}"]
    lines += [f"  %{i} = stablehlo.add %{i - 1}, %s : {T}" for i in range(1, n)]
    return _main(lines, f"%{n - 1}")


def functions(n: int) -> str:
    """Functions of ten ops, which @main calls one after the other."""
    count = max(n // 10, 1)
    found = []
    for f in range(count):
        lines = [f"  %{i} = stablehlo.add {f'%{i - 1}' if i else '%a'}, %b : {T}" for i in range(8)]
        body = "\n".join(lines)
        found.append(f"func.func private @f{f}(%a: {T}, %b: {T}) -> {T} {{\n{body}\n  return %7 : {T}\n}}\n")
    calls = [
        f"  %{i} = call @f{i}({f'%{i - 1}' if i else '%a'}, %b) : ({T}, {T}) -> {T}" for i in range(count)
    ]
    return "".join(found) + _main(calls, f"%{count - 1}")


def calls(n: int) -> str:
    """A chain of functions, each of which calls the next one; at most 100 at a time."""
    found, entries = [], []
    for f in range(max(n // 4, 1)):
        is_last = f % 100 == 99 or f == max(n // 4, 1) - 1
        inner = f"stablehlo.abs %0 : {T}" if is_last else f"call @f{f + 1}(%0, %b) : ({T}, {T}) -> {T}"
        found.append(
            f"func.func private @f{f}(%a: {T}, %b: {T}) -> {T} {{\n  %0 = stablehlo.add %a, %b : {T}\n"
            f"  %1 = {inner}\n  %2 = stablehlo.add %1, %b : {T}\n  return %2 : {T}\n}}\n"
        )
        if f % 100 == 0:
            entries.append(f"  %{f // 100} = call @f{f}(%a, %b) : ({T}, {T}) -> {T}")
    return "".join(found) + _main(entries, f"%{len(entries) - 1}")


def regions(n: int) -> str:
    """Nests of thirty branches, one after the other."""
    depth, lines, last = 30, [], "%a"
    for i in range(max(n // (2 * depth), 1)):
        lines += [f'%c{i}_{d} = "stablehlo.if"(%p) ({{' for d in range(depth)]
        lines.append(f"%x{i} = stablehlo.add {last}, %b : {T}\nstablehlo.return %x{i} : {T}")
        for d in reversed(range(depth)):
            lines.append(f"}}, {{\nstablehlo.return %a : {T}\n}}) : (tensor<i1>) -> {T}")
            lines += [f"stablehlo.return %c{i}_{d} : {T}"] if d else []
        last = f"%c{i}_0"
    return _main(lines, last, f"%p: tensor<i1>, %a: {T}, %b: {T}")


def blocks(n: int) -> str:
    """A function of many blocks, each with one op."""
    lines = [f'  "cf.br"(%a)[^b0] : ({T}) -> ()']
    lines += [f'^b{i}(%x{i}: {T}):\n  "cf.br"(%x{i})[^b{i + 1}] : ({T}) -> ()' for i in range(n)]
    return _main([*lines, f"^b{n}(%r: {T}):"], "%r", f"%a: {T}")


def constants(n: int) -> str:
    """Distinct constants."""
    lines = [f"  %x0 = stablehlo.add %a, %b : {T}"]
    for i in range(n // 2):
        lines.append(f"  %c{i} = stablehlo.constant dense<[{i}.0, 1.5, -2.25, {i}.5]> : {T}")
        lines.append(f"  %x{i + 1} = stablehlo.add %x{i}, %c{i} : {T}")
    return _main(lines, f"%x{n // 2}")


def types(n: int) -> str:
    """Distinct types."""
    lines = []
    for i in range(n // 2):
        shape = f"tensor<4x{i + 1}xf32>"
        lines.append(f"  %c{i} = stablehlo.broadcast_in_dim %a, dims = [0] : ({T}) -> {shape}")
        lines.append(f"  %d{i} = stablehlo.abs %c{i} : {shape}")
    return _main([*lines, f"  %r = stablehlo.add %a, %b : {T}"], "%r")


def parts(n: int) -> str:
    """Modules of five ops, between lines `// -----`."""
    return "// -----\n".join([chain(5)] * max(n // 5, 1))


def long_line(n: int) -> str:
    """A chain in one line."""
    return chain(n).replace("\n", " ") + "\n"


def arguments(n: int) -> str:
    """A function of many arguments, which one op uses."""
    names = ", ".join(f"%a{i}" for i in range(n))
    given = ", ".join([T] * n)
    line = f"  %r = stablehlo.concatenate {names}, dim = 0 : ({given}) -> tensor<{4 * n}xf32>"
    return _main([line], "%r", ", ".join(f"%a{i}: {T}" for i in range(n)), f"tensor<{4 * n}xf32>")


def comments(n: int) -> str:
    """A comment above every op, and some that suppress rules."""
    lines = chain(n).splitlines(keepends=True)
    return "".join(
        f"// line {i}{' shlo: ignore[dead-op]' if i % 10 == 0 else ''}\n{line}"
        for i, line in enumerate(lines)
    )


def errors(n: int) -> str:
    """An op that breaks a constraint in every tenth line."""
    lines = chain(n).splitlines(keepends=True)
    lines[10:-2:10] = [
        f'  %e{i} = "stablehlo.reshape"(%a) : ({T}) -> tensor<3xf32>\n{line}'
        for i, line in enumerate(lines[10:-2:10])
    ]
    return "".join(lines)


def locations(n: int) -> str:
    """A location of its own for every op."""
    head, *lines, last, end = chain(n).splitlines()
    body = [f'{line} loc("model.py":{i}:1)' for i, line in enumerate(lines)]
    return "\n".join([head, *body, last, end]) + "\n"


def large_constant(n: int) -> str:
    """A constant of 256 n bytes."""
    shape = f"tensor<{64 * n}xf32>"
    line = f'  %c = stablehlo.constant dense<"0x{"0000803F" * 64 * n}"> : {shape}'
    return _main([line], "%a", f"%a: {T}")


SHAPES: dict[str, Callable[[int], str]] = {
    made.__name__: made
    for made in (
        chain,
        wide,
        many_uses,
        functions,
        calls,
        regions,
        blocks,
        constants,
        types,
        parts,
        long_line,
        arguments,
        comments,
        errors,
        locations,
        large_constant,
    )
}
