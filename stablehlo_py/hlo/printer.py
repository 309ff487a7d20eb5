"""Printer: a module as the text that XLA's printer writes, in three styles."""

from __future__ import annotations

from typing import NamedTuple

from stablehlo_py.hlo.header import HEADER, frames_text, used_frames
from stablehlo_py.hlo.kinds import PARSED, kind_of
from stablehlo_py.hlo.literals import Literal, literal_text
from stablehlo_py.hlo.module import Computation, HloModule, Instruction
from stablehlo_py.hlo.opcodes import COMMON, Attribute
from stablehlo_py.hlo.shapes import indexed, text_of
from stablehlo_py.hlo.shardings import without_metadata


class Style(NamedTuple):
    """What differs between the styles.

    Attributes:
        percent: What precedes names.
        has_signatures: Whether computations have parameters and result after the name.
        has_metadata: Whether metadata, and control dependencies, are printed.
        has_config: Whether backend configurations are printed.
        large: Whether large constants are printed in full.
        is_canonical: Whether names are numbers, operands have shapes and called computations are repeated.
        indexes: Whether each fifth operand has a comment.
    """

    percent: str = "%"
    has_signatures: bool = True
    has_metadata: bool = True
    has_config: bool = True
    large: bool = False
    is_canonical: bool = False
    indexes: bool = True


STYLES = {
    "default": Style(),
    "short_parsable": Style("", has_signatures=False, has_metadata=False, large=True, indexes=False),
    "canonical": Style(
        "", has_signatures=False, has_metadata=False, has_config=False, is_canonical=True, indexes=False
    ),
}


def print_module(module: HloModule, style: str) -> str:
    """Return the text of a module; see `HloModule.to_string`."""
    if style not in STYLES:
        raise ValueError(f"unknown style {style}; expected one of {', '.join(STYLES)}")
    return _Printer(module, STYLES[style]).text()


_CALLS = ("reduce-scatter", "scan")  # whose computations the canonical style names calls=
_MOST_NESTED = 100
_LEAST, _TIMES = 20_000, 20  # the most lines: the instructions, some times


