"""Lowering: from the steps of a region to loops, an emitter record for each op."""
