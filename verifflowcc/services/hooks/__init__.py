"""What the hooks of agent clients are answered."""
