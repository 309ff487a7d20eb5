"""XLA's CPU backend, in one process for all tests that draw programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from xla_batch import Xla


@pytest.fixture(scope="session")
def xla() -> Iterator[Xla]:
    backend = Xla()
    yield backend
    backend.close()
