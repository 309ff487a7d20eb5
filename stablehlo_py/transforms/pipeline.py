"""Parsing of passes with options, as `stablehlo-opt` and `--pass-pipeline` spell them.

    name                            cse
    name=option=value ...           stablehlo-aggressive-folder=fold-op-element-limit=100 optimize-float=0
    name=value option=value ...     bind=weights.safetensors extra=true
    name{option=value ...}          stablehlo-aggressive-folder{fold-op-element-limit=100}
    anchor(pass,pass,...)           builtin.module(func.func(canonicalize,cse),symbol-dce)

A value is one word, or quoted with `'`, `"` or braces; commas separate the items of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

from stablehlo_py.transforms.pass_definition import Option, Pass, Pipeline
from stablehlo_py.transforms.registry import find, names

_ANCHORS = ("builtin.module", "func.func", "any")
_OPEN, _CLOSE = "([{<", ")]}>"
_BOOLS = {"true": True, "1": True, "false": False, "0": False}


class Scheduled(NamedTuple):
    """A pass to run, with the values of all its options by name."""

    definition: Pass
    options: dict[str, Any]

    def __str__(self) -> str:
        defaults = self.definition.defaults()
        stated = {name: value for name, value in self.options.items() if value != defaults[name]}
        if not stated:
            return self.definition.name
        return f"{self.definition.name}{{{' '.join(f'{n}={_text(v)}' for n, v in stated.items())}}}"


def schedule(passes: str | Iterable[str]) -> list[Scheduled]:
    """Parse passes.

    Args:
        passes: A pipeline, or the passes in order, each spelled as above; one may be a pipeline's name.

    Returns:
        The passes in order, without the ones' pipelines.

    Raises:
        ValueError: For an unknown pass or option, or a value that does not match its option.
    """
    texts = [passes] if isinstance(passes, str) else list(passes)
    return [found for text in texts for found in _scheduled(text.strip())]


def _scheduled(text: str) -> Iterator[Scheduled]:
    """Parse one pass, pipeline or list of passes separated by commas."""
    parts = _split(text, ",") if "=" not in text.partition("{")[0] else [text]
    if len(parts) > 1:
        for part in parts:
            yield from _scheduled(part)
        return
    match = re.fullmatch(r"([\w.-]+)\s*\((.*)\)", text, re.DOTALL)
    if match and match[1] in _ANCHORS:
        yield from _scheduled(match[2].strip()) if match[2].strip() else ()
        return
    match = re.fullmatch(r"([\w.-]+)\s*(?:=(.*)|\{(.*)\})?", text, re.DOTALL)
    if match is None:
        raise ValueError(f"{text!r} is not a pass; the form is NAME or NAME=OPTION=VALUE")
    definition = _find(match[1])
    options = _options(definition, match[2] or match[3] or "")
    if isinstance(definition, Pipeline):
        for each in definition.passes(options):
            yield from _scheduled(each)
    else:
        yield Scheduled(definition, options)


def _find(name: str) -> Pass | Pipeline:
    found = find(name)
    if found is None:
        close = get_close_matches(name, names(), 1) or get_close_matches(f"stablehlo-{name}", names(), 1)
        hint = f"; did you mean {close[0]}?" if close else "; `shlo opt --list` lists the passes"
        raise ValueError(f"unknown pass {name}{hint}")
    return found


def _options(definition: Pass | Pipeline, text: str) -> dict[str, Any]:
    """Parse the options of a pass; return the values of all of them."""
    known = {option.name: option for option in definition.options}
    values = definition.defaults()
    positional = definition.positional if isinstance(definition, Pass) else ""
    for n, part in enumerate(_split(_unquoted(text), " \t\n")):
        name, equal, value = part.partition("=")
        if n == 0 and positional and name not in known:
            name, equal, value = positional, "=", part
        option = known.get(name)
        if option is None:
            takes = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ValueError(f"pass {definition.name} has no option {name}; {takes}")
        values[name] = _value(definition.name, option, value if equal else "true")
    return values


def _value(name: str, option: Option, text: str) -> Any:
    text = _unquoted(text)
    what = f"option {option.name} of {name}"
    match option.default:
        case bool():
            if text.lower() not in _BOOLS:
                raise ValueError(f"{what} must be true or false, not {text!r}")
            return _BOOLS[text.lower()]
        case int():
            if not re.fullmatch(r"-?\d+", text):
                raise ValueError(f"{what} must be an integer, not {text!r}")
            return int(text)
        case tuple():
            return tuple([_unquoted(part) for part in _split(text, ",")])
        case _:
            return text


def _split(text: str, separators: str) -> list[str]:
    """Split a text at separators outside of brackets and quotes; drop empty parts."""
    parts, depth, quote, start = [], 0, "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE and text[at - 1] != "-":  # not the arrow of a function type
            depth -= 1
        elif char in separators and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] + text[-1] in ("''", '""', "{}"):
        return text[1:-1]
    return text


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    return f"{{{text}}}" if " " in text else text
