"""The text that a person is asked to approve: each file, and what changed in it since the last approval."""

import difflib
from collections.abc import Iterator, Mapping

from verifflowcc.base.git.git_log import blob_bytes, earlier_bytes
from verifflowcc.base.git.git_protected import read_history
from verifflowcc.base.model.gate_values import CriterionKind
from verifflowcc.base.model.people import Opinion, Review
from verifflowcc.base.model.sprint_state import Artifact, SprintState, artifacts_folder
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_bytes, digest_text, fold_newlines
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.approvals import ApprovalSubject
from verifflowcc.sprint.rules.sprint_people import reviews
from verifflowcc.sprint.use.sprint_reading import load_sprint

LARGEST_SHOWN = 64 * 1024
"""Bytes of one file that are shown; of a larger one, its head."""
LARGEST_COMPARED = 256 * 1024
"""Bytes up to which two versions are compared: the time for it grows with the square of their lines."""
MOST_SHOWN = 512 * 1024
"""Characters of all files together."""
_PROBE = 8000


@dataclass(frozen=True, slots=True)
class ApprovalText:
    """A file as it is shown: its text, or why there is none, and the changes since the last approval.

    `history` is a clause on the last approval, empty without one. `left_out` counts the bytes behind the head.
    """

    path: str
    text: str
    note: str = ""
    left_out: int = 0
    history: str = ""
    diff: str = ""


def texts_to_approve(workspace: Workspace, what: ApprovalSubject) -> tuple[ApprovalText, ...]:
    """Return the texts of what is approved, those of the stage first.

    Of the project's own files only those are shown that changed since the sprint began.
    """
    state = load_sprint(workspace, what.sprint)[1]
    on_record = [one for one in reviews(state.notes) if (one.stage, one.criterion) == (what.stage, what.criterion.id)]
    last = next((one for one in reversed(on_record) if one.opinion is Opinion.APPROVED), None)
    folder = f"{artifacts_folder(what.sprint, what.stage)}/"
    made = [one for one in what.files if one.path.startswith(folder)]
    others = {one.path: one for one in what.files if not one.path.startswith(folder)}
    if what.criterion.kind is CriterionKind.RULES:
        return tuple(_against_start(workspace, state, one, last) for one in what.files)
    changed = [each.path for each in read_history(workspace.root, state.base).changes] if others else []
    chosen = (*made, *(others[path] for path in changed if path in others))
    shown = tuple(_text(workspace, one, last) for one in chosen)
    return (*shown, *_gone(what.files, last))


def pages(texts: tuple[ApprovalText, ...], files: tuple[Artifact, ...]) -> str:
    """Return texts as one page of bounded length; a line counts the others of `files`, which are approved with them."""
    parts, length = [], 0
    for each in texts:
        part = "\n".join(_lines(each))
        if length + len(part) > MOST_SHOWN:
            break
        parts.append(part)
        length += len(part)
    if len(parts) < len(texts):
        names = ", ".join(each.path for each in texts[len(parts) :][:5])
        parts.append(f"{len(texts) - len(parts)} more texts do not fit here; read them in an editor: {names}")
    unchanged = len({one.path for one in files} - {each.path for each in texts})
    if unchanged:
        parts.append(f"{unchanged} more of the approved files did not change in this sprint")
    return "\n\n".join(parts)


def _lines(each: ApprovalText) -> Iterator[str]:
    notes = "; ".join(filter(None, (each.note, each.history)))
    yield f"=== {each.path}{f' ({notes})' if notes else ''}"
    if each.text:
        yield each.text.rstrip("\n")
    if each.left_out:
        yield f"… {each.left_out:,} more bytes are left out; read all of it in {each.path}"
    if each.diff:
        yield f"=== changes in {each.path.rpartition('/')[2]} since then"
        yield each.diff.rstrip("\n")


