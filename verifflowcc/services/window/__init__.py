"""The working window: kept on disk, pruned, made ready for a message, restored."""
