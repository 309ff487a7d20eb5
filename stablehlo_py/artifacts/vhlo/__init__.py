"""VHLO, the versioned form of StableHLO: which forms an op has had, and how each maps to StableHLO."""
