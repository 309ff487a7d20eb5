"""Drawn texts of the dialects beside StableHLO: `arith`, `cf`, `scf` and functions as values.

The texts are those of people: pretty forms, several blocks, loops in branches. `mutated` changes one token,
so that many of the texts are invalid.
"""

from __future__ import annotations

import re
from random import Random

FLOATS, INTEGERS = ("f32", "f64", "bf16"), ("i1", "i8", "i32", "index")
TENSORS = ("tensor<2xf32>", "tensor<?xi32>")
TYPES = (*FLOATS, *INTEGERS, *TENSORS)
_FLOAT_OPS = ("addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf", "maxnumf", "minnumf")
_INTEGER_OPS = (
    "addi",
    "subi",
    "muli",
    "shli",
    "divsi",
    "divui",
    "shrsi",
    "shrui",
    "ceildivui",
    "ori",
    "maxui",
)
_OVERFLOWING, _EXACT = ("addi", "subi", "muli", "shli"), ("divsi", "divui", "shrsi", "shrui")
_PREDICATES = {"i": ("eq", "slt", "uge"), "f": ("false", "oeq", "olt", "ord", "une", "true")}
_CASTS = (
    ("f32", "extf", "f64"), ("f64", "truncf", "f32"), ("f32", "truncf", "bf16"), ("i8", "sitofp", "f32"),
    ("i32", "uitofp", "f64"), ("f32", "fptosi", "i32"), ("bf16", "fptoui", "i8"), ("f32", "bitcast", "i32"),
    ("i32", "index_cast", "index"), ("i8", "extsi", "i32"), ("i32", "trunci", "i8"), ("i1", "extui", "i8"),
    ("bf16", "extf", "f32"), ("i32", "bitcast", "f32"), ("index", "index_castui", "i8"),
)  # fmt: skip
_FASTMATH = ("", " fastmath<fast>", " fastmath<nnan,ninf>", " fastmath<contract, reassoc>", " fastmath<none>")
_TOKEN = re.compile(r'"[^"]*"|[%^@!#]?[\w.$]+|->|\S')


