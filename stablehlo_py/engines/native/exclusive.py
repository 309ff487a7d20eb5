"""Exclusion: a lock around LLVM, so that neither the exit of the process nor a fork interrupts it.

Both wait until LLVM has returned. No thread enters LLVM after the exit began: the destructors of its global
objects run then, and passes would crash.
"""

from __future__ import annotations

import atexit
import os
from threading import RLock

LLVM = RLock()

atexit.register(LLVM.acquire)  # for good
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=LLVM.acquire, after_in_parent=LLVM.release, after_in_child=LLVM.release)
