"""Parsing of the text of loop IR: programs for tests, as `text` prints them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from stablehlo_py.engines.native.loop_ir.expressions import (
    INDEX,
    Buffer,
    Expression,
    apply,
    choose,
    constant,
    load,
    position,
    reference,
)
from stablehlo_py.engines.native.loop_ir.index import ZERO, Index, Number, Variable, divide, of_atom
from stablehlo_py.engines.native.loop_ir.statements import (
    ExternalCall,
    Fold,
    Guard,
    If,
    Let,
    Loop,
    Program,
    Statement,
    Store,
    While,
)
from stablehlo_py.engines.native.loop_ir.text import DIALECT, SIGNS
from stablehlo_py.ir.element_types import ELEMENT_TYPES, numpy_dtype
from stablehlo_py.ir.types import I1, ComplexType, Type

_TOKEN = re.compile(
    r"\s*(?:(?P<bits>0x[0-9A-F]+)|(?P<number>\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)|(?P<dots>\.\.)"
    r"|(?P<name>[A-Za-z_][\w.]*)|(?P<sign>>=|[-+*/%(){}\[\],:;=<>]))"
)
_COMMENT = r"//.*"
_OPS = {sign: f"{DIALECT}{name}" for name, sign in SIGNS.items()}
_TYPES = {str(type): type for type in ELEMENT_TYPES}
_SPACES = ("input", "output", "constant", "scratch", "frame")
_LOOPS = ("for", "parallel", "vectorized", "unrolled")


T = TypeVar("T")


class _Token(NamedTuple):
    kind: str
    text: str


def parse(text: str) -> Program:
    """Parse a program.

    Args:
        text: The text.

    Returns:
        The program.

    Raises:
        ValueError: The text is not that of a program; the message has what was found.
    """
    return _Parser(text).program()


class _Parser:
    """A recursive-descent parser; names have the types of what defines them."""

    def __init__(self, text: str) -> None:
        self._tokens = [
            _Token(match.lastgroup or "", match[match.lastgroup or 0])
            for match in _TOKEN.finditer(re.sub(_COMMENT, "", text))
        ]
        self._at = 0
        self._buffers: dict[str, Buffer] = {}
        self._types: dict[str, Type] = {}
        self._variables: dict[str, Variable] = {}

    # Tokens

    @property
    def _next(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        if not self._next:
            raise ValueError("the text ends within a statement")
        self._at += 1
        return self._tokens[self._at - 1].text

    def _accept(self, text: str) -> bool:
        if self._next != text:
            return False
        self._at += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise ValueError(f"expected {text!r}, found {self._next!r} (token {self._at})")

    def _number(self) -> int:
        sign = -1 if self._accept("-") else 1
        return sign * int(self._take())

    # Programs

    def program(self) -> Program:
        while self._next in _SPACES:
            space: Any = self._take()
            name = self._take()
            self._expect(":")
            shape, element = self._tensor()
            self._buffers[name] = Buffer(name, element, shape, space)
        body = self._statements()
        if self._next:
            raise ValueError(f"expected a statement, found {self._next!r}")
        return Program(tuple(self._buffers.values()), body)

    def _tensor(self) -> tuple[tuple[int, ...], Type]:
        text = ""
        while True:
            text += self._take()
            extents, element = re.fullmatch(r"((?:\d+x)*)(.*)", text).groups()  # type: ignore[union-attr]
            if _is_type(element):
                return tuple(map(int, extents.split("x")[:-1])), _type(element)

    def _statements(self) -> tuple[Statement, ...]:
        found: list[Statement] = []
        while self._next and self._next != "}":
            found.append(self._statement())
        return tuple(found)

    def _block(self) -> tuple[Statement, ...]:
        self._expect("{")
        body = self._statements()
        self._expect("}")
        return body

    def _statement(self) -> Statement:
        word = self._take()
        if word in _LOOPS:
            return self._loop(word)
        if word == "store":
            buffer, indices = self._access()
            self._expect("=")
            return Store(buffer, indices, self._expression())
        if word == "let":
            name = self._take()
            self._expect("=")
            value = self._expression()
            self._types[name] = value.type
            return Let(name, value)
        if word == "where":
            return Guard(self._conditions(), *self._branches())
        if word == "if":
            return If(self._expression(), *self._branches())
        if word == "while":
            return self._while()
        if word == "call":
            return self._call()
        return self._fold(word)

    def _while(self) -> While:
        trips = self._number() if self._accept("trips") else 1
        steps = self._number() if self._accept("steps") else 1
        return While(self._block(), self._expression(), self._block(), trips, steps)

    def _call(self) -> ExternalCall:
        number, reads = self._number(), self._called()
        self._expect("to")
        return ExternalCall(number, reads, self._called())

    def _called(self) -> tuple[Buffer, ...]:
        """The names of buffers in parentheses."""
        self._expect("(")
        found = []
        while not self._accept(")"):
            found.append(_known(self._buffers, self._take()))
            self._accept(",")
        return tuple(found)

    def _branches(self) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
        body = self._block()
        return body, self._block() if self._accept("else") else ()

    def _loop(self, kind: Any) -> Loop:
        name = self._take()
        self._expect("in")
        start = self._index()
        self._expect("..")
        stop = self._index()
        if self._accept("of"):
            variable = Variable(name, self._number())
        else:
            variable = Variable(name, stop.constant)
        self._variables[name] = variable
        body = self._block()
        whole = start == ZERO and stop == Index((), variable.extent)
        return Loop(variable, body, kind, start, None if whole else stop)

    def _fold(self, first: str) -> Fold:
        names = [first]
        while self._accept(","):
            names.append(self._take())
        self._expect("=")
        single = self._take() == "reduce"
        self._expect("(")
        op = self._take() if single else ""
        starts = [] if single else [self._expression()]
        while self._accept(","):
            starts.append(self._expression())
        self._expect(")")
        self._types.update({name: start.type for name, start in zip(names, starts, strict=True)})
        loops = []
        while self._next != "{":
            loops.append(self._fold_loop())
            self._accept(",")
        self._expect("{")
        values = [self._expression()]
        while self._accept(";"):
            values.append(self._expression())
        self._expect("}")
        if single:
            total = reference(names[0], starts[0].type)
            values = [apply(_op(op), starts[0].type, (total, values[0]))]
        return Fold(tuple(names), tuple(starts), tuple(loops), tuple(values))

    def _fold_loop(self) -> Variable:
        name = self._take()
        self._expect("in")
        self._expect("0")
        self._expect("..")
        variable = self._variables[name] = Variable(name, self._number())
        return variable

    # Expressions

    def _access(self) -> tuple[Buffer, tuple[Index, ...]]:
        buffer = _known(self._buffers, self._take())
        self._expect("[")
        indices = []
        while not self._accept("]"):
            indices.append(self._index())
            self._accept(",")
        return buffer, tuple(indices)

    def _conditions(self) -> tuple[tuple[Index, int], ...]:
        found = []
        while True:
            index = self._index()
            self._expect(">=")
            found.append((index, self._number()))
            if not self._accept("and"):
                return tuple(found)

    def _expression(self) -> Expression:
        if self._accept("("):
            return self._in_parentheses()
        word = self._take()
        if word == "load":
            return load(*self._access())
        if word == "index":
            self._expect("(")
            found = position(self._index())
            self._expect(")")
            return found
        if self._next != "(" and not (word == "complex" and self._next == "<"):
            return reference(word, _known(self._types, word))
        if _is_type(word) or self._next == "<":
            return self._constant(word)
        return self._apply(word)

    def _in_parentheses(self) -> Expression:
        first = self._expression()
        if self._accept("if"):
            conditions = self._conditions()
            self._expect("else")
            second = self._expression()
            self._expect(")")
            return choose(conditions, first, second)
        op = _OPS[self._take()]
        second = self._expression()
        self._expect(")")
        return apply(op, first.type, (first, second))

    def _constant(self, word: str) -> Expression:
        while self._next != "(":
            word += self._take()
        type = _type(word)
        self._expect("(")
        parts = []
        while not self._accept(")"):
            sign = "-" if self._accept("-") else ""
            parts.append(sign + self._take())
            self._accept(",")
        return constant(_value(parts, type), type)

    def _apply(self, word: str) -> Expression:
        self._expect("(")
        arguments: list[Expression] = []
        attributes: list[tuple[str, Any]] = []
        type: Type | None = None
        while not self._accept(")"):
            if self._at + 1 < len(self._tokens) and self._tokens[self._at + 1].text == "=":
                name = self._take()
                self._expect("=")
                value = self._take()
                attributes.append((name, int(value) if value.isdigit() else value))
            elif self._accept(":"):
                text = self._take()
                while self._next not in (")", ","):
                    text += self._take()
                type = _type(text)
            else:
                arguments.append(self._expression())
            self._accept(",")
        return apply(_op(word), type or arguments[0].type, tuple(arguments), tuple(attributes))

    # Indices

    def _index(self) -> Index:
        total = self._term()
        while self._next in ("+", "-"):
            sign = 1 if self._take() == "+" else -1
            total = total + self._term() * sign
        return total

    def _term(self) -> Index:
        if self._accept("-"):
            return self._term() * -1
        if self._tokens[self._at].kind == "number":
            number = int(self._take())
            return self._term() * number if self._accept("*") else Index((), number)
        if self._accept("("):
            inner = self._index()
            self._expect(")")
            if self._accept("/"):
                return divide(inner, self._number())[0]
            return divide(inner, self._number())[1] if self._accept("%") else inner
        word = self._take()
        if word in ("clamp", "within"):
            self._expect("(")
            value = self._expression()
            self._expect(",")
            extent = self._number()
            self._expect(")")
            return of_atom(Number(value, extent, word == "clamp"))
        return of_atom(_known(self._variables, word))


def _known(names: Mapping[str, T], name: str) -> T:
    """What a name stands for."""
    if name not in names:
        raise ValueError(f"{name} is not defined")
    return names[name]


def _op(name: str) -> str:
    return name if "." in name else f"{DIALECT}{name}"


def _is_type(text: str) -> bool:
    return text in _TYPES or bool(re.fullmatch(r"complex<f\d+>", text))


def _type(text: str) -> Type:
    if text == str(INDEX):
        return INDEX
    part = re.fullmatch(r"complex<(f\d+)>", text)
    return ComplexType(_TYPES[part[1]]) if part else _TYPES[text]


def _value(parts: list[str], type: Type) -> Any:
    """The number of a type that some texts are."""
    dtype = numpy_dtype(type)
    if dtype.kind == "c":
        real, imag = (
            (_value([part], type.element_type) for part in parts) if isinstance(type, ComplexType) else (0, 0)
        )
        return np.array([real, imag]).view(dtype)[0]
    (text,) = parts
    if type == I1:
        return np.bool_(text == "true")
    if text.startswith("0x"):
        return np.frombuffer(bytes.fromhex(text[2:])[::-1], dtype)[0]
    return np.asarray(int(text) if dtype.kind in "iu" else float(text)).astype(dtype)[()]
