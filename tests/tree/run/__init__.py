"""Runs, with processes and files."""
