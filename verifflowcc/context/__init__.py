"""Pure: from a loading strategy to a rendered prompt."""
