"""The trace items of a prompt: those that the sprint is about, then those that come near to the task.

What an item's tests are and how they went is looked up for the items that are offered, and for no others. In a commit
only evidence that is committed counts, and only for the content that the commit has.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.files.layout import MEMORY, Place, as_on_disk, settled
from verifflowcc.base.files.write import ProjectTree
from verifflowcc.base.model.config_values import Config
from verifflowcc.base.model.entries import OmittedTraceItem, Question, TraceEntry
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.sprint_state import SprintState, StageState, artifacts_folder
from verifflowcc.base.model.trace_codes import TEST_FILES
from verifflowcc.base.model.trace_values import TraceSources
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import (
    artifact_criteria_of,
    assess_artifact,
    requires_of,
    suggested_for,
)
from verifflowcc.items.store.item_walk import ITEMS, MemoryWalk
from verifflowcc.memory.rules.recall_scoring import question_of
from verifflowcc.prompt.rules.data_sentences import (
    edits_everything,
    permission_text,
    progress_text,
    sprint_text,
    stage_text,
)
from verifflowcc.prompt.rules.template_view import one_line, prose
from verifflowcc.prompt.use.source_files import folder_for_caches, shown_tools
from verifflowcc.prompt.use.source_reader import SourceReader
from verifflowcc.sprint.rules.sprint_people import progress_document
from verifflowcc.sprint.store.evidence_store import read_artifact_texts
from verifflowcc.sprint.use.role_files import TOOLS

if TYPE_CHECKING:
    from verifflowcc.base.git.git_command import BegunListing
    from verifflowcc.base.model.trace_codes import TracePolicy
    from verifflowcc.prompt.use.prompt_sources import SourceRequest
    from verifflowcc.trace.rules.sprint_scope import ItemNames, SprintItem, SprintScope
    from verifflowcc.trace.rules.trace_view import TraceView
    from verifflowcc.trace.use.trace_code import TraceItems


# What a prompt says before and behind the memory: goal, what is owed, commands, permission and how to hand in.
#
# All of it comes from the configuration, the ledger, the artifacts and `tools.yaml`, which are committed files, and
# what was read is stamped: the same commit gives the same words.


@dataclass(frozen=True, slots=True)
class OwedFile:
    """An artifact that a stage still owes: its name, its path from the project's root, and what it must fill."""

    name: str
    path: str
    requires: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """The facts of one prompt, each ready to print; what there is nothing to say of is empty.

    `on_tools` are the sentences of `permission` that the role's `tools.yaml` is shown as, `on_sprint` those that the
    sprint's `progress.json` is shown as, and `sprint_line` these without the goals.
    """

    goal: str = ""
    owed: tuple[OwedFile, ...] = ()
    opening: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    permission: str = ""
    on_tools: str = ""
    on_sprint: str = ""
    sprint_line: str = ""
    hand_in: tuple[str, ...] = ()


def prompt_facts(
    source: Workspace, config: Config, question: Question, place: Place, state: SprintState | None, tree: ProjectTree
) -> PromptFacts:
    """Return the facts of a prompt; `tree` takes the stamps of what is read for it."""
    stage = state.stage(place.stage) if state and place.stage else None
    owed = owed_files(source, state, stage, tree) if state and stage else ()
    own = stage is not None and stage.stage.role == question.agent
    goal = goal_of(state)
    tools, on_tools = _tools(question, tree)
    progress = progress_document(state) if state else ""
    return PromptFacts(
        goal=goal,
        owed=owed,
        opening=tuple(_opening(question, place, state, stage, goal, owed)),
        commands=tuple(_commands(config)) if "run" in tools else (),
        permission=" ".join(filter(None, [on_tools, *_of_stage(config, state, stage, tools, own=own)])),
        on_tools=on_tools,
        on_sprint=progress_text(progress).partition("\n")[0],
        sprint_line=one_line(sprint_text(progress)),
        hand_in=tuple(_hand_in(question, state, stage, owed)) if own else (),
    )


