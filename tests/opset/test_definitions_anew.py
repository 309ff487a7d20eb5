"""Definitions that are made in a test, and read as the other tests of this folder read them.

What makes them runs at import else, before any test.
"""

from __future__ import annotations

import inspect
import runpy
import sys

import pytest
import test_behaviour  # beside this file
import test_definitions
import test_order_of_parts
import test_recorded_interfaces
import test_revisions

from stablehlo_py.opset import definition

MODULES = (test_behaviour, test_definitions, test_order_of_parts, test_recorded_interfaces, test_revisions)
ALONE = "test_importing_the_definitions_compiles_no_formula_or_form"  # starts a process


def make_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes all definitions in an empty registry, which is the registry for this test."""
    modules = [sys.modules.get(f"stablehlo_py.opset.ops.{family}") for family in definition.families()]
    for name in ("_registry", "_families", "_family_of"):
        monkeypatch.setattr(definition, name, {})
    for name in ("_extensions", "_caches"):
        monkeypatch.setattr(definition, name, [])
    for module in filter(None, modules):  # the others are those of extensions
        runpy.run_path(str(module.__file__), run_name=module.__name__)


def test_definitions_that_are_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    extensions = definition.extensions()
    before = [d for d in definition.all_definitions() if d not in extensions]
    make_anew(monkeypatch)
    made = list(definition.all_definitions())
    assert [d.name for d in made] == [d.name for d in before]
    assert not {*map(id, made)} & {*map(id, before)}
    for module in MODULES:
        for name, test in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("test_") and not inspect.signature(test).parameters and name != ALONE:
                test()
    for trait in test_behaviour.TRAITS:
        test_behaviour.test_traits(trait)
    for table in test_behaviour.TABLES:
        test_behaviour.test_rows(*table)
    for row in test_order_of_parts.ROWS:
        test_order_of_parts.test_order(*row)
