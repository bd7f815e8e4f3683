"""Prompts: gather, rank, pack, render."""
