"""What `--json` prints: one document for programs, with lean data, fixed keys and one scale for numbers."""
