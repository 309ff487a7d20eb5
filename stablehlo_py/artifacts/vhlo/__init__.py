"""VHLO, the versioned form of StableHLO: the forms of each op, and their mapping to StableHLO."""
