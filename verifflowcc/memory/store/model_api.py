"""A model behind an API, through pydantic-ai (the extra `llm`), which is imported when a model is first asked.

Keys and places of servers come from the environment, as each provider's own client reads them. One request per
question: nothing is tried again, no redirection is followed, and no more is read than an answer can have.
"""

import json
import os
import re
import selectors
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import ModelError
from verifflowcc.base.model.ports import Count, ModelAnswer
from verifflowcc.base.process.command_run import end_group, has_ended, start_group, why_not_started
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.secrets import withhold

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as ClientModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings


# Find the JSON in what a model answered: bare, in a fence, or with prose around it.

MOST_ANSWER_BYTES = 256 * 1024
"""More than this is no answer to what was asked; nothing of it is read."""

_MOST_TRIES = 200
_FENCE = re.compile(r"^ {0,3}```[a-zA-Z]*[ \t]*$", re.MULTILINE)


def find_json(text: str, schema: Mapping[str, object]) -> str | None:
    """Return the JSON object in an answer; None where there is none.

    Of several, the last one that has all that the schema requires: a model may show an example first, or repeat the
    schema itself.

    >>> find_json('Here it is:\\n```json\\n{"a": 1}\\n```\\nAnything else?', {"required": ["a"]})
    '{"a": 1}'
    >>> find_json("I will not do that.", {"required": ["a"]}) is None
    True
    """
    found = [*_objects(text)]
    required = schema.get("required")
    names = set(required) if isinstance(required, list) else set()
    fitting = [part for part, keys in found if names <= keys]
    return fitting[-1] if fitting else found[-1][0] if found else None


