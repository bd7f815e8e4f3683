"""The trace: one function per use case."""
