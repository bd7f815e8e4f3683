"""Sprints, workflows and their ledger: one function per use case."""
