"""The linter: rules for valid programs, the engine that applies them, and automatic fixes."""
