"""Processes, the clock, and who acts."""
