"""The code graph: what is read and written."""
