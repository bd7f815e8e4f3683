"""The life of items: what is read and written."""