def goal_of(state: SprintState | None) -> str:
    """Return the goals of a sprint, its title where it names none; empty without one."""
    return "; ".join(one_line(goal) for goal in state.goals or (state.title,)) if state else ""


def owed_files(source: Workspace, state: SprintState, stage: StageState, tree: ProjectTree) -> tuple[OwedFile, ...]:
    """Return the artifacts that a stage's gates ask for and that are missing, or say too little."""
    folder = artifacts_folder(state.id, stage.stage.id)
    tree.find(folder, "**")
    present = {stage.stage.id: read_artifact_texts(source.root / folder, source.memory)}
    facts = Facts(state, source.today(), artifacts=present)
    criteria = artifact_criteria_of(stage.stage)
    open_ = [each for each in criteria if not assess_artifact(each, stage.stage.id, facts, folder).met]
    names = dict.fromkeys(suggested_for(each) for each in open_)
    return tuple(OwedFile(name, f"{folder}/{name}", requires_of(stage.stage, name)) for name in names)


def _opening(
    question: Question,
    place: Place,
    state: SprintState | None,
    stage: StageState | None,
    goal: str,
    owed: tuple[OwedFile, ...],
) -> Iterator[str]:
    """Yield the two lines that a prompt opens with; one where no sprint is open."""
    agent = one_line(question.agent)
    if place.sprint is None:
        # The task is not quoted here: all that comes before it must be the same for every task.
        aim = " The task at the end of this page is the goal." if question.task else ""
        yield f"You are the {agent}. No sprint is open.{aim}"
        return
    own = stage is None or stage.stage.role == question.agent
    sprint, name = f"the sprint {one_line(place.sprint)}", one_line(place.stage or "")
    if not name:
        where = f"You are the {agent} in {sprint}."
    elif own:
        where = f"You are the {agent} in the stage {name} of {sprint}."
    else:
        where = f"You are the {agent}. {sprint[:1].upper()}{sprint[1:]} is in the stage {name}."
    goals = "Goals" if state and len(state.goals) > 1 else "Goal"
    yield f"{where} {goals}: {goal}" if goal else where
    if stage is not None:
        yield _owed_line(stage, owed, own=stage.stage.role == question.agent)


def _owed_line(stage: StageState, owed: tuple[OwedFile, ...], *, own: bool) -> str:
    who = "You owe" if own else f"The {one_line(stage.stage.role)} owes"
    if not owed:
        return f"{who} no artifact of this stage any more."
    if len(owed) == 1:
        return f"{who} {_described(owed[0].path, owed[0])}."
    folder = owed[0].path.removesuffix(owed[0].name)
    return f"{who} in `{folder}`: {'; '.join(_described(each.name, each) for each in owed)}."


def _described(name: str, owed: OwedFile) -> str:
    parts = ", ".join(f"“{one_line(part)}”" for part in owed.requires)
    return f"`{name}`{f' with text under {parts}' if parts else ''}"


def _commands(config: Config) -> Iterator[str]:
    """Yield the project's commands as a person would run them, and how to record what they show."""
    from shlex import join  # its expressions are compiled at its import

    for name, command in sorted(config.gates.commands.items()):
        words = [word for word in command.argv if "{" not in word]
        yield one_line(f"{name}: `{join(words)}`; `vfcc evidence run {name}` records the result.")


def _tools(question: Question, tree: ProjectTree) -> tuple[Mapping[str, Json], str]:
    """Return a role's table of tools, and the sentences on it; none where a prompt shows its file as it is written."""
    found = tree.find(f"{MEMORY}/agent/{question.agent}", TOOLS)
    if not found or found[0].problem:
        from verifflowcc.base.config.tools_file import WITHOUT_A_FILE

        return dict(WITHOUT_A_FILE), "" if found else permission_text(WITHOUT_A_FILE)
    path = found[0].path
    data = tree.read(path)
    text = data.decode("utf-8", "replace")
    table, shown = shown_tools(path, text, folder_for_caches(question, tree))
    return table if text.encode() == data else {}, shown.partition("\n")[0] if shown != text else ""


