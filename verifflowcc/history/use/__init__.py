"""What agents did: one function per use case."""
