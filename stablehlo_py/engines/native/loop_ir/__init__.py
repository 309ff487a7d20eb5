"""Loop IR: what the native engine computes, as loops over affine index spaces.

    plan -> lower -> Program -> schedule, stage by stage -> llvm -> machine code

A `Program` is plain data: it is printed (`text`) and verified (`verify`) after each stage, without LLVM;
tests parse and interpret it as well.
"""
