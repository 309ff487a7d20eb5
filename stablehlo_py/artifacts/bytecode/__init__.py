"""MLIR bytecode, versions 0 to 6: bytes to operations, and operations to bytes."""
