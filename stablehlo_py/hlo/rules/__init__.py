"""Shape rules, a function each: a rule in the rows of opcodes is the function of that name.

A rule returns the shape, with default layouts, or None where operands and attributes do not determine it, and
raises ShapeMismatch, with the values, where they contradict each other.
"""
