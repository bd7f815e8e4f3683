"""End an attempt: compare what it changed with what its role may change, commit it, merge it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from verifflowcc.base.errors import FormatError, LedgerError, VfccError
from verifflowcc.base.files.layout import Stamps
from verifflowcc.base.formats.event_bytes import parse_event
from verifflowcc.base.formats.front_matter_values import FieldList, FieldTable, Value
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.sprint_state import artifacts_folder
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import decode
from verifflowcc.clients.use.hook_rules import rules_of
from verifflowcc.items.store.item_edits import parse_item, read_front
from verifflowcc.prompt.use.artifact_drafting import put_artifact
from verifflowcc.run.rules.agent_answers import REVIEW_FORM, findings_of, form_problem
from verifflowcc.run.rules.agent_port import AgentEnding, AgentOutcome
from verifflowcc.run.rules.role_allowance import AttemptBounds, bounds_of
from verifflowcc.run.rules.run_fold import DONE, NO_CHANGE, OUT_OF_BOUNDS, RunAttempt, RunState, usage_payload
from verifflowcc.run.store.run_tree import (
    TRAILER,
    RunPlace,
    TreeChange,
    attempt_commit,
    branch_of,
    changes_since,
    commit_attempt,
    committed_changes,
    guarded_state,
    is_sound,
    keep_left_out,
    merge,
    refs_with,
    undo_half_merge,
)
from verifflowcc.run.use.attempt_files import AttemptFiles
from verifflowcc.run.use.attempt_start import is_beside, run_attempts
from verifflowcc.run.use.run_machinery import RunDriver, shown
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.sprint_reading import show_sprint

MOST_PATHS = 50
"""So many paths of an attempt are on the ledger; of more, how many there are."""
_REVIEW = frozenset(("reviewed", "verified", "fingerprint"))
"""Keys of an item's file that speak of a review of it or of one of its links."""
_UNKNOWN = AgentEnding(AgentOutcome.DONE, message="the driver was killed before it kept how the client ended")


def settle_attempts(driver: RunDriver, run: RunState, attempts: Sequence[RunAttempt]) -> None:
    """Bring attempts that started to their end on the ledger, in their order, whatever of them is done already."""
    endings = {each.id: _known_ending(driver, each) for each in attempts}
    left = [each for each in attempts if endings[each.id] is None]
    work = driver.tools.elsewhere or run_attempts
    endings |= {each.id: ending for each, ending in zip(left, work(driver, run, left), strict=True)}
    for each in attempts:
        ending = endings[each.id]
        assert ending is not None
        _end(driver, run, each, ending)
        driver.save(f"{each.id} ended")


def _known_ending(driver: RunDriver, attempt: RunAttempt) -> AgentEnding | None:
    """Return how an attempt ended; None where its client has to run."""
    ending = AttemptFiles(driver.place, attempt.id).ending()
    if ending is not None:
        return ending
    top = driver.place.tree(attempt.tree)
    return _UNKNOWN if top.exists() and attempt_commit(top, attempt.base, attempt.id) else None


@dataclass(frozen=True, slots=True)
class _TreeResult:
    """What an attempt left in its worktree: its commit, how it ended, and the files that count for neither."""

    outcome: str
    commit: str | None
    bounds: AttemptBounds
    findings: tuple[str, ...] = ()


def _end(driver: RunDriver, run: RunState, attempt: RunAttempt, ending: AgentEnding) -> None:
    left = _left_behind(driver, run, attempt, ending)
    driver.note(
        EventType.ATTEMPT_ENDED,
        {
            "attempt": attempt.id,
            "outcome": left.outcome,
            "commit": left.commit,
            "usage": usage_payload(ending.spent),
            "seconds": ending.duration_ms // 1000,
            "paths": _listed(left.bounds.outside),
            "left_out": _listed(left.bounds.left_out),
            "session": ending.session or attempt.session,
            "message": shown(ending.message or ending.failure),
            **({"findings": [shown(each) for each in left.findings]} if attempt.review else {}),
        },
    )
    top = driver.place.tree(attempt.tree)
    keep_left_out(top, AttemptFiles(driver.place, attempt.id).folder / "left-out", _below(driver, left.bounds.left_out))


