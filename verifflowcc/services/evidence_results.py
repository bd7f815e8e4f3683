"""The tests of a report one by one, committed beside the evidence, so that each clone can tell which item they show."""

from pathlib import Path

from verifflowcc.adapters.files.evidence import put_blob, read_blob
from verifflowcc.adapters.files.layout import check_inside
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.adapters.project.content import project_content
from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.gates import Criterion, Kind
from verifflowcc.domain.trace import Outcome
from verifflowcc.errors import FormatError, WorkspaceError
from verifflowcc.formats.junit_tests import read_tests
from verifflowcc.formats.result_lines import LARGEST_RESULTS_BYTES, encode_results, parse_results
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import fold_newlines


def results_path(sprint_id: str, stage_id: str, digest: str) -> str:
    """Return where results lie, relative to `.memory/`."""
    return f"stage/{sprint_id}/{stage_id}/results/{digest.removeprefix('sha256:')[:16]}.jsonl"


def keep_results(workspace: Workspace, criterion: Criterion, report: bytes | None) -> str | None:
    """Keep what a report says of single tests below `local/blobs/`, and return its digest.

    None where the evidence is no report of tests, or the project has no trace item. Raises ConfigError where the
    configuration or the workflow is not sound, FormatError where the report cannot be read.
    """
    if criterion.kind is not Kind.JUNIT or report is None or not has_items(workspace.memory):
        return None
    from verifflowcc.services.pinned_workflow import policy_of
    from verifflowcc.services.trace_code import read_code, read_items
    from verifflowcc.trace.join import Marked, Ran, results_of, specified

    policy = policy_of(workspace)
    items = read_items(workspace, policy).items
    if not items:
        return None
    content = project_content(workspace.root, workspace.local)
    code = read_code(workspace, content, policy, items, effective_config(workspace).config.trace.exclude)
    read = read_tests(report)
    found = results_of(Ran("", read.tests), Marked(code))
    named = {each.test for each in specified(found, items) if each.items}
    worth = [each for each in found if each.test in named or each.outcome is not Outcome.PASSED]
    return put_blob(workspace.local, encode_results(len(read.tests), worth))


def write_results(workspace: Workspace, evidence: Evidence) -> tuple[str, ...]:
    """Put the results that a piece of evidence names beside it; return their path relative to `.memory/`, if any.

    Raises WorkspaceError where they are not kept any more, or cannot be written.
    """
    if evidence.results is None:
        return ()
    path = results_path(evidence.sprint, evidence.stage, evidence.results)
    data = read_blob(workspace.local, evidence.results)
    if data is None:
        raise WorkspaceError(f"what {evidence.criterion} found of single tests is gone", hint="vfcc evidence run")
    target = workspace.memory / path
    check_inside(target.parent, workspace.memory)
    if not target.is_file() or fold_newlines(target.read_bytes()) != data:
        write_atomic(target, data)
    return (path,)


def read_results_file(workspace: Workspace, evidence: Evidence) -> bytes:
    """Return the bytes that lie where the results of a piece of evidence are to be; they are not yet compared.

    Raises FormatError with the reason alone where there is no such file, or it cannot be read.
    """
    if evidence.results is None:
        return b""
    target = workspace.memory / results_path(evidence.sprint, evidence.stage, evidence.results)
    try:
        check_inside(target.parent, workspace.memory)
        with target.open("rb") as file:
            data = file.read(LARGEST_RESULTS_BYTES + 1)
    except FileNotFoundError as error:
        raise FormatError(f"its results are missing: {_shown(target, workspace)}") from error
    except OSError as error:
        raise FormatError(f"{_shown(target, workspace)} cannot be read: {error.strerror or error}") from error
    if len(data) > LARGEST_RESULTS_BYTES:
        raise FormatError(f"{_shown(target, workspace)} is larger than {LARGEST_RESULTS_BYTES // 2**20} MiB")
    return data


def results_differ(workspace: Workspace, was: Evidence, now: Evidence) -> str:
    """Return in what the recorded results of single tests are not those of a second run; "" where they are.

    The outcome of a proof holds the verdict on each test. Which tests are worth a line depends on the items, which may
    have changed: what passed and has no mark is compared
    where both speak of it. Messages are not compared, as they may hold what no two runs share.
    """
    if was.results is None or now.results is None or now.kind is not Kind.JUNIT:
        return ""
    try:
        then = _comparable(read_results_file(workspace, was), was.results)
        again = _comparable(read_blob(workspace.local, now.results) or b"", now.results)
    except FormatError as error:
        return error.message
    for test in sorted({*then, *again}):
        one, other = then.get(test), again.get(test)
        if one != other and ((one and other) or _must_be_there(one or other)):
            return f"{test} is {_outcome(one)} on record, and {_outcome(other)} now"
    return ""


_Compared = tuple[Outcome, int, tuple[str, ...]]


def _comparable(data: bytes, digest: str) -> dict[str, _Compared]:
    lines = parse_results(data, digest, "").results
    return {each.test: (each.outcome, each.cases, each.items) for each in lines}


def _must_be_there(found: _Compared | None) -> bool:
    return found is not None and (found[0] is not Outcome.PASSED or bool(found[2]))


def _outcome(found: _Compared | None) -> str:
    if found is None:
        return "not reported"
    return f"{found[0]} ({found[1]} cases, of {', '.join(found[2]) or 'no item'})"


def _shown(target: Path, workspace: Workspace) -> str:
    return target.relative_to(workspace.root).as_posix()


def has_items(memory: Path) -> bool:
    """Say whether a project keeps trace items."""
    return any((memory / "project" / "items").glob("*/*.md"))
