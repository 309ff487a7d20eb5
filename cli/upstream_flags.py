"""Flags of stablehlo-opt and mlir-opt, as options of `shlo`: rows, and the command that reads them.

A flag has one hyphen or two, and its value follows `=` or a blank, as LLVM reads command lines. The name of a
pass is a flag as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import click


class Flag(NamedTuple):
    """What a flag of upstream is here.

    Attributes:
        options: The options here; "{}" stands for the value.
        off: The options where the value is false, for a flag that may be switched off.
        instead: The command that does the same; the flag itself is refused.
    """

    options: tuple[str, ...] = ()
    off: tuple[str, ...] | None = None
    instead: str = ""

    @property
    def takes_value(self) -> bool:
        """Test whether the flag needs a value."""
        return "{}" in self.options


OPT_FLAGS = {
    "allow-unregistered-dialect": Flag(("--allow-unregistered",), ()),
    "split-input-file": Flag((), ()),
    "verify-each": Flag(("--verify-each",), ("--no-verify-each",)),
    "pass-pipeline": Flag(("--pipeline", "{}")),
    "mlir-print-op-generic": Flag(("--generic",), ()),
    "mlir-print-debuginfo": Flag(("--locations",), ()),
    "mlir-print-ir-before-all": Flag(("--print-before-each",), ()),
    "mlir-print-ir-after-all": Flag(("--print-after-each",), ()),
    "mlir-print-ir-before": Flag(("--print-before", "{}")),
    "mlir-print-ir-after": Flag(("--print-after", "{}")),
    "mlir-timing": Flag(("--stats",), ()),
    "mlir-pass-statistics": Flag(("--stats",), ()),
    "mlir-disable-threading": Flag(("--jobs", "1"), ()),
    "mlir-pass-pipeline-crash-reproducer": Flag(("--reproducer", "{}")),
    "verify-diagnostics": Flag(instead="shlo verify --verify-diagnostics FILE"),
    "verify-roundtrip": Flag(instead="shlo fmt FILE | shlo diff FILE -"),
    "emit-bytecode": Flag(instead="shlo convert --to bytecode FILE"),
    "emit-bytecode-version": Flag(instead="shlo convert --to portable --target VERSION FILE"),
    "show-dialects": Flag(instead="shlo explain"),
    "mlir-elide-elementsattrs-if-larger": Flag(instead="shlo fmt --elide-constants N FILE"),
    "mlir-use-nameloc-as-prefix": Flag(instead="shlo fmt --names-from-locations FILE"),
}
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class UpstreamCommand(click.Command):
    """A command that takes the flags of upstream's tool and the names of passes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Translate the flags, and parse the options."""
        own = {name for parameter in self.params for name in (*parameter.opts, *parameter.secondary_opts)}
        own.update(self.get_help_option_names(ctx))
        return super().parse_args(ctx, list(translated(args, OPT_FLAGS, own)))


def translated(args: Sequence[str], flags: Mapping[str, Flag], own: set[str]) -> Iterator[str]:
    """Yield arguments with the flags of upstream's tool as options of a command.

    Args:
        args: The arguments.
        flags: The flags by name, without hyphens.
        own: The options of the command, which stay as they are.

    Raises:
        UsageError: If a flag lacks its value, or is one of another command.
    """
    rest = iter(args)
    for arg in rest:
        if arg == "--":
            yield arg
            yield from rest
            return
        name, equal, value = arg.lstrip("-").partition("=")
        spelled = arg.partition("=")[0]
        flag = flags.get(name) if len(spelled) > 2 and arg[0] == "-" else None
        if flag is not None and (spelled not in own or equal):
            if flag.takes_value and not equal:
                value = next(rest, "")
            yield from _options(flag, spelled, value)
        elif len(spelled) > 2 and arg[0] == "-" and spelled not in own and _is_pass(name):
            yield from ("--pass", arg.lstrip("-"))
        else:
            yield arg


def _options(flag: Flag, spelled: str, value: str) -> list[str]:
    if flag.instead:
        raise click.UsageError(f"{spelled}: instead, run {flag.instead}")
    if flag.takes_value:
        if not value:
            raise click.UsageError(f"{spelled} needs a value")
        return [option.format(value) for option in flag.options]
    is_on = _TRUTH.get(value.lower()) if value else True
    if is_on is None:
        raise click.UsageError(f"{spelled} is true or false, not {value!r}")
    return list(flag.options if is_on else flag.off or ())


def _is_pass(name: str) -> bool:
    from stablehlo_py.transforms.registry import names

    return name in names()
