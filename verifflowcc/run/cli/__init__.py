"""Runs: the commands."""
