"""What a prompt is compiled from: whose it is, in which sprint and stage, and everything that goes in."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.layout import CORE_FILES, MEMORY, DerivedSource, Place
from verifflowcc.base.files.write import ProjectTree
from verifflowcc.base.index.index import Index
from verifflowcc.base.model.config_values import (
    DEFAULT_BUDGET_TOKENS,
    PRESETS,
    SHARE_UNIT,
    Allocation,
    Config,
    StalePolicy,
)
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.layers import PRIORITY, Layer
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.code_refs import ReferencedCode, StaleCheck, code_of, committed_code
from verifflowcc.prompt.use import prompt_templates
from verifflowcc.prompt.use.ordering import Caps, PastDay, caps_for
from verifflowcc.prompt.use.prompt_sources import SourceRequest, Sources, close_sources, open_sources
from verifflowcc.prompt.use.source_files import FileSelection, select
from verifflowcc.prompt.use.source_reader import SourceReader
from verifflowcc.prompt.use.standpoint import depends_on as place_depends_on
from verifflowcc.prompt.use.standpoint import resolve
from verifflowcc.prompt.use.trace_prompt import PromptFacts, PromptTrace, prompt_facts
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.role_files import own_roles, shipped_roles
from verifflowcc.sprint.use.sprint_reading import depends_on, open_sprints

if TYPE_CHECKING:
    from verifflowcc.base.model.config_values import CodeMix
    from verifflowcc.base.model.ports import TokenCounter
    from verifflowcc.code.use.code_offers import CodeOffer, CodeTask
    from verifflowcc.code.use.review import ReviewScope
    from verifflowcc.prompt.rules.template_view import PromptTemplate


# Which shares a prompt is packed by: those of the request, else those of the role.

_DECIMALS = 6
_HINT = '--allocation "agent=0.5,stage=0.2,project=0.2,user=0.1"'


def allocation_of(config: Config, question: Question) -> Allocation:
    """Return the allocation: the request's own shares with the role's budget, else the role's.

    Raises UsageError for a name that there is not, and for shares that are none or do not add up to 1.
    """
    of_role = config.allocation_for(question.agent)
    given = question.allocation
    if given is None:
        return of_role
    if "=" in given:
        return Allocation(_shares(given), of_role.budget_tokens)
    if given in PRESETS:
        return Allocation(PRESETS[given], of_role.budget_tokens, given)
    if given in config.allocations:
        return Allocation(config.allocations[given].shares, of_role.budget_tokens)
    known = (*PRESETS, *config.allocations)
    near = nearest(given, known)
    hint = f"did you mean {near}?" if near else f"there is {', '.join(sorted(known))}"
    raise UsageError(f"there is no allocation {given}; {hint}", hint=f"--allocation {near}" if near else _HINT)


def _shares(text: str) -> Mapping[Layer, int]:
    shares: dict[Layer, int] = dict.fromkeys(PRIORITY, 0)
    named = set()
    for part in text.split(","):
        name, equals, number = (each.strip() for each in part.partition("="))
        layer = next((each for each in PRIORITY if each.value == name), None)
        if layer is None or not equals:
            near = nearest(name, [each.value for each in PRIORITY])
            hint = f"did you mean {near}?" if near else f"the layers are {', '.join(PRIORITY)}"
            raise UsageError(f"{part.strip() or 'nothing'} is no share of a layer; {hint}", hint=_HINT)
        if layer in named:
            raise UsageError(f"the allocation names {layer} twice", hint=_HINT)
        named.add(layer)
        shares[layer] = _share(number, layer)
    total = sum(shares.values())
    if total != SHARE_UNIT:
        raise UsageError(f"the shares add up to {total / SHARE_UNIT:g}, not to 1", hint=_HINT)
    return shares


def _share(text: str, layer: Layer) -> int:
    """Return a decimal number from 0 to 1 in millionths, exactly."""
    whole, _, decimals = text.partition(".")
    digits = decimals.ljust(_DECIMALS, "0")
    if text.isascii() and (whole or decimals) and len(digits) == _DECIMALS and f"{whole or 0}{digits}".isdecimal():
        share = int(whole or 0) * SHARE_UNIT + int(digits) if len(whole) <= 1 else SHARE_UNIT + 1
        if share <= SHARE_UNIT:
            return share
    raise UsageError(
        f"{text or 'nothing'} is no share of the {layer} layer: give a number from 0 to 1, with at most six decimals",
        hint=_HINT,
    )


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """Everything that goes into one prompt; `inputs` has the digests of what is not an entry.

    `aim` is what memory and code are ranked by. `facts` is what the prompt says of the work itself. `code` is what
    items speak of, of the working tree or of the commit; None outside of any project.
    """

    question: Question
    config: Config
    place: Place
    state: SprintState | None
    tree: ProjectTree
    index: Index
    counter: "TokenCounter"
    selection: FileSelection
    template_source: prompt_templates.TemplateSource
    sources: Sources
    allocation: Allocation
    inputs: Mapping[str, str]
    notices: tuple[str, ...]
    aim: str = ""
    code: ReferencedCode | None = None
    facts: PromptFacts = PromptFacts()

    @property
    def budget_tokens(self) -> int:
        """The budget: as asked, else the role's, else 50,000."""
        return budget_of(self.question, self.allocation)

    @property
    def caps(self) -> Caps:
        """How many typed items the role is offered."""
        return caps_for(self.config.memory, self.question.agent, with_past=self.question.with_past)

    @property
    def checking(self) -> StaleCheck | None:
        """By what items are judged as stale; nothing is, of a day in the past: the code is that of the present."""
        if self.code is None or self.past is not None:
            return None
        return StaleCheck(self.code, withholds=self.config.memory.stale is StalePolicy.WITHHOLD)

    @property
    def past(self) -> PastDay | None:
        """The day that is looked at, where it is not the present one."""
        return PastDay(self.question.as_of, self.config.memory.ttl_days) if self.question.as_of else None

    def template(self) -> "PromptTemplate":
        """Return the role's template, checked and ready."""
        return prompt_templates.compiled(self.template_source)


