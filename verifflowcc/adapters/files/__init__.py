"""The memory tree on disk."""
