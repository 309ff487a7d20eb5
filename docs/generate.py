"""Pages from what the package says of itself: the ops, the commands, the public functions."""

from __future__ import annotations

import csv
import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from markdown_text import block, code, table, text
from sessions import sessions
from stablehlo_py.cli.main import cli

import stablehlo_py as shlo
from stablehlo_py.analysis.language import grammar
from stablehlo_py.analysis.op_reference import Data, explain, names
from stablehlo_py.builder import XlaBuilder
from stablehlo_py.engines.native.support import native_form, reason
from stablehlo_py.hlo.opcodes import COMMON, opcodes
from stablehlo_py.hlo.to_stablehlo.forms import FORMS
from stablehlo_py.kernels.registry import find_kernel
from stablehlo_py.linter.catalogue import catalogue
from stablehlo_py.linter.config import reference
from stablehlo_py.opset.definition import families
from stablehlo_py.transforms import registry
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.pass_definition import Pass, Pipeline
from stablehlo_py.transforms.rules.example import example_module, example_text
from stablehlo_py.transforms.rules.rule import Rule

_VERDICTS = {
    "error": "",
    "spec-only": "warning: only the specification's text demands it",
    "upstream": "only upstream's verifier demands it",
    "run": "checked when the op runs",
}


def write_all(folder: Path) -> None:
    """Writes every generated page into the folder's `reference`."""
    pages = {
        "commands.md": commands_page(),
        "library.md": library_page(),
        "builder.md": builder_page(),
        "configuration.md": reference(),
        "lint.md": catalogue(),
        "differences.md": differences_page(),
        "semantics.md": semantics_page(),
        "grammar.md": grammar_page(),
        "native.md": native_page(),
        "hlo.md": hlo_page(),
        "passes.md": passes_page(),
    }
    families = {f"ops/{family}.md": family_page(family, ops) for family, ops in names().items()}
    for name, page in {**pages, **families, "ops/index.md": ops_index()}.items():
        path = folder / "reference" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")


# Passes ----------------------------------------------------------------------------------------------


def passes_page() -> str:
    """All passes: what they do, their options and their rules."""
    found = list(registry.all_passes())
    rows = [(f"[{each.name}](#{each.name})", text(each.summary)) for each in found]
    intro = (
        "`shlo opt` and `shlo.opt` run these passes and pipelines; see [Passes](../passes.md). `--exact`\n"
        "leaves out rules that are marked inexact."
    )
    listed: set[str] = set()
    sections = [section for each in found for section in _pass_section(each, listed)]
    return "\n\n".join(["# Passes", intro, table(("pass", ""), rows), *sections]) + "\n"


def _pass_section(definition: Pass | Pipeline, listed: set[str]) -> Iterator[str]:
    yield f"## {definition.name}"
    yield text(definition.summary)
    if isinstance(definition, Pass) and definition.description:
        yield definition.description
    options = [(code(o.name), code(str(o.default)), text(o.summary)) for o in definition.options]
    yield from [table(("option", "default", ""), options)] if options else []
    rules = definition.rules if isinstance(definition, Pass) else ()
    known = [rule.name for rule in rules if rule.name in listed]
    if known:
        yield f"Rules that are described above: {', '.join(code(name) for name in known)}."
    for rule in rules:
        if rule.name not in listed:
            listed.add(rule.name)
            yield from _rule_section(rule)


def _rule_section(rule: Rule) -> Iterator[str]:
    yield f"### {rule.name}"
    is_code = not isinstance(rule.replacement, str)
    about = [rule.doc, (inspect.getdoc(rule.replacement) or "").split("\n")[0] if is_code else ""]
    if any(about):
        yield " ".join(text(part) for part in about if part)
    if rule.inexact:
        yield f"Inexact: {text(rule.inexact)}."
    lines = [inspect.cleandoc(rule.pattern)]
    lines += [f"  if {rule.condition}"] if rule.condition else []
    lines += ["->", inspect.cleandoc(str(rule.replacement))] if not is_code else []
    yield block("\n".join(lines))
    if rule.example:
        yield "Before:\n\n" + block(example_text(rule.example).strip(), "mlir")
        yield "After:\n\n" + block(_rewritten(rule), "mlir")


def _rewritten(rule: Rule) -> str:
    """The example of a rule, after the rule."""
    module = example_module(rule.example)
    apply_rules(module, module.op, [rule])
    return shlo.format(module, canonical=False).strip()


# Ops -------------------------------------------------------------------------------------------------


