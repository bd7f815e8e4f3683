"""One event of the history out of what a client's hook says, in Claude Code's form.

Names are OpenTelemetry's where it has one. What is large becomes its beginning, its size and its digest; secrets have
gone before anything is cut; neither whole files nor answers of models nor reasoning get in. It runs inside of hooks, so
it imports next to nothing.
"""

from verifflowcc.base.text.identifiers import ulid
from verifflowcc.base.text.quick_json import write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Json = Any
    Withhold = Callable[[str], str]
    ReadFile = Callable[[str], bytes | None]


VERSION = 1
PLACE = ("role", "sprint", "stage", "unplaced", "denied", "worktree")
"""What a line says of the place that an event is of. `unplaced` means that a later line of the kind `place` says it.

`worktree` is git's name of the linked worktree; the main one has none."""

PLACED, DENIED = "place", "tool_denied"
"""The kinds of lines that the full program adds about events that were recorded before."""
COMPILED = "vfcc.compiled"
"""The key beside a client's words that holds what is known of a prompt which vfcc compiled."""
TOOLS = ("PostToolUse", "PostToolUseFailure")
KINDS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool_start",
    "PostToolUse": "tool_execution",
    "PostToolUseFailure": "tool_execution",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_end",
    "PreCompact": "compaction_start",
    "PostCompact": "compaction_end",
    "Stop": "turn_end",
    "SessionEnd": "session_end",
}
"""What the events of a client are called in the history."""

BEGINNING = 200
"""So many characters are kept of a result, of a file's content and of an answer."""
_PARAMETER, _SPOKEN = 500, 2000
_LONG = frozenset(("command", "description", "prompt", "pattern", "query", "url", "file_path", "path", "skill", "args"))
_CONTENT = frozenset(("content", "old_string", "new_string", "new_source", "patch", "input", "edits"))
_LOOKED_AT = 4_000
"""Beyond what is kept, so many characters are looked through for a secret that begins in it."""
_MOST_PARTS, _DEEPEST, _LARGEST = 50, 6, 1e308
_MOST_TOKENS = 2**53
_SAME_MS = 30_000
"""Two hooks of one event begin within this time."""
_SAYING = (
    *("tool_name", "tool_input", "prompt", "source", "reason", "trigger", "agent_id", "agent_type", "stop_hook_active"),
    *("last_assistant_message", "message", "notification_type"),
)
"""What one event says in both forms that Copilot has of it; its times differ."""
_LONGEST_PATH = 1_000
_CHANGES = ("edit", "write")
_TEXT_PROBE_BYTES = 8000
_ARTIFACT_DEPTH = 5
_RESULTS = ("stdout", "output", "content", "error", "stderr", "filenames", "result", "text")


def line_of(
    payload: "Mapping[str, Json]",
    client: str,
    root: str,
    milliseconds: int,
    entropy: bytes,
    place: "Mapping[str, Json]",
    read_file: "ReadFile | None" = None,
) -> "bytes | None":
    """Return the line that a hook's words make; None where they are of no kind that is recorded.

    `milliseconds` are since 1970, in UTC; `entropy` is ten bytes for the id. `place` may say the role, sprint and stage
    that the agent works in, and `kind` where the line is of another kind than the hook's. `read_file` returns the bytes
    of a file below the project's root: a line of an edit then has the digest of the file after it.
    """
    from verifflowcc.base.text.secrets import withhold

    event = event_of(payload, client, root, moment(milliseconds), ulid(milliseconds, entropy), withhold)
    if event is None:
        return None
    if read_file is not None and event["kind"] == "tool_execution" and "error.message" not in event:
        _add_digests(event.get("files", ()), read_file)
    event |= {name: place[name] for name in ("kind", *PLACE) if place.get(name)}
    if "denied" in event:
        event["denied"] = _kept(str(event["denied"]), _PARAMETER, withhold)
    return write(event).encode("ascii") + b"\n"


