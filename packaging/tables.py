"""Writes the tables of the grammar into a copy of the package: `python packaging/tables.py FOLDER`.

`setup.py` runs this on the folder that becomes a wheel, so that no installation computes them.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(folder: Path) -> None:
    for old in (folder / "stablehlo_py" / "grammar").glob("*.json"):
        old.unlink()
    sys.path.insert(0, str(folder.resolve()))
    from stablehlo_py.notation import terms
    from stablehlo_py.notation.scope import load_formulas
    from stablehlo_py.syntax.lalr import tables
    from stablehlo_py.transforms.registry import all_rules
    from stablehlo_py.transforms.rules.rule_set import RuleSet

    load_formulas()
    RuleSet(tuple(all_rules()))
    terms.package_terms()
    tables.package_tables()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
