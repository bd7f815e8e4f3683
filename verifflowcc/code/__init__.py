"""The code graph: read, resolve, rank, pick pieces."""
