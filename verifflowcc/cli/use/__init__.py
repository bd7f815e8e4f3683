"""The command line: one function per use case."""
