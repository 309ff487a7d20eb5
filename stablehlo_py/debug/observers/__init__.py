"""Observers of runs: profile, trace, probes, ranges, NaN check.

Example:
    from stablehlo_py.debug.observers import Profile

    profile = Profile()
    shlo.run(module, inputs, observer=profile)
    for row in profile.rows():
        print(row.seconds, row.name)
"""

from stablehlo_py.debug.observers.nans import NanCheck
from stablehlo_py.debug.observers.probe import Probe
from stablehlo_py.debug.observers.profile import LoopRow, Profile, ProfileRow
from stablehlo_py.debug.observers.ranges import Ranges, ValueRange
from stablehlo_py.debug.observers.trace import Trace, TraceRow

__all__ = [
    "LoopRow",
    "NanCheck",
    "Probe",
    "Profile",
    "ProfileRow",
    "Ranges",
    "Trace",
    "TraceRow",
    "ValueRange",
]