@dataclass(frozen=True, slots=True)
class _Readers:
    """What reads the code for a task and the trace, and what reads all sources and notes those that fail."""

    code: "Callable[[dict[str, str], TokenCounter, int, CodeTask, CodeMix, ReviewScope | None], CodeOffer]"
    trace: PromptTrace
    sources: SourceReader


def budget_of(question: Question, allocation: Allocation) -> int:
    """Return the budget in tokens: as asked, else the role's, else 50,000."""
    return question.budget_tokens or allocation.budget_tokens or DEFAULT_BUDGET_TOKENS


@contextmanager
def circumstances(workspace: Workspace, question: Question) -> Iterator[PromptInputs]:
    """Find out everything that the question's prompt depends on, short of reading the entries.

    Raises UsageError for an agent, sprint or stage that there is not.
    """
    with ExitStack() as stack:
        inputs: dict[str, str] = {}
        source, code, fetch = workspace, None, None
        if question.committed:
            from verifflowcc.base.git.git_snapshot import add_rest, committed_tree

            folder, commit = stack.enter_context(
                committed_tree(workspace.root, question.revision, (MEMORY, *CORE_FILES))
            )
            _require_memory(folder, question.revision)
            source, code = Workspace(folder, workspace.clock), committed_code(workspace, folder, commit)
            fetch = partial(add_rest, workspace.root, folder, commit)
            inputs["commit"] = commit
        # A commit's files lie elsewhere each time: they would push what is known of the working tree out of its index.
        index_path = workspace.local / ("commits.db" if question.committed else "index.db")
        index = stack.enter_context(Index(index_path))
        offer = partial(_code_for, workspace, inputs.get("commit"))
        trace = PromptTrace(source, index_path, fetch)
        readers = _Readers(offer, trace, SourceReader(workspace, source.root))
        here = _look(source, question, index, inputs, code, readers)
        stack.callback(close_sources, here.sources)
        yield here


def _code_for(  # noqa: PLR0913, PLR0917 - as `code_for`, and the first of them are given before the others
    workspace: Workspace,
    commit: str | None,
    ordinary: dict[str, str],
    counter: "TokenCounter",
    budget_tokens: int,
    task: "CodeTask",
    mix: "CodeMix",
    scope: "ReviewScope | None",
) -> "CodeOffer":
    from verifflowcc.code.use.code_offers import code_for

    looked = None if commit else ordinary
    return code_for(workspace, task, commit, counter, budget_tokens, mix, scope, ordinary=looked)


def _look(
    source: Workspace,
    question: Question,
    index: Index,
    inputs: dict[str, str],
    code: ReferencedCode | None,
    readers: _Readers,
) -> PromptInputs:
    tree = ProjectTree(source.root)
    tree.stamps.take(depends_on(source))
    open_ = open_sprints(source) if question.sprint is None else ()
    tree.stamps.take(place_depends_on(source, question.sprint, open_))
    tree.stamps.take([f"{MEMORY}/agent", *prompt_templates.depends_on(source, question.agent)])
    loaded = effective_config(source)
    _check_agent(source, loaded.config, question.agent)
    place, state, notices = resolve(source, question.agent, question.sprint, question.stage, open_)
    allocation = allocation_of(loaded.config, question)
    counter = open_counter(loaded.config.tokens, index.counts)
    # A role that is named without a task works for the sprint, so the same code and memory help it.
    aim = question.task or (". ".join((state.title, *state.goals)) if state else "")
    request = SourceRequest(
        source,
        loaded.config,
        question,
        place,
        state,
        tree,
        aim=aim,
        code=partial(readers.code, tree.stamps.ordinary, counter, budget_of(question, allocation)),
        trace=readers.trace,
    )
    sources = open_sources(request, readers.sources)
    selection = select(tree, loaded.config.strategies, place, sources.derived, sources.offered)
    template = prompt_templates.source_for(source, question.agent)
    inputs |= {"config": loaded.config.digest, "template": template.digest}
    if progress := sources.derived.get(DerivedSource.PROGRESS):
        inputs["ledger"] = digest_text(progress.text)
    return PromptInputs(
        question=question,
        config=loaded.config,
        place=place,
        state=state,
        tree=tree,
        index=index,
        counter=counter,
        selection=selection,
        template_source=template,
        sources=sources,
        allocation=allocation,
        inputs=inputs,
        notices=(*loaded.notices, *notices, *sources.notices),
        aim=aim,
        code=code or code_of(source, tree.stamps),
        facts=prompt_facts(source, loaded.config, question, place, state, tree),
    )


def _require_memory(folder: Path, revision: str) -> None:
    if not (folder / MEMORY).is_dir():
        raise UsageError(f"{revision} has no {MEMORY}/ committed", hint=f"git add {MEMORY} && git commit")


def _check_agent(source: Workspace, config: Config, agent: str) -> None:
    known = shipped_roles() | own_roles(source) | set(config.allocations)
    folder = source.memory / "agent"
    if folder.is_dir():
        known |= {entry.name for entry in os.scandir(folder) if entry.is_dir()}
    if agent not in known:
        near = nearest(agent, known)
        if near:
            raise UsageError(f"there is no agent {agent}; did you mean {near}?", hint=f"--agent {near}")
        listed = ", ".join(sorted(known - {"default"}))
        raise UsageError(
            f"there is no agent {agent}; there is {listed}", hint=f"mkdir -p {MEMORY}/agent/NAME, for one of your own"
        )
