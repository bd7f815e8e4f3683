"""Gates and their evidence: one function per use case."""
