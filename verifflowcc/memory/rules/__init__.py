"""The life of items: pure values and rules."""
