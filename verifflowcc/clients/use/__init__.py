"""Hooks of agent clients: one function per use case."""
