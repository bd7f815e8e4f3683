"""Runs: pure values and rules."""
