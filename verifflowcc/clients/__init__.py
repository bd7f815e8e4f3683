"""Agent clients: what their hooks say, in Claude Code's form, what they are answered, and files that set them up."""
