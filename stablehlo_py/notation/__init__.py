"""The specification's notation: a small language of formulas, compiled to closures over an op."""
