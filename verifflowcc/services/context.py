"""Compile the prompt for an agent, in full or from the cache, and load its entries for programs."""

from typing import TYPE_CHECKING

from verifflowcc.domain.entries import Prompt, Question
from verifflowcc.domain.layers import Layer
from verifflowcc.services import prompt_cache
from verifflowcc.services.workspace import Workspace

if TYPE_CHECKING:
    from verifflowcc.domain.entries import ContextPackage, Placed
    from verifflowcc.services.circumstances import Circumstances
    from verifflowcc.services.reading import Reading

__all__ = ["Question", "compile_context", "compile_prompt_only", "load_entries", "load_layer_entries", "note_prompt"]


def compile_context(workspace: Workspace, question: Question) -> "ContextPackage":
    """Return the prompt for the question's agent with its whole explanation.

    Raises UsageError for an unknown agent, sprint or stage; BudgetError where the budget holds nothing; StrictError
    under `strict` where an always-load entry is not whole or a source failed; ConfigError, TemplateError or FormatError
    for files that are not what they should be.
    """
    from verifflowcc.services.circumstances import circumstances
    from verifflowcc.services.compiling import compile_here

    with circumstances(workspace, question) as here:
        return compile_here(here, reading_of(here))


def compile_prompt_only(workspace: Workspace, question: Question) -> Prompt:
    """Return the same prompt without the explanation; answered from the cache where no input has changed."""
    kept = prompt_cache.recall(workspace, question)
    if kept is not None:
        return kept
    from verifflowcc.services.circumstances import circumstances
    from verifflowcc.services.compiling import compile_here

    with circumstances(workspace, question) as here:
        prompt = compile_here(here, reading_of(here)).prompt
        if here.sources.may_be_kept:
            prompt_cache.keep(workspace, question, prompt, here.tree.stamps, here.sources.code, here.sources.scope)
        return prompt


def note_prompt(workspace: Workspace | None, question: Question, prompt: Prompt) -> tuple[str, ...]:
    """Note a prompt and its items' use; return notices where that cannot be done.

    A prompt of a commit is for comparing and for CI, and counts as no use, nor does a look at the past. No tracked file
    changes.
    """
    if workspace is not None:
        from verifflowcc.services.sent_prompts import note_sent

        note_sent(workspace, question, prompt)
    if question.committed or question.as_of:
        return ()
    from verifflowcc.services.memory.access import note_prompt_use, note_uses

    uses = note_uses(workspace, prompt.items, "context") if prompt.items else ()
    return (*uses, *note_prompt_use(workspace, prompt.memory))


def load_entries(workspace: Workspace, question: Question) -> "tuple[ContextPackage, tuple[tuple[Placed, str], ...]]":
    """Return the prompt with its explanation, and its entries, each with its text as in the prompt. Raises the same."""
    from verifflowcc.services.circumstances import circumstances
    from verifflowcc.services.compiling import compile_here, with_texts

    with circumstances(workspace, question) as here:
        reading = reading_of(here)
        package = compile_here(here, reading)
        return package, with_texts(package.placed, reading)


def load_layer_entries(workspace: Workspace, question: Question, layer: Layer) -> "tuple[tuple[Placed, str], ...]":
    """Return what fits of one layer alone in the question's budget: bodies only, with no template around them."""
    from verifflowcc.services.circumstances import circumstances
    from verifflowcc.services.compiling import pack_layer, with_texts

    with circumstances(workspace, question) as here:
        reading = reading_of(here)
        return with_texts(pack_layer(here, reading, layer), reading)


def reading_of(here: "Circumstances") -> "Reading":
    """Return what reads the files and items of a prompt, with nothing read yet."""
    from verifflowcc.services.reading import Reading

    reading = Reading(here.tree, here.index, here.counter)
    if here.sources.theirs is not None:
        from verifflowcc.adapters.tokens.counter import open_counter

        tree, index = here.sources.theirs
        reading.theirs = Reading(tree, index, open_counter(here.config.tokens, index.counts))
    return reading
