"""Codex without a person: its command line, its stream of JSON lines, and how it ends.

It has no limits of its own, counts no money, takes no id for a session, and limits files to whole folders only: the
rest is counted and checked outside.
"""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass
from verifflowcc.run.rules.agent_lines import (
    LONGEST_RESULT,
    api_outcome,
    as_object,
    count_of,
    inner,
    last_result,
    objects,
    status_in,
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
from verifflowcc.run.rules.role_allowance import writes

SCHEMA_FILE = "schema.json"
_LONGEST_ARGUMENT = 100_000
"""Bytes; the system takes 128 KiB in one argument. A longer role text goes before the prompt."""
_PASSES = ("OPENAI_*", "CODEX_HOME", "CODEX_API_KEY", "AZURE_OPENAI_*")
_TOOLS = {"command_execution": "shell", "file_change": "apply_patch", "web_search": "web_search"}


@dataclass(frozen=True, slots=True)
class CodexAgent:
    """Codex, as `codex exec`."""

    program: str = "codex"

    @property
    def name(self) -> str:
        """Its name in the configuration and in events."""
        return "codex"

    @property
    def abilities(self) -> AgentAbilities:
        """It chooses the id of a session itself, and knows no cost."""
        return AgentAbilities(resumes=True, counts_tokens=True, takes_schema=True)

    def start(self, task: AgentTask) -> AgentCommand:
        """Return the command that begins a session."""
        long = len(task.role_text.encode("utf-8", "replace")) > _LONGEST_ARGUMENT
        prompt = f"{task.role_text}\n\n{task.prompt}" if long else task.prompt
        return self._command(task, ("--json", *self._role(task, long=long)), prompt)

    def resume(self, task: AgentTask, text: str) -> AgentCommand:
        """Return the command that continues a session; without the sandbox given again it is read-only."""
        return self._command(task, ("resume", "--json", task.session), text)

    def _role(self, task: AgentTask, *, long: bool) -> tuple[str, ...]:
        return () if long or not task.role_text else ("-c", f"developer_instructions={_toml(task.role_text)}")

    def _command(self, task: AgentTask, words: tuple[str, ...], text: str) -> AgentCommand:
        sandbox = "workspace-write" if writes(task.tools, task.opened) else "read-only"
        argv = [self.program, "exec", "-s", sandbox, "-C", task.folder, "--skip-git-repo-check"]
        argv += ["-m", task.model] if task.model else []
        argv += ["--output-schema", f"{task.scratch}/{SCHEMA_FILE}"] if task.schema else []
        return AgentCommand(
            (*argv, *words, "-"),
            text.encode("utf-8", "replace"),
            task.folder,
            task.scratch,
            task.role,
            environment=dict(task.environment),
            files={SCHEMA_FILE: task.schema} if task.schema else {},
            passes=_PASSES,
            schema=task.schema,
        )

    def decode(self, line: str) -> Sequence[AgentStep]:
        """Return the steps in one line of its stream."""
        value = as_object(line)
        return tuple(_steps(value, text_of(value.get("type"))))

    def classify(self, exit_code: int | None, steps: Sequence[AgentStep], killed: AgentOutcome | None) -> AgentOutcome:
        """Return how a call ended."""
        result = last_result(steps)
        if killed is not None:
            return killed
        if result is None:
            return without_result(exit_code, steps)
        if not result.failed:
            return AgentOutcome.DONE if exit_code == 0 else AgentOutcome.CRASHED
        return api_outcome(result.status, result.text)

    def usage(self, steps: Sequence[AgentStep], before: AgentUsage) -> AgentUsage | None:
        """Return the use of the session, which is reported at the end of a turn only."""
        return usage_of(steps, before)


def _steps(value: Mapping[str, Json], kind: str) -> Iterator[AgentStep]:
    if kind == "thread.started":
        yield AgentStep(StepKind.STARTED, session=text_of(value.get("thread_id")))
    elif kind in ("item.started", "item.completed"):
        item = inner(value, "item")
        yield from _item(item, text_of(item.get("type")), ended=kind == "item.completed")
    elif kind == "turn.completed":
        usage = inner(value, "usage")
        yield AgentStep(StepKind.RESULT, usage=_usage(usage) if usage else None, total=True)
    elif kind == "turn.failed":
        text = text_of(inner(value, "error").get("message"), LONGEST_RESULT)
        yield AgentStep(StepKind.RESULT, text, status=status_in(text), reason="turn.failed", failed=True)
    elif kind == "error":
        text = text_of(value.get("message"))
        again = text.startswith("Reconnecting")
        yield AgentStep(StepKind.RETRY if again else StepKind.ERROR, text, status=status_in(text), failed=not again)


def _item(item: Mapping[str, Json], kind: str, *, ended: bool) -> Iterator[AgentStep]:
    turn = text_of(item.get("id"))
    if kind == "agent_message" and ended:
        yield AgentStep(StepKind.MESSAGE, text_of(item.get("text"), LONGEST_RESULT), turn=turn)
    elif kind == "error" and ended:
        yield AgentStep(StepKind.ERROR, text_of(item.get("message")), turn=turn, failed=True)
    elif kind in _TOOLS or kind == "mcp_tool_call":
        tool = _TOOLS.get(kind) or f"{text_of(item.get('server'))}.{text_of(item.get('tool'))}"
        status = text_of(item.get("status"))
        if status == "declined":
            yield AgentStep(StepKind.DENIED, _words(item), tool=tool, turn=turn)
        elif ended and kind != "file_change":
            yield AgentStep(StepKind.TOOL_ENDED, tool=tool, turn=turn, failed=status == "failed")
        elif ended or kind != "file_change":
            yield AgentStep(StepKind.TOOL, _words(item), tool=tool, turn=turn)


def _words(item: Mapping[str, Json]) -> str:
    """Return what shows what a call is about: its command, its query, or the paths that it changes."""
    paths = ", ".join(text_of(each.get("path")) for each in objects(item.get("changes")))
    return text_of(item.get("command"), 400) or text_of(item.get("query"), 400) or paths[:400]


def _usage(usage: Mapping[str, Json]) -> AgentUsage:
    names = ("input_tokens", "output_tokens", "cached_input_tokens")
    return AgentUsage(*(count_of(usage.get(name)) for name in names))


def _toml(text: str) -> str:
    """Return a text as a basic string of TOML; unlike in JSON, characters beyond 16 bits have no pair of escapes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each >= " " and each != "\x7f" else f"\\u{ord(each):04x}" for each in escaped) + '"'
