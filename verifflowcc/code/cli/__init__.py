"""The code graph: its commands: parse, call, show."""
