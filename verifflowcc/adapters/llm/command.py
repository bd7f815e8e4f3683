"""A model that is a command: it reads a prompt on its input and answers on its output."""

from collections.abc import Mapping

from verifflowcc.adapters.llm.answer import MOST_ANSWER_BYTES, find_json
from verifflowcc.adapters.llm.talking import Said, talk
from verifflowcc.domain.ports import Count, ModelAnswer
from verifflowcc.errors import ModelError
from verifflowcc.records import dataclass
from verifflowcc.text.invisible import printable
from verifflowcc.text.secrets import withhold

_BYTES_PER_TOKEN = 4
_MOST_BYTES_PER_TOKEN = 8
_ROOM_BYTES = 4_096
"""For what a program says around its answer."""

_SHOWN_CHARACTERS = 160


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
        said = talk(self.command, prompt.encode("utf-8", "replace"), timeout_s=self.timeout_s, most_bytes=most_bytes)
        tokens_in = self.count(prompt)
        if said.failure:
            raise self._failed(said, tokens_in)
        try:
            text = said.output.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ModelError(
                f"{self.name} answered with what is not UTF-8", why="bad_json", tokens=tokens_in + len(said.output) // 4
            ) from error
        tokens_out = self.count(text)
        found = find_json(text, schema)
        if found is None:
            told = "nothing" if not text.strip() else "no JSON object"
            raise ModelError(f"{self.name} answered with {told}", why="bad_json", tokens=tokens_in + tokens_out)
        return ModelAnswer(found, tokens_in, tokens_out)

    def _failed(self, said: Said, tokens_in: int) -> ModelError:
        complaint = _last_line(said.complaint)
        told = f"{self.name} {said.failure}" if said.started else f"the model cannot be asked: {said.failure}"
        if complaint and not said.late:
            told += f": {complaint}"
        if said.late:
            return ModelError(told, why="timeout")
        if said.too_much:
            return ModelError(told, why="bad_json", tokens=tokens_in + len(said.output) // _BYTES_PER_TOKEN)
        return ModelError(told, why="command", tokens=tokens_in if said.started else 0)


def _last_line(data: bytes) -> str:
    """Return the last line of what a program complained of, safe to show: it may repeat the key that it was given."""
    lines = withhold(data.decode("utf-8", "replace")).strip().splitlines()
    shown = printable(lines[-1].strip()) if lines else ""
    return shown if len(shown) <= _SHOWN_CHARACTERS else shown[:_SHOWN_CHARACTERS] + "…"
