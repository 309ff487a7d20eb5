"""Programs as C libraries: ahead-of-time compilation by the loops of the native engine."""
