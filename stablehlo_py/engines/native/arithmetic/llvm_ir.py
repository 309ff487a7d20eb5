"""A builder of LLVM IR text: SSA values with operators, blocks, counted loops.

Text is written directly, and parsed once by LLVM: no objects are made for instructions, so building the IR
of a function costs little beside compiling it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from stablehlo_py.ir.records import dataclass

Number = int | float | complex | bool

FLOATS = frozenset({"half", "float", "double"})
PARTS = {
    "{ float, float }": "float",
    "{ double, double }": "double",
}  # complex types, and the types of their parts
WIDTHS = {
    "i1": 1,
    "i2": 2,
    "i4": 4,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "half": 16,
    "float": 32,
    "double": 64,
}
UNOPTIMIZED = "noinline optnone"  # attributes of functions that take no time worth compiling for
SUFFIXES = {"half": "f16", "float": "f32", "double": "f64"}


def scalar_type(type: str) -> str:
    """The type of the elements of a vector; another type is its own."""
    return type[1:-1].partition(" x ")[2] if type[0] == "<" else type


def like_lanes(type: str, scalar: str) -> str:
    """A scalar type, or a vector of it if another type is a vector of as many elements."""
    return f"{type.partition(' x ')[0]} x {scalar}>" if type[0] == "<" else scalar


def literal(value: Number, type: str) -> str:
    """A number as a constant of a type, in each element of a vector; floats are written by their bits."""
    if type[0] == "<":
        scalar = scalar_type(type)
        return f"splat ({scalar} {literal(value, scalar)})"
    if type in FLOATS:
        assert not isinstance(value, complex)
        number = float(value)
        if type == "half":
            return f"0xH{int.from_bytes(struct.pack('<e', number), 'little'):04X}"
        if type == "float":
            number = struct.unpack("<f", struct.pack("<f", number))[0]
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    if type == "i1":
        return "true" if value else "false"
    assert not isinstance(value, complex)
    return str(int(value))


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """An SSA value or a constant: its text, its LLVM type, and the builder that operators write to."""

    text: str
    type: str
    builder: Builder

    def __str__(self) -> str:
        return f"{self.type} {self.text}"

    @property
    def is_float(self) -> bool:
        """Test whether its type is a floating-point type."""
        return scalar_type(self.type) in FLOATS

    def like(self, other: Value | Number) -> Value:
        """The other operand, a number being a constant of this value's type."""
        return other if isinstance(other, Value) else self.builder.constant(other, self.type)

    def _binary(self, float_op: str, integer_op: str, other: Value | Number) -> Value:
        other = self.like(other)
        op = float_op if self.is_float else integer_op
        return self.builder.emit(self.type, f"{op} {self.type} {self.text}, {other.text}")

    def __add__(self, other: Value | Number) -> Value:
        return self._binary("fadd", "add", other)

    def __radd__(self, other: Number) -> Value:
        return self.like(other) + self

    def __sub__(self, other: Value | Number) -> Value:
        return self._binary("fsub", "sub", other)

    def __rsub__(self, other: Number) -> Value:
        return self.like(other) - self

    def __mul__(self, other: Value | Number) -> Value:
        return self._binary("fmul", "mul", other)

    def __rmul__(self, other: Number) -> Value:
        return self.like(other) * self

    def __truediv__(self, other: Value | Number) -> Value:
        return self._binary("fdiv", "sdiv", other)

    def __rtruediv__(self, other: Number) -> Value:
        return self.like(other) / self

    def __neg__(self) -> Value:
        if self.is_float:
            return self.builder.emit(self.type, f"fneg {self.type} {self.text}")
        return 0 - self

    def __and__(self, other: Value | Number) -> Value:
        return self._binary("and", "and", other)

    def __or__(self, other: Value | Number) -> Value:
        return self._binary("or", "or", other)

    def __xor__(self, other: Value | Number) -> Value:
        return self._binary("xor", "xor", other)

    def __lshift__(self, other: Value | Number) -> Value:
        return self._binary("shl", "shl", other)

    def __rshift__(self, other: Value | Number) -> Value:
        """Shifts right, arithmetically: copies of the sign come in."""
        return self._binary("ashr", "ashr", other)

    def logical_shift_right(self, other: Value | Number) -> Value:
        """Shifts right; zeros come in."""
        return self._binary("lshr", "lshr", other)

    def add_in_any_order(self, other: Value) -> Value:
        """A sum that LLVM may take in another order, and fuse with a product."""
        if not self.is_float:
            return self + other
        return self.builder.emit(self.type, f"fadd reassoc contract {self}, {other.text}")

    def compare(self, predicate: str, other: Value | Number) -> Value:
        """An `i1`: `oeq`, `olt`, `uno`, ... of floats, `eq`, `slt`, `ult`, ... of integers."""
        other = self.like(other)
        op = "fcmp" if self.is_float else "icmp"
        return self.builder.emit(
            like_lanes(self.type, "i1"), f"{op} {predicate} {self.type} {self.text}, {other.text}"
        )

    def __lt__(self, other: Value | Number) -> Value:
        return self.compare("olt" if self.is_float else "slt", other)

    def __le__(self, other: Value | Number) -> Value:
        return self.compare("ole" if self.is_float else "sle", other)

    def __gt__(self, other: Value | Number) -> Value:
        return self.compare("ogt" if self.is_float else "sgt", other)

    def __ge__(self, other: Value | Number) -> Value:
        return self.compare("oge" if self.is_float else "sge", other)

    def equals(self, other: Value | Number) -> Value:
        """An `i1`: whether both are equal; NaN equals nothing."""
        return self.compare("oeq" if self.is_float else "eq", other)

    def is_nan(self) -> Value:
        """An `i1`: whether it is NaN."""
        return self.compare("uno", self)

    def select(self, on_true: Value | Number, on_false: Value | Number) -> Value:
        """`self ? on_true : on_false`; at least one of the two is a value."""
        if isinstance(on_true, Value):
            on_false = on_true.like(on_false)
        else:
            assert isinstance(on_false, Value)
            on_true = on_false.like(on_true)
        if isinstance(on_true, Complex) and isinstance(on_false, Complex):
            return complex_of(
                self.select(on_true.real, on_false.real), self.select(on_true.imag, on_false.imag)
            )
        return self.builder.emit(on_true.type, f"select i1 {self.text}, {on_true}, {on_false}")

    def bitcast(self, type: str) -> Value:
        """The same bits as another type."""
        return self if type == self.type else self.builder.emit(type, f"bitcast {self} to {type}")

    def convert(self, op: str, type: str) -> Value:
        """A conversion by LLVM's name: `sitofp`, `zext`, `fptrunc`, ..."""
        return self if type == self.type else self.builder.emit(type, f"{op} {self} to {type}")

    def call(self, intrinsic: str, *others: Value | Number) -> Value:
        """An intrinsic of values of this type, such as `fma` or `sqrt`."""
        return self.builder.intrinsic(intrinsic, self.type, self, *map(self.like, others))