def _of_stage(
    config: Config, state: SprintState | None, stage: StageState | None, tools: Mapping[str, Json], *, own: bool
) -> Iterator[str]:
    """Yield what the stage adds to a role's own tools, and what it takes away from them."""
    if state is None or stage is None:
        return
    if own and tools and not edits_everything(tools):
        yield "You may always write this stage's artifacts."
    if "edit" in tools:
        tests = config.trace.tests or (state.workflow.trace.tests if state.workflow else TEST_FILES)
        yield stage_text(one_line(stage.stage.title), stage.stage.edits, tests)


def _hand_in(
    question: Question, state: SprintState | None, stage: StageState | None, owed: tuple[OwedFile, ...]
) -> Iterator[str]:
    if state is None or stage is None:
        return
    other = f" --stage {stage.stage.id}" if stage.stage.id != state.current else ""
    other += f" --sprint {state.id}" if question.sprint else ""
    after = f"`vfcc next{f' --sprint {state.id}' if question.sprint else ''}`"
    if not owed:
        yield f"Ask {after} what the gate still needs."
    elif len(owed) == 1:
        yield one_line(f"Hand in: `vfcc stage put {owed[0].name} --file FILE{other}`, then {after}.")
    else:
        yield one_line(f"Hand in each: `vfcc stage put NAME --file FILE{other}`, then {after}.")


STATES = "states of trace items"
"""What reads tests and results; items are shown without them where it fails."""
MOST_NEAR = 10
"""So many items outside of the sprint's scope are offered."""
_FOLDER = ITEMS.rstrip("/")
_UNNEEDED = f"above the {MOST_NEAR} items outside of the sprint's scope"


@dataclass(frozen=True, slots=True)
class TraceOffer:
    """What `@trace` offers, in its order, and the items that it leaves out, which few prompts ask for: once."""

    entries: tuple[TraceEntry, ...] = ()
    left_out: Iterable[OmittedTraceItem] = ()


