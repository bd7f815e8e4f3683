"""Workflows from YAML: the shipped ones and a project's own, strictly checked."""
