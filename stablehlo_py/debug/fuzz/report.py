"""The report of fuzzing: what went wrong, in groups, as data to resume from and as text."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from stablehlo_py.debug.fuzz.verdict import Verdict
from stablehlo_py.debug.generate.programs import Request

REDUCED = 3  # programs of the same op and cause that are reduced; more are counted only


@dataclass
class Group:
    """Programs that fail in the same way.

    Attributes:
        op: The op of the first result that differs, or that the error names; "" if unknown.
        cause: The kind of failure, with the engine.
        ops: The names of the ops of the reduced program.
        count: The number of programs.
        first: The number of the first program.
        example: The failure of the reduced program.
        program: The reduced program.
    """

    op: str
    cause: str
    ops: tuple[str, ...]
    count: int
    first: int
    example: str
    program: str

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.first}_{self.op or 'program'}"


@dataclass
class Report:
    """The state of fuzzing, from which it can be resumed.

    Attributes:
        engines: The names of the engines.
        seed: The seed of the programs.
        request: What programs are drawn.
        programs: The number of programs so far.
        results: The number of results that were compared.
        seconds: The time that they took.
        groups: What went wrong.
        seen: The groups of the programs of an op and cause as drawn, before their reduction.
    """

    engines: tuple[str, str]
    seed: int
    request: Request
    programs: int = 0
    results: int = 0
    seconds: float = 0.0
    groups: list[Group] = field(default_factory=list)
    seen: dict[str, list[int]] = field(default_factory=dict)

    def known(self, drawn: Verdict) -> Group | None:
        """Count a program that goes wrong as enough others do; return its group, None to reduce it."""
        numbers = self.seen.get(_key(drawn), [])
        if len(numbers) < REDUCED:
            return None
        group = self.groups[numbers[-1]]
        group.count += 1
        return group

    def add(self, drawn: Verdict, reduced: Verdict, ops: tuple[str, ...], program: str) -> Group:
        """Count a program that was reduced; return its group."""
        numbers = self.seen.setdefault(_key(drawn), [])
        for at, group in enumerate(self.groups):
            same = reduced.at < 0 or group.ops == ops  # an error is a cause of its own, whatever leads to it
            if same and (group.op, group.cause) == (reduced.op, reduced.cause):
                group.count += 1
                numbers.append(at)
                return group
        self.groups.append(Group(reduced.op, reduced.cause, ops, 1, self.programs, reduced.example, program))
        numbers.append(len(self.groups) - 1)
        return self.groups[-1]

    def ordered(self) -> list[Group]:
        """Return the groups, the largest first."""
        return sorted(self.groups, key=lambda group: -group.count)

    def to_json(self) -> dict[str, Any]:
        """Convert the report to its JSON form."""
        only = None if self.request.only is None else sorted(self.request.only)
        return asdict(self) | {"request": self.request._asdict() | {"only": only}}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Report:
        """Return the report of its JSON form."""
        only = data["request"]["only"]
        request = Request(**data["request"] | {"only": None if only is None else frozenset(only)})
        groups = [Group(**group | {"ops": tuple(group["ops"])}) for group in data["groups"]]
        return Report(**data | {"engines": tuple(data["engines"]), "request": request, "groups": groups})

    def to_markdown(self) -> str:
        """Return the report as a page to read: a table of the groups, then each with its smallest program."""
        names = " and ".join(self.engines)
        wrong = sum(group.count for group in self.groups)
        lines = [
            f"# Differences between {names}",
            "",
            f"{self.programs:,} programs of about {self.request.ops} ops (seed {self.seed}), "
            f"{self.results:,} results, {self.seconds / 60:.1f} minutes: {wrong:,} programs differ, "
            f"in {len(self.groups)} groups.",
        ]
        if self.groups:
            lines += ["", "| Programs | Op | What differs | First |", "|---|---|---|---|"]
        lines += [
            f"| {group.count:,} | `{group.op or '-'}` | {_cell(group.cause)} | {group.first} |"
            for group in self.ordered()
        ]
        for group in self.ordered():
            lines += ["", *self._section(group)]
        return "\n".join(lines) + "\n"

    def _section(self, group: Group) -> list[str]:
        first, second = self.engines
        options = f"--engine {first} --engine {second}"
        return [
            f"## {group.op or 'program'}: {group.cause}",
            "",
            f"{group.count:,} programs, first number {group.first} (`{group.name}.drawn.mlir`). Reduced:",
            "",
            *("```mlir", group.program.rstrip(), "```"),
            "",
            *("```text", group.example.rstrip(), "```"),
            "",
            f"`shlo compare {group.name}.mlir --input {group.name}.npz {options}`",
        ]


def _key(drawn: Verdict) -> str:
    return f"{drawn.op}: {drawn.cause}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