class _Printer:
    """Prints one module."""

    def __init__(self, module: HloModule, style: Style) -> None:
        self.module = module
        self.style = style
        self.lines: list[str] = []
        self.limit = _LEAST + _TIMES * sum(len(each.instructions) for each in module.computations)
        callers = [(i.opcode, id(c)) for i in module.instructions() for _, c in i.called]
        self.fused = {callee for opcode, callee in callers if opcode == "fusion"}
        self.hidden = {callee for opcode, callee in callers if opcode == "async-start"}
        used = (
            {i.metadata.get("stack_frame_id", 0) for i in module.instructions()} if module.frames else set()
        )
        self.frames, self.frame_numbers = used_frames(module.frames, used)
        self.numbers: dict[int, str] = {}  # names of instructions in the canonical style

    def text(self) -> str:
        """Return the text."""
        written = [f"HloModule {self.module.name}", *self._header()]
        frames = frames_text(self.frames) if self.style.has_metadata else ""
        head = ", ".join(written) + "\n" + frames + "\n"
        for computation in self.module.post_order():
            if id(computation) in self.hidden and is_single(computation):
                continue  # printed as part of the start
            self._computation(computation, "")
            self.lines.append("")
        return head + "\n".join(self.lines) + "\n"

    def _header(self) -> list[str]:
        found = []
        entry = self.module.entry
        layout = (tuple([p.shape for p in entry.parameters]), entry.root.shape)
        attributes = {"entry_computation_layout": layout} | self.module.attributes
        for name, kind in HEADER.items():
            value = attributes.get(name)
            if value is not None and value != kind.omitted:
                found.append(f"{name}={kind.write(value)}")
        return found

    # ------------------------------------------------------------------------------- computations

    def _computation(self, computation: Computation, indent: str) -> None:
        """Add the lines of a computation."""
        if len(indent) > 2 * _MOST_NESTED or len(self.lines) > self.limit:
            raise ValueError("the computations call each other too often for the canonical style")
        if not indent:
            entry = "ENTRY " if computation is self.module.entry else ""
            self.lines.append(
                f"{entry}{self.style.percent}{computation.name} {self._signature(computation)}{{"
            )
        else:
            self.lines.append(f"{indent[:-2]}{{")
        in_order = self.module.is_scheduled and not indent and id(computation) not in self.fused
        order = computation.instructions if in_order else computation.post_order()
        if self.style.is_canonical:
            self.numbers |= {id(instruction): f"tmp_{n}" for n, instruction in enumerate(order)}
        indent = indent or "  "
        for instruction in order:
            root = "ROOT " if instruction is computation.root else ""
            self._instruction(instruction, f"{indent}{root}", indent)
        thread = f', execution_thread="{computation.thread}"' if computation.thread != "main" else ""
        self.lines.append(f"{indent[:-2]}}}{thread}")

    def _signature(self, computation: Computation) -> str:
        if not self.style.has_signatures:
            return ""
        parts = [f"{p.name}: {text_of(p.shape, False)}" for p in computation.parameters]
        return f"({', '.join(parts)}) -> {text_of(computation.root.shape, False)} "

    # ------------------------------------------------------------------------------- instructions

    def _name(self, instruction: Instruction) -> str:
        if self.style.is_canonical:
            return self.numbers[id(instruction)]
        return self.style.percent + instruction.name

    def _instruction(self, instruction: Instruction, start: str, indent: str) -> None:
        """Add the lines of an instruction."""
        opcode, inner = shown_opcode(instruction)
        shape, operands = text_of(instruction.shape), self._operands(instruction)
        self.lines.append(f"{start}{self._name(instruction)} = {shape} {opcode}({operands})")
        if inner is not None:
            self._own(inner, indent, instruction)
            if self.style.is_canonical:
                self._add_called("calls", [instruction.attributes["calls"]], indent, False)
        elif opcode == instruction.opcode:
            self._own(instruction, indent)
        for name, attribute in COMMON.items():
            value = instruction.attributes.get(name)
            if value is None or not self._is_shown(name):
                continue
            if name == "sharding" and not self.style.has_metadata:
                value = without_metadata(value)
            elif name == "metadata" and "stack_frame_id" in value:
                value = value | {"stack_frame_id": self.frame_numbers.get(value["stack_frame_id"])}
            self._attribute(attribute, value)

    def _is_shown(self, name: str) -> bool:
        if name in ("metadata", "control-predecessors"):
            return self.style.has_metadata
        if name == "backend_config":
            return self.style.has_config
        return True

    def _operands(self, instruction: Instruction) -> str:
        value = instruction.value
        if isinstance(value, Literal):
            return literal_text(value, self.style.large)
        if value is not None:
            return str(value)
        if self.style.is_canonical:
            parts = [f"{text_of(o.shape)} {self._name(o)}" for o in instruction.operands]
        else:
            parts = [self.style.percent + operand.name for operand in instruction.operands]
        return ", ".join(indexed(parts) if self.style.indexes else parts)

    def _own(self, instruction: Instruction, indent: str, start: Instruction | None = None) -> None:
        """Add the attributes of the opcode, then the called computations."""
        attributes = instruction.attributes
        if start is not None:
            thread = start.attributes.get("async_execution_thread", "main")
            self._attribute(Attribute("async_execution_thread", "thread"), thread)
        for name, attribute in instruction.row.attributes.items():
            value = attributes.get(name)
            if value is None:
                continue
            if attribute.kind == "computation":
                is_renamed = self.style.is_canonical and instruction.opcode in _CALLS
                self._add_called("calls" if is_renamed else name, [value], indent, False)
            elif attribute.kind == "computations":
                self._add_called(name, list(value), indent, True)
            else:
                self._attribute(attribute, value)

    def _attribute(self, attribute: Attribute, value: object) -> None:
        name, kind = attribute.name, attribute.kind
        if kind == "literal":
            assert isinstance(value, Literal)
            self.lines[-1] += f", {name}={text_of(value.shape)} {literal_text(value, large=True)}"
        elif kind == "instructions":
            names = ", ".join(self.style.percent + each.name for each in value)  # type: ignore[attr-defined]
            self.lines[-1] += f", {name}={{{names}}}" if names else ""
        elif kind not in PARSED and kind != "ignored":
            row = kind_of(kind)
            if value != row.omitted or attribute.is_always:
                self.lines[-1] += f", {name}={row.write(value)}"

    def _add_called(self, name: str, computations: list[Computation], indent: str, braces: bool) -> None:
        if not computations:
            return
        if not self.style.is_canonical:
            names = ", ".join(self.style.percent + each.name for each in computations)
            self.lines[-1] += f", {name}={{{names}}}" if braces else f", {name}={names}"
            return
        self.lines[-1] += f", {name}=" + "{" * braces
        for number, computation in enumerate(computations):
            self._computation(computation, indent + "  ")
            self.lines[-1] += "," * (number < len(computations) - 1)
        if braces:
            self.lines.append("}")


def shown_opcode(instruction: Instruction) -> tuple[str, Instruction | None]:
    """Return the opcode as it is printed, and the instruction that an asynchronous start stands for."""
    prefix, _, suffix = instruction.opcode.partition("-")
    if prefix != "async":
        return instruction.opcode, None
    start = instruction
    while start.opcode != "async-start" and start.operands:
        start = start.operands[0]
    computation = start.attributes.get("calls")
    if computation is None or not is_single(computation):
        return instruction.opcode, None
    opcode = f"{computation.root.opcode}-{suffix}"
    return opcode, computation.root if suffix == "start" else None


def is_single(computation: Computation) -> bool:
    """Test whether a computation is one instruction on its parameters."""
    return all(i is computation.root or i.opcode == "parameter" for i in computation.instructions)
