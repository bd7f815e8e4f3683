"""What agents did: events, questions, patterns, the working window."""
