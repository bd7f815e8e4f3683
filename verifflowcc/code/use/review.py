"""The diff since a stage was entered, with what is not committed: what a reviewer reviews, and the tests it reaches."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from verifflowcc.base.git.git_patches import committed_diff, parted_from, uncommitted_diff, uncommitted_state
from verifflowcc.base.git.git_protected import head_commit
from verifflowcc.base.model.sprint_state import Leg, SprintState
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.graph import Mark, SearchedCode
from verifflowcc.code.store.source_listing import marks_by_name

if TYPE_CHECKING:
    from verifflowcc.code.rules.changed_code import ChangedCode
    from verifflowcc.code.rules.code_views import AffectedTest

UNCOMMITTED = "uncommitted diff"
_SHOWN_ID = 12
_MARKS: Mapping[str, Mark] = {each.value[0]: each for each in Mark}


@dataclass(frozen=True, slots=True)
class ReviewScope:
    """Which changes are reviewed: those after `base`, the ledger's commit, else those on this branch alone.

    `target` is the branch that this one will be merged into, None for the default one. With `local`, changes count that
    other clones do not have: those since the branches parted, and uncommitted ones.
    """

    base: str = ""
    target: str | None = None
    local: bool = True


def base_of(state: SprintState | None, stage_id: str | None) -> str:
    """Return the commit at which the building stage was entered, else the sprint's base; empty without either.

    The building stage is the last one of the apex up to the given stage.
    """
    if state is None:
        return ""
    ids = [each.stage.id for each in state.stages]
    until = ids.index(stage_id) + 1 if stage_id in ids else len(ids)
    entries = [each.entry for each in state.stages[:until] if each.stage.leg is Leg.APEX]
    entry = entries[-1] if entries else None
    return (entry.head if entry else None) or state.base or ""


def changes_of(
    workspace: Workspace, scope: ReviewScope, commit: str | None, code: SearchedCode
) -> "tuple[ChangedCode, ...]":
    """Return the diffs to review, the committed one first; none outside of git, and before the first commit.

    `commit` is the one that is looked at, None for the working tree. Raises WorkspaceError where git cannot compare.
    """
    from verifflowcc.code.rules.changed_code import ChangedCode, without_noise

    root, head = workspace.root, commit or head_commit(workspace.root)
    if head is None:
        return ()
    base = scope.base or (parted_from(root, head, scope.target) if scope.local else None)
    committed = committed_diff(root, base, head) if base and base != head else ()
    name = f"diff since {(base or '')[:_SHOWN_ID]}"
    found = [
        ChangedCode(name, committed, local=not scope.base),
        ChangedCode(UNCOMMITTED, uncommitted_diff(root) if scope.local else (), local=True),
    ]
    return tuple(without_noise(each, marks_of(code)) for each in found if each.files)


def changes_state(workspace: Workspace, scope: ReviewScope) -> str:
    """Return a digest of all that `changes_of` depends on in the working tree. Raises as it does."""
    root, head = workspace.root, head_commit(workspace.root)
    if head is None:
        return digest_text("")
    base = scope.base or parted_from(root, head, scope.target) or ""
    return digest_text("\n".join((head, base, uncommitted_state(root))))


@dataclass(frozen=True, slots=True)
class DiffTests:
    """The tests that a change reaches, nearest first. `whole` is False where more code uses it than is followed."""

    tests: "tuple[AffectedTest, ...]"
    whole: bool


def affected_by_diff(workspace: Workspace, scope: ReviewScope) -> DiffTests:
    """Return the tests that what changed reaches. Raises as `changes_of` and `open_code`."""
    from verifflowcc.code.rules.affected_tests import reached_tests
    from verifflowcc.code.rules.changed_code import changed_places, reach_of
    from verifflowcc.code.use.indexing import binding, open_code

    with open_code(workspace) as code:
        changed = changed_places(changes_of(workspace, scope, None, code), code)
        with binding(code) as binder:
            reach = reach_of(binder, changed)
            return DiffTests(reached_tests(binder, code, changed, reach), reach.whole)


def marks_of(code: SearchedCode) -> Callable[[str], Collection[Mark]]:
    """Return what gives the marks of a file: of one that is read as code those that it has, else by its name."""
    files = code.files
    return lambda path: files[path].marks if path in files else frozenset(map(_MARKS.__getitem__, marks_by_name(path)))
