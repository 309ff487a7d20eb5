"""Binary programs: MLIR bytecode, portable artifacts (VHLO), and the containers that hold them."""
