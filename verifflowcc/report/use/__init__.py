"""The report: one function per use case."""
