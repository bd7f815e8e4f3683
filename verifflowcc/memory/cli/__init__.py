"""The life of items: its commands: parse, call, show."""
