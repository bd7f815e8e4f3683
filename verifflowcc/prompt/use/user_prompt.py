"""A prompt outside of any project: from what is known of the person alone."""

from collections.abc import Sequence

from verifflowcc.base.config.config_defaults import default_config
from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.layout import Place
from verifflowcc.base.files.private_files import user_home
from verifflowcc.base.files.write import ProjectTree
from verifflowcc.base.index.index import Index
from verifflowcc.base.model.config_values import SHARE_UNIT, Allocation, Config, LayerStrategy
from verifflowcc.base.model.entries import ContextPackage, Question
from verifflowcc.base.model.layers import USER, Layer
from verifflowcc.base.records import replace
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.prompt.use import prompt_templates
from verifflowcc.prompt.use.compiling import compile_here
from verifflowcc.prompt.use.prompt_inputs import PromptInputs
from verifflowcc.prompt.use.prompt_sources import Sources, close_sources, user_index, user_items
from verifflowcc.prompt.use.prompt_use import reading_of
from verifflowcc.prompt.use.source_files import Source, select
from verifflowcc.sprint.use.role_files import shipped_roles

NOTICE = "there is no project here: the prompt holds what is known of you, and nothing else"


_MOST_TOKENS = 1 << 40


def compile_for_person(question: Question) -> ContextPackage | None:
    """Return the prompt from the person's own items; None where there are none.

    Items that cannot be read are left out with a notice. Raises UsageError for a role that does not come with vfcc, and
    BudgetError.
    """
    config = _config()
    home = user_home()
    tree, sources = ProjectTree(home), Sources()
    items: Sequence[Source] = ()
    sources.offered[USER] = sources.reader.read(
        USER, lambda: user_items(sources, config, question.agent, tree.stamps), items
    )
    try:
        if not sources.offered[USER] and not sources.reader.failures:
            return None
        _check_role(question.agent)
        if sources.theirs is None:
            sources.theirs = tree, user_index(home)
        here = _circumstances(question, config, sources.theirs, sources)
        return compile_here(here, reading_of(here))
    finally:
        close_sources(sources)


def _config() -> Config:
    """Nothing competes with the person's items here: the budget is theirs."""
    strategies = {Layer.USER: LayerStrategy((), (USER,), _MOST_TOKENS)}
    return replace(default_config(), strategies=strategies, allocations={})


def _circumstances(
    question: Question, config: Config, theirs: tuple[ProjectTree, Index], sources: Sources
) -> PromptInputs:
    tree, index = theirs
    template = prompt_templates.shipped_source_for(question.agent)
    place = Place(question.agent)
    return PromptInputs(
        question=question,
        config=config,
        place=place,
        state=None,
        tree=tree,
        index=index,
        counter=open_counter(config.tokens, index.counts),
        selection=select(tree, config.strategies, place, (), sources.offered),
        template_source=template,
        sources=sources,
        allocation=Allocation({Layer.USER: SHARE_UNIT}),
        inputs={"template": template.digest},
        notices=(NOTICE, *sources.notices),
    )


def _check_role(agent: str) -> None:
    roles = shipped_roles()
    if agent not in roles:
        near = nearest(agent, roles)
        hint = f"did you mean {near}?" if near else f"there is {', '.join(sorted(roles - {'default'}))}"
        raise UsageError(f"there is no agent {agent}; {hint}", hint=f"--agent {near or 'planner'}")
