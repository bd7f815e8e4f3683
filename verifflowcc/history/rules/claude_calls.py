"""Read Claude Code's transcripts as the events that its hooks would have sent.

These are prompts, calls of tools, turns and compactions; and the tokens of each message. What the client adds by itself
is left out; so is what one session copied from another.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from verifflowcc.base.formats.session_lines import (
    CallLines,
    HookLine,
    Json,
    Tokens,
    TokenSpending,
    mapping_at,
    milliseconds,
    number_at,
    texts_of,
    word_at,
)
from verifflowcc.base.records import dataclass, replace
from verifflowcc.memory.rules.codex_conversation import looks_like_codex
from verifflowcc.memory.rules.conversation import LEFT_OUT, looks_like_claude, typed


class Totals:
    """The tokens of a session's messages so far; `others` are its subagents'.

    The client counts more than its transcript has, such as the request of a compaction, in `cost-state` lines.
    """

    def __init__(self, others: Sequence[TokenSpending] = ()) -> None:
        self._others = others
        self._own: dict[str, Tokens] = {}
        self._reported: dict[str, Tokens] = {}
        self._begun = False

    def add(self, model: str, tokens: Tokens) -> None:
        """Count a message, or what more there is of it."""
        self._own[model] = self._own.get(model, Tokens()) + tokens

    def beyond(self, at: int, row: Mapping[str, Json], before: int | None, *, copied: bool) -> Iterator[TokenSpending]:
        """Yield the tokens that a `cost-state` line counts beyond all messages so far.

        The others' messages count that came `before` the session went on. A session with `copied` lines was forked from
        another one, which its first count holds too: what that counts beyond is no one's here.
        """
        counted = {model: _calls_claude_totals_tokens(each) for model, each in mapping_at(row, "modelUsage").items()}
        spent = dict(self._own)
        for each in self._others:
            if before is None or each.at < before:
                spent[each.model] = spent.get(each.model, Tokens()) + each.tokens
        if not spent.keys() <= counted.keys():  # the client names models otherwise where it counts
            counted, spent = {"": _sum(counted)}, {"": _sum(spent)}
        for model, total in sorted(counted.items()):
            before_this = self._reported.get(model, Tokens())
            more = total.beyond(spent.get(model, Tokens()) + before_this)
            self._reported[model] = before_this + more
            if more != Tokens() and (self._begun or not copied):
                key = f"{model} {total.input} {total.output} {total.cache_read} {total.cache_creation}"
                yield TokenSpending(at, key, more, model)
        self._begun = True


def _calls_claude_totals_tokens(counted: Json) -> Tokens:
    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    return Tokens(*(number_at(counted, name) for name in names))


def _sum(tokens: Mapping[str, Tokens]) -> Tokens:
    return sum(tokens.values(), Tokens())


CLAUDE, CODEX = "claude", "codex"
_MOST_LINES = 500


@dataclass(frozen=True, slots=True)
class Glance:
    """The client, the session's id, the folder that it worked in, and its first moment in milliseconds since 1970.

    `agent_type` is that of a subagent, where its messages say it.
    """

    client: str
    session: str
    folder: str
    at: int
    agent_type: str = ""


def glance(lines: Iterable[bytes]) -> Glance | None:
    """Return what the first lines name; None where they are of no session in a folder."""
    session, folder, agent_type, at = "", "", "", 0
    for row in islice(CallLines("", lines).rows(), _MOST_LINES):
        if looks_like_codex(row):
            return _of_codex(row)
        if not looks_like_claude(row):
            continue
        session = session or word_at(row, "sessionId")
        folder = folder or word_at(row, "cwd")
        agent_type = agent_type or word_at(row, "attributionAgent")
        at = at or milliseconds(row.get("timestamp")) or 0
        if session and folder and at and (agent_type or row.get("isSidechain") is not True):
            break
    return Glance(CLAUDE, session, folder, at, agent_type) if session and folder else None


def _of_codex(row: Mapping[str, Json]) -> Glance | None:
    entry = mapping_at(row, "payload") or row
    session, folder = word_at(entry, "session_id") or word_at(entry, "id"), word_at(entry, "cwd")
    at = milliseconds(entry.get("timestamp")) or milliseconds(row.get("timestamp")) or 0
    return Glance(CODEX, session, folder, at) if session and folder else None


SKIPPED = (b'{"type":"api-request', b'{"type": "api-request', b'{"type":"file-history', b'{"type":"tools-used')
"""Lines that hold whole requests and files, and nothing that is asked for here."""
_UNFINISHED = ("tool_use", "pause_turn")
_BEFORE_A_SUMMARY = "This session is being continued"
_ERROR_TAG = re.compile(r"</?tool_use_error>")
_NEAR = 60_000
_EVER = 2**62
Heard = HookLine | TokenSpending


@dataclass(frozen=True, slots=True)
class Subagent:
    """The subagent of a transcript: its id and its type."""

    name: str
    type: str


class ClaudeCalls:
    """One transcript. `copied` says of a line's id whether an earlier session has that line; `copies` counts those.

    `others` is what the session's subagents spent, which the client counts with it.
    """

    def __init__(
        self,
        session: str,
        *,
        agent: Subagent | None = None,
        others: Sequence[TokenSpending] = (),
        copied: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.copies = 0
        self._session, self._agent, self._copied = session, agent, copied
        self._at, self._ended, self._task, self._trigger = 0, 0, "", ""
        self._started, self._over = False, False
        self._counted: Mapping[str, Json] | None = None
        self._totals = Totals(others)
        self._calls: dict[str, tuple[int, dict[str, Json]]] = {}
        self._spent: dict[str, TokenSpending] = {}
        self._last_words: HookLine | None = None

    def read(self, lines: CallLines) -> Iterator[Heard]:
        """Yield the events of the lines, and then the tokens of the messages."""
        for row in lines.rows():
            yield from self._of(row)
        yield from self._turn_end()
        yield from self._session_end(None)
        for name, (at, words) in self._calls.items():
            yield HookLine(at, name, words | {"hook_event_name": "PreToolUse"})
        yield from self._spent.values()

    def _of(self, row: Mapping[str, Json]) -> Iterator[Heard]:
        kind = row.get("type")
        if kind == "cost-state":
            self._counted = row
            return
        at = milliseconds(row.get("timestamp"))
        if at is None and not self._at:
            return
        name = word_at(row, "uuid")
        copied = bool(name) and self._copied(name)
        self.copies += copied
        if at is not None and not copied:
            yield from self._session_end(at)
            self._at = at
            if name:
                yield from self._start(row)
        if kind == "assistant" and row.get("isApiErrorMessage") is not True:
            yield from self._answer(row, copied=copied)
        elif kind == "user":
            yield from self._of_user(row, copied=copied)
        elif kind == "system" and word_at(row, "subtype") == "compact_boundary":
            self._trigger = word_at(row, "compactMetadata", "trigger")

    def _words(self, row: Mapping[str, Json], hook: str, **more: Json) -> dict[str, Json]:
        words: dict[str, Json] = {"hook_event_name": hook, "session_id": self._session, "cwd": word_at(row, "cwd")}
        if task := word_at(row, "promptId") or self._task:
            words["prompt_id"] = task
        if self._agent:
            words |= {"agent_id": self._agent.name, "agent_type": self._agent.type}
        elif name := word_at(row, "agentId"):
            words["agent_id"] = name
        return words | more

    def _start(self, row: Mapping[str, Json]) -> Iterator[HookLine]:
        if self._started and not self._over:
            return
        if self._agent:
            self._task = word_at(row, "promptId")
            yield HookLine(self._at, f"{self._agent.name} start", self._words(row, "SubagentStart"))
        else:
            source = "resume" if self._over else "fork" if self.copies else "startup"
            words = {"hook_event_name": "SessionStart", "session_id": self._session, "cwd": word_at(row, "cwd")}
            since = self._ended if self._over else 0
            yield HookLine(self._at, word_at(row, "uuid"), words | {"source": source}, (since, self._at + _NEAR))
        self._started, self._over = True, False

    def _session_end(self, before: int | None) -> Iterator[Heard]:
        """Yield the end of a run, once it is known what comes after it."""
        if self._counted is None:
            return
        counted, self._counted = self._counted, None
        yield from self._turn_end()
        yield from self._totals.beyond(self._at, counted, before, copied=bool(self.copies))
        if self._started:
            words = {"hook_event_name": "SessionEnd", "session_id": self._session, "reason": "other"}
            around = (max(self._at - _NEAR, 0), _EVER if before is None else before)
            yield HookLine(self._at, f"end {self._at}", words, around)
            self._over, self._ended = True, self._at

    def _of_user(self, row: Mapping[str, Json], *, copied: bool) -> Iterator[HookLine]:
        content = mapping_at(row, "message").get("content")
        blocks = content if isinstance(content, list) else []
        results = [each for each in blocks if word_at(each, "type") == "tool_result"]
        for each in results:
            yield from self._result(row, each, alone=len(results) == 1, copied=copied)
        if copied or results or self._agent or row.get("isSidechain") is True:
            return
        if row.get("isCompactSummary") is True:
            yield self._compacted(row, texts_of(content))
        elif not any(row.get(name) is True for name in LEFT_OUT) and (text := typed(texts_of(content)).strip()):
            yield from self._turn_end()
            self._task = word_at(row, "promptId")
            yield HookLine(self._at, word_at(row, "uuid"), self._words(row, "UserPromptSubmit", prompt=text))

    def _compacted(self, row: Mapping[str, Json], summary: str) -> HookLine:
        text = typed(summary)
        text = text.partition("\n\n")[2] if text.startswith(_BEFORE_A_SUMMARY) else text
        words = self._words(row, "PostCompact", trigger=self._trigger, compact_summary=text)
        return HookLine(self._at, word_at(row, "uuid"), words, (max(self._at - _NEAR, 0), self._at + _NEAR))

    def _answer(self, row: Mapping[str, Json], *, copied: bool) -> Iterator[HookLine]:
        message = mapping_at(row, "message")
        tokens = _tokens(mapping_at(message, "usage"))
        if not copied:
            self._count(row, message, tokens)
        content = message.get("content")
        text = ""
        for block in content if isinstance(content, list) else ():
            kind = word_at(block, "type")
            if kind == "tool_use":
                self._call(row, block, tokens.context)
            elif kind == "text":
                text = word_at(block, "text").strip() or text
        if text and not copied and (self._agent or row.get("isSidechain") is not True):
            yield from self._maybe_end(row, message, text)

    def _maybe_end(self, row: Mapping[str, Json], message: Mapping[str, Json], text: str) -> Iterator[HookLine]:
        """Yield the end of a turn, or keep it until the next line shows that it ended."""
        key = word_at(message, "id") or word_at(row, "uuid")
        hook = "SubagentStop" if self._agent else "Stop"
        self._last_words = HookLine(self._at, key, self._words(row, hook, last_assistant_message=text))
        reason = message.get("stop_reason")
        if reason in _UNFINISHED:
            self._last_words = None
        elif reason is not None:
            yield from self._turn_end()

    def _turn_end(self) -> Iterator[HookLine]:
        if self._last_words:
            yield self._last_words
        self._last_words = None

    def _count(self, row: Mapping[str, Json], message: Mapping[str, Json], tokens: Tokens) -> None:
        model, name = word_at(message, "model"), word_at(message, "id") or word_at(row, "uuid")
        if tokens == Tokens() or model == "<synthetic>":
            return
        words = self._words(row, "")
        before = self._spent.get(name)
        if before:  # a message comes as several lines, each with its tokens so far: the highest count is the cost
            self._totals.add(model, tokens.beyond(before.tokens))
            self._spent[name] = replace(before, tokens=before.tokens + tokens.beyond(before.tokens))
            return
        self._totals.add(model, tokens)
        agent, agent_type = words.get("agent_id", ""), words.get("agent_type", "")
        self._spent[name] = TokenSpending(
            self._at, name, tokens, model, name, words.get("prompt_id", ""), agent, agent_type
        )

    def _call(self, row: Mapping[str, Json], block: Mapping[str, Json], context: int) -> None:
        name, tool = word_at(block, "id"), word_at(block, "name")
        self._last_words = None
        words = self._words(row, "", tool_name=tool, tool_input=block.get("input"), tool_use_id=name)
        if context:
            words["context_tokens"] = context
        self._calls[name] = self._at, words

    def _result(
        self, row: Mapping[str, Json], block: Mapping[str, Json], *, alone: bool, copied: bool
    ) -> Iterator[HookLine]:
        name = word_at(block, "tool_use_id")
        call = self._calls.pop(name, None)
        if call is None or copied:
            return
        at, words = call
        words |= self._words(row, "PostToolUse")
        whole = row.get("toolUseResult") if alone else None
        took = next((whole[each] for each in _TOOK if isinstance(whole, dict) and _is_number(whole.get(each))), None)
        words["duration_ms"] = max(self._at - at, 0) if took is None else took
        if block.get("is_error") is True:
            error = _ERROR_TAG.sub("", texts_of(block.get("content")))
            words |= {"hook_event_name": "PostToolUseFailure", "error": error or "failed"}
        else:
            words["tool_response"] = texts_of(block.get("content")) if whole is None else whole
        yield HookLine(self._at, name, words)


_TOOK = ("durationMs", "totalDurationMs")


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tokens(usage: Mapping[str, Json]) -> Tokens:
    return Tokens(
        number_at(usage, "input_tokens"),
        number_at(usage, "output_tokens"),
        number_at(usage, "cache_read_input_tokens"),
        number_at(usage, "cache_creation_input_tokens"),
    )
