"""Runs: what is read, written and started."""