def _objects(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield every outermost object with its keys: of the whole, else of each fence, else of the prose."""
    whole = text.strip()
    parts = _FENCE.split(whole)
    for part in (whole, *parts[1::2]):
        keys = _keys(part)
        if keys is not None:
            yield part.strip(), keys
            if part is whole:
                return
    if len(parts) < 3:
        yield from _in_prose(whole)


def _in_prose(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Try each opening brace, of which only so many: a text of nothing but braces must not take for ever."""
    decoder, at = JSONDecoder(), text.find("{")
    for _ in range(_MOST_TRIES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                yield text[at:end], frozenset(value)
        at = text.find("{", end)


def _keys(text: str) -> frozenset[str] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return frozenset(value) if isinstance(value, dict) else None


# Give a program a text on its input and read its answer: bounded in time and size, and nothing left running.

_CHUNK_BYTES = 1 << 16
_PAUSE_S = 0.02
_DRAIN_S = 0.5
"""How long output is awaited from what a program has left running, once it has ended itself."""

_MOST_COMPLAINT_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """The output of a program, and whether it ended well.

    `failure` says why it is no answer, empty where it ended well; `late` and `too_much` say in which way it failed.

    `started` is False where it could not be run at all. `complaint` is the end of what it wrote to stderr.
    """

    output: bytes = b""
    complaint: bytes = b""
    failure: str = ""
    late: bool = False
    too_much: bool = False
    started: bool = True


@dataclass(slots=True)
class _Streams:
    """What is still to be written, and what was read."""

    prompt: memoryview
    most_bytes: int
    output: bytearray = field(default_factory=bytearray)
    complaint: bytearray = field(default_factory=bytearray)


def talk(argv: Sequence[str], prompt: bytes, *, timeout_s: float, most_bytes: int) -> ProgramOutput:
    """Run `argv` without a shell in an empty folder of its own, with `prompt` on its input.

    The folder is empty so that no file of a project steers the program. More than `most_bytes` of output, or more than
    `timeout_s` seconds, and it is ended with all that it started.
    """
    with tempfile.TemporaryDirectory(prefix="vfcc-model-") as folder:
        root, until = Path(folder), time.monotonic() + timeout_s
        try:
            process = start_group(root, argv, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        except (OSError, ValueError) as error:
            return ProgramOutput(failure=why_not_started(root, argv, error), started=False)
        streams = _Streams(memoryview(prompt), most_bytes)
        with process:
            try:
                in_time = _exchange(process, streams, until)
            finally:
                end_group(process)
        return _output_of(process.returncode, streams, timeout_s, in_time=in_time)


def _exchange(process: subprocess.Popen[bytes], streams: _Streams, until: float) -> bool:
    """Write and read until the program has ended, in time and within bounds; return whether it was in time."""
    with selectors.DefaultSelector() as ready:
        for stream, events in (
            (process.stdin, selectors.EVENT_WRITE),
            (process.stdout, selectors.EVENT_READ),
            (process.stderr, selectors.EVENT_READ),
        ):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                ready.register(stream, events)
        drained = None
        while drained is None or time.monotonic() < drained:
            if drained is None and process.poll() is not None:
                drained = min(time.monotonic() + _DRAIN_S, until)
            if time.monotonic() >= until and process.poll() is None:
                return False
            if len(streams.output) > streams.most_bytes:
                return True
            for key, _ in ready.select(_PAUSE_S):
                if not _moved(process, key.fileobj, streams):
                    ready.unregister(key.fileobj)
            if not ready.get_map():
                return has_ended(process, until)
    return True


def _moved(process: subprocess.Popen[bytes], stream: object, streams: _Streams) -> bool:
    """Write or read once; return False where the stream has ended."""
    if stream is process.stdin and process.stdin is not None:
        try:
            sent = os.write(process.stdin.fileno(), streams.prompt[:_CHUNK_BYTES])
        except BrokenPipeError:  # it does not want to read all of it, which is its own affair
            sent = len(streams.prompt)
        streams.prompt = streams.prompt[sent:]
        if not streams.prompt:
            process.stdin.close()
        return bool(streams.prompt)
    if stream is process.stdout and process.stdout is not None:
        chunk = os.read(process.stdout.fileno(), _CHUNK_BYTES)
        streams.output += chunk
        return bool(chunk)
    chunk = os.read(process.stderr.fileno(), _CHUNK_BYTES) if process.stderr is not None else b""
    streams.complaint = (streams.complaint + chunk)[-_MOST_COMPLAINT_BYTES:]
    return bool(chunk)


def _output_of(code: int, streams: _Streams, timeout_s: float, *, in_time: bool) -> ProgramOutput:
    output, complaint = bytes(streams.output), bytes(streams.complaint)
    if not in_time:
        return ProgramOutput(output, complaint, f"did not answer within {timeout_s:g} s and was ended", late=True)
    if len(output) > streams.most_bytes:
        why = f"answered with more than {streams.most_bytes:,} bytes and was ended"
        return ProgramOutput(output[: streams.most_bytes], complaint, why, too_much=True)
    if code < 0:
        return ProgramOutput(output, complaint, f"was ended by signal {-code}")
    return ProgramOutput(output, complaint, f"ended with exit code {code}" if code else "")


# A model that is a command: it reads a prompt on its input and answers on its output.

_BYTES_PER_TOKEN = 4
_MOST_BYTES_PER_TOKEN = 8
_ROOM_BYTES = 4_096
"""For what a program says around its answer."""

_COMMAND_SHOWN_CHARACTERS = 160


def estimate(text: str) -> int:
    """Return about how many tokens a text has, where nothing counts them: a quarter of its bytes.

    >>> estimate("twelve bytes")
    3
    """
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class CommandModel:
    """A program that a person named in their own settings. It runs in an empty folder, without a shell.

    Tokens are counted here: such a program does not say them.
    """

    command: tuple[str, ...]
    timeout_s: float
    count: Count = estimate

    @property
    def name(self) -> str:
        """The program, without its arguments."""
        return self.command[0].rpartition("/")[2] if self.command else ""

    def ask(self, prompt: str, schema: Mapping[str, object], *, most_tokens: int) -> ModelAnswer:
        """Return the JSON object in what the program writes; it is ended where that is far more than `most_tokens`.

        Raises ModelError: `command` where it cannot be run or fails, `timeout`, `bad_json`.
        """
        most_bytes = min(MOST_ANSWER_BYTES, _ROOM_BYTES + _MOST_BYTES_PER_TOKEN * max(most_tokens, 0))
        output = talk(self.command, prompt.encode("utf-8", "replace"), timeout_s=self.timeout_s, most_bytes=most_bytes)
        tokens_in = self.count(prompt)
        if output.failure:
            raise self._failed(output, tokens_in)
        try:
            text = output.output.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ModelError(
                f"{self.name} answered with what is not UTF-8",
                why="bad_json",
                tokens=tokens_in + len(output.output) // 4,
            ) from error
        tokens_out = self.count(text)
        found = find_json(text, schema)
        if found is None:
            found_text = "nothing" if not text.strip() else "no JSON object"
            raise ModelError(f"{self.name} answered with {found_text}", why="bad_json", tokens=tokens_in + tokens_out)
        return ModelAnswer(found, tokens_in, tokens_out)

    def _failed(self, output: ProgramOutput, tokens_in: int) -> ModelError:
        complaint = _last_line(output.complaint)
        message = f"{self.name} {output.failure}" if output.started else f"the model cannot be asked: {output.failure}"
        if complaint and not output.late:
            message += f": {complaint}"
        if output.late:
            return ModelError(message, why="timeout")
        if output.too_much:
            return ModelError(message, why="bad_json", tokens=tokens_in + len(output.output) // _BYTES_PER_TOKEN)
        return ModelError(message, why="command", tokens=tokens_in if output.started else 0)


def _last_line(data: bytes) -> str:
    """Return the last line of what a program complained of, safe to show: it may repeat the key that it was given."""
    lines = withhold(data.decode("utf-8", "replace")).strip().splitlines()
    shown = printable(lines[-1].strip()) if lines else ""
    return shown if len(shown) <= _COMMAND_SHOWN_CHARACTERS else shown[:_COMMAND_SHOWN_CHARACTERS] + "…"


_MOST_BODY_BYTES = 4 * MOST_ANSWER_BYTES
"""An answer in its envelope, where much is escaped."""

_CONNECT_S = 10.0
_MOST_TOKENS = 1_000_000_000
_FAR_LESS = 4
"""Providers' tokenizers differ by less than this factor."""

_SHOWN_CHARACTERS = 200
_NEEDS = "the model {api} needs the extra llm"


@dataclass(frozen=True, slots=True)
class ApiModel:
    """A model named `provider:model`, as pydantic-ai names them. `timeout_s` is for a whole question."""

    api: str
    timeout_s: float
    count: Count = estimate

    @property
    def name(self) -> str:
        """The provider and the model."""
        return self.api

    def ask(self, prompt: str, schema: Mapping[str, object], *, most_tokens: int) -> ModelAnswer:
        """Return the JSON object that the model answered; where its provider can, it is held to the schema there.

        Not from within an event loop. Raises ModelError: `timeout`, `unreachable`, `refused`, `bad_json`, or `command`
        where the library or a key is missing.
        """
        import asyncio
        import warnings

        try:
            from pydantic_ai.exceptions import AgentRunError, UserError
        except ImportError as error:
            raise ModelError(
                _NEEDS.format(api=self.api), why="command", tokens=0, hint="pip install 'verifflowcc[llm]'"
            ) from error
        tokens_in = self.count(prompt)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what the library thinks of a server's bookkeeping is no one's concern
                response = asyncio.run(self._request(prompt, dict(schema), most_tokens))
        except (AgentRunError, UserError, ImportError, ValueError, LookupError, TypeError, TimeoutError) as error:
            raise _failed(self, error, tokens_in) from error
        return self._answer(response, schema, tokens_in)

    async def _request(self, prompt: str, schema: dict[str, object], most_tokens: int) -> "ModelResponse":
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest
        from pydantic_ai.models import infer_model

        async with _client() as client:
            model = infer_model(self.api, lambda name: _provider(name, client))
            return await model_request(
                model,
                [ModelRequest.user_text_prompt(prompt)],
                model_settings=self._settings(most_tokens),
                model_request_parameters=_parameters(model, schema),
                instrument=False,
            )

    def _settings(self, most_tokens: int) -> "ModelSettings":
        from pydantic_ai.settings import ModelSettings

        return ModelSettings(
            max_tokens=max(most_tokens, 1), timeout=self.timeout_s, request_timeout=self.timeout_s, max_retries=0
        )

    def _answer(self, response: "ModelResponse", schema: Mapping[str, object], tokens_in: int) -> ModelAnswer:
        text = response.text or ""
        tokens_in = _believable(response.usage.input_tokens, tokens_in)
        tokens_out = _believable(response.usage.output_tokens, self.count(text))
        if response.finish_reason == "content_filter":
            raise ModelError(f"{self.api} refused to answer", why="refused", tokens=tokens_in + tokens_out)
        found = find_json(text, schema) if len(text) <= MOST_ANSWER_BYTES else None
        if found is None:
            cut = response.finish_reason == "length"
            how = "and was cut off" if cut else "with no JSON object" if text.strip() else "with nothing"
            raise ModelError(f"{self.api} answered {how}", why="bad_json", tokens=tokens_in + tokens_out)
        return ModelAnswer(found, tokens_in, tokens_out)


def _believable(stated: int, counted: int) -> int:
    """Return the tokens that a server states, or ours: a server must not give back what was spent by stating less."""
    return stated if counted // _FAR_LESS <= stated <= _MOST_TOKENS else counted


def _client() -> "httpx2.AsyncClient":
    import httpx2

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=_CONNECT_S),
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_bounded]},
    )