def ops_index() -> str:
    """The list of families, and how to read their pages."""
    listed = "\n".join(f"{family} <{family}>" for family in names())
    rows = [
        (f"[{family}]({family}.md)", ", ".join(code(name.removeprefix("stablehlo.")) for name in ops))
        for family, ops in names().items()
    ]
    return f"""# Operations

All of these pages are made from the definitions that the parser, the verifier and the printer read.
`shlo explain OP` prints the same in a terminal.

{table(("family", "ops"), rows)}

```{{toctree}}
:hidden:

{listed}
```
"""


def family_page(family: str, ops: Sequence[str]) -> str:
    """All ops of a family."""
    return f"# {family}\n\n" + "\n".join(op_section(data) for name in ops if (data := explain(name)))


def op_section(data: Data) -> str:
    """One op: what it is, its inputs and outputs, its forms and its constraints."""
    return "\n\n".join(part for part in _op_parts(data) if part) + "\n"


def _op_parts(data: Data) -> Iterator[str]:
    yield f"## {data['name']}"
    yield text(data["doc"])
    if data["deprecated"]:
        yield f"Deprecated: use {code(data['deprecated'])}."
    if data["specification"]:
        yield f"[In the specification]({data['specification']})"
    columns = ("", "name", "type", "")
    yield table(
        columns, [(row["label"], _name(row), text(row["type"]), _notes(row)) for row in data["inputs"]]
    )
    yield table(columns[:3], [(row["label"], _name(row), text(row["type"])) for row in data["outputs"]])
    yield block("\n".join([data["form"] or data["generic_form"], *data["form_rules"]]))
    if data["example"]:
        yield "For example:\n\n" + block(data["example"], "mlir")
    yield table(("", "constraint", ""), [_constraint(rule) for rule in data["constraints"]])
    if data["where"]:
        lets = "\n".join(f"{name} = {formula}" for name, formula in data["where"].items())
        yield "where\n\n" + block(lets)


def _name(row: Data) -> str:
    return code(row["name"] + ("..." if row.get("variadic") else ""))


def _notes(row: Data) -> str:
    """The role of an input, and what it is when it is left out."""
    if row.get("default") is not None:
        return f"{row['role']}, default {code(str(row['default']))}"
    return f"{row['role']}, optional" if row.get("optional") else str(row["role"])


def _constraint(rule: Data) -> tuple[str, str, str]:
    notes = [_VERDICTS[rule["verdict"]], text(rule["why"])]
    return rule["label"], code(rule["formula"]), "; ".join(note for note in notes if note)


def differences_page() -> str:
    """Every constraint on which upstream's verifier and the specification's text differ."""
    rows = []
    for ops in names().values():
        for name in ops:
            rules = (explain(name) or {})["constraints"]
            rows += [(code(name), *_constraint(rule)) for rule in rules if rule["verdict"] != "error"]
    return f"""# Differences from the C++ verifier

The verdict on a program is upstream's. Where the specification's text says something else, the definition
says so: what only the text forbids is a warning, and what only upstream's verifier forbids is an error with a
label of its own (`U1`, `U2`, ...). What neither demands, but an execution needs, is checked when the op runs
(`R1`, `R2`, ...).

{table(("op", "", "constraint", ""), rows)}

## Differences between editions

The source edition of the specification is that of January 2024. These constraints have another label, another
text, or are in one edition only. The source edition's `quantize` rounds `x / scale`, then adds the zero point
and clamps; today's adds the zero point and clamps first, and rounds last, so that 0.5 with scale 1 and zero
point 1 gives 1 there (half to even) and 2 today.

{table(("", "today", "source", "difference", "constraint"), _edition_rows())}
"""


_SEMANTICS = Path(__file__).parent.parent / "tests" / "semantics.csv"
_SPECIAL_VALUES = _SEMANTICS.with_name("special_values.csv")


def semantics_page() -> str:
    """Return the page of the ops whose results the specification and XLA define differently."""
    with _SEMANTICS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = [(code(r["program"]), code(r["specification"]), code(r["xla"]), r["reason"]) for r in rows]
    folder = _SEMANTICS.parent.parent / "testdata" / "semantics"
    programs = [
        f"## {row['program']}\n\n```mlir\n{(folder / row['program']).with_suffix('.mlir').read_text()}```"
        for row in rows
    ]
    return f"""# Differences from XLA

`shlo run` gives the specification's results, and those of the reference interpreter where the specification
leaves them open. Where XLA's differ by design, `shlo run --semantics xla` and
`shlo.compile(module, semantics="xla")` give XLA's:

{table(("op", "specification", "XLA", ""), cells)}

{chr(10).join(programs)}

## Signed zeros, denormals, infinities and NaN

The NumPy engine and the native engine give NaN, infinities and signs of zeros in the same places, and keep
denormals, as IEEE 754 and C's Annex G state them; but Fourier transforms of infinite elements, whose sums are
taken in another order, have NaN in other places. XLA's CPU backend takes denormals for zeros. What differs
besides:

{table(("op", "elements", "what differs", "example", "result", "XLA's", ""), _special_values())}
"""


