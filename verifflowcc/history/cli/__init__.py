"""What agents did: its commands: parse, call, show."""
