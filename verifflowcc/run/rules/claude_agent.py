"""Claude Code without a person: its command line, its stream of JSON lines, and how it ends."""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.quick_json import write
from verifflowcc.run.rules.agent_lines import (
    LONGEST_RESULT,
    api_outcome,
    as_object,
    count_of,
    inner,
    last_result,
    micro_of,
    objects,
    text_of,
    without_result,
)
from verifflowcc.run.rules.agent_port import (
    AgentAbilities,
    AgentCommand,
    AgentOutcome,
    AgentStep,
    AgentTask,
    AgentUsage,
    StepKind,
    usage_of,
)
from verifflowcc.run.rules.role_allowance import claude_tools

ROLE_FILE = "role.md"
_QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "2",  # ten, its default, keep an attempt waiting for more than a minute
}
_PASSES = ("ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_*", "CLAUDE_CODE_TMPDIR")
_CLOUDS = ("AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "VERTEX_*")
_ENDINGS = {
    "error_max_turns": AgentOutcome.LIMIT_TURNS,
    "error_max_budget_usd": AgentOutcome.LIMIT_MONEY,
    "error_max_structured_output_retries": AgentOutcome.SCHEMA,
}
_DELTA = '"message_delta"'
_PARTIAL = '{"type":"stream_event"'


@dataclass(frozen=True, slots=True)
class ClaudeAgent:
    """Claude Code, as `claude -p`. It is asked for partial messages, since only these count output before the end."""

    program: str = "claude"

    @property
    def name(self) -> str:
        """Its name in the configuration and in events."""
        return "claude"

    @property
    def abilities(self) -> AgentAbilities:
        """All that there is: it also limits money itself, after each request."""
        return AgentAbilities(
            fixes_session=True,
            resumes=True,
            counts_money=True,
            counts_tokens=True,
            takes_schema=True,
            limits_paths=True,
        )

    def start(self, task: AgentTask) -> AgentCommand:
        """Return the command that begins a session."""
        return self._command(task, ("--session-id", task.session), task.prompt)

    def resume(self, task: AgentTask, text: str) -> AgentCommand:
        """Return the command that continues a session; it remembers no option, so all are given again."""
        return self._command(task, ("--resume", task.session), text)

    def _command(self, task: AgentTask, session: tuple[str, str], text: str) -> AgentCommand:
        tools = claude_tools(task.tools, closed=task.closed, opened=task.opened)
        argv = [self.program, "-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"]
        argv += [*session, "--permission-mode", "dontAsk", "--setting-sources", "project", "--strict-mcp-config"]
        argv += ["--tools", ",".join(tools.names), "--disallowedTools", ",".join(tools.denied)]
        argv += ["--allowedTools", ",".join(tools.allowed)] if tools.allowed else []
        argv += ["--mcp-config", tools.server] if tools.server else []
        argv += ["--append-system-prompt-file", f"{task.scratch}/{ROLE_FILE}"] if task.role_text else []
        argv += ["--model", task.model] if task.model else []
        argv += ["--max-turns", str(task.limits.turns)] if task.limits.turns else []
        argv += ["--max-budget-usd", f"{task.limits.micro_usd / 1_000_000:.6f}"] if task.limits.micro_usd else []
        argv += ["--json-schema", task.schema] if task.schema else []
        return AgentCommand(
            tuple(argv),
            text.encode("utf-8", "replace"),
            task.folder,
            task.scratch,
            task.role,
            environment={**_QUIET, **task.environment},
            files={ROLE_FILE: task.role_text} if task.role_text else {},
            passes=(*_PASSES, *_CLOUDS),
            schema=task.schema,
        )

    def decode(self, line: str) -> Sequence[AgentStep]:
        """Return the steps in one line of its stream."""
        if line.startswith(_PARTIAL) and _DELTA not in line:
            return ()  # pieces of a text, which comes as a whole later
        value = as_object(line)
        return tuple(_steps(value, text_of(value.get("type"))))

    def classify(self, exit_code: int | None, steps: Sequence[AgentStep], killed: AgentOutcome | None) -> AgentOutcome:
        """Return how a call ended. With an API's error its result has the subtype `success`, so that is not asked."""
        result = last_result(steps)
        if killed is not None:
            return killed
        if result is None:
            return without_result(exit_code, steps)
        if not result.failed:
            return AgentOutcome.DONE if exit_code == 0 else AgentOutcome.CRASHED
        if result.reason in _ENDINGS:
            return _ENDINGS[result.reason]
        if result.reason == "refusal":
            return AgentOutcome.REFUSED
        if result.reason == "max_output_tokens":
            return AgentOutcome.LIMIT_TOKENS
        if result.reason.startswith("aborted"):
            return AgentOutcome.INTERRUPTED
        if result.reason == "api_error" or result.status is not None:
            return api_outcome(result.status, result.text)
        return AgentOutcome.CRASHED

    def usage(self, steps: Sequence[AgentStep], before: AgentUsage) -> AgentUsage | None:
        """Return the use of the session; its own totals are those of the whole session, also when it was resumed."""
        return usage_of(steps, before)


def _steps(value: Mapping[str, Json], kind: str) -> Iterator[AgentStep]:
    if kind == "system":
        yield from _system(value, text_of(value.get("subtype")))
    elif kind == "assistant":
        yield from _assistant(inner(value, "message"))
    elif kind == "user":
        for block in objects(inner(value, "message").get("content")):
            if block.get("type") == "tool_result":
                failed = block.get("is_error") is True
                yield AgentStep(StepKind.TOOL_ENDED, text_of(block.get("content")), failed=failed)
    elif kind == "stream_event":
        usage = inner(value, "event", "usage")
        if usage:
            turn = text_of(value.get("api_message_id"))
            yield AgentStep(StepKind.USAGE, turn=turn, usage=_usage(usage))
    elif kind == "result":
        yield _result(value)


def _system(value: Mapping[str, Json], subtype: str) -> Iterator[AgentStep]:
    if subtype == "init":
        session, model = text_of(value.get("session_id")), text_of(value.get("model"))
        yield AgentStep(StepKind.STARTED, session=session, model=model)
    elif subtype == "permission_denied":
        yield AgentStep(StepKind.DENIED, text_of(value.get("message")), tool=text_of(value.get("tool_name")))
    elif subtype == "api_retry":
        yield AgentStep(StepKind.RETRY, text_of(value.get("error")), status=_status(value.get("error_status")))


def _assistant(message: Mapping[str, Json]) -> Iterator[AgentStep]:
    turn, model = text_of(message.get("id")), text_of(message.get("model"))
    if model == "<synthetic>":  # it speaks itself here, of an error that the result repeats
        return
    for block in objects(message.get("content")):
        if block.get("type") == "text":
            yield AgentStep(StepKind.MESSAGE, text_of(block.get("text")), turn=turn, model=model)
        elif block.get("type") == "tool_use":
            words = _input(inner(block, "input"))
            yield AgentStep(StepKind.TOOL, words, tool=text_of(block.get("name")), turn=turn)


def _input(given: Mapping[str, Json]) -> str:
    """Return the one thing that shows what a call is about."""
    named = (given.get(name) for name in ("command", "file_path", "pattern", "path", "query", "url"))
    return next((text_of(each, 400) for each in named if isinstance(each, str)), "")


def _result(value: Mapping[str, Json]) -> AgentStep:
    subtype, terminal = text_of(value.get("subtype")), text_of(value.get("terminal_reason"))
    failed = value.get("is_error") is True or subtype != "success"
    reason = _reason(value, subtype, terminal) if failed else terminal
    structured = value.get("structured_output")
    errors = value.get("errors")
    words = [each for each in errors if isinstance(each, str)] if isinstance(errors, list) else []
    return AgentStep(
        StepKind.RESULT,
        text_of(value.get("result"), LONGEST_RESULT) or "; ".join(words)[:LONGEST_RESULT],
        session=text_of(value.get("session_id")),
        usage=_total(value),
        total=True,
        reason=reason,
        status=_status(value.get("api_error_status")),
        structured="" if structured is None else write(structured)[:LONGEST_RESULT],
        failed=failed,
    )


def _reason(value: Mapping[str, Json], subtype: str, terminal: str) -> str:
    """Return why a result is none: a refusal, a cut and an abort have subtypes that do not say so."""
    if subtype in ("success", "error_during_execution"):
        for name in ("stop_reason", "api_error", "terminal_reason"):
            found = text_of(value.get(name))
            if found in ("refusal", "max_output_tokens") or found.startswith("aborted"):
                return found
    return terminal if subtype == "success" else subtype


def _total(value: Mapping[str, Json]) -> AgentUsage | None:
    models = [each for each in inner(value, "modelUsage").values() if isinstance(each, Mapping)]
    if not models:
        return None
    cached = sum(count_of(each.get("cacheReadInputTokens")) for each in models)
    made = sum(count_of(each.get("cacheCreationInputTokens")) for each in models)
    return AgentUsage(
        sum(count_of(each.get("inputTokens")) for each in models) + cached + made,
        sum(count_of(each.get("outputTokens")) for each in models),
        cached,
        micro_of(value.get("total_cost_usd")),
    )


def _usage(usage: Mapping[str, Json]) -> AgentUsage:
    cached, made = count_of(usage.get("cache_read_input_tokens")), count_of(usage.get("cache_creation_input_tokens"))
    return AgentUsage(count_of(usage.get("input_tokens")) + cached + made, count_of(usage.get("output_tokens")), cached)


def _status(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
