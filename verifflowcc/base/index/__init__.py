"""The index: derived tables in SQLite."""
