"""Sprints, workflows and their ledger: what is read and written."""
