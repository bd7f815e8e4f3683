"""Runs: one function per use case."""
