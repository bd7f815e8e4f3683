"""The command line: its commands: parse, call, show."""
