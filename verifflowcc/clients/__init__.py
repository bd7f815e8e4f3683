"""Agent clients: briefs and answers at their hooks."""
