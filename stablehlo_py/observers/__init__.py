"""Ready-made observers of runs: profiles, traces, probes, and the search for NaNs."""
