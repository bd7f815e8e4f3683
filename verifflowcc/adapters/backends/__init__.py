"""How items are kept: in memory, as files, in SQLite, in PostgreSQL, each behind one protocol."""