def _special_values() -> Iterator[Sequence[str]]:
    """Yield the ops whose results for special values are not XLA's."""
    with _SPECIAL_VALUES.open(encoding="utf-8", newline="") as file:
        for r in csv.DictReader(file):
            example = [code(r[name]) if r[name] else "" for name in ("operands", "ours", "xla")]
            elements = ", ".join(code(each) for each in r["elements"].split())
            yield code(r["op"]), elements, r["differs"], *example, r["reason"]


_CONSTRAINTS = Path(__file__).parent.parent / "testdata" / "spec_tables" / "constraints.csv"


def _edition_rows() -> Iterator[Sequence[str]]:
    """The constraints that differ between the source edition and today's, with the reason."""
    with _CONSTRAINTS.open(encoding="utf-8", newline="") as file:
        constraints = list(csv.DictReader(file))
    for row in constraints:
        today = row["label"] if row["in_current"] == "y" else ""
        source = row["source_label"] if row["in_source"] != "n" else ""
        if today == source and row["in_source"] == "y":
            continue
        kind = (
            "dropped" if not today else "added" if not source else "moved" if today != source else "changed"
        )
        words = row["formula"].replace("\\n", " ").replace("`", "").removesuffix(".")
        reason = f"{kind}: {row['note']}" if row["note"] else kind
        yield code(row["element"]), today, source, text(reason), code(words)


# Grammar ---------------------------------------------------------------------------------------------

_PRODUCTIONS = Path(__file__).parent.parent / "grammar" / "productions.csv"


def grammar_page() -> str:
    """Every production of the specification's EBNF, with its rules in our grammar; and the grammar."""
    with _PRODUCTIONS.open(encoding="utf-8", newline="") as file:
        productions = list(csv.DictReader(file))
    rows = [
        (code(row["production"]), " ".join(map(code, row["rules"].split())), row["difference"])
        for row in productions
    ]
    return f"""# Grammar

`shlo grammar` prints the grammar of the language as one file for [Lark](https://lark-parser.readthedocs.io).
Its start symbol is `program`. The rules have the names of the specification's EBNF in snake_case, its
terminals in capitals.

## The productions of the specification

Each production of the specification's EBNF, the rules and terminals of the grammar that have its part, and
where they differ. A spelling that the specification has and upstream's parser refuses parses; `shlo verify`
reports it as an error with the code `spelling`, and `shlo fmt` prints it as upstream does.

{table(("production", "in the grammar", "difference"), rows)}

## The whole grammar

{block(grammar())}
"""


def hlo_page() -> str:
    """What each opcode of HLO becomes in StableHLO, from the rows of opcodes."""
    rows = []
    for row in opcodes().values():
        form = FORMS.get(row.name)
        becomes = code(row.op) if row.op else code(f"custom_call @hlo.{row.name}")
        if form is not None and not row.op:
            becomes = (form.__doc__ or "its operand, or a part of it").partition("\n")[0].rstrip(".")
        attributes = ", ".join(
            code(each.name) + " (required)" * each.is_required for each in row.attributes.values()
        )
        least = f"{row.least} or more" if row.least else "any"
        count = least if row.operands is None else str(row.operands)
        rows.append((code(row.name), count, attributes, becomes, row.differences))
    return f"""# HLO opcodes

What each opcode of [HLO text](../hlo.md) takes, and what it becomes in StableHLO. Every opcode also takes
{", ".join(map(code, COMMON))}. What no op expresses becomes a custom call, which is an error when it is run.

{table(("opcode", "operands", "attributes", "becomes", "differences"), rows)}
"""


# Commands --------------------------------------------------------------------------------------------


def native_page() -> str:
    """Which ops the native engine compiles, and why it leaves the others to NumPy."""
    native, others = [], []
    for family, definitions in families().items():
        for definition in definitions:
            form = native_form(definition.name)
            if form is not None:
                native.append((code(definition.name), *form))
            elif find_kernel(definition.name) is not None:
                others.append((code(definition.name), reason(definition.name, family)))
    return f"""# Native ops

What the [native engine](../native-engine.md) compiles. All other ops run as NumPy calls between native steps.
Ops that move elements do so with quantized ones as well; ops on floats compute on the numbers that these are.

## Ops with an emitter

{table(("op", "becomes", "on elements"), native)}

## Ops that run as NumPy calls

{table(("op", "because"), others)}
"""