@dataclass(frozen=True, slots=True, eq=False)
class Complex(Value):
    """A complex number: a pair of values, which are neighbours in memory. Made by `complex_of`."""

    real: Value
    imag: Value

    def _parts_of(self, other: Value | Number) -> tuple[Value, Value]:
        found = self.like(other)
        assert isinstance(found, Complex)
        return found.real, found.imag

    def __add__(self, other: Value | Number) -> Value:
        real, imag = self._parts_of(other)
        return complex_of(self.real + real, self.imag + imag)

    def __sub__(self, other: Value | Number) -> Value:
        real, imag = self._parts_of(other)
        return complex_of(self.real - real, self.imag - imag)

    def __mul__(self, other: Value | Number) -> Value:
        real, imag = self._parts_of(other)
        return complex_of(self.real * real - self.imag * imag, self.real * imag + self.imag * real)

    def __truediv__(self, other: Value | Number) -> Value:
        """The quotient by Smith's method, which does not overflow in between."""
        real, imag = self._parts_of(other)
        flat = real.call("fabs").compare("oge", imag.call("fabs"))
        zero = real.equals(0.0) & imag.equals(0.0)
        large, small = flat.select(real, imag), flat.select(imag, real)
        ratio = zero.select(0.0, small / large)
        scale = 1 / (large + small * ratio)
        first, second = flat.select(self.real, self.imag), flat.select(self.imag, self.real)
        product = first * ratio
        turned = flat.select(second, product) - flat.select(product, second)
        found = complex_of((first + second * ratio) * scale, turned * scale)
        size = real.call("fabs")
        return zero.select(complex_of(self.real / size, self.imag / size), found)

    def __neg__(self) -> Value:
        return complex_of(-self.real, -self.imag)

    def add_in_any_order(self, other: Value) -> Value:
        """A sum whose parts LLVM may take in another order."""
        real, imag = self._parts_of(other)
        return complex_of(self.real.add_in_any_order(real), self.imag.add_in_any_order(imag))

    def compare(self, predicate: str, other: Value | Number) -> Value:
        """An `i1`: `oeq`, whether both parts are equal, or `une`."""
        real, imag = self._parts_of(other)
        parts = self.real.compare(predicate, real), self.imag.compare(predicate, imag)
        return parts[0] & parts[1] if predicate == "oeq" else parts[0] | parts[1]