def _left_behind(driver: RunDriver, run: RunState, attempt: RunAttempt, ending: AgentEnding) -> _TreeResult:
    """Compare, and commit what the attempt changed on its own branch."""
    top, branch = driver.place.tree(attempt.tree), branch_of(driver.place.run, attempt.tree)
    elsewhere = AttemptFiles(driver.place, attempt.id).faults()
    if faults := elsewhere.files or git_files_changed(driver.place, attempt):  # before git reads what an agent wrote
        return _TreeResult(OUT_OF_BOUNDS, None, AttemptBounds(faults, ()))
    if attempt.review:
        return _review_result(driver, attempt, ending, top)
    committed = attempt_commit(top, attempt.base, attempt.id)
    refs = () if committed else tuple(dict.fromkeys((*elsewhere.refs, *refs_with(top, attempt.base, branch))))
    changes = changes_since(top, attempt.base)
    if committed:  # before a crash: what is merged is the commit, whatever became of the worktree since
        both = {*changes, *committed_changes(top, attempt.base, committed)}
        changes = tuple(sorted(both, key=lambda each: (each.path, each.how)))
    bounds = bounds_of(
        [(_from_project(driver, each), each.how) for each in changes],
        _rules(driver, run, attempt),
        str(driver.place.project(attempt.tree)),
        lambda path: _event_at(driver, attempt, path),
        lambda path: _item_at(driver, attempt, path),
    )
    bounds = AttemptBounds((*(f"{ref} (a ref of its own)" for ref in refs), *bounds.outside), bounds.left_out)
    changed = len(changes) > len(bounds.left_out)
    if not changed and not committed:
        return _TreeResult(_outcome(ending, bounds, changed=False), None, bounds)
    message = (
        f"{driver.place.run}: {attempt.stage} by {attempt.role}\n\n"
        # the criterion `commit` wants a message with the sprint's own id, which that of the run is not
        f"Vfcc-Sprint: {driver.sprint}\nVfcc-Actor: agent:{attempt.role}\n{TRAILER}: {attempt.id}\n"
    )
    commit = committed or commit_attempt(top, message, _below(driver, bounds.left_out))
    driver.tools.reached(f"commit {attempt.id}")
    return _TreeResult(_outcome(ending, bounds, changed=True), commit, bounds)


def git_files_changed(place: RunPlace, attempt: RunAttempt) -> tuple[str, ...]:
    """Return what an agent did to its worktree as such, and to git's own files, each as `path (reason)`."""
    top, branch = place.tree(attempt.tree), branch_of(place.run, attempt.tree)
    if not is_sound(top, branch):
        return (f"{branch} (its worktree is gone or moved)",)
    before, now = AttemptFiles(place, attempt.id).guarded(), dict(guarded_state(top))
    if before is None or before == now:
        return ()
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    return tuple(f"{each} (git's own)" for each in names)


def _review_result(driver: RunDriver, attempt: RunAttempt, ending: AgentEnding, top: Path) -> _TreeResult:
    """Return the findings of a review; one that changed a file, or answers in another form, has none that count."""
    changed = tuple(
        f"{_from_project(driver, each)} (a review changes nothing)" for each in changes_since(top, attempt.base)
    )
    bounds = AttemptBounds(changed, ())
    if ending.outcome is not AgentOutcome.DONE or changed:
        return _TreeResult(OUT_OF_BOUNDS if changed else str(ending.outcome), None, bounds)
    answer = ending.structured or ending.message
    if form_problem(answer, REVIEW_FORM):  # also of a driver that was killed before it kept the answer
        return _TreeResult(str(AgentOutcome.SCHEMA), None, bounds)
    return _TreeResult(DONE, None, bounds, findings_of(answer))


def _outcome(ending: AgentEnding, bounds: AttemptBounds, *, changed: bool) -> str:
    if ending.outcome is not AgentOutcome.DONE:
        return str(ending.outcome)
    if bounds.outside:
        return OUT_OF_BOUNDS
    return DONE if changed else NO_CHANGE


def _from_project(driver: RunDriver, change: TreeChange) -> str:
    """Return a path as seen from the project's folder."""
    below = driver.place.below
    if not below:
        return change.path
    return change.path.removeprefix(f"{below}/") if change.path.startswith(f"{below}/") else f"../{change.path}"


