"""A model behind an API, through pydantic-ai (the extra `llm`), which is imported when a model is first asked.

Keys and places of servers come from the environment, as each provider's own client reads them. One request per
question: nothing is tried again, no redirection is followed, and no more is read than an answer can have.
"""

from collections.abc import AsyncIterator, Mapping
from json import JSONDecodeError
from typing import TYPE_CHECKING

from verifflowcc.adapters.llm.answer import MOST_ANSWER_BYTES, find_json
from verifflowcc.adapters.llm.command import estimate
from verifflowcc.domain.ports import Count, ModelAnswer
from verifflowcc.errors import ModelError
from verifflowcc.records import dataclass
from verifflowcc.text.invisible import printable
from verifflowcc.text.secrets import withhold

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as ClientModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings

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
            told = "and was cut off" if cut else "with no JSON object" if text.strip() else "with nothing"
            raise ModelError(f"{self.api} answered {told}", why="bad_json", tokens=tokens_in + tokens_out)
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
        told = f"{model.api} answered with HTTP status {error.status_code}"
        return ModelError(told, why="refused" if refused else "unreachable", tokens=0)
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
