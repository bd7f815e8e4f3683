"""Sprints, workflows and their ledger: its commands: parse, call, show."""
