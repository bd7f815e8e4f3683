"""Prompts: one function per use case."""
