"""Exclusion: a lock around LLVM, which is not to be cut off by the end of the process or by a fork.

Both wait until what LLVM is doing has ended. After the end began, no other thread enters LLVM: destructors of
its global objects run then, under which its passes crash.
"""

from __future__ import annotations

import atexit
import os
from threading import RLock

LLVM = RLock()

atexit.register(LLVM.acquire)  # for good
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=LLVM.acquire, after_in_parent=LLVM.release, after_in_child=LLVM.release)
