"""The trace: pure values and rules."""
