"""The report: pure values and rules."""
