"""Virtual sources: what a loading strategy names beside files, each in the layer that pays for it."""

from collections.abc import Mapping

from verifflowcc.domain.layers import Layer

USER = "@user"
TASK = "@task"
RECALL = "@recall"
CODE = "@code"
HISTORY = "@history"
HANDOVER = "@handover"
TRACE = "@trace"

LAYER_OF: Mapping[str, Layer] = {
    USER: Layer.USER,
    TASK: Layer.AGENT,
    CODE: Layer.AGENT,
    HISTORY: Layer.AGENT,
    RECALL: Layer.PROJECT,
    HANDOVER: Layer.STAGE,
    TRACE: Layer.SPRINT,
}
"""`@user`: what is known of the person; `@task`: the items of the open task; `@recall`: the project's typed items;
`@code`: the code that the task's words speak of; `@history`: past tasks like this one, and what was left open;
`@handover`: the artifacts of the stages that this stage builds on; `@trace`: the trace items that the sprint is about.
"""

LOCAL = frozenset({USER, TASK, HISTORY})
"""What other clones do not have: ranked apart, last in the prompt, and absent where only committed sources count."""
