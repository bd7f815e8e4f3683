"""Tokens, counted exactly without a network."""
