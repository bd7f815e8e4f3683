"""The trace: its commands: parse, call, show."""
