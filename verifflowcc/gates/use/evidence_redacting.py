"""Take secrets out of evidence that is on record: the file is written again, and an event says by whom and why.

New evidence holds none, since they are withheld before it is written; older versions wrote what a report said. What a
commit holds stays in git's history: only changing the secret itself makes it worthless. A closed sprint takes a
redaction, too: it is found by `vfcc doctor` long after, and the event changes no stage.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

from verifflowcc.base.errors import ConflictError, FormatError, UsageError, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.ledger import LedgerWriter
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.formats.result_lines import encode_results, parse_results
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import RecordedEvidence
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_bytes, digest_text
from verifflowcc.base.text.hidden_text import withhold_words
from verifflowcc.base.text.secrets import kinds_of, withhold
from verifflowcc.base.use.stage_words import one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_listing import find_evidence
from verifflowcc.gates.use.gates_now import read_results_file, results_path
from verifflowcc.sprint.rules.evidence_files import encode_evidence
from verifflowcc.sprint.store.evidence_store import place_evidence, put_evidence, read_evidence_file
from verifflowcc.sprint.use.people_acting import Transition, add_note, address, require_person, settle
from verifflowcc.sprint.use.sprint_reading import load_movable


@dataclass(frozen=True, slots=True)
class Redaction:
    """Evidence from which secrets were taken out: the kinds of them, never the secrets."""

    evidence: str
    stage: str
    criterion: str
    path: str
    kinds: tuple[str, ...]
    move: Transition


@dataclass(frozen=True, slots=True)
class Redactable:
    """Evidence that holds secrets, the kinds of them, and its results without them, where those hold one."""

    recorded: RecordedEvidence
    evidence: Evidence
    kinds: tuple[str, ...]
    results: bytes | None


def secrets_in(workspace: Workspace, recorded: RecordedEvidence) -> tuple[str, ...]:
    """Return the kinds of secrets in the files of a piece of evidence: its own, and the results beside it.

    Where a redaction was cut short, its own file still is the old one.
    """
    texts: list[str] = []
    with suppress(FormatError):
        path = recorded.path.removeprefix(".memory/")
        texts += _strings(read_evidence_file(workspace.memory, path).decode("utf-8", "replace"))
    if recorded.evidence is not None:
        with suppress(FormatError):
            texts += _strings(read_results_file(workspace, recorded.evidence).decode("utf-8", "replace"))
    return kinds_of(texts)


def what_to_redact(workspace: Workspace, sprint_id: str, which: str) -> Redactable:
    """Return the evidence whose id is `which`, or ends with it, and the kinds of secrets that it holds.

    Raises UsageError where there is none, or it holds no secret.
    """
    state = load_movable(workspace, sprint_id)[1]
    recorded, evidence = find_evidence(workspace, state, which)
    kinds = secrets_in(workspace, recorded)
    if not kinds:
        raise UsageError(f"{evidence.id} holds nothing that looks like a secret", hint="vfcc doctor")
    return Redactable(recorded, evidence, kinds, _results(workspace, evidence))


def redact_evidence(
    workspace: Workspace, sprint_id: str, which: str, reason: str, *, actor: str, email: str = "", commit: bool = False
) -> Redaction:
    """Write evidence again without its secrets, and record that a person did so. Its numbers and its id stay.

    Raises NotAllowed for anybody but a named person, UsageError as `what_to_redact` does and for no reason, and
    ConflictError where somebody redacts the same at this moment.
    """
    again = f'vfcc evidence redact {which} --reason "…"'
    require_person(actor, "redacting evidence", hint=f"{again}  # at a terminal of your own")
    why = one_line(reason, "the reason")
    if not why:
        raise UsageError("a redaction needs a reason", hint=again)
    found = what_to_redact(workspace, sprint_id, which)
    recorded, evidence = found.recorded, found.evidence
    path = recorded.path.removeprefix(".memory/")
    clean = _without_secrets(evidence, found.results)
    data = encode_evidence(clean)

    def payload(state: SprintState) -> dict[str, Json]:
        if find_evidence(workspace, state, evidence.id)[1] != evidence:
            raise ConflictError(f"{evidence.id} was redacted by somebody else", hint="vfcc evidence show " + which)
        return {
            "stage": recorded.stage,
            "criterion": recorded.criterion,
            "evidence": evidence.id,
            "was": digest_text(encode_evidence(evidence)),
            "digest": digest_text(data),
            "reason": why,
            **address(email),
        }

    def write(writer: LedgerWriter) -> tuple[str, ...]:
        put_evidence(writer.memory, path, data)
        return (path, *_write_results(writer, clean, found.results))

    kind = EventType.EVIDENCE_REDACTED
    done = add_note(workspace, sprint_id, kind, payload, actor=actor, prepare=write, closed=True)
    try:
        place_evidence(workspace.memory, path)
        if found.results is not None and evidence.results is not None:
            (workspace.memory / results_path(evidence.sprint, evidence.stage, evidence.results)).unlink(missing_ok=True)
    except (WorkspaceError, OSError) as error:  # the event is there, and readers take the file without the secret
        left = f"the redaction is recorded, but the file with the secret is still there ({error}); redact it again"
        done = replace(done, warnings=(*done.warnings, left))
    done = settle(workspace, done, f"{sprint_id}: evidence {evidence.id} redacted", commit=commit)
    return Redaction(evidence.id, recorded.stage, recorded.criterion, recorded.path, found.kinds, done)


def _without_secrets(evidence: Evidence, results: bytes | None) -> Evidence:
    run = evidence.run
    return replace(
        evidence,
        run=replace(run, argv=withhold_words(run.argv), failure=withhold(run.failure)) if run else None,
        producer=withhold(evidence.producer),
        report=None if evidence.report is None else withhold(evidence.report),
        problem=withhold(evidence.problem),
        examples=tuple(map(withhold, evidence.examples)),
        results=evidence.results if results is None else digest_bytes(results),
    )


def _results(workspace: Workspace, evidence: Evidence) -> bytes | None:
    """Return the results beside a piece of evidence without secrets; None where they hold none."""
    if evidence.results is None:
        return None
    data = read_results_file(workspace, evidence)
    read = parse_results(data, evidence.results, "")
    clean = encode_results(read.tests, read.results)
    return None if digest_bytes(clean) == evidence.results else clean


def _write_results(writer: LedgerWriter, clean: Evidence, results: bytes | None) -> tuple[str, ...]:
    if results is None or clean.results is None:
        return ()
    path = results_path(clean.sprint, clean.stage, clean.results)
    check_inside((writer.memory / path).parent, writer.memory)
    write_atomic(writer.memory / path, results)
    return (path,)


def _strings(text: str) -> Iterator[str]:
    """Yield each string in lines of JSON: text around a string must not make it a secret."""

    for line in text.splitlines():
        try:
            pending = [json.loads(line)]
        except (ValueError, RecursionError):
            yield line
            continue
        while pending:
            value = pending.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                pending += [*value, *value.values()]
            elif isinstance(value, list):
                pending += value
                yield from (f"{one.lstrip('-')}={two}" for one, two in pairwise(value) if _is_option(one, two))


def _is_option(one: object, two: object) -> bool:
    return isinstance(one, str) and isinstance(two, str) and one.startswith("-") and "=" not in one
