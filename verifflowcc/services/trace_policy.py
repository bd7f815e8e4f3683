"""What is asked of the trace here: the workflow's rules, and what `config.yaml` says on top of them."""

import json

from verifflowcc.domain.config import TraceSettings
from verifflowcc.domain.sprints import Workflow
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.formats.policy_record import policy_to_json
from verifflowcc.records import replace
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_text


def policy_of(workspace: Workspace, workflow: Workflow | None = None) -> TracePolicy:
    """Return the rules of a workflow, that of `config.yaml` where none is given, with the settings of `trace` in it.

    Raises ConfigError where the configuration or the workflow is not sound, UsageError where there is no such workflow.
    """
    config = effective_config(workspace).config
    if workflow is None:
        from verifflowcc.adapters.workflows.load import load_workflow

        workflow = load_workflow(workspace.memory, config.workflow)
    return with_settings(workflow.trace, config.trace)


def with_settings(policy: TracePolicy, settings: TraceSettings) -> TracePolicy:
    """Return the rules with what the settings say in place of theirs; what the settings leave out stays."""
    merged = replace(
        policy,
        code=settings.code or policy.code,
        tests=settings.tests or policy.tests,
        id_pattern=settings.id_pattern or policy.id_pattern,
        digest="",
    )
    text = json.dumps(policy_to_json(merged), ensure_ascii=True, sort_keys=True)
    return replace(merged, digest=digest_text(text))
