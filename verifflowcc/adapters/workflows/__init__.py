"""Workflows from YAML: the shipped ones and a project's own, strictly checked. YAML is imported when one is read."""

from verifflowcc.adapters.workflows.load import (
    OWN,
    load_shipped,
    load_workflow,
    own_bytes,
    own_name,
    parse_workflow,
    shipped_names,
    workflow_names,
    workflow_text,
)

__all__ = [
    "OWN",
    "load_shipped",
    "load_workflow",
    "own_bytes",
    "own_name",
    "parse_workflow",
    "shipped_names",
    "workflow_names",
    "workflow_text",
]
