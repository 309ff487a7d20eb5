"""The PJRT engine (extra `pjrt`): programs compiled by XLA, on the platforms and devices of JAX."""