class Writer:
    """Writer of one function.

    Args:
        random: The source of choices.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.number = 0
        self.nested = 0  # regions around; only directly in a function do ops of `func` omit their prefix
        self.lines: list[str] = []

    def fresh(self) -> str:
        self.number += 1
        return f"%v{self.number}"

    def pick(self, scope: dict[str, str], type: str, whole: bool = False) -> str:
        """Returns a value of a type, which is one of several results only if not `whole`."""
        known = [name for name, its in scope.items() if its == type and not (whole and "#" in name)]
        if known and self.random.random() < 0.9:
            return self.random.choice(known)
        if type in TENSORS[1:]:
            return known[0]  # an argument of the function
        name = self.fresh()
        value = (
            f"dense<1.5> : {type}"
            if type in TENSORS
            else f"1.5 : {type}"
            if type in FLOATS
            else f"1 : {type}"
        )
        self.lines.append(f"{name} = arith.constant {'true' if type == 'i1' else value}")
        scope[name] = type
        return name

    def values(self, scope: dict[str, str], types: list[str], whole: bool = False) -> str:
        """Returns `%a, %b : f32, i32`; nothing for no types."""
        names = [self.pick(scope, type, whole) for type in types]
        return f"{', '.join(names)} : {', '.join(types)}" if types else ""

    def types(self) -> list[str]:
        return [self.random.choice(TYPES) for _ in range(self.random.choice((0, 1, 1, 2)))]

    def ops(self, scope: dict[str, str], depth: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            draw = self.random.choice((self.arithmetic, self.compared, self.cast, self.selected, self.other))
            if depth and self.random.random() < 0.3:
                self.nested += 1
                self.random.choice((self.loop, self.branch, self.conditional_loop))(scope, depth - 1)
                self.nested -= 1
            else:
                draw(scope)

    def arithmetic(self, scope: dict[str, str]) -> None:
        is_float = self.random.random() < 0.5
        type = self.random.choice((*FLOATS, TENSORS[0]) if is_float else (*INTEGERS, TENSORS[1]))
        name = self.random.choice(_FLOAT_OPS if is_float else _INTEGER_OPS)
        flags = self.random.choice(_FASTMATH) if is_float else ""
        if name in _OVERFLOWING:
            flags = self.random.choice(("", " overflow<nsw>", " overflow<nuw, nsw>"))
        elif name in _EXACT:
            flags = self.random.choice(("", " exact"))
        a, b, result = self.pick(scope, type), self.pick(scope, type), self.fresh()
        self.lines.append(f"{result} = arith.{name} {a}, {b}{flags} : {type}")
        scope[result] = type

    def compared(self, scope: dict[str, str]) -> None:
        kind = self.random.choice("fi")
        type = self.random.choice(FLOATS if kind == "f" else INTEGERS)
        flags = self.random.choice(_FASTMATH) if kind == "f" else ""
        a, b, result = self.pick(scope, type), self.pick(scope, type), self.fresh()
        predicate = self.random.choice(_PREDICATES[kind])
        self.lines.append(f"{result} = arith.cmp{kind} {predicate}, {a}, {b}{flags} : {type}")
        scope[result] = "i1"

    def cast(self, scope: dict[str, str]) -> None:
        source, name, target = self.random.choice(_CASTS)
        mode = self.random.choice(("", " to_nearest_even", " downward")) if name == "truncf" else ""
        flags = self.random.choice(_FASTMATH) if name in ("truncf", "extf") else ""
        nonnegative = self.random.choice(("", " nneg")) if name in ("uitofp", "extui", "index_castui") else ""
        a, result = self.pick(scope, source), self.fresh()
        self.lines.append(f"{result} = arith.{name} {a}{mode}{flags}{nonnegative} : {source} to {target}")
        scope[result] = target

    def selected(self, scope: dict[str, str]) -> None:
        type = self.random.choice(TYPES)
        condition, a, b = self.pick(scope, "i1"), self.pick(scope, type), self.pick(scope, type)
        result = self.fresh()
        self.lines.append(f"{result} = arith.select {condition}, {a}, {b} : {type}")
        scope[result] = type

    def other(self, scope: dict[str, str]) -> None:
        result = self.fresh()
        choice = self.random.randrange(5)
        if choice == 0:
            a, b, flag = self.pick(scope, "i32"), self.pick(scope, "i32"), self.fresh()
            self.lines.append(f"{result}, {flag} = arith.addui_extended {a}, {b} : i32, i1")
            scope |= {result: "i32", flag: "i1"}
        elif choice == 1:
            a, b, high = self.pick(scope, "i8"), self.pick(scope, "i8"), self.fresh()
            self.lines.append(f"{result}, {high} = arith.mulsi_extended {a}, {b} : i8")
            scope |= {result: "i8", high: "i8"}
        elif choice == 2:
            self.lines.append(f'cf.assert {self.pick(scope, "i1")}, "it holds"')
        elif choice == 3:
            a, function = self.pick(scope, "f32"), self.fresh()
            prefix = "func." if self.nested else self.random.choice(("", "func."))
            self.lines.append(f"{function} = {prefix}constant @g : (f32) -> (f32, i1)")
            self.lines.append(f"{result}:2 = {prefix}call_indirect {function}({a}) : (f32) -> (f32, i1)")
            scope |= {f"{result}#0": "f32", f"{result}#1": "i1"}
        else:
            a = self.pick(scope, "f32")
            self.lines.append(f"{result} = arith.negf {a}{self.random.choice(_FASTMATH)} : f32")
            scope[result] = "f32"

    # Regions

    def results(self, types: list[str], scope: dict[str, str]) -> str:
        """Names the results of an op, `%v3:2 = `."""
        if not types:
            return ""
        name = self.fresh()
        names = [name] if len(types) == 1 else [f"{name}#{n}" for n in range(len(types))]
        scope |= dict(zip(names, types, strict=True))
        return f"{name} = " if len(types) == 1 else f"{name}:{len(types)} = "

    def yielded(self, scope: dict[str, str], types: list[str]) -> None:
        values = self.values(scope, types)
        if types or self.random.random() < 0.5:
            self.lines.append(f"scf.yield {values}".rstrip())

    def assigned(self, scope: dict[str, str], types: list[str]) -> tuple[dict[str, str], str]:
        arguments = {self.fresh(): type for type in types}
        return arguments, ", ".join(f"{name} = {self.pick(scope, type)}" for name, type in arguments.items())

    def loop(self, scope: dict[str, str], depth: int) -> None:
        types, count = self.types(), self.random.choice(("index", "index", "i32"))
        lower, upper, step = (self.pick(scope, count) for _ in range(3))
        index = self.fresh()
        inside = scope | {index: count}
        arguments, assigned = self.assigned(scope, types)
        carried = f" iter_args({assigned}) -> ({', '.join(types)})" if types else ""
        unsigned = self.random.choice(("", "", "unsigned "))
        after: dict[str, str] = {}
        head = (
            f"{self.results(types, after)}scf.for {unsigned}{index} = {lower} to {upper} step {step}{carried}"
        )
        self.lines.append(f"{head}{' : i32' * (count == 'i32')} {{")
        inside |= arguments
        self.ops(inside, depth)
        self.yielded(inside, types)
        self.lines.append("}" + self.random.choice(("", " {note = 1 : i64}")))
        scope |= after

    def branch(self, scope: dict[str, str], depth: int) -> None:
        types, condition = self.types(), self.pick(scope, "i1")
        after: dict[str, str] = {}
        arrow = f" -> ({', '.join(types)})" if types else ""
        self.lines.append(f"{self.results(types, after)}scf.if {condition}{arrow} {{")
        for is_last in (False, True) if types or self.random.random() < 0.5 else (True,):
            inside = dict(scope)
            self.ops(inside, depth)
            self.yielded(inside, types)
            self.lines.append("}" if is_last else "} else {")
        scope |= after

    def conditional_loop(self, scope: dict[str, str], depth: int) -> None:
        taken, types = self.types(), self.types()
        arguments, assigned = self.assigned(scope, taken)
        after: dict[str, str] = {}
        signature = f"({', '.join(taken)}) -> ({', '.join(types)})"
        inputs = f" ({assigned})" if taken else ""
        self.lines.append(f"{self.results(types, after)}scf.while{inputs} : {signature} {{")
        inside = scope | arguments
        self.ops(inside, depth)
        condition = self.pick(inside, "i1")
        self.lines.append(f"scf.condition({condition}) {self.values(inside, types)}".rstrip())
        self.lines.append("} do {")
        passed = {self.fresh(): type for type in types}
        if passed:
            self.lines.append(f"^bb0({', '.join(f'{name}: {type}' for name, type in passed.items())}):")
        inside = scope | passed
        self.ops(inside, depth)
        self.lines.append(f"scf.yield {self.values(inside, taken)}".rstrip())
        self.lines.append("}" + self.random.choice(("", " attributes {note}")))
        scope |= after

    # Blocks

    def function(self) -> str:
        """Returns a module with a function of several blocks."""
        entry = {f"%a{n}": type for n, type in enumerate(TYPES)}
        blocks = [self.types() for _ in range(self.random.randint(0, 3))]
        self.ops(entry, 2)
        self.end(entry, blocks)
        for number, types in enumerate(blocks, 1):
            arguments = {self.fresh(): type for type in types}
            shown = ", ".join(f"{name}: {type}" for name, type in arguments.items())
            self.lines.append(f"^bb{number}{f'({shown})' if shown else ''}:")
            scope = entry | arguments
            self.ops(scope, 1)
            self.end(scope, blocks)
        inputs = ", ".join(f"%a{n}: {type}" for n, type in enumerate(TYPES))
        callee = "func.func private @g(f32) -> (f32, i1)"
        return "\n".join([callee, f"func.func @f({inputs}) {{", *self.lines, "}"]) + "\n"

    def end(self, scope: dict[str, str], blocks: list[list[str]]) -> None:
        if not blocks or self.random.random() < 0.3:
            self.lines.append("return")
            return
        choice = self.random.randrange(3)
        count = (1, 2, self.random.randint(1, 3))[choice]
        chosen = [self.random.randrange(len(blocks)) for _ in range(count)]
        # C++ reads no `%a#0` in a switch, though it prints it.
        operands = [self.values(scope, blocks[at], whole=choice == 2) for at in chosen]
        to = [
            f"^bb{at + 1}{f'({given})' if given else ''}" for at, given in zip(chosen, operands, strict=True)
        ]
        if choice == 0:
            self.lines.append(f"cf.br {to[0]}")
        elif choice == 1:
            weights = self.random.choice(("", " weights([1, 2])"))
            self.lines.append(f"cf.cond_br {self.pick(scope, 'i1')}{weights}, {', '.join(to)}")
        else:
            flag = self.random.choice(("i8", "i32"))
            cases = "".join(f", {self.random.randint(-3, 9)}: {target}" for target in to[1:])
            self.lines.append(f"cf.switch {self.pick(scope, flag)} : {flag}, [default: {to[0]}{cases}]")


def drawn(seed: int) -> str:
    """Returns a valid program."""
    return Writer(Random(seed)).function()


def mutated(text: str, seed: int) -> str:
    """Returns a program with one token left out, repeated, or replaced by another of the program."""
    random = Random(seed)
    tokens = [*_TOKEN.finditer(text)]
    at, other = random.choice(tokens), random.choice(tokens)
    alike = [token for token in tokens if token[0][0] == at[0][0] and token[0] != at[0]]
    if alike and random.random() < 0.7:
        other = random.choice(alike)
    new = random.choice(("", f"{at[0]} {at[0]}", other[0], other[0], other[0]))
    return f"{text[: at.start()]}{new}{text[at.end() :]}"