def event_key(payload: "Mapping[str, Json]") -> "tuple[str, int]":
    """Return what names an event within its session, and for how many milliseconds: a call of a tool for good.

    >>> event_key({"hook_event_name": "PreToolUse", "tool_use_id": "t1"})
    ('PreToolUse:t1', 9007199254740992)
    """
    hook = _text(payload, "hook_event_name")[:40].replace(" ", "")
    call = _text(payload, "tool_use_id")[:100]
    if call and not call.count(" "):
        return f"{hook}:{call}", _MOST_TOKENS
    plain = [(key, str(payload[key])) for key in _SAYING if key in payload]
    from _imp import source_hash  # 64 bits do here, and the library of SHA-256 takes a hundredth of a hook to load

    return f"{hook}:{source_hash(0, str(plain).encode('utf-8', 'surrogatepass')).hex()}", _SAME_MS


def moment(milliseconds: int) -> str:
    """Return a time as the history writes it.

    >>> moment(1_700_000_000_123)
    '2023-11-14T22:13:20.123Z'
    """
    days, rest = divmod(milliseconds, 86_400_000)
    era_days = days + 719_468  # since 0000-03-01, so that a leap day ends a year; after Howard Hinnant's algorithm
    era, day_of_era = divmod(era_days, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day, month = day_of_year - (153 * shifted + 2) // 5 + 1, shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    hours, minutes, seconds = rest // 3_600_000, rest // 60_000 % 60, rest // 1000 % 60
    return f"{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{rest % 1000:03}Z"


def event_of(
    payload: "Mapping[str, Json]", client: str, root: str, at: str, name: str, withhold: "Withhold"
) -> "dict[str, Json] | None":
    """Return the event that a hook's words make; None where they are of no kind that is recorded.

    `at` is the time, `name` a ULID of it. `withhold` puts a word in the place of each secret.
    """
    hook = _text(payload, "hook_event_name")
    kind = KINDS.get(hook)
    if kind is None:
        return None
    if kind == "prompt" and not _is_of_a_person(payload):
        kind = "agent_prompt"
    event: dict[str, Json] = {
        "v": VERSION,
        "kind": kind,
        "id": name,
        "time": at,
        "client": client,
        "gen_ai.conversation.id": _short(payload, "session_id"),
    }
    for field, key in (
        ("task", "prompt_id"),
        ("task", "turn_id"),
        ("gen_ai.agent.id", "agent_id"),
        ("gen_ai.agent.name", "agent_type"),
    ):
        if value := _short(payload, key):
            event.setdefault(field, value)
    if hook in TOOLS or hook == "PreToolUse":
        _add_tool(client, event, payload, root, withhold)
    elif hook == "UserPromptSubmit":
        _add_prompt(event, payload, withhold)
    elif hook in ("Stop", "SubagentStop"):
        event["outcome"] = first_words(_text(payload, "last_assistant_message"), withhold)
    elif hook == "PostCompact":
        event["outcome"] = first_words(_text(payload, "compact_summary"), withhold)
    for key in ("source", "trigger", "reason", "model"):
        if value := _short(payload, key):
            event[key] = value
    context = payload.get("context_tokens")
    if isinstance(context, int) and not isinstance(context, bool) and 0 <= context < _MOST_TOKENS:
        event["context_tokens"] = context
    return event


def with_typed_words(
    payload: "Mapping[str, Json]", compiled: "Callable[[], Iterable[Mapping[str, Json]]]"
) -> "Mapping[str, Json]":
    """Return a client's words with what a person typed as the prompt, and beside it what vfcc compiled of it.

    Of a compiled prompt the task stays, in place of its text. `compiled` returns the fingerprints of prompts that were
    compiled here.
    """
    text = _text(payload, "prompt")
    if "## Your Task" not in text and "<!-- vfcc: " not in text:
        return payload
    from verifflowcc.base.text.own_text import typed_words

    typed, ours = typed_words(text, compiled(), digest_of)
    if ours is None:
        return {**payload, "prompt": typed}
    task = str(ours.get("task", ""))
    return {**payload, "prompt": "\n".join(filter(None, (typed, task))), COMPILED: ours}


def _add_prompt(event: "dict[str, Json]", payload: "Mapping[str, Json]", withhold: "Withhold") -> None:
    event["description"] = _kept(_text(payload, "prompt"), _PARAMETER, withhold)
    ours = payload.get(COMPILED)
    if isinstance(ours, dict):
        event["compiled"] = {name: withhold(str(value))[:_PARAMETER] for name, value in ours.items()}


def first_words(text: str, withhold: "Withhold") -> str:
    """Return the beginning of an answer: its first paragraph, and no more than two lines of it."""
    return _kept(text.strip().partition("\n\n")[0], BEGINNING, withhold)


def _add_tool(
    client: str, event: "dict[str, Json]", payload: "Mapping[str, Json]", root: str, withhold: "Withhold"
) -> None:
    tool = _short(payload, "tool_name") or "unknown"
    given = payload.get("tool_input")
    parameters = given if isinstance(given, dict) else {"input": given}
    event["gen_ai.tool.name"] = tool
    if call := _short(payload, "tool_use_id"):
        event["gen_ai.tool.call.id"] = call
    if event["kind"] == "tool_start":
        return
    response = payload.get("tool_response")
    event["gen_ai.tool.call.arguments"] = _reduced(parameters, withhold)
    from verifflowcc.history.rules.touches import placed, touches

    error = _error(payload, response)
    event["success"] = None if not error and _is_silent(client, tool, response) else not error
    if error:
        event["error.message"] = _kept(error, _PARAMETER, withhold)
    if text := result_text(response):
        result = {"size": len(text), "digest": digest_of(text), "start": _kept(text, BEGINNING, withhold)}
        event["gen_ai.tool.call.result"] = result
    cwd = _text(payload, "cwd") or root
    if tool == "Bash":
        _add_tests(event, text or error, placed("", cwd, root), withhold)
    duration = payload.get("duration_ms")
    if isinstance(duration, int | float) and not isinstance(duration, bool) and abs(duration) <= _LARGEST:
        event["duration_ms"] = max(int(duration), 0)
    if files := [each for each in touches(tool, parameters, response, cwd, root) if _is_path(each["path"])]:
        event["files"] = [each | {"path": withhold(each["path"])} for each in files]


def _add_tests(event: "dict[str, Json]", output: str, folder: str, withhold: "Withhold") -> None:
    """Add how many tests passed and which failed, where the output of a command ends with a runner's summary.

    The beginning of an output, which is all that is kept of it, is no place where a runner reports.
    """
    from verifflowcc.history.rules.test_report import report_of

    if report := report_of(output, withhold):
        event["tests"] = report | ({"folder": folder} if folder != "." else {})


def _add_digests(files: "Iterable[dict[str, Json]]", read_file: "ReadFile") -> None:
    """Give each file that a call wrote its digest, as gates compute it: even if committed by others, the agent wrote
    them."""
    for each in files:
        if each["operation"] in _CHANGES and is_of_project(each["path"]):
            data = read_file(each["path"])
            if data is not None:
                each["digest"] = sha256_of(data if b"\0" in data[:_TEXT_PROBE_BYTES] else data.replace(b"\r\n", b"\n"))


def is_of_project(path: str) -> bool:
    """Say whether a file, as it is recorded, can be part of a review: the project's own, or a stage's artifact.

    >>> [is_of_project(each) for each in ("src/a.py", ".memory/config.yaml", "/etc/hosts", ".git/config")]
    [True, False, False, False]
    >>> is_of_project(".memory/stage/login/plan/artifacts/plan.md")
    True
    """
    parts = path.split("/")
    if parts[0] == ".memory":
        return parts[1:2] == ["stage"] and parts[4:5] == ["artifacts"] and len(parts) > _ARTIFACT_DEPTH
    return parts[0] not in ("", ".", "..", ".git", "~") and not path.startswith("~")


def _is_path(path: "Json") -> bool:
    """Say whether a file may be called so: out of a command's words come others, too."""
    return isinstance(path, str) and path.isprintable() and len(path) <= _LONGEST_PATH


def _is_of_a_person(payload: "Mapping[str, Json]") -> bool:
    """Say whether a prompt was typed: clients also report what one agent asks another, and that one has ended."""
    return not payload.get("agent_id") and not _text(payload, "prompt").lstrip().startswith("<task-notification>")


def _is_silent(client: str, tool: str, response: "Json") -> bool:
    """Say whether a client does not tell whether a call failed: Codex gives a command's output, and no exit code."""
    return client == "codex" and tool == "Bash" and isinstance(response, str)


def _error(payload: "Mapping[str, Json]", response: "Json") -> str:
    """Return what went wrong; nothing where it did not."""
    if payload.get("hook_event_name") == "PostToolUseFailure":
        return _text(payload, "error") or "failed"
    if isinstance(response, dict):
        if response.get("interrupted") is True:
            return "interrupted"
        if response.get("success") is False or response.get("is_error") is True:
            return _text(response, "error") or _text(response, "stderr") or "failed"
        code = response.get("exit_code")
        if isinstance(code, int) and code != 0:
            return f"exit code {code}\n{_text(response, 'stderr') or _text(response, 'output')}".strip()
    return ""


def result_text(response: "Json") -> str:
    """Return what a tool's answer says, out of the forms in which clients wrap it."""
    if isinstance(response, str):
        return response
    if isinstance(response, dict):
        inner = response.get("file")
        if isinstance(inner, dict) and isinstance(inner.get("content"), str):
            return str(inner["content"])
        for key in _RESULTS:
            if key in response and (text := result_text(response[key])):
                return text
        return ""
    if isinstance(response, list):
        return "\n".join(text for each in response[:1000] if (text := result_text(each)))
    return "" if response is None else str(response)


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return sha256_of(text.encode("utf-8", "surrogatepass"))


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, without the module that loads OpenSSL."""
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            from _sha2 import sha256  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            from hashlib import sha256
    return "sha256:" + str(sha256(data).hexdigest())


def _reduced(value: "Json", withhold: "Withhold", name: str = "", depth: int = 0) -> "Json":
    """Return parameters with long texts cut, long lists ended and what lies deep left out."""
    if isinstance(value, str):
        most = BEGINNING if name in _CONTENT or _holds_content(value) else _SPOKEN if name in _LONG else _PARAMETER
        return _kept(value, most, withhold, beside=name)
    if depth >= _DEEPEST:
        return None
    if isinstance(value, dict):
        parts = list(value.items())[:_MOST_PARTS]
        return {_kept(key, BEGINNING, withhold): _reduced(each, withhold, key, depth + 1) for key, each in parts}
    if isinstance(value, list):
        return [_reduced(each, withhold, name, depth + 1) for each in value[:_MOST_PARTS]]
    if isinstance(value, float) and not abs(value) <= _LARGEST:
        return None
    return value


def _holds_content(text: str) -> bool:
    """Say whether a text, such as a command, has contents of files in it: a patch, or what is fed to a program."""
    return "*** Begin Patch" in text or "<<" in text


def _kept(text: str, most: int, withhold: "Withhold", beside: str = "") -> str:
    """Return the beginning of a text, without secrets, and how long it was. A name beside it can show a secret, too."""
    looked_at = text[: most + _LOOKED_AT]
    shown = withhold(looked_at)
    if beside and shown == looked_at and "\n" not in looked_at[:BEGINNING]:
        before = f"{beside}="
        named = withhold(before + looked_at)
        shown = named[len(before) :] if named.startswith(before) else shown
    if len(text) <= most and len(shown) <= most + BEGINNING:
        return shown
    return f"{shown[:most]}… ({len(text)} characters)"


def _short(payload: "Mapping[str, Json]", name: str) -> str:
    """Return a name or an id that a client gives: one line of printable characters, of no great length."""
    value = _text(payload, name)
    return value[:BEGINNING] if value.isprintable() else ""


def _text(payload: "Mapping[str, Json]", name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