@dataclass(slots=True)
class PromptTrace:
    """Reads the trace for one prompt, each file at most once.

    `workspace` is where the files lie: the project, or a commit's files. `index` is the database of what is known of
    them. `fetch` puts the rest of the commit beside its memory; None for the working tree.
    """

    workspace: Workspace
    index: Path
    fetch: Callable[[], None] | None = None
    _read: "list[tuple[TracePolicy, TraceItems]]" = field(default_factory=list)
    _walked: MemoryWalk | None = None

    def items(self, request: "SourceRequest") -> "tuple[TracePolicy, TraceItems]":
        """Return the rules of the trace, which are the sprint's where one is open, and its items.

        Raises ConfigError where the workflow is not sound.
        """
        if not self._read:
            from verifflowcc.sprint.use.pinned_workflow import policy_of
            from verifflowcc.trace.store.trace_cache import TraceIndex
            from verifflowcc.trace.use.trace_code import (
                garbage_collection_paused,
                read_known,
                read_outlines,
                read_walked,
            )

            tree, state = request.tree, request.state
            tree.stamps.take([f"{MEMORY}/workflow.yaml"])
            policy = policy_of(self.workspace, state.workflow if state else None)
            with garbage_collection_paused(), TraceIndex(self.index) as index:
                asked = (self.workspace, self._walk(tree), policy, index)
                self._read.append((policy, read_outlines(*asked) or read_known(*asked) or read_walked(*asked)))
        return self._read[0]

    def _walk(self, tree: ProjectTree) -> MemoryWalk:
        self._walked = self._walked or _walk(tree)
        return self._walked

    def _shown(self, view: "TraceView", shown: "Sequence[SprintItem]", request: "SourceRequest") -> "TraceView":
        """Return the items that are shown as a whole, with those around them; all items where these do not suffice."""
        from verifflowcc.trace.rules.trace_view import TraceView
        from verifflowcc.trace.store.trace_cache import TraceIndex
        from verifflowcc.trace.use.trace_code import garbage_collection_paused, read_known, read_walked, read_whole

        with garbage_collection_paused(), TraceIndex(self.index) as index:
            asked = (self.workspace, self._walk(request.tree), view.policy, index)
            read = read_whole(*asked, [each.item.path for each in shown]) or read_known(*asked) or read_walked(*asked)
        return TraceView(replace(view.sources, items=read.items), view.policy)

    def offer(self, request: "SourceRequest", reader: SourceReader) -> TraceOffer:
        """Return the items that a prompt may have. Where states cannot be read, `reader` notes it."""
        if not any(path.endswith(".md") for path in _paths(request.tree)):
            return TraceOffer()
        from verifflowcc.base.files.project_content import listing_begun

        policy, read = self.items(request)
        if not read.items or self.fetch is not None:
            return self._offer_of(policy, read, request, reader)
        # Git lists the files while the items are gone through, whose results count for what is in the files.
        with listing_begun(self.workspace.root) as begun:
            return self._offer_of(policy, read, request, reader, begun)

    def _offer_of(
        self,
        policy: "TracePolicy",
        read: "TraceItems",
        request: "SourceRequest",
        reader: SourceReader,
        begun: "BegunListing | None" = None,
    ) -> TraceOffer:
        from verifflowcc.trace.rules.sprint_scope import ItemNames, sprint_scope
        from verifflowcc.trace.rules.trace_view import TraceView

        view = TraceView(TraceSources(read.items, self.workspace.today(), read.unreadable), policy)
        names = ItemNames(view.live)
        working = request.question.agent not in request.config.memory.assembly.thinking_roles
        scope = sprint_scope(view, _named(request, names), with_below=working)
        far = _near(view, scope, names, request.aim)
        near = list(islice(far, MOST_NEAR))
        entries: tuple[TraceEntry, ...] = ()
        if scope.items or near:
            shown = [*((each, True) for each in scope.items), *((each, False) for each in near)]
            whole = self._shown(view, [each for each, _ in shown], request) if read.outlined else view
            full = reader.read(STATES, lambda: self._with_results(whole, request, begun), whole)
            at = {item.path: item for item in full.items}
            entries = tuple(
                _entry(full, replace(each, item=at.get(each.item.path, each.item)), in_scope=in_scope)
                for each, in_scope in shown
            )
        return TraceOffer(entries, _left_out(view, scope, far))

    def _with_results(self, view: "TraceView", request: "SourceRequest", begun: "BegunListing | None") -> "TraceView":
        """Return the view with the code and the results of tests, all of which is stamped."""
        from verifflowcc.base.files.project_content import project_content
        from verifflowcc.trace.rules.trace_view import TraceView
        from verifflowcc.trace.use.trace_code import read_code

        workspace, stamps, evidence = self.workspace, request.tree.stamps, _evidence(request.tree)
        reports = tuple(workspace.root / as_on_disk(name) for name in request.config.trace.reports)
        if self.fetch is not None:
            self.fetch()
            reports = ()
        looked = None if self.fetch else stamps
        content = project_content(workspace.root, None if self.fetch else workspace.local, looked, begun)
        if self.fetch is None:
            stamps.take([*content, *_folders(content), *map(str, reports), *evidence])
        items = view.sources.items
        code = read_code(workspace, content, view.policy, items, request.config.trace.exclude)
        results = view.sources.results
        if reports or any(path.endswith(".json") for path in evidence):
            from verifflowcc.gates.use.trace_results import read_results

            results = read_results(workspace, items, code, content, reports)
        return TraceView(replace(view.sources, code=code, files=content, results=results), view.policy)


def _walk(tree: ProjectTree) -> MemoryWalk:
    """Return the item files as the tree sees them: each is looked at once for the whole prompt."""
    found = MemoryWalk()
    files = tree.find(_FOLDER, "**")
    calm = settled(tree.stamps.touched_ns)
    for each in files:
        path = each.path
        if not path.lower().endswith(".md"):
            continue
        if each.problem is not None:
            found.problems[path] = f"1: {each.problem}"
            continue
        found.rest_items.append(path)
        found.rest[path] = each.signature
        if not calm and not settled(each.touched_ns):
            found.fresh.add(path)
    return found


