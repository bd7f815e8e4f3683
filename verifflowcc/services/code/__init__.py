"""The code of the project: its graph kept up to date, and what it answers."""
