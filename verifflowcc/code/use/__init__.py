"""The code graph: one function per use case."""