def _paths(tree: ProjectTree) -> Iterator[str]:
    return (each.path for each in tree.find(_FOLDER, "**"))


def _named(request: "SourceRequest", names: "ItemNames") -> dict[str, str]:
    """Return the ids that the sprint names, in order, each with what names it first."""
    named: dict[str, str] = {}
    for why, text in _texts(request):
        for name in names.in_text(text):
            named.setdefault(name, f"named by {why}")
    if request.local:
        from verifflowcc.base.git.git_head import current_branch, head_files

        root = request.workspace.root
        request.tree.stamps.take(head_files(root))
        branch = current_branch(root) or ""
        for name in names.in_branch(branch):
            named.setdefault(name, f"named by the branch {branch}")
    return named


def _texts(request: "SourceRequest") -> Iterator[tuple[str, str]]:
    """Yield what a sprint says it is about, each text with its name: its goals, then its artifacts."""
    place, state, tree = request.place, request.state, request.tree
    if place.sprint is None:
        return
    if state is not None:
        yield "the sprint's goals", "\n".join([state.id, state.title, *state.goals])
    folder = f"{MEMORY}/stage/{place.sprint}"
    files = list(tree.find(f"{MEMORY}/sprint/{place.sprint}", "goals.md"))
    for stage in tree.folders(folder):
        files += tree.find(f"{stage}/artifacts", "**")
    for file in files:
        if file.problem is None:
            name = file.path.removeprefix(f"{folder}/").rpartition("/sprint/")[2]
            yield name.removeprefix(f"{place.sprint}/"), tree.read(file.path).decode("utf-8", "ignore")


def _near(view: "TraceView", scope: "SprintScope", names: "ItemNames", task: str) -> "Iterator[SprintItem]":
    from verifflowcc.trace.rules.sprint_scope import near_task

    inside = {each.item.id for each in (*scope.items, *scope.above)}
    others = [item for item in view.live if item.id not in inside]
    return near_task(others, task, question_of(task).terms if task else {}, names)


def _entry(view: "TraceView", reached: "SprintItem", *, in_scope: bool) -> TraceEntry:
    from verifflowcc.trace.rules.item_state import coverage_of, item_line

    item = reached.item
    text = item_line(item, coverage_of(view, item), prose(item.text))
    return TraceEntry(item.id, item.path, item.title, text, reached.why, in_scope, str(item.trust))


def _left_out(view: "TraceView", scope: "SprintScope", far: "Iterable[SprintItem]") -> Iterator[OmittedTraceItem]:
    from verifflowcc.trace.rules.sprint_scope import MOST_BELOW

    above = f"above the {MOST_BELOW} items below those that the sprint names"
    yield from (OmittedTraceItem(each.item.id, each.item.path, f"{each.why}; {above}") for each in scope.above)
    yield from (OmittedTraceItem(each.item.id, each.item.path, _UNNEEDED) for each in far)
    retired = (item for item in view.items if item.status is Status.ARCHIVED)
    yield from (OmittedTraceItem(item.id, item.path, "retired") for item in retired)
    for path, reason in sorted(view.sources.unreadable.items()):
        yield OmittedTraceItem(path.removeprefix(f"{MEMORY}/project/"), path, reason)


def _folders(paths: Iterable[str]) -> list[str]:
    """Return the folders of files: a new file shows in their stamps."""
    found = {"."}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(found)


def _evidence(tree: ProjectTree) -> list[str]:
    """Return the folders and files of all evidence and results: what tests are known to have done."""
    found = []
    for sprint in tree.folders(f"{MEMORY}/stage"):
        for stage in tree.folders(sprint):
            for name in ("evidence", "results"):
                found += [f"{stage}/{name}", *(each.path for each in tree.find(f"{stage}/{name}", "*"))]
    return found