async def _bounded(response: "httpx2.Response") -> None:
    """Read no more of a body than an answer can have, and nothing that unpacks to more than it is."""
    import httpx2

    packed = response.headers.get("content-encoding", "identity") != "identity"
    stated = response.headers.get("content-length", "0")
    if packed or (stated.isdigit() and int(stated) > _MOST_BODY_BYTES):
        raise TooLargeError

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, inner: httpx2.AsyncByteStream) -> None:
            self._inner, self._read = inner, 0

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for part in self._inner:
                self._read += len(part)
                if self._read > _MOST_BODY_BYTES:
                    raise TooLargeError
                yield part

        async def aclose(self) -> None:
            await self._inner.aclose()

    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = Bounded(response.stream)


class TooLargeError(ValueError):
    """A server sends more than an answer can have, or sends it packed."""


def _provider(name: str, client: "httpx2.AsyncClient") -> "Provider[object]":
    """Return the provider, with our client where it takes one: all that speak HTTP by themselves do."""
    from inspect import signature

    from pydantic_ai.providers import infer_provider, infer_provider_class

    if name.startswith("gateway/"):
        return infer_provider(name)
    made = infer_provider_class(name)
    if "http_client" in signature(made).parameters:
        return made(http_client=client)  # type: ignore[call-arg]
    return made()


