"""Note how a prompt's room was split among the layers, in a log that git ignores, for `vfcc context tune`.

A prompt from the cache is not noted: it is the same prompt once more, and one that is asked for all day would else be
the only one that is heard. So it costs nothing where the cache answers.
"""

from verifflowcc.domain.entries import Prompt
from verifflowcc.domain.question import Question
from verifflowcc.errors import VfccError
from verifflowcc.services.workspace import Workspace


def note_run(workspace: Workspace, question: Question, prompt: Prompt) -> tuple[str, ...]:
    """Add one line for a prompt that was compiled; return notices where that cannot be done.

    One with what does not hold any more in it (`--all`) says nothing of what a prompt needs, and is not noted.
    """
    if prompt.cached or question.with_past or not prompt.room_tokens:
        return ()
    from verifflowcc.adapters.files.run_log import add_run
    from verifflowcc.domain.runs import LayerRun, Run
    from verifflowcc.formats.run_lines import run_line

    layers = tuple(
        LayerRun(use.layer, use.share, use.own_tokens, use.used_tokens, use.wanted_tokens, use.offered_tokens)
        for use in prompt.layers
    )
    at = f"{workspace.clock.now():%Y-%m-%dT%H:%M:%SZ}"
    line = run_line(Run(at, prompt.agent, prompt.budget_tokens, prompt.room_tokens, layers))
    try:
        add_run(workspace.local, workspace.memory, line)
    except VfccError as error:
        return (f"the run is not noted for context tune: {error.message}",)
    return ()
