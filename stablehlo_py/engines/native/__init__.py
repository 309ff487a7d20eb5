"""The native engine: regions of a plan compiled to machine code by LLVM."""
