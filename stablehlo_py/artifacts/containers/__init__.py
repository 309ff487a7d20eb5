"""Containers of programs: files of `jax.export`, folders of torch_xla, SavedModels."""
