"""Whether tests can fail: which part a change is of, what to put back, and what the outcomes show; pure."""
