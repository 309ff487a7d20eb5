"""Run by `mpiexec -n 4`: runs on ranks whose messages take any time; some end, some fail, some deadlock."""

from __future__ import annotations

import math
import random
import sys
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.engines.mpi import world as world_module
from stablehlo_py.engines.mpi.transport import Message, MpiTransport

X = "tensor<2xf32>"
ALL = [[0, 1, 2, 3]]
EVERYONE = [(0, p) for p in range(4)]


class Delayed(MpiTransport):
    """Holds messages back: those to one rank stay in order, those to another overtake them."""

    def __init__(self) -> None:
        super().__init__()
        self._held: dict[int, deque[tuple[float, Any, Any]]] = defaultdict(deque)
        self._choice = random.Random(self.rank)

    def send(self, rank: int, fields: dict[str, Any], value: Any = None) -> None:
        delay = self._choice.choice([0, 0, 0, 0.001, 0.01, 0.06])
        self._held[rank].append((time.monotonic() + delay, fields, value))

    def receive(self) -> Iterator[Message]:
        self._send_until(time.monotonic())
        yield from super().receive()

    def complete(self) -> None:
        self._send_until(math.inf)
        super().complete()

    def _send_until(self, now: float) -> None:
        for rank, held in self._held.items():
            while held and held[0][0] <= now:
                super().send(rank, *held.popleft()[1:])


def sum_of(value: str, groups: list[list[int]]) -> str:
    return f"""\
      "stablehlo.all_reduce"({value}) <{{
        replica_groups = dense<{groups}> : tensor<{len(groups)}x{len(groups[0])}xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) : ({X}) -> {X}"""


def program(choice: random.Random, kind: str, odd: int) -> str:
    """Sums within random groups; then one process waits for a sum of all ("stuck"), or fails a check."""
    lines, value = [], "%x"
    for i in range(choice.randrange(1, 4)):
        members, cut = choice.sample(range(4), 4), choice.choice([1, 2])
        groups = [members[:cut] + [-1] * (4 - 2 * cut), members[cut:]]
        lines.append(f"%v{i} = {sum_of(value, groups)}")
        value = f"%v{i}"
    branch = {
        "ends": f"stablehlo.add {value}, {value} : {X}",
        "stuck": sum_of(value, ALL),
        "fails": f"stablehlo.add {value}, {value} : {X}\n check.expect_eq_const %o, dense<-1.0> : {X}",
    }
    body = "\n".join(lines)
    return f"""func.func @main(%x: {X}) -> {X} {{
      {body}
      %id = stablehlo.partition_id : tensor<ui32>
      %odd = stablehlo.constant dense<{odd}> : tensor<ui32>
      %c = stablehlo.compare EQ, %id, %odd : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %r = "stablehlo.if"(%c) ({{
        %o = {branch[kind]}
        stablehlo.return %o : {X}
      }}, {{
        stablehlo.return {value} : {X}
      }}) : (tensor<i1>) -> {X}
      return %r : {X}
    }}"""


def outcome(module: Any, engine: str, places: list[tuple[int, int]]) -> Any:
    compiled = shlo.compile(module, engine=engine, replicas=1, partitions=4)
    inputs = {(r, p): [np.array([1, 10**p], np.float32)] for r, p in places}
    try:
        return {place: found[0].tolist() for place, found in compiled.call_grid(inputs).items()}
    except shlo.RunError as error:
        return str(error)


def check(seed: int, mine: tuple[int, int]) -> None:
    """The outcome of a random program is that of the grid in one process."""
    choice = random.Random(seed)
    kind, odd = choice.choice(["ends", "ends", "ends", "stuck", "fails"]), choice.randrange(4)
    module = shlo.parse(program(choice, kind, odd))
    found = outcome(module, "mpi", [mine])
    if kind == "ends":
        assert found == {mine: outcome(module, "numpy", EVERYONE)[mine]}, (seed, found)
    elif kind == "stuck":
        others = ", ".join(str(place) for place in EVERYONE if place[1] != odd)
        lines = [f"process {place} has finished" for place in EVERYONE]
        lines[odd] = f"process (0, {odd}): waiting for processes {others}"
        assert found.split("\n  ") == ["deadlock: every process waits for another", *lines], (seed, found)
    else:
        prefix = "" if mine[1] == odd else f"another process failed: process (0, {odd}): "
        assert found.startswith(prefix) and "elements are not equal" in found, (seed, found)


def main() -> None:
    world_module.MpiTransport = Delayed
    for seed in range(int(sys.argv[1])):
        check(seed, (0, world_module.world().rank))


if __name__ == "__main__":
    main()
