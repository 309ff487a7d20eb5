"""The Lark grammars: the specification's EBNF, section by section, and MLIR's surroundings."""
