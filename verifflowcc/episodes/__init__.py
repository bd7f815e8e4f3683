"""What agents did, as values: calls made into events, questions to the history, what is learnt from it, the window."""
