"""Sprints, workflows and their ledger: pure values and rules."""
