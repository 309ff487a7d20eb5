"""Loop IR: what the native engine computes, as loops over affine index spaces.

    plan -> lower -> Program -> schedule, stage by stage -> llvm -> machine code

A `Program` is plain data: it is printed (`text`), parsed (`parse`), verified (`verify`) and run (`interpret`)
after each stage, without LLVM.
"""
