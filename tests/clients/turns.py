"""What a scripted model says, and what it was asked: the words that tests about clients are written in."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MAIN = "main"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model calls: its name and input; a text is the input of a free-form tool."""

    name: str
    input: Mapping[str, object] | str


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that the model reports for a turn; `input` holds none of those read from or written to the cache."""

    input: int = 100
    output: int = 10
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model: a text, calls of tools, or both.

    `status` is that of HTTP: with any but 200 there is no answer, only an error. `stop` is why the model ended, where
    that is not for its calls or because it was ready: `refusal`, `max_tokens`.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage = Usage()
    status: int = 200
    stop: str = ""


def calls(name: str, /, **fields: object) -> Turn:
    """Return a turn that calls one tool; of one in a namespace, the name holds both, with a dot."""
    return Turn(calls=(Call(name, fields),))


@dataclass(slots=True)
class Request:
    """A request that reached the model: of which client, of which kind, its parsed body, when, and what it answered."""

    client: str
    kind: str
    body: dict[str, Any]
    conversation: str = ""
    at_ns: int = 0
    answer: Turn | None = None

    def prompts(self) -> list[str]:
        """Return the texts with the role `user`, without results of tools."""
        return [text for role, text in self.texts() if role == "user"]

    def texts(self) -> list[tuple[str, str]]:
        """Return all texts with their roles, in order: system prompt, messages, results of tools (role `tool`)."""
        return list(_TEXTS[self.client](self.body))

    def holds(self, text: str) -> bool:
        """Whether any text has this in it."""
        return any(text in each for _, each in self.texts())

    def tools(self) -> dict[str, dict[str, Any]]:
        """Return the tools offered, by name."""
        offered = self.body.get("tools") or ()
        if self.client == "gemini":
            offered = [each for group in offered for each in group.get("functionDeclarations", ())]
        return {tool.get("name") or tool.get("type", ""): tool for tool in offered}


Say = Turn | Callable[[Request], Turn]


def _claude_texts(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for role, content in [
        ("system", body.get("system") or ""),
        *((message["role"], message["content"]) for message in body.get("messages", ())),
    ]:
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "text":
                yield role, block["text"]
            elif block["type"] == "tool_result":
                yield from (("tool", text) for text in _result_texts(block.get("content")))


def _result_texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (part["text"] for part in content if isinstance(part.get("text"), str))


def _codex_texts(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "system", body.get("instructions") or ""
    for item in body.get("input", ()):
        if item.get("type", "message") == "message":
            yield from ((item["role"], text) for text in _result_texts(item["content"]))
        elif item.get("type", "").endswith("_output"):
            yield from (("tool", text) for text in _result_texts(item.get("output")))


def _gemini_texts(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from (("system", text) for text in _result_texts((body.get("systemInstruction") or {}).get("parts")))
    for content in body.get("contents", ()):
        yield from ((content.get("role", "user"), text) for text in _result_texts(content["parts"]))
        answers = [part["functionResponse"]["response"] for part in content["parts"] if "functionResponse" in part]
        yield from (("tool", str(answer.get("output") or answer.get("error") or "")) for answer in answers)


_TEXTS = {"claude": _claude_texts, "codex": _codex_texts, "gemini": _gemini_texts}
