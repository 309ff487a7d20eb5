"""Observation of a run: the observers that the options request, and their findings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from stablehlo_py.cli.run_options import Watching

from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stablehlo_py.debug.observers import NanCheck, Probe, Profile, TraceRow
    from stablehlo_py.interpreter.observer import Observer
    from stablehlo_py.rounding.rows import Shadow


class Watch:
    """The observers and timings of one run.

    Attributes:
        watching: The options.
        seconds: The time of each phase.
        warm: The times of repeated runs, in seconds.
        engines: The engines of the first run and of the last repeated one, as "run" and "warm".
        shadow: The rounding errors that a shadow run has found, or None.
        observer: The combined observer, or None if the options request none.
    """

    def __init__(
        self, watching: Watching, outputs: OutputFiles, on_row: Callable[[TraceRow], None] | None = None
    ) -> None:
        from stablehlo_py.interpreter.observer import Observers

        self.watching = watching
        self._outputs = outputs
        self.seconds: dict[str, float] = {}
        self.warm: list[float] = []
        self.engines: dict[str, str] = {}
        self.profile: Profile | None = None
        self.nans: NanCheck | None = None
        self.probe: Probe | None = None
        self.trace: list[TraceRow] = []
        self.shadow: Shadow | None = None
        observers = self._observers(on_row or self.trace.append)
        self.observer = Observers(*observers) if len(observers) > 1 else observers[0] if observers else None

    def _observers(self, on_row: Callable[[TraceRow], None]) -> list[Observer]:
        wanted = self.watching
        found: list[Observer] = []
        if not (wanted.trace or wanted.probe_dir or wanted.nan_check or wanted.profiles):
            return found
        from stablehlo_py.debug import observers  # most runs have none

        if wanted.trace:
            found.append(observers.Trace(on_row))
        if wanted.probe_dir is not None:
            self.probe = observers.Probe(wanted.probe_dir, wanted.probe, self._outputs)
            found.append(self.probe)
        if wanted.nan_check:
            self.nans = observers.NanCheck()
            found.insert(0, self.nans)  # called last, so that the op it stops at is traced and probed
        if wanted.profiles:
            self.profile = observers.Profile(
                events=wanted.records_events, spans=wanted.spans or wanted.draws_profile
            )
            found.append(self.profile)
        return found

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the time of a phase."""
        begin = perf_counter()
        yield
        self.seconds[name] = perf_counter() - begin

    def repeat(self, run: Callable[[], Any]) -> None:
        """Repeat the run as often as requested, measuring each."""
        for _ in range(self.watching.repeat or 0):
            if sum(self.warm) > self.watching.most_seconds:
                return
            begin = perf_counter()
            run()
            self.warm.append(perf_counter() - begin)

    def write(self, name: str) -> None:
        """Write the pages of the shadow run and the profile, or the file of trace events, if requested."""
        if self.watching.html is not None and self.shadow is not None:
            from stablehlo_py.reports.shadow_html import shadow_page

            self._write(self.watching.html, shadow_page(self.shadow, name))
        target: Path | None = self.watching.profile_output
        if target is None or self.profile is None:
            return
        if self.watching.draws_profile:
            from stablehlo_py.debug.machine import measure_limits
            from stablehlo_py.reports.profile_html import ProfileData, profile_page

            text = profile_page(ProfileData.of(self.profile, measure_limits()), name)
        else:
            import json

            text = json.dumps(self.profile.chrome_trace())
        self._write(target, text)

    def _write(self, target: Path, text: str) -> None:
        with self._outputs.open(target) as stream:
            stream.write(text.encode("utf-8", "replace"))

    def _loops(self) -> dict[str, Any]:
        """The loops of native code and the speed of the machine, if there are some."""
        loops = self.profile.loops() if self.profile is not None else []
        if not loops:
            return {}
        from stablehlo_py.debug.machine import measure_limits

        limits = measure_limits()
        return {"loops": [row.to_dict(limits) for row in loops], "machine": limits._asdict()}

    def to_json(self) -> dict[str, Any]:
        """Convert the findings to their JSON form."""
        import numpy as np

        found: dict[str, Any] = {}
        if self.watching.times:
            found["time"] = {**self.seconds, "engines": self.engines}
            if self.warm:
                found["time"] |= {
                    "warm": self.warm,
                    "min": min(self.warm),
                    "median": float(np.median(self.warm)),
                }
        if self.profile is not None and self.watching.profile:
            rows, kinds = self.profile.rows(), self.profile.kinds()
            found["profile"] = {
                "runs": self.profile.runs,
                "ops": [row.to_dict() for row in rows],
                "kinds": [row.to_dict() for row in kinds],
            } | self._loops()
        if self.watching.trace:
            found["trace"] = [row.to_dict() for row in self.trace]
        if self.probe is not None:
            found["probes"] = [probed.to_dict() for probed in self.probe.found]
        if self.shadow is not None:
            found["shadow"] = self.shadow.to_dict()
        if self.nans is not None:
            made = self.nans.found
            found["nan_check"] = {"ops": self.nans.checked, "found": made.to_dict() if made else None}
        return found
