"""Items of memory and trace: pure values and rules."""
