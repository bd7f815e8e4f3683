"""Hooks of agent clients: pure values and rules."""
