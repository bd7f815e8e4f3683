"""The trace: what is read and written."""