def complex_of(real: Value, imag: Value) -> Complex:
    """The complex number of two floats of one type."""
    return Complex(f"{real.text}, {imag.text}", f"{{ {real.type}, {real.type} }}", real.builder, real, imag)


def _suffix(type: str) -> str:
    """How an intrinsic of a type is named."""
    scalar = scalar_type(type)
    lanes = f"v{type[1:].partition(' ')[0]}" if type[0] == "<" else ""
    return f"{lanes}{SUFFIXES.get(scalar, scalar)}"


_LIBRARY = 1 << 12  # instructions of vectors that take as long as a function of the mathematics library


class Builder:
    """Writes the body of one function.

    `declarations` collects what the module must declare or define beside the function.
    """

    def __init__(self, declarations: dict[str, str]) -> None:
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.declarations = declarations
        self._names = 0
        self._repeated = 0  # executed instructions beyond one execution of each
        self.block = "entry"
        self.assumed = False
        self.broken: Value | None = None  # where a failed assumption is recorded, if any may be made

    @property
    def instructions(self) -> int:
        """About how many instructions the function executes, in all iterations of its loops."""
        return len(self.lines) + self._repeated

    def count(self, instructions: int) -> None:
        """Add to the count of instructions, in units of one scalar instruction."""
        self._repeated += instructions

    def fresh(self, stem: str = "v") -> str:
        """A name that no value or block of the function has."""
        self._names += 1
        return f"{stem}{self._names}"

    def emit(self, type: str, instruction: str) -> Value:
        """Appends an instruction and gives its result."""
        name = f"%{self.fresh()}"
        self.lines.append(f"  {name} = {instruction}")
        return Value(name, type, self)

    def do(self, instruction: str) -> None:
        """Appends an instruction without a result."""
        self.lines.append(f"  {instruction}")

    def constant(self, value: Number, type: str) -> Value:
        """A number as a constant."""
        if type in PARTS:
            return complex_of(self.constant(value.real, PARTS[type]), self.constant(value.imag, PARTS[type]))
        return Value(literal(value, type), type, self)

    def value(self, name: str, type: str) -> Value:
        """A value by its name: a parameter of the function, or a global."""
        return Value(name, type, self)

    def intrinsic(self, name: str, type: str, *arguments: Value) -> Value:
        """A call of `llvm.NAME` overloaded by `type`, with a result of that type."""
        full = f"@llvm.{name}.{_suffix(type)}"
        self.declarations.setdefault(full, f"declare {type} {full}({', '.join(a.type for a in arguments)})")
        return self.emit(type, f"call {type} {full}({', '.join(map(str, arguments))})")

    def assume(self, holds: Value) -> bool:
        """Test whether code may rely on a condition; if so, record its failure, so that other code runs."""
        if self.broken is None:
            return False
        self.assumed = True
        failed, zero = (holds ^ True).convert("zext", "i8"), self.constant(0, "i64")
        self.store(self.load("i8", self.broken, zero) | failed, self.broken, zero)
        return True

    def table(self, name: str, make: Callable[[], tuple[str, int]]) -> Value:
        """A constant table of the module, whose initializer `make` gives when it is first used."""
        if name not in self.declarations:
            self.declarations[name] = f"{name} = internal constant {make()[0]}"
        return Value(name, "ptr", self)

    def library(self, name: str, *arguments: Value, result: str = "double") -> Value:
        """A call of a function of the C mathematics library, for `double` or pairs of them."""
        types = ", ".join(a.type for a in arguments)
        self.declarations.setdefault(f"@{name}", f"declare {result} @{name}({types}) nounwind memory(none)")
        self.count(_LIBRARY)
        return self.call(f"@{name}", result, arguments)

    def call(self, name: str, type: str, arguments: Sequence[Value]) -> Value:
        """A call of a function that the module has."""
        text = f"call {type} {name}({', '.join(map(str, arguments))})"
        if type == "void":
            self.do(text)
            return self.value("", type)
        return self.emit(type, text)

    def alloca(self, type: str, count: int = 1) -> Value:
        """Memory of the function's frame, reserved at its entry."""
        name = f"%{self.fresh('local')}"
        self.allocas.append(f"  {name} = alloca {type}, i64 {count}, align 64")
        return Value(name, "ptr", self)

    def load(self, type: str, pointer: Value, index: Value) -> Value:
        """The element of `type` at `index` behind `pointer`."""
        if type in PARTS:
            return complex_of(*[self.load(PARTS[type], pointer, index * 2 + k) for k in range(2)])
        return self.emit(type, f"load {type}, {self.address(type, pointer, index)}")

    def store(self, value: Value, pointer: Value, index: Value) -> None:
        """Stores a value as the element at `index` behind `pointer`."""
        if isinstance(value, Complex):
            for k, part in enumerate((value.real, value.imag)):
                self.store(part, pointer, index * 2 + k)
            return
        self.do(f"store {value}, {self.address(value.type, pointer, index)}")

    def address(self, type: str, pointer: Value, index: Value) -> Value:
        """The address of the element of `type` at `index` behind `pointer`."""
        return self.emit("ptr", f"getelementptr {type}, {pointer}, {index}")

    def function(self, head: str) -> str:
        """The text of the function, by what is between `define` and its body."""
        return "\n".join([f"define {head} {{", "entry:", *self.allocas, *self.lines, "}"])

    def start_block(self, name: str) -> None:
        """Ends the block with a jump to a new one, and goes on there."""
        self.do(f"br label %{name}")
        self.enter(name)

    def enter(self, name: str) -> None:
        """Goes on in a block that something else jumps to."""
        self.lines.append(f"{name}:")
        self.block = name

    @contextmanager
    def loop(
        self,
        start: Value,
        stop: Value,
        interleave: bool = False,
        unless: Value | None = None,
        trips: int = 1,
    ) -> Iterator[Value]:
        """A loop over `start, start + 1, ...` below `stop`; gives the index inside it.

        Runs no iteration where `start >= stop`. `interleave`: several vectors are in flight at once.
        `unless`: the loop ends when what this points to, which other threads write, is not 0.
        `trips`: about how many iterations it has, where the bounds are not constants.
        """
        begin = self.instructions
        if start.text.isdigit() and stop.text.isdigit():
            trips = int(stop.text) - int(start.text)
        if unless is None and start.text.isdigit() and stop.text.isdigit() and trips > 0:
            with self.whole_loop(start, stop, trips, interleave) as whole:
                yield whole
            return
        head, body, done = self.fresh("head"), self.fresh("body"), self.fresh("done")
        before, index, following = self.block, f"%{self.fresh('i')}", f"%{self.fresh('next')}"
        self.start_block(head)
        latch = self.fresh("latch")
        self.do(f"{index} = phi i64 [ {start.text}, %{before} ], [ {following}, %{latch} ]")
        inside = Value(index, "i64", self).compare("slt", stop)
        if unless is not None:
            inside = inside & self.emit("i64", f"load volatile i64, {unless}").equals(0)
        self.do(f"br i1 {inside.text}, label %{body}, label %{done}")
        self.enter(body)
        yield Value(index, "i64", self)
        self.start_block(latch)
        self.do(f"{following} = add nsw nuw i64 {index}, 1")  # below an i64
        self.do(f"br label %{head}{', !llvm.loop !0' if interleave else ''}")
        self._repeated += max(0, trips - 1) * (self.instructions - begin)
        self.enter(done)

    @contextmanager
    def whole_loop(self, start: Value, stop: Value, trips: int, interleave: bool) -> Iterator[Value]:
        """A loop of one iteration or more, which tests at the end (loop rotation): LLVM has less to do."""
        begin = self.instructions
        body, done, before = self.fresh("body"), self.fresh("done"), self.block
        index = Value(f"%{self.fresh('i')}", "i64", self)
        self.start_block(body)
        place, following = len(self.lines), f"%{self.fresh('next')}"
        yield index
        phi = f"  {index.text} = phi i64 [ {start.text}, %{before} ], [ {following}, %{self.block} ]"
        self.lines.insert(place, phi)
        self.do(f"{following} = add nsw nuw i64 {index.text}, 1")
        more = Value(following, "i64", self).compare("slt", stop)
        self.do(f"br i1 {more.text}, label %{body}, label %{done}{', !llvm.loop !0' if interleave else ''}")
        self._repeated += (trips - 1) * (self.instructions - begin)
        self.enter(done)
