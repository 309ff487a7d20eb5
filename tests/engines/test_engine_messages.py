"""Messages between processes over a pipe."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest

from stablehlo_py.engines.messages import read_message, write_message

X = np.arange(6, dtype=np.int32).reshape(2, 3)
VALUES = [
    None,
    X,
    X.T,
    np.array(2.5),
    np.zeros((0, 3), np.float32),
    (),
    [],
    (X, [np.array(True), None], (X[0],)),
]


def written(value: Any) -> bytes:
    stream = BytesIO()
    write_message(stream, "text", value)
    return stream.getvalue()


def check(found: Any, wanted: Any) -> None:
    assert type(found) is type(wanted)
    if isinstance(wanted, tuple | list):
        for pair in zip(found, wanted, strict=True):
            check(*pair)
    elif wanted is not None:
        assert (found.dtype, found.shape, found.tolist()) == (wanted.dtype, wanted.shape, wanted.tolist())


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_values_are_read_as_they_were_written(value: Any) -> None:
    stream = BytesIO(written(value) + written(X))
    for wanted in (value, X):
        text, found = read_message(stream)
        assert text == "text"
        check(found, wanted)


@pytest.mark.parametrize("value", [X, np.array(2.5), (X, X)], ids=["array", "scalar", "tuple"])
def test_a_message_that_is_cut_off(value: Any) -> None:
    message = written(value)
    for length in range(len(message)):
        with pytest.raises(EOFError):
            read_message(BytesIO(message[:length]))