def _parameters(model: "ClientModel", schema: dict[str, object]) -> "ModelRequestParameters":
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if not model.profile.get("supports_json_schema_output"):
        return ModelRequestParameters()
    output = OutputObjectDefinition(json_schema=schema, name="answer", strict=True)
    return ModelRequestParameters(output_mode="native", output_object=output)


def _failed(model: ApiModel, error: Exception, tokens_in: int) -> ModelError:
    """Return what went wrong, by the word that it is counted under."""
    from pydantic_ai import exceptions as of

    causes = [*_causes(error)]
    if any(isinstance(each, TooLargeError) for each in causes):
        return ModelError(f"{model.api} answered with more than {_MOST_BODY_BYTES:,} bytes, or packed", why="bad_json")
    if isinstance(error, of.ModelRequestTimeout | of.ModelTimeoutError | TimeoutError):
        return ModelError(f"{model.api} did not answer within {model.timeout_s:g} s", why="timeout")
    if isinstance(error, of.ContentFilterError):
        return ModelError(f"{model.api} refused to answer", why="refused", tokens=tokens_in)
    if isinstance(error, of.ModelHTTPError):
        refused = 400 <= error.status_code < 500
        message = f"{model.api} answered with HTTP status {error.status_code}"
        return ModelError(message, why="refused" if refused else "unreachable", tokens=0)
    if isinstance(error, of.UnexpectedModelBehavior) or any(isinstance(each, JSONDecodeError) for each in causes):
        return ModelError(f"{model.api} answered with what its client cannot read", why="bad_json")
    if isinstance(error, of.ModelAPIError):
        return ModelError(f"{model.api} cannot be reached: {_short(error)}", why="unreachable", tokens=0)
    hint = "pip install 'verifflowcc[llm]'" if isinstance(error, ImportError) else None
    return ModelError(f"{model.api} cannot be asked: {_short(error)}", why="command", tokens=0, hint=hint)


def _causes(error: BaseException | None) -> "list[BaseException]":
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _short(error: Exception) -> str:
    """Return the first sentence of an error of the library, safe to show; it names the variable of a key."""
    lines = withhold(str(error)).partition(". ")[0].strip().splitlines()
    shown = printable(lines[0]) if lines else type(error).__name__
    return shown if len(shown) <= _SHOWN_CHARACTERS else shown[:_SHOWN_CHARACTERS] + "…"
