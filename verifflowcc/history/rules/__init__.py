"""What agents did: pure values and rules."""