def _below(driver: RunDriver, paths: tuple[str, ...]) -> list[str]:
    return [f"{driver.place.below}/{path}" if driver.place.below else path for path in paths]


def _rules(driver: RunDriver, run: RunState, attempt: RunAttempt) -> dict[str, Json]:
    """Return what the role may change in the stage, as the integration branch has its rules.

    Where another role writes the tests beside it, they are `apart`: the two change no path that both may change.
    """
    workspace = driver.workspace
    config = effective_config(workspace).config
    faults: list[str] = []
    state = show_sprint(workspace, driver.sprint)
    rules = rules_of(
        workspace, attempt.role, (state, attempt.stage), config.trace.tests, Stamps(workspace.root), faults
    )
    if is_beside(run, attempt):
        rules["apart"] = rules.get("tests")
    return {**rules, "closed": [config.trace.baseline]} if config.trace.baseline else rules


def _event_at(driver: RunDriver, attempt: RunAttempt, path: str) -> Event | None:
    full = driver.place.project(attempt.tree) / path
    try:
        return parse_event(full.read_bytes(), full.stem)
    except (OSError, LedgerError):
        return None


def _item_at(driver: RunDriver, attempt: RunAttempt, path: str) -> Item | None:
    full = driver.place.project(attempt.tree) / path
    try:
        data = full.read_bytes()
        item, front = parse_item(path, data).item, read_front(decode(path, data))[1]
        return None if front is None or _REVIEW & set(_keys(front)) else item
    except (OSError, FormatError):
        return None


def _keys(value: Value) -> Iterator[str]:
    if isinstance(value, FieldTable):
        for name, each in value.pairs:
            yield name
            yield from _keys(each)
    elif isinstance(value, FieldList):
        for each in value.values:
            yield from _keys(each)


def _listed(paths: tuple[str, ...]) -> list[str]:
    if len(paths) <= MOST_PATHS:
        return list(paths)
    return [*paths[:MOST_PATHS], f"and {len(paths) - MOST_PATHS} more"]


def merge_attempt(driver: RunDriver, attempt: RunAttempt, stay: str) -> None:
    """Merge an attempt into the integration branch, once; a conflict is a closed gate that names the paths.

    `stay` is the one in the attempt's stage; an attempt that began ahead of it is part of it from then on.
    """
    assert attempt.commit is not None
    top = driver.place.tree()
    undo_half_merge(top)
    driver.save_before(f"the merge of {attempt.id}")
    message = f"{driver.place.run}: merge {attempt.id}\n\n{TRAILER}: {attempt.id}\n"
    merged, paths = merge(top, attempt.commit, message)
    driver.tools.reached(f"merge {attempt.id}")
    if merged is None:
        blockers: list[Json] = [
            {"criterion": path, "reason": _conflict(attempt, path), "person": False} for path in paths[:MOST_PATHS]
        ]
        payload: dict[str, Json] = {"stage": attempt.stage, "stay": stay, "attempt": attempt.id, "open": False}
        driver.note(EventType.RUN_GATE, {**payload, "blockers": blockers})
        return
    _record_artifacts(driver, attempt)
    arrived: dict[str, Json] = {"stay": stay} if attempt.ahead else {}
    driver.note(EventType.ATTEMPT_MERGED, {"attempt": attempt.id, "commit": merged, **arrived})
    driver.save(f"{attempt.id} merged")


def _conflict(attempt: RunAttempt, path: str) -> str:
    return f"{attempt.id} conflicts with the integration branch; its version: git show {attempt.commit}:{path}"


def _record_artifacts(driver: RunDriver, attempt: RunAttempt) -> None:
    """Record the agent as the author of the artifacts that it wrote, so that it cannot count as their reviewer."""
    workspace = driver.workspace
    folder = artifacts_folder(driver.sprint, attempt.stage)
    changes = committed_changes(driver.place.tree(), attempt.base, str(attempt.commit))
    paths = [_from_project(driver, each) for each in changes if each.how != "D"]
    for path in paths:
        if not path.startswith(f"{folder}/"):
            continue
        try:
            data = (workspace.root / path).read_bytes()
            name = path.removeprefix(f"{folder}/")
            put_artifact(workspace, driver.sprint, name, data, attempt.stage, actor=f"agent:{attempt.role}")
        except (OSError, VfccError):
            continue  # one that no gate asks for has no author on the ledger
