"""Workflows, the ledger and its fold, stages, feedback."""
