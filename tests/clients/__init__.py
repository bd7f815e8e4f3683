"""Real clients, Claude Code and Codex, run against a scripted model on loopback."""