def _text(workspace: Workspace, one: Artifact, last: Review | None) -> ApprovalText:
    try:
        path = workspace.root / one.path
        data = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        return ApprovalText(one.path, "", f"it cannot be read: {error.strerror or error}")
    if one.digest not in (digest_text(data), digest_bytes(data)):
        return ApprovalText(one.path, "", "it is a link, or changed just now")
    history, diff = _since(workspace, one, data, last)
    now = _decoded(data)
    if now is None:
        return ApprovalText(one.path, "", f"no text; {len(data):,} bytes", history=history)
    if not now.strip():
        return ApprovalText(one.path, "", "empty", history=history)
    head = _head(now)
    left_out = len(now.encode("utf-8")) - len(head.encode("utf-8"))
    return ApprovalText(one.path, head, left_out=left_out, history=history, diff=diff)


def _against_start(workspace: Workspace, state: SprintState, one: Artifact, last: Review | None) -> ApprovalText:
    """Return what changed in a file of the rules since its last approval, else since the sprint's start."""
    if not one.digest:
        return ApprovalText(one.path, "", "removed since the sprint started")
    shown = _text(workspace, one, last)
    if shown.diff or shown.note or (last and one.path in last.file_digests):
        return replace(shown, text="", left_out=0)
    recorded, root = state.rules or {}, workspace.root
    if one.path in recorded:
        digest = recorded[one.path]
        before = earlier_bytes(root, one.path, digest) if digest else None
    else:
        before = blob_bytes(root, f"{state.base}:./{one.path}") if state.base else None
    if before is None:
        return replace(shown, history=shown.history or "as it is now; git does not have it as the sprint started")
    diff = _diff(before, (root / one.path).read_bytes(), "before")
    if diff is None:
        return replace(shown, history="changed since the sprint started; too large to compare, or no text")
    return replace(shown, text="", left_out=0, history="changed since the sprint started", diff=diff)


def _diff(before: bytes, data: bytes, name: str) -> str | None:
    """Return the changes of a text as a unified diff; None where it is too large, or no text."""
    was, now = _decoded(before), _decoded(data)
    if was is None or now is None or max(len(before), len(data)) > LARGEST_COMPARED:
        return None
    return "\n".join(difflib.unified_diff(was.splitlines(), now.splitlines(), name, "now", lineterm=""))


def _head(text: str) -> str:
    """Return a text's first bytes, up to the end of a line where there is one."""
    data = text.encode("utf-8")
    if len(data) <= LARGEST_SHOWN:
        return text
    head = data[:LARGEST_SHOWN].decode("utf-8", "ignore")
    return head[: head.rfind("\n") + 1] or head


def _since(workspace: Workspace, one: Artifact, data: bytes, last: Review | None) -> tuple[str, str]:
    """Return a clause on the last approval of a file, and the changes since."""
    if last is None:
        return "", ""
    since = f"the approval by {last.actor} on {last.time[:10]}"
    if not last.file_digests:
        return f"{since} names no files to compare with", ""
    earlier = last.file_digests.get(one.path)
    if earlier is None:
        return f"new since {since}", ""
    if earlier == one.digest:
        return f"unchanged since {since}", ""
    before = earlier_bytes(workspace.root, one.path, earlier)
    if before is None:
        return f"changed since {since}; git does not have the text that was approved", ""
    diff = _diff(before, data, "approved")
    if diff is None:
        return f"changed since {since}; too large to compare, or no text", ""
    return f"changed since {since}", diff


def _gone(files: tuple[Artifact, ...], last: Review | None) -> Iterator[ApprovalText]:
    """Yield a line for each file that was approved and does not exist any more."""
    seen: Mapping[str, str] = last.file_digests if last else {}
    present = {one.path for one in files}
    for path in sorted(set(seen) - present):
        yield ApprovalText(path, "", f"removed since the approval by {last.actor if last else ''}")


def _decoded(data: bytes) -> str | None:
    if b"\0" in data[:_PROBE]:
        return None
    try:
        return fold_newlines(data).decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
