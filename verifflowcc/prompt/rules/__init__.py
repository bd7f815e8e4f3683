"""Prompts: pure values and rules."""
