"""Prompts: its commands: parse, call, show."""
