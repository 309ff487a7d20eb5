"""The builder of the run-time part: functions of addresses and integers, with atomic numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.runtime import DATA, STOPPED


class Code(Builder):
    """Writes a function of addresses and integers."""

    def pointer(self, name: str) -> Value:
        """The parameter of a name, an address."""
        return self.value(f"%{name}", "ptr")

    def number(self, name: str | int) -> Value:
        """The parameter of a name, a number, or a constant."""
        return self.constant(name, "i64") if isinstance(name, int) else self.value(f"%{name}", "i64")

    def at(self, pointer: Value, place: Value | int, type: str = "i64") -> Value:
        """The address of an element."""
        return self.address(type, pointer, self.number(place) if isinstance(place, int) else place)

    def get(self, pointer: Value, place: Value | int = 0, type: str = "i64") -> Value:
        """Load an element."""
        return self.load(type, pointer, self.number(place) if isinstance(place, int) else place)

    def put(self, value: Value | int, pointer: Value, place: int = 0) -> None:
        """Store a number."""
        self.store(self.number(value) if isinstance(value, int) else value, pointer, self.number(place))

    def variable(self, value: int) -> Value:
        """A number that changes, in memory."""
        made = self.alloca("i64")
        self.put(value, made)
        return made

    def unsigned(self, op: str, left: Value, right: Value | int) -> Value:
        """`udiv` or `urem`."""
        return self.emit("i64", f"{op} {left}, {left.like(right).text}")

    def read(self, pointer: Value, order: str) -> Value:
        """An atomic load."""
        return self.emit("i64", f"load atomic i64, {pointer} {order}, align 8")

    def write(self, value: Value | int, pointer: Value, order: str) -> None:
        """An atomic store."""
        number = self.number(value) if isinstance(value, int) else value
        self.do(f"store atomic {number}, {pointer} {order}, align 8")

    def increase(self, pointer: Value, by: Value | int, order: str) -> Value:
        """Add to a number at once; the number before."""
        amount = self.number(by) if isinstance(by, int) else by
        return self.emit("i64", f"atomicrmw add {pointer}, {amount} {order}")

    def run(self, called: Value, arguments: str, result: str = "void") -> Value:
        """Call a function by its address."""
        if result == "void":
            self.do(f"call void {called.text}({arguments})")
            return called
        return self.emit(result, f"call {result} {called.text}({arguments})")

    def stops(self, sync: Value) -> Value:
        """Whether the region is to end."""
        return self.read(self.at(sync, STOPPED), "monotonic").compare("ne", 0)

    def leaves(self) -> bool:
        """Test whether the block has ended: with a return, or a jump elsewhere."""
        return bool(self.lines) and self.lines[-1].lstrip().startswith(("ret ", "br "))

    @contextmanager
    def branch(self, condition: Value) -> Iterator[None]:
        """Code that runs where a condition holds; it may leave the function or a loop."""
        inside, after = self.fresh("then"), self.fresh("after")
        self.do(f"br i1 {condition.text}, label %{inside}, label %{after}")
        self.enter(inside)
        yield
        if not self.leaves():
            self.do(f"br label %{after}")
        self.enter(after)

    @contextmanager
    def repeat(self) -> Iterator[str]:
        """Write a loop, and give the name of the block that its code jumps to at the end."""
        head, done = self.fresh("repeat"), self.fresh("done")
        self.start_block(head)
        yield done
        if not self.leaves():
            self.do(f"br label %{head}")
        self.enter(done)

    def data(self, array: Value) -> Value:
        """The address of the elements of an array."""
        return self.get(self.at(array, DATA, "i8"), 0, "ptr")
