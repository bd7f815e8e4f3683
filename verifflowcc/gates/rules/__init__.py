"""Gates and their evidence: pure values and rules."""
