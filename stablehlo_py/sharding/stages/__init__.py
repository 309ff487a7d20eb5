"""The stages around propagation, each a function that changes a module."""
