"""Draws the programs of `tests/transforms/refused.mlir`: what a rule refuses because of one condition alone.

    python tests/make_refused_programs.py

For each condition of each rule that has no such program yet, looks among the programs near the example of the
rule for one on which the pattern and all other conditions hold; rather one to which the rule without this
condition applies. Prints the conditions that still have none: their programs are written by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "transforms"))

from rule_conditions import FILE, alone, conditions, read, without
from rule_variants import module_of, near

import stablehlo_py as shlo
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.registry import all_rules
from stablehlo_py.transforms.rules.rule import Rule

OPTIONS = {"fold-op-element-limit": 1000}


def applies(rule: Rule, module: shlo.Module) -> bool:
    """Whether a rule changes a program, or fails since it relies on its conditions."""
    changed = module.clone()
    try:
        return bool(apply_rules(changed, changed.op, [rule], OPTIONS))
    except Exception:
        return True


def draw(rule: Rule, programs: dict[int, str]) -> None:
    """Adds programs for the conditions of a rule that have none."""
    seen: set[str] = set()
    sure = set(programs)
    for body in near(rule.example):
        if len(sure) == len(conditions(rule)):
            return
        module = None if body in seen else module_of(body)
        seen.add(body)
        if module is None:
            continue
        for index in alone(rule, module) - sure:
            if applies(without(rule, index), module):
                sure.add(index)
                programs[index] = body
            programs.setdefault(index, body)


def main() -> None:
    known, texts, missing = read(), [], 0
    for rule in all_rules():
        if not rule.condition:
            continue
        programs: dict[int, str] = {}
        for body in known.get(rule.name, []):
            module = module_of(body)
            programs |= dict.fromkeys(alone(rule, module) if module else (), body)
        draw(rule, programs)
        texts += [f"// {rule.name}\n{programs[index].strip()}\n" for index in sorted(programs)]
        for index, condition in enumerate(conditions(rule)):
            if index not in programs:
                missing += 1
                print(f"{rule.name}: {condition}\n  {rule.condition}")
    FILE.write_text("\n".join(dict.fromkeys(texts)))
    print(f"{missing} without a program")


if __name__ == "__main__":
    main()
