"""LLVM: from loops to LLVM IR, as the last stage of all."""
