"""Gates and their evidence: its commands: parse, call, show."""
