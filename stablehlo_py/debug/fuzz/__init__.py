"""Differential fuzzing of engines: drawn programs, differences reduced and grouped by op and cause."""
