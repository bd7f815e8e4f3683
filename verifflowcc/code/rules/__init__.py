"""The code graph: pure values and rules."""