def commands_page() -> str:
    """Every command with its options."""
    context = click.Context(cli, info_name="shlo", **cli.context_settings)
    parts = ["# Commands", _help(cli.help or "")]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if command is not None:
            parts += _command_parts(command, click.Context(command, info_name=name, parent=context))
    return "\n\n".join(part for part in parts if part) + "\n"


def _help(words: str) -> str:
    """A command's help; a paragraph below click's mark `\\b` keeps its lines."""
    paragraphs = inspect.cleandoc(words).split("\n\n")
    return "\n\n".join(
        block(part.removeprefix("\b\n")) if part.startswith("\b\n") else text(part) for part in paragraphs
    )


def _command_parts(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}"
    yield block(" ".join([context.command_path, *command.collect_usage_pieces(context)]))
    yield _help(command.help or "")
    session = sessions().get(command.name or "")
    if session:
        yield f"![{session.title}](sessions/{session.name}.svg)"
        for name in session.keep:
            is_picture = name.endswith(".svg")
            yield (
                f"![{name}](sessions/{name})" if is_picture else f"The page: [{name}](path:sessions/{name})."
            )
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    yield table(("option", ""), [(code(record[0]), text(record[1])) for record in records if record])
    if command.epilog:
        yield block(inspect.cleandoc(command.epilog).replace("\b\n", ""))


# Functions -------------------------------------------------------------------------------------------


def library_page() -> str:
    """The public names of the package with their docstrings."""
    public = [(name, getattr(shlo, name)) for name in shlo.__all__]
    functions = [_entry(f"shlo.{name}", thing) for name, thing in public if inspect.isfunction(thing)]
    classes = [_entry(f"shlo.{name}", thing) for name, thing in public if inspect.isclass(thing)]
    return "\n\n".join(["# Functions and classes", "## Functions", *functions, "## Classes", *classes]) + "\n"


def builder_page() -> str:
    """Every operation of XlaBuilder."""
    operations = {
        name: thing for name in dir(XlaBuilder) if name[0].isupper() for thing in [getattr(XlaBuilder, name)]
    }
    parts = [f"## {name}\n\n{_described(name, thing)}" for name, thing in operations.items()]
    return "\n\n".join(["# XlaBuilder", docstring(XlaBuilder), *parts]) + "\n"


def _described(name: str, thing: Any) -> str:
    """A signature, and a docstring whose list of arguments is kept as it is."""
    return block(_signature(name, thing), "python") + "\n\n" + block(inspect.getdoc(thing) or "")


def _entry(name: str, thing: Any) -> str:
    """A function or class: its signature and what its docstring says, which is Markdown."""
    parts = [f"### {name}", block(_signature(name, thing), "python"), docstring(thing)]
    if inspect.isclass(thing):
        parts += [_member(key, value) for key, value in vars(thing).items() if key[:1] != "_"]
    return "\n\n".join(part for part in parts if part)


def _member(name: str, thing: Any) -> str:
    """A method or property in one paragraph."""
    function = thing.fget if isinstance(thing, property) else getattr(thing, "__func__", thing)
    if not inspect.isfunction(function) or not function.__doc__:
        return ""
    title = name if isinstance(thing, property) else _signature(name, function)
    return f"{code(title)}\n: " + docstring(function).replace("\n", "\n  ")


_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example):\n((?:(?:    .*)?\n)+)", re.MULTILINE)
_NAMED = re.compile(r"^(\*{0,2}[A-Za-z_]\w*): (.*(?:\n +.*)*)", re.MULTILINE)


def docstring(thing: Any) -> str:
    """A Google-style docstring as Markdown."""
    return _SECTION.sub(_section, (inspect.getdoc(thing) or "") + "\n").strip()


def _section(found: re.Match[str]) -> str:
    title, body = found[1], inspect.cleandoc(found[2])
    if title == "Example":
        return f"**{title}**\n\n{block(body, 'python')}\n"
    if title != "Returns":
        body = _NAMED.sub(lambda row: f"- {code(row[1])}: " + " ".join(row[2].split()), body)
    return f"**{title}**\n\n{body}\n\n"


def _signature(name: str, thing: Any) -> str:
    """A call's signature, a parameter a line where it is long."""
    if inspect.isclass(thing) and "__init__" not in vars(thing):
        return name
    signature = inspect.signature(thing)
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    texts = [str(p).replace("'", "") for p in parameters]
    named = next((i for i, p in enumerate(parameters) if p.kind is p.KEYWORD_ONLY), None)
    if named is not None and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        texts.insert(named, "*")
    result = f" -> {signature.return_annotation}" if isinstance(signature.return_annotation, str) else ""
    short = f"{name}({', '.join(texts)}){result}"
    return short if len(short) <= 100 else f"{name}(\n    " + ",\n    ".join(texts) + f",\n){result}"
