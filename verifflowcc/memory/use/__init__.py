"""The life of items: one function per use case."""
